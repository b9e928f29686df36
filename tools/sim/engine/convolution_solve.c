/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Computes a sum of delays. Splits the delays into atoms (single values) and pieces of density.
 * Finds the range of the sum, and a grid step that divides the positions of all atoms and of the
 * pieces' bounds. Then multiplies the transforms of the delays.
 */
#include "tools/sim/engine/convolution.h"

#include <complex.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "tools/base/alloc.h"
#include "tools/stats/spectrum.h"

struct convolution_piece {
    double weight;
    double low, high; /* high is INFINITY only for an exponential piece */
    double mean;      /* mean of an exponential piece */
};

struct convolution_atom {
    double weight;
    double at;
};

/* A delay. The positions of its atoms and pieces are times relative to `origin`. */
struct convolution_delay {
    struct convolution_atom *atoms;
    size_t atom_count, atom_capacity;
    struct convolution_piece *pieces;
    size_t piece_count, piece_capacity;
    double origin; /* smallest value of the delay */
    size_t times;
};

/* Relative tolerance: positions that differ by less than this fraction of the largest position are
 * equal except for rounding. On the largest grid, such a difference is below the tolerance within
 * which a position counts as a grid point (CONVOLUTION_ON_GRID). */
#define SAME 1e-12
/* number of exponents that are tried to find the bound of the range */
#define EXPONENTS       80
#define EXPONENT_FACTOR 1.25 /* ratio of each exponent to the one before */

/* ---- atoms and pieces of density ---- */

static void add_atom(struct convolution_delay *delay, double weight, double at)
{
    if (weight <= 0) {
        return;
    }
    *ALLOC_NEXT(delay->atoms, delay->atom_count, delay->atom_capacity) =
        (struct convolution_atom){weight, at};
}

static void add_piece(struct convolution_delay *delay, double weight, double low, double high,
                      double mean)
{
    if (low == high) {
        add_atom(delay, weight, low);
        return;
    }
    if (weight <= 0) {
        return;
    }
    *ALLOC_NEXT(delay->pieces, delay->piece_count, delay->piece_capacity) =
        (struct convolution_piece){weight, low, high, mean};
}

/* Adds the values as atoms. Equal values, which are adjacent, become one atom. */
static void add_values(struct convolution_delay *delay, double weight, const struct sim_law *law)
{
    for (size_t i = 0, next = 0; i < law->count; i = next) {
        while (next < law->count && law->values[next] == law->values[i]) {
            next++;
        }
        add_atom(delay, weight * (double)(next - i) / (double)law->count, law->values[i]);
    }
}

static void add_law(struct convolution_delay *delay, double weight, const struct sim_law *law)
{
    switch (law->kind) {
    case SIM_CONSTANT:
        add_atom(delay, weight, law->mean);
        break;
    case SIM_UNIFORM:
        add_piece(delay, weight, law->low, law->high, 0);
        break;
    case SIM_TAILED:
        add_piece(delay, weight * (1 - law->tail), 0, law->knee, 0);
        add_piece(delay, weight * law->tail, law->knee, law->high, 0);
        break;
    case SIM_EXPONENTIAL:
        add_piece(delay, weight, 0, INFINITY, law->mean);
        break;
    case SIM_EMPIRICAL:
        add_values(delay, weight, law);
        break;
    case SIM_SHAPED: /* no delay has such a law */
        break;
    }
}

static void shift_to_origin(struct convolution_delay *delay)
{
    double least = INFINITY;

    for (size_t i = 0; i < delay->atom_count; i++) {
        least = fmin(least, delay->atoms[i].at);
    }
    for (size_t i = 0; i < delay->piece_count; i++) {
        least = fmin(least, delay->pieces[i].low);
    }
    delay->origin = least;
    for (size_t i = 0; i < delay->atom_count; i++) {
        delay->atoms[i].at -= least;
    }
    for (size_t i = 0; i < delay->piece_count; i++) {
        delay->pieces[i].low -= least;
        delay->pieces[i].high -= least;
    }
}

/* Splits the delays that are not certainly 0 into atoms and pieces. Returns their number. */
static size_t take_apart(const struct sim_model *model,
                         struct convolution_delay delays[SIM_DELAY_PARTS])
{
    size_t count = 0;

