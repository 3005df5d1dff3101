// SPDX-License-Identifier: GPL-2.0
/*
 * The allowed content of each sector.
 *
 * An operation is a write, a write with FUA or a discard; its number, counted up over a
 * life, is the version that it writes. No two operations are under way on the same sector
 * (range_take()), so the versions of a sector only increase.
 *
 *   acked     the last version whose write has returned
 *   durable   the last version that was acknowledged before the start of a flush
 *             that succeeded, or that was written with FUA
 *   base      operations up to this one belong to previous rounds
 *
 * While the array runs, a sector contains exactly the version that was acknowledged last.
 * After a cut it contains the durable version, or a later one that was submitted in this
 * round: not one that the previous cut has lost, since that would come from a stale copy.
 * The version that is found is durable from then on. A discarded sector may contain zeros
 * or any version of its own, changing between these, until it is written again.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "torture.h"

#define MAGIC		0x5ec7042dc4a54001ULL
#define OPS		(1U << 21)
#define WORDS		(SECTOR / 8)
#define SLOTS		32

struct model model;

static struct {
	u32 start, count;
	bool write;
} taken[SLOTS];

/* ---- a sector's content ---- */

struct content {
	u64 magic;
	u32 life, sector, version, crc;
	u64 rest[WORDS - 3];
};

_Static_assert(sizeof(struct content) == SECTOR, "a sector's content");

/* The content of a sector follows from these three, including the seed of the rest. */
static u64 content_hash(u32 life, u32 sector, u32 version)
{
	struct rng rng = rng_for(life, sector, 0, version);

	return rng_next(&rng);
}

void sector_fill(void *data, u32 sector, u32 version)
{
	struct content *c = data;
	u64 hash = content_hash(model.life, sector, version);
	unsigned int i;

	c->magic = MAGIC;
	c->life = model.life;
	c->sector = sector;
	c->version = version;
	c->crc = hash >> 32;
	for (i = 0; i < WORDS - 3; i++)
		c->rest[i] = hash += 0x9e3779b97f4a7c15;
}

void fill(void *data, u32 start, u32 count, u32 version)
{
	for (; count--; data = (char *)data + SECTOR)
		sector_fill(data, start++, version);
}

static bool is_zero(const void *data)
{
	const u64 *word = data;
	unsigned int i;

	for (i = 0; i < WORDS; i++)
		if (word[i])
			return false;
	return true;
}

bool sector_version(const void *data, u32 sector, u32 *version)
{
	const struct content *c = data;
	struct content right;

	*version = 0;
	if (c->magic != MAGIC)
		return is_zero(data);
	if (c->life != model.life || c->sector != sector)
		return false;
	*version = c->version;
	sector_fill(&right, sector, c->version);
	return !memcmp(&right, data, SECTOR);
}

static unsigned int words_alike(const void *a, const void *b)
{
	const u64 *x = a, *y = b;
	unsigned int i, alike = 0;

	for (i = 0; i < WORDS; i++)
		alike += x[i] == y[i];
	return alike;
}

const char *sector_words(const void *data, u32 sector, char *text, size_t size)
{
	const struct content *c = data;
	struct content right;

	if (is_zero(data)) {
		snprintf(text, size, "zeros");
	} else if (c->magic != MAGIC) {
		snprintf(text, size, "garbage %016llx", (unsigned long long)c->magic);
	} else {
		sector_fill(&right, sector, c->version);
		if (!memcmp(&right, data, SECTOR))
			snprintf(text, size, "version %u", c->version);
		else if (c->life != model.life || c->sector != sector)
			snprintf(text, size, "foreign: life %u sector %u version %u",
				 c->life, c->sector, c->version);
		else
			snprintf(text, size, "torn: version %u, %u of %u words right",
				 c->version, words_alike(&right, data), WORDS);
	}
	return text;
}

/* ---- a life ---- */

static void *reserve(size_t size)
{
	void *p = mmap(NULL, size, PROT_READ | PROT_WRITE,
		       MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);

	if (p == MAP_FAILED)
		fail("no memory for the model");
	return p;
}

void model_begin(u32 life, u64 sectors)
{
	model.life = life;
	model.sectors = sectors;
	model.sector = reserve(sectors * sizeof(*model.sector));
	model.touched = reserve((sectors >> TOUCH_SHIFT) + 1);
	model.op = reserve(OPS * sizeof(*model.op));
	model.ack_order = reserve(OPS * sizeof(*model.ack_order));
	model.ops = model.base = model.acks = model.durable_acks = 0;
	model.forced = false;
	pthread_mutex_init(&model.lock, NULL);
}

void model_end(void)
{
	munmap(model.sector, model.sectors * sizeof(*model.sector));
	munmap(model.touched, (model.sectors >> TOUCH_SHIFT) + 1);
	munmap(model.op, OPS * sizeof(*model.op));
	munmap(model.ack_order, OPS * sizeof(*model.ack_order));
}

