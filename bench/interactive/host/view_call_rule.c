/* SPDX-License-Identifier: BSD-2-Clause */
/* The error of the rule that an event ends at the next call for a message: table, JSON, figure. */
#include <inttypes.h>

#include "bench/interactive/host/measure/call_rule.h"
#include "kernel/input/event.h"
#include "tools/present/figure_kit.h"
#include "tools/present/reading.h"
#include "tools/present/view.h"

#define SECTION "Input events"

static const char *phase_name(const struct call_rule_row *row)
{
    return row->phase != NULL && row->phase->name != NULL ? row->phase->name : "";
}

static bool read_rule(struct interactive *interactive, struct call_rule *rule,
                      const struct run_bench *bench)
{
    *rule = (struct call_rule){0};
    return interactive_read(interactive, bench) && interactive->present &&
           call_rule_read(rule, interactive, bench) && rule->count > 0;
}

static void add_span(struct table *table, const struct view *view, int64_t ticks)
{
    char text[AMOUNT_MAX];

    table_text(table, span_text(view, (double)ticks, text));
}

static void print_rule(const struct view *view, const struct call_rule *rule)
{
    static const char *const heads[] = {"phase", "kind", "events", "to the effect",
                                        "min",   "late", "max"};
    struct table table;

    table_head(&table, "llrrrrr", heads);
    for (size_t i = 0; i < rule->count; i++) {
        const struct call_rule_row *row = &rule->rows[i];

        table_row(&table);
        table_text(&table, phase_name(row));
        table_text(&table, input_kind_name(row->kind));
        table_format(&table, "%zu", row->n);
        add_span(&table, view, row->effect.median);
        add_span(&table, view, row->error.min);
        add_span(&table, view, row->error.median);
        add_span(&table, view, row->error.max);
    }
    print_paragraph(view->out,
                    "end of an event by the next call for a message: how much later than its "
                    "effect, by marks of the trace%s; medians, with min and max. Below 0 "
                    "it is early",
                    span_note(view));
    fputc('\n', view->out);
    table_print(&table, view->out, 2);
}

static void show(const struct view *view, const struct run_bench *bench)
{
    struct interactive interactive;
    struct call_rule rule;

    if (read_rule(&interactive, &rule, bench)) {
        print_rule(view, &rule);
    }
    call_rule_free(&rule);
    interactive_free(&interactive);
}

static void put_spread(struct json *json, const char *key, const struct statistics *statistics)
{
    json_object(json, key);
    json_signed(json, "min", statistics->min);
    json_signed(json, "median", statistics->median);
    json_signed(json, "max", statistics->max);
    json_close(json);
}

/* [{"phase": "behind", "kind": "key_down", "events": 20, "late": {...}, "effect": {...}}, ...] */
static void put(struct json *json, const struct run *run, const struct run_bench *bench)
{
    struct interactive interactive;
    struct call_rule rule;

    (void)run;
    if (read_rule(&interactive, &rule, bench)) {
        json_array(json, "next_call");
        for (size_t i = 0; i < rule.count; i++) {
            const struct call_rule_row *row = &rule.rows[i];

            json_object(json, NULL);
            json_text(json, "phase", phase_name(row));
            json_text(json, "kind", input_kind_name(row->kind));
            json_unsigned(json, "events", row->n);
            put_spread(json, "late", &row->error);
            put_spread(json, "effect", &row->effect);
            json_close(json);
        }
        json_close(json);
    }
    call_rule_free(&rule);
    interactive_free(&interactive);
}

static void add_cell(struct figure *figure, const struct view *view, int64_t ticks)
{
    char text[AMOUNT_MAX];

    figure_cell(figure, "%s", span_text(view, (double)ticks, text));
}

static void figures_of(struct figures *figures, const struct run *run,
                       const struct run_bench *bench)
{
    static const char *const heads[] = {"phase", "kind", "events", "to the effect",
                                        "min",   "late", "max"};
    struct interactive interactive;
    struct call_rule rule;
    struct view view;

    view_init(&view, NULL, run);
    if (read_rule(&interactive, &rule, bench)) {
        struct figure *figure =
            figure_add(figures, FIGURE_TABLE, SECTION, "End of an event by the next call",
                       "%s-next-call", bench->name);

        figure_how(figure,
                   "how much later the next call for a message is than the effect of the event, by "
                   "marks of the trace%s; medians, with min and max; below 0 it is early",
                   span_note(&view));
        figure_table(figure, "llrrrrr", heads);
        for (size_t i = 0; i < rule.count; i++) {
            const struct call_rule_row *row = &rule.rows[i];

            figure_cell(figure, "%s", phase_name(row));
            figure_cell(figure, "%s", input_kind_name(row->kind));
            figure_cell(figure, "%zu", row->n);
            add_cell(figure, &view, row->effect.median);
            add_cell(figure, &view, row->error.min);
            add_cell(figure, &view, row->error.median);
            add_cell(figure, &view, row->error.max);
        }
    }
    call_rule_free(&rule);
    interactive_free(&interactive);
}

READING_OF(nextcall, .order = 335, .show = show, .json = put, .bench_figures = figures_of);
