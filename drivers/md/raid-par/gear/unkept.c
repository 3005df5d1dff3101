// SPDX-License-Identifier: GPL-2.0
/*
 * Writes that no image has accepted: they go to the home copy, for which the sleeper is
 * woken. See the head of lost.c.
 */
#include <linux/sched/mm.h>

#include "core/parent.h"
#include "gear/gear.h"

/* Of a row that is being started, only the fill comes here, and it need not be kept. */
static void keep_elsewhere(struct par_vmember *vm, struct bio *bio)
{
	struct par_conf *conf = vm->set->conf;
	u64 row = bio->bi_iter.bi_sector >> conf->geo.seg_shift;
	enum par_seg_state state = par_map_get(vm->set, row, vm->index);
	struct bio_list again;
	int err = 0;

	if (state == PAR_SEG_UNWRITTEN) {
		par_store_lose(vm, bio->bi_iter.bi_sector, bio_sectors(bio));
		bio_io_error(bio);
		return;
	}
	bio->bi_status = BLK_STS_OK;
	if (!par_awake(conf, READ_ONCE(conf->gear), vm->index)) {
		par_miss(vm, bio);
		return;
	}
	if (state == PAR_SEG_IMAGE)
		err = par_salvage(vm->set, vm->index, row);
	if (err) {
		bio_io_error(bio);
		return;
	}
	bio_list_init(&again);
	bio_list_add(&again, bio);
	par_requeue(conf, &again);
}

/*
 * No task waits for this work while it has a set quiesced or a segment locked. Each set has
 * a work of its own: salvaging a segment of one set waits for a write to an image, which
 * another set may be unable to accept.
 */
static void unkept_work(struct work_struct *work)
{
	struct par_set *set = container_of(work, struct par_set, send.unkept_work);
	unsigned int noio = memalloc_noio_save();
	struct bio_list bios;
	struct bio *bio;

	par_queue_take(set->conf, &set->send.unkept, &bios);
	while ((bio = bio_list_pop(&bios)))
		keep_elsewhere(par_bio_vm(bio), bio);
	memalloc_noio_restore(noio);
}

void par_unkept_init(struct par_conf *conf)
{
	conf->up.unkept_work = unkept_work;
}
