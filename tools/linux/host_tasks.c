/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Benches syscall, creation, fork and contextswitch under Linux: rows 4 to 6 of the report. Series
 * have the names of the image's (bench/system/), so that the difference of two columns is what
 * Linux adds; operations that only Linux has have names of their own.
 */
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "bench/disk/names.h"
#include "bench/system/names.h"
#include "kernel/run/names.h"
#include "tools/linux/host_pairs.h"
#include "tools/linux/host_trials.h"

#define PAGE        4096
#define RINGS       3 /* of 2, 4 and 8 processes */
#define RING_MAX    8
#define POINTS      2      /* of 1 and 256 pages */
#define YIELDS_MANY 100000 /* yields in a row that may fail to switch: a new thread is in debt */

/* ---- syscall ---- */

/* Calls Linux by the instruction itself, without a C library. */
static inline __attribute__((always_inline)) bool call_null(void *argument)
{
    long result;

    (void)argument;
    __asm__ volatile("syscall" : "=a"(result) : "a"(SYS_getppid) : "rcx", "r11", "memory");
    return result >= 0;
}

static bool call_stat(void *argument)
{
    struct stat answer;

    return stat(argument, &answer) == 0;
}

static bool call_open(void *argument)
{
    const int file = open(argument, O_RDONLY);

    return file >= 0 && close(file) == 0;
}

static bool call_read(void *argument)
{
    char byte;

    return read(*(const int *)argument, &byte, 1) == 1;
}

static bool call_write(void *argument)
{
    const char byte = 0;

    return write(*(const int *)argument, &byte, 1) == 1;
}

static void on_signal(int number)
{
    (void)number;
}

static bool call_raise(void *argument)
{
    (void)argument;
    return raise(SIGUSR1) == 0;
}

static enum bench_state run_syscall(struct bench_run *run)
{
    static char name[] = "/dev/null";
    const struct sigaction action = {.sa_handler = on_signal};
    int zero = open("/dev/zero", O_RDONLY);
    int null = open(name, O_WRONLY);

    host_begin(run);
    bench_absent(run, CALL_COPY64, "Linux has no system call that only copies 64 bytes");
    sigaction(SIGUSR1, &action, NULL);
    host_cost(CALL_NULL, call_null, NULL);
    host_cost(CALL_STAT, call_stat, name);
    host_cost(SERIES_READ, call_read, &zero);
    host_cost("write", call_write, &null);
    host_cost("open", call_open, name);
    host_cost("signal", call_raise, NULL);
    close(zero);
    close(null);
    return host_end();
}

static const struct bench syscalls = {
    .name = BENCH_SYSCALL,
    .group = GROUP_SYSTEM,
    .summary = "system calls of Linux: getppid, stat, read and write of a byte, open, a signal",
    .unit = UNIT_TICK,
    .needs = NEED_CLOCK,
    .params = host_params,
    .run = run_syscall,
};
BENCH_REGISTER(syscalls);

/* ---- creation ---- */

static void *thread_main(void *argument)
{
    return argument;
}

static bool run_thread(void *argument)
{
    pthread_t thread;

    errno = pthread_create(&thread, NULL, thread_main, argument);
    return errno == 0 && pthread_join(thread, NULL) == 0;
}

/* A process that writes to the page at `argument`, unless that is NULL. */
static bool run_process(void *argument)
{
    volatile uint8_t *page = argument;
    const pid_t child = fork();

    if (child == 0) {
        if (page != NULL) {
            *page = 1;
        }
        _exit(0);
    }
    return child > 0 && waitpid(child, NULL, 0) == child;
}

static enum bench_state run_creation(struct bench_run *run)
{
    host_begin(run);
    host_cost(SERIES_THREAD, run_thread, NULL);
    host_cost(SERIES_PROCESS, run_process, NULL);
    return host_end();
}

static const struct bench creation = {
    .name = BENCH_CREATION,
    .group = GROUP_SYSTEM,
    .summary = "the life of a thread, and of a copy of this process: created, run, ended, joined",
    .unit = UNIT_TICK,
    .needs = NEED_CLOCK,
    .params = host_params,
    .run = run_creation,
};
BENCH_REGISTER(creation);

/* ---- fork ---- */

static enum bench_state run_fork(struct bench_run *run)
{
    const size_t bytes = (size_t)PAGE << 8 * (POINTS - 1);
    struct host_pairs pairs;

    host_begin(run);
    bench_absent(run, CURVE_COPY, "Linux shares the pages of a parent until one is written to");
    bench_absent(run, CURVE_WRITE, "bench pagefault times the copy of a page: copy_on_write");
    uint8_t *pages = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

    host_open(&pairs, POINTS);
    if (host_check(pages != MAP_FAILED, "mmap") && host_good()) {
        madvise(pages, bytes, MADV_NOHUGEPAGE);
        for (size_t i = 0, touched = 0; i < POINTS; i++) {
            for (; touched < (size_t)1 << 8 * i; touched++) {
                pages[touched * PAGE] = 1;
            }
            pairs.x[i] = 1 << 8 * i;
            pairs.n[i] = 1;
            host_time(&pairs, i, run_process, pages);
        }
        host_publish(CURVE_SHARE, &pairs);
        munmap(pages, bytes);
    }
    return host_end();
}

static const struct bench forks = {
    .name = BENCH_FORK,
    .group = GROUP_SYSTEM,
    .summary = "fork() of this process by the number of pages touched, to the child's end",
    .unit = UNIT_TICK,
    .needs = NEED_CLOCK,
    .params = host_params,
    .run = run_fork,
};
BENCH_REGISTER(forks);

