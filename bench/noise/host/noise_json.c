/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * JSON of the benches of noise: clock interrupts of the idle loop and what was counted with them,
 * recovery of injected work, SMIs.
 */
#include <math.h>

#include "bench/noise/host/gap_bench.h"
#include "bench/noise/host/idle_correlation.h"
#include "bench/noise/host/stolen.h"
#include "bench/noise/names.h"
#include "tools/present/json_kit.h"
#include "tools/present/reading.h"
#include "tools/trace/idle_bench.h"

static void put_column(struct json *json, const char *key, const struct idle_bench *idle,
                       enum idle_column column)
{
    struct statistics statistics;

    idle_bench_statistics(idle, column, &statistics);
    json_object(json, key);
    json_statistics(json, &statistics);
    json_close(json);
}

static void put_ticks(struct json *json, const struct run_bench *bench)
{
    struct idle_bench idle;
    const char *why;

    if (!idle_bench_ticks(bench, &idle, &why)) {
        json_null(json, "ticks");
        return;
    }
    json_object(json, "ticks");
    json_unsigned(json, "count", idle.entries->n);
    json_signed(json, "floor", idle.floor);
    put_column(json, "handler", &idle, IDLE_HANDLER);
    put_column(json, "elongation", &idle, IDLE_ELONGATION);
    put_column(json, "overhead", &idle, IDLE_OVERHEAD);
    json_close(json);
    idle_bench_free(&idle);
}

static void put_recovery(struct json *json, const struct run *run, const struct run_bench *bench)
{
    struct idle_bench idle;
    struct idle_recovery recovery;
    const char *why;

    (void)run;
    if (!idle_bench_load(bench, &idle, &recovery, &why)) {
        json_null(json, "recovery");
        return;
    }
    json_object(json, "recovery");
    json_unsigned(json, "injected", recovery.injected);
    json_unsigned(json, "recovered", recovery.recovered);
    json_unsigned(json, "within_tolerance", recovery.within_tolerance);
    json_unsigned(json, "groups", recovery.groups);
    json_unsigned(json, "groups_recovered", recovery.groups_recovered);
    json_unsigned(json, "groups_within", recovery.groups_within);
    json_unsigned(json, "spurious", recovery.spurious);
    json_optional(json, "max_error_ticks", recovery.has_error, recovery.max_error);
    json_signed(json, "tolerance_sample_ticks", recovery.tolerance.sample);
    json_signed(json, "tolerance_each_ticks", recovery.tolerance.each);
    json_signed(json, "outside_ticks", recovery.tolerance.outside);
    json_signed(json, "floor_ticks", recovery.floor);
    json_signed(json, "injected_ticks", recovery.injected_total);
    json_signed(json, "recovered_ticks", recovery.recovered_total);
    json_number(json, "total_error_ppm", idle_recovery_ppm(&recovery), 3);
    json_close(json);
    idle_bench_free(&idle);
}

static void put_classes(struct json *json, const struct idle_correlation *correlation)
{
    json_array(json, "classes");
    for (size_t c = 0; c < correlation->class_count; c++) {
        const struct idle_class *class = &correlation->classes[c];

        json_object(json, NULL);
        json_signed(json, "interrupts", class->interrupts);
        json_unsigned(json, "samples", class->samples);
        json_signed(json, "length", class->length);
        json_signed(json, "elongation", class->elongation);
        json_object(json, "events");
        for (size_t e = 0; e < correlation->event_count; e++) {
            const struct idle_counted *event = &correlation->events[e];

            json_optional(json, event->counts->event, event->has_median[c], event->medians[c]);
        }
        json_close(json);
        json_close(json);
    }
    json_close(json);
}

static void put_correlation(struct json *json, const struct run_bench *bench)
{
    struct idle_correlation correlation;
    const char *why;

    if (idle_correlate(bench, &correlation, &why)) {
        json_object(json, "correlation");
        json_text(json, "interrupts_by", correlation.by_event ? "event" : "handler");
        json_unsigned(json, "samples", correlation.samples);
        json_signed(json, "floor", correlation.floor);
        json_number(json, "coefficient", correlation.coefficient, 6);
        put_classes(json, &correlation);
        json_close(json);
    } else {
        json_null(json, "correlation");
    }
    idle_correlation_free(&correlation);
}

/* A second; NAN: how long one is, or how long it was looked for them, is not known. */
static double rate_of(const struct run *run, double count, double ticks)
{
    const double seconds = ticks * run_ns_per_tick(run) / 1e9;

    return seconds > 0 ? count / seconds : NAN;
}

static void put_gaps(struct json *json, const struct run *run, const struct run_bench *bench)
{
    struct gap_totals totals;
    struct stolen stolen;

    if (!gap_totals_of(bench, &totals)) {
        json_null(json, "gaps");
        return;
    }
    const bool any = totals.is_exact && totals.count > 0;

    json_object(json, "gaps");
    json_unsigned(json, "count", totals.count);
    json_real(json, "per_second", rate_of(run, (double)totals.count, gap_watched(bench)));
    json_optional(json, "longest_ticks", any, totals.greatest);
    json_optional(json, "longest_at_ticks", any, totals.greatest_at);
    json_optional(json, "longest_unseen_ticks", totals.is_exact, totals.unseen_greatest);
    json_real(json, "stolen_ppm", stolen_from_gap(bench, &stolen) ? stolen.whole : NAN);
    json_unsigned(json, "rest", totals.rest);
    json_optional(json, "rest_ticks", totals.is_exact, totals.rest_sum);
    json_close(json);
}

static void put_smis(struct json *json, const struct run *run, const struct run_bench *bench)
{
    const struct run_fact *counted = run_find_fact(bench, FACT_SMI);
    const struct run_fact *provoked = run_find_fact(bench, FACT_SMI_PROVOKED);
    const double elapsed = (double)run_fact_or(bench, FACT_GAP_ELAPSED, 0);
    struct gap_smis smis;

    gap_smis_of(bench, &smis);
    json_object(json, "smis");
    json_optional(json, "counted", counted != NULL, counted != NULL ? counted->value : 0);
    json_real(json, "per_second",
              counted != NULL ? rate_of(run, (double)counted->value, elapsed) : NAN);
    json_optional(json, "provoked", provoked != NULL, provoked != NULL ? provoked->value : 0);
    json_optional(json, "gaps", smis.series != NULL, (int64_t)smis.gaps);
    json_optional(json, "longest_ticks", smis.gaps > 0, smis.longest);
    json_close(json);
}

static void put_stolen(struct json *json, const struct run_bench *bench)
{
    struct stolen stolen;

    json_object(json, "stolen_ppm");
    json_real(json, SERIES_FLOOR,
              stolen_from_idle(bench, SERIES_FLOOR, &stolen) ? stolen.whole : NAN);
    json_real(json, SERIES_TICKING,
              stolen_from_idle(bench, SERIES_TICKING, &stolen) ? stolen.whole : NAN);
    json_close(json);
}

static void gap_json(struct json *json, const struct run *run, const struct run_bench *bench)
{
    put_gaps(json, run, bench);
    put_smis(json, run, bench);
}

static void idle_json(struct json *json, const struct run *run, const struct run_bench *bench)
{
    (void)run;
    put_ticks(json, bench);
    put_correlation(json, bench);
    put_stolen(json, bench);
}

READING_REGISTER(idle_json) = {.bench = BENCH_IDLE, .order = 10, .json = idle_json};
READING_REGISTER(load_json) = {.bench = BENCH_LOAD, .order = 10, .json = put_recovery};
READING_REGISTER(gap_json) = {.bench = BENCH_GAP, .order = 10, .json = gap_json};
