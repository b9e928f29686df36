/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Chains of pointers through memory, a pointer a place, and curves of what a hop along them costs.
 */
#pragma once

#include "kernel/run/bench.h"

#define LINE_BYTES 64 /* of every x86-64 processor so far */

/* Place i is in step i of the memory from `base` on: at its begin, or, with a slip, at a line of it
 * that spreads places over the sets of the caches. */
struct chain {
    char *base;
    uint64_t step; /* a power of two, at least 64 */
    uint64_t slip; /* 0 or CHAIN_SLIP */
};

/* A line, and in large pages a page of 4 KiB, as what a hypervisor maps may be no larger. */
#define CHAIN_SLIP (4096 + LINE_BYTES)

/* Where place i is, from the base on. Low bits of the address select a cache's set: by those of
 * the line in its page and by those of the page. Were place i always in line i of 64 of its page,
 * the first would follow from the second, and a cache of 1024 sets would use 64. So each time that
 * the lines of a page have had their turn, the next one begins a line further on. */
static inline uint64_t chain_offset(const struct chain *chain, uint64_t i)
{
    const uint64_t turn = i * LINE_BYTES >> __builtin_ctzll(chain->step);

    return i * chain->step + ((i + turn) * chain->slip & (chain->step - 1));
}

/* Each links places 0 to count - 1 (count at least 1) to one ring that has every place once. */

/* Column by column: i is followed by i + jump, as long as there is one, and that by the next
 * column. With a jump of 1 one place after the other. */
void chain_by_columns(const struct chain *chain, uint64_t count, uint64_t jump);

/* All rings are as likely (Sattolo 1986, from inside out: place i is put behind one of those before
 * it). Begins with `linked` places that are such a ring already; 0: with none. `random` is the
 * state of the generator. */
void chain_at_random(const struct chain *chain, uint64_t linked, uint64_t count, uint64_t *random);

#define CHAIN_SEED 0x9e3779b97f4a7c15ull

/* Ticks of the shortest of some rounds along a ring of so many lines from `base` on, in random
 * order, which it makes: where the memory is cached and they are few, all of them in L1. */
uint64_t chain_shortest_round(void *base, uint64_t lines);

/* A curve as the host reads it: series NAME.x, NAME.n, NAME and NAME.twice. */
#define CHAIN_NAME_MAX 32

/* Sizes of pages as words of a parameter, in the order of enum window_page. */
#define CHAIN_PAGES PAGE_NAME_4K "," PAGE_NAME_2M "," PAGE_NAME_1G

struct chain_curve {
    char name[CHAIN_NAME_MAX];
    const char *unit; /* of x */
    size_t points;    /* that were measured */
    size_t trials;
    int64_t *x;
    int64_t *n;
    int64_t *once;
    int64_t *twice;
};

/* Memory for at most `points`. False: none. The name is copied, the unit is not. */
bool chain_curve_create(struct chain_curve *curve, const char *name, const char *unit,
                        size_t points, size_t trials);

/* How a point is measured: after `warm` hops, which bring the ring into the caches and the TLB. */
struct chain_hops {
    uint64_t warm;
    uint64_t timed;  /* of once; twice has twice as many */
    uint64_t places; /* that the ring must have: it is gone round once and counted; 0: it is not */
};

/* Adds the point x: hops along the ring of `chain`, each trial from where the last ended. */
void chain_curve_measure(struct chain_curve *curve, int64_t x, const struct chain *chain,
                         const struct chain_hops *hops);

/* The verdict of a bench that measured curves: BENCH_OK where each ring had the places that it
 * must have, BENCH_FAIL where one had not; and the next bench begins without a fault. */
enum bench_state chain_judge(struct bench_run *run);

void chain_curve_publish(const struct bench_run *run, const struct chain_curve *curve);

/* What is measured on a machine whose memory costs what it costs, and where it does not. */
uint64_t chain_default(uint64_t planned, uint64_t with_caches, uint64_t without);
