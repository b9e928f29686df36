/* SPDX-License-Identifier: BSD-2-Clause */
#include "kernel/run/summary.h"

#include <stdio.h>
#include <string.h>

#include "kernel/base/version.h"
#include "kernel/run/bench_run.h"
#include "kernel/run/names.h"
#include "kernel/run/spread.h"
#include "kernel/screen/screen.h"

#define ROWS_MAX    64
#define LINE_MAX    160
#define COLUMNS     74 /* of the table */
#define HEAD_LINES  3
#define WORDS_LINES 6 /* of what was printed last, at least */

static struct summary_row {
    const struct bench *bench;
    enum bench_state state;
    const char *name; /* of the series; NULL: it has published none */
    const int64_t *samples;
    size_t count;
} rows[ROWS_MAX];
static size_t row_count; /* may exceed ROWS_MAX: those beyond are only counted */

/* ---- what is kept ---- */

static struct summary_row *row_of(const struct bench *bench)
{
    struct summary_row *last = row_count > 0 && row_count <= ROWS_MAX ? &rows[row_count - 1] : NULL;

    return last != NULL && last->bench == bench ? last : NULL;
}

void summary_begin(const struct bench *bench, size_t number, size_t total)
{
    char text[LINE_MAX];

    if (row_count < ROWS_MAX) {
        rows[row_count] = (struct summary_row){.bench = bench};
    }
    row_count++;
    snprintf(text, sizeof(text), "bench %zu of %zu: %s", number, total, bench->name);
    screen_progress(text, number - 1, total);
}

static bool is_worth_showing(const char *name)
{
    const size_t length = strlen(name);
    const char when[] = "_time"; /* of what was found: not how long it took */
    const size_t tail = sizeof(when) - 1;

    return strncmp(name, SERIES_EMPTY, sizeof(SERIES_EMPTY) - 1) != 0 &&
           (length < tail || strcmp(name + length - tail, when) != 0);
}

void summary_series(const struct bench *bench, const char *name, const char *unit,
                    const int64_t *samples, size_t count)
{
    struct summary_row *row = row_of(bench);

    if (row != NULL && row->name == NULL && count > 0 && strcmp(unit, bench->unit) == 0 &&
        is_worth_showing(name)) {
        row->name = name;
        row->samples = samples;
        row->count = count;
    }
}

void summary_end(const struct bench *bench, enum bench_state state)
{
    struct summary_row *row = row_of(bench);

    if (row != NULL && state > row->state) {
        row->state = state;
    }
}

/* ---- on the screen ---- */

static void count_states(char counts[LINE_MAX])
{
    unsigned number[BENCH_CRASH + 1] = {0};
    size_t length = 0;

    for (size_t i = 0; i < row_count && i < ROWS_MAX; i++) {
        number[rows[i].state]++;
    }
    length = (size_t)snprintf(counts, LINE_MAX, "%zu benches", row_count);
    for (int state = BENCH_OK; state <= BENCH_CRASH; state++) {
        if (number[state] > 0) {
            length += (size_t)snprintf(counts + length, LINE_MAX - length, " %u %s", number[state],
                                       bench_state_name((enum bench_state)state));
        }
    }
}

static void format_row(const struct summary_row *row, char line[LINE_MAX])
{
    char label[LINE_MAX];
    struct spread spread;

    snprintf(label, sizeof(label), "%s %s", row->bench->name, row->name != NULL ? row->name : "");
    if (row->name == NULL) {
        snprintf(line, LINE_MAX, "%-24.24s %-5s", label, bench_state_name(row->state));
        return;
    }
    spread_of(row->samples, row->count, &spread);
    snprintf(line, LINE_MAX, "%-24.24s %-5s %5zu %10ld %10ld %10ld %s", label,
             bench_state_name(row->state), row->count, spread.min, spread.median, spread.max,
             row->bench->unit);
}

static bool fits(const struct surface *screen, int32_t scale)
{
    const size_t lines = row_count + HEAD_LINES + WORDS_LINES;

    return COLUMNS * (FONT_WIDTH + 1) * scale <= screen->width &&
           lines * (FONT_HEIGHT + 2) * (size_t)scale <= (size_t)screen->height;
}

static void draw_table(const struct summary_head *head, const char *counts)
{
    char line[LINE_MAX];
    const size_t count = row_count < ROWS_MAX ? row_count : ROWS_MAX;

    snprintf(line, sizeof(line), "tare " TARE_VERSION " %s %s machine=%s, %s", head->date,
             head->kind, head->machine, counts);
    screen_page_line(line);
    snprintf(line, sizeof(line), "%-24s %-5s %5s %10s %10s %10s", "bench", "", "n", "min", "median",
             "max");
    screen_page_line(line);
    for (size_t i = 0; i < count; i++) {
        format_row(&rows[i], line);
        screen_page_line(line);
    }
    screen_page_line("");
}

void summary_show(const struct summary_head *head)
{
    char counts[LINE_MAX];
    struct surface screen;

    if (!screen_lend(&screen)) {
        return;
    }
    count_states(counts);
    screen_page_begin(fits(&screen, 2) ? 2 : 1);
    draw_table(head, counts);
    screen_page_words();
}
