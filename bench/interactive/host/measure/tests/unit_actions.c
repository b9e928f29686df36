/* SPDX-License-Identifier: BSD-2-Clause */
/* Actions, of events made by hand. */
#include "bench/interactive/host/measure/actions.h"
#include "bench/interactive/host/measure/tests/read_alone.h"

#include "kernel/input/event.h"
#include "kernel/input/script.h"
#include "tools/tests/support/run_builder.h"
#include "tools/tests/support/trace_builder.h"
#include "tools/tests/support/unit.h"

#define EVENTS_MAX 16
#define BEGIN      1000 /* of the trace */
#define PACKET     16384
#define KEY_A      0x1e
#define KEY_B      0x30
#define KEY_CTRL   0x1d
#define SHIFT      0x2a
#define MS         1000 /* a tick is a microsecond */

struct bed {
    struct run run;
    struct run_bench *bench;
    struct interactive interactive;
    struct interactive_event events[EVENTS_MAX];
    struct actions actions;
};

static void bed_open(struct bed *bed)
{
    struct trace_builder trace;

    memset(bed, 0, sizeof(*bed));
    run_init(&bed->run);
    bed->bench = build_bench(&bed->run, "b", 1);
    trace_builder_init(&trace, BEGIN, PACKET);
    TRACE_ADD(&trace, BEGIN, thread_is, 0, 0, 0, THREAD_RUNNING, WAIT_NONE);
    trace_builder_finish(&trace, BEGIN + 1, bed->bench);
    bed->interactive.events = bed->events;
}

/* Intended and arrived at `at`, done at `done`. */
static struct interactive_event *add(struct bed *bed, enum input_kind kind, uint16_t code,
                                     uint64_t at, uint64_t done)
{
    struct interactive_event *event = &bed->events[bed->interactive.count++];

    *event = (struct interactive_event){
        .kind = (uint8_t)kind,
        .code = code,
        .came = true,
        .has_arrival = true,
        .arrival = BEGIN + at,
        .has_done = true,
        .done = BEGIN + done,
    };
    return event;
}

static struct interactive_event *add_of(struct bed *bed, uint32_t action, unsigned class,
                                        uint64_t at, uint64_t done)
{
    struct interactive_event *event = add(bed, INPUT_KEY_DOWN, KEY_A, at, done);

    event->has_action = true;
    event->action = action;
    event->has_class = true;
    event->class = (uint8_t) class;
    return event;
}

static void bed_read(struct bed *bed)
{
    CHECK(actions_read(&bed->actions, &bed->interactive, bed->bench));
}

static void bed_close(struct bed *bed)
{
    actions_free(&bed->actions);
    run_free(&bed->run);
}

static const char *class_of(const struct bed *bed, size_t action)
{
    return bed->actions.classes[bed->actions.actions[action].class];
}

/* ---- latencies ---- */

/* Each release waits until the press is done, as where a click begins an animation: three actions,
 * a second apart. */
static void test_clicks(void)
{
    struct bed bed;
    int64_t sum = 0;

    bed_open(&bed);
    for (uint64_t i = 0; i < 3; i++) {
        add(&bed, INPUT_BUTTON_DOWN, BUTTON_LEFT, i * 1000 * MS, (i * 1000 + 415) * MS);
        add(&bed, INPUT_BUTTON_UP, BUTTON_LEFT, (i * 1000 + 20) * MS, (i * 1000 + 420) * MS);
    }
    bed_read(&bed);
    CHECK_EQUAL(bed.actions.count, 3);
    for (size_t i = 0; i < 3; i++) {
        const struct action *action = &bed.actions.actions[i];

        CHECK_TEXT(class_of(&bed, i), "click");
        CHECK_EQUAL(action->events, 2);
        CHECK_EQUAL(action->first, 2 * i);
        CHECK_EQUAL(action->begin, BEGIN + i * 1000 * MS);
        CHECK(action->known[MEASURE_SERVICE] && action->known[MEASURE_RESPONSE]);
        CHECK_EQUAL(action->latency[MEASURE_SERVICE], 420 * MS);
        sum += action->latency[MEASURE_RESPONSE];
    }
    CHECK_EQUAL(sum, 1260 * MS);
    CHECK_EQUAL(bed.actions.class_count, 1);
    bed_close(&bed);
}

