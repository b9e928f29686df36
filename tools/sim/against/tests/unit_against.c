/* SPDX-License-Identifier: BSD-2-Clause */
/* Predictions against simulated runs. With the overheads of the runs, predictions must hold at
 * their stated rate; with other overheads they must not. */
#include <math.h>
#include <stdlib.h>

#include "tools/sim/against/against.h"
#include "tools/sim/against/against_parts.h"
#include "tools/sim/against/against_views.h"
#include "tools/sim/engine/engine.h"
#include "tools/stats/summary.h"
#include "tools/tests/support/run_builder.h"
#include "tools/tests/support/unit.h"

#define PASSES   100
#define SEEDS    100
#define UNIT_NS  50000
#define CAPACITY 20000

/* Shub's reconstructed input, with few passes. */
static const char text[] = "100\n2.2 13 15\n1.5 30 3\n20 10\n3\n7.1 low\n5.5 medium\n0.3 low\n";

static const struct sim_overhead overhead = {
    .interrupt = 0.3, .switching = 0.2, .receive = 0.1, .portion = 0.03, .send = 0.12, .end = 0.15};

struct received {
    int64_t response[CAPACITY], low[CAPACITY], medium[CAPACITY];
    size_t responses, lows, mediums;
};

static void receive_response(void *context, size_t stimulus, double time, double transit)
{
    struct received *received = context;

    (void)time;
    if (stimulus == 0 && received->responses < CAPACITY) {
        received->response[received->responses++] = llround(transit * UNIT_NS);
    }
}

static void receive_wait(void *context, const struct sim_event *event)
{
    struct received *received = context;

    if (event->kind != SIM_BEGIN || event->load == SIM_NONE) {
        return;
    }
    if (event->level == 0 && received->lows < CAPACITY) {
        received->low[received->lows++] = llround(event->amount * UNIT_NS);
    } else if (event->level == 1 && received->mediums < CAPACITY) {
        received->medium[received->mediums++] = llround(event->amount * UNIT_NS);
    }
}

static void model_open(struct sim_model *model)
{
    struct sim_model_error error;

    CHECK(sim_model_read(model, text, strlen(text), ".", NULL, 0, &error));
    model->unit_ns = UNIT_NS;
    model->overhead = overhead;
}

/* One run of the model as it is, with its own overheads. */
static void play(const struct sim_model *model, uint64_t seed, struct received *received)
{
    const struct sim_observer observer = {receive_wait, receive_response, received};
    const struct sim_limits limits = {.seed = seed, .passes = PASSES};
    struct sim_tally tally;
    char error[SIM_LAW_ERROR_MAX];

    memset(received, 0, sizeof(*received));
    sim_tally_init(&tally, model, NULL, 0, NULL, 0, false);
    CHECK(sim_simulate(model, &limits, &observer, &tally, error));
    sim_tally_free(&tally);
}

struct bed {
    struct sim_model model;
    struct received received;
    struct run run;
    struct run_bench *bench;
    char *plan;
};

static void bed_open(struct bed *bed, uint64_t seed)
{
    memset(bed, 0, sizeof(*bed));
    model_open(&bed->model);
    play(&bed->model, seed, &bed->received);
    run_init(&bed->run);
    bed->run.verdict = (struct run_verdict){.present = true, .ok = true, .hz = 1000000000};
    run_add_pair(&bed->run, &bed->run.info, "kind", "model");
    bed->plan = sim_model_text(&bed->model);
    bed->run.plan_text = bed->plan;
    bed->bench = build_bench(&bed->run, "model", 1);
    build_fact(bed->bench, "unit", UNIT_NS);
    build_fact(bed->bench, "seed", (int64_t)seed);
    build_series(bed->bench, "response", NULL, NULL, bed->received.response,
                 bed->received.responses);
    build_series(bed->bench, "wait.low", NULL, NULL, bed->received.low, bed->received.lows);
    build_series(bed->bench, "wait.medium", NULL, NULL, bed->received.medium,
                 bed->received.mediums);
}

