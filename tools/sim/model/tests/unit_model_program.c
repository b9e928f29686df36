/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * What the image plays of a model: draws without floating point against the laws that they are of,
 * the program's grammar, the program that is made of a model, and the costs that are read back.
 */
#include <math.h>
#include <stdlib.h>

#include "kernel/plan/program.h"
#include "tools/sim/model/program.h"
#include "tools/tests/support/run_builder.h"
#include "tools/tests/support/unit.h"

#define DRAWS 200000

/* ---- draws ---- */

static void check_log(uint64_t x)
{
    const long double exact = (64 * logl(2) - logl((long double)x)) * 0x1p32L;
    const long double found = (long double)draw_log(x);

    CHECK(found <= exact + 1e-3L);
    CHECK(found > exact - 2);
}

static void test_logarithm(void)
{
    uint64_t random = 88172645463325252ull;

    for (unsigned shift = 0; shift < 64; shift++) {
        check_log(1ull << shift);
        check_log((1ull << shift) | 1);
        check_log(UINT64_MAX >> shift);
    }
    for (int i = 0; i < 20000; i++) {
        check_log(unit_random(&random) >> i % 60 | 1);
    }
}

/* Mean and second moment within 4.5 standard errors; `fourth` is E[X^4]. */
static void check_moments(const struct draw_law *law, double mean, double second, double fourth)
{
    struct draw_random random;
    double sum = 0;
    double squares = 0;

    draw_seed(&random, 7, (uint64_t)law->kind);
    for (int i = 0; i < DRAWS; i++) {
        const double value = (double)draw_law(law, &random) + 0.5; /* it is rounded down */

        sum += value;
        squares += value * value;
    }
    const double error = sqrt(fmax(0, second - mean * mean) / DRAWS);
    const double error_squares = sqrt(fmax(0, fourth - second * second) / DRAWS);

    CHECK(fabs(sum / DRAWS - mean) <= 4.5 * error + 0.5);
    CHECK(fabs(squares / DRAWS - second) <= 4.5 * error_squares + 2 * mean);
    CHECK(fabs((double)draw_mean(law) - mean) <= 2);
}

/* E[X^n] of the uniform law on [low, high]. */
static double uniform_moment(double low, double high, int n)
{
    return (pow(high, n + 1) - pow(low, n + 1)) / (n + 1) / (high - low);
}

static void test_moments(void)
{
    const struct draw_law constant = {.kind = DRAW_CONSTANT, .low = 12345};
    const struct draw_law uniform = {.kind = DRAW_UNIFORM, .low = 20000, .high = 100000};
    const struct draw_law exponential = {.kind = DRAW_EXPONENTIAL, .low = 919041};
    const struct draw_law tailed = {
        .kind = DRAW_TAILED, .low = 122500, .high = 650000, .tail = 150000000};
    static const uint64_t values[] = {10000, 20000, 60000};
    const struct draw_law empirical = {.kind = DRAW_EMPIRICAL, .values = values, .count = 3};
    double moment[5];

    check_moments(&constant, 12345, 12345. * 12345, pow(12345, 4));
    check_moments(&uniform, 60000, uniform_moment(20000, 100000, 2),
                  uniform_moment(20000, 100000, 4));
    check_moments(&exponential, 919041, 2 * pow(919041, 2), 24 * pow(919041, 4));
    for (int n = 1; n <= 4; n++) {
        moment[n] = .85 * uniform_moment(0, 122500, n) + .15 * uniform_moment(122500, 650000, n);
    }
    CHECK(fabs(moment[1] - 110000) < 1e-6); /* 2.2 units of 50 us */
    check_moments(&tailed, moment[1], moment[2], moment[4]);
    for (int n = 1; n <= 4; n++) {
        moment[n] = (pow(10000, n) + pow(20000, n) + pow(60000, n)) / 3;
    }
    check_moments(&empirical, moment[1], moment[2], moment[4]);
}

