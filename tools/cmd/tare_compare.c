/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * tare compare: compares runs with each other and with limits.
 */
#include <errno.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "kernel/plan/number.h"
#include "kernel/plan/text_mark.h"
#include "tools/base/alloc.h"
#include "tools/base/long_text.h"
#include "tools/base/output_file.h"
#include "tools/base/partial_file.h"
#include "tools/cmd/ci_options.h"
#include "tools/cmd/commands.h"
#include "tools/cmd/compare_history.h"
#include "tools/cmd/measure_options.h"
#include "tools/compare/boot_spread.h"
#include "tools/compare/compare_cases.h"
#include "tools/compare/compare_views.h"
#include "tools/run/run_kind.h"
#include "tools/store/runfile.h"

#define LIMITS_BYTES_MAX 1048576
#define PERCENT          100
#define RUNS_MAX         1000000
#define STOLEN_KEY       "stolen="

static const char help[] =
    "usage: tare compare [--limits FILE] [--metric PATTERN] [--all] A.db B.db\n"
    "                    [C.db]...\n"
    "       tare compare [OPTION]... A1.db A2.db A3.db -- B1.db B2.db B3.db\n"
    "       tare compare --aa A1.db A2.db [A3.db]...\n"
    "       tare compare --limits FILE A.db\n"
    "       tare compare --history DIR|FLEET\n"
    "\n"
    "Compares each run with the first, or the group of runs after -- with the group\n"
    "before it, metric by metric: worse, better, same or unclear.\n"
    "\n"
    "worse, better  the difference is significant at --alpha, corrected for the count\n"
    "               of metrics (Holm), and the 95 % interval of the shift lies\n"
    "               entirely beyond the threshold; or the tail meets both conditions:\n"
    "               p99, or p90 if there are few values\n"
    "changed        the same for a metric that is neither good nor bad\n"
    "differs        the same, where each side has one boot and boots vary\n"
    "same           the interval lies entirely within the threshold\n"
    "unclear        anything else; the reason is printed beside it\n"
    "\n"
    "Boots of the same image differ, except in exact time. Groups are judged by one\n"
    "median of each boot (Welch's test). tare boot --repeat and --interleave make\n"
    "groups. With one boot a side how boots vary is unknown: a difference of these\n"
    "two boots is \"differs\", never worse or better. In exact and simulated time one\n"
    "boot is enough, and its values are judged (Mann-Whitney, Hodges-Lehmann), with\n"
    "regard to their correlation.\n"
    "\n"
    "The table has the medians, the shift with its interval in per cent of the first\n"
    "run's median, and Cliff's delta: -1 if all values of the second run are lower, 1\n"
    "if all are higher; of groups it is of the boots. Values that never vary are\n"
    "compared directly: exact.\n"
    "\n"
    "  --aa               report how much these boots, which should be equal, differ\n"
    "                     in each metric, and which difference such groups can show\n"
    "  --all              also print metrics that are the same or unclear\n"
    "  --metric PATTERN   only metrics of this name, such as paths.switch or\n"
    "                     'chase.*'; with fewer metrics each needs less evidence\n"
    "  --measure MEASURE  of latencies of input events only these: idle, service or\n"
    "                     response; by default all three\n"
    "  --threshold PCT    smallest difference that matters, in per cent (1)\n"
    "  --threshold stolen=NUMBERppm\n"
    "                     the same of stolen time, in ppm of all time: us in each\n"
    "                     second (10)\n"
    "  --alpha P          chance of any false alarm among all metrics (0.05)\n"
    "  --limits FILE      also check limits: of every run except the first, of every\n"
    "                     run after --, or of a single run\n"
    "  --history DIR      find where a metric changed over many runs: the files\n"
    "                     *.db of a directory or, where DIR is a fleet (tare db),\n"
    "                     its runs. Runs of each machine and kind of time are a\n"
    "                     series by date; in exact time, whose clock always starts\n"
    "                     alike, by name or number, and there each difference is a\n"
    "                     change. --alpha is the chance that a metric has any false\n"
    "                     change (0.001)\n"
    "  --recent N         of a history: a worse change within the newest N runs,\n"
    "                     undone by no later one, is a failure (15; 5 in exact\n"
    "                     time)\n"
    "  --last N           of a history: search only the newest N runs (200)\n"
    "  --force            compare runs of different kinds of time, and invalid runs;\n"
    "                     every output then has a warning\n"
    "  --json             print one object with everything\n"
    "  --junit FILE       also write a case for each metric and limit as JUnit XML,\n"
    "                     for a CI server\n"
    "  --tap FILE         also write them in the Test Anything Protocol. - is\n"
    "                     standard output, for either, in place of the table\n"
    "  --html FILE        also write a page with the distributions of both runs on\n"
    "                     the same axes\n"
    "  --help             this text\n"
    "\n"
    "A limits file has one limit a line; # begins a comment:\n"
    "    max    noise.gap               50us\n"
    "    p99    echo.response.key_down  <= 100 ms in exact\n"
    "    median paths.switch            110 instructions\n"
    "    min    bandwidth.read.avx2*    2 GB/s            # at least\n"
    "    rate   noise.gap               3/s\n"
    "instructions are of exact time; other units are of real time unless \"in KIND\"\n"
    "follows: exact, emulated, real or model. A run of another kind breaks the limit.\n"
    "A limit that cannot be evaluated, such as that of a missing metric, counts as\n"
    "broken.\n"
    "\n"
    "Exit status: 0 nothing is worse and all limits are kept; 1 something is worse\n"
    "(of a history: since one of the newest runs), a limit is broken, or a run is\n"
    "invalid or cannot be read or compared; 2 wrong usage, runs of different kinds\n"
    "of time, or an error in the limits file. \"differs\" and --aa do not change it.\n";

