/* SPDX-License-Identifier: BSD-2-Clause */
/* Input events bench by bench: the paper's figures 4 to 7 (Endo et al. 1996). */
#include <inttypes.h>
#include <math.h>
#include <stdio.h>

#include "kernel/run/names.h"
#include "tools/bench/interactive/figures_input.h"
#include "tools/bench/interactive/figures_utilisation.h"
#include "tools/bench/interactive/view_input.h"
#include "tools/present/reading.h"
#include "tools/present/view.h"

#define TEXT_MAX         160
#define PERCENT          100.0
#define HISTOGRAM_MIN    10   /* events */
#define VISIBLE          0.05 /* of all response time: what service times must differ by */
#define LOGARITHMIC_FROM 20   /* greatest over least bar */
#define SERIES_BINS      1.5  /* widths of neighbouring bins that are not equal */

/* What one bench's figures are made with. */
struct sheet {
    struct figures *figures;
    const struct run *run;
    const struct input_bench *input;
    const char *bench; /* its name */
    char section[TEXT_MAX];
    struct figure_scale length, time;
};

static struct figure *add(const struct sheet *sheet, enum figure_kind kind, const char *title,
                          const char *id)
{
    char text[TEXT_MAX];

    snprintf(text, sizeof(text), "%s: %s", sheet->bench, title);
    return figure_add(sheet->figures, kind, sheet->section, text, "%s-%s", sheet->bench, id);
}

/* ---- the profile: figure 5 ---- */

static double place_of(const struct sheet *sheet, uint64_t tsc)
{
    return (double)(int64_t)(tsc - sheet->input->events.begin) * sheet->time.per_tick;
}

static void add_responses(struct figure *figure, const struct sheet *sheet)
{
    const struct latency_events *events = &sheet->input->events;
    struct figure_series *series = figure_add_series(figure, "response time");

    for (size_t i = 0; i < events->count; i++) {
        figure_add_point(series, place_of(sheet, (uint64_t)events->events[i].begin),
                         (double)events->latencies[i] * sheet->length.per_tick);
    }
}

/* The share of all response times by which service times are shorter. */
static double service_differs(const struct interactive *interactive)
{
    double responses = 0;
    double services = 0;

    for (size_t i = 0; i < interactive->count; i++) {
        uint64_t response;
        uint64_t service;

        if (interactive_response(&interactive->events[i], &response) &&
            interactive_service(&interactive->events[i], &service)) {
            responses += (double)(int64_t)response;
            services += (double)(int64_t)service;
        }
    }
    return responses > 0 ? (responses - services) / responses : 0;
}

static void add_profile(const struct sheet *sheet)
{
    const struct input_bench *input = sheet->input;
    const double differs = service_differs(&input->interactive);
    struct figure *figure = add(sheet, FIGURE_STICKS, "event latency profile", "profile");
    char service[TEXT_MAX] = "";
    char endless[TEXT_MAX] = "";

    if (differs > VISIBLE) {
        snprintf(service, sizeof(service), "; service times, from arrival on, are %.0f %% less",
                 PERCENT * differs);
    }
    if (input->events.endless > 0) {
        snprintf(endless, sizeof(endless), "; %zu events are left out, whose end is not known",
                 input->events.endless);
    }
    figure_axes(figure, figure_time_label(sheet->run), sheet->time.unit, "response time",
                sheet->length.unit);
    figure_how(figure,
               "by the trace: from when the input was due (from its arrival, where nothing was "
               "planned) to when the application had done with it%s; the tracer's own records are "
               "in it%s",
               service, endless);
    figure->has_threshold = true;
    figure->threshold = (double)input->threshold * sheet->length.per_tick;
    add_responses(figure, sheet);
}

/* ---- kinds: figure 6 ---- */

/* A bar for each kind, or none where all lack the measure. */
static void add_bars(struct figure *figure, const struct sheet *sheet,
                     enum interactive_summary_row measure, const char *name)
{
    struct figure_series *series = NULL;

    for (size_t i = 0; i < sheet->input->kind_count && series == NULL; i++) {
        if (sheet->input->kinds[i].measures[measure].statistics.n > 0) {
            series = figure_add_series(figure, name);
        }
    }
    for (size_t i = 0; i < sheet->input->kind_count && series != NULL; i++) {
        const struct interactive_spread *spread = &sheet->input->kinds[i].measures[measure];
        const double mean = spread->mean * sheet->length.per_tick;
        const double deviation = spread->deviation * sheet->length.per_tick;

        figure_add_range(series, (double)i, mean, fmax(mean - deviation, 0 * deviation),
                         mean + deviation);
    }
}