static int compare(const void *left, const void *right)
{
    const uint64_t a = *(const uint64_t *)left;
    const uint64_t b = *(const uint64_t *)right;

    return a < b ? -1 : a > b;
}

/* The greatest distance from the distribution is beyond 1.63 / sqrt(n) once in 100 samples. */
static void test_exponential_shape(void)
{
    static uint64_t drawn[DRAWS];
    const struct draw_law law = {.kind = DRAW_EXPONENTIAL, .low = 1000000000};
    struct draw_random random;
    double distance = 0;

    draw_seed(&random, 1, 0);
    for (int i = 0; i < DRAWS; i++) {
        drawn[i] = draw_law(&law, &random);
    }
    qsort(drawn, DRAWS, sizeof(drawn[0]), compare);
    for (int i = 0; i < DRAWS; i++) {
        const double below = -expm1(-(double)drawn[i] / 1e9);

        distance = fmax(distance, fmax(below - (double)i / DRAWS, (i + 1.) / DRAWS - below));
    }
    CHECK(distance < 1.63 / sqrt(DRAWS));
    CHECK((double)drawn[DRAWS - 1] < 44.5e9);
}

static void test_streams(void)
{
    struct draw_random a, b, c, d;

    draw_seed(&a, 1, 0);
    draw_seed(&b, 1, 0);
    draw_seed(&c, 1, 1);
    draw_seed(&d, 2, 0);
    const uint64_t first = draw_next(&a);

    CHECK(draw_next(&b) == first);
    CHECK(draw_next(&c) != first);
    CHECK(draw_next(&d) != first);
    CHECK(draw_next(&a) != first);
}

/* ---- the grammar ---- */

static const char order_text[] =
    "seed 3 unit 50000 passes 1\nhorizon 400000000 turns level low level high-1\n"
    "process P 0 process Q 1\n"
    "load 1 renewal exponential 1000 tailed 10 30 500000000\n"
    "load 0 trace 2 5 7 empirical 3 9 8 9\n"
    "stimulus A cycle 77 await 0 constant 1 serve 1 uniform 2 4 serve 0 constant 5 stop 1 constant "
    "6\n"
    "stimulus B trace 1 0 stop 0 exponential 8";

static void test_reading(void)
{
    static struct program program;
    char error[PROGRAM_ERROR_MAX] = "";

    CHECK(program_read(&program, order_text, error));
    CHECK_TEXT(error, "");
    CHECK_EQUAL(program.seed, 3);
    CHECK_EQUAL(program.unit_ns, 50000);
    CHECK_EQUAL(program.passes, 1);
    CHECK_EQUAL(program.horizon_ns, 400000000);
    CHECK(program.turns);
    CHECK_EQUAL(program.level_count, 2);
    CHECK_TEXT(program.level[1], "high-1");
    CHECK_EQUAL(program.process_count, 2);
    CHECK_TEXT(program.process[1].name, "Q");
    CHECK_EQUAL(program.process[1].level, 1);
    CHECK_EQUAL(program.load[0].level, 1);
    CHECK_EQUAL(program.load[0].arrivals.law.low, 1000);
    CHECK_EQUAL(program.load[0].service.high, 30);
    CHECK_EQUAL(program.load[0].service.tail, 500000000);
    CHECK_EQUAL(program.load[1].arrivals.kind, PROGRAM_TRACE);
    CHECK_EQUAL(program.load[1].arrivals.times[1], 7);
    CHECK_EQUAL(program.load[1].service.count, 3);
    CHECK_EQUAL(program.load[1].service.values[1], 8);
    CHECK_EQUAL(program.stimulus[0].arrivals.law.low, 77);
    CHECK_EQUAL(program.stimulus[0].stop_count, 4);
    CHECK(program.stop[0].awaits && !program.stop[1].awaits);
    CHECK_EQUAL(program.stop[1].level, 1);
    CHECK_EQUAL(program.stop[3].process, PROGRAM_NONE);
    CHECK_EQUAL(program.stimulus[1].first_stop, 4);
    CHECK_TEXT(program.stimulus[1].name, "B");
    CHECK_EQUAL(program.stop[4].service.kind, DRAW_EXPONENTIAL);
}

