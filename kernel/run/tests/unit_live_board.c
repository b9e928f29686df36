/* SPDX-License-Identifier: BSD-2-Clause */
/* The view of a watch: what its sentence states, that lines fit into 79 columns, and no figure has
 * an exponent. */
#include "kernel/run/live_board.h"

#include <string.h>

#include "kernel/screen/grid.h"
#include "tools/tests/support/unit.h"

#define HZ     UINT64_C(2000000000)
#define MINUTE (60 * HZ)

static struct live_lane lanes[300];
static char written[64 * LIVE_LINE_MAX];
static size_t lines;

static void put(void *context, enum live_line kind, const char *line)
{
    const size_t length = strlen(written);

    (void)context;
    (void)kind;
    CHECK(glyph_length(line) <= 79);
    snprintf(written + length, sizeof(written) - length, "%s\n", line);
    lines++;
}

static struct live_board board_of(size_t count)
{
    return (struct live_board){.lane = lanes, .count = count, .hz = HZ, .rows = 20};
}

static void check_sentence(const struct live_board *board, const char *expected)
{
    char text[LIVE_LINE_MAX];

    live_sentence(board, text);
    CHECK_TEXT(text, expected);
}

/* 20 SMIs of 459 us a second on each of four processors. */
static void firmware(void)
{
    const uint64_t each = HZ / 1000000 * 459;

    memset(lanes, 0, sizeof(lanes));
    for (uint32_t i = 0; i < 4; i++) {
        lanes[i].gaps = (struct live_gaps){.processor = i,
                                           .elapsed = MINUTE,
                                           .total = 60 * MINUTE,
                                           .away = MINUTE / 100,
                                           .threshold = HZ / 1000000,
                                           .over = 1200,
                                           .stolen = 1200 * each,
                                           .largest = each,
                                           .largest_at = MINUTE / 2,
                                           .recent = each,
                                           .counts_smi = true,
                                           .smi = 1200,
                                           .smi_ticks = 1200 * each};
        live_heat_take(&lanes[i].heat, &lanes[i].gaps);
    }
}

static void test_sentences(void)
{
    struct live_board board = board_of(4);

    firmware();
    check_sentence(&board, "Firmware took 459 us, 20 times a second: 0.918 % of all CPUs");
    for (size_t i = 2; i < 4; i++) {
        lanes[i].gaps.smi = lanes[i].gaps.smi_ticks = lanes[i].gaps.over = 0;
        lanes[i].gaps.stolen = lanes[i].gaps.largest = 0;
    }
    check_sentence(&board, "Firmware took 459 us, 20 times a second: 0.918 % of 2 of 4 CPUs");
    for (size_t i = 0; i < 2; i++) {
        lanes[i].gaps.smi = lanes[i].gaps.smi_ticks = 0;
    }
    check_sentence(&board, "No SMI, but something took up to 459 us, 20 times a second: "
                           "0.459 % of all CPUs");
    lanes[0].gaps.cause[LIVE_STEAL] = UINT64_C(900000000);
    check_sentence(&board,
                   "The hypervisor took up to 459 us, 20 times a second: 0.459 % of all CPUs");
    board.count = 1;
    lanes[0].gaps.counts_smi = false;
    lanes[0].gaps.cause[LIVE_STEAL] = 0;
    lanes[0].gaps.over = 1;
    lanes[0].gaps.stolen = lanes[0].gaps.largest;
    check_sentence(&board, "Something took up to 459 us, once in 60 s: 7.65 ppm of the CPU");
    lanes[0].gaps.largest = lanes[0].gaps.stolen = MINUTE / 2; /* more than 1.8e10 ticks */
    check_sentence(&board, "Something took up to 30.0 s, once in 60 s: 50.0 % of the CPU");
    lanes[0].gaps.over = lanes[0].gaps.stolen = lanes[0].gaps.largest = 0;
    check_sentence(&board, "Nothing took the CPU for longer than 1.00 us in 60 s");
}

static void test_lines(void)
{
    struct live_board board = board_of(4);
    char progress[LIVE_LINE_MAX], left[LIVE_LINE_MAX];

    firmware();
    lanes[3].gaps.cause[LIVE_THERMAL] = 3;
    CHECK_TEXT(live_progress_text(&board, progress, left), "59 min left");
    CHECK_TEXT(progress, "60 s of 1 h watched");
    live_board_lines(&board, put, NULL);
    CHECK_EQUAL(lines, 8);
    CHECK(strstr(written, "SMIs 1,200, threshold 1.00 us, not watched 0.990 %, thermal 3\n") !=
          NULL);
    CHECK(strstr(written, "\n  3 ========  459 us   30 s     1,200   0.918 %  +") != NULL);
    board.blocks = true;
    written[0] = '\0';
    live_board_lines(&board, put, NULL);
    CHECK(strstr(written, "0.918 %  \u2584 ") != NULL);
}

/* Whatever a log claims, and more processors than rows: the worst are shown. */
static void test_extremes(void)
{
    struct live_board board = board_of(300);

    memset(lanes, 0, sizeof(lanes));
    for (uint32_t i = 0; i < 300; i++) {
        lanes[i].gaps = (struct live_gaps){
            .processor = i, .elapsed = i % 2 == 0 ? MINUTE : 1, .over = 1, .stolen = i + 1};
        lanes[i].gaps.largest = i + 1;
        live_heat_take(&lanes[i].heat, &lanes[i].gaps);
    }
    lines = 0;
    written[0] = '\0';
    live_board_lines(&board, put, NULL);
    CHECK_EQUAL(lines, 20);
    CHECK(strstr(written, "\n299 ") != NULL);
    CHECK(strstr(written, "\n100 ") == NULL);
    CHECK(strstr(written, "the 15 of 300 CPUs with the longest gaps") != NULL);
    memset(&lanes[0].gaps, 0xff, sizeof(lanes[0].gaps));
    lanes[0].gaps.counts_smi = true;
    lanes[0].heat.slice = UINT64_MAX;
    lanes[1].gaps.over = 2;
    for (board.count = 1; board.count <= 2; board.count++) {
        for (board.hz = 0; board.hz <= 1; board.hz++) {
            char progress[LIVE_LINE_MAX], left[LIVE_LINE_MAX];

            live_progress_text(&board, progress, left);
            CHECK(strstr(progress, "watched") != NULL);
            CHECK(live_sentence(&board, progress));
        }
    }
}

int main(void)
{
    RUN(test_sentences());
    RUN(test_lines());
    RUN(test_extremes());
    return unit_finish("unit_live_board");
}
