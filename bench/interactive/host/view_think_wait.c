/* SPDX-License-Identifier: BSD-2-Clause */
/* Shows think and wait: times of the states, transitions, and the claims of machines that know
 * less. */
#include <inttypes.h>

#include "bench/interactive/host/measure/call_rule.h"
#include "bench/interactive/host/measure/input.h"
#include "bench/interactive/host/view_input.h"
#include "kernel/input/event.h"
#include "kernel/run/names.h"
#include "tools/present/report_plugin.h"
#include "tools/present/view.h"

struct sheet {
    const struct view *view;
    const struct think_wait *think_wait;
    struct table table;
};

/* Returns the state's letter for the matrix, where names do not fit. */
static char letter_of(size_t state)
{
    return (char)('a' + state);
}

/* ---- times ---- */

static void add_ticks(struct sheet *sheet, uint64_t ticks)
{
    const uint64_t elapsed = sheet->think_wait->elapsed;
    char text[AMOUNT_MAX];

    table_format(&sheet->table, "%" PRIu64, ticks);
    table_share(&sheet->table, (double)ticks / (double)elapsed);
    table_text(&sheet->table, length_text(sheet->view, (int64_t)ticks, text));
}

static void print_states(struct sheet *sheet)
{
    const struct think_wait *think_wait = sheet->think_wait;
    const int64_t residual = think_wait_residual(think_wait);

    table_open(&sheet->table, "llrrrr", "\tstate\tvisits\tticks\tshare\t%s",
               length_unit(sheet->view));
    for (size_t i = 0; i < THINK_WAIT_STATES; i++) {
        table_line(&sheet->table, "%c\t%s\t%" PRIu64, letter_of(i),
                   think_wait_state_name((enum think_wait_state)i), think_wait->visits[i]);
        add_ticks(sheet, think_wait->ticks[i]);
    }
    table_line(&sheet->table, "\tsum\t");
    add_ticks(sheet, think_wait->elapsed - (uint64_t)residual);
    table_line(&sheet->table, "\telapsed\t\t%" PRIu64, think_wait->elapsed);
    table_line(&sheet->table, "\tdifference\t\t%" PRId64, residual);
    view_table(sheet->view, &sheet->table);
}

static void print_waits(const struct sheet *sheet)
{
    const struct think_wait *think_wait = sheet->think_wait;
    const struct view *view = sheet->view;
    const uint64_t since = think_wait->longest_at - think_wait->begin;
    char elapsed[AMOUNT_MAX];
    char waited[AMOUNT_MAX];
    char longest[AMOUNT_MAX];
    char at[AMOUNT_MAX];

    amount_text(view, (int64_t)think_wait->elapsed, UNIT_TICK, elapsed);
    if (think_wait->waits == 0) {
        print_paragraph(view->out, "think and wait: in %s the user never waited", elapsed);
        return;
    }
    amount_text(view, (int64_t)think_wait_waited(think_wait), UNIT_TICK, waited);
    print_paragraph(view->out,
                    "think and wait: of %s the user waited %s, in %" PRIu64
                    " interval%s; the longest took %s, from %s on",
                    elapsed, waited, think_wait->waits, think_wait->waits == 1 ? "" : "s",
                    amount_text(view, (int64_t)think_wait->longest, UNIT_TICK, longest),
                    amount_text(view, (int64_t)since, UNIT_TICK, at));
    if (view->ns_per_tick > 0) {
        print_paragraph(view->out,
                        "waits longer than %s, which users notice: %" PRIu64 ", in total %s",
                        amount_text(view, (int64_t)think_wait->perceptible, UNIT_TICK, longest),
                        think_wait->noticed,
                        amount_text(view, (int64_t)think_wait->noticed_ticks, UNIT_TICK, waited));
    }
}

/* ---- machines that know less ---- */

static void print_machines(struct sheet *sheet)
{
    static const char *const names[THINK_WAIT_MACHINES] = {
        [MACHINE_COMPLETE] = "complete",
        [MACHINE_PROCESSOR] = "processor alone",
        [MACHINE_PROCESSOR_QUEUE] = "processor, queue",
        [MACHINE_PROCESSOR_CALLS] = "processor, calls",
    };
    const struct think_wait *think_wait = sheet->think_wait;

    print_paragraph(
        sheet->view->out,
        "waits that state machines with less knowledge report, and their errors compared with the "
        "complete machine: think time that they report as wait, and wait that they miss");
    table_open(&sheet->table, "lrrrrr", "machine knows\twait\tshare\t%s\tis think\tmissed",
               length_unit(sheet->view));
    for (size_t i = 0; i < THINK_WAIT_MACHINES; i++) {
        const struct think_wait_verdict *machine = &think_wait->machines[i];

        table_line(&sheet->table, "%s", names[i]);
        add_ticks(sheet, machine->wait);
        table_format(&sheet->table, "%" PRIu64 "\t%" PRIu64, machine->false_wait, machine->missed);
    }
    view_table(sheet->view, &sheet->table);
}

/* ---- transitions ---- */

