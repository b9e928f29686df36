/* SPDX-License-Identifier: BSD-2-Clause */
/* Codes of bench exec as JSON: member "codes", amounts of one execution. */
#include <stdio.h>

#include "bench/exec/host/exec_codes.h"
#include "bench/exec/names.h"
#include "tools/present/reading.h"

#define DECIMALS 6

static void put_cost(struct json *json, const char *key, const struct exec_cost *cost)
{
    json_object(json, key);
    json_unsigned(json, "n", cost->n);
    json_number(json, "min", cost->min, DECIMALS);
    json_number(json, "median", cost->median, DECIMALS);
    json_number(json, "max", cost->max, DECIMALS);
    json_close(json);
}

static void put_form(struct json *json, const struct run_bench *bench, enum exec_form form,
                     size_t number)
{
    const char *events[EXEC_EVENTS_MAX];
    const size_t count = exec_events(bench, events);
    struct exec_cost cost;

    if (!exec_cost_read(bench, form, number, NULL, &cost)) {
        json_null(json, exec_form_name(form));
        return;
    }
    json_object(json, exec_form_name(form));
    put_cost(json, "ticks", &cost);
    json_object(json, "events");
    for (size_t i = 0; i < count; i++) {
        if (exec_cost_read(bench, form, number, events[i], &cost)) {
            put_cost(json, events[i], &cost);
        }
    }
    json_close(json);
    json_close(json);
}

static void exec_json(struct json *json, const struct run *run, const struct run_bench *bench)
{
    struct exec_sources sources;
    char source[EXEC_SOURCE_MAX];

    exec_sources_open(run, &sources);
    json_array(json, "codes");
    for (size_t number = 1; number <= exec_codes(bench); number++) {
        json_object(json, NULL);
        json_unsigned(json, "number", number);
        json_text(json, "source", exec_source(&sources, number, source));
        put_form(json, bench, EXEC_UNROLLED, number);
        put_form(json, bench, EXEC_LOOPED, number);
        json_text(json, "reason", exec_missing(bench, number));
        json_close(json);
    }
    json_close(json);
    exec_sources_free(&sources);
}

READING_REGISTER(exec_json) = {.bench = BENCH_EXEC, .order = 60, .json = exec_json};
