/* SPDX-License-Identifier: BSD-2-Clause */
/* Which class of actions an event belongs to where its script does not name one (script.h). */
#include <stddef.h>

#include "kernel/input/key.h"
#include "kernel/input/script.h"

const char *script_class_name(unsigned class)
{
    static const char names[SCRIPT_CLASSES][10] = {
        [SCRIPT_PRINTABLE] = "printable", [SCRIPT_NEWLINE] = "newline", [SCRIPT_PAGE] = "page",
        [SCRIPT_CURSOR] = "cursor",       [SCRIPT_COMMAND] = "command", [SCRIPT_CLICK] = "click",
        [SCRIPT_WHEEL] = "wheel",         [SCRIPT_MOVE] = "move",
    };

    return class < SCRIPT_CLASSES ? names[class] : NULL;
}

static enum script_class class_of_key(uint16_t code)
{
    static const struct {
        uint16_t code;
        enum script_class class;
    } keys[] = {
        {KEY_ENTER, SCRIPT_NEWLINE},    {KEY_KP_ENTER, SCRIPT_NEWLINE},
        {KEY_PAGE_UP, SCRIPT_PAGE},     {KEY_PAGE_DOWN, SCRIPT_PAGE},
        {KEY_UP, SCRIPT_CURSOR},        {KEY_DOWN, SCRIPT_CURSOR},
        {KEY_LEFT, SCRIPT_CURSOR},      {KEY_RIGHT, SCRIPT_CURSOR},
        {KEY_HOME, SCRIPT_CURSOR},      {KEY_END, SCRIPT_CURSOR},
        {KEY_TAB, SCRIPT_COMMAND},      {KEY_BACKSPACE, SCRIPT_PRINTABLE},
        {KEY_DELETE, SCRIPT_PRINTABLE},
    };

    for (size_t i = 0; i < sizeof(keys) / sizeof(keys[0]); i++) {
        if (keys[i].code == code) {
            return keys[i].class;
        }
    }
    return key_character(code, false) != '\0' ? SCRIPT_PRINTABLE : SCRIPT_COMMAND;
}

enum script_class script_class_of(const struct input_event *event, bool chord)
{
    switch (event->kind) {
    case INPUT_KEY_DOWN:
    case INPUT_KEY_UP:
        return chord ? SCRIPT_COMMAND : class_of_key(event->code);
    case INPUT_BUTTON_DOWN:
    case INPUT_BUTTON_UP:
        return SCRIPT_CLICK;
    default:
        return event->code == MOTION_WHEEL ? SCRIPT_WHEEL : SCRIPT_MOVE;
    }
}
