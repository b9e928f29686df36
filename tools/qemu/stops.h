/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Notes where QEMU stopped the machine: its events STOP and SUSPEND (qapi/run-state.json), and the
 * bench that ran then. Another monitor, a full disk of the host or a migration may cause a stop.
 *
 * In real time the host's clock goes on, or the guest's clocks stop while those of its devices do
 * not: no sample of that bench can be believed. In exact time the guest's clock counts its
 * instructions and stops as well: nothing changes, and the machine is not watched.
 *
 * An event has the time at which it came, to 1 us. A record is read up to STOPS_LAG_MS after the
 * image sent it. A bench whose start or end was read that close to the event may have been running,
 * and is named; so no bench that was running is left out.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "kernel/link/record.h"
#include "tools/base/progress.h"
#include "tools/wire/decoder.h"

#define STOPS_LAG_MS    200
#define STOPS_BENCH_MAX 80
#define STOPS_MAX       16 /* texts; further stops are not noted */

struct stops {
    char running[STOPS_BENCH_MAX]; /* running bench; "": between benches */
    char ended[STOPS_BENCH_MAX];   /* bench that ended last */
    uint64_t ended_us;             /* when the end of that bench was read */
    bool began;                    /* a bench has begun */
    bool over;                     /* the run is over */
    bool stopped;
    bool named;        /* a bench was named for the last event */
    uint64_t event_us; /* time of the last event; 0: none came */
    char event[16];    /* name of the last event */
    char texts[STOPS_MAX][STOPS_BENCH_MAX + 32];
    unsigned count;
};

/* Takes a record. `now_us` is the time on the clock of the events, in microseconds since 1970. */
void stops_on_record(struct stops *stops, const struct record *record, uint64_t now_us);

/* Takes an event that QEMU sent at `at_us`. Ignores events that stop nothing, and all after the
 * run's END. Returns whether it stopped the machine. */
bool stops_on_event(struct stops *stops, const char *event, uint64_t at_us);

/* Call when the run is over: notes each stop for the run that the decoder will make. */
void stops_note(struct stops *stops, struct decoder *decoder);
