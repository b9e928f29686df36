/* SPDX-License-Identifier: BSD-2-Clause */
#include "kernel/run/tracing.h"

#include <stdio.h>
#include <string.h>

#include "kernel/clock/clock.h"
#include "kernel/cpu/cpu.h"
#include "kernel/link/link.h"
#include "kernel/mem/memory.h"
#include "kernel/run/bench_run.h"
#include "kernel/run/limit.h"
#include "kernel/run/names.h"
#include "kernel/run/phase.h"
#include "kernel/run/sampling.h"
#include "kernel/smp/baton.h"
#include "kernel/task/costs.h"
#include "kernel/task/session.h"
#include "kernel/trace/account.h"
#include "kernel/trace/object.h"
#include "kernel/trace/recorder.h"

#define COUNTERS_MAX  4 /* number of counters in a counters event */
#define FACT_NAME_MAX 40
#define LOOK_FIRST_US 60000000
#define LOOKS_MAX     8

static struct {
    /* Settings of the plan. */
    const char *mode;
    uint64_t bytes;
    /* Measured before the first trace of the run. */
    bool measured;
    struct task_costs costs;
    /* State of the part that is being traced. */
    unsigned part;
    bool open; /* the part has begun and has not been sent */
#if TARE_SMP
    size_t processors; /* number of processors that are traced, each in separate memory */
    size_t most;       /* the largest number of processors of any part */
    void *memory_of[PERCPU_MAX];
    uint64_t elapsed_of[PERCPU_MAX];
#endif
    void *memory;
    size_t packets;
    enum recorder_mode recorder;
    const char *part_mode;
    bool drains; /* the bench may drain it between rounds */
    /* With trace.mode=off the accounting is sent instead, after LOOK_FIRST_US, twice that, and so
     * on, LOOKS_MAX times: so the memory that the link needs for it is bounded. */
    uint64_t look_after; /* when the accounting is next sent, in ticks after `origin` */
    unsigned looks;      /* number of times that the accounting may still be sent */
    size_t objects_sent;
    uint64_t origin;  /* TSC when part 1 began */
    uint64_t elapsed; /* ticks of all parts that have ended */
} tracing;

void tracing_use(const struct run_settings *settings)
{
    tracing.mode = settings->trace_mode;
    tracing.bytes = settings->trace_bytes;
}

void tracing_forget(void)
{
    tracing.part = 0;
    tracing.objects_sent = 0;
    tracing.elapsed = 0;
#if TARE_SMP
    tracing.processors = tracing.most = task_processors_planned();
    memset(tracing.elapsed_of, 0, sizeof(tracing.elapsed_of));
#endif
    task_forget();
}

/* ---- beginning ---- */

static bool measure_costs(struct bench_run *run)
{
    const char *why = "cannot allocate memory to measure the costs of tracing";

    if (!tracing.measured) {
#if TARE_SMP
        trace_account_reset(TRACE_BENCH_THREAD);
#endif
        void *memory = memory_allocate(TRACE_PACKETS_MIN * TRACE_PACKET_BYTES, PAGE_SIZE);

        tracing.measured = memory != NULL && task_measure_costs(memory, &tracing.costs, &why);
        task_forget(); /* the threads of the measurement do not belong to any bench */
    }
    if (!tracing.measured) {
        bench_error(run, "%s", why);
    }
    return tracing.measured;
}

/* Records the counters that rows contain, at the start and at the end of each part. */
static void record_counters(void)
{
    int64_t row[READER_ROW_MAX] = {0};
    const size_t counters = reader_row_words() - 1;

    if (counters > 0) {
        reader_read(row);
        trace_counters((uint8_t)(counters < COUNTERS_MAX ? counters : COUNTERS_MAX),
                       (uint64_t)row[1], (uint64_t)row[2], (uint64_t)row[3], (uint64_t)row[4]);
    }
}

