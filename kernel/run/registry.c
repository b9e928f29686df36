/* SPDX-License-Identifier: BSD-2-Clause */
#include "kernel/run/registry.h"

#include <stdio.h>
#include <string.h>

#include "kernel/plan/names.h"

#define KEY_MAX 64

static struct plan *plan_in_force;
/* Benches set by registry_use_benches(); NULL: those of the section are used. */
static const struct bench *const *own_start;
static const struct bench *const *own_end;

void registry_use_benches(const struct bench *const *benches, size_t count)
{
    own_start = benches;
    own_end = benches + count;
}

const struct bench *const *registry_start(void)
{
    return own_start != NULL ? own_start : bench_registry_start;
}

const struct bench *const *registry_end(void)
{
    return own_start != NULL ? own_end : bench_registry_end;
}

void registry_use_plan(struct plan *plan)
{
    plan_in_force = plan;
}

/* The plan's input.script replaces the script of every bench that has one. */
const char *registry_planned(const struct bench *bench, const struct bench_param *param)
{
    const bool is_script = strcmp(param->name, "script") == 0;
    const char *for_all = is_script ? plan_value(plan_in_force, KEY_INPUT_SCRIPT) : NULL;
    char key[KEY_MAX];

    snprintf(key, sizeof(key), "%s.%s", bench->name, param->name);
    const char *own = plan_value(plan_in_force, key);

    return for_all != NULL ? for_all : own;
}

bool registry_selects(const char *benches, const struct bench *bench)
{
    if (benches == NULL || strcmp(benches, PLAN_BENCH_ALL) == 0) {
        return !bench->on_request;
    }
    return plan_list_holds(benches, bench->name);
}

static bool is_in_ms(const struct bench_param *param)
{
    const size_t length = strlen(param->name);

    return param->type == PARAM_IS_TIME && length >= 2 &&
           strcmp(param->name + length - 2, "ms") == 0;
}

uint64_t registry_lengths_ms(const struct bench *bench)
{
    uint64_t ms = 0;

    for (const struct bench_param *p = bench->params; p != NULL && p->name != NULL; p++) {
        if (is_in_ms(p)) {
            const char *text = registry_planned(bench, p);

            ms += param_number(p, text != NULL ? text : p->default_text);
        }
    }
    return ms;
}

static bool check_param(const struct bench *bench, const struct bench_param *param,
                        char error[PLAN_ERROR_MAX])
{
    const char *text = registry_planned(bench, param);
    char key[KEY_MAX];

    snprintf(key, sizeof(key), "%s.%s", bench->name, param->name);
    return text == NULL || param_check(param, key, text, error);
}

static bool is_bench(const char *name, size_t length)
{
    for (const struct bench *const *at = registry_start(); at < registry_end(); at++) {
        if (strlen((*at)->name) == length && strncmp((*at)->name, name, length) == 0) {
            return true;
        }
    }
    return false;
}

static bool is_special(const char *name, size_t length)
{
    return (length == sizeof(PLAN_BENCH_ALL) - 1 && strncmp(name, PLAN_BENCH_ALL, length) == 0) ||
           (length == sizeof(PLAN_BENCH_NONE) - 1 && strncmp(name, PLAN_BENCH_NONE, length) == 0);
}

/* Appends `prefix` and a word to a list, as far as they fit. */
static void append_word(char *list, size_t size, const char *prefix, const char *word)
{
    const size_t length = strlen(list);

    snprintf(list + length, size - length, "%s%s", prefix, word);
}

bool registry_check_list(const char *list, char error[PLAN_ERROR_MAX])
{
    size_t length;

    for (const char *item = plan_list_item(list != NULL ? list : "", &length); item != NULL;
         item = plan_list_item(item + length, &length)) {
        if (!is_special(item, length) && !is_bench(item, length)) {
            snprintf(error, PLAN_ERROR_MAX, "no bench \"%.*s\"; valid names: all none",
                     (int)(length < KEY_MAX ? length : KEY_MAX), item);
            for (const struct bench *const *at = registry_start(); at < registry_end(); at++) {
                append_word(error, PLAN_ERROR_MAX, " ", (*at)->name);
            }
            return false;
        }
    }
    return true;
}

/* Returns the bench to which a key such as idle.ms belongs, or NULL if there is none. */
static const struct bench *bench_of_key(const char *key)
{
    const size_t length = strcspn(key, ".");

    for (const struct bench *const *at = registry_start(); at < registry_end(); at++) {
        if (key[length] == '.' && strlen((*at)->name) == length &&
            strncmp((*at)->name, key, length) == 0) {
            return *at;
        }
    }
    return NULL;
}

static void append_params(const struct bench *bench, char error[PLAN_ERROR_MAX])
{
    for (const struct bench_param *p = bench->params; p != NULL && p->name != NULL; p++) {
        append_word(error, PLAN_ERROR_MAX, " ", bench->name);
        append_word(error, PLAN_ERROR_MAX, ".", p->name);
    }
}

/* Writes an error that lists the keys that exist: those of the key's bench or, if it names none,
 * those of the run and the benches that have any. */
static void report_unknown_key(const char *key, const struct bench_param *run_keys, size_t count,
                               char error[PLAN_ERROR_MAX])
{
    const struct bench *bench = bench_of_key(key);

    snprintf(error, PLAN_ERROR_MAX, "unknown plan key \"%.60s\"; known:", key);
    if (bench != NULL) {
        append_params(bench, error);
        return;
    }
    for (size_t i = 0; i < count; i++) {
        append_word(error, PLAN_ERROR_MAX, " ", run_keys[i].name);
    }
    append_word(error, PLAN_ERROR_MAX, "; and BENCH.KEY for the benches:", "");
    for (const struct bench *const *at = registry_start(); at < registry_end(); at++) {
        if ((*at)->params != NULL && (*at)->params->name != NULL) {
            append_word(error, PLAN_ERROR_MAX, " ", (*at)->name);
        }
    }
}

bool registry_check_params(char error[PLAN_ERROR_MAX])
{
    for (const struct bench *const *at = registry_start(); at < registry_end(); at++) {
        for (const struct bench_param *p = (*at)->params; p != NULL && p->name != NULL; p++) {
            if (!check_param(*at, p, error)) {
                return false;
            }
        }
    }
    return true;
}

bool registry_check_keys(const struct bench_param *run_keys, size_t count,
                         char error[PLAN_ERROR_MAX])
{
    for (size_t i = 0; i < plan_in_force->count; i++) {
        if (!plan_in_force->settings[i].used) {
            report_unknown_key(plan_in_force->settings[i].key, run_keys, count, error);
            return false;
        }
    }
    return true;
}
