/* SPDX-License-Identifier: GPL-2.0 */
/* Tracepoints; documented in Documentation/admin-guide.md. */
#undef TRACE_SYSTEM
#define TRACE_SYSTEM raid_par

#if !defined(RAID_PAR_TRACE_H) || defined(TRACE_HEADER_MULTI_READ)
#define RAID_PAR_TRACE_H

#include <linux/tracepoint.h>

#include "monitor.h"
#include "par.h"

/*
 * A decision of the policy, once per interval: gears are given in members, utilizations in
 * hundredths of a percent.
 */
TRACE_EVENT(par_decision,
	TP_PROTO(struct par_conf *conf, const struct par_situation *is,
		 const struct par_decision *decision),
	TP_ARGS(conf, is, decision),
	TP_STRUCT__entry(
		__string(array, mdname(conf->mddev))
		__field(unsigned int, gear)
		__field(unsigned int, target)
		__field(unsigned int, decided)
		__field(unsigned int, about)
		__string(reason, par_reason_name(decision->reason))
		__field(u64, seconds)
		__field(u32, mean)
		__field(u32, deviation)
		__field(u32, about_mean)
		__field(u32, about_deviation)
	),
	TP_fast_assign(
		const struct par_series *series = &conf->monitor->policy.series;

		__assign_str(array);
		__entry->gear = conf->geo.set[is->gear].members;
		__entry->target = conf->geo.set[is->target].members;
		__entry->decided = conf->geo.set[decision->gear].members;
		__entry->about = conf->geo.set[decision->about].members;
		__assign_str(reason);
		__entry->seconds = decision->seconds;
		__entry->mean = par_window_mean(series, PAR_WINDOW_SHORT, is->gear);
		__entry->deviation = par_window_deviation(series, PAR_WINDOW_SHORT,
							  is->gear);
		__entry->about_mean = par_window_mean(series, PAR_WINDOW_LONG,
						      decision->about);
		__entry->about_deviation = par_window_deviation(series, PAR_WINDOW_LONG,
								decision->about);
	),
	TP_printk("%s gear=%u target=%u decided=%u reason=%s about=%u seconds=%llu busy=%u+%u about_busy=%u+%u",
		  __get_str(array), __entry->gear, __entry->target, __entry->decided,
		  __get_str(reason), __entry->about, __entry->seconds, __entry->mean,
		  __entry->deviation, __entry->about_mean, __entry->about_deviation)
);

#endif

#undef TRACE_INCLUDE_PATH
#define TRACE_INCLUDE_PATH .
#undef TRACE_INCLUDE_FILE
#define TRACE_INCLUDE_FILE trace
#include <trace/define_trace.h>
