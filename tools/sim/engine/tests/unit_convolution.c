/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Sums of delays against closed forms, enumeration, and draws; their statements against nonsense.
 */
#include <math.h>
#include <stdlib.h>

#include "tools/base/alloc.h"
#include "tools/base/sort.h"
#include "tools/sim/engine/convolution.h"
#include "tools/tests/support/unit.h"

#define NEAR(value, wanted, tolerance) CHECK(fabs((value) - (wanted)) <= (tolerance))

static struct sim_model read_text(const char *text)
{
    struct sim_model_error error;
    struct sim_model model;
    struct sim_model again;

    if (!sim_model_read(&model, text, strlen(text), ".", NULL, 0, &error)) {
        fprintf(stderr, "line %zu: %s\n", error.line, error.text);
        CHECK(!"it is refused");
        return (struct sim_model){0};
    }
    /* The text of a model is the model again. */
    char *const written = sim_model_text(&model);

    CHECK(sim_model_read(&again, written, strlen(written), ".", NULL, 0, &error));
    CHECK_EQUAL(again.delay_count, model.delay_count);
    sim_model_free(&model);
    free(written);
    return again;
}

static void solve(const char *text, const double *points, size_t count, struct convolution_sum *sum)
{
    struct sim_model model = read_text(text);

    convolution_solve(&model, points, count, sum);
    sim_model_free(&model);
}

static double before(const struct convolution_sum *sum, double x)
{
    return convolution_below(sum, x, NULL) - convolution_mass(sum, x);
}

static const char lattice[] = "delay arrival values 0 1\n"
                              "delay departure values 0 1 1 1\n"
                              "delay transmission 1 with 90% times 3\n"
                              "delay transmission 3 with .1 times 3\n"
                              "delay processing 5\n"
                              "delay contention 0 with 70%\n"
                              "delay contention 2 with .2\n"
                              "delay contention 10 with 0.1 # together 1\n";

static void test_lattice(void)
{
    static const double masses[] = {
        5103. / 80000, .25515, .23085,  .15795, .1269,  .03375, .026075, .00305, .0023125,   .0001,
        .0091875,      .03645, .030375, .01215, .00945, .00135, .001025, .00005, 3. / 80000,
    };
    struct convolution_sum sum;
    double below = 0;

    solve(lattice, NULL, 0, &sum);
    CHECK(sum.is_aligned && !sum.has_density && sum.beyond == 0);
    NEAR(sum.mean, 45. / 4, 1e-12);
    NEAR(sum.variance, 4143. / 400, 1e-12);
    NEAR(sum.curve_mean, 45. / 4, 1e-9);
    NEAR(sum.curve_variance, 4143. / 400, 1e-9);
    for (size_t i = 0; i < sizeof(masses) / sizeof(masses[0]); i++) {
        const double x = 8 + (double)i;
        double doubt = 1;

        below += masses[i];
        NEAR(convolution_mass(&sum, x), masses[i], 1e-12);
        NEAR(convolution_below(&sum, x, &doubt), below, 1e-12);
        NEAR(convolution_below(&sum, x + .5, NULL), below, 1e-12);
        NEAR(before(&sum, x), below - masses[i], 1e-12);
        CHECK(convolution_mass(&sum, x + .5) == 0);
        CHECK(doubt < 1e-9);
    }
    CHECK(convolution_below(&sum, 7.999, NULL) == 0);
    NEAR(convolution_below(&sum, 1e9, NULL), 1, 1e-12);
    CHECK(convolution_quantile(&sum, .5) == 10);
    CHECK(convolution_quantile(&sum, 1e-9) == 8);
    CHECK(convolution_quantile(&sum, 1 - 1e-9) == 26);
    convolution_sum_free(&sum);
}

