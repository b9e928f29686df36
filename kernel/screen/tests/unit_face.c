/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The page on grids of all sizes, with 0 to 100 benches: read back as text, nothing is outside the
 * grid, nothing is lost without a word, and what the page leaves to text is below all else.
 */
#include "kernel/screen/left.h"
#include "kernel/screen/page.h"
#include "tools/tests/support/unit.h"

#include <stdio.h>

static struct grid grid;
static size_t bad_bench; /* this one failed */
static char names[100][8];

static void bench(size_t index, struct page_bench *row)
{
    *row = (struct page_bench){
        .name = names[index],
        .series = "series_with_a_long_name",
        .state = index == bad_bench ? "FAIL" : "OK",
        .ink = index == bad_bench ? INK_BAD : INK_GOOD,
        .must_show = index == bad_bench,
        .count = "1000",
        .min = "1,234",
        .median = "2,345",
        .max = "12,345,678",
        .unit = "instr",
        .reason = "",
    };
}

/* The row as ASCII; other glyphs as '~'. */
static const char *row_text(int row)
{
    static char text[GRID_COLUMNS_MAX + 1];
    int end = 0;

    for (int i = 0; i < grid.columns; i++) {
        const unsigned glyph = grid.cell[row][i].glyph;

        text[i] = glyph <= GLYPH_LAST - GLYPH_FIRST ? (char)(GLYPH_FIRST + glyph)
                  : glyph >= GRID_BAR               ? '='
                                                    : '~';
        end = text[i] != ' ' ? i + 1 : end;
    }
    text[end] = '\0';
    return text;
}

static int find_row(const char *text)
{
    for (int row = 0; row < grid.rows; row++) {
        if (strstr(row_text(row), text) != NULL) {
            return row;
        }
    }
    return -1;
}

/* Cells beyond the grid's size must stay blank. */
static bool is_within(void)
{
    for (int row = 0; row < GRID_ROWS_MAX; row++) {
        for (int column = 0; column < GRID_COLUMNS_MAX; column++) {
            if ((row >= grid.rows || column >= grid.columns) && grid.cell[row][column].glyph != 0) {
                return false;
            }
        }
    }
    return true;
}

static const struct page_line findings[] = {
    {"broken", INK_BAD,
     "counter 2 ignores writes, so that what it counts is not what was asked for"},
    {"stolen", INK_DOUBTFUL,
     "20 SMIs, 6.10 us each, 40.0 a second: 0.024 % of the time; look at firmware's USB legacy "
     "setting, and at the management engine"},
    {"clear", INK_GOOD, "no gap above 0.3 us in 10 s, 4 processors"},
};
static const struct page_line head[] = {
    {NULL, INK_PLAIN, "A processor of today with a rather long name @ 2.90GHz, 4 processors"},
    {NULL, INK_DIM, "real time: figures are of this machine"},
};
static const struct page_line foot[] = {
    {"the log", INK_GOOD, "is on the boot drive: tare-0001.log, the end of it"},
};

static struct page a_page(size_t benches)
{
    return (struct page){
        .title = "tare: the empty machine, weighed",
        .when = "2026-11-26T15:00:00",
        .head = head,
        .head_count = 2,
        .findings_title = "What this machine did",
        .findings = findings,
        .finding_count = 3,
        .bench_count = benches,
        .bench = bench,
        .foot = foot,
        .foot_count = 1,
    };
}

static size_t count_shown(size_t benches)
{
    size_t shown = 0;

    for (size_t i = 0; i < benches; i++) {
        shown += find_row(names[i]) >= 0 ? 1 : 0;
    }
    return shown;
}

/* How many the page reports as left out. */
static size_t count_left_out(void)
{
    const int row = find_row(" more benches: in the log");
    size_t count = 0;

    if (row >= 0) {
        CHECK(sscanf(row_text(row), "%zu", &count) == 1);
    }
    return count;
}

static void check_page(int columns, int rows, size_t benches)
{
    struct page page = a_page(benches);

    bad_bench = benches > 0 ? benches - 1 : 0;
    grid_init(&grid, columns, rows);
    const int words = page_lay_out(&page, &grid);

    CHECK(is_within());
    CHECK(words <= rows);
    CHECK_EQUAL(count_shown(benches) + count_left_out(), benches);
    CHECK(benches == 0 || find_row(names[bad_bench]) >= 0);
    CHECK(find_row("FAIL") >= 0 || benches == 0);
    CHECK(find_row("counter 2 ignores") >= 0);
    CHECK(find_row("end of it") >= 0);
    for (int row = words; row < rows; row++) {
        CHECK_TEXT(row_text(row), "");
    }
}

/* Of 640 by 480, 800 by 600, 1280 by 800, 800 by 1280 and 3840 by 2160 pixels. */
static void test_sizes(void)
{
    static const int sizes[][2] = {{78, 29}, {98, 36}, {158, 49}, {98, 79}, {238, 66}};

    for (size_t i = 0; i < sizeof(sizes) / sizeof(sizes[0]); i++) {
        for (size_t benches = 0; benches <= 100; benches++) {
            check_page(sizes[i][0], sizes[i][1], benches);
        }
    }
}