enum compare_option {
    OPTION_ALL = 256,
    OPTION_AA,
    OPTION_METRIC,
    OPTION_THRESHOLD,
    OPTION_ALPHA,
    OPTION_LIMITS,
    OPTION_FORCE,
    OPTION_JSON,
    OPTION_HTML,
    OPTION_HISTORY,
    OPTION_RECENT,
    OPTION_LAST,
};

static const struct option options[] = {
    {"all", no_argument, NULL, OPTION_ALL},
    {"aa", no_argument, NULL, OPTION_AA},
    {"metric", required_argument, NULL, OPTION_METRIC},
    {"threshold", required_argument, NULL, OPTION_THRESHOLD},
    {"alpha", required_argument, NULL, OPTION_ALPHA},
    {"limits", required_argument, NULL, OPTION_LIMITS},
    {"force", no_argument, NULL, OPTION_FORCE},
    {"json", no_argument, NULL, OPTION_JSON},
    {"html", required_argument, NULL, OPTION_HTML},
    {"history", required_argument, NULL, OPTION_HISTORY},
    {"recent", required_argument, NULL, OPTION_RECENT},
    {"last", required_argument, NULL, OPTION_LAST},
    {"measure", required_argument, NULL, OPTION_MEASURE},
    CI_OPTIONS,
    {NULL, 0, NULL, 0},
};

struct wishes {
    struct compare_settings settings;
    const char *limits; /* files, or NULL */
    const char *html;
    struct ci_wishes ci;
    const char *history;   /* directory or fleet; NULL: none */
    uint64_t recent, last; /* runs of it; 0: not given */
    bool has_alpha, has_threshold;
    bool all, force, json;
    bool aa;
    char **paths; /* `count` of them; the first `a_group` are group a */
    size_t count;
    size_t a_group; /* 0: no groups */
};

/* ---- options ---- */

static bool read_fraction(const char *text, double least, double most, double *value)
{
    char *end;

    *value = strtod(text, &end);
    return end > text && *end == '\0' && *value >= least && *value <= most;
}

/* "stolen=100ppm". */
static bool read_stolen(const char *text, double *ppm)
{
    char number[32];
    const size_t length = strlen(text);
    const size_t unit = strlen(UNIT_PPM);

    if (length <= unit || length - unit >= sizeof(number) ||
        strcmp(text + length - unit, UNIT_PPM) != 0) {
        return false;
    }
    snprintf(number, sizeof(number), "%.*s", (int)(length - unit), text);
    return read_fraction(number, 0, 1e6, ppm);
}

