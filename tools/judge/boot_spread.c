/* SPDX-License-Identifier: BSD-2-Clause */
#include "tools/judge/boot_spread.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "kernel/run/names.h"
#include "tools/base/alloc.h"
#include "tools/base/json.h"
#include "tools/base/number.h"
#include "tools/base/sort.h"
#include "tools/base/table.h"
#include "tools/base/texts.h"
#include "tools/judge/compare.h"
#include "tools/stats/compare_statistics.h"
#include "tools/stats/permutation.h"
#include "tools/stats/statistics.h"

#define PERCENT 100

static double part_of(double value, double mean)
{
    if (value == 0) {
        return 0;
    }
    return mean == 0 ? INFINITY : value / fabs(mean);
}

/* Adds a row for two or more boots. Sorts the statistics. */
static struct boot_spread_row *add_row(struct boot_spread *spread, const char *name,
                                       const char *suffix, double *statistics, size_t boots)
{
    struct boot_spread_row *row = ALLOC_NEXT(spread->item, spread->count, spread->capacity);

    sort_reals(statistics, boots);
    *row = (struct boot_spread_row){
        .name = text_format("%s%s", name, suffix),
        .boots = boots,
        .mean = statistics_mean(statistics, boots),
        .low = statistics[0],
        .high = statistics[boots - 1],
    };
    const double deviation = row->low == row->high ? 0 : compare_deviation(statistics, boots);

    row->deviation = part_of(deviation, row->mean);
    row->detectable = part_of(
        deviation > 0 ? deviation * permutation_detectable(boots, 1, COMPARE_ALPHA) : 0, row->mean);
    return row;
}

static void add_values(struct boot_spread *spread, struct boot_group group,
                       const struct metric *metric, enum boot_values which, const char *suffix,
                       const struct boot_scale *scale)
{
    struct boots boots;

    boots_of(group, metric, which, scale, &boots);
    if (boots.count > 1) {
        double *medians = boots_medians(&boots);
        struct boot_spread_row *row = add_row(spread, metric->name, suffix, medians, boots.count);

        row->unit = strcmp(metric->unit, UNIT_TICK) == 0 ? scale->unit : metric->unit;
        row->equal = boots_are_equal(&boots);
        free(medians);
    }
    boots_free(&boots);
}

static void add_rates(struct boot_spread *spread, struct boot_group group,
                      const struct metric *metric, const struct boot_scale *scale)
{
    struct boot_rates rates;

    boot_rates_of(group, metric, scale, &rates);
    if (rates.boots > 1) {
        const bool equal = boot_rates_are_equal(&rates);
        struct boot_spread_row *row =
            add_row(spread, metric->name, " rate", rates.rate, rates.boots);

        row->unit = rates.unit;
        row->equal = equal;
    }
    boot_rates_free(&rates);
}

static int by_deviation(const void *left, const void *right)
{
    const struct boot_spread_row *a = left;
    const struct boot_spread_row *b = right;

    if (a->deviation != b->deviation) {
        return a->deviation > b->deviation ? -1 : 1;
    }
    return strcmp(a->name, b->name);
}

void boot_spread_of(struct boot_group group, const char *pattern, struct boot_spread *spread)
{
    const struct boot_scale scale = boot_scale_of(group, group);
    const struct metrics *first = group.runs[0];

    *spread = (struct boot_spread){.boots = group.count, .lengths = scale.unit};
    for (size_t i = 0; i < first->count; i++) {
        if (compare_is_wanted(pattern, first->item[i].name)) {
            add_rates(spread, group, &first->item[i], &scale);
            add_values(spread, group, &first->item[i], BOOT_WARM, "", &scale);
            add_values(spread, group, &first->item[i], BOOT_COLD, " cold", &scale);
        }
    }
    for (size_t i = 0; i < spread->count; i++) {
        spread->equal += spread->item[i].equal;
    }
    if (spread->count > 1) {
        sort_stable(spread->item, spread->count, sizeof(*spread->item), by_deviation);
    }
}

void boot_spread_free(struct boot_spread *spread)
{
    for (size_t i = 0; i < spread->count; i++) {
        free(spread->item[i].name);
    }
    free(spread->item);
    *spread = (struct boot_spread){0};
}

static void put_part(struct table *table, double part)
{
    table_real(table, PERCENT * part);
}

static void put_row(struct table *table, const struct boot_spread_row *row)
{
    char low[NUMBER_MAX];
    char mean[NUMBER_MAX];
    char high[NUMBER_MAX];

    table_named_row(table, row->name);
    table_text(table, row->unit);
    table_text(table, number_text(row->low, low));
    table_text(table, number_text(row->mean, mean));
    table_text(table, number_text(row->high, high));
    put_part(table, row->deviation);
    put_part(table, row->detectable);
}

void boot_spread_print(FILE *out, const struct boot_spread *spread, bool all)
{
    struct table table;
    size_t shown = 0;

    fprintf(out, "%zu boots, %zu metrics: equal in %zu, different in %zu\n", spread->boots,
            spread->count, spread->equal, spread->count - spread->equal);
    print_wrapped(out,
                  "The median of each boot. \"seen\" is the smallest difference, in per cent, that "
                  "two groups of this many boots would show with a probability of 80 % if only "
                  "this metric is compared; fewer than 4 boots show none.",
                  0, 0);
    table_open(&table, "llrrrrr", "metric\tunit\tmin\tmean\tmax\tdeviation %%\tseen %%");
    for (size_t i = 0; i < spread->count; i++) {
        if (all || !spread->item[i].equal) {
            put_row(&table, &spread->item[i]);
            shown++;
        }
    }
    if (shown > 0) {
        fputc('\n', out);
        table_print(&table, out, 2);
    } else {
        table_free(&table);
    }
}

void boot_spread_json(FILE *out, const struct boot_spread *spread, const char *const *files,
                      const char *const *warnings, size_t warning_count)
{
    struct json json;

    json_start(&json, out);
    json_object(&json, NULL);
    json_text(&json, "schema", "tare compare --aa");
    json_unsigned(&json, "version", 1);
    json_unsigned(&json, "boots", spread->boots);
    json_texts(&json, "files", files, spread->boots);
    json_text(&json, "lengths", spread->lengths);
    json_texts(&json, "warnings", warnings, warning_count);
    json_array(&json, "metrics");
    for (size_t i = 0; i < spread->count; i++) {
        const struct boot_spread_row *row = &spread->item[i];

        json_object(&json, NULL);
        json_text(&json, "name", row->name);
        json_text(&json, "unit", row->unit);
        json_unsigned(&json, "boots", row->boots);
        json_real(&json, "mean", row->mean);
        json_real(&json, "low", row->low);
        json_real(&json, "high", row->high);
        json_real(&json, "deviation", row->deviation);
        json_real(&json, "detectable", row->detectable);
        json_bool(&json, "equal", row->equal);
        json_close(&json);
    }
    json_close(&json);
    json_close(&json);
}