/* A finger that holds a button is no latency. */
static void test_held(void)
{
    struct bed bed;

    bed_open(&bed);
    add(&bed, INPUT_BUTTON_DOWN, BUTTON_LEFT, 100, 110);
    add(&bed, INPUT_BUTTON_UP, BUTTON_LEFT, 190, 195)->intended = BEGIN + 188;
    bed.events[1].has_intended = true;
    bed_read(&bed);
    CHECK_EQUAL(bed.actions.count, 1);
    CHECK_EQUAL(bed.actions.actions[0].latency[MEASURE_SERVICE], 10 + 5);
    CHECK_EQUAL(bed.actions.actions[0].latency[MEASURE_RESPONSE], 10 + 7);
    bed_close(&bed);
}

/* An application that does nothing at a release reports no end of it; of the second action none of
 * both is known, and what was planned and never came is in none. */
static void test_endless(void)
{
    struct bed bed;

    bed_open(&bed);
    add(&bed, INPUT_KEY_DOWN, KEY_A, 100, 110);
    add(&bed, INPUT_KEY_UP, KEY_A, 190, 0)->has_done = false;
    add(&bed, INPUT_KEY_DOWN, KEY_B, 200, 0)->has_done = false;
    add(&bed, INPUT_KEY_UP, KEY_B, 290, 0)->came = false;
    bed_read(&bed);
    CHECK_EQUAL(bed.actions.count, 2);
    CHECK(bed.actions.actions[0].known[MEASURE_RESPONSE]);
    CHECK_EQUAL(bed.actions.actions[0].latency[MEASURE_RESPONSE], 10);
    CHECK(!bed.actions.actions[1].known[MEASURE_RESPONSE]);
    CHECK(!bed.actions.actions[1].known[MEASURE_SERVICE]);
    CHECK_EQUAL(bed.actions.actions[1].events, 1);
    CHECK(bed.actions.of[3] == ACTION_NONE);
    bed_close(&bed);
}

/* ---- what belongs together ---- */

/* "Ab" with shift, ctrl+a, and a lonely release. */
static void test_derived(void)
{
    static const struct {
        enum input_kind kind;
        uint16_t code;
        size_t action;
    } given[] = {
        {INPUT_KEY_DOWN, SHIFT, 0},    {INPUT_KEY_DOWN, KEY_A, 0}, {INPUT_KEY_UP, KEY_A, 0},
        {INPUT_KEY_DOWN, KEY_B, 1},    {INPUT_KEY_UP, SHIFT, 0},   {INPUT_KEY_UP, KEY_B, 1},
        {INPUT_KEY_DOWN, KEY_CTRL, 2}, {INPUT_KEY_DOWN, KEY_A, 2}, {INPUT_KEY_UP, KEY_CTRL, 2},
        {INPUT_KEY_UP, KEY_A, 2},      {INPUT_KEY_UP, KEY_B, 3},   {INPUT_KEY_DOWN, SHIFT, 4},
        {INPUT_KEY_UP, SHIFT, 4},      {INPUT_KEY_DOWN, 0x1c, 5},  {INPUT_MOVE, 0, 6},
        {INPUT_KEY_DOWN, 0xd1, 7},
    };
    static const char *const classes[] = {"printable", "printable", "command", "printable",
                                          "command",   "newline",   "move",    "page"};
    struct bed bed;

    bed_open(&bed);
    for (size_t i = 0; i < sizeof(given) / sizeof(given[0]); i++) {
        add(&bed, given[i].kind, given[i].code, 10 * i, 10 * i + 1);
    }
    bed_read(&bed);
    CHECK_EQUAL(bed.actions.count, 8);
    for (size_t i = 0; i < bed.interactive.count; i++) {
        CHECK_EQUAL(bed.actions.of[i], given[i].action);
    }
    for (size_t i = 0; i < bed.actions.count; i++) {
        CHECK_TEXT(class_of(&bed, i), classes[i]);
    }
    CHECK_EQUAL(bed.actions.actions[0].events, 4);
    bed_close(&bed);
}

/* By the bench's series, whatever the keys are: actions that interleave, those of another phase
 * with the same number, and a class of the script's own. */
static void test_series(void)
{
    struct bed bed;

    bed_open(&bed);
    *run_add_param(bed.bench) =
        (struct run_param){.name = "class.8", .value = "edit", .origin = "found"};
    add_of(&bed, 0, SCRIPT_CLASSES, 10, 12);
    add_of(&bed, 1, SCRIPT_NEWLINE, 20, 24);
    add_of(&bed, 0, SCRIPT_CLASSES, 30, 31);
    add_of(&bed, 0, SCRIPT_PAGE, 40, 48);
    bed.events[3].has_phase = true;
    bed.events[3].phase = 1;
    bed.interactive.phases = &(struct interactive_phase){.phase = 1, .name = "server"};
    bed.interactive.phase_count = 1;
    bed_read(&bed);
    CHECK_EQUAL(bed.actions.count, 3);
    CHECK_EQUAL(bed.actions.of[2], 0);
    CHECK_EQUAL(bed.actions.actions[0].latency[MEASURE_SERVICE], 3);
    CHECK_TEXT(class_of(&bed, 0), "edit");
    CHECK_TEXT(class_of(&bed, 1), "newline");
    CHECK_TEXT(class_of(&bed, 2), "page");
    CHECK(bed.actions.actions[0].phase == NULL);
    CHECK_TEXT(bed.actions.actions[2].phase->name, "server");
    bed_close(&bed);
}

