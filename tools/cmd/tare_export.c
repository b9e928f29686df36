/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * `tare export`: writes runs in the formats of other programs.
 */
#include <assert.h>
#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "tools/base/interrupt.h"
#include "tools/base/output_file.h"
#include "tools/base/partial_file.h"
#include "tools/base/sort.h"
#include "tools/cmd/commands.h"
#include "tools/cmd/page_file.h"
#include "tools/cmd/shared_options.h"
#include "tools/export/export_directory.h"
#include "tools/export/export_numbers.h"
#include "tools/export/perfetto_writer.h"
#include "tools/export/screens.h"
#include "tools/export/trace_export.h"
#include "tools/figure/figure_values.h"
#include "tools/judge/history_views.h"
#include "tools/present/exit_profile.h"
#include "tools/present/metrics.h"
#include "tools/run/run_kind.h"
#include "tools/show/run_figures.h"
#include "tools/show/run_json.h"

struct export_format {
    const char *name;
    /* Writes to a stream. Returns false with a line in `error`, which is empty if the user
     * interrupted. */
    bool (*write)(struct run *run, FILE *out, char error[EXPORT_ERROR_MAX]);
    /* Writes to one file or several; used if `write` is NULL. */
    bool (*write_pieces)(struct run *run, struct perfetto_pieces *pieces,
                         char error[EXPORT_ERROR_MAX]);
    /* Writes to a directory; used if `write` and `write_pieces` are NULL. */
    bool (*write_to)(struct run *run, struct export_directory *directory,
                     char error[EXPORT_ERROR_MAX]);
    bool of_runs; /* takes several runs, by export_runs() */
    enum export_layout layout;
    bool traces;     /* exports only traces */
    bool needs_rate; /* needs the rate of the TSC */
    bool whole;      /* exports whole runs only, no time window */
    bool binary;
};

static struct {
    const struct export_format *format; /* NULL: none was given */
    const char *output;
    const char *bench; /* NULL: all */
    bool force;
    bool schema;
    uint64_t piece_bytes; /* size of a piece for perfetto, in bytes; 0: as many as viewers take */
    const char *file;     /* first run file */
} wish;

/* Returns whether the bench is selected and has a trace. */
static bool is_traced(const struct run_bench *bench)
{
    return bench->trace_count > 0 && run_bench_is(bench, wish.bench);
}

/* Prints the counts of a trace on stderr. */
static void report_counts(const struct run_bench *bench, const struct trace_export_counts *counts)
{
    if (wish.format->write_to == NULL && counts->packets == 0 && counts->discarded == 0) {
        return;
    }
    fprintf(stderr, "tare export: %s, pass %" PRIu32 ": %" PRIu64 " events", bench->name,
            bench->pass, counts->events);
    if (counts->discarded > 0) {
        fprintf(stderr, ", %" PRIu64 " more discarded or overwritten", counts->discarded);
    }
    if (counts->packets > 0) {
        fprintf(stderr, ", %" PRIu64 " packets missing", counts->packets);
    }
    fputc('\n', stderr);
}

/* ---- numbers ---- */

static bool write_csv(struct run *run, FILE *out, char error[EXPORT_ERROR_MAX])
{
    error[0] = '\0';
    return export_csv_samples(out, run, wish.bench);
}

static bool write_csv_summary(struct run *run, FILE *out, char error[EXPORT_ERROR_MAX])
{
    error[0] = '\0';
    run_leave_out(run);
    return export_csv_summaries(out, run, wish.bench);
}

static bool write_json(struct run *run, FILE *out, char error[EXPORT_ERROR_MAX])
{
    struct run_texts reasons = {0};

    error[0] = '\0';
    run_valid(run, &reasons);
    run_leave_out(run);
    run_json_samples(out, run, &reasons, wish.bench);
    run_texts_free(&reasons);
    return !interrupt_seen();
}

