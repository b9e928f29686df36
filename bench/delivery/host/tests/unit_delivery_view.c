/* SPDX-License-Identifier: BSD-2-Clause */
/* What is shown of bench delivery: promises kept, broken, and not tried. */
#include "bench/delivery/promise.h"
#include "tools/tests/support/run_builder.h"
#include "tools/tests/support/shown.h"
#include "tools/tests/support/unit.h"

static struct run_bench *start(struct run *run)
{
    run_init(run);
    return build_bench(run, "delivery", 1);
}

static void test_table(void)
{
    int64_t tried[PROMISES] = {[PROMISE_ONCE] = 1000, [PROMISE_TPR] = 100};
    int64_t broken[PROMISES] = {[PROMISE_ONCE] = 8};
    int64_t first[PROMISES] = {[PROMISE_ONCE] = 706, [PROMISE_TPR] = -1};
    struct run run;
    struct run_bench *bench = start(&run);

    CHECK(holds(&run, "no promises: samples are missing"));
    build_series(bench, "tried", NULL, NULL, tried, PROMISES);
    build_series(bench, "broken", NULL, NULL, broken, PROMISES);
    build_series(bench, "first", NULL, NULL, first, PROMISES);
    CHECK(holds(&run, "  once          SDM 3 11.8.4     1000   992           8           706\n"));
    CHECK(holds(&run, "  tpr           SDM 3 11.8.3.1    100   100           0             -\n"));
    CHECK(holds(&run, "  nmi           SDM 3 6.7.1         -     -           -             -\n"));
    run_free(&run);
}

int main(void)
{
    RUN(test_table());
    return unit_finish("unit_delivery_view");
}
