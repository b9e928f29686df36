/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Result lines for LAVA, a scheduler of test laboratories, which reads them from a serial line
 * (link.format=lava):
 *
 *     <LAVA_SIGNAL_STARTRUN tare 0>
 *     <LAVA_SIGNAL_TESTCASE TEST_CASE_ID=idle RESULT=pass>
 *     <LAVA_SIGNAL_TESTCASE TEST_CASE_ID=idle.floor RESULT=pass MEASUREMENT=640 UNITS=tick>
 *     <LAVA_SIGNAL_ENDRUN tare 0>
 *
 * The form is that of lava-test-case (LAVA 2023.01, lava_test_shell/lava-test-case). A test action
 * `monitors` matches it with the pattern in tools/build/lava-job.yaml. Frames in text format stand
 * between these lines and hold the same run, so LAVA's log can be decoded like any other.
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
    unsigned pass;      /* number of the pass; 0 if there is only one */
    const char *series; /* name of the series; NULL: the case is the bench as a whole */
    const char *result; /* result of the case: LAVA_PASS, LAVA_FAIL or LAVA_SKIP */
    bool measured;      /* the case has value and unit; a bench as a whole has none */
    int64_t value;
    const char *unit;
};

/* Writes one line, without a line end, to `line`. A character of a name that would end a field is
 * replaced by `_`. A name that is too long is cut, so that the line always fits. Returns the number
 * of characters. */
size_t lava_line(const struct lava_case *of, char line[LAVA_LINE_MAX]);
