/* SPDX-License-Identifier: BSD-2-Clause */
/* What stole how much, on a run made by hand: known causes, two at once, none, and gaps not kept.
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "bench/noise/host/view_noise.h"
#include "bench/noise/names.h"
#include "bench/system/names.h"
#include "tools/tests/support/drawn.h"
#include "tools/tests/support/run_builder.h"
#include "tools/tests/support/unit.h"

/* The view as text; the caller frees it. */
static char *text_of(const struct run *run)
{
    char *text = NULL;
    size_t size = 0;
    struct view view;
    FILE *out = open_memstream(&text, &size);

    view_init(&view, out, run);
    view_causes(&view, &run->benches[0]);
    fclose(out);
    return text;
}

static struct run_bench *build_gaps(struct run *run)
{
    static const int64_t lengths[] = {4000, 2000, 1000, 3000};
    static const int64_t numbers[] = {0, 3};
    struct run_bench *bench = build_bench(run, BENCH_GAP, 1);

    build_series(bench, SERIES_NUMBER, NULL, NULL, numbers, 2);
    build_fact(bench, FACT_READS, 100);
    build_fact(bench, FACT_STOLEN, 10000);
    build_fact(bench, FACT_REST, 0);
    build_series(bench, SERIES_GAP_LENGTH, NULL, NULL, lengths, 4);
    return bench;
}

/* Gap 0 by an SMI, gap 1 by SMI and NMI, gap 2 by a clock that stopped, gap 3 by nothing known. */
static void test_shares(void)
{
    static const int64_t smis[] = {1, 2, 0, 0};
    static const int64_t nmis[] = {0, 1, 0, 0};
    static const int64_t mperf[] = {4000, 2000, 499, 1500};
    struct run run;

    run_init(&run);
    struct run_bench *bench = build_gaps(&run);

    build_fact(bench, PREFIX_CAUSE CAUSE_NAME_SMI, 3);
    build_fact(bench, PREFIX_CAUSE CAUSE_NAME_NMI, 1);
    build_fact(bench, PREFIX_CAUSE "mperf", 7999);
    build_series(bench, PREFIX_CAUSE CAUSE_NAME_SMI, NULL, NULL, smis, 4);
    build_series(bench, PREFIX_CAUSE CAUSE_NAME_NMI, NULL, NULL, nmis, 4);
    build_series(bench, PREFIX_CAUSE "mperf", NULL, NULL, mperf, 4);
    char *text = text_of(&run);

    CHECK(strstr(text, "SMI                       2") != NULL);
    CHECK(strstr(text, "60.0 %") != NULL); /* SMI: 6000 of 10000 */
    CHECK(strstr(text, "20.0 %") != NULL); /* NMI */
    CHECK(strstr(text, "10.0 %") != NULL); /* the clock */
    CHECK(strstr(text, "30.0 %") != NULL); /* no cause */
    /* The table of processors has another unknown: the place. */
    CHECK(strstr(text, "cause not known") != NULL);
    CHECK(strstr(text, "unknown") == NULL);
    CHECK(strstr(text, "steal time") == NULL); /* this machine has none: it is no zero */
    CHECK(strstr(text, "not kept") == NULL);
    free(text);
    run_free(&run);
}

/* Without any cause that is counted there is no table. */
static void test_none(void)
{
    struct run run;

    run_init(&run);
    build_gaps(&run);
    char *text = text_of(&run);

    CHECK_TEXT(text, "");
    free(text);
    run_free(&run);
}

/* Of another processor, whose rest was not kept. */
static void test_unkept(void)
{
    static const int64_t lengths[] = {5000};
    static const int64_t smis[] = {1};
    struct run run;

    run_init(&run);
    struct run_bench *bench = build_gaps(&run);

    build_fact(bench, FACT_STOLEN ".3", 10000);
    build_fact(bench, FACT_REST ".3", 7);
    build_series(bench, SERIES_GAP_LENGTH ".3", NULL, NULL, lengths, 1);
    build_fact(bench, PREFIX_CAUSE CAUSE_NAME_SMI ".3", 1);
    build_series(bench, PREFIX_CAUSE CAUSE_NAME_SMI ".3", NULL, NULL, smis, 1);
    char *text = text_of(&run);

    CHECK(strstr(text, "25.0 %") != NULL); /* 5000 of 20000 */
    CHECK(strstr(text, "50.0 %") != NULL); /* unknown: 10000 of 20000 */
    CHECK(strstr(text, "7 gaps were not kept") != NULL);
    free(text);
    run_free(&run);
}

/* Steal time that is less than half of a gap is not its cause. A tick is 2 ns. */
static void test_steal(void)
{
    static const int64_t steal[] = {3999, 2000, 0, 3000};
    struct run run;

    run_init(&run);
    run.verdict = (struct run_verdict){.present = true, .ok = true, .hz = 500000000};
    struct run_bench *bench = build_gaps(&run);

    build_fact(bench, PREFIX_CAUSE CAUSE_NAME_STEAL, 8999);
    build_series(bench, PREFIX_CAUSE CAUSE_NAME_STEAL, NULL, NULL, steal, 4);
    char *text = text_of(&run);
    const char *row = strstr(text, "steal time)");

    CHECK(row != NULL && strstr(row, "50.0 %") != NULL); /* gaps 1 and 3 */
    row = strstr(text, "cause not known");
    CHECK(row != NULL && strstr(row, "50.0 %") != NULL);
    free(text);
    run_free(&run);
}

