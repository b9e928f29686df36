/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * libFuzzer: any bytes as a script. What is read is ordered and within its limits, is as many
 * events as were counted beforehand, and releases what it presses.
 */
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include "kernel/input/event.h"
#include "kernel/input/script.h"
#include "tools/tests/support/demand.h"

#define FEW 100

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static struct script_event events[SCRIPT_EVENTS_MAX];

static void check_event(const struct input_event *event, uint8_t held[INPUT_CODES + BUTTONS])
{
    const int is_button = event->kind == INPUT_BUTTON_DOWN || event->kind == INPUT_BUTTON_UP;
    const int down = event->kind == INPUT_KEY_DOWN || event->kind == INPUT_BUTTON_DOWN;

    if (event->kind == INPUT_MOVE) {
        demand(event->dx >= -255 && event->dx <= 255 && event->dy >= -255 && event->dy <= 255);
        demand(event->dx != 0 || event->dy != 0);
        return;
    }
    demand(is_button ? event->code < BUTTONS : key_name(event->code) != NULL);
    uint8_t *state = &held[event->code + (is_button ? INPUT_CODES : 0)];

    demand(*state == !down);
    *state = (uint8_t)down;
}

static void check_events(size_t count)
{
    uint8_t held[INPUT_CODES + BUTTONS] = {0};

    for (size_t i = 0; i < count; i++) {
        demand(events[i].at_us <= SCRIPT_US_MAX);
        demand(i == 0 || events[i].at_us >= events[i - 1].at_us);
        demand(script_class_name(events[i].class) != NULL ||
               events[i].class < SCRIPT_CLASSES + script_own_classes()->count);
        demand(i == 0 || !events[i].then || events[i].at_us >= events[i - 1].at_us);
        check_event(&events[i].event, held);
    }
    for (size_t i = 0; i < sizeof(held); i++) {
        demand(!held[i]);
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    const char *text = (const char *)data;
    char error[SCRIPT_ERROR_MAX];
    size_t counted = 0;
    size_t count = 0;
    const int countable = script_read(text, size, NULL, 0, &counted, error);
    const int readable = script_read(text, size, events, SCRIPT_EVENTS_MAX, &count, error);

    demand(!readable || countable);
    if (!readable) {
        demand(error[0] != '\0' && memchr(error, '\0', sizeof(error)) != NULL);
        return 0;
    }
    demand(count == counted && count <= SCRIPT_EVENTS_MAX);
    check_events(count);
    demand(script_read(text, size, events, FEW, &count, error) == (counted <= FEW));
    return 0;
}