static bool write_openmetrics(struct run *run, FILE *out, char error[EXPORT_ERROR_MAX])
{
    struct run_texts reasons = {0};
    struct metrics metrics;

    error[0] = '\0';
    run_valid(run, &reasons);
    run_leave_out(run);
    metrics_of(run, &metrics);
    openmetrics(out, run, &metrics, &reasons, wish.bench);
    metrics_free(&metrics);
    run_texts_free(&reasons);
    return !interrupt_seen();
}

/* ---- figures ---- */

static bool write_figure(struct export_directory *directory, const struct figure *figure,
                         const char *base, char error[EXPORT_ERROR_MAX])
{
    char path[EXPORT_PATH_MAX];
    char name[EXPORT_PATH_MAX];

    snprintf(name, sizeof(name), "%.1000s.tsv", figure->id);
    if (!export_directory_add(directory, name, path, error)) {
        return false;
    }
    FILE *out = fopen(path, "wb");

    if (out != NULL) {
        figure_values_write(out, figure, base);
    }
    const bool written = out != NULL && fflush(out) == 0 && ferror(out) == 0;

    if (!written) {
        snprintf(error, EXPORT_ERROR_MAX, "cannot write %.400s: %s", path, strerror(errno));
    }
    return (out == NULL || fclose(out) == 0) && written;
}

static bool write_figures(const struct figures *figures, const struct run *run,
                          struct export_directory *directory, char error[EXPORT_ERROR_MAX])
{
    char kind[RUN_KIND_MAX];
    char base[RUN_KIND_MAX + 64];

    snprintf(base, sizeof(base), "TSC at %" PRIu64 " Hz, %s", run->verdict.hz,
             run_kind_text(run, kind));
    for (size_t i = 0; i < figures->count; i++) {
        const struct figure *figure = &figures->item[i];

        if (interrupt_seen() || (figure->kind != FIGURE_ABSENT && !figure->beside &&
                                 !write_figure(directory, figure, base, error))) {
            return false;
        }
    }
    return true;
}

static bool write_tsv(struct run *run, struct export_directory *directory,
                      char error[EXPORT_ERROR_MAX])
{
    struct figures figures;

    figures_init(&figures);
    run_figures(&figures, run, NULL);
    bool done = figures.count > 0;

    if (done) {
        done = write_figures(&figures, run, directory, error);
    } else {
        snprintf(error, EXPORT_ERROR_MAX, "%.400s has no figure", wish.file);
    }
    figures_free(&figures);
    return done;
}

static bool write_screens(struct run *run, struct export_directory *directory,
                          char error[EXPORT_ERROR_MAX])
{
    return screens_write(run, wish.bench, directory, error);
}

/* ---- traces ---- */

static bool write_csv_events(struct run *run, FILE *out, char error[EXPORT_ERROR_MAX])
{
    struct trace_export_counts counts;
    const bool cpus = SEARCH_ANY(
        i, run->bench_count, is_traced(&run->benches[i]) && run_processors(&run->benches[i]) > 1);

    fprintf(out, "bench,pass,time,tsc,%sevent,fields\n", cpus ? "cpu," : "");
    for (size_t i = 0; i < run->bench_count; i++) {
        if (is_traced(&run->benches[i])) {
            if (!trace_export_csv(run, &run->benches[i], out, cpus, &counts, error)) {
                return false;
            }
            report_counts(&run->benches[i], &counts);
        }
    }
    return true;
}

static bool write_perfetto(struct run *run, struct perfetto_pieces *pieces,
                           char error[EXPORT_ERROR_MAX])
{
    struct perfetto_writer *writer = perfetto_create(perfetto_pieces_stream(pieces));
    struct trace_export_counts counts;
    uint32_t index = 0;
    bool done = true;

    for (size_t i = 0; done && i < run->bench_count; i++) {
        if (is_traced(&run->benches[i])) {
            done = trace_export_perfetto(run, &run->benches[i], writer, pieces, index++, &counts,
                                         error);
            if (done) {
                report_counts(&run->benches[i], &counts);
            }
        }
    }
    perfetto_destroy(writer);
    return done;
}