/* Bars of a thousandth of others would not be seen. */
static bool wants_logarithm(const struct figure *figure)
{
    double least = INFINITY;
    double greatest = 0;

    for (size_t s = 0; s < figure->series_count; s++) {
        for (size_t i = 0; i < figure->series[s].n; i++) {
            const double y = figure->series[s].y[i];

            if (!isnan(y)) {
                least = fmin(least, y);
                greatest = fmax(greatest, y);
            }
        }
    }
    return least > 0 && greatest > LOGARITHMIC_FROM * least;
}

static void add_kinds(const struct sheet *sheet)
{
    static const struct {
        enum interactive_summary_row measure;
        const char *name;
    } shown[] = {{SUMMARY_RESPONSE, "response time"},
                 {SUMMARY_SERVICE, "service time"},
                 {SUMMARY_BUSY, "busy of that"},
                 {SUMMARY_ELONGATION, "by the idle loop"},
                 {SUMMARY_TRADITIONAL, "by its own stamps"}};
    struct figure *figure = add(sheet, FIGURE_BARS, "mean latency by kind of event", "kinds");
    char text[INTERACTIVE_CLASS_MAX];

    figure_axes(figure, NULL, NULL, "mean latency", sheet->length.unit);
    figure_how(figure, "whiskers: one standard deviation. Response: due to done; service: arrival "
                       "to done; busy: of that, not idle; idle loop: elongation, of events that "
                       "share no sample; stamps: the application's own, which miss interrupts");
    for (size_t i = 0; i < sheet->input->kind_count; i++) {
        figure_add_group(figure, interactive_class_name(&sheet->input->kinds[i].of, text));
    }
    for (size_t i = 0; i < sizeof(shown) / sizeof(shown[0]); i++) {
        add_bars(figure, sheet, shown[i].measure, shown[i].name);
    }
    figure->y.logarithmic = wants_logarithm(figure);
}

/* ---- histogram: figure 7, first graph ---- */

static void add_histogram(const struct sheet *sheet)
{
    const struct latency_events *events = &sheet->input->events;
    struct latency_bin bins[LATENCY_BINS_MAX];
    const size_t count =
        latency_histogram(events->latencies, events->count, sheet->length.per_tick, bins);
    struct figure *figure =
        add(sheet, FIGURE_HISTOGRAM, "histogram of response times", "histogram");
    struct figure_series *series = figure_add_series(figure, "events");

    figure_axes(figure, "response time", sheet->length.unit, "events", NULL);
    figure_how(figure, "%zu events; from due to done, by the trace", events->count);
    figure->y.logarithmic = true;
    figure->x.logarithmic =
        count > 1 && bins[1].to - bins[1].from > SERIES_BINS * (bins[0].to - bins[0].from);
    for (size_t i = 0; i < count; i++) {
        /* What was over before it was due counts as 0, which has no place on this axis. */
        const double low =
            figure->x.logarithmic && bins[i].from <= 0 ? bins[i].to / 2 : bins[i].from;

        figure_add_range(series, (low + bins[i].to) / 2, (double)bins[i].n, low, bins[i].to);
    }
}

/* ---- what stamps miss: section 2.4 ---- */

static void add_part(struct figure *figure, const struct sheet *sheet, const char *label,
                     uint64_t events, int64_t total)
{
    const double all = (double)sheet->input->interactive.explained;
    struct view view;
    char text[AMOUNT_MAX];

    view_init(&view, NULL, sheet->run);
    figure_cell(figure, "%s", label);
    figure_cell(figure, "%" PRIu64, events);
    figure_cell(figure, "%s", mean_text(&view, (double)total / all, text));
}

static void add_parts(const struct sheet *sheet)
{
    static const char *const heads[] = {"part", "events", "an event, mean"};
    const struct interactive *interactive = &sheet->input->interactive;
    struct interactive_explained explained;
    struct view view;

    if (interactive->explained == 0) {
        return;
    }
    interactive_sum_explained(interactive, &explained);
    struct figure *figure =
        add(sheet, FIGURE_TABLE, "what the application's own stamps miss", "parts");
    int64_t sum = explained.stamps;

    view_init(&view, NULL, sheet->run);
    figure_how(figure,
               "means%s over %" PRIu64 " events that share no sample of the idle loop with "
               "another; parts by the trace, beside the idle loop, which knows nothing of it",
               span_note(&view), interactive->explained);
    figure_table(figure, "lrr", heads);
    add_part(figure, sheet, "between the application's stamps", interactive->explained,
             explained.stamps);
    for (size_t i = 0; i < interactive->part_count; i++) {
        const struct interactive_part *part = &interactive->parts[i];

        add_part(figure, sheet, part->label, part->events, part->total);
        sum += part->total;
    }
    add_part(figure, sheet, "sum", interactive->explained, sum);
    add_part(figure, sheet, "elongation of the idle loop", interactive->explained,
             explained.elongation);
}

