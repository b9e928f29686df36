/* SPDX-License-Identifier: BSD-2-Clause */
/* What other programs do to a log: tools/wire/log_form.h. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tools/base/alloc.h"
#include "tools/tests/support/unit.h"
#include "tools/wire/log_form.h"

#define LENGTH 20000

/* A frame's worth of any bytes between each two 00h; at the end, lines of text. */
static void fill(uint8_t bytes[LENGTH])
{
    static const char text[] = "\0a line\r\nand another\r\nof\r\ntext\r\n";
    uint64_t seed = 1;

    for (size_t i = 0; i < LENGTH; i++) {
        bytes[i] = (uint8_t)unit_random(&seed);
        bytes[i] = i % 1000 == 999 ? 0 : bytes[i] == 0 ? 1 : bytes[i];
    }
    memcpy(bytes + LENGTH - sizeof(text), text, sizeof(text));
}

/* The bytes of `text` in pieces of all lengths up to `most`. Returns how many come out. */
static size_t take(struct log_form *form, const uint8_t *bytes, size_t length, size_t most,
                   uint8_t *to)
{
    size_t count = 0;
    size_t rest;

    for (size_t at = 0, piece = 1; at < length; piece = piece % most + 1) {
        size_t taken = piece < length - at ? piece : length - at;
        const size_t next = at + taken;
        const uint8_t *plain = log_form_take(form, bytes + at, &taken);

        memcpy(to + count, plain, taken);
        count += taken;
        at = next;
    }
    const uint8_t *plain = log_form_rest(form, &rest);

    memcpy(to + count, plain, rest);
    return count + rest;
}

/* Each byte becomes what `text` has for it: a text, "" where it is dropped, or NULL: it stays. */
struct change {
    const char *text[256];
};

static size_t change(const uint8_t *bytes, size_t length, const struct change *change, uint8_t *to)
{
    size_t count = 0;

    for (size_t i = 0; i < length; i++) {
        const char *text = change->text[bytes[i]];

        if (text == NULL) {
            to[count++] = bytes[i];
            continue;
        }
        memcpy(to + count, text, strlen(text));
        count += strlen(text);
    }
    return count;
}

static uint8_t original[LENGTH], changed[3 * LENGTH], result[4 * LENGTH];
static char characters[256][3];

/* Latin-1 as UTF-8. */
static void to_utf_8(struct change *to)
{
    for (unsigned i = 0x80; i < 256; i++) {
        characters[i][0] = (char)(0xc0 | i >> 6);
        characters[i][1] = (char)(0x80 | (i & 0x3f));
        to->text[i] = characters[i];
    }
}

/* Undoes in each size of pieces what the bytes show, up to `count` changes of which `last` is the
 * last one. */
static void check_undone(size_t length, const uint8_t *bytes, size_t bytes_length, size_t count,
                         enum log_change last)
{
    struct log_form *form = alloc_zeroed(sizeof(*form));

    take(form, changed, length, 4096, result);
    for (size_t i = 0; i < count; i++) {
        const enum log_change found = log_form_change(form);

        CHECK(found < LOG_EXACT && (i + 1 < count || found == last));
        form->undo[found % LOG_EXACT] = true;
        log_form_again(form);
        CHECK(take(form, changed, length, 4096, result) < length);
    }
    CHECK_EQUAL(log_form_change(form), LOG_UNCHANGED);
    for (size_t most = 1; most < 6; most++) {
        log_form_again(form);
        CHECK_EQUAL(take(form, changed, length, most, result), bytes_length);
        CHECK(memcmp(result, bytes, bytes_length) == 0);
    }
    free(form);
}

static void check_bytes_undone(struct change what, size_t count, enum log_change last)
{
    check_undone(change(original, LENGTH, &what, changed), original, LENGTH, count, last);
}

static void test_exact(void)
{
    struct change recoded = {{NULL}};

    to_utf_8(&recoded);
    for (unsigned i = 0; i < 3; i++) { /* the last byte may be held back */
        fill(original);
        original[LENGTH - 1] = (uint8_t) "\r\n\xc2"[i];
        check_bytes_undone((struct change){.text['\n'] = "\r\n"}, 1, LOG_LF_TO_CRLF);
        check_bytes_undone((struct change){.text['\n'] = "\n\n"}, 1, LOG_LF_DOUBLED);
        check_bytes_undone((struct change){.text[0xff] = "\xff\xff"}, 1, LOG_FF_DOUBLED);
        check_bytes_undone(recoded, 1, LOG_UTF_8);
    }
    recoded.text['\n'] = "\r\n";
    check_bytes_undone(recoded, 2, LOG_LF_TO_CRLF);
}

