// SPDX-License-Identifier: GPL-2.0
/*
 * Which runs should have slots? Replays requests to caches of runs, and tells how often each would
 * wake the sleepers. See Documentation/slots.md, "Which runs have slots".
 *
 *	slots-replay [OPTION...] <REQUESTS
 *
 * -r KIB	of the array in a run, 4096: 1 MiB of each of four members' data
 * -a MINUTES	that the array stays awake, 10
 * -s SHARES	percent of the runs that the requests touch, 100,25,10,5
 * -w		a write is a use of its run, as a read is; else only reads are
 * -p		compare when the array shifts down, with the module's cache
 *
 * REQUESTS are lines "NS OP SECTOR BYTES" as policy-replay has them; flushes are ignored. While the
 * array is asleep, a read of a run without a filled slot wakes it, unless the write log has all of
 * its blocks; writes go to the log. It stays awake until nothing was read for so long, except runs
 * that have slots or were read since it woke. Without any slots, all reads keep it awake. Copying
 * takes no time. All data are taken for the sleepers', so reads of other members count, too.
 *
 * A line for each share and cache:
 *
 *	SHARE CACHE WAKES_A_DAY AWAKE_PERCENT MISSING_READS_PERCENT FILLS_A_DAY
 *
 * heat is the module's: slot-cache.c and slot-choice.c, with their reserve of free slots, at each
 * shift down. Rivals, which have all of the slots and give them when a run is read, to be filled
 * when the array is awake: lru; s3fifo (Yang, Zhang, Qiu, Yue and Rashmi, "FIFO Queues are All You
 * Need for Cache Eviction", SOSP 2023, section 4), in which uses within a period count once;
 * yesterday: once a day, the runs that were read in most periods of the last 24 hours; none.
 *
 * With -p, a line for each share and rule:
 *
 *	SHARE RULE WAKES_A_DAY ASLEEP_PERCENT SAVED_PERCENT MOST_WAKES_IN_A_DAY
 *
 * up never shifts down; hold does so a minute after each shift up, whatever is read meanwhile, as
 * the policy would if it knew nothing of misses; misses is the module's (misses.c). SAVED is of the
 * energy that the sleepers save if they always sleep: a start costs as much as a disk uses while it
 * idles for the break-even time. All have the same spin-ups (ration.c).
 */
#include <getopt.h>
#include <inttypes.h>
#include <stdlib.h>

#include "policy/misses.h"
#include "pure/ration.h"
#include "pure/slot-choice.h"

#define SECOND	1000000000ULL
#define DAY	(86400 * SECOND)
#define BLOCK	8U		/* sectors */
#define LOGGED	(1U << 20)	/* buckets of the set of logged blocks */
#define NONE	U32_MAX
#define MOST_USES	3	/* s3fifo's counters */

struct request {
	u64 at, sector, sectors;
	bool write;
};

static struct request *requests;
static u64 count;
static u64 *touched;		/* runs, sorted */
static u32 runs;
static u32 run_sectors = 8192;
static u64 awake_ns = 600 * SECOND;

/* ---- the caches ---- */

/*
 * struct cache - @use: run @run is used in @period; @has: it has a slot; @day: a day is over;
 * @down: the array is about to sleep. @since: the sleep in which each got its slot, or 0
 */
struct cache {
	const char *name;
	void (*begin)(u32 slots);
	void (*use)(u32 run, u32 period);
	bool (*has)(u32 run);
	void (*day)(u32 period);
	void (*down)(void);
};

static u32 *since, sleeps;
static bool asleep, writes_use;
static u64 fills;

static void given(u32 run)
{
	since[run] = asleep ? sleeps : 0;
	fills++;
}

/* The module's. */
static struct par_slot_map map;
static struct par_slot_cache module;
static struct par_slot_run *wanted_runs, *victim_runs;
static struct par_slot_task *tasks;

static void heat_begin(u32 slots)
{
	free(map.run);
	free(map.slot);
	free(map.free);
	free(wanted_runs);
	free(victim_runs);
	free(tasks);
	par_slot_map_init(&map, runs, slots, zeroed(runs, 4), zeroed(slots, sizeof(struct par_slot)),
			  zeroed(slots / PAR_SLOTS_A_BLOCK + 1, 2));
	par_slot_cache_init(&module, &map, 0);
	wanted_runs = zeroed(slots, sizeof(*wanted_runs));
	victim_runs = zeroed(slots, sizeof(*victim_runs));
	tasks = zeroed(2 * slots, sizeof(*tasks));
}

