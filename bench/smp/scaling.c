/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * bench scaling: what 1 to N processors do at once.
 *
 * pipe: on each processor two threads hand a byte to and fro through two pipes. mutex: on each a
 * thread locks and unlocks the same mutex and counts under it. The curves are over the number of
 * processors: NAME has the ticks of all operations, NAME.n their number, so a kernel that scales
 * needs 1/N of the ticks for an operation.
 *
 * Law: the mutex excludes, so its count is right. In exact time sections of the kernel never meet,
 * so N pairs take as long as one, give or take a tenth.
 */
#include "bench/smp/smp.h"
#include "kernel/task/message.h"
#include "kernel/task/pipe.h"

#define PRIORITY  10
#define TAG_START 1
#define SETTLE_US 1000 /* until all threads wait for the start */

enum kind { PIPE, MUTEX, KINDS };
static const char *const curves[KINDS] = {CURVE_PIPE, CURVE_MUTEX};

static struct smp smp;
static struct pipe pipes[2 * SMP_CPUS_MAX]; /* thread i reads pipe i and writes pipe i ^ 1 */
static struct mutex lock;
static volatile uint64_t counted;
static uint64_t rounds, x[SMP_CPUS_MAX];
static int64_t *ticks[KINDS], *operations, *lock_wait;

static void play_pipe(void *argument)
{
    const size_t self = (size_t)argument;
    uint8_t byte = 0;

    message_receive();
    for (uint64_t i = 0; i < rounds; i++) {
        if (self % 2 == 0) {
            pipe_write(&pipes[self ^ 1], &byte, 1);
        }
        pipe_read(&pipes[self], &byte, 1);
        if (self % 2 == 1) {
            pipe_write(&pipes[self ^ 1], &byte, 1);
        }
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

static void play(enum kind kind, size_t cpus)
{
    for (size_t i = 0; i < (kind == PIPE ? 2 : 1) * cpus && smp.state == BENCH_OK; i++) {
        smp_thread(&smp, smp_name("%s %zu", curves[kind], i), PRIORITY,
                   smp_only(kind == PIPE ? i / 2 : i), kind == PIPE ? play_pipe : play_mutex,
                   (void *)i);
    }
    smp_sleep(clock_ticks_from_us(SETTLE_US));
    counted = 0;
    const uint64_t before = tsc_read();

    for (size_t i = 0; i < smp.thread_count; i++) {
        message_send(smp.threads[i], TAG_START, 0);
    }
    smp_join(&smp);
    ticks[kind][cpus - 1] = (int64_t)(tsc_read() - before);
    if (kind == MUTEX) {
        smp_law(&smp, cpus * rounds, 0, 0, counted, "acquisitions", "mutex of %zu threads", cpus);
    } else if (kind == PIPE) {
        const uint64_t one = (uint64_t)ticks[kind][0];

        smp_law(&smp, one, one / 10, one / 10, (uint64_t)ticks[kind][cpus - 1], UNIT_TICK,
                "time of %zu pairs", cpus);
    }
}

static void measure(size_t cpus)
{
    if (smp_begin(&smp, (struct task_settings){.processors = cpus})) {
        for (size_t i = 0; i < 2 * cpus; i++) {
            pipe_init(&pipes[i], smp_name("pipe %zu", i));
        }
        mutex_init(&lock, smp_name("lock %zu", cpus), false);
        for (enum kind kind = 0; kind < KINDS; kind++) {
            play(kind, cpus);
        }
    }
    smp_end(&smp);
    x[cpus - 1] = cpus;
    operations[cpus - 1] = (int64_t)(cpus * rounds);
    for (size_t i = 0; i < cpus; i++) {
        lock_wait[cpus - 1] += (int64_t)task_counts(i).lock_wait_ticks;
    }
}

static enum bench_state run(struct bench_run *run)
{
    if (!smp_open(&smp, run, 1)) {
        return smp.state;
    }
    bench_absent(run, CURVE_FAULT, "threads of processes run on processor 0 only");
    rounds = bench_number(run, "rounds");
    operations = smp_samples(&smp, smp.cpus);
    lock_wait = smp_samples(&smp, smp.cpus);
    for (enum kind kind = 0; kind < KINDS; kind++) {
        ticks[kind] = smp_samples(&smp, smp.cpus);
    }
    for (size_t cpus = 1; cpus <= smp.cpus && smp.state == BENCH_OK; cpus++) {
        measure(cpus);
    }
    for (enum kind kind = 0; kind < KINDS && smp.state != BENCH_ERROR; kind++) {
        smp_curve(&smp, curves[kind], x, smp.cpus, ticks[kind], 1, operations);
    }
    bench_publish(run, SERIES_LOCK_WAIT, UNIT_TICK, lock_wait, smp.cpus);
    return smp.state;
}

static const struct bench_param params[] = {
    SMP_PARAM_CPUS("4"),
    {"rounds", "200", "operations on each processor", PARAM_NUMBER(1, 2048)},
    {0},
};

SMP_BENCH(
    scaling, BENCH_SCALING, CURVE_PIPE,
    "pipes, a mutex and page faults on 1 to N processors at once",
    "in exact time N pairs and N processes take as long as one, because sections of the kernel "
    "never meet; a contended mutex is handed to another processor each time, about 2000 "
    "instructions; on silicon the kernel's one lock limits all three");
