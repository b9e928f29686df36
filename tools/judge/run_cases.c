/* SPDX-License-Identifier: BSD-2-Clause */
#include "tools/judge/run_cases.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "kernel/link/names.h"
#include "kernel/plan/version.h"
#include "kernel/run/names.h"
#include "tools/base/number.h"
#include "tools/base/texts.h"
#include "tools/finding/run_findings.h"
#include "tools/run/run_kind.h"

#define GROUP_MAX  96
#define NS_SECONDS 1e9
#define PERCENT    100

/* Adds what identifies a run: version of tare, time base, machine, firmware, emulator, image, plan.
 */
static void run_properties_add(struct ci_suite *suite, const struct run *run)
{
    static const char *const keys[] = {INFO_RUN, INFO_DATE, "emulator", "image.sha256",
                                       "firmware.sha256"};
    static const char *const facts[] = {FACT_CPU_BRAND, FACT_PROCESSORS, FACT_FIRMWARE_VENDOR};
    char kind[RUN_KIND_MAX];

    ci_property_add(suite, "tare", TARE_VERSION);
    ci_property_add(suite, "image", run_pair_value(&run->info, INFO_VERSION));
    ci_property_add(suite, "time", run_time_name(run));
    ci_property_add(suite, "time.meaning", run_kind_text(run, kind));
    for (size_t i = 0; i < sizeof(facts) / sizeof(facts[0]); i++) {
        ci_property_add(suite, facts[i], run_pair_value(&run->machine, facts[i]));
    }
    for (size_t i = 0; i < sizeof(keys) / sizeof(keys[0]); i++) {
        ci_property_add(suite, keys[i], run_pair_value(&run->info, keys[i]));
    }
    ci_property_add(suite, "plan", run->plan_text);
}

static enum ci_state state_of(const struct run_bench *bench)
{
    if (strcmp(bench->state, STATE_OK) == 0) {
        return CI_PASSED;
    }
    if (strcmp(bench->state, STATE_SKIP) == 0) {
        return CI_SKIPPED;
    }
    return strcmp(bench->state, STATE_FAIL) == 0 ? CI_FAILED : CI_ERROR;
}

/* Returns the duration of a bench in seconds, or 0 if unknown. */
static double seconds_of(const struct run *run, const struct run_bench *bench)
{
    const int64_t began = run_fact_or(bench, FACT_BEGAN, 0);
    const int64_t ended = run_fact_or(bench, FACT_ENDED, 0);

    return ended > began && began > 0
               ? ((double)ended - (double)began) * run_ns_per_tick(run) / NS_SECONDS
               : 0;
}

static void add_bench(struct ci_suite *suite, const struct run *run, const struct run_bench *bench)
{
    const enum ci_state state = state_of(bench);
    char group[GROUP_MAX];
    char label[RUN_LABEL_MAX];
    const bool bad = state == CI_FAILED || state == CI_ERROR;
    char *message = text_format("%s%s%s", bad ? bench->state : "", bad ? ": " : "",
                                bench->reason != NULL ? bench->reason : "no reason given");

    snprintf(group, sizeof(group), "tare.bench.%.80s",
             bench->group != NULL ? bench->group : "bench");
    ci_case_add(suite, &(struct ci_case){
                           .state = state,
                           .group = group,
                           .name = (char *)run_bench_label(run, bench, label),
                           .message = state == CI_PASSED ? NULL : message,
                           .seconds = seconds_of(run, bench),
                       });
    free(message);
}

/* Prints why the run is not valid, and its findings. */
static void print_valid(FILE *out, const struct run *run, const struct run_texts *reasons)
{
    struct findings findings;

    for (size_t i = 0; i < reasons->count; i++) {
        fprintf(out, "%s%s", i > 0 ? "\n" : "", reasons->item[i]);
    }
    run_findings(run, reasons, &findings);
    fprintf(out, "%sfindings:", reasons->count > 0 ? "\n" : "");
    for (size_t i = 0; i < findings.count; i++) {
        fprintf(out, "\n%s", findings.item[i].text);
    }
    fputs(findings.count == 0 ? " none" : "", out);
}

void run_cases_add(struct ci_report *report, const char *name, const struct run *run,
                   const struct run_texts *reasons)
{
    struct ci_suite *suite = ci_suite_add(report, "%s", name);
    struct long_text message;

    run_properties_add(suite, run);
    long_text_open(&message);
    print_valid(message.out, run, reasons);
    long_text_close(&message);
    ci_case_add(suite, &(struct ci_case){
                           .state = reasons->count > 0 ? CI_FAILED : CI_PASSED,
                           .group = "tare.run",
                           .name = "valid",
                           .message = message.text,
                       });
    long_text_free(&message);
    for (size_t i = 0; i < run->bench_count; i++) {
        add_bench(suite, run, &run->benches[i]);
    }
}

/* ---- comparisons and limits ---- */

static const enum ci_state states[COMPARE_VERDICTS] = {
    [COMPARE_WORSE] = CI_FAILED,    [COMPARE_BETTER] = CI_PASSED,   [COMPARE_CHANGED] = CI_PASSED,
    [COMPARE_DIFFERS] = CI_SKIPPED, [COMPARE_UNCLEAR] = CI_SKIPPED, [COMPARE_SAME] = CI_PASSED,
};

