/* SPDX-License-Identifier: BSD-2-Clause */
/* Draws input events bench by bench: bars by kind, parts, phases, and the curves of
 * figures_curves.c.
 */
#include <inttypes.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "bench/interactive/host/figures_input.h"
#include "bench/interactive/host/measure/input.h"
#include "bench/interactive/host/measure/thresholds.h"
#include "bench/interactive/host/measure/weights.h"
#include "bench/interactive/host/view_input.h"
#include "bench/interactive/names.h"
#include "kernel/run/names.h"
#include "tools/base/alloc.h"
#include "tools/present/report_plugin.h"
#include "tools/present/view.h"

/* ---- thresholds ---- */

/* Returns the largest round length (1, 2 or 5 times a power of ten, in the unit of `scale`) below
 * `length`, in ticks. */
static int64_t round_below(int64_t length, const struct figure_scale *scale)
{
    const double value = (double)length * scale->per_tick * (1 - 1e-9);
    const double decade = pow(10, floor(log10(value)));
    const double first = value / decade;

    return (int64_t)((first > 5 ? 5 : first > 2 ? 2 : 1) * decade / scale->per_tick);
}

static void set_measure(struct input_measure *of, const struct run *run,
                        const struct latency_groups *groups, enum measure measure)
{
    const double ns_per_tick = run_ns_per_tick(run);
    const struct latency_event *longest = latency_longest_of(groups, measure);

    *of = (struct input_measure){.longest = longest != NULL ? longest->latency : 0};
    for (size_t g = 0; g < groups->count; g++) {
        of->count += groups->item[g].of[measure].count;
    }
    if (of->longest > 0) {
        const struct figure_scale scale = figure_time_scale(run, (double)of->longest);
        const int64_t perceptible =
            ns_per_tick > 0 ? latency_threshold(THRESHOLD_DEFAULT_MS, ns_per_tick) : INT64_MAX;

        of->perceptible = of->longest > perceptible;
        of->threshold = of->perceptible ? perceptible : round_below(of->longest, &scale);
    }
}

void input_mark_threshold(struct figure *figure, const struct input_measure *of, double per_tick)
{
    figure_threshold(figure, (double)of->threshold * per_tick, of->perceptible ? "0.1 s" : NULL);
}

struct figure_scale input_length_scale(const struct run *run, enum measure measure, double typical)
{
    const double per_instruction = run_ticks_per_instruction(run);

    return measure == MEASURE_WEIGHTED && per_instruction > 0
               ? (struct figure_scale){1 / per_instruction, UNIT_WEIGHTED}
               : figure_time_scale(run, typical);
}

/* ---- names ---- */

const char *input_group_name(const struct input_bench *input, const struct latency_group *group,
                             char text[INPUT_NAME_MAX])
{
    snprintf(text, INPUT_NAME_MAX, "%.80s%s%s", input->bench->name,
             group->label[0] != '\0' ? ": " : "", group->label);
    return text;
}

const char *input_group_elapsed(const struct view *view, const struct latency_group *group,
                                char text[INPUT_NAME_MAX])
{
    char elapsed[AMOUNT_MAX];

    snprintf(text, INPUT_NAME_MAX, "%s%s[%s]", group->label, group->label[0] != '\0' ? " " : "",
             amount_text(view, (int64_t)group->elapsed, UNIT_TICK, elapsed));
    return text;
}

struct figure *input_add_figure(struct figures *figures, enum figure_kind kind,
                                enum measure measure, const char *section, const char *id,
                                const char *title, ...)
{
    const bool chosen = measure == measure_chosen();
    char text[INPUT_NAME_MAX];
    char whole[INPUT_NAME_MAX + 32];
    va_list values;

    va_start(values, title);
    vsnprintf(text, sizeof(text), title, values);
    va_end(values);
    snprintf(whole, sizeof(whole), "%s: %s", text, measure_label(measure));
    struct figure *figure = figure_add(figures, kind, section, whole, "%s%s%s", id,
                                       chosen ? "" : "-", chosen ? "" : measure_name(measure));

    figure_variant(figure, measure_name(measure), chosen);
    return figure;
}

/* ---- reading ---- */

/* Returns NULL on success, otherwise the reason why there is nothing to show. */
static const char *read_input(struct input_bench *input, const struct run *run)
{
    const struct latency_wish wish = latency_wish_chosen(run_ns_per_tick(run));
    const struct run_bench *bench = input->bench;

    if (bench->trace_count == 0) {
        return bench->reason != NULL ? bench->reason : "its trace is missing";
    }
    const struct input_reading *read = input_of(bench);

    input->interactive = &read->interactive;
    input->actions = &read->actions;
    if (!read->good) {
        return "its trace cannot be read";
    }
    if (read->interactive.arrived == 0) {
        return "its trace contains no input event";
    }
    latency_groups_of(&input->groups, input->interactive, input->actions, &wish);
    for (unsigned m = 0; m < MEASURES; m++) {
        set_measure(&input->of[m], run, &input->groups, (enum measure)m);
    }
    if (input->of[MEASURE_RESPONSE].longest <= 0) {
        return wish.has_above ? "no action takes longer than the limit of --above"
                              : "its trace contains the end of no event";
    }
    input->kinds = interactive_summaries(input->interactive, &input->kind_count);
    return NULL;
}

void input_bench_read(struct input_bench *input, const struct run *run,
                      const struct run_bench *bench)
{
    *input = (struct input_bench){.bench = bench};
    input->why = read_input(input, run);
}

void input_bench_free(struct input_bench *input)
{
    latency_groups_free(&input->groups);
    free(input->kinds);
}