/* Findings that have no row are counted, whatever the number of rows; the worst is always there. */
static void test_findings_counted(void)
{
    for (int rows = 14; rows <= 40; rows++) {
        struct page page = a_page(59);
        size_t shown = 0;
        size_t more = 0;

        page.more_findings = (size_t)rows % 3;
        grid_init(&grid, 98, rows);
        page_lay_out(&page, &grid);
        for (size_t i = 0; i < page.finding_count; i++) {
            char begin[16];

            snprintf(begin, sizeof(begin), "%.12s", findings[i].text);
            shown += find_row(begin) >= 0 ? 1 : 0;
        }
        const int row = find_row(" more: in the log");

        CHECK(row < 0 || sscanf(row_text(row), "%zu", &more) == 1);
        CHECK_EQUAL(shown + more, page.finding_count + page.more_findings);
        CHECK(shown > 0);
    }
}

/* As many benches as there are fit whole on a screen of 800 by 600. */
static void test_none_left_out(void)
{
    check_page(98, 36, 80);
    CHECK_EQUAL(count_left_out(), 0);
    check_page(158, 49, 62);
    CHECK_EQUAL(count_left_out(), 0);
    CHECK(find_row("1,234      2,345 12,345,678 instr") >= 0);
}

/* However small: nothing is written elsewhere. */
static void test_any_size(void)
{
    for (int columns = 0; columns <= GRID_COLUMNS_MAX; columns += 7) {
        for (int rows = 0; rows <= GRID_ROWS_MAX; rows += 5) {
            struct page page = a_page((size_t)(columns + rows) % 100);

            page.words = rows / 3;
            page.total = rows % 2 == 0 ? 9 : 0;
            page.progress = "Bench 3 of 9: gap";
            page.left = "about 40 s left";
            page.done = 2;
            grid_init(&grid, columns, rows);
            const int words = page_lay_out(&page, &grid);

            CHECK(words >= 0 && words <= rows);
            CHECK(is_within());
        }
    }
}

static void test_progress(void)
{
    struct page page = a_page(20);

    page.total = 4;
    page.done = 1;
    page.progress = "Bench 2 of 4: gap: gaps between readings";
    page.left = "about 40 s left";
    page.words = 6;
    grid_init(&grid, 98, 36);
    CHECK(page_lay_out(&page, &grid) <= 30);
    const int row = find_row("Bench 2 of 4");

    CHECK(row > 0);
    const char *text = row_text(row);

    CHECK_TEXT(text + strlen(text) - 15, "about 40 s left");
    CHECK_EQUAL(grid.cell[row + 1][23].glyph, GRID_BAR + 8);
    CHECK_EQUAL(grid.cell[row + 1][24].glyph, GRID_BAR + 4);
    CHECK_EQUAL(grid.cell[row + 1][25].glyph, GRID_BAR);
}

/* Text keeps its rows, and the worst finding its own; what has no room is counted. */
static void test_crash(void)
{
    struct page page = a_page(59);

    bad_bench = 58;
    page.words = 24;
    grid_init(&grid, 98, 36);
    const int words = page_lay_out(&page, &grid);

    CHECK(find_row("counter 2 ignores") >= 0);
    CHECK(find_row("2 more: in the log") >= 0);
    CHECK(find_row("59 more benches: in the log") >= 0);
    CHECK(words <= 36 - 18);
    page.words = 40; /* more than there is */
    page_lay_out(&page, &grid);
    CHECK(find_row("counter 2 ignores") >= 0);
    CHECK(find_row("59 more benches: in the log") >= 0);
}

static void test_left(void)
{
    struct left left = {0};
    char text[LEFT_TEXT_MAX];
    uint64_t us;

    left_expect(&left, 0);
    left_expect(&left, 10000);
    left_expect(&left, 0);
    left_expect(&left, 0);
    CHECK(!left_us(&left, &us));
    left_took(&left, 0, 2000000);
    CHECK(left_us(&left, &us));
    CHECK_EQUAL(us, 10000000 + 2 * 2000000);
    left_took(&left, 10000, 12000000); /* two seconds went to what came with it */
    CHECK(left_us(&left, &us));
    CHECK_EQUAL(us, 2 * 2000000);
    CHECK_TEXT(left_text(200000, text), "about 1 s");
    CHECK_TEXT(left_text(43000000, text), "about 45 s");
    CHECK_TEXT(left_text(600000000, text), "about 10 min");
    CHECK_TEXT(left_text(7200000000, text), "about 2 h");
}

int main(void)
{
    for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
        snprintf(names[i], sizeof(names[i]), "b%02zu", i);
    }
    RUN(test_sizes());
    RUN(test_findings_counted());
    RUN(test_none_left_out());
    RUN(test_any_size());
    RUN(test_progress());
    RUN(test_crash());
    RUN(test_left());
    return unit_finish("unit_face");
}
