/* SPDX-License-Identifier: GPL-2.0 */
/*
 * raid-par's on-disk metadata: layout, packing, checking. Pure; no I/O.
 *
 * Everything is little-endian, of fixed width, and checksummed with CRC32C
 * (seed ~0, over the whole 4 KiB block with the crc field zero). A member's
 * data area begins with
 *
 *   sector 0    superblock, as a pair of slots A and B
 *   sector 16   the list of lost blocks, as a pair of slots A and B
 *   sector 128  intent blocks, each as a pair of slots A and B
 *   then        map blocks, each as a pair of slots A and B
 *   then        blocks of the slot maps, likewise, if images are of a share
 *
 * A block is always written to the slot that does not hold its newest valid
 * version, so a torn write leaves the older one readable.
 *
 * Ordering (the invariant rests on it): an intent is stable before any write
 * that relies on it is sent; the members are flushed after a copy is made and
 * before the map that calls it valid is written; the map is stable before an
 * intent is cleared or a gear changed. Blocks are written before the
 * superblock whose sequence number covers them.
 */
#ifndef RAID_PAR_FORMAT_H
#define RAID_PAR_FORMAT_H

#include <linux/bits.h>
#include <linux/types.h>
#include "pure/geometry.h"
#include "pure/log-lost.h"
#include "pure/policy-record.h"
#include "pure/ration.h"

#define PAR_BLOCK_BYTES		4096
#define PAR_SB_MAGIC		"RAIDPAR"	/* with its NUL: 8 bytes */
#define PAR_SB_VERSION		2
#define PAR_BLOCK_MAGIC		0x42524150U	/* "PARB" */

/* One set's child, as sync_super last reported it. */
struct par_disk_set {
	__le64 start;		/*  0 region, from the start of the data area */
	__le64 sectors;		/*  8 its length on each member */
	__le32 failed;		/* members whose content must not be used */
	__le32 recovering;	/* 20 members being rebuilt */
	__le64 recovered;	/* 24 up to here they are valid */
	__le64 resync;		/* 32 parity is right up to here; all ones: everywhere */
	__le64 events;		/* 40 the child's event count */
};				/* 48 */

/* Stored data about a member's power. */
struct par_disk_power {
	__le32 cycles;		/*  0 rated starts */
	__le32 years;		/* for which these have to suffice */
	__le64 left;		/*  8 parts of starts, see ration.h */
	__le64 since;		/* seconds since 1970: shares of the ration are added up to here */
	__le64 spin_ups;	/* 24 so far */
};				/* 32 */

/*
 * An hour, see history.h: a load of 14 bits; the upper two are a part of the class of the hour's
 * misses: of @mean the lower half, of @peak the upper one. All ones if it is not known.
 */
struct par_disk_hour {
	__le16 mean;		/*  0 */
	__le16 peak;		/*  2 */
};				/*  4 */

#define PAR_HOUR_LOAD		0x3fffU
#define PAR_HOUR_MISSES		14U	/* shift */

/* How long surges of a kind, or pauses between them, have lasted; see surge.h. */
struct par_disk_spans {
	__le16 lasted[PAR_SPANS];	/*  0 seconds, or 65535 for more */
};				/* 32 */

/*
 * Up to ctime the layout is the same in all versions, so that each version recognizes its
 * own array.
 */
