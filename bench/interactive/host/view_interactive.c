/* SPDX-License-Identifier: BSD-2-Clause */
/* Shows the input events of a bench together: where their time went. */
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>

#include "bench/interactive/host/measure/interactive_summary.h"
#include "bench/interactive/host/measure/stairs.h"
#include "bench/interactive/host/measure/weights.h"
#include "bench/interactive/host/view_input.h"
#include "bench/interactive/names.h"
#include "kernel/run/names.h"
#include "tools/base/alloc.h"
#include "tools/present/view.h"
#include "tools/run/run_kind.h"

#define LABEL_WIDTH 44 /* leaves room for the other columns */

struct sheet {
    const struct view *view;
    const struct run_bench *bench;
    const struct interactive *interactive;
    const struct actions *actions;
    struct table table;
};

/* ---- stages of a response ---- */

static void print_stations(struct sheet *sheet)
{
    const struct interactive *interactive = sheet->interactive;
    int64_t *lengths = alloc_zeroed(interactive->count * sizeof(*lengths));
    struct statistics statistics;

    statistics_head(&sheet->table, "stage");
    for (unsigned i = 0; i < STAGES; i++) {
        const enum interactive_stage stage = (enum interactive_stage)i;
        size_t n = 0;

        for (size_t e = 0; e < interactive->count; e++) {
            n += interactive_stage_ticks(&interactive->events[e], stage, &lengths[n]);
        }
        statistics_of(lengths, n, &statistics);
        if (n > 0) {
            statistics_rows(&sheet->table, sheet->view, interactive_stage_name(stage), UNIT_TICK,
                            &statistics);
        }
    }
    free(lengths);
    view_table(sheet->view, &sheet->table);
}

/* ---- kinds ---- */

static void add_measure(struct sheet *sheet, const char *name,
                        const struct interactive_spread *spread)
{
    const struct statistics *statistics = &spread->statistics;

    table_line(&sheet->table, "  %s\t%zu", name, statistics->n);
    cell_span(&sheet->table, sheet->view, true, (double)statistics->min);
    cell_span(&sheet->table, sheet->view, true, (double)statistics->median);
    cell_span(&sheet->table, sheet->view, true, spread->mean);
    cell_span(&sheet->table, sheet->view, true, (double)statistics->max);
    if (spread->constant && run_is_exact(sheet->view->run)) {
        table_text(&sheet->table, "exact");
    } else {
        cell_span(&sheet->table, sheet->view, true, spread->deviation);
    }
}

static void add_kind(struct sheet *sheet, const struct interactive_summary *summary)
{
    char name[INTERACTIVE_CLASS_MAX];

    table_line(&sheet->table, "%s\t%zu\t\t\t\t\t", interactive_class_name(&summary->of, name),
               summary->events);
    for (unsigned i = 0; i < SUMMARY_ROWS; i++) {
        if (summary->measures[i].statistics.n > 0) {
            add_measure(sheet, interactive_row_name((enum interactive_summary_row)i),
                        &summary->measures[i]);
        }
    }
}

static void print_kinds(struct sheet *sheet)
{
    size_t count;
    struct interactive_summary *summaries = interactive_summaries(sheet->interactive, &count);

    table_open(&sheet->table, "lrrrrrr", "kind\tn\tmin\tmedian\tmean\tmax\tstd. dev.");
    for (size_t i = 0; i < count; i++) {
        add_kind(sheet, &summaries[i]);
    }
    free(summaries);
    print_paragraph(sheet->view->out,
                    "by kind%s; elongation: excess of the idle loop's samples, for events that "
                    "share no sample with another%s",
                    span_note(sheet->view),
                    run_is_exact(sheet->view->run) ? "; exact: all values are equal" : "");
    view_table(sheet->view, &sheet->table);
}

/* ---- actions ---- */

