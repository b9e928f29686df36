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
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "bench/disk/names.h"
#include "bench/system/names.h"
#include "tools/linux/host_pairs.h"

#define PAGE        4096
#define RINGS       3 /* of 2, 4 and 8 processes */
#define RING_MAX    8
#define PAGES_MAX   256    /* of a process that is forked */
#define YIELDS_MANY 100000 /* yields in a row that may fail to switch: a new thread is in debt */

static const char null_name[] = "/dev/null";
static int zero_file, null_file;

/* Calls Linux by the instruction itself, without a C library. */
static inline __attribute__((always_inline)) bool call_null(void)
{
    long result;

    __asm__ volatile("syscall" : "=a"(result) : "a"(SYS_getppid) : "rcx", "r11", "memory");
    return result >= 0;
}

static bool call_stat(void)
{
    struct stat answer;

    return stat(null_name, &answer) == 0;
}

static bool call_open(void)
{
    const int file = open(null_name, O_RDONLY);

    return file >= 0 && close(file) == 0;
}

static bool call_read(void)
{
    char byte;

    return read(zero_file, &byte, 1) == 1;
}

static bool call_write(void)
{
    const char byte = 0;

    return write(null_file, &byte, 1) == 1;
}

static void measure_syscalls(struct bench_run *run)
{
    bench_absent(run, CALL_COPY64, "Linux has no system call that only copies 64 bytes");
    zero_file = open("/dev/zero", O_RDONLY);
    null_file = open(null_name, O_WRONLY);
    host_cost(CALL_NULL, call_null);
    host_cost(CALL_STAT, call_stat);
    host_cost(SERIES_READ, call_read);
    host_cost("write", call_write);
    host_cost("open", call_open);
    close(zero_file);
    close(null_file);
}

HOST_BENCH(syscalls, BENCH_SYSCALL, GROUP_SYSTEM,
           "system calls of Linux: getppid, stat, read and write of a byte, open");

static volatile uint8_t *pages; /* the child writes to the first; NULL: to none */

static void *thread_main(void *argument)
{
    return argument;
}

static bool run_thread(void)
{
    pthread_t thread;

    errno = pthread_create(&thread, NULL, thread_main, NULL);
    return errno == 0 && pthread_join(thread, NULL) == 0;
}

static bool run_process(void)
{
    const pid_t child = fork();

    if (child == 0) {
        if (pages != NULL) {
            pages[0] = 1;
        }
        _exit(0);
    }
    return child > 0 && waitpid(child, NULL, 0) == child;
}

static void measure_creation(struct bench_run *run)
{
    (void)run;
    host_cost(SERIES_THREAD, run_thread);
    host_cost(SERIES_PROCESS, run_process);
}

HOST_BENCH(creation, BENCH_CREATION, GROUP_SYSTEM,
           "the life of a thread, and of a copy of this process: created, run, ended, joined");

static void measure_forks(struct bench_run *run)
{
    const size_t bytes = (size_t)PAGES_MAX * PAGE;
    void *memory = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    struct host_pairs pairs;

    bench_absent(run, CURVE_COPY, "Linux shares the pages of a parent until one is written to");
    bench_absent(run, CURVE_WRITE, "bench pagefault times the copy of a page: copy_on_write");
    if (!host_check(memory != MAP_FAILED, "mmap")) {
        return;
    }
    madvise(memory, bytes, MADV_NOHUGEPAGE);
    pages = memory;
    host_open(&pairs, 2);
    for (size_t i = 0; i < 2 && host_good(); i++) {
        const size_t touched = i == 0 ? 1 : PAGES_MAX;

        for (size_t page = 0; page < touched; page++) {
            pages[page * PAGE] = 1;
        }
        pairs.x[i] = (int64_t)touched;
        pairs.n[i] = 1;
        host_time(&pairs, i, run_process);
    }
    host_publish(CURVE_SHARE, &pairs);
    pages = NULL;
    munmap(memory, bytes);
}

HOST_BENCH(forks, BENCH_FORK, GROUP_SYSTEM,
           "fork() of this process by the number of pages touched, to the child's end");

/* ---- contextswitch: a byte that goes round ---- */

static struct {
    int from, to;
} relay; /* pipes of a member of a ring */

static void relay_main(void)
{
    char byte;

    while (read(relay.from, &byte, 1) == 1 && write(relay.to, &byte, 1) == 1) {
    }
}

/* Sends a byte to the first other member and waits for it from the last. */
static bool go_round(void)
{
    char byte = 0;

    return write(relay.to, &byte, 1) == 1 && read(relay.from, &byte, 1) == 1;
}

/* Times rounds of this process and `members` - 1 others; member i (from 1) reads pipe i - 1 and
 * writes to pipe i. */
static void time_ring(const struct host_pairs *pairs, size_t point, size_t members)
{
    pid_t child[RING_MAX];
    int pipes[RING_MAX][2];

    memset(pipes, -1, sizeof(pipes));
    for (size_t i = 0; i < members; i++) {
        host_check(pipe(pipes[i]) == 0, "pipe");
        relay = (typeof(relay)){i > 0 ? pipes[i - 1][0] : -1, pipes[i][1]};
        child[i] = i > 0 && host_good() ? host_child(relay_main) : -1;
    }
    relay = (typeof(relay)){pipes[members - 1][0], pipes[0][1]};
    host_time(pairs, point, go_round);
    for (size_t i = 0; i < members; i++) {
        host_end_child(child[i]);
        close(pipes[i][0]);
        close(pipes[i][1]);
    }
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
static void time_yields(struct bench_run *run)
{
    struct host_pairs pairs;
    pthread_t thread;
    size_t count = 0;

    host_open(&pairs, 1);
    pairs.twice = NULL;
    yields = (typeof(yields)){0};
    if (!host_good() ||
        !host_check(pthread_create(&thread, NULL, yield_thread, NULL) == 0, "a thread")) {
        return;
    }
    for (size_t failed = 0; count < HOST_WARM + pairs.trials && failed < YIELDS_MANY; failed++) {
        const uint64_t asked = tsc_read_ordered();

        yields.asked = asked;
        sched_yield();
        if (yields.asked == 0) {
            pairs.once[count < HOST_WARM ? 0 : count - HOST_WARM] =
                (int64_t)(yields.arrived - asked);
            failed = 0;
            count++;
        }
    }
    yields.over = true;
    pthread_join(thread, NULL);
    if (count < HOST_WARM + pairs.trials) {
        bench_absent(run, SERIES_THREAD_YIELD, "Linux does not switch at sched_yield()");
    } else if (host_undisturbed(SERIES_THREAD_YIELD, &pairs)) {
        host_publish(SERIES_THREAD_YIELD, &pairs);
    }
}

static void measure_contextswitch(struct bench_run *run)
{
    struct host_pairs pairs;

    time_yields(run);
    host_open(&pairs, 1);
    time_ring(&pairs, 0, 2);
    host_publish(SERIES_PROCESS_PIPE_ROUND, &pairs);
    /* A repetition of the curve is a hop from one process to the next. */
    host_open(&pairs, RINGS);
    for (size_t i = 0; i < RINGS && host_good(); i++) {
        pairs.x[i] = pairs.n[i] = 2 << i;
        time_ring(&pairs, i, (size_t)pairs.x[i]);
    }
    host_publish("ring", &pairs);
}

HOST_BENCH(contextswitch, BENCH_CONTEXTSWITCH, GROUP_SYSTEM,
           "switches by yield, by pipes between two processes, and in a ring of processes");
