/* SPDX-License-Identifier: BSD-2-Clause */
/* The page of a run: what its first tab has, and where figures stand. */
#include "tools/show/run_page.h"

#include "tools/tests/support/run_builder.h"
#include "tools/tests/support/unit.h"

/* Ticks are nanoseconds; one processor of three lost more than the others. */
static void build_gap(struct run *run)
{
    static const int64_t none[1] = {0};
    static const int64_t numbers[] = {0, 1, 2};
    static const char *const suffixes[] = {".0", ".1", ".2"};
    struct run_bench *bench = build_bench(run, "gap", 1);

    build_series(bench, "number", NULL, NULL, numbers, 3);
    for (size_t i = 0; i < 3; i++) {
        static char names[3][6][24];
        const int64_t values[6] = {1000000000, 0,   10, 1000000 * (int64_t)(i == 1 ? 5 : 1),
                                   40,         1000};
        static const char *const facts[6] = {"elapsed", "dead",     "over",
                                             "stolen",  "smallest", "threshold"};

        for (size_t k = 0; k < 6; k++) {
            snprintf(names[i][k], sizeof(names[i][k]), "%s%s", facts[k], suffixes[i]);
            build_fact(bench, names[i][k], values[k]);
        }
        static char largest[3][2][24];

        snprintf(largest[i][0], sizeof(largest[i][0]), "largest%s", suffixes[i]);
        snprintf(largest[i][1], sizeof(largest[i][1]), "largest_at%s", suffixes[i]);
        build_fact(bench, largest[i][0], 2000000);
        build_fact(bench, largest[i][1], 5);
    }
    build_series(bench, "gap_time", NULL, NULL, none, 0);
    build_series(bench, "gap_length", NULL, NULL, none, 0);
}

static void run_open(struct run *run)
{
    run_init(run);
    run->verdict = (struct run_verdict){.present = true, .ok = true, .hz = 1000000000};
    run->ended = true;
}

static const struct page_fact *brief_of(const struct run_page *page, const char *label)
{
    for (size_t i = 0; i < page->page.brief_count; i++) {
        if (strcmp(page->page.brief[i].label, label) == 0) {
            return &page->page.brief[i];
        }
    }
    return NULL;
}

/* Four key figures first, in their order; those that are missing state why. */
static void test_key_figures(void)
{
    static const char *const ids[] = {"key-noise", "key-timer", "key-time", "key-wait"};
    static struct run_page page;
    struct run run;

    run_open(&run);
    build_gap(&run);
    struct run_bench *skipped = build_bench(&run, "timerlat", 1);

    skipped->state = "SKIP";
    skipped->reason = "no APIC timer";
    static const char *const others[][2] = {{"lines", "one CPU"}, {"ipi", "no APIC timer"}};

    for (size_t i = 0; i < 2; i++) {
        struct run_bench *other = build_bench(&run, others[i][0], 1);

        other->state = "SKIP";
        other->reason = others[i][1];
    }
    run_page_make(&page, &run, NULL);
    CHECK(page.figures.count > 4);
    for (size_t i = 0; i < 4; i++) {
        CHECK_TEXT(page.figures.item[i].id, ids[i]);
        CHECK_TEXT(page.figures.item[i].section, FIGURE_SECTION_KEY);
    }
    const struct figure *noise = &page.figures.item[0];

    CHECK_EQUAL(noise->kind, FIGURE_BARS);
    CHECK_EQUAL(noise->groups.count, 3);
    CHECK_TEXT(noise->groups.item[0], "CPU 1"); /* the worst first */
    CHECK(noise->series[0].y[0] > 0.499 && noise->series[0].y[0] < 0.501);
    CHECK_TEXT(noise->y.unit, "%");
    CHECK_TEXT(page.figures.item[1].absent, "bench timerlat: no APIC timer");
    CHECK(strstr(page.figures.item[2].absent, "--bench switches") != NULL); /* nothing is traced */
    CHECK(strstr(page.figures.item[3].absent, "--profile input") != NULL);
    CHECK_TEXT(brief_of(&page, "SKIP")->value, "timerlat: no APIC timer");
    CHECK_TEXT(brief_of(&page, "SKIP")[1].value, "lines: one CPU");
    run_page_free(&page);
    run_free(&run);
}

/* A run with none of them has a figure of its benches there. */
static void test_no_key_figure(void)
{
    static const int64_t bounds[] = {272, 304, 4096};
    static const int64_t counts[] = {9989, 10, 1};
    static struct run_page page;
    struct run run;

    run_open(&run);
    struct run_bench *bench = build_bench(&run, "gap", 1); /* without the facts of processors */

    build_series(bench, "histogram_bound", NULL, NULL, bounds, 3);
    build_series(bench, "histogram_count", NULL, NULL, counts, 3);
    run_page_make(&page, &run, NULL);
    CHECK_TEXT(page.figures.item[0].section, FIGURE_SECTION_KEY);
    CHECK_TEXT(page.figures.item[0].id, "gap-histogram");
    CHECK_TEXT(page.figures.item[1].id, "key-noise");
    CHECK_TEXT(page.figures.item[1].absent, "the bench has no samples for it");
    CHECK(strstr(page.figures.item[2].absent, "tare boot --bench timerlat") != NULL);
    run_page_free(&page);
    run_free(&run);
}

/* How benches ended stays on the first tab. */
static void test_states(void)
{
    static struct run_page page;
    struct run run;

    run_open(&run);
    build_bench(&run, "one", 1);
    struct run_bench *failed = build_bench(&run, "two", 1);

    failed->state = "FAIL";
    failed->reason = "it broke its promise";
    run_page_make(&page, &run, NULL);
    CHECK_TEXT(page.page.verdict, "INVALID");
    CHECK_TEXT(brief_of(&page, "benches")->value, "2: 1 OK, 1 FAIL");
    CHECK_TEXT(brief_of(&page, "FAIL")->value, "two: it broke its promise");
    CHECK(page.page.brief_count <= RUN_PAGE_BRIEF_MAX);
    run_page_free(&page);
    for (size_t i = 0; i < 3 * RUN_PAGE_BRIEF_MAX; i++) {
        build_bench(&run, "many", 1)->state = "CRASH";
    }
    run_page_make(&page, &run, NULL);
    CHECK_EQUAL(page.page.brief_count, RUN_PAGE_BRIEF_MAX);
    run_page_free(&page);
    run_free(&run);
}

int main(void)
{
    RUN(test_key_figures());
    RUN(test_no_key_figure());
    RUN(test_states());
    return unit_finish("unit_run_page");
}