    for (enum sim_delay_part part = 0; part < SIM_DELAY_PARTS; part++) {
        const double total = convolution_weights(model, part);
        struct convolution_delay *const delay = &delays[count];

        *delay = (struct convolution_delay){0};
        for (size_t i = 0; i < model->delay_count; i++) {
            const struct sim_delay *const one = &model->delays[i];

            if (one->part == part && one->times > 0 && one->probability > 0) {
                delay->times = one->times;
                add_law(delay, one->probability / total, &one->law);
            }
        }
        if (delay->times > 0) {
            shift_to_origin(delay);
            count++;
        }
    }
    return count;
}

static void convolution_delays_free(struct convolution_delay *delays, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        free(delays[i].atoms);
        free(delays[i].pieces);
    }
}

/* ---- range of the grid ---- */

static double greatest_place(const struct convolution_delay *delay)
{
    double greatest = 0;

    for (size_t i = 0; i < delay->atom_count; i++) {
        greatest = fmax(greatest, delay->atoms[i].at);
    }
    for (size_t i = 0; i < delay->piece_count; i++) {
        const struct convolution_piece *piece = &delay->pieces[i];

        greatest = fmax(greatest, isinf(piece->high) ? piece->low : piece->high);
    }
    return greatest;
}

static double greatest_mean(const struct convolution_delay *delay)
{
    double greatest = 0;

    for (size_t i = 0; i < delay->piece_count; i++) {
        greatest = fmax(greatest, delay->pieces[i].mean);
    }
    return greatest;
}

/* Returns E[exp(theta (X - from))] of a piece times its weight, or INFINITY if the expectation does
 * not exist. */
static double piece_generating(const struct convolution_piece *piece, double theta, double from)
{
    const double width = piece->high - piece->low;

    if (isfinite(width)) {
        return piece->weight * exp(theta * (piece->high - from)) * -expm1(-theta * width) /
               (theta * width);
    }
    if (theta * piece->mean >= 1) {
        return INFINITY;
    }
    return piece->weight * exp(theta * (piece->low - from)) / (1 - theta * piece->mean);
}

/* Returns log E[exp(theta X)], or INFINITY if the expectation does not exist. Exponents are taken
 * relative to the largest position, so that no power overflows. */
static double log_generating(const struct convolution_delay *delay, double theta)
{
    const double greatest = greatest_place(delay);
    double sum = 0;

    for (size_t i = 0; i < delay->atom_count; i++) {
        sum += delay->atoms[i].weight * exp(theta * (delay->atoms[i].at - greatest));
    }
    for (size_t i = 0; i < delay->piece_count; i++) {
        sum += piece_generating(&delay->pieces[i], theta, greatest);
    }
    return theta * greatest + log(sum);
}

/* Returns the end of the range that the grid must cover: Chernoff's bound, which the sum exceeds
 * with a probability of less than CONVOLUTION_BEYOND, or the largest possible sum if that is
 * smaller. Sets *beyond to CONVOLUTION_BEYOND or 0 accordingly. `deviation` is the standard
 * deviation of the sum. */
static double convolution_range(const struct convolution_delay *delays, size_t count,
                                double deviation, double *beyond)
{
    double scale = deviation;
    double most = 0;

    for (size_t i = 0; i < count; i++) {
        const double mean = greatest_mean(&delays[i]);

        scale = fmax(scale, mean);
        most += mean > 0 ? INFINITY : (double)delays[i].times * greatest_place(&delays[i]);
    }
    *beyond = 0;
    for (size_t k = 0; k < EXPONENTS && scale > 0; k++) {
        const double theta = pow(EXPONENT_FACTOR, (double)k - EXPONENTS / 2.) / scale;
        double sum = -log(CONVOLUTION_BEYOND);

        for (size_t i = 0; i < count; i++) {
            sum += (double)delays[i].times * log_generating(&delays[i], theta);
        }
        if (sum / theta < most) {
            most = sum / theta;
            *beyond = CONVOLUTION_BEYOND;
        }
    }
    return most;
}

/* ---- the step ---- */

struct divisor {
    double value;    /* common divisor so far; 0: no position other than 0 so far */
    double greatest; /* largest position that `value` divides */
    double least;    /* smallest useful divisor */
    bool failed;     /* the common divisor would be below `least` */
};

/* Updates the common divisor so that it also divides `place`. Uses Euclid's algorithm, for numbers
 * with rounding errors. */
