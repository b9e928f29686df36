/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * libFuzzer: bytes as a trace of input events and as the series of a bench that planned them,
 * through all that is made of these. Whatever they state, the sums must come out.
 */
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#include "bench/interactive/host/measure/interactive.h"
#include "bench/interactive/host/measure/interactive_summary.h"
#include "bench/interactive/host/measure/measure_json.h"
#include "bench/interactive/host/measure/stairs.h"
#include "bench/interactive/host/measure/tests/read_alone.h"
#include "bench/interactive/host/measure/think_wait.h"
#include "bench/interactive/host/view_input.h"
#include "kernel/input/event.h"
#include "tools/present/view.h"
#include "tools/tests/support/fuzz_bytes.h"
#include "tools/tests/support/run_builder.h"
#include "tools/tests/support/trace_builder.h"

#define PACKET       512
#define PARTS_MAX    3
#define SAMPLES_MAX  48
#define LIVES_MAX    16
#define COUNT(array) (sizeof(array) / sizeof((array)[0]))

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* ---- the trace ---- */

static uint64_t take_step(const struct trace_builder *builder, struct bytes *bytes)
{
    const uint64_t step = take_number(bytes);

    return step < UINT64_MAX - builder->stamp ? builder->stamp + step : UINT64_MAX;
}

/* Those that lives of events are made of. */
static void take_event(struct trace_builder *builder, struct bytes *bytes, uint8_t code)
{
    static const uint8_t ids[] = {
        TRACE_ID_thread_is,  TRACE_ID_thread_switch, TRACE_ID_thread_ready, TRACE_ID_isr_entry,
        TRACE_ID_isr_exit,   TRACE_ID_dpc_entry,     TRACE_ID_dpc_exit,     TRACE_ID_fault_entry,
        TRACE_ID_input,      TRACE_ID_queue_call,    TRACE_ID_queue_post,   TRACE_ID_queue_take,
        TRACE_ID_input_done,
    };
    const uint32_t id = ids[code % COUNT(ids)];
    const struct trace_class *class = trace_class_of(id);
    const uint64_t tsc = take_step(builder, bytes);
    uint64_t fields[TRACE_FIELDS_MAX] = {0};

    for (size_t i = 0; i < class->field_count; i++) {
        fields[i] = take_number(bytes);
    }
    if (id == TRACE_ID_input && (code & 0x80) != 0) {
        fields[3] = tsc > fields[3] ? tsc - fields[3] : tsc; /* a stamp that can be believed */
    }
    trace_builder_add(builder, tsc, id, fields, false);
}

/* What an application measured. */
struct stamps {
    size_t count;
    int64_t number[LIVES_MAX], from[LIVES_MAX], to[LIVES_MAX];
};

/* An event from its interrupt to its end, all of it at some distance from what is before. */
static void take_life(struct trace_builder *builder, struct bytes *bytes, struct stamps *stamps,
                      uint32_t number)
{
    const uint8_t step = take(bytes);
    uint64_t at = take_step(builder, bytes);
    const uint64_t stamp = at;

    TRACE_ADD(builder, at, isr_entry, 81);
    TRACE_ADD(builder, at += step, isr_exit, 81);
    TRACE_ADD(builder, at += step % 7, dpc_entry, 1);
    TRACE_ADD(builder, at += step % 5, input, number, INPUT_KEY_DOWN, 30, stamp);
    TRACE_ADD(builder, at += step % 3, queue_post, 0, INPUT_KEY_DOWN, number, 1);
    TRACE_ADD(builder, at, thread_ready, 2, TRACE_BY(TRACE_BY_DPC, 1));
    TRACE_ADD(builder, at += step % 9, dpc_exit, 1);
    TRACE_ADD(builder, at += step % 4, thread_switch, 0, 2,
              TRACE_WHY(WAIT_PREEMPTED, THREAD_READY));
    TRACE_ADD(builder, at += step % 11, queue_take, 0, INPUT_KEY_DOWN, number, 0);
    stamps->number[stamps->count] = number;
    stamps->from[stamps->count] = (int64_t)(at + step % 13 - builder->begin);
    stamps->to[stamps->count++] = (int64_t)(at + step - builder->begin);
    TRACE_ADD(builder, at += step, input_done, 0, number);
    TRACE_ADD(builder, at += step % 6, thread_switch, 2, 0, TRACE_WHY(WAIT_QUEUE, THREAD_WAITING));
}

