/* SPDX-License-Identifier: BSD-2-Clause */
/* A prediction beside the measured run, for a terminal. */
#include <inttypes.h>
#include <math.h>
#include <string.h>

#include "tools/base/table.h"
#include "tools/present/view.h"
#include "tools/run/run_kind.h"
#include "tools/sim/against/against_views.h"

#define LABEL_WIDTH  10
#define LINE_MAX     512
#define PERCENT      100
#define FIXED_FROM   9999.5
#define DECIMALS_MAX 4
#define VISIBLE_WELL 0.1
#define Z_CLEAR      2 /* less than so many errors is no difference */

const char *against_amount(double value, char text[AGAINST_AMOUNT_MAX])
{
    if (isnan(value)) {
        return "-";
    }
    snprintf(text, AGAINST_AMOUNT_MAX, fabs(value) < FIXED_FROM ? "%.4g" : "%.0f", value);
    return text;
}

const char *against_verdict_text(const struct against *against,
                                 const struct against_prediction *prediction,
                                 char text[AGAINST_VERDICT_MAX])
{
    const struct against_series *series = &against->measured.series[prediction->worst_series];
    char worst[AGAINST_AMOUNT_MAX];
    char usual[AGAINST_AMOUNT_MAX];

    snprintf(text, AGAINST_VERDICT_MAX,
             "%s: largest z %s (%s of %s), 95 %% of the prediction's runs have at most %s",
             against_agrees(prediction) ? "agrees" : "does not agree",
             against_amount(prediction->worst, worst),
             against_statistic_name(prediction->worst_statistic), series->name,
             against_amount(prediction->worst_usual, usual));
    return text;
}

/* ---- head ---- */

static void print_overhead(FILE *out, const struct against *against)
{
    char line[LINE_MAX] = "";
    size_t used = 0;

    for (enum sim_overhead_part i = 0; i < AGAINST_PARTS; i++) {
        const double cost = against->part[i].cost;
        char units[AGAINST_AMOUNT_MAX];

        used +=
            (size_t)snprintf(line + used, sizeof(line) - used, "%s%s %s units", i > 0 ? ", " : "",
                             sim_overhead_name(i), against_amount(cost, units));
        if (against->measured.instructions_per_unit > 0) {
            used += (size_t)snprintf(line + used, sizeof(line) - used, " (%.0f instructions)",
                                     cost * against->measured.instructions_per_unit);
        } else {
            char time[DURATION_MAX];

            used += (size_t)snprintf(line + used, sizeof(line) - used, " (%s)",
                                     duration_text(cost * against->measured.unit_ns, time));
        }
    }
    print_field(out, LABEL_WIDTH, "overheads", line);
    if (against->measured.below > 0) {
        char below[AGAINST_AMOUNT_MAX];

        snprintf(line, sizeof(line),
                 "one came out at -%s units, within what its medians spread, and is taken as 0",
                 against_amount(against->measured.below, below));
        print_field(out, LABEL_WIDTH, "", line);
    }
}

static void print_head(FILE *out, const struct against *against, const struct run *run,
                       const struct against_names *names)
{
    const struct against_measured *measured = &against->measured;
    char line[LINE_MAX];
    char kind[RUN_KIND_MAX];
    char time[DURATION_MAX];

    colour_begin(out, COLOUR_HEAD);
    fprintf(out, "%s against %s\n", names->model, names->run);
    colour_end(out, COLOUR_HEAD);
    print_field(out, LABEL_WIDTH, "measured", run_kind_text(run, kind));
    snprintf(line, sizeof(line), "%zu %s, seed %" PRIu64, measured->passes,
             measured->series[0].stimulus != SIM_NONE ? "passes" : "quanta", measured->seed);
    print_field(out, LABEL_WIDTH, "", line);
    snprintf(
        line, sizeof(line),
        "%zu simulated runs of as many, with the measured overheads and without, seed %" PRIu64,
        against->with.replications, names->seed);
    print_field(out, LABEL_WIDTH, "predicted", line);
    snprintf(line, sizeof(line), "%s", duration_text(measured->unit_ns, time));
    if (measured->instructions_per_unit > 0) {
        snprintf(line, sizeof(line), "%s of virtual time, %.6g instructions", time,
                 measured->instructions_per_unit);
    }
    print_field(out, LABEL_WIDTH, "unit", line);
    print_overhead(out, against);
}

/* ---- statistics ---- */

