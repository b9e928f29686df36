/* SPDX-License-Identifier: BSD-2-Clause */
/* A prediction beside the measured run, as a page with pictures. */
#include <inttypes.h>
#include <math.h>
#include <stdarg.h>
#include <string.h>

#include "tools/figure/page.h"
#include "tools/run/run_kind.h"
#include "tools/sim/against/against_views.h"
#include "tools/stats/summary.h"

#define SECTION_RESPONSES "Responses"
#define SECTION_OVERHEADS "Overheads"
#define BINS              60
#define BINS_UPTO         0.98 /* of the values; what is beyond is for the tail's figure */
#define CURVE_UPTO        0.998
#define CURVE_POINTS      1000
#define TAIL_PART         1e-5
#define QUANTILES         99
#define PERCENT           100
#define TEXT_MAX          512
#define FACTS             8

/* One sample of the three that are drawn over each other. */
struct drawn {
    const char *name;
    const double *sorted;
    size_t n;
};

struct drawing {
    struct drawn sample[3];
    const char *unit;
};

static void drawing_of(struct drawing *drawing, const struct against *against)
{
    const struct against_series *series = &against->measured.series[0];

    *drawing = (struct drawing){
        .sample = {{"measured", series->values, series->n},
                   {"predicted with overheads", against->with.pool, against->with.pool_count},
                   {"predicted without", against->without.pool, against->without.pool_count}},
        .unit = "units",
    };
}

static const char *what_of(const struct against *against)
{
    return against->measured.series[0].stimulus != SIM_NONE ? "response" : "wait";
}

/* ---- density ---- */

static void add_density(struct figure *figure, const struct drawn *drawn, double low, double width)
{
    struct figure_series *series = figure_add_series(figure, drawn->name);
    size_t at = 0;

    while (at < drawn->n && drawn->sorted[at] < low) {
        at++;
    }
    for (size_t bin = 0; bin < BINS; bin++) {
        const double end = low + (double)(bin + 1) * width;
        const size_t first = at;

        while (at < drawn->n && drawn->sorted[at] < end) {
            at++;
        }
        figure_add_point(series, low + (double)bin * width,
                         PERCENT * (double)(at - first) / (double)drawn->n);
    }
    figure_add_point(series, low + BINS * width, 0);
}

static void figure_density(struct figures *figures, const struct against *against,
                           const struct drawing *drawing)
{
    double low = INFINITY;
    double high = 0;
    struct figure *figure =
        figure_add(figures, FIGURE_STEPS, SECTION_RESPONSES, "How long, and how often", "density");

    for (size_t i = 0; i < 3; i++) {
        const struct drawn *drawn = &drawing->sample[i];

        low = fmin(low, drawn->sorted[0]);
        high = fmax(high, summary_quantile_of(drawn->sorted, drawn->n, BINS_UPTO));
    }
    const double width = high > low ? (high - low) / BINS : 1;

    figure_axes(figure, what_of(against), drawing->unit, "part in each class", "%");
    figure_how(figure,
               "Classes of %.3g units; measured: one run of %zu; predicted: %zu runs of as many; "
               "the last 2 %% are left to the figure of the tail",
               width, against->measured.passes, against->with.replications);
    for (size_t i = 0; i < 3; i++) {
        add_density(figure, &drawing->sample[i], low, width);
    }
}

/* ---- cumulative ---- */

static void add_cumulative(struct figure *figure, const struct drawn *drawn)
{
    struct figure_series *series = figure_add_series(figure, drawn->name);
    const size_t count = (size_t)ceil(CURVE_UPTO * (double)drawn->n);
    const size_t points = count < CURVE_POINTS ? count : CURVE_POINTS;

    for (size_t i = 0; i < points; i++) {
        const size_t upto = (i + 1) * count / points;

        figure_add_point(series, drawn->sorted[upto - 1],
                         PERCENT * (double)upto / (double)drawn->n);
    }
}

static void figure_cumulative(struct figures *figures, const struct against *against,
                              const struct drawing *drawing)
{
    const struct against_distance *with = &against->distance_with;
    const struct against_distance *without = &against->distance_without;
    struct figure *figure = figure_add(figures, FIGURE_STEPS, SECTION_RESPONSES,
                                       "Cumulative distribution", "cumulative");

    figure_axes(figure, what_of(against), drawing->unit, "part not longer", "%");
    figure_how(figure,
               "Largest vertical distance (Kolmogorov and Smirnov) of the measured curve: to the "
               "prediction with overheads %.4f (95 %%: %.4f to %.4f), without %.4f (%.4f to "
               "%.4f); 95 %% of the prediction's own runs are up to %.4f away from it",
               with->distance, with->low, with->high, without->distance, without->low,
               without->high, with->usual);
    for (size_t i = 0; i < 3; i++) {
        add_cumulative(figure, &drawing->sample[i]);
    }
}

