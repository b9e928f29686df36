/* SPDX-License-Identifier: BSD-2-Clause */
/* Progress of a long watch: what is written is what is read, and how seldom it is due. */
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

static void check_same(const struct live_gaps *live, const struct live_gaps *back)
{
    CHECK_EQUAL(live->processor, back->processor);
    CHECK_EQUAL(live->elapsed, back->elapsed);
    CHECK_EQUAL(live->total, back->total);
    CHECK_EQUAL(live->over, back->over);
    CHECK_EQUAL(live->stolen, back->stolen);
    CHECK_EQUAL(live->largest, back->largest);
    CHECK_EQUAL(live->largest_at, back->largest_at);
    for (size_t i = 0; i < LIVE_OCTAVES; i++) {
        CHECK_EQUAL(live->octaves[i], back->octaves[i]);
    }
}

static void test_round_trip(void)
{
    uint64_t seed = 3;

    for (unsigned round = 0; round < 2000; round++) {
        struct live_gaps live = {.processor = round, .elapsed = unit_random(&seed)};
        struct record_writer writer;
        struct live_gaps back;

        live.total = unit_random(&seed);
        live.over = round % 2 == 0 ? 0 : unit_random(&seed) >> round % 60 | 1;
        live.largest = live.over > 0 ? unit_random(&seed) >> 1 | 1 : 0;
        live.stolen = live.largest + (live.over > 0 ? unit_random(&seed) >> 1 : 0);
        live.largest_at = live.over > 0 ? unit_random(&seed) : 0;
        for (unsigned i = unit_random(&seed) % LIVE_OCTAVES; i < LIVE_OCTAVES; i += 1 + round % 7) {
            live.octaves[i] = unit_random(&seed) >> 32;
        }
        CHECK(live_gaps_write(&writer, "gap", round % 3, &live));
        const size_t length = record_finish(&writer);

        writer.line[length - 1] = '\0';
        CHECK(read_line(writer.line, &back));
        check_same(&live, &back);
    }
}

/* What is too long for a record is not half of one. */
static void test_too_long(void)
{
    struct live_gaps live = {0};
    struct record_writer writer;

    memset(live.octaves, 0xff, sizeof(live.octaves));
    CHECK(!live_gaps_write(&writer, "gap", 0, &live));
}

static void test_malformed(void)
{
    static const char *const lines[] = {
        "live processor=0 elapsed=1 total=2 over=0 stolen=0 largest=0 largest_at=0",
        "live processor=0 elapsed=1 total=2 over=0 stolen=0 largest=0 largest_at=0 octaves=5",
        "live processor=0 elapsed=1 total=2 over=0 stolen=0 largest=0 largest_at=0 octaves=5:",
        "live processor=0 elapsed=1 total=2 over=0 stolen=0 largest=0 largest_at=0 octaves=5:1,",
        "live processor=0 elapsed=1 total=2 over=0 stolen=0 largest=0 largest_at=0 octaves=64:1",
        "live processor=0 elapsed=1 total=2 over=0 stolen=0 largest=0 largest_at=0 octaves=63:1,1",
        "live processor=0 elapsed=1 total=2 over=0 stolen=0 largest=0 largest_at=0 octaves=5:-1",
        "live processor=0 elapsed=1 total=2 over=0 stolen=0 largest=0 largest_at=0 octaves=5:1:2",
        ("live processor=0 elapsed=1 total=2 over=0 stolen=0 largest=0 largest_at=0 "
         "octaves=5:99999999999999999999"),
        "live processor=0 elapsed=1 total=2 over=1 stolen=9 largest=0 largest_at=0 octaves=5:1",
        "live processor=0 elapsed=1 total=2 over=1 stolen=8 largest=9 largest_at=0 octaves=5:1",
        ("live processor=4294967296 elapsed=1 total=2 over=0 stolen=0 largest=0 largest_at=0 "
         "octaves=5:1"),
    };
    struct live_gaps live;

    for (size_t i = 0; i < sizeof(lines) / sizeof(lines[0]); i++) {
        CHECK(!read_line(lines[i], &live));
    }
    CHECK(read_line("live processor=0 elapsed=1 total=2 over=1 stolen=9 largest=9 largest_at=0 "
                    "octaves=62:0,18446744073709551615",
                    &live));
    CHECK_EQUAL(live.octaves[63], UINT64_MAX);
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
    RUN(test_too_long());
    RUN(test_malformed());
    RUN(test_due());
    return unit_finish("unit_live_gaps");
}
