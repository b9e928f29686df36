/* SPDX-License-Identifier: BSD-2-Clause */
/* Prints the codes of bench exec as tables in `tare show` and in the report, and writes their JSON.
 */
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "bench/exec/host/exec_codes.h"
#include "bench/exec/names.h"
#include "tools/base/texts.h"
#include "tools/figure/figure.h"
#include "tools/present/report_plugin.h"
#include "tools/present/view.h"

#define SOURCE_SHOWN 40
#define EVENTS_SHOWN 4 /* columns of a table */

struct shown {
    const struct view *view;
    const struct run_bench *bench;
    struct exec_sources sources;
    const char *events[EXEC_EVENTS_MAX];
    size_t event_count;
};

/* Returns as much of the source as fits into a line of a table, with three dots if it was cut. */
static const char *short_source(const struct shown *shown, size_t number,
                                char text[EXEC_SOURCE_MAX])
{
    exec_source(&shown->sources, number, text);
    if (strlen(text) > SOURCE_SHOWN) {
        strcpy(text + SOURCE_SHOWN - 3, "...");
    }
    return text;
}

/* Adds ticks, or instructions in exact time. */
static void costs_table(struct table *table, const struct shown *shown)
{
    char source[EXEC_SOURCE_MAX];
    const struct run_bench *bench = shown->bench;
    const double per_instruction = shown->view->ticks_per_instruction;
    const double scale = per_instruction > 0 ? 1 / per_instruction : 1;
    struct exec_cost cost;

    table_open(table, "rllrrrr", "no\tcode\tform\tn\tmedian\tmin\tmax");
    for (size_t number = 1; number <= exec_codes(bench); number++) {
        for (enum exec_form form = 0; form < EXEC_FORMS; form++) {
            if (!exec_cost_read(bench, form, number, NULL, &cost)) {
                continue;
            }
            table_row(table);
            table_format(table, "%zu", number);
            table_text(table, short_source(shown, number, source));
            table_text(table, exec_form_name(form));
            table_format(table, "%zu", cost.n);
            table_number(table, cost.median * scale);
            table_number(table, cost.min * scale);
            table_number(table, cost.max * scale);
        }
    }
}

/* Prints the events from `first` on, as many as a table has columns for. */
static void print_counts(const struct shown *shown, size_t first)
{
    const struct run_bench *bench = shown->bench;
    const size_t left = shown->event_count - first;
    const size_t behind = first + (left < EVENTS_SHOWN ? left : EVENTS_SHOWN);
    struct exec_cost cost;
    struct table table;

    table_init(&table, "rlrrrr");
    table_named_row(&table, "no");
    table_text(&table, "form");
    for (size_t i = first; i < behind; i++) {
        table_text(&table, shown->events[i]);
    }
    for (size_t number = 1; number <= exec_codes(bench); number++) {
        for (enum exec_form form = 0; form < EXEC_FORMS; form++) {
            if (!exec_cost_read(bench, form, number, NULL, &cost)) {
                continue;
            }
            table_row(&table);
            table_format(&table, "%zu", number);
            table_text(&table, exec_form_name(form));
            for (size_t i = first; i < behind; i++) {
                const bool there = exec_cost_read(bench, form, number, shown->events[i], &cost);

                table_number(&table, there ? cost.median : (double)NAN);
            }
        }
    }
    view_table(shown->view, &table);
}

/* Prints the flags that a code leaves, and what else the built-in code does not leave. */
static void print_left(const struct shown *shown, size_t number)
{
    struct exec_value built_in[EXEC_VALUES_MAX] = {0};
    struct exec_value left[EXEC_VALUES_MAX];
    const size_t count = exec_left(shown->bench, number, left);
    struct long_text text;

    exec_left(shown->bench, 0, built_in);
    long_text_open(&text);
    for (size_t i = 0; i < count; i++) {
        if (i == EXEC_REGISTERS - 1 || left[i].value != built_in[i].value) {
            fprintf(text.out, " %s=0x%" PRIx64, left[i].name, left[i].value);
        }
    }
    if (*long_text_close(&text) != '\0') {
        print_paragraph(shown->view->out, "code %zu left%s", number, text.text);
    }
    long_text_free(&text);
}

static void print_missing(const struct shown *shown)
{
    const struct run_bench *bench = shown->bench;
    char source[EXEC_SOURCE_MAX];

    for (size_t number = 1; number <= exec_codes(bench); number++) {
        const char *why = exec_missing(bench, number);

        if (why != NULL) {
            print_paragraph(shown->view->out, "code %zu, %s: n/a: %s", number,
                            short_source(shown, number, source), why);
        }
    }
}

static const char *unit_of(const struct view *view)
{
    return view->ticks_per_instruction > 0 ? "instructions" : "ticks of the TSC";
}

