/* SPDX-License-Identifier: BSD-2-Clause */
/* Buttons and movements from a mouse's packets and back: kernel/input/mouse_packet.h. */
#include "kernel/input/mouse_packet.h"

#include "tools/tests/support/unit.h"

#define GAP 1000

static struct mouse_decoder decoder;
static struct input_event events[MOUSE_EVENTS_MAX];
static uint64_t now;

/* A packet whose bytes follow each other at once; the number of its events. */
static size_t feed(uint8_t first, uint8_t x, uint8_t y)
{
    now += GAP / 2;
    CHECK_EQUAL(mouse_decode(&decoder, first, now, events), 0);
    CHECK_EQUAL(mouse_decode(&decoder, x, now, events), 0);
    return mouse_decode(&decoder, y, now, events);
}

static int is_move(const struct input_event *event, int dx, int dy)
{
    return event->kind == INPUT_MOVE && event->code == 0 && event->dx == dx && event->dy == dy;
}

static int is_button(const struct input_event *event, enum input_kind kind, uint16_t button)
{
    return event->kind == kind && event->code == button && event->dx == 0 && event->dy == 0;
}

static void test_buttons(void)
{
    mouse_decoder_init(&decoder, GAP);
    CHECK_EQUAL(feed(0x09, 0, 0), 1);
    CHECK(is_button(&events[0], INPUT_BUTTON_DOWN, BUTTON_LEFT));
    CHECK_EQUAL(feed(0x09, 0, 0), 0);
    CHECK_EQUAL(feed(0x0e, 0, 0), 3);
    CHECK(is_button(&events[0], INPUT_BUTTON_UP, BUTTON_LEFT));
    CHECK(is_button(&events[1], INPUT_BUTTON_DOWN, BUTTON_RIGHT));
    CHECK(is_button(&events[2], INPUT_BUTTON_DOWN, BUTTON_MIDDLE));
    CHECK_EQUAL(feed(0x39, 0xfe, 0xff), 4);
    CHECK(is_button(&events[0], INPUT_BUTTON_DOWN, BUTTON_LEFT));
    CHECK(is_button(&events[1], INPUT_BUTTON_UP, BUTTON_RIGHT));
    CHECK(is_button(&events[2], INPUT_BUTTON_UP, BUTTON_MIDDLE));
    CHECK(is_move(&events[3], -2, -1));
    CHECK_EQUAL(decoder.resynced, 0);
}

static void test_movements(void)
{
    mouse_decoder_init(&decoder, GAP);
    CHECK_EQUAL(feed(0x08, 0, 0), 0);
    CHECK_EQUAL(feed(0x08, 255, 1), 1);
    CHECK(is_move(&events[0], 255, 1));
    CHECK_EQUAL(feed(0x18, 1, 0), 1);
    CHECK(is_move(&events[0], -255, 0));
    CHECK_EQUAL(feed(0x38, 0, 0), 1); /* -256 in both: as far as a movement goes */
    CHECK(is_move(&events[0], -255, -255));
    CHECK_EQUAL(feed(0x48, 3, 5), 1); /* x ran over, to the right */
    CHECK(is_move(&events[0], 255, 5));
    CHECK_EQUAL(feed(0xb8, 0xf0, 3), 1); /* y ran over, downwards */
    CHECK(is_move(&events[0], -16, -255));
}

static void test_there_and_back(void)
{
    uint8_t bytes[MOUSE_WHEEL_BYTES];
    uint8_t held = 0;

    mouse_decoder_init(&decoder, GAP);
    for (int16_t dx = -255; dx <= 255; dx++) {
        for (int16_t dy = -255; dy <= 255; dy += 15) {
            const struct input_event move = {.kind = INPUT_MOVE, .dx = dx, .dy = dy};

            CHECK_EQUAL(mouse_encode(&move, held, bytes), held);
            if (dx != 0 || dy != 0) {
                CHECK_EQUAL(feed(bytes[0], bytes[1], bytes[2]), 1);
                CHECK(is_move(&events[0], dx, dy));
            }
        }
        const uint16_t button = (uint16_t)(dx + 255) % BUTTONS;
        const enum input_kind kind = held >> button & 1 ? INPUT_BUTTON_UP : INPUT_BUTTON_DOWN;
        const struct input_event change = {.kind = kind, .code = button};

        held = mouse_encode(&change, held, bytes);
        CHECK_EQUAL(feed(bytes[0], bytes[1], bytes[2]), 1);
        CHECK(is_button(&events[0], kind, button));
        CHECK_EQUAL(decoder.buttons, held);
    }
    CHECK_EQUAL(decoder.resynced, 0);
}