void model_round(void)
{
	model.base = model.ops;
	model.acks = model.durable_acks = 0;
	memset(taken, 0, sizeof(taken));
}

/* ---- operations ---- */

static bool clash(unsigned int slot, u32 start, u32 count, bool write)
{
	unsigned int i;

	for (i = 0; i < SLOTS; i++)
		if (i != slot && taken[i].count && (write || taken[i].write) &&
		    start < taken[i].start + taken[i].count &&
		    taken[i].start < start + count)
			return true;
	return false;
}

bool range_take(unsigned int slot, u32 start, u32 count, bool write)
{
	bool free;

	pthread_mutex_lock(&model.lock);
	free = !clash(slot, start, count, write);
	if (free) {
		taken[slot].start = start;
		taken[slot].count = count;
		taken[slot].write = write;
	}
	pthread_mutex_unlock(&model.lock);
	return free;
}

void range_drop(unsigned int slot)
{
	pthread_mutex_lock(&model.lock);
	taken[slot].count = 0;
	pthread_mutex_unlock(&model.lock);
}

u32 op_submit(enum op_kind kind, u32 start, u32 count)
{
	u32 id, i;

	pthread_mutex_lock(&model.lock);
	id = ++model.ops;
	if (id >= OPS)
		fail("too many operations in a life");
	model.op[id] = (struct op) { .start = start, .count = count,
		.submitted = now_ms(), .kind = kind };
	pthread_mutex_unlock(&model.lock);
	for (i = start >> TOUCH_SHIFT; i <= (start + count - 1) >> TOUCH_SHIFT; i++)
		model.touched[i] = 1;
	/* From now on, since it may have an effect at any time. */
	for (i = start; kind == OP_DISCARD && i < start + count; i++)
		model.sector[i].discarded = id;
	return id;
}

void op_ack(u32 id)
{
	struct op *op = &model.op[id];
	u32 i;

	for (i = op->start; op->kind != OP_DISCARD && i < op->start + op->count; i++)
		model.sector[i].acked = id;
	pthread_mutex_lock(&model.lock);
	op->acked = now_ms();
	op->ok = true;
	op->durable = op->kind == OP_FUA;
	model.ack_order[model.acks++] = id;
	pthread_mutex_unlock(&model.lock);
}

u32 flush_begin(void)
{
	u32 mark;

	pthread_mutex_lock(&model.lock);
	mark = model.acks;
	pthread_mutex_unlock(&model.lock);
	return mark;
}

void flush_done(u32 mark)
{
	pthread_mutex_lock(&model.lock);
	if (mark > model.durable_acks)
		model.durable_acks = mark;
	pthread_mutex_unlock(&model.lock);
}

static void op_durable(u32 id)
{
	struct op *op = &model.op[id];
	u32 i;

	op->durable = true;
	if (op->kind == OP_DISCARD)
		return;
	for (i = op->start; i < op->start + op->count; i++)
		if (model.sector[i].durable < id)
			model.sector[i].durable = id;
}

void model_settle(void)
{
	u32 i;

	for (i = 0; i < model.acks; i++)
		if (i < model.durable_acks || model.op[model.ack_order[i]].durable)
			op_durable(model.ack_order[i]);
}

void model_doubt(u64 start, u64 end)
{
	for (; start < end && start < model.sectors; start++)
		model.sector[start].doubtful = model.ops + 1;
}

/* ---- verifying ---- */

static bool wrote(u32 id, u32 sector)
{
	const struct op *op = &model.op[id];

	return id && id <= model.ops && op->kind != OP_DISCARD &&
	       sector >= op->start && sector < op->start + op->count;
}

static bool live_right(u32 sector, bool valid, u32 version)
{
	const struct sector *s = &model.sector[sector];

	if (valid && version == s->acked)
		return true;
	if (s->doubtful > s->acked)
		return true;
	return valid && s->discarded > s->acked &&
	       (!version || wrote(version, sector));
}

static bool cut_right(u32 sector, bool valid, u32 version)
{
	const struct sector *s = &model.sector[sector];

	if (valid && version == s->durable)
		return true;
	if (s->doubtful > s->durable)
		return true;
	if (!valid)
		return false;
	if (s->discarded > s->durable && (!version || wrote(version, sector)))
		return true;
	return version > s->durable && version > model.base && wrote(version, sector);
}

static void tell_op(u32 id, const char *what)
{
	static const char *const kinds[] = { "write", "FUA write", "discard" };
	const struct op *op = &model.op[id];

	say("  %s: operation %u, %s of %u+%u, submitted %.3f, %s %.3f%s", what, id,
	    kinds[op->kind], op->start, op->count, op->submitted / 1000.0,
	    op->ok ? "acknowledged" : "never acknowledged", op->acked / 1000.0,
	    op->durable ? ", durable" : "");
}

