/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * libFuzzer: the content of frames (fuzz_frames.h) as a log, and what is made of its run, of which
 * each input has one part (fuzz_choice.h): JSON, which must be JSON, and now and then a run file,
 * which must come back the same; tables; the tables of a window of it; figures for other programs.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "bench/counters/host/view_counts.h"
#include "bench/interactive/host/model/view_model.h"
#include "bench/interactive/host/view_input.h"
#include "bench/system/host/view_system.h"
#include "tools/export/export_numbers.h"
#include "tools/judge/diff.h"
#include "tools/judge/limits.h"
#include "tools/present/metrics.h"
#include "tools/present/view.h"
#include "tools/show/run_json.h"
#include "tools/show/view_run.h"
#include "tools/show/view_statistics.h"
#include "tools/store/runfile.h"
#include "tools/tests/support/fuzz_bytes.h"
#include "tools/tests/support/fuzz_frames.h"
#include "tools/tests/support/fuzz_text.h"
#include "tools/tests/support/whole_file.h"
#include "tools/trace/trace_cut.h"
#include "tools/trace/view_trace.h"

#define STORED 16 /* of so many inputs with JSON one is stored: it is slow */

enum part {
    PART_JSON,
    PART_TABLES,
    PART_WINDOW,
    PART_FIGURES,
    PARTS, /* a power of two */
};

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static FILE *nowhere;

static char *json_of(struct run *run)
{
    struct run_texts reasons = {0};
    struct fuzz_text text;

    run_valid(run, &reasons);
    run_json(text_begin(&text), run, &reasons);
    run_texts_free(&reasons);
    return text_end(&text);
}

static void show(const struct run *run, const struct run_texts *reasons)
{
    const struct trace_wish wish = {
        .consistency = true, .threads = true, .irqs = true, .disks = true};
    const struct input_wish input = {.events = true, .fsm = true};
    struct view view;

    view_init(&view, nowhere, run);
    view_run(&view, reasons);
    for (size_t i = 0; i < run->bench_count; i++) {
        const struct run_bench *bench = &run->benches[i];

        view_counts(&view, bench);
        view_ratios(&view, bench);
        view_trace(&view, bench, &wish);
        view_input_summary(&view, bench);
        view_input(&view, bench, &input);
        view_model(&view, bench);
    }
    view_digest(&view, reasons, "a.db", false);
    view_statistics(&view, NULL, 0);
}

static void check_stored(struct run *run, const char *text)
{
    char path[TEMPORARY_PATH_MAX];
    char error[RUNFILE_ERROR_MAX];
    struct run back;

    own_path("run.db", path);
    run_init(&back);
    demand(runfile_write(path, run, error));
    if (!runfile_read(path, &back, error)) {
        fprintf(stderr, "%s\n", error);
        abort();
    }
    char *again = json_of(&back);
    struct diff diff;

    demand(strcmp(text, again) == 0);
    demand(diff_runs(&diff, run, &back));
    demand(diff.count == 0);
    diff_free(&diff);
    free(again);
    run_free(&back);
}

/* Of each kind, on all that there is. */
static void check_limits(const struct metrics *metrics)
{
    static const char text[] = "min * >= 1 us\nmedian * <= 1 instruction\nmean * <= 5 ticks\n"
                               "p90 * >= 1 ms\np99 * <= 1 s\np999 * <= 1 ns\np9999 * <= 1 GB/s\n"
                               "max * <= 3 us\nrate * <= 1 /s\nmax * >= 1 B/instruction\n";
    struct limit_results results;
    struct limits limits;

    limits_parse(&limits, text, strlen(text));
    demand(limits.count == 10);
    limits_check(&limits, metrics, &results);
    for (size_t i = 0; i < results.count; i++) {
        const struct limit_result *result = &results.item[i];

        demand(result->has_value || result->kept || result->message[0] != '\0');
    }
    limit_results_free(&results);
    limits_free(&limits);
}

/* A window within the first trace, or any window. */
static void check_cut(struct run *run, const struct run_texts *reasons, uint64_t sum)
{
    uint64_t length = 0;

    for (size_t i = 0; i < run->bench_count && length == 0; i++) {
        const struct run_bench *bench = &run->benches[i];

        length = bench->trace_count > 0 ? bench->traces[0].end - bench->traces[0].begin : 0;
    }
    const uint64_t from = length > 0 ? sum % length : sum % 4096;

    demand(run_cut(run, from, from + 1 + sum % 65536, "a window"));
    show(run, reasons);
}

static void check_figures(struct run *run, const struct run_texts *reasons)
{
    const struct estimates_run column = {"a.db", run, true};
    struct metrics metrics;

    view_estimates(nowhere, &column, 1, true);
    estimates_json(nowhere, &column, 1);
    export_csv_samples(nowhere, run, NULL);
    export_csv_summaries(nowhere, run, NULL);
    metrics_of(run, &metrics);
    openmetrics(nowhere, run, &metrics, reasons, NULL);
    check_limits(&metrics);
    metrics_free(&metrics);
}

static void check_run_json(struct run *run, uint64_t sum)
{
    char *text = json_of(run);

    check_json(text, strlen(text));
    if (sum % STORED == 0) {
        check_stored(run, text);
    }
    free(text);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    const uint64_t sum = fuzz_sum(data, size);
    struct run_texts reasons = {0};
    struct run run;

    nowhere = nowhere != NULL ? nowhere : fopen("/dev/null", "w");
    fuzz_frames_run(&run, data, size);
    run_valid(&run, &reasons);
    switch ((enum part)(sum % PARTS)) {
    case PART_JSON:
        check_run_json(&run, sum / PARTS);
        break;
    case PART_TABLES:
        show(&run, &reasons);
        break;
    case PART_WINDOW:
        check_cut(&run, &reasons, sum);
        break;
    default:
        check_figures(&run, &reasons);
        break;
    }
    run_texts_free(&reasons);
    run_free(&run);
    return 0;
}
