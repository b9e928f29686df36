/* SPDX-License-Identifier: BSD-2-Clause */
#include "tools/sim/theory/repairmen.h"

#include <complex.h>
#include <math.h>

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
