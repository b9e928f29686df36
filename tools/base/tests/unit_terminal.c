/* SPDX-License-Identifier: BSD-2-Clause */
/* What a person sees on a terminal: colours, folded tables, wrapped text, progress, spelling. */
#include <stdlib.h>
#include <unistd.h>

#include "tools/base/colour.h"
#include "tools/base/progress.h"
#include "tools/base/spelling.h"
#include "tools/base/table.h"
#include "tools/tests/support/unit.h"

/* What standard output gets in its place, which is no terminal here. */
static void check_stdout(enum colour colour, const char *expected, int line)
{
    FILE *const file = tmpfile();
    const int kept = dup(STDOUT_FILENO);
    char text[64] = "";

    fflush(stdout);
    dup2(fileno(file), STDOUT_FILENO);
    colour_text(stdout, colour, "x");
    fflush(stdout);
    dup2(kept, STDOUT_FILENO);
    close(kept);
    rewind(file);
    text[fread(text, 1, sizeof(text) - 1, file)] = '\0';
    fclose(file);
    unit_same_text(text, expected, __FILE__, line, "what standard output got");
}

static void test_colour_wishes(void)
{
    enum colour_when when;

    CHECK(colour_read("always", &when) && when == COLOUR_ALWAYS);
    CHECK(colour_read("never", &when) && when == COLOUR_NEVER);
    CHECK(colour_read("auto", &when) && when == COLOUR_AUTO);
    CHECK(!colour_read("yes", &when) && !colour_read("", &when));

    unsetenv("NO_COLOR");
    unsetenv("CLICOLOR_FORCE");
    check_stdout(COLOUR_GOOD, "x", __LINE__); /* a file */
    setenv("CLICOLOR_FORCE", "0", 1);
    check_stdout(COLOUR_GOOD, "x", __LINE__);
    setenv("CLICOLOR_FORCE", "1", 1);
    check_stdout(COLOUR_GOOD, "\033[32mx\033[0m", __LINE__);
    setenv("NO_COLOR", "1", 1);
    check_stdout(COLOUR_GOOD, "x", __LINE__);
    colour_use(COLOUR_ALWAYS);
    check_stdout(COLOUR_BAD, "\033[31mx\033[0m", __LINE__);
    check_stdout(COLOUR_PLAIN, "x", __LINE__);
    colour_use(COLOUR_NEVER);
    unsetenv("NO_COLOR");
    check_stdout(COLOUR_BAD, "x", __LINE__);
    colour_use(COLOUR_AUTO);
    unsetenv("CLICOLOR_FORCE");
}

/* Even if colours are wished for: another stream is a file. */
static void test_colour_of_files(void)
{
    struct capture capture;

    capture_start(&capture);
    colour_use(COLOUR_ALWAYS);
    colour_text(capture.out, COLOUR_BAD, "x");
    colour_use(COLOUR_AUTO);
    capture_check(&capture, "x", __LINE__);
    CHECK(colour_of_state("OK") == COLOUR_GOOD);
    CHECK(colour_of_state("SKIP") == COLOUR_DIM);
    CHECK(colour_of_state("CRASH") == COLOUR_BAD && colour_of_state(NULL) == COLOUR_BAD);
}

static void add_row(struct table *table, const char *const *cells, size_t count)
{
    table_row(table);
    for (size_t i = 0; i < count; i++) {
        table_text(table, cells[i]);
    }
}

/* A text over all further cells widens no column, and is cut at the terminal's width. */
static void test_spanned(void)
{
    static const char *const cells[] = {"first", "1", "2"};
    struct capture capture;
    struct table table;

    capture_start(&capture);
    table_open(&table, "lrr", "name\ta\tb");
    add_row(&table, cells, 3);
    table_row(&table);
    table_text(&table, "second");
    table_span(&table, "a text that is longer than all columns of numbers are, and longer than the "
                       "terminal");
    table_print(&table, capture.out, 0);
    capture_check(
        &capture,
        "name    a  b\n"
        "first   1  2\n"
        "second  a text that is longer than all columns of numbers are, and longer tha...\n",
        __LINE__);
}

/* A file is as wide as TERMINAL_WIDTH; COLUMNS was set before the first test. */
static void test_width(void)
{
    struct capture capture;
    FILE *const file = tmpfile();

    capture_start(&capture);
    CHECK_EQUAL(terminal_width(), 80);
    setenv("COLUMNS", "120", 1);
    CHECK_EQUAL(terminal_width(), 80); /* decided once */
    setenv("COLUMNS", "80", 1);
    CHECK_EQUAL(terminal_width_of(file), TERMINAL_WIDTH);
    CHECK_EQUAL(terminal_width_of(capture.out), TERMINAL_WIDTH); /* has no descriptor */
    fclose(file);
    capture_check(&capture, "", __LINE__);
}

#define SIXTEEN "x234567890123456"

/* Six columns that just fit; and a character more, for which the last stands below, behind the
 * name. */
