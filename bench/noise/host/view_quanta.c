/* SPDX-License-Identifier: BSD-2-Clause */
/* Prints and draws benches `fwq` and `ftq`: a row for each processor, and periodic noise. */
#include <inttypes.h>
#include <math.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "bench/noise/host/gap_join.h"
#include "bench/noise/host/sensitivity.h"
#include "bench/noise/host/team_rows.h"
#include "bench/noise/host/view_noise.h"
#include "bench/noise/names.h"
#include "kernel/link/names.h"
#include "tools/base/alloc.h"
#include "tools/present/digest.h"
#include "tools/present/figure_kit.h"
#include "tools/present/report_plugin.h"
#include "tools/present/view.h"
#include "tools/run/run.h"
#include "tools/run/run_kind.h"
#include "tools/stats/spectrum.h"

/*
 * Benches fwq and ftq: the time that each piece of work or quantum lost, on each processor, and the
 * periodic part of it.
 *
 * A piece of fwq lost its length minus that of the shortest piece on its processor. A quantum of
 * ftq lost the time in which no unit was being worked on, minus the least such time of its
 * processor. Each unit counts as long as the shortest one, and the units under way at the quantum's
 * start and end are included. Noise that is present in all pieces or quanta is therefore not seen.
 */

struct quanta_lane {
    uint64_t number;                 /* number of the processor */
    const struct run_series *series; /* lengths of pieces, or units done; NULL: incomplete */
    /* [series->n] in ticks after the start of the lane's first piece */
    struct spectrum_stretch *stretch;
    double elapsed, stolen; /* ticks */
};

struct quanta {
    bool is_ftq;
    struct quanta_lane *lane; /* the kernel's own processor first */
    size_t count;
};

#define TICKS_MAX 1e15 /* upper bound of a piece: more than a hundred days */

static const struct run_series *whole_series(const struct gap_names *names, const char *name)
{
    const struct run_series *series = gap_series_for(names, name);

    return series != NULL && series->n > 0 && run_series_whole(series) ? series : NULL;
}

static void add_stretch(struct quanta_lane *lane, size_t i, double length, double stolen)
{
    const double taken = fmin(fmax(stolen, 0), length);

    lane->stretch[i] = (struct spectrum_stretch){lane->elapsed, lane->elapsed + length, taken};
    lane->elapsed += length;
    lane->stolen += taken;
}

static bool read_pieces(struct quanta_lane *lane)
{
    int64_t least = INT64_MAX;

    for (size_t i = 0; i < lane->series->n; i++) {
        const int64_t length = lane->series->samples[i];

        if (length <= 0 || (double)length > TICKS_MAX) {
            return false;
        }
        least = length < least ? length : least;
    }
    for (size_t i = 0; i < lane->series->n; i++) {
        const double length = (double)lane->series->samples[i];

        add_stretch(lane, i, length, length - (double)least);
    }
    return true;
}

/* Returns the ticks of quantum i in which no unit was being worked on. */
static double idle_of(const struct quanta_lane *lane, const struct run_series *carry,
                      double quantum, double unit, size_t i)
{
    const double before = i > 0 ? (double)carry->samples[i - 1] : 0;

    return quantum - (double)lane->series->samples[i] * unit - (double)carry->samples[i] + before;
}

static bool read_quanta(const struct gap_names *names, struct quanta_lane *lane)
{
    const double quantum = (double)run_fact_or(names->bench, FACT_QUANTUM, 0);
    const struct run_fact *unit = gap_fact_for(names, FACT_UNIT_OF_FTQ);
    const struct run_series *carry = whole_series(names, SERIES_CARRY);
    double least = INFINITY;

    if (quantum <= 0 || quantum > TICKS_MAX || unit == NULL || carry == NULL ||
        carry->n != lane->series->n) {
        return false;
    }
    for (size_t i = 0; i < lane->series->n; i++) {
        least = fmin(least, idle_of(lane, carry, quantum, (double)unit->value, i));
    }
    for (size_t i = 0; i < lane->series->n; i++) {
        const double idle = idle_of(lane, carry, quantum, (double)unit->value, i);

        add_stretch(lane, i, quantum, idle - least);
    }
    return true;
}

static void read_lane(const struct gap_names *names, bool is_ftq, struct quanta_lane *lane)
{
    lane->number = names->number;
    lane->series = whole_series(names, is_ftq ? SERIES_DONE : SERIES_WORK);
    if (lane->series == NULL) {
        return;
    }
    lane->stretch = alloc_zeroed(lane->series->n * sizeof(*lane->stretch));
    if (!(is_ftq ? read_quanta(names, lane) : read_pieces(lane))) {
        lane->series = NULL;
    }
}