static void test_reading_processors(void)
{
    static const char text[] =
        "passes 1 horizon 9 level low level high processor front processor back\n"
        "transmission uniform 20 60 process P 1 on 1 process Q 0\n"
        "load 1 on 1 renewal constant 5 constant 1 load 0 renewal constant 6 constant 1\n"
        "stimulus A cycle 7 serve 0 constant 1 stop 0 on 1 constant 2 serve 1 constant 3";
    static struct program program;
    char error[PROGRAM_ERROR_MAX] = "";

    CHECK(program_read(&program, text, error));
    CHECK_TEXT(error, "");
    CHECK_EQUAL(program.processor_count, 2);
    CHECK_TEXT(program.processor[1], "back");
    CHECK_EQUAL(program.transmission.kind, DRAW_UNIFORM);
    CHECK_EQUAL(program.transmission.high, 60);
    CHECK_EQUAL(program.process[0].processor, 1);
    CHECK_EQUAL(program.process[1].processor, 0);
    CHECK_EQUAL(program.load[0].processor, 1);
    CHECK_EQUAL(program.load[0].arrivals.law.low, 5);
    CHECK_EQUAL(program.load[1].processor, 0);
    CHECK_EQUAL(program.stop[0].processor, 1);
    CHECK_EQUAL(program.stop[0].level, 1);
    CHECK_EQUAL(program.stop[1].processor, 1);
    CHECK_EQUAL(program.stop[2].processor, 0);
}

static void refused(const char *text, const char *why)
{
    static struct program program;
    char error[PROGRAM_ERROR_MAX] = "";

    CHECK(!program_read(&program, text, error));
    CHECK(strstr(error, why) != NULL);
    if (strstr(error, why) == NULL) {
        fprintf(stderr, "\"%s\": %s\n", text, error);
    }
}

static void test_refusals(void)
{
    refused("", "no load and no stimulus");
    refused("seed x", "word 2, \"x\": expected a whole number");
    refused("seed 18446744073709551616", "a whole number");
    refused("seed", "at the end: expected a whole number");
    refused("passes 1000001", "at most 1000000");
    refused("unit 1000000000000001", "at most 1000000000000000");
    refused("walk 3", "\"walk\": no statement");
    refused("level a{b", "a name of 1 to 23");
    refused("level abcdefghijklmnopqrstuvwx", "a name of 1 to 23");
    refused("process P 0", "no level with this number");
    refused("level a load 1", "no level with this number");
    refused("level a load 0 on 0", "no processor with this number");
    refused("level a processor p stimulus A cycle 1 stop 0 on 1", "no processor with");
    refused("level a processor p process P 0 on x", "a whole number");
    refused("processor a{b", "a name of 1 to 23");
    refused("transmission", "at the end: expected constant, uniform");
    refused("level a load 0 cycle 5", "renewal or trace");
    refused("level a load 0 renewal constant 0", "a mean of 0");
    refused("level a load 0 renewal gamma 1", "constant, uniform, tailed");
    refused("level a load 0 trace 0", "at least one value");
    refused("level a load 0 trace 513", "at most 512");
    refused("level a load 0 trace 2 5 4", "times must increase: 4 follows 5");
    refused("level a load 0 renewal constant 1 uniform 5 4", "below the lower end 5");
    refused("level a load 0 renewal constant 1 tailed 5 6 1000000001", "at most 1000000000");
    refused("stop 0 constant 1", "before the first stimulus");
    refused("level a passes 1 horizon 1 stimulus A cycle 1", "stimulus A has no stop");
    refused("level a process P 0 passes 1 horizon 1 stimulus A cycle 1 await 0 constant 1",
            "does not come back");
    refused("level a process P 0 passes 1 horizon 1 stimulus A cycle 1 await 0 constant 1 "
            "serve 0 constant 1 serve 0 constant 1",
            "does not come back");
    refused("level a horizon 1 stimulus A cycle 1 stop 0 constant 1", "need each other");
    refused("level a passes 1 horizon 1 load 0 renewal constant 1 constant 1", "need each other");
    refused("level a load 0 renewal constant 1 constant 1", "no horizon");
}

