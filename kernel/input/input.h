/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Keyboard and mouse, within a session (kernel/task/session.h): interrupts, a DPC that makes events
 * of bytes, and posts them as messages (kernel/task/queue.h). And the source of synthetic input:
 * bytes that the controller's own loop-back returns as real interrupts, at known moments.
 *
 *     device: IRQ -> handler (reads the byte, takes its stamp, queues the DPC)
 *               -> DPC (decodes; trace `input`; queue_post with the event's number)
 *     source: timer at the moment of the script -> loop-back of the event's bytes
 *
 * An event arrives with its last byte. Numbers count from 1 within a session, in order of arrival,
 * over both devices. A byte is sent when its time has come and the one before it has been taken.
 * The last byte of an event is due at the event's moment, those before it 1 ms earlier each, as on
 * the wire of a PS/2 device (11 bits at some 12 kHz). In a script without pauses between events
 * they follow each other as fast as the DPC takes them: where the controller is as fast, no thread
 * runs meanwhile, and the queue has to hold the whole script.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "kernel/input/controller.h"
#include "kernel/input/source.h"
#include "kernel/task/queue.h"

/* Bytes that handlers have taken and the DPC has not yet seen. */
#define INPUT_BUFFER_BYTES 64

/* Can a device's interrupts reach this processor? NULL, or why not. */
const char *input_unreachable(void);

struct input_settings {
    struct queue *queue; /* takes the messages */
    /* Posts a QUEUE_SYNC behind every event, as the driver of Endo et al. 1996, section 5.4, did.
     */
    bool sync_messages;
    bool wheel; /* packets of the mouse have a fourth byte: the loop-back's. A mouse that is
                   attached may send three, and is out of step with them. */
};

struct input_counts {
    uint64_t bytes[I8042_PORTS];
    uint64_t events;   /* made and numbered */
    uint64_t posted;   /* messages of events that the queue took */
    uint64_t refused;  /* messages of events for which the queue was full */
    uint64_t ignored;  /* bytes of no event: repeats */
    uint64_t garbage;  /* bytes that are no scan code */
    uint64_t resynced; /* bytes of a mouse out of step, dropped */
    uint64_t overrun;  /* bytes that found the driver's own buffer full */
    uint64_t bad;      /* bytes with a parity or timeout error */
    uint64_t empty;    /* interrupts without a byte */
    uint64_t stale;    /* bytes that were in the controller before it was opened */
};

/* Within a session. False: the controller does not answer. */
bool input_begin(const struct input_settings *settings);
/* Within it, before task_end(). Also after a session that was ended by force. */
void input_end(void);
void input_get_counts(struct input_counts *counts);

/* Waits until all have been written and taken, or until the TSC has reached `deadline`: false then.
 * Of a controller that takes no byte any longer, too: input_stuck() reports it. */
bool input_wait_played(uint64_t deadline);
/* Waits until the session has seen `events` events, or until `deadline` or input_stuck(): false
 * then. */
bool input_wait_events(uint64_t events, uint64_t deadline);

/* For tests of what a broken device does. One byte, whatever it means, as it is: outside of begin
 * and end it stays in the controller. False: the one before is not taken, or a script plays. */
bool input_send_raw(enum i8042_port port, uint8_t byte);
/* Lets no interrupt through any longer, until input_end(). */
void input_block(void);
