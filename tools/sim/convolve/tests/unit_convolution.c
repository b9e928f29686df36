/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Sums of delays against closed forms, enumeration, and draws; their grammar against nonsense.
 */
#include <math.h>
#include <stdlib.h>
#include <unistd.h>

#include "tools/sim/convolve/convolution_text.h"
#include "tools/store/runfile.h"
#include "tools/tests/support/run_builder.h"
#include "tools/tests/support/unit.h"

#define NEAR(value, wanted, tolerance) CHECK(fabs((value) - (wanted)) <= (tolerance))

static void read_text(struct convolution *convolution, const char *text)
{
    struct sim_model_error error;

    if (!convolution_read(convolution, text, strlen(text), NULL, &error)) {
        fprintf(stderr, "line %zu: %s\n", error.line, error.text);
        CHECK(!"it is refused");
        convolution_init(convolution);
    }
}

static void solve(const char *text, const double *points, size_t count, struct convolution_sum *sum)
{
    struct convolution convolution;

    read_text(&convolution, text);
    convolution_solve(&convolution, points, count, sum);
    convolution_free(&convolution);
}

static const char lattice[] = "arrival values {0: 1/2, 1: 1/2}\n"
                              "departure values {0: 1/4, 1: 3/4}\n"
                              "transmission values {1: 9/10, 3: 1/10} times 3\n"
                              "processing 5\n"
                              "contention values {0: 70%, 2: .2, 10: 0.1} # together 1\n";

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
        NEAR(convolution_before(&sum, x), below - masses[i], 1e-12);
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

    solve("arrival uniform 0 2\ndeparture uniform 0 1\ntransmission exponential 1.5 times 2\n"
          "processing constant 12.9\ncontention 0 with 70% else exponential 4\n",
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

    solve("transmission uniform 3 4 times 12", NULL, 0, &sum);
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

    solve("arrival uniform 0 1.4142135623730951\n"
          "departure 0 with 50% else 3.141592653589793\ncontention exponential 1\n",
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

    solve("processing 5 with 25% else uniform 6 7\narrival values {0: 1/2, 1: 1/2}", points, 4,
          &sum);
    CHECK(sum.is_aligned && sum.has_density);
    NEAR(convolution_mass(&sum, 5), .125, 1e-12);
    NEAR(convolution_mass(&sum, 6), .125, 1e-12);
    CHECK(convolution_mass(&sum, 7) == 0);
    NEAR(convolution_below(&sum, 5.25, NULL), .125, 1e-12);
    NEAR(convolution_below(&sum, 6, NULL), .25, 1e-12);
    NEAR(convolution_before(&sum, 6), .125, 1e-12);
    NEAR(convolution_below(&sum, 7.3, NULL), .25 + .375 + .375 * .3, 1e-12);
    CHECK(sum.error < 1e-10);
    CHECK(convolution_quantile(&sum, .1) == 5);
    CHECK(convolution_quantile(&sum, .2) == 6);
    convolution_sum_free(&sum);
}

static void test_constants(void)
{
    struct convolution_sum sum;

    solve("processing 12.9\narrival exponential 3 times 0\ntransmission 0.1 times 3", NULL, 0,
          &sum);
    NEAR(convolution_mass(&sum, 13.2), 1, 1e-12);
    CHECK(convolution_below(&sum, 13, NULL) == 0);
    CHECK(sum.variance == 0 && sum.beyond == 0);
    convolution_sum_free(&sum);
    solve("processing 0", NULL, 0, &sum);
    CHECK(convolution_below(&sum, 0, NULL) == 1);
    convolution_sum_free(&sum);
}

/* Values that no step divides: each sum is near its place, where the curve is in doubt. */
static void test_unaligned_atoms(void)
{
    const double pi = acos(-1);
    struct convolution_sum sum;
    double doubt = 0;

    solve("arrival values {0: 50%, 1: 50%} times 2\ncontention 0 with 20% else 3.141592653589793",
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

    solve("contention 1 with 99.99% else 1e12\narrival exponential 20000", NULL, 0, &sum);
    const double error = convolution_below(&sum, 30001, &doubt) - .9999 * -expm1(-1.5);

    CHECK(fabs(error) > .1 && fabs(error) <= doubt);
    CHECK(sum.error >= doubt);
    convolution_sum_free(&sum);
}

#define DRAWS 20000

static double distance(const struct convolution_sum *sum, const char *text)
{
    struct sim_random random;
    struct convolution convolution;
    double *values = alloc_zeroed(DRAWS * sizeof(*values));

    read_text(&convolution, text);
    sim_random_seed(&random, 7, 0, 0);
    for (size_t i = 0; i < DRAWS; i++) {
        values[i] = convolution_draw(&convolution, &random);
    }
    const double greatest = convolution_distance(sum, values, DRAWS);

    convolution_free(&convolution);
    free(values);
    return greatest;
}

static void test_draws(void)
{
    static const char other[] = "arrival values {0: 1/2, 1: 1/2}\nprocessing 8 with 90% else 18\n"
                                "departure values {0: 1/4, 1: 3/4}";
    const double bound = convolution_distance_bound(DRAWS, .001);
    struct convolution_sum sum;

    NEAR(bound, sqrt(log(2000.) / (2. * DRAWS)), 1e-12);
    solve(lattice, NULL, 0, &sum);
    CHECK(distance(&sum, lattice) < bound);
    CHECK(distance(&sum, lattice) > 0.0005); /* they are random */
    CHECK(distance(&sum, other) > bound);
    convolution_sum_free(&sum);
}

/* ---- the grammar ---- */

static const struct {
    const char *text;
    size_t line;
    const char *reason;
} refused[] = {
    {"", 0, "it names no delay: arrival, departure, transmission, processing or contention"},
    {"# nothing\n\nunit 1us\n", 3,
     "it names no delay: arrival, departure, transmission, processing or contention"},
    {"arival 1", 1, "unknown delay \"arival\"; did you mean \"arrival\"?"},
    {"arrival 1\n\narrival 2", 3,
     "the arrival delay stands in line 1 already: give sums a law each, or write times N"},
    {"arrival uniform 2 1", 1, "the lower end 2 is above the upper end 1"},
    {"arrival exponential -1", 1, "the mean -1 is below 0"},
    {"arrival average 5 maximum 4 tail 1%", 1, "the average 5 is above the maximum 4"},
    {"arrival 1 times 1.5", 1, "after times comes a whole number from 0 to 1000"},
    {"arrival 1 times", 1, "after times comes a whole number from 0 to 1000"},
    {"arrival 1 2", 1, "\"2\" should not be here: the line has ended"},
    {"arrival 0 with 70%", 1, "what is it with the other 30 %? Go on with: else LAW"},
    {"arrival 0 with 170% else 1", 1, "the part is 170 %, more than 100 %"},
    {"arrival values {1: 1/2, 2: 1/4}", 1, "the probabilities add to 0.75, not to 1"},
    {"arrival values {1: 3/2}", 1, "\"3/2\" is not a probability, such as 1/4"},
    {"arrival values {1: 1", 1, "a \"}\" is missing after the values"},
    {"arrival values {1, 2}", 1, "values are given as {VALUE: PROBABILITY, ...}"},
    {"arrival values {-1: 1}", 1, "the length -1 is below 0"},
    {"arrival histogram x.txt", 1,
     "it names the file \"x.txt\", and there is no folder to look in"},
    {"arrival series x.db a.b", 1,
     "a series of a run needs a unit of time: put a line such as unit 1us above"},
    {"unit 1us\nunit 1ms\n", 2, "the unit is given once, above the first series of a run"},
    {"unit 1 us\n", 1, "the unit is a time in ns, us, ms or s: unit 1us"},
};

static void test_refusals(void)
{
    for (size_t i = 0; i < sizeof(refused) / sizeof(refused[0]); i++) {
        struct convolution convolution;
        struct sim_model_error error;

        CHECK(!convolution_read(&convolution, refused[i].text, strlen(refused[i].text), NULL,
                                &error));
        CHECK_EQUAL(error.line, refused[i].line);
        CHECK_TEXT(error.text, refused[i].reason);
    }
}

static char folder[] = "/tmp/unit_convolution.XXXXXX";

static void write_text(const char *name, const char *text)
{
    char path[128];

    snprintf(path, sizeof(path), "%s/%s", folder, name);
    FILE *file = fopen(path, "w");

    CHECK(file != NULL);
    if (file != NULL) {
        fputs(text, file);
        fclose(file);
    }
}

static void write_run(const char *name)
{
    static const int64_t samples[] = {1000, 3000, 2000, 1000};
    char error[RUNFILE_ERROR_MAX];
    char path[128];
    struct run run;

    snprintf(path, sizeof(path), "%s/%s", folder, name);
    run_init(&run);
    run.verdict = (struct run_verdict){.present = true, .ok = true, .hz = 1000000000, .by = "test"};
    struct run_series *series =
        build_series(build_bench(&run, "model", 1), "response", NULL, NULL, samples, 4);

    series->crc = run_series_crc(series);
    CHECK(runfile_write(path, &run, error));
    run_free(&run);
}

static bool load(const char *text, struct convolution *convolution, struct sim_model_error *error)
{
    return convolution_read(convolution, text, strlen(text), folder, error);
}

static void test_files(void)
{
    struct convolution convolution;
    struct sim_model_error error;
    char path[128];

    write_text("classes", "# from to count\n0 1 30\n1,3,10\n5 5 10\n7 8 0\n");
    write_text("damaged", "0 1 30\n1 2\n");
    write_text("empty", "# nothing\n0 1 0\n");
    write_run("run.db");
    CHECK(load("contention histogram classes times 2\nunit 1us\narrival series run.db "
               "model.response\n",
               &convolution, &error));
    NEAR(convolution_part_mean(&convolution.part[CONVOLUTION_CONTENTION]),
         2 * (.5 * 30 + 2 * 10 + 5 * 10) / 50, 1e-12);
    NEAR(convolution_part_mean(&convolution.part[CONVOLUTION_ARRIVAL]), 1.75, 1e-12);
    NEAR(convolution_part_variance(&convolution.part[CONVOLUTION_ARRIVAL]), .6875, 1e-12);
    CHECK(convolution.unit_ns == 1000);
    convolution_free(&convolution);
    CHECK(!load("arrival 0\ncontention histogram damaged", &convolution, &error));
    CHECK_EQUAL(error.line, 2);
    CHECK_TEXT(error.text, "damaged, line 2: a class is three numbers: from, to, and how many");
    CHECK(!load("contention histogram empty", &convolution, &error));
    CHECK_TEXT(error.text, "the histogram empty is empty");
    CHECK(!load("contention histogram absent", &convolution, &error));
    CHECK(strstr(error.text, "absent: cannot read the file") != NULL);
    for (const char *const *name =
             (const char *const[]){"classes", "damaged", "empty", "run.db", NULL};
         *name != NULL; name++) {
        snprintf(path, sizeof(path), "%s/%s", folder, *name);
        unlink(path);
    }
}

int main(void)
{
    if (mkdtemp(folder) == NULL) {
        perror("mkdtemp");
        return 1;
    }
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
    RUN(test_files());
    rmdir(folder);
    return unit_finish("unit_convolution");
}
