/* SPDX-License-Identifier: BSD-2-Clause */
/* The distribution of a sum of delays: choice of the grid, the curve, its error and moments. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "tools/base/alloc.h"
#include "tools/sim/convolve/convolution_grid.h"

#define CELLS        131072 /* of the finer grid: 0.02 s a transform */
#define COARSE_CELLS 65536

static void alloc_curve(struct convolution_sum *sum)
{
    sum->below = alloc_zeroed(sum->count * sizeof(*sum->below));
    sum->atoms = alloc_zeroed(sum->count * sizeof(*sum->atoms));
    sum->doubt = alloc_zeroed(sum->count * sizeof(*sum->doubt));
}

/* Roundings neither let the curve fall nor lift it above 1. */
static void tidy(struct convolution_sum *sum)
{
    double before = 0;

    for (size_t i = 0; i < sum->count; i++) {
        sum->atoms[i] = fmin(sum->atoms[i], 1);
        sum->below[i] = fmin(fmax(sum->below[i], before), 1);
        sum->below[i] = fmax(sum->below[i], sum->atoms[i]);
        before = sum->below[i];
    }
}

/* Atoms alone, all on the grid: nothing is in doubt. */
static void solve_lattice(const struct convolution_delay *delays, size_t delay_count,
                          struct convolution_sum *sum)
{
    struct convolution_grid grid = convolution_sum_up(delays, delay_count, sum->step, sum->count);

    alloc_curve(sum);
    memcpy(sum->below, grid.atoms, sum->count * sizeof(*sum->below));
    memcpy(sum->atoms, grid.atoms, sum->count * sizeof(*sum->atoms));
    convolution_grid_free(&grid);
}

/* At the points of the coarse grid, where atoms are the same on both. A third of the difference is
 * the finer grid's error, which is taken off. The same amount is reported as the error left. */
static void solve_aligned(const struct convolution_delay *delays, size_t delay_count,
                          struct convolution_sum *sum)
{
    struct convolution_grid coarse = convolution_sum_up(delays, delay_count, sum->step, sum->count);
    struct convolution_grid fine =
        convolution_sum_up(delays, delay_count, sum->step / 2, 2 * sum->count - 1);

    alloc_curve(sum);
    for (size_t i = 0; i < sum->count; i++) {
        const double correction = (fine.points[2 * i] - coarse.points[i]) / 3;

        sum->atoms[i] = coarse.atoms[i];
        sum->below[i] = sum->atoms[i] + fine.points[2 * i] + correction;
        sum->doubt[i] = fabs(correction);
    }
    convolution_grid_free(&coarse);
    convolution_grid_free(&fine);
}

static size_t count_delays(const struct convolution_delay *delays, size_t delay_count)
{
    size_t count = 0;

    for (size_t i = 0; i < delay_count; i++) {
        count += delays[i].times;
    }
    return count;
}

/* Mass of atoms that may have been put on the other side of point i: each delay moves one by less
 * than a step. */
static double atoms_near(const struct convolution_grid *grid, size_t i, size_t count, size_t moves)
{
    const size_t last = i + moves < count ? i + moves : count - 1;

    return grid->atoms[last] - (i > moves ? grid->atoms[i - moves - 1] : 0);
}

/* `sum` has the fine grid. The difference of the grids is the error where it falls only as the step
 * does, and more where it falls faster. */
static void solve_unaligned(const struct convolution_delay *delays, size_t delay_count,
                            struct convolution_sum *sum)
{
    const size_t coarse_count = (sum->count + 1) / 2;
    struct convolution_grid coarse =
        convolution_sum_up(delays, delay_count, sum->step * 2, coarse_count);
    struct convolution_grid fine = convolution_sum_up(delays, delay_count, sum->step, sum->count);
    const size_t moves = count_delays(delays, delay_count);

    sum->moved = (double)moves * sum->step;
    alloc_curve(sum);
    for (size_t i = 0; i < sum->count; i++) {
        const size_t j = i / 2;
        const double difference = fabs(fine.points[2 * j] - coarse.points[j]);
        const size_t k = i % 2 == 1 && j + 1 < coarse_count ? j + 1 : j;
        const double next = fabs(fine.points[2 * k] - coarse.points[k]);

        sum->atoms[i] = fine.atoms[i];
        sum->below[i] = fine.atoms[i] + fine.points[i];
        sum->doubt[i] = fmax(difference, next) + atoms_near(&fine, i, sum->count, moves);
    }
    convolution_grid_free(&coarse);
    convolution_grid_free(&fine);
}