/* Returns false if the bench is neither of these or names no processors. */
static bool quanta_of(const struct run_bench *bench, struct quanta *quanta)
{
    struct gap_names names = gap_names_of(bench);

    *quanta = (struct quanta){.is_ftq = strcmp(bench->name, BENCH_FTQ) == 0};
    if ((!quanta->is_ftq && strcmp(bench->name, BENCH_FWQ) != 0) || names.numbers == NULL) {
        return false;
    }
    quanta->count = gap_names_count(&names);
    quanta->lane = alloc_zeroed(quanta->count * sizeof(*quanta->lane));
    for (size_t i = 0; i < quanta->count; i++) {
        if (gap_names_take(&names, i)) {
            read_lane(&names, quanta->is_ftq, &quanta->lane[i]);
        }
    }
    return true;
}

static void quanta_free(struct quanta *quanta)
{
    for (size_t i = 0; i < quanta->count; i++) {
        free(quanta->lane[i].stretch);
    }
    free(quanta->lane);
    *quanta = (struct quanta){0};
}

/* Returns NULL if there is a spectrum, otherwise the reason why not. */
static const char *quanta_spectrum(const struct quanta_lane *lane, struct spectrum *spectrum)
{
    if (lane->series == NULL) {
        return "samples are missing";
    }
    return spectrum_of(spectrum, lane->stretch, lane->series->n, lane->elapsed, true);
}

#define PPM 1e6

/* Adds the length of a piece, or the units done in a quantum. */
static void add_value(struct table *table, const struct view *view, bool is_ftq, bool has,
                      int64_t value)
{
    if (is_ftq) {
        table_known(table, has, value);
    } else {
        cell_span(table, view, has, (double)value);
    }
}

static void add_row(struct table *table, const struct view *view, bool is_ftq,
                    const struct quanta_lane *lane)
{
    struct statistics statistics;

    table_line(table, "%" PRIu64, lane->number);
    if (lane->series == NULL) {
        return;
    }
    statistics_of(lane->series->samples, lane->series->n, &statistics);
    table_signed(table, (int64_t)lane->series->n);
    add_value(table, view, is_ftq, true, statistics.min);
    add_value(table, view, is_ftq, true, statistics.median);
    add_value(table, view, is_ftq, statistics.has_p99, statistics.p99);
    add_value(table, view, is_ftq, statistics.has_p999, statistics.p999);
    add_value(table, view, is_ftq, true, statistics.max);
    table_real(table, lane->elapsed > 0 ? PPM * lane->stolen / lane->elapsed : 0);
}

static void print_periods(const struct view *view, const struct quanta *quanta)
{
    struct table table;
    size_t lines = 0;
    const char *why = NULL;

    table_open(&table, "rrrrr", "CPU\tcomes every\trate\tshare of noise\tlost each time");
    for (size_t i = 0; i < quanta->count; i++) {
        struct spectrum spectrum;
        const char *const without = quanta_spectrum(&quanta->lane[i], &spectrum);

        if (without != NULL) {
            why = without;
            continue;
        }
        for (size_t k = 0; k < spectrum.peak_count; k++, lines++) {
            table_line(&table, "%" PRIu64, quanta->lane[i].number);
            peak_cells(&table, view, &spectrum.peaks[k]);
        }
        spectrum_free(&spectrum);
    }
    if (lines > 0) {
        view_table(view, &table);
        return;
    }
    table_free(&table);
    if (why != NULL) {
        print_paragraph(view->out, "no spectrum: %s", why);
    } else {
        print_paragraph(view->out, "no part of the noise is periodic");
    }
}

static void view_quanta(const struct view *view, const struct run_bench *bench)
{
    struct quanta quanta;
    char finds[SENSITIVITY_TEXT_MAX];
    bool none = true;
    struct table table;

    if (!quanta_of(bench, &quanta)) {
        print_paragraph(view->out, "no table of processors: samples are missing");
        return;
    }
    print_paragraph(view->out, "%s%s",
                    quanta.is_ftq ? "units of work done in each quantum"
                                  : "time of each piece of work",
                    quanta.is_ftq ? "" : span_note(view));
    table_open(&table, "rrrrrrrr", "CPU\tpieces\tmin\tmedian\tp99\tp99.9\tmax\tlost ppm");
    for (size_t i = 0; i < quanta.count; i++) {
        add_row(&table, view, quanta.is_ftq, &quanta.lane[i]);
        none = none && quanta.lane[i].series != NULL && quanta.lane[i].stolen <= 0;
    }
    view_table(view, &table);
    if (run_is_exact(view->run) && quanta.count > 1) {
        print_paragraph(view->out,
                        "in exact time the processors take turns, so what is lost on one "
                        "is the work of the others, no noise");
    }
    print_periods(view, &quanta);
    if (none) {
        print_paragraph(view->out, "no time was lost; %s",
                        sensitivity_text(view, quanta.is_ftq ? DETECTOR_FTQ : DETECTOR_FWQ, finds));
    }
    quanta_free(&quanta);
}

