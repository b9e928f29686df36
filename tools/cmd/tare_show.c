/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * `tare show`: shows a run file as tables in the terminal or as JSON, or prints one series as plain
 * numbers.
 */
#include <inttypes.h>
#include <langinfo.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "bench/interactive/host/measure/thresholds.h"
#include "bench/interactive/host/view_input.h"
#include "bench/system/host/view_system.h"
#include "kernel/trace/names.h"
#include "tools/base/spelling.h"
#include "tools/cmd/commands.h"
#include "tools/cmd/page_file.h"
#include "tools/cmd/shared_options.h"
#include "tools/finding/view_findings.h"
#include "tools/present/view.h"
#include "tools/show/run_json.h"
#include "tools/show/view_crash.h"
#include "tools/show/view_run.h"
#include "tools/show/view_statistics.h"
#include "tools/trace/shared_walk.h"
#include "tools/trace/view_trace.h"

#define SYMBOLS         "build/image/tare.elf"
#define SAMPLES_AT_ONCE 65536 /* samples in memory at a time while they are printed */
#define SERIES_NAME_MAX 256   /* room for bench, pass and series in a message */
#define CUT             "..." /* end of a list that was cut */

#define BENCHES_MAX     256
#define INTERVAL_MS_MAX 1e9
#define INTERVAL_MS_MIN 1e-9
#define SLOWEST_DEFAULT 5
#define SLOWEST_MAX     1000
/* options that ask for tables instead of the run in brief */
#define TABLES "threads irqs disks avail delays events fsm interarrival longest"

static struct {
    char **paths; /* one run file, or with --estimates up to ESTIMATES_RUNS_MAX */
    size_t path_count;
    bool estimates; /* --estimates: compare with the experiments of the report */
    bool why;
    bool statistics;                  /* --statistics: print statistics of all metrics */
    const char *samples;              /* "BENCH/SERIES"; NULL: --samples was not given */
    const char *benches[BENCHES_MAX]; /* names of the selected benches */
    size_t bench_count;               /* number of selected benches; 0: all */
    bool claims;                      /* --claims: the claims of the paper */
    bool full;                        /* --full: all tables of all benches */
    bool json;
    bool rules;  /* --rules: print the rules of findings */
    bool wishes; /* any table of traces is selected */
    struct trace_wish wish;
    bool asks_input; /* any table of input events is selected */
    struct input_wish input;
    double interarrival_ms[THRESHOLDS_MAX]; /* storage for input.interarrival_ms */
} wish = {.wish = {.slowest = SLOWEST_DEFAULT}};

/* ---- one bench, and its tables ---- */

static bool is_wanted(const struct run_bench *bench)
{
    for (size_t i = 0; i < wish.bench_count; i++) {
        if (strcmp(bench->name, wish.benches[i]) == 0) {
            return true;
        }
    }
    return wish.bench_count == 0;
}

/* Writes the selected benches for a message: "bench a has" or "benches a, b have". */
static const char *name_wanted(char *text, size_t size)
{
    size_t used = (size_t)snprintf(text, size, "bench%s", wish.bench_count > 1 ? "es" : "");

    for (size_t i = 0; i < wish.bench_count && used < size; i++) {
        used +=
            (size_t)snprintf(text + used, size - used, "%s %s", i > 0 ? "," : "", wish.benches[i]);
    }
    if (used < size) {
        snprintf(text + used, size - used, " %s", wish.bench_count > 1 ? "have" : "has");
    }
    return text;
}

/* Returns the first selected bench that the run lacks, or NULL if it has all. */
static const char *find_missing(const struct run *run)
{
    for (size_t i = 0; i < wish.bench_count; i++) {
        if (run_find_bench(run, wish.benches[i]) == NULL) {
            return wish.benches[i];
        }
    }
    return NULL;
}

