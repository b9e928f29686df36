/* SPDX-License-Identifier: BSD-2-Clause */
#include "tools/judge/history_views.h"

#include <ctype.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "kernel/link/names.h"
#include "kernel/plan/version.h"
#include "kernel/run/names.h"
#include "tools/base/alloc.h"
#include "tools/base/colour.h"
#include "tools/base/json.h"
#include "tools/base/number.h"
#include "tools/base/sort.h"
#include "tools/base/table.h"
#include "tools/base/texts.h"
#include "tools/judge/compare_views.h"
#include "tools/present/json_kit.h"
#include "tools/present/view.h"
#include "tools/stats/summary.h"

#define PERCENT     100
#define MEASURE_MAX 64 /* limit of Bencher */

static const enum colour verdict_colours[HISTORY_VERDICTS] = {
    [HISTORY_WORSE] = COLOUR_BAD,        [HISTORY_BETTER] = COLOUR_GOOD,
    [HISTORY_CHANGED] = COLOUR_DOUBTFUL, [HISTORY_SMALL] = COLOUR_PLAIN,
    [HISTORY_DROPPED] = COLOUR_DOUBTFUL,
};

/* ---- for a terminal: by group and verdict, the newest change first ---- */

static void add_row(struct table *table, const struct history *history,
                    const struct history_change *change)
{
    const struct history_series *series = &history->series[change->series];

    table_named_row(table, series->name);
    table_format(table, "%s%s", change->kind == CHANGE_TREND ? "trend " : "",
                 change->fails       ? "FAILS"
                 : change->is_undone ? "undone"
                                     : "");
    char value[COMPARED_VALUE_MAX];
    char text[COMPARED_VALUE_MAX];

    table_text(table, compared_value(change->before, series->unit, text));
    table_text(table, compared_value(change->after, series->unit, text));
    if (isfinite(change->shift)) {
        table_text(table, share_signed(change->shift, text));
    } else {
        snprintf(text, sizeof(text), "%s%.60s", change->after > change->before ? "+" : "",
                 compared_value(change->after - change->before, series->unit, value));
        table_text(table, text);
    }
    table_text(table, isnan(change->p) ? "exact" : number_text(change->p, text));
}

/* Returns the run under which a change is shown: of a trend, the oldest. */
static size_t since_of(const struct history_change *change)
{
    return change->kind == CHANGE_TREND ? change->from : change->at;
}

/* Prints a line such as "since lab/0031.db (2026-11-21), with a new image and plan". */
static void put_since(FILE *out, const struct history *history, size_t at)
{
    const struct history_run *run = &history->runs[at];
    const struct history_change *change = NULL;
    const char *joint = ", with another ";
    struct long_text text;

    for (size_t i = 0; i < history->change_count && change == NULL; i++) {
        change = since_of(&history->changes[i]) == at ? &history->changes[i] : NULL;
    }
    long_text_open(&text);
    fprintf(text.out, "since %s", run->name);
    if (run->order == HISTORY_BY_CAPTURE) {
        fprintf(text.out, " (%.10s)", run->captured);
    } else if (run->date[0] != '\0' && history->groups[run->group].against[HISTORY_BY_DATE] == 0) {
        fprintf(text.out, " (%.10s)", run->date);
    }
    for (enum history_label label = 0; label < HISTORY_LABELS && change != NULL; label++) {
        if (change->changed_labels[label]) {
            fprintf(text.out, "%s%s", joint, history_label_names[label]);
            joint = " and ";
        }
    }
    long_text_close(&text);
    fputs("  ", out);
    print_wrapped(out, text.text, 2, 4);
    long_text_free(&text);
}

static bool is_shown(const struct history_change *change, size_t at, enum history_verdict verdict)
{
    return since_of(change) == at && change->verdict == verdict;
}

/* Prints the changes of one verdict at one run. */
static void put_changes(FILE *out, const struct history *history, size_t at,
                        enum history_verdict verdict)
{
    struct table table;

    table_open(&table, "llrrrr", "metric\t\tbefore\tafter\tchange\tp");
    for (size_t i = 0; i < history->change_count; i++) {
        if (is_shown(&history->changes[i], at, verdict)) {
            add_row(&table, history, &history->changes[i]);
        }
    }
    put_since(out, history, at);
    table_print(&table, out, 4);
}

static void put_verdict(FILE *out, const struct history *history, size_t index,
                        enum history_verdict verdict)
{
    const struct history_group *group = &history->groups[index];
    bool begun = false;

