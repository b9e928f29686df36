/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The view of a watch for gaps in progress, as lines of at most 79 columns. `tare watch`, the
 * machine's screen and partial results show the same lines: one sentence, the totals, and a row for
 * each processor with a bar, its longest gap, how long ago that was, and its longest gaps over
 * time.
 *
 * Pure: compiled for the image and for the host.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "kernel/link/live_gaps.h"

/* Bytes of a line or a sentence: 80 columns of UTF-8. */
#define LIVE_LINE_MAX 248

struct live_board {
    const struct live_lane *lane; /* one for each processor, at least one */
    size_t count;
    uint64_t hz; /* ticks of a second; 0: unknown, and times are in ticks */
    /* the output can show block elements and the middle dot; otherwise characters of ASCII */
    bool blocks;
    size_t rows; /* largest number of lines; at least LIVE_ROWS_LEAST are written */
};

#define LIVE_ROWS_LEAST 6

/* What a line is, for its colour. */
enum live_line {
    LIVE_SENTENCE_QUIET, /* the sentence; nothing took time */
    LIVE_SENTENCE,
    LIVE_TOTALS,
    LIVE_HEADING,
    LIVE_ROW,
    LIVE_LEGEND,
};

/* Writes how far the watch is, such as "12 min 30 s of 60 min watched". Writes the time left to
 * `left`, such as "47 min 30 s left", or "", and returns `left`. */
const char *live_progress_text(const struct live_board *board, char text[LIVE_LINE_MAX],
                               char left[LIVE_LINE_MAX]);
/* Writes what took the processors, how long and how often, without a full stop. Returns whether
 * anything did. */
bool live_sentence(const struct live_board *board, char text[LIVE_LINE_MAX]);

/* Calls `put` for each line of the view, in order. If there are more processors than rows, those
 * with the longest gaps are shown. */
typedef void live_put(void *context, enum live_line kind, const char *line);
void live_board_lines(const struct live_board *board, live_put *put, void *context);
