/* SPDX-License-Identifier: BSD-2-Clause */
#include "bench/memory/chain.h"

#include <stdio.h>
#include <string.h>

#include "bench/memory/kernels.h"
#include "kernel/run/names.h"

#define ROUNDS      9
#define CHECKED_MAX (1 << 20) /* longest ring whose places are counted; takes 0.1 s */

/* ---- rings ---- */

static void **place(const struct chain *chain, uint64_t i)
{
    return (void **)(void *)(chain->base + chain_offset(chain, i));
}

void chain_by_columns(const struct chain *chain, uint64_t count, uint64_t jump)
{
    void **last = place(chain, 0);

    for (uint64_t column = 0; column < jump && column < count; column++) {
        for (uint64_t i = column; i < count; i += jump) {
            *last = place(chain, i);
            last = *last;
        }
    }
    *last = place(chain, 0);
}

void chain_at_random(const struct chain *chain, uint64_t linked, uint64_t count, uint64_t *random)
{
    if (linked == 0) {
        *place(chain, 0) = place(chain, 0);
        linked = 1;
    }
    for (uint64_t i = linked; i < count; i++) {
        *random = *random * 6364136223846793005ull + 1442695040888963407ull;
        void **before = place(chain, (*random >> 33) % i);
        void **at = place(chain, i);

        *at = *before;
        *before = at;
    }
}

uint64_t chain_shortest_round(void *base, uint64_t lines)
{
    const struct chain chain = {base, LINE_BYTES, 0};
    uint64_t random = CHAIN_SEED;
    uint64_t shortest = UINT64_MAX;
    void *at = base;

    chain_at_random(&chain, 0, lines, &random);
    for (int i = 0; i < ROUNDS; i++) {
        const uint64_t ticks = memory_chase(&at, lines);

        shortest = ticks < shortest ? ticks : shortest;
    }
    return shortest;
}

/* ---- curves ---- */

bool chain_curve_create(struct chain_curve *curve, const char *name, const char *unit,
                        size_t points, size_t trials)
{
    *curve = (struct chain_curve){
        .unit = unit,
        .trials = trials,
        .x = bench_samples(points),
        .n = bench_samples(points),
        .once = bench_samples(points * trials),
        .twice = bench_samples(points * trials),
    };
    snprintf(curve->name, sizeof(curve->name), "%s", name);
    return curve->x != NULL && curve->n != NULL && curve->once != NULL && curve->twice != NULL;
}

/* the first ring that was not complete; `found` is 0 if all were */
static struct {
    uint64_t found;
    uint64_t places;
} broken;

/* Returns the number of hops until the first place comes again, or `places` + 1 if it does not. */
static uint64_t ring_length(const struct chain *chain, uint64_t places)
{
    void *const first = place(chain, 0);
    void *at = *(void **)first;
    uint64_t length = 1;

    while (at != first && length <= places) {
        at = *(void **)at;
        length++;
    }
    return length;
}

static void check_ring(const struct chain *chain, uint64_t places)
{
    const uint64_t length = ring_length(chain, places);

    if (length != places && broken.found == 0) {
        broken.found = length;
        broken.places = places;
    }
}

enum bench_state chain_judge(struct bench_run *run)
{
    const uint64_t found = broken.found;

    broken.found = 0;
    return found == 0 ? bench_ok(run)
                      : bench_fail(run,
                                   "the ring of pointers should return to its start after %lu "
                                   "hops, but returned after %lu",
                                   broken.places, found);
}

void chain_curve_measure(struct chain_curve *curve, int64_t x, const struct chain *chain,
                         const struct chain_hops *hops)
{
    const size_t first = curve->points * curve->trials;
    void *at = place(chain, 0);

    if (hops->warm > 0) {
        memory_chase(&at, hops->warm);
    }
    for (size_t trial = first; trial < first + curve->trials; trial++) {
        curve->once[trial] = (int64_t)memory_chase(&at, hops->timed);
        curve->twice[trial] = (int64_t)memory_chase(&at, 2 * hops->timed);
    }
    if (hops->places > 0 && hops->places <= CHECKED_MAX) {
        check_ring(chain, hops->places);
    }
    curve->x[curve->points] = x;
    curve->n[curve->points] = (int64_t)hops->timed;
    curve->points++;
}

static void publish_part(const struct bench_run *run, const struct chain_curve *curve,
                         const char *suffix, const char *unit, const int64_t *samples, size_t count)
{
    char name[CHAIN_NAME_MAX + 8];

    snprintf(name, sizeof(name), "%s%s", curve->name, suffix);
    bench_publish(run, name, unit, samples, count);
}

void chain_curve_publish(const struct bench_run *run, const struct chain_curve *curve)
{
    const size_t trials = curve->points * curve->trials;

    publish_part(run, curve, SUFFIX_X, curve->unit, curve->x, curve->points);
    publish_part(run, curve, SUFFIX_N, UNIT_COUNT, curve->n, curve->points);
    publish_part(run, curve, "", UNIT_TICK, curve->once, trials);
    publish_part(run, curve, SUFFIX_TWICE, UNIT_TICK, curve->twice, trials);
}

/* ---- parameters ---- */

uint64_t chain_default(uint64_t planned, uint64_t with_caches, uint64_t without)
{
    if (planned != 0) {
        return planned;
    }
    return bench_has_caches() ? with_caches : without;
}
