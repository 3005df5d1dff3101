// SPDX-License-Identifier: GPL-2.0
/*
 * Which blocks the write log has; see log-index.h for the contract.
 */
#include <linux/bits.h>
#include <linux/build_bug.h>
#include <linux/hash.h>
#include <linux/kernel.h>
#include <linux/log2.h>
#include <linux/string.h>
#include <kunit/visibility.h>

#include "pure/log-index.h"

#define SLOTS_PER_LOOKUP	16U	/* are visited in the time of a look-up of a block */

static_assert(sizeof(struct par_log_slot) == 12);

unsigned int par_log_index_bits(u32 units)
{
	return ilog2(units * PAR_LOG_UNIT / 4 * 3);
}
EXPORT_SYMBOL_IF_KUNIT(par_log_index_bits);

void par_log_index_init(struct par_log_index *index, u32 units,
			struct par_log_slot **unit, u32 *chain)
{
	*index = (struct par_log_index) {
		.units = units,
		.unit = unit,
		.chain = chain,
		.bits = par_log_index_bits(units),
	};
}
EXPORT_SYMBOL_IF_KUNIT(par_log_index_init);

static struct par_log_slot *slot_at(const struct par_log_index *index, u32 place)
{
	return &index->unit[place / PAR_LOG_UNIT][place % PAR_LOG_UNIT];
}

static u64 slot_block(const struct par_log_slot *slot)
{
	return slot->block | (u64)slot->block_high << 32;
}

static u32 *chain_of(const struct par_log_index *index, u64 block)
{
	return &index->chain[hash_64(block, index->bits)];
}

/* The first place of @block in the chain from @next on. */
static u32 next_of(const struct par_log_index *index, u32 next, u64 block)
{
	while (next && slot_block(slot_at(index, next - 1)) != block)
		next = slot_at(index, next - 1)->next;
	return next;
}

static void take_live(struct par_log_index *index, struct par_log_slot *slot, u8 sectors)
{
	if (slot->live && !(slot->live & ~sectors))
		index->live--;
	slot->live &= ~sectors;
}

static void unlink_place(struct par_log_index *index, u32 place)
{
	struct par_log_slot *slot = slot_at(index, place);
	u32 *link = chain_of(index, slot_block(slot));

	while (*link != place + 1)
		link = &slot_at(index, *link - 1)->next;
	*link = slot->next;
	slot->linked = false;
}

void par_log_index_open(struct par_log_index *index, u32 u, struct par_log_slot *slots)
{
	memset(slots, 0, PAR_LOG_SLOTS_BYTES);
	index->unit[u] = slots;
	index->open++;
}
EXPORT_SYMBOL_IF_KUNIT(par_log_index_open);

struct par_log_slot *par_log_index_close(struct par_log_index *index, u32 u)
{
	struct par_log_slot *slots = index->unit[u];
	unsigned int i;

	if (!slots)
		return NULL;
	for (i = 0; i < PAR_LOG_UNIT; i++)
		if (slots[i].linked)
			unlink_place(index, u * PAR_LOG_UNIT + i);
	index->unit[u] = NULL;
	index->open--;
	return slots;
}
EXPORT_SYMBOL_IF_KUNIT(par_log_index_close);

/* The block is written again: older slots of it without live sectors are not needed any more. */
static void write_again(struct par_log_index *index, const struct par_log_entry *entry)
{
	u32 next = next_of(index, *chain_of(index, entry->block), entry->block);

	while (next) {
		struct par_log_slot *slot = slot_at(index, next - 1);
		u32 place = next - 1;

		next = next_of(index, slot->next, entry->block);
		take_live(index, slot, entry->sectors);
		if (!slot->live)
			unlink_place(index, place);
	}
}

void par_log_index_add(struct par_log_index *index, u32 place,
		       const struct par_log_entry *entry)
{
	struct par_log_slot *slot = slot_at(index, place);
	u32 *chain = chain_of(index, entry->block);

	write_again(index, entry);
	*slot = (struct par_log_slot) {
		.next = *chain,
		.block = entry->block,
		.block_high = entry->block >> 32,
		.live = entry->sectors,
		.linked = true,
	};
	*chain = place + 1;
	index->live++;
}
EXPORT_SYMBOL_IF_KUNIT(par_log_index_add);