/* One byte off: found by bit 3 where the bytes let it be seen, and by the gap in any case. */
static void test_resync_by_bit(void)
{
    mouse_decoder_init(&decoder, GAP);
    CHECK_EQUAL(mouse_decode(&decoder, 0x00, now, events), 0);
    CHECK_EQUAL(mouse_decode(&decoder, 0x07, now, events), 0);
    CHECK_EQUAL(decoder.resynced, 2);
    CHECK_EQUAL(feed(0x09, 0, 0), 1);
    CHECK(is_button(&events[0], INPUT_BUTTON_DOWN, BUTTON_LEFT));
    CHECK_EQUAL(decoder.resynced, 2);
}

static void test_resync_by_gap(void)
{
    mouse_decoder_init(&decoder, GAP);
    now += 10 * GAP;
    CHECK_EQUAL(mouse_decode(&decoder, 0x09, now, events), 0);
    now += GAP; /* just not too late */
    CHECK_EQUAL(mouse_decode(&decoder, 0x08, now, events), 0);
    now += GAP + 1;
    CHECK_EQUAL(mouse_decode(&decoder, 0x0a, now, events), 0);
    CHECK_EQUAL(decoder.resynced, 2);
    CHECK_EQUAL(mouse_decode(&decoder, 0, now, events), 0);
    CHECK_EQUAL(mouse_decode(&decoder, 0, now, events), 1);
    CHECK(is_button(&events[0], INPUT_BUTTON_DOWN, BUTTON_RIGHT));
    CHECK_EQUAL(decoder.resynced, 2);
    now += 10 * GAP; /* between packets there is no gap too long */
    CHECK_EQUAL(feed(0x08, 0, 0), 1);
    CHECK_EQUAL(decoder.resynced, 2);
}

static void test_without_gap(void)
{
    mouse_decoder_init(&decoder, 0);
    CHECK_EQUAL(mouse_decode(&decoder, 0x08, 1, events), 0);
    CHECK_EQUAL(mouse_decode(&decoder, 4, UINT64_MAX / 2, events), 0);
    CHECK_EQUAL(mouse_decode(&decoder, 0, UINT64_MAX, events), 1);
    CHECK(is_move(&events[0], 4, 0));
    CHECK_EQUAL(decoder.resynced, 0);
}

static void test_wheel(void)
{
    uint8_t bytes[MOUSE_WHEEL_BYTES];

    mouse_decoder_init(&decoder, GAP);
    mouse_decoder_set_length(&decoder, MOUSE_WHEEL_BYTES);
    for (int16_t dy = -7; dy <= 7; dy++) {
        const struct input_event wheel = {.kind = INPUT_MOVE, .code = MOTION_WHEEL, .dy = dy};
        size_t count = 0;

        CHECK_EQUAL(mouse_encode(&wheel, 0, bytes), 0);
        for (size_t i = 0; i < MOUSE_WHEEL_BYTES; i++) {
            CHECK_EQUAL(count, 0);
            count = mouse_decode(&decoder, bytes[i], 1, events);
        }
        CHECK_EQUAL(count, dy != 0 ? 1 : 0);
        CHECK(dy == 0 || (events[0].code == MOTION_WHEEL && events[0].dy == dy));
    }
    /* A packet without it. */
    CHECK_EQUAL(mouse_encode(&(struct input_event){.kind = INPUT_MOVE, .dx = 3}, 0, bytes), 0);
    CHECK_EQUAL(bytes[3], 0);
}

int main(void)
{
    RUN(test_buttons());
    RUN(test_movements());
    RUN(test_there_and_back());
    RUN(test_resync_by_bit());
    RUN(test_resync_by_gap());
    RUN(test_without_gap());
    RUN(test_wheel());
    return unit_finish("unit_mouse_packet");
}