/* Behind the part before it; false if it has no place in time, which a reader of runs refuses. */
static bool take_part(struct bytes *bytes, struct run_bench *bench, struct stamps *stamps)
{
    const size_t before = bench->trace_count;
    const uint64_t from = before > 0 ? bench->traces[before - 1].end : 0;
    const uint8_t pause = take(bytes);
    struct trace_builder builder;
    uint8_t code;

    trace_builder_init(&builder, pause < UINT64_MAX - from ? from + pause : UINT64_MAX, PACKET);
    TRACE_ADD(&builder, builder.begin, thread_is, 0, 0, 0, THREAD_RUNNING, WAIT_NONE);
    while (bytes->left > 0 && (code = take(bytes)) != 0xff) {
        if (code % 32 < 8 && stamps->count < LIVES_MAX) {
            take_life(&builder, bytes, stamps, 1 + code / 32);
        } else if (code % 32 < 30) {
            take_event(&builder, bytes, code);
        } else if (code % 32 == 30) {
            const uint64_t end = take_step(&builder, bytes);

            trace_builder_turn(&builder, end, end, take(bytes));
        } else {
            trace_builder_lose(&builder);
        }
    }
    const uint64_t end = take_step(&builder, bytes);

    trace_builder_finish(&builder, end, bench)->costs = (struct run_trace_costs){
        .record = take(bytes),
        .lead = take(bytes),
        .extended = take(bytes),
        .isr_lead = (uint32_t)take_number(bytes),
        .isr_trail = take(bytes),
        .switch_trail = take(bytes),
    };
    return run_trace_follows(bench, before, &bench->traces[before]);
}

/* ---- the series ---- */

static void take_series(struct bytes *bytes, struct run_bench *bench)
{
    static const char *const names[] = {"intended", "sent", "written", "cold", "phase", "idle"};
    const uint8_t kind = take(bytes);
    const size_t n = take(bytes) % SAMPLES_MAX;
    int64_t samples[SAMPLES_MAX];

    for (size_t i = 0; i < n; i++) {
        samples[i] = (int64_t)(take_number(bytes) * ((kind & 0x20) != 0 ? 32 : 1));
    }
    struct run_series *series =
        (kind & 0x40) != 0
            ? build_series(bench, "idle.cycles", "idle", "cycles", samples, n)
            : build_series(bench, names[kind % COUNT(names)], NULL, NULL, samples, n);

    if ((kind & 0x80) != 0 && n > 2) {
        build_hole(series, (uint32_t)(1 + take(bytes) % (n - 2)));
    }
}

static void take_facts(struct bytes *bytes, struct run_bench *bench)
{
    static const char *const names[] = {"idle_origin", "iteration_millitick", "sample_ticks",
                                        "clock_period", "clock_origin"};

    for (size_t i = 0; i < COUNT(names); i++) {
        build_fact(bench, names[i], (int64_t)take_number(bytes));
    }
}

/* ---- what must hold ---- */

static void check(bool condition)
{
    if (!condition) {
        abort();
    }
}

static void check_event(const struct run_bench *bench, const struct interactive_event *event)
{
    const struct run_series *idle = run_find_series(bench, "idle");

    check(event->came || event->planned);
    check(!event->has_arrival || event->arrival <= event->decoded);
    check(!event->has_busy || event->busy <= event->done - event->arrival);
    check(!event->has_stamps || event->stamp_from <= event->stamp_to);
    check(!event->has_elongation ||
          (event->samples > 0 && event->sample + event->samples <= idle->received));
    check(!event->explained || (event->has_elongation && !event->shared));
}

static void check_sums(const struct run_bench *bench)
{
    struct interactive interactive;
    int64_t parts = 0;
    int64_t rest = 0;

    check(interactive_read(&interactive, bench) && interactive_explain(&interactive, bench));
    check(interactive.matched + interactive.missing == interactive.planned);
    check(interactive.matched + interactive.unplanned == interactive.arrived);
    check(interactive.arrived + interactive.missing == interactive.count);
    for (size_t i = 0; i < interactive.count; i++) {
        const struct interactive_event *event = &interactive.events[i];

        check_event(bench, event);
        rest += event->explained
                    ? (int64_t)(event->elongation_busy - (event->stamp_to - event->stamp_from))
                    : 0;
    }
    for (size_t i = 0; i < interactive.part_count; i++) {
        parts += interactive.parts[i].total;
    }
    /* Parts of a trace that overlap are counted once in one and twice in the other. */
    check(bench->trace_count > 1 || (interactive.residual == 0 && parts == rest));
    size_t count;
    size_t events = 0;
    struct interactive_summary *summaries = interactive_summaries(&interactive, &count);

    for (size_t i = 0; i < count; i++) {
        check(summaries[i].measures[SUMMARY_SERVICE].statistics.n <= summaries[i].events);
        events += summaries[i].events;
    }
    check(events <= interactive.count);
    free(summaries);
    interactive_free(&interactive);
}