/* The piece that begins at bit @first of @block and ends in it. */
static void find_in_block(const struct par_log_index *index, u64 block, unsigned int first,
			  struct par_log_piece *piece)
{
	u32 next = next_of(index, *chain_of(index, block), block);
	u8 others = 0;

	*piece = (struct par_log_piece) {};
	for (; next; next = next_of(index, slot_at(index, next - 1)->next, block)) {
		u8 live = slot_at(index, next - 1)->live;

		if (live & BIT(first)) {
			piece->logged = true;
			piece->lacking = slot_at(index, next - 1)->lacking;
			piece->sector = (u64)(next - 1) * PAR_LOG_BLOCK + first;
			others = ~live;
			break;
		}
		others |= live;
	}
	piece->sectors = PAR_LOG_BLOCK - first;
	if (others >> first)
		piece->sectors = __ffs(others >> first);
}

static bool goes_on(const struct par_log_piece *piece, const struct par_log_piece *next)
{
	if (!piece->logged || !next->logged)
		return piece->logged == next->logged;
	return next->lacking == piece->lacking &&
	       next->sector == piece->sector + piece->sectors &&
	       next->sector % PAR_LOG_UNIT_SECTORS;
}

void par_log_index_find(const struct par_log_index *index, u64 sector, u32 sectors,
			struct par_log_piece *piece)
{
	struct par_log_piece next;

	if (!index->live) {
		*piece = (struct par_log_piece) { .sectors = sectors };
		return;
	}
	find_in_block(index, sector / PAR_LOG_BLOCK, sector % PAR_LOG_BLOCK, piece);
	while (piece->sectors < sectors) {
		u64 at = sector + piece->sectors;

		find_in_block(index, at / PAR_LOG_BLOCK, at % PAR_LOG_BLOCK, &next);
		if (!goes_on(piece, &next))
			break;
		piece->sectors += next.sectors;
	}
	piece->sectors = min(piece->sectors, sectors);
}
EXPORT_SYMBOL_IF_KUNIT(par_log_index_find);

/* Sectors of the array to be found, or (@drop) whose content is not needed any more. */
struct sought {
	u64 sector, sectors;
	bool drop;
};

static u64 last_block(const struct sought *sought)
{
	return (sought->sector + sought->sectors - 1) / PAR_LOG_BLOCK;
}

/* The sectors of @block that are in the range. */
static u8 sectors_of(const struct sought *sought, u64 block)
{
	u64 from = block * PAR_LOG_BLOCK;
	unsigned int first = sought->sector > from ? sought->sector - from : 0;
	unsigned int end = min_t(u64, sought->sector + sought->sectors - from, PAR_LOG_BLOCK);

	return GENMASK(end - 1, first);
}

/* Visit a slot of one of these blocks. Returns true if the search has ended. */
static bool visit_slot(struct par_log_index *index, struct par_log_slot *slot,
		       const struct sought *sought)
{
	if (sought->drop)
		take_live(index, slot, sectors_of(sought, slot_block(slot)));
	return !sought->drop;
}

static bool visit_unit(struct par_log_index *index, u32 u, const struct sought *sought)
{
	u64 first = sought->sector / PAR_LOG_BLOCK, last = last_block(sought);
	unsigned int i;

	for (i = 0; i < PAR_LOG_UNIT; i++) {
		struct par_log_slot *slot = &index->unit[u][i];
		u64 block = slot_block(slot);

		if (slot->linked && block >= first && block <= last &&
		    visit_slot(index, slot, sought))
			return true;
	}
	return false;
}

static bool visit_block(struct par_log_index *index, u64 block, const struct sought *sought)
{
	u32 next = next_of(index, *chain_of(index, block), block);

	for (; next; next = next_of(index, slot_at(index, next - 1)->next, block))
		if (visit_slot(index, slot_at(index, next - 1), sought))
			return true;
	return false;
}

