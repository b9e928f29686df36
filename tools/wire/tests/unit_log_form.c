/* SPDX-License-Identifier: BSD-2-Clause */
/* What other programs do to a log: tools/wire/log_form.h. */
#include <string.h>

#include "tools/base/alloc.h"
#include "tools/tests/support/unit.h"
#include "tools/wire/log_form.h"

#define LENGTH 20000

/* Any bytes; 0Ah and 0Dh stand in them as often as any other. */
static void fill(uint8_t bytes[LENGTH])
{
    uint64_t seed = 1;

    for (size_t i = 0; i < LENGTH; i++) {
        bytes[i] = (uint8_t)unit_random(&seed);
    }
}

/* The bytes of `text` in pieces of all lengths up to `most`. Returns how many come out. */
static size_t take(struct log_form *form, const uint8_t *bytes, size_t length, size_t most,
                   uint8_t *to)
{
    size_t count = 0;

    for (size_t at = 0, piece = 1; at < length; piece = piece % most + 1) {
        size_t taken = piece < length - at ? piece : length - at;
        const size_t next = at + taken;
        const uint8_t *plain = log_form_take(form, bytes + at, &taken);

        memcpy(to + count, plain, taken);
        count += taken;
        at = next;
    }
    return count + (log_form_rest(form, to + count) ? 1 : 0);
}

/* Each 0Ah becomes `end`, each 0Dh `cr` (NULL: it stays). */
static size_t change(const uint8_t *bytes, const char *end, const char *cr, uint8_t *to)
{
    size_t count = 0;

    for (size_t i = 0; i < LENGTH; i++) {
        const char *text = bytes[i] == '\n' ? end : bytes[i] == '\r' ? cr : NULL;

        if (text == NULL) {
            to[count++] = bytes[i];
            continue;
        }
        memcpy(to + count, text, strlen(text));
        count += strlen(text);
    }
    return count;
}

static uint8_t original[LENGTH], changed[2 * LENGTH], result[4 * LENGTH];

static void check_undone(const char *end, enum log_change expected)
{
    struct log_form *form = alloc_zeroed(sizeof(*form));
    const size_t length = change(original, end, NULL, changed);

    CHECK_EQUAL(take(form, changed, length, 4096, result), length);
    CHECK(memcmp(result, changed, length) == 0);
    CHECK_EQUAL(log_form_change(form), expected);
    CHECK(log_change_is_exact(expected));
    for (size_t most = 1; most < 6; most++) {
        memset(form, 0, sizeof(*form));
        form->undo = expected;
        CHECK_EQUAL(take(form, changed, length, most, result), LENGTH);
        CHECK(memcmp(result, original, LENGTH) == 0);
    }
    free(form);
}

static void test_exact(void)
{
    fill(original);
    original[LENGTH - 1] = '\r';
    check_undone("\r\n", LOG_LF_TO_CRLF);
    original[LENGTH - 1] = '\n';
    check_undone("\r\n", LOG_LF_TO_CRLF);
    check_undone("\n\n", LOG_LF_DOUBLED);
}

static enum log_change seen(const uint8_t *bytes, size_t length, char text[LOG_FORM_TEXT_MAX])
{
    struct log_form *form = alloc_zeroed(sizeof(*form));

    take(form, bytes, length, 4096, result);
    const enum log_change found = log_form_change(form);

    CHECK(!log_form_text(form, false, text));
    if (!log_form_text(form, true, text)) {
        text[0] = '\0';
    }
    free(form);
    return found;
}

#define CURE                                                                         \
    "; frames that it damaged are lost: capture again in binary mode, or boot with " \
    "link.format=text, which is not damaged by it"

