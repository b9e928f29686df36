/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Lines of results as LAVA, a scheduler of laboratories, takes them from a serial line
 * (link.format=lava):
 *
 *     <LAVA_SIGNAL_STARTRUN tare 0>
 *     <LAVA_SIGNAL_TESTCASE TEST_CASE_ID=idle RESULT=pass>
 *     <LAVA_SIGNAL_TESTCASE TEST_CASE_ID=idle.floor RESULT=pass MEASUREMENT=640 UNITS=tick>
 *     <LAVA_SIGNAL_ENDRUN tare 0>
 *
 * The form is that of lava-test-case (LAVA 2023.01, lava_test_shell/lava-test-case), which a test
 * action `monitors` matches by the pattern in tools/build/lava-job.yaml. Frames in text format
 * stand between these lines, and hold the same run: LAVA's log is decoded as any other.
 *
 * Pure: compiled for the image and for the host.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define LAVA_BEGIN "<LAVA_SIGNAL_STARTRUN tare 0>"
#define LAVA_END   "<LAVA_SIGNAL_ENDRUN tare 0>"

#define LAVA_PASS "pass"
#define LAVA_FAIL "fail"
#define LAVA_SKIP "skip"

#define LAVA_LINE_MAX 256

struct lava_case {
    const char *bench;
    unsigned pass;      /* 0 where there is only one */
    const char *series; /* NULL: the bench as a whole */
    const char *result; /* one of the three above */
    bool measured;      /* has a value; a bench as a whole has none */
    int64_t value;
    const char *unit;
};

/* One line without its end, in `line`. A character of a name that would end a field is `_`; a name
 * too long for the line is cut, and its fields are whole. Returns the number of characters. */
size_t lava_line(const struct lava_case *of, char line[LAVA_LINE_MAX]);