/* Writes the benches of the run for a message, or only those with a trace: "a, b, c". */
static const char *list_benches(const struct run *run, bool traced, char *text, size_t size)
{
    size_t used = 0;

    text[0] = '\0';
    for (size_t i = 0; i < run->bench_count && used < size; i++) {
        const struct run_bench *bench = &run->benches[i];

        if (bench == run_find_bench(run, bench->name) && (!traced || bench->trace_count > 0)) {
            used += (size_t)snprintf(text + used, size - used, "%s%s", used > 0 ? ", " : "",
                                     bench->name);
        }
    }
    return used > 0 ? text : "none";
}

/* Returns whether the name is in the list "a, b, c". */
static bool is_listed(const char *list, const char *name)
{
    const size_t length = strlen(name);

    while (list != NULL) {
        if (strncmp(list, name, length) == 0 && (list[length] == ',' || list[length] == '\0')) {
            return true;
        }
        list = strstr(list, ", ");
        list += list != NULL ? 2 : 0;
    }
    return false;
}

/* Writes the threads that the selected benches name for a message, each once: "a, b, c". */
static const char *list_threads(const struct run *run, char *text, size_t size)
{
    size_t used = 0;

    text[0] = '\0';
    for (size_t i = 0; i < run->bench_count; i++) {
        const struct run_bench *bench = &run->benches[i];

        for (size_t k = 0; is_wanted(bench) && k < bench->object_count && used < size; k++) {
            const struct run_object *object = &bench->objects[k];

            if (strcmp(object->kind, OBJECT_NAME_THREAD) == 0 && object->name != NULL &&
                !is_listed(text, object->name)) {
                used += (size_t)snprintf(text + used, size - used, "%s%s", used > 0 ? ", " : "",
                                         object->name);
            }
        }
    }
    return used > 0 ? text : "idle, bench";
}

/* Returns whether a selected bench has input events; if not, prints an error. */
static bool can_show_input(const struct run *run)
{
    char names[1024];

    for (size_t i = 0; i < run->bench_count; i++) {
        if (is_wanted(&run->benches[i]) && view_has_input(&run->benches[i])) {
            return true;
        }
    }
    if (wish.bench_count > 0) {
        command_failure(&command_show, "%s no input events", name_wanted(names, sizeof(names)));
    } else {
        command_failure(&command_show, "this run has no input events; run an interactive bench, "
                                       "such as --bench echo");
    }
    return false;
}

/* Returns whether the run has everything that the options select; if not, prints an error. */
static bool can_show(const struct run *run)
{
    const char *missing = find_missing(run);
    bool traced = false;
    bool thread = false;
    char text[1024];
    char names[1024];

    for (size_t i = 0; i < run->bench_count; i++) {
        const struct run_bench *bench = &run->benches[i];
        const bool counts = is_wanted(bench) && bench->trace_count > 0;

        traced = traced || counts;
        thread = thread || (counts && wish.wish.thread != NULL &&
                            view_find_thread(bench, wish.wish.thread) != ACCOUNT_NO_THREAD);
    }
    if (missing != NULL) {
        command_failure(&command_show, "this run has no bench \"%s\"; it has: %s", missing,
                        list_benches(run, false, text, sizeof(text)));
    } else if (wish.wishes && !traced && wish.bench_count > 0) {
        command_failure(&command_show, "%s no trace; benches with a trace: %s",
                        name_wanted(names, sizeof(names)),
                        list_benches(run, true, text, sizeof(text)));
    } else if (wish.wishes && !traced) {
        command_failure(&command_show, "this run has no trace; run again with --bench switches");
    } else if (wish.wish.thread != NULL && !thread) {
        command_failure(&command_show, "this run has no thread \"%s\"; it has: %s",
                        wish.wish.thread, list_threads(run, text, sizeof(text)));
    } else {
        return !wish.asks_input || can_show_input(run);
    }
    return false;
}

/* Returns whether the bench has the selected tables of traces. If only the delays of one thread are
 * selected, the bench must have that thread. */
static bool has_tables(const struct run_bench *bench)
{
    const struct trace_wish *tables = &wish.wish;
    const bool of_each = tables->consistency || tables->threads || tables->irqs || tables->disks ||
                         tables->interval_ms > 0;

    return wish.wishes && bench->trace_count > 0 &&
           (of_each || tables->thread == NULL ||
            view_find_thread(bench, tables->thread) != ACCOUNT_NO_THREAD);
}