/* ---- contextswitch: a byte that goes round ---- */

struct relay {
    int from, to;
};

static void relay_main(void *argument)
{
    const struct relay *relay = argument;
    char byte;

    while (read(relay->from, &byte, 1) == 1 && byte == 0 && write(relay->to, &byte, 1) == 1) {
    }
}

static void *relay_thread(void *argument)
{
    relay_main(argument);
    return NULL;
}

/* Sends a byte to the first member and waits for it from the last. */
static bool go_round(void *argument)
{
    const struct relay *relay = argument;
    char byte = 0;

    return write(relay->to, &byte, 1) == 1 && read(relay->from, &byte, 1) == 1;
}

/* Times rounds of this process or thread and `members` - 1 others; member i (from 1) reads pipe
 * i - 1 and writes to pipe i. */
static void time_ring(const struct host_pairs *pairs, size_t point, size_t members, bool threads)
{
    pid_t child[RING_MAX];
    int pipes[RING_MAX][2];
    struct relay relay[RING_MAX];
    pthread_t thread;
    bool good = true;

    for (size_t i = 0; i < members; i++) {
        good = host_check(pipe(pipes[i]) == 0, "pipe") && good;
        relay[i] = (struct relay){i > 0 ? pipes[i - 1][0] : -1, pipes[i][1]};
        child[i] = good && i > 0 && !threads ? host_child(relay_main, &relay[i]) : -1;
    }
    relay[0].from = pipes[members - 1][0];
    if (threads) { /* one other thread */
        host_check(pthread_create(&thread, NULL, relay_thread, &relay[1]) == 0, "a thread");
    }
    host_time(pairs, point, go_round, &relay[0]);
    if (threads && host_good()) {
        host_check(write(relay[0].to, "", 1) == 1 && write(relay[0].to, "q", 1) == 1, "pipe");
        pthread_join(thread, NULL);
    }
    for (size_t i = 0; i < members; i++) {
        host_end_child(child[i]);
        close(pipes[i][0]);
        close(pipes[i][1]);
    }
}

static void time_round(const char *name, bool threads)
{
    struct host_pairs pairs;

    host_open(&pairs, 1);
    time_ring(&pairs, 0, 2, threads);
    host_publish(name, &pairs);
}

/* Curve `ring`: x is the number of processes, a repetition is a hop from one to the next. */
static void time_rings(void)
{
    struct host_pairs pairs;

    host_open(&pairs, RINGS);
    for (size_t i = 0; i < RINGS && host_good(); i++) {
        pairs.x[i] = pairs.n[i] = 2 << i;
        time_ring(&pairs, i, (size_t)pairs.x[i], false);
    }
    host_publish("ring", &pairs);
}

/* ---- contextswitch: two threads that yield to each other ---- */

static struct {
    volatile uint64_t asked;   /* stamp of this thread's yield; 0: the other has run since */
    volatile uint64_t arrived; /* stamp of the other's first return since */
    volatile bool over;
} yields;

static void *yield_thread(void *argument)
{
    while (!yields.over) {
        const uint64_t arrived = tsc_read_ordered();

        if (yields.asked != 0) {
            yields.arrived = arrived;
            yields.asked = 0;
        }
        sched_yield();
    }
    return argument;
}

/* Yields until the other thread has run, and takes the time from that yield to the other's return.
 * Twice cannot be timed, because Linux need not switch back at the other's first yield. */
static size_t take_turns(int64_t *samples, size_t trials)
{
    size_t count = 0;

    for (size_t failed = 0; count < HOST_WARM + trials && failed < YIELDS_MANY; failed++) {
        const uint64_t asked = tsc_read_ordered();

        yields.asked = asked;
        sched_yield();
        if (yields.asked == 0) {
            samples[count < HOST_WARM ? 0 : count - HOST_WARM] = (int64_t)(yields.arrived - asked);
            failed = 0;
            count++;
        }
    }
    return count;
}

static void time_yields(const struct bench_run *run)
{
    const size_t trials = bench_number(run, PARAM_TRIALS);
    int64_t *samples = bench_samples(trials);
    struct host_cost cost;
    pthread_t thread;

    yields = (typeof(yields)){0};
    if (samples == NULL ||
        !host_check(pthread_create(&thread, NULL, yield_thread, NULL) == 0, "a thread")) {
        return;
    }
    const size_t count = take_turns(samples, trials);

    yields.over = true;
    pthread_join(thread, NULL);
    if (count < HOST_WARM + trials) {
        bench_absent(run, SERIES_THREAD_YIELD, "Linux does not switch at sched_yield()");
    } else if (!host_cost_judge(samples, NULL, trials, 1, &cost)) {
        bench_absent(run, SERIES_THREAD_YIELD,
                     "Linux took the processor away; repeat it when idle");
    } else {
        bench_publish(run, SERIES_THREAD_YIELD, UNIT_TICK, samples, trials);
    }
}

static enum bench_state run_contextswitch(struct bench_run *run)
{
    host_begin(run);
    time_yields(run);
    time_round("thread_pipe_round", true);
    time_round(SERIES_PROCESS_PIPE_ROUND, false);
    time_rings();
    return host_end();
}

static const struct bench contextswitch = {
    .name = BENCH_CONTEXTSWITCH,
    .group = GROUP_SYSTEM,
    .summary = "switches by yield, by pipes between threads and processes, and in a ring",
    .unit = UNIT_TICK,
    .needs = NEED_CLOCK,
    .params = host_params,
    .run = run_contextswitch,
};
BENCH_REGISTER(contextswitch);
