/* SPDX-License-Identifier: BSD-2-Clause */
#include "bench/interactive/host/measure/thresholds.h"

#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define ITEM_MAX 40 /* characters of an item shown in a message */

/* Reads the item at the start of the text, of `length` characters. */
static bool read_time(const char *text, size_t length, double *ms)
{
    static const struct {
        const char *unit;
        double ms;
    } units[] = {{"", 1}, {"us", 1e-3}, {"ms", 1}, {"s", 1e3}};
    char item[ITEM_MAX];
    char *unit;

    if (length == 0 || length >= sizeof(item) || strchr("0123456789.", text[0]) == NULL) {
        return false;
    }
    memcpy(item, text, length);
    item[length] = '\0';
    *ms = strtod(item, &unit);
    for (size_t i = 0; unit != item && i < sizeof(units) / sizeof(units[0]); i++) {
        if (strcmp(unit, units[i].unit) == 0) {
            *ms *= units[i].ms;
            return *ms >= 0 && *ms <= THRESHOLD_MS_MAX;
        }
    }
    return false;
}

static bool refuse(const char *text, size_t length, const char *wanted,
                   char error[THRESHOLDS_ERROR_MAX])
{
    snprintf(error, THRESHOLDS_ERROR_MAX, "\"%.*s\": must be %s",
             (int)(length < ITEM_MAX ? length : ITEM_MAX), text, wanted);
    return false;
}

bool thresholds_read(const char *text, double ms[THRESHOLDS_MAX], size_t *count,
                     char error[THRESHOLDS_ERROR_MAX])
{
    *count = 0;
    for (;;) {
        const size_t length = strcspn(text, ",");

        if (*count == THRESHOLDS_MAX) {
            snprintf(error, THRESHOLDS_ERROR_MAX, "more than %d thresholds", THRESHOLDS_MAX);
            return false;
        }
        if (!read_time(text, length, &ms[(*count)++])) {
            return refuse(text, length,
                          "milliseconds, such as 100, or a time with unit, such as 50us", error);
        }
        if (text[length] == '\0') {
            return true;
        }
        text += length + 1;
    }
}

/* ---- by class and kind ---- */

void thresholds_init(struct threshold_set *set)
{
    *set = (struct threshold_set){0};
    for (unsigned kind = 0; kind < INPUT_KINDS; kind++) {
        set->kind_ms[kind] = THRESHOLD_DEFAULT_MS;
    }
}

static bool is_named(const char *name, size_t length, const char *known)
{
    return strlen(known) == length && strncmp(name, known, length) == 0;
}

/* Sets the kinds that the name means. Returns false if there are none. */
static bool set_kinds(const char *name, size_t length, double value, struct threshold_set *set)
{
    bool found = false;

    for (unsigned kind = 0; kind < INPUT_KINDS; kind++) {
        if (is_named(name, length, input_kind_name(kind)) || is_named(name, length, "all")) {
            set->kind_ms[kind] = value;
            found = true;
        }
    }
    return found;
}

static bool set_class(const char *name, size_t length, double value, struct threshold_set *set)
{
    size_t at = 0;

    if (length == 0 || length > SCRIPT_NAME_MAX) {
        return false;
    }
    while (at < set->class_count && !is_named(name, length, set->classes[at].name)) {
        at++;
    }
    if (at == THRESHOLDS_MAX) {
        return false;
    }
    snprintf(set->classes[at].name, sizeof(set->classes[at].name), "%.*s", (int)length, name);
    set->classes[at].ms = value;
    set->class_count = at == set->class_count ? at + 1 : set->class_count;
    return true;
}

bool thresholds_read_set(const char *text, struct threshold_set *set,
                         char error[THRESHOLDS_ERROR_MAX])
{
    for (;;) {
        const size_t length = strcspn(text, ",");
        const size_t name = strcspn(text, "=,");
        double value;

        if (text[name] != '=' || !read_time(text + name + 1, length - name - 1, &value) ||
            !(set_kinds(text, name, value, set) || set_class(text, name, value, set))) {
            return refuse(text, length,
                          "CLASS=MS, or KIND=MS with key_down, key_up, button_down, button_up, "
                          "move or all",
                          error);
        }
        if (text[length] == '\0') {
            return true;
        }
        text += length + 1;
    }
}

double thresholds_of(const struct threshold_set *set, unsigned kind, const char *class)
{
    for (size_t i = 0; i < set->class_count; i++) {
        if (strcmp(set->classes[i].name, class) == 0) {
            return set->classes[i].ms;
        }
    }
    return kind < INPUT_KINDS ? set->kind_ms[kind] : THRESHOLD_DEFAULT_MS;
}

bool thresholds_read_one(const char *text, double *ms, char error[THRESHOLDS_ERROR_MAX])
{
    return read_time(text, strlen(text), ms) ||
           refuse(text, strlen(text), "milliseconds, such as 50 or 0.05, or 50us", error);
}

static struct measure_choice chosen = {.measure = MEASURE_RESPONSE};

static const struct {
    const char *name, *label;
} measures[MEASURES] = {
    [MEASURE_IDLE] = {"idle", "latency by the idle loop"},
    [MEASURE_SERVICE] = {"service", "service time"},
    [MEASURE_RESPONSE] = {"response", "response time"},
    [MEASURE_CALL] = {"call", "time to the next call"},
    [MEASURE_WEIGHTED] = {"weighted", "weighted time (model)"},
};

const char *measure_name(unsigned measure)
{
    return measure < MEASURES ? measures[measure].name : NULL;
}

const char *measure_label(enum measure measure)
{
    return measures[measure].label;
}

const char *measure_key(enum measure measure)
{
    return measure == MEASURE_WEIGHTED ? "weighted_model" : measures[measure].name;
}

bool measure_is_drawn(enum measure measure)
{
    return measure <= MEASURE_RESPONSE || measure == chosen.measure;
}

void measure_choose(const struct measure_choice *choice)
{
    chosen = *choice;
}

const struct measure_choice *measure_choice(void)
{
    return &chosen;
}

enum measure measure_chosen(void)
{
    return chosen.measure;
}
