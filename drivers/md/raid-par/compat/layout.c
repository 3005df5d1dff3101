// SPDX-License-Identifier: GPL-2.0
/*
 * The guard against a build with another kernel's md.h.
 *
 * This module embeds md's structures by value, from a header that is private to md. The
 * kernel does not notice if the module was built with another kernel's header: a symbol's
 * version comes from the kernel's own build, not from the headers that were included here;
 * kernels without symbol versions compare only the release's name, which stays the same
 * over updates of a distribution. So the layout of the structures is read from the running
 * md's BTF, and from raid456's, before anything else is done, and is compared by name with the
 * layout that the compiler saw here.
 *
 * Only for builds outside of a kernel tree: inside there is only one md.h.
 */
#include <linux/btf.h>
#include <linux/file.h>
#include <linux/fs.h>
#include <linux/module.h>
#include <linux/sizes.h>
#include <linux/utsname.h>
#include <linux/vmalloc.h>

#include "par.h"
#include "compat/layout.h"
#include "raid5.h"

struct par_layout {
	const char *type;
	const char *member;	/* NULL: the whole structure */
	u32 bytes;		/* offset of the member, or size of the structure */
};

#define WHOLE(s)	{ #s, NULL, sizeof(struct s) }
#define AT(s, m)	{ #s, #m, offsetof(struct s, m) }

/* All that this module uses, except bit fields and members of unnamed unions. */
static const struct par_layout layouts[] = {
	WHOLE(mddev),
	AT(mddev, private),
	AT(mddev, pers),
	AT(mddev, sb_flags),
	AT(mddev, disks),
	AT(mddev, flags),
	AT(mddev, ro),
	AT(mddev, sysfs_active),
	AT(mddev, gendisk),
	AT(mddev, kobj),
	AT(mddev, major_version),
	AT(mddev, minor_version),
	AT(mddev, persistent),
	AT(mddev, external),
	AT(mddev, chunk_sectors),
	AT(mddev, ctime),
	AT(mddev, level),
	AT(mddev, layout),
	AT(mddev, raid_disks),
	AT(mddev, max_disks),
	AT(mddev, dev_sectors),
	AT(mddev, array_sectors),
	AT(mddev, events),
	AT(mddev, uuid),
	AT(mddev, reshape_position),
	AT(mddev, delta_disks),
	AT(mddev, new_level),
	AT(mddev, new_layout),
	AT(mddev, new_chunk_sectors),
	AT(mddev, thread),
	AT(mddev, sync_thread),
	AT(mddev, curr_resync_completed),
	AT(mddev, resync_mismatches),
	AT(mddev, resync_max_sectors),
	AT(mddev, sync_speed_min),
	AT(mddev, sync_speed_max),
	AT(mddev, parallel_resync),
	AT(mddev, recovery),
	AT(mddev, in_sync),
	AT(mddev, open_mutex),
	AT(mddev, reconfig_mutex),
	AT(mddev, degraded),
	AT(mddev, lock),
	AT(mddev, sysfs_state),
	AT(mddev, bitmap_info),
	AT(mddev, event_work),
	AT(mddev, sync_work),
	AT(mddev, sync_super),
	AT(mddev, safemode_delay),
	AT(mddev, suspend_mutex),
	AT(mddev, active_io),
	WHOLE(md_rdev),
	AT(md_rdev, same_set),
	AT(md_rdev, sectors),
	AT(md_rdev, mddev),
	AT(md_rdev, bdev),
	AT(md_rdev, sb_page),
	AT(md_rdev, data_offset),
	AT(md_rdev, sb_start),
	AT(md_rdev, sb_size),
	AT(md_rdev, flags),
	AT(md_rdev, raid_disk),
	AT(md_rdev, saved_raid_disk),
	AT(md_rdev, nr_pending),
	AT(md_rdev, sysfs_state),
	WHOLE(md_personality),
	AT(md_personality, make_request),
	AT(md_personality, run),
	AT(md_personality, start),
	AT(md_personality, free),
	AT(md_personality, status),
	AT(md_personality, error_handler),
	AT(md_personality, hot_add_disk),
	AT(md_personality, hot_remove_disk),
	AT(md_personality, spare_active),
	AT(md_personality, sync_request),
	AT(md_personality, size),
	AT(md_personality, quiesce),
	WHOLE(md_thread),
	AT(md_thread, mddev),
};

