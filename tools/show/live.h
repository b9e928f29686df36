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
#include "tools/show/live_window.h"
#include "tools/wire/decoder.h"
#include "tools/wire/live_noise.h"

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

/* Prints the text in a column, replacing characters that a terminal might obey. */
void live_put_clean(FILE *out, const char *text, size_t width);
double live_percent(uint64_t part, uint64_t whole);
/* Prints a label of this width, its share of the time, requests to disks if there are any, and a
 * bar. */
void live_put_share(FILE *out, const char *label, size_t width, uint64_t ticks, uint64_t whole,
                    uint64_t requests);
/* Prints the last `seconds` of the run: processors, processes and threads, disks, network; in at
 * most `rows` lines if that is enough for a few of them. */
void live_activity_view(FILE *out, const struct live_state *state, unsigned seconds, size_t rows);

/*
 * The view of `tare watch`: the state of a run in progress, as lines of at most 80 columns.
 */

/* lines that the view needs on a small screen */
#define LIVE_VIEW_LEAST 20

/* Prints the state in at most `rows` lines, if that is at least LIVE_VIEW_LEAST. Accounts that do
 * not fit are added up in one line. `name` is the name of the log, `seconds` the length of the
 * window. */
void live_view(FILE *out, const struct live_state *state, const char *name, unsigned seconds,
               size_t rows);
/* Prints the progress of the watch for gaps, if there is one, as a JSON object.
 * Times are in ticks of tsc_hz; cells are the longest gaps of slices, 1: none, 0: not watched. */
void live_json(FILE *out, const struct live_state *state);
