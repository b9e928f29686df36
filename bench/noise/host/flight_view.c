/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The flight recorder of a bench that noise.stop_us ended: who stopped, and the last readings of
 * each processor, as a table, a figure and JSON. Times are ticks behind the processor's origin.
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#include "bench/noise/host/gap_join.h"
#include "bench/noise/host/view_noise.h"
#include "bench/noise/names.h"
#include "kernel/run/names.h"
#include "tools/present/figure_kit.h"
#include "tools/present/json_kit.h"
#include "tools/present/reading.h"
#include "tools/present/view.h"

#define SECTION         "Noise"
#define SERIES_NAME_MAX 32
#define TICKS_MAX       (INT64_C(1) << 60)

/* The readings of one processor. */
struct recording {
    uint64_t number;
    const struct run_series *readings; /* ticks each; below 0: nothing was seen so long */
    int64_t end;                       /* of the last one */
    int64_t covered;                   /* ticks of all */
    int64_t longest;
};

/* False: it has none, or they are damaged. */
static bool recording_of(const struct run_bench *bench, const struct gap_names *names, size_t index,
                         struct recording *recording)
{
    *recording = (struct recording){0};
    if (!gap_names_number(names, index, &recording->number)) {
        return false;
    }
    const struct run_fact *end = gap_fact_for(bench, names, FACT_FLIGHT_END, recording->number);

    recording->readings = gap_series_for(bench, names, SERIES_FLIGHT, recording->number);
    if (end == NULL || recording->readings == NULL || !run_series_whole(recording->readings)) {
        return false;
    }
    recording->end = end->value;
    for (size_t i = 0; i < recording->readings->n; i++) {
        const int64_t reading = recording->readings->samples[i];

        if (reading <= -TICKS_MAX || reading >= TICKS_MAX ||
            llabs(reading) > TICKS_MAX - recording->covered) {
            return false;
        }
        recording->covered += llabs(reading);
        recording->longest = reading > recording->longest ? reading : recording->longest;
    }
    return true;
}

void view_flight(const struct view *view, const struct run_bench *bench)
{
    static const char *const heads[] = {"processor", "last readings", "over", "longest", "up to"};
    const struct gap_names names = gap_names_of(bench);
    const struct run_fact *by = run_find_fact(bench, FACT_STOPPED_BY);
    struct table table;
    char at[AMOUNT_MAX];
    char text[AMOUNT_MAX];

    if (by == NULL) {
        return;
    }
    print_paragraph(view->out, "stopped by processor %" PRId64 ": %s away, %s after its origin",
                    by->value,
                    amount_text(view, run_fact_or(bench, FACT_STOPPED_LENGTH, 0), UNIT_TICK, text),
                    amount_text(view, run_fact_or(bench, FACT_STOPPED_AT, 0), UNIT_TICK, at));
    table_head(&table, "rrrrr", heads);
    for (size_t i = 0; i < gap_names_count(&names); i++) {
        struct recording recording;

        if (!recording_of(bench, &names, i, &recording)) {
            continue;
        }
        table_row(&table);
        table_signed(&table, (int64_t)recording.number);
        table_signed(&table, (int64_t)recording.readings->n);
        table_text(&table, amount_text(view, recording.covered, UNIT_TICK, text));
        table_text(&table, amount_text(view, recording.longest, UNIT_TICK, text));
        table_text(&table, amount_text(view, recording.end, UNIT_TICK, text));
    }
    fputc('\n', view->out);
    table_print(&table, view->out, 2);
}

/* ---- figure ---- */

static void add_recording(struct figure *figure, const struct recording *recording,
                          const struct figure_scale *x, const struct figure_scale *y)
{
    char name[SERIES_NAME_MAX];
    int64_t time = recording->end - recording->covered;

    snprintf(name, sizeof(name), "processor %" PRIu64, recording->number);
    struct figure_series *series = figure_add_series(figure, name);

    for (size_t i = 0; i < recording->readings->n; i++) {
        const int64_t reading = recording->readings->samples[i];

        if (reading > 0) {
            figure_add_point(series, (double)time * x->per_tick, (double)reading * y->per_tick);
        }
        time += llabs(reading);
    }
}

static void flight_figures(struct figures *figures, const struct run *run,
                           const struct run_bench *bench)
{
    const struct gap_names names = gap_names_of(bench);
    struct figure *figure = NULL;
    struct figure_scale x;
    struct figure_scale y;

    for (size_t i = 0; i < gap_names_count(&names); i++) {
        struct recording recording;

        if (!recording_of(bench, &names, i, &recording)) {
            continue;
        }
        if (figure == NULL) {
            x = figure_time_scale(run, (double)recording.end);
            y = figure_length_scale(run, (double)recording.longest);
            figure = figure_add(figures, FIGURE_POINTS, SECTION, "before the stop", "%s-flight",
                                bench->name);
            figure_axes(figure, figure_time_label(run), x.unit, "from reading to reading", y.unit);
            figure->y.logarithmic = true;
            figure_how(figure, "The last readings of each processor before noise.stop_us ended "
                               "the watch; where there is no point nothing was read");
        }
        add_recording(figure, &recording, &x, &y);
    }
}

/* ---- JSON ---- */

static void flight_json(struct json *json, const struct run *run, const struct run_bench *bench)
{
    const struct run_fact *by = run_find_fact(bench, FACT_STOPPED_BY);

    (void)run;
    if (by == NULL) {
        json_null(json, "stopped");
        return;
    }
    json_object(json, "stopped");
    json_signed(json, "by", by->value);
    json_signed(json, "at_ticks", run_fact_or(bench, FACT_STOPPED_AT, 0));
    json_signed(json, "length_ticks", run_fact_or(bench, FACT_STOPPED_LENGTH, 0));
    json_close(json);
}

READING_REGISTER(gap_flight) = {
    .bench = BENCH_GAP, .order = 245, .bench_figures = flight_figures, .json = flight_json};
READING_REGISTER(selfish_flight) = {
    .bench = BENCH_SELFISH, .order = 245, .bench_figures = flight_figures, .json = flight_json};
