/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Keyboard and mouse within a session (kernel/task/session.h). Interrupts deliver bytes; a deferred
 * call (DPC) decodes them into events and posts these as messages (kernel/task/queue.h). Input can
 * also be synthetic: bytes that the controller's loop-back returns as real interrupts, at known
 * times.
 *
 *     device: IRQ -> handler (reads the byte, takes its stamp, queues the DPC)
 *               -> DPC (decodes; trace event `input`; queue_post with the event's number)
 *     source: timer at the time in the script -> loop-back of the event's bytes
 *
 * An event arrives with its last byte. Events of both devices are numbered together, from 1 in each
 * session, in order of arrival. A byte is sent when it is due and the byte before it has been
 * taken. The last byte of an event is due at the event's time, and each byte before it 1 ms
 * earlier, as on the wire of a PS/2 device (11 bits at about 12 kHz).
 *
 * If a script has no pauses between events, they follow each other as fast as the DPC takes them.
 * If the controller is that fast too, no thread runs meanwhile, and the queue needs room for the
 * whole script.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "kernel/input/controller.h"
#include "kernel/input/source.h"
#include "kernel/task/queue.h"

/* Size of the buffer of bytes that handlers have read and the DPC has not decoded yet. */
#define INPUT_BUFFER_BYTES 64

/* Checks whether interrupts of the devices can reach this processor. Returns NULL if they can,
 * otherwise the reason. */
const char *input_unreachable(void);

struct input_settings {
    struct queue *queue; /* receives the messages */
    /* Posts a QUEUE_SYNC after every event, as the driver of Endo et al. 1996, section 5.4, did. */
    bool sync_messages;
    /* Packets of the mouse have a fourth byte. Those of an attached mouse without a wheel have
     * three bytes, and then cannot be decoded. */
    bool wheel;
};

struct input_counts {
    uint64_t bytes[I8042_PORTS];
    uint64_t events;   /* decoded and numbered */
    uint64_t posted;   /* messages of events that the queue accepted */
    uint64_t refused;  /* messages of events that were lost because the queue was full */
    uint64_t ignored;  /* bytes without an event: repeats */
    uint64_t garbage;  /* bytes that are not part of a scan code */
    uint64_t resynced; /* bytes dropped to find the start of a mouse packet again */
    uint64_t overrun;  /* bytes lost because the driver's buffer was full */
    uint64_t bad;      /* bytes with a parity or timeout error */
    uint64_t empty;    /* interrupts that found no byte */
    uint64_t stale;    /* bytes that were in the controller before it was opened */
};

/* Opens keyboard and mouse. Call within a session. Returns false if the controller does not answer,
 * or its interrupts cannot arrive. */
bool input_begin(const struct input_settings *settings);
/* Closes them. Call before task_end(), and also after a session that was ended by force. */
void input_end(void);
void input_get_counts(struct input_counts *counts);

/* Waits until all bytes of the script have been written and taken. Returns false if the TSC reaches
 * `deadline` first, or if the controller takes no more bytes (see input_stuck()). */
bool input_wait_played(uint64_t deadline);
/* Waits until the session has had `events` events. Returns false if `deadline` or input_stuck()
 * comes first. */
bool input_wait_events(uint64_t events, uint64_t deadline);

/* Sends one byte as it is, for tests of broken devices. Outside input_begin() and input_end() the
 * byte stays in the controller. Returns false if the byte before it is not taken, or if a script is
 * running. */
bool input_send_raw(enum i8042_port port, uint8_t byte);
/* Blocks all interrupts of the devices, until input_end(). */
void input_block(void);
