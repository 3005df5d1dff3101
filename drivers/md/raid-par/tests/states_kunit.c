// SPDX-License-Identifier: GPL-2.0
/*
 * The segment state table against a simulation: one segment with a home copy and an image,
 * each of which has the number of the write that it holds. The claims of a state about the
 * copies must be true after any event.
 */
#include <kunit/test.h>
#include <linux/string.h>

#include "pure/states.h"

/* Versions of a copy; acknowledged writes count up from ZEROS. */
#define GARBAGE		0U	/* never written, or not completely */
#define ZEROS		1U	/* the content of an unwritten row */

#define CRASH_DEPTH	5	/* steps between a checkpoint and the crash */

struct sim {
	const char *name;
	enum par_seg_state state;	/* in memory */
	unsigned int home, image;	/* the copies */
	unsigned int last;		/* what a read must return */
	/* for crashes */
	enum par_seg_state stored;	/* on the members */
	unsigned int pending;	/* a write under way: it may be there or not */
	bool nobodys;		/* unwritten: the content is undefined */
};

/* Every state, with the worst copies that it allows. */
static const struct sim segments[] = {
	{ "unwritten", PAR_SEG_UNWRITTEN, GARBAGE, GARBAGE, ZEROS },
	{ "both", PAR_SEG_BOTH, 3, 3, 3 },
	{ "home, old image", PAR_SEG_HOME, 3, 2, 3 },
	{ "home, no image", PAR_SEG_HOME, 3, GARBAGE, 3 },
	{ "image, old home copy", PAR_SEG_IMAGE, 2, 3, 3 },
	{ "image, no home copy", PAR_SEG_IMAGE, GARBAGE, 3, 3 },
};

KUNIT_ARRAY_PARAM_DESC(segment, segments, name);

static const struct {
	const char *name;
	bool read, write, start, asleep;
} events[] = {
	[PAR_EV_READ]		= { "read", .read = true },
	[PAR_EV_READ_ASLEEP]	= { "read asleep", .read = true,
				    .asleep = true },
	[PAR_EV_WRITE]		= { "write", .write = true },
	[PAR_EV_WRITE_ASLEEP]	= { "write asleep", .write = true,
				    .asleep = true },
	[PAR_EV_PROPAGATE]	= { "propagate" },
	[PAR_EV_START]		= { "start", .start = true },
	[PAR_EV_START_ASLEEP]	= { "start asleep", .start = true,
				    .asleep = true },
};

/* Does @state tell the truth about the copies? */
static bool truth(const struct sim *s, enum par_seg_state state)
{
	switch (state) {
	case PAR_SEG_UNWRITTEN:
		return s->last == ZEROS;
	case PAR_SEG_BOTH:
		return s->home == s->last && s->image == s->last;
	case PAR_SEG_HOME:
		return s->home == s->last;
	case PAR_SEG_IMAGE:
		return s->image == s->last;
	default:
		return false;
	}
}

/* A request that reaches @copy. */
static const char *touch(struct sim *s, enum par_seg_event ev, unsigned int *copy)
{
	if (events[ev].read)
		return *copy == s->last ? NULL : "an old copy is read";
	if (!events[ev].write && !events[ev].start)
		return "propagation does no request";
	*copy = ++s->last;
	return NULL;
}

static const char *act_none(struct sim *s, enum par_seg_event ev)
{
	if (events[ev].read || events[ev].write)
		return "a request is answered by nothing";
	if (events[ev].start && s->state == PAR_SEG_UNWRITTEN)
		return "an unwritten row is not started";
	if (ev == PAR_EV_PROPAGATE &&
	    (s->state == PAR_SEG_HOME || s->state == PAR_SEG_IMAGE))
		return "the valid copy is not propagated";
	return NULL;
}

static const char *act_zero(struct sim *s, enum par_seg_event ev)
{
	if (!events[ev].read)
		return "only a read can be answered by zeros";
	return s->last == ZEROS ? NULL : "zeros are read where data is";
}

static const char *act_start(struct sim *s, enum par_seg_event ev)
{
	if (!events[ev].write)
		return "only a write starts a row";
	return s->state == PAR_SEG_UNWRITTEN ? NULL : "a row is started twice";
}

/* A spin-up is expensive: only where there is no other valid copy. */
static const char *act_miss(struct sim *s, enum par_seg_event ev)
{
	if (!events[ev].asleep)
		return "a member that is awake is woken";
	return s->state == PAR_SEG_HOME ? NULL : "a member is woken in vain";
}

