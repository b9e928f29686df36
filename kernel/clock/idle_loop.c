/* SPDX-License-Identifier: BSD-2-Clause */
#include "kernel/clock/idle_loop.h"

#include "kernel/pmu/reader.h"

#define TRIES             9
#define ROUNDS_MAX        40
#define FIRST_ITERATIONS  1000
#define TOLERANCE_PERCENT 5

/* These two loops are in idle_loop_run.S. */
void idle_loop_stamped(int64_t *stamps, size_t count, uint64_t inner);
void idle_loop_counted(int64_t *rows, size_t count, uint64_t inner, size_t row_bytes,
                       void (*reader)(int64_t *row));

void idle_loop_run(int64_t *rows, size_t count, uint64_t inner)
{
    const size_t words = reader_row_words();

    if (words == 1) {
        idle_loop_stamped(rows, count, inner);
    } else {
        idle_loop_counted(rows, count, inner, words * sizeof(rows[0]), reader_chosen);
    }
}

/* Returns the shortest of several samples, because a disturbance can only make a sample longer. */
static uint64_t shortest_sample(uint64_t inner)
{
    int64_t rows[(TRIES + 1) * READER_ROW_MAX];
    const size_t words = reader_row_words();
    uint64_t shortest = UINT64_MAX;

    idle_loop_run(rows, TRIES, inner);
    for (size_t i = 0; i < TRIES; i++) {
        const uint64_t length = (uint64_t)(rows[(i + 1) * words] - rows[i * words]);

        shortest = length < shortest ? length : shortest;
    }
    return shortest;
}

static bool is_near(uint64_t ticks, uint64_t target)
{
    const uint64_t tolerance = target * TOLERANCE_PERCENT / 100;

    return ticks + tolerance >= target && ticks <= target + tolerance;
}

/* Returns the cost of an iteration in millionths of a tick: n iterations minus half of them, so
 * that the cost of the loop's start, the fence and the timestamp cancels out. Returns 0 if it
 * cannot be determined. */
static uint64_t iteration_cost(uint64_t inner)
{
    const uint64_t whole = shortest_sample(inner);
    const uint64_t half = shortest_sample(inner / 2);

    return whole > half ? (scale_u64(whole - half, 2 * IDLE_LOOP_MICRO, inner - inner / 2) + 1) / 2
                        : 0;
}

bool idle_loop_calibrate(uint64_t target_ticks, struct idle_calibration *calibration)
{
    uint64_t inner = FIRST_ITERATIONS;
    uint64_t cost = 0;

    /* Double the iterations first, up to an eighth of the target, because the noise of short
     * samples would be scaled up. */
    while (shortest_sample(inner) < target_ticks / 8 && inner < UINT64_MAX / 4) {
        inner *= 2;
    }
    *calibration = (struct idle_calibration){0};
    for (int round = 0; round < ROUNDS_MAX; round++) {
        cost = iteration_cost(inner);
        if (cost == 0) {
            continue;
        }
        inner = scale_u64(target_ticks, IDLE_LOOP_MICRO, cost);
        if (inner < 2) {
            return false;
        }
        calibration->inner = inner;
        calibration->iteration_microtick = cost;
        calibration->sample_ticks = shortest_sample(inner);
        if (is_near(calibration->sample_ticks, target_ticks)) {
            return true;
        }
    }
    return false;
}