static void bed_close(struct bed *bed)
{
    run_free(&bed->run);
    free(bed->plan);
    sim_model_free(&bed->model);
}

static void bed_compare(struct bed *bed, size_t replications, size_t jobs, struct against *against)
{
    const struct against_plan plan = {.replications = replications, .seed = 5, .jobs = jobs};
    struct against_measured measured;
    char error[AGAINST_ERROR_MAX] = "";

    CHECK(against_read(&measured, &bed->run, &bed->model, error));
    CHECK_TEXT(error, "");
    CHECK_EQUAL(measured.passes, PASSES);
    CHECK_EQUAL(measured.count, 3);
    CHECK(against_compare(against, &bed->model, &measured, &plan, error));
}

/* ---- distances ---- */

/* By the definition, at every value of either and just below it. */
static double slow_distance(const double *a, size_t n, const double *b, size_t m)
{
    double distance = 0;

    for (size_t i = 0; i < n + m; i++) {
        const double x = i < n ? a[i] : b[i - n];
        double upto_a = 0, upto_b = 0, below_a = 0, below_b = 0;

        for (size_t k = 0; k < n; k++) {
            upto_a += a[k] <= x;
            below_a += a[k] < x;
        }
        for (size_t k = 0; k < m; k++) {
            upto_b += b[k] <= x;
            below_b += b[k] < x;
        }
        distance = fmax(distance, fabs(upto_a / (double)n - upto_b / (double)m));
        distance = fmax(distance, fabs(below_a / (double)n - below_b / (double)m));
    }
    return distance;
}

static void test_distance(void)
{
    const double one[] = {1, 2, 3, 4};
    const double two[] = {1, 2, 3.5, 9};
    uint64_t state = 7;

    CHECK(against_distance_of(one, 4, one, 4, 0) == 0);
    CHECK(against_distance_of(one, 4, two, 4, 0) == 0.25);
    CHECK(against_distance_of(one, 1, two + 1, 1, 0) == 1);
    /* 3.5 is 3 and 4 at once to a resolution of 0.5; 9 is not 4. */
    CHECK(against_distance_of(one, 3, two, 3, 0.4) == against_distance_of(one, 3, two, 3, 0));
    CHECK(against_distance_of(one, 3, two, 3, 0.5) == 0);
    CHECK(against_distance_of(one, 4, two, 4, 0.5) == 0.25);
    for (int round = 0; round < 50; round++) {
        double a[30];
        double b[40];

        for (size_t i = 0; i < 30; i++) {
            a[i] = (double)(unit_random(&state) % 20);
        }
        for (size_t i = 0; i < 40; i++) {
            b[i] = (double)(unit_random(&state) % 25);
        }
        summary_sort(a, 30);
        summary_sort(b, 40);
        CHECK(fabs(against_distance_of(a, 30, b, 40, 0) - slow_distance(a, 30, b, 40)) < 1e-12);
    }
}

/* ---- predictions ---- */

static void sorted_responses(const struct received *received, double values[PASSES])
{
    for (size_t i = 0; i < PASSES; i++) {
        values[i] = (double)received->response[i] / UNIT_NS;
    }
    summary_sort(values, PASSES);
}

static double worst_of(const struct against *against, size_t series, const int64_t *samples,
                       size_t n)
{
    static double values[CAPACITY];
    double worst = 0;

    for (size_t i = 0; i < n; i++) {
        values[i] = (double)samples[i] / UNIT_NS;
    }
    summary_sort(values, n);
    for (enum against_statistic i = 0; i < AGAINST_STATISTICS; i++) {
        if (against_is_judged(i, series > 0)) {
            worst = fmax(worst, against_excess(&against->with.band[series * AGAINST_STATISTICS + i],
                                               against_statistic_of(values, n, i), 1e-4));
        }
    }
    return worst;
}

