/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Closed stations by theory: by hand where there are few customers, of Erlang's formula where there
 * are many, and the two formulas of one server against each other.
 */
#include <math.h>

#include "tools/tests/sim/law_checks.h"
#include "tools/tests/sim/sim_builder.h"
#include "tools/tests/sim/theory.h"
#include "tools/tests/support/unit.h"

static void check_near(double value, double wanted, double tolerance, int line)
{
    if (!(fabs(value - wanted) <= tolerance)) {
        fprintf(stderr, "%.12g is not %.12g\n", value, wanted);
    }
    unit_check(fabs(value - wanted) <= tolerance, __FILE__, line, "near");
}

#define NEAR(value, wanted, tolerance) check_near(value, wanted, tolerance, __LINE__)

/* As many servers as customers: none waits. */
static void test_no_wait(void)
{
    for (size_t customers = 1; customers <= 40; customers += 13) {
        NEAR(repairmen_response(customers, customers, 3, 7), 3, 1e-12);
        NEAR(repairmen_beyond(customers, customers, 3, 7, 5), exp(-5.0 / 3), 1e-12);
    }
}

/* Two customers, one server: who arrives finds the other with the part 1 / (1 + think / service),
 * and waits for it an exponential service. */
static void test_two_customers(void)
{
    const double found = 1 / (1 + 7.0 / 3);

    NEAR(repairmen_response(2, 1, 3, 7), 3 + 3 * found, 1e-12);
    NEAR(repairmen_beyond(2, 1, 3, 7, 5), exp(-5.0 / 3) * (1 + found * 5 / 3), 1e-12);
    /* Of constant services the busy period has 1 / exp(-service / think) of them. */
    const struct sim_law constant = built_constant(3);
    const double served = exp(3.0 / 7);

    NEAR(repairman_response(2, &constant, 7), 2 * (served * 3 + 3.5) / served - 7, 1e-12);
}

/* The birth and death process, and the busy period of any law, of the same station. */
static void test_one_server(void)
{
    const struct sim_law service = built_exponential(3);

    for (size_t customers = 1; customers <= 32; customers++) {
        NEAR(repairman_response(customers, &service, 20), repairmen_response(customers, 1, 3, 20),
             1e-9);
    }
}

/* The mean is the area below the tail. */
static void test_tail(void)
{
    static const size_t servers[] = {1, 2, 3, 8};

    for (size_t i = 0; i < 4; i++) {
        const double step = 0.01;
        double area = 0;

        for (size_t k = 0; k < 20000; k++) {
            area += step * repairmen_beyond(12, servers[i], 1, 4, (0.5 + (double)k) * step);
        }
        NEAR(area, repairmen_response(12, servers[i], 1, 4), 1e-5);
    }
}

/* Many who think for long are Poisson arrivals: Erlang's delay of two servers at load 0.6, which is
 * load^2 / (1 - load^2) services, and Pollaczek and Khinchine's of one. */
static void test_many(void)
{
    const struct sim_law constant = built_constant(1);
    const size_t customers = 100000;

    NEAR(repairmen_response(customers, 2, 1, (double)customers / 1.2), 1 + 0.36 / 0.64, 1e-4);
    NEAR(repairman_response(200, &constant, 200 / 0.3), 1 + 0.3 / (2 * 0.7), 5e-3);
}

/* Who never thinks long keeps all servers busy. */
static void test_few_servers(void)
{
    const struct sim_law constant = built_constant(2);

    NEAR(repairmen_response(30, 4, 2, 1e-9), 30 * 2 / 4.0, 1e-6);
    NEAR(repairman_response(30, &constant, 0.5), 30 * 2 - 0.5, 1e-6);
}

int main(void)
{
    RUN(test_no_wait());
    RUN(test_two_customers());
    RUN(test_one_server());
    RUN(test_tail());
    RUN(test_many());
    RUN(test_few_servers());
    return unit_finish("unit_repairmen");
}
