/* SPDX-License-Identifier: BSD-2-Clause */
/* Profiles of exits in a run: sums, differences, folded stacks. */
#include "tools/base/texts.h"
#include "tools/present/exit_profile.h"
#include "tools/present/report_plugin.h"
#include "tools/tests/support/unit.h"

static void make_run(struct run *run, const char *stacks)
{
    run_init(run);
    exit_profile_note(run, "cpuid", 99, 100, stacks);
    exit_profile_note(run, "cpuid", 1, 1, "another 1\n"); /* a fact has one value */
}

static const char before[] = "run 10\nrun;decode 25\nrun;decode;copy [kvm] 5\nrun;copy [kvm] 7\n";

static void test_read(void)
{
    struct exit_profile profile;
    struct run run;
    size_t next = 0;

    make_run(&run, before);
    CHECK(exit_profile_next(&run, &next, &profile));
    CHECK_TEXT(profile.kind, "cpuid");
    CHECK_EQUAL(profile.kept, 99);
    CHECK_EQUAL(profile.exits, 100);
    CHECK_EQUAL(profile.total, 47);
    CHECK_EQUAL(profile.stacks.count, 4);
    CHECK_EQUAL(profile.functions.count, 3);
    CHECK_TEXT(profile.functions.items[0].name, "decode");
    CHECK_TEXT(profile.functions.items[1].name, "copy [kvm]");
    CHECK_EQUAL(profile.functions.items[1].instructions, 12);
    exit_profile_free(&profile);
    CHECK(!exit_profile_next(&run, &next, &profile));
    run_free(&run);
}

static void test_damaged(void)
{
    static const char *const none[] = {
        "", "run", " 5", "run -5", "run 5x", "run 99999999999999999", "\n\n"};

    for (size_t i = 0; i < sizeof(none) / sizeof(none[0]); i++) {
        struct exit_profile profile;
        struct run run;
        size_t next = 0;

        make_run(&run, none[i]);
        CHECK(exit_profile_next(&run, &next, &profile));
        CHECK_EQUAL(profile.stacks.count, 0);
        CHECK_EQUAL(profile.total, 0);
        exit_profile_free(&profile);
        run_free(&run);
    }
}

/* Expects what compare prints of two runs. */
static void compare_is(const char *a, const char *b, const char *expected)
{
    char text[1024] = "";
    FILE *out = fmemopen(text, sizeof(text), "w");
    struct run runs[2];

    make_run(&runs[0], a);
    make_run(&runs[1], b);
    exit_profiles_compare(out, &runs[0], &runs[1]);
    fclose(out);
    CHECK_TEXT(text, expected);
    run_free(&runs[0]);
    run_free(&runs[1]);
}

static void test_difference(void)
{
    static const char head[] = "\nexits by function, instructions of b - a\n";
    char expected[512];

    snprintf(expected, sizeof(expected), "%s  cpuid: +31: trigger +18, decode +15, copy [kvm] -2\n",
             head);
    compare_is(before, "run 10\nrun;decode 40\nrun;copy [kvm] 10\nrun;trigger 18\n", expected);
    /* the same functions by another path */
    snprintf(expected, sizeof(expected), "%s  1 kinds of exit take the same path in both\n", head);
    compare_is(before, before, expected);
    snprintf(expected, sizeof(expected), "%s  cpuid: +0: decode -1, run +1\n", head);
    compare_is(before, "run 11\nrun;decode 24\nrun;copy [kvm] 12\n", expected);
}

/* A fact is not cut, however long. */
static void test_long(void)
{
    struct exit_profile profile;
    char text[20000] = "";
    struct run run;
    size_t next = 0;

    for (size_t i = 0; i < 1000; i++) {
        text_append(text, sizeof(text), "function_%zu 3\n", i);
    }
    make_run(&run, text);
    CHECK(exit_profile_next(&run, &next, &profile));
    CHECK_EQUAL(profile.stacks.count, 1000);
    CHECK_EQUAL(profile.total, 3000);
    exit_profile_free(&profile);
    run_free(&run);
}

/* Two stacks of one function make one bar of a flame graph, unless another is between them. */
static void test_flames(void)
{
    static const struct {
        const char *name;
        uint32_t lane;
        double begin, end;
    } bars[] = {{"run", 0, 0, 47},
                {"decode", 1, 10, 40},
                {"copy [kvm]", 2, 35, 40},
                {"copy [kvm]", 1, 40, 47}};
    struct figures figures;
    struct run run;

    figures_init(&figures);
    make_run(&run, before);
    for (const struct report_plugin *plugin = NULL;
         (plugin = report_plugin_next(plugin, NULL)) != NULL;) {
        if (plugin->figures != NULL) {
            plugin->figures(&figures, &run);
        }
    }
    CHECK_EQUAL(figures.count, 1);
    const struct figure *figure = &figures.item[0];

    CHECK_TEXT(figure->id, "exit-flames-cpuid");
    CHECK_EQUAL(figure->span_count, 4);
    for (size_t i = 0; i < 4 && i < figure->span_count; i++) {
        const struct figure_span *span = &figure->spans[i];

        CHECK_TEXT(figure->span_names.item[span->name - 1], bars[i].name);
        CHECK_EQUAL(span->lane, bars[i].lane);
        CHECK(span->begin == bars[i].begin && span->end == bars[i].end);
    }
    figures_free(&figures);
    run_free(&run);
}

static void test_folded(void)
{
    char text[1024] = "";
    FILE *out = fmemopen(text, sizeof(text), "w");
    struct run run;

    make_run(&run, before);
    CHECK(exit_profiles_fold(out, &run));
    fclose(out);
    CHECK_TEXT(text, "cpuid;run 10\ncpuid;run;decode 25\ncpuid;run;decode;copy [kvm] 5\n"
                     "cpuid;run;copy [kvm] 7\n");
    run_free(&run);
    run_init(&run);
    out = fmemopen(text, sizeof(text), "w");
    CHECK(!exit_profiles_fold(out, &run));
    fclose(out);
    run_free(&run);
}

int main(void)
{
    RUN(test_read());
    RUN(test_damaged());
    RUN(test_difference());
    RUN(test_long());
    RUN(test_flames());
    RUN(test_folded());
    return unit_finish("unit_exit_profile");
}
