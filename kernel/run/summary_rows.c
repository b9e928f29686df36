/* SPDX-License-Identifier: BSD-2-Clause */
#include "kernel/run/summary_rows.h"

#include <stdbool.h>
#include <stdio.h>
#include <string.h>

#include "kernel/run/bench_run.h"
#include "kernel/run/names.h"
#include "kernel/run/worst.h"

#define NAME_MAX 32 /* longest name of a series; more than a line shows */
#define WORST    "worst_"

static struct row {
    const struct bench *bench;
    const int64_t *samples; /* samples of the series */
    size_t count;
    const int64_t *worst; /* the largest of the samples for which the series had no room */
    size_t worst_count;
    struct spread spread; /* spread of the samples and of `worst`; valid if `looked` */
    enum bench_state state;
    bool ended;
    bool looked;
    char name[NAME_MAX];               /* name of the series; "": none has been published */
    char reason[BENCH_REASON_MAX + 1]; /* reason of the state; "": there is none */
} rows[SUMMARY_ROWS_MAX];
/* Number of benches; may exceed SUMMARY_ROWS_MAX: further ones have no row. */
static size_t row_count;

static struct row *row_of(const struct bench *bench)
{
    struct row *last = row_count > 0 && row_count <= SUMMARY_ROWS_MAX ? &rows[row_count - 1] : NULL;

    return last != NULL && last->bench == bench ? last : NULL;
}

void summary_row_begin(const struct bench *bench)
{
    if (row_count < SUMMARY_ROWS_MAX) {
        rows[row_count] = (struct row){.bench = bench};
    }
    row_count++;
}

static bool ends_with(const char *name, const char *tail)
{
    const size_t length = strlen(name);
    const size_t tail_length = strlen(tail);

    return length >= tail_length && strcmp(name + length - tail_length, tail) == 0;
}

static bool begins_with(const char *name, const char *head)
{
    return strncmp(name, head, strlen(head)) == 0;
}

/* Returns whether a series has a figure of what was measured. It does not if it is the cost of
 * measuring, the idle thread's samples, times of events, clock offsets between processors, or
 * bounds of histograms. */
static bool is_worth_showing(const char *name)
{
    static const char *const course[] = {SERIES_IDLE, SERIES_INTENDED, SERIES_WRITTEN};

    for (size_t i = 0; i < sizeof(course) / sizeof(course[0]); i++) {
        if (strcmp(name, course[i]) == 0) {
            return false;
        }
    }
    return !begins_with(name, SERIES_EMPTY) && !begins_with(name, "stamp_") &&
           strstr(name, "_bound") == NULL && strstr(name, "skew") == NULL &&
           !ends_with(name, "_time");
}

static bool is_main(const struct bench *bench, const char *name, const char *unit)
{
    if (strcmp(unit, bench->unit) != 0) {
        return false;
    }
    return bench->main_series != NULL ? strcmp(name, bench->main_series) == 0
                                      : strcmp(unit, UNIT_CODE) != 0 && is_worth_showing(name);
}

/* Returns whether `name` is the series with the largest samples for which the series `main` had no
 * room: "worst_length" for "gap_length", "worst_whole.0" for "whole.0". */
static bool is_worst_of(const char *name, const char *main)
{
    const size_t head = strlen(WORST);

    return begins_with(name, WORST) &&
           (strcmp(main, name + head) == 0 || ends_with(main, name + head - 1));
}

void summary_row_series(const struct bench *bench, const char *name, const char *unit,
                        const int64_t *samples, size_t count)
{
    struct row *row = row_of(bench);

    if (row != NULL && row->name[0] == '\0' && count > 0 && is_main(bench, name, unit)) {
        snprintf(row->name, sizeof(row->name), "%s", name);
        row->samples = samples;
        row->count = count;
    } else if (row != NULL && row->name[0] != '\0' && is_worst_of(name, row->name)) {
        row->worst = samples;
        row->worst_count = count;
    }
}

void summary_row_end(const struct bench *bench, enum bench_state state, const char *reason)
{
    struct row *row = row_of(bench);

    if (row == NULL) {
        return;
    }
    if (!row->ended || state > row->state) {
        row->state = state;
        snprintf(row->reason, sizeof(row->reason), "%s", reason);
    }
    row->ended = true;
}

