/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Reading the summaries of the log's units at assembly. See walk.c and, for what a summary is,
 * pure/log-summary.h.
 */
#ifndef RAID_PAR_LOG_SUMMARY_READ_H
#define RAID_PAR_LOG_SUMMARY_READ_H

#include "log/log.h"

#define PAR_LOG_WINDOW	128U	/* summaries that are read at a time */

/**
 * struct par_log_summary_reader - the summaries around the position of a walk
 * @window: the number of the window that has been read, U32_MAX: none
 * @any: a summary of it counted; @barren: windows to pass over after another one in which none does
 * @prefer: the member that had the last summary
 * @copy: the window of each member: @raw is allocated when it is first read; @errors of all reads
 */
struct par_log_summary_reader {
	struct par_log *log;
	struct par_log_walk *at;
	u32 window, barren;
	bool any;
	unsigned int prefer;
	struct par_log_window {
		bool read;
		unsigned int errors;
		struct par_disk_log_summary *raw;
	} copy[PAR_MAX_MEMBERS];
};

/*
 * par_log_reader_alloc - prepare reading for a walk; NULL: no memory, or units have no summaries,
 * so that their records have to be read. par_log_reader_free - end it. Both sleep.
 */
struct par_log_summary_reader *par_log_reader_alloc(struct par_log *log, struct par_log_walk *at);
void par_log_reader_free(struct par_log_summary_reader *reader);

/*
 * par_log_reader_find - the summary of the unit that begins at the walk's position, if a member
 * has one that counts, and its fields in @head; else NULL. Sleeps.
 */
const struct par_disk_log_summary *par_log_reader_find(struct par_log_summary_reader *reader,
						       struct par_log_summary *head);

/*
 * par_log_reader_look - let the walk see all summaries around its position, from all members: those
 * of units behind its end show that records are missing. Sleeps.
 */
void par_log_reader_look(struct par_log_summary_reader *reader);

/*
 * par_log_reader_gap - after a unit without a summary: the end of the units without one, or of the
 * window; later if there is none in many units, since reading records without a stop is faster. The
 * records up to there have to be read.
 */
u64 par_log_reader_gap(struct par_log_summary_reader *reader);

#endif
