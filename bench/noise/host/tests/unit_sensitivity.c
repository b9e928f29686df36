/* SPDX-License-Identifier: BSD-2-Clause */
/* The 99 % point of synthetic curves, what it proves, and false alarms. */
#include "bench/noise/host/sensitivity.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "bench/noise/names.h"
#include "tools/tests/support/run_builder.h"
#include "tools/tests/support/unit.h"

#define CURVE(...)                                                                                 \
    {                                                                                              \
        .detector = DETECTOR_GAP, .injector = INJECTOR_TIMER,                                      \
        .lengths = (struct sensitivity_length[]){__VA_ARGS__},                                     \
        .n =                                                                                       \
            sizeof((struct sensitivity_length[]){__VA_ARGS__}) / sizeof(struct sensitivity_length) \
    }

static void test_step(void)
{
    const struct sensitivity_curve step =
        CURVE({10, 100, 0}, {20, 100, 0}, {30, 100, 100}, {40, 100, 100});
    struct sensitivity_point point;

    CHECK(sensitivity_point_of(&step, &point));
    CHECK_EQUAL(point.ticks, 30);
    CHECK(!point.at_most);
    CHECK_EQUAL(point.missed, 20);
    CHECK_EQUAL(point.tried, 100);
    /* 0.05^(1/100). */
    CHECK(fabs(point.proven - pow(0.05, 0.01)) < 1e-9);
}

/* 99 of 100 are enough, 98 are not; one that is longer and missed decides, whatever is below it. */
static void test_rule(void)
{
    const struct sensitivity_curve enough = CURVE({10, 100, 98}, {20, 100, 99}, {30, 100, 100});
    const struct sensitivity_curve late =
        CURVE({10, 100, 100}, {20, 100, 100}, {30, 100, 98}, {40, 100, 100});
    const struct sensitivity_curve never = CURVE({10, 100, 100}, {20, 100, 98});
    struct sensitivity_point point;

    CHECK(sensitivity_point_of(&enough, &point));
    CHECK_EQUAL(point.ticks, 20);
    CHECK_EQUAL(point.missed, 10);
    /* P(B >= 99) = 0.05 of 100 trials: p = 0.953440 (Clopper and Pearson, one-sided). */
    CHECK(fabs(point.proven - 0.953440) < 1e-5);
    CHECK(sensitivity_point_of(&late, &point));
    CHECK_EQUAL(point.ticks, 40);
    CHECK_EQUAL(point.missed, 30);
    CHECK(!sensitivity_point_of(&never, &point));
}

/* Lengths that nothing was tried of neither make the point nor spoil it. */
static void test_not_tried(void)
{
    const struct sensitivity_curve holes =
        CURVE({10, 50, 0}, {20, 0, 0}, {30, 50, 50}, {40, 0, 0}, {50, 50, 50}, {60, 0, 0});
    const struct sensitivity_curve none = CURVE({10, 0, 0}, {20, 0, 0});
    const struct sensitivity_curve lowest = CURVE({10, 0, 0}, {20, 299, 299});
    struct sensitivity_point point;

    CHECK(sensitivity_point_of(&holes, &point));
    CHECK_EQUAL(point.ticks, 30);
    CHECK_EQUAL(point.missed, 10);
    CHECK(!sensitivity_point_of(&none, &point));
    CHECK(sensitivity_point_of(&lowest, &point));
    CHECK_EQUAL(point.ticks, 20);
    CHECK(point.at_most);
    /* So many prove 99 %, and one less does not. */
    CHECK(point.proven >= 0.99);
    CHECK(pow(0.05, 1.0 / 298) < 0.99);
}

