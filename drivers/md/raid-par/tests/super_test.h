/* SPDX-License-Identifier: GPL-2.0 */
/*
 * What the suites of superblocks begin with, over the layouts of layouts.h.
 */
#ifndef RAID_PAR_TESTS_SUPER_TEST_H
#define RAID_PAR_TESTS_SUPER_TEST_H

#include <linux/crc32c.h>
#include <linux/slab.h>
#include <kunit/test.h>

#include "layouts.h"
#include "pure/format.h"

#define SUPER_MEMBER	0U	/* whose superblock it is */

/* A superblock of an array with a log or with slots; @plain: the geometry of one without. */
struct super_test {
	struct par_geometry geo, again, plain;
	struct par_super sb, out;
	struct par_disk_super raw;
	struct par_disk_block block;
	struct par_identity id;
};

/* Zeroed memory for what a suite keeps, also in test->priv. */
static inline void *super_test_alloc(struct kunit *test, size_t size)
{
	test->priv = kunit_kzalloc(test, size, GFP_KERNEL);
	KUNIT_ASSERT_NOT_NULL(test, test->priv);
	return test->priv;
}

/* The layout of the parameter, on members of @dev sectors. */
static inline void super_test_geometry(struct kunit *test, struct par_geometry *geo, u64 dev)
{
	const struct par_kunit_layout *in = test->param_value;

	KUNIT_ASSERT_EQ_MSG(test, par_geometry_init(geo, in->layout, in->disks, in->chunk, dev),
			    PAR_GEO_OK, "%s", in->name);
}

/* All of it but the geometry of an array with a log or with slots, and what it stores of them. */
static inline struct super_test *super_test_begin(struct kunit *test, u64 dev)
{
	struct super_test *t = super_test_alloc(test, sizeof(*t));

	super_test_geometry(test, &t->plain, dev);
	t->id.epoch = 77;
	t->sb.epoch = t->id.epoch;
	t->sb.seq = 5;
	t->sb.gear = 1;
	return t;
}

/* A right checksum for what a test has changed. */
static inline void super_test_seal(struct par_disk_super *raw)
{
	raw->crc = 0;
	raw->crc = cpu_to_le32(crc32c(~0, raw, sizeof(*raw)));
}

static inline enum par_format_error super_test_unpack(struct super_test *t,
						      const struct par_geometry *geo)
{
	return par_super_unpack(&t->out, &t->raw, geo, &t->id, SUPER_MEMBER);
}

#endif
