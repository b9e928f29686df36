/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * JSON of input events: the events themselves, their latencies, think and wait.
 */
#include "bench/interactive/host/measure/interactive_json.h"
#include "bench/interactive/host/measure/latency_json.h"
#include "bench/interactive/host/measure/think_wait_json.h"
#include "bench/interactive/host/view_longest.h"
#include "tools/present/reading.h"

/* Its traces are read once for both. */
static void put_input(struct json *json, const struct run *run, const struct run_bench *bench)
{
    struct interactive interactive;
    struct actions actions;
    const bool good = interactive_read(&interactive, bench);

    if (!actions_read(&actions, &interactive, bench) || !good) {
        json_null(json, "interactive");
        json_null(json, "latency");
    } else if (interactive.present) {
        interactive_json(json, run, bench, &interactive, &actions);
        latency_json(json, run, bench, &interactive, &actions);
        longest_json(json, &actions);
    }
    actions_free(&actions);
    interactive_free(&interactive);
}

READING_REGISTER(input_json) = {.order = 30, .json = put_input};
READING_REGISTER(think_wait_json) = {.order = 40, .json = think_wait_json};
