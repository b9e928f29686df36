/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * libFuzzer: bytes as a trace, through the reader, accounting and all that is shown of it. Either
 * the bytes are its packets; or they are a script of events that the builder makes packets of, of
 * which some are then lost, overwritten or damaged. Whatever they hold, its accounts must add up.
 */
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "kernel/run/names.h"
#include "tools/base/trace_bytes.h"
#include "tools/present/view.h"
#include "tools/tests/support/fuzz_bytes.h"
#include "tools/tests/support/run_builder.h"
#include "tools/tests/support/trace_builder.h"
#include "tools/trace/account_check.h"
#include "tools/trace/accounting.h"
#include "tools/trace/delays.h"
#include "tools/trace/view_trace.h"

#define INTERVALS 200
#define DELAYS    3
#define PACKET    256

#define FACT_NAME_MAX 40

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void take_costs(struct bytes *bytes, struct run_trace *trace)
{
    trace->costs = (struct run_trace_costs){
        .record = (uint32_t)take_number(bytes),
        .lead = (uint32_t)take_number(bytes),
        .extended = (uint32_t)take_number(bytes),
        .isr_lead = (uint32_t)take_number(bytes),
        .isr_trail = (uint32_t)take_number(bytes),
        .dpc_trail = (uint32_t)take_number(bytes),
        .switch_trail = (uint32_t)take_number(bytes),
    };
}

/* ---- packets as they are ---- */

static void take_packets(struct bytes *bytes, struct run_bench *bench)
{
    struct run_trace *trace = run_add_trace(bench);

    trace->part = (uint32_t)bench->trace_count;
    take_costs(bytes, trace);
    trace->begin = take_number(bytes);
    trace->end = take_number(bytes);
    trace->discarded = take_number(bytes);
    trace->overwritten = take_number(bytes);
    trace->claimed = take_number(bytes);
    trace->packet_bytes = (uint32_t)take_number(bytes);
    trace->packets = trace_bytes_memory(bytes->at, bytes->left);
    bytes->left = 0;
}

/* ---- events ---- */

static uint64_t take_step(struct trace_builder *builder, struct bytes *bytes)
{
    const uint64_t step = take_number(bytes);

    return step < UINT64_MAX - builder->stamp ? builder->stamp + step : UINT64_MAX;
}

static void take_operation(struct trace_builder *builder, struct bytes *bytes, uint8_t operation)
{
    switch (operation) {
    case 0:
    case 1: {
        const uint64_t end = take_step(builder, bytes);

        trace_builder_turn(builder, end, end, take(bytes));
        break;
    }
    case 2:
        trace_builder_lose(builder);
        break;
    case 3:
        trace_builder_discard(builder, take(bytes));
        break;
    default:
        trace_builder_overwrite(builder);
        break;
    }
}

static void take_event(struct trace_builder *builder, struct bytes *bytes, uint32_t id)
{
    uint64_t fields[TRACE_FIELDS_MAX] = {0};
    const struct trace_class *class = trace_class_of(id);
    const uint64_t tsc = take_step(builder, bytes);

    for (size_t i = 0; i < class->field_count; i++) {
        fields[i] = take_number(bytes);
    }
    trace_builder_add(builder, tsc, id, fields, false);
}

/* A byte of a packet becomes another. */
static void damage(struct trace_builder *builder, struct bytes *bytes)
{
    const uint64_t at = take_number(bytes);

    if (at < builder->length) {
        builder->bytes[at] = take(bytes);
    }
}

/* `together`: all are of one part, each of another processor. */
static void take_part(struct bytes *bytes, struct run_bench *bench, bool together)
{
    struct trace_builder builder;
    uint8_t code;

    trace_builder_init(
        &builder, together && bench->trace_count > 0 ? bench->traces[0].begin : take_number(bytes),
        PACKET);
    builder.cpu = together ? (uint32_t)bench->trace_count : 0;
    builder.part = together;
    while (bytes->left > 0 && (code = take(bytes)) != 0xff) {
        if (code % 32 < 24) {
            take_event(&builder, bytes, code % 32);
        } else if (code >= 128 && code % 32 == 30) {
            take_event(&builder, bytes, TRACE_ID_thread_migrate + code / 32 % 4);
        } else if (code % 32 == 29 || code % 32 == 30) {
            take_event(&builder, bytes,
                       code % 32 == 29 ? TRACE_ID_block_issue : TRACE_ID_block_complete);
        } else if (code % 32 == 31) {
            damage(&builder, bytes);
        } else {
            take_operation(&builder, bytes, code % 8);
        }
    }
    const uint64_t end = take_step(&builder, bytes);

    take_costs(bytes, trace_builder_finish(&builder, end, bench));
}

static void take_idle(struct bytes *bytes, struct run_bench *bench)
{
    int64_t samples[8];
    const size_t n = take(bytes) % 8;

    for (size_t i = 0; i < n; i++) {
        samples[i] = (int64_t)take_number(bytes);
    }
    build_series(bench, "idle", NULL, NULL, samples, n);
    build_fact(bench, "idle_origin", (int64_t)take_number(bytes));
    build_fact(bench, "iteration_millitick", (int64_t)take_number(bytes));
    build_fact(bench, "sample_ticks", (int64_t)take_number(bytes));
}

/* ---- what must hold ---- */

static void check(bool condition)
{
    if (!condition) {
        abort();
    }
}

