/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * libFuzzer: any bytes as a keyboard's in either set, and as a mouse's at any times. Whatever they
 * are: a key goes down and up in turn, so does a button; what is dropped leaves nothing behind; and
 * every event's own bytes give it back.
 */
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "kernel/input/mouse_packet.h"
#include "kernel/input/scancode.h"

#define GAP 100

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void require(bool condition)
{
    if (!condition) {
        __builtin_trap();
    }
}

static void check_key(enum scancode_set set, const struct input_event *event, bool *held)
{
    uint8_t bytes[SCANCODE_BYTES_MAX];
    struct scancode_decoder decoder;
    struct input_event again = {0};
    enum scancode_result result = SCANCODE_PARTIAL;

    require(event->kind <= INPUT_KEY_UP && event->code < INPUT_CODES);
    require(held[event->code] == (event->kind == INPUT_KEY_UP));
    held[event->code] = !held[event->code];

    const size_t count = scancode_encode(set, event, bytes);

    require(count > 0 && count <= SCANCODE_BYTES_MAX);
    scancode_init(&decoder, set);
    if (event->kind == INPUT_KEY_UP) {
        decoder.down[event->code / 8] = (uint8_t)(1u << event->code % 8);
    }
    for (size_t i = 0; i < count; i++) {
        require(result == SCANCODE_PARTIAL);
        result = scancode_decode(&decoder, bytes[i], &again);
    }
    require(result == SCANCODE_EVENT && again.kind == event->kind && again.code == event->code);
}

static void try_keyboard(enum scancode_set set, const uint8_t *data, size_t size)
{
    bool held[INPUT_CODES] = {false};
    struct scancode_decoder decoder;
    struct input_event event;
    size_t parts = 0;

    scancode_init(&decoder, set);
    for (size_t i = 0; i < size; i++) {
        const enum scancode_result result = scancode_decode(&decoder, data[i], &event);

        parts = result == SCANCODE_PARTIAL ? parts + 1 : 0;
        require(parts <= 5); /* of E1 F0 14 F0 77 all but the last */
        if (result == SCANCODE_EVENT) {
            check_key(set, &event, held);
        }
        if (result == SCANCODE_EVENT || result == SCANCODE_IGNORED) {
            require(!scancode_drop(&decoder));
        }
    }
}

static void check_mouse(const struct input_event *event, uint8_t *buttons)
{
    const uint8_t bit = (uint8_t)(1u << event->code);

    if (event->kind == INPUT_MOVE) {
        require(event->dx >= -255 && event->dx <= 255 && event->dy >= -255 && event->dy <= 255 &&
                (event->dx != 0 || event->dy != 0));
        return;
    }
    require(event->kind == INPUT_BUTTON_DOWN || event->kind == INPUT_BUTTON_UP);
    require(event->code < BUTTONS && ((*buttons & bit) != 0) == (event->kind == INPUT_BUTTON_UP));
    *buttons ^= bit;
}

/* Every byte is in a packet, or dropped, or in the one that has begun. */
static void try_mouse(const uint8_t *data, size_t size)
{
    struct input_event events[MOUSE_EVENTS_MAX];
    struct mouse_decoder decoder;
    uint8_t buttons = 0;
    uint64_t now = 0;
    size_t left_in_packets = 0;

    mouse_decoder_init(&decoder, GAP);
    for (size_t i = 0; i + 1 < size; i += 2) {
        const uint8_t begun = decoder.count;
        const uint64_t resynced = decoder.resynced;

        now += data[i];
        const size_t count = mouse_decode(&decoder, data[i + 1], now, events);

        require(count <= MOUSE_EVENTS_MAX && decoder.count < MOUSE_PACKET_BYTES);
        for (size_t k = 0; k < count; k++) {
            check_mouse(&events[k], &buttons);
        }
        require(decoder.buttons == buttons);
        if (begun == MOUSE_PACKET_BYTES - 1 && decoder.count == 0 && decoder.resynced == resynced) {
            left_in_packets += MOUSE_PACKET_BYTES;
        }
    }
    require(left_in_packets + decoder.resynced + decoder.count == size / 2);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    try_keyboard(SCANCODE_SET_1, data, size);
    try_keyboard(SCANCODE_SET_2, data, size);
    try_mouse(data, size);
    return 0;
}
