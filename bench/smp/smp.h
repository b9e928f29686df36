/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * What the benches of threads on several processors share: traced sessions (kernel/task/session.h),
 * threads that are joined together, laws, and curves. What goes wrong first, here or by a law,
 * stays in `state`.
 */
#pragma once

#include "bench/smp/names.h"
#include "kernel/clock/clock.h"
#include "kernel/cpu/cpu.h"
#include "kernel/run/bench.h"
#include "kernel/run/names.h"
#include "kernel/task/locks.h"
#include "kernel/task/session.h"

#define SMP_CPUS_MAX    16
#define SMP_THREADS_MAX 128 /* between two calls of smp_join() */
#define SMP_POINTS_MAX  16
#define SMP_ALL         UINT64_MAX /* affinity: any processor */

extern struct smp {
    struct bench_run *run;
    enum bench_state state;
    size_t cpus;     /* parameter `cpus`, or the number of processors that work */
    uint64_t margin; /* ticks that a law leaves to switches, interrupts and calls */
    uint64_t slice;  /* ticks of a quantum in this session */
    struct idle_calibration calibration;
    struct thread *threads[SMP_THREADS_MAX];
    size_t thread_count;
} smp __attribute__((visibility("hidden"))); /* of the bench that runs */

/* Calibrates the idle loop. Returns false if the bench has ended, as SKIP with fewer than `least`
 * processors. */
bool smp_open(struct bench_run *run, size_t least);
/* Calls play() in a session that is a part of the trace; settings.processors 0 means smp.cpus.
 * Returns whether the bench may go on. */
bool smp_session(struct task_settings settings, void (*play)(void));
#define SMP_SESSION(...) smp_session((struct task_settings){__VA_ARGS__}, play)

/* Returns the text, which stays until the next bench opens. */
__attribute__((format(printf, 1, 2))) const char *smp_name(const char *format, ...);
/* As thread_create_on(); returns NULL if that, or something earlier, failed. */
struct thread *smp_thread(const char *name, unsigned priority, uint64_t affinity,
                          thread_entry *entry, void *argument);
/* Makes smp_join() wait for a thread, too; NULL means that there was no memory for it. Returns
 * whether the bench may go on. */
bool smp_keep(struct thread *thread);
/* Waits for the end of the threads created since the last call. */
void smp_join(void);

int64_t *smp_samples(size_t count);
/* Publishes a curve of up to SMP_POINTS_MAX points: trial k of point i at [i * trials + k], and
 * repetitions (NULL: 1 each). */
void smp_curve(const char *name, const uint64_t *x, size_t points, const int64_t *samples,
               size_t trials, const int64_t *repetitions);
/* A law: the bench ends as FAIL unless expected - less <= got <= expected + more. Lengths in ticks
 * are judged in exact time only: elsewhere others may take any processor away. */
__attribute__((format(printf, 6, 7))) void smp_law(uint64_t expected, uint64_t less, uint64_t more,
                                                   uint64_t got, const char *unit,
                                                   const char *thing, ...);

/* A thread that works until the TSC has reached *(uint64_t *)end, which others may change. */
void smp_hog(void *end);
void smp_work(uint64_t ticks);
void smp_sleep(uint64_t ticks);
/* Returns the ticks of a parameter in us. */
uint64_t smp_us(const char *name);

/* Rows of params: all of one, and the end of another. */
#define SMP_PARAM_CPUS \
    PARAM_CPUS, "4", "largest number of processors", PARAM_NUMBER(1, SMP_CPUS_MAX)
#define SMP_QUANTUM "length in us of a time slice", PARAM_TIME(50, 1000000)
/* What all these benches have in common. */
#define SMP_BENCH                                                                       \
    .group = GROUP_SMP, .unit = UNIT_TICK, .samples = "", .params = params, .run = run, \
    .needs = NEED_CLOCK | NEED_LAPIC_TIMER | NEED_PROCESSORS