#if TARE_SMP
/* Does something with the state of another processor, at the caller's local time. */
static void as_processor(size_t number, void (*act)(size_t number))
{
    const uint64_t given = percpu_given;

    percpu_select(number);
    const uint64_t others = percpu_given;

    percpu_given = given;
    act(number);
    percpu_given = others;
    percpu_select(0);
}

static void begin_other(size_t number)
{
    if (tracing.elapsed_of[number] == 0) { /* the first part with this processor */
        trace_account_reset(TRACE_IDLE_THREAD);
    }
    recorder_start(tracing.memory_of[number], tracing.packets, tracing.recorder, (uint32_t)number);
    task_trace_other(number);
}

static void stop_other(size_t number)
{
    (void)number;
    recorder_stop();
}

static void for_others(void (*act)(size_t number))
{
    for (size_t i = 1; i < tracing.processors; i++) {
        as_processor(i, act);
    }
}

static bool allocate_others(struct bench_run *run)
{
    for (size_t i = 1; i < tracing.processors && tracing.recorder != RECORDER_OFF; i++) {
        tracing.memory_of[i] = memory_allocate(tracing.packets * TRACE_PACKET_BYTES, PAGE_SIZE);
        if (tracing.memory_of[i] == NULL) {
            bench_error(run, "cannot allocate %zu bytes for the trace of processor %zu",
                        tracing.packets * TRACE_PACKET_BYTES, i);
            return false;
        }
    }
    return true;
}
#endif

/* Begins a part. Only the first part of a trace may wait for a phase: the others begin while
 * threads are running. */
static bool begin_part(struct bench_run *run, bool first)
{
    if (tracing.recorder != RECORDER_OFF) {
        tracing.memory = memory_allocate(tracing.packets * TRACE_PACKET_BYTES, PAGE_SIZE);
        if (tracing.memory == NULL) {
            bench_error(run, "cannot allocate %zu bytes for a trace",
                        tracing.packets * TRACE_PACKET_BYTES);
            return false;
        }
    }
#if TARE_SMP
    if (!allocate_others(run)) {
        return false;
    }
#endif
    if (tracing.part == 0) {
        trace_account_reset(TRACE_BENCH_THREAD);
    }
    if (first) {
        phase_wait();
        tracing.look_after = clock_ticks_from_us(LOOK_FIRST_US);
        tracing.looks = LOOKS_MAX;
    }
    tracing.part++;
    tracing.open = true;
    recorder_on_filled(sampling_trace_filled);
    recorder_start(tracing.memory, tracing.packets, tracing.recorder, 0);
    tracing.origin = tracing.part == 1 ? recorder_begin() : tracing.origin;
    task_trace_state();
    record_counters();
#if TARE_SMP
    for_others(begin_other);
#endif
    return true;
}

bool bench_trace_begin_mode(struct bench_run *run, enum recorder_mode mode, size_t bytes)
{
    static const char *const names[] = {
        [RECORDER_STOP] = TRACE_MODE_STOP,
        [RECORDER_OVERWRITE] = TRACE_MODE_OVERWRITE,
        [RECORDER_OFF] = TRACE_MODE_OFF,
    };

    tracing.recorder = mode;
    tracing.drains = false;
    tracing.part_mode = names[mode];
    tracing.packets = bytes / TRACE_PACKET_BYTES;
    if (tracing.packets < TRACE_PACKETS_MIN) {
        tracing.packets = TRACE_PACKETS_MIN;
    }
    return measure_costs(run) && begin_part(run, true);
}

#if TARE_SMP
bool bench_trace_begin_on(struct bench_run *run, size_t processors)
{
    tracing.processors = processors;
    tracing.most = processors > tracing.most ? processors : tracing.most;
    return bench_trace_begin(run);
}
#endif

bool bench_trace_begin(struct bench_run *run)
{
    enum recorder_mode mode = RECORDER_STOP; /* drain also uses this mode */

    if (strcmp(tracing.mode, TRACE_MODE_OVERWRITE) == 0) {
        mode = RECORDER_OVERWRITE;
    } else if (strcmp(tracing.mode, TRACE_MODE_OFF) == 0) {
        mode = RECORDER_OFF;
    }
    const bool good = bench_trace_begin_mode(run, mode, tracing.bytes);

    tracing.part_mode = tracing.mode;
    tracing.drains = good && strcmp(tracing.mode, TRACE_MODE_DRAIN) == 0;
    return good;
}

