/* SPDX-License-Identifier: BSD-2-Clause */
/* Traces and series that are cut to a window. */
#include "tools/trace/trace_cut.h"

#include "kernel/run/names.h"
#include "kernel/trace/trace.h"
#include "tools/tests/support/run_builder.h"
#include "tools/tests/support/trace_builder.h"
#include "tools/tests/support/unit.h"
#include "tools/trace/accounting.h"

#define BEGIN  1000
#define END    9000
#define PACKET 8192

/* Thread 1 runs and calls, is preempted in its call by 2 behind an interrupt, and goes on. */
static void make_trace(struct run_bench *bench, uint64_t begin)
{
    struct trace_builder builder;

    trace_builder_init(&builder, begin, PACKET);
    TRACE_ADD(&builder, begin, thread_is, 1, 0, 5, THREAD_RUNNING, WAIT_NONE);
    TRACE_ADD(&builder, begin, thread_is, 2, 3, 9, THREAD_WAITING, WAIT_SLEEP);
    TRACE_ADD(&builder, begin + 1000, syscall_entry, 7);
    TRACE_ADD(&builder, begin + 2000, isr_entry, 64);
    TRACE_ADD(&builder, begin + 2500, thread_ready, 2, TRACE_BY(TRACE_BY_VECTOR, 64));
    TRACE_ADD(&builder, begin + 3000, isr_exit, 64);
    TRACE_ADD(&builder, begin + 3100, thread_switch, 1, 2, TRACE_WHY(WAIT_PREEMPTED, THREAD_READY));
    TRACE_ADD(&builder, begin + 5000, thread_switch, 2, 1, TRACE_WHY(WAIT_SLEEP, THREAD_WAITING));
    TRACE_ADD(&builder, begin + 6000, syscall_exit, 7);
    trace_builder_finish(&builder, begin + END - BEGIN, bench);
}

static struct run_bench *make_run(struct run *run)
{
    run_init(run);
    struct run_bench *bench = build_bench(run, "b", 1);

    make_trace(bench, BEGIN);
    return bench;
}

/* What one event must be. */
struct wanted {
    uint64_t tsc;
    uint32_t id;
    uint64_t field[2];
};

static void check_events(const struct run_trace *trace, const struct wanted *wanted, size_t count)
{
    struct trace_reader *reader = trace_reader_open(trace, 1);
    struct trace_event event;
    struct trace_gap gap;

    for (size_t i = 0; i < count; i++) {
        CHECK_EQUAL(trace_reader_next(reader, &event, &gap), TRACE_EVENT);
        CHECK_EQUAL(event.tsc, wanted[i].tsc);
        CHECK_EQUAL(event.id, wanted[i].id);
        CHECK_EQUAL(event.field[0], wanted[i].field[0]);
        CHECK_EQUAL(event.field[1], wanted[i].field[1]);
    }
    CHECK_EQUAL(trace_reader_next(reader, &event, &gap), TRACE_END);
    trace_reader_close(reader);
}

/* In the handler: thread 1 is in its call, below it; 2 was made ready in the window alone. */
static void test_in_handler(void)
{
    static const struct wanted wanted[] = {
        {BEGIN + 2200, TRACE_ID_thread_is, {1, 0}},
        {BEGIN + 2200, TRACE_ID_thread_is, {2, 3}},
        {BEGIN + 2200, TRACE_ID_syscall_entry, {7}},
        {BEGIN + 2200, TRACE_ID_isr_entry, {64}},
        {BEGIN + 2500, TRACE_ID_thread_ready, {2, TRACE_BY(TRACE_BY_VECTOR, 64)}},
        {BEGIN + 3000, TRACE_ID_isr_exit, {64}},
        {BEGIN + 3100, TRACE_ID_thread_switch, {1, 2}},
    };
    struct run run;
    const struct run_bench *bench = make_run(&run);

    CHECK(run_cut(&run, 2200, 4000, "words"));
    CHECK_TEXT(run.window, "words");
    CHECK_EQUAL(bench->traces[0].begin, BEGIN + 2200);
    CHECK_EQUAL(bench->traces[0].end, BEGIN + 4000);
    check_events(&bench->traces[0], wanted, sizeof(wanted) / sizeof(wanted[0]));
    run_free(&run);
}

/* The call of a thread that does not run is stated where it does. */
static void test_call_of_other(void)
{
    static const struct wanted wanted[] = {
        {BEGIN + 4000, TRACE_ID_thread_is, {2, 3}},     {BEGIN + 4000, TRACE_ID_thread_is, {1, 0}},
        {BEGIN + 5000, TRACE_ID_thread_switch, {2, 1}}, {BEGIN + 5000, TRACE_ID_syscall_entry, {7}},
        {BEGIN + 6000, TRACE_ID_syscall_exit, {7}},
    };
    struct run run;
    const struct run_bench *bench = make_run(&run);

    CHECK(run_cut(&run, 4000, UINT64_MAX, "words"));
    check_events(&bench->traces[0], wanted, sizeof(wanted) / sizeof(wanted[0]));
    run_free(&run);
}

static uint64_t running(const struct run_bench *bench, uint32_t id, uint64_t *elapsed)
{
    struct accounting accounting;

    CHECK(accounting_read(&accounting, bench, NULL, 0));
    CHECK_EQUAL(accounting_conflicts(&accounting), 0);
    const struct account_thread *thread = accounting_thread(&accounting, id);
    const uint64_t ticks = thread != NULL ? thread->running : 0;

    *elapsed += accounting.elapsed;
    accounting_free(&accounting);
    return ticks;
}

