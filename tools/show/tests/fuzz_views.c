/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * libFuzzer: bytes as the numbers of a run, through all that is shown of it and its JSON. The
 * benches and series have the names that the views look for; values, lengths, units and holes are
 * the fuzzer's.
 */
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include "bench/counters/host/view_counts.h"
#include "bench/interactive/host/view_input.h"
#include "bench/noise/host/view_noise.h"
#include "tools/base/alloc.h"
#include "tools/present/report_plugin.h"
#include "tools/present/view.h"
#include "tools/show/run_json.h"
#include "tools/tests/support/fuzz_bytes.h"
#include "tools/tests/support/run_builder.h"

#define SAMPLES_MAX  64
#define COUNT(array) (sizeof(array) / sizeof((array)[0]))

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* Small numbers, and now and then any, of either sign. */
static int64_t take_signed(struct bytes *bytes)
{
    const uint8_t first = take(bytes);

    if (first < 0xf0) {
        return first;
    }
    const uint64_t value = take_many(bytes, (first & 7) + 1u);

    return (first & 8) != 0 ? (int64_t)-value : (int64_t)value;
}

/* Up to SAMPLES_MAX samples, of which some are missing. */
static void take_samples(struct bytes *bytes, struct run_series *series)
{
    const uint8_t n = take(bytes) % SAMPLES_MAX;
    const uint8_t holes = take(bytes);
    size_t capacity = 0;
    bool before = false;

    series->n = n;
    series->samples = alloc_zeroed(n * sizeof(*series->samples));
    for (uint32_t i = 0; i < n; i++) {
        const bool missing = holes >= 0x80 && (holes >> i % 7 & 1) != 0;

        if (!missing && !before) {
            series->ranges = alloc_append(series->ranges, &series->range_count, &capacity,
                                          sizeof(*series->ranges));
            series->ranges[series->range_count - 1].first = i;
        }
        if (!missing) {
            series->ranges[series->range_count - 1].count++;
            series->samples[series->received++] = take_signed(bytes);
        }
        before = !missing;
    }
}

static void take_series(struct bytes *bytes, struct run_bench *bench)
{
    static const char *const names[] = {"floor",
                                        "ticking",
                                        "handler",
                                        "handler_start",
                                        "samples",
                                        "entry",
                                        "work",
                                        "intended",
                                        "sent",
                                        "written",
                                        "cold",
                                        "phase",
                                        "stamp_number",
                                        "stamp_from",
                                        "stamp_to",
                                        "idle",
                                        "gap_time",
                                        "gap_length",
                                        "gap_smi",
                                        "histogram_bound",
                                        "histogram_count",
                                        "random.2m.wb.x",
                                        "random.2m.wb.n",
                                        "random.2m.wb",
                                        "4k.x",
                                        "4k.n",
                                        "4k",
                                        "stride4096.x",
                                        "stride4096.n",
                                        "stride4096",
                                        "worst_time",
                                        "worst_length",
                                        "worst_smi",
                                        "gap_stolen"};
    static const char *const events[] = {"cycles",      "instructions", "interrupts",
                                         "dtlb-misses", "mispredicts",  "branches"};
    const uint8_t kind = take(bytes);
    const char *name = names[kind % COUNT(names)];
    struct run_series *series = run_add_series(bench);

    series->name = name;
    series->unit = (kind & 0x40) != 0 ? "count" : "tick";
    if ((kind & 0x80) != 0) {
        series->of = name;
        series->event = events[take(bytes) % COUNT(events)];
    }
    take_samples(bytes, series);
}