static void test_continuous(void)
{
    static const double points[] = {14, 16, 18, 20, 25, 30, 40};
    static const double wanted[] = {.0073203824, .2172321633, .5458893152, .7536498801,
                                    .9414659986, .9840658875, .998706847};
    struct convolution_sum sum;

    solve("delay arrival uniform 0 2\ndelay departure uniform 0 1\n"
          "delay transmission exponential 1.5 times 2\ndelay processing constant 12.9\n"
          "delay contention 0 with 70%\ndelay contention exponential 4 with 30%\n",
          points, 7, &sum);
    NEAR(sum.mean, 18.6, 1e-12);
    NEAR(sum.variance, 13.0766666667, 1e-9);
    NEAR(sum.curve_mean, 18.6, 1e-6);
    NEAR(sum.curve_variance, 13.0766666667, 1e-5);
    for (size_t i = 0; i < 7; i++) {
        double doubt = 1;

        NEAR(convolution_below(&sum, points[i], &doubt), wanted[i], 3e-10);
        CHECK(doubt < 1e-6 && doubt >= 1e-12);
        NEAR(convolution_below(&sum, convolution_quantile(&sum, wanted[i]), NULL), wanted[i], 1e-9);
    }
    CHECK(sum.error < 1e-6);
    NEAR(convolution_quantile(&sum, .5458893152), 18, 1e-6);
    convolution_sum_free(&sum);
}

/* P(X <= x) of a sum of 12 that are uniform on [0, 1]: Irwin and Hall. */
static double uniform_sum(double x)
{
    double sum = 0;
    double coefficient = 1; /* (-1)^k binomial(12, k) / 12! */

    for (int i = 1; i <= 12; i++) {
        coefficient /= i;
    }
    for (int k = 0; k <= x && k <= 12; k++) {
        sum += coefficient * pow(x - k, 12);
        coefficient *= -(12. - k) / (k + 1);
    }
    return sum;
}

static void test_many_uniform(void)
{
    struct convolution_sum sum;

    solve("delay transmission uniform 3 4 times 12", NULL, 0, &sum);
    for (double x = 1; x < 11; x += .5) {
        double doubt = 0;
        const double error = convolution_below(&sum, 36 + x, &doubt) - uniform_sum(x);

        NEAR(error, 0, 1e-9);
        CHECK(fabs(error) <= doubt);
    }
    NEAR(convolution_below(&sum, 36, NULL), 0, 1e-15);
    convolution_sum_free(&sum);
}

/* Places that no step divides: uniform on [0, sqrt 2], 0 or pi, and exponential. */
static void test_unaligned(void)
{
    const double width = sqrt(2);
    const double pi = acos(-1);
    struct convolution_sum sum;

    solve("delay arrival uniform 0 1.4142135623730951\n"
          "delay departure values 0 3.141592653589793\ndelay contention exponential 1\n",
          NULL, 0, &sum);
    CHECK(!sum.is_aligned);
    for (double x = .5; x < 12; x += .5) {
        double wanted = 0;
        double doubt = 0;

        for (int i = 0; i < 2; i++) {
            const double y = x - i * pi;
            const double from = fmax(y - width, 0);

            wanted += y > 0 ? .5 / width * (y - from + exp(-y) - exp(-from)) : 0;
        }
        NEAR(convolution_below(&sum, x, &doubt), wanted, 1e-7);
        NEAR(convolution_below(&sum, x, NULL), wanted, doubt);
    }
    convolution_sum_free(&sum);
}

/* Where there is one density among atoms, nothing is left to be approximated. */
static void test_atoms_and_density(void)
{
    static const double points[] = {5, 5.25, 6, 7.3};
    struct convolution_sum sum;

    solve("delay processing 5 with 25%\ndelay processing uniform 6 7 with 75%\ndelay arrival "
          "values 0 1",
          points, 4, &sum);
    CHECK(sum.is_aligned && sum.has_density);
    NEAR(convolution_mass(&sum, 5), .125, 1e-12);
    NEAR(convolution_mass(&sum, 6), .125, 1e-12);
    CHECK(convolution_mass(&sum, 7) == 0);
    NEAR(convolution_below(&sum, 5.25, NULL), .125, 1e-12);
    NEAR(convolution_below(&sum, 6, NULL), .25, 1e-12);
    NEAR(before(&sum, 6), .125, 1e-12);
    NEAR(convolution_below(&sum, 7.3, NULL), .25 + .375 + .375 * .3, 1e-12);
    CHECK(sum.error < 1e-10);
    CHECK(convolution_quantile(&sum, .1) == 5);
    CHECK(convolution_quantile(&sum, .2) == 6);
    convolution_sum_free(&sum);
}

