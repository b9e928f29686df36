/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The scheduler and the locks of kernel/task, as they are in the image, on this machine; only
 * interrupts there are none. Whatever they do, in whatever order,
 * priorities in force must be those that inheritance demands, no thread may run while a higher
 * priority is ready, and what was handed over may not be taken on the way.
 */
#include <stdbool.h>
#include <stdlib.h>

#include "kernel/cpu/cpu.h"
#include "kernel/trace/object.h"
#include "tools/tests/support/unit.h"

/* In place of instructions that a program may not use, and of names for a trace. */
#define interrupts_save()            UINT64_C(0)
#define interrupts_restore(flags)    ((void)(flags))
#define trace_object_add(kind, name) ((void)(kind), (void)(name), (uint16_t)0)

// NOLINTBEGIN(bugprone-suspicious-include)
#include "kernel/task/locks.c"
#include "kernel/task/pipe.c"
#include "kernel/task/scheduler.c"
// NOLINTEND(bugprone-suspicious-include)

#define THREADS     9 /* thread 0 is the test itself: what runs when no other can */
#define STACK_BYTES (64 << 10)

static struct thread threads[THREADS];
static uint8_t stacks[THREADS + 1][STACK_BYTES] __attribute__((aligned(16)));
static size_t thread_count;

/* ---- what the scheduler needs ---- */

struct task_state task_state;

uint8_t interrupt_current(void)
{
    return 0;
}

const struct dpc *dpc_current(void)
{
    return NULL;
}

void process_enter(const struct process *process)
{
    (void)process;
}

struct thread *thread_current(void)
{
    return scheduler_running();
}

/* ---- threads ---- */

static void thread_main(void)
{
    struct thread *self = scheduler_running();

    self->entry(self->argument);
    scheduler_end();
}

/* What thread_switch_stack() pops and returns to, as thread.c lays it out. */
static void prepare_stack(struct thread *thread)
{
    uint64_t *top = (uint64_t *)(void *)stacks[thread->id + 1];

    memset(top - 8, 0, 8 * sizeof(*top));
    top[-2] = (uint64_t)(uintptr_t)thread_main;
    thread->rsp = (uint64_t)(uintptr_t)(top - 8);
}

static struct thread *start(unsigned priority, thread_entry *entry, void *argument)
{
    struct thread *thread = &threads[thread_count];

    *thread = (struct thread){
        .id = (uint16_t)thread_count,
        .priority = (uint8_t)priority,
        .base_priority = (uint8_t)priority,
        .entry = entry,
        .argument = argument,
    };
    if (thread_count == 0) {
        scheduler_reset(thread);
    } else {
        prepare_stack(thread);
        scheduler_admit(thread);
    }
    thread_count++;
    return thread;
}

static void begin(void)
{
    thread_count = 0;
    start(0, NULL, NULL);
}

/* Until none can run any more. */
static void run_all(void)
{
    scheduler_settle();
}

static void wake(struct thread *thread)
{
    scheduler_wake(thread);
    scheduler_settle();
}

static bool all_ended(void)
{
    for (size_t i = 1; i < thread_count; i++) {
        if (threads[i].state != THREAD_ENDED) {
            return false;
        }
    }
    return true;
}

/* What happened, a letter each. */
static char story[64];

static void report(char letter)
{
    const size_t length = strlen(story);

    story[length] = letter;
    story[length + 1] = '\0';
}

/* ---- semaphores: no barging ---- */

static struct semaphore semaphore;

static void take_one(void *argument)
{
    const char *name = argument;

    semaphore_wait(&semaphore);
    report(*name);
}

static void post_and_take(void *argument)
{
    const char *name = argument;

    semaphore_post(&semaphore);
    report('p');
    semaphore_wait(&semaphore);
    report(*name);
}