/* Does the verdict take another run of the model? */
static bool is_taken(const struct against *against, const struct received *received)
{
    const double worst = fmax(worst_of(against, 0, received->response, received->responses),
                              fmax(worst_of(against, 1, received->low, received->lows),
                                   worst_of(against, 2, received->medium, received->mediums)));

    return worst <= against->with.worst_usual;
}

/* Of 100 other runs of the same model, each judged statistic must lie inside in about 95: fewer
 * than 87 would be chance in less than 1 of 100. */
static void test_coverage(void)
{
    static struct bed bed;
    static struct received received;
    struct against against;
    double values[PASSES];
    const struct against_series series = {.values = values, .n = PASSES};
    size_t with[AGAINST_STATISTICS] = {0};
    size_t near = 0, mean_without = 0, taken = 0;

    bed_open(&bed, 1);
    bed_compare(&bed, 200, 0, &against);
    for (uint64_t seed = 0; seed < SEEDS; seed++) {
        play(&bed.model, 1000 + seed, &received);
        sorted_responses(&received, values);
        taken += is_taken(&against, &received);
        for (enum against_statistic i = 0; i < AGAINST_STATISTICS; i++) {
            with[i] += against_inside(&against.with.band[i], against_value(&series, i),
                                      against.measured.resolution);
        }
        near += against_distance_of(values, PASSES, against.with.pool, against.with.pool_count,
                                    against.measured.resolution) <= against.distance_with.usual;
        mean_without +=
            against_inside(&against.without.band[AGAINST_MEAN],
                           against_value(&series, AGAINST_MEAN), against.measured.resolution);
    }
    for (enum against_statistic i = 0; i < AGAINST_STATISTICS; i++) {
        CHECK(!against_is_judged(i, false) || with[i] >= 87);
    }
    CHECK(near >= 87);
    CHECK(taken >= 87);
    CHECK(mean_without < SEEDS / 4);
    CHECK(against.with.worst_usual > 1.96 && against.with.worst_usual < 5);
    against_free(&against);
    bed_close(&bed);
}

static void test_compare(void)
{
    static struct bed bed;
    struct against against;
    struct against again;
    double sum;

    bed_open(&bed, 6);
    bed_compare(&bed, 40, 1, &against);
    bed_compare(&bed, 40, 3, &again);
    CHECK(against_agrees(&against.with));
    CHECK(!against_agrees(&against.without));
    CHECK(against.difference > 2 * against.remainder_error);
    CHECK(fabs(against.remainder) < 3 * against.remainder_error);
    sum = against.remainder;
    for (size_t i = 0; i < AGAINST_PARTS; i++) {
        CHECK(against.part[i].added > 3 * against.part[i].added_error);
        sum += against.part[i].added;
    }
    CHECK(fabs(sum - against.difference) < 1e-9);
    CHECK(against.distance_with.distance <= against.distance_with.usual);
    CHECK(against.distance_with.low == 0);
    CHECK(against.distance_without.distance > against.distance_without.usual);
    CHECK(against.distance_without.low > 0);
    CHECK(against.distance_without.chance == 0);
    for (size_t i = 0; i < AGAINST_PARTS; i++) {
        CHECK(again.part[i].added == against.part[i].added);
    }
    CHECK(again.with.band[AGAINST_P99].high == against.with.band[AGAINST_P99].high);
    CHECK(again.distance_with.chance == against.distance_with.chance);
    CHECK(again.distance_with.low == against.distance_with.low);
    CHECK_EQUAL(against.with.pool_count, PASSES * 40);
    CHECK(!against.with.band[AGAINST_P999].reported);
    against_free(&again);
    against_free(&against);
    bed_close(&bed);
}

