/* SPDX-License-Identifier: BSD-2-Clause */
/* Input events of all benches side by side: the paper's figures 6, 8, 11 and 12, and table 2. */
#include <inttypes.h>
#include <math.h>
#include <stdio.h>

#include "kernel/run/names.h"
#include "tools/bench/interactive/figures_input.h"
#include "tools/bench/interactive/view_input.h"
#include "tools/present/view.h"

#define PERCENT        100.0
#define NAME_SIZE      128
#define THRESHOLDS     3  /* of a bench */
#define THRESHOLDS_TRY 12 /* round ones: four decades */

/* The longest event of all. */
static int64_t longest_of(const struct input_benches *benches)
{
    int64_t longest = 0;

    for (size_t i = 0; i < benches->count; i++) {
        longest = benches->item[i].longest > longest ? benches->item[i].longest : longest;
    }
    return longest;
}

/* ---- cumulative latency: figures 8 and 11 ---- */

static void add_by_latency(struct figure *figure, const struct view *view,
                           const struct input_bench *input, const struct latency_curve *curve,
                           const struct figure_scale *scale)
{
    const double all = curve->sums[curve->n - 1];
    char total[AMOUNT_MAX];
    char name[NAME_SIZE];

    snprintf(name, sizeof(name), "%s (total %s)", input->bench->name,
             amount_text(view, llround(all), UNIT_TICK, total));
    struct figure_series *series = figure_add_series(figure, name);

    for (size_t i = 0; i < curve->n; i++) {
        const bool last_of_equals = i + 1 == curve->n || curve->sorted[i + 1] > curve->sorted[i];

        if (last_of_equals && curve->sorted[i] > 0) {
            if (series->n == 0) {
                figure_add_point(series, (double)curve->sorted[i] * scale->per_tick, 0);
            }
            figure_add_point(series, (double)curve->sorted[i] * scale->per_tick,
                             PERCENT * curve->sums[i] / all);
        }
    }
}

static void add_by_count(struct figure *figure, const struct input_bench *input,
                         const struct latency_curve *curve)
{
    const double all = curve->sums[curve->n - 1];
    char name[NAME_SIZE];

    snprintf(name, sizeof(name), "%s (%zu events)", input->bench->name, curve->n);
    struct figure_series *series = figure_add_series(figure, name);

    figure_add_point(series, 0, 0);
    for (size_t i = 0; i < curve->n; i++) {
        figure_add_point(series, PERCENT * (double)(i + 1) / (double)curve->n,
                         PERCENT * curve->sums[i] / all);
    }
}

/* One of the two figures, a curve a bench. */
static void add_cumulative(struct figure *figure, const struct run *run,
                           const struct input_benches *benches, bool by_latency)
{
    const struct figure_scale scale = figure_length_scale(run, (double)longest_of(benches));
    struct view view;

    view_init(&view, NULL, run);
    for (size_t i = 0; i < benches->count; i++) {
        const struct input_bench *input = &benches->item[i];
        struct latency_curve curve;

        if (input->why != NULL) {
            continue;
        }
        latency_curve_init(&curve, input->events.latencies, input->events.count);
        if (by_latency) {
            add_by_latency(figure, &view, input, &curve, &scale);
        } else {
            add_by_count(figure, input, &curve);
        }
        latency_curve_free(&curve);
    }
}

static void add_cumulatives(struct figures *figures, const struct run *run,
                            const struct input_benches *benches)
{
    const struct figure_scale scale = figure_length_scale(run, (double)longest_of(benches));
    struct figure *figure = figure_add(figures, FIGURE_STEPS, INPUT_SECTION,
                                       "Cumulative latency by latency", "events-by-latency");

    figure_axes(figure, "response time", scale.unit, "of all response time", "%");
    figure_how(figure, "of each bench, the share of all its response time (due to done, by the "
                       "trace) that is due to events of up to so much");
    figure->x.logarithmic = true;
    add_cumulative(figure, run, benches, true);
    figure = figure_add(figures, FIGURE_LINES, INPUT_SECTION,
                        "Cumulative latency by number of events", "events-by-count");
    figure_axes(figure, "of all events, the shortest first", "%", "of all response time", "%");
    figure_how(figure, "of each bench, the share of all its response time that so many of its "
                       "events have, the shortest first; all alike would give a straight line");
    add_cumulative(figure, run, benches, false);
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

            figure_cell(figure, "%s", input->bench->name);
            figure_cell(figure, "%s", interactive_class_name(&summary->of, label));
            figure_cell(figure, "%zu", summary->events);
            finish(figure, view, input, summary);
        }
    }
}

