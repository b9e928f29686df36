/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * bench scaling: 1 to N processors at once. pipe: on each, two threads hand a byte to and fro.
 * mutex: a thread on each counts under the same mutex. fault: a process on each touches pages for
 * the first time. Curves over the number of processors have the ticks of all operations,
 * "lock_wait.CURVE" the ticks that processors waited for the kernel's lock meanwhile. README.md has
 * the law.
 */
#include "bench/smp/smp.h"
#include "kernel/smp/baton.h"
#include "kernel/task/message.h"
#include "kernel/task/pipe.h"
#include "kernel/task/process.h"

#define PRIORITY    10
#define PAGE        4096
#define STACK_PAGES 4
#define TAG_START   1
#define SETTLE_US   1000 /* until all threads wait for the start */

enum kind { PIPE, MUTEX, FAULT, KINDS };
static const char *const curves[KINDS] = {"pipe", "mutex", "fault"};

static struct pipe pipes[2 * SMP_CPUS_MAX]; /* thread i reads pipe i and writes pipe i ^ 1 */
static struct mutex lock;
static volatile uint64_t counted;
static uint64_t rounds, x[SMP_CPUS_MAX];
static size_t cpus; /* of this session */
static int64_t *ticks[KINDS], *lock_wait[KINDS], operations[SMP_CPUS_MAX];

static void play_pipe(void *argument)
{
    const size_t self = (size_t)argument;
    uint8_t byte;

    message_receive();
    for (uint64_t i = 0; i < rounds; i++) {
        pipe_read(&pipes[self], &byte, 1);
        pipe_write(&pipes[self ^ 1], &byte, 1);
    }
}

static void play_mutex(void *argument)
{
    (void)argument;
    message_receive();
    for (uint64_t i = 0; i < rounds; i++) {
        mutex_lock(&lock);
        counted = counted + 1;
        mutex_unlock(&lock);
    }
}

static PROCESS_CODE void play_fault(void *argument)
{
    system_call(SYSCALL_RECEIVE_TAG, TAG_START, 0, 0);
    for (uint64_t i = 0; i < (uint64_t)argument; i++) {
        *(volatile uint8_t *)(PROCESS_BASE + i * PAGE) = 1;
    }
}

/* Creates thread i of a kind. */
static void create(enum kind kind, size_t i)
{
    const char *name = smp_name("%s %zu", curves[kind], i);
    struct process *process = kind == FAULT ? process_create(name) : NULL;

    if (kind != FAULT) {
        smp_thread(name, PRIORITY, 1u << (kind == PIPE ? i / 2 : i),
                   kind == PIPE ? play_pipe : play_mutex, (void *)i);
    } else if (process == NULL || !process_reserve(rounds + STACK_PAGES) ||
               !smp_keep(process_thread(process, name, PRIORITY, play_fault, rounds))) {
        smp.state = bench_error(smp.run, "no memory for a process");
    } else {
        thread_set_affinity(smp.threads[i], 1u << i);
    }
}

static uint64_t waited(void)
{
    uint64_t sum = 0;

    for (size_t i = 0; i < cpus; i++) {
        sum += baton_waited(i);
    }
    return sum;
}

static void play_kind(enum kind kind)
{
    for (size_t i = 0; i < (kind == PIPE ? 2 : 1) * cpus && smp.state == BENCH_OK; i++) {
        create(kind, i);
    }
    smp_sleep(clock_ticks_from_us(SETTLE_US));
    counted = 0;
    const uint64_t waited_before = waited();
    const uint64_t before = tsc_read();

    for (size_t i = 0; i < smp.thread_count; i++) {
        message_send(smp.threads[i], TAG_START, 0);
    }
    smp_join();
    const uint64_t took = tsc_read() - before;
    const uint64_t one = cpus > 1 ? (uint64_t)ticks[kind][0] : took;

    ticks[kind][cpus - 1] = (int64_t)took;
    lock_wait[kind][cpus - 1] = (int64_t)(waited() - waited_before);
    if (kind == MUTEX) {
        smp_law(cpus * rounds, 0, 0, counted, "acquisitions", "mutex of %zu threads", cpus);
    } else {
        smp_law(one, smp.margin, (cpus - 1) * one + cpus * one / 5, took, UNIT_TICK,
                "%s on %zu processors", curves[kind], cpus);
    }
}

static void play(void)
{
    for (size_t i = 0; i < 2 * cpus; i++) {
        pipe_init(&pipes[i], smp_name("pipe %zu", i));
        pipe_write(&pipes[i], &(uint8_t){0}, i % 2); /* a byte for each pair */
    }
    mutex_init(&lock, smp_name("lock %zu", cpus), false);
    for (enum kind kind = 0; kind < KINDS; kind++) {
        play_kind(kind);
    }
}

static enum bench_state run(struct bench_run *run)
{
    const char *why;

    if (!process_supported(&why)) {
        return bench_skip(run, "%s", why);
    }
    bool good = smp_open(run, 1);

    rounds = bench_number(run, "rounds");
    for (enum kind kind = 0; kind < KINDS; kind++) {
        ticks[kind] = smp_samples(SMP_CPUS_MAX);
        lock_wait[kind] = smp_samples(SMP_CPUS_MAX);
    }
    for (cpus = 1; good && cpus <= smp.cpus; cpus++) {
        x[cpus - 1] = cpus;
        operations[cpus - 1] = (int64_t)(cpus * rounds);
        good = SMP_SESSION(.processors = cpus);
    }
    for (enum kind kind = 0; kind < KINDS && good; kind++) {
        smp_curve(curves[kind], x, smp.cpus, ticks[kind], 1, operations);
        bench_publish(run, smp_name("lock_wait.%s", curves[kind]), UNIT_TICK, lock_wait[kind],
                      smp.cpus);
    }
    return smp.state;
}

static const struct bench_param params[] = {
    {SMP_PARAM_CPUS},
    {"rounds", "200", "operations on each processor", PARAM_NUMBER(1, 2048)},
    {0},
};

static const struct bench scaling = {
    SMP_BENCH,
    .name = BENCH_SCALING,
    .main_series = "pipe",
    .summary = "pipes, a mutex and page faults on 1 to N processors at once",
    .estimate = "the kernel has one lock: N processors take as long as one, and what they wait for "
                "the lock; pipes, which do little else than call the kernel, take almost N times "
                "as long",
};
BENCH_REGISTER(scaling);
