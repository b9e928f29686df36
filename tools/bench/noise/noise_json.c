/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * JSON of the benches of noise: clock interrupts of the idle loop and what was counted with them,
 * recovery of injected work, SMIs.
 */
#include "bench/idle/names.h"
#include "bench/noise/names.h"
#include "tools/bench/noise/gap_bench.h"
#include "tools/bench/noise/idle_correlation.h"
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

    if (!idle_bench_load(bench, run_ticks_per_instruction(run), &idle, &recovery, &why)) {
        json_null(json, "recovery");
        return;
    }
    json_object(json, "recovery");
    json_unsigned(json, "injected", recovery.injected);
    json_unsigned(json, "recovered", recovery.recovered);
    json_unsigned(json, "within_tolerance", recovery.within_tolerance);
    json_unsigned(json, "spurious", recovery.spurious);
    json_optional(json, "max_error_ticks", recovery.has_error, recovery.max_error);
    json_signed(json, "tolerance_ticks", recovery.tolerance.ticks);
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

static void put_smis(struct json *json, const struct run *run, const struct run_bench *bench)
{
    const struct run_fact *counted = run_find_fact(bench, FACT_SMI);
    const struct run_fact *provoked = run_find_fact(bench, FACT_SMI_PROVOKED);
    struct gap_smis smis;

    (void)run;
    gap_smis_of(bench, &smis);
    json_object(json, "smis");
    json_optional(json, "counted", counted != NULL, counted != NULL ? counted->value : 0);
    json_optional(json, "provoked", provoked != NULL, provoked != NULL ? provoked->value : 0);
    json_optional(json, "gaps", smis.series != NULL, (int64_t)smis.gaps);
    json_optional(json, "longest_ticks", smis.gaps > 0, smis.longest);
    json_close(json);
}

static void idle_json(struct json *json, const struct run *run, const struct run_bench *bench)
{
    (void)run;
    put_ticks(json, bench);
    put_correlation(json, bench);
}

READING_REGISTER(idle_json) = {.bench = BENCH_IDLE, .order = 10, .json = idle_json};
READING_REGISTER(load_json) = {.bench = BENCH_LOAD, .order = 10, .json = put_recovery};
READING_REGISTER(gap_json) = {.bench = BENCH_GAP, .order = 10, .json = put_smis};