static void divide(struct divisor *divisor, double place)
{
    double a = divisor->value > 0 ? divisor->value : place;
    double b = place;

    divisor->greatest = fmax(divisor->greatest, b);
    const double tolerance = SAME * divisor->greatest;

    while (b > tolerance && !divisor->failed) {
        const double rest = fmod(a, b);

        a = b;
        b = a - rest > tolerance ? rest : 0;
    }
    divisor->value = a;
    divisor->failed |= a < divisor->least;
}

/* Calls divide() for a position within the grid. Ignores 0 and positions above `range`. */
static void divide_within(struct divisor *divisor, double range, double place)
{
    if (!divisor->failed && place > 0 && place <= range) {
        divide(divisor, place);
    }
}

static void divide_all(struct divisor *divisor, double range, const struct convolution_delay *delay)
{
    for (size_t i = 0; i < delay->atom_count; i++) {
        divide_within(divisor, range, delay->atoms[i].at);
    }
    for (size_t i = 0; i < delay->piece_count; i++) {
        divide_within(divisor, range, delay->pieces[i].low);
        divide_within(divisor, range, delay->pieces[i].high);
    }
}

/* Returns the largest length that divides the positions of all delays and all `points`, as far as
 * they are not above `range`. Returns INFINITY if all of them are 0, and 0 if the length would be
 * below `least`. `points` are relative to the smallest value of the sum. */
static double convolution_common_step(const struct convolution_delay *delays, size_t count,
                                      double range, double least, const double *points,
                                      size_t point_count)
{
    struct divisor divisor = {.least = least};

    for (size_t i = 0; i < count; i++) {
        divide_all(&divisor, range, &delays[i]);
    }
    for (size_t i = 0; i < point_count; i++) {
        divide_within(&divisor, range, points[i]);
    }
    if (divisor.failed) {
        return 0;
    }
    return divisor.value > 0 ? divisor.greatest / round(divisor.greatest / divisor.value)
                             : INFINITY;
}

/* ---- the grid ---- */

/* A position counts as a grid point if it is within this fraction of a step. */
#define CONVOLUTION_ON_GRID 1e-6

struct convolution_grid {
    double step;
    size_t size;    /* number of points, a power of two */
    double *points; /* masses at the points: atoms, and densities by hat functions */
    double *right;  /* masses of densities only: the mass of each cell is at its right end */
    double *atoms;
};

#define ATOM_NOISE 1e-15 /* masses below this are rounding errors of the transform */

/* ---- masses on the grid ---- */

static void put(double *masses, size_t size, size_t point, double mass)
{
    if (point < size) {
        masses[point] += mass;
    }
}

/* Puts an atom on the grid: on a point, or divided between the two nearest points so that its mean
 * is preserved. */
static void put_atom(struct convolution_grid *grid, const struct convolution_atom *atom)
{
    const double at = atom->at / grid->step;
    const bool is_point = fabs(at - round(at)) < CONVOLUTION_ON_GRID;
    const double from = is_point ? round(at) : floor(at);
    const double fraction = is_point ? 0 : at - from;

    if (from < (double)grid->size) {
        put(grid->atoms, grid->size, (size_t)from, atom->weight * (1 - fraction));
        put(grid->atoms, grid->size, (size_t)from + 1, atom->weight * fraction);
    }
}

/* Puts the mass of the cell after `point` on the grid. In grid->points, the part `to_right` of the
 * mass goes to the cell's right end. */
static void put_cell(struct convolution_grid *grid, size_t point, double mass, double to_right)
{
    put(grid->points, grid->size, point, mass - to_right);
    put(grid->points, grid->size, point + 1, to_right);
    put(grid->right, grid->size, point + 1, mass);
}

static void put_uniform(struct convolution_grid *grid, const struct convolution_piece *piece)
{
    const double low = piece->low / grid->step;
    const double high = piece->high / grid->step;
    const double density = piece->weight / (high - low);

    for (double cell = floor(low); cell < high && cell < (double)grid->size; cell++) {
        const double from = fmax(low - cell, 0);
        const double to = fmin(high - cell, 1);

        if (to > from) {
            put_cell(grid, (size_t)cell, density * (to - from),
                     density * (to * to - from * from) / 2);
        }
    }
}

static void put_exponential(struct convolution_grid *grid, const struct convolution_piece *piece)
{
    const double decay = grid->step / piece->mean;
    const double mass = -expm1(-decay);
    const double to_right = mass / decay - exp(-decay);

    for (size_t cell = 0; cell < grid->size; cell++) {
        const double beyond = piece->weight * exp(-(double)cell * decay);

        put_cell(grid, cell, beyond * mass, beyond * to_right);
    }
}

