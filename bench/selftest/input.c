/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * bench input: simulates a broken keyboard and mouse. Using the controller's loop-back, it sends
 * what broken devices send, and checks that each fault is counted as what it is and as nothing
 * else, that nothing hangs, and that a key and a click after the fault are right. Runs only if the
 * plan asks for it.
 */
#include <stddef.h>

#include "kernel/clock/clock.h"
#include "kernel/cpu/cpu.h"
#include "kernel/input/input.h"
#include "kernel/irq/interrupt.h"
#include "kernel/run/bench.h"
#include "kernel/run/names.h"
#include "kernel/task/session.h"
#include "kernel/task/thread.h"
#include "kernel/task/timer.h"

#define QUEUE_LENGTH 128
#define SHORT_QUEUE  4
#define FLOOD        (INPUT_BUFFER_BYTES + 6)
#define KEYS         48 /* keys of a script; each is pressed and released */
#define EVENTS       (2 * KEYS)
#define SPACING_US   2000
#define NEVER_US     20000 /* time to wait for a key that never comes */
/* longer than the time after which an unfinished sequence is given up */
#define GAP_US    300000
#define LIMIT_US  1000000 /* time to wait for something that does come */
#define SETTLE_US 10000   /* time until the last byte has arrived in a slow emulator */

#define KEY_A       0x1e
#define KEY_B       0x30
#define RELEASE     0x80
#define EXTENDED    0xe0
#define PAUSE       0xe1
#define PAUSE_FIRST 0x1d
#define NO_KEY      0x7f
#define MOUSE_NONE  0x08
#define MOUSE_LEFT  0x09

static struct {
    struct queue queue;
    struct queue_message messages[QUEUE_LENGTH];
    struct script_event script[EVENTS];
    struct input_made made; /* stamps of the script that is traced */
    int64_t *sent;
    struct input_made scratch; /* stamps of other scripts */
    struct timer timer;
    volatile bool over; /* the flood has ended */
    bool flooded;
} test;

static uint64_t from_now(uint64_t microseconds)
{
    return tsc_read() + clock_ticks_from_us(microseconds);
}

static bool begin(size_t capacity)
{
    const struct input_settings settings = {.queue = &test.queue};

    queue_init(&test.queue, "input test", test.messages, capacity);
    return input_begin(&settings);
}

static void drain(void)
{
    struct queue_message message;

    while (queue_peek(&test.queue, &message, true)) {
    }
}

static bool next_is(enum queue_message_type type, uint16_t code)
{
    struct queue_message message;

    return queue_peek(&test.queue, &message, true) && message.type == type && message.code == code;
}

static bool send(enum i8042_port port, size_t count, const uint8_t *bytes)
{
    for (size_t i = 0; i < count; i++) {
        if (!input_send_raw(port, bytes[i])) {
            return false;
        }
    }
    return true;
}

/* Sends a key and a click, byte by byte, and checks that they arrive; only the key if the mouse has
 * no loop-back. */
static bool right_again(void)
{
    static const uint8_t key[] = {KEY_B, KEY_B | RELEASE};
    static const uint8_t click[] = {MOUSE_LEFT, 0, 0, MOUSE_NONE, 0, 0};
    const bool mouse = input_controller()->loopback[I8042_MOUSE];
    struct input_counts counts;

    drain();
    input_get_counts(&counts);
    if (!send(I8042_KEYBOARD, sizeof(key), key) ||
        (mouse && !send(I8042_MOUSE, sizeof(click), click)) ||
        !input_wait_events(counts.events + (mouse ? 4 : 2), from_now(LIMIT_US))) {
        return false;
    }
    return next_is(QUEUE_KEY_DOWN, KEY_B) && next_is(QUEUE_KEY_UP, KEY_B) &&
           (!mouse ||
            (next_is(QUEUE_BUTTON_DOWN, BUTTON_LEFT) && next_is(QUEUE_BUTTON_UP, BUTTON_LEFT))) &&
           queue_length(&test.queue) == 0;
}

/* ---- faults that are counted ---- */

/* Sends the code for too many keys at once, a key that no keyboard has, and 00h. */
static bool send_garbage(void)
{
    static const uint8_t bytes[] = {0xff, NO_KEY, 0x00};

    return send(I8042_KEYBOARD, sizeof(bytes), bytes);
}

/* Sends a prefix before another prefix, the first half of the pause key, and a prefix that nothing
 * follows. */
