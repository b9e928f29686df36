/* SPDX-License-Identifier: BSD-2-Clause */
/* Draws the input events of all benches together: kinds, stages, classes, responsiveness. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "bench/interactive/host/figures_input.h"
#include "kernel/run/names.h"
#include "tools/base/alloc.h"
#include "tools/base/sort.h"
#include "tools/present/view.h"

/* Returns the longest latency of all benches by this measure. */
static int64_t longest_of(const struct input_benches *benches, enum measure measure)
{
    int64_t longest = 0;

    for (size_t i = 0; i < benches->count; i++) {
        const struct input_bench *input = &benches->item[i];

        if (input->why == NULL && input->of[measure].longest > longest) {
            longest = input->of[measure].longest;
        }
    }
    return longest;
}

/* ---- kinds of events ---- */

typedef void row_function(struct figure *figure, const struct view *view,
                          const struct input_bench *input,
                          const struct interactive_summary *summary);

static void add_rows(struct figure *figure, const struct view *view,
                     const struct input_benches *benches, row_function *finish)
{
    for (size_t i = 0; i < benches->count; i++) {
        const struct input_bench *input = &benches->item[i];

        for (size_t k = 0; k < input->kind_count; k++) {
            const struct interactive_summary *summary = &input->kinds[k];
            char label[INTERACTIVE_CLASS_MAX];

            figure_cell(figure, "%s\t%s\t%zu", input->bench->name,
                        interactive_class_name(&summary->of, label), summary->events);
            finish(figure, view, input, summary);
        }
    }
}

/* Adds a cell for `n` of `all` lengths, rounded to whole instructions: the time when an input is
 * due is in ticks, which are finer. */
static void add_whole(struct figure *figure, const struct view *view, size_t n, size_t all,
                      int64_t ticks)
{
    char text[AMOUNT_MAX];
    char number[AMOUNT_MAX] = "";

    if (n < all) {
        snprintf(number, sizeof(number), " (%zu)", n);
    }
    if (n > 0 && view->ticks_per_instruction > 0) {
        figure_cell(figure, "%.0f%s", (double)ticks / view->ticks_per_instruction, number);
    } else {
        figure_cell(figure, "%s%s", n > 0 ? span_text(view, (double)ticks, text) : "n/a",
                    n > 0 ? number : "");
    }
}

static void add_medians(struct figure *figure, const struct view *view,
                        const struct input_bench *input, const struct interactive_summary *summary)
{
    static const enum interactive_summary_row shown[] = {
        SUMMARY_RESPONSE, SUMMARY_SERVICE, SUMMARY_BUSY, SUMMARY_ELONGATION, SUMMARY_TRADITIONAL};

    (void)input;
    for (size_t i = 0; i < sizeof(shown) / sizeof(shown[0]); i++) {
        const struct statistics *statistics = &summary->measures[shown[i]].statistics;

        add_whole(figure, view, statistics->n, summary->events, statistics->median);
    }
}

static void add_stages(struct figure *figure, const struct view *view,
                       const struct input_bench *input, const struct interactive_summary *summary)
{
    double means[STAGES];
    size_t n[STAGES];

    interactive_stage_means(input->interactive, &summary->of, means, n);
    for (size_t i = 0; i < STAGES; i++) {
        char text[AMOUNT_MAX];

        figure_cell(figure, n[i] < summary->events ? "%s (%zu)" : "%s",
                    span_text(view, means[i], text), n[i]);
    }
    figure_span(figure, view, true, summary->measures[SUMMARY_RESPONSE].mean);
}

static void add_kinds(struct figures *figures, const struct view *view,
                      const struct input_benches *benches)
{
    struct figure *figure = figure_add(figures, FIGURE_TABLE, INPUT_SECTION,
                                       "Median latency of events, by kind", "events-kinds");

    figure_how(
        figure,
        "medians%s; in brackets the number of events, if not all have the value. Response: from "
        "when the event was due until it was done. Service: from the "
        "arrival of the event until it was done. Busy: the part of service in which the processor "
        "was busy. Idle loop: excess of the idle loop's samples, for events that share no sample "
        "with another event. Stamps: latency by the application's own time stamps",
        span_note(view));
    figure_open(figure, "llrrrrrr",
                "bench\tkind\tevents\tresponse\tservice\tbusy\tidle loop\tstamps");
    add_rows(figure, view, benches, add_medians);
}

