/* SPDX-License-Identifier: BSD-2-Clause */
/* Figures of noise: gaps over time, how often each length occurs, the periodic part, and the share
 * of time that each processor lost. */
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "bench/noise/host/gap_bench.h"
#include "bench/noise/host/sensitivity.h"
#include "bench/noise/host/team_rows.h"
#include "bench/noise/host/view_noise.h"
#include "bench/noise/names.h"
#include "kernel/run/names.h"
#include "tools/base/alloc.h"
#include "tools/base/number.h"
#include "tools/base/sort.h"
#include "tools/present/figure_kit.h"
#include "tools/present/report_plugin.h"
#include "tools/present/view.h"
#include "tools/run/run_kind.h"
#include "tools/stats/summary.h"
#include "tools/trace/idle_bench.h"

#define SECTION "Noise"
#define PPM     1e6
/* share of the greatest power; smaller values, as in exact time, are rounding errors */
#define POWER_MIN    1e-6
#define COLUMN_RATIO 1.01 /* ratio of end to start of a column of the spectrum */
/* ratio of greatest to least value from which on an axis is logarithmic */
#define WIDE 10

struct drawing {
    struct figures *figures;
    const struct run *run;
    const struct run_bench *bench;
    struct view view;
};

/* ---- gaps ---- */

struct gaps {
    struct gap_series first, worst; /* their series are NULL if incomplete */
    struct gap_totals totals;
    bool has_totals;
    const struct run_series *bound, *count; /* the image's histogram; NULL: incomplete */
    int64_t elapsed, dead, threshold;       /* ticks; -1: not reported */
};

static void add_points(struct figure *figure, const char *name, const struct gap_series *gaps,
                       const struct figure_scale *x, const struct figure_scale *y)
{
    struct figure_series *series = figure_add_series(figure, name);

    for (size_t i = 0; i < gaps->length->n; i++) {
        figure_add_point(series, (double)gaps->time->samples[i] * x->per_tick,
                         (double)gaps->length->samples[i] * y->per_tick);
    }
}

static void add_scatter(const struct drawing *drawing, const struct gaps *gaps)
{
    const struct run_series *length = gaps->first.length;
    char finds[SENSITIVITY_TEXT_MAX];
    char text[AMOUNT_MAX];

    if (length == NULL) {
        figure_add_absent(drawing->figures, SECTION, "gap: gaps over time", "gap-scatter",
                          "samples are missing");
        return;
    }
    if (length->n == 0) {
        figure_add_absent(drawing->figures, SECTION, "gap: gaps over time", "gap-scatter",
                          "there was no gap above the threshold; %s",
                          sensitivity_text_of(&drawing->view, drawing->bench, finds));
        return;
    }
    const double median = (double)statistics_median(length->samples, length->n);
    const struct figure_scale x = figure_time_scale(drawing->run, (double)gaps->elapsed);
    const struct figure_scale y = figure_length_scale(drawing->run, median);
    struct figure *figure =
        figure_add(drawing->figures, FIGURE_POINTS, SECTION, "gap: gaps over time", "gap-scatter");

    figure_axes(figure, figure_time_label(drawing->run), x.unit, "length of the gap", y.unit);
    figure->y.logarithmic = true;
    add_points(figure, "gaps", &gaps->first, &x, &y);
    if (gaps->worst.length != NULL) {
        add_points(figure, "largest of the others", &gaps->worst, &x, &y);
    }
    figure->has_threshold = true;
    figure->threshold = median * y.per_tick;
    figure_how(figure,
               "The TSC is read back to back with interrupts masked: each gap above %s between two "
               "readings. The machine's software cannot cause one; SMIs, a hypervisor or an "
               "emulator can%s",
               amount_text(&drawing->view, gaps->threshold, UNIT_TICK, text),
               !gaps->has_totals || gaps->totals.rest == 0 ? ""
               : gaps->totals.is_exact ? "; after the first, only the largest were kept"
                                       : "; later gaps could not be kept");
}

static bool is_wide(const struct run_series *bound)
{
    return bound->samples[0] > 0 && bound->samples[bound->n - 1] / bound->samples[0] >= WIDE;
}

