/* SPDX-License-Identifier: BSD-2-Clause */
#include "tools/judge/ci_report.h"

#include <stdlib.h>
#include <string.h>

#include "tools/base/alloc.h"

static char *copy_of(const char *text)
{
    return text != NULL ? alloc_checked(strdup(text)) : NULL;
}

struct ci_suite *ci_suite_add(struct ci_report *report, const char *name)
{
    report->suites = alloc_append(report->suites, &report->suite_count, &report->suite_capacity,
                                  sizeof(*report->suites));
    struct ci_suite *suite = &report->suites[report->suite_count - 1];

    suite->name = copy_of(name);
    return suite;
}

void ci_property_add(struct ci_suite *suite, const char *name, const char *value)
{
    if (value == NULL) {
        return;
    }
    suite->properties = alloc_append(suite->properties, &suite->property_count,
                                     &suite->property_capacity, sizeof(*suite->properties));
    suite->properties[suite->property_count - 1] =
        (struct ci_property){copy_of(name), copy_of(value)};
}

void ci_case_add(struct ci_suite *suite, const struct ci_case *added)
{
    suite->cases = alloc_append(suite->cases, &suite->case_count, &suite->case_capacity,
                                sizeof(*suite->cases));
    suite->cases[suite->case_count - 1] = (struct ci_case){
        .state = added->state,
        .group = copy_of(added->group),
        .name = copy_of(added->name),
        .message = copy_of(added->message),
        .seconds = added->seconds,
    };
    suite->states[added->state]++;
}

size_t ci_report_count(const struct ci_report *report, enum ci_state state)
{
    size_t count = 0;

    for (size_t i = 0; i < report->suite_count; i++) {
        count += report->suites[i].states[state];
    }
    return count;
}

size_t ci_report_cases(const struct ci_report *report)
{
    size_t count = 0;

    for (size_t i = 0; i < report->suite_count; i++) {
        count += report->suites[i].case_count;
    }
    return count;
}

bool ci_report_is_good(const struct ci_report *report)
{
    return ci_report_count(report, CI_FAILED) == 0 && ci_report_count(report, CI_ERROR) == 0;
}

static void free_suite(struct ci_suite *suite)
{
    for (size_t i = 0; i < suite->property_count; i++) {
        free(suite->properties[i].name);
        free(suite->properties[i].value);
    }
    for (size_t i = 0; i < suite->case_count; i++) {
        free(suite->cases[i].group);
        free(suite->cases[i].name);
        free(suite->cases[i].message);
    }
    free(suite->properties);
    free(suite->cases);
    free(suite->name);
}

void ci_report_free(struct ci_report *report)
{
    for (size_t i = 0; i < report->suite_count; i++) {
        free_suite(&report->suites[i]);
    }
    free(report->suites);
    *report = (struct ci_report){0};
}
