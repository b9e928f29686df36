/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * `tare compare`: compares runs with each other and with limits.
 */
#include <dirent.h>
#include <errno.h>
#include <math.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "kernel/link/names.h"
#include "kernel/plan/text_mark.h"
#include "tools/base/alloc.h"
#include "tools/base/interrupt.h"
#include "tools/base/partial_file.h"
#include "tools/base/progress.h"
#include "tools/base/texts.h"
#include "tools/cmd/commands.h"
#include "tools/cmd/page_file.h"
#include "tools/cmd/shared_options.h"
#include "tools/judge/boot_spread.h"
#include "tools/judge/compare_views.h"
#include "tools/judge/history.h"
#include "tools/judge/history_views.h"
#include "tools/judge/run_cases.h"
#include "tools/run/run_kind.h"
#include "tools/store/fleet.h"
#include "tools/store/store.h"

#define LIMITS_BYTES_MAX 1048576
#define PERCENT          100
#define RUNS_MAX         1000000
#define STOLEN_KEY       "stolen="
#define INSTRUCTIONS     "instructions"

static struct {
    struct compare_settings settings;
    const char *limits, *html; /* paths; NULL: not given */
    const char *history;       /* directory or fleet; NULL: none */
    uint64_t recent, last;     /* --recent (0: not given) and --last, in runs of the history */
    bool has_alpha, has_threshold;
    bool all, force, json;
    bool aa;
    unsigned by;     /* index of the word of --by; there is only one */
    bool by_setting; /* --by setting */
    char **paths;    /* `count` run files; the first `a_group` of them are group a */
    size_t count;
    size_t a_group; /* 0: no groups */
} wishes = {
    .settings = {.threshold = COMPARE_THRESHOLD, .alpha = COMPARE_ALPHA, .stolen = COMPARE_STOLEN},
    .last = HISTORY_LAST};

static bool read_fraction(const char *text, double most, double *value)
{
    char *end;

    *value = strtod(text, &end);
    return end > text && *end == '\0' && *value >= 0 && *value <= most;
}

/* Reads a number from 0 to 1e6 with its unit, such as "100ppm". */
static bool read_amount(const char *text, const char *unit_name, double *amount)
{
    const size_t length = strlen(text);
    const size_t unit = strlen(unit_name);
    char number[32];

    if (length <= unit || length - unit >= sizeof(number) ||
        strcmp(text + length - unit, unit_name) != 0) {
        return false;
    }
    snprintf(number, sizeof(number), "%.*s", (int)(length - unit), text);
    return read_fraction(number, 1e6, amount);
}

static bool take_threshold(char *text, char error[OPTION_ERROR_MAX])
{
    const size_t key = strlen(STOLEN_KEY);
    double value;

    if (strncmp(text, STOLEN_KEY, key) == 0) {
        snprintf(error, OPTION_ERROR_MAX, "%s: must be " STOLEN_KEY "NUMBERppm, from 0 to 1000000",
                 text);
        return read_amount(text + key, UNIT_PPM, &wishes.settings.stolen);
    }
    if (read_amount(text, INSTRUCTIONS, &wishes.settings.instructions)) {
        wishes.settings.by_instructions = true;
        return true;
    }
    if (!read_fraction(text, 1000, &value)) {
        snprintf(error, OPTION_ERROR_MAX,
                 "%s: must be per cent, from 0 to 1000, NUMBER" INSTRUCTIONS ", or " STOLEN_KEY
                 "NUMBERppm",
                 text);
        return false;
    }
    wishes.settings.threshold = value / PERCENT;
    wishes.has_threshold = true;
    return true;
}

static const char *const by_words[] = {FACT_SETTING, NULL};