/* Of windows that follow each other the accounts sum to those of the whole, wherever they meet, but
 * where a handler has ended and the switch that shows it to be dispatch comes in the next one. */
static void test_sum(void)
{
    struct run run;
    uint64_t whole_elapsed = 0;
    const uint64_t whole = running(make_run(&run), 1, &whole_elapsed);

    run_free(&run);
    for (uint64_t cut = 150; cut < END - BEGIN; cut += 200) {
        uint64_t elapsed = 0;
        uint64_t sum = 0;

        for (int half = 0; half < 2; half++) {
            const struct run_bench *bench = make_run(&run);

            CHECK(run_cut(&run, half == 0 ? 0 : cut, half == 0 ? cut : UINT64_MAX, "words"));
            sum += running(bench, 1, &elapsed);
            run_free(&run);
        }
        CHECK_EQUAL(sum, whole);
        CHECK_EQUAL(elapsed, whole_elapsed);
    }
}

/* Time between parts does not count: the second begins where the first ends. */
static void test_parts(void)
{
    struct run run;
    struct run_bench *bench = make_run(&run);

    make_trace(bench, 50000);
    CHECK(run_cut(&run, END - BEGIN + 10, END - BEGIN + 20, "words"));
    CHECK_EQUAL(bench->trace_count, 1);
    CHECK_EQUAL(bench->traces[0].begin, 50010);
    CHECK_EQUAL(bench->traces[0].end, 50020);
    run_free(&run);
    bench = make_run(&run);
    CHECK(run_cut(&run, END - BEGIN, END, "words"));
    CHECK_EQUAL(bench->trace_count, 0);
    run_free(&run);
}

/* A window that begins within a gap: nothing is known until events show it, and the gap stays one.
 */
static void test_gap(void)
{
    struct trace_builder builder;
    struct trace_reader *reader;
    struct trace_event event;
    struct trace_gap gap;
    struct run run;

    run_init(&run);
    struct run_bench *bench = build_bench(&run, "b", 1);

    trace_builder_init(&builder, BEGIN, PACKET);
    TRACE_ADD(&builder, BEGIN, thread_is, 1, 0, 5, THREAD_RUNNING, WAIT_NONE);
    trace_builder_turn(&builder, BEGIN + 100, BEGIN + 100, 0);
    trace_builder_lose(&builder);
    trace_builder_turn(&builder, BEGIN + 2000, BEGIN + 2000, 0);
    TRACE_ADD(&builder, BEGIN + 2100, isr_exit, 64);
    trace_builder_finish(&builder, END, bench);
    CHECK(run_cut(&run, 500, UINT64_MAX, "words"));
    reader = trace_reader_open(&bench->traces[0], 1);
    CHECK_EQUAL(trace_reader_next(reader, &event, &gap), TRACE_GAP);
    CHECK_EQUAL(gap.from, BEGIN + 500);
    CHECK_EQUAL(gap.to, BEGIN + 2000);
    CHECK_EQUAL(gap.packets, 1);
    CHECK_EQUAL(trace_reader_next(reader, &event, &gap), TRACE_EVENT);
    CHECK_EQUAL(event.tsc, BEGIN + 2100);
    CHECK_EQUAL(trace_reader_next(reader, &event, &gap), TRACE_END);
    trace_reader_close(reader);
    run_free(&run);
}

static void test_series(void)
{
    static const int64_t idle[] = {100, 100, 100, 100};
    static const int64_t intended[] = {50, 150, 250};
    static const int64_t sent[] = {7, 8, 9};
    static const int64_t other[] = {1, 2, 3};
    struct run run;
    struct run_bench *bench = make_run(&run);

    build_series(bench, SERIES_IDLE, NULL, NULL, idle, 4);
    build_series(bench, SERIES_INTENDED, NULL, NULL, intended, 3);
    build_series(bench, SERIES_SENT, NULL, NULL, sent, 3);
    build_series(bench, "other", NULL, NULL, other, 3);
    build_fact(bench, FACT_IDLE_ORIGIN, 30);
    CHECK(run_cut(&run, 120, 250, "words"));
    CHECK_EQUAL(bench->series[0].n, 1); /* that from 130 to 230 */
    CHECK_EQUAL(run_fact_or(bench, FACT_IDLE_ORIGIN, -1), 10);
    CHECK_EQUAL(bench->series[1].n, 1);
    CHECK_EQUAL(bench->series[1].samples[0], 30);
    CHECK_EQUAL(bench->series[2].n, 1);
    CHECK_EQUAL(bench->series[2].samples[0], 8);
    CHECK_EQUAL(bench->series[3].n, 3);
    run_free(&run);
}

static int forgotten;

static void forget(struct run_reading *reading)
{
    (void)reading;
    forgotten++;
}

/* What was read of the whole run is not what a window of it has. */
static void test_forgets(void)
{
    struct run_reading reading = {.free = forget};
    struct run run;
    struct run_bench *bench = make_run(&run);

    bench->readings = &reading;
    CHECK(run_cut(&run, 2200, 4000, "words"));
    CHECK_EQUAL(forgotten, 1);
    run_free(&run);
    CHECK_EQUAL(forgotten, 1);
}

int main(void)
{
    RUN(test_in_handler());
    RUN(test_call_of_other());
    RUN(test_sum());
    RUN(test_parts());
    RUN(test_gap());
    RUN(test_series());
    RUN(test_forgets());
    return unit_finish("unit_trace_cut");
}