static void add_group(struct sheet *sheet, const struct latency_group *group)
{
    table_line(&sheet->table, "%s\t%zu\t\t\t\t\t", group->label, group->actions);
    for (unsigned m = 0; m < MEASURES; m++) {
        const struct latency_events *events = &group->of[m];
        struct interactive_spread spread;

        interactive_spread_of(events->latencies, events->count, &spread);
        if (events->count > 0) {
            add_measure(sheet, measure_name(m), &spread);
        }
    }
}

/* Down and up of one key are one action. */
static void print_actions(struct sheet *sheet)
{
    struct latency_groups groups;

    latency_groups_of(&groups, sheet->interactive, sheet->actions,
                      &(struct latency_wish){.by_class = true});
    if (groups.count > 0) {
        table_open(&sheet->table, "lrrrrrr", "class\tn\tmin\tmedian\tmean\tmax\tstd. dev.");
        for (size_t i = 0; i < groups.count; i++) {
            add_group(sheet, &groups.item[i]);
        }
        print_paragraph(sheet->view->out,
                        "actions by class%s; idle: excess of the idle loop's samples, for actions "
                        "that share no sample with another; call: to the next call for a message; "
                        "weighted: weighted time (model), in cycles",
                        span_note(sheet->view));
        view_table(sheet->view, &sheet->table);
    }
    latency_groups_free(&groups);
}

/* ---- why the idle loop's excess is larger than the time between the stamps ---- */

/* Adds a part, summed over all explained events. */
static void add_part(struct sheet *sheet, const char *label, uint64_t events, int64_t total)
{
    table_line(&sheet->table, "%.*s\t%" PRIu64 "\t%" PRId64, LABEL_WIDTH, label, events, total);
    cell_span(&sheet->table, sheet->view, true,
              (double)total / (double)sheet->interactive->explained);
}

static void print_explanation(struct sheet *sheet)
{
    const struct interactive *interactive = sheet->interactive;
    struct interactive_explained explanation;
    int64_t sum;

    if (interactive->explained == 0) {
        return;
    }
    interactive_sum_explained(interactive, &explanation);
    sum = explanation.stamps;
    table_open(&sheet->table, "lrrr", "part\tevents\tticks\tper event");
    add_part(sheet, "latency by the application's time stamps", interactive->explained,
             explanation.stamps);
    for (size_t i = 0; i < interactive->part_count; i++) {
        const struct interactive_part *part = &interactive->parts[i];

        add_part(sheet, part->label, part->events, part->total);
        sum += part->total;
    }
    add_part(sheet, "sum", interactive->explained, sum);
    add_part(sheet, "busy by the trace", interactive->explained, explanation.busy);
    add_part(sheet, "excess time of idle samples", interactive->explained, explanation.elongation);
    print_paragraph(sheet->view->out,
                    "what the application's own stamps miss, for the %" PRIu64
                    " events that share no sample of the idle loop with another: one part per row, "
                    "in ticks over all events and as mean per event%s",
                    interactive->explained, span_note(sheet->view));
    view_table(sheet->view, &sheet->table);
    char iteration[48] = "";
    char text[160];

    if (interactive->iteration_millitick > 0) {
        snprintf(iteration, sizeof(iteration), ", whose iteration takes %.3f",
                 (double)interactive->iteration_millitick / 1000);
    }
    snprintf(text, sizeof(text),
             "largest unexplained difference of an event: %" PRId64 " ticks by the trace, %" PRId64
             " by the idle loop%s",
             interactive->residual, interactive->idle_residual, iteration);
    fputs("  ", sheet->view->out);
    print_wrapped(sheet->view->out, text, 2, 2);
}

/* ---- phases, counts, stairs ---- */

