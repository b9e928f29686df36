/* SPDX-License-Identifier: BSD-2-Clause */
#include <inttypes.h>
#include <math.h>
#include <string.h>

#include "bench/counters/host/counts.h"
#include "bench/counters/host/view_counts.h"
#include "kernel/pmu/names.h"
#include "tools/present/view.h"

#define TEXT_MAX      512
#define PHASE_COLUMNS 8
#define SMALLEST      0.0001 /* smaller ratios are printed as "< 0.0001" */

static void add_counts(struct table *table, const struct run_series *counts)
{
    struct statistics statistics;

    statistics_of(counts->samples, counts->received, &statistics);
    const bool any = statistics.n > 0;
    const struct {
        bool present;
        int64_t value;
    } cells[] = {
        {any, statistics.min},
        {any, statistics.median},
        {statistics.has_p99, statistics.p99},
        {statistics.has_p999, statistics.p999},
        {any, statistics.max},
    };

    table_line(table, "  %s\t%zu", counts->event, statistics.n);
    for (size_t i = 0; i < sizeof(cells) / sizeof(cells[0]); i++) {
        table_known(table, cells[i].present, cells[i].value);
    }
    if (any && !statistics.has_total) {
        table_text(table, "beyond 64 bits");
    } else {
        table_known(table, any, statistics.total);
    }
}

void print_count_sources(const struct view *view, const struct run_bench *bench)
{
    for (size_t i = 0; i < view->run->event_count; i++) {
        const struct run_event *event = &view->run->events[i];

        if (event->source == NULL || (event->pass != 0 && event->pass != bench->pass) ||
            !bench_counts(bench, event->name)) {
            continue;
        }
        if (strcmp(event->source, COUNTED_BY_ICOUNT) == 0) {
            fprintf(view->out, "  %s, from virtual time: no counter was read\n", event->name);
        } else if (strcmp(event->source, COUNTED_BY_PLUGIN_MODEL) == 0) {
            fprintf(view->out, "  %s, modelled: a plugin of QEMU simulates the TLB of a Pentium\n",
                    event->name);
        }
    }
}

void view_counts(const struct view *view, const struct run_bench *bench)
{
    struct table table;
    const char *of;

    if (counted_series_at(bench, 0) == NULL) {
        return;
    }
    table_open(&table, "lrrrrrrr", "counts during\tn\tmin\tmedian\tp99\tp99.9\tmax\ttotal");
    for (size_t i = 0; (of = counted_series_at(bench, i)) != NULL; i++) {
        table_line(&table, "%s", of);
        for (size_t k = 0; k < bench->series_count; k++) {
            const struct run_series *series = &bench->series[k];

            if (series->of != NULL && strcmp(series->of, of) == 0) {
                add_counts(&table, series);
            }
        }
    }
    view_table(view, &table);
    print_count_sources(view, bench);
}

/* Returns a name short enough for eight columns. */
static const char *short_name(const char *event)
{
    static const struct {
        const char *event;
        const char *text;
    } names[] = {
        {COUNT_SEGMENT_LOADS, "segments"},
        {COUNT_ADDRESS_SPACE_LOADS, "spaces"},
        {COUNT_DTLB_MISSES, "dTLB"},
        {COUNT_ITLB_MISSES, "iTLB"},
    };

    for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
        if (strcmp(event, names[i].event) == 0) {
            return names[i].text;
        }
    }
    return event;
}

void view_phase_counts(const struct view *view, const struct run_bench *bench)
{
    const struct run *run = view->run;
    struct table table;
    const char *phase;

    if (phase_counted_at(run, bench, 0) == NULL) {
        return;
    }
    table_open(&table, "lrrrrrrrr", "counted in phase");
    for (size_t i = 0; i < run->event_count && i < PHASE_COLUMNS; i++) {
        table_text(&table, short_name(run->events[i].name));
    }
    for (size_t i = 0; (phase = phase_counted_at(run, bench, i)) != NULL; i++) {
        table_line(&table, "%s", phase);
        for (size_t k = 0; k < run->event_count && k < PHASE_COLUMNS; k++) {
            const struct run_fact *count = phase_count_of(bench, run->events[k].name, phase);

            table_known(&table, count != NULL, count != NULL ? count->value : 0);
        }
    }
    view_table(view, &table);
}

static void add_ratios(struct table *table, const struct run_bench *bench, const char *of)
{
    const struct count_ratio *ratio;
    bool first = true;

    for (size_t i = 0; (ratio = count_ratio_at(i)) != NULL; i++) {
        const double value = count_ratio_of(bench, of, ratio);

        if (isnan(value)) {
            continue;
        }
        if (table->rows == 0) {
            table_open(table, "llr", "ratios of totals");
        }
        table_line(table, value > 0 && value < SMALLEST ? "%s\t%s\t< %.4f" : "%s\t%s\t%.4f",
                   first ? of : "", ratio->text, value > 0 && value < SMALLEST ? SMALLEST : value);
        first = false;
    }
}

/* Prints one line for all ratios that cannot be formed because their parts were counted in two
 * passes. */
static void print_unformed(const struct view *view, const struct run_bench *bench)
{
    const struct count_ratio *ratio;
    char text[TEXT_MAX] = "";
    size_t used = 0;

    for (size_t i = 0; (ratio = count_ratio_at(i)) != NULL && used < sizeof(text); i++) {
        const uint32_t pass = count_ratio_elsewhere(view->run, bench, ratio);

        if (pass != 0) {
            used += (size_t)snprintf(text + used, sizeof(text) - used,
                                     "%s%s (%s were counted in pass %" PRIu32 ")",
                                     used > 0 ? ", " : "", ratio->text, ratio->denominator, pass);
        }
    }
    if (used > 0) {
        fputs("\n  not computed, counted in different passes: ", view->out);
        print_wrapped(view->out, text, strlen("  not computed, counted in different passes: "), 4);
    }
}

void view_ratios(const struct view *view, const struct run_bench *bench)
{
    struct table table = {0};
    const char *of;

    for (size_t i = 0; (of = counted_series_at(bench, i)) != NULL; i++) {
        add_ratios(&table, bench, of);
    }
    if (table.rows > 0) {
        view_table(view, &table);
    }
    print_unformed(view, bench);
}
