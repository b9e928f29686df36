/* SPDX-License-Identifier: BSD-2-Clause */
#include "tools/qemu/qmp.h"

#include <jansson.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

#include "kernel/input/event.h"
#include "tools/base/monotonic.h"

#define SLICE_MS    20
#define COMMAND_MAX 512

static bool fail(char error[QMP_ERROR_MAX], const char *what)
{
    snprintf(error, QMP_ERROR_MAX, "%s", what);
    return false;
}

/* ---- messages of QEMU ---- */

static bool refused(const json_t *message, const json_t *why, char error[QMP_ERROR_MAX])
{
    const char *command = json_string_value(json_object_get(message, "id"));
    const char *description = json_string_value(json_object_get(why, "desc"));

    snprintf(error, QMP_ERROR_MAX, "QEMU rejected %.100s: %.300s",
             command != NULL ? command : "a command",
             description != NULL ? description : "no reason given");
    return false;
}

/* Returns the time of a message, {"seconds": S, "microseconds": U}. QEMU's clock is the host's time
 * of day. */
static uint64_t time_of(const json_t *message)
{
    const json_t *time = json_object_get(message, "timestamp");
    const json_int_t seconds = json_integer_value(json_object_get(time, "seconds"));
    const json_int_t micros = json_integer_value(json_object_get(time, "microseconds"));
    const bool sane =
        seconds > 0 && seconds < INT64_MAX / 2000000 && micros >= 0 && micros < 1000000;

    return sane ? (uint64_t)seconds * 1000000 + (uint64_t)micros : 0;
}

static bool take_event(struct qmp *qmp, const json_t *message)
{
    const char *name = json_string_value(json_object_get(message, "event"));

    if (name != NULL && qmp->events.take != NULL) {
        qmp->events.take(qmp->events.context, name, time_of(message));
    }
    return json_object_get(message, "event") != NULL;
}

static bool take_message(struct qmp *qmp, const json_t *message, char error[QMP_ERROR_MAX])
{
    const json_t *why = json_object_get(message, "error");

    if (why != NULL) {
        return refused(message, why, error);
    }
    const json_t *answer = json_object_get(message, "return");

    if (answer != NULL) {
        const char *status = json_string_value(json_object_get(answer, "status"));

        snprintf(qmp->status, sizeof(qmp->status), "%s", status != NULL ? status : "");
        qmp->unanswered -= qmp->unanswered > 0 ? 1 : 0;
        return true;
    }
    if (json_object_get(message, "QMP") != NULL) {
        qmp->greeted = true;
        return true;
    }
    return take_event(qmp, message) ||
           fail(error, "QEMU's QMP socket sent a message of an unknown kind");
}

static bool take_line(struct qmp *qmp, const char *text, size_t length, char error[QMP_ERROR_MAX])
{
    json_error_t where;
    json_t *message;

    if (length == 0 || (length == 1 && text[0] == '\r')) {
        return true;
    }
    message = json_loadb(text, length, 0, &where);
    if (!json_is_object(message)) {
        json_decref(message);
        return fail(
            error,
            "QEMU's QMP socket sent something other than a JSON object: is it really QEMU's?");
    }
    const bool good = take_message(qmp, message, error);

    json_decref(message);
    return good;
}

bool qmp_listen(struct qmp *qmp, unsigned wait_ms, char error[QMP_ERROR_MAX])
{
    const size_t room = sizeof(qmp->message) - qmp->length;
    const ssize_t count =
        room == 0 ? 0 : line_read(&qmp->line, (uint8_t *)qmp->message + qmp->length, room, wait_ms);
    char *begin = qmp->message;
    char *end;

    if (count < 0) {
        return fail(error, "QEMU closed its QMP socket");
    }
    qmp->length += (size_t)count;
    while ((end = memchr(begin, '\n', qmp->length)) != NULL) {
        const size_t length = (size_t)(end - begin);

        if (!take_line(qmp, begin, length, error)) {
            return false;
        }
        qmp->length -= length + 1;
        begin = end + 1;
    }
    memmove(qmp->message, begin, qmp->length);
    return qmp->length < sizeof(qmp->message) ||
           fail(error, "QEMU's QMP socket sent a message that is too long");
}

/* ---- commands ---- */

static bool send_command(struct qmp *qmp, const char *text, char error[QMP_ERROR_MAX])
{
    if (!line_write(&qmp->line, (const uint8_t *)text, strlen(text)) ||
        !line_write(&qmp->line, (const uint8_t *)"\n", 1)) {
        return fail(error, "QEMU no longer reads its QMP socket");
    }
    qmp->unanswered++;
    return true;
}

static const char *const buttons[BUTTONS] = {"left", "right", "middle"};

void qmp_event_name(const struct input_event *event, char name[QMP_NAME_MAX])
{
    const bool down = event->kind == INPUT_KEY_DOWN || event->kind == INPUT_BUTTON_DOWN;

    if (input_is_wheel(event)) {
        snprintf(name, QMP_NAME_MAX, "wheel %d", event->dy);
    } else if (event->kind == INPUT_MOVE) {
        snprintf(name, QMP_NAME_MAX, "move %d,%d", event->dx, event->dy);
    } else if (event->kind == INPUT_BUTTON_DOWN || event->kind == INPUT_BUTTON_UP) {
        snprintf(name, QMP_NAME_MAX, "%s button %s", buttons[event->code], down ? "down" : "up");
    } else {
        const char *key = key_name(event->code);

        snprintf(name, QMP_NAME_MAX, "key %s %s", key != NULL ? key : "?", down ? "down" : "up");
    }
}