static void add_all_stages(struct figures *figures, const struct view *view,
                           const struct input_benches *benches)
{
    struct figure *figure = figure_add(figures, FIGURE_TABLE, INPUT_SECTION,
                                       "Stages of a response time", "events-stages");

    figure_how(
        figure,
        "means%s of the stages by the trace, which add up to the response time. Due to arrival: "
        "the sender and the controller. Arrival to queue: interrupt and driver. At work: from when "
        "the application takes the event from the queue until the event is done",
        span_note(view));
    figure_open(figure, "llrrrrrr", "bench\tkind\tevents\t%s\t%s\t%s\t%s\tresponse",
                interactive_stage_name(STAGE_COMING), interactive_stage_name(STAGE_POSTING),
                interactive_stage_name(STAGE_QUEUED), interactive_stage_name(STAGE_WORK));
    add_rows(figure, view, benches, add_stages);
}

/* ---- classes of actions ---- */

static void add_classes_of(struct figure *figure, const struct view *view,
                           const struct input_bench *input)
{
    static const enum measure shown[] = {MEASURE_RESPONSE, MEASURE_SERVICE, MEASURE_IDLE};
    struct latency_groups groups;

    latency_groups_of(&groups, input->interactive, input->actions,
                      &(struct latency_wish){.by_class = true});
    for (size_t g = 0; g < groups.count; g++) {
        const struct latency_group *group = &groups.item[g];

        figure_cell(figure, "%s\t%s\t%zu", input->bench->name, group->label, group->actions);
        for (size_t i = 0; i < sizeof(shown) / sizeof(shown[0]); i++) {
            const struct latency_events *events = &group->of[shown[i]];
            struct statistics statistics;

            statistics_of(events->latencies, events->count, &statistics);
            add_whole(figure, view, events->count, group->actions, statistics.median);
            add_whole(figure, view, events->count, events->count, statistics.max);
        }
    }
    latency_groups_free(&groups);
}

static void add_classes(struct figures *figures, const struct view *view,
                        const struct input_benches *benches)
{
    struct figure *figure = figure_add(figures, FIGURE_TABLE, INPUT_SECTION,
                                       "Latency of actions, by class", "events-classes");

    figure_how(figure,
               "medians and the longest%s; in brackets the number of actions, if not all have the "
               "value; down and up of a key or button are one action, whose "
               "latency is the sum over its events. Idle loop: excess of the idle loop's samples, "
               "for actions that share no sample with another action",
               span_note(view));
    figure_open(figure, "llrrrrrrr",
                "bench\tclass\tactions\tresponse\tresponse, longest\tservice\tservice, "
                "longest\tidle loop\tidle loop, longest");
    for (size_t i = 0; i < benches->count; i++) {
        if (benches->item[i].why == NULL) {
            add_classes_of(figure, view, &benches->item[i]);
        }
    }
}

/* ---- responsiveness: section 3.1 ---- */

/* Sums what each action exceeds the threshold of its class by. */
static struct latency_responsiveness
respond(const struct input_bench *input, const struct latency_events *events, double ns_per_tick)
{
    const struct measure_choice *choice = measure_choice();
    struct latency_responsiveness sum = {0};

    for (size_t i = 0; i < events->count; i++) {
        const struct latency_event *event = &events->events[i];
        const double ms = choice->has_thresholds
                              ? thresholds_of(&choice->thresholds, event->kind,
                                              input->actions->classes[event->class])
                              : THRESHOLD_DEFAULT_MS;
        const int64_t threshold = latency_threshold(ms, ns_per_tick);

        if (event->latency > threshold) {
            sum.events++;
            sum.excess += (double)event->latency - (double)threshold;
        }
    }
    return sum;
}

static void add_responsiveness(struct figure *figure, const struct view *view,
                               const struct input_bench *input, const struct latency_group *group,
                               enum measure measure)
{
    const struct latency_events *events = &group->of[measure];
    const struct latency_responsiveness sum = respond(input, events, view->ns_per_tick);
    char name[INPUT_NAME_MAX];
    char elapsed[AMOUNT_MAX];
    char beyond[DURATION_MAX];

    figure_cell(figure, "%s\t%s\t%zu of %zu\t%s", input_group_name(input, group, name),
                amount_text(view, (int64_t)group->elapsed, UNIT_TICK, elapsed), sum.events,
                events->count, duration_text(sum.excess * view->ns_per_tick, beyond));
}

static void add_all_responsiveness(struct figures *figures, const struct view *view,
                                   const struct input_benches *benches, enum measure measure)
{
    struct figure *figure = input_add_figure(figures, FIGURE_TABLE, measure, INPUT_SECTION,
                                             "events-responsiveness", "Responsiveness");

    figure_how(
        figure,
        "the %s of all actions beyond the threshold of their class, summed; the threshold is %d "
        "ms unless --threshold sets another",
        measure_label(measure), THRESHOLD_DEFAULT_MS);
    figure_open(figure, "lrrr", "bench\telapsed\tactions above threshold\ttime beyond threshold");
    for (size_t i = 0; i < benches->count; i++) {
        const struct input_bench *input = &benches->item[i];

        for (size_t g = 0; input->why == NULL && g < input->groups.count; g++) {
            if (input->groups.item[g].of[measure].count > 0) {
                add_responsiveness(figure, view, input, &input->groups.item[g], measure);
            }
        }
    }
}

