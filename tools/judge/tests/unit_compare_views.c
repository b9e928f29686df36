/* SPDX-License-Identifier: BSD-2-Clause */
/* What a comparison says: the sentence, changes from 0 in their unit, the boots and both histograms
 * on the page. Four boots without a gap against four with some. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tools/judge/compare_views.h"
#include "tools/tests/support/run_builder.h"
#include "tools/tests/support/unit.h"

#define GROUP 4

static const struct compare_settings settings = {
    .threshold = COMPARE_THRESHOLD, .alpha = COMPARE_ALPHA, .stolen = COMPARE_STOLEN};

struct groups {
    struct compared_run runs[2 * GROUP];
    char order[2 * GROUP][40];
    const struct metrics *list[2 * GROUP];
    struct compare compare;
    struct compare_differences differences;
    struct compared compared;
};

/* A boot of 2 s with `gaps` gaps of 459 us, and with `smis` by MSR 34h. */
static void add_boot(struct run *run, size_t gaps, int64_t smis)
{
    int64_t lengths[64];
    static const int64_t bound[] = {272, 460000};

    run_init(run);
    run_add_pair(run, &run->info, "kind", "real");
    run->verdict = (struct run_verdict){.present = true, .ok = true, .hz = 1000000000};
    struct run_bench *bench = build_bench(run, "gap", 1);

    bench->group = "noise";
    for (size_t i = 0; i < gaps; i++) {
        lengths[i] = 459000;
    }
    build_fact(bench, "elapsed", 2000000000);
    build_fact(bench, "dead", 0);
    build_fact(bench, "threshold", 999);
    build_fact(bench, "unkept", 0);
    build_fact(bench, "smi", smis);
    build_series(bench, "gap_length", NULL, NULL, lengths, gaps);
    build_series(bench, "histogram_bound", NULL, NULL, bound, 2);
}

/* Group b has this many gaps and SMIs in its boots, and group a has none. */
static void groups_open(struct groups *groups, const size_t *gaps, const size_t *smis)
{
    static const unsigned places[2 * GROUP] = {1, 4, 5, 8, 2, 3, 6, 7};

    memset(groups, 0, sizeof(*groups));
    for (size_t i = 0; i < ((size_t)2 * GROUP); i++) {
        struct compared_run *run = &groups->runs[i];

        run->path = i < GROUP ? "a.db" : "b.db";
        run->valid = true;
        add_boot(&run->run, i < GROUP ? 0 : gaps[i - GROUP],
                 i < GROUP ? 0 : (int64_t)smis[i - GROUP]);
        snprintf(groups->order[i], sizeof(groups->order[i]), "abbaabba, seed 7, boot %u",
                 places[i]);
        run_add_pair(&run->run, &run->run.info, "boot.order", groups->order[i]);
        metrics_of(&run->run, &run->metrics);
        groups->list[i] = &run->metrics;
    }
    compare_boots((struct boot_group){groups->list, GROUP},
                  (struct boot_group){groups->list + GROUP, GROUP}, &settings, &groups->compare);
    groups->compared = (struct compared){.settings = settings,
                                         .runs = groups->runs,
                                         .count = ((size_t)2 * GROUP),
                                         .a_group = GROUP,
                                         .a_label = "4 boots",
                                         .b_label = "4 boots",
                                         .compares = &groups->compare,
                                         .differences = &groups->differences};
}

static void groups_close(struct groups *groups)
{
    compare_free(&groups->compare);
    for (size_t i = 0; i < ((size_t)2 * GROUP); i++) {
        metrics_free(&groups->runs[i].metrics);
        run_free(&groups->runs[i].run);
    }
}

static const struct compare_row *row_of(const struct groups *groups, const char *name)
{
    for (size_t i = 0; i < groups->compare.count; i++) {
        if (strcmp(groups->compare.item[i].name, name) == 0) {
            return &groups->compare.item[i];
        }
    }
    return NULL;
}

