/* SPDX-License-Identifier: BSD-2-Clause */
#include "tools/judge/tap.h"

#include <stdbool.h>
#include <string.h>

#include "tools/base/json.h"

#define FIRST_PRINTABLE 0x20
#define DELETE          0x7f
#define REPLACEMENT     "\xef\xbf\xbd" /* U+FFFD */

/* On one line. A description's "#" would begin a directive, and needs a backslash, as that does. */
static void put_line(FILE *out, const char *text, bool in_description)
{
    while (*text != '\0') {
        const size_t length = json_utf8_length(text);
        const unsigned char byte = (unsigned char)*text;

        if (byte == '\n' || byte == '\t' || byte == '\r') {
            fputc(' ', out);
        } else if (length == 0 || byte < FIRST_PRINTABLE || byte == DELETE) {
            fputs(REPLACEMENT, out);
        } else {
            if (in_description && (byte == '#' || byte == '\\')) {
                fputc('\\', out);
            }
            fwrite(text, 1, length, out);
        }
        text += length > 0 ? length : 1;
    }
}

/* A YAML scalar in double quotes. */
static void put_scalar(FILE *out, const char *key, const char *text)
{
    fprintf(out, "  %s: \"", key);
    while (*text != '\0') {
        const size_t length = json_utf8_length(text);
        const unsigned char byte = (unsigned char)*text;

        if (byte == '\n') {
            fputs("\\n", out);
        } else if (length == 0 || byte < FIRST_PRINTABLE || byte == DELETE) {
            fputs(REPLACEMENT, out);
        } else {
            if (byte == '"' || byte == '\\') {
                fputc('\\', out);
            }
            fwrite(text, 1, length, out);
        }
        text += length > 0 ? length : 1;
    }
    fputs("\"\n", out);
}

static void put_case(FILE *out, const struct ci_case *written, size_t number)
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
            put_case(out, &suite->cases[k], ++number);
        }
    }
}
