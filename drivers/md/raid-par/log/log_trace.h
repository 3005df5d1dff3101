/* SPDX-License-Identifier: GPL-2.0 */
/* Tracepoints of the write log; documented in Documentation/admin-guide.md. */
#undef TRACE_SYSTEM
#define TRACE_SYSTEM raid_par

#if !defined(RAID_PAR_LOG_TRACE_H) || defined(TRACE_HEADER_MULTI_READ)
#define RAID_PAR_LOG_TRACE_H

#include <linux/tracepoint.h>

#include "log/log.h"

/* A record is sent to the members: its position, and the number of its blocks of data. */
TRACE_EVENT(par_log_record,
	TP_PROTO(const struct par_log *log, const struct par_log_sent *sent),
	TP_ARGS(log, sent),
	TP_STRUCT__entry(
		__string(array, mdname(log->conf->mddev))
		__field(u64, pos)
		__field(u64, run)
		__field(unsigned int, blocks)
		__field(u32, used)
	),
	TP_fast_assign(
		__assign_str(array);
		__entry->pos = sent->pos;
		__entry->run = log->run;
		__entry->blocks = sent->count;
		__entry->used = par_log_ring_used(&log->ring);
	),
	TP_printk("%s pos=%llu run=%llu blocks=%u used=%u", __get_str(array), __entry->pos,
		  __entry->run, __entry->blocks, __entry->used)
);

/*
 * A part of the log has been drained: the number of blocks that were picked, the number of live
 * blocks that are left in the log, and its tail. @error: the error of blocks that could not be
 * drained, or 0.
 */
TRACE_EVENT(par_log_drained,
	TP_PROTO(const struct par_log *log, unsigned int blocks, int error),
	TP_ARGS(log, blocks, error),
	TP_STRUCT__entry(
		__string(array, mdname(log->conf->mddev))
		__field(unsigned int, blocks)
		__field(u32, live)
		__field(u64, tail)
		__field(u32, used)
		__field(int, error)
	),
	TP_fast_assign(
		__assign_str(array);
		__entry->blocks = blocks;
		__entry->live = log->index.live;
		__entry->tail = log->ring.tail;
		__entry->used = par_log_ring_empty(&log->ring) ? 0 :
				par_log_ring_used(&log->ring);
		__entry->error = error;
	),
	TP_printk("%s blocks=%u live=%u tail=%llu used=%u error=%d", __get_str(array),
		  __entry->blocks, __entry->live, __entry->tail, __entry->used, __entry->error)
);

#endif

#undef TRACE_INCLUDE_PATH
#define TRACE_INCLUDE_PATH log
#undef TRACE_INCLUDE_FILE
#define TRACE_INCLUDE_FILE log_trace
#include <trace/define_trace.h>
