/* SPDX-License-Identifier: BSD-2-Clause */
#include "tools/show/run_json.h"

#include <math.h>
#include <string.h>

#include "bench/counters/names.h"
#include "bench/idle/names.h"
#include "bench/noise/names.h"
#include "tools/base/json.h"
#include "tools/base/trace_bytes.h"
#include "tools/bench/counters/counts.h"
#include "tools/bench/counters/kernels.h"
#include "tools/bench/interactive/interactive_json.h"
#include "tools/bench/interactive/latency_json.h"
#include "tools/bench/interactive/think_wait_json.h"
#include "tools/bench/memory/memory_json.h"
#include "tools/bench/noise/gap_bench.h"
#include "tools/bench/noise/idle_bench.h"
#include "tools/bench/noise/idle_correlation.h"
#include "tools/bench/processors/processors_json.h"
#include "tools/bench/tasks/task_json.h"
#include "tools/stats/statistics.h"
#include "tools/trace/accounting_json.h"

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

static void put_events(struct json *json, const struct run *run)
{
    json_array(json, "counters");
    for (size_t i = 0; i < run->counter_count; i++) {
        const struct run_counter *counter = &run->counters[i];

        json_object(json, NULL);
        json_text(json, "name", counter->name);
        json_text(json, "state", counter->state);
        put_optional(json, "width", counter->width != 0, (int64_t)counter->width);
        json_text(json, "found", counter->found);
        json_text(json, "reason", counter->reason);
        json_close(json);
    }
    json_close(json);
    json_array(json, "events");
    for (size_t i = 0; i < run->event_count; i++) {
        const struct run_event *event = &run->events[i];

        json_object(json, NULL);
        json_text(json, "name", event->name);
        json_text(json, "state", event->state);
        put_optional(json, "pass", event->pass != 0, event->pass);
        json_text(json, "counter", event->counter);
        json_text(json, "code", event->code);
        json_text(json, "source", event->source);
        json_text(json, "manual", event->manual);
        json_text(json, "note", event->note);
        json_text(json, "reason", event->reason);
        json_close(json);
    }
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
    put_events(json, run);
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

/* All n of them; null for one that is missing. */
static void put_samples(struct json *json, const struct run_series *series)
{
    struct run_walk walk = {.series = series};
    int64_t value;

    json_flat_array(json, "samples");
    for (uint32_t i = 0; i < series->n; i++) {
        const bool present = run_walk_to(&walk, i, &value);

        put_optional(json, NULL, present, value);
    }
    json_close(json);
}

static void put_series(struct json *json, const struct run_bench *bench,
                       const struct run_series *series, bool samples)
{
    struct statistics statistics;

    statistics_of(series->samples, series->received, &statistics);
    json_object(json, NULL);
    json_text(json, "name", series->name);
    json_text(json, "unit", series->unit);
    json_text(json, "of", series->of);
    json_text(json, "event", series->event);
    put_params(json, bench);
    put_statistics(json, &statistics);
    put_optional(json, "total", series->event != NULL && statistics.has_total, statistics.total);
    json_unsigned(json, "missing", series->n - series->received);
    if (samples) {
        put_samples(json, series);
    }
    json_close(json);
}

static void put_objects(struct json *json, const struct run_bench *bench)
{
    json_array(json, "objects");
    for (size_t i = 0; i < bench->object_count; i++) {
        const struct run_object *object = &bench->objects[i];

        json_object(json, NULL);
        json_text(json, "kind", object->kind);
        json_unsigned(json, "id", object->id);
        json_text(json, "name", object->name);
        put_optional(json, "process", object->has_process, object->process);
        put_optional(json, "priority", object->has_priority, object->priority);
        json_close(json);
    }
    json_close(json);
}

/* `bytes` of the packets that there should be, `claimed`, are there. */
static void put_traces(struct json *json, const struct run_bench *bench)
{
    json_array(json, "traces");
    for (size_t i = 0; i < bench->trace_count; i++) {
        const struct run_trace *trace = &bench->traces[i];

        json_object(json, NULL);
        json_unsigned(json, "stream", trace->stream);
        json_unsigned(json, "part", trace->part);
        json_text(json, "mode", trace->mode);
        json_unsigned(json, "cpu", trace->cpu);
        json_unsigned(json, "begin", trace->begin);
        json_unsigned(json, "end", trace->end);
        json_unsigned(json, "kept", trace->kept);
        json_unsigned(json, "discarded", trace->discarded);
        json_unsigned(json, "overwritten", trace->overwritten);
        json_unsigned(json, "claimed", trace->claimed);
        json_unsigned(json, "bytes", trace->packets->length);
        json_close(json);
    }
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
    put_optional(json, "max_error_ticks", recovery.has_error, recovery.max_error);
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

            put_optional(json, event->counts->event, event->has_median[c], event->medians[c]);
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

static void put_smis(struct json *json, const struct run_bench *bench)
{
    const struct run_fact *counted = run_find_fact(bench, FACT_SMI);
    const struct run_fact *provoked = run_find_fact(bench, FACT_SMI_PROVOKED);
    struct gap_smis smis;

    gap_smis_of(bench, &smis);
    json_object(json, "smis");
    put_optional(json, "counted", counted != NULL, counted != NULL ? counted->value : 0);
    put_optional(json, "provoked", provoked != NULL, provoked != NULL ? provoked->value : 0);
    put_optional(json, "gaps", smis.series != NULL, (int64_t)smis.gaps);
    put_optional(json, "longest_ticks", smis.gaps > 0, smis.longest);
    json_close(json);
}

static void put_kernel(struct json *json, const struct run_bench *bench, const char *kernel)
{
    const struct run_fact *iterations = kernel_iterations(bench, kernel);

    json_object(json, NULL);
    json_text(json, "name", kernel);
    put_optional(json, "iterations", iterations != NULL,
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
        put_optional(json, "expected", count.has_expected, count.expected);
        put_statistics(json, &count.measured);
        json_number(json, "error_percent", count.error_percent, 6);
        json_close(json);
    }
    json_close(json);
    json_close(json);
}

static void put_kernels(struct json *json, const struct run_bench *bench)
{
    const char *kernel;

    json_array(json, "kernels");
    for (size_t i = 0; (kernel = counted_series_at(bench, i)) != NULL; i++) {
        put_kernel(json, bench, kernel);
    }
    json_close(json);
}

static void put_expects(struct json *json, const struct run_bench *bench)
{
    json_array(json, "expects");
    for (size_t i = 0; i < bench->expect_count; i++) {
        const struct run_expect *expect = &bench->expects[i];

        json_object(json, NULL);
        json_text(json, "series", expect->series);
        put_optional(json, "instructions", expect->has_instructions, expect->instructions);
        put_optional(json, "value", expect->has_value, expect->value);
        json_text(json, "unit", expect->unit);
        json_text(json, "because", expect->because);
        json_close(json);
    }
    json_close(json);
}

static void put_absents(struct json *json, const struct run_bench *bench)
{
    json_array(json, "absent");
    for (size_t i = 0; i < bench->absent_count; i++) {
        json_object(json, NULL);
        json_text(json, "name", bench->absents[i].name);
        json_text(json, "reason", bench->absents[i].reason);
        json_close(json);
    }
    json_close(json);
}

/* {"floor": {"ipc": 1.998, ...}, ...}: what cannot be formed is left out. */
static void put_ratios(struct json *json, const struct run_bench *bench)
{
    const char *of;

    json_object(json, "ratios");
    for (size_t i = 0; (of = counted_series_at(bench, i)) != NULL; i++) {
        const struct count_ratio *ratio;

        json_object(json, of);
        for (size_t k = 0; (ratio = count_ratio_at(k)) != NULL; k++) {
            const double value = count_ratio_of(bench, of, ratio);

            if (!isnan(value)) {
                json_number(json, ratio->key, value, 9);
            }
        }
        json_close(json);
    }
    json_close(json);
}

/* Its traces are read once for both. */
static void put_input(struct json *json, const struct run *run, const struct run_bench *bench)
{
    struct interactive interactive;

    if (!interactive_read(&interactive, bench)) {
        json_null(json, "interactive");
        json_null(json, "latency");
    } else if (interactive.present) {
        interactive_json(json, run, bench, &interactive);
        latency_json(json, run, bench, &interactive);
    }
    interactive_free(&interactive);
}

static void put_special(struct json *json, const struct run *run, const struct run_bench *bench)
{
    if (strcmp(bench->name, BENCH_IDLE) == 0) {
        put_ticks(json, bench);
        put_correlation(json, bench);
    }
    if (strcmp(bench->name, BENCH_LOAD) == 0) {
        put_recovery(json, run, bench);
    }
    if (strcmp(bench->name, BENCH_GAP) == 0) {
        put_smis(json, bench);
    }
    if (strcmp(bench->name, BENCH_COUNTERS) == 0) {
        put_kernels(json, bench);
    }
    task_json(json, bench);
    put_input(json, run, bench);
    think_wait_json(json, run, bench);
}

static void put_bench(struct json *json, const struct run *run, const struct run_bench *bench,
                      bool samples)
{
    json_object(json, NULL);
    json_text(json, "name", bench->name);
    json_unsigned(json, "pass", bench->pass);
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
    put_expects(json, bench);
    put_absents(json, bench);
    json_number(json, "effective_clock", effective_clock(bench), 6);
    json_array(json, "series");
    for (size_t i = 0; i < bench->series_count; i++) {
        put_series(json, bench, &bench->series[i], samples);
    }
    json_close(json);
    put_objects(json, bench);
    put_traces(json, bench);
    accounting_json(json, bench, run_ticks_per_instruction(run));
    put_ratios(json, bench);
    put_special(json, run, bench);
    memory_json(json, run, bench);
    processors_json(json, bench);
    json_close(json);
}

static void put_all(FILE *out, const struct run *run, const struct run_texts *reasons,
                    const char *bench, bool samples)
{
    struct json json;

    json_start(&json, out);
    json_object(&json, NULL);
    json_text(&json, "schema", RUN_JSON_SCHEMA);
    put_run(&json, run, reasons);
    json_array(&json, "benches");
    for (size_t i = 0; i < run->bench_count; i++) {
        if (run_bench_is(&run->benches[i], bench)) {
            put_bench(&json, run, &run->benches[i], samples);
        }
    }
    json_close(&json);
    json_close(&json);
}

void run_json(FILE *out, const struct run *run, const struct run_texts *reasons)
{
    put_all(out, run, reasons, NULL, false);
}

void run_json_samples(FILE *out, const struct run *run, const struct run_texts *reasons,
                      const char *bench)
{
    put_all(out, run, reasons, bench, true);
}