/* Prints those of the selected tables that the bench has. */
static bool print_tables(const struct view *view, const struct run_bench *bench)
{
    const bool traced = has_tables(bench);
    const bool input = wish.asks_input && view_has_input(bench);
    char label[RUN_LABEL_MAX];
    bool good = true;

    if (traced || input) {
        fprintf(view->out, "\n%s\n", run_bench_label(view->run, bench, label));
    }
    if (traced) {
        good = view_trace(view, bench, &wish.wish) == NULL;
    }
    if (input) {
        good = view_input(view, bench, &wish.input) == NULL && good;
    }
    return good;
}

/* Returns whether "tare show crash" asks for the crashes of the run. It does unless the run has a
 * bench of that name. */
static bool wants_crash(const struct run *run)
{
    return wish.bench_count == 1 && strcmp(wish.benches[0], SHOW_CRASH) == 0 &&
           run_find_bench(run, SHOW_CRASH) == NULL;
}

static int print_part(const struct view *view, const struct run_texts *reasons)
{
    const struct run *run = view->run;
    int status = COMMAND_OK;

    if (!can_show(run)) {
        return COMMAND_FAILED;
    }
    walk_share(&(struct walk_wish){.run = run,
                                   .use = WALK_TABLES,
                                   .disks = wish.wish.disks,
                                   .tables = wish.wishes || wish.asks_input ? &wish.wish
                                                                            : &view_bench_wish});
    view_verdict(view->out, run, reasons);
    for (size_t i = 0; i < run->bench_count; i++) {
        const struct run_bench *bench = &run->benches[i];

        if (!is_wanted(bench)) {
            continue;
        }
        if (!wish.wishes && !wish.asks_input) {
            view_bench(view, bench);
        } else if (!print_tables(view, bench)) {
            status = COMMAND_FAILED;
        }
    }
    return status;
}

static int print_statistics(const struct view *view, const struct run_texts *reasons)
{
    if (!can_show(view->run)) {
        return COMMAND_FAILED;
    }
    view_verdict(view->out, view->run, reasons);
    if (!view_statistics(view, wish.benches, wish.bench_count)) {
        char names[1024];

        return command_failure(&command_show, "%s no samples of a metric",
                               wish.bench_count > 0 ? name_wanted(names, sizeof(names))
                                                    : "this run has");
    }
    return COMMAND_OK;
}

/* ---- series ---- */

/* Writes the name of a series: "a/b", or "a:2/d" for a later pass. */
static const char *series_name(const struct run_bench *bench, size_t series,
                               char text[SERIES_NAME_MAX])
{
    char pass[16] = "";

    if (bench->pass > 1) {
        snprintf(pass, sizeof(pass), ":%" PRIu32, bench->pass);
    }
    snprintf(text, SERIES_NAME_MAX, "%s%s/%s", bench->name, pass, bench->series[series].name);
    return text;
}

/* Writes the series of all passes of a bench for a message: "a/b, a/c, a:2/d". */
static const char *list_series(const struct run *run, const char *bench, char *text, size_t size)
{
    char name[SERIES_NAME_MAX];
    size_t used = 0;

    text[0] = '\0';
    for (size_t i = 0; i < run->bench_count; i++) {
        const struct run_bench *of = &run->benches[i];

        for (size_t k = 0; strcmp(of->name, bench) == 0 && k < of->series_count && used < size;
             k++) {
            used += (size_t)snprintf(text + used, size - used, "%s%s", used > 0 ? ", " : "",
                                     series_name(of, k, name));
        }
    }
    if (used >= size) {
        memcpy(text + size - sizeof(CUT), CUT, sizeof(CUT));
    }
    return used > 0 ? text : "none";
}

/* Writes "; did you mean a/b? Bench" with the bench's series of the nearest name, or "; bench" if
 * none is near. */