/* Marks the threshold above which a gap is kept and counted as noise. */
static void add_detection(struct figure *figure, const struct gaps *gaps,
                          const struct figure_scale *scale)
{
    double most = 1;

    for (size_t i = 0; i < gaps->count->n; i++) {
        most = fmax(most, (double)gaps->count->samples[i]);
    }
    if (gaps->threshold > 0) {
        struct figure_series *line = figure_add_reference(figure, "threshold");

        figure_add_point(line, (double)gaps->threshold * scale->per_tick, 1);
        figure_add_point(line, (double)gaps->threshold * scale->per_tick, most);
    }
}

static void add_histogram(const struct drawing *drawing, const struct gaps *gaps)
{
    const struct run_series *bound = gaps->bound;
    const struct figure_scale scale =
        figure_length_scale(drawing->run, (double)statistics_median(bound->samples, bound->n));
    struct figure *figure = figure_add(drawing->figures, FIGURE_HISTOGRAM, SECTION,
                                       "gap: lengths of all gaps", "gap-histogram");
    struct figure_series *series = figure_add_series(figure, "gaps");

    figure_axes(figure, "time between two TSC readings", scale.unit, "gaps", NULL);
    figure->x.logarithmic = is_wide(bound);
    figure->y.logarithmic = true;
    for (size_t i = 0; i < bound->n; i++) {
        const double low = (double)bound->samples[i];
        const double high = gap_bin_end(bound->samples[i]);

        figure_add_range(series, (low + high) / 2 * scale.per_tick, (double)gaps->count->samples[i],
                         low * scale.per_tick, high * scale.per_tick);
    }
    add_detection(figure, gaps, &scale);
    figure_how(figure, "Histogram of all gaps, including the shortest, as the image counted them "
                       "in 16 bins for each doubling; interrupts are masked");
}

/* Returns the number of gaps in a bin, or the time in them. */
static double weight_of(const struct gaps *gaps, size_t bin, bool of_time)
{
    const double count = (double)gaps->count->samples[bin];
    const int64_t low = gaps->bound->samples[bin];

    return of_time ? count * ((double)low + gap_bin_end(low)) / 2 : count;
}

/* Draws, for the length of each bin, the share of gaps that are at least that long, and the share
 * of all gap time that these gaps take. A gap counts with the middle of its bin. */
static void add_tail(const struct drawing *drawing, const struct gaps *gaps)
{
    const struct run_series *bound = gaps->bound;
    const struct figure_scale scale =
        figure_length_scale(drawing->run, (double)statistics_median(bound->samples, bound->n));
    struct figure *figure =
        figure_add(drawing->figures, FIGURE_STEPS, SECTION, "gap: share of long gaps", "gap-nines");

    figure_axes(figure, "length of a gap, at least", scale.unit,
                "share in gaps of this length or longer", NULL);
    figure->x.logarithmic = is_wide(bound);
    figure->y.logarithmic = true;
    for (int of_time = 0; of_time < 2; of_time++) {
        struct figure_series *series =
            figure_add_series(figure, of_time != 0 ? "of all time" : "of all gaps");
        double all = 0;

        for (size_t i = 0; i < bound->n; i++) {
            all += weight_of(gaps, i, of_time != 0);
        }
        double left = all;

        for (size_t i = 0; i < bound->n; i++) {
            figure_add_point(series, (double)bound->samples[i] * scale.per_tick, left / all);
            left -= weight_of(gaps, i, of_time != 0);
        }
    }
    figure_how(
        figure,
        "From the histogram of all gaps. A value of 0.001 (three nines) means that one gap in a "
        "thousand, or a thousandth of the time, is in gaps of this length or longer");
}

static bool has_histogram(const struct gaps *gaps)
{
    if (gaps->bound == NULL || gaps->count == NULL || gaps->bound->n != gaps->count->n ||
        gaps->bound->n == 0) {
        return false;
    }
    return !SEARCH_ANY(i, gaps->bound->n,
                       gaps->bound->samples[i] < 0 || gaps->count->samples[i] < 0 ||
                           (i > 0 && gaps->bound->samples[i] <= gaps->bound->samples[i - 1]));
}

/* ---- the rate ---- */