static void take_fact(struct bytes *bytes, struct run_bench *bench)
{
    static const char *const names[] = {"elapsed",
                                        "dead",
                                        "iteration_millitick",
                                        "sample_ticks",
                                        "idle_origin",
                                        "clock_period",
                                        "smi",
                                        "smi_provoked",
                                        "floor.cycles.expected",
                                        "floor.iterations",
                                        "aperf",
                                        "mperf",
                                        "over",
                                        "stolen",
                                        "largest",
                                        "largest_at",
                                        "dead_largest",
                                        "dead_smallest",
                                        "unkept",
                                        "rest",
                                        "rest_sum",
                                        "threshold",
                                        "smallest"};

    const char *name = names[take(bytes) % COUNT(names)];

    *run_add_fact(bench) = (struct run_fact){name, take_signed(bytes), "tick"};
    *run_add_absent(bench) = (struct run_absent){name, take(bytes) % 2 == 0 ? name : NULL};
}

static void take_event(struct bytes *bytes, struct run *run)
{
    static const char *const texts[] = {NULL, "counted", "absent", "icount", "cycles", "", "0x1"};
    const char *text[7];

    for (size_t i = 0; i < COUNT(text); i++) {
        text[i] = texts[take(bytes) % COUNT(texts)];
    }
    *run_add_event(run) = (struct run_event){.name = text[0] != NULL ? text[0] : "a",
                                             .state = text[1] != NULL ? text[1] : "b",
                                             .pass = take(bytes),
                                             .counter = text[2],
                                             .code = text[3],
                                             .source = text[4],
                                             .manual = text[5],
                                             .note = text[6],
                                             .reason = text[2]};
    *run_add_counter(run) = (struct run_counter){.name = text[0] != NULL ? text[0] : "a",
                                                 .state = text[1] != NULL ? text[1] : "usable",
                                                 .found = text[3],
                                                 .reason = text[4]};
}

static void take_run(struct bytes *bytes, struct run *run)
{
    static const char *const benches[] = {"idle", "load", "gap", "counters", "chase", "tlb"};

    run->verdict.present = true;
    run->verdict.hz = (uint64_t)take_signed(bytes);
    run->verdict.ok = run->verdict.hz != 0;
    build_bench(run, "idle", 1);
    run_add_pair(run, &run->machine, "cache.1d", "32 bytes, 8 ways, line 64, shared by 2");
    while (bytes->left > 0) {
        const uint8_t kind = take(bytes);
        struct run_bench *bench = &run->benches[run->bench_count - 1];

        switch (kind % 8) {
        case 0:
            build_bench(run, benches[kind / 8 % COUNT(benches)], take(bytes));
            break;
        case 1:
            take_event(bytes, run);
            break;
        case 2:
            take_fact(bytes, bench);
            break;
        default:
            take_series(bytes, bench);
            break;
        }
    }
}

/* Each bench in every way there is. */
static void show(FILE *out, const struct run *run)
{
    static const char *const readings[] = {"chase", "stride", "tlb"};
    static const double thresholds[] = {0, 100};
    const struct input_wish input = {.events = true,
                                     .fsm = true,
                                     .interarrival_ms = thresholds,
                                     .interarrival_count = COUNT(thresholds)};
    const struct run_texts none = {0};
    struct view view;

    run_json(out, run, &none);
    view_init(&view, out, run);
    view_events(&view);
    for (size_t i = 0; i < run->bench_count; i++) {
        const struct run_bench *bench = &run->benches[i];

        view_absents(&view, bench);
        view_counts(&view, bench);
        view_ratios(&view, bench);
        view_idle(&view, bench);
        view_load(&view, bench);
        view_gap(&view, bench);
        view_counters(&view, bench);
        for (size_t k = 0; k < COUNT(readings); k++) {
            report_plugin_shown(&(struct run_bench){.name = readings[k]})->show(&view, bench);
        }
        view_input_summary(&view, bench);
        view_input(&view, bench, &input);
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static FILE *nowhere;
    struct bytes bytes = {data, size};
    struct run run;

    nowhere = nowhere != NULL ? nowhere : fopen("/dev/null", "w");
    run_init(&run);
    take_run(&bytes, &run);
    show(nowhere, &run);
    run_free(&run);
    return 0;
}