static const struct par_layout raid5_layouts[] = {
	WHOLE(r5conf),
	AT(r5conf, hash_locks),
	AT(r5conf, active_aligned_reads),
	AT(r5conf, quiesce),
	AT(r5conf, active_stripes),
	AT(r5conf, wait_for_quiescent),
	AT(r5conf, device_lock),
	WHOLE(stripe_head),
	AT(stripe_head, state),
	AT(stripe_head, disks),
	AT(stripe_head, dev),
	WHOLE(r5dev),
	AT(r5dev, req),
	AT(r5dev, written),
};

/* The BTF of a kernel or a module; that of a module continues the kernel's. */
struct par_btf {
	void *data;
	size_t size;
	const void *types;
	u32 types_len;
	const char *strings;
	u32 strings_len;
	const struct par_btf *base;
};

#define BTF_FILE_MAX	SZ_64M

static void btf_free(struct par_btf *btf)
{
	vfree(btf->data);
	btf->data = NULL;
}

static bool btf_whole(const struct par_btf *btf)
{
	const struct btf_header *head = btf->data;
	size_t len = btf->size;

	if (len < sizeof(*head) || head->magic != BTF_MAGIC || head->hdr_len > len)
		return false;
	len -= head->hdr_len;
	return head->type_off <= len && head->type_len <= len - head->type_off &&
	       head->str_off <= len && head->str_len <= len - head->str_off &&
	       head->str_len &&
	       !((char *)btf->data)[head->hdr_len + head->str_off + head->str_len - 1];
}

/* Not by kernel_read_file(): security modules warn about kinds of files without a rule. */
static int read_all(struct par_btf *btf, struct file *file)
{
	loff_t size = i_size_read(file_inode(file)), pos = 0;
	ssize_t n;

	if (size <= 0 || size > BTF_FILE_MAX)
		return -EFBIG;
	btf->data = vmalloc(size);
	if (!btf->data)
		return -ENOMEM;
	while (pos < size) {
		n = kernel_read(file, btf->data + pos, size - pos, &pos);
		if (n <= 0)
			return n ?: -EIO;
	}
	btf->size = size;
	return btf_whole(btf) ? 0 : -EINVAL;
}

/* No message if there is none. */
static int btf_read(struct par_btf *btf, const char *path)
{
	const struct btf_header *head;
	struct file *file = filp_open(path, O_RDONLY, 0);
	int err;

	if (IS_ERR(file))
		return PTR_ERR(file);
	err = read_all(btf, file);
	fput(file);
	if (err) {
		btf_free(btf);
		return err;
	}
	head = btf->data;
	btf->types = btf->data + head->hdr_len + head->type_off;
	btf->types_len = head->type_len;
	btf->strings = btf->data + head->hdr_len + head->str_off;
	btf->strings_len = head->str_len;
	return 0;
}

static const char *btf_string(const struct par_btf *btf, u32 offset)
{
	u32 before = btf->base ? btf->base->strings_len : 0;

	if (offset < before)
		return btf->base->strings + offset;
	return offset - before < btf->strings_len ? btf->strings + offset - before : "";
}

