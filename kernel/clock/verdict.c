/* SPDX-License-Identifier: BSD-2-Clause */
#include "kernel/clock/verdict.h"

#include <string.h>

#include "kernel/clock/names.h"
#include "kernel/cpu/scale.h"

#define PPM         1000000
#define PPB_PER_PPM 1000

uint64_t rate_difference_ppm(uint64_t a, uint64_t b)
{
    const uint64_t smaller = a < b ? a : b;
    const uint64_t difference = a > b ? a - b : b - a;

    if (smaller == 0 || difference > UINT64_MAX / PPM - smaller) {
        return UINT64_MAX;
    }
    return (difference * PPM + smaller - 1) / smaller;
}

static bool is_measured(const struct rate_estimate *estimate)
{
    return estimate->hz != 0 && estimate->error_ppb != 0;
}

/* Returns whether two estimates agree and one of them is measured. Two statements are never enough,
 * because they come from one hand: a hypervisor emulates CPUID and makes all other statements, and
 * without a hypervisor all of them are the processor's. */
static bool is_supported(const struct rate_estimate *a, const struct rate_estimate *b)
{
    return a->hz != 0 && b->hz != 0 && (is_measured(a) || is_measured(b)) &&
           rate_difference_ppm(a->hz, b->hz) <= VERDICT_TOLERANCE_PPM;
}

/* Returns the number of measured estimates, and sets *only to the last of them. */
static size_t count_measured(const struct rate_estimate *estimates, size_t count, size_t *only)
{
    size_t measured = 0;

    for (size_t i = 0; i < count; i++) {
        if (is_measured(&estimates[i])) {
            *only = i;
            measured++;
        }
    }
    return measured;
}

static struct rate_verdict accept_only(const struct rate_estimate *estimates, size_t only,
                                       uint64_t bound_ppb)
{
    return (struct rate_verdict){.ok = true,
                                 .hz = estimates[only].hz,
                                 .chosen = only,
                                 .second = only,
                                 .bound_ppb = bound_ppb,
                                 .reason = ""};
}

struct rate_verdict rate_judge(const struct rate_estimate *estimates, size_t count)
{
    size_t only = 0;
    const size_t measured = count_measured(estimates, count, &only);

    for (size_t i = 0; i < count; i++) {
        for (size_t k = 0; k < count; k++) {
            if (k != i && is_supported(&estimates[i], &estimates[k])) {
                return (struct rate_verdict){
                    .ok = true, .hz = estimates[i].hz, .chosen = i, .second = k, .reason = ""};
            }
        }
    }
    if (measured == 1 && strcmp(estimates[only].reference, CLOCK_PM_TIMER) == 0) {
        return accept_only(estimates, only,
                           estimates[only].error_ppb + VERDICT_PM_TIMER_PPM * PPB_PER_PPM);
    }
    const bool alone = measured < 2;
    const uint64_t first = count == 0 ? 0 : estimates[0].hz;

    return (struct rate_verdict){
        .alone = alone,
        .hz = first,
        .reason = alone ? VERDICT_ALONE : "no two references agree within 1000 ppm",
    };
}

struct rate_verdict rate_judge_exact(const struct rate_estimate *estimates, size_t count)
{
    const struct rate_verdict verdict = rate_judge(estimates, count);
    size_t only = 0;

    if ((!verdict.ok || verdict.bound_ppb != 0) && count_measured(estimates, count, &only) == 1) {
        return accept_only(estimates, only, 0);
    }
    return verdict;
}

struct rate_bounds invariant_around(uint64_t hz)
{
    const uint64_t allowed = scale_u64(hz, INVARIANT_PPM, PPM) + 1;

    return (struct rate_bounds){hz > allowed ? hz - allowed : 0, hz + allowed};
}

/* Calculates how many counts the clock makes at the known rate: at least and at most. Returns false
 * if they are too many. */
static bool predict(const struct counted_clock *clock, uint64_t shortest, uint64_t longest,
                    const struct rate_bounds *known, uint64_t *least, uint64_t *most)
{
    const uint64_t down = scale_u64(shortest, clock->hz, known->high_hz);
    const uint64_t up = scale_u64(longest, clock->hz, known->low_hz);

    *least = down > clock->step ? down - clock->step : 0;
    *most = up + 1 + clock->step;
    return up < UINT64_MAX / 2;
}

/* Returns the number of counts that the difference stands for: of all numbers that differ from it
 * by whole wraps of the clock, the nearest to `middle`. A wrap is a power of two. */
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
