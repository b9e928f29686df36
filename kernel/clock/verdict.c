/* SPDX-License-Identifier: BSD-2-Clause */
#include "kernel/clock/verdict.h"

#include <string.h>

#include "kernel/clock/names.h"

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

/* What is stated twice may be of one hand, as a hypervisor's leaf and the CPUID that it made up. */
static bool is_supported(const struct rate_estimate *a, const struct rate_estimate *b,
                         bool one_measured)
{
    return a->hz != 0 && b->hz != 0 && (!one_measured || is_measured(a) || is_measured(b)) &&
           rate_difference_ppm(a->hz, b->hz) <= VERDICT_TOLERANCE_PPM;
}

struct rate_verdict rate_judge(const struct rate_estimate *estimates, size_t count)
{
    bool one_measured = false;

    for (size_t i = 0; i < count; i++) {
        one_measured = one_measured || is_measured(&estimates[i]);
    }
    for (size_t i = 0; i < count; i++) {
        for (size_t k = 0; k < count; k++) {
            if (k != i && is_supported(&estimates[i], &estimates[k], one_measured)) {
                return (struct rate_verdict){
                    .ok = true, .hz = estimates[i].hz, .chosen = i, .second = k, .reason = ""};
            }
        }
    }
    if (count == 1 && is_measured(&estimates[0]) &&
        strcmp(estimates[0].reference, CLOCK_PM_TIMER) == 0) {
        return (struct rate_verdict){
            .ok = true,
            .hz = estimates[0].hz,
            .bound_ppb = estimates[0].error_ppb + VERDICT_PM_TIMER_PPM * PPB_PER_PPM,
            .reason = "",
        };
    }
    return (struct rate_verdict){
        .alone = count<2, .hz = count> 0 ? estimates[0].hz : 0,
        .reason = count < 2 ? VERDICT_ALONE : "no two references agree within 1000 ppm",
    };
}

struct rate_verdict rate_judge_exact(const struct rate_estimate *estimates, size_t count)
{
    struct rate_verdict verdict = rate_judge(estimates, count);

    if (count == 1 && is_measured(&estimates[0])) {
        verdict.ok = true;
        verdict.bound_ppb = 0;
        verdict.reason = "";
    }
    return verdict;
}
