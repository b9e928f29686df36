/* SPDX-License-Identifier: BSD-2-Clause */
#include "tools/lib/run_json.h"

#include <string.h>

#include "tools/lib/idle_bench.h"
#include "tools/lib/json.h"
#include "tools/lib/statistics.h"

static void put_pairs(struct json *json, const char *key, const struct run_pairs *pairs)
{
    json_object(json, key);
    for (size_t i = 0; i < pairs->count; i++) {
        json_text(json, pairs->item[i].key, pairs->item[i].value);
    }
    json_close(json);
}

static void put_texts(struct json *json, const char *key, const struct run_texts *texts)
{
    json_array(json, key);
    for (size_t i = 0; i < texts->count; i++) {
        json_text(json, NULL, texts->item[i]);
    }
    json_close(json);
}

static void put_optional(struct json *json, const char *key, bool present, int64_t value)
{
    if (present) {
        json_signed(json, key, value);
    } else {
        json_null(json, key);
    }
}

static void put_clocks(struct json *json, const struct run *run)
{
    json_array(json, "sources");
    for (size_t i = 0; i < run->source_count; i++) {
        json_object(json, NULL);
        json_text(json, "name", run->sources[i].name);
        put_optional(json, "hz", run->sources[i].hz != 0, (int64_t)run->sources[i].hz);
        json_text(json, "from", run->sources[i].from);
        json_close(json);
    }
    json_close(json);
    json_array(json, "estimates");
    for (size_t i = 0; i < run->estimate_count; i++) {
        json_object(json, NULL);
        json_text(json, "clock", run->estimates[i].clock);
        json_text(json, "reference", run->estimates[i].reference);
        json_unsigned(json, "hz", run->estimates[i].hz);
        put_optional(json, "error_ppb", run->estimates[i].has_error,
                     (int64_t)run->estimates[i].error_ppb);
        json_unsigned(json, "windows", run->estimates[i].windows);
        json_close(json);
    }
    json_close(json);
    if (!run->verdict.present) {
        json_null(json, "verdict");
        return;
    }
    json_object(json, "verdict");
    json_bool(json, "ok", run->verdict.ok);
    put_optional(json, "hz", run->verdict.hz != 0, (int64_t)run->verdict.hz);
    json_text(json, "by", run->verdict.by);
    json_text(json, "reason", run->verdict.reason);
    json_close(json);
}

static void put_crashes(struct json *json, const struct run *run)
{
    json_array(json, "crashes");
    for (size_t i = 0; i < run->crash_count; i++) {
        const struct run_crash *crash = &run->crashes[i];

        json_object(json, NULL);
        put_pairs(json, "registers", &crash->fields);
        json_array(json, "backtrace");
        for (size_t k = 0; k < crash->frame_count; k++) {
            json_object(json, NULL);
            json_unsigned(json, "depth", crash->frames[k].depth);
            json_text(json, "address", crash->frames[k].address);
            json_text(json, "symbol", crash->frames[k].symbol);
            json_text(json, "offset", crash->frames[k].offset);
            json_close(json);
        }
        json_close(json);
        json_close(json);
    }
    json_close(json);
}

static void put_interrupts(struct json *json, const struct run *run)
{
    json_array(json, "interrupts");
    for (size_t i = 0; i < run->interrupt_count; i++) {
        const struct run_interrupt *interrupt = &run->interrupts[i];

        json_object(json, NULL);
        json_unsigned(json, "vector", interrupt->vector);
        json_text(json, "name", interrupt->name);
        json_unsigned(json, "count", interrupt->count);
        json_text(json, "expected", interrupt->expected);
        json_close(json);
    }
    json_close(json);
}

static void put_run(struct json *json, const struct run *run, const struct run_texts *reasons)
{
    json_object(json, "run");
    json_bool(json, "valid", reasons->count == 0);
    put_texts(json, "invalid_reasons", reasons);
    for (size_t i = 0; i < run->info.count; i++) {
        json_text(json, run->info.item[i].key, run->info.item[i].value);
    }
    json_object(json, "plan");
    json_text(json, "source", run->plan_source);
    json_text(json, "text", run->plan_text);
    json_close(json);
    put_pairs(json, "machine", &run->machine);
    put_clocks(json, run);
    put_crashes(json, run);
    put_interrupts(json, run);
    put_texts(json, "errors", &run->errors);
    put_texts(json, "losses", &run->losses);
    json_bool(json, "ended", run->ended);
    json_close(json);
}

