/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Test of a line: has a machine that keeps its finished run send each byte value
 * (kernel/link/line_pattern.h), and says which of them do not arrive as they were sent.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "tools/base/line.h"

#define LINE_TEST_WAIT_MS   10000
#define LINE_TEST_BYTES_MAX 4 /* most bytes that one byte can arrive as */

struct line_test {
    /* The bytes that arrived in place of each value, and their number. */
    uint8_t arrived[256][LINE_TEST_BYTES_MAX];
    uint8_t count[256];
};

/* Reads the pattern in the bytes that were received. Returns false if it is not there, or not yet
 * whole. */
bool line_test_read(struct line_test *test, const uint8_t *bytes, size_t length);

/* Asks the machine for the pattern, every second, and waits at most `wait_ms` for it. Returns
 * whether it has arrived. */
bool line_test_run(struct line_test *test, struct line *line, unsigned wait_ms);

#define LINE_TEST_TEXT_MAX 600
/* Writes one line on what the line does to bytes, and the remedy. Returns whether all values arrive
 * as they were sent. */
bool line_test_text(const struct line_test *test, char text[LINE_TEST_TEXT_MAX]);
