/* SPDX-License-Identifier: BSD-2-Clause */
#include "tools/qemu/keys.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "kernel/link/names.h"
#include "kernel/plan/plan.h"
#include "kernel/plan/text_mark.h"
#include "tools/base/alloc.h"
#include "tools/base/monotonic.h"
#include "tools/base/partial_file.h"

/* ---- the script ---- */

/* Reads one character more than a plan may have, to detect a text that is too long. */
static char *read_file(const char *name, char error[KEYS_ERROR_MAX])
{
    FILE *file = fopen(name, "r");

    if (file == NULL) {
        snprintf(error, KEYS_ERROR_MAX, "%.300s: %s", name, strerror(errno));
        return NULL;
    }
    partial_file_protect(name);
    char *text = alloc_zeroed(PLAN_TEXT_MAX + 2);
    size_t length = fread(text, 1, PLAN_TEXT_MAX + 1, file);
    const bool failed = ferror(file) != 0;
    const bool is_utf_8 = text_take_mark(text, &length);

    fclose(file);
    if (failed || length > PLAN_TEXT_MAX || !is_utf_8 || memchr(text, '\0', length) != NULL) {
        snprintf(error, KEYS_ERROR_MAX, "%.300s: %s", name,
                 failed                   ? "cannot be read"
                 : length > PLAN_TEXT_MAX ? "is longer than a plan can be"
                 : !is_utf_8              ? "is UTF-16: save it as UTF-8"
                                          : "is not text");
        free(text);
        return NULL;
    }
    text[length] = '\0';
    return text;
}

static char *take_text(const char *argument, char error[KEYS_ERROR_MAX])
{
    if (argument[0] == '@') {
        return read_file(argument + 1, error);
    }
    return alloc_checked(strdup(argument));
}

static bool take_events(struct keys_script *script, char error[KEYS_ERROR_MAX])
{
    const size_t length = strlen(script->text);
    char why[SCRIPT_ERROR_MAX];

    if (!script_read(script->text, length, NULL, 0, &script->count, why)) {
        snprintf(error, KEYS_ERROR_MAX, "%s", why);
        return false;
    }
    if (script->count == 0) {
        snprintf(error, KEYS_ERROR_MAX, "the script has no event");
        return false;
    }
    script->events = alloc_zeroed(script->count * sizeof(script->events[0]));
    if (!script_read(script->text, length, script->events, script->count, &script->count, why)) {
        snprintf(error, KEYS_ERROR_MAX, "%s", why);
        return false;
    }
    return true;
}

bool keys_read(struct keys_script *script, const char *argument, char error[KEYS_ERROR_MAX])
{
    *script = (struct keys_script){.text = take_text(argument, error)};
    if (script->text != NULL && take_events(script, error)) {
        return true;
    }
    keys_free(script);
    return false;
}

void keys_free(struct keys_script *script)
{
    free(script->text);
    free(script->events);
    *script = (struct keys_script){0};
}

uint64_t keys_length_ms(const struct keys_script *script)
{
    return script->events[script->count - 1].at_us / 1000 + 1;
}

/* ---- typing ---- */

bool keys_begin(struct keys *keys, const struct keys_script *script, struct progress *progress,
                const char *socket, const struct qmp_wait *wait, const struct qmp_events *events)
{
    *keys = (struct keys){.script = script, .progress = progress};
    keys->qmp.events = *events;
    keys->connected = qmp_open(&keys->qmp, socket, wait, keys->error);
    return keys->connected;
}

void keys_end(struct keys *keys)
{
    if (keys->connected) {
        qmp_close(&keys->qmp);
    }
    keys->connected = false;
}

/* Stops typing; `error` must be set. */
static void give_up(struct keys *keys)
{
    keys_end(keys);
    keys->typing = false;
    progress_note(keys->progress, "nothing more is typed: %s", keys->error);
}

void keys_on_record(struct keys *keys, const struct record *record)
{
    const char *state = record_value(record, FIELD_STATE);
    const char *bench = record_value(record, FIELD_BENCH);

    if (keys->script == NULL || strcmp(record->name, RECORD_INPUT) != 0 || state == NULL ||
        strcmp(state, STATE_READY_FOR_INPUT) != 0 || keys->error[0] != '\0') {
        return;
    }
    if (!keys->connected) {
        snprintf(keys->error, sizeof(keys->error), "QEMU closed its QMP socket before %.100s",
                 bench != NULL ? bench : "a bench");
        give_up(keys);
        return;
    }
    if (keys->typing) {
        progress_note(keys->progress,
                      "%zu events were not typed: the bench ended before they were due",
                      keys->script->count - keys->next);
    }
    keys->typing = true;
    keys->begin_us = monotonic_us();
    keys->next = 0;
    keys->late_us = 0;
    keys->rounds++;
}

static uint64_t intended_us(const struct keys *keys)
{
    return keys->begin_us + keys->script->events[keys->next].at_us;
}

static uint64_t due_us(const struct keys *keys)
{
    const uint64_t spaced_us = keys->typed_us + KEYS_SPACING_US;

    return intended_us(keys) > spaced_us ? intended_us(keys) : spaced_us;
}

static bool type_next(struct keys *keys)
{
    keys->typed_us = monotonic_us();
    const uint64_t late_us = keys->typed_us - intended_us(keys);

    if (!qmp_send_event(&keys->qmp, &keys->script->events[keys->next].event, keys->error)) {
        return false;
    }
    keys->late_us = late_us > keys->late_us ? late_us : keys->late_us;
    if (++keys->next == keys->script->count) {
        keys->typing = false;
        progress_note(keys->progress, "typed %zu events, each at most %llu.%03llu ms late",
                      keys->next, (unsigned long long)keys->late_us / 1000,
                      (unsigned long long)keys->late_us % 1000);
    }
    return true;
}

unsigned keys_attend(struct keys *keys)
{
    char error[QMP_ERROR_MAX];

    if (!keys->connected) {
        return KEYS_IDLE_MS;
    }
    if (!qmp_listen(&keys->qmp, 0, error)) {
        /* QEMU leaves at the end of the run, which is no failure */
        const bool matters = keys->typing || keys->qmp.unanswered > 0;

        keys_end(keys);
        if (matters) {
            memcpy(keys->error, error, sizeof(error));
            give_up(keys);
        }
        return KEYS_IDLE_MS;
    }
    while (keys->typing && due_us(keys) <= monotonic_us()) {
        if (!type_next(keys)) {
            give_up(keys);
        }
    }
    if (!keys->typing) {
        return KEYS_IDLE_MS;
    }
    const uint64_t now_us = monotonic_us();
    const uint64_t wait_ms = due_us(keys) > now_us ? (due_us(keys) - now_us) / 1000 : 0;

    return wait_ms < KEYS_IDLE_MS ? (unsigned)wait_ms : KEYS_IDLE_MS;
}
