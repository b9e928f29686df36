/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Derives, for the rules of findings, what only a whole run shows. The names are those of
 * kernel/run/derived.h.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "bench/system/host/view_system.h"
#include "tools/run/run.h"

#define DERIVED_TEXT_MAX 160

/* Benches with more trace records than this are skipped, so that findings stay fast. */
#define WAITS_RECORDS_MAX 300000
#define WAITS_BUSY_NS     5000000

/* What input events show about waiting: applications that keep the processor busy while they wait
 * for the next input (Endo et al. 1996, section 4, about Windows 95), and events that take longer
 * with cold caches. */
struct waits {
    /* Bench that lost most ticks to busy waiting; NULL: none. An event counts if the
     * processor was busy during all of its service, the service took at least WAITS_BUSY_NS, and it
     * ended at most a twentieth of the service's length after the next input arrived. */
    const char *busy_bench;
    size_t busy_events;
    uint64_t busy_median; /* in ticks, of such an event */
    /* Bench and kind of event whose median service grows most with cold caches; NULL: none. */
    const char *cold_bench;
    const char *cold_kind;
    uint64_t cold_median, warm_median; /* in ticks */
};

struct derived {
    int64_t lost, drift_ppm, invalid;
    int64_t counters, counters_bad;
    int64_t uncounted, unused;
    int64_t gap_class;
    int64_t stopped_ns;
    int64_t busy_ns, cold_ns, warm_ns;
    int64_t traps;
    char traps_why[EXIT_TEXT_MAX];
    struct waits waits;
    char lost_why[DERIVED_TEXT_MAX];
    char drift_why[DERIVED_TEXT_MAX];
    char counter_why[DERIVED_TEXT_MAX];
    char uncounted_why[DERIVED_TEXT_MAX];
    char unused_why[DERIVED_TEXT_MAX];
    char stopped_series[DERIVED_TEXT_MAX];
    const char *invalid_why; /* NULL: none */
};

/* Derives the values. `reasons` are those of run_valid(). */
void derive(const struct run *run, const struct run_texts *reasons, struct derived *derived);

/* Returns false if the run does not show the value. */
bool derived_value(const struct derived *derived, const char *name, int64_t *value);
/* Returns NULL if there is no such text. */
const char *derived_text(const struct derived *derived, const char *name);