static bool write_ctf(struct run *run, struct export_directory *directory,
                      char error[EXPORT_ERROR_MAX])
{
    struct trace_export_counts counts;
    char path[EXPORT_PATH_MAX];
    char name[EXPORT_PATH_MAX];

    for (size_t i = 0; i < run->bench_count; i++) {
        const struct run_bench *bench = &run->benches[i];

        if (!is_traced(bench)) {
            continue;
        }
        snprintf(name, sizeof(name), bench->pass > 1 ? "%.1000s.%" PRIu32 : "%.1000s", bench->name,
                 bench->pass);
        if (!export_directory_add(directory, name, path, error) ||
            !trace_export_ctf(run, bench, path, &counts, error)) {
            return false;
        }
        report_counts(bench, &counts);
    }
    return true;
}

static bool write_folded(struct run *run, FILE *out, char error[EXPORT_ERROR_MAX])
{
    error[0] = '\0';
    if (!exit_profiles_fold(out, run)) {
        snprintf(error, EXPORT_ERROR_MAX,
                 "%.400s has no profile of exits: tare boot --under kvm --profile-exits makes one",
                 wish.file);
        return false;
    }
    return true;
}

static const struct export_format formats[] = {
    {.name = "csv", .write = write_csv},
    {.name = "csv-summary", .write = write_csv_summary},
    {.name = "json", .write = write_json},
    {.name = "openmetrics", .write = write_openmetrics, .whole = true},
    {.name = "bencher", .of_runs = true, .whole = true},
    {.name = "tsv", .write_to = write_tsv, .layout = EXPORT_FIGURES},
    {.name = "screens", .write_to = write_screens, .layout = EXPORT_SCREENS, .whole = true},
    {.name = "perfetto",
     .write_pieces = write_perfetto,
     .traces = true,
     .needs_rate = true,
     .binary = true},
    {.name = "ctf",
     .write_to = write_ctf,
     .layout = EXPORT_TRACES,
     .traces = true,
     .needs_rate = true},
    {.name = "csv-events", .write = write_csv_events, .traces = true},
    {.name = "folded", .write = write_folded, .whole = true},
};

/* ---- options ---- */

static unsigned format_index;
static bool has_format;

static const char *format_word(size_t index)
{
    return index < sizeof(formats) / sizeof(formats[0]) ? formats[index].name : NULL;
}

static const struct option_line options[] = {
    {"format", OPT_WORD(&format_index), "FORMAT", "one of the above", .word_at = format_word,
     .given = &has_format},
    {"run file", OPT_ARGUMENTS(0, INT32_MAX), "RUN.db...",
     "the run to export. Format bencher accepts several runs, of one machine and time base"},
    {"output", OPT_TEXT(&wish.output), "FILE",
     "the file to write (default, and for -: standard output). An existing file is replaced only "
     "after everything has been written. For ctf, tsv and screens, FILE is a directory, which is "
     "created if missing and may hold only earlier exports of the same format. All of them are "
     "replaced; with --bench, only those with the same names",
     .letter = 'o'},
    {"piece-bytes", OPT_NUMBER(&wish.piece_bytes, PIECE_BYTES_MIN, UINT64_MAX), "N",
     "perfetto: split a trace of more than N bytes into FILE-1, FILE-2, ..., each a complete trace "
     "(default 100000000, which viewers can load)",
     .expected = "a number of bytes, at least 1000000"},
    {"force", OPT_FLAG(&wish.force), NULL,
     "leave other files in DIR unchanged, and write next to them"},
    {"bench", OPT_TEXT(&wish.bench), "NAME",
     "only this bench (not with tsv); NAME:2 only its second pass"},
    {"", OPT_TABLE(measure_options)},
    {"", OPT_TABLE(window_options)},
    {"schema", OPT_FLAG(&wish.schema), NULL, "print the JSON Schema of --format json",
     .excludes = "format", .alone = true},
    OPTIONS_END,
};

