/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Stations and populations in the simulation: against theory (4 standard errors of replications,
 * seeds are fixed), and to the last digit where services are constant and there is no thinking.
 */
#include <math.h>

#include "tools/sim/engine/closed.h"
#include "tools/sim/engine/engine.h"
#include "tools/tests/sim/sim_builder.h"
#include "tools/tests/sim/theory.h"
#include "tools/tests/support/unit.h"

#define REPLICATIONS 10

static void check_near(double value, double wanted, double allowed, int line)
{
    if (!(fabs(value - wanted) <= allowed)) {
        fprintf(stderr, "%.12g is not %.12g +- %.3g\n", value, wanted, allowed);
    }
    unit_check(fabs(value - wanted) <= allowed, __FILE__, line, "near");
}

#define NEAR(value, wanted, allowed) check_near(value, wanted, allowed, __LINE__)

static struct sim_model read_model(const char *text)
{
    struct sim_model_error error;
    struct sim_model model;

    CHECK(sim_model_read(&model, text, strlen(text), NULL, NULL, 0, &error));
    CHECK_TEXT(error.text, "");
    return model;
}

/* Mean and the part beyond `t` of M/M/Q with so many customers. */
static void check_exponential(size_t customers, size_t servers)
{
    const double beyond = 2.5;
    char text[200];
    double sum[2] = {0};
    double squares[2] = {0};

    snprintf(text, sizeof(text),
             "passes 8000\nstation s servers %zu\n"
             "stimulus a population %zu think exponential 4 route s exponential 1\n",
             servers, customers);
    struct sim_model model = read_model(text);

    for (uint64_t i = 0; i < REPLICATIONS; i++) {
        const struct sim_limits limits = {
            .seed = 5, .replication = i, .passes = model.passes, .warm_up = 100};
        char why[SIM_LAW_ERROR_MAX];
        struct sim_tally tally;

        sim_tally_init(&tally, &model, &beyond, 1, false);
        CHECK(sim_simulate(&model, &limits, NULL, &tally, why));
        const struct sim_distribution *const transit = &tally.stimulus[0].transit;
        const double values[2] = {sim_distribution_mean(transit),
                                  (double)transit->beyond[0] / (double)transit->count};

        for (size_t k = 0; k < 2; k++) {
            sum[k] += values[k] / REPLICATIONS;
            squares[k] += values[k] * values[k] / REPLICATIONS;
        }
        /* Little: the servers' work is what was served. */
        NEAR(tally.station[0].work / tally.time, (double)transit->count / tally.time, 0.1);
        sim_tally_free(&tally);
    }
    const double wanted[2] = {repairmen_response(customers, servers, 1, 4),
                              repairmen_beyond(customers, servers, 1, 4, beyond)};

    for (size_t k = 0; k < 2; k++) {
        const double error = sqrt((squares[k] - sum[k] * sum[k]) / (REPLICATIONS - 1));

        NEAR(sum[k], wanted[k], 4 * error);
        CHECK(error < wanted[k] / 10);
    }
    sim_model_free(&model);
}

/* Constant services of one server, whose mean Takács knows, and of as many as there are customers.
 */
static void test_constant_services(void)
{
    const struct sim_law service = built_constant(150);
    struct sim_closed closed = {.servers = 1,
                                .think = 400,
                                .service = 150,
                                .replications = REPLICATIONS,
                                .reads = 5000,
                                .left_out = 200,
                                .seed = 3};
    struct sim_closed_result result;
    char why[SIM_LAW_ERROR_MAX];

    for (closed.population = 2; closed.population <= 8; closed.population += 3) {
        CHECK(sim_closed_simulate(&closed, &result, why));
        const double wanted = repairman_response(closed.population, &service, closed.think);

        NEAR(result.mean.value, wanted, 4 * result.mean.error);
        CHECK(result.mean.error < wanted / 100);
        NEAR(result.between.value, (wanted + closed.think) / (double)closed.population,
             4 * result.between.error);
    }
    closed.servers = closed.population;
    CHECK(sim_closed_simulate(&closed, &result, why));
    NEAR(result.mean.value, 150, 1e-9);
    CHECK(result.mean.error == 0);
}

/* No thinking: ten customers of four servers take turns of 2.5 services each. */
static void test_without_thinking(void)
{
    const struct sim_closed closed = {.population = 10,
                                      .servers = 4,
                                      .service = 2,
                                      .replications = 2,
                                      .reads = 1000,
                                      .left_out = 20,
                                      .seed = 1};
    struct sim_closed_result result;
    char why[SIM_LAW_ERROR_MAX];

    CHECK(sim_closed_simulate(&closed, &result, why));
    NEAR(result.mean.value, 5, 0.01);
    NEAR(result.between.value, 0.5, 0.002);
    CHECK(result.mean.error == 0);
}

/* A processor before the disk: two who never think are served in turn by the slower of both. */
static void test_processor_before(void)
{
    struct sim_closed closed = {.population = 2,
                                .servers = 1,
                                .work = 3,
                                .service = 5,
                                .replications = 2,
                                .reads = 500,
                                .left_out = 10,
                                .seed = 1};
    struct sim_closed_result result;
    char why[SIM_LAW_ERROR_MAX];

    CHECK(sim_closed_simulate(&closed, &result, why));
    NEAR(result.between.value, 5, 1e-9);
    NEAR(result.mean.value, 7, 1e-9); /* 10 a turn, without the 3 at the processor */
    closed.work = 8;
    CHECK(sim_closed_simulate(&closed, &result, why));
    NEAR(result.between.value, 8, 1e-9);
    NEAR(result.mean.value, 5, 1e-9);
}

struct moments {
    double mean, last;
    size_t count;
};

