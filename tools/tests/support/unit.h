/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The harness of the unit tests. A test program checks conditions, counts them, and ends with
 *
 *     RUN(test_something());
 *     return unit_finish("unit_NAME");
 *
 * which prints "unit_NAME: N passed, M failed", the numbers of tests; each failed check was printed
 * with file and line.
 */
#pragma once

#include <inttypes.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static unsigned long unit_checks;
static unsigned long unit_failed_checks;
static unsigned long unit_passed;
static unsigned long unit_failed;

/* Tables are as wide as in a file, on whatever terminal the tests run. */
__attribute__((constructor)) static void unit_set_width(void)
{
    setenv("COLUMNS", "80", 1);
}

static inline void unit_check(int ok, const char *file, int line, const char *expression)
{
    unit_checks++;
    if (ok) {
        return;
    }
    unit_failed_checks++;
    fprintf(stderr, "%s:%d: failed: %s\n", file, line, expression);
}

static inline void unit_equal(int64_t left, int64_t right, const char *file, int line,
                              const char *expression)
{
    if (left != right) {
        fprintf(stderr, "%s:%d: %" PRId64 " is not %" PRId64 "\n", file, line, left, right);
    }
    unit_check(left == right, file, line, expression);
}

static inline void unit_same_text(const char *left, const char *right, const char *file, int line,
                                  const char *expression)
{
    const int same = left == NULL || right == NULL ? left == right : strcmp(left, right) == 0;

    if (!same) {
        fprintf(stderr, "%s:%d: \"%s\" is not \"%s\"\n", file, line, left != NULL ? left : "(null)",
                right != NULL ? right : "(null)");
    }
    unit_check(same, file, line, expression);
}

#define CHECK(condition) unit_check((condition) ? 1 : 0, __FILE__, __LINE__, #condition)
#define CHECK_EQUAL(left, right) \
    unit_equal((int64_t)(left), (int64_t)(right), __FILE__, __LINE__, #left " == " #right)
#define CHECK_TEXT(left, right) \
    unit_same_text((left), (right), __FILE__, __LINE__, #left " equals " #right)

static unsigned long unit_checks_before;
static unsigned long unit_failed_before;

static inline void unit_begin(void)
{
    unit_checks_before = unit_checks;
    unit_failed_before = unit_failed_checks;
}

/* A test without a single check has tested nothing: it fails. */
static inline void unit_end(const char *name)
{
    const unsigned long checks = unit_checks - unit_checks_before;
    const unsigned long failed = unit_failed_checks - unit_failed_before;

    if (checks == 0 || failed != 0) {
        unit_failed++;
        printf("FAIL  %s: %lu of %lu checks failed\n", name, failed, checks);
    } else {
        unit_passed++;
    }
}

#define RUN(call) (unit_begin(), (call), unit_end(#call))

static inline int unit_finish(const char *name)
{
    printf("%s: %lu checks\n%s: %lu passed, %lu failed\n", name, unit_checks, name, unit_passed,
           unit_failed);
    return unit_failed == 0 ? 0 : 1;
}

/* xorshift64 (Marsaglia 2003): the same numbers from the same seed, which must not be 0. */
static inline uint64_t unit_random(uint64_t *state)
{
    *state ^= *state << 13;
    *state ^= *state >> 7;
    *state ^= *state << 17;
    return *state;
}

/* Collects what is written to a stream. */
struct capture {
    FILE *out;
    char *text;
    size_t length;
};

static inline void capture_start(struct capture *capture)
{
    memset(capture, 0, sizeof(*capture));
    capture->out = open_memstream(&capture->text, &capture->length);
}

static inline void capture_check(struct capture *capture, const char *expected, int line)
{
    fclose(capture->out);
    unit_same_text(capture->text, expected, __FILE__, line, "the text that was written");
    free(capture->text);
}