static void add_rate_rows(const struct drawing *drawing, struct figure *figure,
                          const struct gaps *gaps, double watched)
{
    const bool known = drawing->view.ns_per_tick > 0;
    const double time = known ? watched * drawing->view.ns_per_tick / 1e9 : watched / 1e9;
    const char *unit = known ? "s" : "10^9 ticks";
    const struct gap_totals *totals = &gaps->totals;
    struct summary_rate rate;
    char finds[SENSITIVITY_TEXT_MAX];
    char texts[3][NUMBER_MAX];
    char text[AMOUNT_MAX];

    summary_rate_of(totals->count, time, &rate);
    if (rate.events == 0) {
        figure_cell(figure, "rate\tnone: fewer than %s per %s (95 %% confidence)",
                    number_si(rate.high, "", texts[0]), unit);
        figure_cell(figure, "sensitivity\t%s",
                    sensitivity_text_of(&drawing->view, drawing->bench, finds));
        return;
    }
    figure_cell(figure, "rate\t%s per %s (%s to %s at 95 %%, Poisson)",
                number_si(rate.rate, "", texts[0]), unit, number_si(rate.low, "", texts[1]),
                number_si(rate.high, "", texts[2]));
    if (!totals->is_exact && gaps->first.length->n == 0) {
        return;
    }
    figure_cell(figure, "lost time\t%s%s", totals->is_exact ? "" : "at least ",
                share_text((double)totals->sum / watched, texts[0]));
    figure_cell(figure, "%s\t%s", totals->is_exact ? "longest" : "longest of the first",
                amount_text(&drawing->view, totals->greatest, UNIT_TICK, text));
    figure_cell(figure, "which began at\t%s",
                amount_text(&drawing->view, totals->greatest_at, UNIT_TICK, text));
}

static void add_kept_rows(const struct drawing *drawing, struct figure *figure,
                          const struct gaps *gaps)
{
    char text[AMOUNT_MAX];

    if (gaps->totals.rest == 0) {
        return;
    }
    figure_cell(figure, "kept\tthe first %" PRIu32, gaps->first.length->n);
    if (gaps->worst.length != NULL) {
        figure_cell(figure, "also kept\tthe %" PRIu32 " largest of the others",
                    gaps->worst.length->n);
    }
    if (gaps->totals.is_exact) {
        figure_cell(figure, "the rest\t%" PRIu64 ", %s in total", gaps->totals.rest,
                    amount_text(&drawing->view, gaps->totals.rest_sum, UNIT_TICK, text));
    }
}

static void add_rate(const struct drawing *drawing, const struct gaps *gaps)
{
    const double watched = (double)gaps->elapsed - (double)(gaps->dead > 0 ? gaps->dead : 0);
    const int64_t smis = run_fact_or(drawing->bench, FACT_SMI, -1);
    char text[AMOUNT_MAX];

    if (!gaps->has_totals || gaps->first.length == NULL || gaps->elapsed <= 0 || !(watched > 0)) {
        return;
    }
    struct figure *figure =
        figure_add(drawing->figures, FIGURE_TABLE, SECTION, "gap: rate of gaps", "gap-rate");

    figure_open(figure, "ll", "gaps above the threshold\t");
    figure_cell(figure, "threshold\t%s",
                amount_text(&drawing->view, gaps->threshold, UNIT_TICK, text));
    figure_cell(figure, "watched for\t%s (%.4f %% of the time)",
                amount_text(&drawing->view, llround(watched), UNIT_TICK, text),
                100 * watched / (double)gaps->elapsed);
    figure_cell(figure, "gaps seen\t%" PRIu64, gaps->totals.count);
    add_kept_rows(drawing, figure, gaps);
    add_rate_rows(drawing, figure, gaps, watched);
    if (smis >= 0) {
        figure_cell(figure, "SMIs by MSR 34h\t%" PRId64, smis);
    }
    figure_how(figure, "This table covers all gaps. The confidence interval of the rate assumes "
                       "that the gaps are independent of each other");
}

/* ---- samples of the idle loop ---- */

/* Draws which part of all samples exceeds the floor by x or more. */
static void add_elongations(struct figure *figure, const struct run_series *series, int64_t floor,
                            const struct figure_scale *scale)
{
    double *longer = alloc_zeroed((series->n + 1) * sizeof(*longer));
    size_t count = 0;

    for (size_t i = 0; i < series->n; i++) {
        if (series->samples[i] > floor) {
            longer[count++] = (double)series->samples[i] - (double)floor;
        }
    }
    sort_reals(longer, count);
    struct figure_series *points = count > 0 ? figure_add_series(figure, series->name) : NULL;

    for (size_t i = 0; i < count; i++) {
        if (i == 0 || longer[i] > longer[i - 1]) {
            figure_add_point(points, longer[i] * scale->per_tick,
                             (double)(count - i) / (double)series->n);
        }
    }
    free(longer);
}