/* Writes the event in terms of QEMU's InputEvent: one, or for a movement one per axis. */
static void write_event(const struct input_event *event, char text[COMMAND_MAX])
{
    const bool down = event->kind == INPUT_KEY_DOWN || event->kind == INPUT_BUTTON_DOWN;
    const char *state = down ? "true" : "false";

    if (input_is_wheel(event)) {
        /* each press of the button is a notch */
        for (int i = 0, at = 0; i < abs(event->dy); i++) {
            at += snprintf(text + at, COMMAND_MAX - (size_t)at,
                           "%s{\"type\":\"btn\",\"data\":{\"down\":true,\"button\":\"wheel-%s\"}}",
                           i > 0 ? "," : "", event->dy > 0 ? "up" : "down");
        }
    } else if (event->kind == INPUT_MOVE) {
        /* QEMU counts y downwards */
        snprintf(text, COMMAND_MAX,
                 "{\"type\":\"rel\",\"data\":{\"axis\":\"x\",\"value\":%d}},"
                 "{\"type\":\"rel\",\"data\":{\"axis\":\"y\",\"value\":%d}}",
                 event->dx, -event->dy);
    } else if (event->kind == INPUT_BUTTON_DOWN || event->kind == INPUT_BUTTON_UP) {
        snprintf(text, COMMAND_MAX, "{\"type\":\"btn\",\"data\":{\"down\":%s,\"button\":\"%s\"}}",
                 state, buttons[event->code]);
    } else {
        const char *qcode = key_qcode(event->code);

        snprintf(text, COMMAND_MAX,
                 "{\"type\":\"key\",\"data\":{\"down\":%s,"
                 "\"key\":{\"type\":\"qcode\",\"data\":\"%s\"}}}",
                 state, qcode != NULL ? qcode : "unmapped");
    }
}

bool qmp_send_event(struct qmp *qmp, const struct input_event *event, char error[QMP_ERROR_MAX])
{
    char name[QMP_NAME_MAX];
    char events[COMMAND_MAX];
    char command[COMMAND_MAX + 200];

    qmp_event_name(event, name);
    write_event(event, events);
    snprintf(command, sizeof(command),
             "{\"execute\":\"input-send-event\",\"id\":\"%s\",\"arguments\":{\"events\":[%s]}}",
             name, events);
    return send_command(qmp, command, error);
}

/* ---- connecting ---- */

/* Listens until no command is unanswered or, if `command` is NULL, until QEMU has greeted. */
static bool await(struct qmp *qmp, const struct qmp_wait *wait, uint64_t limit_ms,
                  const char *command, char error[QMP_ERROR_MAX])
{
    while (command == NULL ? !qmp->greeted : qmp->unanswered > 0) {
        if (monotonic_ms() >= limit_ms) {
            snprintf(error, QMP_ERROR_MAX, "QEMU's QMP socket %s%.100s within %u ms",
                     command == NULL ? "sent no greeting" : "did not answer ",
                     command == NULL ? "" : command, wait->ms);
            return false;
        }
        if (wait->alive != NULL && !wait->alive(wait->context)) {
            return fail(error, "QEMU ended before its QMP socket was ready");
        }
        if (!qmp_listen(qmp, SLICE_MS, error)) {
            return false;
        }
    }
    return true;
}

bool qmp_ask(struct qmp *qmp, const char *command, const struct qmp_wait *wait,
             char error[QMP_ERROR_MAX])
{
    return send_command(qmp, command, error) &&
           await(qmp, wait, monotonic_ms() + wait->ms, command, error);
}

static bool begin(struct qmp *qmp, const struct qmp_wait *wait, uint64_t limit_ms,
                  char error[QMP_ERROR_MAX])
{
    static const char capabilities[] =
        "{\"execute\":\"qmp_capabilities\",\"id\":\"qmp_capabilities\"}";

    qmp->greeted = false;
    qmp->unanswered = 0;
    qmp->length = 0;
    if (await(qmp, wait, limit_ms, NULL, error) && send_command(qmp, capabilities, error) &&
        await(qmp, wait, limit_ms, "qmp_capabilities", error)) {
        return true;
    }
    qmp_close(qmp);
    return false;
}

bool qmp_open(struct qmp *qmp, const char *path, const struct qmp_wait *wait,
              char error[QMP_ERROR_MAX])
{
    const uint64_t limit_ms = monotonic_ms() + wait->ms;
    char why[LINE_ERROR_MAX];

    /* The socket may not exist yet, or not listen yet. */
    while (!line_open(&qmp->line, path, 0, why)) {
        if (wait->alive != NULL && !wait->alive(wait->context)) {
            return fail(error, "QEMU ended before it opened its QMP socket");
        }
        if (monotonic_ms() >= limit_ms) {
            snprintf(error, QMP_ERROR_MAX, "QEMU opened no QMP socket within %u ms: %.300s",
                     wait->ms, why);
            return false;
        }
        sleep_ms(SLICE_MS);
    }
    return begin(qmp, wait, limit_ms, error);
}

void qmp_close(struct qmp *qmp)
{
    line_close(&qmp->line);
}
