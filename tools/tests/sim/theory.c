/* SPDX-License-Identifier: BSD-2-Clause */
#include "tools/tests/sim/theory.h"

#include <complex.h>
#include <math.h>
#include <stdlib.h>

#include "tools/base/alloc.h"

#define BUSY_ROUNDS    100000
#define BUSY_TOLERANCE 1e-15

/* ---- transform ---- */

/* (1 - exp(-z)) / z without the loss of digits that the difference has near 0: of exp(-z) - 1 the
 * real part is expm1(-x) cos y - 2 sin^2(y / 2). */
static double complex fading(double complex z)
{
    if (z == 0) {
        return 1;
    }
    const double x = creal(z);
    const double y = cimag(z);
    const double half = sin(y / 2);
    const double complex less = expm1(-x) * cos(y) - 2 * half * half - exp(-x) * sin(y) * I;

    return -less / z;
}

static double complex uniform_transform(double a, double b, double complex s)
{
    return cexp(-s * a) * fading(s * (b - a));
}

static double complex empirical_transform(const struct sim_law *law, double complex s)
{
    double complex sum = 0;

    for (size_t i = 0; i < law->count; i++) {
        sum += cexp(-s * law->values[i]);
    }
    return sum / (double)law->count;
}

double complex sim_law_transform(const struct sim_law *law, double complex s)
{
    switch (law->kind) {
    case SIM_CONSTANT:
        break;
    case SIM_UNIFORM:
        return uniform_transform(law->low, law->high, s);
    case SIM_TAILED:
        return (1 - law->tail) * uniform_transform(0, law->knee, s) +
               law->tail * uniform_transform(law->knee, law->high, s);
    case SIM_EXPONENTIAL:
        return 1 / (1 + s * law->mean);
    case SIM_EMPIRICAL:
        return empirical_transform(law, s);
    case SIM_SHAPED:
        return NAN;
    }
    return cexp(-s * law->mean);
}

/* ---- inversion of transforms ---- */

#define AVERAGED 11 /* partial sums beyond the last term, weighted by binomial coefficients */

static double term(laplace_transform *transform, void *context, double t, int k)
{
    const double value = creal(transform(context, LAPLACE_A / (2 * t) + M_PI * (double)k / t * I));

    return k % 2 == 0 ? value : -value;
}

double laplace_invert(laplace_transform *transform, void *context, double t)
{
    double sum = term(transform, context, t, 0) / 2;
    double weight = 1; /* binomial(AVERAGED, j) */
    double average = 0;

    for (int k = 1; k <= LAPLACE_TERMS; k++) {
        sum += term(transform, context, t, k);
    }
    for (int j = 0; j <= AVERAGED; j++) {
        average += weight * sum;
        sum += term(transform, context, t, LAPLACE_TERMS + 1 + j);
        weight = weight * (AVERAGED - j) / (j + 1);
    }
    return exp(LAPLACE_A / 2) / t * ldexp(average, -AVERAGED);
}

/* ---- excess ---- */

/* Of a mass of 1 that is uniform on [low, high]. */
static double uniform_excess(double low, double high, double x)
{
    if (x <= low) {
        return (low + high) / 2 - x;
    }
    return x < high ? (high - x) * (high - x) / (2 * (high - low)) : 0;
}

static double tailed_excess(const struct sim_law *law, double x)
{
    const double body = (1 - law->tail) * uniform_excess(0, law->knee, x);

    return body + law->tail * uniform_excess(law->knee, law->high, x);
}

static double empirical_excess(const struct sim_law *law, double x)
{
    double sum = 0;

    for (size_t i = law->count; i > 0 && law->values[i - 1] > x; i--) {
        sum += law->values[i - 1] - x;
    }
    return sum / (double)law->count;
}

double sim_law_excess(const struct sim_law *law, double x)
{
    if (x < 0) {
        return law->mean - x;
    }
    switch (law->kind) {
    case SIM_CONSTANT:
        return fmax(law->mean - x, 0);
    case SIM_UNIFORM:
        return uniform_excess(law->low, law->high, x);
    case SIM_TAILED:
        return tailed_excess(law, x);
    case SIM_EXPONENTIAL:
        return law->mean * exp(-x / law->mean);
    case SIM_EMPIRICAL:
        return empirical_excess(law, x);
    case SIM_SHAPED:
        return NAN;
    }
    return NAN;
}

/* ---- open queues ---- */

/* Poisson streams of work, taken together: their quanta have the mixture of their laws. */
struct stream {
    double rate;
    const struct sim_law *service;
};

struct streams {
    struct stream *item;
    size_t count;
    double rate;
    double load;   /* sum of rate * E[S] */
    double second; /* sum of rate * E[S^2] */
    double third;  /* sum of rate * E[S^3] */
};

static void add_stream(struct streams *streams, double rate, const struct sim_law *service)
{
    streams->item[streams->count++] = (struct stream){rate, service};
    streams->rate += rate;
    streams->load += rate * sim_law_moment(service, 1);
    streams->second += rate * sim_law_moment(service, 2);
    streams->third += rate * sim_law_moment(service, 3);
}

