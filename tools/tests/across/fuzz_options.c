/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * libFuzzer: any bytes as a text that options take: thresholds, a bench,
 * a pattern of names, when to colour. What is refused has a reason; what is taken is within its
 * limits.
 */
#include <stdlib.h>
#include <string.h>

#include "tools/base/colour.h"
#include "tools/bench/counters/event_names.h"
#include "tools/bench/input/thresholds.h"
#include "tools/run/run.h"
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

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static const struct run_bench bench = {.name = "idle", .pass = 2};
    enum colour_when when;
    char *text = malloc(size + 1);

    demand(text != NULL);
    memcpy(text, data, size);
    text[size] = '\0';
    try_thresholds(text);
    demand(!run_bench_is(&bench, text) || strncmp(text, "idle", 4) == 0);
    event_name_matches("MEM_INST_RETIRED:ALL_LOADS", text);
    colour_read(text, &when);
    free(text);
    return 0;
}
