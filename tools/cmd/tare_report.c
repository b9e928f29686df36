/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * tare report: writes a run as one page for a browser, and its figures as files.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "tools/base/alloc.h"
#include "tools/base/output_file.h"
#include "tools/base/partial_file.h"
#include "tools/base/progress.h"
#include "tools/cmd/commands.h"
#include "tools/cmd/measure_options.h"
#include "tools/cmd/page_file.h"
#include "tools/cmd/window_options.h"
#include "tools/figure/svg.h"
#include "tools/show/run_page.h"
#include "tools/store/runfile.h"

static const char help[] =
    "usage: tare report [-o FILE.html] [--svg DIR] [--measure MEASURE] RUN.db\n"
    "\n"
    "Writes a run as one self-contained HTML page. The first tab has the findings,\n"
    "whether the run is valid and why not, and four key figures; each other tab\n"
    "answers a question with figures; the last has the benches and what identifies\n"
    "the run. In a figure drag to zoom, double-click to zoom out, click a name in\n"
    "the legend to hide its series, and drag a threshold to count the values above.\n"
    "\n"
    "tare compare --html writes a page of several runs.\n"
    "\n"
    "  -o, --output FILE  the page; - is standard output (default RUN.html)\n"
    "  --svg DIR          also write each figure as DIR/ID.svg, for papers; creates\n"
    "                     DIR if missing, and replaces figures in it\n"
    "  --measure MEASURE  latency of input events in figures: idle, service or\n"
    "                     response (default); the page has a switch for all three\n"
    "  --by WHAT          a curve for each phase (default), or for each class of\n"
    "                     actions in each phase\n"
    "  --above MS         only actions that take longer, such as 50 or 50ms\n"
    "  --threshold CLASS=MS,...\n"
    "                     acceptable latencies, for responsiveness: of a class of\n"
    "                     actions, of a kind of events, or all (all=100)\n"
    "  --from TIME, --to TIME\n"
    "                     only what lies in this window of each bench's trace, in\n"
    "                     time since its begin: 3.2s, 250ms, 40us, 900ns or\n"
    "                     12000ticks. Times count from its begin\n"
    "  --help             this text\n"
    "\n"
    "Exit status: 0 written, also for an invalid run (the page shows that); 1 no run\n"
    "file, or not written; 2 wrong usage.\n";

#define OPTION_SVG 256

static const struct option options[] = {
    {"output", required_argument, NULL, 'o'},
    {"svg", required_argument, NULL, OPTION_SVG},
    MEASURE_OPTIONS,
    MEASURE_THRESHOLD_OPTION,
    WINDOW_OPTIONS,
    {NULL, 0, NULL, 0},
};

struct report {
    const char *output; /* NULL: named after the run */
    const char *svg;    /* directory, or NULL */
    struct time_window window;
    const char *file;
};

static int parse_arguments(struct report *report, int argc, char **argv)
{
    int option;

    while ((option = command_next_option(&command_report, argc, argv, "o:", options)) != -1) {
        switch (option) {
        case 'o':
            report->output = optarg;
            break;
        case OPTION_SVG:
            report->svg = optarg;
            break;
        case OPTION_FROM:
        case OPTION_TO:
            if (!window_option(&command_report, option, &report->window)) {
                return COMMAND_USAGE;
            }
            break;
        default:
            if (!measure_option(&command_report, option)) {
                return COMMAND_USAGE; /* which is reported */
            }
            break;
        }
    }
    if (optind + 1 != argc) {
        return command_usage_error(&command_report, "%s",
                                   optind == argc ? "no run file given"
                                                  : "more than one run file given: tare compare "
                                                    "--html writes a page of several");
    }
    report->file = argv[optind];
    return COMMAND_OK;
}

static int write_figure(const char *path, const struct figure *figure)
{
    char error[OUTPUT_FILE_ERROR_MAX];
    struct output_file file;

    if (!output_file_open(&file, path, error)) {
        return command_failure(&command_report, "%s", error);
    }
    const bool written = svg_write(file.stream, figure);

    return page_file_finish(&command_report, &file, path, written);
}

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
        const size_t size = strlen(directory) + strlen(figure->id) + sizeof("/.svg");
        char *path = alloc_zeroed(size);

        snprintf(path, size, "%s/%s.svg", directory, figure->id);
        status = write_figure(path, figure);
        free(path);
    }
    return status;
}

/* Those that stand for one place are one. */
static size_t count_figures(const struct figures *figures)
{
    size_t count = 0;

    for (size_t i = 0; i < figures->count; i++) {
        count += !figures->item[i].beside;
    }
    return count;
}

/* Writes the figures' files first: writing the page reduces the figures. */
static int write_report(const struct report *report, const struct page *page)
{
    int status = report->svg != NULL ? write_figures(page->figures, report->svg) : COMMAND_OK;

    if (status != COMMAND_OK) {
        return status;
    }
    char *named = report->output == NULL ? page_file_name(report->file) : NULL;
    const char *path = report->output == NULL ? named : report->output;

    status = page_file_write(&command_report, page, path);
    if (status == COMMAND_OK && strcmp(path, "-") != 0) {
        fprintf(stderr, "tare report: %s, %zu figures\n", path, count_figures(page->figures));
    }
    free(named);
    return status;
}

static void show_parts(void *context, size_t done, size_t parts)
{
    progress_amount(context, "making figures", done, parts, "parts");
}

/* Large runs take some seconds. */
static int report_run(const struct report *report, struct run *run)
{
    struct run_page *page = alloc_zeroed(sizeof(*page));
    struct progress progress;

    run_leave_out(run);
    if (!window_apply(&command_report, &report->window, run)) {
        free(page);
        return COMMAND_FAILED;
    }
    progress_start(&progress);
    run_page_make(page, run, &(struct figures_progress){show_parts, &progress});
    progress_finish(&progress);
    const int status = write_report(report, &page->page);

    run_page_free(page);
    free(page);
    return status;
}

static int main_report(int argc, char **argv)
{
    struct report report = {0};
    const int parsed = parse_arguments(&report, argc, argv);

    if (parsed != COMMAND_OK) {
        return parsed;
    }
    char error[RUNFILE_ERROR_MAX];
    struct run run;

    run_init(&run);
    partial_file_protect(report.file);
    const int status = runfile_read(report.file, &run, error)
                           ? report_run(&report, &run)
                           : command_failure(&command_report, "%s", error);

    run_free(&run);
    return status;
}

const struct command command_report = {
    .name = "report",
    .summary = "write a run as one page with all figures",
    .help = help,
    .main = main_report,
};
