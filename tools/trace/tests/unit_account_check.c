/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Tests of account_check.h: the image's recorder plays threads and handlers at random; what it
 * keeps in memory and what the accounts of its trace say must agree to the tick. Each kind of
 * damage is seen.
 */
#include "tools/trace/account_check.h"

#include <stdlib.h>

#include "kernel/run/names.h"
#include "kernel/trace/account.h"
#include "kernel/trace/names.h"
#include "kernel/trace/recorder.h"
#include "kernel/trace/trace.h"
#include "tools/base/trace_bytes.h"
#include "tools/tests/support/run_builder.h"
#include "tools/tests/support/unit.h"

#define PACKETS 256
#define THREADS 6
#define NAME    40

static _Alignas(4096) uint8_t memory[PACKETS * TRACE_PACKET_BYTES];

struct bed {
    struct run run;
    struct run_bench *bench;
    uint64_t random;
    uint16_t running;
};

static unsigned pick(struct bed *bed, unsigned below)
{
    return (unsigned)(unit_random(&bed->random) % below);
}

/* Vectors of a higher class nest. */
static void interrupt(struct bed *bed, uint8_t vector)
{
    trace_isr_entry(vector);
    while (vector < 0xe0 && pick(bed, 3) == 0) {
        interrupt(bed, (uint8_t)(vector + 0x20));
    }
    trace_isr_exit(vector);
}

static void step(struct bed *bed)
{
    const unsigned what = pick(bed, 4);

    if (what == 0) {
        const uint16_t next = (uint16_t)((bed->running + 1 + pick(bed, THREADS - 1)) % THREADS);

        trace_thread_switch(bed->running, next, TRACE_WHY(WAIT_YIELD, THREAD_READY));
        bed->running = next;
    } else if (what == 1) {
        interrupt(bed, (uint8_t)(0x40 + pick(bed, 16)));
    } else if (what == 2) {
        const uint8_t dpc = (uint8_t)pick(bed, 3);

        trace_dpc_entry(dpc);
        if (pick(bed, 2) == 0) {
            interrupt(bed, 0x41);
        }
        trace_dpc_exit(dpc);
    } else {
        trace_mark(1, bed->random);
    }
}

static void add_account(struct bed *bed)
{
    static const char *const kinds[] = {OBJECT_NAME_THREAD, OBJECT_NAME_VECTOR, OBJECT_NAME_DPC};
    char name[NAME];

    for (unsigned of = 0; of < ACCOUNT_OFS; of++) {
        for (size_t id = 0; id < trace_account_size(of); id++) {
            const struct trace_account_of account = trace_account_get(of, id);

            if (account.ticks > 0) {
                snprintf(name, sizeof(name), FACT_ACCOUNT "%s_%zu", kinds[of], id);
                build_fact(bed->bench, run_text(&bed->run, name), (int64_t)account.ticks);
            }
        }
    }
}

/* `packets`: of the trace's memory; what is more is discarded. */
static void play(struct bed *bed, uint64_t seed, size_t packets, unsigned steps)
{
    struct recorder_result result;

    memset(bed, 0, sizeof(*bed));
    bed->random = seed;
    bed->running = TRACE_BENCH_THREAD;
    run_init(&bed->run);
    bed->bench = build_bench(&bed->run, "b", 1);
    bed->bench->state = STATE_OK;
    trace_account_reset(TRACE_BENCH_THREAD);
    recorder_start(memory, packets, RECORDER_STOP, 0);
    trace_thread_is(TRACE_BENCH_THREAD, 0, 31, THREAD_RUNNING, WAIT_NONE);
    for (unsigned i = 0; i < steps; i++) {
        step(bed);
    }
    recorder_stop();
    recorder_result(&result);
    struct run_trace *trace = run_add_trace(bed->bench);

    *trace = (struct run_trace){
        .part = 1,
        .mode = "stop",
        .begin = result.begin,
        .end = result.end,
        .packet_bytes = TRACE_PACKET_BYTES,
        .kept = result.kept,
        .discarded = result.discarded,
        .claimed = result.count * TRACE_PACKET_BYTES,
        .packets = trace_bytes_memory(memory, result.count * TRACE_PACKET_BYTES),
        .costs = {.record = 20, .lead = 5, .extended = 90, .isr_lead = 30, .isr_trail = 40},
    };
    build_fact(bed->bench, FACT_ACCOUNT_ELAPSED, (int64_t)(result.end - result.begin));
    build_fact(bed->bench, FACT_CHARGING, 7);
    add_account(bed);
}

static struct run_fact *fact_of(struct bed *bed, const char *name)
{
    for (size_t i = 0; i < bed->bench->fact_count; i++) {
        if (strcmp(bed->bench->facts[i].name, name) == 0) {
            return &bed->bench->facts[i];
        }
    }
    return NULL;
}

