/* SPDX-License-Identifier: BSD-2-Clause */
#include "tools/wire/line_test.h"

#include <string.h>

#include "kernel/link/frame.h"
#include "kernel/link/line_pattern.h"
#include "kernel/link/names.h"
#include "kernel/link/record.h"
#include "tools/base/interrupt.h"
#include "tools/base/monotonic.h"
#include "tools/base/texts.h"

#define ASK_MS   1000
#define SLICE_MS 50
#define KEPT_MAX (8 * LINE_PATTERN_SIZE)
#define XON      0x11
#define XOFF     0x13
#define HIGH     0x80

/* ---- reading ---- */

/* Returns the offset of `text` in the bytes, or `length` if it is not there. */
static size_t find(const uint8_t *bytes, size_t length, const char *text)
{
    const uint8_t *at = memmem(bytes, length, text, strlen(text));

    return at != NULL ? (size_t)(at - bytes) : length;
}

/* Reads what arrived for one value: the bytes up to `next`, the semicolon and the two characters
 * that the pattern has after it. Returns the number of bytes read, or 0 if none of them fits. */
static size_t read_value(struct line_test *test, unsigned value, const uint8_t next[3],
                         const uint8_t *bytes, size_t length)
{
    for (size_t count = 0; count <= LINE_TEST_BYTES_MAX && 2 + count + 3 <= length; count++) {
        if (memcmp(bytes + 2 + count, next, 3) == 0) {
            memcpy(test->arrived[value], bytes + 2, count);
            test->count[value] = (uint8_t)count;
            return 2 + count + 1;
        }
    }
    return 0;
}

bool line_test_read(struct line_test *test, const uint8_t *bytes, size_t length)
{
    uint8_t pattern[LINE_PATTERN_SIZE];
    const uint8_t *sent = pattern + sizeof(LINE_PATTERN_BEGIN) - 1;
    size_t at = find(bytes, length, LINE_PATTERN_BEGIN) + sizeof(LINE_PATTERN_BEGIN) - 1;

    line_pattern_write(pattern);
    for (unsigned value = 0; value < 256; value++, sent += 4) {
        if (at + 2 > length || memcmp(bytes + at, sent, 2) != 0) {
            return false;
        }
        const size_t taken = read_value(test, value, sent + 3, bytes + at, length - at);

        if (taken == 0) {
            return false;
        }
        at += taken;
    }
    return true;
}

/* ---- asking ---- */

static void ask(struct line *line)
{
    struct frame frame = {.type = FRAME_REQUEST};
    struct record_writer writer;
    uint8_t wire[FRAME_WIRE_MAX];

    record_begin(&writer, REQUEST_NAME_LINE_TEST);
    frame.length = (uint16_t)record_finish(&writer);
    memcpy(frame.payload, writer.line, frame.length);
    line_write(line, wire, frame_encode(&frame, FRAME_TEXT, wire));
}

bool line_test_run(struct line_test *test, struct line *line, unsigned wait_ms)
{
    static uint8_t kept[KEPT_MAX];
    const uint64_t start_ms = monotonic_ms();
    uint64_t asked_ms = start_ms;
    size_t length = 0;

    ask(line);
    while (monotonic_ms() - start_ms < wait_ms && !interrupt_seen()) {
        if (length == sizeof(kept)) { /* what is not the pattern goes */
            length /= 2;
            memmove(kept, kept + sizeof(kept) - length, length);
        }
        const ssize_t count = line_read(line, kept + length, sizeof(kept) - length, SLICE_MS);

        if (count < 0) {
            return false;
        }
        length += (size_t)count;
        const size_t begin = find(kept, length, LINE_PATTERN_BEGIN);

        if (line_test_read(test, kept + begin, length - begin)) {
            return true;
        }
        if (monotonic_ms() - asked_ms > ASK_MS) {
            length = 0;
            asked_ms = monotonic_ms();
            ask(line);
        }
    }
    return false;
}

/* ---- telling ---- */

static bool is_intact(const struct line_test *test, unsigned value)
{
    return test->count[value] == 1 && test->arrived[value][0] == value;
}

/* Appends what the values from `first` to `last` arrive as: the bytes of the first. */
static void add_range(char line[LINE_TEST_TEXT_MAX], const struct line_test *test, unsigned first,
                      unsigned last)
{
    text_append(line, LINE_TEST_TEXT_MAX, "%s%02Xh", line[0] != '\0' ? ", " : "", first);
    if (last > first) {
        text_append(line, LINE_TEST_TEXT_MAX, " to %02Xh", last);
    }
    if (test->count[first] == 0) {
        text_append(line, LINE_TEST_TEXT_MAX, " missing");
        return;
    }
    text_append(line, LINE_TEST_TEXT_MAX, " changed (%02Xh to", first);
    for (unsigned i = 0; i < test->count[first]; i++) {
        text_append(line, LINE_TEST_TEXT_MAX, " %02Xh", test->arrived[first][i]);
    }
    text_append(line, LINE_TEST_TEXT_MAX, ")");
}

bool line_test_text(const struct line_test *test, char line[LINE_TEST_TEXT_MAX])
{
    unsigned end;

    line[0] = '\0';
    for (unsigned value = 0; value < 256; value = end) {
        for (end = value + 1; end < 256 && !is_intact(test, value) && !is_intact(test, end) &&
                              test->count[end] == test->count[value];
             end++) {
        }
        if (!is_intact(test, value)) {
            add_range(line, test, value, end - 1);
        }
    }
    if (line[0] == '\0') {
        text_append(line, LINE_TEST_TEXT_MAX, "all 256 byte values arrive as they were sent");
        return true;
    }
    if (test->count[XON] == 0 && test->count[XOFF] == 0) {
        text_append(line, LINE_TEST_TEXT_MAX,
                    "; switch software flow control off at each device on the way (stty -ixon "
                    "-ixoff)");
    }
    if (test->count[HIGH] == 1 && test->arrived[HIGH][0] == (HIGH & 0x7f)) {
        text_append(line, LINE_TEST_TEXT_MAX,
                    "; set 8 data bits and no parity at both ends (stty cs8 -parenb -istrip)");
    }
    text_append(line, LINE_TEST_TEXT_MAX,
                "; or boot with link.format=text, which is not damaged by it");
    return false;
}
