/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A PS/2 mouse's packets of three bytes (IBM PS/2 Technical Reference, "Auxiliary Device"), and of
 * four with a wheel, whose notches are in the low half of the last (Microsoft IntelliMouse). Pure.
 *
 * A byte may be lost, and then all that follow are read one off. What can be seen of it: bit 3 of a
 * first byte is always set; and the bytes of a packet follow each other at once, so one that comes
 * later than `gap` after the one before begins a new packet.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "kernel/input/event.h"

#define MOUSE_PACKET_BYTES 3
#define MOUSE_WHEEL_BYTES  4
#define MOUSE_EVENTS_MAX   (BUTTONS + 2) /* of one packet: each button, a movement, the wheel */

struct mouse_decoder {
    uint64_t gap; /* ticks; 0: any */
    uint8_t bytes[MOUSE_WHEEL_BYTES];
    uint8_t length; /* of a packet */
    uint8_t count;
    uint8_t buttons;   /* that are held */
    uint64_t last;     /* TSC of the last byte */
    uint64_t resynced; /* bytes that were dropped to be in step again */
};

void mouse_decoder_init(struct mouse_decoder *decoder, uint64_t gap);
/* Packets from now on are of MOUSE_PACKET_BYTES or MOUSE_WHEEL_BYTES. */
void mouse_decoder_set_length(struct mouse_decoder *decoder, uint8_t length);

/* Number of events that the byte, which came at `tsc`, completed: 0 where there are none. */
size_t mouse_decode(struct mouse_decoder *decoder, uint8_t byte, uint64_t tsc,
                    struct input_event events[MOUSE_EVENTS_MAX]);

/* The packet of a button's change, a movement or the wheel, with `buttons` held before it; returns
 * those held behind it. The fourth byte is sent only by a mouse that has a wheel. */
uint8_t mouse_encode(const struct input_event *event, uint8_t buttons,
                     uint8_t bytes[MOUSE_WHEEL_BYTES]);
