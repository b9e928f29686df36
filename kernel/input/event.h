/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Input events: one change of one key or button, or one movement. Scripts (script.h) consist of
 * events, the controller's bytes are decoded into events, and each event gets a number when it
 * arrives.
 *
 * Accesses no hardware: compiled for the image and for the host.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum input_kind {
    INPUT_KEY_DOWN = 0,
    INPUT_KEY_UP = 1,
    INPUT_BUTTON_DOWN = 2,
    INPUT_BUTTON_UP = 3,
    INPUT_MOVE = 4,
    INPUT_KINDS = 5,
};

/* Buttons, numbered as the bits of a PS/2 packet. */
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
    /* For a key, its code in scan-code set 1 (IBM PS/2 Technical Reference, "Keyboard and Auxiliary
     * Device Controller"), with INPUT_EXTENDED if E0h precedes it. For a button, enum input_button.
     * For a movement, enum input_motion. */
    uint16_t code;
    int16_t dx; /* for a movement, distance to the right, -255 to 255 */
    int16_t dy; /* upwards, -255 to 255; for the wheel, notches away from the user, -7 to 7 */
};

/* Returns true if the event is a turn of the wheel. */
static inline bool input_is_wheel(const struct input_event *event)
{
    return event->kind == INPUT_MOVE && event->code == MOTION_WHEEL;
}

#define INPUT_EXTENDED 0x80
#define INPUT_CODES    0x100

/* Returns "key_down", "key_up", "button_down", "button_up" or "move", or NULL for other values. */
const char *input_kind_name(unsigned kind);

/*
 * Keys by name and by character, on the US layout (ANSI, 104 keys, except Pause, which sends no
 * release). Codes are those of struct input_event.
 */

#define KEY_BACKSPACE   0x0e
#define KEY_TAB         0x0f
#define KEY_ENTER       0x1c
#define KEY_CTRL        0x1d
#define KEY_SHIFT       0x2a
#define KEY_RIGHT_SHIFT 0x36
#define KEY_ALT         0x38
#define KEY_KP_ENTER    (INPUT_EXTENDED | 0x1c)
#define KEY_HOME        (INPUT_EXTENDED | 0x47)
#define KEY_UP          (INPUT_EXTENDED | 0x48)
#define KEY_PAGE_UP     (INPUT_EXTENDED | 0x49)
#define KEY_LEFT        (INPUT_EXTENDED | 0x4b)
#define KEY_RIGHT       (INPUT_EXTENDED | 0x4d)
#define KEY_END         (INPUT_EXTENDED | 0x4f)
#define KEY_DOWN        (INPUT_EXTENDED | 0x50)
#define KEY_PAGE_DOWN   (INPUT_EXTENDED | 0x51)
#define KEY_DELETE      (INPUT_EXTENDED | 0x53)

/* Finds a key by the name of `length` characters that scripts use: "a", "7", "comma", "enter",
 * "pagedown", "f12", "shift", "rightshift", "kp7", ... Returns false if there is none. */
bool key_find(const char *name, size_t length, uint16_t *code);
/* Returns the name of a key, or NULL if no key has that code. */
const char *key_name(uint16_t code);
/* Returns QEMU's name of a key (QKeyCode in its QMP reference), or NULL if the code is not a key.
 */
const char *key_qcode(uint16_t code);

/* Finds the key that types an ASCII character ('\n': enter, '\t': tab), and whether shift is held.
 * Returns false if there is none. */
bool key_of_character(char character, uint16_t *code, bool *shift);
/* Returns the character that a key types, or 0 if it types none. */
char key_character(uint16_t code, bool shift);
bool key_is_shift(uint16_t code);
