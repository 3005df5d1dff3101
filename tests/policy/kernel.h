/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The parts of the kernel that the module's pure files need, for user space: see
 * scripts/build-policy.
 */
#ifndef TESTS_POLICY_KERNEL_H
#define TESTS_POLICY_KERNEL_H

#include <errno.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/types.h>

typedef uint8_t u8;
typedef uint16_t u16;
typedef uint32_t u32;
typedef unsigned long long u64;
typedef int64_t s64;

#define EXPORT_SYMBOL_IF_KUNIT(symbol)
#define VISIBLE_IF_KUNIT static
#define ARRAY_SIZE(a) (sizeof(a) / sizeof((a)[0]))
#define DIV_ROUND_UP(n, d) (((n) + (d) - 1) / (d))
#define DIV_ROUND_UP_ULL(n, d) DIV_ROUND_UP((u64)(n), (d))
#define DIV64_U64_ROUND_UP(n, d) DIV_ROUND_UP((u64)(n), (u64)(d))

/* Bytes are in the order of the disks' here. */
typedef u16 __le16;
typedef u32 __le32;
typedef u64 __le64;
#define cpu_to_le32(n) ((u32)(n))
#define le32_to_cpu(n) ((u32)(n))
#define static_assert(holds) _Static_assert(holds, #holds)
#define READ_ONCE(x) (*(const volatile __typeof__(x) *)&(x))
#define WRITE_ONCE(x, value) (*(volatile __typeof__(x) *)&(x) = (value))

#define U32_MAX UINT32_MAX
#define U64_MAX UINT64_MAX
#define S64_MAX INT64_MAX
#define NSEC_PER_SEC 1000000000ULL
#define NSEC_PER_MSEC 1000000ULL
#define NSEC_PER_USEC 1000ULL
#define MSEC_PER_SEC 1000ULL
#define USEC_PER_SEC 1000000ULL
#define __printf(text, first) __attribute__((format(printf, text, first)))

#define min(a, b) ({ __auto_type a_ = (a); __auto_type b_ = (b); a_ < b_ ? a_ : b_; })
#define max(a, b) ({ __auto_type a_ = (a); __auto_type b_ = (b); a_ > b_ ? a_ : b_; })
#define swap(a, b) do { __auto_type a_ = (a); (a) = (b); (b) = a_; } while (0)
#define min_t(type, a, b) min((type)(a), (type)(b))
#define max_t(type, a, b) max((type)(a), (type)(b))
#define clamp(value, low, high) min(max(value, low), high)
#define clamp_t(type, value, low, high) ({ type most_ = max_t(type, value, low); min_t(type, most_, high); })

#define div_u64(n, d) ((u64)(n) / (u32)(d))
#define div64_u64(n, d) ((u64)(n) / (u64)(d))
#define div_s64(n, d) ((s64)(n) / (int32_t)(d))
#define do_div(n, d) ({ u32 rest_ = (n) % (u32)(d); (n) /= (u32)(d); rest_; })
#define hweight32(n) ((unsigned int)__builtin_popcount(n))
#define ilog2(n) (63 - __builtin_clzll(n))
#define BIT(n) (1UL << (n))
#define BIT_ULL(n) (1ULL << (n))
#define GENMASK(high, low) ((~0UL << (low)) & (~0UL >> (63 - (high))))
#define __ffs(n) ((unsigned long)__builtin_ctzl(n))
#define is_power_of_2(n) ((n) != 0 && ((n) & ((n) - 1)) == 0)

#define sort(base, count, size, compare, swap) qsort(base, count, size, compare)

static inline u32 hash_64(u64 n, unsigned int bits)
{
	return n * 0x61c8864680b583ebULL >> (64 - bits);
}

static inline int fls(u32 n)
{
	return n ? 32 - __builtin_clz(n) : 0;
}

static inline u64 div_u64_rem(u64 n, u32 d, u32 *rem)
{
	*rem = n % d;
	return n / d;
}

static inline u64 div64_u64_rem(u64 n, u64 d, u64 *rem)
{
	*rem = n % d;
	return n / d;
}

static inline u64 mul_u64_u64_div_u64(u64 a, u64 b, u64 d)
{
	return (unsigned __int128)a * b / d;
}

/* Any generator will do. */
struct rnd_state {
	u64 state;
};

static inline u32 prandom_u32_state(struct rnd_state *rnd)
{
	rnd->state ^= rnd->state << 13;
	rnd->state ^= rnd->state >> 7;
	rnd->state ^= rnd->state << 17;
	return rnd->state >> 16;
}

static inline void prandom_seed_state(struct rnd_state *rnd, u64 seed)
{
	rnd->state = seed * 0x9e3779b97f4a7c15ULL + 0x61c8864680b583ebULL;
}

/* Rounded down. */
static inline u32 int_sqrt64(u64 n)
{
	u64 root = 0, bit;

	for (bit = 1ULL << 31; bit; bit >>= 1)
		if ((root + bit) * (root + bit) <= n)
			root += bit;
	return root;
}

/* What fits, and how much that is. */
static inline int vscnprintf(char *text, size_t size, const char *format, va_list args)
{
	int len = vsnprintf(text, size, format, args);

	return len < (int)size ? len : size ? (int)size - 1 : 0;
}

/* Of the programs. */
static inline void *zeroed(size_t count, size_t size)
{
	void *memory = calloc(count ?: 1, size);

	if (!memory)
		abort();
	return memory;
}

#endif