/*
 * Is it faster to visit all slots than those of each block? Slots are adjacent in memory, but a
 * look-up of a block is some accesses to it.
 */
static bool by_unit(const struct par_log_index *index, const struct sought *sought)
{
	return sought->sectors / PAR_LOG_BLOCK > (u64)index->open * PAR_LOG_UNIT / SLOTS_PER_LOOKUP;
}

bool par_log_index_has(struct par_log_index *index, u64 sector, u64 sectors)
{
	struct sought sought = { .sector = sector, .sectors = sectors };
	u64 block;
	u32 u;

	if (!sectors || !index->open)
		return false;
	if (by_unit(index, &sought)) {
		for (u = 0; u < index->units; u++)
			if (index->unit[u] && visit_unit(index, u, &sought))
				return true;
		return false;
	}
	for (block = sector / PAR_LOG_BLOCK; block <= last_block(&sought); block++)
		if (visit_block(index, block, &sought))
			return true;
	return false;
}
EXPORT_SYMBOL_IF_KUNIT(par_log_index_has);

/* Visit the units from @u on. Returns the one at which to go on. */
static u32 visit_units(struct par_log_index *index, u32 u, const struct sought *sought)
{
	unsigned int visited = 0;

	for (; u < index->units && visited < PAR_LOG_SWEEP; u++) {
		visited += index->unit[u] ? PAR_LOG_UNIT : 1;
		if (index->unit[u])
			visit_unit(index, u, sought);
	}
	return u;
}

bool par_log_index_discard(struct par_log_index *index, struct par_log_sweep *left)
{
	struct sought sought = { left->sector, left->sectors, true };
	u64 block = left->sector / PAR_LOG_BLOCK;

	if (!left->sectors || !index->open)
		return false;
	if (by_unit(index, &sought)) {
		left->unit = visit_units(index, left->unit, &sought);
		return left->unit < index->units;
	}
	sought.sectors = min(left->sectors, (block + PAR_LOG_SWEEP) * PAR_LOG_BLOCK - left->sector);
	for (; block <= last_block(&sought); block++)
		visit_block(index, block, &sought);
	left->sector += sought.sectors;
	left->sectors -= sought.sectors;
	return left->sectors;
}
EXPORT_SYMBOL_IF_KUNIT(par_log_index_discard);

unsigned int par_log_index_parts(const struct par_log_index *index, u64 block,
				 struct par_log_part *parts)
{
	u32 next = next_of(index, *chain_of(index, block), block);
	unsigned int count = 0;

	for (; next; next = next_of(index, slot_at(index, next - 1)->next, block)) {
		u8 live = slot_at(index, next - 1)->live;

		if (live)
			parts[count++] = (struct par_log_part) {
				.place = next - 1,
				.sectors = live,
				.lacking = slot_at(index, next - 1)->lacking,
			};
	}
	return count;
}
EXPORT_SYMBOL_IF_KUNIT(par_log_index_parts);

void par_log_index_drained(struct par_log_index *index, const struct par_log_part *part)
{
	take_live(index, slot_at(index, part->place), part->sectors);
}
EXPORT_SYMBOL_IF_KUNIT(par_log_index_drained);

u8 par_log_index_live(const struct par_log_index *index, const struct par_log_part *part)
{
	return slot_at(index, part->place)->live & part->sectors;
}
EXPORT_SYMBOL_IF_KUNIT(par_log_index_live);

void par_log_index_lacks(struct par_log_index *index, u32 place, u8 copies)
{
	slot_at(index, place)->lacking = copies;
}
EXPORT_SYMBOL_IF_KUNIT(par_log_index_lacks);

void par_log_index_healed(struct par_log_index *index, u32 place, unsigned int count)
{
	unsigned int i;

	for (i = 0; index->unit[place / PAR_LOG_UNIT] && i < count; i++)
		slot_at(index, place + i)->lacking = 0;
}
EXPORT_SYMBOL_IF_KUNIT(par_log_index_healed);
