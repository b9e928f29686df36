/* SPDX-License-Identifier: BSD-2-Clause */
#include "kernel/run/tracing.h"

#include <stdio.h>
#include <string.h>

#include "kernel/clock/clock.h"
#include "kernel/cpu/cpu.h"
#include "kernel/link/link.h"
#include "kernel/mem/memory.h"
#include "kernel/plan/number.h"
#include "kernel/run/bench_run.h"
#include "kernel/run/limit.h"
#include "kernel/run/names.h"
#include "kernel/run/phase.h"
#include "kernel/run/sampling.h"
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
    task_forget();
}

/* ---- beginning ---- */

static bool measure_costs(struct bench_run *run)
{
    const char *why = "cannot allocate memory to measure the costs of tracing";

    if (!tracing.measured) {
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

static bool send_part(const struct bench_run *run)
{
    struct recorder_result result;
    const struct task_costs *costs = &tracing.costs;

    tracing.open = false;
    recorder_result(&result);
    tracing.elapsed += result.end - result.begin;
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
        .cpu = 0,
        .begin = result.begin,
        .end = result.end,
        .memory = tracing.memory,
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
    recorder_stop();
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
                            struct trace_account_of account)
{
    char name[FACT_NAME_MAX];

    if (account.ticks == 0 && account.entries == 0) {
        return;
    }
    snprintf(name, sizeof(name), FACT_ACCOUNT "%s_%zu", kind, id);
    bench_fact(run, name, UNIT_TICK, (int64_t)account.ticks);
    snprintf(name, sizeof(name), FACT_ENTRIES "%s_%zu", kind, id);
    bench_fact(run, name, UNIT_COUNT, (int64_t)account.entries);
}

void tracing_publish_account(const struct bench_run *run)
{
    static const enum trace_object_kind kinds[ACCOUNT_OFS] = {
        [ACCOUNT_OF_THREADS] = OBJECT_THREAD,
        [ACCOUNT_OF_VECTORS] = OBJECT_VECTOR,
        [ACCOUNT_OF_DPCS] = OBJECT_DPC,
    };

    if (tracing.part == 0) {
        return;
    }
    send_objects(run);
    bench_fact(run, FACT_ACCOUNT_ELAPSED, UNIT_TICK, (int64_t)tracing.elapsed);
    bench_fact(run, FACT_CHARGING, UNIT_TICK,
               (int64_t)tracing.costs.record.charging - (int64_t)tracing.costs.record.record);
    for (unsigned of = 0; of < ACCOUNT_OFS; of++) {
        for (size_t id = 0; id < trace_account_size(of); id++) {
            publish_account(run, trace_object_kind_name(kinds[of]), id, trace_account_get(of, id));
        }
    }
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
