/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Requests of a drain that are waited for together, and reads of many blocks of the log at the
 * same time, in as few requests as possible. See drain.c.
 */
#ifndef RAID_PAR_LOG_BATCH_H
#define RAID_PAR_LOG_BATCH_H

#include "log/log.h"

/* struct par_log_batch - @left: requests under way, plus one; @failed: one has failed */
struct par_log_batch {
	atomic_t left;
	struct completion done;
	bool failed;
};

/*
 * par_log_batch_begin - no request is under way
 * par_log_batch_own - @bio, which is about to be submitted, is one of these; it is put when it ends
 * par_log_batch_end - wait until all have ended: true if none has failed; sleeps
 */
void par_log_batch_begin(struct par_log_batch *batch);
void par_log_batch_own(struct par_log_batch *batch, struct bio *bio);
bool par_log_batch_end(struct par_log_batch *batch);

#define PAR_LOG_BOUNCED	16U	/* parts of blocks that are read as whole logical ones */

/* struct par_log_bounce - @count sectors from @first on that are read into @from, for @to */
struct par_log_bounce {
	struct page *from, *to;
	u8 first, count;
};

/*
 * struct par_log_want - @count sectors of member @d at @sector, for @page from its sector @first on
 */
struct par_log_want {
	u64 sector;
	struct page *page;
	u16 d;
	u8 first, count;
};

/**
 * struct par_log_fetch - blocks of the log that are read together
 * @rdev: the members of the log that can be read, each referenced
 * @want: what has not been sent, @count of them, at most @room
 * @rest: for the headers between blocks, which nobody wants
 * @bounce: parts of blocks, @bounced of them, on members with larger logical blocks; each @from is
 *	allocated with the fetch
 * @sent: the number of requests since par_log_fetch_begin()
 */
struct par_log_fetch {
	struct par_log *log;
	struct md_rdev *rdev[PAR_MAX_MEMBERS];
	struct par_log_want *want;
	unsigned int count, room, sent, bounced;
	struct page *rest;
	struct par_log_bounce bounce[PAR_LOG_BOUNCED];
	struct par_log_batch batch;
};

/*
 * par_log_fetch_init - with memory for @room blocks: 0 or -ENOMEM, after which par_log_fetch_exit()
 *	is called, too. Both sleep.
 */
int par_log_fetch_init(struct par_log_fetch *fetch, struct par_log *log, unsigned int room);
void par_log_fetch_exit(struct par_log_fetch *fetch);

/*
 * par_log_fetch_begin - nothing is wanted
 * par_log_fetch_add - @page gets the sectors of @part, at the same places
 * par_log_fetch_end - read it: true if one copy of everything has been read. Sleeps.
 */
void par_log_fetch_begin(struct par_log_fetch *fetch);
void par_log_fetch_add(struct par_log_fetch *fetch, struct page *page,
		       const struct par_log_part *part);
bool par_log_fetch_end(struct par_log_fetch *fetch);

/* par_log_next_run - the next run of set bits from @from on; false if there is none */
static inline bool par_log_next_run(u8 sectors, unsigned int from, unsigned int *first,
				    unsigned int *count)
{
	u8 left = from < PAR_LOG_BLOCK ? sectors & ~(BIT(from) - 1) : 0;

	if (!left)
		return false;
	*first = __ffs(left);
	*count = __ffs(~((unsigned long)left >> *first));
	return true;
}

#endif