static const char *act_copy(enum par_seg_event ev, unsigned int from,
			    unsigned int *to)
{
	*to = from;
	return ev == PAR_EV_PROPAGATE ? NULL : "a request copies a segment";
}

static const char *act(struct sim *s, enum par_seg_event ev,
		       enum par_seg_action action)
{
	switch (action) {
	case PAR_ACT_NONE:
		return act_none(s, ev);
	case PAR_ACT_ZERO:
		return act_zero(s, ev);
	case PAR_ACT_START:
		return act_start(s, ev);
	case PAR_ACT_HOME:
		if (events[ev].asleep)
			return "a sleeper is touched";
		return touch(s, ev, &s->home);
	case PAR_ACT_IMAGE:
		return touch(s, ev, &s->image);
	case PAR_ACT_MISS:
		return act_miss(s, ev);
	case PAR_ACT_COPY_TO_IMAGE:
		return act_copy(ev, s->home, &s->image);
	case PAR_ACT_COPY_TO_HOME:
		return act_copy(ev, s->image, &s->home);
	case PAR_ACT_HOLD:
		return "the table knows nothing of rows whose first writes are on their way";
	}
	return "no such action";
}

/* The allowed changes of a row and of a segment, for any event. */
static const char *check_next(const struct sim *s, enum par_seg_event ev,
			      struct par_seg_step step)
{
	bool starts = s->state == PAR_SEG_UNWRITTEN && events[ev].start;
	bool was = s->state != PAR_SEG_UNWRITTEN;
	bool is = step.next != PAR_SEG_UNWRITTEN;

	if (is != (was || starts))
		return "a row is started or lost by something else";
	if (events[ev].read && step.next != s->state)
		return "a read changes the state";
	if (step.action == PAR_ACT_NONE && step.next != s->state)
		return "no action changes the state";
	if (step.action == PAR_ACT_MISS && step.next != s->state)
		return "a miss changes the state";
	if (ev == PAR_EV_PROPAGATE && was && step.next != PAR_SEG_BOTH)
		return "the copies agree, and the state does not know";
	return NULL;
}

static const char *happen(struct sim *s, enum par_seg_event ev)
{
	struct par_seg_step step = par_seg_step(s->state, ev);
	const char *bad = check_next(s, ev, step) ?: act(s, ev, step.action);

	s->state = step.next;
	return bad ?: truth(s, s->state) ? bad : "the state lies about the copies";
}

/* From every state that the table can be in, every event leads to another. */
static void states_table(struct kunit *test)
{
	const struct sim *start = test->param_value;
	enum par_seg_event ev;

	KUNIT_ASSERT_TRUE(test, truth(start, start->state));
	for (ev = 0; ev < PAR_SEG_EVENTS; ev++) {
		struct sim s = *start;
		const char *bad = happen(&s, ev);

		KUNIT_EXPECT_NULL_MSG(test, bad, "%s, then %s: %s",
				      start->name, events[ev].name, bad);
	}
}

/* ---- the design document's table, as it is printed there ---- */

#define ROW(name, ev, u, b, h, i)					\
	{ name, ev, { [PAR_SEG_UNWRITTEN] = u, [PAR_SEG_BOTH] = b,	\
		      [PAR_SEG_HOME] = h, [PAR_SEG_IMAGE] = i } }
#define STEP(action, next)	{ PAR_ACT_##action, PAR_SEG_##next }

static const struct {
	const char *name;
	enum par_seg_event ev;
	struct par_seg_step step[PAR_SEG_STATES];
} printed[] = {
	ROW("read, awake", PAR_EV_READ,
	    STEP(ZERO, UNWRITTEN), STEP(HOME, BOTH),
	    STEP(HOME, HOME), STEP(IMAGE, IMAGE)),
	ROW("read, asleep", PAR_EV_READ_ASLEEP,
	    STEP(ZERO, UNWRITTEN), STEP(IMAGE, BOTH),
	    STEP(MISS, HOME), STEP(IMAGE, IMAGE)),
	ROW("write, awake", PAR_EV_WRITE,
	    STEP(START, UNWRITTEN), STEP(HOME, HOME),
	    STEP(HOME, HOME), STEP(IMAGE, IMAGE)),
	ROW("write, asleep", PAR_EV_WRITE_ASLEEP,
	    STEP(START, UNWRITTEN), STEP(IMAGE, IMAGE),
	    STEP(MISS, HOME), STEP(IMAGE, IMAGE)),
	ROW("propagate", PAR_EV_PROPAGATE,
	    STEP(NONE, UNWRITTEN), STEP(NONE, BOTH),
	    STEP(COPY_TO_IMAGE, BOTH), STEP(COPY_TO_HOME, BOTH)),
	ROW("start, awake", PAR_EV_START,
	    STEP(HOME, HOME), STEP(NONE, BOTH),
	    STEP(NONE, HOME), STEP(NONE, IMAGE)),
	ROW("start, asleep", PAR_EV_START_ASLEEP,
	    STEP(IMAGE, IMAGE), STEP(NONE, BOTH),
	    STEP(NONE, HOME), STEP(NONE, IMAGE)),
};