static void print_phases(struct sheet *sheet)
{
    const struct interactive *interactive = sheet->interactive;
    const struct view *view = sheet->view;
    struct table *table = &sheet->table;

    if (interactive->phase_count == 0) {
        return;
    }
    table_open(&sheet->table, "lrrrrrrrr",
               "phase\tevents\tredraws\tfrom\tlength\tbusy\thandling\tper event\tidle loop");
    for (size_t i = 0; i < interactive->phase_count; i++) {
        const struct interactive_phase *phase = &interactive->phases[i];
        const bool any = phase->known && phase->events > 0;

        if (phase->name != NULL) {
            table_line(table, "%s\t%zu", phase->name, phase->events);
        } else {
            table_line(table, "%u\t%zu", phase->phase, phase->events);
        }
        table_known(table, phase->has_redraws, phase->redraws);
        cell_amount(table, view, phase->known, (int64_t)(phase->from - interactive->begin));
        cell_span(table, view, phase->known, (double)(int64_t)(phase->to - phase->from));
        cell_span(table, view, phase->known, (double)(int64_t)phase->busy);
        cell_span(table, view, phase->known, (double)(int64_t)phase->handling);
        cell_span(table, view, any, (double)phase->handling / (double)phase->events);
        cell_subset(table, view, phase->alone, phase->events,
                    (double)phase->elongation / (double)phase->alone);
    }
    print_paragraph(sheet->view->out,
                    "phases of the bench%s; handling: the part of the busy time in which an event "
                    "of the phase had arrived and was not done; idle loop: excess of the idle "
                    "loop's samples per event, for events that share no sample with another event, "
                    "with their number in brackets if these are not all",
                    span_note(sheet->view));
    view_table(sheet->view, &sheet->table);
}

static void add_counts(struct sheet *sheet, const struct latency_group *group)
{
    table_line(&sheet->table, "%s\t%zu\t\t\t\t", group->label, group->actions);
    for (size_t c = 0; c < sheet->interactive->counted_count; c++) {
        struct interactive_spread spread;

        latency_count_spread(group, sheet->actions, c, &spread);
        table_line(&sheet->table, "  %s\t%zu", sheet->interactive->counted[c], spread.statistics.n);
        table_real(&sheet->table, spread.mean);
        table_real(&sheet->table, spread.deviation);
        table_known(&sheet->table, spread.statistics.n > 0, spread.statistics.min);
        table_known(&sheet->table, spread.statistics.n > 0, spread.statistics.max);
    }
}

/* Prints the counts of the actions of each class: the paper's figures 9 and 10. */
static void print_counted(struct sheet *sheet)
{
    struct latency_groups groups;

    if (sheet->interactive->counts == NULL) {
        return;
    }
    latency_groups_of(&groups, sheet->interactive, sheet->actions,
                      &(struct latency_wish){.by_class = true});
    table_open(&sheet->table, "lrrrrr", "class\tn\tmean\tstd. dev.\tmin\tmax");
    for (size_t g = 0; g < groups.count; g++) {
        add_counts(sheet, &groups.item[g]);
    }
    print_paragraph(sheet->view->out, "counts of actions by class, %s; n: actions with that count",
                    interactive_counted_how(sheet->interactive));
    view_table(sheet->view, &sheet->table);
    latency_groups_free(&groups);
}

/* Returns how many counts the table of actions has room for, besides its five other columns. */
static size_t counts_shown(const struct interactive *interactive)
{
    const size_t most = TABLE_COLUMNS_MAX - 5;

    return interactive->counted_count < most ? interactive->counted_count : most;
}

/* Adds an action. The two measures are service and weighted time. */
static void add_action(struct sheet *sheet, size_t index)
{
    const struct action *action = &sheet->actions->actions[index];

    table_line(&sheet->table, "%zu\t%s\t%s", index + 1, sheet->actions->classes[action->class],
               action->phase != NULL && action->phase->name != NULL ? action->phase->name : "");
    cell_span(&sheet->table, sheet->view, action->known[MEASURE_SERVICE],
              (double)action->latency[MEASURE_SERVICE]);
    cell_span(&sheet->table, sheet->view, action->known[MEASURE_WEIGHTED],
              (double)action->latency[MEASURE_WEIGHTED]);
    for (size_t c = 0; c < counts_shown(sheet->interactive) && action->counts != NULL; c++) {
        table_known(&sheet->table, action->counts[c].known, action->counts[c].value);
    }
}

