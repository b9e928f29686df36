/* SPDX-License-Identifier: BSD-2-Clause */
#include "tools/show/run_json.h"
#include "kernel/link/names.h"

#include <math.h>
#include <string.h>

#include "bench/counters/host/counts.h"
#include "tools/base/json.h"
#include "tools/base/trace_bytes.h"
#include "tools/finding/run_findings.h"
#include "tools/finding/view_findings.h"
#include "tools/present/json_kit.h"
#include "tools/present/report_plugin.h"
#include "tools/run/records.h"
#include "tools/run/run_kind.h"
#include "tools/stats/statistics.h"
#include "tools/trace/idle_bench.h"
#include "tools/trace/shared_walk.h"
#include "tools/trace/view_trace.h"

static void put_pairs(struct json *json, const char *key, const struct run_pairs *pairs)
{
    json_object(json, key);
    for (size_t i = 0; i < pairs->count; i++) {
        json_text(json, pairs->item[i].key, pairs->item[i].value);
    }
    json_close(json);
}

/* Writes the fields of an item, from field number `first` on, as members. */
static void put_fields(struct json *json, const struct run_record *record, const void *item,
                       size_t first)
{
    for (size_t i = first; i < record->count; i++) {
        const struct run_field *field = &record->field[i];
        const struct run_value value = run_field_get(field, item);

        if (run_field_is_text(field)) {
            json_text(json, field->name, value.text);
        } else if (field->type == TYPE_FLAG) {
            json_bool(json, field->name, value.number != 0);
        } else if (run_field_is_needed(field) && field->type != TYPE_SIGNED) {
            json_unsigned(json, field->name, (uint64_t)value.number);
        } else {
            json_optional(json, field->name, value.present, value.number);
        }
    }
}

static void put_items(struct json *json, const char *key, const struct run_record *record,
                      const void *owner)
{
    json_array(json, key);
    for (size_t i = 0; i < run_item_count(record, owner); i++) {
        json_object(json, NULL);
        put_fields(json, record, run_item(record, owner, i), 0);
        json_close(json);
    }
    json_close(json);
}

static void put_verdict(struct json *json, const struct run_verdict *verdict)
{
    if (!verdict->present) {
        json_null(json, "verdict");
        return;
    }
    json_object(json, "verdict");
    put_fields(json, &run_verdict_record, verdict, 0);
    json_close(json);
}

static void put_crashes(struct json *json, const struct run *run)
{
    json_array(json, "crashes");
    for (size_t i = 0; i < run->crash_count; i++) {
        const struct run_crash *crash = &run->crashes[i];

        json_object(json, NULL);
        put_pairs(json, "registers", &crash->fields);
        put_items(json, "backtrace", &run_frame_record, crash);
        json_close(json);
    }
    json_close(json);
}

static void put_run(struct json *json, const struct run *run, const struct run_texts *reasons)
{
    char devices[RUN_KIND_MAX];

    json_object(json, "run");
    json_bool(json, "valid", reasons->count == 0);
    json_texts(json, "invalid_reasons", reasons->item, reasons->count);
    for (size_t i = 0; i < run->info.count; i++) {
        const struct run_pair *pair = &run->info.item[i];

        json_text(json, pair->key,
                  strcmp(pair->key, INFO_KIND) == 0 ? run_time_name(run) : pair->value);
    }
    json_text(json, "devices", run_devices_text(run, devices));
    json_object(json, "plan");
    json_text(json, "source", run->plan_source);
    json_text(json, "text", run->plan_text);
    json_close(json);
    put_pairs(json, "machine", &run->machine);
    put_items(json, "sources", &run_source_record, run);
    put_items(json, "estimates", &run_estimate_record, run);
    put_verdict(json, &run->verdict);
    put_items(json, "counters", &run_counter_record, run);
    put_items(json, "events", &run_event_record, run);
    put_crashes(json, run);
    put_items(json, "interrupts", &run_interrupt_record, run);
    json_texts(json, "errors", run->errors.item, run->errors.count);
    json_texts(json, "losses", run->losses.item, run->losses.count);
    json_bool(json, "ended", run->ended);
    if (run->window != NULL) {
        json_text(json, "window", run->window);
    }
    json_close(json);
}