static void heat_use(u32 run, u32 period)
{
	par_slot_cache_use(&module, run, period);
}

static bool heat_has(u32 run)
{
	return par_slot_of(&map, run) != PAR_NO_SLOT;
}

static void heat_day(u32 period)
{
	par_slot_cache_age(&module, 0, runs, period);
}

/* All that storing would do in between is left out. */
static void do_task(const struct par_slot_task *task)
{
	u32 slot;

	if (task->evict != PAR_NO_SLOT) {
		par_slot_map_move(&map, task->evict, PAR_SLOT_CLOSE);
		par_slot_map_move(&map, task->evict, PAR_SLOT_TOLD);
		par_slot_map_move(&map, task->evict, PAR_SLOT_GONE);
	}
	if (task->run == PAR_NO_RUN)
		return;
	slot = par_slot_map_find_free(&map, 0);
	par_slot_map_give(&map, slot, task->run);
	par_slot_map_move(&map, slot, PAR_SLOT_STORED);
	given(task->run);
}

static void heat_down(void)
{
	const struct par_slot_limits limits = { .sectors = U64_MAX, .whole = true };
	struct par_slot_list wanted = { .run = wanted_runs, .room = map.slots };
	struct par_slot_list victims = { .run = victim_runs, .room = map.slots, .coldest = true };
	u32 n, i;

	par_slot_list_wanted(&wanted, &module, 0, runs, run_sectors);
	par_slot_list_victims(&victims, &module, 0, map.slots);
	par_slot_list_sort(&wanted);
	par_slot_list_sort(&victims);
	n = par_slot_choose(&map, &wanted, &victims, &limits, tasks, 2 * map.slots);
	for (i = 0; i < n; i++)
		do_task(&tasks[i]);
}

/* Lists for the rivals: which one a run is in, 0 for none; periods of the day it was used in. */
#define LISTS	4
static u32 *newer, *older, oldest[LISTS], newest[LISTS], length[LISTS], room;
static u32 *last_period, *uses;
static u8 *list_of;

static void lists_begin(u32 slots)
{
	unsigned int i;

	free(newer);
	free(older);
	free(list_of);
	free(last_period);
	free(uses);
	newer = zeroed(runs, 4);
	older = zeroed(runs, 4);
	last_period = zeroed(runs, 4);
	uses = zeroed(runs, 4);
	list_of = zeroed(runs, 1);
	for (i = 0; i < LISTS; i++) {
		oldest[i] = NONE;
		newest[i] = NONE;
		length[i] = 0;
	}
	room = slots;
}

static void list_remove(u32 run)
{
	u8 list = list_of[run];

	*(older[run] == NONE ? &oldest[list] : &newer[older[run]]) = newer[run];
	*(newer[run] == NONE ? &newest[list] : &older[newer[run]]) = older[run];
	length[list]--;
	list_of[run] = 0;
}

static void list_add(u8 list, u32 run)
{
	older[run] = newest[list];
	newer[run] = NONE;
	*(newest[list] == NONE ? &oldest[list] : &newer[newest[list]]) = run;
	newest[list] = run;
	list_of[run] = list;
	length[list]++;
}

/* The first use in this period? */
static bool first_use(u32 run, u32 period)
{
	bool first = last_period[run] != period + 1;

	last_period[run] = period + 1;
	return first;
}

static bool in_first(u32 run)
{
	return list_of[run] == 1;
}

static void lru_use(u32 run, u32 period)
{
	(void)period;
	if (list_of[run]) {
		list_remove(run);
	} else {
		if (length[1] == room)
			list_remove(oldest[1]);
		given(run);
	}
	list_add(1, run);
}

/* 1: small; 2: ghosts, without slots; 3: main. */
static void s3_make_room(void)
{
	u32 small = max(1U, room / 10), run;

	while (length[1] + length[3] >= room) {
		bool of_small = length[1] >= small || !length[3];

		run = oldest[of_small ? 1 : 3];
		list_remove(run);
		if (uses[run]) {
			uses[run] = of_small ? 0 : uses[run] - 1;
			list_add(3, run);
		} else if (of_small) {
			list_add(2, run);
			if (length[2] > room - small)
				list_remove(oldest[2]);
		}
	}
}

static void s3_use(u32 run, u32 period)
{
	bool first = first_use(run, period), known = list_of[run] == 2;

	if (list_of[run] == 1 || list_of[run] == 3) {
		uses[run] = min(uses[run] + first, MOST_USES);
		return;
	}
	if (known)
		list_remove(run);
	s3_make_room();
	uses[run] = 0;
	list_add(known ? 3 : 1, run);
	given(run);
}

