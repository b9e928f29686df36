/* SPDX-License-Identifier: BSD-2-Clause */
/* Measures by name, and the one that is chosen. */
#include "bench/interactive/host/measure/measure.h"

#include "tools/tests/support/unit.h"

static void test_names(void)
{
    enum measure measure = MEASURE_RESPONSE;

    CHECK_TEXT(measure_name(MEASURE_IDLE), "idle");
    CHECK_TEXT(measure_name(MEASURE_SERVICE), "service");
    CHECK_TEXT(measure_name(MEASURE_RESPONSE), "response");
    CHECK(measure_name(MEASURES) == NULL);
    CHECK(measure_by_name("idle", &measure) && measure == MEASURE_IDLE);
    CHECK(measure_by_name("service", &measure) && measure == MEASURE_SERVICE);
    CHECK(!measure_by_name("busy", &measure) && !measure_by_name("", &measure));
    CHECK(measure == MEASURE_SERVICE);
}

static void test_chosen(void)
{
    CHECK(measure_chosen() == MEASURE_RESPONSE && !measure_choice()->given);
    measure_choose(&(struct measure_choice){.measure = MEASURE_IDLE, .by_class = true});
    CHECK(measure_chosen() == MEASURE_IDLE && measure_choice()->by_class);
    CHECK_TEXT(measure_label(measure_chosen()), "latency by the idle loop");
}

int main(void)
{
    RUN(test_names());
    RUN(test_chosen());
    return unit_finish("unit_measure");
}
