/* SPDX-License-Identifier: BSD-2-Clause */
#include "kernel/run/summary_rows.h"

#include <stdbool.h>
#include <stdio.h>
#include <string.h>

#include "kernel/run/bench_run.h"
#include "kernel/run/names.h"
#include "kernel/run/spread.h"

#define ROWS_MAX 64
#define NAME_MAX 32 /* more than a line shows */

static struct summary_row {
    const struct bench *bench;
    enum bench_state state;
    char name[NAME_MAX]; /* of the series; empty: it has published none */
    const int64_t *samples;
    size_t count;
} rows[ROWS_MAX];
static size_t row_count; /* may exceed ROWS_MAX: those beyond are only counted */

static struct summary_row *row_of(const struct bench *bench)
{
    struct summary_row *last = row_count > 0 && row_count <= ROWS_MAX ? &rows[row_count - 1] : NULL;

    return last != NULL && last->bench == bench ? last : NULL;
}

void summary_row_begin(const struct bench *bench)
{
    if (row_count < ROWS_MAX) {
        rows[row_count] = (struct summary_row){.bench = bench};
    }
    row_count++;
}

static bool is_worth_showing(const char *name)
{
    const size_t length = strlen(name);
    const char when[] = "_time"; /* of what was found: not how long it took */
    const size_t tail = sizeof(when) - 1;

    return strncmp(name, SERIES_EMPTY, sizeof(SERIES_EMPTY) - 1) != 0 &&
           (length < tail || strcmp(name + length - tail, when) != 0);
}

void summary_row_series(const struct bench *bench, const char *name, const char *unit,
                        const int64_t *samples, size_t count)
{
    struct summary_row *row = row_of(bench);

    if (row != NULL && row->name[0] == '\0' && count > 0 && strcmp(unit, bench->unit) == 0 &&
        is_worth_showing(name)) {
        snprintf(row->name, sizeof(row->name), "%s", name);
        row->samples = samples;
        row->count = count;
    }
}

void summary_row_end(const struct bench *bench, enum bench_state state)
{
    struct summary_row *row = row_of(bench);

    if (row != NULL && state > row->state) {
        row->state = state;
    }
}

size_t summary_benches(void)
{
    return row_count;
}

size_t summary_rows(void)
{
    return row_count < ROWS_MAX ? row_count : ROWS_MAX;
}

void summary_row_text(size_t index, char line[SUMMARY_LINE_MAX])
{
    const struct summary_row *row = &rows[index];
    char label[SUMMARY_LINE_MAX];
    struct spread spread;

    snprintf(label, sizeof(label), "%s %s", row->bench->name, row->name);
    if (row->name[0] == '\0') {
        snprintf(line, SUMMARY_LINE_MAX, "%-24.24s %-5s", label, bench_state_name(row->state));
        return;
    }
    spread_of(row->samples, row->count, &spread);
    snprintf(line, SUMMARY_LINE_MAX, "%-24.24s %-5s %5zu %10ld %10ld %10ld %s", label,
             bench_state_name(row->state), row->count, spread.min, spread.median, spread.max,
             row->bench->unit);
}

void summary_states_text(char line[SUMMARY_LINE_MAX])
{
    unsigned number[BENCH_CRASH + 1] = {0};
    size_t length = 0;

    for (size_t i = 0; i < summary_rows(); i++) {
        number[rows[i].state]++;
    }
    length = (size_t)snprintf(line, SUMMARY_LINE_MAX, "%zu benches", row_count);
    for (int state = BENCH_OK; state <= BENCH_CRASH; state++) {
        if (number[state] > 0) {
            length += (size_t)snprintf(line + length, SUMMARY_LINE_MAX - length, " %u %s",
                                       number[state], bench_state_name((enum bench_state)state));
        }
    }
}