static int take_threshold(struct wishes *wishes)
{
    const size_t key = strlen(STOLEN_KEY);
    double value;

    if (strncmp(optarg, STOLEN_KEY, key) == 0) {
        if (!read_stolen(optarg + key, &wishes->settings.stolen)) {
            return command_usage_error(
                &command_compare,
                "--threshold %s: must be " STOLEN_KEY "NUMBERppm, from 0 to 1000000", optarg);
        }
        return COMMAND_OK;
    }
    if (!read_fraction(optarg, 0, 1000, &value)) {
        return command_usage_error(
            &command_compare,
            "--threshold %s: must be per cent, from 0 to 1000, or " STOLEN_KEY "NUMBERppm", optarg);
    }
    wishes->settings.threshold = value / PERCENT;
    wishes->has_threshold = true;
    return COMMAND_OK;
}

static int take_alpha(struct wishes *wishes)
{
    double value;

    if (!read_fraction(optarg, 1e-12, 0.5, &value)) {
        return command_usage_error(
            &command_compare, "--alpha %s: must be a probability above 0, at most 0.5", optarg);
    }
    wishes->settings.alpha = value;
    wishes->has_alpha = true;
    return COMMAND_OK;
}

static int take_runs(const char *name, uint64_t *runs)
{
    if (!parse_unsigned(optarg, runs) || *runs < 1 || *runs > RUNS_MAX) {
        return command_usage_error(&command_compare, "--%s %s: must be runs, from 1 to %d", name,
                                   optarg, RUNS_MAX);
    }
    return COMMAND_OK;
}

static int take_other_option(struct wishes *wishes, int option)
{
    switch (option) {
    case OPTION_HISTORY:
        wishes->history = optarg;
        return COMMAND_OK;
    case OPTION_RECENT:
        return take_runs("recent", &wishes->recent);
    case OPTION_LAST:
        return take_runs("last", &wishes->last);
    default:
        return ci_option(&wishes->ci, option) || measure_option(&command_compare, option)
                   ? COMMAND_OK
                   : COMMAND_USAGE;
    }
}

static int take_option(struct wishes *wishes, int option)
{
    switch (option) {
    case OPTION_ALL:
        wishes->all = true;
        return COMMAND_OK;
    case OPTION_AA:
        wishes->aa = true;
        return COMMAND_OK;
    case OPTION_METRIC:
        wishes->settings.pattern = optarg;
        return COMMAND_OK;
    case OPTION_LIMITS:
        wishes->limits = optarg;
        return COMMAND_OK;
    case OPTION_FORCE:
        wishes->force = true;
        return COMMAND_OK;
    case OPTION_JSON:
        wishes->json = true;
        return COMMAND_OK;
    case OPTION_HTML:
        wishes->html = optarg;
        return COMMAND_OK;
    case OPTION_THRESHOLD:
        return take_threshold(wishes);
    case OPTION_ALPHA:
        return take_alpha(wishes);
    default:
        return take_other_option(wishes, option);
    }
}

static int check_count(const struct wishes *wishes)
{
    if (wishes->count == 0) {
        return command_usage_error(&command_compare, "no run files given");
    }
    if (wishes->aa && wishes->a_group > 0) {
        return command_usage_error(&command_compare, "--aa takes one group: omit --");
    }
    if (wishes->aa && (wishes->limits != NULL || wishes->html != NULL)) {
        return command_usage_error(&command_compare, "--aa takes neither --limits nor --html");
    }
    if (wishes->aa && (wishes->ci.junit != NULL || wishes->ci.tap != NULL)) {
        return command_usage_error(&command_compare,
                                   "--aa judges nothing: it takes neither --junit nor --tap");
    }
    if (wishes->count == 1 && (wishes->aa || wishes->limits == NULL)) {
        return command_usage_error(&command_compare, "%s",
                                   wishes->aa ? "--aa needs two boots or more"
                                              : "needs a second run, or --limits FILE");
    }
    if (wishes->count == 1 && wishes->html != NULL) {
        return command_usage_error(&command_compare, "--html needs two runs or more");
    }
    return COMMAND_OK;
}