static void print_row(FILE *out, const struct compare_row *row)
{
    const char *const change = compared_change(row, COMPARED_MIDDLE, (char[COMPARED_VALUE_MAX]){0});
    const char *const low = compared_change(row, COMPARED_LOW, (char[COMPARED_VALUE_MAX]){0});
    const char *const high = compared_change(row, COMPARED_HIGH, (char[COMPARED_VALUE_MAX]){0});
    char a[COMPARED_VALUE_MAX];
    char b[COMPARED_VALUE_MAX];

    fprintf(out, "%s: a %s, b %s", compare_verdict_names[row->verdict],
            compared_value(row->by_tail ? row->tails.a : row->a_median, row->unit, a),
            compared_value(row->by_tail ? row->tails.b : row->b_median, row->unit, b));
    if (row->by_tail) {
        fprintf(out, " (p%.0f)", PERCENT * row->tails.q);
    }
    if (change != NULL) {
        fprintf(out, ", change %s", change);
    }
    if (row->has_interval && low != NULL && high != NULL) {
        fprintf(out, " (95 %%: %s to %s)", low, high);
    }
    if (!isnan(row->p)) {
        fprintf(out, ", p = %s", number_text(row->p, a));
    }
    if (row->why != NULL) {
        fprintf(out, "; %s", row->why);
    }
}

static void add_row(struct ci_suite *suite, const struct compare_row *row)
{
    struct long_text message;
    char group[GROUP_MAX];

    snprintf(group, sizeof(group), "tare.compare.%.80s", row->a->bench);
    long_text_open(&message);
    print_row(message.out, row);
    long_text_close(&message);
    ci_case_add(suite, &(struct ci_case){
                           .state = states[row->verdict],
                           .group = group,
                           .name = row->name,
                           .message = message.text,
                       });
    long_text_free(&message);
}

static void add_validity(struct ci_suite *suite, const struct compared_run *run)
{
    ci_case_add(suite, &(struct ci_case){
                           .state = run->valid ? CI_PASSED : CI_FAILED,
                           .group = "tare.run",
                           .name = (char *)run->path,
                           .message = run->valid               ? NULL
                                      : run->reasons.count > 0 ? (char *)run->reasons.item[0]
                                                               : "INVALID",
                       });
}

static void add_comparison(struct ci_report *report, const struct compared *compared, size_t index)
{
    const struct compare *compare = &compared->compares[index];
    const size_t first = compared_b_first(compared, index);
    const size_t end = compared->a_group > 0 ? compared->count : index + 2;
    struct ci_suite *suite =
        ci_suite_add(report, "%s against %s", compared_b(compared, index), compared_a(compared));

    run_properties_add(suite, &compared->runs[first].run);
    for (size_t i = 0; i < compared->warnings.count; i++) {
        ci_property_add(suite, "warning", compared->warnings.item[i]);
    }
    for (size_t i = 0; i < (compared->a_group > 0 ? compared->a_group : 1) && index == 0; i++) {
        add_validity(suite, &compared->runs[i]);
    }
    for (size_t i = first; i < end; i++) {
        add_validity(suite, &compared->runs[i]);
    }
    for (size_t i = 0; i < compare->count; i++) {
        add_row(suite, &compare->item[i]);
    }
}

static void add_limit(struct ci_suite *suite, const struct limit_result *result)
{
    char text[LIMITS_MESSAGE_MAX];
    char value[SHORTEST_MAX];

    limit_text(result->limit, text);
    char *name = text_format("line %zu: %s%s%s", result->limit->line, text,
                             result->metric != NULL ? ": " : "",
                             result->metric != NULL ? result->metric : "");
    char *message =
        result->has_value
            ? text_format("%s %s%s%s", limit_value_text(result->limit, result->value, value),
                          result->limit->unit, result->message[0] != '\0' ? "; " : "",
                          result->message)
            : text_format("%s", result->message);

    ci_case_add(suite, &(struct ci_case){
                           .state = result->kept ? CI_PASSED : CI_FAILED,
                           .group = "tare.limits",
                           .name = name,
                           .message = message,
                       });
    free(message);
    free(name);
}

static void add_limits(struct ci_report *report, const struct compared *compared,
                       const struct compared_run *run)
{
    struct ci_suite *suite = ci_suite_add(report, "limits of %s", run->path);

    run_properties_add(suite, &run->run);
    if (compared->count == 1) {
        add_validity(suite, run);
    }
    for (size_t i = 0; i < run->results.count; i++) {
        add_limit(suite, &run->results.item[i]);
    }
}

void compare_cases_add(struct ci_report *report, const struct compared *compared)
{
    for (size_t i = 0; compared->count > 1 && i < compared_pairs(compared); i++) {
        add_comparison(report, compared, i);
    }
    for (size_t i = 0; i < compared->count; i++) {
        if (compared->runs[i].limited) {
            add_limits(report, compared, &compared->runs[i]);
        }
    }
}
