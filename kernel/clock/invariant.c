/* SPDX-License-Identifier: BSD-2-Clause */
#include "kernel/clock/invariant.h"

#include "kernel/cpu/scale.h"

#define PPM 1000000u

struct rate_bounds invariant_around(uint64_t hz)
{
    const uint64_t allowed = scale_u64(hz, INVARIANT_PPM, PPM) + 1;

    return (struct rate_bounds){hz > allowed ? hz - allowed : 0, hz + allowed};
}

/* How many counts the clock makes at the known rate: the least, and the most. */
static bool predict(const struct counted_clock *clock, uint64_t shortest, uint64_t longest,
                    const struct rate_bounds *known, uint64_t *least, uint64_t *most)
{
    const uint64_t down = scale_u64(shortest, clock->hz, known->high_hz);
    const uint64_t up = scale_u64(longest, clock->hz, known->low_hz);

    *least = down > clock->step ? down - clock->step : 0;
    *most = up + 1 + clock->step;
    return up < UINT64_MAX / 2;
}

/* The number of counts that the difference stands for: of those that differ by whole turns of the
 * clock, the nearest to `middle`. A turn is a power of two. */
static uint64_t unwrap(const struct counted_clock *clock, uint64_t difference, uint64_t middle)
{
    const uint64_t beyond = (middle - difference) & clock->mask;

    if (beyond > middle) {
        return difference;
    }
    return beyond > clock->mask / 2 ? middle - beyond + clock->mask + 1 : middle - beyond;
}

enum invariant_answer invariant_judge(const struct counted_clock *clock,
                                      const struct clock_reading *from,
                                      const struct clock_reading *to,
                                      const struct rate_bounds *known, struct rate_bounds *seen)
{
    uint64_t least;
    uint64_t most;

    if (to->before <= from->after || from->after < from->before || to->after < to->before) {
        return INVARIANT_BACK;
    }
    const uint64_t shortest = to->before - from->after;
    const uint64_t longest = to->after - from->before;

    if (known->low_hz == 0 || !predict(clock, shortest, longest, known, &least, &most) ||
        most - least >= clock->mask / 2) {
        return INVARIANT_UNKNOWN;
    }
    const uint64_t difference = (to->count - from->count) & clock->mask;
    const uint64_t counts = unwrap(clock, difference, least + (most - least) / 2);

    if (counts == 0 && least > 0) {
        return INVARIANT_STANDS;
    }
    seen->low_hz = scale_u64(shortest, clock->hz, counts + clock->step);
    seen->high_hz =
        counts > clock->step ? scale_u64(longest, clock->hz, counts - clock->step) + 1 : UINT64_MAX;
    return seen->low_hz <= known->high_hz && known->low_hz <= seen->high_hz ? INVARIANT_HOLDS
                                                                            : INVARIANT_CHANGED;
}

struct rate_bounds invariant_narrow(const struct rate_bounds *a, const struct rate_bounds *b)
{
    return (struct rate_bounds){
        .low_hz = a->low_hz > b->low_hz ? a->low_hz : b->low_hz,
        .high_hz = a->high_hz < b->high_hz ? a->high_hz : b->high_hz,
    };
}