static bool send_unfinished(void)
{
    static const uint8_t bytes[] = {EXTENDED, PAUSE, PAUSE_FIRST, KEY_A, EXTENDED};
    static const uint8_t behind[] = {KEY_A, KEY_A | RELEASE};

    if (!send(I8042_KEYBOARD, sizeof(bytes), bytes)) {
        return false;
    }
    thread_sleep_until(from_now(GAP_US));
    return send(I8042_KEYBOARD, sizeof(behind), behind);
}

/* Sends a key that repeats, and the release of a key that was not down. */
static bool send_repeats(void)
{
    static const uint8_t bytes[] = {KEY_A, KEY_A, KEY_A, KEY_A | RELEASE, KEY_B | RELEASE};

    return send(I8042_KEYBOARD, sizeof(bytes), bytes);
}

/* Sends a packet without its end, and later the next one. */
static bool lose_mouse_byte(void)
{
    static const uint8_t bytes[] = {MOUSE_NONE, 5};
    static const uint8_t whole[] = {MOUSE_NONE, 7, 0};

    if (!send(I8042_MOUSE, sizeof(bytes), bytes)) {
        return false;
    }
    thread_sleep_until(from_now(GAP_US));
    return send(I8042_MOUSE, sizeof(whole), whole);
}

/* Sends the end of a packet without its start. */
static bool add_mouse_byte(void)
{
    static const uint8_t bytes[] = {0, 0};

    return send(I8042_MOUSE, sizeof(bytes), bytes);
}

static bool raise_without_byte(void)
{
    interrupt_raise(INPUT_VECTOR_KEYBOARD);
    return true;
}

/* While a handler runs, no deferred call (DPC) runs, so the driver's buffer is not emptied until it
 * returns. */
static void flood(void *argument)
{
    const uint64_t deadline = from_now(LIMIT_US);
    struct input_counts counts;

    (void)argument;
    test.flooded = true;
    for (size_t i = 0; i < FLOOD; i++) {
        const uint8_t byte = i % 2 == 0 ? KEY_A : KEY_A | RELEASE;

        test.flooded = test.flooded && send(I8042_KEYBOARD, 1, &byte);
    }
    do {
        input_get_counts(&counts);
    } while (counts.bytes[I8042_KEYBOARD] < FLOOD && tsc_read() < deadline);
    test.over = true;
}

static bool overfill_buffer(void)
{
    test.over = test.flooded = false;
    timer_start(&test.timer, tsc_read(), 0, flood, NULL);
    do {
        thread_sleep_until(from_now(SETTLE_US));
    } while (!test.over);
    return test.flooded;
}

static bool overfill_queue(void)
{
    static const uint8_t bytes[] = {KEY_A, KEY_A | RELEASE, KEY_A, KEY_A | RELEASE, KEY_A};

    return begin(SHORT_QUEUE) && send(I8042_KEYBOARD, sizeof(bytes), bytes);
}

/* Leaves a byte in the controller before the driver starts. */
static bool leave_byte(void)
{
    input_end();
    return input_send_raw(I8042_KEYBOARD, KEY_A) && begin(QUEUE_LENGTH);
}

struct fault {
    const char *name; /* name of the fault and of its fact */
    bool (*cause)(void);
    size_t counter; /* offset in struct input_counts */
    uint64_t count; /* expected value of the counter */
    bool mouse;
};

#define COUNTER(name) offsetof(struct input_counts, name)

static const struct fault faults[] = {
    {"garbage", send_garbage, COUNTER(garbage), 3, false},
    {"unfinished", send_unfinished, COUNTER(garbage), 3, false},
    {"repeats", send_repeats, COUNTER(ignored), 3, false},
    {"mouse_byte_lost", lose_mouse_byte, COUNTER(resynced), 2, true},
    {"mouse_byte_more", add_mouse_byte, COUNTER(resynced), 2, true},
    {"no_byte", raise_without_byte, COUNTER(empty), 1, false},
    {"buffer_full", overfill_buffer, COUNTER(overrun), FLOOD - INPUT_BUFFER_BYTES, false},
    {"queue_full", overfill_queue, COUNTER(refused), 1, false},
    {"stale_byte", leave_byte, COUNTER(stale), 1, false},
};
#define FAULTS (sizeof(faults) / sizeof(faults[0]))

