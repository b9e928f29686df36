/* SPDX-License-Identifier: BSD-2-Clause */
/* Caches found in curves that are made up, and what CPUID's tables state of caches. */
#include "bench/memory/host/cache_curve.h"

#include <math.h>

#include "bench/memory/host/memory_benches.h"
#include "kernel/cpu/cache.h"
#include "tools/tests/support/run_builder.h"
#include "tools/tests/support/unit.h"

#define KIB    1024
#define POINTS 40

struct bed {
    int64_t size[POINTS];
    double cost[POINTS];
    size_t count;
    struct cache_level levels[LEVELS_MAX];
    size_t found;
};

/* 1, 1.5, 2, 3, ... KiB; `cost_at` of each. */
static void draw(struct bed *bed, double (*cost_at)(double bytes))
{
    int64_t size = KIB;

    bed->count = POINTS;
    for (size_t i = 0; i < POINTS; i++) {
        bed->size[i] = size;
        bed->cost[i] = cost_at((double)size);
        size = (size & (size - 1)) == 0 ? size / 2 * 3 : size / 3 * 4;
    }
}

static void find(struct bed *bed)
{
    bed->found = cache_levels_find(bed->size, bed->cost, bed->count, bed->levels);
}

#define L1 (32.0 * KIB)
#define L2 (1024.0 * KIB)
#define L3 (8192.0 * KIB)

/* Least recently used: a ring that is too large misses always. */
static double stepped(double bytes)
{
    return bytes <= L1 ? 4 : bytes <= L2 ? 14 : bytes <= L3 ? 60 : 240;
}

/* At random: of a ring of s bytes, C / s is there. */
static double blended(double bytes)
{
    const double first = fmin(1, L1 / bytes);
    const double second = fmin(1, L2 / bytes);
    const double third = fmin(1, L3 / bytes);

    return 4 * first + 14 * (second - first) + 60 * (third - second) + 240 * (1 - third);
}

static double flat(double bytes)
{
    (void)bytes;
    return 3;
}

/* Doubles every second octave: no level anywhere. */
static double climbing(double bytes)
{
    return sqrt(bytes);
}

static void check_level(const struct bed *bed, size_t index, double bytes, double cost)
{
    CHECK(bed->found > index);
    if (bed->found > index) {
        CHECK((double)bed->levels[index].low <= bytes);
        CHECK((double)bed->levels[index].high >= bytes);
        CHECK(fabs(bed->levels[index].cost / cost - 1) < 0.1);
    }
}

static void check_three(const struct bed *bed)
{
    CHECK_EQUAL(bed->found, 4);
    check_level(bed, 0, L1, 4);
    check_level(bed, 1, L2, 14);
    check_level(bed, 2, L3, 60);
    CHECK_EQUAL(bed->levels[3].high, 0);
    CHECK(bed->levels[3].factor == 0);
}

static void test_steps(void)
{
    struct bed bed;

    draw(&bed, stepped);
    find(&bed);
    check_three(&bed);
    CHECK_EQUAL(bed.levels[0].low, 32 * KIB);
    CHECK_EQUAL(bed.levels[0].high, 48 * KIB);
    CHECK(bed.levels[0].factor == 3.5);
    CHECK_EQUAL(bed.levels[0].points, 11);
    CHECK(cache_level_is_clear(&bed.levels[0]));
}

/* Up to 5 % off, each by another amount; and one in ten interrupted. */
static void test_noise(void)
{
    struct bed bed;

    for (unsigned seed = 1; seed <= 50; seed++) {
        uint64_t random = seed;

        draw(&bed, stepped);
        for (size_t i = 0; i < bed.count; i++) {
            bed.cost[i] *= 0.95 + 0.1 * (double)(unit_random(&random) % 65536) / 65536;
        }
        find(&bed);
        check_three(&bed);
    }
}

static void test_outliers(void)
{
    struct bed bed;

    draw(&bed, stepped);
    bed.cost[4] *= 8;
    bed.cost[15] = -7;
    bed.cost[37] *= 3;
    find(&bed);
    check_three(&bed);
    CHECK_EQUAL(bed.levels[0].low, 32 * KIB);
}

/* The end of a level that is lost bit by bit is found too large, by at most a factor of 3. */
static void test_blend(void)
{
    struct bed bed;

    draw(&bed, blended);
    find(&bed);
    CHECK(bed.found >= 2);
    CHECK(fabs(bed.levels[0].cost - 4) < 0.1);
    CHECK((double)bed.levels[0].low >= L1);
    CHECK((double)bed.levels[0].low <= 3 * L1);
}

/* Recorded on the test machine, a guest that gets only a small part of the third level: ticks,
 * pages of 4 KiB. */