void view_actions(const struct view *view, const struct interactive *interactive,
                  const struct actions *actions)
{
    struct sheet sheet = {.view = view, .interactive = interactive, .actions = actions};

    table_open(&sheet.table, "rllrrrrrrrrrrrrr", "nr\tclass\tphase\tservice\tweighted (model)");
    for (size_t c = 0; c < counts_shown(interactive) && interactive->counts != NULL; c++) {
        table_text(&sheet.table, interactive->counted[c]);
    }
    for (size_t i = 0; i < actions->count; i++) {
        add_action(&sheet, i);
    }
    print_paragraph(view->out,
                    "each action%s, %s. Weighted (model): service plus %d cycles a TLB miss, %d a "
                    "segment load and %d a misaligned access",
                    span_note(view),
                    interactive->counts != NULL ? interactive_counted_how(interactive)
                                                : "without counts (tare boot --count p5 counts)",
                    WEIGHT_TLB_MISS, WEIGHT_SEGMENT_LOAD, WEIGHT_MISALIGNED);
    if (counts_shown(interactive) < interactive->counted_count) {
        print_paragraph(view->out, "left out: %zu more counts",
                        interactive->counted_count - counts_shown(interactive));
    }
    view_table(view, &sheet.table);
    print_counted(&sheet);
}

static void print_stairs(struct sheet *sheet, const struct stairs *stairs)
{
    const struct view *view = sheet->view;

    table_open(&sheet->table, "lrrr", "burst\tbegin\tperiods\tbusy");
    for (size_t i = stairs->first; i <= stairs->last; i++) {
        const struct stair_burst *burst = &stairs->bursts[i];

        if (i == stairs->first || i == stairs->last) {
            table_line(&sheet->table, i == stairs->first ? "input" : "redraw");
        } else {
            table_line(&sheet->table, "stair %zu", i - stairs->first);
        }
        cell_amount(&sheet->table, view, true, burst->begin);
        table_format(&sheet->table, "%.3f",
                     ((double)burst->begin - stairs->phase) / stairs->period);
        cell_span(&sheet->table, view, true, (double)burst->ticks);
    }
    view_table(sheet->view, &sheet->table);
}

/* Prints the animation of a bench that paces its drawing and reports its clock. */
static void print_animation(struct sheet *sheet)
{
    const struct view *view = sheet->view;
    struct stairs stairs;
    struct stairs_truth truth;
    char period[AMOUNT_MAX];

    if (run_find_fact(sheet->bench, FACT_CLOCK_PERIOD) == NULL) {
        return;
    }
    stairs_of(sheet->bench, &stairs);
    if (stairs.why != NULL) {
        print_paragraph(view->out, "animation was not found from the idle loop alone: %s",
                        stairs.why);
        stairs_free(&stairs);
        return;
    }
    print_paragraph(
        view->out,
        "animation, from the idle loop alone: %zu stairs between two busy periods, "
        "every %s, off by at most %.2f samples; %zu of them%s are longer than the one before%s",
        stairs_count(&stairs), amount_text(view, llround(stairs.period), UNIT_TICK, period),
        stairs.alignment, stairs.longer, stairs_grow(&stairs) ? ", all except the first," : "",
        span_note(view));
    if (stairs_compare(&stairs, sheet->bench, &truth)) {
        print_paragraph(view->out,
                        "the clock's period is %" PRId64 " ticks: the period found differs by "
                        "%+.1f ticks, and the stairs begin %+.0f ticks from a tick of the clock",
                        truth.clock_period, truth.period_error, truth.phase_error);
    }
    print_stairs(sheet, &stairs);
    stairs_free(&stairs);
}

void view_interactive(const struct view *view, const struct run_bench *bench,
                      const struct interactive *interactive, const struct actions *actions)
{
    struct sheet sheet = {
        .view = view, .bench = bench, .interactive = interactive, .actions = actions};

    print_stations(&sheet);
    print_kinds(&sheet);
    print_actions(&sheet);
    print_explanation(&sheet);
    print_phases(&sheet);
    print_counted(&sheet);
    print_animation(&sheet);
}
