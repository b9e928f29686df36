/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The findings of task_benches.h in a bench of threads as JSON: members "phases", "shares", "waits"
 * or "overload" of the bench. Nothing for any other bench.
 */
#include "tools/present/reading.h"

#include <string.h>

#include "bench/tasks/host/task_benches.h"
#include "bench/tasks/names.h"

#define DECIMALS 9

static void put_phases(struct json *json, const struct run_bench *bench)
{
    struct switch_phase phases[TASK_MARKS_MAX];
    const size_t count = task_switch_phases(bench, phases);

    json_array(json, "phases");
    for (size_t i = 0; i < count; i++) {
        json_object(json, NULL);
        json_text(json, "by", phases[i].way);
        json_unsigned(json, "threads", phases[i].threads);
        json_unsigned(json, "switches", phases[i].switches);
        json_unsigned(json, "ticks", phases[i].ticks);
        json_unsigned(json, "lost", phases[i].lost);
        json_signed(json, "expected", phases[i].expected);
        json_signed(json, "late", phases[i].late);
        json_close(json);
    }
    json_close(json);
}

static void put_shares(struct json *json, const struct run_bench *bench)
{
    struct aliased_thread threads[ALIASED_THREADS];
    const char *why;

    if (!task_aliased_threads(bench, threads, &why)) {
        json_null(json, "shares");
        return;
    }
    json_array(json, "shares");
    for (size_t i = 0; i < ALIASED_THREADS; i++) {
        json_object(json, NULL);
        json_text(json, "thread", threads[i].name);
        json_number(json, "truth", threads[i].truth, DECIMALS);
        json_number(json, "by_itself", threads[i].by_itself, DECIMALS);
        json_number(json, "by_events", threads[i].by_events, DECIMALS);
        json_number(json, "by_samples", threads[i].by_samples, DECIMALS);
        json_close(json);
    }
    json_close(json);
}

static void put_waits(struct json *json, const struct run_bench *bench)
{
    struct inverted_wait waits[INVERTED_WAITS];
    const size_t count = task_inverted_waits(bench, waits);

    json_array(json, "waits");
    for (size_t i = 0; i < count; i++) {
        json_object(json, NULL);
        json_text(json, "variant", waits[i].variant);
        json_signed(json, "expected", waits[i].expected);
        json_signed(json, "observed", waits[i].observed);
        if (waits[i].has_traced) {
            json_signed(json, "traced", waits[i].traced);
        } else {
            json_null(json, "traced");
        }
        json_close(json);
    }
    json_close(json);
}

static void put_overload(struct json *json, const struct run_bench *bench)
{
    struct overload overload;
    const char *why;

    if (!task_overload(bench, &overload, &why)) {
        json_null(json, "overload");
        return;
    }
    json_object(json, "overload");
    json_unsigned(json, "before", overload.before);
    json_unsigned(json, "behind", overload.behind);
    json_array(json, "parts");
    for (size_t i = 0; i < OVERLOAD_PARTS; i++) {
        const struct overload_part *part = &overload.part[i];

        json_object(json, NULL);
        json_text(json, "mode", part->mode);
        json_signed(json, "produced", part->produced);
        json_unsigned(json, "marks", part->marks);
        json_unsigned(json, "kept", part->kept);
        json_unsigned(json, "discarded", part->discarded);
        json_unsigned(json, "overwritten", part->overwritten);
        json_signed(json, "unaccounted", part->unaccounted);
        json_close(json);
    }
    json_close(json);
    json_close(json);
}

static void task_json(struct json *json, const struct run *run, const struct run_bench *bench)
{
    (void)run;
    if (strcmp(bench->name, BENCH_SWITCHES) == 0) {
        put_phases(json, bench);
    } else if (strcmp(bench->name, BENCH_ALIASING) == 0) {
        put_shares(json, bench);
    } else if (strcmp(bench->name, BENCH_INVERSION) == 0) {
        put_waits(json, bench);
    } else if (strcmp(bench->name, BENCH_OVERLOAD) == 0) {
        put_overload(json, bench);
    }
}

READING_REGISTER(task_json) = {.order = 20, .json = task_json};