/* Loads of processor 0 at the levels from `level` to `end`, exclusively. The caller frees item. */
static struct streams streams_of(const struct sim_model *model, size_t level, size_t end)
{
    struct streams streams = {.item =
                                  alloc_zeroed((model->load_count + 1) * sizeof(*streams.item))};

    for (size_t i = 0; i < model->load_count; i++) {
        const struct sim_load *load = &model->loads[i];

        if (load->processor == 0 && load->level >= level && load->level < end) {
            add_stream(&streams, 1 / load->arrivals.interval.mean, &load->service);
        }
    }
    return streams;
}

/* rate * E[exp(-sS)] */
static double complex services(const struct streams *streams, double complex s)
{
    double complex sum = 0;

    for (size_t i = 0; i < streams->count; i++) {
        sum += streams->item[i].rate * sim_law_transform(streams->item[i].service, s);
    }
    return sum;
}

/* ---- means ---- */

static const char *unreached(const struct sim_model *model)
{
    double load = 0;
    const struct sim_overhead *overhead = &model->overhead;

    if (model->processors != 1) {
        return "theory is of one processor, and the model has several";
    }
    if (model->stimulus_count > 0) {
        return "theory is of competing work alone, and the model has a stimulus";
    }
    if (overhead->interrupt > 0 || overhead->switching > 0 || overhead->receive > 0 ||
        overhead->send > 0) {
        return "theory is of work without overheads, and the model has some";
    }
    if (model->load_count == 0) {
        return "the model has no competing work";
    }
    for (size_t i = 0; i < model->load_count; i++) {
        const struct sim_arrivals *arrivals = &model->loads[i].arrivals;

        if (arrivals->kind != SIM_RENEWAL || arrivals->interval.kind != SIM_EXPONENTIAL) {
            return "theory is of Poisson arrivals, and not all of the model's are";
        }
        load += model->loads[i].service.mean / arrivals->interval.mean;
    }
    return load < 1 ? NULL : "theory is of a processor that is not overloaded";
}

/* The wait to the first service is the work found of the class and those above, V of an M/G/1
 * queue, and what more urgent work comes meanwhile: a delay busy period, whose variance for a given
 * V = v is v * second / (1 - load)^3 of the classes above. */
static double wait_variance(const struct streams *above, const struct streams *all)
{
    const double rest = 1 - all->load;
    const double found = all->second / (2 * rest);
    const double found_variance = found * found + all->third / (3 * rest);
    const double left = 1 - above->load;

    return found_variance / (left * left) + found * above->second / (left * left * left);
}

static struct sim_class_theory theory_of(const struct streams *above, const struct streams *own,
                                         const struct streams *all, double below)
{
    const double service = own->load / own->rate;
    const double wait = all->second / (2 * (1 - above->load) * (1 - all->load));

    return (struct sim_class_theory){
        .rate = own->rate,
        .load = own->load,
        .wait = wait,
        .waits = all->load,
        .nonzero = wait / all->load,
        .deviation = sqrt(wait_variance(above, all)),
        .stay = wait + service / (1 - above->load),
        .preemptions = below,
        .preempted = above->rate * service,
        .interruption = above->rate > 0 ? above->load / above->rate / (1 - above->load) : NAN,
    };
}

static struct sim_class_theory class_theory(const struct sim_model *model, size_t level)
{
    struct streams above = streams_of(model, level + 1, model->levels);
    struct streams own = streams_of(model, level, level + 1);
    struct streams all = streams_of(model, level, model->levels);
    struct streams below = streams_of(model, 0, level);
    struct sim_class_theory theory = {0, 0, NAN, NAN, NAN, NAN, NAN, NAN, NAN, NAN};

    if (own.load > 0) {
        theory = theory_of(&above, &own, &all, below.load);
    }
    free(above.item);
    free(own.item);
    free(all.item);
    free(below.item);
    return theory;
}

bool sim_theory(const struct sim_model *model, struct sim_class_theory classes[SIM_LEVELS_MAX],
                const char **why)
{
    *why = unreached(model);
    if (*why != NULL) {
        return false;
    }
    for (size_t level = 0; level < model->levels; level++) {
        classes[level] = class_theory(model, level);
    }
    return true;
}

/* ---- distributions ---- */

/* E[exp(-sR)] of the residual life R of the service in progress: density P(S > x) / E[S]. */
static double complex residual(const struct streams *streams, double complex s)
{
    return (streams->rate - services(streams, s)) / (s * streams->load);
}

/* P(R > t). */
static double residual_beyond(const struct streams *streams, double t)
{
    double sum = 0;

    for (size_t i = 0; i < streams->count; i++) {
        sum += streams->item[i].rate * sim_law_excess(streams->item[i].service, t);
    }
    return sum / streams->load;
}

static double probability(double p)
{
    return fmin(fmax(p, 0), 1);
}

/* The wait is a sum of residual lives, j of them with probability (1 - load) load^j. The term of
 * j = 1 alone has the kinks (jumps of its slope, where services are constant) on which inversion is
 * slow: it is known, so that what is inverted is P(W > t) without it. */
