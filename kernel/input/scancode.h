/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Encodes and decodes a keyboard's bytes: scan-code sets 1 and 2 (IBM PS/2 Technical Reference).
 * Accesses no hardware.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "kernel/input/event.h"

enum scancode_set {
    SCANCODE_SET_1 = 1, /* set 2 after the controller's translation */
    SCANCODE_SET_2 = 2,
};

struct scancode_decoder {
    enum scancode_set set;
    uint8_t prefix; /* E0h or E1h, if it was read and the rest is still to come; 0: none */
    bool release;   /* F0h of set 2 was read */
    uint8_t skip;   /* bytes still to come of the pause key's longer sequence */
    uint8_t down[INPUT_CODES / 8]; /* keys that are held, one bit each */
};

enum scancode_result {
    SCANCODE_EVENT,   /* *event is set */
    SCANCODE_PARTIAL, /* more bytes must follow */
    SCANCODE_IGNORED, /* not an event: a typematic repeat, or a fake shift such as E0 2A */
    SCANCODE_GARBAGE, /* not a scan code: the sequence is dropped, and a prefix begins a new one */
};

void scancode_init(struct scancode_decoder *decoder, enum scancode_set set);
enum scancode_result scancode_decode(struct scancode_decoder *decoder, uint8_t byte,
                                     struct input_event *event);

/* Drops an incomplete sequence. Returns false if there was none. */
bool scancode_drop(struct scancode_decoder *decoder);

#define SCANCODE_BYTES_MAX 3

/* Encodes a change of a key. Returns the number of bytes, or 0 if the event is not one of a key. */
size_t scancode_encode(enum scancode_set set, const struct input_event *event,
                       uint8_t bytes[SCANCODE_BYTES_MAX]);
