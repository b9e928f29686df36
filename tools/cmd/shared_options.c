/* SPDX-License-Identifier: BSD-2-Clause */
#include "tools/cmd/shared_options.h"

#include <stdio.h>
#include <string.h>

#include "bench/interactive/host/measure/thresholds.h"
#include "tools/base/sort.h"
#include "tools/cmd/page_file.h"
#include "tools/judge/ci_report.h"
#include "tools/trace/trace_cut.h"

/* ---- reports for a CI server ---- */

static struct {
    const char *junit, *tap; /* paths; NULL: not wanted */
    struct ci_report report;
} ci;

static bool is_output(const char *path)
{
    return path != NULL && strcmp(path, "-") == 0;
}

static bool take_file(const char **file, const char *other, const char *text, char *error)
{
    *file = text;
    snprintf(error, OPTION_ERROR_MAX,
             "-: --junit and --tap: only one of them can go to standard output");
    return !is_output(text) || !is_output(other);
}

static bool take_junit(char *text, char error[OPTION_ERROR_MAX])
{
    return take_file(&ci.junit, ci.tap, text, error);
}

static bool take_tap(char *text, char error[OPTION_ERROR_MAX])
{
    return take_file(&ci.tap, ci.junit, text, error);
}

const struct option_line ci_options[] = {
    {"junit", OPT_CALL(take_junit), "FILE",
     "also write the verdicts as JUnit XML for a CI server, one test case each; - is standard "
     "output"},
    {"tap", OPT_CALL(take_tap), "FILE",
     "also write the verdicts in the Test Anything Protocol; - is standard output"},
    OPTIONS_END,
};

bool ci_has_output(void)
{
    return is_output(ci.junit) || is_output(ci.tap);
}

struct ci_report *ci_report_wanted(void)
{
    return ci.junit != NULL || ci.tap != NULL ? &ci.report : NULL;
}

static void add_failure(const struct command *command, int status)
{
    const char *complaint = command_complaint();
    struct ci_suite *suite = ci_suite_add(&ci.report, "tare %s", command->name);
    char message[64];

    snprintf(message, sizeof(message), "exit status %d", status);
    ci_case_add(suite, &(struct ci_case){
                           .state = CI_ERROR,
                           .group = "tare.command",
                           .name = suite->name,
                           .message = complaint[0] != '\0' ? (char *)complaint : message,
                       });
}

static int write_report(const struct command *command, const char *path,
                        void (*write)(FILE *out, const struct ci_report *report))
{
    struct output_file file;

    if (path == NULL) {
        return COMMAND_OK;
    }
    if (!page_file_open(command, &file, path)) {
        return COMMAND_FAILED;
    }
    write(file.stream, &ci.report);
    return page_file_finish(command, &file, true);
}

int ci_finish(const struct command *command, int status)
{
    if (ci_report_wanted() == NULL) {
        return status;
    }
    if (status != COMMAND_OK && ci_report_is_good(&ci.report)) {
        add_failure(command, status);
    }
    const int as_junit = write_report(command, ci.junit, junit_write);
    const int as_tap = write_report(command, ci.tap, tap_write);

    ci_report_free(&ci.report);
    return status != COMMAND_OK ? status : as_junit != COMMAND_OK ? as_junit : as_tap;
}

/* ---- latencies of input events ---- */

struct measure_wish measure_wish = {.measure = MEASURE_RESPONSE, .above_ms = -1};

const char *measure_word(size_t index)
{
    return index < MEASURES ? measure_name((unsigned)index) : NULL;
}

static bool take_above(char *text, char error[OPTION_ERROR_MAX])
{
    return thresholds_read_one(text, &measure_wish.above_ms, error);
}

bool take_latency_threshold(char *text, char error[OPTION_ERROR_MAX])
{
    if (!measure_wish.has_thresholds) {
        thresholds_init(&measure_wish.thresholds);
        measure_wish.has_thresholds = true;
    }
    return thresholds_read_set(text, &measure_wish.thresholds, error);
}

