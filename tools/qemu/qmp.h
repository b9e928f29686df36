/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Speaks QEMU's machine protocol (docs/interop/qmp-spec.txt of QEMU) over a unix socket, as far as
 * typing and clicking need it. Messages are JSON, one a line: QEMU greets, receives
 * qmp_capabilities, and from then on answers each command with its id; events come in between.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "kernel/input/event.h"
#include "tools/base/line.h"

#define QMP_ERROR_MAX   512
#define QMP_MESSAGE_MAX 65536
#define QMP_STATUS_MAX  32

/* Receives each event with the time at which QEMU sent it, in microseconds since 1970; 0 if QEMU
 * states none. If `take` is NULL, events are ignored. */
struct qmp_events {
    void (*take)(void *context, const char *name, uint64_t at_us);
    void *context;
};

struct qmp {
    struct line line;
    struct qmp_events events;
    bool greeted;
    unsigned unanswered;         /* commands without an answer */
    char status[QMP_STATUS_MAX]; /* "status" of the last answer; "": it had none */
    size_t length;
    char message[QMP_MESSAGE_MAX]; /* message whose line end has not arrived yet */
};

/* How long to wait for a socket that QEMU is about to open, and whether QEMU is still alive. */
struct qmp_wait {
    unsigned ms;
    bool (*alive)(void *context);
    void *context;
};

/* Connects and makes QEMU ready for commands; `events` must be set before. Returns false, with a
 * line in `error` and nothing open, on failure. */
bool qmp_open(struct qmp *qmp, const char *path, const struct qmp_wait *wait,
              char error[QMP_ERROR_MAX]);
void qmp_close(struct qmp *qmp);

/* Sends a command, a JSON object, and waits for its answer. Returns false if QEMU rejected it, went
 * away, or did not answer in time. */
bool qmp_ask(struct qmp *qmp, const char *command, const struct qmp_wait *wait,
             char error[QMP_ERROR_MAX]);

/* Writes the name of an event, such as "key a down", "left button up" or "move 3,-2". */
#define QMP_NAME_MAX 40
void qmp_event_name(const struct input_event *event, char name[QMP_NAME_MAX]);

/* Sends the event as one command (input-send-event) without waiting for the answer. */
bool qmp_send_event(struct qmp *qmp, const struct input_event *event, char error[QMP_ERROR_MAX]);

/* Takes what QEMU has sent, waiting at most `wait_ms` for it. Returns false if QEMU rejected a
 * command, went away, or sent something other than QMP. */
bool qmp_listen(struct qmp *qmp, unsigned wait_ms, char error[QMP_ERROR_MAX]);
