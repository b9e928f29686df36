/* SPDX-License-Identifier: BSD-2-Clause */
/* Prints bench `counters`: expected counts of known kernels, and the measured ones. */
#include <inttypes.h>
#include <math.h>
#include <string.h>

#include "bench/counters/host/counts.h"
#include "bench/counters/host/view_counts.h"
#include "tools/present/json_kit.h"
#include "tools/present/report_plugin.h"
#include "tools/present/view.h"

static void error_cell(struct table *table, const struct kernel_count *count)
{
    if (!count->has_expected || count->measured.n == 0) {
        table_text(table, NULL);
    } else if (count->measured.median == count->expected) {
        table_text(table, "exact");
    } else if (isnan(count->error_percent)) {
        table_format(table, "%+" PRId64, count->measured.median); /* no event is expected */
    } else {
        table_format(table, "%+.3f %%", count->error_percent);
    }
}

static void add_count(struct table *table, const char *kernel, const struct kernel_count *count)
{
    table_line(table, "%s\t%s", kernel, count->event);
    table_known(table, count->has_expected, count->expected);
    if (count->measured.n > 0) {
        table_format(table, "%" PRId64 "\t%" PRId64 "..%" PRId64, count->measured.median,
                     count->measured.min, count->measured.max);
    } else {
        table_format(table, "-\t-");
    }
    error_cell(table, count);
}

void view_counters(const struct view *view, const struct run_bench *bench)
{
    struct table table;
    const char *kernel;

    if (counted_series_at(bench, 0) == NULL) {
        fputs("\n  no kernel was counted\n", view->out);
        return;
    }
    table_open(&table, "llrrrr", "kernel\tevent\texpected\tmedian\tmin..max\terror");
    for (size_t i = 0; (kernel = counted_series_at(bench, i)) != NULL; i++) {
        bool first = true;

        for (size_t k = 0; k < bench->series_count; k++) {
            const struct run_series *series = &bench->series[k];
            struct kernel_count count;

            if (series->of != NULL && strcmp(series->of, kernel) == 0) {
                kernel_count_of(bench, series, &count);
                add_count(&table, first ? kernel : "", &count);
                first = false;
            }
        }
    }
    fputs("\n  known kernels: counts of one repetition; expected: the count according to the\n  "
          "manual; error: deviation of the median from the expected count\n\n",
          view->out);
    table_print(&table, view->out, 2);
    print_count_sources(view, bench);
}

/*
 * JSON of bench counters: each kernel's counts and those that the manual gives.
 */

static void put_kernel(struct json *json, const struct run_bench *bench, const char *kernel)
{
    const struct run_fact *iterations = kernel_iterations(bench, kernel);

    json_object(json, NULL);
    json_text(json, "name", kernel);
    json_optional(json, "iterations", iterations != NULL,
                  iterations != NULL ? iterations->value : 0);
    json_array(json, "counts");
    for (size_t i = 0; i < bench->series_count; i++) {
        const struct run_series *series = &bench->series[i];
        struct kernel_count count;

        if (series->of == NULL || strcmp(series->of, kernel) != 0) {
            continue;
        }
        kernel_count_of(bench, series, &count);
        json_object(json, NULL);
        json_text(json, "event", count.event);
        json_optional(json, "expected", count.has_expected, count.expected);
        json_statistics(json, &count.measured);
        json_number(json, "error_percent", count.error_percent, 6);
        json_close(json);
    }
    json_close(json);
    json_close(json);
}

static void put_kernels(struct json *json, const struct run *run, const struct run_bench *bench)
{
    const char *kernel;

    (void)run;
    json_array(json, "kernels");
    for (size_t i = 0; (kernel = counted_series_at(bench, i)) != NULL; i++) {
        put_kernel(json, bench, kernel);
    }
    json_close(json);
}

PLUGIN_OF(counters, .order = 10, .show = view_counters, .place = PLUGIN_FOR_COUNTS,
          .shows_fact = is_kernel_expectation, .json = put_kernels);