/* Counts of the whole watch, but of no gap, as in exact time on several processors: no zero. */
static void test_total_only(void)
{
    struct run run;

    run_init(&run);
    struct run_bench *bench = build_gaps(&run);

    build_fact(bench, PREFIX_CAUSE CAUSE_NAME_STEAL, 9000);
    build_fact(bench, PREFIX_CAUSE CAUSE_NAME_NMI, 0);
    char *text = text_of(&run);
    const char *steal = strstr(text, "steal time");
    const char *nmi = strstr(text, "NMI ");

    CHECK(steal != NULL && steal[strlen("steal time)") + strspn(steal + 11, " ")] == '-');
    CHECK(nmi != NULL && strstr(nmi, "0.0 %") != NULL);
    CHECK(strstr(text, "counted for the whole watch only") != NULL);
    free(text);
    run_free(&run);
}

/* On a time line each kept gap of each processor is a span in the state of its cause; where none
 * was counted, and the clocks were not compared, its place is not known either. */
static void test_lanes(void)
{
    static const int64_t times[] = {100, 10000, 20000, 30000};
    static const int64_t smis[] = {1, 0, 0, 1};
    static const int64_t mperf[] = {0, 0, 1000, 0};
    static const int64_t late[] = {5000};
    static const int64_t lengths[] = {700};
    static const int64_t nmis[] = {2};
    static const struct {
        const char *lane, *state;
        double begin, end;
    } wanted[] = {{"CPU 0", "SMI", 100, 4100},
                  {"CPU 0", "clock stopped (MPERF)", 10000, 12000},
                  {"CPU 0", "cause not known", 20000, 21000},
                  {"CPU 0", "SMI", 30000, 33000},
                  {"CPU 3", "NMI", 12000, 12700}};
    struct figures figures;
    struct run run;

    run_init(&run);
    struct run_bench *bench = build_gaps(&run);

    draw(&figures, &run); /* no times: no figure */
    CHECK(figure_of(&figures, "gap-causes") == NULL);
    figures_free(&figures);
    build_fact(bench, FACT_GAP_ELAPSED, 40000);
    build_series(bench, SERIES_GAP_TIME, NULL, NULL, times, 4);
    build_series(bench, PREFIX_CAUSE CAUSE_NAME_SMI, NULL, NULL, smis, 4);
    build_series(bench, PREFIX_CAUSE "mperf", NULL, NULL, mperf, 4);
    build_fact(bench, FACT_ORIGIN ".3", 7000);
    build_series(bench, SERIES_WORST_TIME ".3", NULL, NULL, late, 1);
    build_series(bench, SERIES_WORST_LENGTH ".3", NULL, NULL, lengths, 1);
    build_series(bench, PREFIX_WORST_CAUSE CAUSE_NAME_NMI ".3", NULL, NULL, nmis, 1);
    draw(&figures, &run);
    const struct figure *figure = figure_of(&figures, "gap-causes");

    CHECK(figure != NULL && figure->span_count == 5);
    for (size_t i = 0; figure != NULL && i < figure->span_count; i++) {
        const struct figure_span *span = &figure->spans[i];
        const double tick = figure->spans[0].begin / 100;

        CHECK_TEXT(figure->lanes.item[span->lane], wanted[i].lane);
        CHECK_TEXT(figure->states.item[span->state], wanted[i].state);
        CHECK(fabs(span->begin / tick - wanted[i].begin) < 1e-6);
        CHECK(fabs(span->end / tick - wanted[i].end) < 1e-6);
    }
    figures_free(&figures);
    run_free(&run);
}

/* A damaged run may state a histogram without ranges. */
static void test_empty_histogram(void)
{
    char *text = NULL;
    size_t size = 0;
    struct view view;
    struct run run;

    run_init(&run);
    struct run_bench *bench = build_gaps(&run);
    FILE *out = open_memstream(&text, &size);

    build_series(bench, SERIES_HISTOGRAM_BOUND, NULL, NULL, NULL, 0);
    build_series(bench, SERIES_HISTOGRAM_COUNT, NULL, NULL, NULL, 0);
    view_init(&view, out, &run);
    view_gap(&view, bench);
    fclose(out);
    CHECK(strstr(text, "no histogram: samples are missing") != NULL);
    free(text);
    run_free(&run);
}

int main(void)
{
    RUN(test_empty_histogram());
    RUN(test_lanes());
    RUN(test_total_only());
    RUN(test_steal());
    RUN(test_shares());
    RUN(test_none());
    RUN(test_unkept());
    return unit_finish("unit_causes");
}