    for (size_t at = group->first + group->count; at-- > group->first;) {
        size_t count = 0;

        for (size_t i = 0; i < history->change_count; i++) {
            count += is_shown(&history->changes[i], at, verdict);
        }
        if (count > 0) {
            if (!begun) {
                fputc('\n', out);
                colour_text(out, verdict_colours[verdict], history_verdict_names[verdict]);
                fputc('\n', out);
                begun = true;
            }
            put_changes(out, history, at, verdict);
        }
    }
}

/* Prints the orders that contradict the one that is used. */
static void put_order(FILE *out, const struct history_group *group)
{
    static const char *const words[HISTORY_ORDERS] = {"time of capture", "number and file name",
                                                      "date of the machine's clock"};
    char text[256];

    for (enum history_order order = 0; order < HISTORY_ORDERS; order++) {
        if (group->against[order] > 0) {
            snprintf(text, sizeof(text),
                     "by %s; by %s, %zu of %zu pairs of successive runs would be reversed",
                     words[group->order], words[order], group->against[order], group->count - 1);
            print_labelled(out, "order", text);
        }
    }
}

static void print_group(FILE *out, const struct history *history, size_t index, bool all)
{
    const struct history_group *group = &history->groups[index];
    const struct history_run *oldest = &history->runs[group->first];
    const struct history_run *newest = &history->runs[group->first + group->count - 1];
    char text[512];

    fputc('\n', out);
    print_labelled(out, "machine", group->machine);
    print_labelled(out, "time", group->time);
    snprintf(text, sizeof(text), "%zu: %.200s to %.200s", group->count, oldest->name, newest->name);
    print_labelled(out, "runs", text);
    if (group->searched < group->count) {
        snprintf(text, sizeof(text), "the newest %zu (--last)", group->searched);
        print_labelled(out, "searched", text);
    }
    put_order(out, group);
    if (group->searched < group->least) {
        snprintf(text, sizeof(text),
                 "%zu run%s: too few. A change can be found in %zu or more at --alpha %.4g",
                 group->searched, group->searched == 1 ? "" : "s", group->least,
                 history->settings.alpha);
        print_labelled(out, "judged", text);
    }
    for (enum history_verdict verdict = 0; verdict < HISTORY_VERDICTS; verdict++) {
        if (all || verdict != HISTORY_SMALL) {
            put_verdict(out, history, index, verdict);
        }
    }
}

void history_print(FILE *out, const struct history *history, bool all)
{
    char text[256];
    char beyond[64] = "";

    snprintf(text, sizeof(text),
             "%zu worse (%zu of them fail), %zu better, %zu changed, %zu small, %zu dropped",
             history->verdicts[HISTORY_WORSE], history->failing, history->verdicts[HISTORY_BETTER],
             history->verdicts[HISTORY_CHANGED], history->verdicts[HISTORY_SMALL],
             history->verdicts[HISTORY_DROPPED]);
    colour_text(out, history->failing > 0 ? COLOUR_BAD : COLOUR_GOOD, text);
    fputc('\n', out);
    if (history->settings.by_instructions) {
        char number[NUMBER_MAX];

        snprintf(beyond, sizeof(beyond), " beyond %s instructions",
                 number_text(history->settings.instructions, number));
    }
    snprintf(
        text, sizeof(text),
        "in exact time every difference%s; otherwise p <= %.4g for any change in a metric, and a "
        "shift of at least %.4g %%",
        beyond, history->settings.alpha,
        PERCENT *
            (isnan(history->settings.threshold) ? COMPARE_THRESHOLD : history->settings.threshold));
    print_labelled(out, "rule", text);
    for (size_t i = 0; i < history->left_out_count; i++) {
        print_labelled(out, "left out", history->left_out[i]);
    }
    for (size_t i = 0; i < history->group_count; i++) {
        print_group(out, history, i, all);
    }
}

/* ---- as JSON ---- */

static void put_change(struct json *json, const struct history *history,
                       const struct history_change *change)
{
    const struct history_series *series = &history->series[change->series];
    const struct history_run *at = &history->runs[change->at];

    json_object(json, NULL);
    JSON_TEXTS(json, {"metric", series->name}, {"unit", series->unit},
               {"verdict", history_verdict_names[change->verdict]});
    json_bool(json, "recent", change->is_recent);
    json_bool(json, "undone", change->is_undone);
    json_bool(json, "fails", change->fails);
    json_bool(json, "trend", change->kind == CHANGE_TREND);
    JSON_TEXTS(json, {"from", history->runs[change->from].name}, {"at", at->name},
               {"date", at->date[0] != '\0' ? at->date : NULL});
    json_real(json, "before", change->before);
    json_real(json, "after", change->after);
    json_real(json, "shift", change->shift);
    json_real(json, "p", change->p);
    json_array(json, "also");
    for (enum history_label label = 0; label < HISTORY_LABELS; label++) {
        if (change->changed_labels[label]) {
            json_text(json, NULL, history_label_names[label]);
        }
    }
    json_close(json);
    json_close(json);
}

