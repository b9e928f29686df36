/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The error of the next call as the end of an event, in traces made by hand: late, early, with
 * numbers that begin anew, and marks that belong to no event.
 */
#include "bench/interactive/host/measure/call_rule.h"
#include "bench/interactive/host/measure/tests/read_alone.h"

#include "kernel/input/event.h"
#include "tools/tests/support/run_builder.h"
#include "tools/tests/support/trace_builder.h"
#include "tools/tests/support/unit.h"

#define BEGIN  1000
#define APP    2
#define QUEUE  7
#define EFFECT 40 /* marks */
#define OTHER  41

struct bed {
    struct run run;
    struct run_bench *bench;
    struct trace_builder trace;
    struct interactive interactive;
    struct call_rule rule;
};

static void bed_open(struct bed *bed)
{
    memset(bed, 0, sizeof(*bed));
    run_init(&bed->run);
    bed->bench = build_bench(&bed->run, "nextcall", 1);
    trace_builder_name(bed->bench, "mark", EFFECT, "effect");
    trace_builder_name(bed->bench, "mark", OTHER, "other");
    trace_builder_init(&bed->trace, BEGIN, 65536);
    TRACE_ADD(&bed->trace, BEGIN, thread_is, 0, 0, 0, THREAD_READY, WAIT_NONE);
    TRACE_ADD(&bed->trace, BEGIN, thread_is, APP, 0, APP, THREAD_RUNNING, WAIT_NONE);
}

static void bed_finish(struct bed *bed, uint64_t end)
{
    trace_builder_finish(&bed->trace, end, bed->bench);
    CHECK(interactive_read(&bed->interactive, bed->bench));
    CHECK(call_rule_read(&bed->rule, &bed->interactive, bed->bench));
}

static void bed_close(struct bed *bed)
{
    call_rule_free(&bed->rule);
    interactive_free(&bed->interactive);
    run_free(&bed->run);
}

/* An input that arrives at `at` and is taken 10 ticks later. */
static void add_input(struct bed *bed, uint64_t at, uint32_t number, enum input_kind kind)
{
    TRACE_ADD(&bed->trace, at, input, number, kind, 0x1e, at);
    TRACE_ADD(&bed->trace, at + 5, queue_post, QUEUE, kind, number, 1);
    TRACE_ADD(&bed->trace, at + 10, queue_take, QUEUE, kind, number, 0);
}

static void add_mark(struct bed *bed, uint64_t at, uint32_t mark, uint32_t number)
{
    TRACE_ADD(&bed->trace, at, mark, mark, number);
}

static void add_call(struct bed *bed, uint64_t at)
{
    TRACE_ADD(&bed->trace, at, queue_call, QUEUE, QUEUE_CALL_GET, 0);
}

/* Late by 30, then by 50; a release is of another row, and early by 20. Number 1 comes twice. */
static void test_errors(void)
{
    struct bed bed;

    bed_open(&bed);
    add_input(&bed, 1100, 1, INPUT_KEY_DOWN);
    add_mark(&bed, 1200, EFFECT, 1);
    add_mark(&bed, 1210, OTHER, 1);
    add_call(&bed, 1230);
    add_input(&bed, 1300, 2, INPUT_KEY_UP);
    add_call(&bed, 1320);
    add_mark(&bed, 1340, EFFECT, 2);
    add_input(&bed, 1400, 1, INPUT_KEY_DOWN);
    add_mark(&bed, 1420, EFFECT, 1);
    add_call(&bed, 1470);
    bed_finish(&bed, 2000);
    CHECK_EQUAL(bed.rule.count, 2);
    CHECK_EQUAL(bed.rule.rows[0].kind, INPUT_KEY_DOWN);
    CHECK_EQUAL(bed.rule.rows[0].n, 2);
    CHECK_EQUAL(bed.rule.rows[0].errors[0], 30);
    CHECK_EQUAL(bed.rule.rows[0].errors[1], 50);
    CHECK_EQUAL(bed.rule.rows[0].error.max, 50);
    CHECK_EQUAL(bed.rule.rows[0].effects[0], 100);
    CHECK_EQUAL(bed.rule.rows[0].effects[1], 20);
    CHECK_EQUAL(bed.rule.rows[1].kind, INPUT_KEY_UP);
    CHECK_EQUAL(bed.rule.rows[1].n, 1);
    CHECK_EQUAL(bed.rule.rows[1].errors[0], -20);
    bed_close(&bed);
}

/* Marks of inputs that never came or were not taken, an input without a call, and none at all. */
static void test_nothing(void)
{
    struct bed bed;

    bed_open(&bed);
    add_mark(&bed, 1050, EFFECT, 1);
    add_input(&bed, 1100, 1, INPUT_KEY_DOWN);
    add_mark(&bed, 1200, EFFECT, 9);
    add_mark(&bed, 1300, EFFECT, 1);
    bed_finish(&bed, 2000);
    CHECK_EQUAL(bed.rule.count, 0);
    bed_close(&bed);
}

/* Ends that input_done reports are none of the rule's. */
static void test_done(void)
{
    struct bed bed;

    bed_open(&bed);
    add_input(&bed, 1100, 1, INPUT_KEY_DOWN);
    add_mark(&bed, 1200, EFFECT, 1);
    TRACE_ADD(&bed.trace, 1210, input_done, QUEUE, 1);
    add_call(&bed, 1230);
    bed_finish(&bed, 2000);
    CHECK_EQUAL(bed.rule.count, 0);
    bed_close(&bed);
}

int main(void)
{
    RUN(test_errors());
    RUN(test_nothing());
    RUN(test_done());
    return unit_finish("unit_call_rule");
}
