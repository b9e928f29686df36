/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * What only a whole run shows, for the rules of findings: the names are those of
 * kernel/run/derived.h.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "tools/finding/waits.h"
#include "tools/run/run.h"

#define DERIVED_TEXT_MAX 160

struct derived {
    int64_t lost, drift_ppm, invalid;
    int64_t counters, counters_bad;
    int64_t gap_class;
    int64_t busy_ns, cold_ns, warm_ns;
    struct waits waits;
    char lost_why[DERIVED_TEXT_MAX];
    char drift_why[DERIVED_TEXT_MAX];
    char counter_why[DERIVED_TEXT_MAX];
    const char *invalid_why; /* NULL: none */
};

/* `reasons` are those of run_valid(). */
void derive(const struct run *run, const struct run_texts *reasons, struct derived *derived);

/* False: the run does not show it. */
bool derived_value(const struct derived *derived, const char *name, int64_t *value);
/* NULL: there is none. */
const char *derived_text(const struct derived *derived, const char *name);
