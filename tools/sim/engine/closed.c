/* SPDX-License-Identifier: BSD-2-Clause */
#include "tools/sim/engine/closed.h"

#include <math.h>
#include <stdio.h>

#include "tools/sim/engine/engine.h"

/* The reads of one replication, recorded when their services begin. */
struct reads {
    double service;
    size_t station;         /* number of the station in events */
    size_t left_out, count; /* reads still to be left out, and reads recorded */
    double first, last;     /* start of the first and of the last recorded read */
    double responses;       /* sum of the responses */
};

static void keep_read(void *context, const struct sim_event *event)
{
    struct reads *const reads = context;

    if (event->kind != SIM_BEGIN || event->processor != reads->station) {
        return;
    }
    if (reads->left_out > 0) {
        reads->left_out--;
        return;
    }
    if (reads->count++ == 0) {
        reads->first = event->time;
    }
    reads->last = event->time;
    reads->responses += event->amount + reads->service;
}

/* Sums over the values of the replications. */
struct sums {
    double sum, squares;
};

static void add(struct sums *sums, double value)
{
    sums->sum += value;
    sums->squares += value * value;
}

static struct sim_closed_figure figure_of(const struct sums *sums, size_t count)
{
    const double mean = sums->sum / (double)count;
    const double variance = fmax(0, sums->squares - sums->sum * mean) / (double)(count - 1);

    return (struct sim_closed_figure){mean, sqrt(variance / (double)count)};
}

static bool read_model(const struct sim_closed *closed, struct sim_model *model,
                       char error[SIM_LAW_ERROR_MAX])
{
    struct sim_model_error why;
    char text[400];
    char work[40] = "";

    if (closed->work > 0) {
        snprintf(work, sizeof(work), "normal %.17g, ", closed->work);
    }
    const int length = snprintf(text, sizeof(text),
                                "passes %zu\nstation disk servers %zu\n"
                                "stimulus reads population %zu think %s %.17g\n"
                                "route %sdisk %.17g\n",
                                closed->left_out + closed->reads, closed->servers,
                                closed->population, closed->think > 0 ? "exponential" : "constant",
                                closed->think, work, closed->service);
    const bool read = sim_model_read(model, text, (size_t)length, NULL, NULL, 0, &why);

    if (!read) {
        snprintf(error, SIM_LAW_ERROR_MAX, "%s", why.text);
    }
    return read;
}

bool sim_closed_simulate(const struct sim_closed *closed, struct sim_closed_result *result,
                         char error[SIM_LAW_ERROR_MAX])
{
    struct sums mean = {0};
    struct sums between = {0};
    struct sim_model model;
    bool good = true;

    if (closed->replications < 2 || closed->reads < 2) {
        snprintf(error, SIM_LAW_ERROR_MAX,
                 "an error estimate needs at least 2 replications of at least 2 reads");
        return false;
    }
    if (!read_model(closed, &model, error)) {
        return false;
    }
    for (size_t i = 0; good && i < closed->replications; i++) {
        struct reads reads = {
            .service = closed->service, .station = model.processors, .left_out = closed->left_out};
        const struct sim_observer observer = {.event = keep_read, .context = &reads};
        const struct sim_limits limits = {
            .seed = closed->seed, .replication = i, .passes = model.passes};
        struct sim_tally tally;

        sim_tally_init(&tally, &model, NULL, 0, false);
        good = sim_simulate(&model, &limits, &observer, &tally, error);
        sim_tally_free(&tally);
        add(&mean, reads.responses / (double)reads.count);
        add(&between, (reads.last - reads.first) / (double)(reads.count - 1));
    }
    result->mean = figure_of(&mean, closed->replications);
    result->between = figure_of(&between, closed->replications);
    sim_model_free(&model);
    return good;
}
