/* SPDX-License-Identifier: BSD-2-Clause */
#include "bench/interactive/host/measure/think_wait_json.h"
#include "tools/present/reading.h"

#include "bench/interactive/host/measure/latency_events.h"
#include "bench/interactive/host/measure/think_wait.h"

static void put_states(struct json *json, const struct think_wait *think_wait)
{
    json_object(json, "states");
    for (size_t i = 0; i < THINK_WAIT_STATES; i++) {
        json_object(json, think_wait_state_name((enum think_wait_state)i));
        json_unsigned(json, "ticks", think_wait->ticks[i]);
        json_unsigned(json, "visits", think_wait->visits[i]);
        json_close(json);
    }
    json_close(json);
}

/* {"complete": {...}, ...}; errors against the complete one. */
static void put_machines(struct json *json, const struct think_wait *think_wait)
{
    static const char *const names[THINK_WAIT_MACHINES] = {
        [MACHINE_COMPLETE] = "complete",
        [MACHINE_PROCESSOR] = "processor",
        [MACHINE_PROCESSOR_QUEUE] = "processor_queue",
        [MACHINE_PROCESSOR_CALLS] = "processor_calls",
    };

    json_object(json, "machines");
    for (size_t i = 0; i < THINK_WAIT_MACHINES; i++) {
        const struct think_wait_verdict *machine = &think_wait->machines[i];

        json_object(json, names[i]);
        json_unsigned(json, "wait", machine->wait);
        json_unsigned(json, "false_wait", machine->false_wait);
        json_unsigned(json, "missed", machine->missed);
        json_close(json);
    }
    json_close(json);
}

/* {"think_idle": {"think_busy": 3}, ...}: those that happened. */
static void put_matrix(struct json *json, const struct think_wait *think_wait)
{
    json_object(json, "matrix");
    for (size_t from = 0; from < THINK_WAIT_STATES; from++) {
        json_object(json, think_wait_state_name((enum think_wait_state)from));
        for (size_t to = 0; to < THINK_WAIT_STATES; to++) {
            if (think_wait->matrix[from][to] > 0) {
                json_unsigned(json, think_wait_state_name((enum think_wait_state)to),
                              think_wait->matrix[from][to]);
            }
        }
        json_close(json);
    }
    json_close(json);
}

/* Times since the begin of the first part. */
static void put_transitions(struct json *json, const struct think_wait *think_wait)
{
    char text[THINK_WAIT_CAUSE_MAX];

    json_unsigned(json, "transition_count", think_wait->transition_count);
    json_array(json, "transitions");
    for (size_t i = 0; i < think_wait->kept; i++) {
        const struct think_wait_transition *transition = &think_wait->transitions[i];

        json_object(json, NULL);
        json_unsigned(json, "at", transition->tsc - think_wait->begin);
        json_unsigned(json, "part", transition->part);
        json_text(json, "from", think_wait_state_name(transition->from));
        json_text(json, "to", think_wait_state_name(transition->to));
        json_text(json, "cause", think_wait_cause(transition, text));
        json_close(json);
    }
    json_close(json);
}

static void put_waits(struct json *json, const struct think_wait *think_wait, bool has_rate)
{
    json_unsigned(json, "wait", think_wait_waited(think_wait));
    json_unsigned(json, "waits", think_wait->waits);
    if (think_wait->waits > 0) {
        json_unsigned(json, "longest", think_wait->longest);
        json_unsigned(json, "longest_at", think_wait->longest_at - think_wait->begin);
    }
    if (has_rate) {
        json_unsigned(json, "perceptible", think_wait->perceptible);
        json_unsigned(json, "noticed", think_wait->noticed);
        json_unsigned(json, "noticed_ticks", think_wait->noticed_ticks);
    }
}

void think_wait_json(struct json *json, const struct run *run, const struct run_bench *bench)
{
    const double ns_per_tick = run_ns_per_tick(run);
    struct think_wait think_wait;

    if (!think_wait_read(&think_wait, bench, latency_perceptible(ns_per_tick))) {
        json_null(json, "think_wait");
    } else if (think_wait.present) {
        json_object(json, "think_wait");
        json_unsigned(json, "elapsed", think_wait.elapsed);
        json_signed(json, "residual", think_wait_residual(&think_wait));
        put_waits(json, &think_wait, ns_per_tick > 0);
        put_states(json, &think_wait);
        put_machines(json, &think_wait);
        put_matrix(json, &think_wait);
        put_transitions(json, &think_wait);
        json_close(json);
    }
    think_wait_free(&think_wait);
}
