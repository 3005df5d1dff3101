/* SPDX-License-Identifier: GPL-2.0 */
/* As much of the kernel as the module's geometry.c needs, for user space. */
#ifndef TESTS_MDADM_KERNEL_H
#define TESTS_MDADM_KERNEL_H

#include <errno.h>
#include <stdbool.h>
#include <stdint.h>
#include <string.h>
#include <strings.h>

typedef uint8_t u8;
typedef uint16_t u16;
typedef uint32_t u32;
typedef uint64_t u64;

#define BIT_ULL(n) (1ULL << (n))
#define EXPORT_SYMBOL_IF_KUNIT(symbol)
#define VISIBLE_IF_KUNIT static
#define ARRAY_SIZE(a) (sizeof(a) / sizeof((a)[0]))
#define DIV_ROUND_UP(n, d) (((n) + (d) - 1) / (d))
#define DIV_ROUND_UP_ULL(n, d) DIV_ROUND_UP((u64)(n), (d))
#define DIV64_U64_ROUND_UP(n, d) DIV_ROUND_UP((u64)(n), (u64)(d))

#define div_u64(n, d) ((u64)(n) / (u32)(d))
#define hweight32(n) ((unsigned int)__builtin_popcount(n))
#define ilog2(n) (63 - __builtin_clzll(n))
#define BIT(n) (1UL << (n))
#define BIT_ULL(n) (1ULL << (n))
#define is_power_of_2(n) ((n) != 0 && ((n) & ((n) - 1)) == 0)

static inline int fls(u32 n)
{
	return n ? 32 - __builtin_clz(n) : 0;
}

static inline u64 div_u64_rem(u64 n, u32 d, u32 *rem)
{
	*rem = n % d;
	return n / d;
}

#endif
