/* SPDX-License-Identifier: BSD-2-Clause */
#include "tools/sim/convolve/convolution_print.h"

#include <math.h>
#include <string.h>

#include "tools/base/colour.h"
#include "tools/base/json.h"
#include "tools/base/table.h"

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))

#define CHART_COLUMNS 60
#define CHART_ROWS    8
#define CHART_FROM    0.0005 /* quantiles between which the chart is */
#define MASSES_MAX    40     /* a sum of more atoms than that is not printed value by value */
#define JSON_MASSES   1024
#define FIGURE_POINTS 1000
#define FIGURE_FROM   1e-5
#define TIME_DECIMALS 9
#define P_DECIMALS    12
#define LAW_TEXT_MAX  48

static const double levels[] = {0.01, 0.05, 0.1, 0.25, 0.5, 0.75, 0.9, 0.95, 0.99, 0.999, 0.9999};

static void law_text(const struct convolution_part *part, char text[LAW_TEXT_MAX])
{
    const struct sim_law *law = part->count > 0 ? &part->terms[0].law : NULL;

    if (part->count != 1) {
        snprintf(text, LAW_TEXT_MAX, "mixture of %zu", part->count);
        return;
    }
    switch (law->kind) {
    case SIM_CONSTANT:
        snprintf(text, LAW_TEXT_MAX, "constant %.6g", law->mean);
        break;
    case SIM_UNIFORM:
        snprintf(text, LAW_TEXT_MAX, "uniform %.6g to %.6g", law->low, law->high);
        break;
    case SIM_TAILED:
        snprintf(text, LAW_TEXT_MAX, "average %.6g, maximum %.6g", law->mean, law->high);
        break;
    case SIM_EXPONENTIAL:
        snprintf(text, LAW_TEXT_MAX, "exponential %.6g", law->mean);
        break;
    case SIM_EMPIRICAL:
        snprintf(text, LAW_TEXT_MAX, "%zu values", law->count);
        break;
    }
}

static void head(FILE *out, const char *text)
{
    fputc('\n', out);
    colour_text(out, COLOUR_HEAD, text);
    fputs("\n\n", out);
}

/* ---- text ---- */

static void share_cell(struct table *table, double part, double whole)
{
    if (whole > 0) {
        table_format(table, "%.1f %%", 100 * part / whole);
    } else {
        table_text(table, NULL);
    }
}

static void part_row(struct table *table, const struct convolution_report *report, size_t i)
{
    const struct convolution_part *part = &report->convolution->part[i];
    const double mean = convolution_part_mean(part);
    const double variance = convolution_part_variance(part);
    char law[LAW_TEXT_MAX];

    law_text(part, law);
    table_row(table);
    table_text(table, convolution_names[i]);
    table_text(table, law);
    table_format(table, "%zu", part->times);
    table_format(table, "%.4f", mean);
    share_cell(table, mean, report->sum->mean);
    table_format(table, "%.4f", variance);
    share_cell(table, variance, report->sum->variance);
}

static void print_parts(FILE *out, const struct convolution_report *report)
{
    static const char *const heads[] = {"delay", "law",      "times", "mean",
                                        "share", "variance", "share"};
    struct table table;

    table_head(&table, "llrrrrr", heads);
    for (size_t i = 0; i < CONVOLUTION_PARTS; i++) {
        if (report->convolution->part[i].count > 0) {
            part_row(&table, report, i);
        }
    }
    table_row(&table);
    table_text(&table, "sum");
    table_text(&table, "");
    table_text(&table, "");
    table_format(&table, "%.4f", report->sum->mean);
    table_text(&table, "");
    table_format(&table, "%.4f", report->sum->variance);
    table_text(&table, "");
    table_print(&table, out, 2);
}

static void print_error(FILE *out, const struct convolution_report *report)
{
    const struct convolution_sum *sum = report->sum;

    fprintf(out, "\n  standard deviation %.6f\n", sqrt(sum->variance));
    fprintf(out, "  of the curve: mean %.6f, variance %.6f\n", sum->curve_mean,
            sum->curve_variance);
    if (!sum->has_density && sum->is_aligned) {
        fprintf(out, "  values are steps of %.6g apart: the curve is exact to rounding, %.0e\n",
                sum->step, sum->error);
        return;
    }
    fprintf(out, "  error of the curve: at most about %.1e, by steps of %.4g and %.4g\n",
            sum->error, sum->is_aligned ? sum->step : sum->step * 2,
            sum->is_aligned ? sum->step / 2 : sum->step);
    if (!sum->has_density) {
        fprintf(out, "  no step divides the values: sums are less than %.2g from their places\n",
                sum->moved);
    }
    if (sum->beyond > 0) {
        fprintf(out, "  mass beyond %.6g: less than %.0e\n",
                sum->offset + (double)(sum->count - 1) * sum->step, sum->beyond);
    }
}