static void test_folded(void)
{
    static const char *const cells[] = {"first", SIXTEEN, SIXTEEN, SIXTEEN, SIXTEEN, "lst"};
    static const char *const wider[] = {"first", SIXTEEN, SIXTEEN, SIXTEEN, SIXTEEN, "last"};
    struct capture capture;
    struct table table;

    capture_start(&capture);
    table_open(&table, "lrrrrr", "name\ta\tb\tc\td\te");
    add_row(&table, cells, 6);
    table_print(&table, capture.out, 3);
    capture_check(
        &capture,
        "   name                 a                b                c                d   e\n"
        "   first " SIXTEEN " " SIXTEEN " " SIXTEEN " " SIXTEEN " lst\n",
        __LINE__);
    capture_start(&capture);
    table_open(&table, "lrrrrr", "name\ta\tb\tc\td\te");
    add_row(&table, wider, 6);
    table_print(&table, capture.out, 3);
    capture_check(&capture,
                  "   name                 a                b                c                d\n"
                  "   first " SIXTEEN " " SIXTEEN " " SIXTEEN " " SIXTEEN "\n"
                  "\n"
                  "   name     e\n"
                  "   first last\n",
                  __LINE__);
}

/* A number in front does not name a row, and a unit stays with its number. */
static void test_folded_keys(void)
{
    static const char *const cells[] = {"1",     "first", SIXTEEN, SIXTEEN,
                                        SIXTEEN, SIXTEEN, "instr", "5"};
    struct capture capture;
    struct table table;

    capture_start(&capture);
    table_open(&table, "llrrrrlr", "#\twhat\ta\tb\tc\td\t\te");
    add_row(&table, cells, 8);
    table_print(&table, capture.out, 0);
    capture_check(&capture,
                  "# what                 a                b                c\n"
                  "1 first " SIXTEEN " " SIXTEEN " " SIXTEEN "\n"
                  "\n"
                  "# what                 d       e\n"
                  "1 first " SIXTEEN " instr 5\n",
                  __LINE__);
}

static void test_cut(void)
{
    static const char *const cells[] = {
        "x", "0123456789 0123456789 0123456789 0123456789 0123456789 0123456789 01234567890 xy"};
    struct capture capture;
    struct table table;

    capture_start(&capture);
    table_open(&table, "ll", "name\twhat");
    add_row(&table, cells, 2);
    table_print(&table, capture.out, 2);
    capture_check(&capture,
                  "  name  what\n"
                  "  x     0123456789 0123456789 0123456789 0123456789 0123456789 0123456789 "
                  "012...\n",
                  __LINE__);
}

/* Words that fit on no line break behind a comma. */
/* A tab of a format ends a cell, one of a value does not; cells beyond the last column are dropped.
 */
static void test_formats(void)
{
    struct capture capture;
    struct table table;

    capture_start(&capture);
    table_open(&table, "lrr", "name\tn\tof %s\tbeyond", "all");
    table_line(&table, "%s\t%d", "a\tb", 3);
    table_known(&table, true, -4);
    table_line(&table, "\t-");
    table_known(&table, false, -4);
    table_print(&table, capture.out, 0);
    capture_check(&capture,
                  "name  n  of all\n"
                  "a?b   3      -4\n"
                  "      -       -\n",
                  __LINE__);
}

static void test_wrapped(void)
{
    struct capture capture;

    capture_start(&capture);
    print_wrapped(capture.out,
                  "bench=0123456789,0123456789,0123456789,0123456789,0123456789,0123456789,last x",
                  10, 10);
    capture_check(&capture,
                  "bench=0123456789,0123456789,0123456789,0123456789,0123456789,\n"
                  "          0123456789,last x\n",
                  __LINE__);
}

static void test_progress(void)
{
    char text[PROGRESS_AMOUNT_MAX];

    progress_amount_text("reading", 12300000, 96000000, "B", 2000, text);
    CHECK_TEXT(text, "reading: 12.3 MB of 96.0 MB, 6.2 MB/s, 14 s left");
    progress_amount_text("reading", 999, 0, "B", 1000, text);
    CHECK_TEXT(text, "reading: 999 B, 999 B/s");
    progress_amount_text("drawing", 30, 60000, "events", 1000, text);
    CHECK_TEXT(text, "drawing: 30 events of 60000 events, 30 events/s, 33 min left");
    progress_amount_text("reading", 1, 20000, "B", 1000, text);
    CHECK_TEXT(text, "reading: 1 B of 20.0 kB, 1 B/s, 5 h 33 min left");
    progress_amount_text("reading", 0, 10, "B", 0, text);
    CHECK_TEXT(text, "reading: 0 B of 10 B");
    progress_amount_text("reading", 10, 10, "B", 1000, text);
    CHECK_TEXT(text, "reading: 10 B of 10 B, 10 B/s");
}

static void test_spelling(void)
{
    CHECK(spelling_distance("show", "show") == 0);
    CHECK(spelling_distance("shwo", "show") == 2);
    CHECK(spelling_distance("", "show") == 4);
    CHECK(spelling_distance("kitten", "sitting") == 3);
    CHECK(spelling_distance("sitting", "kitten") == 3);
    CHECK(spelling_distance("0x2345678901234567890x2345678901234567890x2345678901234567890123",
                            "a") == SIZE_MAX);
}

int main(void)
{
    RUN(test_colour_wishes());
    RUN(test_colour_of_files());
    RUN(test_spanned());
    RUN(test_width());
    RUN(test_folded());
    RUN(test_folded_keys());
    RUN(test_cut());
    RUN(test_formats());
    RUN(test_wrapped());
    RUN(test_progress());
    RUN(test_spelling());
    return unit_finish("unit_terminal");
}