static void put_group(struct json *json, const struct history *history, size_t index)
{
    const struct history_group *group = &history->groups[index];

    json_object(json, NULL);
    json_text(json, "time", group->time);
    json_text(json, "machine", group->machine);
    json_bool(json, "exact", group->exact);
    JSON_COUNTS(json, {"searched", group->searched}, {"least", group->least},
                {"recent", history_recent(history, index)});
    json_array(json, "runs");
    for (size_t i = group->first; i < group->first + group->count; i++) {
        const struct history_run *run = &history->runs[i];

        json_object(json, NULL);
        json_text(json, "file", run->name);
        json_optional(json, "number", run->number > 0, run->number);
        json_text(json, "date", run->date[0] != '\0' ? run->date : NULL);
        json_text(json, "captured", run->captured[0] != '\0' ? run->captured : NULL);
        json_close(json);
    }
    json_close(json);
    json_text(json, "order", history_order_names[group->order]);
    json_object(json, "reversed");
    for (enum history_order order = 0; order < HISTORY_ORDERS; order++) {
        json_unsigned(json, history_order_names[order], group->against[order]);
    }
    json_close(json);
    json_array(json, "changes");
    for (size_t i = 0; i < history->change_count; i++) {
        if (history->changes[i].group == index) {
            put_change(json, history, &history->changes[i]);
        }
    }
    json_close(json);
    json_close(json);
}

void history_json(FILE *out, const struct history *history)
{
    struct json json;

    json_start(&json, out);
    json_object(&json, NULL);
    json_text(&json, "schema", "tare compare --history");
    json_unsigned(&json, "version", 1);
    json_real(&json, "alpha", history->settings.alpha);
    json_real(&json, "threshold", history->settings.threshold);
    json_texts(&json, "left_out", (const char *const *)history->left_out, history->left_out_count);
    json_object(&json, "summary");
    for (enum history_verdict verdict = 0; verdict < HISTORY_VERDICTS; verdict++) {
        json_unsigned(&json, history_verdict_names[verdict], history->verdicts[verdict]);
    }
    json_unsigned(&json, "failing", history->failing);
    json_close(&json);
    json_array(&json, "groups");
    for (size_t i = 0; i < history->group_count; i++) {
        put_group(&json, history, i);
    }
    json_close(&json);
    json_close(&json);
}

/* ---- as cases for a CI server ---- */

static void print_change(FILE *out, const struct history *history,
                         const struct history_change *change)
{
    char before[NUMBER_MAX];
    char after[NUMBER_MAX];

    fprintf(out, "%s since %s: %s before, %s after, %s", history_verdict_names[change->verdict],
            history->runs[since_of(change)].name, number_text(change->before, before),
            number_text(change->after, after), history->series[change->series].unit);
    if (isfinite(change->shift)) {
        fprintf(out, ", %+.2f %%", PERCENT * change->shift);
    }
    if (!isnan(change->p)) {
        fprintf(out, ", p = %s", number_text(change->p, before));
    }
}

static void add_series(struct ci_suite *suite, const struct history *history, size_t group,
                       size_t series)
{
    const size_t figures = history_figures(history, group, series);
    enum ci_state state = CI_PASSED;
    struct long_text message;
    size_t changes = 0;

    if (figures == 0) {
        return;
    }
    long_text_open(&message);
    for (size_t i = 0; i < history->change_count; i++) {
        const struct history_change *change = &history->changes[i];

        if (change->group == group && change->series == series) {
            fputs(changes++ > 0 ? "\n" : "", message.out);
            print_change(message.out, history, change);
            state = change->fails ? CI_FAILED : state;
        }
    }
    if (figures < history->groups[group].least) {
        state = CI_SKIPPED;
        fprintf(message.out, "%zu runs have it; a change can be found in %zu or more", figures,
                history->groups[group].least);
    }
    long_text_close(&message);
    ci_case_add(suite, &(struct ci_case){
                           .state = state,
                           .group = "tare.history",
                           .name = history->series[series].name,
                           .message = message.length > 0 ? message.text : NULL,
                       });
    long_text_free(&message);
}