/* ---- the idle loop ---- */

static void set_samples(struct interactive_event *event, size_t sample, size_t samples)
{
    event->has_elongation = true;
    event->sample = sample;
    event->samples = samples;
}

/* Press and release in one sample are known of the action, which has it once; two actions that
 * share one are not. */
static void test_idle(void)
{
    static const int64_t samples[] = {100, 150, 100, 130, 120, 100, 170, 100};
    struct bed bed;

    bed_open(&bed);
    build_series(bed.bench, "idle", NULL, NULL, samples, 8);
    build_fact(bed.bench, "idle_origin", 0);
    build_fact(bed.bench, "iteration_millitick", 4000);
    set_samples(add(&bed, INPUT_BUTTON_DOWN, BUTTON_LEFT, 110, 115), 1, 3);
    set_samples(add(&bed, INPUT_BUTTON_UP, BUTTON_LEFT, 400, 405), 3, 1);
    set_samples(add(&bed, INPUT_KEY_DOWN, KEY_A, 500, 505), 4, 1);
    set_samples(add(&bed, INPUT_KEY_DOWN, KEY_B, 700, 705), 6, 1);
    set_samples(add(&bed, INPUT_KEY_UP, KEY_A, 710, 715), 6, 1);
    bed_read(&bed);
    CHECK_EQUAL(bed.actions.count, 3);
    CHECK(bed.actions.actions[0].known[MEASURE_IDLE]);
    CHECK_EQUAL(bed.actions.actions[0].latency[MEASURE_IDLE], 80);
    CHECK(!bed.actions.actions[1].known[MEASURE_IDLE]);
    CHECK(!bed.actions.actions[2].known[MEASURE_IDLE]);
    actions_free(&bed.actions);
    bed.events[3].has_elongation = false; /* its samples are missing: the other's are its own */
    bed_read(&bed);
    CHECK(bed.actions.actions[1].known[MEASURE_IDLE]);
    CHECK_EQUAL(bed.actions.actions[1].latency[MEASURE_IDLE], 20 + 70);
    CHECK(!bed.actions.actions[2].known[MEASURE_IDLE]);
    bed_close(&bed);
}

static void test_no_idle(void)
{
    struct bed bed;

    bed_open(&bed);
    add(&bed, INPUT_KEY_DOWN, KEY_A, 500, 505);
    bed_read(&bed);
    CHECK(!bed.actions.actions[0].known[MEASURE_IDLE]);
    CHECK(!bed.actions.actions[0].has_disk);
    bed_close(&bed);
}

/* ---- counts and weighted time ---- */

/* Two events that overlap count their common time once; a call ends after its event; counts are
 * known only if those of all events are. */
