/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A keyboard's bytes and what they mean: scan-code sets 1 and 2 (IBM PS/2 Technical Reference).
 * Pure.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "kernel/input/event.h"

enum scancode_set {
    SCANCODE_SET_1 = 1, /* what the controller's translation makes of set 2 */
    SCANCODE_SET_2 = 2,
};

struct scancode_decoder {
    enum scancode_set set;
    uint8_t prefix; /* E0h, E1h: seen, and the rest is to come; 0: none */
    bool release;   /* F0h of set 2 was seen */
    uint8_t skip;   /* bytes of a longer sequence that are to come: the pause key's */
    uint8_t down[INPUT_CODES / 8]; /* keys that are held: a bit each */
};

enum scancode_result {
    SCANCODE_EVENT,   /* *event is filled */
    SCANCODE_PARTIAL, /* more bytes are to come */
    SCANCODE_IGNORED, /* belongs to no event: a typematic repeat, a fake shift of E0 2A */
    SCANCODE_GARBAGE, /* no scan code: what was begun is dropped, and a prefix begins anew */
};

void scancode_init(struct scancode_decoder *decoder, enum scancode_set set);
enum scancode_result scancode_decode(struct scancode_decoder *decoder, uint8_t byte,
                                     struct input_event *event);

/* Drops what was begun and is not going on; false where nothing was begun. */
bool scancode_drop(struct scancode_decoder *decoder);

#define SCANCODE_BYTES_MAX 3

/* The bytes of a key's change; 0 where it is no key's. */
size_t scancode_encode(enum scancode_set set, const struct input_event *event,
                       uint8_t bytes[SCANCODE_BYTES_MAX]);
