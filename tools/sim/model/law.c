/* SPDX-License-Identifier: BSD-2-Clause */
#include "tools/sim/model/law.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "kernel/plan/draw.h"
#include "tools/base/alloc.h"
#include "tools/base/sort.h"

/* Because the given numbers are rounded, the knee may exceed the maximum by this fraction. */
#define KNEE_ROUNDING 1e-12
#define AGREES_TO     1e-9 /* relative precision that numbers lose as text */
#define TAILED_BASE   3    /* number of parameters that determine a tailed law */

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
        return refuse(error, "%s is not a number", what);
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
        return refuse(error,
                      "%.10g %% in the tail is impossible: with average %.10g and maximum %.10g it "
                      "must be at least %.4g %% and less than %.4g %%",
                      tail * 100, average, maximum, least * 100,
                      fmin(100, 200 * average / maximum));
    }
    *law = (struct sim_law){.kind = SIM_TAILED,
                            .mean = average,
                            .high = maximum,
                            .knee = fmin(knee, maximum),
                            .tail = tail};
    return true;
}

/* ---- the tailed law by other parameters ---- */

static const char *const parameter[SIM_TAILED_PARAMETERS] = {"average", "maximum", "tail", "knee",
                                                             "ratio"};

const char *sim_tailed_name(enum sim_tailed_parameter which)
{
    return parameter[which];
}

/* Computes the other two parameters if three are given. Returns false if those are knee, maximum
 * and ratio. */
static bool solve_tailed(double value[SIM_TAILED_PARAMETERS])
{
    double *const average = &value[SIM_TAILED_AVERAGE];
    double *const maximum = &value[SIM_TAILED_MAXIMUM];
    double *const tail = &value[SIM_TAILED_TAIL];
    double *const knee = &value[SIM_TAILED_KNEE];
    double *const ratio = &value[SIM_TAILED_RATIO];

    if (isnan(*knee) && !isnan(*maximum) && !isnan(*ratio)) {
        *knee = *maximum / (1 + *ratio);
    } else if (isnan(*knee) && !isnan(*maximum)) {
        *knee = 2 * *average - *tail * *maximum;
    } else if (isnan(*knee)) {
        *knee = 2 * *average / (1 + *tail * (1 + *ratio));
    }
    if (isnan(*maximum)) {
        *maximum = !isnan(*ratio) ? *knee * (1 + *ratio) : (2 * *average - *knee) / *tail;
    }
    if (isnan(*average)) {
        *average = (*knee + *tail * *maximum) / 2;
    }
    if (isnan(*tail)) {
        *tail = (2 * *average - *knee) / *maximum;
    }
    if (isnan(*ratio)) {
        *ratio = *maximum / *knee - 1;
    }
    return !isnan(*average);
}

static bool check_given(const double given[SIM_TAILED_PARAMETERS], char error[SIM_LAW_ERROR_MAX])
{
    for (size_t i = 0; i < SIM_TAILED_PARAMETERS; i++) {
        const bool may_be_0 = i == SIM_TAILED_TAIL || i == SIM_TAILED_RATIO;

        if (!isnan(given[i]) && !(isfinite(given[i]) && given[i] >= 0)) {
            return refuse(error, "the %s %.10g is below 0", parameter[i], given[i]);
        }
        if (given[i] == 0 && !may_be_0) {
            return refuse(error, "the %s is 0: write a constant", parameter[i]);
        }
    }
    return !(given[SIM_TAILED_TAIL] > 1) ||
           refuse(error, "%.10g %% in the tail is not from 0 to 100 %%",
                  given[SIM_TAILED_TAIL] * 100);
}

/* Copies the first three given parameters to `base`. */
static bool choose_base(const double given[SIM_TAILED_PARAMETERS],
                        double base[SIM_TAILED_PARAMETERS], char error[SIM_LAW_ERROR_MAX])
{
    char names[64] = "";
    size_t length = 0;
    size_t count = 0;

    for (size_t i = 0; i < SIM_TAILED_PARAMETERS; i++) {
        const bool used = !isnan(given[i]) && count < TAILED_BASE;

        base[i] = used ? given[i] : NAN;
        if (used) {
            length += (size_t)snprintf(names + length, sizeof(names) - length, "%s%s",
                                       count > 0 ? " and " : "", parameter[i]);
            count++;
        }
    }
    return count == TAILED_BASE ||
           refuse(
               error,
               "three of average, maximum, tail, knee and ratio are required, but there %s only %s",
               count == 1 ? "is" : "are", names);
}

