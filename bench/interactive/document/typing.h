/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * From keys to characters and commands, with what is held. Pure.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#define TYPING_NONE      '\0'
#define TYPING_BACKSPACE '\b'

struct typing {
    bool shift;
    bool control;
};

/* A key goes down or up. The character that it types, '\n' and TYPING_BACKSPACE among them;
 * TYPING_NONE: it types none, as it comes up, is held with ctrl, or is a command. */
char typing_key(struct typing *typing, uint16_t code, bool down);