/* Steps that become finer towards the tail: of equal ratio in the part that is left. */
static void add_tail(struct figure *figure, const struct drawn *drawn)
{
    struct figure_series *series = figure_add_series(figure, drawn->name);
    const double least = fmax(TAIL_PART, 1 / (double)drawn->n);
    size_t before = 0;

    figure_add_point(series, drawn->sorted[0], 1);
    for (size_t i = 1; i <= CURVE_POINTS; i++) {
        const double part = pow(least, (double)i / CURVE_POINTS);
        const size_t beyond = (size_t)ceil(part * (double)drawn->n);
        const size_t at = drawn->n - beyond;

        if (at > before) {
            figure_add_point(series, drawn->sorted[at - 1], (double)beyond / (double)drawn->n);
            before = at;
        }
    }
}

static void figure_tail(struct figures *figures, const struct against *against,
                        const struct drawing *drawing)
{
    struct figure *figure =
        figure_add(figures, FIGURE_STEPS, SECTION_RESPONSES, "The tail", "tail");

    figure_axes(figure, what_of(against), drawing->unit, "part that is longer", NULL);
    figure->y.logarithmic = true;
    figure_how(figure, "What the distributions have far out; the measured one ends where a single "
                       "value is left");
    for (size_t i = 0; i < 3; i++) {
        add_tail(figure, &drawing->sample[i]);
    }
}

/* ---- quantiles ---- */

static void add_quantiles(struct figure *figure, const struct drawn *measured,
                          const struct drawn *predicted)
{
    struct figure_series *series = figure_add_series(figure, predicted->name);

    for (int i = 1; i <= QUANTILES; i++) {
        const double q = (double)i / (QUANTILES + 1);

        figure_add_point(series, summary_quantile_of(predicted->sorted, predicted->n, q),
                         summary_quantile_of(measured->sorted, measured->n, q) -
                             summary_quantile_of(predicted->sorted, predicted->n, q));
    }
}

static void figure_quantiles(struct figures *figures, const struct drawing *drawing)
{
    struct figure *figure =
        figure_add(figures, FIGURE_LINES, SECTION_RESPONSES,
                   "Measured less predicted, quantile by quantile", "quantiles");

    figure_axes(figure, "predicted quantile", drawing->unit, "measured - predicted", drawing->unit);
    figure_how(figure, "Quantiles of 1 to 99 %%; 0: the prediction is right there, above: it is "
                       "too low");
    add_quantiles(figure, &drawing->sample[0], &drawing->sample[1]);
    add_quantiles(figure, &drawing->sample[0], &drawing->sample[2]);
}

/* ---- statistics ---- */

static void amount_cell(struct figure *figure, double value)
{
    char text[AGAINST_AMOUNT_MAX];

    figure_cell(figure, "%s", against_amount(value, text));
}

static void band_cells(struct figure *figure, const struct against_band *band, double value,
                       double resolution)
{
    const double z = against_z(band, value);
    const char *verdict = against_inside(band, value, resolution) ? "in" : "OUT";

    if (!band->reported) {
        for (int i = 0; i < 4; i++) {
            figure_cell(figure, "%s", "");
        }
        return;
    }
    amount_cell(figure, band->mean);
    amount_cell(figure, band->low);
    amount_cell(figure, band->high);
    if (isnan(z)) {
        figure_cell(figure, "%s", verdict);
    } else {
        figure_cell(figure, "%+.1f %s", z, verdict);
    }
}

static void figure_statistics(struct figures *figures, const struct against *against)
{
    static const char *const heads[] = {"series", "statistic", "measured", "with", "low", "high",
                                        "z",      "without",   "low",      "high", "z"};
    struct figure *figure =
        figure_add(figures, FIGURE_TABLE, "Statistics", "Measured and predicted", "statistics");

    figure_how(figure,
               "In units; low to high: within which 95 %% of runs of as many passes lie, were the "
               "model true; z: distance to the mean of such runs in their deviations");
    figure_table(figure, "llrrrrrrrrr", heads);
    for (size_t s = 0; s < against->measured.count; s++) {
        for (enum against_statistic i = 0; i < AGAINST_STATISTICS; i++) {
            const double value = against_value(&against->measured.series[s], i);
            const size_t at = s * AGAINST_STATISTICS + i;

            if (isnan(value)) {
                continue;
            }
            figure_cell(figure, "%s", against->measured.series[s].name);
            figure_cell(figure, "%s", against_statistic_name(i));
            amount_cell(figure, value);
            band_cells(figure, &against->with.band[at], value, against->measured.resolution);
            band_cells(figure, &against->without.band[at], value, against->measured.resolution);
        }
    }
}