/* In this group, only bench model has no input: its arrivals are timers. */
bool input_is_interactive(const struct run_bench *bench)
{
    return bench->group != NULL && strcmp(bench->group, GROUP_INTERACTIVE) == 0 &&
           /* the name is "model" or "model@PROCESSOR" */
           strncmp(bench->name, BENCH_MODEL, sizeof(BENCH_MODEL) - 1) != 0;
}

bool input_is_shown(const struct run *run, const struct run_bench *bench)
{
    return run_find_bench(run, bench->name) == bench &&
           (input_is_interactive(bench) || view_has_input(bench));
}

/* Reads all benches for which input_is_shown() is true, including those that cannot be shown. */
static void input_benches_read(struct input_benches *benches, const struct run *run)
{
    *benches = (struct input_benches){0};
    for (size_t i = 0; i < run->bench_count; i++) {
        const struct run_bench *bench = &run->benches[i];

        if (input_is_shown(run, bench)) {
            input_bench_read(alloc_next(&benches->item, &benches->count, &benches->capacity,
                                        sizeof(*benches->item)),
                             run, bench);
        }
    }
}

#define TEXT_MAX 160

/* What is needed to draw one bench. */
struct sheet {
    struct figures *figures;
    const struct input_bench *input;
    char section[TEXT_MAX];
    struct view view;
};

static struct figure *add(const struct sheet *sheet, enum figure_kind kind, const char *title,
                          const char *id)
{
    return figure_add_of(sheet->figures, kind, sheet->section, sheet->input->bench, title, id);
}

/* ---- phases ---- */

static void add_phase(struct figure *figure, const struct view *view,
                      const struct interactive_phase *phase, uint64_t begin)
{
    if (phase->name != NULL) {
        figure_cell(figure, "%s\t%zu", phase->name, phase->events);
    } else {
        figure_cell(figure, "%u\t%zu", phase->phase, phase->events);
    }
    if (phase->has_redraws) {
        figure_cell(figure, "%" PRId64, phase->redraws);
    } else {
        figure_cell(figure, "n/a");
    }
    figure_amount(figure, view, phase->known, (int64_t)(phase->from - begin));
    figure_amount(figure, view, phase->known, (int64_t)(phase->to - phase->from));
    figure_span(figure, view, phase->known, (double)phase->busy);
    figure_span(figure, view, phase->known && phase->events > 0,
                (double)phase->handling / (double)phase->events);
    char text[AMOUNT_MAX];

    figure_cell(figure, phase->alone > 0 ? "%s (%zu)" : "n/a",
                span_text(view, (double)phase->elongation / (double)phase->alone, text),
                phase->alone);
}

static void add_phases(const struct sheet *sheet)
{
    const struct interactive *interactive = sheet->input->interactive;

    if (interactive->phase_count == 0) {
        return;
    }
    struct figure *figure = add(sheet, FIGURE_TABLE, "phases", "phases");

    figure_how(
        figure,
        "busy time of each phase and means per event%s, by the trace. Handling: the part of the "
        "busy time in which an event of the phase had arrived and was not done. Idle loop: excess "
        "of the idle loop's samples, for events that share no sample with another event (their "
        "number in brackets)",
        span_note(&sheet->view));
    figure_open(figure, "lrrrrrrr",
                "phase\tevents\tredraws\tfrom\tlength\tbusy\thandling per event\tidle loop");
    for (size_t i = 0; i < interactive->phase_count; i++) {
        add_phase(figure, &sheet->view, &interactive->phases[i], interactive->begin);
    }
}

/* ---- a bench ---- */

/* Adds the source of input to each figure of a bench whose input comes from no device. */
static void label_source(struct figures *figures, size_t first, const struct run_bench *bench)
{
    const char *found = run_find_param(bench, FOUND_INPUT);

    for (size_t i = first; found != NULL && i < figures->count; i++) {
        struct figure *figure = &figures->item[i];

        figure_how(figure, "%s%sinput %s", figure->how != NULL ? figure->how : "",
                   figure->how != NULL ? "; " : "", found);
    }
}

static void add_bench(struct figures *figures, const struct run *run,
                      const struct input_bench *input)
{
    const size_t first = figures->count;
    struct sheet sheet = {.figures = figures, .input = input};

    view_init(&sheet.view, NULL, run);
    snprintf(sheet.section, sizeof(sheet.section), "Input events: %s", input->bench->name);
    figure_utilisation(figures, run, input->bench, sheet.section);
    figures_curves(figures, run, input, sheet.section);
    add_phases(&sheet);
    label_source(figures, first, input->bench);
}

void figures_events(struct figures *figures, const struct run *run)
{
    struct input_benches benches;

    input_benches_read(&benches, run);
    figures_paper(figures, run, &benches);
    figures_latency(figures, run, &benches);
    for (size_t i = 0; i < benches.count; i++) {
        const struct input_bench *input = &benches.item[i];

        /* a bench whose threads have queues may have no input events */
        if (input->why != NULL && (input_is_interactive(input->bench) ||
                                   (input->interactive != NULL && input->interactive->present))) {
            figure_absent(figure_add_of(figures, FIGURE_ABSENT, INPUT_SECTION, input->bench,
                                        "event latency profile", "profile"),
                          "%s", input->why);
        }
    }
    for (size_t i = 0; i < benches.count; i++) {
        if (benches.item[i].why == NULL) {
            add_bench(figures, run, &benches.item[i]);
        }
    }
    for (size_t i = 0; i < benches.count; i++) {
        input_bench_free(&benches.item[i]);
    }
    free(benches.item);
}

PLUGIN_REGISTER(figures_events) = {.order = 330, .figures = figures_events};