/* What goes to standard output. */
static int check_output(const struct wishes *wishes)
{
    if (wishes->json && ci_has_output(&wishes->ci)) {
        return command_usage_error(&command_compare, "--json, and --junit or --tap with -: only "
                                                     "one of them can go to standard output");
    }
    return ci_check(&command_compare, &wishes->ci);
}

static int check_history(const struct wishes *wishes)
{
    if (wishes->history == NULL) {
        return wishes->recent == 0 && wishes->last == 0
                   ? check_count(wishes)
                   : command_usage_error(&command_compare,
                                         "--recent and --last work with --history only");
    }
    if (wishes->count > 0) {
        return command_usage_error(&command_compare, "--history takes its runs from %s: omit %s",
                                   wishes->history, wishes->paths[0]);
    }
    if (wishes->aa || wishes->limits != NULL || wishes->html != NULL || wishes->force) {
        return command_usage_error(&command_compare, "--history takes none of --aa, --limits, "
                                                     "--html and --force");
    }
    return COMMAND_OK;
}

/* What stands before "--" is group a, what stands behind it is group b. Without a run before it,
 * "--" only ends the options. */
static int take_paths(struct wishes *wishes, int argc, char **argv, int own)
{
    wishes->paths = argv + optind;
    wishes->count = (size_t)(own - optind);
    if (own == argc) {
        return COMMAND_OK;
    }
    const size_t others = (size_t)(argc - own - 1);

    for (int i = own + 1; i < argc; i++) {
        if (strcmp(argv[i], "--") == 0) {
            return command_usage_error(&command_compare, "-- twice: there are two groups");
        }
    }
    if (wishes->count > 0 && others == 0) {
        return command_usage_error(&command_compare, "no runs after --");
    }
    wishes->a_group = wishes->count;
    memmove(argv + own, argv + own + 1, others * sizeof(*argv));
    wishes->count += others;
    return COMMAND_OK;
}

static int parse_arguments(struct wishes *wishes, int argc, char **argv)
{
    int own = 1;
    int option;

    while (own < argc && strcmp(argv[own], "--") != 0) {
        own++;
    }
    while ((option = command_next_option(&command_compare, own, argv, "", options)) != -1) {
        int status = take_option(wishes, option);

        if (status != COMMAND_OK) {
            return status;
        }
    }
    const int status = take_paths(wishes, argc, argv, own);

    if (status != COMMAND_OK) {
        return status;
    }
    return check_history(wishes) == COMMAND_OK ? check_output(wishes) : COMMAND_USAGE;
}

/* ---- limits ---- */

static int read_limits(const char *path, struct limits *limits)
{
    FILE *file = fopen(path, "rb");

    if (file == NULL) {
        return command_failure(&command_compare, "cannot open %s: %s", path, strerror(errno));
    }
    partial_file_protect(path);
    char *text = alloc_zeroed(LIMITS_BYTES_MAX + 1);
    size_t length = fread(text, 1, LIMITS_BYTES_MAX + 1, file);
    int status = COMMAND_OK;

    if (ferror(file)) {
        status = command_failure(&command_compare, "cannot read %s: %s", path, strerror(errno));
    } else if (length > LIMITS_BYTES_MAX) {
        status = command_failure(&command_compare,
                                 "%s is not a limits file: it is larger than 1 MiB", path);
    } else if (!text_take_mark(text, &length)) {
        status = command_failure(&command_compare, "%s is UTF-16: save it as UTF-8", path);
    } else {
        limits_parse(limits, text, length);
    }
    fclose(file);
    free(text);
    for (size_t i = 0; i < limits->error_count; i++) {
        fprintf(stderr, "tare compare: %s:%s\n", path, limits->errors[i]);
        status = COMMAND_USAGE;
    }
    if (status == COMMAND_OK && limits->count == 0) {
        return command_failure(&command_compare, "%s contains no limit", path);
    }
    return status;
}

/* ---- runs ---- */

