/* SPDX-License-Identifier: BSD-2-Clause */
#include "kernel/plan/param.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "kernel/plan/names.h"
#include "kernel/plan/number.h"

#define ITEM_SHOWN 40 /* number of characters of an item that an error quotes */

static const struct time_unit {
    const char *name;
    uint64_t ps;
} units[] = {
    {"ps", 1},
    {"ns", 1000},
    {"us", 1000000},
    {"ms", 1000000000},
    {"s", 1000000000000},
    {"min", 60000000000000},
    {"h", 3600000000000000},
    {"d", 86400000000000000},
};

/* Returns the unit of this name, or NULL. */
static const struct time_unit *find_unit(const char *name)
{
    for (size_t i = 0; i < sizeof(units) / sizeof(units[0]); i++) {
        if (strcmp(units[i].name, name) == 0) {
            return &units[i];
        }
    }
    return NULL;
}

/* Returns the unit that the parameter's name ends in, as in gap.round_ms and idle.ms. */
static const struct time_unit *unit_of(const struct bench_param *param)
{
    const size_t length = strlen(param->name);

    return find_unit(param->name + (length > 2 ? length - 2 : 0));
}

/* Reads a number of `length` characters. */
static bool read_number(const char *text, size_t length, uint64_t *value)
{
    char number[PARAM_SHOWN_MAX];

    if (length >= sizeof(number)) {
        return false;
    }
    snprintf(number, sizeof(number), "%.*s", (int)length, text);
    return parse_unsigned(number, value);
}

/* Reads a time that is a whole number of the parameter's unit. */
static bool read_time(const struct bench_param *param, const char *text, size_t length,
                      uint64_t *value)
{
    const size_t digits = strspn(text, "0123456789");
    const struct time_unit *given = digits < length ? find_unit(text + digits) : NULL;
    const struct time_unit *wanted = unit_of(param);

    if (given == NULL || wanted == NULL) {
        return read_number(text, length, value);
    }
    if (!read_number(text, digits, value) || __builtin_mul_overflow(*value, given->ps, value) ||
        *value % wanted->ps != 0) {
        return false;
    }
    *value /= wanted->ps;
    return true;
}

/* Returns the index of an item among the words, or PARAM_WORDS_MAX if it is not among them. */
static size_t word_at(const char *words, const char *item, size_t length)
{
    size_t at = 0;
    size_t size;

    for (const char *word = plan_list_item(words, &size); word != NULL;
         word = plan_list_item(word + size, &size)) {
        if (size == length && strncmp(word, item, length) == 0) {
            return at;
        }
        at++;
    }
    return PARAM_WORDS_MAX;
}

static bool is_all(const char *item, size_t length)
{
    return length == sizeof(PLAN_BENCH_ALL) - 1 && strncmp(item, PLAN_BENCH_ALL, length) == 0;
}

static bool is_item(const struct bench_param *param, const char *item, size_t length)
{
    uint64_t value;
    bool good;

    if (param->words != NULL) {
        return (param->type == PARAM_IS_WORDS && is_all(item, length)) ||
               word_at(param->words, item, length) < PARAM_WORDS_MAX;
    }
    good = param->type == PARAM_IS_TIME ? read_time(param, item, length, &value)
                                        : read_number(item, length, &value);
    return good && value >= param->min && value <= param->max;
}

/* Writes "a, b, c" for a list of words. */
static void list_words(const char *words, char *text, size_t size)
{
    size_t length;
    size_t used = 0;

    for (const char *word = plan_list_item(words, &length); word != NULL && used < size;
         word = plan_list_item(word + length, &length)) {
        used += (size_t)snprintf(text + used, size - used, "%s%.*s", used > 0 ? ", " : "",
                                 (int)length, word);
    }
}

