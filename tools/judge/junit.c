/* SPDX-License-Identifier: BSD-2-Clause */
#include "tools/judge/junit.h"

#include <stdbool.h>
#include <string.h>

#include "tools/base/json.h"

#define FIRST_PRINTABLE 0x20
#define REPLACEMENT     "\xef\xbf\xbd" /* U+FFFD */

static const char *const elements[CI_STATES] = {
    [CI_PASSED] = "system-out",
    [CI_SKIPPED] = "skipped",
    [CI_FAILED] = "failure",
    [CI_ERROR] = "error",
};

/* U+FFFE and U+FFFF are no characters of XML 1.0 (section 2.2); surrogates are no UTF-8. */
static bool is_no_character(const char *text)
{
    return strncmp(text, "\xef\xbf\xbe", 3) == 0 || strncmp(text, "\xef\xbf\xbf", 3) == 0;
}

/* A reader makes a blank of a line end or tab in an attribute (section 3.3.3), unless it is a
 * reference. */
static void put_escaped(FILE *out, char byte, bool in_attribute)
{
    const bool kept = byte == '\t' || byte == '\n' || byte == '\r';

    if (byte == '&') {
        fputs("&amp;", out);
    } else if (byte == '<') {
        fputs("&lt;", out);
    } else if (byte == '>') {
        fputs("&gt;", out);
    } else if (byte == '"') {
        fputs("&quot;", out);
    } else if (byte == '\r' || (kept && in_attribute)) {
        fprintf(out, "&#%d;", byte);
    } else if ((unsigned char)byte < FIRST_PRINTABLE && !kept) {
        fputs(REPLACEMENT, out);
    } else {
        fputc(byte, out);
    }
}

/* Up to `end`, or all where that is NULL. */
static void put_text(FILE *out, const char *text, const char *end, bool in_attribute)
{
    while (*text != '\0' && (end == NULL || text < end)) {
        const size_t length = json_utf8_length(text);

        if (length == 0 || is_no_character(text)) {
            fputs(REPLACEMENT, out);
        } else if (length == 1) {
            put_escaped(out, *text, in_attribute);
        } else {
            fwrite(text, 1, length, out);
        }
        text += length > 0 ? length : 1;
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
