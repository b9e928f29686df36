/* SPDX-License-Identifier: BSD-2-Clause */
#include "tools/sim/convolve/convolution_grid.h"

#include <complex.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "tools/base/alloc.h"
#include "tools/stats/spectrum.h"

#define ATOM_NOISE 1e-15 /* masses below are roundings of the transform */

/* ---- masses on the grid ---- */

static void put(double *masses, size_t size, size_t point, double mass)
{
    if (point < size) {
        masses[point] += mass;
    }
}

/* Its mean is kept. */
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

/* The cell behind `point`: mass, and the part of it that goes to the cell's right end. */
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

/* ---- their product ---- */

/* Transforms of real masses, for the frequencies from 0 to half the size. */
struct product {
    double complex *atoms;   /* of sums of atoms alone */
    double complex *density; /* of all other sums */
};

/* One more delay: what was a density stays one, and it becomes one where only this delay is. The
 * cells of the first density in a sum are exact at their right ends. */
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

/* Two real lists are transformed as one complex one, whose transform's even part is the first's. */
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

/* Back again, both as one: leaves the sums of densities in grid->points, those of atoms in
 * grid->atoms. The inverse transform is that of the conjugate. */
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

struct convolution_grid convolution_sum_up(const struct convolution_delay *delays,
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
        if (delays[i].atom_count != 1 || delays[i].piece_count > 0) { /* a constant is its origin */
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

void convolution_grid_free(struct convolution_grid *grid)
{
    free(grid->points);
    free(grid->right);
    free(grid->atoms);
}