const char *param_allowed(const struct bench_param *param, char text[PLAN_ERROR_MAX])
{
    const struct time_unit *unit = param->type == PARAM_IS_TIME ? unit_of(param) : NULL;
    char allowed[PLAN_ERROR_MAX / 2] = "";

    if (param->words != NULL) {
        list_words(param->words, allowed, sizeof(allowed));
    } else if (param->type != PARAM_IS_TEXT) {
        snprintf(allowed, sizeof(allowed), "%" PRIu64 " to %" PRIu64 "%s%s", param->min, param->max,
                 unit != NULL ? " " : "", unit != NULL ? unit->name : "");
    }
    static const char *const expected[] = {
        [PARAM_IS_NUMBER] = "a number from", [PARAM_IS_NUMBERS] = "numbers from",
        [PARAM_IS_TIME] = "a time from",     [PARAM_IS_WORD] = "one of",
        [PARAM_IS_WORDS] = "one or more of", [PARAM_IS_TEXT] = "a text",
    };

    snprintf(text, PLAN_ERROR_MAX, "%s%s%s", expected[param->type], allowed[0] != '\0' ? " " : "",
             allowed);
    return text;
}

static bool refuse(const struct bench_param *param, const char *key, const char *item,
                   size_t length, char error[PLAN_ERROR_MAX])
{
    char allowed[PLAN_ERROR_MAX];

    snprintf(error, PLAN_ERROR_MAX, "%.60s: expected %.*s, got \"%.*s\"", key, PLAN_ERROR_MAX / 2,
             param_allowed(param, allowed), (int)(length < ITEM_SHOWN ? length : ITEM_SHOWN), item);
    return false;
}

static bool check_list(const struct bench_param *param, const char *key, const char *text,
                       char error[PLAN_ERROR_MAX])
{
    size_t count = 0;
    size_t length;

    for (const char *item = plan_list_item(text, &length); item != NULL;
         item = plan_list_item(item + length, &length)) {
        if (!is_item(param, item, length)) {
            return refuse(param, key, item, length, error);
        }
        count++;
    }
    if (param->type == PARAM_IS_NUMBERS && count > param->items) {
        snprintf(error, PLAN_ERROR_MAX, "%.60s: expected at most %u numbers, got %zu", key,
                 param->items, count);
        return false;
    }
    return count > 0 || param->default_text[0] == '\0' || refuse(param, key, text, 0, error);
}

bool param_check(const struct bench_param *param, const char *key, const char *text,
                 char error[PLAN_ERROR_MAX])
{
    switch (param->type) {
    case PARAM_IS_TEXT:
        return true;
    case PARAM_IS_NUMBERS:
    case PARAM_IS_WORDS:
        return check_list(param, key, text, error);
    default:
        return is_item(param, text, strlen(text)) || refuse(param, key, text, strlen(text), error);
    }
}

uint64_t param_number(const struct bench_param *param, const char *text)
{
    uint64_t value = 0;

    if (param->type == PARAM_IS_TIME) {
        return read_time(param, text, strlen(text), &value) ? value : 0;
    }
    return parse_unsigned(text, &value) ? value : 0;
}

const char *param_shown(const struct bench_param *param, const char *text,
                        char number[PARAM_SHOWN_MAX])
{
    if (param->type != PARAM_IS_TIME) {
        return text;
    }
    snprintf(number, PARAM_SHOWN_MAX, "%" PRIu64, param_number(param, text));
    return number;
}

size_t param_numbers(const char *text, uint64_t *numbers, size_t room)
{
    size_t count = 0;
    size_t length;

    for (const char *item = plan_list_item(text, &length); item != NULL && count < room;
         item = plan_list_item(item + length, &length)) {
        read_number(item, length, &numbers[count++]);
    }
    return count;
}

uint32_t param_words(const struct bench_param *param, const char *text)
{
    uint32_t words = 0;
    size_t length;

    for (const char *item = plan_list_item(text, &length); item != NULL;
         item = plan_list_item(item + length, &length)) {
        const size_t at = word_at(param->words, item, length);

        words |= is_all(item, length) ? UINT32_MAX : at < PARAM_WORDS_MAX ? 1u << at : 0;
    }
    return words;
}