/* To a whole instruction: the moment when an input is due is in ticks, which are less. */
static const char *median_text(const struct view *view, int64_t median, char text[AMOUNT_MAX])
{
    if (view->ticks_per_instruction <= 0) {
        return span_text(view, (double)median, text);
    }
    snprintf(text, AMOUNT_MAX, "%.0f", (double)median / view->ticks_per_instruction);
    return text;
}

static void add_medians(struct figure *figure, const struct view *view,
                        const struct input_bench *input, const struct interactive_summary *summary)
{
    static const enum interactive_summary_row shown[] = {
        SUMMARY_RESPONSE, SUMMARY_SERVICE, SUMMARY_BUSY, SUMMARY_ELONGATION, SUMMARY_TRADITIONAL};
    char text[AMOUNT_MAX];

    (void)input;
    for (size_t i = 0; i < sizeof(shown) / sizeof(shown[0]); i++) {
        const struct statistics *statistics = &summary->measures[shown[i]].statistics;

        figure_cell(figure, "%s",
                    statistics->n > 0 ? median_text(view, statistics->median, text) : "n/a");
    }
}

static void add_stages(struct figure *figure, const struct view *view,
                       const struct input_bench *input, const struct interactive_summary *summary)
{
    double means[STAGES];
    char text[AMOUNT_MAX];

    interactive_stage_means(&input->interactive, &summary->of, means);
    for (size_t i = 0; i < STAGES; i++) {
        figure_cell(figure, "%s", isnan(means[i]) ? "n/a" : mean_text(view, means[i], text));
    }
    const double response = summary->measures[SUMMARY_RESPONSE].mean;

    figure_cell(figure, "%s", isnan(response) ? "n/a" : mean_text(view, response, text));
}

static void add_kinds(struct figures *figures, const struct view *view,
                      const struct input_benches *benches)
{
    static const char *const heads[] = {"bench",   "kind", "events",    "response",
                                        "service", "busy", "idle loop", "stamps"};
    struct figure *figure = figure_add(figures, FIGURE_TABLE, INPUT_SECTION,
                                       "Median latency by kind of event", "events-kinds");

    figure_how(figure,
               "medians%s. Response: due to done; service: arrival to done; busy: of that, not "
               "idle; idle loop: elongation, of events that share no sample with another; stamps: "
               "the application's own",
               span_note(view));
    figure_table(figure, "llrrrrrr", heads);
    add_rows(figure, view, benches, add_medians);
}

static void add_all_stages(struct figures *figures, const struct view *view,
                           const struct input_benches *benches)
{
    const char *const heads[] = {"bench",
                                 "kind",
                                 "events",
                                 interactive_stage_name(STAGE_COMING),
                                 interactive_stage_name(STAGE_POSTING),
                                 interactive_stage_name(STAGE_QUEUED),
                                 interactive_stage_name(STAGE_WORK),
                                 "response"};
    struct figure *figure = figure_add(figures, FIGURE_TABLE, INPUT_SECTION,
                                       "What a response time consists of", "events-stages");

    figure_how(figure,
               "means%s by the trace, which add up to the response time. Due to arrival: the "
               "sender and the controller; arrival to queue: interrupt and driver; at work: from "
               "taken to done",
               span_note(view));
    figure_table(figure, "llrrrrrr", heads);
    add_rows(figure, view, benches, add_stages);
}

/* ---- long events: figure 12 and table 2 ---- */

static size_t count_above(const struct latency_events *events, int64_t threshold)
{
    size_t count = 0;

    for (size_t i = 0; i < events->count; i++) {
        count += events->latencies[i] > threshold;
    }
    return count;
}

/* Where all are above the threshold none is long, as far as is known. */
static bool has_long(const struct input_bench *input)
{
    return input->why == NULL &&
           (input->perceptible ||
            count_above(&input->events, input->threshold) < input->events.count);
}

/* Each from when it was due to when it was done; of events that wait for each other what is left
 * when the one before was done, as spans of a lane do not overlap. */
static void add_long(struct figure *figure, const struct input_bench *input, double per_tick)
{
    const uint32_t lane = figure_add_lane(figure, input->bench->name);
    const struct latency_events *events = &input->events;
    double free_from = -INFINITY;

    for (size_t i = 0; i < events->count; i++) {
        const struct latency_event *event = &events->events[i];
        const double due = (double)(int64_t)((uint64_t)event->begin - events->begin);
        const double begin = fmax(due, free_from);
        const double end = due + (double)event->latency;
        const char *kind = input_kind_name((unsigned)event->kind);

        if (event->latency > input->threshold && end > begin) {
            const uint32_t state = figure_add_state(figure, kind != NULL ? kind : "other");

            figure_add_span(figure, lane, state, begin * per_tick, end * per_tick);
            free_from = end;
        }
    }
}