KUNIT_ARRAY_PARAM_DESC(printed, printed, name);

static void states_as_printed(struct kunit *test)
{
	const typeof(printed[0]) *row = test->param_value;
	enum par_seg_state state;

	for (state = 0; state < PAR_SEG_STATES; state++) {
		struct par_seg_step step = par_seg_step(state, row->ev);

		KUNIT_EXPECT_EQ_MSG(test, step.action, row->step[state].action,
				    "action in state %d", state);
		KUNIT_EXPECT_EQ_MSG(test, step.next, row->step[state].next,
				    "next state after %d", state);
	}
}

/* ---- rows: all segments unwritten, or none ---- */

static const struct {
	const char *name;
	unsigned int sleepers, awake;
} rows[] = {
	{ "one sleeper, awake", 1, 1 },
	{ "one sleeper, asleep", 1, 0 },
	{ "five sleepers, two awake", 5, 2 },
	{ "26 sleepers, all awake", 26, 26 },
	{ "26 sleepers, half of them awake", 26, 13 },
	{ "26 sleepers, all asleep", 26, 0 },
};

KUNIT_ARRAY_PARAM_DESC(row, rows, name);

static void states_row(struct kunit *test)
{
	const typeof(rows[0]) *row = test->param_value;
	unsigned int d;

	for (d = 0; d < row->sleepers; d++) {
		bool awake = d < row->awake;
		enum par_seg_event ev = awake ? PAR_EV_START : PAR_EV_START_ASLEEP;
		enum par_seg_state started =
			par_seg_step(PAR_SEG_UNWRITTEN, ev).next;
		enum par_seg_state crashed =
			par_seg_after_crash(PAR_SEG_UNWRITTEN, awake);

		KUNIT_EXPECT_NE_MSG(test, started, PAR_SEG_UNWRITTEN,
				    "sleeper %u, started", d);
		KUNIT_EXPECT_EQ_MSG(test, crashed, started,
				    "sleeper %u, started and crashed", d);
	}
}

/* ---- crashes ---- */

/* A zone's stored map, and the side that may be newer according to its intent. */
struct crash {
	const char *name;
	enum par_seg_state stored;
	bool awake;
};

static const struct crash crashes[] = {
	{ "unwritten, home intent", PAR_SEG_UNWRITTEN, true },
	{ "unwritten, image intent", PAR_SEG_UNWRITTEN, false },
	{ "both, home intent", PAR_SEG_BOTH, true },
	{ "both, image intent", PAR_SEG_BOTH, false },
	{ "home, home intent", PAR_SEG_HOME, true },
	{ "home, image intent", PAR_SEG_HOME, false },
	{ "image, home intent", PAR_SEG_IMAGE, true },
	{ "image, image intent", PAR_SEG_IMAGE, false },
};

KUNIT_ARRAY_PARAM_DESC(crash, crashes, name);

enum crash_step {
	STEP_READ, STEP_WRITE, STEP_START, STEP_PROPAGATE, STEP_DISCARD,
	STEP_CHECKPOINT, CRASH_STEPS,
};

static const char crash_letters[] = "rwspdc";

struct crash_run {
	struct kunit *test;
	bool awake, careful;
	char path[CRASH_DEPTH + 1];
	unsigned int crashes, losses;
};

static void survive(struct crash_run *run, const struct sim *s, const char *when)
{
	enum par_seg_state state = par_seg_after_crash(s->stored, run->awake);
	struct sim pending = *s;

	pending.last = s->pending;
	run->crashes++;
	if (s->nobodys ? state != PAR_SEG_UNWRITTEN :
	    truth(s, state) || (s->pending && truth(&pending, state)))
		return;
	run->losses++;
	if (run->careful && run->losses == 1)
		KUNIT_FAIL(run->test, "stored %d, after %s: state %d %s is lost",
			   s->stored, run->path, state, when);
}

/* The event as the table has it, with a crash in the middle. */
static void crash_event(struct crash_run *run, struct sim *s,
			enum par_seg_event ev)
{
	struct par_seg_step step = par_seg_step(s->state, ev);
	struct sim mid = *s;
	const char *bad;