bool summary_row_crash(void)
{
    struct row *last = row_count > 0 && row_count <= SUMMARY_ROWS_MAX ? &rows[row_count - 1] : NULL;

    if (last == NULL || last->ended) {
        return false;
    }
    summary_row_end(last->bench, BENCH_CRASH, "an exception ended the run: its report is below");
    return true;
}

size_t summary_benches(void)
{
    return row_count;
}

size_t summary_rows(void)
{
    return row_count < SUMMARY_ROWS_MAX ? row_count : SUMMARY_ROWS_MAX;
}

/* ---- as text ---- */

static enum grid_ink ink_of(enum bench_state state)
{
    return state == BENCH_OK ? INK_GOOD : state == BENCH_SKIP ? INK_DIM : INK_BAD;
}

/* Writes ticks as a duration or, in exact time, as instructions; other units as a number. Returns
 * the unit of the figure; "": the text contains its unit. */
static const char *figure(const struct finding_source *clock, const char *unit, int64_t value,
                          char text[PAGE_FIGURE_MAX])
{
    char amount[FINDING_AMOUNT_MAX];
    const int64_t half = (int64_t)clock->ticks_per_instruction / (value < 0 ? -2 : 2);
    int64_t ns;

    if (strcmp(unit, UNIT_TICK) == 0 && clock->ticks_per_instruction != 0) {
        finding_count_text((value + half) / (int64_t)clock->ticks_per_instruction, amount);
        unit = "instr";
    } else if (strcmp(unit, UNIT_TICK) == 0 && finding_ticks_to_ns(clock, value, &ns)) {
        finding_ns_text(clock, ns, amount);
        unit = "";
    } else {
        finding_count_text(value, amount);
    }
    snprintf(text, PAGE_FIGURE_MAX, "%.*s", PAGE_FIGURE_MAX - 1, amount);
    return unit;
}

static void look_at(struct row *row)
{
    row->looked = true;
    spread_of(row->samples, row->count, &row->spread);
    for (size_t i = 0; i < row->worst_count; i++) {
        row->spread.max = row->worst[i] > row->spread.max ? row->worst[i] : row->spread.max;
    }
}

void summary_row(size_t index, const struct finding_source *clock, struct page_bench *page)
{
    struct row *row = &rows[index];
    const char *unit = row->bench->unit;

    *page = (struct page_bench){
        .name = row->bench->name,
        .series = row->name,
        .state = row->ended ? bench_state_name(row->state) : "runs",
        .ink = row->ended ? ink_of(row->state) : INK_STRONG,
        .must_show = !row->ended || row->state > BENCH_SKIP,
        .unit = "",
        .reason = row->reason,
    };
    if (row->name[0] == '\0') {
        return;
    }
    if (!row->looked) {
        look_at(row);
    }
    snprintf(page->count, sizeof(page->count), "%zu", row->count);
    figure(clock, unit, row->spread.min, page->min);
    figure(clock, unit, row->spread.max, page->max);
    page->unit = figure(clock, unit, row->spread.median, page->median);
}

/* Appends as much of the text as fits. */
static size_t append(char line[SUMMARY_LINE_MAX], size_t length, const char *before,
                     const char *text)
{
    const int added = snprintf(line + length, SUMMARY_LINE_MAX - length, "%s%s", before, text);

    return length + (size_t)added < SUMMARY_LINE_MAX ? length + (size_t)added
                                                     : SUMMARY_LINE_MAX - 1;
}

enum bench_state summary_states_text(char line[SUMMARY_LINE_MAX])
{
    enum bench_state worst = BENCH_OK;
    size_t length = 0;

    line[0] = '\0';
    for (int state = BENCH_OK; state <= BENCH_CRASH; state++) {
        char text[32];
        unsigned number = 0;

        for (size_t i = 0; i < summary_rows(); i++) {
            number += rows[i].ended && (int)rows[i].state == state ? 1 : 0;
        }
        if (number == 0) {
            continue;
        }
        worst = (enum bench_state)state;
        snprintf(text, sizeof(text), "%u %s", number, bench_state_name(worst));
        length = append(line, length, length > 0 ? "  " : "", text);
        for (size_t i = 0, named = 0; i < summary_rows() && state > BENCH_SKIP; i++) {
            if (rows[i].ended && (int)rows[i].state == state) {
                length = append(line, length, named++ > 0 ? ", " : ": ", rows[i].bench->name);
            }
        }
    }
    return worst;
}
