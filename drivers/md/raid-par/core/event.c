// SPDX-License-Identifier: GPL-2.0
/*
 * Uevents of the array's block device. An event can happen under locks or where sleeping is
 * not allowed, and sending a uevent sleeps. So an event is recorded where it happens, and a
 * workqueue sends the events one after the other.
 */
#include <linux/kobject.h>
#include <linux/slab.h>
#include <linux/string.h>

#include "core/event.h"
#include "par.h"

#define PAR_EVENT_LINES	7
#define PAR_EVENT_BYTES	192

struct par_event {
	struct work_struct work;
	struct device *dev;
	char *env[PAR_EVENT_LINES + 1];
	char text[PAR_EVENT_BYTES];
};

static struct workqueue_struct *event_wq;

static void event_work(struct work_struct *work)
{
	struct par_event *event = container_of(work, struct par_event, work);
	char *text = event->text;
	unsigned int i = 0;

	while (i < PAR_EVENT_LINES && text)
		event->env[i++] = strsep(&text, "\n");
	kobject_uevent_env(&event->dev->kobj, KOBJ_CHANGE, event->env);
	put_device(event->dev);
	kfree(event);
}

void par_event(struct par_conf *conf, const char *format, ...)
{
	struct par_event *event = kzalloc(sizeof(*event), GFP_NOWAIT);
	va_list args;

	if (!event) {
		pr_warn_ratelimited("md/par:%s: out of memory: a uevent is not sent\n",
				    mdname(conf->mddev));
		return;
	}
	INIT_WORK(&event->work, event_work);
	event->dev = get_device(disk_to_dev(conf->mddev->gendisk));
	va_start(args, format);
	vsnprintf(event->text, sizeof(event->text), format, args);
	va_end(args);
	queue_work(event_wq, &event->work);
}

void par_events_flush(void)
{
	might_sleep();
	flush_workqueue(event_wq);
}

int __init par_events_init(void)
{
	event_wq = alloc_ordered_workqueue("par-event", 0);
	return event_wq ? 0 : -ENOMEM;
}

void par_events_exit(void)
{
	destroy_workqueue(event_wq);
}