static void test_semaphore(void)
{
    begin();
    story[0] = '\0';
    semaphore_init(&semaphore, "s", 1);
    start(5, take_one, "a"); /* takes what there is */
    start(5, take_one, "b"); /* waits first, but behind the higher priority */
    start(5, take_one, "c");
    start(6, take_one, "H");
    start(4, post_and_take, "z"); /* what it posts goes to who waited, never back to itself */
    run_all();
    CHECK_TEXT(story, "Hap");
    CHECK_EQUAL(semaphore.count, 0);
    for (int i = 0; i < 3; i++) {
        semaphore_post(&semaphore);
    }
    CHECK_TEXT(story, "Hapbcz");
    CHECK(all_ended());
    semaphore_post(&semaphore);
    CHECK_EQUAL(semaphore.count, 1);
}

/* The lower of two takes what was posted for the higher before that has run: it must not. */
static void post_take(void *argument)
{
    (void)argument;
    scheduler_wake_first(&semaphore.waiters); /* as a post does, but without settling */
    semaphore_wait(&semaphore);
    report('l');
}

static void test_no_barging(void)
{
    begin();
    story[0] = '\0';
    semaphore_init(&semaphore, "s", 0);
    start(5, take_one, "h");
    start(4, post_take, NULL);
    run_all();
    CHECK_TEXT(story, "h");
    semaphore_post(&semaphore);
    CHECK_TEXT(story, "hl");
}

/* ---- mutexes, step by step ---- */

static struct mutex mutexes[5];

#define MUTEXES (sizeof(mutexes) / sizeof(mutexes[0]))

static void sleep_once(void)
{
    scheduler_wait(NULL, WAIT_SLEEP);
}

/* Holds all of a list, each given up when it is woken, in the order of the list. */
static void hold_list(void *argument)
{
    const char *list = argument;

    for (const char *at = list; *at != '\0'; at++) {
        mutex_lock(&mutexes[*at - '0']);
    }
    for (const char *at = list; *at != '\0'; at++) {
        sleep_once();
        mutex_unlock(&mutexes[*at - '0']);
    }
}

static void init_mutexes(bool inherits)
{
    for (size_t i = 0; i < MUTEXES; i++) {
        mutex_init(&mutexes[i], "m", inherits);
    }
}

static void test_inheritance_undone(void)
{
    begin();
    init_mutexes(true);
    struct thread *low = start(3, hold_list, "012");

    run_all();
    struct thread *a = start(7, hold_list, "0");
    struct thread *b = start(9, hold_list, "1");
    struct thread *c = start(5, hold_list, "2");

    run_all();
    CHECK_EQUAL(low->priority, 9);
    wake(low); /* gives up 0, first taken: b still waits for 1 */
    CHECK(mutexes[0].holder == a && a->waits_for == NULL && a->holds == &mutexes[0]);
    CHECK_EQUAL(low->priority, 9);
    wake(low);
    CHECK(mutexes[1].holder == b);
    CHECK_EQUAL(low->priority, 5); /* of c */
    wake(low);
    CHECK(mutexes[2].holder == c);
    CHECK_EQUAL(low->priority, 3);
    CHECK(low->holds == NULL);
}

static void test_chain(void)
{
    begin();
    init_mutexes(true);
    struct thread *low = start(2, hold_list, "0");

    run_all();
    struct thread *middle = start(4, hold_list, "10");

    run_all();
    struct thread *other = start(6, hold_list, "0"); /* before `middle` in the line for 0 */

    run_all();
    CHECK_EQUAL(low->priority, 6);
    CHECK_EQUAL(middle->priority, 4);
    struct thread *high = start(8, hold_list, "1");

    run_all();
    CHECK_EQUAL(middle->priority, 8);
    CHECK_EQUAL(low->priority, 8);
    CHECK(mutexes[0].waiters.first == middle); /* it has overtaken `other` */
    wake(low);
    CHECK_EQUAL(low->priority, 2);
    CHECK(mutexes[0].holder == middle && mutexes[0].waiters.first == other);
    wake(middle); /* gives up 1 */
    CHECK(mutexes[1].holder == high);
    CHECK_EQUAL(middle->priority, 6); /* of `other` */
    wake(middle);
    CHECK_EQUAL(middle->priority, 4);
    CHECK(mutexes[0].holder == other);
}

