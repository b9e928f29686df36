/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Publishing of measurements: sends samples, facts and what is absent to the line and to the
 * summary on the screen (functions of bench.h). Also allocates the memory for samples.
 */
#include <stdio.h>
#include <string.h>

#include "kernel/clock/clock.h"
#include "kernel/cpu/cpu.h"
#include "kernel/cpu/cpuid.h"
#include "kernel/link/link.h"
#include "kernel/link/live_gaps.h"
#include "kernel/link/names.h"
#include "kernel/mem/memory.h"
#include "kernel/mem/paging.h"
#include "kernel/run/bench.h"
#include "kernel/run/bench_run.h"
#include "kernel/run/counting.h"
#include "kernel/run/expectation.h"
#include "kernel/run/limit.h"
#include "kernel/run/names.h"
#include "kernel/run/runner.h"
#include "kernel/run/sampling.h"
#include "kernel/run/summary.h"

int64_t *bench_samples(size_t count)
{
    /* The line numbers samples with 32 bits, so no more can be sent. */
    if (count > UINT32_MAX || count > memory_total() / sizeof(int64_t)) {
        return NULL;
    }
    int64_t *samples = memory_allocate((count > 0 ? count : 1) * sizeof(int64_t), 64);

    sampling_add(samples, count);
    return samples;
}

void bench_place_by_size(bool on)
{
    memory_places_by_size = on;
}

void *bench_memory(size_t bytes)
{
    return memory_allocate(bytes, PAGE_SIZE);
}

bool bench_node(size_t index, struct bench_node *node)
{
    const struct memory_node_page *pages;

    if (index >= memory_node_pages(&pages)) {
        return false;
    }
    *node = (struct bench_node){pages[index].node, pages[index].page};
    return true;
}

void *bench_untouched_memory(uint64_t bytes)
{
    return (void *)(uintptr_t)memory_untouched(bytes);
}

void *bench_alias_pages(size_t pages)
{
    return (void *)(uintptr_t)paging_alias_pages(pages);
}

/* Sends the largest sample, because LAVA draws one value for each run: a change of firmware or
 * machine moves the worst case, and it does not depend on the order of the samples. */
static void report_greatest(const struct bench_run *run, const char *name, const char *unit,
                            const int64_t *samples, size_t count)
{
    struct lava_case greatest = {.bench = run->bench->name,
                                 .pass = run->pass,
                                 .series = name,
                                 .result = LAVA_PASS,
                                 .measured = count > 0,
                                 .unit = unit};

    for (size_t i = 0; i < count; i++) {
        greatest.value = i == 0 || samples[i] > greatest.value ? samples[i] : greatest.value;
    }
    link_lava(&greatest);
}

static void publish(const struct bench_run *run, const char *name, const char *unit,
                    const int64_t *samples, size_t count)
{
    const struct link_series series = {
        .bench = run->bench->name,
        .pass = run->pass,
        .name = name,
        .unit = unit,
        .samples = samples,
        .count = count,
    };

    summary_series(run->bench, name, unit, samples, count);
    expectation_series(name, unit, samples, count);
    limit_pause();
    link_series(&series);
    report_greatest(run, name, unit, samples, count);
    limit_resume();
}

void bench_publish(const struct bench_run *run, const char *name, const char *unit,
                   const int64_t *samples, size_t count)
{
    publish(run, name, unit, samples, count);
    sampling_report(run, name, samples, count, 1);
}

void bench_fact(const struct bench_run *run, const char *name, const char *unit, int64_t value)
{
    struct record_writer record;

    expectation_fact(name, value);
    bench_record(&record, RECORD_FACT, run);
    record_text(&record, RECORD_KEY(fact, name), name);
    record_signed(&record, RECORD_KEY(fact, value), value);
    record_text(&record, RECORD_KEY(fact, unit), unit);
    limit_pause();
    link_record(&record);
    limit_resume();
}

void bench_found(const struct bench_run *run, const char *name, const char *text)
{
    struct record_writer record;

    bench_record(&record, RECORD_PARAM, run);
    record_text(&record, RECORD_KEY(param, name), name);
    record_text(&record, RECORD_KEY(param, value), text);
    record_text(&record, RECORD_KEY(param, origin), ORIGIN_FOUND);
    limit_pause();
    link_record(&record);
    limit_resume();
}

void bench_notify(const struct bench_run *run, const char *text)
{
    limit_pause();
    link_text("tare: %s: %s", run->bench->name, text);
    link_drain();
    limit_resume();
}

/* Takes the lane's record into its heat, and decides whether it is sent. The record of the first
 * lane always is: it has the time of the watch. */
static void take_lane(struct live_lane *lane, bool first, uint64_t hz)
{
    const struct live_gaps *gaps = &lane->gaps;

    live_heat_take(&lane->heat, gaps);
    lane->is_news = first || gaps->over != lane->told_over ||
                    live_gaps_due(gaps->elapsed, lane->told_elapsed, hz);
    if (lane->is_news) {
        lane->told_over = gaps->over;
        lane->told_elapsed = gaps->elapsed;
    }
}

uint64_t bench_live(const struct bench_run *run, struct live_lane *lanes, size_t count)
{
    const uint64_t hz = clock_state()->verdict.hz;
    const uint64_t begin = tsc_read();

    limit_pause();
    for (size_t i = 0; i < count; i++) {
        take_lane(&lanes[i], i == 0, hz);
    }
    link_live(run->bench->name, run->pass, lanes, count);
    summary_live(run->bench, lanes, count);
    runner_save_round();
    link_live(NULL, 0, NULL, 0);
    limit_resume();
    const uint64_t took = bench_counts_instructions() ? 0 : tsc_read() - begin;

    return live_gaps_round(lanes[0].gaps.elapsed, took, hz);
}

