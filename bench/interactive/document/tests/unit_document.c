/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Documents: what a script types with errors and corrections is the text that it types without
 * them; a text with a gap is the text without one; rows and lines hold every character once, within
 * their width; a justified line ends at the edge.
 */
#include "bench/interactive/document/paragraph.h"
#include "bench/interactive/document/text.h"
#include "kernel/input/script.h"
#include "tools/tests/support/unit.h"

#include <string.h>

#define CAPACITY 4096
#define CHANGES  20000
#define COLUMNS  7
#define LINES    64

static uint64_t seed = 5;

static size_t random_below(size_t limit)
{
    return (size_t)(unit_random(&seed) % limit);
}

/* ---- text ---- */

static void check_same(const struct text *text, const char *plain, size_t length)
{
    static char copy[CAPACITY];

    CHECK_EQUAL(text_length(text), length);
    text_copy(text, copy);
    CHECK(memcmp(copy, plain, length) == 0);
    for (size_t i = 0; i < length; i++) {
        CHECK_EQUAL(text_at(text, i), plain[i]);
    }
}

static void test_text(void)
{
    static char bytes[128];
    static char plain[128];
    struct text text;
    size_t length = 0;

    text_begin(&text, bytes, sizeof(bytes));
    for (unsigned i = 0; i < CHANGES; i++) {
        const size_t at = random_below(length + 1);

        if (random_below(5) < 3) {
            const char character = (char)('a' + random_below(26));
            const bool room = length < sizeof(bytes);

            CHECK_EQUAL(text_insert(&text, at, character), room);
            if (room) {
                memmove(plain + at + 1, plain + at, length - at);
                plain[at] = character;
                length++;
            }
        } else {
            CHECK_EQUAL(text_erase(&text, at), at > 0);
            if (at > 0) {
                memmove(plain + at - 1, plain + at, length - at);
                length--;
            }
        }
        check_same(&text, plain, length);
    }
    CHECK(!text_insert(&text, length + 1, 'x'));
    CHECK(!text_erase(&text, length + 1));
}

static void test_checksum(void)
{
    char bytes[8];
    struct text text;

    text_begin(&text, bytes, sizeof(bytes));
    CHECK_EQUAL(text_checksum(&text, 0), 0x811c9dc5u);
    text_insert(&text, 0, 'a');
    CHECK_EQUAL(text_checksum(&text, 0), 0xe40c292cu);
    text_insert(&text, 0, 'x');
    CHECK_EQUAL(text_checksum(&text, 1), 0xe40c292cu);
}

/* ---- what a script types ---- */

static void type(const char *script, struct text *text)
{
    static struct script_event events[SCRIPT_EVENTS_MAX];
    char error[SCRIPT_ERROR_MAX];
    struct typing typing = {0};
    size_t count;

    CHECK(script_read(script, strlen(script), events, SCRIPT_EVENTS_MAX, &count, error));
    for (size_t i = 0; i < count; i++) {
        const char character =
            typing_key(&typing, events[i].event.code, events[i].event.kind == INPUT_KEY_DOWN);

        if (character == TYPING_BACKSPACE) {
            CHECK(text_erase(text, text_length(text)));
        } else if (character != TYPING_NONE) {
            CHECK(text_insert(text, text_length(text), character));
        }
    }
}

static void test_corrections(void)
{
    static char wrong_bytes[CAPACITY];
    static char right_bytes[CAPACITY];
    struct text wrong;
    struct text right;

    text_begin(&wrong, wrong_bytes, CAPACITY);
    text_begin(&right, right_bytes, CAPACITY);
    type("type characters=1000 seed=3 errors=5%; ctrl+s; enter; type \"A-b, C.\"", &wrong);
    type("type characters=1000 seed=3; enter; type \"A-b, C.\"", &right);
    CHECK_EQUAL(text_length(&right), 1000 + 1 + 7);
    CHECK_EQUAL(text_length(&wrong), text_length(&right));
    CHECK_EQUAL(text_checksum(&wrong, 0), text_checksum(&right, 0));
    CHECK_EQUAL(text_at(&right, 1001), 'A');
    CHECK_EQUAL(text_at(&right, 1002), '-');
}

