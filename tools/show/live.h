/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A run as it comes: follows a log while it grows, and keeps the accounts of the last stretch of
 * the run's own time.
 *
 * Traces are sent when what they are of is over, a part of a bench's trace at a time: what comes
 * live is the line, packet by packet. A packet of which a frame is missing counts as unknown once
 * later frames arrive; should it be sent again after END, it stays so here.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include "kernel/link/live_gaps.h"
#include "tools/run/run.h"
#include "tools/trace/accounting.h"
#include "tools/wire/decoder.h"

/*
 * Who had the processor in the last stretch of time: sums of accounts (accounting.h) over a window
 * that ends with the latest stamp and moves on with it, in steps of a 60th of its length.
 */

#define WINDOW_STEPS 60
/* One more: the step that is not over yet. */
#define WINDOW_SLOTS (WINDOW_STEPS + 1)

/* An account of a bench. */
struct window_row {
    uint32_t bench; /* a number that the caller gives it */
    enum account_kind kind;
    uint32_t id;
    uint64_t ticks[WINDOW_SLOTS]; /* by step, modulo */
};

struct live_window {
    uint64_t step;   /* ticks */
    uint64_t newest; /* number of the step that is not over: TSC / step */
    struct window_row *rows;
    size_t row_count, row_capacity;
    uint32_t *slots[ACCOUNT_KINDS]; /* by id, of the bench last seen: index in rows, and 1 */
    uint32_t slots_of;
    uint64_t switches[WINDOW_SLOTS];
    uint64_t latest; /* TSC of what was added last */
};

/* A window of so many ticks, not 0. */
void window_init(struct live_window *window, uint64_t ticks);
void window_free(struct live_window *window);

/* Stretches and switches come in order of time; what lies before the window is let pass. Stamps are
 * below 2^62. */
void window_add(struct live_window *window, uint32_t bench, const struct account_segment *segment);
void window_switch(struct live_window *window, uint64_t tsc);

/* Sums of what lies in the window. */
uint64_t window_row_ticks(const struct window_row *row);
uint64_t window_switches(const struct live_window *window);

/*
 * Benches that watch for noise as they go on: the latest record `live` (kernel/link/live_gaps.h) of
 * each processor of the bench that sent last. Memory does not grow with the length of the watch.
 */

#define LIVE_NOISE_LANES_MAX 256
#define LIVE_NOISE_NAME_MAX  32

struct live_noise {
    char bench[LIVE_NOISE_NAME_MAX]; /* empty: none has sent */
    struct live_gaps *lane;          /* by processor */
    size_t count;
};

/* A record of an answer; one of another kind, or damaged, is passed over. */
void live_noise_take(struct live_noise *noise, const struct record *record);
void live_noise_free(struct live_noise *noise);

/* Progress, and of each processor its worst gap so far, rate and histogram, in at most `rows`
 * lines. Times are in ticks where the rate of the run's TSC is unknown. */
void live_noise_view(FILE *out, const struct live_noise *noise, const struct run *run, size_t rows);

struct live;

/* Called when more of the log is needed: pushes some by live_push(), and may wait for it or look at
 * the state meanwhile. False: there will be no more. */
typedef bool live_more(void *context);

/* A window of so many seconds of the run's time, not 0. */
struct live *live_create(unsigned seconds, live_more *more, void *context);
void live_destroy(struct live *live);

/* Reads all there is, until END has been seen to or `more` returns that there is no more. */
void live_run(struct live *live);
/* Only from `more`. */
void live_push(struct live *live, const uint8_t *bytes, size_t length);

struct live_state {
    const struct run *run;            /* as far as its records have come; no samples, no packets */
    const struct live_window *window; /* its rows' `bench` is an index of run->benches */
    bool has_window;                  /* the rate of the TSC is known, and a trace has begun */
    struct decoder_counts counts;
    uint64_t events;    /* of traces */
    uint64_t packets;   /* of traces that are lost or damaged */
    uint64_t discarded; /* records of traces that found no room or were overwritten */
    bool ended;
    const struct live_noise *noise; /* of the bench that sent its progress last */
};
void live_look(const struct live *live, struct live_state *state);

/*
 * What `tare watch` shows: the state of a run that comes, as lines of at most 80 columns.
 */

/* Above the list of accounts. */
#define LIVE_VIEW_HEAD 9

/* With at most `rows` lines, where there are more than LIVE_VIEW_HEAD; accounts that find no room
 * are summed up. `name` is of the log, `seconds` the length of the window. */
void live_view(FILE *out, const struct live_state *state, const char *name, unsigned seconds,
               size_t rows);
