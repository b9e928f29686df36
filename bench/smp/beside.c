/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Requests at a fixed rate, and a hog, which never waits, on the same or on
 * another processor. A sample is the time from the arrival of a request to the end of its work.
 * README.md has the law.
 */
#include "bench/smp/smp.h"

#define HOG_PRIORITY 10
#define HERE         1 /* the processor of the requests */
#define LEAD         2 /* the first request comes after that many periods */

static const struct {
    const char *name;
    size_t hog; /* its processor */
    unsigned priority;
    unsigned waits; /* number of quanta of the hog, by law */
} cases[] = {
    {"high.same", HERE, HOG_PRIORITY + 2, 0},
    {"high.other", 0, HOG_PRIORITY + 2, 0},
    {"equal.same", HERE, HOG_PRIORITY, 2},
    {"equal.other", 0, HOG_PRIORITY, 0},
};
#define CASES (sizeof(cases) / sizeof(cases[0]))

static uint64_t start, hog_end, period, work, requests;
static int64_t *samples[CASES];

static void serve(void *argument)
{
    int64_t *sample = argument;

    for (uint64_t i = 0; i < requests; i++) {
        thread_sleep_until(start + i * period);
        smp_work(work);
        sample[i] = (int64_t)(tsc_read() - start - i * period);
    }
    hog_end = 0;
}

static void play(void)
{
    for (size_t i = 0; i < CASES; i++) {
        samples[i] = smp_samples(requests);
        start = tsc_read() + LEAD * period;
        hog_end = UINT64_MAX;
        smp_thread(cases[i].name, cases[i].priority, 1 << HERE, serve, samples[i]);
        smp_thread(smp_name("hog of %s", cases[i].name), HOG_PRIORITY, 1 << cases[i].hog, smp_hog,
                   &hog_end);
        smp_join();
        for (uint64_t k = 0; k < requests && smp.state == BENCH_OK; k++) {
            smp_law(work, 0, cases[i].waits * smp.slice + smp.margin, (uint64_t)samples[i][k],
                    UNIT_TICK, "request %lu of %s", k, cases[i].name);
        }
        bench_publish(smp.run, cases[i].name, UNIT_TICK, samples[i], requests);
    }
}

static enum bench_state run(struct bench_run *run)
{
    if (smp_open(run, HERE + 1)) {
        period = smp_us("period_us");
        work = smp_us("work_us");
        requests = bench_number(run, "requests");
        SMP_SESSION(.quantum = smp_us("quantum_us"));
    }
    return smp.state;
}

static const struct bench_param params[] = {
    {SMP_PARAM_CPUS},
    {"quantum_us", "500", SMP_QUANTUM},
    {"requests", "20", "requests of each kind", PARAM_NUMBER(1, 100000)},
    {"period_us", "700", "time in us from request to request", PARAM_TIME(10, 10000000)},
    {"work_us", "100", "work in us for a request, less than a quantum", PARAM_TIME(1, 1000000)},
    {0},
};

static const struct bench beside = {
    SMP_BENCH,
    .name = BENCH_BESIDE,
    .main_series = "equal.same",
    .summary = "requests next to a thread that never waits, by priority and processor",
    .estimate = "work_us and about 1000 instructions; as the equal of the other thread on its "
                "processor up to quantum_us more, and once more where its own quantum ends",
};
BENCH_REGISTER(beside);