static void add_idle_tail(const struct drawing *drawing)
{
    const struct run_series *series[] = {run_find_series(drawing->bench, SERIES_FLOOR),
                                         run_find_series(drawing->bench, SERIES_TICKING)};
    const char *why = NULL;
    int64_t floor;
    int64_t most = 0;
    int64_t least = INT64_MAX;

    if (!idle_bench_floor(drawing->bench, &floor, &why)) {
        return; /* the idle loop's own figures show the reason */
    }
    for (size_t i = 0; i < 2; i++) {
        for (size_t k = 0; series[i] != NULL && k < series[i]->received; k++) {
            const int64_t length = series[i]->samples[k];

            most = length > most ? length : most;
            least = length > floor && length < least ? length : least;
        }
    }
    if (most <= floor) {
        figure_add_absent(drawing->figures, SECTION, "idle: share of long samples", "idle-nines",
                          "no sample was longer than the floor");
        return;
    }
    if (least == most) {
        char text[AMOUNT_MAX];

        figure_add_absent(drawing->figures, SECTION, "idle: share of long samples", "idle-nines",
                          "all samples longer than the floor exceed it by the same %s%s",
                          span_text(&drawing->view, (double)most - (double)floor, text),
                          span_note(&drawing->view));
        return;
    }
    const struct figure_scale scale =
        figure_length_scale(drawing->run, (double)most - (double)floor);
    struct figure *figure = figure_add(drawing->figures, FIGURE_STEPS, SECTION,
                                       "idle: share of long samples", "idle-nines");

    figure_axes(figure, "excess over the floor, at least", scale.unit, "share of all samples",
                NULL);
    figure->x.logarithmic = true;
    figure->y.logarithmic = true;
    for (size_t i = 0; i < 2; i++) {
        if (series[i] != NULL && run_series_whole(series[i])) {
            add_elongations(figure, series[i], floor, &scale);
        }
    }
    figure_how(figure,
               "How much longer each sample of fixed work took than the median of series floor. "
               "Series floor: all interrupts masked; series ticking: with a clock interrupt");
}

/* ---- periodic noise ---- */

/* Draws the greatest value in each column. Columns have equal width on the logarithmic axis, so
 * that no spectral line is lost. */
static void add_power(struct figure *figure, const char *name, const struct spectrum *spectrum,
                      const double *values, double hertz)
{
    struct figure_series *series = figure_add_series(figure, name);
    double most = 0;

    for (size_t i = 0; i < spectrum->count; i++) {
        most = fmax(most, spectrum->power[i]);
    }
    for (size_t first = 0, end; first < spectrum->count; first = end) {
        const size_t wanted = (size_t)((double)(first + 1) * COLUMN_RATIO);
        size_t best = first;

        end = wanted > first + 1 ? wanted : first + 1;
        end = end < spectrum->count ? end : spectrum->count;
        for (size_t i = first; i < end; i++) {
            best = values[i] > values[best] ? i : best;
        }
        figure_add_point(series, (double)(best + 1) * hertz,
                         100 * fmax(values[best], POWER_MIN * most));
    }
}

static void add_spectrum(const struct drawing *drawing, const struct noise_spectrum *noise)
{
    const char *bench = drawing->bench->name;
    const struct spectrum *spectrum = &noise->spectrum;
    const double ns = drawing->view.ns_per_tick;
    char title[96];

    snprintf(title, sizeof(title), "%s: spectrum of %s", bench, noise->series);
    if (noise->why != NULL) {
        figure_add_absent(drawing->figures, SECTION, title, bench, "%s", noise->why);
        return;
    }
    const double hertz = ns > 0 ? 1e9 / (spectrum->elapsed * ns) : 1;
    struct figure *figure = figure_add(drawing->figures, FIGURE_LINES, SECTION, title,
                                       "%s-spectrum-%s", bench, noise->series);

    figure_axes(figure, "frequency", ns > 0 ? "Hz" : "periods in the run", "share of the variance",
                "%");
    figure->x.logarithmic = true;
    figure->y.logarithmic = true;
    add_power(figure, noise->series, spectrum, spectrum->power, hertz);
    add_power(figure, "limit", spectrum, spectrum->limit, hertz);
    figure_how(figure,
               "Time lost in %s, in %zu columns of equal time, Hann's window. Noise without a "
               "period exceeds the limit at any frequency once in 200 runs. Where frequencies are "
               "close, the maximum is drawn",
               strcmp(noise->series, "gaps") == 0 ? "gaps above the threshold"
                                                  : "samples of fixed work",
               spectrum->columns);
}

