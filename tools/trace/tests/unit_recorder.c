/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Tests of the recorder (kernel/trace/recorder.h) on the host: what it writes is read back by the
 * decoder's reader. Signals stand for interrupts that no flag keeps out, as NMIs are.
 */
#include "kernel/trace/recorder.h"

#include <signal.h>
#include <stdlib.h>
#include <sys/time.h>

#include "kernel/trace/account.h"
#include "kernel/trace/trace.h"
#include "tools/base/trace_bytes.h"
#include "tools/tests/support/unit.h"
#include "tools/trace/trace_reader.h"

#define PACKETS_MAX 4096

static _Alignas(4096) uint8_t memory[PACKETS_MAX * TRACE_PACKET_BYTES];
static size_t ring_packets;

static void start(size_t packets, enum recorder_mode mode)
{
    ring_packets = packets;
    memset(memory, 0xa5, packets * TRACE_PACKET_BYTES);
    recorder_start(memory, packets, mode, 3);
}

/* The trace as the line carries it: packets in their order. */
static struct run_trace finish(struct recorder_result *result)
{
    recorder_stop();
    recorder_result(result);
    uint8_t *bytes = malloc(result->count * TRACE_PACKET_BYTES);

    for (uint64_t i = 0; i < result->count; i++) {
        memcpy(bytes + i * TRACE_PACKET_BYTES,
               memory + (result->first + i) % ring_packets * TRACE_PACKET_BYTES,
               TRACE_PACKET_BYTES);
    }
    const struct run_trace trace = {
        .cpu = 3,
        .part = 1,
        .begin = result->begin,
        .end = result->end,
        .packet_bytes = TRACE_PACKET_BYTES,
        .kept = result->kept,
        .discarded = result->discarded,
        .overwritten = result->overwritten,
        .claimed = result->count * TRACE_PACKET_BYTES,
        .packets = trace_bytes_memory(bytes, result->count * TRACE_PACKET_BYTES),
    };

    free(bytes);
    return trace;
}

struct seen {
    uint64_t events;
    uint64_t lost;
    uint64_t backwards;
    uint64_t last_tsc;
    uint64_t last_value[2];   /* of marks, and blocks of disks, 0 and 1 */
    uint64_t out_of_order[2]; /* whose value is not above the one before it */
    uint64_t extended;
};

static void see_mark(struct seen *seen, uint64_t what, uint64_t value)
{
    seen->out_of_order[what] += value <= seen->last_value[what] ? 1 : 0;
    seen->last_value[what] = value;
}

static struct seen read_back(struct run_trace *trace)
{
    struct trace_reader *reader = trace_reader_open(trace, 1);
    struct trace_event event;
    struct trace_gap gap;
    struct seen seen = {0};
    enum trace_reader_status status;

    while ((status = trace_reader_next(reader, &event, &gap)) != TRACE_END &&
           status != TRACE_ERROR) {
        if (status == TRACE_GAP) {
            seen.lost += gap.discarded;
            continue;
        }
        seen.events++;
        seen.extended += event.extended ? 1 : 0;
        seen.backwards += event.tsc < seen.last_tsc ? 1 : 0;
        seen.last_tsc = event.tsc;
        if (event.id == TRACE_ID_mark) {
            see_mark(&seen, event.field[0] & 1, event.field[1]);
        } else if (event.id == TRACE_ID_block_issue) {
            see_mark(&seen, event.field[0] & 1, event.field[2]);
        }
    }
    CHECK_EQUAL(status, TRACE_END);
    trace_reader_close(reader);
    trace_bytes_close(trace->packets);
    return seen;
}