struct par_disk_super {
	u8 magic[8];		/*   0 PAR_SB_MAGIC */
	__le32 crc;		/*   8 */
	__le32 version;		/*  12 PAR_SB_VERSION */
	u8 pad7[24];		/*  16 */
	u8 uuid[16];		/*  40 of the md array */
	__le64 ctime;		/*  56 creation time of the md array, seconds */
	__le64 epoch;		/*  64 random, made at creation; blocks carry it */
	__le64 seq;		/*  72 newest wins */
	__le64 block_seq;	/* this member has all blocks up to this one */
	__le32 layout;		/*  88 geometry: as md has it … */
	__le32 members;		/*  92 */
	__le32 chunk;		/*  96 sectors */
	__le32 segment;		/* 100 sectors */
	__le64 dev_sectors;	/* 104 */
	__le64 meta_sectors;	/* 112 */
	__le64 array_sectors;	/* 120 */
	__le32 sets;		/* 128 */
	__le32 gear;		/* 132 current gear, in members */
	__le32 member;		/* the member with this copy */
	__le32 flags;		/* 140 PAR_SB_CLEAN … */
	__le32 pad0;		/* 144 */
	__le32 partial;		/* 148 members whose rebuild needs only marked zones */
	__le32 speed_min;	/* 152 propagation, KiB/s */
	__le32 speed_max;	/* 156 */
	/* see Documentation/log.md */
	__le64 log_sectors;	/* 160 of each member, at the end of its metadata; 0: no log */
	__le64 log_tail;	/* 168 a position: where a replay begins */
	__le64 log_stable;	/* 176 a position: all before it is in the log */
	__le64 log_run;		/* 184 no record is of a newer run */
	__le32 log_absent;	/* 192 members whose log is not used */
	__le32 log_left;	/* 196 units of the ring that are left unused */
	/* as in the geometry, see Documentation/slots.md */
	__le32 share;		/* 200 percent; 0: images of everything */
	__le32 run;		/* 204 sectors */
	__le32 tract;		/* 208 sectors */
	__le32 pad4;		/* 212 */
	__le64 steady;		/* 216 sectors of each member that never sleeps */
	__le64 fill_bytes;	/* 224 that a shift down may copy; 0: the default, here and below */
	__le32 fill_time;	/* 232 seconds that it may take for that */
	u8 pad1[4];		/* 236 */
	__le64 log_summaries_from;	/* 240 a run: summaries of older ones do not count */
	u8 pad6[8];		/* 248 */
	struct par_disk_set set[PAR_MAX_SETS];	/* 256 by gear, lowest first */
	__le64 min_seq[PAR_MAX_MEMBERS];	/* the least seq of each member's superblock */
	__le32 power_flags;	/* 1776 PAR_POWER_OFF */
	__le32 carry;		/* 1780 days' shares */
	__le32 wake_timeout;	/* 1784 seconds */
	__le32 wake_stagger;	/* 1788 ms */
	__le32 stop_after;	/* 1792 seconds */
	__le32 pad2;		/* 1796 */
	__le64 refused;		/* shifts down that were deferred */
	struct par_disk_power power[PAR_MAX_MEMBERS];	/* 1808 */
	__le32 policy_flags;	/* 2704 PAR_POLICY_AUTO */
	__le32 interval;	/* 2708 ms */
	__le32 window[PAR_WINDOWS];	/* 2712 intervals: short, long */
	__le32 up;		/* 2720 percent */
	__le32 down;		/* 2724 percent */
	__le32 wait;		/* 2728 ms */
	__le32 hold;		/* 2732 seconds */
	__le32 break_even;	/* 2736 seconds */
	__le32 min_gear;	/* 2740 members */
	__le32 max_gear;	/* 2744 members */
	__le32 regrets;		/* 2748 */
	__le64 sleep;		/* 2752 seconds */
	__le32 sleeps;		/* 2760 */
	__le32 pad3;		/* 2764 */
	__le64 hour;		/* 2768 the newest that is known, since 1970 */
	struct par_disk_hour history[PAR_HISTORY_HOURS];	/* 2776 by hour modulo 168 */
	__le32 scrub_flags;	/* 3448 PAR_SCRUB_WAKES */
	__le32 scrub_age;	/* 3452 days */
	__le64 scrubbed[PAR_MAX_SETS];	/* 3456 by gear, lowest first: seconds since 1970 */
	__le64 log_lost[PAR_LOG_LOST];	/* 3672 56 bits of block number above 8 of sectors; or 0 */
	/* zeros if nothing is known: */
	struct par_disk_spans surges[PAR_SURGE_KINDS];	/* 3920 by kind */
	struct par_disk_spans pauses;	/* 4048 */
	u8 nr_surges[PAR_SURGE_KINDS];	/* 4080 as struct par_spans counts them */
	u8 nr_pauses;		/* 4084 */
	u8 pad5[3];		/* 4085 */
	__le32 starts_in;	/* 4088 seconds that a shift up takes */
	__le32 leaves_in;	/* 4092 seconds that a shift down takes */
};				/* 4096 */

#define PAR_POLICY_AUTO	1U	/* it shifts by itself */

#define PAR_SCRUB_WAKES	1U	/* a check wakes all members */

#define PAR_POWER_OFF	1U	/* disks are not stopped */

#define PAR_SB_CLEAN	1U	/* stopped properly: no intent is set */
#define PAR_SB_LOST	2U	/* there are lost blocks: PAR_BLOCK_LOST tells which */

enum par_block_kind {
	PAR_BLOCK_INTENT = 1,
	PAR_BLOCK_MAP = 2,
	PAR_BLOCK_LOST = 3,	/* struct par_disk_lost, see lost.c */
	PAR_BLOCK_SLOT = 4,	/* struct par_disk_slots, see slot-map.h */
};

struct par_disk_block {
	__le32 magic;		/*  0 PAR_BLOCK_MAGIC */
	__le32 crc;		/*  4 */
	__le32 kind;		/*  8 enum par_block_kind */
	__le32 index;		/* 12 among its kind */
	__le64 epoch;		/* 16 the array's, see the superblock */
	__le64 seq;		/* 24 of all blocks together, newest wins */
	u8 pad0[32];		/* 32 */
	u8 payload[PAR_BLOCK_PAYLOAD];	/* 64 */
	u8 pad1[192];		/* 3904 */
};				/* 4096 */