/* ---- phases ---- */

static void add_optional(struct figure *figure, const struct view *view, bool known, double ticks)
{
    char text[AMOUNT_MAX];

    figure_cell(figure, "%s", known ? span_text(view, ticks, text) : "n/a");
}

static void add_phase(struct figure *figure, const struct view *view,
                      const struct interactive_phase *phase, uint64_t begin)
{
    const double events = (double)phase->events;
    char text[AMOUNT_MAX];

    if (phase->name != NULL) {
        figure_cell(figure, "%s", phase->name);
    } else {
        figure_cell(figure, "%u", phase->phase);
    }
    figure_cell(figure, "%zu", phase->events);
    if (phase->has_redraws) {
        figure_cell(figure, "%" PRId64, phase->redraws);
    } else {
        figure_cell(figure, "n/a");
    }
    figure_cell(figure, "%s",
                phase->known ? amount_text(view, (int64_t)(phase->from - begin), UNIT_TICK, text)
                             : "n/a");
    figure_cell(figure, "%s",
                phase->known
                    ? amount_text(view, (int64_t)(phase->to - phase->from), UNIT_TICK, text)
                    : "n/a");
    add_optional(figure, view, phase->known, (double)phase->busy);
    figure_cell(figure, "%s",
                phase->known && phase->events > 0
                    ? mean_text(view, (double)phase->handling / events, text)
                    : "n/a");
    figure_cell(figure, "%s",
                phase->alone > 0
                    ? mean_text(view, (double)phase->elongation / (double)phase->alone, text)
                    : "n/a");
}

static void add_phases(const struct sheet *sheet)
{
    static const char *const heads[] = {"phase",  "events", "redraws",           "from",
                                        "length", "busy",   "handling an event", "idle loop"};
    const struct interactive *interactive = &sheet->input->interactive;
    struct view view;

    if (interactive->phase_count == 0) {
        return;
    }
    struct figure *figure = add(sheet, FIGURE_TABLE, "phases", "phases");

    view_init(&view, NULL, sheet->run);
    figure_how(figure,
               "busy and means an event%s, by the trace. Handling: of busy, while an event of the "
               "phase had come and was not done; idle loop: elongation, of events that share no "
               "sample with another",
               span_note(&view));
    figure_table(figure, "lrrrrrrr", heads);
    for (size_t i = 0; i < interactive->phase_count; i++) {
        add_phase(figure, &view, &interactive->phases[i], interactive->begin);
    }
}

/* ---- a bench ---- */

static void add_bench(struct figures *figures, const struct run *run,
                      const struct input_bench *input)
{
    const struct latency_event *longest = latency_longest(&input->events);
    struct sheet sheet = {
        .figures = figures, .run = run, .input = input, .bench = input->bench->name};

    snprintf(sheet.section, sizeof(sheet.section), "Input events: %s", sheet.bench);
    sheet.length = figure_length_scale(run, (double)input->longest);
    sheet.time = figure_time_scale(run, (double)input->interactive.elapsed);
    figure_utilisation(figures, run, input->bench, sheet.section);
    add_profile(&sheet);
    figure_close_up(figures, run, input->bench, sheet.section, "the longest event",
                    (uint64_t)longest->begin, longest->latency);
    add_kinds(&sheet);
    if (input->events.count >= HISTOGRAM_MIN) {
        add_histogram(&sheet);
    }
    add_parts(&sheet);
    add_phases(&sheet);
}

/* ---- all ---- */

static void add_absent(struct figures *figures, const struct input_bench *input)
{
    char title[TEXT_MAX];
    char id[TEXT_MAX];

    /* A bench whose threads have queues need not be one of input events. */
    if (input_is_interactive(input->bench) || input->interactive.present) {
        snprintf(title, sizeof(title), "%s: event latency profile", input->bench->name);
        snprintf(id, sizeof(id), "%s-profile", input->bench->name);
        figure_add_absent(figures, INPUT_SECTION, title, id, "%s", input->why);
    }
}

void figures_events(struct figures *figures, const struct run *run)
{
    struct input_benches benches;

    input_benches_read(&benches, run);
    figures_latency(figures, run, &benches);
    for (size_t i = 0; i < benches.count; i++) {
        if (benches.item[i].why != NULL) {
            add_absent(figures, &benches.item[i]);
        }
    }
    for (size_t i = 0; i < benches.count; i++) {
        if (benches.item[i].why == NULL) {
            add_bench(figures, run, &benches.item[i]);
        }
    }
    input_benches_free(&benches);
}

READING_REGISTER(figures_events) = {.order = 330, .figures = figures_events};
