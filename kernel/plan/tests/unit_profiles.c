/* SPDX-License-Identifier: BSD-2-Clause */
/* Profiles in plans, and series of boots. */
#include "kernel/plan/profiles.h"

#include <stdio.h>
#include <string.h>

#include "kernel/plan/boots.h"
#include "kernel/plan/plan.h"
#include "tools/tests/support/unit.h"

/* The plan with its profile has `value` for `key`; NULL: it has none. */
static void expands(const char *text, const char *key, const char *value)
{
    static struct plan plan;
    static char expanded[PLAN_TEXT_MAX];
    char error[PLAN_ERROR_MAX];
    const size_t plain = strlen(text);

    memcpy(expanded, text, plain);
    const size_t length = profile_expand(expanded, plain);

    CHECK_EQUAL(profile_expand(expanded, length), length); /* once is enough */
    CHECK(plan_parse(&plan, expanded, length, error));
    const char *found = plan_value(&plan, key);

    CHECK((found == NULL) == (value == NULL));
    if (found != NULL && value != NULL) {
        CHECK_TEXT(found, value);
    }
}

static void test_expand(void)
{
    const char *noise = profile_find("noise")->benches;

    expands("profile=noise", "bench", noise);
    expands("gap.ms=3 profile=noise", "gap.ms", "3");
    expands("profile=noise bench=gap", "bench", "gap"); /* the plan's own settings come later */
    expands("profile=quick\nidle.ms=2", "idle.ms", "2");
    expands("profile=quick", "idle.ms", "1000");
    expands("\xef\xbb\xbfprofile=noise", "bench", noise);
    expands("profile=all", "bench", NULL);
    expands("profile=nosie", "bench", NULL);
    expands("# profile=noise", "bench", NULL);
    expands("", "bench", NULL);
}

/* A plan that has no room for its profile is as long as both, so that the parser rejects it. */
static void test_no_room(void)
{
    static char text[PLAN_TEXT_MAX];
    static struct plan plan;
    char error[PLAN_ERROR_MAX];

    memset(text, ' ', sizeof(text));
    memcpy(text, "profile=noise", 13);
    const size_t length = profile_expand(text, sizeof(text));

    CHECK(length > PLAN_TEXT_MAX && strncmp(text, "profile=noise", 13) == 0);
    CHECK(!plan_parse(&plan, text, length, error));
}

static void test_names(void)
{
    CHECK(setting_name_good("smt-off"));
    CHECK(setting_name_good("C_States-3"));
    CHECK(setting_name_good("abcdefghijklmnopqrstuvwx"));
    CHECK(!setting_name_good("abcdefghijklmnopqrstuvwxy"));
    CHECK(!setting_name_good(""));
    CHECK(!setting_name_good("a b"));
    CHECK(!setting_name_good("../x"));
    CHECK(!setting_name_good("a.b"));
}

static void test_boots(void)
{
    CHECK_EQUAL(boots_left("tare-0001.log", 5), 4);
    CHECK_EQUAL(boots_left("tare-smt-off-0005.log", 5), 0);
    CHECK_EQUAL(boots_left("tare-0006.log", 5), 4);
    CHECK_EQUAL(boots_left("tare-9999.log", 1), 0);
    CHECK(boots_begin("tare-0001.log", 5));
    CHECK(!boots_begin("tare-0002.log", 5));
    CHECK(boots_begin("tare-0006.log", 5));
    CHECK(boots_begin("tare-0002.log", 1));
}

int main(void)
{
    RUN(test_expand());
    RUN(test_no_room());
    RUN(test_names());
    RUN(test_boots());
    return unit_finish("unit_profiles");
}
