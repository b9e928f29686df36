/* SPDX-License-Identifier: BSD-2-Clause */
/* The schedule of gaps on purpose: bench/noise/inject.h. */
#include "bench/noise/inject.h"

#include <string.h>

#include "tools/tests/support/unit.h"

#define PROCESSORS 4
#define EACH       500
#define TICKS      100000000

static struct gap_injection memory[PROCESSORS][2 * EACH];
static struct gap_injection *lists[PROCESSORS] = {memory[0], memory[1], memory[2], memory[3]};
static size_t counts[PROCESSORS];

/* An iteration takes 16 ticks, a PAUSE 100. */
static const struct inject_plan plan = {
    .world = EACH,
    .local = EACH,
    .seed = 7,
    .ticks = TICKS,
    .shortest = 8000,
    .longest = 40000,
    .processors = PROCESSORS,
    .iteration_microtick = 16000000,
    .pause_ticks = 100,
};

static uint64_t length_of(const struct gap_injection *injection)
{
    return injection->iterations * (injection->world ? 16 : 100);
}

static size_t worlds_of(size_t processor)
{
    size_t worlds = 0;

    for (size_t i = 0; i < counts[processor]; i++) {
        worlds += memory[processor][i].world ? 1 : 0;
    }
    return worlds;
}

static size_t total(void)
{
    return counts[0] + counts[1] + counts[2] + counts[3];
}

static void test_counts(void)
{
    inject_draw(&plan, lists, counts);
    CHECK_EQUAL(total(), 2 * EACH);
    CHECK_EQUAL(worlds_of(0) + worlds_of(1) + worlds_of(2) + worlds_of(3), EACH);
    for (size_t i = 0; i < PROCESSORS; i++) {
        CHECK(counts[i] > EACH / 4);
        CHECK(worlds_of(i) > EACH / 16);
    }
}

/* In the order of time over all processors: as long as the longest lies between two. */
static void test_apart(void)
{
    size_t next[PROCESSORS] = {0};
    uint64_t end = 0;
    size_t wrong = 0;

    inject_draw(&plan, lists, counts);
    for (size_t i = 0; i < 2 * EACH; i++) {
        size_t first = PROCESSORS;

        for (size_t p = 0; p < PROCESSORS; p++) {
            if (next[p] < counts[p] &&
                (first == PROCESSORS ||
                 memory[p][next[p]].time < memory[first][next[first]].time)) {
                first = p;
            }
        }
        if (first == PROCESSORS) {
            wrong++;
            break;
        }
        const struct gap_injection *injection = &memory[first][next[first]++];

        wrong += injection->time < end + plan.longest / 2;
        wrong += length_of(injection) > plan.longest;
        wrong += length_of(injection) + 100 < plan.shortest;
        end = injection->time + length_of(injection);
    }
    CHECK_EQUAL(wrong, 0);
    CHECK(end < plan.ticks);
}

static void test_everywhere(void)
{
    struct inject_plan all = plan;

    all.everywhere = true;
    inject_draw(&all, lists, counts);
    CHECK_EQUAL(total(), EACH + PROCESSORS * EACH);
    for (size_t i = 0; i < PROCESSORS; i++) {
        CHECK_EQUAL(worlds_of(i), EACH);
    }
}

static void test_seed(void)
{
    static struct gap_injection before[2 * EACH];
    struct inject_plan other = plan;

    inject_draw(&plan, lists, counts);
    memcpy(before, memory[0], sizeof(before));
    inject_draw(&plan, lists, counts);
    CHECK(memcmp(before, memory[0], counts[0] * sizeof(before[0])) == 0);
    other.seed++;
    inject_draw(&other, lists, counts);
    CHECK(memcmp(before, memory[0], counts[0] * sizeof(before[0])) != 0);
}

static void test_fits(void)
{
    struct inject_plan other = plan;

    CHECK(inject_fits(&plan));
    other.longest = TICKS / (2 * EACH);
    CHECK(!inject_fits(&other));
    other = plan;
    other.shortest = plan.longest + 1;
    CHECK(!inject_fits(&other));
}

/* Of no pass of the loop: at least one iteration. */
static void test_short(void)
{
    struct inject_plan other = plan;

    other.shortest = other.longest = 1;
    inject_draw(&other, lists, counts);
    for (size_t i = 0; i < counts[0]; i++) {
        CHECK_EQUAL(memory[0][i].iterations, 1);
    }
}

int main(void)
{
    RUN(test_counts());
    RUN(test_apart());
    RUN(test_everywhere());
    RUN(test_seed());
    RUN(test_fits());
    RUN(test_short());
    return unit_finish("unit_inject");
}
