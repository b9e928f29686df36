/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A run without what lies outside a window of time: --from and --to of show, export and report.
 *
 * A trace becomes one that begins where the window does. It begins with events that state what ran
 * (trace_state.h), which cost nothing (run_trace.restated), and has the records of the window as
 * they were. Times of the window count as struct time_window has it. A trace that lies outside is
 * gone. Series with times are cut as well (tools/run/series_cut.h); other series and all facts stay
 * those of the whole run.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "tools/run/run.h"

/*
 * A stretch of a run's time, as --from and --to give it to show, export and report.
 *
 * Times count from the begin of a bench's trace, or of its watch: each bench has another. The time
 * between two parts of a trace does not count, as in the time line of the report.
 */

/* Of a decimal number and a unit. */
struct window_time {
    uint64_t digits;
    uint32_t decimals; /* behind the point */
    uint32_t power;    /* the unit is 10^-power seconds */
    bool ticks;        /* of the TSC: no unit of seconds, and no decimals */
};

struct time_window {
    bool has_from, has_to;
    struct window_time from, to;
    const char *from_text, *to_text; /* as given */
};

/* [from, to), in ticks. */
struct tick_window {
    uint64_t from;
    uint64_t to; /* UINT64_MAX: open */
};

#define WINDOW_ERROR_MAX 160

/* Reads "3.2s", "250ms", "40us", "900ns" or "12000ticks"; at most 18 digits. False where the text
 * is none of these. */
bool window_time_read(const char *text, struct window_time *time);

/* In ticks, `hz` in a second: rounded down, and at most UINT64_MAX. */
uint64_t window_time_ticks(const struct window_time *time, uint64_t hz);

/* False with a line in `error` where `hz` is 0 and the window is not in ticks, or where it ends
 * before it begins, or is empty. */
bool time_window_ticks(const struct time_window *window, uint64_t hz, struct tick_window *ticks,
                       char error[WINDOW_ERROR_MAX]);

#define WINDOW_TEXT_MAX 96
/* "from 3.2s to 4s", "from 3.2s on", "up to 4s". */
const char *time_window_text(const struct time_window *window, char text[WINDOW_TEXT_MAX]);

/* [from, to) in ticks; `text` describes it. False: packets cannot be read or kept, with a line in
 * run->losses. */
bool run_cut(struct run *run, uint64_t from, uint64_t to, const char *text);
