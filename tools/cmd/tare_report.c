/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * `tare report`: writes a run as one page for a browser, and its figures as files.
 */
#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "bench/interactive/host/figures_paper.h"
#include "tools/base/alloc.h"
#include "tools/base/output_file.h"
#include "tools/base/partial_file.h"
#include "tools/base/progress.h"
#include "tools/base/texts.h"
#include "tools/cmd/commands.h"
#include "tools/cmd/page_file.h"
#include "tools/cmd/shared_options.h"
#include "tools/figure/svg.h"
#include "tools/run/run_kind.h"
#include "tools/show/run_page.h"

#define RATE_DIFFERENCE 1e-3 /* of the TSC, between runs that are shown together */

static struct {
    const char *output; /* NULL: named after the run */
    const char *svg;    /* directory; NULL: not wanted */
    const char *file;
    struct run *others; /* runs of the same benches, for means of the paper's figures */
} report;

static const struct option_line options[] = {
    {"output", OPT_TEXT(&report.output), "FILE",
     "the page; - is standard output (default RUN.html)", .letter = 'o'},
    {"svg", OPT_TEXT(&report.svg), "DIR",
     "also write each figure as DIR/ID.svg, for papers; creates DIR if missing, and replaces "
     "figures in it"},
    {"", OPT_TABLE(measure_options)},
    {"threshold", OPT_CALL(take_latency_threshold), "CLASS=MS,..",
     "acceptable latencies in ms, for the responsiveness. CLASS is a class of actions, a kind of "
     "event, or all (default all=100)",
     .repeats = true},
    {"", OPT_TABLE(window_options)},
    {"run file", OPT_ARGUMENTS(1, FIGURES_PAPER_RUNS), "RUN.db..."},
    OPTIONS_END,
};

static int write_figures(const struct figures *figures, const char *directory)
{
    int status = COMMAND_OK;

    if (mkdir(directory, 0777) != 0 && errno != EEXIST) {
        return command_failure(&command_report, "cannot create directory %s: %s", directory,
                               strerror(errno));
    }
    for (size_t i = 0; i < figures->count && status == COMMAND_OK; i++) {
        const struct figure *figure = &figures->item[i];

        if (figure->beside) {
            continue;
        }
        char *path = text_format("%s/%s.svg", directory, figure->id);
        struct output_file file;

        status = page_file_open(&command_report, &file, path)
                     ? page_file_finish(&command_report, &file, svg_write(file.stream, figure))
                     : COMMAND_FAILED;
        free(path);
    }
    return status;
}

/* Counts figures; those that share one place on the page count as one. */
static size_t count_figures(const struct figures *figures)
{
    size_t count = 0;

    for (size_t i = 0; i < figures->count; i++) {
        count += !figures->item[i].beside;
    }
    return count;
}

/* Writes the figures' files before the page, because writing the page reduces the figures. */
static int write_report(const struct page *page)
{
    int status = report.svg != NULL ? write_figures(page->figures, report.svg) : COMMAND_OK;

    if (status != COMMAND_OK) {
        return status;
    }
    char *named = report.output == NULL ? page_file_name(report.file) : NULL;
    const char *path = report.output == NULL ? named : report.output;

    status = page_file_write(&command_report, page, path);
    if (status == COMMAND_OK && strcmp(path, "-") != 0) {
        fprintf(stderr, "tare report: %s, %zu figures\n", path, count_figures(page->figures));
    }
    free(named);
    return status;
}

/* Makes the report with a progress display, because large runs take seconds. */
static int report_run(struct run *run)
{
    struct run_page *page = alloc_zeroed(sizeof(*page));
    struct progress progress;

    run_leave_out(run);
    if (!window_cut(&command_report, run)) {
        free(page);
        return COMMAND_FAILED;
    }
    progress_start(&progress);
    run_page_make(page, run, &progress);
    progress_finish(&progress);
    const int status = write_report(&page->page);

    run_page_free(page);
    free(page);
    return status;
}

static int run_report(const struct option_rest *rest)
{
    struct run run;

    report.file = rest->arguments[0];
    measure_use_options();
    run_init(&run);
    report.others = alloc_zeroed(rest->count * sizeof(*report.others));
    int status = COMMAND_OK;

    for (size_t i = 0; i < rest->count; i++) {
        struct run *read = i == 0 ? &run : &report.others[i - 1];

        partial_file_protect(rest->arguments[i]);
        run_init(read);
        if (status == COMMAND_OK) {
            status = page_file_read(&command_report, rest->arguments[i], read);
        }
        if (i > 0) {
            run_leave_out(read);
        }
    }
    for (size_t i = 0; i + 1 < rest->count && status == COMMAND_OK; i++) {
        if (run_time(&report.others[i]) != run_time(&run) ||
            fabs(run_ns_per_tick(&report.others[i]) / run_ns_per_tick(&run) - 1) >
                RATE_DIFFERENCE) {
            status = command_failure(&command_report,
                                     "%s: its time base is not that of %s; report it alone",
                                     rest->arguments[i + 1], report.file);
        }
    }
    if (status == COMMAND_OK) {
        figures_paper_runs(report.others, rest->count - 1);
        status = report_run(&run);
    }
    for (size_t i = 0; i + 1 < rest->count; i++) {
        run_free(&report.others[i]);
    }
    free(report.others);
    run_free(&run);
    return status;
}

const struct command command_report = {
    .name = "report",
    .summary = "write a run as one page with all figures",
    .about = "usage: tare report [-o FILE.html] [--svg DIR] [--measure MEASURE] RUN.db...\n"
             "\n"
             "Writes a run as one self-contained HTML page. The first tab has the findings,\n"
             "whether the run is valid and, if not, why, and four key figures. Each other tab\n"
             "answers a question with figures, and the last one describes the benches and the\n"
             "run. In a figure, drag to zoom, double-click to zoom out, click a name in the\n"
             "legend to hide its series, and drag a threshold to count the values above it.\n"
             "\n"
             "With several runs of the same benches, tables and curves of tab Paper show all\n"
             "of them, up to five; the rest of the page is of the first. tare compare --html\n"
             "writes a page that compares runs.\n",
    .options = options,
    .notes = "Exit status: 0 written, also for an invalid run (the page shows that); 1 no run\n"
             "file, or not written; 2 wrong usage.\n",
    .run = run_report,
};