/* Writes the parameters of the bench, or with `found` the texts that the bench found out. */
static void put_params(struct json *json, const struct run_bench *bench, const char *key,
                       bool found)
{
    json_object(json, key);
    for (size_t i = 0; i < bench->param_count; i++) {
        if (run_param_is_found(&bench->params[i]) == found) {
            json_text(json, bench->params[i].name, bench->params[i].value);
        }
    }
    json_close(json);
}

/* Writes all n samples, null for a missing one. */
static void put_samples(struct json *json, const struct run_series *series)
{
    struct run_walk walk = {.series = series};
    int64_t value;

    json_flat_array(json, "samples");
    for (uint32_t i = 0; i < series->n; i++) {
        const bool present = run_walk_to(&walk, i, &value);

        json_optional(json, NULL, present, value);
    }
    json_close(json);
}

static void put_series(struct json *json, const struct run_bench *bench,
                       const struct run_series *series, bool samples)
{
    struct statistics statistics;

    statistics_of(series->samples, series->received, &statistics);
    json_object(json, NULL);
    JSON_TEXTS(json, {"name", series->name}, {"unit", series->unit}, {"of", series->of},
               {"event", series->event});
    put_params(json, bench, "params", false);
    json_statistics(json, &statistics);
    json_optional(json, "total", series->event != NULL && statistics.has_total, statistics.total);
    json_unsigned(json, "missing", series->n - series->received);
    json_unsigned(json, "left_out", series->left_out);
    if (samples) {
        put_samples(json, series);
    }
    json_close(json);
}

/* Writes the traces. `claimed` is the length that the packets should have, `bytes` the length that
 * arrived. */
static void put_traces(struct json *json, const struct run_bench *bench)
{
    json_array(json, "traces");
    for (size_t i = 0; i < bench->trace_count; i++) {
        const struct run_trace *trace = &bench->traces[i];

        json_object(json, NULL);
        json_unsigned(json, "stream", trace->stream);
        json_unsigned(json, "part", trace->part);
        json_text(json, "mode", trace->mode);
        JSON_COUNTS(json, {"cpu", trace->cpu}, {"begin", trace->begin}, {"end", trace->end},
                    {"kept", trace->kept}, {"discarded", trace->discarded},
                    {"overwritten", trace->overwritten}, {"claimed", trace->claimed},
                    {"bytes", trace->packets->length});
        json_close(json);
    }
    json_close(json);
}

/* Writes {"floor": {"ipc": 1.998, ...}, ...}; ratios that cannot be formed are left out. */
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

/* Writes the members that only some benches have. */
static void put_readings(struct json *json, const struct run *run, const struct run_bench *bench)
{
    const struct report_plugin *plugin = NULL;

    while ((plugin = report_plugin_next(plugin, bench)) != NULL) {
        if (plugin->json != NULL) {
            plugin->json(json, run, bench);
        }
    }
}

static void put_bench(struct json *json, const struct run *run, const struct run_bench *bench,
                      bool samples)
{
    json_object(json, NULL);
    json_text(json, "name", bench->name);
    json_unsigned(json, "pass", bench->pass);
    put_fields(json, &run_bench_record, bench, 0);
    json_text(json, "status", bench->state);
    json_bool(json, "modelled", run_is_modelled(bench));
    put_fields(json, &run_status_record, bench, 1);
    put_params(json, bench, "params", false);
    put_params(json, bench, "found", true);
    json_object(json, "facts");
    for (size_t i = 0; i < bench->fact_count; i++) {
        json_signed(json, bench->facts[i].name, bench->facts[i].value);
    }
    json_close(json);
    put_items(json, "expects", &run_expect_record, bench);
    put_items(json, "absent", &run_absent_record, bench);
    json_number(json, "effective_clock", effective_clock(bench), 6);
    json_array(json, "series");
    for (size_t i = 0; i < bench->series_count; i++) {
        put_series(json, bench, &bench->series[i], samples);
    }
    json_close(json);
    put_items(json, "objects", &run_object_record, bench);
    put_traces(json, bench);
    accounting_json(json, run, bench);
    put_ratios(json, bench);
    put_readings(json, run, bench);
    json_close(json);
}

static void put_all(FILE *out, const struct run *run, const struct run_texts *reasons,
                    const char *bench, bool samples)
{
    struct findings findings;
    struct json json;

    walk_share(&(struct walk_wish){.run = run, .use = WALK_JSON, .disks = true});
    run_findings(run, reasons, &findings);
    json_start(&json, out);
    json_object(&json, NULL);
    json_text(&json, "schema", RUN_JSON_SCHEMA);
    json_findings(&json, &findings);
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