/* Enough digits to distinguish the bounds: two of their distance. */
static void add_bounds(struct table *table, const struct against_band *band)
{
    const double width = band->high - band->low;
    const double wanted = width > 0 ? 1 - floor(log10(width)) : DECIMALS_MAX;
    const int decimals = (int)fmin(fmax(wanted, 0), DECIMALS_MAX);

    table_format(table, "%.*f-%.*f", decimals, band->low, decimals, band->high);
}

static void add_prediction(struct table *table, const struct against_band *band, double value,
                           double resolution)
{
    char text[AGAINST_AMOUNT_MAX];

    if (!band->reported) {
        for (int i = 0; i < 3; i++) {
            table_text(table, NULL);
        }
        return;
    }
    const bool inside = against_inside(band, value, resolution);
    const double z = against_z(band, value);

    table_text(table, against_amount(band->mean, text));
    add_bounds(table, band);
    if (isnan(z)) {
        table_text(table, inside ? "in" : "OUT");
    } else {
        table_format(table, "%+.1f %s", z, inside ? "in" : "OUT");
    }
    table_colour(table, inside ? COLOUR_GOOD : COLOUR_BAD);
}

static void add_row(struct table *table, const struct against *against, size_t series,
                    enum against_statistic which, const char *name)
{
    const double value = against_value(&against->measured.series[series], which);
    const size_t at = series * AGAINST_STATISTICS + which;
    char text[AGAINST_AMOUNT_MAX];

    if (isnan(value)) {
        return;
    }
    table_row(table);
    table_text(table, name);
    table_text(table, against_amount(value, text));
    add_prediction(table, &against->with.band[at], value, against->measured.resolution);
    add_prediction(table, &against->without.band[at], value, against->measured.resolution);
}

static void statistics_table_head(struct table *table, const char *first)
{
    const char *const heads[] = {first, "measured", "with",         "95 % of runs",
                                 "z",   "without",  "95 % of runs", "z"};

    table_head(table, "lrrrrrrr", heads);
}

static void print_first(FILE *out, const struct against *against)
{
    const struct against_series *series = &against->measured.series[0];
    struct table table;

    statistics_table_head(&table, series->name);
    for (enum against_statistic i = 0; i < AGAINST_STATISTICS; i++) {
        add_row(&table, against, 0, i, against_statistic_name(i));
    }
    fputc('\n', out);
    table_print(&table, out, 2);
}

/* "wait.low" in a table of waits is "low". */
static const char *short_name(const struct against_series *series)
{
    const char *dot = strchr(series->name, '.');

    return dot != NULL ? dot + 1 : series->name;
}

/* Responses of further stimuli, or waits of competing quanta. */
static void print_others(FILE *out, const struct against *against, bool waits)
{
    static const enum against_statistic shown[] = {AGAINST_MEAN, AGAINST_P90, AGAINST_P99};
    struct table table;
    size_t rows = 0;

    statistics_table_head(&table, waits ? "wait" : "response");
    for (size_t i = 1; i < against->measured.count; i++) {
        const struct against_series *series = &against->measured.series[i];

        if ((series->stimulus == SIM_NONE) != waits) {
            continue;
        }
        for (size_t k = 0; k < sizeof(shown) / sizeof(shown[0]); k++) {
            char name[AGAINST_NAME_MAX + 16];

            snprintf(name, sizeof(name), "%s %s", short_name(series),
                     against_statistic_name(shown[k]));
            add_row(&table, against, i, shown[k], name);
            rows++;
        }
    }
    if (rows == 0) {
        table_free(&table);
        return;
    }
    fputc('\n', out);
    table_print(&table, out, 2);
}

/* ---- distance ---- */

static void add_distance(struct table *table, const char *name,
                         const struct against_distance *distance)
{
    table_row(table);
    table_text(table, name);
    table_format(table, "%.4f", distance->distance);
    table_format(table, "%.4f-%.4f", distance->low, distance->high);
    table_format(table, "%.4f", distance->usual);
    table_format(table, "%.1f %%", PERCENT * distance->chance);
}

static void print_distances(FILE *out, const struct against *against)
{
    static const char *const heads[] = {"Kolmogorov-Smirnov", "distance", "95 %", "own runs up to",
                                        "own as far"};
    struct table table;

    table_head(&table, "lrrrr", heads);
    add_distance(&table, "with", &against->distance_with);
    add_distance(&table, "without", &against->distance_without);
    if (against->measured.precision > 0) {
        char name[AGAINST_NAME_MAX];
        char text[AGAINST_AMOUNT_MAX];

        snprintf(name, sizeof(name), "with, to %s units",
                 against_amount(against->measured.precision, text));
        add_distance(&table, name, &against->rough_with);
    }
    fputc('\n', out);
    table_print(&table, out, 2);
}