/* Mean and variance of the curve: sums of the atoms, and integrals of what of the density lies
 * beyond, by the trapezoid rule. */
static void find_curve_moments(struct convolution_sum *sum)
{
    const size_t last = sum->count - 1;
    const double density = sum->below[last] - sum->atoms[last];
    double mean = 0;
    double second = 0;

    for (size_t i = 0; i <= last; i++) {
        const double x = (double)i * sum->step;
        const double mass = sum->atoms[i] - (i > 0 ? sum->atoms[i - 1] : 0);
        const double beyond = density - (sum->below[i] - sum->atoms[i]);
        const double width = i == 0 || i == last ? sum->step / 2 : sum->step;

        mean += x * mass + beyond * width;
        second += x * x * mass + 2 * x * beyond * width;
    }
    sum->curve_mean = sum->offset + mean;
    sum->curve_variance = second - mean * mean;
}

static void find_moments(const struct convolution *convolution, struct convolution_sum *sum)
{
    for (size_t i = 0; i < CONVOLUTION_PARTS; i++) {
        if (convolution->part[i].count > 0) {
            sum->mean += convolution_part_mean(&convolution->part[i]);
            sum->variance += convolution_part_variance(&convolution->part[i]);
        }
    }
}

/* Of atoms alone, where the grid can be aligned. */
static void choose_lattice(const struct convolution_delay *delays, size_t delay_count, double range,
                           struct convolution_sum *sum)
{
    const double least = range / (CELLS - 2);
    const double common = convolution_common_step(delays, delay_count, range, least, NULL, 0);

    sum->is_aligned = common > 0;
    if (sum->is_aligned) {
        sum->step = isinf(common) ? 1 : common;
    }
}

/* With densities: the step of the coarse grid. Of aligned grids, those on which `points` lie too
 * are better. */
static void choose_step(const struct convolution_delay *delays, size_t delay_count, double range,
                        const double *points, size_t point_count, struct convolution_sum *sum)
{
    const double least = range / (COARSE_CELLS - 2);
    double shifted[CONVOLUTION_POINTS_MAX];

    for (size_t i = 0; i < point_count; i++) {
        shifted[i] = points[i] - sum->offset;
    }
    double common =
        convolution_common_step(delays, delay_count, range, least, shifted, point_count);

    if (common <= 0) {
        common = convolution_common_step(delays, delay_count, range, least, NULL, 0);
    }
    sum->is_aligned = common > 0;
    if (sum->is_aligned) {
        sum->step = isinf(common) ? least : common / floor(common / least);
    }
}

void convolution_solve(const struct convolution *convolution, const double *points,
                       size_t point_count, struct convolution_sum *sum)
{
    struct convolution_delay delays[CONVOLUTION_PARTS];
    const size_t delay_count = convolution_take_apart(convolution, delays);

    size_t margin = 0;

    *sum = (struct convolution_sum){0};
    find_moments(convolution, sum);
    for (size_t i = 0; i < delay_count; i++) {
        sum->offset += (double)delays[i].times * delays[i].origin;
        sum->has_density |= delays[i].piece_count > 0;
    }
    const double range = convolution_range(delays, delay_count, sqrt(sum->variance), &sum->beyond);

    if (sum->has_density) {
        choose_step(delays, delay_count, range, points, point_count, sum);
    } else {
        choose_lattice(delays, delay_count, range, sum);
    }
    if (!sum->is_aligned) { /* each delay moves what it shares out by up to a step of either grid */
        margin = 2 * count_delays(delays, delay_count);
        sum->step = range / (double)(CELLS - 4 - margin);
    }
    sum->count = (size_t)floor(range / sum->step + CONVOLUTION_ON_GRID) + 2 + margin;
    if (!sum->is_aligned) {
        solve_unaligned(delays, delay_count, sum);
    } else if (sum->has_density) {
        solve_aligned(delays, delay_count, sum);
    } else {
        solve_lattice(delays, delay_count, sum);
    }
    tidy(sum);
    find_curve_moments(sum);
    sum->error = convolution_greatest_error(sum);
    convolution_delays_free(delays, delay_count);
}
