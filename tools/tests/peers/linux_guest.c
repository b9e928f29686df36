/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * What an operating system's own operations cost inside a Linux guest: the peer of the benches of
 * system calls, tasks and page faults. Runs in the guest of bench_linux.sh, where the TSC counts
 * instructions, and prints a line for each operation:
 *
 *     guest NAME samples=N min=TICKS median=TICKS p99=TICKS max=TICKS
 *
 * Each sample is one operation between two RDTSC; `empty` is two of them with nothing between, and
 * is not subtracted here. Operations are entered as the image's benches enter theirs, without a C
 * library where it would add to them: the system call is the instruction itself.
 */
#include <errno.h>
#include <linux/futex.h>
#include <sched.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#define SAMPLES_MAX 2000
#define WARM_UP     20 /* turns before the first sample */
#define STACK_BYTES 65536
#define PAGE_BYTES  4096

static int64_t samples[SAMPLES_MAX]; /* not on a page that a sample would fault in: touched first */

static inline int64_t stamp(void)
{
    uint32_t low;
    uint32_t high;

    __asm__ volatile("rdtsc" : "=a"(low), "=d"(high) : : "memory");
    return (int64_t)((uint64_t)high << 32 | low);
}

static inline long call_kernel(long number)
{
    long result;

    __asm__ volatile("syscall" : "=a"(result) : "a"(number) : "rcx", "r11", "memory");
    return result;
}

static _Noreturn void die(const char *what)
{
    printf("guest-error %s: %s\n", what, strerror(errno));
    exit(1);
}

static int by_value(const void *a, const void *b)
{
    const int64_t left = *(const int64_t *)a;
    const int64_t right = *(const int64_t *)b;

    return left < right ? -1 : left > right;
}

/* Quantiles by nearest rank. */
static void print_samples(const char *name, size_t count)
{
    if (count == 0) {
        printf("guest-error %s: no sample\n", name);
        return;
    }
    qsort(samples, count, sizeof(*samples), by_value);
    printf("guest %s samples=%zu min=%lld median=%lld p99=%lld max=%lld\n", name, count,
           (long long)samples[0], (long long)samples[(count + 1) / 2 - 1],
           (long long)samples[(count * 99 + 99) / 100 - 1], (long long)samples[count - 1]);
}

static void measure_empty(void)
{
    for (size_t i = 0; i < SAMPLES_MAX; i++) {
        const int64_t begin = stamp();

        samples[i] = stamp() - begin;
    }
    print_samples("empty", SAMPLES_MAX);
}

static void measure_system_call(void)
{
    for (size_t i = 0; i < SAMPLES_MAX; i++) {
        const int64_t begin = stamp();

        call_kernel(SYS_getppid);
        samples[i] = stamp() - begin;
    }
    print_samples("system_call", SAMPLES_MAX);
}

/* A page of anonymous memory, written to for the first time. */
static void measure_demand_zero(void)
{
    const size_t bytes = (size_t)SAMPLES_MAX * PAGE_BYTES;
    volatile uint8_t *pages =
        mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

    if (pages == MAP_FAILED) {
        die("mmap");
    }
    /* EINVAL: a kernel without huge pages. */
    if (madvise((void *)pages, bytes, MADV_NOHUGEPAGE) != 0 && errno != EINVAL) {
        die("madvise");
    }
    for (size_t i = 0; i < SAMPLES_MAX; i++) {
        const int64_t begin = stamp();

        pages[i * PAGE_BYTES] = 1;
        samples[i] = stamp() - begin;
    }
    print_samples("demand_zero", SAMPLES_MAX);
    munmap((void *)pages, bytes);
}

/* The other side of the pipes: sends back what comes. */
static _Noreturn void echo(int from, int to)
{
    char byte;

    while (read(from, &byte, 1) == 1 && write(to, &byte, 1) == 1) {
    }
    _exit(0);
}

