/* SPDX-License-Identifier: BSD-2-Clause */
#include "bench/system/host/footprints.h"

#include <string.h>

#include "bench/system/names.h"

static const char *const footprint_names[FOOTPRINTS] = {
    CURVE_FOOTPRINT_ALONE, CURVE_FOOTPRINT_THREAD, CURVE_FOOTPRINT_PROCESS,
    CURVE_FOOTPRINT_PROCESS_PCID};

/* Only curves of the same points can be compared. */
static bool same_points(const struct curve *left, const struct curve *right)
{
    if (left->points != right->points) {
        return false;
    }
    for (size_t i = 0; i < left->points; i++) {
        if (left->x[i] != right->x[i]) {
            return false;
        }
    }
    return true;
}

bool footprints_read(const struct run_bench *bench, struct footprints *footprints)
{
    memset(footprints, 0, sizeof(*footprints));
    for (enum footprint i = 0; i < FOOTPRINTS; i++) {
        footprints->there[i] = curve_read(bench, footprint_names[i], &footprints->curve[i]);
        if (footprints->there[i] &&
            !same_points(&footprints->curve[FOOTPRINT_ALONE], &footprints->curve[i])) {
            curve_free(&footprints->curve[i]);
            footprints->there[i] = false;
        }
    }
    return footprints->there[FOOTPRINT_ALONE];
}

double footprints_refill(const struct footprints *footprints, enum footprint of, size_t point)
{
    const struct curve *alone = &footprints->curve[FOOTPRINT_ALONE];
    const struct curve *curve = &footprints->curve[of];

    return curve_median(curve, point) - curve_median(curve, 0) -
           (curve_median(alone, point) - curve_median(alone, 0));
}

void footprints_free(struct footprints *footprints)
{
    for (enum footprint i = 0; i < FOOTPRINTS; i++) {
        curve_free(&footprints->curve[i]);
    }
}
