/* SPDX-License-Identifier: BSD-2-Clause */
#include "tools/judge/compare_cases.h"

#include <math.h>
#include <stdio.h>

#include "tools/base/texts.h"
#include "tools/judge/run_cases.h"

#define PERCENT   100
#define GROUP_MAX 96

static const enum ci_state states[COMPARE_VERDICTS] = {
    [COMPARE_WORSE] = CI_FAILED,    [COMPARE_BETTER] = CI_PASSED,   [COMPARE_CHANGED] = CI_PASSED,
    [COMPARE_DIFFERS] = CI_SKIPPED, [COMPARE_UNCLEAR] = CI_SKIPPED, [COMPARE_SAME] = CI_PASSED,
};

static void print_row(FILE *out, const struct compare_row *row)
{
    char a[SHORTEST_MAX];
    char b[SHORTEST_MAX];

    fprintf(out, "%s: a %s, b %s %s", compare_verdict_name(row->verdict),
            table_digits(row->by_tail ? row->tails.a : row->a_median, a),
            table_digits(row->by_tail ? row->tails.b : row->b_median, b), row->unit);
    if (row->by_tail) {
        fprintf(out, " (p%.0f)", PERCENT * row->tails.q);
    }
    if (isfinite(row->shift)) {
        fprintf(out, ", shift %+.2f %%", PERCENT * row->shift);
    }
    if (row->has_interval && isfinite(row->low) && isfinite(row->high)) {
        fprintf(out, " (95 %%: %+.2f to %+.2f %%)", PERCENT * row->low, PERCENT * row->high);
    }
    if (!isnan(row->p)) {
        fprintf(out, ", chance %.2g", row->p);
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
    const size_t first = compared->a_group > 0 ? compared->a_group : index + 1;
    const size_t end = compared->a_group > 0 ? compared->count : index + 2;
    struct long_text name;

    long_text_open(&name);
    fprintf(name.out, "%s against %s", compared_b(compared, index), compared_a(compared));
    long_text_close(&name);
    struct ci_suite *suite = ci_suite_add(report, name.text);

    long_text_free(&name);
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
    struct long_text name;
    struct long_text message;

    limit_text(result->limit, text);
    long_text_open(&name);
    fprintf(name.out, "line %zu: %s%s%s", result->limit->line, text,
            result->metric != NULL ? ": " : "", result->metric != NULL ? result->metric : "");
    long_text_close(&name);
    long_text_open(&message);
    if (result->has_value) {
        fprintf(message.out, "%s %s", limit_value_text(result->limit, result->value, value),
                result->limit->unit);
    }
    fprintf(message.out, "%s%s", result->has_value && result->message[0] != '\0' ? "; " : "",
            result->message);
    long_text_close(&message);
    ci_case_add(suite, &(struct ci_case){
                           .state = result->kept ? CI_PASSED : CI_FAILED,
                           .group = "tare.limits",
                           .name = name.text,
                           .message = message.text,
                       });
    long_text_free(&message);
    long_text_free(&name);
}

static void add_limits(struct ci_report *report, const struct compared *compared,
                       const struct compared_run *run)
{
    struct long_text name;

    long_text_open(&name);
    fprintf(name.out, "limits of %s", run->path);
    long_text_close(&name);
    struct ci_suite *suite = ci_suite_add(report, name.text);

    long_text_free(&name);
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