/* ---- from a model ---- */

static const char paper[] = "1000\n2.2 13 15\n1.5 30 3\n20 10\n3\n7.1 low\n5.5 medium\n0.3 low\n";

static void make_paper(struct sim_model *model)
{
    static const struct sim_setting unit = {.name = "unit", .value = 50000};
    struct sim_model_error error;

    CHECK(sim_model_read(model, paper, sizeof(paper) - 1, ".", &unit, 1, &error));
}

/* The numbers are of the reference: derived there for the same input, 18.3808, 37.2115, 73.7143. */
static void test_compiling(void)
{
    static struct program program;
    struct sim_model model;
    struct sim_model_error error;
    char why[PROGRAM_ERROR_MAX];

    make_paper(&model);
    char *text = sim_program_text(&model, 9, &error);

    CHECK(text != NULL && program_read(&program, text, why));
    CHECK_EQUAL(program.seed, 9);
    CHECK_EQUAL(program.unit_ns, 50000);
    CHECK_EQUAL(program.passes, 1000);
    CHECK(program.horizon_ns > 1000 * 92.15 * 50000);
    CHECK_TEXT(program.level[0], "low");
    CHECK(fabs((double)program.load[0].arrivals.law.low - 18.3808 * 50000) < 3);
    CHECK(fabs((double)program.load[1].arrivals.law.low - 37.2115 * 50000) < 3);
    CHECK_EQUAL(program.load[0].service.low, 122500);
    CHECK_EQUAL(program.load[0].service.high, 650000);
    CHECK_EQUAL(program.load[0].service.tail, 150000000);
    CHECK_EQUAL(program.load[1].service.low, 105000);
    CHECK(fabs((double)program.stimulus[0].arrivals.law.low - 73.7143 * 50000) < 3);
    CHECK_EQUAL(program.stop_count, 3);
    CHECK_EQUAL(program.stop[0].service.low, 355000);
    CHECK_EQUAL(program.stop[1].level, 1);
    CHECK_EQUAL(program.stop[2].service.low, 15000);
    free(text);
    sim_model_free(&model);
}

static void test_compiling_processors(void)
{
    static const char text[] = "passes 10\nunit 1us\nlevels low high\nprocessors a b\n"
                               "transmission uniform 1 3\n"
                               "load x at high on b service 2 arrivals every 10\n"
                               "process P at low on b\n"
                               "stimulus S cycle delay 50\n  route low on a 1, P 2, high on b 3\n";
    static struct program program;
    struct sim_model model;
    struct sim_model_error error;
    char why[PROGRAM_ERROR_MAX];

    CHECK(sim_model_read(&model, text, sizeof(text) - 1, ".", NULL, 0, &error));
    char *compiled = sim_program_text(&model, 1, &error);

    CHECK(compiled != NULL && program_read(&program, compiled, why));
    CHECK_EQUAL(program.processor_count, 2);
    CHECK_TEXT(program.processor[0], "a");
    CHECK_EQUAL(program.transmission.low, 1000);
    CHECK_EQUAL(program.transmission.high, 3000);
    CHECK_EQUAL(program.load[0].processor, 1);
    CHECK_EQUAL(program.load[0].level, 1);
    CHECK_EQUAL(program.process[0].processor, 1);
    CHECK_EQUAL(program.stop[0].processor, 0);
    CHECK_EQUAL(program.stop[1].processor, 1);
    CHECK_EQUAL(program.stop[2].processor, 1);
    CHECK_EQUAL(program.stop[2].level, 1);
    free(compiled);
    sim_model_free(&model);
}

