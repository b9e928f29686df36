/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * What input events of a run show of waiting: applications that keep the processor while they wait
 * for the next input (Endo et al. 1996, section 4, of Windows 95), and events that cost more with
 * cold caches.
 */
#pragma once

#include <stddef.h>
#include <stdint.h>

#include "tools/run/run.h"

/* Benches with more records in their traces are not looked at: findings stay fast. */
#define WAITS_RECORDS_MAX 300000

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

#define WAITS_BUSY_NS 5000000

void waits_of(const struct run *run, struct waits *waits);