static void print_quantiles(FILE *out, const struct convolution_sum *sum)
{
    static const char *const heads[] = {"part below", "time"};
    struct table table;

    table_head(&table, "rr", heads);
    for (size_t i = 0; i < COUNT(levels); i++) {
        table_row(&table);
        table_format(&table, "%g %%", 100 * levels[i]);
        table_format(&table, "%.4f", convolution_quantile(sum, levels[i]));
    }
    table_print(&table, out, 2);
}

static void point_row(struct table *table, const struct convolution_sum *sum, double at)
{
    double doubt;
    const double below = convolution_below(sum, at, &doubt);

    table_row(table);
    table_format(table, "%.10g", at);
    table_format(table, "%.10f", below);
    table_format(table, "%.10f", 1 - below);
    table_format(table, "%.10f", convolution_mass(sum, at));
    table_format(table, "%.0e", doubt);
}

static const char *const point_heads[] = {"time", "P(sum <= time)", "P(sum > time)",
                                          "P(sum = time)", "error"};

static void print_points(FILE *out, const struct convolution_report *report)
{
    struct table table;

    table_head(&table, "rrrrr", point_heads);
    for (size_t i = 0; i < report->point_count; i++) {
        point_row(&table, report->sum, report->points[i]);
    }
    table_print(&table, out, 2);
}

static double point_mass(const struct convolution_sum *sum, size_t i)
{
    return sum->atoms[i] - (i > 0 ? sum->atoms[i - 1] : 0);
}

static size_t mass_count(const struct convolution_sum *sum)
{
    size_t count = 0;

    for (size_t i = 0; i < sum->count; i++) {
        count += point_mass(sum, i) > 0 ? 1 : 0;
    }
    return count;
}

static void print_masses(FILE *out, const struct convolution_sum *sum)
{
    struct table table;

    table_head(&table, "rrrrr", point_heads);
    for (size_t i = 0; i < sum->count; i++) {
        if (point_mass(sum, i) > 0) {
            point_row(&table, sum, sum->offset + (double)i * sum->step);
        }
    }
    table_print(&table, out, 2);
}

/* A column a class; of a sum of atoms classes are whole numbers of steps, so that none has more
 * values than others. */
static void print_chart(FILE *out, const struct convolution_sum *sum)
{
    const double from = convolution_quantile(sum, CHART_FROM);
    const double to = convolution_quantile(sum, 1 - CHART_FROM);
    double width = (to - from) / CHART_COLUMNS;
    double heights[CHART_COLUMNS];
    double greatest = 0;
    size_t count = 0;

    if (!sum->has_density) {
        width = fmax(ceil(width / sum->step), 1) * sum->step;
    }
    double before = convolution_before(sum, from);

    for (double at = from; count < CHART_COLUMNS && at <= to && width > 0; count++) {
        at = from + (double)(count + 1) * width;
        const double now = convolution_before(sum, at);

        heights[count] = now - before;
        greatest = fmax(greatest, heights[count]);
        before = now;
    }
    if (count < 2 || !(greatest > 0)) {
        return;
    }
    head(out, "Density");
    chart_columns(out, heights, count, chart_top(greatest), CHART_ROWS);
    char begin[32];
    char end[32];

    snprintf(begin, sizeof(begin), "%.5g", from);
    snprintf(end, sizeof(end), "%.5g", from + (double)count * width);
    fprintf(out, "%10s%-*s%s\n", "", (int)(count > strlen(end) ? count - strlen(end) : 1), begin,
            end);
    fprintf(out, "  share of all in classes of %.4g\n", width);
}

static void print_check(FILE *out, const struct convolution_check *check)
{
    head(out, "Against drawn sums");
    fprintf(out, "  %zu sums with random numbers (seed %llu), mean %.6f\n", check->draws,
            (unsigned long long)check->seed, check->mean);
    fprintf(out, "  maximum distance of the curves %.6f, bound %.6f (%.4g %%): ", check->distance,
            check->bound, 100 * (1 - check->alpha));
    colour_text(out, check->agrees ? COLOUR_GOOD : COLOUR_BAD,
                check->agrees ? "they agree" : "they differ");
    fputc('\n', out);
}

void convolution_print(FILE *out, const struct convolution_report *report)
{
    const size_t masses = report->sum->has_density ? 0 : mass_count(report->sum);

    fprintf(out, "Response time as a sum of delays: %s", report->name);
    if (report->convolution->unit_ns > 0) {
        char unit[DURATION_MAX];

        fprintf(out, ", in units of %s", duration_text(report->convolution->unit_ns, unit));
    }
    fputs("\n\n", out);
    print_parts(out, report);
    print_error(out, report);
    head(out, "Quantiles");
    print_quantiles(out, report->sum);
    if (report->point_count > 0) {
        head(out, "Distribution");
        print_points(out, report);
    } else if (masses > 0 && masses <= MASSES_MAX) {
        head(out, "Distribution");
        print_masses(out, report->sum);
    }
    print_chart(out, report->sum);
    if (report->check != NULL) {
        print_check(out, report->check);
    }
}

/* ---- JSON ---- */

