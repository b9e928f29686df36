/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Chains of pointers through memory, one pointer per place, and curves of what a hop along them
 * costs.
 */
#pragma once

#include "kernel/run/bench.h"

#define LINE_BYTES 64 /* same on every x86-64 processor so far */

/* Place i lies in step i of the memory that starts at `base`: at the start of the step or, with a
 * slip, at a line of it chosen so that places spread over the sets of the caches. */
struct chain {
    char *base;
    uint64_t step; /* a power of two, at least 64 */
    uint64_t slip; /* 0 or CHAIN_SLIP */
};

/* One line more than a page of 4 KiB: also within large pages, places move to other 4-KiB pages,
 * because a hypervisor may map no larger ones. */
#define CHAIN_SLIP (4096 + LINE_BYTES)

/* Returns the offset of place i from the base. Two groups of address bits select a cache's set:
 * those of the line within its page, and those of the page. If place i were always in line i modulo
 * 64 of its page, the line bits would follow from the page bits, and a cache of 1024 sets would use
 * only 64 sets. So each time all lines of a page have been used once, the next round starts one
 * line further. */
static inline uint64_t chain_offset(const struct chain *chain, uint64_t i)
{
    const uint64_t turn = i * LINE_BYTES >> __builtin_ctzll(chain->step);

    return i * chain->step + ((i + turn) * chain->slip & (chain->step - 1));
}

/* The next two functions link places 0 to count - 1 (count at least 1) to one ring that visits
 * every place once. */

/* Links column by column: i is followed by i + jump while there is one, then by the next column.
 * With a jump of 1, links the places in order. */
void chain_by_columns(const struct chain *chain, uint64_t count, uint64_t jump);

/* Links a random ring; all rings are equally likely (Sattolo 1986, inside out: place i is inserted
 * after a random earlier place). Starts from `linked` places that form such a ring already, or from
 * none if 0. `random` is the state of the generator. */
void chain_at_random(const struct chain *chain, uint64_t linked, uint64_t count, uint64_t *random);

#define CHAIN_SEED 0x9e3779b97f4a7c15ull

/* Links `lines` lines from `base` on to a ring in random order and returns the ticks of the
 * shortest of several rounds. If the memory is cached and the lines are few, all loads hit L1. */
uint64_t chain_shortest_round(void *base, uint64_t lines);

/* a curve as the host reads it: series NAME.x, NAME.n, NAME and NAME.twice */
#define CHAIN_NAME_MAX 32

/* sizes of pages as words of a parameter, in the order of enum window_page */
#define CHAIN_PAGES PAGE_NAME_4K "," PAGE_NAME_2M "," PAGE_NAME_1G

struct chain_curve {
    char name[CHAIN_NAME_MAX];
    const char *unit; /* unit of x */
    size_t points;    /* points measured so far */
    size_t trials;
    int64_t *x;
    int64_t *n;
    int64_t *once;
    int64_t *twice;
};

/* Allocates memory for at most `points` points. Returns false if there is none. Copies the name but
 * keeps the pointer `unit`. */
bool chain_curve_create(struct chain_curve *curve, const char *name, const char *unit,
                        size_t points, size_t trials);

/* How a point is measured: after `warm` hops, which bring the ring into the caches and the TLB. */
struct chain_hops {
    uint64_t warm;
    uint64_t timed;  /* hops of a trial; a trial of `twice` has twice as many */
    uint64_t places; /* expected length of the ring, checked by going round once; 0: not checked */
};

/* Adds the point x: hops along the ring of `chain`; each trial continues where the last one ended.
 */
void chain_curve_measure(struct chain_curve *curve, int64_t x, const struct chain *chain,
                         const struct chain_hops *hops);

/* Returns the verdict of a bench that measured curves: BENCH_OK if each ring had the expected
 * length, otherwise BENCH_FAIL. Resets the check for the next bench. */
enum bench_state chain_judge(struct bench_run *run);

void chain_curve_publish(const struct bench_run *run, const struct chain_curve *curve);

/* Returns `planned` if it is not 0, otherwise `with_caches` or, in exact mode where memory accesses
 * cost nothing extra, `without`. */
uint64_t chain_default(uint64_t planned, uint64_t with_caches, uint64_t without);