static void test_lossy(void)
{
    char text[LOG_FORM_TEXT_MAX];
    size_t length;

    fill(original);
    memcpy(original + 100, "a line\r\nand another\r\n", 21);
    CHECK_EQUAL(seen(original, LENGTH, text), LOG_UNCHANGED);
    CHECK_TEXT(text, "");
    length = change(original, "\r", NULL, changed);
    CHECK_EQUAL(seen(changed, length, text), LOG_NO_LF);
    CHECK_TEXT(text, "it has no byte 0Ah: each was dropped or became 0Dh (text mode)" CURE);
    length = change(original, "\n", "", changed);
    CHECK_EQUAL(seen(changed, length, text), LOG_NO_CR);
    CHECK_TEXT(text, "it has no byte 0Dh: each was dropped or became 0Ah (text mode)" CURE);
    length = 0;
    for (size_t i = 0; i < LENGTH; i++) {
        if (i + 1 == LENGTH || original[i] != '\r' || original[i + 1] != '\n') {
            changed[length++] = original[i];
        }
    }
    CHECK_EQUAL(seen(changed, length, text), LOG_CRLF_TO_LF);
    CHECK_TEXT(text, "each 0Dh 0Ah has become 0Ah (text mode)" CURE);
    length = change(original, "\r\n", NULL, changed);
    CHECK_EQUAL(seen(changed, length, text), LOG_LF_TO_CRLF);
    CHECK_TEXT(text, "each 0Ah has become 0Dh 0Ah (text mode); \"tare decode FILE\" undoes this");
    length = change(original, "\n\n", NULL, changed);
    seen(changed, length, text);
    CHECK_TEXT(text, "each 0Ah was doubled (text mode); \"tare decode FILE\" undoes this");
    CHECK_EQUAL(seen((const uint8_t *)"a\nb\nc\n", 6, text), LOG_UNCHANGED); /* too few */
    memset(changed, '\n', 33);
    CHECK_EQUAL(seen(changed, 31, text), LOG_UNCHANGED);
    CHECK_EQUAL(seen(changed, 33, text), LOG_NO_CR);
    memcpy(changed + 32, "\ra\n", 3); /* too few to have 0Dh 0Ah for certain */
    changed[0] = 'a';
    CHECK_EQUAL(seen(changed, 35, text), LOG_UNCHANGED);
}

static void check_wide(bool little, bool mark)
{
    static const char line[] = "[#AQEAAAAAAADbAHRhcmUgdmVyc2lvbj0wLjEuMCBmb3JtYXQ9#]\r\n";
    struct log_form *form = alloc_zeroed(sizeof(*form));
    char text[LOG_FORM_TEXT_MAX];
    size_t length = 0;

    for (size_t i = mark ? 0 : 1; i <= strlen(line); i++) {
        const unsigned unit = i == 0 ? 0xfeff : (unsigned char)line[i - 1];

        changed[length++] = (uint8_t)(little ? unit : unit >> 8);
        changed[length++] = (uint8_t)(little ? unit >> 8 : unit);
    }
    size_t first = 33; /* the head comes in one piece, and ends in the middle of a unit */
    const uint8_t *plain = log_form_take(form, changed, &first);

    memcpy(result, plain, first);
    const size_t rest = take(form, changed + 33, length - 33, 3, result + first);

    CHECK_EQUAL(first + rest, strlen(line));
    CHECK(memcmp(result, line, strlen(line)) == 0);
    CHECK(log_form_text(form, false, text));
    CHECK_TEXT(text, "it is UTF-16, as written by PowerShell's >, and was converted back to bytes");
    CHECK(log_form_text(form, true, text) && strstr(text, CURE) != NULL);
    free(form);
}

static void test_wide(void)
{
    static const uint8_t high[] = {0xff, 0xfe, 'a', 0, 0x92, 0x25, 0xe9, 0};
    struct log_form *form = alloc_zeroed(sizeof(*form));

    check_wide(true, true);
    check_wide(true, false);
    check_wide(false, true);
    check_wide(false, false);
    memset(form, 0, sizeof(*form));
    size_t length = sizeof(high);
    const uint8_t *plain = log_form_take(form, high, &length);

    CHECK_EQUAL(length, 3);
    CHECK(memcmp(plain, "a?\xe9", 3) == 0);
    free(form);
}

int main(void)
{
    RUN(test_exact());
    RUN(test_lossy());
    RUN(test_wide());
    return unit_finish("unit_log_form");
}
