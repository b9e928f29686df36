/* SPDX-License-Identifier: BSD-2-Clause */
#include "bench/latency/way.h"

#include <stdio.h>

#include "bench/latency/names.h"
#include "bench/noise/gap_histogram.h"
#include "kernel/clock/idle_loop.h"
#include "kernel/cpu/cpu.h"
#include "kernel/run/names.h"

#define NAME_BYTES 48

static const char *const names[WAY_SPANS] = {SPAN_HANDLER, SPAN_DPC, SPAN_THREAD, SPAN_WHOLE};

/* ---- on the measuring processor ---- */

bool way_take_memory(struct way *way, size_t first, size_t largest)
{
    struct worst_event *events = bench_memory((largest + 1) * sizeof(*events));
    bool good = events != NULL;

    worst_init(&way->worst, first, events, largest);
    way->at = bench_samples(first + largest);
    good = good && way->at != NULL;
    for (enum span i = 0; i < WAY_SPANS; i++) {
        way->book[i].first = bench_samples(first + largest);
        way->book[i].worst = bench_samples(largest);
        way->book[i].histogram = bench_samples(GAP_BUCKETS);
        way->book[i].min = INT64_MAX;
        good = good && way->book[i].first != NULL && way->book[i].worst != NULL &&
               way->book[i].histogram != NULL;
    }
    return good;
}

void way_begin(struct way *way, uint64_t first)
{
    way->first = first;
    way->due = first;
}

bool way_handle(struct way *way)
{
    const uint64_t now = tsc_read();
    const uint64_t deadline = way->due;

    if (way->over) {
        return false;
    }
    way->due += way->period;
    way->expired++;
    way->over = (way->expired >= way->count) | (way->stop->stopped != 0);
    if (way->pending) {
        way->overruns++;
        return false;
    }
    way->deadline = deadline;
    way->handler = now;
    way->pending = true;
    return true;
}

void way_defer(struct way *way)
{
    if (way->delay_dpc != 0) {
        idle_loop_spin(way->delay_dpc);
    }
    way->dpc = tsc_read();
}

static void keep(struct way *way, const int64_t spans[WAY_SPANS], uint64_t at)
{
    const size_t slot = worst_take(&way->worst, spans[WAY_WHOLE], (int64_t)at);

    for (enum span i = 0; i < WAY_SPANS; i++) {
        struct span_book *book = &way->book[i];

        book->histogram[gap_bucket_of((uint64_t)spans[i])]++;
        book->sum += (uint64_t)spans[i];
        book->min = spans[i] < book->min ? spans[i] : book->min;
        if (spans[i] > book->max || way->ways == 0) {
            book->max = spans[i];
            book->max_at = at;
        }
        if (slot != WORST_NONE) {
            book->first[slot] = spans[i];
        }
    }
    if (slot != WORST_NONE) {
        way->at[slot] = (int64_t)at;
    }
    way->ways++;
}

void way_arrive(struct way *way)
{
    if (way->delay_thread != 0) {
        idle_loop_spin(way->delay_thread);
    }
    const uint64_t now = tsc_read();
    const int64_t spans[WAY_SPANS] = {
        [WAY_HANDLER] = (int64_t)(way->handler - way->deadline),
        [WAY_DPC] = (int64_t)(way->dpc - way->handler),
        [WAY_THREAD] = (int64_t)(now - way->dpc),
        [WAY_WHOLE] = (int64_t)(now - way->deadline),
    };

    if (spans[WAY_HANDLER] < 0 || spans[WAY_DPC] < 0 || spans[WAY_THREAD] < 0) {
        way->disorders++;
    } else {
        keep(way, spans, way->deadline - way->first);
    }
    if (way->stop_ticks != 0 && spans[WAY_WHOLE] > (int64_t)way->stop_ticks) {
        flight_stop(way->stop, way->index, way->deadline, (uint64_t)spans[WAY_WHOLE]);
    }
    way->pending = false;
}

/* ---- afterwards ---- */

/* Returns NAME SUFFIX.NUMBER. */
static const char *name_of(const char *name, const char *suffix, size_t number,
                           char text[NAME_BYTES])
{
    snprintf(text, NAME_BYTES, "%s%s.%zu", name, suffix, number);
    return text;
}

