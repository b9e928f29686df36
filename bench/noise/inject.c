/* SPDX-License-Identifier: BSD-2-Clause */
#include "bench/noise/inject.h"

#include "kernel/clock/idle_loop.h"
#include "kernel/cpu/scale.h"
#include "kernel/plan/draw.h"

/* The watch is divided into one slot for each gap. A gap begins in the first of the slot's
 * SLOT_PARTS parts and is at most two parts long. */
#define SLOT_PARTS 4

static uint64_t slot_of(const struct inject_plan *plan)
{
    return plan->ticks / (plan->world + plan->local + 1);
}

bool inject_fits(const struct inject_plan *plan)
{
    return plan->longest >= plan->shortest && plan->longest <= slot_of(plan) / SLOT_PARTS * 2;
}

static struct gap_injection injection_of(const struct inject_plan *plan, uint64_t time,
                                         uint64_t length, bool world)
{
    const bool pauses = !world && plan->pause_ticks != 0;
    const uint64_t iterations = pauses
                                    ? length / plan->pause_ticks
                                    : scale_u64(length, IDLE_LOOP_MICRO, plan->iteration_microtick);

    return (struct gap_injection){
        .time = time, .iterations = iterations > 0 ? iterations : 1, .world = world};
}

void inject_draw(const struct inject_plan *plan, struct gap_injection *const *lists, size_t *counts)
{
    const uint64_t slot = slot_of(plan);
    uint64_t world = plan->world;
    struct draw_random random;

    if (plan->processors == 0) {
        return;
    }
    draw_seed(&random, plan->seed, 0);
    for (size_t i = 0; i < plan->processors; i++) {
        counts[i] = 0;
    }
    for (uint64_t left = plan->world + plan->local, at = slot; left > 0; left--, at += slot) {
        const bool is_world = draw_next(&random) % left < world;
        const size_t on = draw_next(&random) % plan->processors;
        const uint64_t time = at + draw_next(&random) % (slot / SLOT_PARTS + 1);
        const uint64_t length =
            plan->shortest + draw_next(&random) % (plan->longest - plan->shortest + 1);

        world -= is_world ? 1 : 0;
        for (size_t i = 0; i < plan->processors; i++) {
            if (i == on || (is_world && plan->everywhere)) {
                lists[i][counts[i]++] = injection_of(plan, time, length, is_world);
            }
        }
    }
}
