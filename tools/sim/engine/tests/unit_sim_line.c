/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A model whose work waits in one line is simulated without an event list. The engine with one,
 * which an observer of events asks for, must come to the same results, to the last bit.
 */
#include <string.h>

#include "kernel/plan/bytes.h"
#include "tools/sim/engine/engine_state.h"
#include "tools/sim/model/model.h"
#include "tools/tests/support/unit.h"

static bool read_model(struct sim_model *model, const char *text)
{
    struct sim_model_error error = {0};
    const bool good = sim_model_read(model, text, strlen(text), ".", NULL, 0, &error);

    CHECK_TEXT(error.text, "");
    CHECK(good);
    return good;
}

/* Hashes the calls in their order. */
static void see_wait(void *context, size_t line, double time, double wait)
{
    uint64_t *hash = context;
    const double seen[] = {(double)line, time, wait};

    *hash = bytes_hash(*hash, seen, sizeof(seen));
}

static void see_event(void *context, const struct sim_event *event)
{
    (void)context;
    (void)event;
}

static bool same_distribution(const struct sim_distribution *a, const struct sim_distribution *b)
{
    return a->count == b->count && a->zeroes == b->zeroes && a->sum == b->sum &&
           a->squares == b->squares && a->least == b->least && a->greatest == b->greatest &&
           memcmp(a->beyond, b->beyond, sizeof(a->beyond)) == 0 &&
           (a->classes == NULL ||
            memcmp(a->classes, b->classes, SIM_CLASSES * sizeof(*a->classes)) == 0);
}

static bool same(const struct sim_tally *a, const struct sim_tally *b)
{
    bool good = a->time == b->time && a->events == b->events && a->quanta == b->quanta &&
                a->processor[0].idle == b->processor[0].idle &&
                a->preemption.strict == b->preemption.strict &&
                a->preemption.wide == b->preemption.wide &&
                a->preemption.length == b->preemption.length &&
                a->preemption.lock_out == b->preemption.lock_out;

    for (size_t i = 0; i < a->levels; i++) {
        const struct sim_level_tally *left = &a->level[i];
        const struct sim_level_tally *right = &b->level[i];

        good = good && left->competing == right->competing && left->work == right->work &&
               left->preempted == right->preempted && left->displaced == right->displaced &&
               same_distribution(&left->wait, &right->wait) &&
               same_distribution(&left->stay, &right->stay);
    }
    return good;
}

static void check_both(const struct sim_model *model, struct sim_limits limits)
{
    uint64_t hashes[2] = {BYTES_HASH_BEGIN, BYTES_HASH_BEGIN};
    char error[SIM_LAW_ERROR_MAX] = "";
    struct sim_tally tallies[2];

    for (size_t i = 0; i < 2; i++) {
        const struct sim_observer observer = {
            .event = i == 0 ? NULL : see_event, .wait = see_wait, .context = &hashes[i]};

        sim_tally_init(&tallies[i], model, NULL, 0, true);
        CHECK(sim_simulate(model, &limits, &observer, &tallies[i], error));
        CHECK_TEXT(error, "");
    }
    CHECK(tallies[0].events > 500 && hashes[0] != BYTES_HASH_BEGIN);
    CHECK_EQUAL(hashes[0], hashes[1]);
    CHECK(same(&tallies[0], &tallies[1]));
    sim_tally_free(&tallies[0]);
    sim_tally_free(&tallies[1]);
}

/* The end comes by a number of quanta, or at a time within a service or an idle time; the warm-up
 * ends likewise. */
static void test_same(void)
{
    static const char *const models[] = {
        "levels low\nload low service exponential 1 rate 0.9\n",
        "levels low\nload low service 1 rate 0.7\n",
        "levels low\nload a at low service uniform 0.5 1.5 rate 0.5\n"
        "load b at low service exponential 2 rate 0.1\n",
        "levels low high\nload high service exponential 1 rate 0.8\n",
        "levels low\nload a at low service exponential 1 occupancy 30%\n"
        "load b at low service exponential 5 occupancy 20%\n"
        "load c at low service exponential 0.2 occupancy 20%\n",
        /* the last service ends in the instant of its arrival, which ends the run */
        "levels low\nload low service values 0 0 0 1 rate 0.5\n",
    };

    for (size_t i = 0; i < sizeof(models) / sizeof(models[0]); i++) {
        struct sim_model model;

        if (!read_model(&model, models[i])) {
            continue;
        }
        CHECK(sim_line_suits(&model));
        check_both(&model, (struct sim_limits){.seed = i, .quanta = 3000});
        check_both(&model, (struct sim_limits){.seed = i, .quanta = 1000, .warm_up = 400.25});
        for (double time = 1500; time < 1510; time += 0.625) {
            check_both(&model,
                       (struct sim_limits){.seed = i, .time = time, .warm_up = time - 1000});
        }
        sim_model_free(&model);
    }
}

/* Where an end can come in the instant of an arrival, where there are several lines, and where a
 * stimulus passes, events are in a list. */
static void test_suits(void)
{
    static const char *const models[] = {
        "levels low\nload low service exponential 1 arrivals every 2\n",
        "levels low high\nload low service exponential 1 rate 0.4\n"
        "load high service exponential 1 rate 0.4\n",
        "levels low\nprocessors x y\nload low on x service exponential 1 rate 0.4\n",
        "levels low\nload low service exponential 1 arrivals trace 1 2 3\n",
        "levels low\nload low service exponential 1 arrivals by values 1 2 3\n",
        "passes 9\nlevels low\nload low service exponential 1 rate 0.4\n"
        "stimulus s arrivals poisson interval 50\n  route low 1\n",
    };

    for (size_t i = 0; i < sizeof(models) / sizeof(models[0]); i++) {
        struct sim_model model;

        if (read_model(&model, models[i])) {
            CHECK(!sim_line_suits(&model));
            sim_model_free(&model);
        }
    }
}

int main(void)
{
    RUN(test_same());
    RUN(test_suits());
    return unit_finish("unit_sim_line");
}
