/* SPDX-License-Identifier: BSD-2-Clause */
#include "tools/judge/junit.h"

#include <stdbool.h>
#include <string.h>

#include "tools/base/clean_text.h"

static const char *const elements[CI_STATES] = {
    [CI_PASSED] = "system-out",
    [CI_SKIPPED] = "skipped",
    [CI_FAILED] = "failure",
    [CI_ERROR] = "error",
};

/* Up to `end`, or all where that is NULL. A reader makes a blank of a line end or tab in an
 * attribute (section 3.3.3), unless it is a reference. */
static void put_text(FILE *out, const char *text, const char *end, bool in_attribute)
{
    while (*text != '\0' && (end == NULL || text < end)) {
        if (*text == '\r' || (in_attribute && (*text == '\t' || *text == '\n'))) {
            fprintf(out, "&#%d;", *text++);
        } else {
            text += xml_put(out, text, "\xef\xbf\xbd"); /* U+FFFD */
        }
    }
}

static void put_attribute(FILE *out, const char *name, const char *value)
{
    fprintf(out, " %s=\"", name);
    put_text(out, value, NULL, true);
    fputc('"', out);
}

static void put_first_line(FILE *out, const char *message)
{
    fputs(" message=\"", out);
    put_text(out, message, message + strcspn(message, "\n"), true);
    fputc('"', out);
}

static void put_case(FILE *out, const struct ci_case *written)
{
    const char *element = elements[written->state];
    const char *message = written->message;

    fputs("    <testcase", out);
    put_attribute(out, "classname", written->group);
    put_attribute(out, "name", written->name);
    fprintf(out, " time=\"%.6f\"", written->seconds);
    if (written->state == CI_PASSED && message == NULL) {
        fputs("/>\n", out);
        return;
    }
    fprintf(out, ">\n      <%s", element);
    if (written->state != CI_PASSED && message != NULL) {
        put_first_line(out, message);
    }
    if (written->state == CI_FAILED || written->state == CI_ERROR) {
        put_attribute(out, "type", element);
    }
    if (message == NULL || written->state == CI_SKIPPED) {
        fputs("/>\n", out);
    } else {
        fputc('>', out);
        put_text(out, message, NULL, false);
        fprintf(out, "</%s>\n", element);
    }
    fputs("    </testcase>\n", out);
}

static void put_counts(FILE *out, size_t cases, size_t failed, size_t in_error, size_t skipped)
{
    fprintf(out, " tests=\"%zu\" failures=\"%zu\" errors=\"%zu\" skipped=\"%zu\"", cases, failed,
            in_error, skipped);
}

static void put_suite(FILE *out, const struct ci_suite *suite)
{
    double seconds = 0;

    for (size_t i = 0; i < suite->case_count; i++) {
        seconds += suite->cases[i].seconds;
    }
    fputs("  <testsuite", out);
    put_attribute(out, "name", suite->name);
    put_counts(out, suite->case_count, suite->states[CI_FAILED], suite->states[CI_ERROR],
               suite->states[CI_SKIPPED]);
    fprintf(out, " time=\"%.6f\">\n", seconds);
    if (suite->property_count > 0) {
        fputs("    <properties>\n", out);
        for (size_t i = 0; i < suite->property_count; i++) {
            fputs("      <property", out);
            put_attribute(out, "name", suite->properties[i].name);
            put_attribute(out, "value", suite->properties[i].value);
            fputs("/>\n", out);
        }
        fputs("    </properties>\n", out);
    }
    for (size_t i = 0; i < suite->case_count; i++) {
        put_case(out, &suite->cases[i]);
    }
    fputs("  </testsuite>\n", out);
}

void junit_write(FILE *out, const struct ci_report *report)
{
    fputs("<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<testsuites name=\"tare\"", out);
    put_counts(out, ci_report_cases(report), ci_report_count(report, CI_FAILED),
               ci_report_count(report, CI_ERROR), ci_report_count(report, CI_SKIPPED));
    fputs(">\n", out);
    for (size_t i = 0; i < report->suite_count; i++) {
        put_suite(out, &report->suites[i]);
    }
    fputs("</testsuites>\n", out);
}
