/* SPDX-License-Identifier: BSD-2-Clause */
/* How often a command reads the traces of a bench: once, whatever it shows of them. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "bench/interactive/host/measure/input.h"
#include "bench/interactive/host/view_input.h"
#include "kernel/input/event.h"
#include "tools/finding/run_findings.h"
#include "tools/show/run_json.h"
#include "tools/show/run_page.h"
#include "tools/show/view_run.h"
#include "tools/tests/support/run_builder.h"
#include "tools/tests/support/trace_builder.h"
#include "tools/tests/support/unit.h"
#include "tools/trace/shared_walk.h"
#include "tools/trace/view_trace.h"

#define PACKET 512
#define BEGIN  1000
#define KEYS   200
#define APP    2
#define QUEUE  1
#define VECTOR 0x51
#define DISK   1
#define KEY_A  0x1e

/* ---- a trace that counts what is read of it ---- */

struct counted {
    struct trace_bytes bytes;
    struct trace_bytes *inner;
    uint64_t read;
};

static bool counted_read(struct trace_bytes *bytes, uint64_t offset, void *to, size_t size)
{
    struct counted *counted = (struct counted *)bytes;

    counted->read += size;
    return counted->inner->read(counted->inner, offset, to, size);
}

static void counted_close(struct trace_bytes *bytes)
{
    trace_bytes_close(((struct counted *)bytes)->inner);
    free(bytes);
}

static struct counted *count_reads(struct run_trace *trace)
{
    struct counted *counted = calloc(1, sizeof(*counted));

    counted->bytes = (struct trace_bytes){
        .length = trace->packets->length, .read = counted_read, .close = counted_close};
    counted->inner = trace->packets;
    trace->packets = &counted->bytes;
    return counted;
}

/* ---- a bench with keys, a disk, the idle loop and stamps ---- */

struct bed {
    struct run run;
    struct run_bench *bench;
    struct counted *trace;
    struct counted *other; /* of a bench without input */
    FILE *out;
    char *text;
    size_t length;
};

static void add_key(struct trace_builder *trace, unsigned key)
{
    const uint64_t at = BEGIN + 1000 + 1000 * key;

    TRACE_ADD(trace, at, isr_entry, VECTOR);
    TRACE_ADD(trace, at + 20, input, key + 1, INPUT_KEY_DOWN, KEY_A, at + 5);
    TRACE_ADD(trace, at + 30, queue_post, QUEUE, INPUT_KEY_DOWN, key + 1, 1);
    TRACE_ADD(trace, at + 40, isr_exit, VECTOR);
    TRACE_ADD(trace, at + 50, thread_switch, 0, APP, TRACE_WHY(WAIT_PREEMPTED, THREAD_READY));
    TRACE_ADD(trace, at + 60, queue_take, QUEUE, INPUT_KEY_DOWN, key + 1, 0);
    TRACE_ADD(trace, at + 70, block_issue, DISK, key, key, 8, 1);
    TRACE_ADD(trace, at + 200, block_complete, DISK, key, 0, 0);
    TRACE_ADD(trace, at + 260, input_done, QUEUE, key + 1);
    TRACE_ADD(trace, at + 270, queue_call, QUEUE, QUEUE_CALL_GET, 0);
    TRACE_ADD(trace, at + 280, thread_switch, APP, 0, TRACE_WHY(WAIT_QUEUE, THREAD_WAITING));
}

static void add_series(struct run_bench *bench)
{
    int64_t intended[KEYS], sent[KEYS], numbers[KEYS], from[KEYS], to[KEYS], idle[KEYS];

    for (unsigned i = 0; i < KEYS; i++) {
        intended[i] = 990 + 1000 * (int64_t)i;
        sent[i] = INPUT_KEY_DOWN << 16 | KEY_A;
        numbers[i] = i + 1;
        from[i] = intended[i] + 75;
        to[i] = intended[i] + 270;
        idle[i] = 1000;
    }
    build_series(bench, "intended", NULL, NULL, intended, KEYS);
    build_series(bench, "sent", NULL, NULL, sent, KEYS);
    build_series(bench, "stamp_number", NULL, NULL, numbers, KEYS);
    build_series(bench, "stamp_from", NULL, NULL, from, KEYS);
    build_series(bench, "stamp_to", NULL, NULL, to, KEYS);
    build_series(bench, "idle", NULL, NULL, idle, KEYS);
    build_fact(bench, "idle_origin", 0);
    build_fact(bench, "iteration_millitick", 1000);
}

static struct counted *add_other(struct run *run)
{
    struct run_bench *bench = build_bench(run, "work", 1);
    struct trace_builder trace;

    trace_builder_init(&trace, BEGIN, PACKET);
    TRACE_ADD(&trace, BEGIN, thread_is, 0, 0, 0, THREAD_RUNNING, WAIT_NONE);
    TRACE_ADD(&trace, BEGIN, thread_is, APP, 0, 10, THREAD_WAITING, WAIT_SLEEP);
    for (unsigned i = 0; i < 5 * KEYS; i++) {
        TRACE_ADD(&trace, BEGIN + 100 * i + 50, thread_switch, 0, APP,
                  TRACE_WHY(WAIT_PREEMPTED, THREAD_READY));
        TRACE_ADD(&trace, BEGIN + 100 * i + 90, thread_switch, APP, 0,
                  TRACE_WHY(WAIT_SLEEP, THREAD_WAITING));
    }
    return count_reads(trace_builder_finish(&trace, BEGIN + 1000 * KEYS, bench));
}

