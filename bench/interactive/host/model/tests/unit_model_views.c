/* SPDX-License-Identifier: BSD-2-Clause */
/* What show and report state of bench model: of a run made by hand, whose responses are known. */
#include <math.h>

#include "bench/interactive/host/model/view_model.h"
#include "tools/present/view.h"
#include "tools/tests/support/drawn.h"
#include "tools/tests/support/run_builder.h"
#include "tools/tests/support/unit.h"

#define PASSES 100

struct bed {
    struct run run;
    struct run_bench *bench;
};

/* Responses of 1000, 1010, ... 1990 ticks; a tick is 1 ns. */
static void bed_open(struct bed *bed)
{
    static const int64_t waits[] = {0, 0, 5, 40};
    static const int64_t costs[] = {80, 80, 80};
    int64_t responses[PASSES];

    memset(bed, 0, sizeof(*bed));
    run_init(&bed->run);
    bed->run.verdict = (struct run_verdict){.present = true, .ok = true, .hz = 1000000000};
    bed->bench = build_bench(&bed->run, "model", 1);
    bed->bench->group = "interactive";
    for (int i = 0; i < PASSES; i++) {
        responses[i] = 1000 + 10 * ((i * 37) % PASSES);
    }
    build_series(bed->bench, "response", NULL, NULL, responses, PASSES);
    build_series(bed->bench, "wait.low", NULL, NULL, waits, 4);
    build_series(bed->bench, "cost.interrupt", NULL, NULL, costs, 3);
}

static void bed_exact(struct bed *bed)
{
    run_add_pair(&bed->run, &bed->run.info, "kind", "exact");
    run_add_pair(&bed->run, &bed->run.info, "ticks_per_instruction", "10");
}

static char *shown(const struct bed *bed)
{
    char *text = NULL;
    size_t size;
    FILE *out = open_memstream(&text, &size);
    struct view view;

    view_init(&view, out, &bed->run);
    view_model(&view, bed->bench);
    fclose(out);
    return text;
}

static void contains(const char *text, const char *part)
{
    if (strstr(text, part) == NULL) {
        CHECK_TEXT(text, part);
    }
    CHECK(strstr(text, part) != NULL);
}

static void test_view(void)
{
    struct bed bed;

    bed_open(&bed);
    char *real = shown(&bed);

    contains(real, "response  100  1.000 us  1.490 us  1.890 us    -  1.990 us  1.495 us");
    contains(real, "interrupt  3  80.00 ns");
    bed_exact(&bed);
    char *exact = shown(&bed);

    contains(exact, "(instructions)");
    contains(exact, "response  100  100     149  189    -  199  149.5");
    contains(exact, "interrupt  3    8       8    8");
    free(real);
    free(exact);
    run_free(&bed.run);
}

static void test_figures(void)
{
    struct bed bed;
    struct figures figures;
    double passes = 0;

    bed_open(&bed);
    bed_exact(&bed);
    figures_init(&figures);
    figures_model(&figures, &bed.run);
    CHECK_EQUAL(figures.count, 3);
    const struct figure *histogram = figure_of(&figures, "model-histogram-response");
    const struct figure *cumulative = figure_of(&figures, "model-cumulative");
    const struct figure *waits = figure_of(&figures, "model-waits");

    CHECK(histogram != NULL && cumulative != NULL && waits != NULL);
    CHECK_TEXT(histogram->x.unit, "instructions");
    for (size_t i = 0; i < histogram->series[0].n; i++) {
        passes += histogram->series[0].y[i];
    }
    CHECK(passes == PASSES);
    CHECK_EQUAL(cumulative->series[0].n, PASSES);
    CHECK(cumulative->series[0].x[49] == 149 && fabs(cumulative->series[0].y[49] - 50) < 1e-9);
    CHECK_EQUAL(waits->series[0].n, 2); /* above 0: 50 %, above 5: 25 %, above 40: none */
    CHECK(waits->series[0].y[0] == 50 && waits->series[0].y[1] == 25);
    figures_free(&figures);
    run_free(&bed.run);
}

static void test_nothing(void)
{
    struct run run;
    struct figures figures;

    run_init(&run);
    figures_init(&figures);
    figures_model(&figures, &run);
    CHECK_EQUAL(figures.count, 0);
    build_bench(&run, "model", 1)->reason = "more than 8 in line";
    figures_model(&figures, &run);
    CHECK_EQUAL(figures.count, 1);
    CHECK_EQUAL(figures.item[0].kind, FIGURE_ABSENT);
    figures_free(&figures);
    run_free(&run);
}

int main(void)
{
    RUN(test_view());
    RUN(test_figures());
    RUN(test_nothing());
    return unit_finish("unit_model_views");
}
