/* SPDX-License-Identifier: BSD-2-Clause */
#include "bench/smp/smp.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

/* what a law leaves to switches, interrupts, calls and their records */
#define MARGIN_INSTRUCTIONS 6000
#define SAMPLE_US           100
#define NAMES_BYTES         8192
#define NAME_MAX            64

struct smp smp;

static struct {
    char bytes[NAMES_BYTES];
    size_t used;
} names;

bool smp_open(struct bench_run *run, size_t least)
{
    const uint64_t wanted = bench_number(run, PARAM_CPUS);
    const size_t most = task_processors_max();

    names.used = 0;
    smp = (struct smp){
        .run = run,
        .cpus = wanted < most ? wanted : most,
        .margin = MARGIN_INSTRUCTIONS * clock_state()->ticks_per_instruction,
    };
    bench_fact(run, FACT_CPUS, UNIT_COUNT, (int64_t)smp.cpus);
    smp.state = smp.cpus < least
                    ? bench_skip(run, "cpus: expected at least %zu, got %zu", least, smp.cpus)
                    : bench_calibrate(run, SAMPLE_US, &smp.calibration);
    return smp.state == BENCH_OK;
}

bool smp_session(struct task_settings settings, void (*play)(void))
{
    settings.processors = settings.processors != 0 ? settings.processors : smp.cpus;
    smp.slice = settings.quantum;
    if (smp.state == BENCH_OK && !bench_trace_begin_on(smp.run, settings.processors)) {
        smp.state = BENCH_ERROR;
    } else if (smp.state == BENCH_OK) {
        const bool begun = task_begin(&settings);

        if (begun) {
            play();
            task_end();
        }
        if ((!bench_trace_end(smp.run) || !begun) && smp.state == BENCH_OK) {
            smp.state = bench_error(smp.run, "no memory for threads, or for sending their trace");
        }
    }
    return smp.state == BENCH_OK;
}

const char *smp_name(const char *format, ...)
{
    const size_t room = sizeof(names.bytes) - names.used;
    char *name = names.bytes + names.used;
    va_list list;

    va_start(list, format);
    const size_t length = (size_t)vsnprintf(name, room, format, list);

    va_end(list);
    names.used += length + 1 < room ? length + 1 : room - 1;
    return name;
}

bool smp_keep(struct thread *thread)
{
    if (thread != NULL && smp.thread_count < SMP_THREADS_MAX) {
        smp.threads[smp.thread_count++] = thread;
    } else if (smp.state == BENCH_OK) {
        smp.state = bench_error(smp.run, "no memory for threads");
    }
    return smp.state == BENCH_OK;
}

struct thread *smp_thread(const char *name, unsigned priority, uint64_t affinity,
                          thread_entry *entry, void *argument)
{
    struct thread *thread =
        smp.state == BENCH_OK ? thread_create_on(name, priority, affinity, entry, argument) : NULL;

    return smp_keep(thread) ? thread : NULL;
}

void smp_join(void)
{
    for (size_t i = 0; i < smp.thread_count && smp.state == BENCH_OK; i++) {
        thread_join(smp.threads[i]);
    }
    smp.thread_count = 0;
}

int64_t *smp_samples(size_t count)
{
    int64_t *samples = bench_samples(count);

    if (samples == NULL && smp.state == BENCH_OK) {
        smp.state = bench_error(smp.run, "no memory for %zu samples", count);
    }
    return samples;
}

void smp_curve(const char *name, const uint64_t *x, size_t points, const int64_t *samples,
               size_t trials, const int64_t *repetitions)
{
    static const int64_t ones[SMP_POINTS_MAX] = {1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1};

    bench_publish(smp.run, name, UNIT_TICK, samples, points * trials);
    bench_publish(smp.run, smp_name("%s" SUFFIX_X, name), UNIT_COUNT, (const int64_t *)x, points);
    bench_publish(smp.run, smp_name("%s" SUFFIX_N, name), UNIT_COUNT,
                  repetitions != NULL ? repetitions : ones, points);
}

void smp_law(uint64_t expected, uint64_t less, uint64_t more, uint64_t got, const char *unit,
             const char *thing, ...)
{
    char text[NAME_MAX];
    va_list list;

    if (smp.state != BENCH_OK || (strcmp(unit, UNIT_TICK) == 0 && !bench_is_exact()) ||
        (got + less >= expected && got <= expected + more)) {
        return;
    }
    va_start(list, thing);
    vsnprintf(text, sizeof(text), thing, list);
    va_end(list);
    smp.state = bench_fail(smp.run, "%s: expected %lu (-%lu, +%lu) %s, got %lu", text, expected,
                           less, more, unit, got);
}

void smp_hog(void *end)
{
    const volatile uint64_t *until = end;

    while (tsc_read() < *until) {
    }
}

void smp_work(uint64_t ticks)
{
    idle_loop_spin(idle_loop_iterations(&smp.calibration, ticks) + 1);
}

uint64_t smp_us(const char *name)
{
    return clock_ticks_from_us(bench_number(smp.run, name));
}

void smp_sleep(uint64_t ticks)
{
    thread_sleep_until(tsc_read() + ticks);
}
