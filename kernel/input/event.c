/* SPDX-License-Identifier: BSD-2-Clause */
#include "kernel/input/event.h"

#include <stddef.h>

const char *input_kind_name(unsigned kind)
{
    static const char *const names[INPUT_KINDS] = {
        [INPUT_KEY_DOWN] = "key_down",
        [INPUT_KEY_UP] = "key_up",
        [INPUT_BUTTON_DOWN] = "button_down",
        [INPUT_BUTTON_UP] = "button_up",
        [INPUT_MOVE] = "move",
    };

    return kind < INPUT_KINDS ? names[kind] : NULL;
}