static bool publish_histogram(struct bench_run *run, const char *name, size_t number,
                              const struct span_book *book)
{
    int64_t *bounds = bench_samples(GAP_BUCKETS);
    int64_t *counts = bench_samples(GAP_BUCKETS);
    char text[NAME_BYTES];

    if (bounds == NULL || counts == NULL) {
        return false;
    }
    const size_t used = gap_histogram_pack(book->histogram, bounds, counts);

    bench_publish(run, name_of(name, SUFFIX_BOUND, number, text), UNIT_TICK, bounds, used);
    bench_publish(run, name_of(name, SUFFIX_COUNT, number, text), UNIT_COUNT, counts, used);
    return true;
}

static bool publish_span(struct bench_run *run, struct way *way, enum span span, size_t number)
{
    struct span_book *book = &way->book[span];
    const struct worst *worst = &way->worst;
    const char *const name = names[span];
    char text[NAME_BYTES];
    char worst_name[NAME_BYTES];

    bench_publish(run, name_of(name, "", number, text), UNIT_TICK, book->first, worst->first_count);
    snprintf(worst_name, sizeof(worst_name), PREFIX_WORST "%s", name);
    for (size_t i = 0; i < worst->largest_count; i++) {
        book->worst[i] = book->first[worst->events[i].slot];
    }
    if (worst->largest_count > 0) {
        bench_publish(run, name_of(worst_name, "", number, text), UNIT_TICK, book->worst,
                      worst->largest_count);
    }
    bench_fact(run, name_of(name, SUFFIX_SUM, number, text), UNIT_TICK, (int64_t)book->sum);
    bench_fact(run, name_of(name, SUFFIX_MIN, number, text), UNIT_TICK, book->min);
    bench_fact(run, name_of(name, SUFFIX_MAX, number, text), UNIT_TICK, book->max);
    bench_fact(run, name_of(name, SUFFIX_MAX_AT, number, text), UNIT_TICK, (int64_t)book->max_at);
    return publish_histogram(run, name, number, book);
}

static bool publish_times(struct bench_run *run, const struct way *way, size_t number)
{
    int64_t *times = bench_samples(way->worst.largest_count);
    char text[NAME_BYTES];

    if (times == NULL) {
        return false;
    }
    for (size_t i = 0; i < way->worst.largest_count; i++) {
        times[i] = way->at[way->worst.events[i].slot];
    }
    if (way->worst.largest_count > 0) {
        bench_publish(run, name_of(SERIES_WORST_AT, "", number, text), UNIT_TICK, times,
                      way->worst.largest_count);
    }
    return true;
}

bool way_publish(struct bench_run *run, struct way *way, size_t number)
{
    char text[NAME_BYTES];
    bool good = true;

    bench_fact(run, name_of(FACT_PERIODS, "", number, text), UNIT_COUNT, (int64_t)way->ways);
    bench_fact(run, name_of(FACT_OVERRUNS, "", number, text), UNIT_COUNT, (int64_t)way->overruns);
    if (way->ways == 0) {
        bench_absent(run, name_of(SPAN_WHOLE, SUFFIX_MAX, number, text), "no period was measured");
        return true;
    }
    worst_sort(&way->worst);
    for (enum span i = 0; i < WAY_SPANS; i++) {
        good = publish_span(run, way, i, number) && good;
    }
    return publish_times(run, way, number) && good;
}

enum bench_state way_judge(struct bench_run *run, const struct way *way, size_t number)
{
    const struct span_book *book = way->book;
    const uint64_t parts = book[WAY_HANDLER].sum + book[WAY_DPC].sum + book[WAY_THREAD].sum;

    if (way->disorders > 0) {
        return bench_fail(run,
                          "processor %zu: in %lu periods a stamp is earlier than the one before it",
                          number, way->disorders);
    }
    if (way->ways + way->overruns != way->expired) {
        return bench_fail(run, "processor %zu: %lu periods, but %lu samples and %lu overruns",
                          number, way->expired, way->ways, way->overruns);
    }
    if (parts != book[WAY_WHOLE].sum) {
        return bench_fail(run,
                          "processor %zu: the spans add up to %lu ticks, expected the whole of %lu",
                          number, parts, book[WAY_WHOLE].sum);
    }
    for (enum span i = 0; i < WAY_SPANS; i++) {
        const uint64_t held = gap_histogram_count(book[i].histogram);

        if (held != way->ways) {
            return bench_fail(run,
                              "processor %zu: the histogram of %s holds %lu periods, expected %lu",
                              number, names[i], held, way->ways);
        }
    }
    return bench_ok(run);
}
