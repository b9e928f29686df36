/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * What `tare boot` refuses before it boots: for each plan key of the image, of benches and of the
 * run as a whole, a wrong item, a number beyond its limits and a list that is too long; what it
 * takes: each default and each word.
 */
#include "tools/cmd/plan_check.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "kernel/plan/names.h"
#include "kernel/run/registry.h"
#include "tools/qemu/image_benches.h"
#include "tools/tests/support/unit.h"

#define IMAGE     "build/image/tare.efi" /* make image */
#define PARAM_MIN 200                    /* with limits or words, in all */

static struct image_benches benches;
static size_t checked;

static bool takes(const char *key, const char *value, char error[PLAN_CHECK_MAX])
{
    char plan[PLAN_TEXT_MAX];

    snprintf(plan, sizeof(plan), "%s={%s}", key, value);
    error[0] = '\0';
    return plan_check(plan, benches.run_keys, benches.run_key_count, error);
}

static void accepted(const char *key, const char *value)
{
    char error[PLAN_CHECK_MAX];

    if (!takes(key, value, error)) {
        fprintf(stderr, "%s=%s: %s\n", key, value, error);
    }
    CHECK_TEXT(error, "");
}

/* Refused with the key and, in double quotes, the item. */
static void refused(const char *key, const char *value, const char *item)
{
    char error[PLAN_CHECK_MAX];
    char expected[PLAN_CHECK_MAX];
    char got[PLAN_CHECK_MAX];

    CHECK(!takes(key, value, error));
    snprintf(expected, sizeof(expected), "%s: expected ", key);
    snprintf(got, sizeof(got), "got %s", item);
    if (strncmp(error, expected, strlen(expected)) != 0 || strstr(error, got) == NULL) {
        fprintf(stderr, "%s=%s: %s\n", key, value, error);
    }
    CHECK(strncmp(error, expected, strlen(expected)) == 0 && strstr(error, got) != NULL);
    checked++;
}

static void check_limits(const struct bench_param *param, const char *key)
{
    char value[PLAN_TEXT_MAX];
    char item[PLAN_TEXT_MAX];
    const bool is_list = param->type == PARAM_IS_NUMBERS;

    if (param->min > 0) {
        snprintf(item, sizeof(item), "\"%lu\"", param->min - 1);
        snprintf(value, sizeof(value), "%lu", param->min - 1);
        refused(key, value, item);
    }
    if (param->max < UINT64_MAX) {
        snprintf(value, sizeof(value), "%lu", param->max + 1);
        snprintf(item, sizeof(item), "\"%lu\"", param->max + 1);
        refused(key, value, item);
    }
    value[0] = '\0';
    for (uint32_t i = 0; is_list && i <= param->items; i++) {
        snprintf(value + strlen(value), sizeof(value) - strlen(value), "%lu,", param->max);
    }
    if (is_list) {
        snprintf(item, sizeof(item), "%u", param->items + 1);
        refused(key, value, item);
    }
}

static void check_words(const struct bench_param *param, const char *key)
{
    char value[PLAN_TEXT_MAX];
    char error[PLAN_CHECK_MAX];
    size_t length;

    takes(key, "nonsense", error);
    for (const char *word = plan_list_item(param->words, &length); word != NULL;
         word = plan_list_item(word + length, &length)) {
        snprintf(value, sizeof(value), "%.*s", (int)length, word);
        accepted(key, value);
        CHECK(strstr(error, value) != NULL);
    }
    if (param->type == PARAM_IS_WORDS) {
        accepted(key, param->words);
        accepted(key, PLAN_BENCH_ALL);
    }
}

static void check_param(const struct bench_param *param, const char *key)
{
    char value[PLAN_TEXT_MAX];

    if (param->type == PARAM_IS_TEXT) {
        return;
    }
    if (param->default_text[0] != '\0') {
        accepted(key, param->default_text);
    }
    refused(key, "nonsense", "\"nonsense\"");
    if (param->type == PARAM_IS_NUMBERS || param->type == PARAM_IS_WORDS) {
        snprintf(value, sizeof(value), "%s,nonsense", param->default_text);
        refused(key, value, "\"nonsense\"");
        snprintf(value, sizeof(value), "%s nonsense", param->default_text);
        refused(key, value, "\"nonsense\"");
    }
    if (param->words != NULL) {
        check_words(param, key);
    } else {
        check_limits(param, key);
    }
}