/* Each request is in one sum of its disk, and ends after it began. */
static void check_disks(const struct disk_requests *requests)
{
    uint64_t issued = 0;

    for (size_t i = 0; i < requests->disk_count; i++) {
        const struct disk_account *disk = &requests->disks[i];

        check(disk->time.n == disk->good + disk->failed);
        check(disk->issued == disk->time.n + disk->outstanding + disk->lost);
        check(disk->busy <= disk->known);
        issued += disk->issued;
    }
    check(issued == requests->request_count);
    for (size_t i = 0; i < requests->request_count; i++) {
        check(requests->requests[i].from <= requests->requests[i].to);
        check(requests->requests[i].disk < requests->disk_count);
    }
}

static void check_consistency(const struct run_bench *bench)
{
    struct account_observer observers[DELAYS + 1];
    struct disk_requests requests = {0};
    struct delays delays[DELAYS];
    struct accounting accounting;

    for (uint32_t i = 0; i < DELAYS; i++) {
        delays_init(&delays[i], i, 2);
        observers[i] = delays_observer(&delays[i]);
    }
    observers[DELAYS] = disk_requests_observer(&requests);
    check(accounting_read(&accounting, bench, observers, DELAYS + 1));
    disk_requests_end(&requests, &accounting);
    check_disks(&requests);
    disk_requests_free(&requests);
    check(accounting_sum(&accounting) == accounting.total);
    for (size_t i = 0; i < accounting.thread_count; i++) {
        const struct account_thread *thread = accounting.threads[i];

        check(thread->running + thread->interrupted + thread->fault + account_ready_ticks(thread) +
                  account_waiting_ticks(thread) + thread->unknown ==
              thread->life);
    }
    for (size_t i = 0; i < DELAYS; i++) {
        for (size_t k = 0; k < delays[i].count; k++) {
            const struct delay *delay = &delays[i].slowest[k];
            uint64_t sum = 0;

            for (size_t l = 0; l < delay->link_count; l++) {
                sum += delay->links[l].ticks;
            }
            check(sum == delay->to - delay->from);
        }
        delays_free(&delays[i]);
    }
    accounting_free(&accounting);
}

/* Intervals so long that there are few of them. */
static double interval_ms(const struct run_bench *bench)
{
    double longest = 1;

    for (size_t i = 0; i < bench->trace_count; i++) {
        const double length = (double)bench->traces[i].end - (double)bench->traces[i].begin;

        longest = length > longest ? length : longest;
    }
    return longest / INTERVALS / 1e6 + 1e-6;
}

/* Facts of an account, whose names end as the bytes will. */
static void take_account(struct bytes *bytes, struct run *run, struct run_bench *bench)
{
    static const char *const prefixes[] = {FACT_ACCOUNT,           FACT_ENTRIES,
                                           FACT_ACCOUNT "thread_", FACT_ENTRIES "vector_",
                                           FACT_ACCOUNT "dpc_",    FACT_CHARGING};
    char name[FACT_NAME_MAX];

    build_fact(bench, FACT_ACCOUNT_ELAPSED, (int64_t)((uint64_t)take(bytes) << take(bytes) % 57));
    for (uint8_t left = take(bytes) % 8; left > 0; left--) {
        const uint8_t prefix = take(bytes) % (sizeof(prefixes) / sizeof(prefixes[0]));
        const char end[] = {(char)take(bytes), (char)('0' + take(bytes) % 10), '\0'};

        snprintf(name, sizeof(name), "%s%s", prefixes[prefix], end);
        build_fact(bench, run_text(run, name),
                   (int64_t)((uint64_t)take(bytes) << take(bytes) % 57));
    }
}

/* A bench that is judged is OK, or has a reason. */
static void check_account(struct run *run, const struct run_bench *bench)
{
    account_judge(run);
    check((strcmp(bench->state, STATE_OK) == 0) == (bench->reason == NULL));
}

static void show(const struct run *run, const struct run_bench *bench)
{
    static FILE *nowhere;
    const struct trace_wish wish = {
        .consistency = true,
        .threads = true,
        .irqs = true,
        .disks = true,
        .interval_ms = interval_ms(bench),
        .thread = "2",
        .slowest = 3,
    };
    struct view view;
    struct json json;

    nowhere = nowhere != NULL ? nowhere : fopen("/dev/null", "w");
    view_init(&view, nowhere, run);
    view_trace(&view, bench, &wish);
    json_start(&json, nowhere);
    json_object(&json, NULL);
    accounting_json(&json, run, bench);
    json_close(&json);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct bytes bytes = {data, size};
    struct run run;

    run_init(&run);
    run.verdict = (struct run_verdict){.present = true, .ok = true, .hz = 1000000000};
    struct run_bench *bench = build_bench(&run, "b", 1);
    const uint8_t kind = take(&bytes);

    if (kind % 4 == 0) {
        take_idle(&bytes, bench);
    }
    if (kind % 8 == 1) {
        take_packets(&bytes, bench);
    }
    bench->state = STATE_OK;
    if (kind % 8 >= 6) {
        take_account(&bytes, &run, bench);
    }
    while (bytes.left > 0 && bench->trace_count < 3) {
        take_part(&bytes, bench, kind % 8 != 1 && kind >= 128);
    }
    check_consistency(bench);
    check_account(&run, bench);
    show(&run, bench);
    run_free(&run);
    return 0;
}