static void put_statistics(struct json *json, const struct statistics *statistics)
{
    const bool any = statistics->n > 0;

    json_unsigned(json, "n", statistics->n);
    put_optional(json, "min", any, statistics->min);
    put_optional(json, "median", any, statistics->median);
    put_optional(json, "p99", statistics->has_p99, statistics->p99);
    put_optional(json, "p999", statistics->has_p999, statistics->p999);
    put_optional(json, "max", any, statistics->max);
}

static void put_params(struct json *json, const struct run_bench *bench)
{
    json_object(json, "params");
    for (size_t i = 0; i < bench->param_count; i++) {
        json_text(json, bench->params[i].name, bench->params[i].value);
    }
    json_close(json);
}

static void put_series(struct json *json, const struct run_bench *bench,
                       const struct run_series *series)
{
    struct statistics statistics;

    statistics_of(series->samples, series->received, &statistics);
    json_object(json, NULL);
    json_text(json, "name", series->name);
    json_text(json, "unit", series->unit);
    put_params(json, bench);
    put_statistics(json, &statistics);
    json_unsigned(json, "missing", series->n - series->received);
    json_close(json);
}

static void put_column(struct json *json, const char *key, const struct idle_bench *idle,
                       enum idle_column column)
{
    struct statistics statistics;

    idle_bench_statistics(idle, column, &statistics);
    json_object(json, key);
    put_statistics(json, &statistics);
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

static void put_recovery(struct json *json, const struct run_bench *bench)
{
    struct idle_bench idle;
    struct idle_recovery recovery;
    const char *why;

    if (!idle_bench_load(bench, &idle, &recovery, &why)) {
        json_null(json, "recovery");
        return;
    }
    json_object(json, "recovery");
    json_unsigned(json, "injected", recovery.injected);
    json_unsigned(json, "recovered", recovery.recovered);
    json_unsigned(json, "within_tolerance", recovery.within_tolerance);
    json_unsigned(json, "spurious", recovery.spurious);
    put_optional(json, "max_error_ticks", recovery.has_error, recovery.max_error);
    json_signed(json, "tolerance_ticks", recovery.tolerance);
    json_signed(json, "floor_ticks", recovery.floor);
    json_signed(json, "injected_ticks", recovery.injected_total);
    json_signed(json, "recovered_ticks", recovery.recovered_total);
    json_number(json, "total_error_ppm", idle_recovery_ppm(&recovery), 3);
    json_close(json);
    idle_bench_free(&idle);
}

static void put_bench(struct json *json, const struct run_bench *bench)
{
    json_object(json, NULL);
    json_text(json, "name", bench->name);
    json_text(json, "group", bench->group);
    json_text(json, "summary", bench->summary);
    json_text(json, "unit", bench->unit);
    json_text(json, "estimate", bench->estimate);
    json_text(json, "status", bench->state);
    json_text(json, "reason", bench->reason);
    put_params(json, bench);
    json_object(json, "facts");
    for (size_t i = 0; i < bench->fact_count; i++) {
        json_signed(json, bench->facts[i].name, bench->facts[i].value);
    }
    json_close(json);
    json_array(json, "series");
    for (size_t i = 0; i < bench->series_count; i++) {
        put_series(json, bench, &bench->series[i]);
    }
    json_close(json);
    if (strcmp(bench->name, "idle") == 0) {
        put_ticks(json, bench);
    }
    if (strcmp(bench->name, "load") == 0) {
        put_recovery(json, bench);
    }
    json_close(json);
}

void run_json(FILE *out, const struct run *run, const struct run_texts *reasons)
{
    struct json json;

    json_start(&json, out);
    json_object(&json, NULL);
    put_run(&json, run, reasons);
    json_array(&json, "benches");
    for (size_t i = 0; i < run->bench_count; i++) {
        put_bench(&json, &run->benches[i]);
    }
    json_close(&json);
    json_close(&json);
}
