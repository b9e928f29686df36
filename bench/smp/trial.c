/* SPDX-License-Identifier: BSD-2-Clause */
#include "kernel/clock/clock.h"
#include "kernel/cpu/cpu.h"
#include "kernel/run/bench.h"
#include "kernel/task/session.h"
#include "kernel/task/thread.h"

static volatile uint64_t done[16];

static void hog(void *argument)
{
    const size_t id = (size_t)argument;

    for (int i = 0; i < 2000; i++) {
        idle_loop_spin(1000);
        done[id]++;
    }
}

static enum bench_state run(struct bench_run *run)
{
    const size_t most = task_processors_max();
    const size_t n = bench_number(run, "cpus") < most ? bench_number(run, "cpus") : most;
    const size_t hogs = bench_number(run, "hogs");
    struct thread *threads[16];
    const struct task_settings settings = {.processors = n, .quantum = clock_ticks_from_us(1000)};

    bench_fact(run, "n", "count", (int64_t)n);
    bench_fact(run, "most", "count", (int64_t)most);
    if (!bench_trace_begin_on(run, n)) {
        return BENCH_ERROR;
    }
    if (!task_begin(&settings)) {
        bench_trace_end(run);
        return bench_error(run, "no threads");
    }
    const uint64_t begin = tsc_read();
    for (size_t i = 0; i < hogs; i++) {
        threads[i] = thread_create("hog", 8, hog, (void *)i);
    }
    for (size_t i = 0; i < hogs; i++) {
        thread_join(threads[i]);
    }
    const uint64_t end = tsc_read();
    task_end();
    bench_trace_end(run);
    bench_fact(run, "took", "tick", (int64_t)(end - begin));
    for (size_t i = 0; i < n; i++) {
        const struct task_counts counts = task_counts(i);
        bench_fact(run, "switches", "count", (int64_t)counts.switches);
        bench_fact(run, "ends", "count", (int64_t)counts.quantum_ends);
    }
    int64_t *s = bench_samples(1);
    s[0] = (int64_t)(end - begin);
    bench_publish(run, "took", "tick", s, 1);
    return bench_ok(run);
}

static const struct bench_param params[] = {
    {"cpus","2","processors",PARAM_NUMBER(1,16)},
    {"hogs","2","hogs",PARAM_NUMBER(1,16)},
    {0},
};

static const struct bench trial = {.name = "trial", .group = "smp", .summary = "trial", .unit = "tick", .estimate = "none",
    .needs = NEED_CLOCK | NEED_LAPIC_TIMER, .on_request = true, .params = params, .run = run};
BENCH_REGISTER(trial);