static void bed_open(struct bed *bed)
{
    struct trace_builder trace;

    memset(bed, 0, sizeof(*bed));
    run_init(&bed->run);
    bed->run.verdict = (struct run_verdict){.present = true, .ok = true, .hz = 1000000000};
    bed->run.ended = true;
    build_bench(&bed->run, "echo", 1);
    bed->other = add_other(&bed->run);
    bed->bench = &bed->run.benches[0];
    bed->bench->group = "interactive";
    trace_builder_init(&trace, BEGIN, PACKET);
    TRACE_ADD(&trace, BEGIN, thread_is, 0, 0, 0, THREAD_RUNNING, WAIT_NONE);
    TRACE_ADD(&trace, BEGIN, thread_is, APP, 0, 10, THREAD_WAITING, WAIT_QUEUE);
    for (unsigned key = 0; key < KEYS; key++) {
        add_key(&trace, key);
    }
    bed->trace = count_reads(trace_builder_finish(&trace, BEGIN + 1000 * (KEYS + 2), bed->bench));
    trace_builder_name(bed->bench, "thread", APP, "application");
    trace_builder_name(bed->bench, "queue", QUEUE, "keys");
    trace_builder_name(bed->bench, "device", DISK, "disk");
    add_series(bed->bench);
    bed->out = open_memstream(&bed->text, &bed->length);
}

/* Returns how many times a trace was read. A walk reads a packet twice, to learn which thread runs
 * first. */
static uint64_t passes_of(const struct counted *trace)
{
    const uint64_t passes = trace->read / trace->bytes.length;

    CHECK(trace->bytes.length > 40 * PACKET);
    CHECK(trace->read <= passes * (trace->bytes.length + 2 * PACKET));
    return passes;
}

static void bed_close(struct bed *bed, uint64_t passes, uint64_t other)
{
    CHECK_EQUAL(passes_of(bed->trace), passes);
    CHECK_EQUAL(passes_of(bed->other), other);
    fclose(bed->out);
    free(bed->text);
    run_free(&bed->run);
}

/* ---- commands ---- */

static void test_show(void)
{
    struct run_texts reasons = {0};
    struct view view;
    struct bed bed;

    bed_open(&bed);
    view_init(&view, bed.out, &bed.run);
    view_digest(&view, &reasons, "run.db", false);
    fflush(bed.out);
    CHECK(strstr(bed.text, "response.printable") != NULL);
    bed_close(&bed, 1, 1);

    bed_open(&bed);
    view_init(&view, bed.out, &bed.run);
    view_run(&view, &reasons);
    fflush(bed.out);
    CHECK(strstr(bed.text, "the user waited") != NULL);
    bed_close(&bed, 1, 1);
}

static void test_tables(void)
{
    const struct trace_wish wish = {.threads = true, .irqs = true, .disks = true};
    struct view view;
    struct bed bed;

    bed_open(&bed);
    view_init(&view, bed.out, &bed.run);
    walk_share(&(struct walk_wish){&bed.run, WALK_TABLES, true, &wish});
    CHECK(view_trace(&view, bed.bench, &wish) == NULL);
    CHECK(view_input(&view, bed.bench, &(struct input_wish){.fsm = true, .longest = 3}) == NULL);
    bed_close(&bed, 1, 0);
}

/* What stamps miss takes a second walk. */
static void test_json(void)
{
    struct run_texts reasons = {0};
    struct bed bed;

    bed_open(&bed);
    run_json(bed.out, &bed.run, &reasons);
    fflush(bed.out);
    CHECK(strstr(bed.text, "\"think_wait\": {") != NULL);
    CHECK(strstr(bed.text, "\"accounting\": {") != NULL);
    bed_close(&bed, 2, 1);
}

static void test_page(void)
{
    static struct run_page page;
    struct bed bed;

    bed_open(&bed);
    run_page_make(&page, &bed.run, NULL);
    CHECK(page.figures.count > 20);
    run_page_free(&page);
    bed_close(&bed, 1, 1);
}

static void test_findings(void)
{
    struct run_texts reasons = {0};
    struct findings findings;
    struct bed bed;

    bed_open(&bed);
    run_findings(&bed.run, &reasons, &findings);
    bed_close(&bed, 1, 1);
}

/* ---- what was read stays, until the run changes ---- */

static void test_forget(void)
{
    struct bed bed;

    bed_open(&bed);
    const struct input_reading *input = input_of(bed.bench);

    CHECK(input == input_of(bed.bench));
    CHECK_EQUAL(input->interactive.arrived, KEYS);
    run_forget(&bed.run);
    CHECK_EQUAL(input_of(bed.bench)->interactive.arrived, KEYS);
    bed_close(&bed, 2, 0);
}

/* A reading that asks later, for more than the walk had, has a walk to itself; what was read before
 * stays. */
static void test_alone(void)
{
    struct bed bed;

    bed_open(&bed);
    const struct input_reading *input = input_of(bed.bench);
    const struct think_wait *waits = input_think_wait(&bed.run, bed.bench);

    CHECK(waits != NULL && waits->present);
    CHECK_EQUAL(think_wait_residual(waits), 0);
    CHECK(waits == input_think_wait(&bed.run, bed.bench));
    CHECK_EQUAL(input->interactive.arrived, KEYS);
    bed_close(&bed, 2, 0);
}

int main(void)
{
    RUN(test_show());
    RUN(test_tables());
    RUN(test_json());
    RUN(test_page());
    RUN(test_findings());
    RUN(test_forget());
    RUN(test_alone());
    return unit_finish("unit_passes");
}