static void check_stairs(const struct run_bench *bench)
{
    struct stairs stairs;

    stairs_of(bench, &stairs);
    check((stairs.why == NULL) == (stairs_count(&stairs) >= STAIRS_MIN));
    check(stairs.why != NULL || (stairs.alignment <= 1 && stairs.last < stairs.burst_count));
    stairs_free(&stairs);
}

/* Each tick is in one state, each transition from the state of the one before. */
static void check_think_wait(const struct run_bench *bench)
{
    struct think_wait think_wait;
    uint64_t visits = 0;
    uint64_t moves = 0;

    check(think_wait_read(&think_wait, bench, 100));
    check(think_wait_residual(&think_wait) == 0);
    check(think_wait.noticed <= think_wait.waits &&
          think_wait.noticed_ticks <= think_wait_waited(&think_wait));
    for (size_t from = 0; from < THINK_WAIT_STATES; from++) {
        visits += think_wait.visits[from];
        for (size_t to = 0; to < THINK_WAIT_STATES; to++) {
            moves += think_wait.matrix[from][to];
        }
    }
    check(moves == think_wait.transition_count && visits >= moves);
    for (size_t i = 1; i < think_wait.kept; i++) {
        const struct think_wait_transition *now = &think_wait.transitions[i];

        check(now->part > now[-1].part || (now->from == now[-1].to && now->tsc > now[-1].tsc));
        check(now->from != now->to);
    }
    think_wait_free(&think_wait);
}

/* Each event that came is in one action, and no action is longer than from its begin to its end. */
static void check_actions(const struct interactive *interactive, const struct actions *actions)
{
    size_t came = 0;
    size_t joined = 0;

    for (size_t i = 0; i < interactive->count; i++) {
        came += interactive->events[i].came;
        check((actions->of[i] != ACTION_NONE) == interactive->events[i].came);
        check(actions->of[i] == ACTION_NONE || actions->of[i] < actions->count);
    }
    for (size_t i = 0; i < actions->count; i++) {
        joined += actions->actions[i].events;
        check(actions->actions[i].class < actions->class_count);
        check(actions->actions[i].known[MEASURE_SERVICE] ||
              actions->actions[i].latency[MEASURE_SERVICE] == 0);
    }
    check(joined == came);
}

static void show_all(FILE *out, const struct run *run, const struct run_bench *bench)
{
    static const double thresholds[] = {0, 0.0001, 100};
    const struct input_wish wish = {.events = true,
                                    .fsm = true,
                                    .interarrival_ms = thresholds,
                                    .interarrival_count = COUNT(thresholds)};
    struct view view;

    view_init(&view, out, run);
    view_input_summary(&view, bench);
    view_input(&view, bench, &wish);
}

static void check_all(FILE *nowhere, const struct run *run, struct run_bench *bench)
{
    struct interactive interactive;
    struct actions actions;
    struct json json;

    check_sums(bench);
    check_stairs(bench);
    check_think_wait(bench);
    show_all(nowhere, run, bench);
    json_start(&json, nowhere);
    json_object(&json, NULL);
    const bool good = interactive_read(&interactive, bench);

    if (actions_read(&actions, &interactive, bench) && good && interactive.present) {
        check_actions(&interactive, &actions);
        interactive_json(&json, run, bench, &interactive, &actions);
        latency_json(&json, run, bench, &interactive, &actions);
    }
    actions_free(&actions);
    interactive_free(&interactive);
    think_wait_json(&json, run, bench);
    json_close(&json);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static FILE *nowhere;
    struct bytes bytes = {data, size};
    bool good = true;
    struct run run;

    nowhere = nowhere != NULL ? nowhere : fopen("/dev/null", "w");
    run_init(&run);
    run.verdict = (struct run_verdict){.present = true, .ok = true, .hz = 1000000000};
    struct run_bench *bench = build_bench(&run, "b", 1);
    const size_t series = take(&bytes) % 16;
    struct stamps stamps = {0};

    for (size_t i = 0; i < series; i++) {
        take_series(&bytes, bench);
    }
    take_facts(&bytes, bench);
    while (bytes.left > 0 && bench->trace_count < PARTS_MAX && good) {
        good = take_part(&bytes, bench, &stamps);
    }
    build_series(bench, "stamp_number", NULL, NULL, stamps.number, stamps.count);
    build_series(bench, "stamp_from", NULL, NULL, stamps.from, stamps.count);
    build_series(bench, "stamp_to", NULL, NULL, stamps.to, stamps.count);
    if (good) {
        check_all(nowhere, &run, bench);
    }
    run_free(&run);
    return 0;
}
