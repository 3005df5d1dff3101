/* SPDX-License-Identifier: GPL-2.0 */
/* Tracepoints of slots; documented in Documentation/admin-guide.md. */
#undef TRACE_SYSTEM
#define TRACE_SYSTEM raid_par

#if !defined(RAID_PAR_GEAR_TRACE_H) || defined(TRACE_HEADER_MULTI_READ)
#define RAID_PAR_GEAR_TRACE_H

#include <linux/tracepoint.h>

#include "gear/gear.h"

/*
 * A slot is evicted: it has left its run (closed), or it is free again (freed). A run keeps its
 * slot (kept) if the slot may have the only valid copy of a segment, or if no zeros could be
 * written to it.
 */
TRACE_EVENT(par_slot,
	TP_PROTO(struct par_conf *conf, unsigned int band, u32 slot, u32 run, const char *what),
	TP_ARGS(conf, band, slot, run, what),
	TP_STRUCT__entry(
		__string(array, mdname(conf->mddev))
		__string(what, what)
		__field(unsigned int, gear)
		__field(u32, slot)
		__field(u32, run)
	),
	TP_fast_assign(
		__assign_str(array);
		__assign_str(what);
		__entry->gear = conf->geo.set[band].members;
		__entry->slot = slot;
		__entry->run = run;
	),
	TP_printk("%s %s gear=%u slot=%u run=%u", __get_str(array), __get_str(what),
		  __entry->gear, __entry->slot, __entry->run)
);

#endif

#undef TRACE_INCLUDE_PATH
#define TRACE_INCLUDE_PATH gear
#undef TRACE_INCLUDE_FILE
#define TRACE_INCLUDE_FILE gear_trace
#include <trace/define_trace.h>