static uint64_t all_faults(const struct input_counts *counts)
{
    return counts->refused + counts->ignored + counts->garbage + counts->resynced +
           counts->overrun + counts->bad + counts->empty + counts->stale;
}

static uint64_t counted(const struct fault *fault, const struct input_counts *counts)
{
    return *(const uint64_t *)((const char *)counts + fault->counter);
}

/* Waits until the fault is counted as often as expected, then reads all counts. A surplus count
 * would arrive with the last byte. */
static void count_fault(const struct fault *fault, struct input_counts *counts)
{
    const uint64_t deadline = from_now(LIMIT_US);

    do {
        thread_sleep_until(from_now(SETTLE_US));
        input_get_counts(counts);
    } while (counted(fault, counts) < fault->count && tsc_read() < deadline);
}

static enum bench_state try_fault(struct bench_run *run, const struct fault *fault)
{
    struct input_counts counts;

    if (!begin(QUEUE_LENGTH) || !fault->cause()) {
        return bench_fail(run, "%s: the keyboard controller does not accept bytes", fault->name);
    }
    count_fault(fault, &counts);
    bench_fact(run, fault->name, UNIT_COUNT, (int64_t)counted(fault, &counts));
    if (counted(fault, &counts) != fault->count || all_faults(&counts) != fault->count) {
        return bench_fail(
            run, "%s: the driver counted %lu such events and %lu others, expected %lu and 0",
            fault->name, counted(fault, &counts), all_faults(&counts) - counted(fault, &counts),
            fault->count);
    }
    if (!right_again()) {
        return bench_fail(run, "after fault %s, a key press or click did not arrive correctly",
                          fault->name);
    }
    input_end();
    return BENCH_OK;
}

static enum bench_state try_faults(struct bench_run *run)
{
    for (size_t i = 0; i < FAULTS; i++) {
        if (faults[i].mouse && !input_controller()->loopback[I8042_MOUSE]) {
            bench_absent(run, faults[i].name, input_controller()->without[I8042_MOUSE]);
            continue;
        }
        const enum bench_state state = try_fault(run, &faults[i]);

        if (state != BENCH_OK) {
            return state;
        }
    }
    return BENCH_OK;
}

/* ---- scripts ---- */

/* Writes a script of keys, each pressed and released, with an event every `spacing_us`. */
static void write_script(uint64_t spacing_us)
{
    for (size_t i = 0; i < EVENTS; i++) {
        test.script[i] = (struct script_event){
            .at_us = i * spacing_us,
            .event = {.kind = i % 2 == 0 ? INPUT_KEY_DOWN : INPUT_KEY_UP,
                      .code = (uint16_t)(KEY_A + i / 2 % 8)},
        };
    }
}

static bool script_arrived(void)
{
    for (size_t i = 0; i < EVENTS; i++) {
        if (!next_is((enum queue_message_type)test.script[i].event.kind,
                     test.script[i].event.code)) {
            return false;
        }
    }
    return queue_length(&test.queue) == 0;
}

/* Plays a script at a person's speed, or all at once. */
static enum bench_state play(struct bench_run *run, uint64_t spacing_us,
                             const struct input_made *made)
{
    write_script(spacing_us);
    if (!begin(QUEUE_LENGTH) || !input_play(test.script, EVENTS, from_now(SPACING_US), made) ||
        !input_wait_played(from_now(EVENTS * spacing_us + LIMIT_US)) ||
        !input_wait_events(EVENTS, from_now(LIMIT_US))) {
        return bench_fail(run,
                          "script with an event every %lu us: wrote %zu events, or they did not "
                          "arrive; expected %u",
                          spacing_us, input_played(), EVENTS);
    }
    input_end();
    return script_arrived()
               ? BENCH_OK
               : bench_fail(
                     run,
                     "with an event every %lu us, the events that arrived differ from the script",
                     spacing_us);
}

static enum bench_state wait_for_nothing(struct bench_run *run)
{
    const uint64_t deadline = from_now(NEVER_US);

    if (!begin(QUEUE_LENGTH) || input_wait_events(1, deadline)) {
        return bench_fail(run, "an event arrived that was not sent");
    }
    const uint64_t late = tsc_read() - deadline;

    if (late > clock_ticks_from_us(LIMIT_US)) {
        return bench_fail(run, "the wait for a key that never comes ended more than 1 s late");
    }
    bench_fact(run, "never_late", UNIT_TICK, (int64_t)late);
    return right_again() ? BENCH_OK
                         : bench_fail(run, "after waiting in vain for a key, a key press or click "
                                           "did not arrive correctly");
}