static void test_benches(void)
{
    for (size_t i = 0; i < benches.count; i++) {
        const struct bench *bench = benches.benches[i];

        for (const struct bench_param *p = bench->params; p->name != NULL; p++) {
            char key[PLAN_TEXT_MAX];

            snprintf(key, sizeof(key), "%s.%s", bench->name, p->name);
            check_param(p, key);
        }
    }
    CHECK(checked >= PARAM_MIN);
}

static void test_run_keys(void)
{
    for (size_t i = 0; i < benches.run_key_count; i++) {
        check_param(&benches.run_keys[i], benches.run_keys[i].name);
    }
    CHECK(benches.run_key_count > 0);
}

static uint64_t lengths_ms(const char *plan)
{
    char error[PLAN_CHECK_MAX] = "";

    CHECK(plan_check(plan, benches.run_keys, benches.run_key_count, error));
    CHECK_TEXT(error, "");
    return plan_lengths_ms();
}

/* The defaults are those of gap.c, timerlat.c and netserver.c. */
static void test_lengths(void)
{
    CHECK_EQUAL(lengths_ms("bench=none"), 0);
    CHECK_EQUAL(lengths_ms("bench=gap"), 2000);
    CHECK_EQUAL(lengths_ms("bench=gap\ngap.ms=1h"), 3600000);
    CHECK_EQUAL(lengths_ms("bench=gap,timerlat\ngap.ms=5s\ngap.round_ms=7"), 5107);
    CHECK_EQUAL(lengths_ms("bench=timerlat\ngap.ms=1h"), 100);
    CHECK_EQUAL(lengths_ms("gap.ms=5s") - lengths_ms("gap.ms=4s"), 1000);
    CHECK_EQUAL(lengths_ms("role=server"), 3600000);
}

/* Of the benches that run threads on several processors, the one that wants most. */
static void test_processors(void)
{
    static const struct bench_param two[] = {{"cpus", "2", "", PARAM_NUMBER(1, 16)}, {0}};
    static const struct bench_param four[] = {
        {"ms", "7", "", PARAM_TIME(1, 9)}, {"cpus", "4", "", PARAM_NUMBER(1, 16)}, {0}};
    static const struct bench few = {.name = "few", .group = "smp", .params = two};
    static const struct bench many = {
        .name = "many", .group = "smp", .params = four, .on_request = true};
    static const struct bench other = {.name = "other", .group = "system", .params = four};
    static const struct bench *const all[] = {&few, &many, &other};
    static const struct {
        const char *plan;
        size_t processors;
    } cases[] = {
        {"bench=other", 1},
        {"bench=none", 1},
        {"bench=few", 2},
        {"bench=few,many", 4},
        {"bench=all", 2},
        {"bench=other tasks.cpus=3", 3},
        {"bench=many tasks.cpus=3", 4},
        {"bench=few irq.cpu=4", 5},
        {"bench=many irq.cpu=3", 4},
        {"", 2},
        {"bench=few many.cpus=9", 2},
        {"bench=few,many few.cpus=9", 9},
        {"bench=many many.cpus=1", 1},
    };
    char error[PLAN_CHECK_MAX];

    registry_use_benches(all, 3);
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        CHECK(plan_check(cases[i].plan, benches.run_keys, benches.run_key_count, error));
        CHECK_EQUAL(plan_processors(0), cases[i].processors);
        CHECK_EQUAL(plan_processors(3), cases[i].processors < 3 ? 3 : cases[i].processors);
    }
    registry_use_benches(benches.benches, benches.count);
}

int main(void)
{
    char error[IMAGE_BENCHES_ERROR_MAX] = "";

    image_benches_read(&benches, NULL, IMAGE, error);
    CHECK_TEXT(error, "");
    registry_use_benches(benches.benches, benches.count);
    RUN(test_benches());
    RUN(test_run_keys());
    RUN(test_lengths());
    RUN(test_processors());
    registry_use_benches(NULL, 0);
    image_benches_free(&benches);
    return unit_finish("unit_plan_check");
}