static bool s3_has(u32 run)
{
	return list_of[run] == 1 || list_of[run] == 3;
}

static void yesterday_use(u32 run, u32 period)
{
	uses[run] += first_use(run, period);
}

static bool yesterday_has(u32 run)
{
	return list_of[run];
}

static int by_uses(const void *a, const void *b)
{
	u32 one = *(const u32 *)a, other = *(const u32 *)b;

	if (uses[one] != uses[other])
		return uses[one] < uses[other] ? 1 : -1;
	return one < other ? -1 : one > other;
}

static void yesterday_day(u32 period)
{
	u32 *order = zeroed(runs, 4), i;
	u8 *next = zeroed(runs, 1);

	(void)period;
	for (i = 0; i < runs; i++)
		order[i] = i;
	qsort(order, runs, sizeof(*order), by_uses);
	for (i = 0; i < room && uses[order[i]]; i++) {
		next[order[i]] = 1;
		if (!list_of[order[i]])
			given(order[i]);
	}
	free(list_of);
	free(order);
	list_of = next;
	memset(uses, 0, runs * sizeof(*uses));
}

static void none_use(u32 run, u32 period)
{
	(void)run;
	(void)period;
}

static const struct cache caches[] = {
	{ "heat", heat_begin, heat_use, heat_has, heat_day, heat_down },
	{ "lru", lists_begin, lru_use, in_first, NULL, NULL },
	{ "s3fifo", lists_begin, s3_use, s3_has, NULL, NULL },
	{ "yesterday", lists_begin, yesterday_use, yesterday_has, yesterday_day, NULL },
	{ "none", lists_begin, none_use, in_first, NULL, NULL },
};

/* ---- the write log, as far as it matters: blocks written in this sleep ---- */

static u64 *logged;
static u32 logged_count;

static u64 *log_place(u64 block)
{
	u64 i = (block * 0x9e3779b97f4a7c15ULL) >> 44;

	while (logged[i] && logged[i] != block + 1)
		i = (i + 1) % LOGGED;
	return &logged[i];
}

static void log_clear(void)
{
	memset(logged, 0, LOGGED * sizeof(*logged));
	logged_count = 0;
}

static void log_write(const struct request *request)
{
	u64 block;

	for (block = request->sector / BLOCK;
	     block <= (request->sector + request->sectors - 1) / BLOCK; block++) {
		u64 *place = log_place(block);

		if (!*place && logged_count < LOGGED / 2) {
			*place = block + 1;
			logged_count++;
		}
	}
}

static bool log_has(const struct request *request)
{
	u64 block = request->sector / BLOCK;

	while (block <= (request->sector + request->sectors - 1) / BLOCK && *log_place(block))
		block++;
	return block > (request->sector + request->sectors - 1) / BLOCK;
}

/* ---- the replay ---- */

struct told {
	u64 wakes, awake, reads, missed;
};

static u64 *read_in;	/* the wake in which a run was read last */