static int read_runs(const struct wishes *wishes, struct compared *compared)
{
    char error[RUNFILE_ERROR_MAX];

    for (size_t i = 0; i < compared->count; i++) {
        struct compared_run *run = &compared->runs[i];

        run->path = wishes->paths[i];
        partial_file_protect(run->path);
        if (!runfile_read(run->path, &run->run, error)) {
            return command_failure(&command_compare, "%s", error);
        }
        run->valid = run_valid(&run->run, &run->reasons);
        run_leave_out(&run->run);
        metrics_of(&run->run, &run->metrics);
    }
    return COMMAND_OK;
}

static bool same_kind(const struct run *a, const struct run *b)
{
    const char *left = run_time_name(a);
    const char *right = run_time_name(b);

    return left != NULL && right != NULL && strcmp(left, right) == 0;
}

static const char *kind_or_unknown(const struct run *run)
{
    return run_time_name(run) != NULL ? run_time_name(run) : "unknown";
}

/* What the time of a run means. */
static const char *meaning_of(const struct run *run)
{
    switch (run_time(run)) {
    case RUN_TIME_EXACT:
        return "counts instructions";
    case RUN_TIME_EMULATED:
        return "measures an emulator";
    case RUN_TIME_REAL:
        return "measures a processor";
    case RUN_TIME_MODEL:
        return "is simulated";
    default:
        return "is unknown";
    }
}

/* Adds a warning with --force, else fails with `status`. */
__attribute__((format(printf, 4, 5))) static int
object(const struct wishes *wishes, struct compared *compared, int status, const char *format, ...)
{
    char text[1024];
    char warning[sizeof(text) + 32];
    va_list arguments;

    va_start(arguments, format);
    vsnprintf(text, sizeof(text), format, arguments);
    va_end(arguments);
    if (!wishes->force) {
        command_failure(&command_compare, "%s; --force compares them anyway", text);
        return status;
    }
    snprintf(warning, sizeof(warning), "compared by --force: %s", text);
    run_add_text(&compared->runs[0].run, &compared->warnings,
                 run_text(&compared->runs[0].run, warning));
    return COMMAND_OK;
}

/* Should these be compared at all? */
static int check_runs(const struct wishes *wishes, struct compared *compared)
{
    const struct compared_run *first = &compared->runs[0];
    int status = COMMAND_OK;

    for (size_t i = 0; i < compared->count && status == COMMAND_OK && compared->count > 1; i++) {
        const struct compared_run *run = &compared->runs[i];

        if (!run->valid) {
            status = object(wishes, compared, COMMAND_FAILED, "%s is INVALID: %s", run->path,
                            run->reasons.count > 0 ? run->reasons.item[0] : "reason unknown");
        }
        if (status == COMMAND_OK && !same_kind(&first->run, &run->run)) {
            status = object(wishes, compared, COMMAND_USAGE,
                            "%s has %s time, which %s; %s has %s time, which %s: differences %s",
                            first->path, kind_or_unknown(&first->run), meaning_of(&first->run),
                            run->path, kind_or_unknown(&run->run), meaning_of(&run->run),
                            run_is_simulated(&first->run) || run_is_simulated(&run->run)
                                ? "are those of a prediction from a measurement"
                                : "mean nothing");
        }
    }
    return status;
}

/* Two names of one file have no differences, and are no two boots. */
static int check_files(const struct compared *compared)
{
    for (size_t i = 0; i < compared->count; i++) {
        for (size_t k = 0; k < i; k++) {
            struct stat a;
            struct stat b;

            if (stat(compared->runs[k].path, &a) == 0 && stat(compared->runs[i].path, &b) == 0 &&
                a.st_dev == b.st_dev && a.st_ino == b.st_ino) {
                return command_usage_error(&command_compare,
                                           "%s is given twice: a group is of different boots",
                                           compared->runs[i].path);
            }
        }
    }
    return COMMAND_OK;
}

static const struct metrics **metrics_list(const struct compared *compared)
{
    const struct metrics **list = alloc_zeroed(compared->count * sizeof(struct metrics *));

    for (size_t i = 0; i < compared->count; i++) {
        list[i] = &compared->runs[i].metrics;
    }
    return list;
}

