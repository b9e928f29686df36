/* SPDX-License-Identifier: BSD-2-Clause */
/* Reports: what the writers print of names and messages that hold anything. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tools/base/texts.h"
#include "tools/judge/ci_report.h"
#include "tools/judge/run_cases.h"
#include "tools/tests/support/unit.h"

typedef void writer(FILE *out, const struct ci_report *report);

static bool prints(const struct ci_report *report, writer *write, const char *part)
{
    struct long_text text;

    long_text_open(&text);
    write(text.out, report);
    long_text_close(&text);
    const bool found = strstr(text.text, part) != NULL;

    if (!found) {
        fprintf(stderr, "no \"%s\" in:\n%s\n", part, text.text);
    }
    long_text_free(&text);
    return found;
}

static void add(struct ci_suite *suite, enum ci_state state, const char *name, const char *message)
{
    ci_case_add(suite, &(struct ci_case){.state = state,
                                         .group = "group",
                                         .name = (char *)name,
                                         .message = (char *)message,
                                         .seconds = 0.5});
}

static void test_empty(void)
{
    struct ci_report report = {0};

    CHECK(ci_report_is_good(&report));
    CHECK(prints(&report, tap_write, "TAP version 13\n1..0\n"));
    CHECK(prints(&report, junit_write, "tests=\"0\" failures=\"0\" errors=\"0\" skipped=\"0\">\n"));
    ci_report_free(&report);
}

static void test_counts(void)
{
    struct ci_report report = {0};
    struct ci_suite *suite = ci_suite_add(&report, "one");

    add(suite, CI_PASSED, "passed", NULL);
    add(suite, CI_SKIPPED, "skipped", "why");
    CHECK(ci_report_is_good(&report));
    add(suite, CI_FAILED, "failed", "what\nhow");
    CHECK(!ci_report_is_good(&report));
    suite = ci_suite_add(&report, "two");
    add(suite, CI_ERROR, "error", NULL);
    CHECK_EQUAL(ci_report_cases(&report), 4);
    CHECK(prints(&report, junit_write,
                 "name=\"tare\" tests=\"4\" failures=\"1\" errors=\"1\" skipped=\"1\""));
    CHECK(prints(&report, junit_write,
                 "<testsuite name=\"one\" tests=\"3\" failures=\"1\" errors=\"0\" skipped=\"1\" "
                 "time=\"1.500000\">"));
    CHECK(prints(&report, junit_write, "<skipped message=\"why\"/>"));
    CHECK(prints(&report, junit_write,
                 "<failure message=\"what\" type=\"failure\">what\nhow</failure>"));
    CHECK(prints(&report, junit_write, "<error type=\"error\"/>"));
    CHECK(prints(&report, tap_write,
                 "1..4\n# one\nok 1 - group: passed\n"
                 "ok 2 - group: skipped # SKIP why\n"
                 "not ok 3 - group: failed\n  ---\n"
                 "  message: \"what\\nhow\"\n  severity: \"fail\"\n  ...\n"
                 "# two\nnot ok 4 - group: error\n"));
    ci_report_free(&report);
}

/* Whatever a text holds, the document stays well-formed, and a reader gets the text back as far as
 * XML can express it. */
static void test_xml_escapes(void)
{
    struct ci_report report = {0};
    struct ci_suite *suite = ci_suite_add(&report, "<&>\"'\n\t\x01");

    ci_property_add(suite, "plan", "a=1\nb=2");
    ci_property_add(suite, "missing", NULL);
    CHECK_EQUAL(suite->property_count, 1);
    add(suite, CI_FAILED, "\xff\xc3\xa9\xed\xa0\x80\xef\xbf\xbe", "]]>\x1b[31m<x>\r");
    CHECK(prints(&report, junit_write, "name=\"&lt;&amp;&gt;&quot;'&#10;&#9;\xef\xbf\xbd\""));
    CHECK(prints(&report, junit_write, "<property name=\"plan\" value=\"a=1&#10;b=2\"/>"));
    CHECK(prints(&report, junit_write,
                 "name=\"\xef\xbf\xbd\xc3\xa9\xef\xbf\xbd\xef\xbf\xbd\xef\xbf\xbd\xef\xbf\xbd\""));
    CHECK(prints(&report, junit_write, ">]]&gt;\xef\xbf\xbd[31m&lt;x&gt;&#13;</failure>"));
    ci_report_free(&report);
}

static void test_tap_escapes(void)
{
    struct ci_report report = {0};
    struct ci_suite *suite = ci_suite_add(&report, "a\nb");

    ci_property_add(suite, "plan", "a=1\nb=2");
    add(suite, CI_FAILED, "not #TODO \\ \x1b\xff", "\"\\\n\x1b");
    CHECK(prints(&report, tap_write, "# a b\n# plan: a=1 b=2\n"));
    CHECK(prints(&report, tap_write,
                 "not ok 1 - group: not \\#TODO \\\\ \xef\xbf\xbd\xef\xbf\xbd\n"));
    CHECK(prints(&report, tap_write, "  message: \"\\\"\\\\\\n\xef\xbf\xbd\"\n"));
    ci_report_free(&report);
}

static void add_bench(struct run *run, const char *name, const char *state, const char *reason)
{
    struct run_bench *bench = run_add_bench(run, name);

    bench->group = "idle";
    bench->state = state;
    bench->reason = reason;
}

static void test_run(void)
{
    struct ci_report report = {0};
    struct run_texts reasons = {0};
    struct run run;

    run_init(&run);
    run_add_pair(&run, &run.info, "kind", "exact");
    add_bench(&run, "good", "OK", NULL);
    add_bench(&run, "absent", "SKIP", "no such device");
    add_bench(&run, "bad", "FAIL", "too slow");
    add_bench(&run, "ours", "ERROR", NULL);
    add_bench(&run, "gone", "CRASH", "page fault");
    run_add_text(&run, &reasons, "first");
    run_add_text(&run, &reasons, "second");
    run_cases_add(&report, "x.db", &run, &reasons);
    CHECK_EQUAL(report.suites[0].states[CI_PASSED], 1);
    CHECK_EQUAL(report.suites[0].states[CI_SKIPPED], 1);
    CHECK_EQUAL(report.suites[0].states[CI_FAILED], 2);
    CHECK_EQUAL(report.suites[0].states[CI_ERROR], 2);
    CHECK(prints(&report, junit_write, "<property name=\"time\" value=\"exact\"/>"));
    CHECK(prints(&report, junit_write, ">first\nsecond\nfindings:"));
    CHECK(prints(&report, junit_write, "<skipped message=\"no such device\"/>"));
    CHECK(prints(&report, junit_write, "message=\"FAIL: too slow\""));
    CHECK(prints(&report, junit_write, "message=\"CRASH: page fault\""));
    CHECK(prints(&report, junit_write, "message=\"ERROR: no reason given\""));
    ci_report_free(&report);
    run_texts_free(&reasons);
    run_free(&run);
}

int main(void)
{
    RUN(test_empty());
    RUN(test_counts());
    RUN(test_xml_escapes());
    RUN(test_tap_escapes());
    RUN(test_run());
    return unit_finish("unit_ci");
}
