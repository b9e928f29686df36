/* SPDX-License-Identifier: BSD-2-Clause */
#include "tools/sim/engine/convolution.h"

#include <math.h>
#include <stdlib.h>

#include "tools/base/sort.h"

/* ---- the delays ---- */

double convolution_weights(const struct sim_model *model, enum sim_delay_part which)
{
    double total = 0;

    for (size_t i = 0; i < model->delay_count; i++) {
        total += model->delays[i].part == which ? model->delays[i].probability : 0;
    }
    return total;
}

bool convolution_part(const struct sim_model *model, enum sim_delay_part which,
                      struct convolution_part *part)
{
    const double total = convolution_weights(model, which);
    double mean = 0;
    double variance = 0;

    *part = (struct convolution_part){0};
    for (size_t i = 0; i < model->delay_count; i++) {
        if (model->delays[i].part == which) {
            mean += model->delays[i].probability / total * model->delays[i].law.mean;
            part->times = model->delays[i].times;
        }
    }
    for (size_t i = 0; i < model->delay_count; i++) {
        const struct sim_law *const law = &model->delays[i].law;
        const double own = fmax(sim_law_moment(law, 2) - law->mean * law->mean, 0);
        const double distance = law->mean - mean;

        if (model->delays[i].part == which) {
            variance += model->delays[i].probability / total * (own + distance * distance);
        }
    }
    part->mean = (double)part->times * mean;
    part->variance = (double)part->times * variance;
    return total > 0;
}

/* ---- the curve ---- */

/* A value counts as a grid point if it is within this fraction of a step. Rounding errors of sums
 * are smaller. */
#define SAME_POINT 1e-6

void convolution_sum_free(struct convolution_sum *sum)
{
    free(sum->below);
    free(sum->atoms);
    free(sum->doubt);
    *sum = (struct convolution_sum){0};
}

/* Finds the last point that is not above x, and the distance from it to x in steps. Returns false
 * if x is below all points. */
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

/* Returns the absolute second difference of the density's curve at a point. Before the first point
 * the curve is 0. */
static double bend_at(const struct convolution_sum *sum, size_t point)
{
    const double before = point > 0 ? density_below(sum, point - 1) : 0;
    const double next =
        point + 1 < sum->count ? density_below(sum, point + 1) : density_below(sum, sum->count - 1);

    return fabs(before - 2 * density_below(sum, point) + next);
}

/* Estimates the error of linear interpolation between a point and the next one. For a smooth curve,
 * the error is an eighth of the second difference. On an aligned grid, kinks lie on points, so the
 * smaller of the two second differences is used. Otherwise a kink may lie between the points, and
 * the error may be a quarter of the larger one. If the curve rises within one or two steps, the
 * error may be the whole rise. */
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

double convolution_quantile(const struct convolution_sum *sum, double p)
{
    const size_t from = SEARCH_COUNT(i, sum->count - 1, sum->below[i] < p);
    const double at = sum->offset + (double)from * sum->step;

    if (from == 0 || sum->below[from] < p) {
        return at;
    }
    const double before = sum->below[from - 1];
    const double rise = density_below(sum, from) - density_below(sum, from - 1);

    return before + rise < p ? at : at - sum->step * (1 - (p - before) / rise);
}