static void check_sentence(const size_t *gaps, const size_t *smis, const char *expected)
{
    struct groups groups;

    groups_open(&groups, gaps, smis);
    char *sentence = compared_sentence(&groups.compare);

    CHECK_TEXT(sentence, expected);
    free(sentence);
    groups_close(&groups);
}

static const size_t none[] = {0, 0, 0, 0};
static const size_t some[] = {40, 44, 39, 41};

static void test_sentence(void)
{
    check_sentence(
        some, some,
        "SMIs went from 0 to 20.5 a second; each takes 459.0 us: worse on 2 of 2 questions");
    check_sentence(some, none,
                   "Gaps above the threshold went from 0 to 20.5 a second; each takes 459.0 us: "
                   "worse on 1 of 2 "
                   "questions");
    /* SMIs below the threshold: no gap has their length. */
    check_sentence(none, some, "SMIs went from 0 to 20.5 a second: worse on 1 of 2 questions");
    check_sentence(none, none, "No difference is proven: unclear on 2 of 2 questions");
}

static void test_change(void)
{
    struct groups groups;
    char text[COMPARED_VALUE_MAX];

    groups_open(&groups, some, some);
    const struct compare_row *row = row_of(&groups, "gap.gap_length rate");

    CHECK(isinf(row->shift) && row->difference == 20.5);
    CHECK_TEXT(compared_change(row, COMPARED_MIDDLE, text), "+20.5 /s");
    CHECK(compared_change(row, COMPARED_LOW, text) != NULL && strtod(text, NULL) > 19 &&
          strtod(text, NULL) < 20.5);
    CHECK(compared_change(row, COMPARED_HIGH, text) != NULL && strtod(text, NULL) > 20.5);
    groups_close(&groups);

    struct compare_row of = {
        .unit = "ns", .shift = 0.19, .difference = 190, .low = NAN, .difference_low = NAN};

    CHECK_TEXT(compared_change(&of, COMPARED_MIDDLE, text), "+19.00 %");
    CHECK(compared_change(&of, COMPARED_LOW, text) == NULL);
    of.shift = INFINITY;
    CHECK_TEXT(compared_change(&of, COMPARED_MIDDLE, text), "+190.0 ns");
    of.unit = "instructions";
    of.shift = -0.5;
    of.difference = -36073;
    CHECK_TEXT(compared_change(&of, COMPARED_MIDDLE, text), "-36,073");
    of = (struct compare_row){.unit = "ppm", .is_share = true, .shift = 2, .difference = 20};
    CHECK_TEXT(compared_change(&of, COMPARED_MIDDLE, text), "+20 ppm");
}

/* Returns how often the text has the word. */
static size_t times(const char *text, const char *word)
{
    size_t count = 0;

    for (; (text = strstr(text, word)) != NULL; text++) {
        count++;
    }
    return count;
}

static void test_outputs(void)
{
    struct groups groups;
    char *text = NULL;
    size_t length;

    groups_open(&groups, some, some);
    FILE *out = open_memstream(&text, &length);

    compared_print(out, &groups.compared, true);
    fclose(out);
    CHECK(strstr(text, "inf") == NULL && strstr(text, "nan") == NULL);
    CHECK(strncmp(text, "SMIs went from 0 to 20.5 a second", 33) == 0);
    free(text);
    out = open_memstream(&text, &length);
    CHECK(compared_page(out, &groups.compared));
    fclose(out);
    CHECK(strstr(text, "SMIs went from 0 to 20.5 a second") != NULL);
    CHECK(strstr(text, "boots-gap-gap-length-rate") != NULL &&
          strstr(text, "boots-gap-smi-rate") != NULL);
    CHECK(strstr(text, "values-gap-gap-length-rate") != NULL &&
          strstr(text, "; a has none") != NULL);
    CHECK(times(text, "+20.5 /s") == 2);
    CHECK(strstr(text, "+inf") == NULL);
    free(text);
    groups_close(&groups);
}

int main(void)
{
    RUN(test_sentence());
    RUN(test_change());
    RUN(test_outputs());
    return unit_finish("unit_compare_views");
}
