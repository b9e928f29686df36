/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Reports for CI servers: suites of cases, each passed, skipped, failed or in error. Commands fill
 * a report with what they judged.
 *
 * A report has a failure or an error if and only if the command that made it ends with a status
 * other than 0.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

enum ci_state {
    CI_PASSED,
    CI_SKIPPED, /* nothing was judged; the message has the reason */
    CI_FAILED,  /* what was judged does not meet its requirement */
    CI_ERROR,   /* the judging itself failed */
    CI_STATES,
};

struct ci_case {
    enum ci_state state;
    char *group; /* JUnit's class name, by which cases are grouped */
    char *name;
    char *message; /* NULL: none */
    double seconds;
};

struct ci_property {
    char *name, *value;
};

struct ci_suite {
    char *name;
    struct ci_property *properties;
    size_t property_count, property_capacity;
    struct ci_case *cases; /* in the order in which they were added */
    size_t case_count, case_capacity;
    size_t states[CI_STATES]; /* number of cases in each state */
};

/* A report; zeroed, it is empty. */
struct ci_report {
    struct ci_suite *suites;
    size_t suite_count, suite_capacity;
};

/* Adds a suite. The text is copied. The pointer is valid until the next suite is added. */
__attribute__((format(printf, 2, 3))) struct ci_suite *ci_suite_add(struct ci_report *report,
                                                                    const char *format, ...);
/* Adds a property; a value of NULL is unknown, and the property is left out. */
void ci_property_add(struct ci_suite *suite, const char *name, const char *value);
/* Adds a copy of a case. `seconds` is the duration of what was judged; 0: no duration, or unknown.
 */
void ci_case_add(struct ci_suite *suite, const struct ci_case *added);

/* Return the number of cases in this state, or of all cases, in all suites. */
size_t ci_report_count(const struct ci_report *report, enum ci_state state);
size_t ci_report_cases(const struct ci_report *report);
/* Has the report neither a failure nor an error? */
bool ci_report_is_good(const struct ci_report *report);
void ci_report_free(struct ci_report *report);

/*
 * Writes a report in the Test Anything Protocol, version 13: the plan first, then a line for each
 * case. Properties and names of suites are comments. The message of a failure or an error is a YAML
 * block after its line. Control characters and bytes that are not valid UTF-8 become U+FFFD.
 */
void tap_write(FILE *out, const struct ci_report *report);

/*
 * Writes a report as JUnit XML, with the elements and attributes that Jenkins and GitLab read:
 *
 *     testsuites > testsuite > properties > property
 *                            > testcase   > skipped | failure | error | system-out
 *
 * It is XML 1.0 in UTF-8. Characters that XML cannot express, and bytes that are not valid UTF-8,
 * become U+FFFD. The message of a case that passed is its system-out. A failure has the first line
 * of its message as attribute `message`, and the complete message as text.
 */
void junit_write(FILE *out, const struct ci_report *report);
