// SPDX-License-Identifier: GPL-2.0
/*
 * Records of the log: a packed record is read, and no other content is accepted.
 */
#include <linux/prandom.h>
#include <linux/slab.h>
#include <linux/string.h>
#include <kunit/test.h>

#include "pure/log-format.h"

#define EPOCH		0x1122334455667788ULL
#define ARRAY_BLOCKS	BIT_ULL(PAR_LOG_BLOCK_BITS)
#define SEED		0x10f

/* A record in memory, and its expected fields. */
struct record {
	struct par_disk_log_header raw;
	u8 data[PAR_LOG_MAX_ENTRIES][PAR_LOG_BLOCK_BYTES];
	struct par_log_entry entry[PAR_LOG_MAX_ENTRIES];
	struct par_log_head head;
};

static void make_record(struct record *record, unsigned int count, u64 array_blocks,
			struct rnd_state *random)
{
	unsigned int i;

	record->head = (struct par_log_head) {
		.epoch = EPOCH,
		.run = prandom_u32_state(random),
		.pos = (u64)prandom_u32_state(random) * PAR_LOG_UNIT + PAR_LOG_UNIT - 1 - count,
		.count = count,
	};
	record->head.stable = record->head.pos - prandom_u32_state(random) % 2;
	record->head.tail = record->head.pos - 1 - prandom_u32_state(random) % 2;
	par_log_header_begin(&record->raw);
	for (i = 0; i < count; i++) {
		u64 block = (u64)prandom_u32_state(random) << 16 | prandom_u32_state(random) >> 16;

		record->entry[i].block = block % array_blocks;
		record->entry[i].sectors = 1 + prandom_u32_state(random) % 255;
		prandom_bytes_state(random, record->data[i], PAR_LOG_BLOCK_BYTES);
		par_log_entry_pack(&record->raw, i, &record->entry[i], record->data[i]);
	}
	par_log_header_seal(&record->raw, &record->head);
}

static bool is_valid(const struct record *record, u64 array_blocks)
{
	struct par_log_head head;

	return par_log_header_check(&record->raw, EPOCH, record->head.pos, array_blocks, &head);
}

static void expect_same(struct kunit *test, const struct record *record)
{
	struct par_log_entry entry;
	struct par_log_head head;
	unsigned int i;

	KUNIT_ASSERT_TRUE(test, par_log_header_check(&record->raw, EPOCH, record->head.pos,
						     ARRAY_BLOCKS, &head));
	KUNIT_EXPECT_EQ(test, head.epoch, EPOCH);
	KUNIT_EXPECT_EQ(test, head.run, record->head.run);
	KUNIT_EXPECT_EQ(test, head.pos, record->head.pos);
	KUNIT_EXPECT_EQ(test, head.stable, record->head.stable);
	KUNIT_EXPECT_EQ(test, head.tail, record->head.tail);
	KUNIT_ASSERT_EQ(test, head.count, record->head.count);
	for (i = 0; i < head.count; i++) {
		par_log_entry_unpack(&record->raw, i, &entry);
		KUNIT_EXPECT_EQ(test, entry.block, record->entry[i].block);
		KUNIT_EXPECT_EQ(test, entry.sectors, record->entry[i].sectors);
		KUNIT_EXPECT_TRUE(test, par_log_data_good(&record->raw, i, record->data[i]));
	}
}

static struct record *alloc_record(struct kunit *test)
{
	struct record *record = kunit_kzalloc(test, sizeof(*record), GFP_KERNEL);

	KUNIT_ASSERT_NOT_NULL(test, record);
	return record;
}

/* Records with each number of entries, and with each bit of a block's number. */
static void record_round_trip(struct kunit *test)
{
	struct record *record = alloc_record(test);
	struct rnd_state random;
	unsigned int count;

	prandom_seed_state(&random, SEED);
	for (count = 1; count <= PAR_LOG_MAX_ENTRIES; count++) {
		make_record(record, count, ARRAY_BLOCKS, &random);
		expect_same(test, record);
	}
}

/* A header with any bit changed is not valid, nor is the data of an entry. */
static void record_bits(struct kunit *test)
{
	struct record *record = alloc_record(test);
	struct rnd_state random;
	unsigned int bit, i;

	prandom_seed_state(&random, SEED);
	make_record(record, 3, ARRAY_BLOCKS, &random);
	for (bit = 0; bit < 8 * sizeof(record->raw); bit++) {
		u8 *byte = (u8 *)&record->raw + bit / 8;

		*byte ^= 1 << bit % 8;
		KUNIT_EXPECT_FALSE_MSG(test, is_valid(record, ARRAY_BLOCKS), "bit %u", bit);
		*byte ^= 1 << bit % 8;
	}
	for (i = 0; i < 3; i++)
		for (bit = 0; bit < 8 * PAR_LOG_BLOCK_BYTES; bit += 7) {
			record->data[i][bit / 8] ^= 1 << bit % 8;
			KUNIT_EXPECT_FALSE_MSG(test,
					       par_log_data_good(&record->raw, i, record->data[i]),
					       "block %u, bit %u", i, bit);
			record->data[i][bit / 8] ^= 1 << bit % 8;
		}
	expect_same(test, record);
	KUNIT_EXPECT_FALSE(test, par_log_data_good(&record->raw, 0, record->data[1]));
}

static bool data_good(const struct record *record)
{
	unsigned int i;

	for (i = 0; i < record->head.count; i++)
		if (!par_log_data_good(&record->raw, i, record->data[i]))
			return false;
	return true;
}