static void json_parts(struct json *json, const struct convolution_report *report)
{
    json_array(json, "delays");
    for (size_t i = 0; i < CONVOLUTION_PARTS; i++) {
        const struct convolution_part *part = &report->convolution->part[i];

        if (part->count == 0) {
            continue;
        }
        json_object(json, NULL);
        json_text(json, "name", convolution_names[i]);
        json_unsigned(json, "times", part->times);
        json_number(json, "mean", convolution_part_mean(part), TIME_DECIMALS);
        json_number(json, "variance", convolution_part_variance(part), TIME_DECIMALS);
        json_close(json);
    }
    json_close(json);
}

static void json_curve(struct json *json, const struct convolution_sum *sum)
{
    json_number(json, "mean", sum->mean, TIME_DECIMALS);
    json_number(json, "variance", sum->variance, TIME_DECIMALS);
    json_object(json, "curve");
    json_number(json, "mean", sum->curve_mean, TIME_DECIMALS);
    json_number(json, "variance", sum->curve_variance, TIME_DECIMALS);
    json_number(json, "from", sum->offset, TIME_DECIMALS);
    json_number(json, "step", sum->step, TIME_DECIMALS);
    json_unsigned(json, "points", sum->count);
    json_bool(json, "aligned", sum->is_aligned);
    json_bool(json, "density", sum->has_density);
    json_number(json, "error", sum->error, 15);
    json_number(json, "moved", sum->moved, TIME_DECIMALS);
    json_number(json, "beyond", sum->beyond, 15);
    json_close(json);
    json_array(json, "quantiles");
    for (size_t i = 0; i < COUNT(levels); i++) {
        json_object(json, NULL);
        json_number(json, "p", levels[i], 4);
        json_number(json, "time", convolution_quantile(sum, levels[i]), TIME_DECIMALS);
        json_close(json);
    }
    json_close(json);
}

static void json_point(struct json *json, const struct convolution_sum *sum, double at)
{
    double doubt;
    const double below = convolution_below(sum, at, &doubt);

    json_object(json, NULL);
    json_number(json, "time", at, TIME_DECIMALS);
    json_number(json, "below", below, P_DECIMALS);
    json_number(json, "mass", convolution_mass(sum, at), P_DECIMALS);
    json_number(json, "error", doubt, 15);
    json_close(json);
}

static void json_points(struct json *json, const struct convolution_report *report)
{
    const struct convolution_sum *sum = report->sum;

    json_array(json, "at");
    for (size_t i = 0; i < report->point_count; i++) {
        json_point(json, sum, report->points[i]);
    }
    json_close(json);
    if (sum->has_density || mass_count(sum) > JSON_MASSES) {
        return;
    }
    json_array(json, "masses");
    for (size_t i = 0; i < sum->count; i++) {
        if (point_mass(sum, i) > 0) {
            json_point(json, sum, sum->offset + (double)i * sum->step);
        }
    }
    json_close(json);
}

void convolution_print_json(FILE *out, const struct convolution_report *report)
{
    const struct convolution_check *check = report->check;
    struct json json;

    json_start(&json, out);
    json_object(&json, NULL);
    json_text(&json, "file", report->name);
    if (report->convolution->unit_ns > 0) {
        json_number(&json, "unit_ns", report->convolution->unit_ns, TIME_DECIMALS);
    }
    json_parts(&json, report);
    json_curve(&json, report->sum);
    json_points(&json, report);
    if (check != NULL) {
        json_object(&json, "check");
        json_unsigned(&json, "draws", check->draws);
        json_unsigned(&json, "seed", check->seed);
        json_number(&json, "mean", check->mean, TIME_DECIMALS);
        json_number(&json, "distance", check->distance, P_DECIMALS);
        json_number(&json, "bound", check->bound, P_DECIMALS);
        json_bool(&json, "agrees", check->agrees);
        json_close(&json);
    }
    json_close(&json);
}

/* ---- figure ---- */

struct figure *convolution_figure(const struct convolution_report *report, struct figures *figures)
{
    const struct convolution_sum *sum = report->sum;
    const enum figure_kind kind = sum->has_density ? FIGURE_LINES : FIGURE_STEPS;
    struct figure *figure =
        figure_add(figures, kind, "Convolution", "Response time as a sum of delays", "convolution");
    const double from = convolution_quantile(sum, FIGURE_FROM);
    const double to = convolution_quantile(sum, 1 - FIGURE_FROM);
    double width = (to - from) / FIGURE_POINTS;

    if (!sum->has_density) {
        width = fmax(ceil(width / sum->step), 1) * sum->step;
    }
    figure_axes(figure, "time", "units", "part of all responses that are over", "%");
    figure_how(figure,
               "Convolution of arrival, departure, transmission, processing and "
               "contention, independent of each other; error of the curve at most about "
               "%.1e",
               sum->error);
    struct figure_series *series = figure_add_series(figure, report->name);

    for (size_t i = 0; i <= FIGURE_POINTS; i++) {
        const double at = from + (double)i * width;

        if (at > to + width / 2) {
            break;
        }
        figure_add_point(series, at, 100 * convolution_below(sum, at, NULL));
    }
    return figure;
}