static const struct option_line options[] = {
    {"aa", OPT_FLAG(&wishes.aa), NULL,
     "report for each metric the differences between boots that should be equal, and the smallest "
     "difference that groups of this size can show",
     .excludes = "limits html junit tap"},
    {"by", OPT_WORD(&wishes.by), NULL,
     "compare the runs of one setting (plan key setting) with those of another, the one that ran "
     "first being the first group. Without this option too, if the runs are of exactly two "
     "settings",
     .words = by_words, .given = &wishes.by_setting, .excludes = "aa history"},
    {"all", OPT_FLAG(&wishes.all), NULL, "also print metrics that are the same or unclear"},
    {"metric", OPT_TEXT(&wishes.settings.pattern), "PATTERN",
     "only metrics of this name, such as paths.switch or 'chase.*'; with fewer metrics each needs "
     "less evidence"},
    {"measure", OPT_WORD(&measure_wish.measure), "MEASURE",
     "compare only this latency of input events: idle, service or response (default: all three)",
     .word_at = measure_word, .given = &measure_wish.measured},
    {"threshold", OPT_CALL(take_threshold), "PCT",
     "smallest difference that matters, in per cent (1). NUMBERinstructions sets it for lengths in "
     "exact time; stolen=NUMBERppm for lost time, in ppm of all time, that is us per second (10)"},
    {"alpha", OPT_REAL(&wishes.settings.alpha, 1e-12, 0.5), "P",
     "chance of any false alarm among all metrics (0.05)", .given = &wishes.has_alpha,
     .expected = "a probability above 0, at most 0.5"},
    {"limits", OPT_TEXT(&wishes.limits), "FILE",
     "also check runs against the limits in this file: with one run, that run; with several runs, "
     "all except the first; with --, all runs after the --"},
    {"history", OPT_TEXT(&wishes.history), "DIR",
     "find where a metric changed over many runs: the files *.db of a directory or, if DIR is a "
     "fleet (tare db), its runs. The runs of each machine and time base form a series, ordered by "
     "the host's time of capture or, without it, by number and name. In exact time every "
     "difference is a change. --alpha is the chance that a metric has any false change "
     "(0.001)",
     .excludes = "aa limits html force"},
    {"recent", OPT_NUMBER(&wishes.recent, 1, RUNS_MAX), "N",
     "for a history: a change for the worse within the newest N runs is a failure, unless a later "
     "run undoes it (15; 5 in exact time)",
     .needs = "history"},
    {"last", OPT_NUMBER(&wishes.last, 1, RUNS_MAX), "N",
     "for a history: search only the newest N runs (200)", .needs = "history"},
    {"force", OPT_FLAG(&wishes.force), NULL,
     "compare runs of different time bases, invalid runs, and groups of mixed boots; every output "
     "then has a warning"},
    {"json", OPT_FLAG(&wishes.json), NULL, "print everything as one JSON object"},
    {"", OPT_TABLE(ci_options)},
    {"html", OPT_TEXT(&wishes.html), "FILE",
     "also write a page with the distributions of both runs on the same axes"},
    {"run file", OPT_ARGUMENTS(0, INT32_MAX), "RUN.db"},
    {"run file", OPT_REST, "RUN.db"},
    OPTIONS_END,
};

/* ---- which runs ---- */

static int check_count(void)
{
    if (wishes.count == 0) {
        return command_usage_error(&command_compare, "no run files given");
    }
    if (wishes.aa && wishes.a_group > 0) {
        return command_usage_error(&command_compare, "--aa takes one group: omit --");
    }
    if (wishes.count == 1 && (wishes.aa || wishes.limits == NULL)) {
        return command_usage_error(&command_compare, "%s",
                                   wishes.aa ? "--aa needs two boots or more"
                                             : "needs a second run, or --limits FILE");
    }
    if (wishes.count == 1 && wishes.html != NULL) {
        return command_usage_error(&command_compare, "--html needs two runs or more");
    }
    return COMMAND_OK;
}

static int check_options(void)
{
    if (wishes.json && ci_has_output()) {
        return command_usage_error(&command_compare, "--json, and --junit or --tap with -: only "
                                                     "one of them can go to standard output");
    }
    if (wishes.history == NULL) {
        return check_count();
    }
    return wishes.count == 0
               ? COMMAND_OK
               : command_usage_error(&command_compare, "--history takes its runs from %s: omit %s",
                                     wishes.history, wishes.paths[0]);
}

/* Splits the run files into groups: those before "--" are group a, those after it group b. If none
 * stands before "--", it only ends the options. */
