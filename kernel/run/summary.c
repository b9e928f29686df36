/* SPDX-License-Identifier: BSD-2-Clause */
#include "kernel/run/summary.h"

#include <stdio.h>

#include "kernel/base/version.h"
#include "kernel/run/summary_rows.h"
#include "kernel/screen/screen.h"

#define COLUMNS     74 /* of the table */
#define HEAD_LINES  3
#define WORDS_LINES 6 /* of what was printed last, at least */

/* ---- what is kept ---- */

void summary_begin(const struct bench *bench, size_t number, size_t total)
{
    char text[SUMMARY_LINE_MAX];

    summary_row_begin(bench);
    snprintf(text, sizeof(text), "bench %zu of %zu: %s", number, total, bench->name);
    screen_progress(text, number - 1, total);
}

void summary_series(const struct bench *bench, const char *name, const char *unit,
                    const int64_t *samples, size_t count)
{
    summary_row_series(bench, name, unit, samples, count);
}

void summary_end(const struct bench *bench, enum bench_state state)
{
    summary_row_end(bench, state);
}

/* ---- on the screen ---- */

static bool fits(const struct surface *screen, int32_t scale)
{
    const size_t lines = summary_benches() + HEAD_LINES + WORDS_LINES;

    return COLUMNS * (FONT_WIDTH + 1) * scale <= screen->width &&
           lines * (FONT_HEIGHT + 2) * (size_t)scale <= (size_t)screen->height;
}

static void draw_table(const struct summary_head *head, const char *counts)
{
    char line[SUMMARY_LINE_MAX];

    snprintf(line, sizeof(line), "tare " TARE_VERSION " %s %s machine=%s, %s", head->date,
             head->kind, head->machine, counts);
    screen_page_line(line);
    snprintf(line, sizeof(line), "%-24s %-5s %5s %10s %10s %10s", "bench", "", "n", "min", "median",
             "max");
    screen_page_line(line);
    for (size_t i = 0; i < summary_rows(); i++) {
        summary_row_text(i, line);
        screen_page_line(line);
    }
    screen_page_line("");
}

void summary_show(const struct summary_head *head)
{
    char counts[SUMMARY_LINE_MAX];
    struct surface screen;

    if (!screen_lend(&screen)) {
        return;
    }
    summary_states_text(counts);
    screen_page_begin(fits(&screen, 2) ? 2 : 1);
    draw_table(head, counts);
    screen_page_words();
}