static void tell_history(u32 sector)
{
	u32 id, told = 0;

	for (id = model.ops; id && told < 12; id--) {
		const struct op *op = &model.op[id];

		if (sector < op->start || sector >= op->start + op->count)
			continue;
		tell_op(id, id > model.base ? "this round" : "before");
		told++;
	}
}

/* The number of consecutive sectors with the same kind of error, for the report. */
static u32 wrong_run(const char *data, u32 sector, u32 left,
		     bool (*right)(u32, bool, u32))
{
	u32 run = 0, version;

	while (run < left) {
		bool valid = sector_version(data, sector + run, &version);

		if (right(sector + run, valid, version))
			break;
		run++;
		data += SECTOR;
	}
	return run;
}

_Noreturn static void wrong(const char *data, u32 sector, u32 left,
			    bool (*right)(u32, bool, u32), const char *when)
{
	const struct sector *s = &model.sector[sector];
	char found[128];

	pthread_mutex_lock(&model.lock);
	sector_words(data, sector, found, sizeof(found));
	say("WRONG DATA %s: sector %u (and %u after it): found %s; durable %u, acknowledged %u, base %u, discarded by %u, in doubt since %u",
	    when, sector, wrong_run(data, sector, left, right) - 1, found,
	    s->durable, s->acked, model.base, s->discarded, s->doubtful);
	tell_history(sector);
	explain_sector(sector);
	fail("wrong data %s: sector %u: found %s", when, sector, found);
}

void verify_live(const void *data, u32 start, u32 count, const char *when)
{
	const char *at = data;
	u32 version, i;

	for (i = 0; i < count; i++, at += SECTOR) {
		bool valid = sector_version(at, start + i, &version);

		if (!live_right(start + i, valid, version))
			wrong(at, start + i, count - i, live_right, when);
	}
	model.verified += count;
}

/*
 * The version that is found is the expected one from now on. Only a sector that was
 * discarded and has not been written since stays undefined: discarded rows keep their
 * content on the disks, and a cut may bring it back.
 */
static void settle_sector(struct sector *s, bool valid, u32 version)
{
	if (s->discarded > s->durable && valid && version < s->discarded) {
		counted.revived += version != 0;
		s->durable = s->acked = 0;
		s->doubtful = 0;
		return;
	}
	s->durable = s->acked = valid ? version : 0;
	s->discarded = 0;
	s->doubtful = valid ? 0 : model.ops + 1;
}

static void verify_cut(const void *data, u32 start, u32 count, const char *when)
{
	const char *at = data;
	u32 version, i;

	for (i = 0; i < count; i++, at += SECTOR) {
		struct sector *s = &model.sector[start + i];
		bool valid = sector_version(at, start + i, &version);

		if (!cut_right(start + i, valid, version))
			wrong(at, start + i, count - i, cut_right, when);
		if (model.forced && s->durable)
			*(s->doubtful > s->durable ? &counted.doubted : &counted.spared) += 1;
		settle_sector(s, valid, version);
	}
	model.verified += count;
}

/* Read [start, start + count) sectors, and check them. */
static void verify_run(int fd, u32 start, u32 count, const char *when,
		       void (*check)(const void *, u32, u32, const char *))
{
	static void *buffer;

	if (!buffer)
		buffer = reserve(MAX_IO * SECTOR);
	while (count) {
		u32 part = count < MAX_IO ? count : MAX_IO;
		ssize_t got = pread(fd, buffer, part * SECTOR, (off_t)start * SECTOR);

		if (got != (ssize_t)part * SECTOR)
			fail("%s: reading %u sectors at %u: %s", when, part, start,
			     got < 0 ? strerror(errno) : "short");
		check(buffer, start, part, when);
		start += part;
		count -= part;
	}
}

/* Chunks that have been touched, and a sample of the others. */
static bool wanted(u32 chunk, unsigned int one_of, struct rng *rng)
{
	return model.touched[chunk] || below(rng, one_of) == 0;
}

static void verify_all(int fd, const char *when,
		       void (*check)(const void *, u32, u32, const char *))
{
	u32 chunks = (model.sectors + (1 << TOUCH_SHIFT) - 1) >> TOUCH_SHIFT;
	struct rng rng = rng_for(opt.seed, model.life, model.ops, 7);
	unsigned int one_of = chunks / 64 > 48 ? chunks / 64 : 48;
	u32 from, to, end;

	phase(when, 120);
	for (from = 0; from < chunks; from = to + 1) {
		for (to = from; to < chunks && wanted(to, one_of, &rng); to++)
			;
		end = to << TOUCH_SHIFT < model.sectors ? to << TOUCH_SHIFT : model.sectors;
		if (to > from)
			verify_run(fd, from << TOUCH_SHIFT, end - (from << TOUCH_SHIFT),
				   when, check);
	}
}

void verify_after_cut(int fd)
{
	verify_all(fd, "after the cut", verify_cut);
}

void verify_again(int fd, const char *when)
{
	verify_all(fd, when, verify_live);
}
