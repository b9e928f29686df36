/* SPDX-License-Identifier: BSD-2-Clause */
#include "tools/sim/law.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tools/lib/alloc.h"

/* Rounding of the numbers given may put the knee so far above the maximum, as a part of it. */
#define KNEE_ROUNDING 1e-12

__attribute__((format(printf, 2, 3))) static bool refuse(char error[SIM_LAW_ERROR_MAX],
                                                         const char *format, ...)
{
    va_list arguments;

    va_start(arguments, format);
    vsnprintf(error, SIM_LAW_ERROR_MAX, format, arguments);
    va_end(arguments);
    return false;
}

/* ---- laws ---- */

static bool check_time(const char *what, double value, char error[SIM_LAW_ERROR_MAX])
{
    if (!isfinite(value)) {
        return refuse(error, "%s is no number", what);
    }
    return value >= 0 || refuse(error, "%s %.10g is below 0", what, value);
}

bool sim_law_constant(struct sim_law *law, double value, char error[SIM_LAW_ERROR_MAX])
{
    if (!check_time("the length", value, error)) {
        return false;
    }
    *law = (struct sim_law){.kind = SIM_CONSTANT, .mean = value, .low = value, .high = value};
    return true;
}

bool sim_law_uniform(struct sim_law *law, double low, double high, char error[SIM_LAW_ERROR_MAX])
{
    if (!check_time("the lower end", low, error) || !check_time("the upper end", high, error)) {
        return false;
    }
    if (low > high) {
        return refuse(error, "the lower end %.10g is above the upper end %.10g", low, high);
    }
    *law = (struct sim_law){
        .kind = SIM_UNIFORM, .mean = low + (high - low) / 2, .low = low, .high = high};
    return true;
}

bool sim_law_exponential(struct sim_law *law, double mean, char error[SIM_LAW_ERROR_MAX])
{
    if (!check_time("the mean", mean, error)) {
        return false;
    }
    if (mean == 0) {
        return refuse(error, "the mean of an exponential law is 0: write a constant");
    }
    *law = (struct sim_law){.kind = SIM_EXPONENTIAL, .mean = mean, .high = INFINITY};
    return true;
}

bool sim_law_tailed(struct sim_law *law, double average, double maximum, double tail,
                    char error[SIM_LAW_ERROR_MAX])
{
    if (!check_time("the average", average, error) || !check_time("the maximum", maximum, error)) {
        return false;
    }
    if (!(tail >= 0 && tail <= 1)) {
        return refuse(error, "%.10g %% in the tail is not from 0 to 100 %%", tail * 100);
    }
    if (average == 0) {
        return refuse(error, "the average is 0: write a constant");
    }
    if (average > maximum) {
        return refuse(error, "the average %.10g is above the maximum %.10g", average, maximum);
    }
    const double knee = 2 * average - tail * maximum;
    const double least = fmax(0, 2 * average / maximum - 1);

    if (!(knee > 0) || knee > maximum * (1 + KNEE_ROUNDING)) {
        return refuse(
            error,
            "%.10g %% in the tail cannot be: with average %.10g and maximum %.10g it must "
            "be at least %.4g %% and less than %.4g %%",
            tail * 100, average, maximum, least * 100, fmin(100, 200 * average / maximum));
    }
    *law = (struct sim_law){.kind = SIM_TAILED,
                            .mean = average,
                            .high = maximum,
                            .knee = fmin(knee, maximum),
                            .tail = tail};
    return true;
}

static int compare_values(const void *one, const void *other)
{
    const double left = *(const double *)one;
    const double right = *(const double *)other;

    return (left > right) - (left < right);
}

/* Of ascending values, so that it does not depend on the order they came in. */
static double average_of(const double *values, size_t count)
{
    double sum = 0;

    for (size_t i = 0; i < count; i++) {
        sum += values[i];
    }
    return sum / (double)count;
}

bool sim_law_empirical(struct sim_law *law, const double *values, size_t count, const char *source,
                       char error[SIM_LAW_ERROR_MAX])
{
    if (count == 0) {
        return refuse(error, "there are no values");
    }
    for (size_t i = 0; i < count; i++) {
        if (!check_time("the value", values[i], error)) {
            return false;
        }
    }
    double *const sorted = alloc_zeroed(count * sizeof(*sorted));

    memcpy(sorted, values, count * sizeof(*sorted));
    qsort(sorted, count, sizeof(*sorted), compare_values);
    *law = (struct sim_law){.kind = SIM_EMPIRICAL,
                            .mean = average_of(sorted, count),
                            .low = sorted[0],
                            .high = sorted[count - 1],
                            .values = sorted,
                            .count = count,
                            .source = source != NULL ? strdup(source) : NULL};
    return true;
}

void sim_law_copy(struct sim_law *to, const struct sim_law *from)
{
    *to = *from;
    if (from->values != NULL) {
        to->values = alloc_zeroed(from->count * sizeof(*to->values));
        memcpy(to->values, from->values, from->count * sizeof(*to->values));
    }
    to->source = from->source != NULL ? strdup(from->source) : NULL;
}

void sim_law_free(struct sim_law *law)
{
    free(law->values);
    free(law->source);
    *law = (struct sim_law){.kind = SIM_CONSTANT};
}

void sim_law_scale(struct sim_law *law, double factor)
{
    law->mean *= factor;
    law->low *= factor;
    law->high *= factor;
    if (law->kind == SIM_TAILED) { /* as sim_law_tailed() would have it of the scaled numbers */
        law->knee = fmin(2 * law->mean - law->tail * law->high, law->high);
    }
    if (law->kind == SIM_UNIFORM) {
        law->mean = law->low + (law->high - law->low) / 2;
    }
    for (size_t i = 0; i < law->count; i++) {
        law->values[i] *= factor;
    }
    if (law->kind == SIM_EMPIRICAL) {
        law->mean = average_of(law->values, law->count);
    }
}

/* ---- moments and distribution ---- */

/* E[X^order] of the uniform law on [a, b]: the mean of x^order, without a division by b - a. */
static double uniform_moment(double a, double b, int order)
{
    switch (order) {
    case 1:
        return (a + b) / 2;
    case 2:
        return (a * a + a * b + b * b) / 3;
    default:
        return (a + b) * (a * a + b * b) / 4;
    }
}

static double empirical_moment(const struct sim_law *law, int order)
{
    double sum = 0;

    for (size_t i = 0; i < law->count; i++) {
        sum += pow(law->values[i], order);
    }
    return sum / (double)law->count;
}

double sim_law_moment(const struct sim_law *law, int order)
{
    static const double factorial[] = {1, 1, 2, 6};

    if (order == 1) {
        return law->mean;
    }
    switch (law->kind) {
    case SIM_CONSTANT:
        break;
    case SIM_UNIFORM:
        return uniform_moment(law->low, law->high, order);
    case SIM_TAILED:
        return (1 - law->tail) * uniform_moment(0, law->knee, order) +
               law->tail * uniform_moment(law->knee, law->high, order);
    case SIM_EXPONENTIAL:
        return factorial[order] * pow(law->mean, order);
    case SIM_EMPIRICAL:
        return empirical_moment(law, order);
    }
    return pow(law->mean, order);
}

double sim_law_maximum(const struct sim_law *law)
{
    return law->kind == SIM_CONSTANT ? law->mean : law->high;
}

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
    }
    return cexp(-s * law->mean);
}
