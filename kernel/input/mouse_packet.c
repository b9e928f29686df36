/* SPDX-License-Identifier: BSD-2-Clause */
#include "kernel/input/mouse_packet.h"

#define FIRST_BUTTONS  0x07
#define FIRST_ALWAYS   0x08
#define FIRST_SIGN_X   0x10
#define FIRST_SIGN_Y   0x20
#define FIRST_OVER_X   0x40
#define FIRST_OVER_Y   0x80
#define MOVEMENT_MAX   255
#define MOVEMENT_RANGE 256
#define WHEEL_BITS     0x0f

void mouse_decoder_init(struct mouse_decoder *decoder, uint64_t gap)
{
    *decoder = (struct mouse_decoder){.gap = gap, .length = MOUSE_PACKET_BYTES};
}

void mouse_decoder_set_length(struct mouse_decoder *decoder, uint8_t length)
{
    decoder->length = length;
    decoder->count = 0;
}

/* Returns the notches: the low half is signed, and counts up when the wheel is turned towards the
 * user. */
static int16_t notches(uint8_t byte)
{
    const int value = byte & WHEEL_BITS;

    return (int16_t)(value > WHEEL_BITS / 2 ? WHEEL_BITS + 1 - value : -value);
}

/* Returns a movement of nine bits, whose sign is in the first byte. If the mouse's counter
 * overflowed only the direction is known, so the largest distance is returned. */
static int16_t movement(uint8_t low, bool negative, bool over)
{
    const int value = negative ? low - MOVEMENT_RANGE : low;

    if (over || value < -MOVEMENT_MAX) {
        return negative ? -MOVEMENT_MAX : MOVEMENT_MAX;
    }
    return (int16_t)value;
}

static size_t read_packet(struct mouse_decoder *decoder,
                          struct input_event events[MOUSE_EVENTS_MAX])
{
    const uint8_t first = decoder->bytes[0];
    const uint8_t buttons = first & FIRST_BUTTONS;
    const uint8_t changed = buttons ^ decoder->buttons;
    const int16_t dx =
        movement(decoder->bytes[1], (first & FIRST_SIGN_X) != 0, (first & FIRST_OVER_X) != 0);
    const int16_t dy =
        movement(decoder->bytes[2], (first & FIRST_SIGN_Y) != 0, (first & FIRST_OVER_Y) != 0);
    size_t count = 0;

    for (unsigned button = 0; button < BUTTONS; button++) {
        if ((changed >> button & 1) != 0) {
            events[count++] = (struct input_event){
                .kind = (buttons >> button & 1) != 0 ? INPUT_BUTTON_DOWN : INPUT_BUTTON_UP,
                .code = (uint16_t)button,
            };
        }
    }
    if (dx != 0 || dy != 0) {
        events[count++] = (struct input_event){.kind = INPUT_MOVE, .dx = dx, .dy = dy};
    }
    if (decoder->length == MOUSE_WHEEL_BYTES && notches(decoder->bytes[3]) != 0) {
        events[count++] = (struct input_event){
            .kind = INPUT_MOVE, .code = MOTION_WHEEL, .dy = notches(decoder->bytes[3])};
    }
    decoder->buttons = buttons;
    return count;
}

size_t mouse_decode(struct mouse_decoder *decoder, uint8_t byte, uint64_t tsc,
                    struct input_event events[MOUSE_EVENTS_MAX])
{
    if (decoder->count > 0 && decoder->gap != 0 && tsc - decoder->last > decoder->gap) {
        decoder->resynced += decoder->count;
        decoder->count = 0;
    }
    decoder->last = tsc;
    if (decoder->count == 0 && (byte & FIRST_ALWAYS) == 0) {
        decoder->resynced++;
        return 0;
    }
    decoder->bytes[decoder->count++] = byte;
    if (decoder->count < decoder->length) {
        return 0;
    }
    decoder->count = 0;
    return read_packet(decoder, events);
}

uint8_t mouse_encode(const struct input_event *event, uint8_t buttons,
                     uint8_t bytes[MOUSE_WHEEL_BYTES])
{
    const uint8_t button = (uint8_t)(1u << event->code % BUTTONS);
    int16_t dx = 0;
    int16_t dy = 0;

    bytes[3] = 0;
    if (event->kind == INPUT_BUTTON_DOWN) {
        buttons |= button;
    } else if (event->kind == INPUT_BUTTON_UP) {
        buttons &= (uint8_t)~button;
    } else if (input_is_wheel(event)) {
        bytes[3] = (uint8_t)-event->dy & WHEEL_BITS;
    } else if (event->kind == INPUT_MOVE) {
        dx = event->dx;
        dy = event->dy;
    }
    bytes[0] = (uint8_t)(FIRST_ALWAYS | buttons | (dx < 0 ? FIRST_SIGN_X : 0) |
                         (dy < 0 ? FIRST_SIGN_Y : 0));
    bytes[1] = (uint8_t)dx;
    bytes[2] = (uint8_t)dy;
    return buttons;
}