static const char *ask_nearest(const struct run *run, const char *bench, const char *wanted,
                               char *text, size_t size)
{
    size_t least = SPELLING_NEAR + 1;
    char name[SERIES_NAME_MAX];

    snprintf(text, size, "; bench");
    for (size_t i = 0; i < run->bench_count; i++) {
        const struct run_bench *of = &run->benches[i];

        for (size_t k = 0; strcmp(of->name, bench) == 0 && k < of->series_count; k++) {
            const size_t distance = spelling_distance(wanted, series_name(of, k, name));

            if (distance < least) {
                least = distance;
                snprintf(text, size, "; did you mean %s? Bench", name);
            }
        }
    }
    return text;
}

static int no_series(const struct run *run, const char *wanted)
{
    char nearest[SERIES_NAME_MAX + 32];
    char bench[SERIES_NAME_MAX];
    char known[1024];

    snprintf(bench, sizeof(bench), "%.*s", (int)strcspn(wanted, ":/"), wanted);
    if (run_find_bench(run, bench) == NULL) {
        return command_failure(&command_show,
                               "this run has no series \"%s\" and no bench \"%s\"; its benches: %s",
                               wanted, bench, list_benches(run, false, known, sizeof(known)));
    }
    return command_failure(&command_show, "this run has no series \"%s\"%s %s has: %s", wanted,
                           ask_nearest(run, bench, wanted, nearest, sizeof(nearest)), bench,
                           list_series(run, bench, known, sizeof(known)));
}

/* Returns the series that "BENCH/SERIES" or "BENCH:PASS/SERIES" names; without a pass, that of the
 * first pass that has it. Returns NULL if there is none. */
static const struct run_series *find_wanted(const struct run *run, const char *wanted)
{
    for (size_t i = 0; i < run->bench_count; i++) {
        const struct run_bench *bench = &run->benches[i];
        const size_t length = strlen(bench->name);
        char pass[16];

        if (strncmp(wanted, bench->name, length) != 0) {
            continue;
        }
        const char *rest = wanted + length;
        const size_t digits = (size_t)snprintf(pass, sizeof(pass), ":%" PRIu32, bench->pass);

        rest += strncmp(rest, pass, digits) == 0 ? digits : 0;
        const struct run_series *series = *rest == '/' ? run_find_series(bench, rest + 1) : NULL;

        if (series != NULL) {
            return series;
        }
    }
    return NULL;
}

static int print_samples(const struct run *run, const char *wanted)
{
    const struct run_series *series = find_wanted(run, wanted);

    if (series == NULL) {
        return no_series(run, wanted);
    }
    for (size_t i = 0; i < series->received; i++) {
        printf("%" PRId64 "\n", series->samples[i]);
        if (i > 0 && i % SAMPLES_AT_ONCE == 0) {
            samples_forget(series, i - SAMPLES_AT_ONCE, SAMPLES_AT_ONCE);
        }
    }
    return run_series_whole(series)
               ? COMMAND_OK
               : command_failure(&command_show, "%zu of %u samples of %s are missing",
                                 series->n - series->received, series->n, wanted);
}

static int show(struct run *run)
{
    struct run_texts reasons = {0};
    int status = page_file_read(&command_show, wish.paths[0], run);
    struct view view;

    if (status != COMMAND_OK) {
        return status;
    }
    const bool valid = run_valid(run, &reasons);

    if (wish.samples == NULL) {
        run_leave_out(run);
    }
    if (!window_cut(&command_show, run)) {
        run_texts_free(&reasons);
        return COMMAND_FAILED;
    }
    chart_use_blocks(strcmp(nl_langinfo(CODESET), "UTF-8") == 0);
    view_init(&view, stdout, run);
    view.symbols = SYMBOLS;
    if (wish.samples != NULL) {
        status = print_samples(run, wish.samples);
        if (status == COMMAND_OK && !valid) {
            status =
                command_failure(&command_show, "%s is INVALID: %s", wish.paths[0], reasons.item[0]);
        }
    } else if (wish.json) {
        run_json(stdout, run, &reasons);
    } else if (wants_crash(run)) {
        view_crashes(&view);
        if (run->crash_count == 0) {
            status = command_failure(&command_show, "nothing crashed in this run");
        }
    } else if (wish.claims) {
        status = view_claims(&view) ? COMMAND_OK : COMMAND_FAILED;
    } else if (wish.statistics) {
        status = print_statistics(&view, &reasons);
    } else if (wish.wishes || wish.asks_input || wish.bench_count > 0) {
        status = print_part(&view, &reasons);
    } else if (wish.full) {
        view_run(&view, &reasons);
    } else {
        view_digest(&view, &reasons, wish.paths[0], false);
    }
    run_texts_free(&reasons);
    return valid ? status : COMMAND_FAILED;
}

