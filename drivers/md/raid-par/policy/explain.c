// SPDX-License-Identifier: GPL-2.0
/*
 * A decision in words; see policy.h.
 */
#include <linux/kernel.h>
#include <linux/math64.h>
#include <kunit/visibility.h>

#include "policy/policy.h"

const char *par_reason_name(enum par_reason reason)
{
	static const char * const names[PAR_WHYS] = {
		[PAR_WHY_MANUAL] = "manual",
		[PAR_WHY_DEGRADED] = "degraded",
		[PAR_WHY_LOAD] = "load",
		[PAR_WHY_WAIT] = "wait",
		[PAR_WHY_LOG] = "log",
		[PAR_WHY_MIN] = "min-gear",
		[PAR_WHY_MAX] = "max-gear",
		[PAR_WHY_QUIET] = "quiet",
		[PAR_WHY_GONE] = "gone",
		[PAR_WHY_BRIEF] = "brief",
		[PAR_WHY_SPARE] = "spare",
		[PAR_WHY_NEEDED] = "needed",
		[PAR_WHY_UNSEEN] = "unseen",
		[PAR_WHY_HOLD] = "hold",
		[PAR_WHY_SYNC] = "sync",
		[PAR_WHY_BUDGET] = "budget",
		[PAR_WHY_FAILED] = "failed",
		[PAR_WHY_BLIND] = "blind",
		[PAR_WHY_OUTRUN] = "outrun",
		[PAR_WHY_OWED] = "owed",
		[PAR_WHY_COST] = "cost",
		[PAR_WHY_MISSES] = "misses",
		[PAR_WHY_LOWEST] = "lowest",
		[PAR_WHY_SHIFTING] = "shifting",
	};

	return names[reason];
}
EXPORT_SYMBOL_IF_KUNIT(par_reason_name);

/* A line that is appended to; text that does not fit is dropped. */
struct line {
	char *text;
	size_t size;
	int at;
};

static __printf(2, 3) void say(struct line *line, const char *format, ...)
{
	va_list args;

	va_start(args, format);
	line->at += vscnprintf(line->text + line->at, line->size - line->at, format,
			       args);
	va_end(args);
}

static void say_load(struct line *line, const struct par_policy *policy,
		     enum par_window_name which, unsigned int gear)
{
	u32 mean = par_window_mean(&policy->series, which, gear);
	u32 deviation = par_window_deviation(&policy->series, which, gear);

	say(line, "%u.%u%% +/- %u.%u%% busy", mean / 100, mean / 10 % 10,
	    deviation / 100, deviation / 10 % 10);
}

static void say_needed(struct line *line, const struct par_policy *policy,
		       const struct par_decision *d)
{
	say(line, "would be ");
	say_load(line, policy, PAR_WINDOW_LONG, d->about);
	if (policy->slow[d->about] < PAR_LOAD_MAX)
		say(line, " and was too slow at %u%%", policy->slow[d->about] / 100);
	say(line, ", and is enough below %u%%", policy->knobs.down);
	if (d->seconds)
		say(line, "; it carries this load, and is shifted to in %llu s if the load stays the same",
		    d->seconds);
}

/* Misses are expected in the lower gear that @d is about: how many, and what do they cost? */
static void say_misses(struct line *line, const struct par_policy *policy,
		       const struct par_situation *is, const struct par_decision *d)
{
	const struct par_misses *misses = &policy->misses[d->about];
	u32 linger = policy->knobs.break_even;
	u64 pays = par_policy_pays_after(policy, is, d->about), end = misses->last + linger;

	say(line, "would be enough, but ");
	if (misses->usual && is->now < end)
		say(line, "at this hour data without a slot is usually needed: once in %llu s",
		    par_misses_sleep(misses, linger, misses->last) + linger);
	else if (is->now < end && !par_misses_wait(misses, linger, pays, is->gap[d->about], end))
		say(line, "data without a slot was needed %llu s ago, and more may follow",
		    is->now - misses->last);
	else
		say(line, "its expected misses cost more %s than it saves: its sleepers would sleep for %llu s until one wakes them",
		    par_misses_wait(misses, linger, pays, 0, is->now) ? "energy" : "spin-ups",
		    par_misses_sleep(misses, linger, is->now));
	say(line, "; shifts down in %llu s if no data without a slot is needed", d->seconds);
}

/* The argument against the lower gear that @d is about. */
static void say_lower(struct line *line, const struct par_policy *policy,
		      const struct par_situation *is, const struct par_decision *d)
{
	const struct par_knobs *knobs = &policy->knobs;

	say(line, "gear %u ", policy->geo->set[d->about].members);
	switch (d->reason) {
	case PAR_WHY_UNSEEN:
		say(line, "is not considered before %u intervals have been measured, %u so far",
		    knobs->window[PAR_WINDOW_LONG],
		    policy->series.window[PAR_WINDOW_LONG].count);
		break;
	case PAR_WHY_NEEDED:
		say_needed(line, policy, d);
		break;
	case PAR_WHY_HOLD:
		say(line, "is enough (");
		say_load(line, policy, PAR_WINDOW_LONG, d->about);
		say(line, "), and is shifted to in %llu s if the load stays the same",
		    d->seconds);
		break;
	case PAR_WHY_BUDGET:
		say(line, "would be enough, but its sleepers have no spin-ups left for %llu s",
		    d->seconds);
		break;
	case PAR_WHY_FAILED:
		say(line, "is called for, but the last shift to it has failed; retrying in %llu s",
		    d->seconds);
		break;
	case PAR_WHY_OUTRUN:
		say(line, "would be enough, but the last shift down gave up: data was written faster than it was copied; retrying in %llu s",
		    d->seconds);
		break;
	case PAR_WHY_OWED:
		say(line, "would be enough, but the last stays in a lower gear lasted %llu s, too short to pay for the data that must be copied first; shifts down in %llu s if the load stays low",
		    policy->sleep, d->seconds);
		break;
	case PAR_WHY_COST:
		say(line, "would be enough, but the last stays in a lower gear lasted %llu s, too short to save energy; shifts down in %llu s if the load stays low",
		    policy->sleep, d->seconds);
		break;
	case PAR_WHY_MISSES:
		say_misses(line, policy, is, d);
		break;
	case PAR_WHY_LOG:
		say(line, "must wait until three quarters of the log are free: it is being drained");
		break;
	case PAR_WHY_SYNC:
		say(line, "must wait until the check, repair or rebuild has ended");
		break;
	default:
		break;
	}
}