static void test_recorded(void)
{
    static const double ticks[] = {
        3.232,   3.226,   3.226,   3.226,   3.226,   3.226,   3.229,   3.229,   3.226,   3.226,
        3.226,   11.280,  11.279,  11.303,  11.488,  12.511,  13.280,  15.089,  14.975,  16.237,
        26.399,  52.721,  57.445,  66.571,  250.572, 263.390, 273.895, 277.277, 295.288, 290.446,
        286.731, 304.127, 316.808, 362.934, 455.735, 362.576, 393.799,
    };
    struct bed bed;

    draw(&bed, flat);
    bed.count = sizeof(ticks) / sizeof(ticks[0]);
    memcpy(bed.cost, ticks, sizeof(ticks));
    find(&bed);
    CHECK_EQUAL(bed.found, 4);
    check_level(&bed, 0, 32 * KIB, 3.226);
    check_level(&bed, 1, 1024 * KIB, 13);
    check_level(&bed, 2, 3500 * KIB, 57.4);
}

/* The last octave climbs, and is too short for a level. */
static void test_rest(void)
{
    struct bed bed;

    draw(&bed, stepped);
    bed.count = 11 + 10 + 2;
    bed.cost[21] = 40;
    bed.cost[22] = 55;
    find(&bed);
    CHECK_EQUAL(bed.found, 2);
    check_level(&bed, 1, L2, 14);
    CHECK(bed.levels[1].factor > 2.8 && bed.levels[1].factor < 2.9);
    bed.cost[22] = 14; /* all except one */
    find(&bed);
    CHECK_EQUAL(bed.found, 2);
    CHECK_EQUAL(bed.levels[1].high, 0);
}

static void test_none(void)
{
    struct bed bed;

    draw(&bed, flat);
    find(&bed);
    CHECK_EQUAL(bed.found, 1);
    CHECK_EQUAL(bed.levels[0].high, 0);
    CHECK_EQUAL(bed.levels[0].low, bed.size[POINTS - 1]);
    CHECK_EQUAL(bed.levels[0].points, POINTS);
    draw(&bed, climbing);
    find(&bed);
    for (size_t i = 0; i + 1 < bed.found; i++) {
        CHECK(!cache_level_is_clear(&bed.levels[i]));
    }
    bed.count = 0;
    find(&bed);
    CHECK_EQUAL(bed.found, 0);
    bed.count = 2;
    find(&bed);
    CHECK_EQUAL(bed.found, 0);
    for (size_t i = 0; i < POINTS; i++) {
        bed.cost[i] = i % 2 == 0 ? -1 : NAN;
    }
    bed.count = POINTS;
    find(&bed);
    CHECK_EQUAL(bed.found, 0);
}

static void test_claims(void)
{
    struct cache_claim claims[LEVELS_MAX];
    struct run run;
    struct bed bed;

    run_init(&run);
    CHECK_EQUAL(cache_claims_read(&run, claims), 0);
    run_add_pair(&run, &run.machine, "cache.1i", "65536 bytes, 8 ways, line 64, shared by 2");
    run_add_pair(&run, &run.machine, "cache.1d", "32768 bytes, 8 ways, line 64, shared by 2");
    run_add_pair(&run, &run.machine, "cache.2", "524288 bytes, 16 ways, line 64, shared by 2");
    run_add_pair(&run, &run.machine, "cache.3", "nonsense");
    CHECK_EQUAL(cache_claims_read(&run, claims), 2);
    CHECK_EQUAL(claims[0].bytes, 32768);
    CHECK_EQUAL(claims[1].level, 2);
    draw(&bed, stepped);
    find(&bed);
    CHECK(cache_claim_of(claims, 2, bed.levels, 0) == &claims[0]);
    CHECK(cache_claim_agrees(&claims[0], &bed.levels[0]));
    CHECK(cache_claim_of(claims, 2, bed.levels, 1) == &claims[1]);
    CHECK(!cache_claim_agrees(&claims[1], &bed.levels[1]));
    CHECK(cache_claim_of(claims, 2, bed.levels, 2) == NULL);
    claims[1].bytes = 128 * KIB; /* a quarter of what is found: that is no cache */
    CHECK(cache_claim_of(claims, 2, bed.levels, 1) == NULL);
    run_free(&run);
}

/* ---- reach of the TLB ---- */

/* A curve of one repetition a point, one trial. */
static void build_curve(struct run_bench *bench, const char *const names[3], const struct bed *bed)
{
    int64_t n[POINTS];
    int64_t ticks[POINTS];

    for (size_t i = 0; i < bed->count; i++) {
        n[i] = 100;
        ticks[i] = (int64_t)(100 * bed->cost[i]);
    }
    build_series(bench, names[0], NULL, NULL, bed->size, bed->count);
    build_series(bench, names[1], NULL, NULL, n, bed->count);
    build_series(bench, names[2], NULL, NULL, ticks, bed->count);
}

/* Draws a curve by pages: reaches of 64 and 1536 translations, plus the caches of the lines. */
static void draw_pages(struct bed *bed)
{
    int64_t pages = 2;

    bed->count = 25;
    for (size_t i = 0; i < bed->count; i++) {
        bed->size[i] = pages;
        bed->cost[i] =
            stepped((double)(64 * pages)) + (pages > 64 ? 7 : 0) + (pages > 1536 ? 26 : 0);
        pages = (pages & (pages - 1)) == 0 ? pages / 2 * 3 : pages / 3 * 4;
    }
}