static void test_every_event_comes_back(void)
{
    struct recorder_result result;

    start(2, RECORDER_STOP);
    trace_thread_is(1, 2, 3, 4, 5);
    trace_thread_switch(0x1234, 0x78, 0x9a);
    trace_isr_entry(0x40);
    trace_timer_expire(0x0123456789abcdefull);
    trace_message_send(7, 8, 0xdeadbeef);
    trace_counters(4, 1, UINT64_MAX, 3, 0x8000000000000000ull);
    trace_block_issue(0x1234, 0x56789abc, 0x123456789abcdef0ull, 0xfedcba98, 0x7654);
    trace_block_complete(0x1234, 0x56789abc, 0xde, 0xf012);
    struct run_trace trace = finish(&result);
    struct trace_reader *reader = trace_reader_open(&trace, 1);
    struct trace_packet packet;
    struct trace_event e[8];
    struct trace_gap gap;

    CHECK_EQUAL(result.kept, 8);
    CHECK(trace.packets->read(trace.packets, 0, &packet, sizeof(packet)));
    CHECK_EQUAL(packet.cpu, 3);
    for (size_t i = 0; i < 8; i++) {
        CHECK_EQUAL(trace_reader_next(reader, &e[i], &gap), TRACE_EVENT);
    }
    CHECK_EQUAL(trace_reader_next(reader, &e[0], &gap) == TRACE_END, 1);
    CHECK_EQUAL(e[1].id, TRACE_ID_thread_switch);
    CHECK_EQUAL(e[1].field[0], 0x1234);
    CHECK_EQUAL(e[1].field[1], 0x78);
    CHECK_EQUAL(e[1].field[2], 0x9a);
    CHECK_EQUAL(e[2].field[0], 0x40);
    CHECK_EQUAL(e[3].field[0], 0x0123456789abcdefull);
    CHECK_EQUAL(e[4].field[2], 0xdeadbeef);
    CHECK_EQUAL(e[5].field[2], UINT64_MAX);
    CHECK_EQUAL(e[5].field[4], 0x8000000000000000ull);
    CHECK_EQUAL(e[6].id, TRACE_ID_block_issue);
    CHECK_EQUAL(e[6].field[0], 0x1234);
    CHECK_EQUAL(e[6].field[1], 0x56789abc);
    CHECK_EQUAL(e[6].field[2], 0x123456789abcdef0ull);
    CHECK_EQUAL(e[6].field[3], 0xfedcba98);
    CHECK_EQUAL(e[6].field[4], 0x7654);
    CHECK_EQUAL(e[7].id, TRACE_ID_block_complete);
    CHECK_EQUAL(e[7].field[2], 0xde);
    CHECK_EQUAL(e[7].field[3], 0xf012);
    CHECK(e[0].tsc >= result.begin && e[7].tsc <= result.end);
    trace_reader_close(reader);
    trace_bytes_close(trace.packets);
}

/* Marks, and now and then a record of an id above 31. */
static void record(uint64_t value)
{
    if (value % 5 == 0) {
        trace_block_issue(0, (uint32_t)value, value, 1, 1);
    } else {
        trace_mark(0, value);
    }
}

/* Produced = kept + discarded + overwritten, whatever the mode and however many. */
static void check_counts(size_t packets, enum recorder_mode mode, uint64_t produced)
{
    struct recorder_result result;

    start(packets, mode);
    for (uint64_t i = 1; i <= produced; i++) {
        record(i);
    }
    struct run_trace trace = finish(&result);
    const struct seen seen = read_back(&trace);

    CHECK_EQUAL(result.kept + result.discarded + result.overwritten, produced);
    CHECK_EQUAL(seen.events, result.kept);
    CHECK_EQUAL(seen.lost, result.discarded + result.overwritten);
    CHECK_EQUAL(seen.backwards, 0);
    CHECK_EQUAL(seen.out_of_order[0], 0);
    CHECK(mode == RECORDER_STOP ? result.overwritten == 0 : result.discarded == 0);
    if (mode == RECORDER_OVERWRITE && produced > 0) {
        CHECK_EQUAL(seen.last_value[0], produced); /* the newest are kept */
    }
}

static void test_counts(void)
{
    for (uint64_t produced = 0; produced < 2000; produced += 37) {
        check_counts(2, RECORDER_STOP, produced);
        check_counts(2, RECORDER_OVERWRITE, produced);
        check_counts(3, RECORDER_OVERWRITE, produced * 11);
    }
}

/* The upper bits of the TSC change every 2^27 ticks, some 50 ms: records on both sides of it. The
 * end is by changes, not by time: a host may take the processor for longer than one. */
static void test_extended_headers(void)
{
    struct recorder_result result;

    start(PACKETS_MAX, RECORDER_OVERWRITE);
    uint64_t upper = __builtin_ia32_rdtsc() >> TRACE_STAMP_BITS;
    uint64_t changes = 0;
    uint64_t value = 0;

    while (changes < 3) {
        trace_mark(0, ++value);
        const uint64_t now = __builtin_ia32_rdtsc() >> TRACE_STAMP_BITS;

        changes += now != upper;
        upper = now;
        for (volatile int i = 0; i < 20000; i++) {
        }
    }
    struct run_trace trace = finish(&result);
    const struct seen seen = read_back(&trace);

    CHECK_EQUAL(seen.events, value);
    CHECK_EQUAL(seen.backwards, 0);
    /* A change at the begin of a packet needs none; one behind the last record has none. */
    CHECK(seen.extended >= 2 && seen.extended <= 3);
}

static volatile uint64_t handled;

static void handler(int signal)
{
    (void)signal;
    for (int i = 0; i < 3; i++) {
        trace_mark(1, ++handled); /* NOLINT(bugprone-signal-handler) */
    }
    handled++;
    trace_block_issue(1, 0, handled, 1, 1); /* NOLINT(bugprone-signal-handler) */
}

/* Signals arrive anywhere in the recorder, its long way included. No record may be torn, none out
 * of order, and each is kept or counted. */
