/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * libFuzzer: bytes as bench `sweep` of some runs. What is read can be printed and published, and
 * reads the same again.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tools/lib/alloc.h"
#include "tools/lib/sweep_rows.h"
#include "tools/tests/demand.h"
#include "tools/tests/fuzz_bytes.h"
#include "tools/tests/run_builder.h"

#define RUNS_MAX     3
#define SAMPLES_MAX  16
#define COUNT(array) (sizeof(array) / sizeof((array)[0]))

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static FILE *nowhere;

static void take_series(struct bytes *bytes, struct run_bench *bench)
{
    static const char *const names[] = {
        "point",          "setting",  "occupancy",     "replications",  "warm_up", "wait.mean",
        "wait.mean.half", "wait.p50", "wait.p50.half", "transit.p99.9", "x",       ".mean"};
    int64_t samples[SAMPLES_MAX];
    const char *name = names[take(bytes) % COUNT(names)];
    const size_t n = take(bytes) % (SAMPLES_MAX + 1);

    for (size_t i = 0; i < n; i++) {
        const uint64_t value = take_number(bytes);

        samples[i] = value == 0xf7 ? (int64_t)(i + 1) : (int64_t)value;
    }
    build_series(bench, name, NULL, NULL, samples, n);
}

static void take_text(struct bytes *bytes, struct run *run, struct run_bench *bench)
{
    static const char *const params[] = {"sweep", "another", "other"};
    const char *name = params[take(bytes) % COUNT(params)];
    char text[24] = "";

    if (take(bytes) % 2 == 0) {
        *run_add_param(bench) = (struct run_param){name, "a=1:3:1", "plan"};
        return;
    }
    for (size_t i = 0; i + 1 < sizeof(text) && bytes->left > 0; i++) {
        text[i] = (char)take(bytes);
    }
    *run_add_param(bench) = (struct run_param){name, run_text(run, text), "plan"};
}

static void take_bench(struct bytes *bytes, struct run *run)
{
    static const char *const facts[] = {"points", "another", "other", "seed"};
    struct run_bench *bench = build_bench(run, SWEEP_BENCH, 1);
    uint8_t code;

    while (bytes->left > 0 && (code = take(bytes)) != 0xff) {
        if (code % 4 == 0) {
            take_text(bytes, run, bench);
        } else if (code % 4 == 1) {
            build_fact(bench, facts[take(bytes) % COUNT(facts)], (int64_t)take_number(bytes));
        } else if (code % 4 == 2) {
            *run_add_absent(bench) = (struct run_absent){"point 2", "why"};
        } else {
            take_series(bytes, bench);
        }
    }
}

static void check_rows(const struct run_bench *bench)
{
    struct sweep_rows rows;
    struct sweep_rows again;
    struct json json;
    struct run run;

    if (!sweep_rows_read(bench, &rows)) {
        demand(rows.count == 0 && rows.rows == NULL);
        return;
    }
    sweep_rows_print(&rows, nowhere);
    json_start(&json, nowhere);
    json_object(&json, NULL);
    sweep_rows_json(&rows, &json);
    json_close(&json);
    run_init(&run);
    sweep_rows_publish(&rows, &run);
    demand(sweep_rows_read(&run.benches[0], &again) && again.count == rows.count);
    sweep_rows_free(&again);
    run_free(&run);
    sweep_rows_free(&rows);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct bytes bytes = {data, size};
    struct run run;

    nowhere = nowhere != NULL ? nowhere : fopen("/dev/null", "w");
    for (size_t i = 0; i < RUNS_MAX && (bytes.left > 0 || i == 0); i++) {
        run_init(&run);
        take_bench(&bytes, &run);
        check_rows(&run.benches[0]);
        run_free(&run);
    }
    return 0;
}