static void put_part(struct convolution_grid *grid, const struct convolution_delay *delay)
{
    memset(grid->points, 0, grid->size * sizeof(*grid->points));
    memset(grid->right, 0, grid->size * sizeof(*grid->right));
    memset(grid->atoms, 0, grid->size * sizeof(*grid->atoms));
    for (size_t i = 0; i < delay->atom_count; i++) {
        put_atom(grid, &delay->atoms[i]);
    }
    for (size_t i = 0; i < delay->piece_count; i++) {
        if (isinf(delay->pieces[i].high)) {
            put_exponential(grid, &delay->pieces[i]);
        } else {
            put_uniform(grid, &delay->pieces[i]);
        }
    }
    for (size_t i = 0; i < grid->size; i++) {
        grid->points[i] += grid->atoms[i];
    }
}

/* ---- product of the transforms ---- */

/* Transforms of real masses, for the frequencies from 0 to half the size. */
struct product {
    double complex *atoms;   /* transform of the sums that consist only of atoms (point masses) */
    double complex *density; /* transform of all other sums */
};

/* Multiplies by one more delay. A sum with a density keeps a density. A sum of atoms gets a density
 * only if this delay has one; then `right` is used, because the cells of the first density in a sum
 * are exact at their right ends. */
static void multiply(struct product *product, size_t k, size_t times, double complex points,
                     double complex right, double complex atoms)
{
    double complex all = product->density[k];
    double complex alone = product->atoms[k];

    for (size_t n = 0; n < times; n++) {
        all = all * points + alone * right;
        alone *= atoms;
    }
    product->density[k] = all;
    product->atoms[k] = alone;
}

/* Multiplies by one delay. Transforms two real lists as one complex list: the even part of the
 * transform belongs to the first list. */
static void multiply_part(struct product *product, struct convolution_grid *grid,
                          const struct convolution_delay *delay)
{
    const size_t size = grid->size;
    double *nothing = alloc_zeroed(size * sizeof(*nothing));

    put_part(grid, delay);
    spectrum_transform(grid->points, grid->right, size);
    if (delay->atom_count > 0) {
        spectrum_transform(grid->atoms, nothing, size);
    }
    for (size_t k = 0; k <= size / 2; k++) {
        const size_t mirror = k == 0 ? 0 : size - k;
        const double complex one = grid->points[k] + I * grid->right[k];
        const double complex other = grid->points[mirror] - I * grid->right[mirror];

        multiply(product, k, delay->times, (one + other) / 2, (one - other) / (2 * I),
                 grid->atoms[k] + I * nothing[k]);
    }
    free(nothing);
}

/* Transforms both lists back, as one complex list: leaves the sums with densities in grid->points
 * and those of atoms in grid->atoms. The inverse transform uses the conjugate. */
static void transform_back(const struct product *product, struct convolution_grid *grid)
{
    const size_t size = grid->size;

    for (size_t k = 0; k < size; k++) {
        const bool is_mirrored = k > size / 2;
        const size_t from = is_mirrored ? size - k : k;
        const double complex density =
            is_mirrored ? conj(product->density[from]) : product->density[from];
        const double complex atoms =
            is_mirrored ? conj(product->atoms[from]) : product->atoms[from];
        const double complex both = density + I * atoms;

        grid->points[k] = creal(both);
        grid->atoms[k] = -cimag(both);
    }
    spectrum_transform(grid->points, grid->atoms, size);
    for (size_t i = 0; i < size; i++) {
        const double mass = -grid->atoms[i] / (double)size;

        grid->points[i] /= (double)size;
        grid->atoms[i] = mass > ATOM_NOISE ? mass : 0;
    }
}

static size_t power_above(size_t least)
{
    size_t size = 2;

    while (size < least) {
        size *= 2;
    }
    return size;
}

/* Computes the cumulative distribution of the sum at each of the first `count` points: grid.points
 * gets the sums with a density, grid.atoms the sums of atoms alone. The mass beyond the grid must
 * be negligible, because it reappears at 0. */