static bool is_of_processor(const struct run_fact *fact)
{
    static const char *const names[] = {FACT_ORIGIN, FACT_GAP_ELAPSED, FACT_UNIT_OF_FTQ,
                                        FACT_UNITS};

    return team_fact_is_of(fact, names, sizeof(names) / sizeof(names[0]));
}

/* ---- figures: lost time over time, and its spectrum, for each processor ---- */

#define SECTION   "Noise"
#define POWER_MIN 1e-6 /* share of the whole power; smaller values are rounding errors */

static struct figure_series *add_lane(struct figure *figure, const struct quanta_lane *lane)
{
    char name[AMOUNT_MAX];

    return figure_add_series(figure, processor_text(lane->number, name));
}

static double greatest(const struct quanta *quanta)
{
    double stolen = 0;

    for (size_t i = 0; i < quanta->count; i++) {
        const struct quanta_lane *lane = &quanta->lane[i];

        for (size_t k = 0; lane->series != NULL && k < lane->series->n; k++) {
            stolen = fmax(stolen, lane->stretch[k].stolen);
        }
    }
    return stolen;
}

static void add_in_time(struct figures *figures, const struct run *run,
                        const struct run_bench *bench, const struct quanta *quanta)
{
    double longest = 1;

    for (size_t i = 0; i < quanta->count; i++) {
        longest = fmax(longest, quanta->lane[i].elapsed);
    }
    const struct figure_scale x = figure_time_scale(run, longest);
    const struct figure_scale y = figure_length_scale(run, greatest(quanta));
    struct figure *figure = figure_add(figures, FIGURE_LINES, SECTION,
                                       quanta->is_ftq ? "ftq: time lost in each quantum"
                                                      : "fwq: time lost in each piece",
                                       "%s-stolen", bench->name);

    figure_axes(figure, figure_time_label(run), x.unit,
                quanta->is_ftq ? "time lost in the quantum"
                               : "time beyond the shortest piece of work",
                y.unit);
    figure_how(figure, quanta->is_ftq ? "Quanta of equal length on all processors at once: the "
                                        "time without work in each, minus the least such time"
                                      : "Equal pieces of work on all processors at once, each "
                                        "minus the shortest of its processor");
    for (size_t i = 0; i < quanta->count; i++) {
        const struct quanta_lane *lane = &quanta->lane[i];
        struct figure_series *series = add_lane(figure, lane);

        for (size_t k = 0; lane->series != NULL && k < lane->series->n; k++) {
            figure_add_point(series, lane->stretch[k].begin * x.per_tick,
                             lane->stretch[k].stolen * y.per_tick);
        }
    }
}

/* Draws the spectra of all processors that have one. */
static void add_spectra(struct figures *figures, const struct run *run,
                        const struct run_bench *bench, const struct quanta *quanta)
{
    const double ns_per_tick = run_ns_per_tick(run);
    const double hz = ns_per_tick > 0 ? 1e9 / ns_per_tick : 1;
    struct figure *figure = NULL;

    for (size_t i = 0; i < quanta->count; i++) {
        struct spectrum spectrum;

        if (quanta_spectrum(&quanta->lane[i], &spectrum) != NULL) {
            continue;
        }
        if (figure == NULL) {
            figure = figure_add(figures, FIGURE_LINES, SECTION,
                                quanta->is_ftq ? "ftq: spectrum" : "fwq: spectrum", "%s-spectrum",
                                bench->name);
            figure_axes(figure, "frequency", ns_per_tick > 0 ? "Hz" : "1/tick", "power", NULL);
            figure->y.logarithmic = true;
            figure_how(figure, "Spectrum of the lost time, as a share of the whole power (Hann's "
                               "window); a line is periodic noise");
        }
        struct figure_series *series = add_lane(figure, &quanta->lane[i]);

        for (size_t k = 0; k < spectrum.count; k++) {
            figure_add_point(series, (double)(k + 1) / spectrum.elapsed * hz,
                             fmax(spectrum.power[k], POWER_MIN));
        }
        spectrum_free(&spectrum);
    }
}