static void add_peak(const struct drawing *drawing, struct figure *figure, const char *of,
                     const struct spectrum_peak *peak)
{
    const struct view *view = &drawing->view;
    char text[AMOUNT_MAX];
    char stolen[AMOUNT_MAX];
    char rate[NOISE_RATE_MAX] = "";

    noise_rate_text(view, peak, rate);
    figure_cell(figure, "%s\t%s\t%s\t%.1f %%\t%s", of,
                amount_text(view, llround(peak->period), UNIT_TICK, text), rate, 100 * peak->share,
                span_text(view, peak->stolen, stolen));
}

static void add_peaks(const struct drawing *drawing, const struct noise_spectrum *spectra,
                      size_t count)
{
    static const char title[] = "periodic noise";
    size_t looked_at;
    const size_t peaks = noise_peaks(spectra, count, &looked_at);

    if (looked_at == 0) {
        return; /* each spectrum shows the reason */
    }
    if (peaks == 0) {
        figure_absent(
            figure_add_of(drawing->figures, FIGURE_ABSENT, SECTION, drawing->bench, title,
                          "periods"),
            "no noise with %d periods or more in the run and %.0f %% or more of the lost time",
            SPECTRUM_PERIODS_MIN, 100 * SPECTRUM_SHARE_MIN);
        return;
    }
    struct figure *figure =
        figure_add_of(drawing->figures, FIGURE_TABLE, SECTION, drawing->bench, title, "periods");

    figure_open(figure, "lrrrr",
                "noise in\tcomes every\trate\tshare of the noise\tlost each time%s",
                span_note(&drawing->view));
    for (size_t i = 0; i < count; i++) {
        for (size_t k = 0; spectra[i].why == NULL && k < spectra[i].spectrum.peak_count; k++) {
            add_peak(drawing, figure, spectra[i].series, &spectra[i].spectrum.peaks[k]);
        }
    }
    figure_how(figure, "Lines of the spectra with their harmonics. The share of all lost time "
                       "that belongs to a line is found by folding the run at its period; no lost "
                       "time is counted for two lines");
}

static void add_spectra(const struct drawing *drawing)
{
    struct noise_spectrum spectra[NOISE_SPECTRA_MAX];
    const size_t count = noise_spectra_of(drawing->bench, spectra);

    for (size_t i = 0; i < count; i++) {
        add_spectrum(drawing, &spectra[i]);
    }
    add_peaks(drawing, spectra, count);
    noise_spectra_free(spectra, count);
}

static void figures_of_gap(const struct drawing *drawing)
{
    const struct run_bench *bench = drawing->bench;
    struct gaps gaps;

    gap_series_of(bench, GAP_FIRST, &gaps.first);
    gap_series_of(bench, GAP_WORST, &gaps.worst);
    gaps.has_totals = gap_totals_of(bench, &gaps.totals);
    gaps.bound = run_find_whole(bench, SERIES_HISTOGRAM_BOUND);
    gaps.count = run_find_whole(bench, SERIES_HISTOGRAM_COUNT);
    gaps.elapsed = run_fact_or(bench, FACT_GAP_ELAPSED, -1);
    gaps.dead = run_fact_or(bench, FACT_DEAD, -1);
    gaps.threshold = run_fact_or(bench, FACT_THRESHOLD, -1);
    add_rate(drawing, &gaps);
    add_scatter(drawing, &gaps);
    if (has_histogram(&gaps)) {
        add_histogram(drawing, &gaps);
        add_tail(drawing, &gaps);
    } else {
        figure_add_absent(drawing->figures, SECTION, "gap: lengths of all gaps", "gap-histogram",
                          "samples are missing or contradict each other");
    }
    add_spectra(drawing);
}

void figures_noise(struct figures *figures, const struct run *run)
{
    struct drawing drawing = {.figures = figures, .run = run};

    view_init(&drawing.view, NULL, run);
    drawing.bench = run_find_bench(run, BENCH_GAP);
    if (drawing.bench != NULL && strcmp(drawing.bench->state, STATE_OK) == 0) {
        figures_of_gap(&drawing);
    } else if (drawing.bench != NULL) {
        figure_add_absent(figures, SECTION, "gap: gaps over time", "gap-scatter", "%s",
                          drawing.bench->reason != NULL ? drawing.bench->reason
                                                        : drawing.bench->state);
    }
    drawing.bench = run_find_bench(run, BENCH_IDLE);
    if (drawing.bench != NULL && strcmp(drawing.bench->state, STATE_OK) == 0) {
        add_idle_tail(&drawing);
        add_spectra(&drawing);
    }
}

