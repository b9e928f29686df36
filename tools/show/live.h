/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Shows a run in progress: follows a log while it grows, and sums up who used the processor in the
 * last seconds of the run's own time.
 *
 * The image sends the trace of a part of a bench when that part is over; while it is being sent,
 * its packets arrive one by one. A packet with a missing frame counts as unknown once later frames
 * have arrived, and stays unknown here even if the frame is sent again after END.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include "tools/run/run.h"
#include "tools/trace/accounting.h"
#include "tools/wire/decoder.h"
#include "tools/wire/live_noise.h"

/*
 * A moving window: CPU-time accounts (accounting.h), summed over a time that ends with the latest
 * stamp. The window moves in steps of a 60th of its length.
 */

#define WINDOW_STEPS 60
/* one more than the steps of the window: the step that is not over yet */
#define WINDOW_SLOTS (WINDOW_STEPS + 1)

/* The CPU time of one account of a bench. */
struct window_row {
    uint32_t bench; /* number that the caller gives to the bench */
    enum account_kind kind;
    uint32_t id;
    uint64_t ticks[WINDOW_SLOTS]; /* by step number modulo WINDOW_SLOTS */
};

struct live_window {
    uint64_t step;   /* length of a step in ticks */
    uint64_t newest; /* number of the step that is not over yet: TSC / step */
    struct window_row *rows;
    size_t row_count, row_capacity;
    /* For each kind of account, by its id: index in `rows` plus 1, or 0. Only of bench slots_of. */
    uint32_t *slots[ACCOUNT_KINDS];
    uint32_t slots_of;
    uint64_t switches[WINDOW_SLOTS];
    uint64_t latest; /* TSC of what was added last */
};

/* Makes an empty window of `ticks` ticks, at least 1. */
void window_init(struct live_window *window, uint64_t ticks);
void window_free(struct live_window *window);

/* Add an interval of an account, and a thread switch. Both must come in order of time; what lies
 * before the window is ignored. Stamps must be below 2^62. */
void window_add(struct live_window *window, uint32_t bench, const struct account_segment *segment);
void window_switch(struct live_window *window, uint64_t tsc);

/* Return the sums over the window. */
uint64_t window_row_ticks(const struct window_row *row);
uint64_t window_switches(const struct live_window *window);

/* Prints the progress and, for each processor, its worst gap so far, its rate and its histogram, in
 * at most `rows` lines. Times are in ticks if the rate of the run's TSC is unknown. */
void live_noise_view(FILE *out, const struct live_noise *noise, const struct run *run, size_t rows);

struct live;

/* Called when more of the log is needed. Pushes some of it by live_push(); may wait for it, or look
 * at the state meanwhile. Returns false if there will be no more. */
typedef bool live_more(void *context);

/* Makes a view with a window of `seconds` of the run's time, at least 1. */
struct live *live_create(unsigned seconds, live_more *more, void *context);
void live_destroy(struct live *live);

/* Reads the log until END has arrived or `more` returns false. */
void live_run(struct live *live);
/* Pushes bytes of the log. Call only from `more`. */
void live_push(struct live *live, const uint8_t *bytes, size_t length);

struct live_state {
    /* the run, as far as its records have arrived; without samples and packets */
    const struct run *run;
    /* window; `bench` of its rows is an index into run->benches */
    const struct live_window *window;
    bool has_window; /* the rate of the TSC is known, and a trace has begun */
    struct decoder_counts counts;
    uint64_t events;    /* trace events read */
    uint64_t packets;   /* trace packets that are lost or damaged */
    uint64_t discarded; /* trace records that found no room in the buffer or were overwritten */
    bool ended;
    const struct live_noise *noise; /* progress of the bench that sent it last */
};
void live_look(const struct live *live, struct live_state *state);

/*
 * The view of `tare watch`: the state of a run in progress, as lines of at most 80 columns.
 */

/* lines above the list of accounts */
#define LIVE_VIEW_HEAD 9

/* Prints the state in at most `rows` lines, if that is more than LIVE_VIEW_HEAD. Accounts that do
 * not fit are added up in one line. `name` is the name of the log, `seconds` the length of the
 * window. */
void live_view(FILE *out, const struct live_state *state, const char *name, unsigned seconds,
               size_t rows);