/* Responses are as predicted, and one wait in ten is longer: the verdict sees it. */
static void test_waits_count(void)
{
    static struct bed bed;
    struct against against;

    bed_open(&bed, 6);
    struct run_series *medium = run_find_series(bed.bench, "wait.medium");

    for (size_t i = 0; i < medium->n; i++) {
        medium->samples[i] += i % 10 == 0 ? 5 * UNIT_NS : 0;
    }
    bed_compare(&bed, 40, 0, &against);
    CHECK(!against_agrees(&against.with));
    CHECK_TEXT(against.measured.series[against.with.worst_series].name, "wait.medium");
    CHECK(against_visible(&against) > 0 && against_visible(&against) < 1);
    against_free(&against);
    bed_close(&bed);
}

/* ---- what is refused ---- */

static void refused(const struct run *run, const struct sim_model *model, const char *because)
{
    struct against_measured measured;
    char error[AGAINST_ERROR_MAX] = "";

    CHECK(!against_read(&measured, run, model, error));
    if (strstr(error, because) == NULL) {
        CHECK_TEXT(error, because);
    }
}

static void test_refused(void)
{
    static struct bed bed;
    struct run empty;

    run_init(&empty);
    bed_open(&bed, 2);
    refused(&empty, &bed.model, "no bench model");
    bed.bench->state = "ERROR";
    bed.bench->reason = "more than 8 in line";
    refused(&bed.run, &bed.model, "ERROR: more than 8 in line");
    bed.bench->state = "OK";
    bed.model.unit_ns = 20000;
    refused(&bed.run, &bed.model, "its unit of time is 50000 ns, that of this MODEL 20000 ns");
    bed.model.unit_ns = UNIT_NS;
    bed.model.overhead.send = 9;
    refused(&bed.run, &bed.model, "another model or of other settings");
    bed.model.overhead = overhead;
    bed.run.verdict.ok = false;
    refused(&bed.run, &bed.model, "rate of its clock");
    bed.run.verdict.ok = true;
    build_hole(run_find_series(bed.bench, "response"), 3);
    refused(&bed.run, &bed.model, "series response is not whole: 99 of 100");
    bed_close(&bed);
    run_free(&empty);
}

/* ---- what is shown ---- */

static void contains(const char *shown, const char *part)
{
    if (strstr(shown, part) == NULL) {
        CHECK_TEXT(shown, part);
    }
    CHECK(strstr(shown, part) != NULL);
}

static size_t longest_line(const char *shown)
{
    size_t longest = 0;

    for (; *shown != '\0'; shown += strcspn(shown, "\n"), shown += *shown == '\n') {
        const size_t length = strcspn(shown, "\n");

        longest = length > longest ? length : longest;
    }
    return longest;
}

static void test_shown(void)
{
    static const struct against_names names = {"paper.model", "run.db", 99};
    static struct bed bed;
    struct against against;
    struct figures figures;
    char *shown = NULL;
    size_t size;
    FILE *out;

    bed_open(&bed, 6);
    bed_compare(&bed, 40, 0, &against);
    out = open_memstream(&shown, &size);
    against_print(out, &against, &bed.run, &names);
    fclose(out);
    contains(shown, "paper.model against run.db");
    contains(shown, "agrees: largest z");
    contains(shown, "Without overheads the mean is predicted too low");
    contains(shown, "low mean");
    CHECK(longest_line(shown) <= 80);
    free(shown);
    out = open_memstream(&shown, &size);
    against_json(out, &against, &bed.run, &names);
    fclose(out);
    contains(shown, "\"agrees\": true");
    contains(shown, "\"kolmogorov_smirnov\"");
    free(shown);
    figures_init(&figures);
    against_figures(&figures, &against);
    CHECK_EQUAL(figures.count, 6);
    CHECK_TEXT(figures.item[0].id, "density");
    CHECK_EQUAL(figures.item[0].series_count, 3);
    figures_free(&figures);
    against_free(&against);
    bed_close(&bed);
}

int main(void)
{
    RUN(test_distance());
    RUN(test_coverage());
    RUN(test_compare());
    RUN(test_waits_count());
    RUN(test_refused());
    RUN(test_shown());
    return unit_finish("unit_against");
}
