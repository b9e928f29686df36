/* SPDX-License-Identifier: BSD-2-Clause */
#include "tools/sim/engine/convolution.h"

#include <math.h>
#include <stdlib.h>

#include "tools/base/alloc.h"

/* ---- the delays ---- */

void convolution_init(struct convolution *convolution)
{
    *convolution = (struct convolution){0};
    for (size_t i = 0; i < SIM_DELAY_PARTS; i++) {
        convolution->part[i].times = 1;
    }
}

/* Takes the law over. Weights are made to add to 1 by finish_part(). */
static void add_term(struct convolution_part *part, double weight, const struct sim_law *law)
{
    part->terms = alloc_append(part->terms, &part->count, &part->capacity, sizeof(*part->terms));
    part->terms[part->count - 1] = (struct convolution_term){.weight = weight, .law = *law};
}

/* Does nothing where the weights add to nothing. */
static void finish_part(struct convolution_part *part)
{
    double total = 0;
    double sum = 0;

    for (size_t i = 0; i < part->count; i++) {
        total += part->terms[i].weight;
    }
    if (!(total > 0) || !isfinite(total)) {
        return;
    }
    for (size_t i = 0; i < part->count; i++) {
        part->terms[i].weight /= total;
        sum += part->terms[i].weight;
        part->terms[i].sum = sum;
    }
}

void convolution_of(struct convolution *convolution, const struct sim_model *model)
{
    convolution_init(convolution);
    for (size_t i = 0; i < model->delay_count; i++) {
        const struct sim_delay *const delay = &model->delays[i];
        struct convolution_part *const part = &convolution->part[delay->part];
        struct sim_law law;

        part->times = delay->times;
        if (delay->probability > 0) {
            sim_law_copy(&law, &delay->law);
            add_term(part, delay->probability, &law);
        }
    }
    for (size_t i = 0; i < SIM_DELAY_PARTS; i++) {
        finish_part(&convolution->part[i]);
    }
}

void convolution_free(struct convolution *convolution)
{
    for (size_t i = 0; i < SIM_DELAY_PARTS; i++) {
        struct convolution_part *part = &convolution->part[i];

        for (size_t j = 0; j < part->count; j++) {
            sim_law_free(&part->terms[j].law);
        }
        free(part->terms);
    }
    *convolution = (struct convolution){0};
}

static double part_mean(const struct convolution_part *part)
{
    double sum = 0;

    for (size_t i = 0; i < part->count; i++) {
        sum += part->terms[i].weight * part->terms[i].law.mean;
    }
    return sum;
}

double convolution_part_mean(const struct convolution_part *part)
{
    return (double)part->times * part_mean(part);
}

double convolution_part_variance(const struct convolution_part *part)
{
    const double mean = part_mean(part);
    double sum = 0;

    for (size_t i = 0; i < part->count; i++) {
        const struct sim_law *law = &part->terms[i].law;
        const double own = fmax(sim_law_moment(law, 2) - law->mean * law->mean, 0);
        const double distance = law->mean - mean;

        sum += part->terms[i].weight * (own + distance * distance);
    }
    return (double)part->times * sum;
}

static double draw_part(const struct convolution_part *part, struct sim_random *random)
{
    const double chosen = part->count > 1 ? sim_random_uniform(random) : 0;
    size_t from = 0;
    size_t to = part->count - 1;

    while (from < to) {
        const size_t middle = from + (to - from) / 2;

        if (part->terms[middle].sum < chosen) {
            from = middle + 1;
        } else {
            to = middle;
        }
    }
    return sim_law_draw(&part->terms[from].law, random);
}

double convolution_draw(const struct convolution *convolution, struct sim_random *random)
{
    double sum = 0;

    for (size_t i = 0; i < SIM_DELAY_PARTS; i++) {
        const struct convolution_part *part = &convolution->part[i];

        for (size_t n = 0; n < part->times && part->count > 0; n++) {
            sum += draw_part(part, random);
        }
    }
    return sum;
}

/* ---- the curve ---- */

#define SAME_POINT 1e-6 /* of a step: roundings of sums are less */

