/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Keys by name and by character, on the layout of the United States (ANSI, 104 keys; all but Pause,
 * which sends no release). Codes are those of struct input_event. Pure.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "kernel/input/event.h"

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

/* The names that scripts use: "a", "7", "comma", "enter", "pagedown", "f12", "shift", "rightshift",
 * "kp7", ... false where there is none; `length` characters. */
bool key_find(const char *name, size_t length, uint16_t *code);
/* Of a code; NULL where it is no key's. */
const char *key_name(uint16_t code);
/* What QEMU calls the key (QKeyCode of its QMP reference); NULL where it has no name there. */
const char *key_qcode(uint16_t code);

/* The key that types an ASCII character ('\n': enter, '\t': tab), and whether shift is held. */
bool key_of_character(char character, uint16_t *code, bool *shift);
/* The reverse; 0 where the key types none. */
char key_character(uint16_t code, bool shift);
bool key_is_shift(uint16_t code);
