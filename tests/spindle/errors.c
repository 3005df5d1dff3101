// SPDX-License-Identifier: GPL-2.0
/*
 * Sectors that cannot be read or written, for a given number of times.
 */
#include <linux/slab.h>
#include <linux/string.h>
#include "spindle.h"

#define MAX_WORDS	4

struct bad {
	struct list_head list;
	bool read;
	bool write;
	bool weak;			/* writes do not repair it */
	bool path;			/* not of the medium: it is not to be reached */
	sector_t first;
	sector_t end;			/* the first good one */
	u32 times;			/* left; 0: no limit */
};

static bool overlaps(const struct bad *bad, sector_t sector, sector_t end)
{
	return bad->first < end && sector < bad->end;
}

static void drop(struct bad *bad)
{
	list_del(&bad->list);
	kfree(bad);
}

static void count_down(struct bad *bad)
{
	if (bad->times && !--bad->times)
		drop(bad);
}

/* Cut the sectors out of the middle: the part after them becomes another range. */
static int split(struct bad *bad, sector_t sector, sector_t end)
{
	struct bad *behind = kmemdup(bad, sizeof(*bad), GFP_NOIO);

	if (!behind)
		return -ENOMEM;
	behind->first = end;
	bad->end = sector;
	list_add(&behind->list, &bad->list);
	return 0;
}

static int repair(struct bad *bad, sector_t sector, sector_t end)
{
	if (sector > bad->first && end < bad->end)
		return split(bad, sector, end);
	if (sector > bad->first)
		bad->end = sector;
	else if (end < bad->end)
		bad->first = end;
	else
		drop(bad);
	return 0;
}

blk_status_t spindle_errors_meet(struct spindle *disk, bool write, sector_t sector,
				 sector_t sectors)
{
	sector_t end = sector + sectors;
	struct bad *bad, *next;
	blk_status_t status;

	list_for_each_entry(bad, &disk->bad, list) {
		if ((write ? bad->write : bad->read) && overlaps(bad, sector, end)) {
			status = bad->path ? BLK_STS_IOERR : BLK_STS_MEDIUM;
			count_down(bad);
			return status;
		}
	}
	if (!write)
		return BLK_STS_OK;
	list_for_each_entry_safe(bad, next, &disk->bad, list) {
		if (!bad->weak && !bad->path && overlaps(bad, sector, end) &&
		    repair(bad, sector, end))
			return BLK_STS_RESOURCE;
	}
	return BLK_STS_OK;
}

static const char *kind_name(const struct bad *bad)
{
	if (bad->read && bad->write)
		return "any";
	if (bad->path)
		return "path";
	if (bad->weak)
		return "weak";
	return bad->read ? "read" : "write";
}

ssize_t spindle_errors_show(struct spindle *disk, char *page)
{
	ssize_t len = 0;
	struct bad *bad;

	mutex_lock(&disk->lock);
	list_for_each_entry(bad, &disk->bad, list) {
		len += scnprintf(page + len, PAGE_SIZE - len, "%s %llu %llu", kind_name(bad),
				 (u64)bad->first, (u64)(bad->end - bad->first));
		if (bad->times)
			len += scnprintf(page + len, PAGE_SIZE - len, " %u", bad->times);
		len += scnprintf(page + len, PAGE_SIZE - len, "\n");
	}
	mutex_unlock(&disk->lock);
	return len;
}

/* The words of a line; -EINVAL if there are too many. */
static int split_words(char *line, char *words[MAX_WORDS])
{
	int count = 0;
	char *word;

	while ((word = strsep(&line, " \t\n"))) {
		if (!*word)
			continue;
		if (count == MAX_WORDS)
			return -EINVAL;
		words[count++] = word;
	}
	return count;
}

static int parse_kind(struct bad *bad, const char *word)
{
	bad->weak = !strcmp(word, "weak");
	bad->path = !strcmp(word, "path");
	bad->read = bad->weak || bad->path || !strcmp(word, "read") || !strcmp(word, "any");
	bad->write = !strcmp(word, "write") || !strcmp(word, "any");
	return bad->read || bad->write ? 0 : -EINVAL;
}

static int parse(const struct spindle *disk, struct bad *bad, char *words[], int count)
{
	u64 size = disk->size_mib << (20 - SECTOR_SHIFT), first, sectors;

	if (count < 3 || parse_kind(bad, words[0]) || kstrtou64(words[1], 0, &first) ||
	    kstrtou64(words[2], 0, &sectors))
		return -EINVAL;
	if (!sectors || first >= size || sectors > size - first)
		return -EINVAL;
	if (count == 4 && (kstrtou32(words[3], 0, &bad->times) || !bad->times))
		return -EINVAL;
	bad->first = first;
	bad->end = first + sectors;
	return 0;
}

static int add(struct spindle *disk, char *words[], int count)
{
	struct bad *bad = kzalloc(sizeof(*bad), GFP_KERNEL);
	int ret;

	if (!bad)
		return -ENOMEM;
	ret = parse(disk, bad, words, count);
	if (ret) {
		kfree(bad);
		return ret;
	}
	mutex_lock(&disk->lock);
	list_add_tail(&bad->list, &disk->bad);
	mutex_unlock(&disk->lock);
	return 0;
}

int spindle_errors_store(struct spindle *disk, char *line)
{
	char *words[MAX_WORDS];
	int count = split_words(line, words);

	if (count < 0)
		return count;
	if (count != 1 || strcmp(words[0], "clear"))
		return add(disk, words, count);
	mutex_lock(&disk->lock);
	spindle_errors_free(disk);
	mutex_unlock(&disk->lock);
	return 0;
}

void spindle_errors_free(struct spindle *disk)
{
	struct bad *bad, *next;

	list_for_each_entry_safe(bad, next, &disk->bad, list)
		drop(bad);
}
