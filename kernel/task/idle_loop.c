/* SPDX-License-Identifier: BSD-2-Clause */
#include "kernel/task/idle_loop.h"

#include "kernel/cpu/scale.h"

#define TRIES             9
#define ROUNDS_MAX        40
#define FIRST_ITERATIONS  1000
#define MILLI             1000
#define TOLERANCE_PERCENT 5

/* The shortest of several samples: what disturbs one only makes it longer. */
static uint64_t shortest_sample(uint64_t inner)
{
    int64_t stamps[TRIES + 1];
    uint64_t shortest = UINT64_MAX;

    idle_loop_run(stamps, TRIES, inner);
    idle_loop_stamps_to_lengths(stamps, TRIES);
    for (int i = 0; i < TRIES; i++) {
        shortest = (uint64_t)stamps[i] < shortest ? (uint64_t)stamps[i] : shortest;
    }
    return shortest;
}

static bool is_near(uint64_t ticks, uint64_t target)
{
    const uint64_t tolerance = target * TOLERANCE_PERCENT / 100;

    return ticks + tolerance >= target && ticks <= target + tolerance;
}

/* Thousandths of a tick an iteration takes: n iterations minus half of them, so that the loop's
 * frame, the fence and the stamp cancel. */
static uint64_t iteration_cost(uint64_t inner)
{
    const uint64_t whole = shortest_sample(inner);
    const uint64_t half = shortest_sample(inner / 2);

    return whole > half ? scale_u64(whole - half, MILLI, inner - inner / 2) : 0;
}

bool idle_loop_calibrate(uint64_t target_ticks, struct idle_calibration *calibration)
{
    uint64_t inner = FIRST_ITERATIONS;
    uint64_t cost = 0;

    /* Doubling up to an eighth of the target first: the noise of short spans would be scaled up. */
    while (shortest_sample(inner) < target_ticks / 8 && inner < UINT64_MAX / 4) {
        inner *= 2;
    }
    *calibration = (struct idle_calibration){0};
    for (int round = 0; round < ROUNDS_MAX; round++) {
        cost = iteration_cost(inner);
        if (cost == 0) {
            continue;
        }
        inner = scale_u64(target_ticks, MILLI, cost);
        if (inner < 2) {
            return false;
        }
        calibration->inner = inner;
        calibration->iteration_millitick = cost;
        calibration->sample_ticks = shortest_sample(inner);
        if (is_near(calibration->sample_ticks, target_ticks)) {
            return true;
        }
    }
    return false;
}

void idle_loop_stamps_to_lengths(int64_t *stamps, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        stamps[i] = stamps[i + 1] - stamps[i];
    }
}
