/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * tare export: the traces of a run for other programs.
 */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "tools/cmd/commands.h"
#include "tools/lib/export_directory.h"
#include "tools/lib/interrupt.h"
#include "tools/lib/runfile.h"
#include "tools/lib/trace_export.h"

static const char help[] =
    "usage: tare export --format ctf [--bench NAME] [--force] -o DIR RUN.db\n"
    "       tare export --format text|csv [--bench NAME] RUN.db\n"
    "\n"
    "Writes the traces of a run in a form that other programs read.\n"
    "\n"
    "ctf   for each bench with a trace a CTF 1.8 trace in DIR/BENCH/kernel, of its further runs "
    "in\n"
    "      DIR/BENCH.2 and so on. Names and fields are those of LTTng's kernel tracer where it "
    "has\n"
    "      such an event, else tare_NAME. Read it with\n"
    "          babeltrace2 --clock-seconds DIR/BENCH\n"
    "          lttng-schedstats DIR/BENCH           and others of lttng-analyses\n"
    "      or as an LTTng kernel trace in Trace Compass. Stamps are seconds of the TSC. prio is\n"
    "      -1 - priority: there less is more urgent. lttng-analyses calls deferred calls "
    "softirqs,\n"
    "      by the names of Linux's; our names are in the field `name`.\n"
    "text  a line for each event on standard output, as babeltrace2 --clock-seconds prints it "
    "from\n"
    "      the above, at many times its speed\n"
    "csv   a line for each event on standard output: bench, pass, TSC, name, fields, as the image\n"
    "      recorded them\n"
    "\n"
    "  --format F         ctf, text or csv\n"
    "  -o, --output DIR   where to; it is made if it is not there. What it holds must be former\n"
    "                     exports, which are replaced: all, or with --bench those of that bench\n"
    "  --force            leave other things in DIR where they are, and write beside them\n"
    "  --bench NAME       only this bench; NAME:2 only its second run\n"
    "  --help             this text\n"
    "\n"
    "Events and packets that the trace lacks are told on standard error.\n"
    "\n"
    "Exit status: 0 written, 1 no trace, no run file, or not written, 2 wrong usage.\n";

enum export_format {
    FORMAT_NONE,
    FORMAT_CTF,
    FORMAT_TEXT,
    FORMAT_CSV,
};

struct export
{
    enum export_format format;
    const char *output;
    const char *bench; /* NULL: all */
    bool force;
    const char *file;
};

enum export_option {
    OPTION_FORMAT = 256,
    OPTION_BENCH,
    OPTION_FORCE,
};

static const struct option options[] = {
    {"format", required_argument, NULL, OPTION_FORMAT},
    {"output", required_argument, NULL, 'o'},
    {"bench", required_argument, NULL, OPTION_BENCH},
    {"force", no_argument, NULL, OPTION_FORCE},
    {NULL, 0, NULL, 0},
};

static int set_format(struct export *export, const char *text)
{
    static const struct {
        const char *name;
        enum export_format format;
    } formats[] = {{"ctf", FORMAT_CTF}, {"text", FORMAT_TEXT}, {"csv", FORMAT_CSV}};

    for (size_t i = 0; i < sizeof(formats) / sizeof(formats[0]); i++) {
        if (strcmp(text, formats[i].name) == 0) {
            export->format = formats[i].format;
            return COMMAND_OK;
        }
    }
    return command_usage_error(&command_export, "--format %s: ctf, text or csv is wanted", text);
}

static int take_option(struct export *export, int option)
{
    switch (option) {
    case OPTION_FORMAT:
        return set_format(export, optarg);
    case OPTION_BENCH:
        export->bench = optarg;
        return COMMAND_OK;
    case OPTION_FORCE:
        export->force = true;
        return COMMAND_OK;
    case 'o':
        export->output = optarg;
        return COMMAND_OK;
    default:
        return COMMAND_USAGE; /* complained about already */
    }
}

static int check_options(const struct export *export)
{
    if (export->format == FORMAT_NONE) {
        return command_usage_error(&command_export, "in what form? --format ctf, text or csv");
    }
    if (export->format == FORMAT_CTF && export->output == NULL) {
        return command_usage_error(&command_export, "where to? -o DIR");
    }
    if (export->format != FORMAT_CTF && (export->output != NULL || export->force)) {
        return command_usage_error(&command_export,
                                   "-o and --force go with --format ctf only: text and csv go to "
                                   "standard output");
    }
    return COMMAND_OK;
}

static int parse_arguments(struct export *export, int argc, char **argv)
{
    int option;

    while ((option = command_next_option(&command_export, argc, argv, "o:", options)) != -1) {
        const int status = take_option(export, option);

        if (status != COMMAND_OK) {
            return status;
        }
    }
    if (optind + 1 != argc) {
        return command_usage_error(&command_export, "%s",
                                   optind == argc ? "which run file?" : "one run file at a time");
    }
    export->file = argv[optind];
    return check_options(export);
}