static void build_curve(struct run_bench *bench, const char *name, const int64_t *length,
                        const int64_t *found, size_t n)
{
    static char names[32][48];
    static size_t used;
    int64_t tried[8];
    char *texts[5];

    for (size_t i = 0; i < n; i++) {
        tried[i] = 10;
    }
    for (size_t i = 0; i < 5; i++) {
        texts[i] = names[used++ % 32];
    }
    snprintf(texts[0], sizeof(names[0]), "%s%s", name, SUFFIX_LENGTH);
    snprintf(texts[1], sizeof(names[0]), "%s%s", name, SUFFIX_TRIED);
    snprintf(texts[2], sizeof(names[0]), "%s%s", name, SUFFIX_FOUND);
    snprintf(texts[3], sizeof(names[0]), "%s%s", name, SUFFIX_READINGS);
    snprintf(texts[4], sizeof(names[0]), "%s%s", name, SUFFIX_ALARMS);
    build_series(bench, texts[0], NULL, NULL, length, n);
    build_series(bench, texts[1], NULL, NULL, tried, n);
    build_series(bench, texts[2], NULL, NULL, found, n);
    build_fact(bench, texts[3], 3000);
    build_fact(bench, texts[4], 6);
}

/* Lengths come in any order: those that narrow the point are behind the sweep. */
static const int64_t lengths[] = {100, 200, 400, 300};
static const int64_t by_timer[] = {0, 0, 10, 10};
static const int64_t by_spin[] = {10, 10, 10, 10};
static const int64_t missed[] = {0, 0, 0, 0};

static void test_run(void)
{
    struct run run;
    struct sensitivity_curve curve;
    struct view view;
    char text[SENSITIVITY_TEXT_MAX];
    size_t index = 0;

    run_init(&run);
    view_init(&view, NULL, &run);
    CHECK(strstr(sensitivity_text(&view, DETECTOR_GAP, text), "unknown") != NULL);
    struct run_bench *bench = build_bench(&run, BENCH_SENSITIVITY, 1);

    build_curve(bench, DETECTOR_GAP "." INJECTOR_SPIN, lengths, by_spin, 4);
    build_curve(bench, DETECTOR_GAP "." INJECTOR_TIMER, lengths, by_timer, 4);
    build_curve(bench, DETECTOR_SELFISH "." INJECTOR_SPIN, lengths, by_spin, 4);
    build_curve(bench, DETECTOR_FWQ "." INJECTOR_TIMER, lengths, missed, 4);
    CHECK(sensitivity_curve_next(bench, &index, &curve));
    CHECK(strcmp(curve.injector, INJECTOR_TIMER) == 0);
    CHECK_EQUAL(curve.lengths[2].ticks, 300);
    CHECK(fabs(sensitivity_alarms(&curve) - 2000) < 1e-9);
    CHECK(fabs(sensitivity_alarms_bound(&curve) - 1000) < 1e-9);
    sensitivity_curve_free(&curve);
    CHECK(strstr(sensitivity_text(&view, DETECTOR_GAP, text), "gaps of 300") != NULL);
    CHECK(strstr(sensitivity_text(&view, DETECTOR_SELFISH, text),
                 "gaps of 100 ticks, the shortest tried, or more") != NULL);
    CHECK(strstr(sensitivity_text(&view, DETECTOR_FWQ, text), "even gaps of 400") != NULL);
    CHECK(strstr(sensitivity_text(&view, DETECTOR_FTQ, text), "unknown") != NULL);
    run_find_series(bench, DETECTOR_SELFISH "." INJECTOR_SPIN SUFFIX_FOUND)->samples[2] = 11;
    CHECK(strstr(sensitivity_text(&view, DETECTOR_SELFISH, text), "unknown") != NULL);
    build_hole(run_find_series(bench, DETECTOR_GAP "." INJECTOR_TIMER SUFFIX_FOUND), 1);
    /* That of spin is the next. */
    CHECK(strstr(sensitivity_text(&view, DETECTOR_GAP, text), "gaps of 100") != NULL);
    run_free(&run);
}

int main(void)
{
    RUN(test_step());
    RUN(test_rule());
    RUN(test_not_tried());
    RUN(test_run());
    return unit_finish("unit_sensitivity");
}
