/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Encodes and decodes packets of a PS/2 mouse: three bytes (IBM PS/2 Technical Reference,
 * "Auxiliary Device"), or four with a wheel, whose notches are in the low half of the last byte
 * (Microsoft IntelliMouse). Accesses no hardware.
 *
 * If a byte is lost, all following bytes would be read one off. There are two ways to notice it:
 * bit 3 of a first byte is always set; and the bytes of a packet follow each other at once, so a
 * byte that comes later than `gap` after the one before begins a new packet.
 */
#pragma once

#include <stddef.h>
#include <stdint.h>

#include "kernel/input/event.h"

#define MOUSE_PACKET_BYTES 3
#define MOUSE_WHEEL_BYTES  4
#define MOUSE_EVENTS_MAX   (BUTTONS + 2) /* for each button, a movement and the wheel */

struct mouse_decoder {
    uint64_t gap; /* in ticks; 0: no limit */
    uint8_t bytes[MOUSE_WHEEL_BYTES];
    uint8_t length; /* bytes in a packet */
    uint8_t count;
    uint8_t buttons;   /* buttons that are held */
    uint64_t last;     /* TSC of the last byte */
    uint64_t resynced; /* bytes dropped to find the start of a packet again */
};

void mouse_decoder_init(struct mouse_decoder *decoder, uint64_t gap);
/* Sets the length of the following packets: MOUSE_PACKET_BYTES or MOUSE_WHEEL_BYTES. */
void mouse_decoder_set_length(struct mouse_decoder *decoder, uint8_t length);

/* Decodes a byte that arrived at `tsc`. Returns the number of events that it completed. */
size_t mouse_decode(struct mouse_decoder *decoder, uint8_t byte, uint64_t tsc,
                    struct input_event events[MOUSE_EVENTS_MAX]);

/* Encodes a change of a button, a movement or a turn of the wheel, with `buttons` held before it.
 * Returns the buttons held after it. The fourth byte is sent only by a mouse with a wheel. */
uint8_t mouse_encode(const struct input_event *event, uint8_t buttons,
                     uint8_t bytes[MOUSE_WHEEL_BYTES]);
