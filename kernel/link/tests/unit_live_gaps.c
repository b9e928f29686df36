/* SPDX-License-Identifier: BSD-2-Clause */
/* Progress of a long watch: what is written is what is read, how seldom it is due, and its heat. */
#include <stdlib.h>
#include <string.h>

#include "kernel/link/live_gaps.h"
#include "tools/tests/support/unit.h"

static bool read_line(const char *text, struct live_gaps *live)
{
    static char line[2 * RECORD_LINE_MAX];
    struct record record;

    snprintf(line, sizeof(line), "%s", text);
    return record_parse(line, strlen(line), &record) && live_gaps_read(&record, live);
}

static void test_round_trip(void)
{
    uint64_t seed = 3;

    for (unsigned round = 0; round < 2000; round++) {
        struct live_gaps live = {.processor = round, .elapsed = unit_random(&seed)};
        struct record_writer writer;
        struct live_gaps back;

        live.total = unit_random(&seed);
        live.away = unit_random(&seed) >> round % 64;
        live.threshold = unit_random(&seed) >> 40;
        live.over = round % 2 == 0 ? 0 : unit_random(&seed) >> round % 60 | 1;
        live.largest = live.over > 0 ? unit_random(&seed) >> 1 | 1 : 0;
        live.stolen = live.largest + (live.over > 0 ? unit_random(&seed) >> 1 : 0);
        live.largest_at = live.over > 0 ? unit_random(&seed) : 0;
        live.recent = live.over > 0 ? unit_random(&seed) >> 20 : 0;
        live.counts_smi = round % 3 > 0;
        live.smi = live.counts_smi ? round % 5 : 0;
        live.smi_ticks = live.smi > 0 ? unit_random(&seed) : 0;
        live.cause[round % LIVE_CAUSES] = unit_random(&seed);
        CHECK(live_gaps_write(&writer, "gap", round % 3, &live));
        const size_t length = record_finish(&writer);

        writer.line[length - 1] = '\0';
        CHECK(read_line(writer.line, &back));
        /* written again, it is the same line */
        struct record_writer again;

        CHECK(live_gaps_write(&again, "gap", round % 3, &back));
        CHECK_EQUAL(record_finish(&again), length);
        CHECK(memcmp(again.line, writer.line, length - 1) == 0);
    }
}

/* A record of an earlier image has fewer fields, and others that are ignored. */
static void test_earlier(void)
{
    struct live_gaps live;

    CHECK(read_line("live processor=0 elapsed=1 total=2 over=1 stolen=9 largest=9 largest_at=0 "
                    "octaves=5:1",
                    &live));
    CHECK_EQUAL(live.largest, 9);
    CHECK_EQUAL(live.threshold, 0);
    CHECK(!live.counts_smi);
}

static void test_malformed(void)
{
#define EMPTY "over=0 stolen=0 largest=0 largest_at=0"
    static const char *const lines[] = {
        "live processor=0 elapsed=1 " EMPTY,
        "live processor=0 total=2 " EMPTY,
        "live processor=0 elapsed=1 total=-2 " EMPTY,
        "live processor=0 elapsed=1 total=2 away=x " EMPTY,
        "live processor=0 elapsed=1 total=2 recent= " EMPTY,
        "live processor=0 elapsed=1 total=2 smi=99999999999999999999 " EMPTY,
        "live processor=0 elapsed=1 total=2 thermal=1.5 " EMPTY,
        "live processor=0 elapsed=1 total=2 over=1 stolen=9 largest=0 largest_at=0",
        "live processor=0 elapsed=1 total=2 over=1 stolen=8 largest=9 largest_at=0",
        "live processor=4294967296 elapsed=1 total=2 " EMPTY,
    };
    struct live_gaps live;

    for (size_t i = 0; i < sizeof(lines) / sizeof(lines[0]); i++) {
        CHECK(!read_line(lines[i], &live));
    }
#undef EMPTY
}

/* An hour has rounds of a second, a day at most 17,000; a slow medium makes them longer. */
static void test_rounds(void)
{
    const uint64_t hz = 1000000;
    uint64_t rounds = 0;

    CHECK_EQUAL(live_gaps_round(3600 * hz, hz / 20, hz), hz);
    CHECK_EQUAL(live_gaps_round(3600 * hz, hz / 10, hz), 2 * hz);
    for (uint64_t at = 0; at < 86400 * hz; at += live_gaps_round(at, 0, hz)) {
        rounds++;
    }
    CHECK(rounds > 16000);
    CHECK(rounds < 17000);
}

static void take(struct live_heat *heat, uint64_t elapsed, uint64_t recent)
{
    live_heat_take(heat, &(struct live_gaps){.elapsed = elapsed, .recent = recent});
}

/* Cells double when there is no room; the longest gap stays, in the cell of its round. */
static void test_heat(void)
{
    struct live_heat heat = {0};

    for (unsigned i = 1; i <= LIVE_CELLS; i++) {
        take(&heat, 1001 * i, i == 5 ? 700 : i == 6 ? 900 : 0);
    }
    CHECK_EQUAL(heat.slice, 1001);
    CHECK_EQUAL(heat.cell[4], 700);
    CHECK_EQUAL(heat.cell[5], 900);
    CHECK_EQUAL(heat.cell[LIVE_CELLS - 1], LIVE_QUIET);
    take(&heat, 1001 * LIVE_CELLS, 5000); /* not later */
    take(&heat, 1001 * (LIVE_CELLS + 1), 0);
    CHECK_EQUAL(heat.slice, 2002);
    CHECK_EQUAL(heat.cell[2], 900);
    CHECK_EQUAL(heat.cell[3], LIVE_QUIET);
    CHECK_EQUAL(heat.cell[LIVE_CELLS / 2], LIVE_QUIET);
    CHECK_EQUAL(heat.cell[LIVE_CELLS / 2 + 1], 0);
    take(&heat, UINT64_MAX, 3); /* whatever a log claims */
    take(&heat, UINT64_MAX, 3);
    CHECK_EQUAL(heat.cell[0], 900);
    CHECK_EQUAL(heat.cell[LIVE_CELLS / 2 - 1], LIVE_QUIET);
}

/* Once a second at first; 24 hours of four processors are a log of some 2 MB. */
static void test_due(void)
{
    const uint64_t hz = 1000;
    uint64_t last = 0;
    unsigned sent = 0;

    for (uint64_t at = 1; at <= 86400 * hz; at++) {
        if (live_gaps_due(at, last, hz)) {
            CHECK(at - last >= hz);
            CHECK(at - last <= 60 * hz);
            CHECK(at > 64 * hz || at - last == hz);
            last = at;
            sent++;
        }
    }
    CHECK(sent > 1000);
    CHECK(sent < 1800);
}

int main(void)
{
    RUN(test_round_trip());
    RUN(test_earlier());
    RUN(test_malformed());
    RUN(test_rounds());
    RUN(test_heat());
    RUN(test_due());
    return unit_finish("unit_live_gaps");
}
