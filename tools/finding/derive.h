/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * What only a whole run shows, for the rules of findings: the names are those of
 * kernel/run/derived.h.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "tools/run/run.h"

#define DERIVED_TEXT_MAX 160

/* Benches with more records in their traces are not looked at: findings stay fast. */
#define WAITS_RECORDS_MAX 300000
#define WAITS_BUSY_NS     5000000

/* What input events of a run show of waiting: applications that keep the processor while they wait
 * for the next input (Endo et al. 1996, section 4, of Windows 95), and events that cost more with
 * cold caches. */
struct waits {
    /* The bench in which most ticks were so lost; NULL: none. An event counts if its service was
     * all busy, took at least WAITS_BUSY_NS, and ended within a twentieth of that behind the
     * arrival of the next input. */
    const char *busy_bench;
    size_t busy_events;
    uint64_t busy_median; /* ticks of such an event */
    /* The bench and kind of event whose median service grows most by cold caches; NULL: none. */
    const char *cold_bench;
    const char *cold_kind;
    uint64_t cold_median, warm_median; /* ticks */
};

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
