// SPDX-License-Identifier: GPL-2.0
/*
 * The buffers into which the walk reads the log: each byte of a request is at its place in the
 * buffer. Pages of 64 KiB have 16 blocks. Here blocks begin within pages of any size.
 */
#include <linux/prandom.h>
#include <linux/vmalloc.h>
#include <kunit/test.h>

#include "log/ahead.h"

#define PAGES	5U
#define BEGINS	(PAGE_SIZE / 512)

/* Copy @from to the pages of a request, as a disk does. */
static void serve(struct kunit *test, struct bio *bio, const u8 *from, unsigned int bytes)
{
	struct bvec_iter iter;
	struct bio_vec part;

	KUNIT_ASSERT_EQ(test, bio->bi_iter.bi_size, bytes);
	bio_for_each_segment(part, bio, iter) {
		memcpy_to_bvec(&part, from);
		from += part.bv_len;
	}
}

static void buffer_begins_anywhere(struct kunit *test)
{
	u8 *buffer = vmalloc(PAGES * PAGE_SIZE), *data = vmalloc(PAGES * PAGE_SIZE);
	unsigned int begin, bytes, at;
	struct bio_vec table[PAGES];
	struct rnd_state random;
	struct bio bio;

	if (!buffer || !data)
		goto out;
	prandom_seed_state(&random, 1);
	prandom_bytes_state(&random, data, PAGES * PAGE_SIZE);
	for (begin = 0; begin < BEGINS; begin++) {
		at = begin * 512;
		bytes = PAGES * PAGE_SIZE - at - begin % 2 * 512;
		memset(buffer, 0, PAGES * PAGE_SIZE);
		bio_init(&bio, NULL, table, PAGES, REQ_OP_READ);
		par_log_add_buffer(&bio, buffer + at, bytes);
		serve(test, &bio, data, bytes);
		invalidate_kernel_vmap_range(buffer, PAGES * PAGE_SIZE);
		KUNIT_EXPECT_EQ_MSG(test, 0, memcmp(buffer + at, data, bytes), "begins at %u", at);
		bio_uninit(&bio);
	}
out:
	KUNIT_EXPECT_TRUE(test, buffer && data);
	vfree(buffer);
	vfree(data);
}

static struct kunit_case log_ahead_cases[] = {
	KUNIT_CASE(buffer_begins_anywhere),
	{}
};

static struct kunit_suite log_ahead_suite = {
	.name = "raid-par-log-ahead",
	.test_cases = log_ahead_cases,
};

kunit_test_suite(log_ahead_suite);
