/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * libFuzzer: any bytes as a text that options take: thresholds, the points of a sweep, a bench,
 * a pattern of names, when to colour. What is refused has a reason; what is taken is within its
 * limits.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "tools/base/colour.h"
#include "tools/bench/counters/event_names.h"
#include "tools/bench/input/thresholds.h"
#include "tools/run/run.h"
#include "tools/sim/results/sweep.h"
#include "tools/tests/support/demand.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void try_thresholds(const char *text)
{
    char error[THRESHOLDS_ERROR_MAX] = "";
    struct threshold_set set;
    double ms[THRESHOLDS_MAX];
    size_t count = 0;

    if (thresholds_read(text, ms, &count, error)) {
        demand(count <= THRESHOLDS_MAX);
        for (size_t i = 0; i < count; i++) {
            demand(ms[i] >= 0 && ms[i] <= THRESHOLD_MS_MAX);
        }
    } else {
        demand(error[0] != '\0');
    }
    error[0] = '\0';
    thresholds_init(&set);
    if (thresholds_read_set(text, &set, error)) {
        for (unsigned kind = 0; kind < INPUT_KINDS; kind++) {
            demand(thresholds_of(&set, kind, "") >= 0 &&
                   thresholds_of(&set, kind, "") <= THRESHOLD_MS_MAX);
        }
        demand(set.class_count <= THRESHOLDS_MAX);
    } else {
        demand(error[0] != '\0');
    }
}

static void try_sweep(const char *text)
{
    char error[SIM_LAW_ERROR_MAX] = "";
    struct sim_sweep sweep;

    if (!sim_sweep_read(&sweep, text, error)) {
        demand(error[0] != '\0');
        return;
    }
    demand(sweep.points > 0 && sweep.points <= SIM_SWEEP_POINTS_MAX);
    for (size_t i = 1; i <= sweep.points; i += i < 4 ? 1 : sweep.points / 4 + 1) {
        demand(fabs(sim_sweep_setting(&sweep, i)) <= SIM_SWEEP_VALUE_MAX * (1 + 1e-9));
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static const struct run_bench bench = {.name = "idle", .pass = 2};
    enum colour_when when;
    char *text = malloc(size + 1);

    demand(text != NULL);
    memcpy(text, data, size);
    text[size] = '\0';
    try_thresholds(text);
    try_sweep(text);
    demand(!run_bench_is(&bench, text) || strncmp(text, "idle", 4) == 0);
    event_name_matches("MEM_INST_RETIRED:ALL_LOADS", text);
    colour_read(text, &when);
    free(text);
    return 0;
}