/* The size of the data after a type, in bytes; negative for an unknown kind. */
static int btf_tail(const struct btf_type *type)
{
	u32 n = btf_type_vlen(type);

	switch (BTF_INFO_KIND(type->info)) {
	case BTF_KIND_PTR:
	case BTF_KIND_FWD:
	case BTF_KIND_TYPEDEF:
	case BTF_KIND_VOLATILE:
	case BTF_KIND_CONST:
	case BTF_KIND_RESTRICT:
	case BTF_KIND_FUNC:
	case BTF_KIND_FLOAT:
	case BTF_KIND_TYPE_TAG:
		return 0;
	case BTF_KIND_INT:
	case BTF_KIND_VAR:
	case BTF_KIND_DECL_TAG:
		return sizeof(u32);
	case BTF_KIND_ARRAY:
		return sizeof(struct btf_array);
	case BTF_KIND_STRUCT:
	case BTF_KIND_UNION:
		return n * sizeof(struct btf_member);
	case BTF_KIND_ENUM:
		return n * sizeof(struct btf_enum);
	case BTF_KIND_ENUM64:
		return n * sizeof(struct btf_enum64);
	case BTF_KIND_FUNC_PROTO:
		return n * sizeof(struct btf_param);
	case BTF_KIND_DATASEC:
		return n * sizeof(struct btf_var_secinfo);
	}
	return -EOPNOTSUPP;
}

/* The structure of that name, or NULL. */
static const struct btf_type *btf_find(const struct par_btf *btf, const char *name)
{
	const void *at = btf->types, *end = at + btf->types_len;

	while (end - at >= sizeof(struct btf_type)) {
		const struct btf_type *type = at;
		int tail = btf_tail(type);

		at += sizeof(*type);
		if (tail < 0 || tail > end - at)
			return NULL;
		if (BTF_INFO_KIND(type->info) == BTF_KIND_STRUCT &&
		    !strcmp(btf_string(btf, type->name_off), name))
			return type;
		at += tail;
	}
	return NULL;
}

/* The offset of a member; negative if there is no member of that name. */
static int btf_offset(const struct par_btf *btf, const struct btf_type *type,
		      const char *name)
{
	const struct btf_member *member = (const void *)(type + 1);
	unsigned int i;

	for (i = 0; i < btf_type_vlen(type); i++)
		if (!strcmp(btf_string(btf, member[i].name_off), name))
			return __btf_member_bit_offset(type, &member[i]) / BITS_PER_BYTE;
	return -ENOENT;
}

#define FOREIGN	"md/par: built with another kernel's md.h: struct %s"
#define ADVICE	"; build it again, with the md.h of exactly this kernel's source (%s)\n"

static int refuse_layout(const struct par_layout *have, int want)
{
	const char *comma = have->member ? ", " : "", *member = have->member ?: "";
	const char *version = init_utsname()->version;

	if (want < 0)
		pr_err(FOREIGN " has no %s in the kernel that runs" ADVICE,
		       have->type, member, version);
	else
		pr_err(FOREIGN "%s%s: %u bytes in this module, %d in the kernel that runs" ADVICE,
		       have->type, comma, member, have->bytes, want, version);
	return -ENOEXEC;
}

static int compare_layouts(const struct par_btf *btf, const struct par_layout *have,
			   unsigned int count)
{
	const struct btf_type *type = NULL;

	for (; count; count--, have++) {
		int want;

		if (!have->member)
			type = btf_find(btf, have->type);
		if (!type)
			return -ENODATA;
		want = have->member ? btf_offset(btf, type, have->member) : type->size;
		if (want != have->bytes)
			return refuse_layout(have, want);
	}
	return 0;
}

/* A part of md is a module, whose BTF extends the kernel's, or it is built in. */
static int compare_part(const struct par_btf *kernel, const char *path,
			const struct par_layout *have, unsigned int count)
{
	struct par_btf part = { .base = kernel };
	int err;

	if (btf_read(&part, path))
		return compare_layouts(kernel, have, count);
	err = compare_layouts(&part, have, count);
	btf_free(&part);
	return err;
}

int par_layout_check(void)
{
	struct par_btf kernel = {};
	int err = btf_read(&kernel, "/sys/kernel/btf/vmlinux");

	err = err ?: compare_part(&kernel, "/sys/kernel/btf/md_mod", layouts,
				  ARRAY_SIZE(layouts));
	err = err ?: compare_part(&kernel, "/sys/kernel/btf/raid456", raid5_layouts,
				  ARRAY_SIZE(raid5_layouts));
	btf_free(&kernel);
	if (err && err != -ENOEXEC) {
		pr_info("md/par: this kernel does not describe md's structures (%d): the md.h that this module was built with is not checked\n",
			err);
		return 0;
	}
	return err;
}
