/* SPDX-License-Identifier: BSD-2-Clause */
/* Profiles of exits in a run: sums, differences, folded stacks. */
#include "tools/present/exit_profile.h"
#include "tools/tests/support/unit.h"

static void make_run(struct run *run, const char *stacks)
{
    run_init(run);
    exit_profile_note(run, "cpuid", 99, 100, stacks);
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
    CHECK_EQUAL(profile.stack_count, 4);
    CHECK_EQUAL(profile.function_count, 3);
    CHECK_TEXT(profile.functions[0].name, "decode");
    CHECK_TEXT(profile.functions[1].name, "copy [kvm]");
    CHECK_EQUAL(profile.functions[1].instructions, 12);
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
        CHECK_EQUAL(profile.stack_count, 0);
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
    RUN(test_folded());
    return unit_finish("unit_exit_profile");
}
