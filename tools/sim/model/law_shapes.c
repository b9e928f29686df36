/* SPDX-License-Identifier: BSD-2-Clause */
/* Probability laws with a mean and a shape: lognormal, normal, gamma, Erlang, Weibull, Pareto and
 * hyperexponential. */
#include "tools/sim/model/law.h"

#include <stdio.h>

#include "tools/stats/distributions.h"

#define SHAPE_LEAST 0.05 /* with less, moments exceed the range of numbers */
#define SHAPE_MOST  1e6

const struct sim_shape sim_shapes[SIM_SHAPES] = {
    [SIM_LOGNORMAL] = {"lognormal", {"mean", "deviation"}, {true, true}},
    [SIM_NORMAL] = {"normal", {"mean", "deviation"}, {true, true}},
    [SIM_GAMMA] = {"gamma", {"mean", "shape"}, {true}},
    [SIM_ERLANG] = {"erlang", {"mean", "stages"}, {true}},
    [SIM_WEIBULL] = {"weibull", {"mean", "shape"}, {true}},
    [SIM_PARETO] = {"pareto", {"mean", "shape"}, {true}},
    [SIM_HYPEREXPONENTIAL] = {"hyperexponential", {"mean", "share", "rest"}, {true, false, true}},
};

/* Returns the range that the second number must be in. */
static void range_of(enum sim_shape_kind shape, double range[2])
{
    range[0] = shape == SIM_PARETO ? 1 : shape == SIM_ERLANG ? 0 : SHAPE_LEAST;
    range[1] = SHAPE_MOST;
    if (sim_shapes[shape].is_time[1] || shape == SIM_HYPEREXPONENTIAL) {
        range[0] = 0;
        range[1] = shape == SIM_HYPEREXPONENTIAL ? 1 : INFINITY;
    }
}

bool sim_law_shaped(struct sim_law *law, enum sim_shape_kind shape,
                    const double given[SIM_SHAPE_NUMBERS], char error[SIM_LAW_ERROR_MAX])
{
    const struct sim_shape *const what = &sim_shapes[shape];
    const double mean = given[0];
    const double k = given[1];
    double range[2];

    range_of(shape, range);
    for (size_t i = 0; i < SIM_SHAPE_NUMBERS && what->word[i] != NULL; i++) {
        const double low = i == 1 ? range[0] : 0;
        const double high = i == 1 ? range[1] : INFINITY;

        if (!(given[i] > low && given[i] < high) ||
            (shape == SIM_ERLANG && i == 1 && k != floor(k))) {
            snprintf(error, SIM_LAW_ERROR_MAX,
                     "the %s of a %s law: expected a %snumber above %.4g and below %g, got %.10g",
                     what->word[i], what->name, shape == SIM_ERLANG && i == 1 ? "whole " : "", low,
                     high, given[i]);
            return false;
        }
    }
    *law = (struct sim_law){.kind = SIM_SHAPED,
                            .shape = shape,
                            .mean = mean,
                            .high = INFINITY,
                            .given = {mean, k, given[2]}};
    switch (shape) {
    case SIM_LOGNORMAL:
        law->worked = sqrt(log1p(k / mean * (k / mean)));
        break;
    case SIM_NORMAL: /* the part above 0 of a normal law */
        law->worked = erfc(-mean / k * M_SQRT1_2) / 2;
        law->mean += k * exp(-mean / k * (mean / k) / 2) / sqrt(2 * M_PI) / law->worked;
        break;
    case SIM_WEIBULL:
        law->worked = mean / tgamma(1 + 1 / k);
        break;
    case SIM_PARETO:
        law->low = law->worked = mean * (k - 1) / k;
        break;
    case SIM_HYPEREXPONENTIAL:
        law->mean = k * mean + (1 - k) * given[2];
        break;
    default:
        break;
    }
    return true;
}

double sim_shape_moment(const struct sim_law *law, int order)
{
    static const double factorial[] = {1, 1, 2, 6};
    const double mean = law->given[0];
    const double k = law->given[1];
    const double squared = law->worked * law->worked;

    switch (law->shape) {
    case SIM_LOGNORMAL:
        return pow(mean, order) * exp(order * (order - 1) * squared / 2);
    case SIM_NORMAL: {
        const double second = mean * law->mean + k * k;

        return order == 1 ? law->mean : order == 2 ? second : mean * second + 2 * k * k * law->mean;
    }
    case SIM_GAMMA:
    case SIM_ERLANG:
        return pow(mean, order) * (order > 1 ? 1 + 1 / k : 1) * (order > 2 ? 1 + 2 / k : 1);
    case SIM_WEIBULL:
        return pow(law->worked, order) * tgamma(1 + order / k);
    case SIM_PARETO:
        return k > order ? k * pow(law->worked, order) / (k - order) : INFINITY;
    default:
        return factorial[order] * (k * pow(mean, order) + (1 - k) * pow(law->given[2], order));
    }
}

/* Returns the z that a normal value exceeds with probability u. */
static double normal_above(double u)
{
    return u < 1 ? -distribution_normal_quantile(u) : -INFINITY;
}

/* Draws from the gamma law of scale 1 by rejection (Marsaglia and Tsang, "A simple method for
 * generating gamma variables", ACM TOMS 26(3), 2000). The number of random numbers varies, so they
 * come from a separate generator, which one draw of the stream seeds. */
static double gamma_draw(double shape, double u)
{
    const double larger = shape < 1 ? shape + 1 : shape;
    const double d = larger - 1.0 / 3;
    struct sim_random own;

    sim_random_seed(&own, (uint64_t)(u * 0x1p53), 0, 0);
    const double part = shape < 1 ? pow(sim_random_uniform(&own), 1 / shape) : 1;

    for (;;) {
        const double z = normal_above(sim_random_uniform(&own));
        const double v = pow(1 + z / sqrt(9 * d), 3);

        if (v > 0 && log(sim_random_uniform(&own)) < z * z / 2 + d - d * v + d * log(v)) {
            return d * v * part;
        }
    }
}

double sim_shape_draw(const struct sim_law *law, double u)
{
    const double mean = law->given[0];
    const double k = law->given[1];

    switch (law->shape) {
    case SIM_LOGNORMAL:
        return mean * exp(law->worked * normal_above(u) - law->worked * law->worked / 2);
    case SIM_NORMAL:
        return fmax(0, mean + k * normal_above(u * law->worked));
    case SIM_GAMMA:
    case SIM_ERLANG:
        return mean / k * gamma_draw(k, u);
    case SIM_WEIBULL:
        return law->worked * pow(-log(u), 1 / k);
    case SIM_PARETO:
        return law->worked * pow(u, -1 / k);
    default:
        return u <= k ? -mean * log(u / k) : -law->given[2] * log((u - k) / (1 - k));
    }
}
