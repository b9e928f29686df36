/* SPDX-License-Identifier: BSD-2-Clause */
#include "kernel/plan/plan.h"

#include <stdio.h>
#include <string.h>

#include "kernel/plan/names.h"
#include "kernel/plan/text_mark.h"

#define WORD_SHOWN      60 /* number of characters of a word that an error quotes */
#define LIST_SEPARATORS ", \t\r\n"

static bool is_blank(char c)
{
    return c == ' ' || c == '\t' || c == '\r' || c == '\n';
}

static bool is_key_character(char c)
{
    return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '_' || c == '.';
}

static bool copy_text(struct plan *plan, const char *text, size_t length,
                      char error[PLAN_ERROR_MAX])
{
    unsigned line = 1;

    for (size_t i = 0; i < length; i++) {
        const char c = text[i];

        if (!is_blank(c) && ((unsigned char)c < ' ' || c == 0x7f)) {
            snprintf(error, PLAN_ERROR_MAX, "plan line %u: control character %02xh", line,
                     (unsigned)(unsigned char)c);
            return false;
        }
        plan->text[i] = c;
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

static bool add_setting(struct plan *plan, const char *key, const char *value, unsigned line,
                        char error[PLAN_ERROR_MAX])
{
    struct plan_setting *setting = find(plan, key);

    if (setting == NULL) {
        if (plan->count == PLAN_SETTINGS_MAX) {
            snprintf(error, PLAN_ERROR_MAX, "plan line %u: expected at most %d settings", line,
                     PLAN_SETTINGS_MAX);
            return false;
        }
        setting = &plan->settings[plan->count++];
    }
    *setting = (struct plan_setting){.key = key, .value = value};
    return true;
}

static char *skip_comment(char *at)
{
    return *at == '#' ? at + strcspn(at, "\n") : at;
}

/* Returns the quote that ends the string starting at `at`, or the end of the text. */
static char *closing_quote(char *at)
{
    while (*at != '\0' && *at != '"') {
        at += *at == '\\' && at[1] != '\0' ? 2 : 1;
    }
    return at;
}

/* Returns the brace that closes the one just before `at`, or NULL if there is none. */
static char *closing_brace(char *at)
{
    unsigned depth = 1;

    for (; *at != '\0'; at++) {
        depth += *at == '{' ? 1 : 0;
        depth -= *at == '}' ? 1 : 0;
        if (depth == 0) {
            return at;
        }
        at = *at == '"' ? closing_quote(at + 1) : skip_comment(at);
        if (*at == '\0') {
            return NULL;
        }
    }
    return NULL;
}

static bool ends_word(char c)
{
    return c == '\0' || c == '#' || is_blank(c);
}

static char *word_end(char *at)
{
    while (!ends_word(*at)) {
        at++;
    }
    return at;
}

/* Ends the value at `end`, and returns where to continue reading. */
static char *cut(char *end)
{
    char *next = skip_comment(end);

    next += *next != '\0' ? 1 : 0;
    *end = '\0';
    return next;
}

static void report_word(const char *word, size_t length, unsigned line, char error[PLAN_ERROR_MAX])
{
    snprintf(error, PLAN_ERROR_MAX, "plan line %u: \"%.*s\" is not key=value", line,
             (int)(length < WORD_SHOWN ? length : WORD_SHOWN), word);
}

/* Reads the setting at `word`. Returns where to continue reading, or NULL on bad input. */
static char *read_setting(struct plan *plan, char *word, unsigned line, char error[PLAN_ERROR_MAX])
{
    char *equals = word;

    while (is_key_character(*equals)) {
        equals++;
    }
    if (*equals != '=' || equals == word || ends_word(equals[1])) {
        report_word(word, (size_t)(word_end(word) - word), line, error);
        return NULL;
    }
    const bool braced = equals[1] == '{';
    char *value = equals + (braced ? 2 : 1);
    char *end = braced ? closing_brace(value) : word_end(value);

    *equals = '\0';
    if (end == NULL) {
        snprintf(error, PLAN_ERROR_MAX,
                 "plan line %u: the { of %.60s is not closed; a } in double quotes or after # does "
                 "not count",
                 line, word);
        return NULL;
    }
    if (braced && !ends_word(end[1])) {
        snprintf(error, PLAN_ERROR_MAX, "plan line %u: %.60s: expected a blank or # after its }",
                 line, word);
        return NULL;
    }
    char *next = cut(end);

    return add_setting(plan, word, value, line, error) ? next : NULL;
}

static unsigned count_lines(const char *from, const char *to)
{
    unsigned lines = 0;

    for (; from < to; from++) {
        lines += *from == '\n' ? 1 : 0;
    }
    return lines;
}

bool plan_parse(struct plan *plan, const char *text, size_t length, char error[PLAN_ERROR_MAX])
{
    unsigned line = 1;

    plan->count = 0;
    if (length > PLAN_TEXT_MAX) {
        snprintf(error, PLAN_ERROR_MAX, "plan: expected at most %d characters, got %zu",
                 PLAN_TEXT_MAX, length);
        return false;
    }
    if (length > 0 && (uint8_t)text[0] >= MARK_UTF_16) {
        snprintf(error, PLAN_ERROR_MAX, "the plan is UTF-16: save it as UTF-8");
        return false;
    }
    if (length >= MARK_UTF_8_LENGTH && memcmp(text, MARK_UTF_8, MARK_UTF_8_LENGTH) == 0) {
        text += MARK_UTF_8_LENGTH;
        length -= MARK_UTF_8_LENGTH;
    }
    if (!copy_text(plan, text, length, error)) {
        return false;
    }
    for (char *at = plan->text; *at != '\0';) {
        char *next = skip_comment(at);

        if (next == at) {
            next = is_blank(*at) ? at + 1 : read_setting(plan, at, line, error);
        }
        if (next == NULL) {
            return false;
        }
        /* Count in the original text: in the copy, a line end may have been replaced by the NUL
         * that ends a value. */
        line += count_lines(text + (at - plan->text), text + (next - plan->text));
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

const char *plan_list_item(const char *at, size_t *length)
{
    at += strspn(at, LIST_SEPARATORS);
    *length = strcspn(at, LIST_SEPARATORS);
    return *at != '\0' ? at : NULL;
}

bool plan_list_holds(const char *list, const char *name)
{
    size_t length;

    for (const char *item = plan_list_item(list, &length); item != NULL;
         item = plan_list_item(item + length, &length)) {
        if ((strlen(name) == length && strncmp(item, name, length) == 0) ||
            (length == sizeof(PLAN_BENCH_ALL) - 1 && strncmp(item, PLAN_BENCH_ALL, length) == 0)) {
            return true;
        }
    }
    return false;
}