/* Is it asked for, "NAME" or "NAME:PASS", and does it have a trace? */
static bool is_wanted(const struct export *export, const struct run_bench *bench)
{
    if (bench->trace_count == 0) {
        return false;
    }
    if (export->bench == NULL || strcmp(export->bench, bench->name) == 0) {
        return true;
    }
    const size_t length = strlen(bench->name);
    char pass[16];

    snprintf(pass, sizeof(pass), ":%" PRIu32, bench->pass);
    return strncmp(export->bench, bench->name, length) == 0 &&
           strcmp(export->bench + length, pass) == 0;
}

/* How it came, on stderr. */
static void tell(const struct export *export, const struct run_bench *bench,
                 const struct trace_export_counts *counts)
{
    if (export->format != FORMAT_CTF && counts->packets == 0 && counts->discarded == 0) {
        return;
    }
    fprintf(stderr, "tare export: %s, run %" PRIu32 ": %" PRIu64 " events", bench->name,
            bench->pass, counts->events);
    if (counts->discarded > 0) {
        fprintf(stderr, ", %" PRIu64 " more were discarded or overwritten", counts->discarded);
    }
    if (counts->packets > 0) {
        fprintf(stderr, ", %" PRIu64 " packets are missing", counts->packets);
    }
    fputc('\n', stderr);
}

static bool export_bench(const struct export *export, const struct run *run,
                         const struct run_bench *bench, struct export_directory *directory,
                         char error[EXPORT_ERROR_MAX])
{
    struct trace_export_counts counts;
    char path[EXPORT_PATH_MAX];
    char name[EXPORT_PATH_MAX];
    bool done;

    if (export->format == FORMAT_TEXT) {
        done = trace_export_text(run, bench, stdout, &counts, error);
    } else if (export->format == FORMAT_CSV) {
        done = trace_export_csv(run, bench, stdout, &counts, error);
    } else {
        snprintf(name, sizeof(name), bench->pass > 1 ? "%.1000s.%" PRIu32 : "%.1000s", bench->name,
                 bench->pass);
        done = export_directory_add(directory, name, path, error) &&
               trace_export_ctf(run, bench, path, &counts, error);
    }
    if (done) {
        tell(export, bench, &counts);
    }
    return done;
}

static bool export_benches(const struct export *export, const struct run *run,
                           struct export_directory *directory, char error[EXPORT_ERROR_MAX])
{
    for (size_t i = 0; i < run->bench_count; i++) {
        if (is_wanted(export, &run->benches[i]) &&
            !export_bench(export, run, &run->benches[i], directory, error)) {
            return false;
        }
    }
    return true;
}

static int export_to_directory(const struct export *export, const struct run *run)
{
    struct export_directory directory;
    char error[EXPORT_ERROR_MAX];

    if (!export_directory_open(&directory, export->output, export->force, error)) {
        return command_failure(&command_export, "%s", error);
    }
    interrupt_catch();
    if (!export_benches(export, run, &directory, error) ||
        !export_directory_commit(&directory, export->bench == NULL, error)) {
        export_directory_discard(&directory);
        return command_failure(&command_export, "%s",
                               error[0] != '\0' ? error : "interrupted; nothing was written");
    }
    return COMMAND_OK;
}

static int export_to_stdout(const struct export *export, const struct run *run)
{
    char error[EXPORT_ERROR_MAX];

    if (export->format == FORMAT_CSV) {
        puts("bench,pass,tsc,event,fields");
    }
    return export_benches(export, run, NULL, error) ? COMMAND_OK
                                                    : command_failure(&command_export, "%s", error);
}

static int export_run(const struct export *export, const struct run *run)
{
    size_t wanted = 0;

    for (size_t i = 0; i < run->bench_count; i++) {
        wanted += is_wanted(export, &run->benches[i]);
    }
    if (wanted == 0) {
        return command_failure(&command_export, "%s has no trace%s%s", export->file,
                               export->bench != NULL ? " of bench " : " of any bench",
                               export->bench != NULL ? export->bench : "");
    }
    if (export->format != FORMAT_CSV && run->verdict.hz == 0) {
        return command_failure(
            &command_export,
            "%s does not say at what rate the TSC ran, so that its stamps are no "
            "times; --format csv has them in ticks",
            export->file);
    }
    return export->format == FORMAT_CTF ? export_to_directory(export, run)
                                        : export_to_stdout(export, run);
}

static int export_main(int argc, char **argv)
{
    struct export export = {.format = FORMAT_NONE};
    char error[RUNFILE_ERROR_MAX];
    struct run run;
    int status = parse_arguments(&export, argc, argv);

    if (status != COMMAND_OK) {
        return status;
    }
    run_init(&run);
    status = runfile_read(export.file, &run, error) ? export_run(&export, &run)
                                                    : command_failure(&command_export, "%s", error);
    run_free(&run);
    return status;
}

const struct command command_export = {
    .name = "export",
    .summary = "write the traces of a run for babeltrace2, lttng-analyses, Trace Compass",
    .help = help,
    .main = export_main,
};