static void say_up(struct line *line, const struct par_policy *policy)
{
	const struct par_knobs *knobs = &policy->knobs;

	say(line, "shifts up above %u%% busy", knobs->up);
	if (knobs->wait)
		say(line, ", or when requests take more than %u ms (now %llu)",
		    knobs->wait,
		    div_u64(par_window_wait(&policy->series, PAR_WINDOW_SHORT), 1000));
}

static void say_shift(struct line *line, const struct par_policy *policy,
		      const struct par_situation *is, const struct par_decision *d)
{
	say(line, "shifting %s to gear %u", d->gear > is->gear ? "up" : "down",
	    policy->geo->set[d->gear].members);
}

/* The reason for a shift. */
static void say_reason(struct line *line, const struct par_policy *policy,
		       enum par_reason reason)
{
	switch (reason) {
	case PAR_WHY_LOAD:
		say(line, ": above %u%% busy", policy->knobs.up);
		return;
	case PAR_WHY_WAIT:
		say(line, ": requests take more than %u ms", policy->knobs.wait);
		return;
	case PAR_WHY_LOG:
		say(line, ": the log is filling up");
		return;
	case PAR_WHY_MISSES:
		say(line, ": a request needs data without a slot");
		return;
	case PAR_WHY_MIN:
		say(line, ": not below min_gear");
		return;
	case PAR_WHY_MAX:
		say(line, ": not above max_gear");
		return;
	case PAR_WHY_QUIET:
		say(line, ": it is enough");
		return;
	case PAR_WHY_GONE:
		say(line, ": the load that it shifted up for has ended");
		return;
	default:
		return;
	}
}

static void say_blind(struct line *line, const char *so)
{
	say(line, "nothing is known of the load, as queue/iostats of the array or of a member is 0%s",
	    so);
}

/* The argument against a shift up that the load asks for. */
static void say_held_back(struct line *line, const struct par_situation *is,
			  const struct par_decision *d)
{
	say(line, "this gear is not enough, but ");
	if (d->reason == PAR_WHY_BRIEF)
		say(line, "loads like this one have mostly ended soon");
	else
		say(line, "few spin-ups are left, %llu for the next %llu s", is->starts, is->share);
	say(line, "; shifts up in %llu s if the load stays", d->seconds);
}

static void say_why(struct line *line, const struct par_policy *policy,
		    const struct par_situation *is, const struct par_decision *d)
{
	if (d->gear != is->gear)
		say_shift(line, policy, is, d);
	switch (d->reason) {
	case PAR_WHY_MANUAL:
		say(line, "%sthe policy is manual: shifts when gear is written%s",
		    d->gear != is->gear ? ", " : "", is->outrun ?
		    "; the last shift down gave up: data was written faster than it was copied" :
		    "");
		return;
	case PAR_WHY_DEGRADED:
		say(line, "%sa member is missing: all others are needed until it is rebuilt",
		    d->gear != is->gear ? ", " : "");
		return;
	case PAR_WHY_LOAD:
	case PAR_WHY_WAIT:
	case PAR_WHY_MIN:
	case PAR_WHY_QUIET:
	case PAR_WHY_GONE:
		say_reason(line, policy, d->reason);
		return;
	case PAR_WHY_LOG:
	case PAR_WHY_MAX:
		if (d->gear != is->gear)
			say_reason(line, policy, d->reason);
		else if (d->reason == PAR_WHY_LOG)
			say_lower(line, policy, is, d);
		else
			say(line, "would shift up to gear %u, but for max_gear",
			    policy->geo->set[d->about].members);
		return;
	case PAR_WHY_BRIEF:
	case PAR_WHY_SPARE:
		say_held_back(line, is, d);
		return;
	case PAR_WHY_BLIND:
		say_blind(line, ": does not shift down");
		return;
	case PAR_WHY_SHIFTING:
		say_reason(line, policy, is->why);
		return;
	case PAR_WHY_LOWEST:
		say(line, "no lower gear %s",
		    is->gear == 1 ? "exists" : "is allowed by min_gear");
		break;
	default:
		say_lower(line, policy, is, d);
		break;
	}
	if (is->gear < policy->geo->gears && d->reason != PAR_WHY_FAILED) {
		if (is->blind) {
			say(line, "; ");
			say_blind(line, "");
		}
		say(line, "; ");
		say_up(line, policy);
	}
}

int par_policy_explain(const struct par_policy *policy,
		       const struct par_situation *is, char *text, size_t size)
{
	struct par_decision d = par_policy_decide(policy, is);
	struct line line = { text, size, 0 };

	say(&line, "gear %u of %u", policy->geo->set[is->gear].members,
	    policy->geo->members);
	if (policy->series.filled) {
		say(&line, ", ");
		say_load(&line, policy, PAR_WINDOW_SHORT, is->gear);
	}
	say(&line, ": ");
	say_why(&line, policy, is, &d);
	return line.at;
}
EXPORT_SYMBOL_IF_KUNIT(par_policy_explain);
