/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Where the machine stood still: QEMU's events STOP and SUSPEND (qapi/run-state.json), and the
 * bench that ran then. Another monitor, a full disk of the host or a migration may stop it.
 *
 * In real time a clock of the host goes on, or the guest's clocks stand while its devices' do not:
 * no sample of that bench can be believed. In exact time the guest's clock is the count of its
 * instructions, which stands as well: nothing changes, and the machine is not watched.
 *
 * An event has the time at which it came, to 1 us. A record is read up to STOPS_LAG_MS after the
 * image sent it: a bench whose begin or end is read so close to the event may have met it, and is
 * named. None that met it is left out.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "kernel/link/record.h"
#include "tools/base/progress.h"
#include "tools/wire/decoder.h"

#define STOPS_LAG_MS    200
#define STOPS_BENCH_MAX 80
#define STOPS_MAX       16 /* texts; further stops are no news */

struct stops {
    char running[STOPS_BENCH_MAX]; /* "": between benches */
    char ended[STOPS_BENCH_MAX];   /* the last one that ended */
    uint64_t ended_us;             /* when its end was read */
    bool began;                    /* a bench */
    bool over;                     /* the run */
    bool stopped;
    bool named;        /* a bench met the last event */
    uint64_t event_us; /* of the last event; 0: none came */
    char event[16];    /* its name */
    char texts[STOPS_MAX][STOPS_BENCH_MAX + 32];
    unsigned count;
};

/* A record came. `now_us`: on the clock of the events, microseconds since 1970. */
void stops_on_record(struct stops *stops, const struct record *record, uint64_t now_us);

/* An event came, which QEMU sent at `at_us`. Those that stop nothing are ignored, and those after
 * the run's END. True: it stopped the machine. */
bool stops_on_event(struct stops *stops, const char *event, uint64_t at_us);

/* The run is over: notes each stop for the run that the decoder will make. */
void stops_note(struct stops *stops, struct decoder *decoder);