static void add_response(void *context, size_t stimulus, double time, double transit)
{
    struct moments *const moments = context;

    CHECK(stimulus == 0 && time > 0);
    moments->mean += transit;
    moments->last = transit;
    moments->count++;
}

/* The same station as a text gives the same numbers. */
static void test_same_as_text(void)
{
    struct sim_model model = read_model("passes 900\nunit 1ns\nstation disk servers 3\n"
                                        "stimulus reads population 7 think exponential 90\n"
                                        "  route disk 120\n");
    const struct sim_closed closed = {.population = 7,
                                      .servers = 3,
                                      .think = 90,
                                      .service = 120,
                                      .replications = 2,
                                      .reads = 900,
                                      .seed = 8};
    struct sim_closed_result result;
    char why[SIM_LAW_ERROR_MAX];
    double mean = 0;

    CHECK(sim_closed_simulate(&closed, &result, why));
    for (uint64_t i = 0; i < 2; i++) {
        struct moments moments = {0};
        const struct sim_observer observer = {.response = add_response, .context = &moments};
        const struct sim_limits limits = {.seed = 8, .replication = i, .passes = 900};
        struct sim_tally tally;

        sim_tally_init(&tally, &model, NULL, 0, false);
        CHECK(sim_simulate(&model, &limits, &observer, &tally, why));
        CHECK_EQUAL(moments.count, 900);
        mean += moments.mean / 900 / 2;
        sim_tally_free(&tally);
    }
    /* Those whose service has begun at the end are counted by one of both. */
    NEAR(result.mean.value, mean, mean * 7 / 900);
    sim_model_free(&model);
}

static void test_refusals(void)
{
    const struct sim_closed good = {
        .population = 2, .servers = 1, .service = 1, .replications = 2, .reads = 5};
    struct sim_closed bad[5] = {good, good, good, good, good};
    struct sim_closed_result result;
    char why[SIM_LAW_ERROR_MAX];

    CHECK(sim_closed_simulate(&good, &result, why));
    bad[0].population = 0;
    bad[1].servers = SIM_SERVERS_MAX + 1;
    bad[2].service = 0;
    bad[3].replications = 1;
    bad[4].think = NAN;
    for (size_t i = 0; i < 5; i++) {
        why[0] = '\0';
        CHECK(!sim_closed_simulate(&bad[i], &result, why) && why[0] != '\0');
    }
}

/* ---- stations among processors ---- */

struct times {
    double begin[8], end[8], interrupt[8];
    size_t begins, ends, interrupts;
};

static void note(void *context, const struct sim_event *event)
{
    struct times *const times = context;

    if (event->kind == SIM_BEGIN) {
        times->begin[times->begins++] = event->time;
    } else if (event->kind == SIM_END) {
        times->end[times->ends++] = event->time;
    } else if (event->kind == SIM_INTERRUPT) {
        times->interrupt[times->interrupts++] = event->time;
    }
}

/* A process reads and awaits; the device interrupts, and the process goes on after a switch. No
 * message to or from the station takes transmission. */
static void test_process_reads(void)
{
    struct sim_model model =
        read_model("levels a\nprocessors x y\ntransmission 100\noverhead interrupt 1 switch 2\n"
                   "station disk\nprocess P at a on x\n"
                   "stimulus r arrivals trace 10 route P 3 awaits, disk 20, P 4, a on y 5\n");
    struct times times = {0};
    const struct sim_observer observer = {.event = note, .context = &times};
    const struct sim_limits limits = {.seed = 1, .time = 1000};
    struct sim_tally tally;
    char why[SIM_LAW_ERROR_MAX];

    sim_tally_init(&tally, &model, NULL, 0, false);
    CHECK(sim_simulate(&model, &limits, &observer, &tally, why));
    CHECK_EQUAL(times.begins, 4);
    NEAR(times.begin[0], 13, 1e-9); /* interrupt and switch */
    NEAR(times.begin[1], 16, 1e-9); /* the disk */
    NEAR(times.end[1], 36, 1e-9);
    CHECK_EQUAL(times.interrupts, 1);
    NEAR(times.interrupt[0], 36, 1e-9);
    NEAR(times.begin[2], 39, 1e-9);
    NEAR(times.end[2], 43, 1e-9);
    NEAR(times.end[3], 43 + 100 + 2 + 5, 1e-9);
    NEAR(tally.stimulus[0].transit.sum, 140, 1e-9);
    NEAR(tally.station[0].work, 20, 1e-9);
    NEAR(tally.processor[0].interrupts, 2, 1e-9);
    sim_tally_free(&tally);
    sim_model_free(&model);
}

/* What the warm-up leaves out is not counted of a station either. */
static void test_station_warm_up(void)
{
    struct sim_model model = read_model(
        "station disk servers 2\npasses 3\nstimulus r arrivals trace 0 1 8 route disk 5\n");
    const struct sim_limits limits = {.seed = 1, .time = 100, .warm_up = 3};
    struct sim_tally tally;
    char why[SIM_LAW_ERROR_MAX];

    sim_tally_init(&tally, &model, NULL, 0, false);
    CHECK(sim_simulate(&model, &limits, NULL, &tally, why));
    NEAR(tally.station[0].work, 2 + 3 + 5, 1e-9);
    CHECK_EQUAL(tally.station[0].wait.count, 1);
    sim_tally_free(&tally);
    sim_model_free(&model);
}

int main(void)
{
    RUN(check_exponential(1, 1));
    RUN(check_exponential(6, 1));
    RUN(check_exponential(12, 3));
    RUN(test_constant_services());
    RUN(test_without_thinking());
    RUN(test_processor_before());
    RUN(test_same_as_text());
    RUN(test_refusals());
    RUN(test_process_reads());
    RUN(test_station_warm_up());
    return unit_finish("unit_sim_closed");
}