/* A torn record: any of its sectors has its previous content. */
static void record_torn(struct kunit *test)
{
	struct record *record = alloc_record(test), *old = alloc_record(test);
	unsigned int sector, torn = 0;
	struct rnd_state random;
	u8 whole[512];

	prandom_seed_state(&random, SEED);
	make_record(old, 60, ARRAY_BLOCKS, &random);
	make_record(record, 60, ARRAY_BLOCKS, &random);
	for (sector = 0; sector < (1 + 60) * PAR_LOG_BLOCK; sector++) {
		u8 *at = (u8 *)record + sector * sizeof(whole);

		/* A sector of zeros in a header cannot be torn. */
		memcpy(whole, at, sizeof(whole));
		memcpy(at, (u8 *)old + sector * sizeof(whole), sizeof(whole));
		if (!memcmp(whole, at, sizeof(whole)))
			continue;
		torn++;
		KUNIT_EXPECT_FALSE_MSG(test, is_valid(record, ARRAY_BLOCKS) && data_good(record),
				       "sector %u", sector);
		memcpy(at, whole, sizeof(whole));
	}
	KUNIT_EXPECT_TRUE(test, is_valid(record, ARRAY_BLOCKS) && data_good(record));
	KUNIT_EXPECT_EQ(test, torn, 2 + 60 * PAR_LOG_BLOCK);
}

/* Records of another array, at another position, of another round. */
static void record_foreign(struct kunit *test)
{
	struct record *record = alloc_record(test);
	struct par_log_head head;
	struct rnd_state random;

	prandom_seed_state(&random, SEED);
	make_record(record, 5, ARRAY_BLOCKS, &random);
	KUNIT_EXPECT_FALSE(test, par_log_header_check(&record->raw, EPOCH + 1, record->head.pos,
						      ARRAY_BLOCKS, &head));
	KUNIT_EXPECT_FALSE(test, par_log_header_check(&record->raw, EPOCH, record->head.pos + 1,
						      ARRAY_BLOCKS, &head));
	KUNIT_EXPECT_FALSE(test, par_log_header_check(&record->raw, EPOCH, record->head.pos +
						      (1ULL << 40), ARRAY_BLOCKS, &head));
	memset(record, 0, sizeof(*record));
	KUNIT_EXPECT_FALSE(test, is_valid(record, ARRAY_BLOCKS));
}

static void seal_with(struct record *record, unsigned int count, u64 stable)
{
	record->head.count = count;
	record->head.stable = stable;
	par_log_header_seal(&record->raw, &record->head);
}

/* Impossible values are rejected although the checksum is right. */
static void record_impossible(struct kunit *test)
{
	struct record *record = alloc_record(test);
	struct rnd_state random;
	u64 pos, highest;
	u8 sectors;

	prandom_seed_state(&random, SEED);
	make_record(record, 5, 1000, &random);
	/* Now the record ends one block before its unit. */
	pos = --record->head.pos;
	seal_with(record, 5, pos);
	KUNIT_EXPECT_TRUE(test, is_valid(record, 1000));
	seal_with(record, 0, pos);
	KUNIT_EXPECT_FALSE(test, is_valid(record, 1000));
	/* One more entry fits, two do not. */
	seal_with(record, 6, pos);
	KUNIT_EXPECT_FALSE_MSG(test, is_valid(record, 1000), "entry without sectors");
	record->raw.entry[5] = record->raw.entry[4];
	record->raw.entry[6] = record->raw.entry[4];
	seal_with(record, 6, pos);
	KUNIT_EXPECT_TRUE(test, is_valid(record, 1000));
	seal_with(record, 7, pos);
	KUNIT_EXPECT_FALSE_MSG(test, is_valid(record, 1000), "over the unit's end");
	seal_with(record, U32_MAX, pos);
	KUNIT_EXPECT_FALSE(test, is_valid(record, 1000));
	seal_with(record, 5, pos + 1);
	KUNIT_EXPECT_FALSE_MSG(test, is_valid(record, 1000), "flushed before it was written");
	record->head.tail = pos + 1;
	seal_with(record, 5, pos);
	KUNIT_EXPECT_FALSE_MSG(test, is_valid(record, 1000), "before the tail");
	record->head.tail = pos;
	seal_with(record, 5, pos);
	KUNIT_EXPECT_TRUE(test, is_valid(record, 1000));
	highest = max(record->entry[0].block, record->entry[1].block);
	highest = max(max(highest, record->entry[2].block), record->entry[3].block);
	highest = max(highest, record->entry[4].block);
	KUNIT_EXPECT_TRUE(test, is_valid(record, highest + 1));
	KUNIT_EXPECT_FALSE_MSG(test, is_valid(record, highest), "beyond the array");
	sectors = record->raw.entry[2].sectors;
	record->raw.entry[2].sectors = 0;
	seal_with(record, 5, pos);
	KUNIT_EXPECT_FALSE(test, is_valid(record, 1000));
	record->raw.entry[2].sectors = sectors;
	seal_with(record, 5, pos);
	KUNIT_EXPECT_TRUE(test, is_valid(record, 1000));
}

static struct kunit_case log_format_cases[] = {
	KUNIT_CASE(record_round_trip),
	KUNIT_CASE(record_bits),
	KUNIT_CASE(record_torn),
	KUNIT_CASE(record_foreign),
	KUNIT_CASE(record_impossible),
	{}
};

static struct kunit_suite log_format_suite = {
	.name = "raid-par-log-format",
	.test_cases = log_format_cases,
};

kunit_test_suite(log_format_suite);