static void check_reach(const struct cache_level *levels, size_t count)
{
    CHECK_EQUAL(count, 3);
    CHECK_EQUAL(levels[0].low, 64);
    CHECK_EQUAL(levels[0].high, 96);
    CHECK_EQUAL(levels[1].low, 1536);
    CHECK_EQUAL(levels[1].high, 2048);
    CHECK(levels[1].cost == 11);
    CHECK_EQUAL(levels[2].high, 0);
}

static void test_reach(void)
{
    static const char *const chase_names[] = {"random.2m.wb.x", "random.2m.wb.n", "random.2m.wb"};
    static const char *const tlb_names[] = {"4k.x", "4k.n", "4k"};
    struct cache_level levels[LEVELS_MAX];
    bool with_caches = false;
    struct run run;
    struct bed bed;

    run_init(&run);
    draw_pages(&bed);
    build_curve(build_bench(&run, "tlb", 1), tlb_names, &bed);
    CHECK_EQUAL(tlb_levels(&run, &run.benches[0], "4k", levels, &with_caches), 4);
    CHECK(with_caches); /* 512 lines are what the first cache holds */
    CHECK_EQUAL(tlb_levels(&run, &run.benches[0], "2m", levels, &with_caches), 0);
    draw(&bed, stepped);
    build_curve(build_bench(&run, "chase", 1), chase_names, &bed);
    check_reach(levels, tlb_levels(&run, &run.benches[0], "4k", levels, &with_caches));
    CHECK(!with_caches);
    run_add_pair(&run, &run.info, "kind", "emulated");
    CHECK_EQUAL(tlb_levels(&run, &run.benches[0], "4k", levels, &with_caches), 0);
    run_free(&run);
}

/* ---- CPUID ---- */

/* Skylake server's leaf 4, and the same as AMD's; all else is zeroes. */
static struct cpuid_result skylake(uint32_t leaf, uint32_t subleaf)
{
    static const struct cpuid_result caches[] = {
        {0x1c004121, 0x01c0003f, 0x3f, 0},
        {0x1c004122, 0x01c0003f, 0x3f, 0},
        {0x1c004143, 0x03c0003f, 0x3ff, 0},
        {0x1c03c163, 0x0280003f, 0xcfff, 4},
    };

    if (leaf == CPUID_EXTENDED + 1) {
        return (struct cpuid_result){.ecx = 1u << 22};
    }
    return (leaf == 4 || leaf == 0x8000001d) && subleaf < 4 ? caches[subleaf]
                                                            : (struct cpuid_result){0};
}

static struct cpuid_result endless(uint32_t leaf, uint32_t subleaf)
{
    (void)leaf;
    (void)subleaf;
    return (struct cpuid_result){0x223, 0x3f, 0x3f, 0};
}

static void test_cpuid(void)
{
    struct cpu_identity identity = {.max_basic = 4, .vendor = "GenuineIntel"};
    struct cache caches[CACHES_MAX];
    char text[CACHE_TEXT_MAX];
    char name[CACHE_NAME_MAX];

    CHECK_EQUAL(caches_read(skylake, &identity, caches), 4);
    CHECK_TEXT(cache_name(&caches[0], name), "1d");
    CHECK_TEXT(cache_name(&caches[1], name), "1i");
    CHECK_TEXT(cache_name(&caches[2], name), "2");
    CHECK_TEXT(cache_text(&caches[0], text), "32768 bytes, 8 ways, line 64, shared by 2");
    CHECK_TEXT(cache_text(&caches[2], text), "1048576 bytes, 16 ways, line 64, shared by 2");
    CHECK_TEXT(cache_text(&caches[3], text), "37486592 bytes, 11 ways, line 64, shared by 16");
    CHECK_EQUAL(caches_largest(skylake, &identity), 37486592);
    identity.max_basic = 3;
    CHECK_EQUAL(caches_read(skylake, &identity, caches), 0);
    CHECK_EQUAL(caches_largest(skylake, &identity), 0);
    strcpy(identity.vendor, "AuthenticAMD");
    identity.max_extended = 0x8000001c;
    CHECK_EQUAL(caches_read(skylake, &identity, caches), 0);
    identity.max_extended = 0x8000001d;
    CHECK_EQUAL(caches_read(skylake, &identity, caches), 4);
    identity.max_basic = 4;
    CHECK_EQUAL(caches_read(endless, &identity, caches), CACHES_MAX);
    CHECK_TEXT(cache_text(&caches[0], text), "4096 bytes, fully associative, line 64, shared by 1");
}

int main(void)
{
    RUN(test_steps());
    RUN(test_noise());
    RUN(test_outliers());
    RUN(test_blend());
    RUN(test_recorded());
    RUN(test_rest());
    RUN(test_none());
    RUN(test_claims());
    RUN(test_reach());
    RUN(test_cpuid());
    return unit_finish("unit_cache_curve");
}
