/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * What rules of findings may ask of the records that the link keeps: of each kind, with quotes, of
 * several passes, of the bench that was asked for and no other; and of samples.
 */
#include "kernel/run/finding_source.h"
#include "tools/tests/support/unit.h"

#include <stdio.h>

static const char records[] =
    "tare version=0.1.0 format=1 run=0000000000000001\n"
    "machine name=cpu_brand value=\"A \\\"fine\\\" one\"\n"
    "machine name=processors value=4\n"
    "bench name=gap group=noise summary=\"bench name=fake\" unit=tick estimate=none\n"
    "fact bench=gap name=largest value=123456 unit=tick\n"
    "fact bench=gap name=largest value=-5 unit=tick\n"
    "absent bench=gap name=smi reason=\"MSR 34h faults\"\n"
    "series stream=1 bench=gap name=gap_length unit=tick n=1000 frames=1 nominal=0 crc=0\n"
    "series stream=2 bench=gap name=short unit=count n=3 frames=1 nominal=0 crc=0\n"
    "series stream=3 bench=gap name=none unit=count n=0 frames=0 nominal=0 crc=0\n"
    "series stream=9 bench=gap name=lost unit=count n=0 frames=0 nominal=0 crc=0\n"
    "machine name=lost.0 value=\"it was\"\n"
    "status bench=gap state=FAIL reason=\"too long\"\n"
    "bench name=idle group=idle summary=s unit=tick estimate=e pass=1\n"
    "fact bench=idle name=largest value=7 unit=tick pass=1\n"
    "status bench=idle state=OK reason=\"\" pass=1\n"
    "bench name=idle group=idle summary=s unit=tick estimate=e pass=2\n"
    "fact bench=idle name=largest value=8 unit=tick pass=2\n"
    "status bench=idle state=SKIP reason=\"\" pass=2\n"
    "a line = that is no record\n"
    "bench name=running group=idle summary=s unit=tick estimate=e\n";

static int64_t thousand[1000];
static const int64_t three[] = {9, 7, 8};
static size_t looked; /* at samples */

static const int64_t *samples(uint64_t stream, size_t *count)
{
    looked++;
    *count = stream == 1 ? 1000 : stream == 2 ? 3 : 0;
    return stream == 1 ? thousand : stream < 4 ? three : NULL;
}

static struct kept kept;
static struct kept_answers answers;

static struct finding_source begin(void)
{
    answers = (struct kept_answers){0};
    kept_read(&kept, records, sizeof(records) - 1, samples, &answers);
    return kept_source(&kept);
}

static void test_facts(void)
{
    const struct finding_source source = begin();
    int64_t value = 0;

    CHECK(source.fact(source.context, "gap", "largest", &value));
    CHECK_EQUAL(value, -5); /* the last */
    CHECK(source.fact(source.context, "idle", "largest", &value));
    CHECK_EQUAL(value, 7); /* of the first pass */
    CHECK(!source.fact(source.context, "gap", "smallest", &value));
    CHECK(!source.fact(source.context, "fake", "largest", &value));
    CHECK(!source.fact(source.context, "running", "largest", &value));
}

static void test_texts(void)
{
    const struct finding_source source = begin();
    const char *reason;

    CHECK_TEXT(source.machine(source.context, "cpu_brand"), "A \"fine\" one");
    CHECK_TEXT(source.machine(source.context, "lost.0"), "it was");
    CHECK(source.machine(source.context, "brand") == NULL);
    CHECK_TEXT(source.state(source.context, "gap", &reason), "FAIL");
    CHECK_TEXT(reason, "too long");
    CHECK_TEXT(source.state(source.context, "idle", &reason), "OK");
    CHECK(source.state(source.context, "running", &reason) == NULL);
    CHECK(source.state(source.context, "fake", &reason) == NULL);
    CHECK_TEXT(source.absent(source.context, "gap", "smi"), "MSR 34h faults");
    CHECK(source.absent(source.context, "idle", "smi") == NULL);
    CHECK_TEXT(source.bench(source.context, 0), "gap");
    CHECK_TEXT(source.bench(source.context, 1), "idle");
    CHECK_TEXT(source.bench(source.context, 2), "running");
    CHECK(source.bench(source.context, 3) == NULL);
    CHECK(source.derived == NULL);
}

/* Ranks as on the host; looked through once. */
static void test_series(void)
{
    const struct finding_source source = begin();
    struct finding_series series;

    for (size_t i = 0; i < 1000; i++) {
        thousand[i] = (int64_t)(i * 7919 % 1000) - 500;
    }
    CHECK(source.series(source.context, "gap", "gap_length", &series));
    CHECK_EQUAL(series.n, 1000);
    CHECK_EQUAL(series.min, -500);
    CHECK_EQUAL(series.p50, -1);
    CHECK(series.has_p99);
    CHECK_EQUAL(series.p99, 489);
    CHECK_EQUAL(series.max, 499);
    CHECK_TEXT(series.unit, "tick");
    thousand[0] = 1000000; /* not looked through again */
    CHECK(source.series(source.context, "gap", "gap_length", &series));
    CHECK_EQUAL(series.max, 499);
    CHECK(source.series(source.context, "gap", "short", &series));
    CHECK_EQUAL(series.p50, 8);
    CHECK(!series.has_p99);
    CHECK(!source.series(source.context, "gap", "none", &series));
    CHECK(!source.series(source.context, "gap", "lost", &series));
    CHECK(!source.series(source.context, "idle", "gap_length", &series));
}

/* Text that has no room is not known; what was known before stays. */
static void test_bounds(void)
{
    const struct finding_source source = begin();
    static char many[200000];
    size_t length = 0;

    for (unsigned i = 0; i < 300; i++) {
        length += (size_t)snprintf(
            many + length, sizeof(many) - length,
            "bench name=b%u group=g\nabsent bench=b%u name=x reason=\"%0500u\"\n", i, i, i);
    }
    CHECK_TEXT(source.bench(source.context, 0), "gap");
    kept_read(&kept, many, length, samples, &answers);
    CHECK_EQUAL(kept.bench_count, KEPT_BENCHES);
    size_t known = 0;

    for (unsigned i = 0; i < 300; i++) {
        char name[16];

        snprintf(name, sizeof(name), "b%u", i);
        known += source.absent(source.context, name, "x") != NULL ? 1 : 0;
    }
    CHECK(known > 5 && known < 20);
    CHECK(answers.text_length <= KEPT_BYTES);
    kept_read(&kept, many, 0, samples, &answers);
    CHECK(source.bench(source.context, 0) == NULL);
}

int main(void)
{
    RUN(test_facts());
    RUN(test_texts());
    RUN(test_series());
    RUN(test_bounds());
    return unit_finish("unit_finding_source");
}
