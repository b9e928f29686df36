/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * QEMU's machine protocol (docs/interop/qmp-spec.txt of QEMU) over a unix socket: as much of it as
 * it takes to type and click. Messages are JSON, one a line: QEMU greets, is sent
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

/* Gets each event with the time at which QEMU sent it, in microseconds since 1970; 0: it states
 * none. NULL: events are ignored. */
struct qmp_events {
    void (*take)(void *context, const char *name, uint64_t at_us);
    void *context;
};

struct qmp {
    struct line line;
    struct qmp_events events;
    bool greeted;
    unsigned unanswered;         /* commands */
    char status[QMP_STATUS_MAX]; /* "status" of the last answer; "": it has none */
    size_t length;
    char message[QMP_MESSAGE_MAX]; /* that has no line end yet */
};

/* How long to wait for a socket that QEMU is about to open, and whether there is still hope. */
struct qmp_wait {
    unsigned ms;
    bool (*alive)(void *context);
    void *context;
};

/* Connects and makes QEMU ready for commands; `events` are set already. False: `error` holds a
 * line, nothing is open. */
bool qmp_open(struct qmp *qmp, const char *path, const struct qmp_wait *wait,
              char error[QMP_ERROR_MAX]);
void qmp_close(struct qmp *qmp);

/* Sends a command, a JSON object, and waits for its answer. Returns false where QEMU refused it,
 * went away, or did not answer in time. */
bool qmp_ask(struct qmp *qmp, const char *command, const struct qmp_wait *wait,
             char error[QMP_ERROR_MAX]);

/* "key a down", "left button up", "move 3,-2". */
#define QMP_NAME_MAX 40
void qmp_event_name(const struct input_event *event, char name[QMP_NAME_MAX]);

/* Sends the event as one command (input-send-event) and does not wait for the answer. */
bool qmp_send_event(struct qmp *qmp, const struct input_event *event, char error[QMP_ERROR_MAX]);

/* Takes what QEMU has sent, waiting at most `wait_ms` for it. False where it refused a command,
 * went away, or sent something other than QMP. */
bool qmp_listen(struct qmp *qmp, unsigned wait_ms, char error[QMP_ERROR_MAX]);