/* Checks that the parameters computed from the base form a law. */
static bool check_solved(const double base[SIM_TAILED_PARAMETERS],
                         const double solved[SIM_TAILED_PARAMETERS], char error[SIM_LAW_ERROR_MAX])
{
    const double knee = solved[SIM_TAILED_KNEE];
    const double maximum = solved[SIM_TAILED_MAXIMUM];
    const double tail = solved[SIM_TAILED_TAIL];

    if (isnan(base[SIM_TAILED_TAIL]) && !(tail >= 0 && tail <= 1)) {
        return refuse(error,
                      "the average %.10g does not agree with knee %.10g and maximum %.10g: it must "
                      "be from %.10g to %.10g",
                      solved[SIM_TAILED_AVERAGE], knee, maximum, knee / 2, (knee + maximum) / 2);
    }
    if (isnan(base[SIM_TAILED_MAXIMUM]) && !(maximum >= knee * (1 - KNEE_ROUNDING))) {
        return refuse(error,
                      "with knee %.10g and %.10g %% in the tail the average must be at least "
                      "%.10g, got %.10g",
                      knee, tail * 100, knee * (1 + tail) / 2, solved[SIM_TAILED_AVERAGE]);
    }
    return !(knee > maximum * (1 + KNEE_ROUNDING)) || isnan(base[SIM_TAILED_KNEE]) ||
           refuse(error, "the knee %.10g is above the maximum %.10g", knee, maximum);
}

static bool check_beyond(const double given[SIM_TAILED_PARAMETERS],
                         const double solved[SIM_TAILED_PARAMETERS], char error[SIM_LAW_ERROR_MAX])
{
    for (size_t i = 0; i < SIM_TAILED_PARAMETERS; i++) {
        if (!isnan(given[i]) &&
            fabs(given[i] - solved[i]) > AGREES_TO * fmax(fabs(solved[i]), fabs(given[i]))) {
            return refuse(error,
                          "the %s %.10g does not agree with the values before it, which require "
                          "%.10g: omit it",
                          parameter[i], given[i], solved[i]);
        }
    }
    return true;
}

bool sim_law_tailed_by(struct sim_law *law, const double given[SIM_TAILED_PARAMETERS],
                       char error[SIM_LAW_ERROR_MAX])
{
    double base[SIM_TAILED_PARAMETERS];
    double solved[SIM_TAILED_PARAMETERS];

    if (!check_given(given, error) || !choose_base(given, base, error)) {
        return false;
    }
    if (base[SIM_TAILED_TAIL] == 0 && isnan(base[SIM_TAILED_MAXIMUM]) &&
        isnan(base[SIM_TAILED_RATIO])) {
        return refuse(error,
                      "with 0 %% in the tail the maximum is undetermined: write uniform 0 %.10g",
                      base[SIM_TAILED_KNEE]);
    }
    memcpy(solved, base, sizeof(solved));
    if (!solve_tailed(solved)) {
        return refuse(error, "knee, maximum and ratio depend on each other (maximum = knee (1 + "
                             "ratio)): give average or tail instead of one of them");
    }
    return check_solved(base, solved, error) &&
           sim_law_tailed(law, solved[SIM_TAILED_AVERAGE], solved[SIM_TAILED_MAXIMUM],
                          solved[SIM_TAILED_TAIL], error) &&
           check_beyond(given, solved, error);
}

/* ---- values ---- */

/* Returns the average of ascending values, so that it does not depend on their original order. */
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
        return refuse(error, "no values");
    }
    for (size_t i = 0; i < count; i++) {
        if (!check_time("the value", values[i], error)) {
            return false;
        }
    }
    double *const sorted = sort_copy(values, count);

    *law = (struct sim_law){.kind = SIM_EMPIRICAL,
                            .mean = average_of(sorted, count),
                            .low = sorted[0],
                            .high = sorted[count - 1],
                            .values = sorted,
                            .count = count,
                            .source = source != NULL ? strdup(source) : NULL};
    return true;
}

void sim_law_free(struct sim_law *law)
{
    free(law->values);
    free(law->source);
    *law = (struct sim_law){.kind = SIM_CONSTANT};
}

void sim_law_scale(struct sim_law *law, double factor)
{
    if (law->kind == SIM_SHAPED) {
        double given[SIM_SHAPE_NUMBERS];

        for (size_t i = 0; i < SIM_SHAPE_NUMBERS; i++) {
            given[i] = law->given[i] * (sim_shapes[law->shape].is_time[i] ? factor : 1);
        }
        sim_law_shaped(law, law->shape, given, (char[SIM_LAW_ERROR_MAX]){0});
        return;
    }
    law->mean *= factor;
    law->low *= factor;
    law->high *= factor;
    /* the same value that sim_law_tailed() would compute from the scaled numbers */
    if (law->kind == SIM_TAILED) {
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

/* Returns E[X^order] of the uniform law on [a, b], the mean of x^order, without dividing by b - a.
 */
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
    case SIM_SHAPED:
        return sim_shape_moment(law, order);
    }
    return pow(law->mean, order);
}

void sim_random_seed(struct sim_random *random, uint64_t seed, uint64_t replication,
                     uint64_t stream)
{
    const uint64_t parts[] = {seed, replication, stream};
    struct draw_random mixer = {0}; /* SplitMix64 */

    /* Each part is mixed in before the next, so that neighbouring values of one part do not give
     * the same state as neighbouring values of another. */
    for (int i = 0; i < 3; i++) {
        mixer.state ^= parts[i];
        mixer.state = draw_next(&mixer);
    }
    /* Four successive numbers are never all 0, a state that xoshiro could not leave. */
    for (int i = 0; i < 4; i++) {
        random->state[i] = draw_next(&mixer);
    }
}