/* A byte to another process by a pipe and back by a second one. */
static void measure_pipe(void)
{
    int there[2];
    int back[2];
    char byte = 0;

    if (pipe(there) != 0 || pipe(back) != 0) {
        die("pipe");
    }
    const pid_t other = fork();

    if (other < 0) {
        die("fork");
    }
    if (other == 0) {
        close(there[1]);
        close(back[0]);
        echo(there[0], back[1]);
    }
    for (size_t i = 0; i < SAMPLES_MAX + WARM_UP; i++) {
        const int64_t begin = stamp();

        if (write(there[1], &byte, 1) != 1 || read(back[0], &byte, 1) != 1) {
            die("pipe round trip");
        }
        const int64_t end = stamp();

        if (i >= WARM_UP) {
            samples[i - WARM_UP] = end - begin;
        }
    }
    close(there[1]);
    waitpid(other, NULL, 0);
    print_samples("process_pipe_round", SAMPLES_MAX);
}

/* ---- threads, without a library's bookkeeping ---- */

static int joined; /* not 0 while the thread runs: the kernel clears it and wakes who waits */

static void start_thread(int (*body)(void *argument), uint8_t *stack)
{
    joined = 1;
    if (clone(body, stack + STACK_BYTES,
              CLONE_VM | CLONE_FS | CLONE_FILES | CLONE_SIGHAND | CLONE_THREAD | CLONE_SYSVSEM |
                  CLONE_CHILD_CLEARTID,
              NULL, NULL, NULL, &joined) < 0) {
        die("clone");
    }
}

static void join_thread(void)
{
    while (__atomic_load_n(&joined, __ATOMIC_ACQUIRE) != 0) {
        syscall(SYS_futex, &joined, FUTEX_WAIT, 1, NULL, NULL, 0);
    }
}

/* By the instruction: exit() of the C library is of a process. */
static int thread_ends(void *argument)
{
    (void)argument;
    syscall(SYS_exit, 0);
    return 0;
}

/* Created, run, ended and joined. */
static void measure_thread(uint8_t *stack)
{
    for (size_t i = 0; i < SAMPLES_MAX; i++) {
        const int64_t begin = stamp();

        start_thread(thread_ends, stack);
        join_thread();
        samples[i] = stamp() - begin;
    }
    print_samples("thread", SAMPLES_MAX);
}

/* A separate process: forked, ended and waited for. */
static void measure_process(void)
{
    const size_t count = SAMPLES_MAX / 10;

    for (size_t i = 0; i < count; i++) {
        const int64_t begin = stamp();
        const pid_t other = fork();

        if (other < 0) {
            die("fork");
        }
        if (other == 0) {
            _exit(0);
        }
        waitpid(other, NULL, 0);
        samples[i] = stamp() - begin;
    }
    print_samples("process", count);
}

/* Two threads that yield to each other: a sample is from one's yield to the other's return from
 * its own. Where the scheduler gave the processor back to the same thread there is none. */
static struct {
    volatile int64_t begin;
    volatile int turn;
    volatile size_t count;
} yields;

static void take_turns(int self)
{
    while (yields.count < SAMPLES_MAX) {
        const int64_t end = stamp();

        if (yields.turn != self && yields.count < SAMPLES_MAX) {
            samples[yields.count++] = end - yields.begin;
        }
        yields.turn = self;
        yields.begin = stamp();
        call_kernel(SYS_sched_yield);
    }
}

static int thread_yields(void *argument)
{
    (void)argument;
    take_turns(1);
    syscall(SYS_exit, 0);
    return 0;
}

static void measure_yield(uint8_t *stack)
{
    start_thread(thread_yields, stack);
    take_turns(0);
    join_thread();
    print_samples("thread_yield", SAMPLES_MAX);
}

int main(void)
{
    uint8_t *stack = mmap(NULL, STACK_BYTES, PROT_READ | PROT_WRITE,
                          MAP_PRIVATE | MAP_ANONYMOUS | MAP_STACK | MAP_POPULATE, -1, 0);

    if (stack == MAP_FAILED) {
        die("mmap");
    }
    memset(samples, 1, sizeof(samples));
    setvbuf(stdout, NULL, _IOLBF, 0);
    measure_empty();
    measure_system_call();
    measure_demand_zero();
    measure_yield(stack);
    measure_pipe();
    measure_thread(stack);
    measure_process();
    puts("guest-end");
    return 0;
}