/*
 * An intent block's payload: a byte per zone. Bits 0-4: the gear (1 … gears) that the array
 * was in when the intent was stored, 0 for none. It means: "unwritten rows of this zone may
 * be written, and segments stored as both may be valid only on the side that this gear
 * writes". Bit 5: the zone has been written since the array was last whole, so a member
 * that was away then may lack some of these writes. Bit 6: the array crashed with an intent
 * here, and the zone's parity has not been resynced since. Bit 7: the map block of this
 * zone has been stored; before that, the zone's rows are unwritten.
 */
#define PAR_INTENT_GEAR		0x1f
#define PAR_INTENT_MISSED	0x20
#define PAR_INTENT_RESYNC	0x40
#define PAR_INTENT_STORED	0x80

/*
 * The list need not be stored as long as the superblock does not mention it
 * (PAR_SB_LOST). Whole blocks of 4 KiB, each in one set's region on a member; in no
 * particular order.
 */
#define PAR_LOST_MAX		239U

struct par_disk_lost_range {
	__le64 sector;		/* in the set's region */
	__le32 sectors;		/*  8 */
	u8 set;			/* 12 its number, 1 … gears */
	u8 member;		/* 13 */
	u8 pad[2];		/* 14 */
};				/* 16 */

struct par_disk_lost {
	__le32 count;		/*  0 */
	u8 pad[12];		/*  4 */
	struct par_disk_lost_range range[PAR_LOST_MAX];	/* 16 */
};				/* 3840 */

/* par_block_crc - CRC32C, seed ~0, of a block of 4 KiB with zeros in place of the word at @crc */
u32 par_block_crc(const void *raw, size_t crc);

/* A superblock in memory: the variable part, the rest being the geometry. */
struct par_set_record {
	u32 failed, recovering;
	u64 recovered, resync, events;
};

/**
 * struct par_power_record - stored data about power; see power.c for the rest
 * @off: disks are not stopped
 * @carry: days' shares of spin-ups that can be saved up, see ration.h
 * @wake_timeout: seconds; a member that has not woken up in twice this time is given up
 * @wake_stagger: ms between the starts of two members
 * @stop_after: seconds without a request, after a start by another user
 * @refused: shifts down that were deferred for lack of spin-ups
 */
struct par_power_record {
	bool off;
	u32 carry, wake_timeout, wake_stagger, stop_after;
	u64 refused;
	struct par_ration ration[PAR_MAX_MEMBERS];
	u64 spin_ups[PAR_MAX_MEMBERS];
};

#define PAR_SCRUB_AGE_DEFAULT	35U	/* days: a monthly check may be late */
#define PAR_SCRUB_AGE_MAX	3650U

/**
 * struct par_scrub_record - stored data about checks and repairs; see scrub.c
 * @wakes: each of them wakes all members
 * @age: days after which a check wakes the members of a set that was not read completely, 0:
 *	never
 * @last: when the last one that read the whole set began, seconds since 1970, by set
 */
struct par_scrub_record {
	bool wakes;
	u32 age;
	u64 last[PAR_MAX_SETS + 1];
};

#define PAR_FILL_BYTES		(64ULL << 30)
#define PAR_FILL_BYTES_MIN	BIT_ULL(20)
#define PAR_FILL_BYTES_MAX	BIT_ULL(50)
#define PAR_FILL_TIME		600U	/* s */
#define PAR_FILL_TIME_MAX	86400U

/**
 * struct par_fill_record - stored limits of what a shift down fills; see Documentation/slots.md
 * @bytes: that may be copied; @time: seconds after which no run is begun
 */
struct par_fill_record {
	u64 bytes;
	u32 time;
};

/**
 * struct par_log_record - what is kept about the write log; see Documentation/log.md
 * @tail, @stable: positions; @run: of the last use of the array; @absent: members
 * @left: units at the end of the ring that are not used; all of them: the log is off
 * @lost: what it had before the tail and has lost
 * @summaries_from: the first run whose summaries count, if units have summaries
 */
struct par_log_record {
	u64 tail, stable, run, summaries_from;
	u32 absent, left;
	struct par_log_lost lost;
};

struct par_super {
	u8 uuid[16];
	u64 ctime, epoch, seq, block_seq;
	unsigned int gear;	/* number, 1 … gears */
	u32 flags, partial;
	u64 min_seq[PAR_MAX_MEMBERS];	/* the stored ones lag one behind */
	u32 speed_min, speed_max;
	struct par_set_record set[PAR_MAX_SETS + 1];
	bool lost;			/* PAR_SB_LOST; not in @flags */
	struct par_power_record power;
	struct par_policy_record policy;
	struct par_scrub_record scrub;
	struct par_log_record log;	/* of arrays that have one */
	struct par_fill_record fill;	/* stored if there are slots */
};

