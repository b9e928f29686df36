/* SPDX-License-Identifier: BSD-2-Clause */
/* Intervals between long events whose law is known: table and JSON. */
#include <math.h>
#include <stdlib.h>

#include "bench/interactive/host/measure/latency_events.h"
#include "bench/interactive/host/measure/long_events.h"
#include "bench/interactive/names.h"
#include "tools/present/reading.h"
#include "tools/present/view.h"

#define PHASES_MAX 8
#define US_PER_MS  1000.0
#define DECIMALS   6
#define ERRORS     3 /* standard errors that chance is granted */

struct sheet {
    double every;
    double threshold_ms;
    struct long_events phases[PHASES_MAX];
    size_t count;
};

static double number_of(const struct run_bench *bench, const char *name)
{
    const char *text = run_find_param(bench, name);

    return text != NULL ? strtod(text, NULL) : NAN;
}

/* False: the run lacks what it takes. The threshold lies in the middle of short and long work. */
static bool fill(struct sheet *sheet, const struct run *run, const struct run_bench *bench)
{
    const double middle =
        (number_of(bench, PARAM_SHORT_US) + number_of(bench, PARAM_LONG_US)) / 2 / US_PER_MS;
    struct interactive interactive;

    *sheet = (struct sheet){.every = number_of(bench, PARAM_EVERY), .threshold_ms = middle};
    const double rate = run_ns_per_tick(run);

    if (interactive_read(&interactive, bench) && interactive.present && sheet->every >= 1 &&
        middle > 0 && rate > 0) {
        sheet->count = long_events_of(&interactive, latency_threshold(middle, rate),
                                      1 / sheet->every, sheet->phases, PHASES_MAX);
    }
    interactive_free(&interactive);
    return sheet->count > 0;
}

static double in_keys(const struct long_events *phase, double ticks)
{
    return ticks / phase->spacing;
}

static double ratio_of(const struct long_events *phase)
{
    return phase->interarrival.deviation / phase->interarrival.mean;
}

/* By how many standard errors. */
static double off_by(double value, double law, double error)
{
    return (value - law) / error;
}

static void add_number(struct table *table, double value)
{
    if (isfinite(value)) {
        table_format(table, "%.3f", value);
    } else {
        table_text(table, NULL);
    }
}

static void add_law(struct table *table, const struct long_events *phase, double value, double law,
                    double error)
{
    add_number(table, value);
    add_number(table, phase->random && phase->law.mean > 0 ? law : NAN);
    add_number(table, phase->random && phase->law.mean > 0 ? error : NAN);
}

static void show(const struct view *view, const struct run_bench *bench)
{
    static const char *const heads[] = {"phase", "keys",           "long", "mean, keys", "law",
                                        "error", "deviation/mean", "law",  "error"};
    struct sheet sheet;
    struct table table;

    if (!fill(&sheet, view->run, bench)) {
        return;
    }
    table_head(&table, "lrrrrrrrr", heads);
    for (size_t i = 0; i < sheet.count; i++) {
        const struct long_events *phase = &sheet.phases[i];

        table_row(&table);
        table_text(&table, phase->phase);
        table_format(&table, "%zu", phase->keys);
        table_format(&table, "%zu", phase->long_keys);
        add_law(&table, phase, in_keys(phase, phase->interarrival.mean), phase->law.mean,
                phase->law.mean_error);
        add_law(&table, phase, ratio_of(phase), phase->law.ratio, phase->law.ratio_error);
    }
    print_paragraph(view->out,
                    "intervals between keys whose service is above %.3f ms; law: of random ones, "
                    "each long with probability 1 / %.0f; error: the standard error of so many "
                    "intervals; chance makes less than %d of them",
                    sheet.threshold_ms, sheet.every, ERRORS);
    fputc('\n', view->out);
    table_print(&table, view->out, 2);
}

static void put_law(struct json *json, const struct long_events *phase)
{
    const double mean = in_keys(phase, phase->interarrival.mean);

    json_number(json, "law_mean", phase->law.mean, DECIMALS);
    json_number(json, "law_ratio", phase->law.ratio, DECIMALS);
    json_number(json, "mean_off", off_by(mean, phase->law.mean, phase->law.mean_error), DECIMALS);
    json_number(json, "ratio_off",
                off_by(ratio_of(phase), phase->law.ratio, phase->law.ratio_error), DECIMALS);
}

/* {"threshold_ms": 4.1, "phases": [{"phase": "random", "keys": 400, "long": 28, "mean": keys,
 * "ratio": deviation / mean, "law_mean": .., "mean_off": standard errors, ...}, ...]} */
static void put(struct json *json, const struct run *run, const struct run_bench *bench)
{
    struct sheet sheet;

    if (!fill(&sheet, run, bench)) {
        return;
    }
    json_object(json, "long_events");
    json_number(json, "threshold_ms", sheet.threshold_ms, DECIMALS);
    json_array(json, "phases");
    for (size_t i = 0; i < sheet.count; i++) {
        const struct long_events *phase = &sheet.phases[i];

        json_object(json, NULL);
        json_text(json, "phase", phase->phase);
        json_unsigned(json, "keys", phase->keys);
        json_unsigned(json, "long", phase->long_keys);
        json_number(json, "mean", in_keys(phase, phase->interarrival.mean), DECIMALS);
        json_number(json, "ratio", ratio_of(phase), DECIMALS);
        if (phase->random && phase->law.mean > 0) {
            put_law(json, phase);
        }
        json_close(json);
    }
    json_close(json);
    json_close(json);
}

READING_OF(longevents, .order = 335, .show = show, .json = put);
