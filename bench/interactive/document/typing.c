/* SPDX-License-Identifier: BSD-2-Clause */
#include "bench/interactive/document/typing.h"

#include "kernel/input/event.h"

char typing_key(struct typing *typing, uint16_t code, bool down)
{
    if (key_is_shift(code)) {
        typing->shift = down;
        return TYPING_NONE;
    }
    if (code == KEY_CTRL) {
        typing->control = down;
        return TYPING_NONE;
    }
    if (!down || typing->control) {
        return TYPING_NONE;
    }
    return code == KEY_BACKSPACE ? TYPING_BACKSPACE : key_character(code, typing->shift);
}