static int take_paths(const struct option_rest *rest)
{
    for (size_t i = 0; i < rest->rest_count; i++) {
        if (strcmp(rest->rest[i], "--") == 0) {
            return command_usage_error(&command_compare,
                                       "-- is given twice, but there are only two groups");
        }
    }
    if (rest->count > 0 && rest->has_rest && rest->rest_count == 0) {
        return command_usage_error(&command_compare, "no runs after --");
    }
    wishes.paths = rest->arguments;
    wishes.count = rest->count + rest->rest_count;
    wishes.a_group = rest->has_rest ? rest->count : 0;
    memmove(rest->arguments + rest->count, rest->rest, rest->rest_count * sizeof(*rest->rest));
    return check_options();
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

static void free_run(struct compared_run *run)
{
    limit_results_free(&run->results);
    metrics_free(&run->metrics);
    run_texts_free(&run->reasons);
    run_free(&run->run);
}

/* Returns another file of the same boot among these runs, or NULL. In exact time, different boots
 * may have the same number, and equal ones count as one anyway. */
static const struct compared_run *copy_of(const struct compared *compared,
                                          const struct compared_run *run, size_t begin, size_t end)
{
    const char *number = run_pair_value(&run->run.info, INFO_RUN);

    for (size_t i = begin; i < end && number != NULL && !run_counts_instructions(&run->run); i++) {
        const char *other = run_pair_value(&compared->runs[i].run.info, INFO_RUN);

        if (other != NULL && strcmp(other, number) == 0) {
            return &compared->runs[i];
        }
    }
    return NULL;
}

static const char *setting_of(const struct compared_run *run)
{
    const char *setting = run_pair_value(&run->run.machine, FACT_SETTING);

    return setting != NULL ? setting : "";
}

/* Returns whether the runs are of exactly two settings. *first gets the one that ran first by the
 * date of the machine. */
static bool are_two_settings(const struct compared *compared, const char **first)
{
    const char *one = setting_of(&compared->runs[0]);
    const char *other = one;
    const char *earliest = NULL;

    *first = one;
    for (size_t i = 0; i < compared->count; i++) {
        const char *setting = setting_of(&compared->runs[i]);
        const char *date = run_pair_value(&compared->runs[i].run.info, INFO_DATE);

        other = other == one && strcmp(setting, one) != 0 ? setting : other;
        if (setting[0] == '\0' || (strcmp(setting, one) != 0 && strcmp(setting, other) != 0)) {
            return false;
        }
        if (date != NULL && (earliest == NULL || strcmp(date, earliest) < 0)) {
            earliest = date;
            *first = setting;
        }
    }
    return other != one;
}

/* Makes two groups of the runs by their settings, if --by or the runs themselves ask for it. */
static int group_by_setting(struct compared *compared)
{
    const char *first;

    if (wishes.a_group > 0 || wishes.aa || !are_two_settings(compared, &first)) {
        return !wishes.by_setting
                   ? COMMAND_OK
                   : command_failure(&command_compare,
                                     "--by setting: expected runs of exactly two settings and no "
                                     "--; setting=NAME or setting=ask in a plan names a setting");
    }
    for (size_t i = 0; i < compared->count; i++) {
        const struct compared_run run = compared->runs[i];
        const size_t at = compared->a_group;

        if (strcmp(setting_of(&run), first) == 0) {
            memmove(&compared->runs[at + 1], &compared->runs[at], (i - at) * sizeof(run));
            memmove(&wishes.paths[at + 1], &wishes.paths[at], (i - at) * sizeof(*wishes.paths));
            compared->runs[at] = run;
            wishes.paths[at] = (char *)run.path;
            compared->a_group++;
        }
    }
    wishes.a_group = compared->a_group;
    return COMMAND_OK;
}

/* Leaves out a run that is a copy of one of its group, with a note. */
static bool leave_out(struct compared *compared, struct compared_run *run, bool of_b)
{
    const struct compared_run *copy =
        copy_of(compared, run, of_b ? compared->a_group : 0, compared->count);

    if (copy == NULL || (!wishes.aa && wishes.a_group == 0)) {
        return false;
    }
    char *note =
        text_format("%s is a copy of the boot of %s: it counts once", run->path, copy->path);

    run_add_text(&compared->runs[0].run, &compared->warnings,
                 run_text(&compared->runs[0].run, note));
    free(note);
    free_run(run);
    return true;
}

static int read_runs(struct compared *compared)
{
    for (size_t i = 0; i < wishes.count; i++) {
        const bool of_b = i >= wishes.a_group;
        struct compared_run *run = &compared->runs[compared->count];

        *run = (struct compared_run){.path = wishes.paths[i]};
        run_init(&run->run);
        partial_file_protect(run->path);
        if (page_file_read(&command_compare, run->path, &run->run) != COMMAND_OK) {
            compared->count++;
            return COMMAND_FAILED;
        }
        if (leave_out(compared, run, of_b)) {
            continue;
        }
        run->valid = run_valid(&run->run, &run->reasons);
        run_leave_out(&run->run);
        metrics_of(&run->run, &run->metrics);
        wishes.paths[compared->count++] = wishes.paths[i];
        compared->a_group += !of_b;
    }
    return COMMAND_OK;
}

/* what the time of a run means, for messages */
static const char *const meanings[RUN_TIMES] = {
    [RUN_TIME_UNKNOWN] = "is unknown",
    [RUN_TIME_EXACT] = "counts instructions",
    [RUN_TIME_EXACT_SHARED] = "counts instructions, a hypervisor's or Linux' included",
    [RUN_TIME_EMULATED] = "measures an emulator",
    [RUN_TIME_REAL] = "measures a processor",
    [RUN_TIME_MODEL] = "is simulated",
};

/* With --force, adds a warning; otherwise prints an error and returns `status`. */
__attribute__((format(printf, 3, 4))) static int object(struct compared *compared, int status,
                                                        const char *format, ...)
{
    char text[1024];
    char warning[sizeof(text) + sizeof(COMPARED_FORCED)];
    va_list arguments;

    va_start(arguments, format);
    vsnprintf(text, sizeof(text), format, arguments);
    va_end(arguments);
    if (!wishes.force) {
        command_failure(&command_compare, "%s; --force compares them anyway", text);
        return status;
    }
    snprintf(warning, sizeof(warning), COMPARED_FORCED "%s", text);
    run_add_text(&compared->runs[0].run, &compared->warnings,
                 run_text(&compared->runs[0].run, warning));
    return COMMAND_OK;
}

/* Checks that the runs may be compared: all valid, and of the same time base. */
static int check_runs(struct compared *compared)
{
    const struct compared_run *first = &compared->runs[0];
    int status = COMMAND_OK;

    for (size_t i = 0; i < compared->count && status == COMMAND_OK && compared->count > 1; i++) {
        const struct compared_run *run = &compared->runs[i];
        const char *left = run_time_name(&first->run);
        const char *right = run_time_name(&run->run);

        if (!run->valid) {
            status = object(compared, COMMAND_FAILED, "%s is INVALID: %s", run->path,
                            run->reasons.count > 0 ? run->reasons.item[0] : "reason unknown");
        }
        if (status == COMMAND_OK && (left == NULL || right == NULL || strcmp(left, right) != 0)) {
            status = object(compared, COMMAND_USAGE,
                            "%s has %s time, which %s; %s has %s time, which %s: differences %s",
                            first->path, left != NULL ? left : "unknown",
                            meanings[run_time(&first->run)], run->path,
                            right != NULL ? right : "unknown", meanings[run_time(&run->run)],
                            run_is_simulated(&first->run) || run_is_simulated(&run->run)
                                ? "would compare a prediction with a measurement"
                                : "would mean nothing");
        }
    }
    return status;
}

/* ---- boots of a group ---- */

/* Checks that a boot of a group is of the same machine, image and plan as the group's first. */
static int check_member(struct compared *compared, const struct compared_run *first,
                        const struct compared_run *run)
{
    struct compare_differences differences;
    struct long_text text;
    bool differs = false;

    compare_runs(&first->run, &run->run, &differences);
    long_text_open(&text);
    for (size_t i = 0; i < differences.count; i++) {
        const struct compare_difference *item = &differences.item[i];

        if (compare_is_identity(item->what)) {
            fprintf(text.out, "%s %s (%.80s | %.80s)", differs ? "," : "", item->what,
                    item->a != NULL ? item->a : "-", item->b != NULL ? item->b : "-");
            differs = true;
        }
    }
    long_text_close(&text);
    const int status =
        differs ? object(compared, COMMAND_USAGE,
                         "%s and %s are in one group, but they are not boots of the same machine, "
                         "image and plan:%s",
                         first->path, run->path, text.text)
                : COMMAND_OK;

    long_text_free(&text);
    compare_differences_free(&differences);
    return status;
}

/* Checks that each group has boots of one machine, image and plan, and that no boot is in both. */
static int check_groups(struct compared *compared)
{
    int status = COMMAND_OK;

    for (size_t i = 1; i < compared->count && status == COMMAND_OK; i++) {
        struct compared_run *run = &compared->runs[i];
        const size_t begin = i < compared->a_group ? 0 : compared->a_group;
        const struct compared_run *copy = copy_of(compared, run, 0, begin);

        for (size_t k = 0; k < i; k++) {
            if (strcmp(compared->runs[k].path, run->path) == 0) {
                return command_usage_error(
                    &command_compare, "%s is given twice: give each boot only once", run->path);
            }
        }
        if (copy != NULL) {
            status = object(compared, COMMAND_USAGE, "%s and %s are one boot, but in both groups",
                            copy->path, run->path);
        } else if (i > begin) {
            status = check_member(compared, &compared->runs[begin], run);
        }
    }
    return status;
}

static const struct metrics **metrics_list(const struct compared *compared)
{
    const struct metrics **list = alloc_zeroed(compared->count * sizeof(struct metrics *));

    for (size_t i = 0; i < compared->count; i++) {
        list[i] = &compared->runs[i].metrics;
    }
    return list;
}

/* Returns a label such as "3 boots: a1.db a2.db a3.db", or "3 boots of smt-off: ...". */
static char *group_label(const struct compared *compared, size_t first, size_t end)
{
    struct long_text text;

    long_text_open(&text);
    const char *setting = setting_of(&compared->runs[first]);

    fprintf(text.out, "%zu boot%s%s%s:", end - first, end - first > 1 ? "s" : "",
            setting[0] != '\0' ? " of " : "", setting);
    for (size_t i = first; i < end; i++) {
        fprintf(text.out, " %s", compared->runs[i].path);
    }
    long_text_close(&text);
    return text.text;
}

static int compare_pair(struct compared *compared, size_t index)
{
    const size_t a_count = compared->a_group > 0 ? compared->a_group : 1;
    const size_t b_first = compared_b_first(compared, index);
    const size_t b_count = compared->a_group > 0 ? compared->count - compared->a_group : 1;
    const struct metrics **list = metrics_list(compared);
    struct compare *result = &compared->compares[index];

    compare_boots((struct boot_group){list, a_count}, (struct boot_group){list + b_first, b_count},
                  &wishes.settings, result);
    compare_runs(&compared->runs[0].run, &compared->runs[b_first].run,
                 &compared->differences[index]);
    free(list);
    if (result->count > 0) {
        return COMMAND_OK;
    }
    return wishes.settings.pattern != NULL
               ? command_failure(&command_compare, "%s and %s share no metric \"%s\"",
                                 compared_a(compared), compared_b(compared, index),
                                 wishes.settings.pattern)
               : command_failure(&command_compare,
                                 "%s and %s share no metric: run the same benches",
                                 compared_a(compared), compared_b(compared, index));
}

static int compare_all(struct compared *compared)
{
    int status = COMMAND_OK;

    if (compared->a_group > 0) {
        status = check_groups(compared);
        compared->a_label = group_label(compared, 0, compared->a_group);
        compared->b_label = group_label(compared, compared->a_group, compared->count);
    }
    for (size_t i = 0; i < compared_pairs(compared) && status == COMMAND_OK; i++) {
        status = compare_pair(compared, i);
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

static void show_spread(const struct compared *compared, const struct boot_spread *spread)
{
    if (wishes.json) {
        boot_spread_json(stdout, spread, (const char *const *)wishes.paths,
                         (const char *const *)compared->warnings.item, compared->warnings.count);
        return;
    }
    compared_print_warnings(stdout, compared);
    boot_spread_print(stdout, spread, wishes.all);
}

static int report_spread(struct compared *compared)
{
    struct boot_spread spread;
    int status = check_groups(compared);

    if (status != COMMAND_OK) {
        return status;
    }
    if (compared->count < 2) {
        return command_failure(&command_compare, "all files are copies of one boot");
    }
    const struct metrics **list = metrics_list(compared);

    boot_spread_of((struct boot_group){list, compared->count}, wishes.settings.pattern, &spread);
    if (spread.count > 0) {
        show_spread(compared, &spread);
    } else {
        status = command_failure(&command_compare, "the runs share no metric%s%s",
                                 wishes.settings.pattern != NULL ? " " : "",
                                 wishes.settings.pattern != NULL ? wishes.settings.pattern : "");
    }
    boot_spread_free(&spread);
    free(list);
    return status;
}

static int write_page(const char *path, const struct compared *compared)
{
    struct output_file file;

    return page_file_open(&command_compare, &file, path)
               ? page_file_finish(&command_compare, &file, compared_page(file.stream, compared))
               : COMMAND_FAILED;
}

static int show(const struct compared *compared)
{
    struct ci_report *report = ci_report_wanted();

    if (report != NULL) {
        compare_cases_add(report, compared);
    }
    if (wishes.json) {
        compared_json(stdout, compared);
    } else if (!ci_has_output()) {
        compared_print(stdout, compared, wishes.all);
    }
    if (wishes.html != NULL && write_page(wishes.html, compared) != COMMAND_OK) {
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

static int compare(const struct limits *limits, struct compared *compared)
{
    int status = read_runs(compared);

    status = status == COMMAND_OK ? group_by_setting(compared) : status;
    if (status == COMMAND_OK) {
        status = check_runs(compared);
    }
    if (status == COMMAND_OK && wishes.aa) {
        return report_spread(compared);
    }
    if (status == COMMAND_OK) {
        status = compare_all(compared);
    }
    if (status != COMMAND_OK) {
        return status;
    }
    if (wishes.limits != NULL) {
        check_limits(limits, compared);
    }
    return show(compared);
}

static void free_compared(struct compared *compared)
{
    for (size_t i = 0; i + 1 < compared->count; i++) {
        compare_free(&compared->compares[i]);
        compare_differences_free(&compared->differences[i]);
    }
    for (size_t i = 0; i < compared->count; i++) {
        free_run(&compared->runs[i]);
    }
    run_texts_free(&compared->warnings);
    free(compared->a_label);
    free(compared->b_label);
    free(compared->compares);
    free(compared->differences);
    free(compared->runs);
}

/* ---- a history: change points over many runs ---- */

static int add_file(struct history *history, const char *path, const char *name, int64_t number)
{
    struct run run;

    run_init(&run);
    const int status = page_file_read(&command_compare, path, &run);

    if (status == COMMAND_OK) {
        history_add(history, name, number, &run);
    }
    run_free(&run);
    return status;
}

/* ---- a directory ---- */

static int is_run_file(const struct dirent *entry)
{
    return entry->d_name[0] != '.' && text_ends(entry->d_name, ".db");
}

static int add_directory(struct history *history, const char *path)
{
    struct dirent **entries;
    struct progress progress;
    int status = COMMAND_OK;
    const int count = scandir(path, &entries, is_run_file, versionsort);

    if (count < 0) {
        return command_failure(&command_compare, "cannot read %s: %s", path, strerror(errno));
    }
    progress_start(&progress);
    for (int i = 0; i < count; i++) {
        char *name = text_format("%s/%s", path, entries[i]->d_name);

        progress_amount(&progress, "reading", (uint64_t)i, (uint64_t)count, "runs");
        if (status == COMMAND_OK && !interrupt_seen()) {
            status = add_file(history, name, entries[i]->d_name, 0);
        }
        free(name);
        free(entries[i]);
    }
    progress_finish(&progress);
    free(entries);
    return status;
}

/* ---- a fleet ---- */

struct fleet_run {
    int64_t id;
    char *name;
};

struct fleet_runs {
    struct fleet_run *item;
    size_t count, capacity;
};

/* Takes a row of fleet_list(). */
static bool take_row(void *context, const struct store_row *row)
{
    struct fleet_runs *runs = context;
    char *name = text_format("run %s%s%s", row->texts[0], row->texts[7] != NULL ? ": " : "",
                             row->texts[7] != NULL ? row->texts[7] : "");

    *ALLOC_NEXT(runs->item, runs->count, runs->capacity) =
        (struct fleet_run){strtoll(row->texts[0], NULL, 10), name};
    return true;
}

static int add_runs(struct history *history, struct store *store, const struct fleet_runs *runs)
{
    struct temporary folder = {.path = ""};
    char path[TEMPORARY_PATH_MAX];
    int status = COMMAND_OK;

    if (!temporary_create(&folder)) {
        return command_failure(&command_compare,
                               "cannot make a temporary folder: %s (is TMPDIR right?)",
                               strerror(errno));
    }
    temporary_name(&folder, "run.db", path);
    for (size_t i = 0; i < runs->count && status == COMMAND_OK && !interrupt_seen(); i++) {
        status = fleet_extract(store, runs->item[i].id, path)
                     ? add_file(history, path, runs->item[i].name, runs->item[i].id)
                     : command_failure(&command_compare, "%s", store->error);
    }
    temporary_remove(&folder);
    return status;
}

static int add_fleet(struct history *history, const char *name)
{
    char error[STORE_ERROR_MAX];
    struct fleet_runs runs = {0};
    struct store *store = store_open(name, STORE_READ, error);

    if (store == NULL) {
        return command_failure(&command_compare, "%s", error);
    }
    int status = fleet_look(store) && fleet_list(store, take_row, &runs)
                     ? COMMAND_OK
                     : command_failure(&command_compare, "%s", store->error);

    if (status == COMMAND_OK) {
        status = add_runs(history, store, &runs);
    }
    for (size_t i = 0; i < runs.count; i++) {
        free(runs.item[i].name);
    }
    free(runs.item);
    store_close(store);
    return status;
}

static bool is_directory(const char *path)
{
    struct stat status;

    return stat(path, &status) == 0 && S_ISDIR(status.st_mode);
}

static void show_history(const struct history *history)
{
    struct ci_report *report = ci_report_wanted();

    if (report != NULL) {
        history_cases_add(report, history);
    }
    if (wishes.json) {
        history_json(stdout, history);
    } else if (!ci_has_output()) {
        history_print(stdout, history, wishes.all);
    }
}

static int check_history(const struct history *history)
{
    if (interrupt_seen()) {
        return command_failure(&command_compare, "interrupted");
    }
    if (history->run_count == 0) {
        return command_failure(&command_compare, "%s has no valid run%s%s", wishes.history,
                               history->left_out_count > 0 ? ": " : "",
                               history->left_out_count > 0 ? history->left_out[0] : "");
    }
    if (history->series_count == 0) {
        return command_failure(&command_compare, "the runs of %s have no metric%s%s",
                               wishes.history, wishes.settings.pattern != NULL ? " " : "",
                               wishes.settings.pattern != NULL ? wishes.settings.pattern : "");
    }
    return COMMAND_OK;
}

/* Reads, judges and shows the history. Returns the exit status. */
static int compare_history(void)
{
    const struct history_settings settings = {
        .alpha = wishes.has_alpha ? wishes.settings.alpha : HISTORY_ALPHA,
        .threshold = wishes.has_threshold ? wishes.settings.threshold : NAN,
        .by_instructions = wishes.settings.by_instructions,
        .instructions = wishes.settings.instructions,
        .stolen = wishes.settings.stolen,
        .last = (size_t)wishes.last,
        .recent = (size_t)wishes.recent,
        .pattern = wishes.settings.pattern,
    };
    struct history history;

    history_init(&history, &settings);
    interrupt_catch();
    int status = is_directory(wishes.history) ? add_directory(&history, wishes.history)
                                              : add_fleet(&history, wishes.history);

    if (status == COMMAND_OK) {
        status = check_history(&history);
    }
    if (status == COMMAND_OK) {
        history_judge(&history);
        show_history(&history);
        status = history.failing > 0 ? COMMAND_FAILED : COMMAND_OK;
    }
    history_free(&history);
    return status;
}

static int run_compare(const struct option_rest *rest)
{
    struct limits limits = {0};
    int status = take_paths(rest);

    if (status != COMMAND_OK) {
        return status;
    }
    measure_use_options();
    if (wishes.history != NULL) {
        return ci_finish(&command_compare, compare_history());
    }
    if (wishes.limits != NULL) {
        status = read_limits(wishes.limits, &limits);
    }
    if (status == COMMAND_OK) {
        struct compared compared = {
            .settings = wishes.settings,
            .runs = alloc_zeroed(wishes.count * sizeof(*compared.runs)),
            .compares = alloc_zeroed(wishes.count * sizeof(*compared.compares)),
            .differences = alloc_zeroed(wishes.count * sizeof(*compared.differences)),
        };

        status = compare(&limits, &compared);
        free_compared(&compared);
    }
    limits_free(&limits);
    return ci_finish(&command_compare, status);
}

const struct command command_compare = {
    .name = "compare",
    .summary = "compare runs with each other and with limits",
    .about = "usage: tare compare [--limits FILE] [--metric PATTERN] [--all] A.db B.db\n"
             "                    [C.db]...\n"
             "       tare compare [OPTION]... A1.db A2.db A3.db -- B1.db B2.db B3.db\n"
             "       tare compare [--by setting] RUN.db...\n"
             "       tare compare --aa A1.db A2.db [A3.db]...\n"
             "       tare compare --limits FILE A.db\n"
             "       tare compare --history DIR|FLEET\n"
             "\n"
             "Compares each run with the first, or the group of runs after -- with the group\n"
             "before it, metric by metric: worse, better, same or unclear.\n"
             "\n"
             "worse, better  the difference is significant at --alpha, corrected for the count\n"
             "               of metrics, and the 95 % interval of the shift lies entirely\n"
             "               beyond the threshold; or both conditions hold for the tail (p99,\n"
             "               or p90 if there are few values)\n"
             "changed        the conditions of worse or better hold, for a metric that has no\n"
             "               preferred direction\n"
             "differs        these boots differ, but chance or a drift of the machine may do\n"
             "               this: there are too few boots (fewer than 4 on each side), or the\n"
             "               order of the boots was neither drawn at random nor by turns\n"
             "same           the interval lies entirely within the threshold\n"
             "unclear        anything else; the reason is printed next to it\n"
             "\n"
             "Boots of the same image differ, except in exact time. Groups are compared by the\n"
             "median of each boot: a permutation test of whole boots covers all metrics\n"
             "together. tare boot --repeat N --interleave OTHER makes groups, and draws and\n"
             "records the order of their boots; N = 5 decides about most runs. Boots of a\n"
             "group must be of one machine, image and plan (else --force). Copies of a boot\n"
             "count once. In exact and simulated time one boot is enough, and its values are\n"
             "compared (Mann-Whitney, Hodges-Lehmann, Holm), taking their correlation into\n"
             "account.\n"
             "\n"
             "The table has the medians, the shift with its interval in per cent of the first\n"
             "run's median, and Cliff's delta: -1 if all values of the second run are lower, 1\n"
             "if all are higher; for groups it compares the boots. Values that never vary are\n"
             "compared directly, and the row is marked \"exact\".\n",
    .options = options,
    .notes = "A limits file has one limit a line; # begins a comment:\n"
             "    max    gap.longest             50us\n"
             "    p99    echo.response.key_down  <= 100 ms in exact\n"
             "    median paths.switch            110 instructions\n"
             "    min    bandwidth.read.avx2*    2 GB/s            # at least\n"
             "    rate   gap.gap_length*         3/s\n"
             "A limit in instructions applies to exact time, any other to real time, unless\n"
             "\"in KIND\" follows: exact; exact, shared; emulated; real or model. A run of\n"
             "another time base breaks the limit. A limit that cannot be evaluated, such as\n"
             "one for a missing metric, counts as broken.\n"
             "\n"
             "Exit status: 0 nothing is worse and all limits are kept; 1 something is worse\n"
             "(for a history: since one of the newest runs), a limit is broken, or a run is\n"
             "invalid or cannot be read or compared; 2 wrong usage, runs of different time\n"
             "bases or groups of mixed boots, or an error in the limits file. \"differs\" and\n"
             "--aa do not change it: a difference that chance may cause is not a regression.\n",
    .run = run_compare,
    .is_long = true,
};