/* "3 boots: a1.db a2.db a3.db" */
static char *group_label(const struct compared *compared, size_t first, size_t end)
{
    struct long_text text;

    long_text_open(&text);
    fprintf(text.out, "%zu boot%s:", end - first, end - first > 1 ? "s" : "");
    for (size_t i = first; i < end; i++) {
        fprintf(text.out, " %s", compared->runs[i].path);
    }
    long_text_close(&text);
    return text.text;
}

static int compare_pair(const struct wishes *wishes, struct compared *compared, size_t index)
{
    const size_t a_count = compared->a_group > 0 ? compared->a_group : 1;
    const size_t b_first = compared->a_group > 0 ? compared->a_group : index + 1;
    const size_t b_count = compared->a_group > 0 ? compared->count - compared->a_group : 1;
    const struct metrics **list = metrics_list(compared);
    struct compare *result = &compared->compares[index];

    compare_boots((struct boot_group){list, a_count}, (struct boot_group){list + b_first, b_count},
                  &wishes->settings, result);
    compare_runs(&compared->runs[0].run, &compared->runs[b_first].run,
                 &compared->differences[index]);
    free(list);
    if (result->count > 0) {
        return COMMAND_OK;
    }
    return wishes->settings.pattern != NULL
               ? command_failure(&command_compare, "%s and %s share no metric \"%s\"",
                                 compared_a(compared), compared_b(compared, index),
                                 wishes->settings.pattern)
               : command_failure(&command_compare,
                                 "%s and %s share no metric: run the same benches",
                                 compared_a(compared), compared_b(compared, index));
}

static int compare_all(const struct wishes *wishes, struct compared *compared)
{
    int status = COMMAND_OK;

    if (compared->a_group > 0) {
        status = check_files(compared);
        compared->a_label = group_label(compared, 0, compared->a_group);
        compared->b_label = group_label(compared, compared->a_group, compared->count);
    }
    for (size_t i = 0; i < compared_pairs(compared) && status == COMMAND_OK; i++) {
        status = compare_pair(wishes, compared, i);
    }
    return status;
}

static void check_limits(const struct limits *limits, struct compared *compared)
{
    const size_t first = compared->a_group > 0 ? compared->a_group : compared->count > 1;

    for (size_t i = first; i < compared->count; i++) {
        compared->runs[i].limited = true;
        limits_check(limits, &compared->runs[i].metrics, &compared->runs[i].results);
    }
}

/* ---- boots that should be equal ---- */

static void show_spread(const struct wishes *wishes, const struct compared *compared,
                        const struct boot_spread *spread)
{
    if (wishes->json) {
        boot_spread_json(stdout, spread, (const char *const *)wishes->paths,
                         (const char *const *)compared->warnings.item, compared->warnings.count);
        return;
    }
    compared_print_warnings(stdout, compared);
    boot_spread_print(stdout, spread, wishes->all);
}

static int report_spread(const struct wishes *wishes, struct compared *compared)
{
    struct boot_spread spread;
    int status = check_files(compared);

    if (status != COMMAND_OK) {
        return status;
    }
    const struct metrics **list = metrics_list(compared);

    boot_spread_of((struct boot_group){list, compared->count}, wishes->settings.pattern, &spread);
    if (spread.count > 0) {
        show_spread(wishes, compared, &spread);
    } else {
        status = command_failure(&command_compare, "the runs share no metric%s%s",
                                 wishes->settings.pattern != NULL ? " " : "",
                                 wishes->settings.pattern != NULL ? wishes->settings.pattern : "");
    }
    boot_spread_free(&spread);
    free(list);
    return status;
}

/* ---- output ---- */

static int write_page(const char *path, const struct compared *compared)
{
    char error[OUTPUT_FILE_ERROR_MAX];
    struct output_file file;

    if (!output_file_open(&file, path, error)) {
        return command_failure(&command_compare, "%s", error);
    }
    if (!compared_page(file.stream, compared)) {
        const int cause = errno;

        output_file_discard(&file);
        return command_failure(&command_compare, "cannot write %s: %s", path, strerror(cause));
    }
    return output_file_commit(&file, error) ? COMMAND_OK
                                            : command_failure(&command_compare, "%s", error);
}