static void not_compiled(const struct sim_model *model, const char *why)
{
    struct sim_model_error error = {0};

    CHECK(sim_program_text(model, 1, &error) == NULL);
    CHECK(strstr(error.text, why) != NULL);
}

static void test_not_compiled(void)
{
    struct sim_model model;

    make_paper(&model);
    model.processors = PROGRAM_PROCESSORS_MAX + 1;
    not_compiled(&model, "17 processors: the image runs models of at most 16");
    model.processors = 1;
    model.discipline = SIM_REQUEUE_BEFORE;
    not_compiled(&model, "cannot get in line again");
    model.discipline = SIM_EXHAUSTIVE;
    model.passes = PROGRAM_PASSES_MAX + 1;
    not_compiled(&model, "more than 1000000 passes");
    model.passes = 1000;
    model.unit_ns = 1e15;
    not_compiled(&model, "the image supports at most");
    model.unit_ns = 50000;
    char *const name = model.level[0];
    char blank[] = "low work";

    model.level[0] = blank;
    not_compiled(&model, "level \"low work\"");
    model.level[0] = name;
    struct sim_arrivals *const arrivals = &model.stimuli[0].arrivals;

    arrivals->kind = SIM_POPULATION;
    arrivals->population = 7;
    not_compiled(&model, "a population of 7");
    arrivals->kind = SIM_CYCLE;
    struct sim_station disk = {.name = blank, .servers = 2};

    model.stations = &disk;
    model.station_count = 1;
    model.stimuli[0].stops[0].station = 1;
    not_compiled(&model, "the image has no stations");
    model.stations = NULL;
    model.station_count = 0;
    sim_model_free(&model);
}

/* ---- costs ---- */

static void build_cost(struct run_bench *bench, const char *name, int64_t ticks)
{
    int64_t samples[40];

    for (size_t i = 0; i < 40; i++) {
        samples[i] = ticks;
    }
    samples[39] = 3 * ticks; /* the median does not mind */
    build_series(bench, name, NULL, NULL, samples, 40);
}

/* Of the play, whose handlers differ: 1500 in the mean without the outliers. */
static void build_handlers(struct run_bench *bench)
{
    int64_t samples[100];

    for (size_t i = 0; i < 100; i++) {
        samples[i] = i < 3 ? 90000 : i < 6 ? 0 : 1400 + 200 * (int64_t)(i % 2);
    }
    build_series(bench, "handler", NULL, NULL, samples, 100);
}

/* At 2 ticks a ns. An interrupt without its handler 4000 - 1800 = 2200, with that of the play 3700;
 * switch + receive 5500 - 1700 - 2200 = 1600; end 2500 - 1600 = 900; back 7500 - 1900 - 2200 - 1600
 * - 100 - 900 = 800, the switch; so receive 800. Hops: up 2900 - 1600 = 1300, back 5100 - 1600 - 2
 * 900 - 800 = 900, so send 1100. */
static void build_costs(struct run *run)
{
    struct run_bench *bench = build_bench(run, "model", 1);

    run->verdict = (struct run_verdict){.present = true, .ok = true, .hz = 2000000000};
    build_cost(bench, "cost.interrupt", 4000);
    build_cost(bench, "cost.interrupt_handler", 1800);
    build_cost(bench, "cost.preempt", 7500);
    build_cost(bench, "cost.preempt_handler", 1900);
    build_cost(bench, "cost.begin", 5500);
    build_cost(bench, "cost.begin_handler", 1700);
    build_cost(bench, "cost.empty", 100);
    build_cost(bench, "cost.next", 2500);
    build_cost(bench, "cost.forward_up", 2900);
    build_cost(bench, "cost.forward_back", 5100);
    build_handlers(bench);
}