static void add_series_of_long(struct figures *figures, const struct run *run,
                               const struct input_benches *benches)
{
    uint64_t elapsed = 0;
    char label[NAME_SIZE];

    for (size_t i = 0; i < benches->count; i++) {
        const struct input_bench *input = &benches->item[i];

        if (has_long(input) && input->interactive.elapsed > elapsed) {
            elapsed = input->interactive.elapsed;
        }
    }
    if (elapsed == 0) {
        return;
    }
    const struct figure_scale time = figure_time_scale(run, (double)elapsed);
    struct figure *figure = figure_add(figures, FIGURE_TIMELINE, INPUT_SECTION,
                                       "Time series of long events", "events-long");

    snprintf(label, sizeof(label), "%s since the bench began", figure_time_label(run));
    figure_axes(figure, label, time.unit, NULL, NULL);
    figure_how(figure, "events whose response time is above the threshold marked in their bench's "
                       "latency profile, from due to done; benches all of whose events are, are "
                       "left out");
    for (size_t i = 0; i < benches->count; i++) {
        if (has_long(&benches->item[i])) {
            add_long(figure, &benches->item[i], time.per_tick);
        }
    }
}

static void add_interval(struct figure *figure, const struct view *view, double ticks)
{
    char text[AMOUNT_MAX];

    if (isnan(ticks)) {
        figure_cell(figure, "n/a");
    } else if (view->ns_per_tick > 0) {
        figure_cell(figure, "%s", duration_text(ticks * view->ns_per_tick, text));
    } else {
        figure_cell(figure, "%.10g ticks", ticks);
    }
}

static void add_interarrival(struct figure *figure, const struct view *view,
                             const struct input_bench *input, int64_t threshold)
{
    struct latency_interarrival interarrival;
    char text[AMOUNT_MAX];

    latency_interarrivals(input->events.events, input->events.count, threshold, &interarrival);
    figure_cell(figure, "%s", input->bench->name);
    figure_cell(figure, "%s", span_text(view, (double)threshold, text));
    figure_cell(figure, "%zu of %zu", interarrival.events, input->events.count);
    add_interval(figure, view, interarrival.mean);
    add_interval(figure, view, interarrival.deviation);
}

/* The limit of perception, where some event takes longer; and round ones, the highest of those that
 * the same events are above. */
static size_t find_thresholds(const struct run *run, const struct input_bench *input,
                              int64_t thresholds[THRESHOLDS])
{
    const struct figure_scale scale = figure_length_scale(run, (double)input->longest);
    size_t count = 1;

    thresholds[0] = input->threshold;
    for (unsigned back = 0; back < THRESHOLDS_TRY && count < THRESHOLDS; back++) {
        const int64_t threshold = input_round_below(input->longest, &scale, back);

        if (threshold > 0 && threshold < input->threshold &&
            count_above(&input->events, threshold) >
                count_above(&input->events, thresholds[count - 1])) {
            thresholds[count++] = threshold;
        }
    }
    return count;
}

static void add_interarrivals_of(struct figure *figure, const struct run *run,
                                 const struct view *view, const struct input_bench *input)
{
    int64_t thresholds[THRESHOLDS];

    for (size_t i = find_thresholds(run, input, thresholds); i-- > 0;) {
        add_interarrival(figure, view, input, thresholds[i]);
    }
}

static void add_interarrivals(struct figures *figures, const struct run *run,
                              const struct view *view, const struct input_benches *benches)
{
    static const char *const heads[] = {"bench", "threshold", "events above", "mean interarrival",
                                        "standard deviation"};
    struct figure *figure = figure_add(figures, FIGURE_TABLE, INPUT_SECTION,
                                       "Interarrival of long events", "events-interarrival");

    figure_how(figure,
               "intervals between events whose response time is above a threshold%s, from due to "
               "due; a deviation of the size of the mean: no period",
               span_note(view));
    figure_table(figure, "lrrrr", heads);
    for (size_t i = 0; i < benches->count; i++) {
        if (benches->item[i].why == NULL) {
            add_interarrivals_of(figure, run, view, &benches->item[i]);
        }
    }
}

void figures_latency(struct figures *figures, const struct run *run,
                     const struct input_benches *benches)
{
    struct view view;

    if (longest_of(benches) == 0) {
        return;
    }
    view_init(&view, NULL, run);
    add_kinds(figures, &view, benches);
    add_all_stages(figures, &view, benches);
    add_cumulatives(figures, run, benches);
    add_series_of_long(figures, run, benches);
    add_interarrivals(figures, run, &view, benches);
}
