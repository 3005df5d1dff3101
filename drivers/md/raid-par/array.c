// SPDX-License-Identifier: GPL-2.0
/*
 * The array as a whole becomes writable, or ceases to be.
 */
#include "core/parent.h"
#include "log/log.h"
#include "array.h"

/* Called when the array has become writable or has ceased to be. Process context. */
void par_follow_array(struct par_conf *conf)
{
	bool writable, was;

	if (READ_ONCE(conf->writable) == md_is_rdwr(conf->mddev))
		return;
	/* Two callers may be here at once, one of which has read the old state. */
	spin_lock_irq(&conf->queue.lock);
	was = conf->writable;
	writable = md_is_rdwr(conf->mddev);
	conf->writable = writable;
	par_sets_writable(conf, writable);
	spin_unlock_irq(&conf->queue.lock);
	if (writable && !was) {
		par_shift_rouse(conf);
		par_log_writable(conf);
	}
}

bool par_writable(struct par_conf *conf)
{
	struct mddev *mddev = conf->mddev;

	if (mddev->ro == MD_RDONLY)
		return false;
	if (mddev->ro == MD_AUTO_READ) {
		/* md_write_start() would do this; see the head of personality.c. */
		mddev->ro = MD_RDWR;
		set_bit(MD_RECOVERY_NEEDED, &mddev->recovery);
		md_wakeup_thread(mddev->thread);
		sysfs_notify_dirent_safe(mddev->sysfs_state);
		par_follow_array(conf);
		par_resync_resume(conf);
	}
	return true;
}