static void test_counts(void)
{
    static const char *names[] = {"dtlb-misses", "itlb-misses", "segment-loads", "misaligned"};
    static const int64_t totals[4][5] = {
        {1, 4, 9, 16, 100}, {0, 1, 1, 2, 100}, {5, 5, 7, 7, 100}, {0, 2, 4, 6, 100}};
    struct interactive_count counts[3][4];
    const struct run_series *series[4];
    struct bed bed;

    bed_open(&bed);
    build_series(bed.bench, "counted_at", NULL, NULL, (int64_t[]){102, 152, 200, 250, 900}, 5);
    for (size_t c = 0; c < 4; c++) {
        build_series(bed.bench, names[c], "counted_at", names[c], totals[c], 5);
    }
    for (size_t c = 0; c < 4; c++) {
        series[c] = run_find_series(bed.bench, names[c]);
    }
    bed.interactive.begin = BEGIN;
    bed.interactive.cycle = 8;
    bed.interactive.counted = names;
    bed.interactive.counted_count = 4;
    bed.interactive.counted_series = series;
    bed.interactive.counted_at = run_find_series(bed.bench, "counted_at");
    add(&bed, INPUT_KEY_DOWN, KEY_A, 100, 200)->entry = BEGIN + 102;
    add(&bed, INPUT_KEY_UP, KEY_A, 150, 250)->entry = BEGIN + 152;
    add(&bed, INPUT_KEY_DOWN, KEY_B, 800, 899)->entry = BEGIN + 800;
    bed.events[0].has_call = true;
    bed.events[0].call = BEGIN + 210;
    for (size_t i = 0; i < 3; i++) {
        for (size_t c = 0; c < 4; c++) {
            counts[i][c].known = interactive_counted(&bed.interactive, c, bed.events[i].entry,
                                                     bed.events[i].done, &counts[i][c].value);
        }
        bed.events[i].counts = counts[i];
    }
    bed.interactive.counts = counts[0];
    bed_read(&bed);
    const struct action *action = &bed.actions.actions[0];

    CHECK_EQUAL(action->counts[0].value, 16 - 1);
    CHECK_EQUAL(action->counts[1].value, 2);
    CHECK_EQUAL(action->counts[2].value, 2);
    CHECK_EQUAL(action->counts[3].value, 6);
    CHECK_EQUAL(action->latency[MEASURE_SERVICE], 150);
    CHECK(action->known[MEASURE_WEIGHTED]);
    CHECK_EQUAL(action->latency[MEASURE_WEIGHTED], 150 + 8 * (20 * (15 + 2) + 8 * 2 + 3 * 6));
    CHECK(action->known[MEASURE_CALL]);
    CHECK_EQUAL(action->latency[MEASURE_CALL], 110);
    CHECK(!bed.actions.actions[1].counts[0].known);
    CHECK(bed.actions.actions[1].known[MEASURE_SERVICE]);
    CHECK(!bed.actions.actions[1].known[MEASURE_WEIGHTED]);
    CHECK(!bed.actions.actions[1].known[MEASURE_CALL]);
    bed_close(&bed);
}

/* ---- disks ---- */

/* Requests of 100 ticks at 50, 120 (they overlap), 400 and 600. */
static void test_disk(void)
{
    static const uint64_t issues[] = {50, 120, 400, 600};
    struct trace_builder trace;
    struct bed bed;

    bed_open(&bed);
    build_object(bed.bench, "device", 1, "disk");
    trace_builder_init(&trace, BEGIN + 10, PACKET);
    TRACE_ADD(&trace, BEGIN + 10, thread_is, 0, 0, 0, THREAD_RUNNING, WAIT_NONE);
    TRACE_ADD(&trace, BEGIN + 50, block_issue, 1, 1, 0, 8, 1);
    TRACE_ADD(&trace, BEGIN + 120, block_issue, 1, 2, 8, 8, 2);
    TRACE_ADD(&trace, BEGIN + 150, block_complete, 1, 1, BLOCK_GOOD, 1);
    TRACE_ADD(&trace, BEGIN + 220, block_complete, 1, 2, BLOCK_GOOD, 0);
    TRACE_ADD(&trace, BEGIN + 400, block_issue, 1, 3, 16, 8, 1);
    TRACE_ADD(&trace, BEGIN + 500, block_complete, 1, 3, BLOCK_GOOD, 0);
    TRACE_ADD(&trace, BEGIN + 600, block_issue, 1, 4, 24, 8, 1);
    TRACE_ADD(&trace, BEGIN + 700, block_complete, 1, 4, BLOCK_GOOD, 0);
    trace_builder_finish(&trace, BEGIN + 800, bed.bench);
    add(&bed, INPUT_KEY_DOWN, KEY_A, issues[0] - 10, 200); /* until the second is nearly over */
    add(&bed, INPUT_KEY_UP, KEY_A, issues[2] + 20, 520);
    add(&bed, INPUT_KEY_DOWN, KEY_B, 710, 720);
    bed_read(&bed);
    CHECK(bed.actions.actions[0].has_disk);
    CHECK_EQUAL(bed.actions.actions[0].disk, (200 - 50) + (500 - 420));
    CHECK_EQUAL(bed.actions.actions[0].disk_requests, 2);
    CHECK(bed.actions.actions[1].has_disk);
    CHECK_EQUAL(bed.actions.actions[1].disk, 0);
    CHECK_EQUAL(bed.actions.actions[1].disk_requests, 0);
    bed_close(&bed);
}

int main(void)
{
    RUN(test_clicks());
    RUN(test_held());
    RUN(test_endless());
    RUN(test_derived());
    RUN(test_series());
    RUN(test_idle());
    RUN(test_no_idle());
    RUN(test_counts());
    RUN(test_disk());
    return unit_finish("unit_actions");
}