/* ---- end ---- */

static void send_objects(const struct bench_run *run)
{
    for (; tracing.objects_sent < trace_object_count(); tracing.objects_sent++) {
        const struct trace_object *object = trace_object_at(tracing.objects_sent);
        const bool is_thread = object->kind == OBJECT_THREAD;
        const struct link_object announced = {
            .bench = run->bench->name,
            .pass = run->pass,
            .kind = trace_object_kind_name(object->kind),
            .id = object->id,
            .name = object->name,
            .has_process = is_thread,
            .has_priority = is_thread,
            .process = object->process,
            .priority = object->priority,
        };

        link_object(&announced);
    }
}

#if TARE_SMP
static bool send_trace(const struct bench_run *run, size_t cpu, const void *memory);

static bool send_part(const struct bench_run *run)
{
    bool good = true;

    tracing.open = false;
    for (size_t i = 0; i < tracing.processors; i++) {
        percpu_select(i);
        good = send_trace(run, i, i == 0 ? tracing.memory : tracing.memory_of[i]) && good;
        percpu_select(0);
    }
    return good;
}

static bool send_trace(const struct bench_run *run, size_t cpu, const void *memory)
#else
static bool send_part(const struct bench_run *run)
#endif
{
    struct recorder_result result;
    const struct task_costs *costs = &tracing.costs;

    recorder_result(&result);
#if TARE_SMP
    tracing.elapsed_of[cpu] += result.end - result.begin;
    tracing.elapsed = tracing.elapsed_of[0];
#else
    const void *memory = tracing.memory;
    const size_t cpu = 0;

    tracing.open = false;
    tracing.elapsed += result.end - result.begin;
#endif
    if (result.filled != 0) {
        sampling_trace_ended();
    }
    if (tracing.recorder == RECORDER_OFF) {
        return true;
    }
    const struct link_trace trace = {
        .bench = run->bench->name,
        .pass = run->pass,
        .part = tracing.part,
        .mode = tracing.part_mode,
        .cpu = (uint32_t)cpu,
        .begin = result.begin,
        .end = result.end,
        .memory = memory,
        .ring_packets = tracing.packets,
        .first = result.first,
        .count = (size_t)result.count,
        .kept = result.kept,
        .discarded = result.discarded,
        .overwritten = result.overwritten,
        .record = costs->record.record,
        .lead = costs->record.lead,
        .extended = costs->record.extended,
        .isr_lead = costs->isr_lead,
        .isr_trail = costs->isr_trail,
        .dpc_trail = costs->dpc_trail,
        .switch_trail = costs->switch_trail,
    };

    limit_pause();
    send_objects(run);
    const bool good = link_trace(&trace);

    limit_resume();
    return good;
}

bool bench_trace_end(struct bench_run *run)
{
    tracing.drains = false;
    record_counters();
    recorder_stop();
#if TARE_SMP
    for_others(stop_other);
#endif
    return send_part(run);
}

bool bench_trace_due(void)
{
    if (tracing.recorder == RECORDER_OFF) {
        return tracing.open && tracing.looks > 0 &&
               tsc_read() - tracing.origin >= tracing.look_after;
    }
    return tracing.drains && recorder_free_packets() < tracing.packets / 2;
}

static void look(const struct bench_run *run)
{
    tracing.look_after *= 2;
    tracing.looks--;
    tracing_publish_account(run);
    limit_pause();
    link_flush();
    limit_resume();
}

bool bench_trace_drain(struct bench_run *run)
{
    if (!bench_trace_due()) {
        return true;
    }
    const uint64_t flags = interrupts_save();

    task_pause();
#if TARE_SMP
    baton_catch_up();
#endif
    recorder_stop();
#if TARE_SMP
    for_others(stop_other);
#endif
    const bool sent = send_part(run);

    if (tracing.recorder == RECORDER_OFF) {
        look(run);
    }
    const bool good = sent && begin_part(run, false);

    task_resume();
    interrupts_restore(flags);
    return good;
}