static void check_signals(size_t packets, enum recorder_mode mode)
{
    const struct itimerval often = {{0, 50}, {0, 50}};
    const struct itimerval never = {{0, 0}, {0, 0}};
    struct recorder_result result;
    uint64_t value = 0;
    const uint64_t begin = __builtin_ia32_rdtsc();

    handled = 0;
    /* It may be called from anywhere: that is what is tested. */
    signal(SIGALRM, handler); /* NOLINT(bugprone-signal-handler) */
    start(packets, mode);
    setitimer(ITIMER_REAL, &often, NULL);
    while (__builtin_ia32_rdtsc() - begin < 1ull << 29) {
        record(++value);
    }
    setitimer(ITIMER_REAL, &never, NULL);
    struct run_trace trace = finish(&result);
    const struct seen seen = read_back(&trace);

    CHECK(handled > 100);
    CHECK_EQUAL(result.kept + result.discarded + result.overwritten, value + handled);
    CHECK_EQUAL(seen.events, result.kept);
    CHECK_EQUAL(seen.backwards, 0);
    CHECK_EQUAL(seen.out_of_order[0], 0);
    CHECK_EQUAL(seen.out_of_order[1], 0);
}

static unsigned fillings;

static void count_filling(void)
{
    fillings++;
}

static uint64_t account_sum(void)
{
    uint64_t sum = 0;

    for (unsigned of = 0; of < ACCOUNT_OFS; of++) {
        for (size_t id = 0; id < trace_account_size(of); id++) {
            sum += trace_account_get(of, id).ticks;
        }
    }
    return sum & ((1ull << 59) - 1);
}

/* Thread 1 runs; in thread 2 a vector, in that another, then a DPC. */
static void play_handlers(void)
{
    trace_thread_switch(1, 2, 0x43);
    trace_isr_entry(0x40);
    trace_isr_entry(0x51);
    trace_isr_exit(0x51);
    trace_isr_exit(0x40);
    trace_dpc_entry(3);
    trace_dpc_exit(3);
    trace_thread_switch(2, 1, 0x21);
}

static void check_entries(uint64_t rounds)
{
    CHECK_EQUAL(trace_account_get(ACCOUNT_OF_THREADS, 1).entries, rounds);
    CHECK_EQUAL(trace_account_get(ACCOUNT_OF_THREADS, 2).entries, rounds);
    CHECK_EQUAL(trace_account_get(ACCOUNT_OF_VECTORS, 0x40).entries, rounds);
    CHECK_EQUAL(trace_account_get(ACCOUNT_OF_VECTORS, 0x51).entries, rounds);
    CHECK_EQUAL(trace_account_get(ACCOUNT_OF_DPCS, 3).entries, rounds);
    CHECK_EQUAL(trace_account_get(ACCOUNT_OF_DPCS, 4).entries, 0);
    CHECK(trace_account_get(ACCOUNT_OF_VECTORS, 0x51).ticks > 0);
    CHECK_EQUAL(trace_account_why(1), 0x43);
    CHECK_EQUAL(trace_account_why(2), 0x21);
}

/* The account is whole, and as exact, whether records are kept, find no room or are not wanted. */
static void check_account(enum recorder_mode mode, uint64_t rounds, bool filled)
{
    struct recorder_result result;

    fillings = 0;
    recorder_on_filled(count_filling);
    trace_account_reset(1);
    start(2, mode);
    for (uint64_t i = 0; i < rounds; i++) {
        play_handlers();
        trace_mark(0, i);
    }
    recorder_stop();
    recorder_result(&result);
    recorder_on_filled(NULL);
    CHECK_EQUAL(account_sum(), result.end - result.begin);
    check_entries(rounds);
    CHECK_EQUAL(fillings, filled ? 1 : 0);
    CHECK((result.filled != 0) == filled);
    if (mode == RECORDER_STOP) {
        CHECK_EQUAL(result.kept + result.discarded, 9 * rounds);
    } else {
        CHECK_EQUAL(result.count + result.kept + result.discarded, 0);
    }
}

static void test_account(void)
{
    check_account(RECORDER_STOP, 10, false);
    check_account(RECORDER_STOP, 2000, true);
    check_account(RECORDER_OFF, 2000, false);
}

static void test_costs(void)
{
    struct recorder_costs costs;

    recorder_measure(memory, &costs);
    CHECK(costs.record != UINT32_MAX && costs.record > 0);
    CHECK(costs.lead <= costs.record);
    CHECK(costs.extended != UINT32_MAX);
    CHECK(costs.charging != UINT32_MAX && costs.charging > 0);
    CHECK(!recorder_running());
    trace_mark(0, 0); /* outside a trace: nothing happens */
}

static void test_field_bytes(void)
{
    for (uint32_t id = 0; id < 2 * TRACE_ID_LIMIT; id++) {
        const struct trace_class *class = trace_class_of(id);

        CHECK_EQUAL(recorder_field_bytes(id), class != NULL ? class->bytes : SIZE_MAX);
    }
}

int main(void)
{
    RUN(test_field_bytes());
    RUN(test_every_event_comes_back());
    RUN(test_counts());
    RUN(test_extended_headers());
    RUN(check_signals(PACKETS_MAX, RECORDER_STOP));
    RUN(check_signals(2, RECORDER_OVERWRITE));
    RUN(check_signals(16, RECORDER_OVERWRITE));
    RUN(test_account());
    RUN(test_costs());
    return unit_finish("unit_recorder");
}