/* ---- rows ---- */

static void fill(struct text *text, const char *from)
{
    for (size_t i = 0; from[i] != '\0'; i++) {
        text_insert(text, i, from[i]);
    }
}

static void test_rows(void)
{
    static const size_t starts[] = {0, 3, 4, 11, 14, 21};
    char bytes[64];
    struct text text;
    size_t row = 0;

    text_begin(&text, bytes, sizeof(bytes));
    CHECK_EQUAL(rows_next(&text, 0, COLUMNS), ROWS_NONE);
    CHECK_EQUAL(rows_before(&text, 0, COLUMNS), ROWS_NONE);
    fill(&text, "ab\n\nabcdefgxy\nabcdefg");
    for (size_t i = 1; i < sizeof(starts) / sizeof(starts[0]); i++) {
        const size_t next = rows_next(&text, row, COLUMNS);

        CHECK_EQUAL(next, starts[i]);
        CHECK_EQUAL(rows_before(&text, next, COLUMNS), row);
        row = next;
    }
    CHECK_EQUAL(rows_next(&text, row, COLUMNS), ROWS_NONE);
    CHECK_EQUAL(rows_length(&text, 0, COLUMNS), 2);
    CHECK_EQUAL(rows_length(&text, 4, COLUMNS), COLUMNS);
}

/* ---- paragraphs ---- */

static void test_paragraph(void)
{
    static const struct paragraph_style style = {.width = 120, .scale = 1};
    static char text[600];
    struct paragraph_line lines[LINES];

    for (size_t i = 0; i < sizeof(text); i++) {
        text[i] = random_below(6) == 0 ? ' ' : (char)('a' + random_below(26));
        text[i] = i % 211 == 210 ? '\n' : text[i];
    }
    const size_t count = paragraph_lay_out(text, sizeof(text), &style, lines, LINES);

    CHECK(count > 10 && count < LINES);
    for (size_t i = 0; i < count; i++) {
        const size_t end = lines[i].first + lines[i].count;
        const size_t next = i + 1 < count ? lines[i + 1].first : sizeof(text);
        const int32_t right = paragraph_x(text, &lines[i], lines[i].count, &style);

        CHECK(next == end || next == end + 1);
        CHECK(next == end || text[end] == ' ' || text[end] == '\n');
        CHECK(lines[i].spare == 0 || right == style.width);
        CHECK(next == end || text[end] != '\n' || lines[i].spare == 0);
    }
    CHECK_EQUAL(lines[0].first, 0);
    CHECK_EQUAL(paragraph_lay_out(text, 0, &style, lines, LINES), 1);
    CHECK_EQUAL(lines[0].count, 0);
    CHECK_EQUAL(paragraph_lay_out("a\n", 2, &style, lines, LINES), 2);
    CHECK_EQUAL(paragraph_lay_out(text, sizeof(text), &style, lines, 3), 3);
}

static void test_spelling(void)
{
    CHECK(spelling_knows("the", 3) && spelling_knows("The", 3) && spelling_knows("a", 1));
    CHECK(spelling_knows("your", 4) && spelling_knows("you", 3));
    CHECK(!spelling_knows("th", 2) && !spelling_knows("teh", 3) && !spelling_knows("thex", 4));
    CHECK(!spelling_knows("", 0));
    CHECK_EQUAL(spelling_word("to be", 5), 2);
    CHECK_EQUAL(spelling_word("to ", 3), 0);
}

int main(void)
{
    RUN(test_text());
    RUN(test_checksum());
    RUN(test_corrections());
    RUN(test_rows());
    RUN(test_paragraph());
    RUN(test_spelling());
    return unit_finish("unit_document");
}