static int check_options(void)
{
    const struct export_format *format = wish.format;
    const bool standard = wish.output == NULL || strcmp(wish.output, "-") == 0;

    if (format == NULL) {
        return command_usage_error(&command_export, "no format given: add --format FORMAT");
    }
    if (format->write_to != NULL && standard) {
        return command_usage_error(&command_export, "--format %s writes several files: add -o DIR",
                                   format->name);
    }
    if (format->write_to == NULL && wish.force) {
        return command_usage_error(&command_export,
                                   "--force works only with --format ctf, tsv and screens, "
                                   "which write directories");
    }
    if (format->layout == EXPORT_FIGURES && wish.bench != NULL) {
        return command_usage_error(&command_export,
                                   "--bench does not work with --format %s, which always exports "
                                   "the whole run",
                                   format->name);
    }
    if (wish.piece_bytes != 0 && format->write_pieces == NULL) {
        return command_usage_error(&command_export,
                                   "--piece-bytes works only with --format perfetto");
    }
    if (format->whole && window_given()) {
        return command_usage_error(&command_export,
                                   "--format %s exports whole runs: it excludes --from and --to",
                                   format->name);
    }
    if (format->binary && standard && isatty(STDOUT_FILENO)) {
        return command_usage_error(&command_export,
                                   "--format %s is binary and not for a terminal: add -o FILE",
                                   format->name);
    }
    return COMMAND_OK;
}

static int fail(const char *error)
{
    return command_failure(&command_export, "%s",
                           error[0] != '\0' ? error : "interrupted; nothing was written");
}

static int export_to_directory(struct run *run)
{
    const bool all = wish.bench == NULL;
    struct export_directory directory;
    char error[EXPORT_ERROR_MAX] = "";

    if (!export_directory_open(&directory, wish.output, wish.format->layout, wish.force, error)) {
        return fail(error);
    }
    if (!wish.format->write_to(run, &directory, error) ||
        !export_directory_commit(&directory, all, error)) {
        export_directory_discard(&directory);
        return fail(error);
    }
    return COMMAND_OK;
}

static int export_to_file(struct run *run)
{
    struct output_file file;
    char error[EXPORT_ERROR_MAX] = "";

    if (!output_file_open(&file, wish.output, error)) {
        return fail(error);
    }
    if (!wish.format->write(run, file.stream, error)) {
        output_file_discard(&file);
        return fail(error);
    }
    return output_file_commit(&file, error) ? COMMAND_OK : fail(error);
}

static int export_to_pieces(struct run *run)
{
    const uint64_t most = wish.piece_bytes != 0 ? wish.piece_bytes : PIECE_BYTES_DEFAULT;
    struct perfetto_pieces pieces;
    char error[EXPORT_ERROR_MAX] = "";

    if (!perfetto_pieces_open(&pieces, wish.output, most, error)) {
        return fail(error);
    }
    if (!wish.format->write_pieces(run, &pieces, error)) {
        perfetto_pieces_discard(&pieces);
        return fail(error);
    }
    if (pieces.count > 1) {
        fprintf(stderr, "tare export: %zu pieces, %s-1 to %s-%zu\n", pieces.count, wish.output,
                wish.output, pieces.count);
    }
    return perfetto_pieces_commit(&pieces, error) ? COMMAND_OK : fail(error);
}

static int print_schema(void)
{
    struct output_file file;

    if (!page_file_open(&command_export, &file, wish.output)) {
        return COMMAND_FAILED;
    }
    fwrite(run_schema, 1, run_schema_length, file.stream);
    return page_file_finish(&command_export, &file, true);
}

/* Checks that the run has something to export. */
static int check_run(const struct run *run)
{
    size_t wanted = 0;

    for (size_t i = 0; i < run->bench_count; i++) {
        wanted += wish.format->traces ? is_traced(&run->benches[i])
                                      : run_bench_is(&run->benches[i], wish.bench);
    }
    if (wanted == 0 && wish.format->traces) {
        return command_failure(&command_export, "%s has no trace%s%s%s", wish.file,
                               wish.bench != NULL ? " of bench " : "",
                               wish.bench != NULL ? wish.bench : "",
                               wish.bench != NULL ? "" : "; run again with --bench switches");
    }
    if (wanted == 0 && wish.bench != NULL) {
        return command_failure(&command_export, "%s has no bench %s", wish.file, wish.bench);
    }
    if (wish.format->needs_rate && run->verdict.hz == 0) {
        return command_failure(&command_export,
                               "%s: the rate of the TSC is unknown, so its stamps cannot be "
                               "converted to times; --format csv-events writes them in ticks",
                               wish.file);
    }
    return COMMAND_OK;
}