static struct convolution_grid convolution_sum_up(const struct convolution_delay *delays,
                                                  size_t delay_count, double step, size_t count)
{
    struct convolution_grid grid = {.step = step, .size = power_above(count)};
    struct product product;

    grid.points = alloc_zeroed(grid.size * sizeof(*grid.points));
    grid.right = alloc_zeroed(grid.size * sizeof(*grid.right));
    grid.atoms = alloc_zeroed(grid.size * sizeof(*grid.atoms));
    product.density = alloc_zeroed((grid.size / 2 + 1) * sizeof(*product.density));
    product.atoms = alloc_zeroed((grid.size / 2 + 1) * sizeof(*product.atoms));
    for (size_t k = 0; k <= grid.size / 2; k++) {
        product.atoms[k] = 1;
    }
    for (size_t i = 0; i < delay_count; i++) {
        /* a constant only shifts the origin */
        if (delays[i].atom_count != 1 || delays[i].piece_count > 0) {
            multiply_part(&product, &grid, &delays[i]);
        }
    }
    transform_back(&product, &grid);
    for (size_t i = 1; i < count; i++) {
        grid.points[i] += grid.points[i - 1];
        grid.atoms[i] += grid.atoms[i - 1];
    }
    free(product.density);
    free(product.atoms);
    return grid;
}

static void convolution_grid_free(struct convolution_grid *grid)
{
    free(grid->points);
    free(grid->right);
    free(grid->atoms);
}

/* ---- the sum ---- */

/* Distribution of a sum of delays: choice of the grid, the curve, its error and its moments. */

#define CELLS        131072 /* cells of the finer grid: 0.02 s for a transform */
#define COARSE_CELLS 65536

static void alloc_curve(struct convolution_sum *sum)
{
    sum->below = alloc_zeroed(sum->count * sizeof(*sum->below));
    sum->atoms = alloc_zeroed(sum->count * sizeof(*sum->atoms));
    sum->doubt = alloc_zeroed(sum->count * sizeof(*sum->doubt));
}

/* Corrects rounding errors, so that the curve neither falls nor exceeds 1. */
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

/* Computes a sum of atoms alone that all lie on grid points. The curve is exact, so `doubt` stays
 * 0. */
static void solve_lattice(const struct convolution_delay *delays, size_t delay_count,
                          struct convolution_sum *sum)
{
    struct convolution_grid grid = convolution_sum_up(delays, delay_count, sum->step, sum->count);

    alloc_curve(sum);
    memcpy(sum->below, grid.atoms, sum->count * sizeof(*sum->below));
    memcpy(sum->atoms, grid.atoms, sum->count * sizeof(*sum->atoms));
    convolution_grid_free(&grid);
}

/* Computes the curve at the points of the coarse grid, where atoms are the same on both grids. The
 * error of the finer grid is a third of the difference between the grids. The curve is corrected by
 * this amount, and the same amount is reported as the remaining error. */
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

/* Returns the mass of atoms that may have been put on the wrong side of point i. Each delay moves
 * an atom by less than a step; `moves` is the number of delays. */
static double atoms_near(const struct convolution_grid *grid, size_t i, size_t count, size_t moves)
{
    const size_t last = i + moves < count ? i + moves : count - 1;

    return grid->atoms[last] - (i > moves ? grid->atoms[i - moves - 1] : 0);
}

/* Computes the curve on the fine grid of `sum`, and on a grid of twice the step. If the error is
 * proportional to the step, the difference between the grids is the error. If the error falls
 * faster, the difference is larger than the error. */
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

/* Computes mean and variance of the curve: sums over the atoms, and integrals of the density beyond
 * each point by the trapezoid rule. */
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

/* Chooses the step for a sum of atoms alone, if the grid can be aligned. */
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

/* Chooses the step of the coarse grid for a sum with densities. Among aligned grids, prefers one on
 * which all `points` are grid points. */
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

void convolution_solve(const struct sim_model *model, const double *points, size_t point_count,
                       struct convolution_sum *sum)
{
    struct convolution_delay delays[SIM_DELAY_PARTS];
    const size_t delay_count = take_apart(model, delays);
    struct convolution_part part;
    size_t margin = 0;

    *sum = (struct convolution_sum){0};
    for (enum sim_delay_part i = 0; i < SIM_DELAY_PARTS; i++) {
        convolution_part(model, i, &part);
        sum->mean += part.mean;
        sum->variance += part.variance;
    }
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
    /* each delay moves the mass that it splits by up to one step, on either grid */
    if (!sum->is_aligned) {
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