void convolution_sum_free(struct convolution_sum *sum)
{
    free(sum->below);
    free(sum->atoms);
    free(sum->doubt);
    *sum = (struct convolution_sum){0};
}

/* The last point that is not above x; false: x is below all. *fraction is what x is above it, in
 * steps. */
static bool place(const struct convolution_sum *sum, double x, size_t *point, double *fraction)
{
    const double at = (x - sum->offset) / sum->step;
    const double nearest = round(at);
    const bool is_point = fabs(at - nearest) < SAME_POINT;
    const double from = is_point ? nearest : floor(at);

    if (!(from >= 0)) {
        return false;
    }
    const bool is_beyond = from >= (double)(sum->count - 1);

    *point = is_beyond ? sum->count - 1 : (size_t)from;
    *fraction = is_beyond || is_point ? 0 : at - from;
    return true;
}

static double density_below(const struct convolution_sum *sum, size_t point)
{
    return sum->below[point] - sum->atoms[point];
}

/* Second difference of the density's curve about a point; before the first it is 0. */
static double bend_at(const struct convolution_sum *sum, size_t point)
{
    const double before = point > 0 ? density_below(sum, point - 1) : 0;
    const double next =
        point + 1 < sum->count ? density_below(sum, point + 1) : density_below(sum, sum->count - 1);

    return fabs(before - 2 * density_below(sum, point) + next);
}

/* Of linear interpolation between a point and the next: of a smooth curve an eighth of its second
 * difference. Kinks are on points of an aligned grid and count on neither side; else one within is
 * off by a quarter. What rises within a step or two is not resolved. */
static double interpolation_error(const struct convolution_sum *sum, size_t point)
{
    const double one = bend_at(sum, point);
    const double other = bend_at(sum, point + 1);
    const double rise = density_below(sum, point + 1) - density_below(sum, point);

    if (fmin(one, other) > rise / 4) {
        return rise;
    }
    return sum->is_aligned ? fmin(one, other) / 8 : fmax(one, other) / 4;
}

double convolution_greatest_error(const struct convolution_sum *sum)
{
    double greatest = 0;

    for (size_t i = 0; i + 1 < sum->count; i++) {
        const double doubt = fmax(sum->doubt[i], sum->doubt[i + 1]);

        greatest = fmax(greatest, doubt + interpolation_error(sum, i));
    }
    return greatest + sum->beyond + CONVOLUTION_ROUNDING;
}

double convolution_below(const struct convolution_sum *sum, double x, double *doubt)
{
    const double floor_error = sum->beyond + CONVOLUTION_ROUNDING;
    double fraction = 0;
    double error = floor_error;
    size_t i = 0;
    double below = 0;

    if (place(sum, x, &i, &fraction)) {
        below = sum->below[i];
        error += sum->doubt[i];
        if (fraction > 0) {
            below += fraction * (density_below(sum, i + 1) - density_below(sum, i));
            error =
                fmax(sum->doubt[i], sum->doubt[i + 1]) + interpolation_error(sum, i) + floor_error;
        }
    }
    if (doubt != NULL) {
        *doubt = error;
    }
    return below;
}

double convolution_mass(const struct convolution_sum *sum, double x)
{
    double fraction = 0;
    size_t i = 0;

    if (!place(sum, x, &i, &fraction) || fraction > 0) {
        return 0;
    }
    return sum->atoms[i] - (i > 0 ? sum->atoms[i - 1] : 0);
}

double convolution_before(const struct convolution_sum *sum, double x)
{
    return convolution_below(sum, x, NULL) - convolution_mass(sum, x);
}

double convolution_quantile(const struct convolution_sum *sum, double p)
{
    size_t from = 0;
    size_t to = sum->count - 1;

    while (from < to) {
        const size_t middle = from + (to - from) / 2;

        if (sum->below[middle] < p) {
            from = middle + 1;
        } else {
            to = middle;
        }
    }
    const double at = sum->offset + (double)from * sum->step;

    if (from == 0 || sum->below[from] < p) {
        return at;
    }
    const double before = sum->below[from - 1];
    const double rise = density_below(sum, from) - density_below(sum, from - 1);

    return before + rise < p ? at : at - sum->step * (1 - (p - before) / rise);
}