/* Blocks the reading of bytes: the controller then looks like one that is stuck. */
static enum bench_state get_stuck(struct bench_run *run)
{
    write_script(SPACING_US);
    if (!begin(QUEUE_LENGTH)) {
        return bench_fail(run, "the keyboard controller does not answer");
    }
    input_block();
    const uint64_t start = tsc_read();
    const bool played = input_play(test.script, EVENTS, start, &test.scratch) &&
                        input_wait_played(from_now(EVENTS * SPACING_US + LIMIT_US));

    if (played || !input_stuck()) {
        return bench_fail(run, "the driver did not notice a stuck keyboard controller");
    }
    bench_fact(run, "stuck_after", UNIT_TICK, (int64_t)(tsc_read() - start));
    input_end();
    return begin(QUEUE_LENGTH) && right_again()
               ? BENCH_OK
               : bench_fail(
                     run,
                     "after a stuck controller, a key press or click did not arrive correctly");
}

/* Publishes the script in the form that bench/interactive/host/measure/interactive.h reads. */
static void publish_script(const struct bench_run *run)
{
    const int64_t origin = (int64_t)bench_trace_origin();

    for (size_t i = 0; i < EVENTS; i++) {
        const struct input_event *event = &test.script[i].event;

        test.made.intended[i] -= origin;
        test.made.written[i] = test.made.written[i] != 0 ? test.made.written[i] - origin : -1;
        test.sent[i] = (int64_t)(event->kind << 16 | event->code);
    }
    bench_publish(run, SERIES_INTENDED, UNIT_TICK, test.made.intended, EVENTS);
    bench_publish(run, SERIES_WRITTEN, UNIT_TICK, test.made.written, EVENTS);
    bench_publish(run, SERIES_SENT, UNIT_CODE, test.sent, EVENTS);
}

static enum bench_state play_traced(struct bench_run *run)
{
    const struct task_settings settings = {0};

    if (!bench_trace_begin(run)) {
        return BENCH_ERROR;
    }
    if (!task_begin(&settings)) {
        bench_trace_end(run);
        return bench_error(run, "no memory for threads");
    }
    const enum bench_state state = play(run, SPACING_US, &test.made);

    input_end();
    task_end();
    if (!bench_trace_end(run)) {
        return bench_error(run, "no memory for sending the trace");
    }
    publish_script(run);
    return state;
}

static enum bench_state try_all(struct bench_run *run)
{
    const struct task_settings settings = {0};

    if (!task_begin(&settings)) {
        return bench_error(run, "no memory for threads");
    }
    enum bench_state state = play(run, 0, &test.scratch);

    if (state == BENCH_OK) {
        state = try_faults(run);
    }
    if (state == BENCH_OK) {
        state = wait_for_nothing(run);
    }
    if (state == BENCH_OK) {
        state = get_stuck(run);
    }
    input_end();
    task_end();
    return state;
}

static bool reserve(void)
{
    int64_t **const rows[] = {&test.made.intended, &test.made.written, &test.scratch.intended,
                              &test.scratch.written, &test.sent};

    for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
        *rows[i] = bench_samples(EVENTS);
        if (*rows[i] == NULL) {
            return false;
        }
    }
    return true;
}

static enum bench_state run(struct bench_run *run)
{
    const char *reason = bench_choose_input(run, true, false);

    if (reason != NULL) {
        return bench_skip(run, "%s", reason);
    }
    if (!input_controller()->translated) {
        return bench_skip(run, "the keyboard controller does not translate to scan-code set 1");
    }
    if (!reserve()) {
        return bench_error(run, "no memory for %u events", EVENTS);
    }
    const enum bench_state state = play_traced(run);

    return state == BENCH_OK ? try_all(run) : state;
}

static const struct bench input = {
    .name = "input",
    .group = "selftest",
    .summary = "simulates broken keyboards and mice by the controller's loop-back",
    .unit = UNIT_COUNT,
    .estimate = "each fault is counted as what it is, keys and clicks after it are right, and "
                "nothing hangs",
    .needs = NEED_CLOCK | NEED_LAPIC_TIMER,
    .on_request = true,
    .run = run,
};
BENCH_REGISTER(input);