enum par_format_error {
	PAR_FMT_OK,
	PAR_FMT_ABSENT,		/* there is no superblock */
	PAR_FMT_TORN,		/* the checksum is wrong */
	PAR_FMT_VERSION,	/* written by another version */
	PAR_FMT_FOREIGN,	/* of another array */
	PAR_FMT_GEOMETRY,	/* does not match md's superblock */
	PAR_FMT_RANGE,		/* a value that no version stores: see validate.h */
};

const char *par_format_strerror(enum par_format_error err);

/* par_super_pack - fill @raw for @member, checksum included */
void par_super_pack(struct par_disk_super *raw, const struct par_super *sb,
		    const struct par_geometry *geo, unsigned int member);

/*
 * struct par_identity - the array that a superblock belongs to
 * @uuid, @ctime: as in md's superblock; mdadm can change the former
 * @epoch: of raid-par's own metadata, never changed; 0 if it is not known
 */
struct par_identity {
	u8 uuid[16];
	u64 ctime, epoch;
};

/*
 * par_super_unpack - check @raw against the array's identity, by md's superblock or by the
 * epoch, and against the geometry, and unpack it. @sb is written only on PAR_FMT_OK.
 */
enum par_format_error par_super_unpack(struct par_super *sb,
				       const struct par_disk_super *raw,
				       const struct par_geometry *geo,
				       const struct par_identity *id,
				       unsigned int member);

/*
 * What of an array's shape is not in md's superblock, at PAR_BIRTH_SECTOR of a member's data area:
 * for a new array from mdadm, later from birth.c.
 */
#define PAR_BIRTH_MAGIC		"RAIDPARB"	/* without a NUL */
#define PAR_BIRTH_SECTOR	32U

struct par_disk_birth {
	u8 magic[8];		/*  0 PAR_BIRTH_MAGIC */
	__le32 crc;		/*  8 of 4 KiB, as a superblock's */
	__le32 pad0;		/* 12 */
	u8 uuid[16];		/* 16 of the md array */
	__le64 log_sectors;	/* 32 of each member, for a log */
	__le32 share;		/* 40 percent; 0: PAR_SHARE_ALL */
	__le32 run;		/* 44 sectors; 0: to be chosen */
	__le32 tract;		/* 48 sectors; 0: to be chosen */
	__le32 pad1;		/* 52 */
	__le64 steady;		/* 56 sectors of each member that never sleeps; 0: as the others */
	u8 pad2[4032];		/* 64 */
};				/* 4096 */

/**
 * struct par_birth - what of an array's shape is not in md's superblock
 * @log: sectors of each member for a log, or 0
 * @share, @run, @tract, @steady: see struct par_geometry; 0: PAR_SHARE_ALL, to be chosen, to be
 *	chosen, and as the other members
 */
struct par_birth {
	u64 log, steady;
	u32 share, run, tract;
};

/*
 * par_birth_read - the shape according to @raw; false if it is no whole record. @ours: it is of the
 * array with @uuid; par_birth_pack - the reverse
 * par_birth_of - the shape of an array, with all that was to be chosen
 * par_birth_agree - may both be of one array? What is to be chosen in one may be in the other.
 */
bool par_birth_read(const struct par_disk_birth *raw, const u8 *uuid, struct par_birth *birth,
		    bool *ours);
void par_birth_pack(struct par_disk_birth *raw, const u8 *uuid, const struct par_birth *birth);
void par_birth_of(const struct par_geometry *geo, struct par_birth *birth);
bool par_birth_agree(const struct par_birth *a, const struct par_birth *b);

/* par_super_owner - which array @raw is of: false if it is no whole superblock of any */
bool par_super_owner(const struct par_disk_super *raw, struct par_identity *id);

/* par_super_birth - the same of the array of which this is a whole superblock */
void par_super_birth(const struct par_disk_super *raw, struct par_birth *birth);

/* par_block_seal - fill the header around an existing payload */
void par_block_seal(struct par_disk_block *raw, enum par_block_kind kind,
		    u32 index, u64 epoch, u64 seq);

/*
 * par_block_torn - if @raw claims to be this block of this array, but is not intact: the
 * sequence number in its header, else 0
 */
u64 par_block_torn(const struct par_disk_block *raw, enum par_block_kind kind,
		   u32 index, u64 epoch);

/* par_block_check - is @raw this block of this array, and intact? */
bool par_block_check(const struct par_disk_block *raw, enum par_block_kind kind,
		     u32 index, u64 epoch);

/* The sectors of the slots of superblocks and blocks. */
u64 par_super_sector(unsigned int slot);
u64 par_block_sector(const struct par_geometry *geo, enum par_block_kind kind, u32 index,
		     unsigned int slot);

#endif
