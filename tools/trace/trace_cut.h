/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Restricts a run to a window of time, for options --from and --to of show, export and report.
 *
 * The trace becomes one that begins where the window does. It begins with events that state what
 * was running (trace_state.h) and cost nothing (run_trace.restated), and then has the records of
 * the window as they were. Times of the window count as described at struct time_window. A trace
 * outside the window is removed. Series with times are cut too (tools/run/series_cut.h). Other
 * series and all facts remain those of the whole run.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "tools/run/run.h"

/*
 * A window of a run's time, as given by --from and --to to show, export and report.
 *
 * Times count from the start of a bench's trace, or of its watch, separately for each bench. The
 * time between two parts of a trace does not count, as in the time line of the report.
 */

/* A time given as a decimal number and a unit. */
struct window_time {
    uint64_t digits;
    uint32_t decimals; /* number of digits after the point */
    uint32_t power;    /* the unit is 10^-power seconds */
    /* true: the time is an integer of TSC ticks; false: seconds or a part of them */
    bool ticks;
};

struct time_window {
    bool has_from, has_to;
    struct window_time from, to;
    const char *from_text, *to_text; /* as given */
};

/* The window [from, to) in ticks. */
struct tick_window {
    uint64_t from;
    uint64_t to; /* UINT64_MAX: no end */
};

#define WINDOW_ERROR_MAX 160

/* Parses "3.2s", "250ms", "40us", "900ns" or "12000ticks", with at most 18 digits. Returns false
 * for any other text. */
bool window_time_read(const char *text, struct window_time *time);

/* Converts to ticks, at `hz` ticks a second, rounded down and at most UINT64_MAX. */
uint64_t window_time_ticks(const struct window_time *time, uint64_t hz);

/* Converts a window to ticks. Returns false with a line in `error` if `hz` is 0 and the window is
 * not in ticks, or if the window is empty or ends before it begins. */
bool time_window_ticks(const struct time_window *window, uint64_t hz, struct tick_window *ticks,
                       char error[WINDOW_ERROR_MAX]);

#define WINDOW_TEXT_MAX 96
/* Describes the window: "from 3.2s to 4s", "from 3.2s on", "up to 4s". */
const char *time_window_text(const struct time_window *window, char text[WINDOW_TEXT_MAX]);

/* Cuts the run to [from, to) in ticks. `text` describes the window. Returns false, with a line in
 * run->losses, if packets cannot be read or stored. */
bool run_cut(struct run *run, uint64_t from, uint64_t to, const char *text);