static int export_run(struct run *run)
{
    assert(wish.format != NULL); /* check_options() ensures it */
    if (!window_cut(&command_export, run)) {
        return COMMAND_FAILED;
    }
    const int status = check_run(run);

    if (status != COMMAND_OK) {
        return status;
    }
    interrupt_catch();
    if (wish.format->write_pieces != NULL) {
        return export_to_pieces(run);
    }
    return wish.format->write_to != NULL ? export_to_directory(run) : export_to_file(run);
}

/* ---- several runs ---- */

/* Returns the time at which the file was written. It orders runs of exact time, whose dates mean
 * nothing. */
static int64_t written_at(const char *path)
{
    struct stat status;

    return stat(path, &status) == 0 ? (int64_t)status.st_mtime : 0;
}

static int read_all(const struct option_rest *rest, struct history *history)
{
    int status = COMMAND_OK;

    for (size_t i = 0; i < rest->count && status == COMMAND_OK && !interrupt_seen(); i++) {
        const char *path = rest->arguments[i];
        struct run run;

        run_init(&run);
        partial_file_protect(path);
        status = page_file_read(&command_export, path, &run);
        if (status == COMMAND_OK) {
            history_add(history, path, written_at(path), &run);
        }
        run_free(&run);
    }
    return status;
}

static int check_history(const struct history *history)
{
    for (size_t i = 0; i < history->left_out_count; i++) {
        fprintf(stderr, "tare export: left out: %s\n", history->left_out[i]);
    }
    if (interrupt_seen()) {
        return command_failure(&command_export, "interrupted; nothing was written");
    }
    if (history->run_count == 0) {
        return command_failure(&command_export, "no valid run given");
    }
    if (history->group_count > 1) {
        return command_failure(&command_export,
                               "the runs are of several machines or time bases: %s, %s; and %s, "
                               "%s: export each separately",
                               history->groups[0].machine, history->groups[0].time,
                               history->groups[1].machine, history->groups[1].time);
    }
    if (history->series_count == 0) {
        return command_failure(&command_export, "%s has no metric%s%s", wish.file,
                               wish.bench != NULL ? " of bench " : "",
                               wish.bench != NULL ? wish.bench : "");
    }
    return COMMAND_OK;
}

/* Exports several runs, in the one format that takes them: bencher. Returns the exit status. */
static int export_runs(const struct option_rest *rest)
{
    char pattern[160];
    struct output_file file;
    struct history history;
    const struct history_settings settings = {
        .alpha = HISTORY_ALPHA,
        .threshold = NAN,
        .last = rest->count,
        .pattern = wish.bench != NULL ? pattern : NULL,
        .spread = true,
    };

    snprintf(pattern, sizeof(pattern), "%.150s.*", wish.bench != NULL ? wish.bench : "");
    history_init(&history, &settings);
    interrupt_catch();
    int status = read_all(rest, &history);

    if (status == COMMAND_OK) {
        status = check_history(&history);
    }
    if (status == COMMAND_OK && !page_file_open(&command_export, &file, wish.output)) {
        status = COMMAND_FAILED;
    } else if (status == COMMAND_OK) {
        history_order(&history);
        history_bencher(file.stream, &history);
        status = page_file_finish(&command_export, &file, true);
    }
    history_free(&history);
    return status;
}