void history_cases_add(struct ci_report *report, const struct history *history)
{
    for (size_t i = 0; i < history->group_count; i++) {
        const struct history_group *group = &history->groups[i];
        struct ci_suite *suite =
            ci_suite_add(report, "history of %s, %s", group->machine, group->time);

        ci_property_add(suite, "tare", TARE_VERSION);
        ci_property_add(suite, "time", group->time);
        ci_property_add(suite, "machine", group->machine);
        ci_property_add(suite, "oldest", history->runs[group->first].name);
        ci_property_add(suite, "newest", history->runs[group->first + group->count - 1].name);
        for (size_t k = 0; k < history->left_out_count; k++) {
            ci_property_add(suite, "left out", history->left_out[k]);
        }
        for (size_t series = 0; series < history->series_count; series++) {
            add_series(suite, history, i, series);
        }
    }
}

/* ---- for Bencher ---- */

/* Writes the lower-case letters and digits of the unit, joined by "-". */
static void put_slug(const char *unit, char *slug, size_t size)
{
    size_t used = 0;

    for (; *unit != '\0' && used + 1 < size; unit++) {
        if (isalnum((unsigned char)*unit)) {
            slug[used++] = (char)tolower((unsigned char)*unit);
        } else if (used > 0 && slug[used - 1] != '-') {
            slug[used++] = '-';
        }
    }
    slug[used] = '\0';
}

static const char *measure_of(const struct history *history, const struct history_series *series,
                              const char *ending, char measure[MEASURE_MAX])
{
    const char *kind = history->groups[0].kind;
    const bool bare = strcmp(kind, TIME_REAL) == 0 || strcmp(series->unit, "instructions") == 0;
    char unit[MEASURE_MAX / 2];
    char time[MEASURE_MAX / 4];

    put_slug(strcmp(series->unit, UNIT_NANOSECOND) == 0 ? "latency" : series->unit, unit,
             sizeof(unit));
    put_slug(kind, time, sizeof(time));
    snprintf(measure, MEASURE_MAX, "%s%s%s%s", bare ? "" : time, bare ? "" : "-", unit, ending);
    return measure;
}

static void put_metric(struct json *json, const char *measure, double value, double low,
                       double high)
{
    json_object(json, measure);
    json_real(json, "value", value);
    if (isfinite(low) && isfinite(high)) {
        json_real(json, "lower_value", low);
        json_real(json, "upper_value", high);
    }
    json_close(json);
}

/* The figures of a series in all runs, sorted. NAN are left out. */
struct spread {
    size_t n;
    double *values, *p99;
    size_t p99_count;
    double max;
    const struct history_value *first;
};

static void spread_of(const struct history *history, size_t series, struct spread *spread)
{
    *spread = (struct spread){
        .values = alloc_zeroed((history->run_count + 1) * sizeof(double)),
        .p99 = alloc_zeroed((history->run_count + 1) * sizeof(double)),
        .max = NAN,
    };
    for (size_t i = 0; i < history->run_count; i++) {
        const struct history_value *value = history_value_in(&history->runs[i], series);

        if (value == NULL) {
            continue;
        }
        spread->first = spread->n == 0 ? value : spread->first;
        spread->values[spread->n++] = value->value;
        spread->max = fmax(spread->max, value->max);
        if (!isnan(value->p99)) {
            spread->p99[spread->p99_count++] = value->p99;
        }
    }
    sort_reals(spread->values, spread->n);
    sort_reals(spread->p99, spread->p99_count);
}

static void put_series(struct json *json, const struct history *history, size_t index)
{
    const struct history_series *series = &history->series[index];
    char measure[MEASURE_MAX];
    struct spread spread;

    spread_of(history, index, &spread);
    if (spread.n > 0) {
        const bool one = history->run_count == 1;

        json_object(json, series->name);
        put_metric(json, measure_of(history, series, "", measure),
                   summary_quantile_of(spread.values, spread.n, 0.5),
                   one ? spread.first->low : spread.values[0],
                   one ? spread.first->high : spread.values[spread.n - 1]);
        if (spread.p99_count == spread.n) {
            put_metric(json, measure_of(history, series, "-p99", measure),
                       summary_quantile_of(spread.p99, spread.n, 0.5), one ? NAN : spread.p99[0],
                       one ? NAN : spread.p99[spread.n - 1]);
        }
        if (!isnan(spread.max)) {
            put_metric(json, measure_of(history, series, "-max", measure), spread.max, NAN, NAN);
        }
        json_close(json);
    }
    free(spread.values);
    free(spread.p99);
}

void history_bencher(FILE *out, const struct history *history)
{
    struct json json;

    json_start(&json, out);
    json_object(&json, NULL);
    for (size_t i = 0; i < history->series_count; i++) {
        put_series(&json, history, i);
    }
    json_close(&json);
}
