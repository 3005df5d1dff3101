// SPDX-License-Identifier: GPL-2.0
/*
 * Starts of an array after a cut: without options, by force if it is refused for a good reason,
 * without a member for some starts, and with power failures during the assembly.
 */
#include <stdio.h>
#include <string.h>

#include "torture.h"

struct start start;

static bool forced_in_the_dark;	/* during an assembly in which the power was cut */
static unsigned int absences;	/* starts that the members in array.absent have yet to miss */

/*
 * Read the ranges in doubt from the kernel's log. It must not say that images have no slots: in that
 * case, segments and slots were stored in the wrong order, even if the home copies are right.
 */
static bool read_doubts(bool apply)
{
	unsigned long long from, to;
	char line[512], *text;
	bool any = false;

	while (klog_line(line, sizeof(line))) {
		if (strstr(line, "but they have no slots"))
			fail("images without slots: %s", line);
		text = strstr(line, "in doubt: array sectors ");
		if (!text || sscanf(text, "in doubt: array sectors %llu to %llu", &from, &to) != 2)
			continue;
		event("in doubt: %llu to %llu", from, to);
		if (apply)
			model_doubt(from, to + 1);
		any = true;
	}
	return any;
}

void say_klog(void)
{
	char line[512];

	while (klog_line(line, sizeof(line)))
		if (strstr(line, "md/par") || strstr(line, "md/raid") || strstr(line, "md: "))
			say("  kernel: %s", line);
}

/*
 * A forced start accepts that data is in doubt, which a file system cannot: its own
 * structures may be in doubt.
 */
static bool may_force(void)
{
	return start.may_refuse && !opt.no_force && !files_wanted();
}

void must_assemble(bool force)
{
	phase(force ? "assembling by force" : "assembling", 90);
	if (assembly_end(assembly_begin(force ? "--force" : "")))
		return;
	say_klog();
	fail("mdadm --assemble%s: %s", force ? " --force" : "", output());
}

/*
 * Has mdadm refused the array because of md's event counts? After a cut while md stored its
 * superblocks, the next store has a count that is two higher than that of the members that the cut
 * store has not reached. If that store is cut as well, mdadm takes those for failed members, on any
 * level, and --force takes them for members again.
 */
static bool behind_by_events(void)
{
	return !opt.no_force && strstr(output(), "not enough to start the array") &&
	       array_events_apart();
}

/* Check that the refusal has a good reason. */
static void judge_refusal(void)
{
	if (start.may_refuse && (read_doubts(true) || opt.no_force))
		return;
	klog_mark();
	must_assemble(false);	/* logs more */
	fail("assembly failed once, for no known reason: %s", output());
}

/*
 * mdadm requires --run if a member had been added and the power was cut before it was taken
 * in: all members are present, but one is a spare.
 */
static bool assemble_plainly(void)
{
	if (assembly_end(assembly_begin("")))
		return true;
	if (!strstr(output(), "use --run to insist"))
		return false;
	array_stop();
	return assembly_end(assembly_begin("--run"));
}

static bool start_plainly(void)
{
	phase("assembling", 90);
	klog_mark();
	model.forced = forced_in_the_dark;
	if (assemble_plainly()) {
		if (forced_in_the_dark)
			read_doubts(true);
		else if (start.refuse_due)
			fail("degraded and dirty, and yet started without --force");
		else
			read_doubts(false);
		counted.degraded_plain += start.may_refuse && array_degraded();
		return true;
	}
	event("refused: %s", output());
	array_stop();
	return false;
}

/* Usually a member with a superblock that others lack. */
void leave_out(struct rng *rng)
{
	u32 newest = newest_members();
	unsigned int d = newest && chance(rng, 75) ? (unsigned int)__builtin_ctz(newest) :
			 below(rng, array.members);

	array.absent = 1U << d;
	absences = between(rng, 1, 3);
	event("%s is missing for %u starts", disk_name(d), absences);
}

/*
 * Start without the member, if possible. If the array may have been in use at the cut, the
 * start is refused with a reason, and the array is then started with the member.
 */
static bool start_without(void)
{
	absences--;
	if (start_plainly()) {
		counted.absent_starts++;
		return true;
	}
	if (!read_doubts(false))
		fail("refused without %x, for no known reason: %s", array.absent, output());
	counted.absent_refused++;
	return false;
}

/* Start without options if possible, and by force if this is refused for a good reason. */
void start_array(void)
{
	if (array.absent && absences && start_without())
		return;
	array.absent = 0;
	if (start_plainly())
		return;
	if (behind_by_events()) {
		klog_mark();
		must_assemble(true);
		start.given_up = read_doubts(true) && files_wanted();
		model.forced = true;
		counted.behind++;
		return;
	}
	judge_refusal();
	counted.dirty_refused++;
	if (!may_force()) {
		start.given_up = true;
		counted.given_up++;
		return;
	}
	must_assemble(true);
	model.forced = true;
	counted.forced++;
}

/*
 * The power fails during the assembly, once or several times. A forced start may already
 * have taken place when a later assembly is not forced any more.
 */
void start_in_the_dark(struct rng *rng)
{
	bool force;
	int pid;

	forced_in_the_dark = false;
	while (chance(rng, 20)) {
		phase("assembling, to be cut", 90);
		force = may_force() && chance(rng, 40);
		forced_in_the_dark |= force;
		klog_mark();
		pid = assembly_begin(force ? "--force" : "");
		nap_ms(between(rng, 1, 400 + disks_start_ms()));
		cut(rng);
		counted.in_assembly++;
		reap(pid);
		array_stop();
		if (forced_in_the_dark)
			read_doubts(true);
		disks_restore();
	}
}
