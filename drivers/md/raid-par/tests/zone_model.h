/* SPDX-License-Identifier: GPL-2.0 */
/*
 * A model of an array, as zone_kunit.c drives it: see zone_model.c.
 */
#ifndef RAID_PAR_TESTS_ZONE_MODEL_H
#define RAID_PAR_TESTS_ZONE_MODEL_H

#include <linux/bits.h>
#include <linux/prandom.h>
#include <linux/types.h>

#include "pure/store-plan.h"
#include "pure/zone.h"

#define ZONES		2U	/* the maximum; in one map block and one intent block */
#define ROWS		2U	/* of a zone */
#define SLEEPERS	2U
#define BLOCKS		2U	/* of a segment */

#define TRACE		48U	/* events shown with an error */

/*
 * The versions of a block. For each copy: its content, the oldest content after a crash,
 * and the content being written (0: none). 0 is garbage.
 */
enum version {
	NOW, LOW, FLY,
	COPY,
	HOME = 0,		/* of an absent member: the content according to parity */
	IMAGE = COPY,
	CUR = 2 * COPY,		/* the result of a read */
	FLOOR,			/* acknowledged and flushed */
	LEFT, LEFT_LOW,		/* on the disk of the absent member, or on the new one */
	VERSIONS,
};

struct cell {
	u8 v[VERSIONS];
};

struct seg {
	u8 state, snap, stored;	/* in memory, in the snapshot, on the members */
	bool locked;		/* being copied, in @state still */
	bool rebuilt, vouched;	/* and the superblock says so */
	struct cell cell[BLOCKS];
};

enum phase {
	STEADY,
	GATHER,			/* unwritten, writes are held for it */
	FILL,			/* zeros are being written to the other blocks */
};

struct row {
	u8 phase;
	u8 gear;		/* by which it is filled or was started */
	u8 held;		/* blocks with a write that waits, a bit each */
	u8 direct;		/* writes that need not ask for an intent again */
	struct seg seg[SLEEPERS];
};

struct sim_zone {
	struct par_zone z;
	u8 byte, stored_byte;
	bool torn;		/* parity may be wrong */
	struct row row[ROWS];
};

struct world {
	struct sim_zone zone[ZONES];
	u8 gear, down;		/* down: the gear that is being shifted to */
	bool gate;		/* no new writes */
	bool checking;		/* a checkpoint is being stored */
	u8 parts;		/* the parts of the store that are due, a bit each; */
	u8 occasion, at;	/* its position in the plan, */
	bool sent;		/* and a write of metadata is under way */
	u8 taken, intent;	/* zones whose intent it sets, and to what */
	bool noting;		/* marks for an absent member are being stored */
	u8 wanted, idle;
	u8 waiting;		/* zones with a write that waits for the store */
	bool calm;		/* all was quiet since zones became idle */
	u8 absent;		/* sleepers, a bit each */
	u8 mending;		/* number of the segment whose image is given up, plus 1, */
	bool mend_stored;	/* and the store of that has begun */
	bool noted;
	bool back;		/* a new disk is in the place of the absent sleeper */
};

/* Kinds of events that a model may leave out. */
enum kind {
	ALWAYS		= 0,
	FAILURES	= BIT(0),
	DISCARDS	= BIT(1),
	TIDYING		= BIT(2),
	CRASHES		= BIT(3),
	SHIFTS		= BIT(4),
	AHEAD		= BIT(5),	/* intents that nobody waits for */
	FILLS		= BIT(6),	/* intents for which no write waits */
	FLUSHES		= BIT(7),	/* the user's */
	REBUILDS	= BIT(8),	/* with FAILURES */
};

/* The size of a model. Sleepers 0 … g-2 are awake in gear g. */
struct shape {
	const char *name;
	unsigned int zones, rows, sleepers, blocks, gears;
	unsigned int without;	/* kinds of events, see enum kind */
};

enum mutant {
	SOUND,
	NO_FLUSH,
	FLUSH_BEFORE_SNAPSHOT,
	WRITE_BEFORE_INTENT,
	INTENT_CLEARED_BEFORE_MAP,
	INTENT_CLEARED_UNFLUSHED,
	INTENT_CLEARED_WITH_WRITES,
	INTENT_OVER_INTENT,
	MUST_STORE_IGNORED,
	CLEAR_NEED_NOT_STORE,
	DISCARD_BEFORE_STORE,
	ROW_NOT_FILLED,
	FILL_OF_OLD_GEAR,
	COPY_UNLOCKED,
	SHIFT_WITHOUT_CHECKPOINT,
	RESYNC_FORGOTTEN,
	ROW_OF_ABSENT_SLEEPER,
	OLD_IMAGES_KEPT,
	OLD_IMAGES_NOT_STORED,
	MISSED_NOT_NOTED,
	MISSED_NOTED_LATE,
	COPIES_NOT_NOTED,
	MISSED_NOT_MARKED,
	NO_SNAPSHOT,
	MAP_NOT_STORED,
	INTENTS_NOT_STORED,
	BLOCK_DOES_NOT_COUNT,
	GIVEN_UP_UNSTORED,
	GIVEN_UP_NOT_STORED,
	VOUCHED_UNFLUSHED,
	WRITE_AS_REBUILD,
	ALL_SKIPPED,
};

struct sim {
	struct world w;
	const struct shape *shape;
	enum mutant mutant;
	struct par_store_step plan[PAR_STORE_OCCASIONS][PAR_PLAN_STEPS];
	struct rnd_state rng;
	const char *wrong;
	u16 trace[TRACE];	/* the last events */
	unsigned int steps;
};

enum scope {
	ONCE, PER_ZONE, PER_ROW, PER_SEG, PER_BLOCK, PER_GEAR, PER_SLEEPER,
	PER_CRASH,
};

struct zone_event {
	const char *name;
	bool (*apply)(struct sim *sim, unsigned int n);
	enum scope scope;
	enum kind kind;
	unsigned int rare;	/* one in so many tries of a random walk */
	bool begins;		/* a request */
};

extern const struct zone_event zone_events[];
extern const unsigned int zone_event_count;

/* zone_begin - a new array, in the top gear */
void zone_begin(struct sim *sim, const struct shape *shape, enum mutant mutant);

/* zone_places - the number of places in which such an event can happen */
unsigned int zone_places(const struct shape *shape, enum scope scope);

/*
 * zone_happen - let an event happen in place @n. Returns false if it cannot happen now; the
 * model is unchanged then. sim->wrong is set if the invariant does not hold afterwards.
 */
bool zone_happen(struct sim *sim, unsigned int event, unsigned int n);

#endif