/* ---- the report's experiments ---- */

/* Reads runs[i] from paths[i]. Returns false, with an error printed, if one cannot be read. */
static bool read_runs(struct run *runs, struct estimates_run *columns)
{
    for (size_t i = 0; i < wish.path_count; i++) {
        struct run_texts reasons = {0};

        if (page_file_read(&command_show, wish.paths[i], &runs[i]) != COMMAND_OK) {
            return false;
        }
        columns[i] = (struct estimates_run){wish.paths[i], &runs[i], run_valid(&runs[i], &reasons)};
        run_texts_free(&reasons);
    }
    return true;
}

static int show_estimates(void)
{
    struct run runs[ESTIMATES_RUNS_MAX];
    struct estimates_run columns[ESTIMATES_RUNS_MAX] = {0};
    bool good;

    for (size_t i = 0; i < wish.path_count; i++) {
        run_init(&runs[i]);
    }
    good = read_runs(runs, columns);
    if (good && wish.json) {
        estimates_json(stdout, columns, wish.path_count);
    } else if (good) {
        view_estimates(stdout, columns, wish.path_count, wish.why);
    }
    for (size_t i = 0; i < wish.path_count; i++) {
        good = good && columns[i].valid;
        run_free(&runs[i]);
    }
    return good ? COMMAND_OK : COMMAND_FAILED;
}

/* ---- options ---- */

static bool has_thresholds; /* --threshold was given */

static bool take_thresholds(char *text, char error[OPTION_ERROR_MAX])
{
    if (!has_thresholds) {
        thresholds_init(&wish.input.thresholds);
        has_thresholds = true;
    }
    return thresholds_read_set(text, &wish.input.thresholds, error);
}

static bool take_interarrival(char *text, char error[OPTION_ERROR_MAX])
{
    wish.input.interarrival_ms = wish.interarrival_ms;
    return thresholds_read(text, wish.interarrival_ms, &wish.input.interarrival_count, error);
}

static const struct option_line table_options[] = {
    {"full", OPT_FLAG(&wish.full), NULL, "everything: the machine, its clocks, and all benches",
     .excludes = TABLES},
    {"For benches with a trace, print these tables instead of the default ones:", OPT_HEADING},
    {"threads", OPT_FLAG(&wish.wish.threads), NULL,
     "each thread: its states and their causes, its wake-ups, the locks"},
    {"irqs", OPT_FLAG(&wish.wish.irqs), NULL,
     "each interrupt and deferred call: times and their distribution"},
    {"disks", OPT_FLAG(&wish.wish.disks), NULL,
     "each disk: its requests, their times, and how many were outstanding at a time"},
    {"avail", OPT_REAL(&wish.wish.interval_ms, INTERVAL_MS_MIN, INTERVAL_MS_MAX), "MS",
     "utilisation of the processor over intervals of MS milliseconds, such as 0.1",
     .expected = "milliseconds, such as 10 or 0.1"},
    {"delays", OPT_TEXT(&wish.wish.thread), "THREAD",
     "the slowest wake-ups and lock waits of a thread, given by name or number, and what used the "
     "processor meanwhile"},
    {"slowest", OPT_NUMBER(&wish.wish.slowest, 1, SLOWEST_MAX), "N",
     "how many of the slowest delays to print, at most 1000 (default 5)", .needs = "delays"},
    {"For benches with input events, print these tables instead of the default ones:", OPT_HEADING},
    {"events", OPT_FLAG(&wish.input.events), NULL,
     "each event: when it was due, arrived and was done; events by kind; the parts of their "
     "latency; latency profile, histogram, cumulative latency, utilisation, responsiveness. The "
     "figures show actions: down and up of a key are one action. Phases of a bench are shown "
     "separately"},
    {"", OPT_TABLE(measure_options)},
    {"threshold", OPT_CALL(take_thresholds), "CLASS=MS,..",
     "acceptable latencies in ms, for the responsiveness. CLASS is a class of actions (printable, "
     "newline, page, cursor, command, click, wheel, move, or one from the script), a kind of event "
     "(key_down, key_up, button_down, button_up, move), or all (default all=100)",
     .needs = "events", .repeats = true},
    {"interarrival", OPT_CALL(take_interarrival), "MS,...",
     "intervals between actions that took longer than each of these limits: milliseconds, such as "
     "100,110,120, or times with unit, such as 50us"},
    {"longest", OPT_NUMBER(&wish.input.longest, 1, SLOWEST_MAX), "N",
     "the N longest actions by name, all systems side by side, and how long disk requests were "
     "outstanding during each"},
    {"fsm", OPT_FLAG(&wish.input.fsm), NULL,
     "how long the user thought and waited: the time in each state, and the first 20 transitions "
     "(--json: all). For comparison, the waits that simpler state machines report, which know less "
     "than the trace: for example only whether the processor is busy"},
    OPTIONS_END,
};

