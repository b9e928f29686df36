/* SPDX-License-Identifier: BSD-2-Clause */
#include "tools/judge/ci_report.h"

#include <stdarg.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "tools/base/alloc.h"
#include "tools/base/clean_text.h"
#include "tools/base/json.h"
#include "tools/base/texts.h"

#define FIRST_PRINTABLE 0x20
#define DELETE          0x7f
#define REPLACEMENT     "\xef\xbf\xbd" /* U+FFFD */

struct ci_suite *ci_suite_add(struct ci_report *report, const char *format, ...)
{
    struct long_text name;
    va_list values;

    struct ci_suite *suite =
        ALLOC_NEXT(report->suites, report->suite_count, report->suite_capacity);

    long_text_open(&name);
    va_start(values, format);
    vfprintf(name.out, format, values);
    va_end(values);
    long_text_close(&name);
    suite->name = name.text;
    return suite;
}

void ci_property_add(struct ci_suite *suite, const char *name, const char *value)
{
    if (value == NULL) {
        return;
    }
    *ALLOC_NEXT(suite->properties, suite->property_count, suite->property_capacity) =
        (struct ci_property){alloc_text(name), alloc_text(value)};
}

void ci_case_add(struct ci_suite *suite, const struct ci_case *added)
{
    *ALLOC_NEXT(suite->cases, suite->case_count, suite->case_capacity) = (struct ci_case){
        .state = added->state,
        .group = alloc_text(added->group),
        .name = alloc_text(added->name),
        .message = alloc_text(added->message),
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

/* ---- the Test Anything Protocol ---- */

/* Writes a text with each character of `blanks` replaced by `blank`, and a backslash before each
 * character of `marked`. */
static void put_clean(FILE *out, const char *text, const char *blanks, const char *blank,
                      const char *marked)
{
    while (*text != '\0') {
        const size_t length = json_utf8_length(text);
        const unsigned char byte = (unsigned char)*text;

        if (strchr(blanks, byte) != NULL) {
            fputs(blank, out);
        } else if (length == 0 || byte < FIRST_PRINTABLE || byte == DELETE) {
            fputs(REPLACEMENT, out);
        } else {
            if (strchr(marked, byte) != NULL) {
                fputc('\\', out);
            }
            fwrite(text, 1, length, out);
        }
        text += length > 0 ? length : 1;
    }
}

/* Writes a text on one line. In a description, "#" would begin a directive, so it gets a backslash,
 * and so does the backslash. */
static void put_line(FILE *out, const char *text, bool in_description)
{
    put_clean(out, text, "\n\t\r", " ", in_description ? "#\\" : "");
}

/* Writes a YAML scalar in double quotes. */
static void put_scalar(FILE *out, const char *key, const char *text)
{
    fprintf(out, "  %s: \"", key);
    put_clean(out, text, "\n", "\\n", "\"\\");
    fputs("\"\n", out);
}

static void put_tap_case(FILE *out, const struct ci_case *written, size_t number)
{
    const bool bad = written->state == CI_FAILED || written->state == CI_ERROR;

    fprintf(out, "%s %zu - ", bad ? "not ok" : "ok", number);
    put_line(out, written->group, true);
    fputs(": ", out);
    put_line(out, written->name, true);
    if (written->state == CI_SKIPPED) {
        fputs(" # SKIP ", out);
        put_line(out, written->message != NULL ? written->message : "", false);
    }
    fputc('\n', out);
    if (bad) {
        fputs("  ---\n", out);
        put_scalar(out, "message", written->message != NULL ? written->message : "");
        put_scalar(out, "severity", written->state == CI_ERROR ? "error" : "fail");
        fputs("  ...\n", out);
    }
}

static void put_comment(FILE *out, const char *name, const char *value)
{
    fputs("# ", out);
    put_line(out, name, false);
    if (value != NULL) {
        fputs(": ", out);
        put_line(out, value, false);
    }
    fputc('\n', out);
}

void tap_write(FILE *out, const struct ci_report *report)
{
    size_t number = 0;

    fprintf(out, "TAP version 13\n1..%zu\n", ci_report_cases(report));
    for (size_t i = 0; i < report->suite_count; i++) {
        const struct ci_suite *suite = &report->suites[i];

        put_comment(out, suite->name, NULL);
        for (size_t k = 0; k < suite->property_count; k++) {
            put_comment(out, suite->properties[k].name, suite->properties[k].value);
        }
        for (size_t k = 0; k < suite->case_count; k++) {
            put_tap_case(out, &suite->cases[k], ++number);
        }
    }
}

/* ---- JUnit's XML ---- */

static const char *const elements[CI_STATES] = {"system-out", "skipped", "failure", "error"};

/* Writes the text up to `end`, or all of it if that is NULL. In an attribute, line ends and tabs
 * are written as references, because an XML reader would turn them into blanks (section 3.3.3). */
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

static void put_attribute(FILE *out, const char *name, const char *value, const char *end)
{
    fprintf(out, " %s=\"", name);
    put_text(out, value, end, true);
    fputc('"', out);
}

static void put_case(FILE *out, const struct ci_case *written)
{
    const char *element = elements[written->state];
    const char *message = written->message;

    fputs("    <testcase", out);
    put_attribute(out, "classname", written->group, NULL);
    put_attribute(out, "name", written->name, NULL);
    fprintf(out, " time=\"%.6f\"", written->seconds);
    if (written->state == CI_PASSED && message == NULL) {
        fputs("/>\n", out);
        return;
    }
    fprintf(out, ">\n      <%s", element);
    if (written->state != CI_PASSED && message != NULL) {
        put_attribute(out, "message", message, message + strcspn(message, "\n"));
    }
    if (written->state == CI_FAILED || written->state == CI_ERROR) {
        put_attribute(out, "type", element, NULL);
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
    put_attribute(out, "name", suite->name, NULL);
    put_counts(out, suite->case_count, suite->states[CI_FAILED], suite->states[CI_ERROR],
               suite->states[CI_SKIPPED]);
    fprintf(out, " time=\"%.6f\">\n", seconds);
    if (suite->property_count > 0) {
        fputs("    <properties>\n", out);
        for (size_t i = 0; i < suite->property_count; i++) {
            fputs("      <property", out);
            put_attribute(out, "name", suite->properties[i].name, NULL);
            put_attribute(out, "value", suite->properties[i].value, NULL);
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