/* ---- the key figure ---- */

#define WAITS_SHOWN 6 /* benches in the figure */

struct wait {
    const struct input_bench *input;
    struct statistics statistics; /* statistics of the chosen measure, in ticks */
};

static int by_longest_wait(const void *left, const void *right)
{
    const struct wait *a = left;
    const struct wait *b = right;

    if (a->statistics.max != b->statistics.max) {
        return a->statistics.max > b->statistics.max ? -1 : 1;
    }
    return strcmp(a->input->bench->name, b->input->bench->name);
}

/* Computes the statistics over all actions of the bench. Returns false if the measure is known of
 * none. */
static bool wait_of(const struct input_bench *input, enum measure measure, struct wait *wait)
{
    int64_t *latencies = alloc_zeroed(input->of[measure].count * sizeof(*latencies));
    size_t count = 0;

    for (size_t i = 0; input->why == NULL && i < input->groups.count; i++) {
        const struct latency_events *events = &input->groups.item[i].of[measure];

        for (size_t k = 0; k < events->count; k++) {
            latencies[count++] = events->latencies[k];
        }
    }
    wait->input = input;
    statistics_of(latencies, count, &wait->statistics);
    free(latencies);
    return count > 0;
}

static void add_noticed(struct figure *figure, const struct wait *waits, size_t count,
                        enum measure measure, const struct figure_scale *scale)
{
    const struct input_measure *of = &waits[0].input->of[measure];

    if (!of->perceptible) {
        return;
    }
    struct figure_series *series = figure_add_reference(figure, "0.1 s: users notice");

    for (size_t i = 0; i < count; i++) {
        figure_add_point(series, (double)i, (double)of->threshold * scale->per_tick);
    }
}

static void draw_waits(struct figures *figures, const struct run *run, const struct wait *waits,
                       size_t count, enum measure measure)
{
    const size_t shown = count < WAITS_SHOWN ? count : WAITS_SHOWN;
    const struct figure_scale scale =
        input_length_scale(run, measure, (double)waits[0].statistics.max);
    struct figure *figure =
        figure_add(figures, FIGURE_BARS, FIGURE_SECTION_KEY, "How long the user waits", "key-wait");
    struct figure_series *series = figure_add_series(figure, "median");

    figure_axes(figure, NULL, NULL, measure_label(measure), scale.unit);
    for (size_t i = 0; i < shown; i++) {
        const struct statistics *statistics = &waits[i].statistics;

        figure_add_group(figure, waits[i].input->bench->name);
        figure_add_range(series, (double)i, (double)statistics->median * scale.per_tick,
                         (double)statistics->min * scale.per_tick,
                         (double)statistics->max * scale.per_tick);
    }
    figure_choose_scale(figure);
    add_noticed(figure, waits, shown, measure, &scale);
    if (shown < count) {
        figure_how(figure,
                   "Median over the actions of a bench, and range from min to max, for the %zu of "
                   "%zu benches with the longest waits",
                   shown, count);
    } else {
        figure_how(figure, "Median over the actions of a bench, and range from min to max");
    }
}

static void add_key(struct figures *figures, const struct run *run,
                    const struct input_benches *benches)
{
    const enum measure measure = measure_chosen();
    struct wait *waits = alloc_zeroed((benches->count + 1) * sizeof(*waits));
    size_t count = 0;

    for (size_t i = 0; i < benches->count; i++) {
        count += wait_of(&benches->item[i], measure, &waits[count]);
    }
    sort_stable(waits, count, sizeof(*waits), by_longest_wait);
    if (count > 0 && waits[0].statistics.max > 0) {
        draw_waits(figures, run, waits, count, measure);
    }
    free(waits);
}

void figures_latency(struct figures *figures, const struct run *run,
                     const struct input_benches *benches)
{
    struct view view;

    if (longest_of(benches, MEASURE_RESPONSE) == 0) {
        return;
    }
    view_init(&view, NULL, run);
    add_key(figures, run, benches);
    add_classes(figures, &view, benches);
    add_kinds(figures, &view, benches);
    add_all_stages(figures, &view, benches);
    for (unsigned m = 0; m < MEASURES; m++) {
        const enum measure measure = (enum measure)m;

        if (!measure_is_drawn(measure)) {
            continue;
        }
        if (longest_of(benches, measure) > 0 && view.ns_per_tick > 0) {
            add_all_responsiveness(figures, &view, benches, measure);
        }
    }
}