static int run_export(const struct option_rest *rest)
{
    struct run run;

    wish.format = has_format ? &formats[format_index] : NULL;
    if (wish.schema) {
        return rest->count == 0 && wish.format == NULL
                   ? print_schema()
                   : command_usage_error(&command_export,
                                         "--schema takes no format and no run file");
    }
    if (rest->count == 0) {
        return command_usage_error(&command_export, "no run file given");
    }
    if (rest->count > 1 && (wish.format == NULL || !wish.format->of_runs)) {
        return command_usage_error(&command_export, "more than one run file given");
    }
    wish.file = rest->arguments[0];
    measure_use_options();
    int status = check_options();

    if (status != COMMAND_OK) {
        return status;
    }
    assert(wish.format != NULL); /* check_options() ensures it */
    if (wish.format->of_runs) {
        return export_runs(rest);
    }
    run_init(&run);
    partial_file_protect(wish.file);
    status = page_file_read(&command_export, wish.file, &run);
    if (status == COMMAND_OK) {
        status = export_run(&run);
    }
    run_free(&run);
    return status;
}

const struct command command_export = {
    .name = "export",
    .summary = "write runs as CSV, JSON, OpenMetrics, Perfetto, CTF, Bencher",
    .about = "usage: tare export --format FORMAT [--bench NAME] [-o FILE] RUN.db...\n"
             "       tare export --format FORMAT [--bench NAME] [--force] -o DIR RUN.db\n"
             "       tare export --schema\n"
             "\n"
             "Writes a run in a format that other programs read.\n"
             "\n"
             "Numbers\n"
             "  csv          a line for each sample: bench, pass, series, unit, time,\n"
             "               index, value\n"
             "  csv-summary  a line for each series: n, min, quantiles, max, 95 % confidence\n"
             "               interval of the median, mean, deviation, median absolute\n"
             "               deviation\n"
             "  json         the whole run with its samples as one object; --schema describes\n"
             "               it; tare show --json prints it without the samples\n"
             "  openmetrics  the run's metrics for Prometheus, through the node exporter's\n"
             "               textfile collector: -o\n"
             "               /var/lib/prometheus/node-exporter/tare.prom\n"
             "  bencher      Bencher Metric Format for bencher.dev: medians and intervals, p99\n"
             "               and max. Several runs are treated as boots of one image: the\n"
             "               median, minimum and maximum of the runs\n"
             "  tsv          the numbers of each figure of tare report, in DIR/ID.tsv\n"
             "\n"
             "Pictures\n"
             "  screens      the screen at the end of each phase of a task, in\n"
             "               DIR/BENCH-PHASE.png\n"
             "\n"
             "Traces\n"
             "  perfetto     all benches as one trace for ui.perfetto.dev and trace_processor:\n"
             "               threads on each processor, interrupts, deferred calls, system\n"
             "               calls, page faults, and all other events with their fields. The\n"
             "               tids of each further bench are 131072 higher\n"
             "  ctf          for each bench a CTF 1.8 trace in DIR/BENCH/kernel, for its\n"
             "               further passes in DIR/BENCH.2 and so on. Names and fields are\n"
             "               those of LTTng's kernel tracer if it has the event, otherwise\n"
             "               tare_NAME. Read it with\n"
             "                   babeltrace2 --clock-seconds DIR/BENCH\n"
             "                   lttng-schedstats DIR/BENCH  and others of lttng-analyses\n"
             "               or as an LTTng kernel trace in Trace Compass. Stamps are seconds\n"
             "               of the TSC. prio is -1 - priority: lower is more urgent. Deferred\n"
             "               calls are Linux softirqs; field `name` has tare's name\n"
             "  csv-events   a line for each event: bench, pass, time, TSC, processor\n"
             "               (if a bench has several), name, fields, as the image recorded\n"
             "               them\n"
             "\n"
             "Profiles\n"
             "  folded       the functions of each kind of exit (tare boot --profile-exits):\n"
             "               lines KIND;FUNCTION;FUNCTION N, for flamegraph.pl and speedscope\n",
    .options = options,
    .notes = "With --format tsv, the options for input events select what the figures show.\n"
             "With openmetrics, --measure also selects which latency the metrics contain.\n"
             "With json, --above also applies. A trace cut by --from begins with added\n"
             "events that state which threads and handlers were running.\n"
             "Missing events and packets of a trace are reported on standard error.\n"
             "\n"
             "Exit status: 0 written; 1 no run file, nothing to write, or writing failed; 2\n"
             "wrong usage.\n",
    .run = run_export,
};