void bench_absent(const struct bench_run *run, const char *name, const char *reason)
{
    struct record_writer record;

    expectation_absent(name);
    bench_record(&record, RECORD_ABSENT, run);
    record_text(&record, RECORD_KEY(absent, name), name);
    record_text(&record, RECORD_KEY(absent, reason), reason);
    limit_pause();
    link_record(&record);
    limit_resume();
}

/* ---- counting ---- */

bool bench_is_exact(void)
{
    return clock_is_exact();
}

bool bench_counts_instructions(void)
{
    return clock_state()->ticks_per_instruction != 0;
}

bool bench_has_caches(void)
{
    struct cpu_identity identity;

    cpu_identify(cpuid_instruction, &identity);
    return !bench_counts_instructions() &&
           cpu_emulator(identity.hypervisor, identity.brand) == NULL;
}

bool bench_counting(void)
{
    return counting_current() != NULL;
}

size_t bench_events_counted(void)
{
    const struct counting_pass *pass = counting_current();

    return pass == NULL ? 0 : pass->column_count;
}

static const struct counting_column *find_column(const char *event)
{
    const struct counting_pass *pass = counting_current();

    for (size_t i = 0; pass != NULL && i < pass->column_count; i++) {
        if (strcmp(pass->column[i].request->name, event) == 0) {
            return &pass->column[i];
        }
    }
    return NULL;
}

bool bench_counts(const char *event)
{
    return find_column(event) != NULL;
}

int64_t *bench_rows(size_t count)
{
    const size_t words = reader_row_words();

    return count > SIZE_MAX / words ? NULL : bench_samples(count * words);
}

int64_t *bench_row(int64_t *rows, size_t index)
{
    return rows + index * reader_row_words();
}

/* Returns "series.event", kept for the rest of the run, or NULL if there is not enough memory. */
static const char *count_name(const char *series, const char *event)
{
    const size_t size = strlen(series) + 1 + strlen(event) + 1;
    char *name = memory_allocate(size, 1);

    if (name != NULL) {
        snprintf(name, size, "%s.%s", series, event);
    }
    return name;
}

static int64_t count_of(const struct counting_column *column, const struct bench_rows *rows,
                        size_t sample)
{
    const size_t first = rows->order == ROWS_PAIRS ? 2 * sample : sample;

    return counting_delta(column, bench_row(rows->rows, first), bench_row(rows->rows, first + 1));
}

int64_t bench_row_count(const struct bench_rows *rows, size_t sample, const char *event)
{
    const struct counting_column *column = find_column(event);

    return column != NULL ? count_of(column, rows, sample) : 0;
}

static bool publish_column(const struct bench_run *run, const struct counting_column *column,
                           const char *of, const struct bench_rows *rows)
{
    int64_t *counts = bench_samples(rows->samples);
    const char *name = count_name(of, column->request->name);

    if (counts == NULL || name == NULL) {
        return false;
    }
    for (size_t i = 0; i < rows->samples; i++) {
        const size_t first = rows->order == ROWS_PAIRS ? 2 * i : i;

        counts[i] =
            counting_delta(column, bench_row(rows->rows, first), bench_row(rows->rows, first + 1));
    }
    const struct link_series series = {
        .bench = run->bench->name,
        .pass = run->pass,
        .name = name,
        .of = of,
        .event = column->request->name,
        .unit = UNIT_COUNT,
        .samples = counts,
        .count = rows->samples,
    };

    limit_pause();
    link_series(&series);
    limit_resume();
    return true;
}

bool bench_publish_counts(const struct bench_run *run, const char *of,
                          const struct bench_rows *rows)
{
    const struct counting_pass *pass = counting_current();

    for (size_t i = 0; pass != NULL && i < pass->column_count; i++) {
        if (!publish_column(run, &pass->column[i], of, rows)) {
            return false;
        }
    }
    return true;
}

bool bench_publish_rows(const struct bench_run *run, const char *name,
                        const struct bench_rows *rows)
{
    int64_t *ticks = bench_samples(rows->samples);

    if (ticks == NULL) {
        return false;
    }
    for (size_t i = 0; i < rows->samples; i++) {
        const size_t first = rows->order == ROWS_PAIRS ? 2 * i : i;

        ticks[i] = *bench_row(rows->rows, first + 1) - *bench_row(rows->rows, first);
    }
    publish(run, name, UNIT_TICK, ticks, rows->samples);
    sampling_report(run, name, rows->rows, rows->samples,
                    reader_row_words() * (rows->order == ROWS_PAIRS ? 2 : 1));
    return bench_publish_counts(run, name, rows);
}

enum bench_state bench_calibrate(struct bench_run *run, uint64_t sample_us,
                                 struct idle_calibration *calibration)
{
    const uint64_t target = clock_ticks_from_us(sample_us);

    if (!idle_loop_calibrate(target, calibration)) {
        return bench_error(run,
                           "calibration of the idle loop failed: expected a sample of %lu ticks "
                           "(within 5 %%), got %lu ticks from %lu iterations",
                           target, calibration->sample_ticks, calibration->inner);
    }
    bench_fact(run, FACT_INNER_ITERATIONS, UNIT_COUNT, (int64_t)calibration->inner);
    bench_fact(run, FACT_SAMPLE_TICKS, UNIT_TICK, (int64_t)calibration->sample_ticks);
    bench_fact(run, FACT_ITERATION_MILLITICK, "millitick",
               (int64_t)((calibration->iteration_microtick + 500) / 1000));
    return BENCH_OK;
}