/* ---- explanation ---- */

static void figure_explanation(struct figures *figures, const struct against *against)
{
    struct figure *figure = figure_add(
        figures, FIGURE_BARS, SECTION_OVERHEADS,
        "What the measured mean has more than the prediction without overheads", "explanation");
    const double error = 1.96 * against->remainder_error;
    struct figure_series *series;

    figure_axes(figure, NULL, NULL, "units", NULL);
    figure_how(figure,
               "Added to the model one after the other; left over: measured less the prediction "
               "with all of them, with what 95 %% of runs spread; the difference is their sum");
    for (size_t i = 0; i < AGAINST_PARTS; i++) {
        figure_add_group(figure, against->part[i].name);
    }
    figure_add_group(figure, "left over");
    figure_add_group(figure, "difference");
    series = figure_add_series(figure, "of the mean");
    for (size_t i = 0; i < AGAINST_PARTS; i++) {
        const struct against_part *part = &against->part[i];

        figure_add_range(series, (double)i, part->added, part->added - 1.96 * part->added_error,
                         part->added + 1.96 * part->added_error);
    }
    figure_add_range(series, AGAINST_PARTS, against->remainder, against->remainder - error,
                     against->remainder + error);
    figure_add_range(series, AGAINST_PARTS + 1, against->difference, against->difference - error,
                     against->difference + error);
}

void against_figures(struct figures *figures, const struct against *against)
{
    struct drawing drawing;

    drawing_of(&drawing, against);
    figure_density(figures, against, &drawing);
    figure_cumulative(figures, against, &drawing);
    figure_tail(figures, against, &drawing);
    figure_quantiles(figures, &drawing);
    figure_statistics(figures, against);
    figure_explanation(figures, against);
}

/* ---- page ---- */

struct texts {
    char kind[RUN_KIND_MAX];
    char with[AGAINST_VERDICT_MAX];
    char without[AGAINST_VERDICT_MAX];
    char value[FACTS][TEXT_MAX];
    struct page_fact fact[FACTS];
    size_t count;
};

__attribute__((format(printf, 3, 4))) static void add_fact(struct texts *texts, const char *label,
                                                           const char *format, ...)
{
    va_list values;

    va_start(values, format);
    vsnprintf(texts->value[texts->count], TEXT_MAX, format, values);
    va_end(values);
    texts->fact[texts->count] = (struct page_fact){label, texts->value[texts->count]};
    texts->count++;
}

static void add_facts(struct texts *texts, const struct against *against,
                      const struct against_names *names)
{
    const struct sim_overhead *overhead = &against->with.overhead;

    add_fact(texts, "model", "%s", names->model);
    add_fact(texts, "run", "%s", names->run);
    add_fact(texts, "passes", "%zu, seed %" PRIu64, against->measured.passes,
             against->measured.seed);
    add_fact(texts, "simulated", "%zu runs of as many, seed %" PRIu64, against->with.replications,
             names->seed);
    add_fact(texts, "unit", "%.10g ns", against->measured.unit_ns);
    add_fact(texts, "overheads", "interrupt %.4g, switch %.4g, receive %.4g, send %.4g units",
             overhead->interrupt, overhead->switching, overhead->receive, overhead->send);
    add_fact(texts, "with them", "%s", against_verdict_text(against, &against->with, texts->with));
    add_fact(texts, "without", "%s",
             against_verdict_text(against, &against->without, texts->without));
}

bool against_page(FILE *out, const struct against *against, const struct run *run,
                  const struct against_names *names)
{
    struct texts texts = {0};
    struct figures figures;
    const char *const notes[] = {run_kind_text(run, texts.kind)};
    const bool agrees = against_agrees(&against->with);

    figures_init(&figures);
    against_figures(&figures, against);
    add_facts(&texts, against, names);
    const struct page page = {
        .title = "tare: prediction against measurement",
        .verdict = agrees ? "PREDICTED" : "NOT AS PREDICTED",
        .good = agrees,
        .notes = notes,
        .note_count = 1,
        .facts = texts.fact,
        .fact_count = texts.count,
        .figures = &figures,
    };
    const bool written = page_write(out, &page);

    figures_free(&figures);
    return written;
}
