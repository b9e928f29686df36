/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Message queues of applications: their order, their ends, and that every call and every change of
 * length is reported to the trace. The queue is the image's; threads and the recorder are stood in
 * for.
 */
#include <stdarg.h>
#include <stdbool.h>
#include <stdlib.h>

#include "kernel/cpu/cpu.h"
#include "kernel/trace/object.h"
#include "tools/tests/support/unit.h"

/* In place of instructions that a program may not use, and of names for a trace. */
#define interrupts_save()            UINT64_C(0)
#define interrupts_restore(flags)    ((void)(flags))
#define trace_object_add(kind, name) ((void)(kind), (void)(name), (uint16_t)3)

/* The recorder is linked, but has no trace to record into. */
#define trace_queue_post print_post
#define trace_queue_take print_take
#define trace_queue_call print_call
#define trace_input_done print_done

static void print_post(uint16_t id, uint16_t type, uint32_t input, uint16_t length);
static void print_take(uint16_t id, uint16_t type, uint32_t input, uint16_t length);
static void print_call(uint16_t id, uint8_t call, uint16_t length);
static void print_done(uint16_t id, uint32_t input);

// NOLINTBEGIN(bugprone-suspicious-include)
#include "kernel/task/queue.c"
// NOLINTEND(bugprone-suspicious-include)

#define CAPACITY 5

static struct queue queue;
static struct queue_message room[CAPACITY];

/* ---- the trace, as a text ---- */

static char story[4096];

__attribute__((format(printf, 1, 2))) static void report(const char *format, ...)
{
    const size_t length = strlen(story);
    va_list values;

    va_start(values, format);
    vsnprintf(story + length, sizeof(story) - length, format, values);
    va_end(values);
}

static void print_post(uint16_t id, uint16_t type, uint32_t input, uint16_t length)
{
    CHECK_EQUAL(id, 3);
    report("post %u/%u:%u ", type, input, length);
}

static void print_take(uint16_t id, uint16_t type, uint32_t input, uint16_t length)
{
    CHECK_EQUAL(id, 3);
    report("take %u/%u:%u ", type, input, length);
}

static void print_call(uint16_t id, uint8_t call, uint16_t length)
{
    CHECK_EQUAL(id, 3);
    report("call %u:%u ", call, length);
}

static void print_done(uint16_t id, uint32_t input)
{
    CHECK_EQUAL(id, 3);
    report("done %u ", input);
}

/* ---- threads: a wait runs what the test has prepared, and then goes on ---- */

static void (*meanwhile)(void);

void scheduler_wait(struct wait_queue *waiters, enum wait_reason reason)
{
    void (*const work)(void) = meanwhile;

    CHECK(reason == (waiters == &queue.readers ? WAIT_QUEUE : WAIT_QUEUE_IDLE));
    report("wait %u ", reason);
    meanwhile = NULL;
    CHECK(work != NULL);
    work();
}

struct thread *scheduler_wake_first(struct wait_queue *waiters)
{
    report(waiters == &queue.readers ? "wake reader " : "wake idlers ");
    return NULL;
}

void scheduler_settle(void)
{
}

static void begin(void)
{
    story[0] = '\0';
    queue_init(&queue, "test", room, CAPACITY);
}

static bool post(uint16_t type, uint32_t number)
{
    return queue_post(&queue, &(struct queue_message){.type = type, .number = number});
}

/* ---- the tests ---- */

static void test_order(void)
{
    struct queue_message message = {0};

    begin();
    CHECK(post(QUEUE_KEY_DOWN, 1));
    CHECK(post(QUEUE_KEY_UP, 2));
    CHECK(queue_peek(&queue, &message, false));
    CHECK_EQUAL(message.number, 1);
    CHECK_EQUAL(queue_get(&queue).number, 1);
    CHECK(queue_peek(&queue, &message, true));
    CHECK_EQUAL(message.number, 2);
    CHECK(!queue_peek(&queue, &message, true));
    queue_done(&queue, 2);
    CHECK_TEXT(story, "post 0/1:1 wake reader post 1/2:2 wake reader "
                      "call 1:2 call 4:2 call 0:2 take 0/1:1 call 1:1 take 1/2:0 "
                      "call 1:0 call 3:0 done 2 ");
}

/* Against a list that grows: whatever is posted and taken, the ring gives the same. */
static void test_ring(void)
{
    uint32_t posted = 0;
    uint32_t taken = 0;
    uint64_t refused = 0;

    begin();
    srand(1);
    for (int i = 0; i < 20000; i++) {
        if (rand() % 2 == 0) {
            const bool fits = posted - taken < CAPACITY;

            CHECK(post(QUEUE_TIMER, posted + 1) == fits);
            posted += fits ? 1 : 0;
            refused += fits ? 0 : 1;
        } else if (posted > taken) {
            CHECK_EQUAL(queue_get(&queue).number, ++taken);
        }
        CHECK_EQUAL(queue_length(&queue), posted - taken);
        story[0] = '\0';
    }
    CHECK(refused > 0);
    CHECK_EQUAL(queue.refused, refused);
}

static void post_two(void)
{
    CHECK(queue.reader_waits);
    post(QUEUE_KEY_DOWN, 8);
    post(QUEUE_KEY_UP, 9);
}

static void test_waiting_reader(void)
{
    begin();
    meanwhile = post_two;
    CHECK_EQUAL(queue_get(&queue).number, 8);
    CHECK(!queue.reader_waits);
    CHECK_EQUAL(queue_length(&queue), 1);
    CHECK_TEXT(story, "call 0:0 wake idlers wait 13 post 0/8:1 wake reader post 1/9:2 wake reader "
                      "take 0/8:1 ");
}

static void reader_comes(void)
{
    queue.first = 0;
    queue.length = 0;
    queue.reader_waits = true;
}

/* Empty is not enough: the reader may still be at work. */
static void test_wait_for_idle(void)
{
    begin();
    meanwhile = reader_comes;
    queue_wait_idle(&queue);
    CHECK_TEXT(story, "call 2:0 wait 14 call 5:0 ");
    begin();
    queue.reader_waits = true;
    queue_wait_idle(&queue);
    CHECK_TEXT(story, "call 2:0 call 5:0 ");
    begin();
    post(QUEUE_PAINT, 0);
    queue.reader_waits = true;
    meanwhile = reader_comes;
    queue_wait_idle(&queue);
    CHECK(strstr(story, "call 2:1 wait 14 call 5:0 ") != NULL);
}

int main(void)
{
    RUN(test_order());
    RUN(test_ring());
    RUN(test_waiting_reader());
    RUN(test_wait_for_idle());
    return unit_finish("unit_queue");
}
