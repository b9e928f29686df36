/* SPDX-License-Identifier: BSD-2-Clause */
/* Progress of a watch for noise: the latest of each processor, and what is not believed. */
#include "tools/show/live.h"

#include <stdlib.h>
#include <string.h>

#include "kernel/link/names.h"
#include "tools/tests/support/unit.h"

static void take(struct live_noise *noise, const char *bench, const struct live_gaps *gaps)
{
    struct record_writer writer;
    struct record record;
    char line[RECORD_LINE_MAX];

    CHECK(live_gaps_write(&writer, bench, 0, gaps));
    const size_t length = record_finish(&writer);

    memcpy(line, writer.line, length);
    CHECK(record_parse(line, length - 1, &record)); /* without its LF */
    live_noise_take(noise, &record);
}

static struct live_gaps gaps_of(uint32_t processor, uint64_t elapsed, uint64_t largest)
{
    const struct live_gaps gaps = {.processor = processor,
                                   .elapsed = elapsed,
                                   .total = 4000000000,
                                   .over = largest > 0 ? 2 : 0,
                                   .stolen = 2 * largest,
                                   .largest = largest,
                                   .largest_at = elapsed / 2};

    return gaps;
}

static void test_latest(void)
{
    struct live_noise noise = {0};
    const struct live_gaps third = gaps_of(3, 1000000000, 5000);
    const struct live_gaps first = gaps_of(0, 1000000000, 0);
    const struct live_gaps later = gaps_of(3, 2000000000, 9000);

    take(&noise, "gap", &third);
    take(&noise, "gap", &first);
    take(&noise, "gap", &later);
    CHECK_EQUAL(noise.count, 2);
    CHECK_EQUAL(noise.lane[0].gaps.processor, 0);
    CHECK_EQUAL(noise.lane[1].gaps.largest, 9000);
    CHECK_EQUAL(noise.lane[1].heat.until, 2000000000);
    take(&noise, "gap", &third); /* of a second log, which ended earlier */
    CHECK_EQUAL(noise.lane[1].gaps.largest, 9000);
    take(&noise, "selfish", &first);
    CHECK_EQUAL(noise.count, 1);
    CHECK_TEXT(noise.bench, "selfish");
    live_noise_free(&noise);
}

/* Nothing of a damaged record is taken, and no more lanes than there is room for. */
static void test_refused(void)
{
    struct live_noise noise = {0};
    struct live_gaps gaps = gaps_of(1, 100, 50);
    struct record record;
    char line[] = "live bench=gap processor=1 elapsed=1 total=x";

    CHECK(record_parse(line, strlen(line), &record));
    live_noise_take(&noise, &record);
    CHECK_EQUAL(noise.count, 0);
    gaps.stolen = 10; /* less than the largest */
    take(&noise, "gap", &gaps);
    CHECK_EQUAL(noise.count, 0);
    for (uint32_t i = 0; i < LIVE_NOISE_LANES_MAX + 3; i++) {
        gaps = gaps_of(i, 100, 50);
        take(&noise, "gap", &gaps);
    }
    CHECK_EQUAL(noise.count, LIVE_NOISE_LANES_MAX);
    live_noise_free(&noise);
}

static void test_view(void)
{
    struct live_noise noise = {0};
    struct run run = {.verdict = {.hz = 1000000000}};
    char *text = NULL;
    size_t size = 0;

    for (uint32_t i = 0; i < 12; i++) {
        const struct live_gaps gaps = gaps_of(i, 1000000000, 1000 * (i + 1));

        take(&noise, "gap", &gaps);
    }
    FILE *out = open_memstream(&text, &size);

    live_noise_view(out, &noise, &run, 14);
    fclose(out);
    CHECK(strstr(text, "gap: 1 s of 4 s watched, 3 s left") != NULL);
    CHECK(strstr(text, "Something took up to 12.0 us") != NULL);
    CHECK(strstr(text, " 11.0 us") != NULL); /* the worst come first where room is short */
    CHECK(strstr(text, " 1.00 us") == NULL);
    CHECK(strstr(text, "the 5 of 12 CPUs with the longest gaps") != NULL);
    CHECK(strpbrk(text, "\033\342") == NULL);
    free(text);
    live_noise_free(&noise);
}

int main(void)
{
    RUN(test_latest());
    RUN(test_refused());
    RUN(test_view());
    return unit_finish("unit_live_noise");
}