static void test_constants(void)
{
    struct convolution_sum sum;

    solve("delay processing 12.9\ndelay arrival exponential 3 times 0\ndelay transmission 0.1 "
          "times 3",
          NULL, 0, &sum);
    NEAR(convolution_mass(&sum, 13.2), 1, 1e-12);
    CHECK(convolution_below(&sum, 13, NULL) == 0);
    CHECK(sum.variance == 0 && sum.beyond == 0);
    convolution_sum_free(&sum);
    solve("delay processing 0", NULL, 0, &sum);
    CHECK(convolution_below(&sum, 0, NULL) == 1);
    convolution_sum_free(&sum);
}

/* Values that no step divides: each sum is near its place, where the curve is in doubt. */
static void test_unaligned_atoms(void)
{
    const double pi = acos(-1);
    struct convolution_sum sum;
    double doubt = 0;

    solve("delay arrival values 0 1 times 2\ndelay contention 0 with 20%\ndelay contention "
          "3.141592653589793 with 80%",
          NULL, 0, &sum);
    CHECK(!sum.is_aligned && !sum.has_density);
    CHECK(sum.moved > 0 && sum.moved < 1e-3);
    NEAR(convolution_below(&sum, 1 - sum.moved, NULL), .05, 1e-9);
    NEAR(convolution_below(&sum, 1 + sum.moved, NULL), .15, 1e-9);
    NEAR(convolution_below(&sum, 2.5, &doubt), .2, 1e-9);
    CHECK(doubt < 1e-9);
    NEAR(convolution_below(&sum, pi + sum.moved, NULL), .4, 1e-9);
    const double error = convolution_below(&sum, pi, &doubt) - .4;

    CHECK(fabs(error) <= doubt);
    convolution_sum_free(&sum);
}

/* The reported error covers what the grid does not resolve because of rare values far away. */
static void test_far_atom(void)
{
    struct convolution_sum sum;
    double doubt = 0;

    solve("delay contention 1 with 99.99%\ndelay contention 1e12 with 0.01%\ndelay arrival "
          "exponential 20000",
          NULL, 0, &sum);
    const double error = convolution_below(&sum, 30001, &doubt) - .9999 * -expm1(-1.5);

    CHECK(fabs(error) > .1 && fabs(error) <= doubt);
    CHECK(sum.error >= doubt);
    convolution_sum_free(&sum);
}

#define DRAWS      20000
#define SAME_POINT 1e-6 /* of a step: roundings of sums are less */

/* The greatest distance of the curve from the distribution of `count` values, which it sorts
 * (Kolmogorov and Smirnov). */
static double greatest_distance(const struct convolution_sum *sum, double *values, size_t count)
{
    double greatest = 0;

    sort_reals(values, count);
    for (size_t i = 0, next = 0; i < count; i = next) {
        const double same = values[i] + SAME_POINT * sum->step;

        for (next = i + 1; next < count && values[next] <= same;) {
            next++;
        }
        const double below = (double)next / (double)count;

        greatest = fmax(greatest, fabs(below - convolution_below(sum, values[next - 1], NULL)));
        greatest = fmax(greatest, fabs((double)i / (double)count - before(sum, values[i])));
    }
    return greatest;
}

/* Of values that are drawn from the curve itself, the distance is greater with a probability of at
 * most `alpha`, whatever the curve (Dvoretzky, Kiefer, Wolfowitz; Massart 1990). */
static double distance_bound(size_t count, double alpha)
{
    return sqrt(log(2 / alpha) / (2 * (double)count));
}

