/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * bench quantum: hogs of equal priority that share processors by time slices; hog h runs on
 * processor h modulo `cpus`. Each reads the clock all the time: from jump to jump it had its turn
 * ("run"), and a jump of more than a quarter of a quantum is a time in which others ran ("ready").
 * README.md has the law.
 */
#include "bench/smp/smp.h"

#define PRIORITY 10
#define HOGS_MAX 64
#define LEAD_US  500 /* until all hogs have been created */

static struct hog {
    size_t turns;
    int64_t *run, *ready;
} hogs[HOGS_MAX];
static size_t count, quanta;
static uint64_t start, end;
static int64_t *ran, *cpu; /* one sample a hog */

static void take_turns(void *argument)
{
    const size_t index = (size_t)argument;
    struct hog *hog = &hogs[index];

    thread_sleep_until(start);
    uint64_t begin = tsc_read();
    uint64_t last = begin;

    for (uint64_t now = begin; now < end; now = tsc_read()) {
        if (now - last > smp.slice / 4) {
            ran[index] += (int64_t)(last - begin);
            if (hog->turns < quanta) {
                hog->run[hog->turns] = (int64_t)(last - begin);
                hog->ready[hog->turns++] = (int64_t)(now - last);
            }
            begin = now;
        }
        last = now;
    }
    ran[index] += (int64_t)(last - begin);
    cpu[index] = (int64_t)thread_processor();
}

static void play(void)
{
    start = tsc_read() + clock_ticks_from_us(LEAD_US);
    end = start + quanta * smp.slice;
    for (size_t i = 0; i < count; i++) {
        hogs[i] = (struct hog){0, smp_samples(quanta), smp_samples(quanta)};
        smp_thread(smp_name("hog %zu", i), PRIORITY, 1u << i % smp.cpus, take_turns, (void *)i);
    }
    smp_join();
}

static void judge(size_t index)
{
    const struct hog *hog = &hogs[index];
    const uint64_t k = count / smp.cpus + (index % smp.cpus < count % smp.cpus ? 1 : 0);
    const uint64_t slice = smp.slice;

    smp_law(index % smp.cpus, 0, 0, (uint64_t)cpu[index], "as processor", "hog %zu", index);
    smp_law(quanta * slice / k, slice + quanta * smp.margin, slice, (uint64_t)ran[index], UNIT_TICK,
            "time of hog %zu among %lu", index, k);
    for (size_t i = 0; i < hog->turns; i++) {
        smp_law(slice, i > 0 ? smp.margin : slice, smp.margin, (uint64_t)hog->run[i], UNIT_TICK,
                "turn %zu of hog %zu", i, index);
        smp_law((k - 1) * slice, k * smp.margin, k * smp.margin, (uint64_t)hog->ready[i], UNIT_TICK,
                "ready time %zu of hog %zu among %lu", i, index, k);
    }
}

static enum bench_state run(struct bench_run *run)
{
    if (!smp_open(run, 1)) {
        return smp.state;
    }
    count = bench_number(run, "hogs");
    quanta = bench_number(run, "quanta");
    ran = smp_samples(count);
    cpu = smp_samples(count);
    if (!SMP_SESSION(.quantum = smp_us("quantum_us"))) {
        return smp.state;
    }
    bench_fact(run, FACT_QUANTUM, UNIT_TICK, (int64_t)smp.slice);
    bench_publish(run, SERIES_RAN, UNIT_TICK, ran, count);
    bench_publish(run, SERIES_CPU, UNIT_COUNT, cpu, count);
    for (size_t i = 0; i < count; i++) {
        const struct hog *hog = &hogs[i];

        if (hog->turns > 0) {
            bench_publish(run, smp_name(PREFIX_RUN "%zu", i), UNIT_TICK, hog->run, hog->turns);
            bench_publish(run, smp_name(PREFIX_READY "%zu", i), UNIT_TICK, hog->ready, hog->turns);
        }
        judge(i);
    }
    return smp.state;
}

static const struct bench_param params[] = {
    {SMP_PARAM_CPUS},
    {"quantum_us", "1000", SMP_QUANTUM},
    {"hogs", "8", "threads that never wait", PARAM_NUMBER(1, HOGS_MAX)},
    {"quanta", "20", "length of the watch in quanta", PARAM_NUMBER(2, 10000)},
    {0},
};

static const struct bench quantum = {
    SMP_BENCH,
    .name = BENCH_QUANTUM,
    .main_series = SERIES_RAN,
    .summary = "threads of equal priority that share processors by time slices",
    .estimate = "of k threads on a processor each has 1/k of the time to within a quantum; a "
                "turn lasts a quantum, and the wait for the next one k - 1 quanta; a change "
                "of threads adds about 500 instructions: timer interrupt, records, switch",
};
BENCH_REGISTER(quantum);
