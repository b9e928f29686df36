/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * What a person does to a machine: one change of one key or button, or one movement. Scripts
 * (script.h) are made of these, the controller's bytes are decoded into these, and each gets a
 * number as it arrives.
 *
 * Pure: compiled for the image and for the host.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

enum input_kind {
    INPUT_KEY_DOWN = 0,
    INPUT_KEY_UP = 1,
    INPUT_BUTTON_DOWN = 2,
    INPUT_BUTTON_UP = 3,
    INPUT_MOVE = 4,
    INPUT_KINDS = 5,
};

/* Buttons, as the bits of a PS/2 packet are numbered. */
enum input_button {
    BUTTON_LEFT = 0,
    BUTTON_RIGHT = 1,
    BUTTON_MIDDLE = 2,
    BUTTONS = 3,
};

enum input_motion {
    MOTION_POINTER = 0,
    MOTION_WHEEL = 1,
};

struct input_event {
    enum input_kind kind;
    /* Of a key its code in scan-code set 1 (IBM PS/2 Technical Reference, "Keyboard and Auxiliary
     * Device Controller"), with INPUT_EXTENDED where E0h precedes it; of a button enum
     * input_button; of a movement enum input_motion. */
    uint16_t code;
    int16_t dx; /* of a movement: to the right, -255 to 255 */
    int16_t dy; /* up; of the wheel notches away from the user, -7 to 7 */
};

/* Is it a turn of the wheel? */
static inline bool input_is_wheel(const struct input_event *event)
{
    return event->kind == INPUT_MOVE && event->code == MOTION_WHEEL;
}

#define INPUT_EXTENDED 0x80
#define INPUT_CODES    0x100

/* "key_down", "key_up", "button_down", "button_up", "move"; of others NULL. */
const char *input_kind_name(unsigned kind);
