/* SPDX-License-Identifier: BSD-2-Clause */
#include "tools/sim/convolve/convolution_delays.h"

#include <math.h>
#include <stdlib.h>

#include "tools/base/alloc.h"

/* Differences below, as a part of the greatest place, are roundings. On the largest grid it is less
 * than what is taken for on a point. */
#define SAME            1e-12
#define EXPONENTS       80   /* that the bound of the range is sought among, */
#define EXPONENT_FACTOR 1.25 /* each so much more than the one before */

/* ---- atoms and pieces of density ---- */

static void add_atom(struct convolution_delay *delay, double weight, double at)
{
    if (weight <= 0) {
        return;
    }
    delay->atoms = alloc_append(delay->atoms, &delay->atom_count, &delay->atom_capacity,
                                sizeof(*delay->atoms));
    delay->atoms[delay->atom_count - 1] = (struct convolution_atom){weight, at};
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
    delay->pieces = alloc_append(delay->pieces, &delay->piece_count, &delay->piece_capacity,
                                 sizeof(*delay->pieces));
    delay->pieces[delay->piece_count - 1] = (struct convolution_piece){weight, low, high, mean};
}

/* Equal ones, which follow each other, are one atom. */
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

size_t convolution_take_apart(const struct convolution *convolution,
                              struct convolution_delay delays[CONVOLUTION_PARTS])
{
    size_t count = 0;

    for (size_t i = 0; i < CONVOLUTION_PARTS; i++) {
        const struct convolution_part *part = &convolution->part[i];

        if (part->count == 0 || part->times == 0) {
            continue;
        }
        delays[count] = (struct convolution_delay){.times = part->times};
        for (size_t j = 0; j < part->count; j++) {
            add_law(&delays[count], part->terms[j].weight, &part->terms[j].law);
        }
        shift_to_origin(&delays[count++]);
    }
    return count;
}

void convolution_delays_free(struct convolution_delay *delays, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        free(delays[i].atoms);
        free(delays[i].pieces);
    }
}

/* ---- how far the grid must reach ---- */

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

/* E[exp(theta (X - from))] of a piece, times its weight; INFINITY where it does not exist. */
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

/* log E[exp(theta X)]; INFINITY where it does not exist. Places are taken from the greatest on, so
 * that no power overflows. */
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

double convolution_range(const struct convolution_delay *delays, size_t count, double deviation,
                         double *beyond)
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
    double value;    /* 0: of nothing but 0 yet */
    double greatest; /* that it divides */
    double least;    /* smaller ones are of no use */
    bool failed;     /* it would be smaller */
};

/* Euclid's algorithm, on numbers that are known to a rounding. */
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

/* Places beyond the grid are of no use. */
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

double convolution_common_step(const struct convolution_delay *delays, size_t count, double range,
                               double least, const double *points, size_t point_count)
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