/* One value of the sum: of each part as many as it comes times, each by one of its laws. */
static double draw(const struct sim_model *model, struct sim_random *random)
{
    double sum = 0;

    for (enum sim_delay_part part = 0; part < SIM_DELAY_PARTS; part++) {
        struct convolution_part whole;

        convolution_part(model, part, &whole);
        for (size_t n = 0; n < whole.times; n++) {
            double chosen = sim_random_uniform(random);
            const struct sim_law *law = NULL;

            for (size_t i = 0; i < model->delay_count && (law == NULL || chosen > 0); i++) {
                if (model->delays[i].part == part) {
                    law = &model->delays[i].law;
                    chosen -= model->delays[i].probability;
                }
            }
            sum += law != NULL ? sim_law_draw(law, random) : NAN;
        }
    }
    return sum;
}

static double distance(const struct convolution_sum *sum, const char *text)
{
    struct sim_model model = read_text(text);
    struct sim_random random;
    double *values = alloc_zeroed(DRAWS * sizeof(*values));

    sim_random_seed(&random, 7, 0, 0);
    for (size_t i = 0; i < DRAWS; i++) {
        values[i] = draw(&model, &random);
    }
    const double greatest = greatest_distance(sum, values, DRAWS);

    sim_model_free(&model);
    free(values);
    return greatest;
}

static void test_draws(void)
{
    static const char other[] = "delay arrival values 0 1\ndelay processing 8 with 90%\n"
                                "delay processing 18 with 10%\ndelay departure values 0 1 1 1";
    const double bound = distance_bound(DRAWS, .001);
    struct convolution_sum sum;

    NEAR(bound, sqrt(log(2000.) / (2. * DRAWS)), 1e-12);
    solve(lattice, NULL, 0, &sum);
    CHECK(distance(&sum, lattice) < bound);
    CHECK(distance(&sum, lattice) > 0.0005); /* they are random */
    CHECK(distance(&sum, other) > bound);
    convolution_sum_free(&sum);
}

/* ---- the statement ---- */

static const struct {
    const char *text;
    size_t line;
    const char *reason;
} refused[] = {
    {"delay arival 1", 1, "unknown word after delay \"arival\"; did you mean \"arrival\"?"},
    {"delay arrival uniform 2 1", 1, "the lower end 2 is above the upper end 1"},
    {"delay arrival exponential -1", 1, "the mean -1 is below 0"},
    {"delay arrival average 5 maximum 4 tail 1%", 1, "the average 5 is above the maximum 4"},
    {"delay arrival 1 times 1.5", 1, "times must be followed by a whole number from 0 to 1000"},
    {"delay arrival 1 times", 1, "times must be followed by a whole number from 0 to 1000"},
    {"delay arrival 1 2", 1, "\"2\" is too much for this line: delay ends before it"},
    {"delay arrival 1\ndelay arrival 2", 2,
     "the probabilities of the arrival delay must add to 1, got 2"},
    {"delay arrival 0 with 70%", 1,
     "the probabilities of the arrival delay must add to 1, got 0.7"},
    {"delay arrival 0 with 70%\ndelay arrival 1 with 30% times 2", 2,
     "the laws of the arrival delay have different times: 1 and 2"},
    {"levels low\nload low service 1 rate 0.1\ndelay arrival 1\n", 3,
     "a sum of delays has no loads and stimuli: simulate them with a separate model, and use the "
     "series of its run as the law of a delay"},
};

static void test_refusals(void)
{
    for (size_t i = 0; i < sizeof(refused) / sizeof(refused[0]); i++) {
        struct sim_model_error error;
        struct sim_model model;

        CHECK(!sim_model_read(&model, refused[i].text, strlen(refused[i].text), NULL, NULL, 0,
                              &error));
        CHECK_EQUAL(error.line, refused[i].line);
        CHECK_TEXT(error.text, refused[i].reason);
    }
}

int main(void)
{
    RUN(test_lattice());
    RUN(test_continuous());
    RUN(test_many_uniform());
    RUN(test_unaligned());
    RUN(test_atoms_and_density());
    RUN(test_constants());
    RUN(test_unaligned_atoms());
    RUN(test_far_atom());
    RUN(test_draws());
    RUN(test_refusals());
    return unit_finish("unit_convolution");
}
