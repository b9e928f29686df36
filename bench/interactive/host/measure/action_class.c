/* SPDX-License-Identifier: BSD-2-Clause */
#include "bench/interactive/host/measure/action_class.h"

#include <stdio.h>
#include <string.h>

#include "bench/interactive/names.h"
#include "kernel/input/event.h"
#include "kernel/input/script.h"

#define PARAM_MAX 24

bool action_is_shift(uint16_t code)
{
    return key_is_shift(code);
}

bool action_is_modifier(uint16_t code)
{
    static const char modifiers[][10] = {"ctrl", "rightctrl", "alt", "rightalt"};
    const char *name = key_name(code);
    bool found = key_is_shift(code);

    for (size_t i = 0; i < sizeof(modifiers) / sizeof(modifiers[0]) && name != NULL; i++) {
        found = found || strcmp(name, modifiers[i]) == 0;
    }
    return found;
}

const char *action_class(const struct run_bench *bench, const struct interactive_event *event,
                         bool chord)
{
    const struct input_event input = {.kind = (enum input_kind)event->kind, .code = event->code};
    char param[PARAM_MAX];

    if (!event->has_class) {
        return script_class_name(script_class_of(&input, chord));
    }
    if (event->class < SCRIPT_CLASSES) {
        return script_class_name(event->class);
    }
    snprintf(param, sizeof(param), FOUND_CLASS ".%u", (unsigned)event->class);
    const char *name = run_find_param(bench, param);

    return name != NULL ? name : "other";
}