static const char *const groupings[] = {"phase", "class", "action", NULL};

const struct option_line measure_options[] = {
    {"measure", OPT_WORD(&measure_wish.measure), "MEASURE",
     "latency of input events: idle (excess time of the idle loop), service (from arrival to "
     "effect), response (from when the event was due; default), call (from arrival to the next "
     "call for a message) or weighted (a model: service plus penalties, in cycles)",
     .word_at = measure_word, .given = &measure_wish.measured},
    {"by", OPT_WORD(&measure_wish.by), "WHAT",
     "one figure for each phase (default), or for each class of actions in each phase; with tare "
     "show also action: a table of each action with its counts",
     .words = groupings, .given = &measure_wish.grouped},
    {"above", OPT_CALL(take_above), "MS", "only actions that take longer, such as 50 or 50ms"},
    OPTIONS_END,
};

void measure_use_options(void)
{
    const struct measure_wish *wish = &measure_wish;

    measure_choose(&(struct measure_choice){
        .measure = (enum measure)wish->measure,
        .given = wish->measured,
        .by_class = wish->by == 1,
        .by_action = wish->by == 2,
        .has_above = wish->above_ms >= 0,
        .above_ms = wish->above_ms,
        .has_thresholds = wish->has_thresholds,
        .thresholds = wish->thresholds,
    });
}

/* ---- a window of time ---- */

static struct time_window window;

static bool take_time(const char *text, struct window_time *time, char *error)
{
    snprintf(error, OPTION_ERROR_MAX,
             "%s: must be a time with its unit, such as 3.2s, 250ms, 40us, 900ns or 12000ticks",
             text);
    return window_time_read(text, time);
}

static bool take_from(char *text, char error[OPTION_ERROR_MAX])
{
    window.from_text = text;
    return take_time(text, &window.from, error);
}

static bool take_to(char *text, char error[OPTION_ERROR_MAX])
{
    window.to_text = text;
    return take_time(text, &window.to, error);
}

const struct option_line window_options[] = {
    {"from", OPT_CALL(take_from), "TIME",
     "only what lies after this time since the start of each bench's trace, such as 3.2s, 250ms, "
     "40us, 900ns or 12000ticks; facts and series without times are not cut",
     .given = &window.has_from},
    {"to", OPT_CALL(take_to), "TIME", "only what lies before this time", .given = &window.has_to},
    OPTIONS_END,
};

bool window_given(void)
{
    return window.has_from || window.has_to;
}

/* Returns whether any bench has a trace with events inside the window. */
static bool has_trace(const struct run *run)
{
    return SEARCH_ANY(i, run->bench_count, run->benches[i].trace_count > 0);
}

bool window_cut(const struct command *command, struct run *run)
{
    char error[WINDOW_ERROR_MAX];
    char text[WINDOW_TEXT_MAX];
    char sentence[WINDOW_TEXT_MAX + 128];
    struct tick_window ticks;

    if (!window_given()) {
        return true;
    }
    if (!time_window_ticks(&window, run->verdict.hz, &ticks, error)) {
        command_failure(command, "%s", error);
        return false;
    }
    const bool traced = has_trace(run);

    time_window_text(&window, text);
    snprintf(sentence, sizeof(sentence),
             "%s since the start of each bench's trace; facts, and series without times, are of "
             "the whole run",
             text);
    if (!run_cut(run, ticks.from, ticks.to, sentence)) {
        command_failure(command, "%s", run->losses.item[run->losses.count - 1]);
        return false;
    }
    if (traced && !has_trace(run)) {
        command_failure(command, "no trace of the run has an event %s after the trace's start",
                        text);
        return false;
    }
    fprintf(stderr, "tare %s: %s since the start of each trace\n", command->name, text);
    return true;
}
