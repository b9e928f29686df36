/* SPDX-License-Identifier: BSD-2-Clause */
#include "tools/present/view.h"

#include <math.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include "kernel/run/names.h"
#include "tools/base/alloc.h"
#include "tools/base/number.h"
#include "tools/base/sort.h"
#include "tools/base/texts.h"
#include "tools/run/run_kind.h"

void view_init(struct view *view, FILE *out, const struct run *run)
{
    view->out = out;
    view->run = run;
    view->symbols = NULL;
    view->ns_per_tick = run_ns_per_tick(run);
    view->ticks_per_instruction = run_ticks_per_instruction(run);
}

const char *length_unit(const struct view *view)
{
    if (view->ticks_per_instruction > 0) {
        return "instructions";
    }
    return view->ns_per_tick > 0 ? "time" : "";
}

const char *span_text(const struct view *view, double ticks, char text[AMOUNT_MAX])
{
    if (view->ticks_per_instruction <= 0 && view->ns_per_tick > 0 && isfinite(ticks)) {
        return duration_text(ticks * view->ns_per_tick, text);
    }
    return number_text(
        view->ticks_per_instruction > 0 ? ticks / view->ticks_per_instruction : ticks, text);
}

const char *length_text(const struct view *view, int64_t ticks, char text[AMOUNT_MAX])
{
    return view->ticks_per_instruction > 0 || view->ns_per_tick > 0
               ? span_text(view, (double)ticks, text)
               : "";
}

const char *view_constant(const struct view *view)
{
    return run_is_exact(view->run) ? "exact" : "constant";
}

const char *span_note(const struct view *view)
{
    if (view->ticks_per_instruction > 0) {
        return " (instructions)";
    }
    return view->ns_per_tick > 0 ? "" : " (ticks)";
}

const char *amount_text(const struct view *view, int64_t amount, const char *unit,
                        char text[AMOUNT_MAX])
{
    const bool ticks = unit == NULL || strcmp(unit, UNIT_TICK) == 0;

    if (ticks && view->ns_per_tick > 0) {
        return duration_text((double)amount * view->ns_per_tick, text);
    }
    if (!ticks && strcmp(unit, UNIT_NANOSECOND) == 0) {
        return duration_text((double)amount, text);
    }
    if (!ticks && strcmp(unit, UNIT_COUNT) == 0) {
        return number_whole(amount, text);
    }
    char number[NUMBER_MAX];

    snprintf(text, AMOUNT_MAX, "%.26s %.20s", number_whole(amount, number), ticks ? "ticks" : unit);
    return text;
}

void cell_span(struct table *table, const struct view *view, bool known, double ticks)
{
    char text[AMOUNT_MAX];

    table_text(table, known && isfinite(ticks) ? span_text(view, ticks, text) : NULL);
}

void cell_amount(struct table *table, const struct view *view, bool known, int64_t ticks)
{
    char text[AMOUNT_MAX];

    table_text(table, known ? amount_text(view, ticks, UNIT_TICK, text) : NULL);
}

void view_table(const struct view *view, struct table *table)
{
    fputc('\n', view->out);
    table_print(table, view->out, 2);
}

void print_field(FILE *out, int width, const char *label, const char *text)
{
    const int column = fprintf(out, "  %-*s ", width, label);

    print_wrapped(out, text, (size_t)column, (size_t)width + 3);
}

void print_labelled(FILE *out, const char *label, const char *text)
{
    print_field(out, 10, label, text);
}

void print_paragraph(FILE *out, const char *format, ...)
{
    struct long_text text;
    va_list arguments;

    long_text_open(&text);
    va_start(arguments, format);
    vfprintf(text.out, format, arguments);
    va_end(arguments);
    fputs("\n  ", out);
    print_wrapped(out, long_text_close(&text), 2, 2);
    long_text_free(&text);
}

static bool is_same(const struct remark *left, const struct remark *right)
{
    return strcmp(left->label, right->label) == 0 && strcmp(left->text, right->text) == 0;
}

static bool is_given(const struct remark *remarks, size_t index)
{
    return SEARCH_ANY(i, index, is_same(&remarks[i], &remarks[index]));
}

void print_remarks(FILE *out, const struct remark *remarks, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        struct long_text line;

        if (is_given(remarks, i)) {
            continue;
        }
        long_text_open(&line);
        for (size_t k = i; k < count; k++) {
            if (is_same(&remarks[k], &remarks[i])) {
                fprintf(line.out, "%s%s", k > i ? ", " : "", remarks[k].name);
            }
        }
        fprintf(line.out, ": %s", remarks[i].text);
        print_labelled(out, remarks[i].label, long_text_close(&line));
        long_text_free(&line);
    }
}

void view_absents(const struct view *view, const struct run_bench *bench)
{
    struct remark *remarks = alloc_zeroed(bench->absent_count * sizeof(*remarks));

    for (size_t i = 0; i < bench->absent_count; i++) {
        const struct run_absent *absent = &bench->absents[i];

        remarks[i] = (struct remark){"n/a", absent->name,
                                     absent->reason != NULL ? absent->reason : "no reason given"};
    }
    print_remarks(view->out, remarks, bench->absent_count);
    free(remarks);
}

void statistics_head(struct table *table, const char *first)
{
    table_open(table, "lrrrrrr", "%s\tn\tmin\tmedian\tp99\tp99.9\tmax", first);
}

void statistics_rows(struct table *table, const struct view *view, const char *name,
                     const char *unit, const struct statistics *statistics)
{
    const bool any = statistics->n > 0;
    const struct {
        bool present;
        int64_t value;
    } cells[] = {
        {any, statistics->min},
        {any, statistics->median},
        {statistics->has_p99, statistics->p99},
        {statistics->has_p999, statistics->p999},
        {any, statistics->max},
    };
    const bool exact =
        view->ticks_per_instruction > 0 && unit != NULL && strcmp(unit, UNIT_TICK) == 0;
    const bool in_ticks = unit != NULL && strcmp(unit, UNIT_TICK) == 0 && any;

    table_named_row(table, name);
    table_format(table, "%zu", statistics->n);
    for (size_t i = 0; i < sizeof(cells) / sizeof(cells[0]); i++) {
        table_known(table, cells[i].present, cells[i].value);
    }
    if (unit == NULL) {
        return;
    }
    table_line(table, "  %s%s", unit, exact ? ", instructions" : "");
    table_text(table, "");
    for (size_t i = 0; i < sizeof(cells) / sizeof(cells[0]) && in_ticks; i++) {
        char text[AMOUNT_MAX];

        table_text(table, cells[i].present ? length_text(view, cells[i].value, text) : "");
    }
}