static const struct option_line options[] = {
    {"", OPT_TABLE(table_options)},
    {"Other forms, instead:", OPT_HEADING},
    {"statistics", OPT_FLAG(&wish.statistics), NULL,
     "for each metric, or only those of BENCH: quantiles, interval of the median, max and its "
     "time, mean, deviation, MAD, drift and autocorrelation. If all values are equal, it prints "
     "\"exact\" in exact time, otherwise \"constant\" or \"one value\"",
     .excludes = "estimates json samples full " TABLES},
    {"estimates", OPT_FLAG(&wish.estimates), NULL,
     "the processor and memory experiments of the report by Kalyanaraman and Ganapathy (2014), who "
     "measured a MacBook under OS X: for each experiment the report's result and estimate, tare's "
     "estimate, and a column with the value of each run",
     .excludes = "samples full from to " TABLES},
    {"claims", OPT_FLAG(&wish.claims), NULL,
     "what Endo et al. (1996) say, sentence by sentence, and whether a run of --profile paper "
     "reproduces it; exit status 1 if a verdict is not the declared one",
     .excludes = "estimates json samples full statistics " TABLES},
    {"why", OPT_FLAG(&wish.why), NULL,
     "also the source of each figure and the parts of each estimate", .needs = "estimates",
     .excludes = "json"},
    {"json", OPT_FLAG(&wish.json), NULL, "print one JSON object instead of tables",
     .excludes = "samples full " TABLES},
    {"samples", OPT_TEXT(&wish.samples), "BENCH/SERIES",
     "print the raw samples of one series, one per line; BENCH:2/SERIES for the bench's second "
     "pass",
     .excludes = "full " TABLES},
    {"rules", OPT_FLAG(&wish.rules), NULL,
     "print the rules of findings, each with its threshold; needs no run file", .alone = true},
    {"", OPT_TABLE(window_options)},
    {"run file", OPT_ARGUMENTS(1, INT32_MAX), "RUN.db"},
    OPTIONS_END,
};

/* Splits the arguments, in any order, into benches and run files. An argument with a slash or a dot
 * is a file. If there is none, the last argument that names a file is it, otherwise the last. */