/* A log in text format that is folded at `columns`, also in the middle of a mark. */
static void check_unfolded(size_t columns)
{
    uint64_t seed = 1;
    char *text = (char *)original;
    size_t length = (size_t)sprintf(text, "a line\r\n");
    size_t count = 0;
    size_t column = 0;

    for (size_t frame = 0; frame < 30; frame++) {
        length += (size_t)sprintf(text + length, "[#");
        for (size_t i = 0; i < 160 + frame; i++) {
            text[length++] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/="
                [unit_random(&seed) % 65];
        }
        length += (size_t)sprintf(text + length, "#]\r\n%s", frame % 9 == 8 ? "text [a]\r\n" : "");
    }
    for (size_t i = 0; i < length; i++) {
        if (column == columns && text[i] != '\r') {
            count += (size_t)sprintf((char *)changed + count, "\r\n");
            column = 0;
        }
        changed[count++] = (uint8_t)text[i];
        column = text[i] == '\r' || text[i] == '\n' ? 0 : column + 1;
    }
    check_undone(count, original, length, 1, LOG_FOLDED);
}

static void test_folded(void)
{
    for (size_t columns = 70; columns < 82; columns++) {
        check_unfolded(columns);
    }
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

static void check_lossy(struct change what, enum log_change expected, const char *expected_text)
{
    char text[LOG_FORM_TEXT_MAX];
    const size_t length = change(original, LENGTH, &what, changed);

    CHECK_EQUAL(seen(changed, length, text), expected);
    CHECK_TEXT(text, expected_text);
}

static void test_lossy(void)
{
    struct change seven_bits = {{NULL}};
    struct change others = {{NULL}};
    char text[LOG_FORM_TEXT_MAX];
    size_t length = 0;

    fill(original);
    check_lossy((struct change){{NULL}}, LOG_UNCHANGED, "");
    check_lossy((struct change){.text['\n'] = "\r"}, LOG_NO_LF,
                "it has no byte 0Ah: each was dropped or became 0Dh (text mode)" CURE);
    check_lossy((struct change){.text['\r'] = "\n"}, LOG_NO_CR,
                "it has no byte 0Dh: each was dropped or became 0Ah (text mode)" CURE);
    check_lossy((struct change){.text[0x11] = "", .text[0x13] = ""}, LOG_NO_XON,
                "it has no bytes 11h and 13h: software flow control took them; switch it off at "
                "each device on the way (stty -ixon -ixoff), or boot with link.format=text");
    check_lossy((struct change){.text[0] = ""}, LOG_NO_NUL,
                "it has no byte 00h: each was dropped; capture by \"tare capture\", or boot with "
                "link.format=text");
    check_lossy((struct change){.text[0x1d] = ""}, LOG_NO_BYTE,
                "it has no byte 1Dh: the line or a program took each as a command; boot with "
                "link.format=text");
    for (unsigned i = 0x80; i < 256; i++) {
        characters[i][0] = (char)(i & 0x7f);
        characters[i][1] = '\0';
        seven_bits.text[i] = characters[i];
        others.text[i] = "\xe2\x96\x92";
    }
    check_lossy(seven_bits, LOG_SEVEN_BITS,
                "no byte is above 7Fh: the line passes 7 bits; set 8 data bits and no parity at "
                "both ends (stty cs8 -parenb -istrip), or boot with link.format=text");
    check_lossy(others, LOG_OTHER_CHARACTERS,
                "bytes above 7Fh became other characters (recoded by a terminal)" CURE);
    check_lossy((struct change){.text['\n'] = "\r\n"}, LOG_LF_TO_CRLF,
                "each 0Ah became 0Dh 0Ah (text mode); \"tare decode FILE\" undoes this");
    for (size_t i = 0; i < LENGTH; i++) {
        if (i + 1 == LENGTH || original[i] != '\r' || original[i + 1] != '\n') {
            changed[length++] = original[i];
        }
    }
    CHECK_EQUAL(seen(changed, length, text), LOG_CRLF_TO_LF);
    CHECK_TEXT(text, "each 0Dh 0Ah became 0Ah (text mode)" CURE);
    CHECK_EQUAL(seen((const uint8_t *)"a\nb\nc\n", 6, text), LOG_UNCHANGED);
    memset(changed, '\n', 200); /* text may have any line ends */
    CHECK_EQUAL(seen(changed, 200, text), LOG_UNCHANGED);
    for (size_t i = 0; i < LENGTH; i++) { /* a line that loses bytes at random */
        changed[i] = original[i + i / 700 < LENGTH ? i + i / 700 : i];
    }
    CHECK_EQUAL(seen(changed, LENGTH - 40, text), LOG_UNCHANGED);
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
    RUN(test_folded());
    RUN(test_lossy());
    RUN(test_wide());
    return unit_finish("unit_log_form");
}
