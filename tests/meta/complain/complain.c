// SPDX-License-Identifier: GPL-2.0
/*
 * A module with faults that are triggered on demand: the tests of the test machine load it to see
 * that the machine notices them. Write a kind of fault to the parameter "what".
 */
#include <linux/delay.h>
#include <linux/kthread.h>
#include <linux/list.h>
#include <linux/module.h>
#include <linux/mutex.h>
#include <linux/sched.h>
#include <linux/slab.h>

static DEFINE_MUTEX(lock_a);
static DEFINE_MUTEX(lock_b);

static void do_warn(void)
{
	WARN(1, "complain: a warning on demand\n");
}

static void do_bug(void)
{
	BUG();
}

static void do_panic(void)
{
	panic("complain: a panic on demand");
}

static void do_kasan(void)
{
	char *p = kmalloc(32, GFP_KERNEL);

	if (!p)
		return;
	OPTIMIZER_HIDE_VAR(p);
	kfree(p);
	pr_info("complain: read %d after free\n", READ_ONCE(*p));
}

static void do_leak(void)
{
	int i;

	/* Several: a stale register or stack slot may hide one of them. */
	for (i = 0; i < 16; i++) {
		void *p = kmalloc(512, GFP_KERNEL);

		OPTIMIZER_HIDE_VAR(p);
	}
}

static void do_lockdep(void)
{
	mutex_lock(&lock_a);
	mutex_lock(&lock_b);
	mutex_unlock(&lock_b);
	mutex_unlock(&lock_a);

	mutex_lock(&lock_b);
	mutex_lock(&lock_a);
	mutex_unlock(&lock_a);
	mutex_unlock(&lock_b);
}

static int hang_thread(void *unused)
{
	msleep(20 * MSEC_PER_SEC);
	return 0;
}

static void do_hang(void)
{
	kthread_run(hang_thread, NULL, "complain-hang");
}

static void do_atomic(void)
{
	preempt_disable();
	msleep(20);
	preempt_enable();
}

static const struct {
	const char *name;
	void (*call)(void);
} complaints[] = {
	{ "warn", do_warn },
	{ "bug", do_bug },
	{ "panic", do_panic },
	{ "kasan", do_kasan },
	{ "leak", do_leak },
	{ "lockdep", do_lockdep },
	{ "hang", do_hang },
	{ "atomic", do_atomic },
};

static int set_what(const char *value, const struct kernel_param *kp)
{
	size_t i;

	for (i = 0; i < ARRAY_SIZE(complaints); i++) {
		if (sysfs_streq(value, complaints[i].name)) {
			complaints[i].call();
			return 0;
		}
	}
	return -EINVAL;
}

static const struct kernel_param_ops what_ops = { .set = set_what };
module_param_cb(what, &what_ops, NULL, 0200);
MODULE_PARM_DESC(what, "the kind of wrong to do now");

/* Without an init function a module cannot be unloaded. */
static int __init complain_init(void)
{
	return 0;
}
module_init(complain_init);

static void __exit complain_exit(void)
{
}
module_exit(complain_exit);

MODULE_DESCRIPTION("Kernel complaints on demand, for tests of the test machine");
MODULE_LICENSE("GPL");
