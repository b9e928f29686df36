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

#define KEY_SHIFT       0x2a
#define KEY_RIGHT_SHIFT 0x36

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