static void test_overhead(void)
{
    static const double expected[SIM_OVERHEAD_PARTS] = {1850, 400, 400, 50, 550, 450};
    struct run run;
    struct sim_model model;
    struct sim_overhead overhead;
    char why[SIM_OVERHEAD_ERROR_MAX] = "";
    double below;

    make_paper(&model);
    run_init(&run);
    build_costs(&run);
    const struct run_bench *bench = run_find_bench(&run, "model");

    CHECK(sim_program_overhead(&run, bench, &model, &overhead, &below, why));
    CHECK_TEXT(why, "");
    CHECK(below == 0);
    for (enum sim_overhead_part i = 0; i < SIM_OVERHEAD_PARTS; i++) {
        CHECK(fabs(*sim_overhead_part(&overhead, i) - expected[i] / 50000) < 1e-12);
    }
    build_cost(&run.benches[0], "cost.forward", 3000);
    build_cost(&run.benches[0], "cost.remote", 5000);
    CHECK(sim_program_overhead(&run, bench, &model, &overhead, &below, why));
    CHECK(fabs(overhead.remote - 1450 / 50000.0) < 1e-12); /* (5000 - 3000 + 900) / 2 ns */
    run.verdict.ok = false;
    CHECK(!sim_program_overhead(&run, bench, &model, &overhead, &below, why));
    CHECK(strstr(why, "clock") != NULL);
    run_free(&run);
    sim_model_free(&model);
}

/* A cost that a series makes negative, or missing, names itself. */
static void check_cost_refused(const char *name, int64_t ticks, const char *reason)
{
    struct run run;
    struct sim_model model;
    struct sim_overhead overhead;
    char why[SIM_OVERHEAD_ERROR_MAX] = "";
    double below;

    make_paper(&model);
    run_init(&run);
    build_costs(&run);
    struct run_bench *bench = &run.benches[0];
    struct run_series *series = run_find_series(bench, name);

    for (size_t i = 0; i < series->received; i++) {
        series->samples[i] = ticks;
    }
    series->received = ticks == 0 ? 3 : series->received;
    CHECK(!sim_program_overhead(&run, bench, &model, &overhead, &below, why));
    if (strstr(why, reason) == NULL) {
        CHECK_TEXT(why, reason);
    }
    series->received = series->n;
    run_free(&run);
    sim_model_free(&model);
}

static void test_costs_refused(void)
{
    check_cost_refused("cost.interrupt", -200,
                       "the cost of an interrupt without its handler is -1000 ns");
    check_cost_refused("cost.begin", 3000, "the cost of a switch and a receive is -450 ns");
    check_cost_refused("cost.next", 1000, "the cost of an end is -300 ns");
    check_cost_refused("cost.empty", -8, "the cost of a portion is -4 ns");
    check_cost_refused("cost.forward_up", 500, "the cost of a send is -50 ns");
    check_cost_refused("cost.next", 0, "series cost.next is missing, or has fewer than 30 samples");
    check_cost_refused("handler", 0, "series handler is missing");
}

/* As much below 0 as the medians spread: 0, and how much is known. */
static void test_cost_within_spread(void)
{
    struct run run;
    struct sim_model model;
    struct sim_overhead overhead;
    char why[SIM_OVERHEAD_ERROR_MAX] = "";
    double below;

    make_paper(&model);
    run_init(&run);
    build_costs(&run);
    struct run_series *series = run_find_series(&run.benches[0], "cost.empty");

    for (size_t i = 0; i < series->received; i++) {
        series->samples[i] = -8 + 20 * ((int64_t)(i % 3) - 1);
    }
    CHECK(sim_program_overhead(&run, &run.benches[0], &model, &overhead, &below, why));
    CHECK(overhead.portion == 0 && fabs(below - 4. / 50000) < 1e-12);
    run_free(&run);
    sim_model_free(&model);
}

int main(void)
{
    RUN(test_logarithm());
    RUN(test_moments());
    RUN(test_exponential_shape());
    RUN(test_streams());
    RUN(test_reading());
    RUN(test_reading_processors());
    RUN(test_refusals());
    RUN(test_compiling());
    RUN(test_compiling_processors());
    RUN(test_not_compiled());
    RUN(test_overhead());
    RUN(test_costs_refused());
    RUN(test_cost_within_spread());
    return unit_finish("unit_model_program");
}