static void quanta_figures(struct figures *figures, const struct run *run,
                           const struct run_bench *bench)
{
    struct quanta quanta;

    if (quanta_of(bench, &quanta)) {
        if (greatest(&quanta) > 0) {
            add_in_time(figures, run, bench, &quanta);
        } else {
            figure_add_absent(
                figures, SECTION,
                quanta.is_ftq ? "ftq: time lost in each quantum" : "fwq: time lost in each piece",
                quanta.is_ftq ? "ftq-stolen" : "fwq-stolen", "all are equal: no time was lost");
        }
        add_spectra(figures, run, bench, &quanta);
    }
    quanta_free(&quanta);
}

/* ---- JSON and metrics: the time lost on each processor ---- */

static double share_of(const struct quanta_lane *lane)
{
    return lane->series != NULL && lane->elapsed > 0 ? PPM * lane->stolen / lane->elapsed : NAN;
}

static void put_lane(struct json *json, const struct quanta_lane *lane)
{
    struct spectrum spectrum;

    json_object(json, NULL);
    json_unsigned(json, "number", lane->number);
    json_real(json, "stolen_ppm", share_of(lane));
    json_array(json, "periods");
    if (quanta_spectrum(lane, &spectrum) == NULL) {
        for (size_t k = 0; k < spectrum.peak_count; k++) {
            json_object(json, NULL);
            json_real(json, "ticks", spectrum.peaks[k].period);
            json_real(json, "share", spectrum.peaks[k].share);
            json_close(json);
        }
        spectrum_free(&spectrum);
    }
    json_close(json);
    json_close(json);
}

static void quanta_json(struct json *json, const struct run *run, const struct run_bench *bench)
{
    struct quanta quanta;

    (void)run;
    if (!quanta_of(bench, &quanta)) {
        json_null(json, "processors");
        return;
    }
    json_array(json, "processors");
    for (size_t i = 0; i < quanta.count; i++) {
        put_lane(json, &quanta.lane[i]);
    }
    json_close(json);
    quanta_free(&quanta);
}

/* Returns the share of time lost on the processor that lost most, in ppm, or -1 if it is unknown.
 */
static double worst_share(const struct run_bench *bench)
{
    struct quanta quanta;
    double worst = -1;

    if (!quanta_of(bench, &quanta)) {
        return -1;
    }
    for (size_t i = 0; i < quanta.count; i++) {
        worst = fmax(worst, share_of(&quanta.lane[i]));
    }
    quanta_free(&quanta);
    return worst;
}

static void add_stolen(struct metrics *metrics, const struct run_bench *bench)
{
    const double worst = worst_share(bench);

    if (worst >= 0) {
        struct metric *metric = metrics_add(metrics, bench, FACT_STOLEN, NULL);

        metric->unit = UNIT_PPM;
        metric->is_share = true;
        metric->share = worst;
        metric->n = 1;
        metric->values = alloc_zeroed(sizeof(*metric->values));
        metric->values[0] = worst;
    }
}

/* In exact time a processor waits while the others have their turns, which is no noise: the line of
 * the bench says so. */
static bool quanta_digest(const struct view *view, const struct run_bench *bench,
                          struct digest *digest)
{
    const int64_t processors = run_fact_or(bench, FACT_PROCESSORS, 1);
    const double worst = worst_share(bench);

    if (!run_is_exact(view->run) || processors < 2 || worst < 0) {
        return false;
    }
    snprintf(digest->text, sizeof(digest->text),
             "%.0f ppm are turns of the %" PRId64 " processors in exact time, no noise", worst,
             processors);
    return true;
}

PLUGIN_OF(fwq, .order = 241, .show = view_quanta, .place = PLUGIN_FOR_SERIES,
          .shows_fact = is_of_processor, .bench_figures = quanta_figures, .json = quanta_json,
          .digest = quanta_digest, .metrics = {.main = FACT_STOLEN, .others = add_stolen});
PLUGIN_OF(ftq, .order = 242, .show = view_quanta, .place = PLUGIN_FOR_SERIES,
          .shows_fact = is_of_processor, .bench_figures = quanta_figures, .json = quanta_json,
          .digest = quanta_digest, .metrics = {.main = FACT_STOLEN, .others = add_stolen});