static void print_matrix(struct sheet *sheet)
{
    const struct think_wait *think_wait = sheet->think_wait;

    print_paragraph(sheet->view->out,
                    "%" PRIu64 " transitions from the state of the row to the state of the column",
                    think_wait->transition_count);
    table_open(&sheet->table, "lrrrrrrrrr", "from");
    for (size_t to = 0; to < THINK_WAIT_STATES; to++) {
        table_format(&sheet->table, "%c", letter_of(to));
    }
    for (size_t from = 0; from < THINK_WAIT_STATES; from++) {
        if (think_wait->visits[from] == 0) {
            continue;
        }
        table_line(&sheet->table, "%c %s", letter_of(from),
                   think_wait_state_name((enum think_wait_state)from));
        for (size_t to = 0; to < THINK_WAIT_STATES; to++) {
            if (think_wait->matrix[from][to] > 0) {
                table_format(&sheet->table, "%" PRIu64, think_wait->matrix[from][to]);
            } else {
                table_text(&sheet->table, to == from ? "" : ".");
            }
        }
    }
    view_table(sheet->view, &sheet->table);
}

static void print_list(struct sheet *sheet, size_t most)
{
    const struct think_wait *think_wait = sheet->think_wait;
    const size_t shown = think_wait->kept < most ? think_wait->kept : most;
    char text[THINK_WAIT_CAUSE_MAX];
    char at[AMOUNT_MAX];

    table_open(&sheet->table, "rrlll", "tick\tat\tfrom\tto\tcause");
    for (size_t i = 0; i < shown; i++) {
        const struct think_wait_transition *transition = &think_wait->transitions[i];
        const uint64_t since = transition->tsc - think_wait->begin;

        table_line(&sheet->table, "%" PRIu64 "\t%s\t%s\t%s\t%s", since,
                   sheet->view->ns_per_tick > 0
                       ? amount_text(sheet->view, (int64_t)since, UNIT_TICK, at)
                       : "",
                   think_wait_state_name(transition->from), think_wait_state_name(transition->to),
                   think_wait_cause(transition, text));
    }
    view_table(sheet->view, &sheet->table);
    if (shown < think_wait->transition_count) {
        fprintf(sheet->view->out, "  ... and %" PRIu64 " more%s\n",
                think_wait->transition_count - shown,
                shown < think_wait->kept ? " (--json has all)" : ", which were not kept");
    }
}

void view_think_wait(const struct view *view, const struct think_wait *think_wait, size_t most)
{
    struct sheet sheet = {.view = view, .think_wait = think_wait};

    print_waits(&sheet);
    print_states(&sheet);
    print_machines(&sheet);
    if (think_wait->transition_count > 0) {
        print_matrix(&sheet);
        print_list(&sheet, most);
    }
}

/* The error of the rule that an event ends at the next call for a message: table, JSON, figure. */

#define SECTION "Input events"

static const char *phase_name(const struct call_rule_row *row)
{
    return row->phase != NULL && row->phase->name != NULL ? row->phase->name : "";
}

static bool read_rule(struct call_rule *rule, const struct run_bench *bench)
{
    const struct input_reading *input = input_of(bench);

    call_rule_of(rule, &input->interactive, &input->marks);
    return input->good && input->interactive.present && rule->count > 0;
}

static void make_rows(const struct view *view, const struct call_rule *rule, struct table *table)
{
    table_open(table, "llrrrrr", "phase\tkind\tevents\tto the effect\tmin\tlate\tmax");
    for (size_t i = 0; i < rule->count; i++) {
        const struct call_rule_row *row = &rule->rows[i];

        table_line(table, "%s", phase_name(row));
        table_text(table, input_kind_name(row->kind));
        table_format(table, "%zu", row->n);
        cell_span(table, view, true, (double)row->effect.median);
        cell_span(table, view, true, (double)row->error.min);
        cell_span(table, view, true, (double)row->error.median);
        cell_span(table, view, true, (double)row->error.max);
    }
}

static void print_rule(const struct view *view, const struct call_rule *rule)
{
    struct table table;

    make_rows(view, rule, &table);
    print_paragraph(view->out,
                    "end of an event by the next call for a message: how much later it is than the "
                    "event's effect, by trace marks%s; medians, with min and max; below 0 it is "
                    "early",
                    span_note(view));
    view_table(view, &table);
}

static void show(const struct view *view, const struct run_bench *bench)
{
    struct call_rule rule;

    if (read_rule(&rule, bench)) {
        print_rule(view, &rule);
    }
    call_rule_free(&rule);
}

static void put_spread(struct json *json, const char *key, const struct statistics *statistics)
{
    json_object(json, key);
    json_signed(json, "min", statistics->min);
    json_signed(json, "median", statistics->median);
    json_signed(json, "max", statistics->max);
    json_close(json);
}

/* Writes [{"phase": "behind", "kind": "key_down", "events": 20, "late": {...}, "effect": {...}},
 * ...]. */
static void put(struct json *json, const struct run *run, const struct run_bench *bench)
{
    struct call_rule rule;

    (void)run;
    if (read_rule(&rule, bench)) {
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
}

static void figures_of(struct figures *figures, const struct run *run,
                       const struct run_bench *bench)
{
    struct call_rule rule;
    struct view view;

    view_init(&view, NULL, run);
    if (read_rule(&rule, bench)) {
        struct table table;

        make_rows(&view, &rule, &table);
        struct figure *figure =
            figure_add_table(figures, SECTION, "End of an event by the next call", &table,
                             "%s-next-call", bench->name);

        figure_how(figure,
                   "how much later the next call for a message is than the effect of the event, by "
                   "trace marks%s; medians, with min and max; below 0 it is early",
                   span_note(&view));
    }
    call_rule_free(&rule);
}

PLUGIN_OF(nextcall, .order = 335, .show = show, .json = put, .bench_figures = figures_of);