static void take_benches(const struct option_rest *rest)
{
    size_t path = rest->count - 1;

    wish.paths = rest->arguments;
    wish.path_count = rest->count;
    if (wish.estimates || rest->count > BENCHES_MAX) {
        return;
    }
    for (size_t i = 0; i < rest->count; i++) {
        path = access(rest->arguments[i], F_OK) == 0 ? i : path;
    }
    wish.path_count = 0;
    for (size_t i = 0; i < rest->count; i++) {
        if (strpbrk(rest->arguments[i], "/.") != NULL) {
            wish.paths[wish.path_count++] = rest->arguments[i];
        } else {
            wish.benches[wish.bench_count++] = rest->arguments[i];
        }
    }
    if (wish.path_count == 0) {
        wish.paths[wish.path_count++] = (char *)wish.benches[path];
        wish.bench_count--;
        memmove(wish.benches + path, wish.benches + path + 1,
                (wish.bench_count - path) * sizeof(*wish.benches));
    }
}

/* Returns the message for wrong combinations that the table of options cannot detect, or NULL if
 * there are none. */
static const char *complaint(void)
{
    const bool measures =
        measure_wish.measured || measure_wish.grouped || measure_wish.above_ms >= 0;

    if (wish.path_count > 1 && !wish.estimates) {
        return "more than one run file given; tare compare compares runs, and only --estimates "
               "takes several here";
    }
    if (wish.path_count > ESTIMATES_RUNS_MAX) {
        return "too many run files given";
    }
    if (wish.bench_count > 0 && (wish.json || wish.samples != NULL || wish.full)) {
        return "--json, --samples and --full cannot be combined with benches";
    }
    if (measures && !wish.input.events && !wish.input.by_action &&
        wish.input.interarrival_count == 0 && wish.input.longest == 0) {
        return "--measure, --by and --above need --events, --interarrival, --longest or --by "
               "action";
    }
    return NULL;
}

static int run_show(const struct option_rest *rest)
{
    struct run run;

    if (wish.rules) {
        view_finding_rules(stdout);
        return COMMAND_OK;
    }
    take_benches(rest);
    wish.input.by_action = measure_wish.by == 2;
    if (complaint() != NULL) {
        return command_usage_error(&command_show, "%s", complaint());
    }
    if (access(wish.paths[0], F_OK) != 0 && strpbrk(wish.paths[0], "/.") == NULL) {
        return command_usage_error(&command_show,
                                   "%s: there is no such file; name a run file, such as "
                                   "build/run/run.db, and benches: tare show RUN.db %s",
                                   wish.paths[0], wish.paths[0]);
    }
    wish.wishes = wish.wish.threads || wish.wish.irqs || wish.wish.disks ||
                  wish.wish.interval_ms > 0 || wish.wish.thread != NULL;
    wish.asks_input = wish.input.events || wish.input.fsm || wish.input.by_action ||
                      wish.input.interarrival_count > 0 || wish.input.longest > 0;
    if (!has_thresholds) {
        thresholds_init(&wish.input.thresholds);
    }
    measure_use_options();
    if (wish.estimates) {
        return show_estimates();
    }
    run_init(&run);
    const int status = show(&run);

    run_free(&run);
    return status;
}

const struct command command_show = {
    .name = "show",
    .summary = "show a run in brief, as tables, JSON or raw samples",
    .about = "usage: tare show [--full] RUN.db\n"
             "       tare show [TABLES] RUN.db BENCH...\n"
             "       tare show crash RUN.db\n"
             "       tare show --claims RUN.db\n"
             "       tare show --json RUN.db\n"
             "       tare show --samples BENCH/SERIES RUN.db\n"
             "       tare show --estimates [--why | --json] RUN.db...\n"
             "       tare show --rules\n"
             "\n"
             "Takes a serial log as well, which it decodes first, to the file LOG.db.\n"
             "Shows a run in brief: the findings, worst first; whether its data are valid; the\n"
             "main figure of each bench, or why it did not run. For each BENCH on the command\n"
             "line: its parameters, series and results, and, if it has a trace, a table that\n"
             "accounts for every tick. Quantiles are samples (nearest rank); p99 and p99.9\n"
             "are printed if at least ten samples lie above them. Lines are as wide as the\n"
             "terminal; the environment variable COLUMNS sets another width.\n",
    .options = options,
    .notes = "Exit status: 0 a valid run, 1 an invalid run or no run file, 2 wrong usage.\n",
    .run = run_show,
    .is_long = true,
};