static int show(struct wishes *wishes, const struct compared *compared)
{
    struct ci_report *report = ci_report_wanted(&wishes->ci);

    if (report != NULL) {
        compare_cases_add(report, compared);
    }
    if (wishes->json) {
        compared_json(stdout, compared);
    } else if (!ci_has_output(&wishes->ci)) {
        compared_print(stdout, compared, wishes->all);
    }
    if (wishes->html != NULL && write_page(wishes->html, compared) != COMMAND_OK) {
        return COMMAND_FAILED;
    }
    for (size_t i = 0; i < compared->count; i++) {
        if (!compared->runs[i].valid && compared->count == 1) {
            return command_failure(&command_compare, "%s is INVALID: %s", compared->runs[i].path,
                                   compared->runs[i].reasons.item[0]);
        }
    }
    return compared_is_good(compared) ? COMMAND_OK : COMMAND_FAILED;
}

static int compare(struct wishes *wishes, const struct limits *limits, struct compared *compared)
{
    int status = read_runs(wishes, compared);

    if (status == COMMAND_OK) {
        status = check_runs(wishes, compared);
    }
    if (status == COMMAND_OK && wishes->aa) {
        return report_spread(wishes, compared);
    }
    if (status == COMMAND_OK) {
        status = compare_all(wishes, compared);
    }
    if (status != COMMAND_OK) {
        return status;
    }
    if (wishes->limits != NULL) {
        check_limits(limits, compared);
    }
    return show(wishes, compared);
}

static void free_compared(struct compared *compared)
{
    for (size_t i = 0; i + 1 < compared->count; i++) {
        compare_free(&compared->compares[i]);
        compare_differences_free(&compared->differences[i]);
    }
    for (size_t i = 0; i < compared->count; i++) {
        limit_results_free(&compared->runs[i].results);
        metrics_free(&compared->runs[i].metrics);
        run_texts_free(&compared->runs[i].reasons);
        run_free(&compared->runs[i].run);
    }
    run_texts_free(&compared->warnings);
    free(compared->a_label);
    free(compared->b_label);
    free(compared->compares);
    free(compared->differences);
    free(compared->runs);
}

static int run_history(struct wishes *wishes)
{
    const struct history_request request = {
        .from = wishes->history,
        .settings =
            {
                .alpha = wishes->has_alpha ? wishes->settings.alpha : HISTORY_ALPHA,
                .threshold = wishes->has_threshold ? wishes->settings.threshold : NAN,
                .stolen = wishes->settings.stolen,
                .last = wishes->last > 0 ? (size_t)wishes->last : HISTORY_LAST,
                .recent = (size_t)wishes->recent,
                .pattern = wishes->settings.pattern,
            },
        .all = wishes->all,
        .json = wishes->json,
    };

    return compare_history(&request, &wishes->ci);
}

static int main_compare(int argc, char **argv)
{
    struct wishes wishes = {.settings = {.threshold = COMPARE_THRESHOLD,
                                         .alpha = COMPARE_ALPHA,
                                         .stolen = COMPARE_STOLEN}};
    struct limits limits = {0};
    int status = parse_arguments(&wishes, argc, argv);

    if (status != COMMAND_OK) {
        return status;
    }
    if (wishes.history != NULL) {
        return ci_finish(&command_compare, &wishes.ci, run_history(&wishes));
    }
    if (wishes.limits != NULL) {
        status = read_limits(wishes.limits, &limits);
    }
    if (status == COMMAND_OK) {
        struct compared compared = {
            .settings = wishes.settings,
            .runs = alloc_zeroed(wishes.count * sizeof(*compared.runs)),
            .count = wishes.count,
            .a_group = wishes.a_group,
            .compares = alloc_zeroed(wishes.count * sizeof(*compared.compares)),
            .differences = alloc_zeroed(wishes.count * sizeof(*compared.differences)),
        };

        for (size_t i = 0; i < compared.count; i++) {
            run_init(&compared.runs[i].run);
        }
        status = compare(&wishes, &limits, &compared);
        free_compared(&compared);
    }
    limits_free(&limits);
    return ci_finish(&command_compare, &wishes.ci, status);
}

const struct command command_compare = {
    .name = "compare",
    .summary = "compare runs with each other and with limits",
    .help = help,
    .main = main_compare,
    .is_long = true,
};