void tracing_rescue(struct bench_run *run)
{
    if (tracing.open) {
        bench_trace_end(run);
    }
    recorder_stop(); /* recorder may still run if a measurement of its costs was interrupted */
}

/* ---- CPU-time accounting ---- */

static void publish_account(const struct bench_run *run, const char *kind, size_t id,
                            struct trace_account_of account, const char *of)
{
    char name[FACT_NAME_MAX];

    if (account.ticks == 0 && account.entries == 0) {
        return;
    }
    snprintf(name, sizeof(name), FACT_ACCOUNT "%s%s_%zu", of, kind, id);
    bench_fact(run, name, UNIT_TICK, (int64_t)account.ticks);
    snprintf(name, sizeof(name), FACT_ENTRIES "%s%s_%zu", of, kind, id);
    bench_fact(run, name, UNIT_COUNT, (int64_t)account.entries);
}

/* `of` begins the names of a processor's accounts; that of processor 0 is "". */
static void publish_accounts(const struct bench_run *run, const char *of)
{
    static const enum trace_object_kind kinds[ACCOUNT_OFS] = {
        [ACCOUNT_OF_THREADS] = OBJECT_THREAD,
        [ACCOUNT_OF_VECTORS] = OBJECT_VECTOR,
        [ACCOUNT_OF_DPCS] = OBJECT_DPC,
    };

    for (unsigned kind = 0; kind < ACCOUNT_OFS; kind++) {
        for (size_t id = 0; id < trace_account_size(kind); id++) {
            publish_account(run, trace_object_kind_name(kinds[kind]), id,
                            trace_account_get(kind, id), of);
        }
    }
}

void tracing_publish_account(const struct bench_run *run)
{
    if (tracing.part == 0) {
        return;
    }
    send_objects(run);
    bench_fact(run, FACT_ACCOUNT_ELAPSED, UNIT_TICK, (int64_t)tracing.elapsed);
    bench_fact(run, FACT_CHARGING, UNIT_TICK,
               (int64_t)tracing.costs.record.charging - (int64_t)tracing.costs.record.record);
    publish_accounts(run, "");
#if TARE_SMP
    for (size_t i = 1; i < tracing.most; i++) {
        char of[FACT_NAME_MAX];

        snprintf(of, sizeof(of), "cpu%zu_", i);
        percpu_select(i);
        publish_accounts(run, of);
        percpu_select(0);
        snprintf(of, sizeof(of), FACT_ACCOUNT "cpu%zu_elapsed", i);
        bench_fact(run, of, UNIT_TICK, (int64_t)tracing.elapsed_of[i]);
    }
#endif
}

void bench_publish_trace_costs(const struct bench_run *run)
{
    const struct task_costs *costs = &tracing.costs;

    bench_fact(run, "trace_record", UNIT_TICK, costs->record.record);
    bench_fact(run, "trace_extended", UNIT_TICK, costs->record.extended);
    bench_fact(run, "isr_lead", UNIT_TICK, costs->isr_lead);
    bench_fact(run, "isr_trail", UNIT_TICK, costs->isr_trail);
    bench_fact(run, "dpc_trail", UNIT_TICK, costs->dpc_trail);
    bench_fact(run, "switch_trail", UNIT_TICK, costs->switch_trail);
}

uint64_t bench_trace_origin(void)
{
    return tracing.origin;
}

bool bench_publish_idle(struct bench_run *run, int64_t *rows, size_t samples)
{
    const struct bench_rows published = {rows, samples, ROWS_CONTIGUOUS};

    if (samples == 0) {
        return true;
    }
    bench_fact(run, FACT_IDLE_ORIGIN, UNIT_TICK, *bench_row(rows, 0) - (int64_t)tracing.origin);
    return bench_publish_rows(run, SERIES_IDLE, &published);
}