static bool judged_good(struct bed *bed)
{
    bed->bench->state = STATE_OK;
    bed->bench->reason = NULL;
    account_judge(&bed->run);
    CHECK((strcmp(bed->bench->state, STATE_OK) == 0) == (bed->bench->reason == NULL));
    return bed->bench->reason == NULL;
}

static void test_agrees(void)
{
    for (uint64_t seed = 1; seed <= 50; seed++) {
        struct accounting accounting;
        struct account_memory account;
        struct bed bed;

        play(&bed, seed, PACKETS, 500);
        CHECK(accounting_read(&accounting, bed.bench, NULL, 0));
        account_memory_read(&account, bed.bench, &accounting);
        CHECK(account.whole);
        CHECK_EQUAL(account.sum, account.elapsed);
        CHECK_EQUAL(account.differences, 0);
        CHECK(account.different == NULL);
        CHECK_EQUAL(accounting_sum(&accounting), account.sum);
        CHECK(judged_good(&bed));
        account_memory_free(&account);
        accounting_free(&accounting);
        run_free(&bed.run);
    }
}

/* What the trace lacks can only be more in the account. */
static void test_discarded(void)
{
    struct bed bed;

    play(&bed, 7, 2, 20000);
    CHECK(bed.bench->traces[0].discarded > 0);
    CHECK(judged_good(&bed));
    fact_of(&bed, "account_thread_1")->value -= 1;
    CHECK(!judged_good(&bed));
    run_free(&bed.run);
}

/* A switch that is in one of the two alone: its ticks are in the other thread's account. */
static void test_switch_that_is_missing(void)
{
    struct bed bed;

    play(&bed, 3, PACKETS, 500);
    fact_of(&bed, "account_thread_2")->value += 1;
    fact_of(&bed, "account_thread_3")->value -= 1;
    CHECK(!judged_good(&bed));
    CHECK_TEXT(bed.bench->reason, "the trace and the account without records differ: thread 2 by "
                                  "-1 ticks, 2 in all");
    CHECK_TEXT(bed.bench->state, STATE_FAIL);
    run_free(&bed.run);
}

/* An event that reaches the host as another, and that no count of losses misses. */
static void test_record_that_is_missing(void)
{
    struct bed bed;

    play(&bed, 5, PACKETS, 500);
    struct run_trace *trace = &bed.bench->traces[0];
    const struct trace_packet *packet = (const struct trace_packet *)memory;
    uint8_t *at = memory + sizeof(*packet);

    while ((*at & TRACE_ID_EXTENDED) != TRACE_ID_thread_switch) {
        at += TRACE_HEADER_COMPACT + recorder_field_bytes(*at & TRACE_ID_EXTENDED);
    }
    at += TRACE_HEADER_COMPACT;
    at[2] = at[2] == 2 ? 3 : 2; /* to another thread */
    trace_bytes_close(trace->packets);
    trace->packets = trace_bytes_memory(memory, trace->claimed);
    CHECK(!judged_good(&bed));
    run_free(&bed.run);
}

/* A switch that was made and not recorded: the next is from a thread that did not run. */
static void test_conflict(void)
{
    struct bed bed;

    play(&bed, 11, PACKETS, 100);
    recorder_start(memory, PACKETS, RECORDER_STOP, 0);
    trace_thread_switch(1, 2, TRACE_WHY(WAIT_YIELD, THREAD_READY));
    trace_thread_switch(3, 1, TRACE_WHY(WAIT_YIELD, THREAD_READY));
    recorder_stop();
    struct recorder_result result;
    struct run_trace *trace = &bed.bench->traces[0];

    recorder_result(&result);
    trace->begin = result.begin;
    trace->end = result.end;
    trace->kept = result.kept;
    trace->claimed = result.count * TRACE_PACKET_BYTES;
    trace_bytes_close(trace->packets);
    trace->packets = trace_bytes_memory(memory, trace->claimed);
    CHECK(!judged_good(&bed));
    CHECK_TEXT(bed.bench->reason, "events of the trace contradict each other");
    run_free(&bed.run);
}

static void test_sums(void)
{
    struct bed bed;

    play(&bed, 9, PACKETS, 100);
    fact_of(&bed, FACT_ACCOUNT_ELAPSED)->value += 5;
    CHECK(!judged_good(&bed));
    CHECK_TEXT(
        bed.bench->reason,
        "the account that is kept without trace records does not add up to the elapsed time: by -5 "
        "ticks");
    /* A bench of an older image, or that is not traced, has no account. */
    fact_of(&bed, FACT_ACCOUNT_ELAPSED)->name = "other";
    CHECK(judged_good(&bed));
    run_free(&bed.run);
}

int main(void)
{
    RUN(test_agrees());
    RUN(test_discarded());
    RUN(test_switch_that_is_missing());
    RUN(test_record_that_is_missing());
    RUN(test_conflict());
    RUN(test_sums());
    return unit_finish("unit_account_check");
}