static double complex smooth_part(void *context, double complex s)
{
    const struct streams *streams = context;
    const double load = streams->load;
    const double complex r = residual(streams, s);

    return load * load * (1 - (1 - load) * r * r / (1 - load * r)) / s;
}

static double queue_beyond(struct streams *streams, double t)
{
    const double load = streams->load;

    if (t < 0 || load >= 1) {
        return 1;
    }
    if (t == 0 || load <= 0) {
        return load;
    }
    return probability((1 - load) * load * residual_beyond(streams, t) +
                       laplace_invert(smooth_part, streams, t));
}

double sim_theory_wait_beyond(double rate, const struct sim_law *service, double t)
{
    struct stream item;
    struct streams streams = {.item = &item};

    add_stream(&streams, rate, service);
    return queue_beyond(&streams, t);
}

struct delay_cycle {
    struct streams above; /* streams of more urgent classes */
    struct streams all;   /* these streams and those of the class itself */
};

/* Lengthening of s by the busy periods of the classes above: s + rate (1 - B(s)), where B solves
 * B = E[exp(-(s + rate (1 - B)) S)]. The iteration contracts by the load, and by more off the real
 * axis. */
static double complex lengthened(const struct streams *above, double complex s)
{
    double complex arrivals = 0; /* rate * B */

    for (int round = 0; round < BUSY_ROUNDS && above->rate > 0; round++) {
        const double complex before = arrivals;

        arrivals = services(above, s + above->rate - arrivals);
        if (cabs(arrivals - before) <= BUSY_TOLERANCE * above->rate) {
            break;
        }
    }
    return s + above->rate - arrivals;
}

static double complex delay_cycle(void *context, double complex s)
{
    const struct delay_cycle *cycle = context;
    const double load = cycle->all.load;
    const double complex r = residual(&cycle->all, lengthened(&cycle->above, s));

    return load * (1 - r) / (1 - load * r) / s;
}

double sim_theory_level_beyond(const struct sim_model *model, size_t level, double t)
{
    if (unreached(model) != NULL || level >= model->levels) {
        return NAN;
    }
    struct delay_cycle cycle = {
        streams_of(model, level + 1, model->levels),
        streams_of(model, level, model->levels),
    };
    const bool is_delayed = t > 0 && cycle.above.load > 0;
    const double beyond = is_delayed ? probability(laplace_invert(delay_cycle, &cycle, t))
                                     : queue_beyond(&cycle.all, t);

    free(cycle.above.item);
    free(cycle.all.item);
    return beyond;
}

/* ---- closed stations ---- */

/* How often state `at` + 1 is, of state `at`: so many are served or in line. */
static double next_ratio(size_t customers, size_t servers, double load, size_t at)
{
    const size_t busy = at + 1 < servers ? at + 1 : servers;

    return (double)(customers - at) * load / (double)busy;
}

double repairmen_response(size_t customers, size_t servers, double service, double think)
{
    double weight = 1;
    double thinking = (double)customers;
    double present = 0;

    for (size_t at = 0; at < customers; at++) {
        weight *= next_ratio(customers, servers, service / think, at);
        thinking += weight * (double)(customers - at - 1);
        present += weight * (double)(at + 1);
    }
    /* Little's law of both: the thinking ones leave at the rate of the responses. */
    return think * present / thinking;
}

/* P(Erlang of so many stages > t). */
static double erlang_beyond(size_t stages, double rate, double t)
{
    double term = exp(-rate * t);
    double sum = 0;

    for (size_t i = 0; i < stages; i++) {
        sum += term;
        term *= rate * t / (double)(i + 1);
    }
    return sum;
}

/* P(wait and service > t) of who finds so many waiting or served, all servers busy. */
static double beyond_behind(size_t found, size_t servers, double rate, double t)
{
    const size_t stages = found - servers + 1;
    const double all = (double)servers * rate;

    if (servers == 1) {
        return erlang_beyond(stages + 1, rate, t);
    }
    /* The wait ends first, and an exponential service is over later than t. */
    const double during = exp(-rate * t) * pow(all / (all - rate), (double)stages) *
                          (1 - erlang_beyond(stages, all - rate, t));

    return erlang_beyond(stages, all, t) + during;
}

double repairmen_beyond(size_t customers, size_t servers, double service, double think, double t)
{
    double weight = 1;
    double sum = 0;
    double beyond = 0;

    for (size_t found = 0; found < customers; found++) {
        sum += weight;
        beyond += weight * (found < servers ? exp(-t / service)
                                            : beyond_behind(found, servers, 1 / service, t));
        weight *= next_ratio(customers - 1, servers, service / think, found);
    }
    return beyond / sum;
}

double repairman_response(size_t customers, const struct sim_law *service, double think)
{
    double term = 1;
    double served = 0; /* in one busy period */

    for (size_t n = 0; n < customers; n++) {
        served += term;
        const double share = creal(sim_law_transform(service, (double)(n + 1) / think));

        term *= (1 / share - 1) * (double)(customers - 1 - n) / (double)(n + 1);
    }
    return (double)customers * service->mean + think / served - think;
}