static u32 number_of(u64 run)
{
	u32 low = 0, high = runs - 1;

	while (low < high) {
		u32 middle = (low + high) / 2;

		if (touched[middle] < run)
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}

/*
 * Are all runs of it in slots that have been filled? Awake: or read since it woke, so that they
 * may be at the next shift down.
 */
static bool served(const struct cache *cache, u32 first, u32 last, u64 wakes)
{
	for (; first <= last; first++) {
		if (asleep ? cache->has(first) && since[first] != sleeps :
			     cache->has(first) || (read_in[first] == wakes &&
						   cache->use != none_use))
			continue;
		return false;
	}
	return true;
}

static void use_runs(const struct cache *cache, const struct request *request, u32 first, u32 last,
		     u64 wakes)
{
	for (; first <= last; first++) {
		if (!asleep && !request->write)
			read_in[first] = wakes;
		if (writes_use || !request->write)
			cache->use(first, request->at / (PAR_CACHE_PERIOD * SECOND));
	}
}

static void replay(const struct cache *cache, struct told *told)
{
	u64 awake_until = 0, i, next_day = DAY;

	memset(told, 0, sizeof(*told));
	asleep = true;
	sleeps = 1;
	fills = 0;
	log_clear();
	for (i = 0; i < count; i++) {
		const struct request *request = &requests[i];
		u32 first = number_of(request->sector / run_sectors);
		u32 last = number_of((request->sector + request->sectors - 1) / run_sectors);
		bool missed;

		if (!asleep && request->at >= awake_until) {
			if (cache->down)
				cache->down();
			asleep = true;
			sleeps++;
		}
		for (; request->at >= next_day; next_day += DAY)
			if (cache->day)
				cache->day(next_day / (PAR_CACHE_PERIOD * SECOND));
		missed = !request->write && !(asleep && log_has(request)) &&
			 !served(cache, first, last, told->wakes);
		told->reads += !request->write;
		told->missed += missed;
		if (missed) {
			told->awake += asleep ? awake_ns : request->at + awake_ns - awake_until;
			awake_until = request->at + awake_ns;
		}
		if (missed && asleep) {
			told->wakes++;
			asleep = false;
			log_clear();
		}
		if (asleep && request->write)
			log_write(request);
		use_runs(cache, request, first, last, told->wakes);
	}
}

static void tell(unsigned int share, const struct cache *cache)
{
	double days = (requests[count - 1].at + 1) / (double)DAY;
	u32 slots = max(1U, (u32)((u64)runs * share / 100));
	struct told told;

	memset(since, 0, runs * sizeof(*since));
	memset(read_in, 0, runs * sizeof(*read_in));
	cache->begin(slots);
	replay(cache, &told);
	printf("%u %s %.2f %.2f %.2f %.0f\n", share, cache->name, told.wakes / days,
	       100.0 * told.awake / (days * DAY),
	       told.reads ? 100.0 * told.missed / told.reads : 0, fills / days);
}

/* ---- when to shift down ---- */

#define HOLD		60U	/* s, and the break-even time: as the policy's defaults */
#define BREAK_EVEN	120U

enum rule { RULE_UP, RULE_HOLD, RULE_MISSES, RULES };

/* struct keeper - @rose: s, when the array woke; @asleep_since: s; @today: wakes of the day @day */
struct keeper {
	enum rule rule;
	struct par_misses misses;
	struct par_ration ration;
	u64 rose, asleep_since, slept, wakes, day, today, most_today;
};

/* When it shifts down, if nothing is missed until then. */
static u64 down_at(const struct keeper *keeper, u64 now)
{
	u64 hold = max(keeper->rose + HOLD, now) - now;
	u64 wait = par_ration_wait(&keeper->ration, now);

	if (keeper->rule == RULE_MISSES)
		wait = max(wait, par_misses_wait(&keeper->misses, BREAK_EVEN, BREAK_EVEN,
						 par_ration_gap(&keeper->ration), now));
	return keeper->rule == RULE_UP ? U64_MAX : now + max(hold, wait);
}

static void wake(struct keeper *keeper, u64 now)
{
	asleep = false;
	keeper->slept += now - keeper->asleep_since;
	keeper->rose = now;
	keeper->wakes++;
	par_ration_spend(&keeper->ration);
	if (now / PAR_RATION_DAY != keeper->day)
		keeper->today = 0;
	keeper->day = now / PAR_RATION_DAY;
	keeper->most_today = max(keeper->most_today, ++keeper->today);
	log_clear();
}

/* Let it shift down if it is time: shares of the budget are added once a day. */
static void pass(struct keeper *keeper, u64 *looked, u64 now)
{
	while (!asleep && *looked < now) {
		u64 next = min(now, keeper->ration.since + PAR_RATION_DAY);
		u64 down;

		par_ration_tick(&keeper->ration, PAR_CARRY_DEFAULT, *looked);
		next = min(now, keeper->ration.since + PAR_RATION_DAY);
		down = down_at(keeper, *looked);
		if (down <= next && down < now) {
			heat_down();
			asleep = true;
			sleeps++;
			keeper->asleep_since = down;
		}
		*looked = next;
	}
	par_ration_tick(&keeper->ration, PAR_CARRY_DEFAULT, now);
	*looked = now;
}

static void read_run(struct keeper *keeper, u32 run, u64 now)
{
	u32 period = now / PAR_CACHE_PERIOD, slots = map.slots;
	bool missed = asleep && (!heat_has(run) || since[run] == sleeps);
	bool lacks = !asleep && !par_slot_cache_fresh(&module, run, period) &&
		     par_slot_cache_lacks(&module, run, slots - par_slot_reserve(slots));

	par_slot_cache_use(&module, run, period);
	if (missed || lacks)
		par_misses_see(&keeper->misses, BREAK_EVEN, now);
	if (!missed)
		return;
	par_slot_cache_miss(&module, run, period);
	if (run + 1 < runs)
		par_slot_cache_miss(&module, run + 1, period);
	wake(keeper, now);
}

static void follow_rule(struct keeper *keeper)
{
	u64 looked = 0, next_day = PAR_RATION_DAY, i;

	par_ration_begin(&keeper->ration, 0);
	asleep = false;
	sleeps = 1;
	for (i = 0; i < count; i++) {
		const struct request *request = &requests[i];
		u64 now = request->at / SECOND, run;

		pass(keeper, &looked, now);
		for (; now >= next_day; next_day += PAR_RATION_DAY)
			heat_day(next_day / PAR_CACHE_PERIOD);
		if (request->write && asleep)
			log_write(request);
		if (request->write || (asleep && log_has(request)))
			continue;
		for (run = number_of(request->sector / run_sectors);
		     run <= number_of((request->sector + request->sectors - 1) / run_sectors);
		     run++)
			read_run(keeper, run, now);
	}
	if (asleep)
		keeper->slept += requests[count - 1].at / SECOND - keeper->asleep_since;
}

static void tell_rule(unsigned int share, enum rule rule)
{
	static const char * const names[] = { "up", "hold", "misses" };
	double seconds = requests[count - 1].at / SECOND + 1;
	struct keeper keeper = { .rule = rule };

	memset(since, 0, runs * sizeof(*since));
	log_clear();
	heat_begin(max(1U, (u32)((u64)runs * share / 100)));
	follow_rule(&keeper);
	printf("%u %s %.2f %.2f %.2f %llu\n", share, names[rule],
	       keeper.wakes * PAR_RATION_DAY / seconds, 100 * keeper.slept / seconds,
	       100 * (keeper.slept - (double)BREAK_EVEN * keeper.wakes) / seconds,
	       keeper.most_today);
}

static int by_number(const void *a, const void *b)
{
	u64 one = *(const u64 *)a, other = *(const u64 *)b;

	return one < other ? -1 : one > other;
}

/* Between the first and the last run of a request there is none that is not touched, too. */
static void number_runs(void)
{
	u64 room_for = 0, n = 0, i, run;

	for (i = 0; i < count; i++)
		room_for += (requests[i].sector + requests[i].sectors - 1) / run_sectors -
			    requests[i].sector / run_sectors + 1;
	touched = zeroed(room_for, sizeof(*touched));
	for (i = 0; i < count; i++)
		for (run = requests[i].sector / run_sectors;
		     run <= (requests[i].sector + requests[i].sectors - 1) / run_sectors; run++)
			touched[n++] = run;
	qsort(touched, n, sizeof(*touched), by_number);
	for (i = 0; i < n; i++)
		if (!runs || touched[i] != touched[runs - 1])
			touched[runs++] = touched[i];
}

static void read_requests(void)
{
	u64 at, sector, bytes, space = 0;
	char op;

	while (scanf("%llu %c %llu %llu", &at, &op, &sector, &bytes) == 4) {
		if (op == 'f' || !bytes)
			continue;
		if (count == space) {
			space = space ? 2 * space : 65536;
			requests = realloc(requests, space * sizeof(*requests));
			if (!requests)
				abort();
		}
		requests[count++] = (struct request) {
			.at = at, .sector = sector, .sectors = (bytes + 511) / 512,
			.write = op == 'w',
		};
	}
	if (!count) {
		fprintf(stderr, "slots-replay: no requests\n");
		exit(2);
	}
}

int main(int argc, char **argv)
{
	char shares[] = "100,25,10,5", *list = shares, *share;
	bool by_rule = false;
	unsigned int i;
	int option;

	while ((option = getopt(argc, argv, "r:a:s:wp")) != -1) {
		if (option == 'r')
			run_sectors = 2 * strtoul(optarg, NULL, 10);
		else if (option == 'a')
			awake_ns = 60 * SECOND * strtoul(optarg, NULL, 10);
		else if (option == 's')
			list = optarg;
		else if (option == 'w')
			writes_use = true;
		else if (option == 'p')
			by_rule = true;
		else
			return 2;
	}
	if (!run_sectors) {
		fprintf(stderr, "slots-replay: a run has sectors\n");
		return 2;
	}
	logged = zeroed(LOGGED, sizeof(*logged));
	read_requests();
	number_runs();
	since = zeroed(runs, sizeof(*since));
	read_in = zeroed(runs, sizeof(*read_in));
	printf("runs %u of %u KiB, requests %llu\n", runs, run_sectors / 2, count);
	while ((share = strsep(&list, ",")))
		for (i = 0; i < (by_rule ? RULES : ARRAY_SIZE(caches)); i++)
			if (by_rule)
				tell_rule(strtoul(share, NULL, 10), i);
			else
				tell(strtoul(share, NULL, 10), &caches[i]);
	return 0;
}
