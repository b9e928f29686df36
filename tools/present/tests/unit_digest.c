/* SPDX-License-Identifier: BSD-2-Clause */
/* The line of a bench: its main metric, in words of the kind of time, or why there is none. */
#include "tools/present/digest.h"
#include "tools/tests/support/run_builder.h"
#include "tools/tests/support/unit.h"

#define VALUES 1000

static void build_kind(struct run *run, const char *per_instruction)
{
    run_init(run);
    run_add_pair(run, &run->info, "kind", per_instruction != NULL ? "exact" : "real");
    if (per_instruction != NULL) {
        run_add_pair(run, &run->info, "ticks_per_instruction", per_instruction);
    }
    run->verdict = (struct run_verdict){.present = true, .ok = true, .hz = 1000000000};
}

static struct digest digest_first(const struct run *run)
{
    struct metrics metrics;
    struct digest digest;
    struct view view;

    view_init(&view, stdout, run);
    metrics_of(run, &metrics);
    digest_of(&view, &metrics, &run->benches[0], &digest);
    metrics_free(&metrics);
    return digest;
}

static struct run_bench *build_ok(struct run *run, const char *name)
{
    struct run_bench *bench = build_bench(run, name, 1);

    bench->state = "OK";
    return bench;
}

/* 1 to 1000 times 8000 ns, in an order of no importance. */
static void build_ramp(struct run_bench *bench, const char *series)
{
    int64_t values[VALUES];

    for (int64_t i = 0; i < VALUES; i++) {
        values[i] = (i + 1) * 8000;
    }
    build_series(bench, series, NULL, NULL, values, VALUES);
}

static void test_real(void)
{
    struct run run;

    build_kind(&run, NULL);
    build_ramp(build_ok(&run, "weigh"), "pan");
    const struct digest digest = digest_first(&run);

    CHECK_TEXT(digest.what, "pan");
    CHECK_EQUAL(digest.n, VALUES);
    CHECK_TEXT(digest.p50, "4.000 ms");
    CHECK_TEXT(digest.p99, "7.920 ms");
    CHECK_TEXT(digest.max, "8.000 ms");
    CHECK_TEXT(digest.text, "");
    run_free(&run);
}

static void test_exact(void)
{
    struct run run;

    build_kind(&run, "8");
    build_ramp(build_ok(&run, "weigh"), "pan");
    const struct digest digest = digest_first(&run);

    CHECK_TEXT(digest.p50, "500,000");
    CHECK_TEXT(digest.max, "1,000,000");
    run_free(&run);
}

/* One value is no maximum; the bench's own name goes before what comes first. */
static void test_own_name(void)
{
    const int64_t one = 12;
    struct run run;

    build_kind(&run, NULL);
    struct run_bench *bench = build_ok(&run, "weigh");

    build_ramp(bench, "pan");
    build_series(bench, "weigh", NULL, NULL, &one, 1);
    const struct digest digest = digest_first(&run);

    CHECK_TEXT(digest.what, "weigh");
    CHECK_EQUAL(digest.n, 1);
    CHECK_TEXT(digest.p50, "12.00 ns");
    CHECK_TEXT(digest.p99, "");
    CHECK_TEXT(digest.max, "");
    run_free(&run);
}

static void test_without_figure(void)
{
    struct digest digest;
    struct run run;

    build_kind(&run, NULL);
    struct run_bench *bench = build_bench(&run, "weigh", 1);

    bench->state = "SKIP";
    bench->reason = "there is no pan";
    build_ramp(bench, "pan");
    digest = digest_first(&run);
    CHECK_TEXT(digest.text, "there is no pan");
    CHECK_TEXT(digest.what, "");
    bench->reason = NULL;
    digest = digest_first(&run);
    CHECK_TEXT(digest.text, "no reason given");
    run_free(&run);

    build_kind(&run, NULL);
    build_ok(&run, "weigh")->summary = "what a pan weighs";
    digest = digest_first(&run);
    CHECK_TEXT(digest.text, "what a pan weighs");
    run_free(&run);
}

int main(void)
{
    RUN(test_real());
    RUN(test_exact());
    RUN(test_own_name());
    RUN(test_without_figure());
    return unit_finish("unit_digest");
}
