/* SPDX-License-Identifier: BSD-2-Clause */
/* What is shown of bench delivery: promises kept, broken, and not tried. */
#include "tools/present/digest.h"
#include "tools/tests/support/run_builder.h"
#include "tools/tests/support/shown.h"
#include "tools/tests/support/unit.h"

static struct run_bench *start(struct run *run)
{
    run_init(run);
    return build_bench(run, "delivery", 1);
}

static bool digest_is(const struct run *run, const char *text)
{
    struct digest digest = {0};
    struct view view;

    view_init(&view, NULL, run);
    return report_plugin_shown(&run->benches[0])->digest(&view, &run->benches[0], &digest) &&
           strcmp(digest.text, text) == 0;
}

static void test_table(void)
{
    struct run run;
    struct run_bench *bench = start(&run);
    struct digest digest;
    struct view view;

    view_init(&view, NULL, &run);
    CHECK(!report_plugin_shown(bench)->digest(&view, bench, &digest));
    build_fact(bench, "tried.once", 1000);
    build_fact(bench, "broken.once", 8);
    build_fact(bench, "first.once", 706);
    build_fact(bench, "tried.tpr", 100);
    build_fact(bench, "broken.tpr", 0);
    build_fact(bench, "tried.nmi", 100); /* how often it was broken is missing */
    *run_add_param(bench) =
        (struct run_param){.name = "how.once", .value = "vector 0x51 expected 1 delivery, got 2"};
    CHECK(holds(&run, "  once     SDM 3 11.8.4     1000   992       8           706\n"));
    CHECK(holds(&run, "  tpr      SDM 3 11.8.3.1    100   100       0             -\n"));
    CHECK(lacks(&run, "nmi") && lacks(&run, "tpr is broken"));
    CHECK(holds(&run, "once is broken: each requested vector is delivered once, but vector 0x51\n"));
    CHECK(digest_is(&run, "1 of 2 promises kept"));
    CHECK(report_plugin_shown(bench)->shows_fact(run_find_fact(bench, "first.once")));
    run_free(&run);
}

int main(void)
{
    RUN(test_table());
    return unit_finish("unit_delivery_view");
}