/* ---- explanation ---- */

static void add_part(struct table *table, const struct against_part *part)
{
    char text[AGAINST_AMOUNT_MAX];

    table_row(table);
    table_text(table, part->name);
    table_text(table, against_amount(part->cost, text));
    table_format(table, "%+.4f", part->alone);
    table_format(table, "%.4f", part->alone_error);
    table_format(table, "%+.4f", part->added);
    table_format(table, "%.4f", part->added_error);
}

static void add_sum(struct table *table, const char *name, double value, double error)
{
    table_row(table);
    table_text(table, name);
    for (int i = 0; i < 3; i++) {
        table_text(table, "");
    }
    table_format(table, "%+.4f", value);
    if (isnan(error)) {
        table_text(table, "");
    } else {
        table_format(table, "%.4f", error);
    }
}

static void print_explanation(FILE *out, const struct against *against)
{
    static const char *const heads[] = {"of the mean", "each",    "alone",
                                        "error",       "in turn", "error"};
    struct table table;

    table_head(&table, "lrrrrr", heads);
    for (size_t i = 0; i < AGAINST_PARTS; i++) {
        add_part(&table, &against->part[i]);
    }
    add_sum(&table, "explained", against->difference - against->remainder, NAN);
    add_sum(&table, "left over", against->remainder, against->remainder_error);
    add_sum(&table, "measured - without", against->difference, against->remainder_error);
    fputc('\n', out);
    table_print(&table, out, 2);
}

/* ---- words ---- */

static void print_visible(FILE *out, const struct against *against)
{
    const double visible = against_visible(against);

    print_paragraph(out, "An error of all overheads by %.2g %% or more is seen%s",
                    PERCENT * visible,
                    visible > VISIBLE_WELL
                        ? ": they are too small a part of these times. In exact time `tare boot "
                          "--shift 6` makes them 8 times as large."
                        : ".");
}

static void print_verdict(FILE *out, const struct against *against)
{
    char text[AGAINST_VERDICT_MAX];

    fputc('\n', out);
    print_field(out, 8, "with", against_verdict_text(against, &against->with, text));
    print_field(out, 8, "without", against_verdict_text(against, &against->without, text));
    print_paragraph(out,
                    "95 %% of runs: of so many passes, were the model true. Verdict: the largest z "
                    "of mean, p50, p90 and p99 of responses and of mean, p90 and p99 of waits, "
                    "beyond what the costs miss. Own runs up to: 95 %% of the prediction's own are "
                    "no further away; as far: how many are.");
    print_visible(out, against);
}

static void print_precision(FILE *out, const struct against *against)
{
    char text[AGAINST_AMOUNT_MAX];

    if (against->measured.precision > 0) {
        print_paragraph(out,
                        "Passes that nothing delays all take the same time, so that a shift of it, "
                        "however small, is a great distance. To %s units: such values count as "
                        "equal; so much do the costs miss of one pass, by those of its begin and "
                        "hops that were measured whole.",
                        against_amount(against->measured.precision, text));
    }
}

static void print_conclusion(FILE *out, const struct against *against)
{
    const double error = against->remainder_error;

    if (against->difference > Z_CLEAR * error) {
        print_paragraph(out,
                        "Without overheads the mean is predicted too low by %.4f units; the "
                        "kernel's own work explains %.4f (%.0f %%), and %+.4f is left, where one "
                        "run spreads by %.4f.",
                        against->difference, against->difference - against->remainder,
                        PERCENT * (1 - against->remainder / against->difference),
                        against->remainder, error);
    } else {
        print_paragraph(out,
                        "The difference of the mean to the prediction without overheads, %+.4f "
                        "units, is within what one run spreads (%.4f): so few passes do not show "
                        "the overheads in it.",
                        against->difference, error);
    }
}

void against_print(FILE *out, const struct against *against, const struct run *run,
                   const struct against_names *names)
{
    print_head(out, against, run, names);
    print_first(out, against);
    print_others(out, against, false);
    print_others(out, against, true);
    print_distances(out, against);
    print_explanation(out, against);
    print_verdict(out, against);
    print_precision(out, against);
    print_conclusion(out, against);
}