static void test_no_inheritance(void)
{
    begin();
    init_mutexes(false);
    struct thread *low = start(2, hold_list, "0");

    run_all();
    start(8, hold_list, "0");
    run_all();
    CHECK_EQUAL(low->priority, 2);
    CHECK(mutexes[0].waiters.first != NULL);
}

/* ---- mutexes at random ---- */

static uint64_t random_state;
static size_t inside[MUTEXES];

static size_t random_below(size_t limit)
{
    return (size_t)(unit_random(&random_state) % limit);
}

static uint8_t demanded_priority(const struct thread *thread)
{
    uint8_t priority = thread->base_priority;

    for (size_t i = 0; i < MUTEXES; i++) {
        const struct thread *waiter = mutexes[i].waiters.first;

        for (; mutexes[i].inherits && mutexes[i].holder == thread && waiter != NULL;
             waiter = waiter->next) {
            priority = waiter->priority > priority ? waiter->priority : priority;
        }
    }
    return priority;
}

static void check_all(void)
{
    for (size_t i = 1; i < thread_count; i++) {
        const struct thread *thread = &threads[i];
        size_t held = 0;

        CHECK_EQUAL(thread->priority, demanded_priority(thread));
        CHECK(thread->state != THREAD_READY || thread->priority <= thread_current()->priority);
        for (const struct mutex *at = thread->holds; at != NULL; at = at->next_held, held++) {
            CHECK(at->holder == thread);
        }
        for (size_t k = 0; k < MUTEXES; k++) {
            held -= mutexes[k].holder == thread ? 1 : 0;
        }
        CHECK_EQUAL(held, 0);
    }
}

static void disturb(void)
{
    struct thread *other = &threads[1 + random_below(thread_count - 1)];

    check_all();
    if (other->state == THREAD_WAITING && other->why == WAIT_SLEEP) {
        wake(other);
    } else if (random_below(2) == 0) {
        sleep_once();
    } else {
        scheduler_yield();
    }
    check_all();
}

static void lock_at_random(void *argument)
{
    bool held[MUTEXES] = {false};

    for (int round = 0; round < 200; round++) {
        /* In one order, so that none wait for each other in a circle; given up in any. */
        for (size_t i = 0; i < MUTEXES; i++) {
            if (random_below(3) == 0) {
                mutex_lock(&mutexes[i]);
                held[i] = true;
                CHECK_EQUAL(inside[i]++, 0);
                disturb();
            }
        }
        for (size_t left = MUTEXES; left > 0; left--) {
            const size_t i = (left + (size_t)round) % MUTEXES;

            if (held[i]) {
                disturb();
                held[i] = false;
                inside[i]--;
                mutex_unlock(&mutexes[i]);
            }
        }
    }
    (void)argument;
}

static void test_mutexes_at_random(uint64_t seed)
{
    random_state = seed;
    begin();
    for (size_t i = 0; i < MUTEXES; i++) {
        mutex_init(&mutexes[i], "m", i != 3);
        inside[i] = 0;
    }
    for (unsigned i = 1; i < THREADS; i++) {
        start(1 + (unsigned)random_below(6), lock_at_random, NULL);
    }
    run_all();
    for (size_t tries = 0; tries < 1000000 && !all_ended(); tries++) {
        struct thread *sleeper = &threads[1 + random_below(thread_count - 1)];

        if (sleeper->state == THREAD_WAITING && sleeper->why == WAIT_SLEEP) {
            wake(sleeper);
        }
    }
    CHECK(all_ended());
    check_all();
}

/* ---- pipes ---- */

static struct pipe pipe_under_test;
static size_t bytes_written;
static size_t bytes_read;

#define PIPED (64 * PIPE_BYTES)

static size_t random_piece(size_t left)
{
    const size_t piece = 1 + random_below(2 * PIPE_BYTES);

    return piece < left ? piece : left;
}

