/* SPDX-License-Identifier: BSD-2-Clause */
#include "kernel/plan/plan.h"

#include <stdio.h>
#include <string.h>

static bool is_blank(char c)
{
    return c == ' ' || c == '\t' || c == '\r' || c == '\n';
}

static bool is_key_character(char c)
{
    return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '_' || c == '.';
}

/* Blanks out comments, so that only settings are left. */
static bool copy_without_comments(struct plan *plan, const char *text, size_t length,
                                  char error[PLAN_ERROR_MAX])
{
    bool comment = false;
    unsigned line = 1;

    for (size_t i = 0; i < length; i++) {
        const char c = text[i];

        if (!is_blank(c) && ((unsigned char)c < ' ' || c == 0x7f)) {
            snprintf(error, PLAN_ERROR_MAX, "plan line %u: control character %02xh", line,
                     (unsigned)(unsigned char)c);
            return false;
        }
        comment = c == '#' || (comment && c != '\n');
        plan->text[i] = comment ? ' ' : c;
        line += c == '\n' ? 1 : 0;
    }
    plan->text[length] = '\0';
    return true;
}

static struct plan_setting *find(struct plan *plan, const char *key)
{
    for (size_t i = 0; i < plan->count; i++) {
        if (strcmp(plan->settings[i].key, key) == 0) {
            return &plan->settings[i];
        }
    }
    return NULL;
}

/* `word` is NUL-terminated: "key=value". */
static bool add_setting(struct plan *plan, char *word, unsigned line, char error[PLAN_ERROR_MAX])
{
    char *equals = word;

    while (is_key_character(*equals)) {
        equals++;
    }
    if (*equals != '=' || equals == word || equals[1] == '\0') {
        snprintf(error, PLAN_ERROR_MAX, "plan line %u: \"%.60s\" is not key=value", line, word);
        return false;
    }
    *equals = '\0';
    struct plan_setting *setting = find(plan, word);

    if (setting == NULL) {
        if (plan->count == PLAN_SETTINGS_MAX) {
            snprintf(error, PLAN_ERROR_MAX, "plan line %u: more than %d settings", line,
                     PLAN_SETTINGS_MAX);
            return false;
        }
        setting = &plan->settings[plan->count++];
    }
    *setting = (struct plan_setting){.key = word, .value = equals + 1};
    return true;
}

bool plan_parse(struct plan *plan, const char *text, size_t length, char error[PLAN_ERROR_MAX])
{
    unsigned line = 1;

    plan->count = 0;
    if (length > PLAN_TEXT_MAX) {
        snprintf(error, PLAN_ERROR_MAX, "plan of %zu characters: at most %d are read", length,
                 PLAN_TEXT_MAX);
        return false;
    }
    if (!copy_without_comments(plan, text, length, error)) {
        return false;
    }
    for (char *at = plan->text; *at != '\0';) {
        if (is_blank(*at)) {
            line += *at == '\n' ? 1 : 0;
            at++;
            continue;
        }
        char *end = at;

        while (*end != '\0' && !is_blank(*end)) {
            end++;
        }
        const bool ends_line = *end == '\n';
        char *next = *end == '\0' ? end : end + 1;

        *end = '\0';
        if (!add_setting(plan, at, line, error)) {
            return false;
        }
        line += ends_line ? 1 : 0;
        at = next;
    }
    return true;
}

const char *plan_value(struct plan *plan, const char *key)
{
    struct plan_setting *setting = find(plan, key);

    if (setting == NULL) {
        return NULL;
    }
    setting->used = true;
    return setting->value;
}

bool plan_list_holds(const char *list, const char *name)
{
    const size_t length = strlen(name);

    while (*list != '\0') {
        const size_t item = strcspn(list, ",");

        if ((item == length && strncmp(list, name, length) == 0) ||
            (item == 3 && strncmp(list, "all", 3) == 0)) {
            return true;
        }
        list += item + (list[item] == ',' ? 1 : 0);
    }
    return false;
}
