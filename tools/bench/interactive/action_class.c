/* SPDX-License-Identifier: BSD-2-Clause */
#include "tools/bench/interactive/action_class.h"

#include <stdio.h>
#include <string.h>

#include "bench/interactive/names.h"
#include "kernel/input/key.h"
#include "kernel/input/script.h"

#define PARAM_MAX 24

static const char *class_name(unsigned class)
{
    static const char *const names[SCRIPT_CLASSES] = {
        [SCRIPT_PRINTABLE] = "printable", [SCRIPT_NEWLINE] = "newline", [SCRIPT_PAGE] = "page",
        [SCRIPT_CURSOR] = "cursor",       [SCRIPT_COMMAND] = "command", [SCRIPT_CLICK] = "click",
        [SCRIPT_WHEEL] = "wheel",         [SCRIPT_MOVE] = "move",
    };

    return names[class];
}

static bool is_named(const char *name, const char *const *names)
{
    while (*names != NULL && strcmp(*names, name) != 0) {
        names++;
    }
    return *names != NULL;
}

bool action_is_shift(uint16_t code)
{
    return key_is_shift(code);
}

bool action_is_modifier(uint16_t code)
{
    static const char *const modifiers[] = {"ctrl", "rightctrl", "alt", "rightalt", NULL};
    const char *name = key_name(code);

    return key_is_shift(code) || (name != NULL && is_named(name, modifiers));
}

static enum script_class class_of_key(uint16_t code, bool chord)
{
    static const char *const newlines[] = {"enter", "kpenter", NULL};
    static const char *const pages[] = {"pageup", "pagedown", NULL};
    static const char *const cursors[] = {"up", "down", "left", "right", "home", "end", NULL};
    const char *name = key_name(code);

    if (name == NULL || chord || strcmp(name, "tab") == 0) {
        return SCRIPT_COMMAND;
    }
    if (is_named(name, newlines)) {
        return SCRIPT_NEWLINE;
    }
    if (is_named(name, pages)) {
        return SCRIPT_PAGE;
    }
    if (is_named(name, cursors)) {
        return SCRIPT_CURSOR;
    }
    return key_character(code, false) != '\0' || strcmp(name, "backspace") == 0 ? SCRIPT_PRINTABLE
                                                                                : SCRIPT_COMMAND;
}

static enum script_class class_of(const struct interactive_event *event, bool chord)
{
    switch (event->kind) {
    case INPUT_KEY_DOWN:
    case INPUT_KEY_UP:
        return class_of_key(event->code, chord);
    case INPUT_BUTTON_DOWN:
    case INPUT_BUTTON_UP:
        return SCRIPT_CLICK;
    default:
        return SCRIPT_MOVE;
    }
}

const char *action_class(const struct run_bench *bench, const struct interactive_event *event,
                         bool chord)
{
    char param[PARAM_MAX];

    if (!event->has_class) {
        return class_name(class_of(event, chord));
    }
    if (event->class < SCRIPT_CLASSES) {
        return class_name(event->class);
    }
    snprintf(param, sizeof(param), FOUND_CLASS ".%u", (unsigned)event->class);
    const char *name = run_find_param(bench, param);

    return name != NULL ? name : "other";
}