static void write_all(void *argument)
{
    uint8_t bytes[2 * PIPE_BYTES];

    (void)argument;
    while (bytes_written < PIPED) {
        const size_t piece = random_piece(PIPED - bytes_written);

        for (size_t i = 0; i < piece; i++) {
            bytes[i] = (uint8_t)((bytes_written + i) % 251);
        }
        pipe_write(&pipe_under_test, bytes, piece);
        bytes_written += piece;
    }
}

static void read_all(void *argument)
{
    uint8_t bytes[2 * PIPE_BYTES];
    size_t wrong = 0;

    (void)argument;
    while (bytes_read < PIPED) {
        const size_t piece = random_piece(PIPED - bytes_read);

        pipe_read(&pipe_under_test, bytes, piece);
        for (size_t i = 0; i < piece; i++) {
            wrong += bytes[i] != (uint8_t)((bytes_read + i) % 251) ? 1 : 0;
        }
        bytes_read += piece;
    }
    CHECK_EQUAL(wrong, 0);
}

/* The same, each byte by itself. */
static void write_each(void *argument)
{
    (void)argument;
    for (; bytes_written < PIPED; bytes_written++) {
        pipe_write_byte(&pipe_under_test, (uint8_t)(bytes_written % 251));
    }
}

static void read_each(void *argument)
{
    size_t wrong = 0;

    (void)argument;
    for (; bytes_read < PIPED; bytes_read++) {
        wrong += pipe_read_byte(&pipe_under_test) != (uint8_t)(bytes_read % 251) ? 1 : 0;
    }
    CHECK_EQUAL(wrong, 0);
}

static void test_pipe(unsigned writer, thread_entry *write, unsigned reader, thread_entry *read)
{
    random_state = 7;
    bytes_written = 0;
    bytes_read = 0;
    begin();
    pipe_init(&pipe_under_test, "p");
    start(writer, write, NULL);
    start(reader, read, NULL);
    run_all();
    CHECK(all_ended());
    CHECK_EQUAL(bytes_read, PIPED);
    CHECK_EQUAL(pipe_under_test.count, 0);
}

/* Several of each: every byte arrives once. */
static size_t sum_read;

static void write_some(void *argument)
{
    uint8_t bytes[3 * PIPE_BYTES];

    memset(bytes, (int)(size_t)argument, sizeof(bytes));
    pipe_write(&pipe_under_test, bytes, sizeof(bytes));
}

static void read_some(void *argument)
{
    uint8_t byte;

    (void)argument;
    for (size_t i = 0; i < 3 * PIPE_BYTES; i++) {
        pipe_read(&pipe_under_test, &byte, 1);
        sum_read += byte;
        if (random_below(8) == 0) {
            scheduler_yield();
        }
    }
}

static void test_pipe_of_many(void)
{
    random_state = 11;
    sum_read = 0;
    begin();
    pipe_init(&pipe_under_test, "p");
    for (size_t i = 1; i <= 4; i++) {
        start(1 + (unsigned)random_below(3), write_some, (void *)i);
        start(1 + (unsigned)random_below(3), read_some, NULL);
    }
    run_all();
    CHECK(all_ended());
    CHECK_EQUAL(sum_read, 3 * PIPE_BYTES * (1 + 2 + 3 + 4));
}

int main(void)
{
    RUN(test_semaphore());
    RUN(test_no_barging());
    RUN(test_inheritance_undone());
    RUN(test_chain());
    RUN(test_no_inheritance());
    for (uint64_t seed = 1; seed <= 20; seed++) {
        RUN(test_mutexes_at_random(seed));
    }
    for (unsigned reader = 4; reader <= 6; reader++) {
        RUN(test_pipe(5, write_all, reader, read_all));
        RUN(test_pipe(5, write_each, reader, read_each));
        RUN(test_pipe(5, write_all, reader, read_each));
        RUN(test_pipe(5, write_each, reader, read_all));
    }
    RUN(test_pipe_of_many());
    return unit_finish("unit_locks");
}
