/* SPDX-License-Identifier: BSD-2-Clause */
#include "kernel/clock/verdict.h"

#define PPM 1000000

uint64_t rate_difference_ppm(uint64_t a, uint64_t b)
{
    const uint64_t smaller = a < b ? a : b;
    const uint64_t difference = a > b ? a - b : b - a;

    if (smaller == 0 || difference > UINT64_MAX / PPM - smaller) {
        return UINT64_MAX;
    }
    return (difference * PPM + smaller - 1) / smaller;
}

struct rate_verdict rate_judge(const struct rate_estimate *estimates, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        for (size_t k = 0; k < count; k++) {
            if (k != i && estimates[i].hz != 0 && estimates[k].hz != 0 &&
                rate_difference_ppm(estimates[k].hz, estimates[i].hz) <= VERDICT_TOLERANCE_PPM) {
                return (struct rate_verdict){
                    .ok = true, .hz = estimates[i].hz, .chosen = i, .second = k, .reason = ""};
            }
        }
    }
    return (struct rate_verdict){
        .hz = count > 0 ? estimates[0].hz : 0,
        .reason =
            count < 2 ? "fewer than two references" : "no two references agree within 1000 ppm",
    };
}