	if (step.action == PAR_ACT_MISS)	/* not in this gear */
		return;
	/* A copy must not become newer while the stored map names the other one. */
	if (run->careful && step.next != s->stored &&
	    ((s->stored == PAR_SEG_HOME && step.next == PAR_SEG_IMAGE) ||
	     (s->stored == PAR_SEG_IMAGE && step.next == PAR_SEG_HOME)))
		s->stored = s->state;

	mid.stored = s->stored;
	bad = happen(s, ev);
	KUNIT_EXPECT_NULL_MSG(run->test, bad, "after %s: %s", run->path, bad);
	/* Its changes are half done; a write may be complete or not. */
	mid.pending = events[ev].write ? s->last : 0;
	if (mid.home != s->home)
		mid.home = mid.pending;
	if (mid.image != s->image)
		mid.image = mid.pending;
	survive(run, &mid, "(half done)");
	if (events[ev].start)
		s->nobodys &= step.action == PAR_ACT_NONE;
}

static void crash_step(struct crash_run *run, struct sim *s,
		       enum crash_step step)
{
	/* by whether the member is awake */
	static const enum par_seg_event request[][2] = {
		[STEP_READ] = { PAR_EV_READ_ASLEEP, PAR_EV_READ },
		[STEP_WRITE] = { PAR_EV_WRITE_ASLEEP, PAR_EV_WRITE },
		[STEP_START] = { PAR_EV_START_ASLEEP, PAR_EV_START },
	};

	switch (step) {
	case STEP_READ:
	case STEP_WRITE:
	case STEP_START:
		crash_event(run, s, request[step][run->awake]);
		break;
	case STEP_PROPAGATE:	/* needs the home copy, one way or the other */
		if (run->awake)
			crash_event(run, s, PAR_EV_PROPAGATE);
		break;
	case STEP_DISCARD:
		s->state = PAR_SEG_UNWRITTEN;
		s->last = ZEROS;
		s->nobodys = true;
		break;
	default:	/* a checkpoint */
		s->stored = s->state;
		break;
	}
}

/* All sequences of events with up to @depth further steps. */
static void crash_tree(struct crash_run *run, const struct sim *s,
		       unsigned int depth)
{
	unsigned int at = CRASH_DEPTH - depth;
	enum crash_step step;

	survive(run, s, "(done)");
	for (step = 0; depth && step < CRASH_STEPS; step++) {
		struct sim next = *s;

		run->path[at] = crash_letters[step];
		run->path[at + 1] = '\0';
		crash_step(run, &next, step);
		crash_tree(run, &next, depth - 1);
	}
	run->path[at] = '\0';
}

static void run_crashes(struct crash_run *run, enum par_seg_state stored)
{
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(segments); i++) {
		struct sim s = segments[i];

		s.stored = s.state;
		s.nobodys = s.state == PAR_SEG_UNWRITTEN;
		if (s.state == stored)
			crash_tree(run, &s, CRASH_DEPTH);
	}
}

static void states_crash(struct kunit *test)
{
	const struct crash *crash = test->param_value;
	struct crash_run run = {
		.test = test,
		.awake = crash->awake,
		.careful = true,
	};

	run_crashes(&run, crash->stored);
	KUNIT_EXPECT_EQ(test, run.losses, 0);
	KUNIT_EXPECT_GT(test, run.crashes, 1000);
}

static const struct crash careless[] = {
	{ "image, home intent", PAR_SEG_IMAGE, true },
	{ "home, image intent", PAR_SEG_HOME, false },
};

KUNIT_ARRAY_PARAM_DESC(careless, careless, name);

/*
 * The simulation can detect faults: without the checkpoint before the other side becomes
 * newer, it must find lost data.
 */
static void states_careless(struct kunit *test)
{
	const struct crash *crash = test->param_value;
	struct crash_run run = { .test = test, .awake = crash->awake };

	run_crashes(&run, crash->stored);
	KUNIT_EXPECT_GT(test, run.losses, 0);
}

static struct kunit_case states_cases[] = {
	KUNIT_CASE_PARAM(states_table, segment_gen_params),
	KUNIT_CASE_PARAM(states_as_printed, printed_gen_params),
	KUNIT_CASE_PARAM(states_row, row_gen_params),
	KUNIT_CASE_PARAM(states_crash, crash_gen_params),
	KUNIT_CASE_PARAM(states_careless, careless_gen_params),
	{}
};

static struct kunit_suite states_suite = {
	.name = "raid-par-states",
	.test_cases = states_cases,
};

kunit_test_suite(states_suite);
