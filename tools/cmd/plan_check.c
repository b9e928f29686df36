/* SPDX-License-Identifier: BSD-2-Clause */
#include "tools/cmd/plan_check.h"

#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include "bench/smp/names.h"
#include "kernel/plan/names.h"
#include "kernel/run/registry.h"
#include "kernel/run/settings.h"
#include "tools/base/spelling.h"

static void offer_keys(struct spelling *spelling, const struct bench_param *run_keys, size_t count)
{
    static char nearest[SPELLING_WORD_MAX + 2];

    for (size_t i = 0; i < count; i++) {
        spelling_offer(spelling, run_keys[i].name);
    }
    for (const struct bench *const *at = registry_start(); at < registry_end(); at++) {
        for (const struct bench_param *p = (*at)->params; p != NULL && p->name != NULL; p++) {
            char key[SPELLING_WORD_MAX + 2];

            snprintf(key, sizeof(key), "%s.%s", (*at)->name, p->name);
            spelling_offer(spelling, key);
            if (spelling->nearest == key) {
                spelling->nearest = strcpy(nearest, key);
            }
        }
    }
}

/* Writes a suggestion if a known name is near. Returns whether the given name is unknown. */
static bool write_suggestion(const struct spelling *spelling, char text[PLAN_CHECK_MAX])
{
    const char *nearest = spelling_nearest(spelling);

    if (spelling->distance > 0 && nearest != NULL) {
        snprintf(text, PLAN_CHECK_MAX, "; did you mean \"%s\"?", nearest);
    }
    return spelling->distance > 0;
}

/* Suggests a name for the first bench of a list that does not exist. Returns false if all exist. */
static bool suggest_bench(const char *list, char text[PLAN_CHECK_MAX])
{
    size_t length;

    for (const char *item = plan_list_item(list, &length); item != NULL;
         item = plan_list_item(item + length, &length)) {
        char name[SPELLING_WORD_MAX + 2];
        struct spelling spelling;

        snprintf(name, sizeof(name), "%.*s", (int)(length < sizeof(name) ? length : sizeof(name)),
                 item);
        spelling_begin(&spelling, name);
        spelling_offer(&spelling, PLAN_BENCH_ALL);
        spelling_offer(&spelling, PLAN_BENCH_NONE);
        for (const struct bench *const *at = registry_start(); at < registry_end(); at++) {
            spelling_offer(&spelling, (*at)->name); /* distance 0 if the bench exists */
        }
        if (write_suggestion(&spelling, text)) {
            return true;
        }
    }
    return false;
}

/* The last plan that was checked; the registry refers to it. */
static struct plan plan;
static struct run_settings settings;

/* Writes a suggestion such as "; did you mean "idle"?" for the first bench or key of the plan that
 * does not exist. Writes "" if no known name is near. */
static void suggest(const struct bench_param *run_keys, size_t run_key_count,
                    char text[PLAN_CHECK_MAX])
{
    text[0] = '\0';
    for (size_t i = 0; i < plan.count; i++) {
        const struct plan_setting *setting = &plan.settings[i];
        struct spelling spelling;

        if (strcmp(setting->key, KEY_BENCH) == 0 && suggest_bench(setting->value, text)) {
            return;
        }
        spelling_begin(&spelling, setting->key);
        offer_keys(&spelling, run_keys, run_key_count);
        if (write_suggestion(&spelling, text)) {
            return;
        }
    }
}

/* Returns whether the plan asks for nothing that needs a drive, or a person at the machine. */
static bool is_for_emulator(char error[PLAN_CHECK_MAX])
{
    if (settings.boots > 1) {
        snprintf(error, PLAN_CHECK_MAX,
                 KEY_BOOTS "=%llu counts the logs on a drive; here use tare boot --repeat %llu",
                 (unsigned long long)settings.boots, (unsigned long long)settings.boots);
    } else if (settings.setting != NULL && strcmp(settings.setting, PLAN_SETTING_ASK) == 0) {
        snprintf(error, PLAN_CHECK_MAX,
                 KEY_SETTING "=" PLAN_SETTING_ASK
                             " asks at a machine's keyboard; here use " KEY_SETTING "=NAME");
    } else {
        return true;
    }
    return false;
}

bool plan_check(const char *text, const struct bench_param *run_keys, size_t run_key_count,
                char error[PLAN_CHECK_MAX])
{
    char why[PLAN_ERROR_MAX];
    char suggestion[PLAN_CHECK_MAX];

    settings_default(&settings);
    if (!plan_parse(&plan, text, strlen(text), why)) {
        snprintf(error, PLAN_CHECK_MAX, "%s", why);
        return false;
    }
    if (settings_read(&plan, run_keys, run_key_count, &settings, why)) {
        return is_for_emulator(error);
    }
    suggest(run_keys, run_key_count, suggestion);
    /* The suggestion replaces the list of all names. */
    const char *list = suggestion[0] != '\0' ? strchr(why, ';') : NULL;

    snprintf(error, PLAN_CHECK_MAX, "%.*s%.100s",
             list != NULL ? (int)(list - why) : (int)strlen(why), why, suggestion);
    return false;
}

bool plan_selects(const struct bench *bench)
{
    return settings.role == NULL ? registry_selects(settings.benches, bench)
                                 : bench->role != NULL && strcmp(bench->role, settings.role) == 0;
}

uint64_t plan_lengths_ms(void)
{
    uint64_t ms = 0;

    for (const struct bench *const *at = registry_start(); at < registry_end(); at++) {
        ms += plan_selects(*at) ? registry_lengths_ms(*at) : 0;
    }
    return ms;
}

size_t plan_processors(size_t most)
{
    most = settings.tasks_cpus > most ? settings.tasks_cpus : most;
    most = settings.irq_cpu >= most ? settings.irq_cpu + 1 : most;
    for (const struct bench *const *at = registry_start(); at < registry_end(); at++) {
        const bool counts =
            (*at)->group != NULL && strcmp((*at)->group, GROUP_SMP) == 0 && plan_selects(*at);

        for (const struct bench_param *p = (*at)->params; counts && p->name != NULL; p++) {
            const char *text = registry_planned(*at, p);
            const size_t number = strcmp(p->name, PARAM_CPUS) == 0
                                      ? param_number(p, text != NULL ? text : p->default_text)
                                      : 0;

            most = number > most ? number : most;
        }
    }
    return most;
}