PLUGIN_REGISTER(figures_noise) = {.order = 370, .figures = figures_noise};

/* Key figures of noise: the part of its time that each processor lost, by bench gap, or by selfish
 * if there is no gap. */

#define ROWS_SHOWN  6
#define TURNS_PPM   1e5 /* above this loss in exact time the note says that processors take turns */
#define PERCENT     100.0
#define PERCENT_MIN 1e-2 /* smaller values are easier to read in ppm */
#define NAME_SIZE   48

static const char title[] = "Noise by processor";

static int by_stolen(const void *left, const void *right)
{
    const struct team_row *a = *(const struct team_row *const *)left;
    const struct team_row *b = *(const struct team_row *const *)right;

    if (a->stolen_ppm != b->stolen_ppm) {
        return a->stolen_ppm > b->stolen_ppm ? -1 : 1;
    }
    return a->number < b->number ? -1 : a->number > b->number;
}

static bool is_measured(const struct team_row *row)
{
    return row->known && !isnan(row->stolen_ppm) && row->watched > 0;
}

static void draw_noise(struct figures *figures, const struct view *view,
                       const struct run_bench *bench, const struct team_row *const *rows,
                       size_t count)
{
    const size_t shown = count < ROWS_SHOWN ? count : ROWS_SHOWN;
    const bool percent = rows[0]->stolen_ppm / PPM * PERCENT >= PERCENT_MIN;
    char threshold[AMOUNT_MAX];
    char watched[AMOUNT_MAX];
    char more[NAME_SIZE] = "";
    struct figure *figure =
        figure_add(figures, FIGURE_BARS, FIGURE_SECTION_KEY, title, "key-noise");
    struct figure_series *series = figure_add_series(figure, "lost");

    figure_axes(figure, NULL, NULL, "lost time", percent ? "%" : "ppm");
    for (size_t i = 0; i < shown; i++) {
        char name[AMOUNT_MAX];

        figure_add_group(figure, processor_text(rows[i]->number, name));
        figure_add_point(series, (double)i, rows[i]->stolen_ppm * (percent ? PERCENT / PPM : 1));
    }
    if (shown < count) {
        snprintf(more, sizeof(more), "; the worst %zu of %zu", shown, count);
    }
    figure_how(figure, "Bench %s: gaps above %s, in %s%s%s", bench->name,
               amount_text(view, rows[0]->threshold, UNIT_TICK, threshold),
               amount_text(view, llround(rows[0]->watched), UNIT_TICK, watched), more,
               rows[0]->stolen_ppm > TURNS_PPM && run_is_exact(view->run)
                   ? "; in exact time processors take turns"
                   : "");
}

static void key_noise(struct figures *figures, const struct run *run)
{
    const struct run_bench *gap = run_find_bench(run, BENCH_GAP);
    const struct run_bench *bench =
        gap != NULL && gap->series_count > 0 ? gap : run_find_bench(run, BENCH_SELFISH);
    struct team_rows rows;
    struct view view;
    size_t count = 0;
    size_t known = 0;

    if (bench == NULL || bench->series_count == 0) {
        return;
    }
    team_rows_of(bench, &rows);
    const struct team_row **measured =
        alloc_zeroed((rows.count + 1) * sizeof(const struct team_row *));

    for (size_t i = 0; i < rows.count; i++) {
        known += rows.row[i].known;
        if (is_measured(&rows.row[i])) {
            measured[count++] = &rows.row[i];
        }
    }
    view_init(&view, NULL, run);
    if (count > 0) {
        sort_stable(measured, count, sizeof(const struct team_row *), by_stolen);
        draw_noise(figures, &view, bench, measured, count);
    } else if (known > 0) {
        figure_add_absent(
            figures, FIGURE_SECTION_KEY, title, "key-noise",
            "gaps above the threshold of bench %s are its own loop; raise %s.threshold_ns",
            bench->name, bench->name);
    }
    free(measured);
    team_rows_free(&rows);
}

PLUGIN_REGISTER(key_noise) = {.order = 230, .figures = key_noise};