static void view_exec(const struct view *view, const struct run_bench *bench)
{
    struct shown shown = {.view = view, .bench = bench};
    struct table table;

    if (exec_codes(bench) == 0) {
        return;
    }
    exec_sources_open(view->run, &shown.sources);
    print_paragraph(view->out,
                    "cost of one execution of the code, in %s: the difference between 2N and N "
                    "copies, divided by the repetitions",
                    unit_of(view));
    costs_table(&table, &shown);
    view_table(view, &table);
    for (size_t number = 1; number <= exec_codes(bench); number++) {
        print_left(&shown, number);
    }
    print_missing(&shown);
    shown.event_count = exec_events(bench, shown.events);
    if (shown.event_count > 0) {
        print_paragraph(view->out, "events per execution, median");
    }
    for (size_t first = 0; first < shown.event_count; first += EVENTS_SHOWN) {
        print_counts(&shown, first);
    }
    exec_sources_free(&shown.sources);
}

static void figures_exec(struct figures *figures, const struct run *run,
                         const struct run_bench *bench)
{
    struct shown shown = {.bench = bench};
    struct table table;
    struct view view;

    if (exec_codes(bench) == 0) {
        return;
    }
    view_init(&view, NULL, run);
    shown.view = &view;
    exec_sources_open(run, &shown.sources);
    costs_table(&table, &shown);
    exec_sources_free(&shown.sources);
    struct figure *figure =
        figure_add_table(figures, "Code", "Cost of sequences of instructions", &table, "exec");

    figure_how(figure,
               "Cost of one execution of the code in the sandbox, in %s: the difference between 2N "
               "and N copies, divided by the repetitions. The copies are unrolled, or in a loop; "
               "the cost of the loop is part of both measurements and cancels out.",
               unit_of(&view));
}

/* Codes of bench exec as JSON: member "codes", amounts of one execution. */

#define DECIMALS 6

static void put_cost(struct json *json, const char *key, const struct exec_cost *cost)
{
    json_object(json, key);
    json_unsigned(json, "n", cost->n);
    JSON_NUMBERS(json, DECIMALS, {"min", cost->min}, {"median", cost->median}, {"max", cost->max});
    json_close(json);
}

static void put_form(struct json *json, const struct run_bench *bench, enum exec_form form,
                     size_t number)
{
    const char *events[EXEC_EVENTS_MAX];
    const size_t count = exec_events(bench, events);
    struct exec_cost cost;

    if (!exec_cost_read(bench, form, number, NULL, &cost)) {
        json_null(json, exec_form_name(form));
        return;
    }
    json_object(json, exec_form_name(form));
    put_cost(json, "ticks", &cost);
    json_object(json, "events");
    for (size_t i = 0; i < count; i++) {
        if (exec_cost_read(bench, form, number, events[i], &cost)) {
            put_cost(json, events[i], &cost);
        }
    }
    json_close(json);
    json_close(json);
}

static void put_left(struct json *json, const struct run_bench *bench, size_t number)
{
    struct exec_value left[EXEC_VALUES_MAX];
    const size_t count = exec_left(bench, number, left);
    char text[24];

    json_object(json, "left");
    for (size_t i = 0; i < count; i++) {
        snprintf(text, sizeof(text), "0x%" PRIx64, left[i].value);
        json_text(json, left[i].name, text);
    }
    json_close(json);
}

static void exec_json(struct json *json, const struct run *run, const struct run_bench *bench)
{
    struct exec_sources sources;
    char source[EXEC_SOURCE_MAX];

    exec_sources_open(run, &sources);
    json_array(json, "codes");
    for (size_t number = 1; number <= exec_codes(bench); number++) {
        json_object(json, NULL);
        json_unsigned(json, "number", number);
        json_text(json, "source", exec_source(&sources, number, source));
        put_form(json, bench, EXEC_UNROLLED, number);
        put_form(json, bench, EXEC_LOOPED, number);
        put_left(json, bench, number);
        json_text(json, "reason", exec_missing(bench, number));
        json_close(json);
    }
    json_close(json);
    exec_sources_free(&sources);
}

/* Registers and memory are no amounts, so they have no metric. `tare diff` compares them. */
static bool is_left(const char *series)
{
    return strncmp(series, PREFIX_REGISTERS, strlen(PREFIX_REGISTERS)) == 0 ||
           strncmp(series, PREFIX_MEMORY, strlen(PREFIX_MEMORY)) == 0;
}

PLUGIN_OF(exec, .order = 500, .show = view_exec, .place = PLUGIN_FOR_SERIES,
          .bench_figures = figures_exec, .json = exec_json, .metrics = {.places = is_left});
