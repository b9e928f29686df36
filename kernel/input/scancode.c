/* SPDX-License-Identifier: BSD-2-Clause */
#include "kernel/input/scancode.h"

#include <string.h>

#define PREFIX_EXTENDED 0xe0
#define PREFIX_PAUSE    0xe1
#define PREFIX_RELEASE  0xf0 /* in set 2 */
#define RELEASE_BIT     0x80 /* in set 1 */
#define CODES           0x80 /* in set 1, without prefix */
#define CODE_PAUSE      (INPUT_EXTENDED | 0x46)
#define PAUSE_BYTES     2 /* bytes after each of the pause key's two prefixes */

/* For each code of set 1, the code of set 2 that the controller translates to it (IBM PS/2
 * Technical Reference, "Scan Code Translation"). The translation ignores prefixes. */
static const uint8_t set_2_of[CODES] = {
    0x00, 0x76, 0x16, 0x1e, 0x26, 0x25, 0x2e, 0x36, 0x3d, 0x3e, 0x46, 0x45, 0x4e, 0x55, 0x66, 0x0d,
    0x15, 0x1d, 0x24, 0x2d, 0x2c, 0x35, 0x3c, 0x43, 0x44, 0x4d, 0x54, 0x5b, 0x5a, 0x14, 0x1c, 0x1b,
    0x23, 0x2b, 0x34, 0x33, 0x3b, 0x42, 0x4b, 0x4c, 0x52, 0x0e, 0x12, 0x5d, 0x1a, 0x22, 0x21, 0x2a,
    0x32, 0x31, 0x3a, 0x41, 0x49, 0x4a, 0x59, 0x7c, 0x11, 0x29, 0x58, 0x05, 0x06, 0x04, 0x0c, 0x03,
    0x0b, 0x83, 0x0a, 0x01, 0x09, 0x77, 0x7e, 0x6c, 0x75, 0x7d, 0x7b, 0x6b, 0x73, 0x74, 0x79, 0x69,
    0x72, 0x7a, 0x70, 0x71, 0x84, 0x60, 0x61, 0x78, 0x07, 0x0f, 0x17, 0x1f, 0x27, 0x2f, 0x37, 0x3f,
    0x47, 0x4f, 0x56, 0x5e, 0x08, 0x10, 0x18, 0x20, 0x28, 0x30, 0x38, 0x40, 0x48, 0x50, 0x57, 0x6f,
    0x13, 0x19, 0x39, 0x51, 0x53, 0x5c, 0x5f, 0x62, 0x63, 0x64, 0x65, 0x67, 0x68, 0x6a, 0x6d, 0x6e,
};

/* One bit for each code that is a key: without prefix those of 105 keys, with E0h those of 105 keys
 * and the usual ones for media, browser and power. Other bytes that a keyboard sends are not keys,
 * such as answers to commands, or 00h and FFh for too many keys. */
static const uint8_t is_key[INPUT_CODES / 8] = {
    0xfe, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xdf, 0x01, 0x00, 0x00, 0x00, 0x00,
    0x00, 0x00, 0x01, 0x32, 0x17, 0x40, 0xa5, 0x01, 0xc0, 0xab, 0x0f, 0xf8, 0xe8, 0x3f, 0x00, 0x00,
};

static bool bit(const uint8_t *bits, uint16_t index)
{
    return (bits[index / 8] >> index % 8 & 1) != 0;
}

static uint8_t set_1_of(uint8_t byte)
{
    for (uint8_t code = 1; code < CODES; code++) {
        if (set_2_of[code] == byte) {
            return code;
        }
    }
    return 0;
}

/* Returns true for E0h with a shift key, which keyboards send around keys of the middle block for
 * old software. */
static bool is_fake_shift(uint16_t code)
{
    return code == (INPUT_EXTENDED | 0x2a) || code == (INPUT_EXTENDED | 0x36);
}

bool scancode_drop(struct scancode_decoder *decoder)
{
    const bool begun = decoder->prefix != 0 || decoder->release;

    decoder->prefix = 0;
    decoder->release = false;
    decoder->skip = 0;
    return begun;
}

void scancode_init(struct scancode_decoder *decoder, enum scancode_set set)
{
    *decoder = (struct scancode_decoder){.set = set};
}

/* Handles the complete code of a key. It is an event if it changes the state of the key. */
static enum scancode_result complete(struct scancode_decoder *decoder, uint16_t code, bool release,
                                     struct input_event *event)
{
    uint8_t *down = &decoder->down[code / 8];
    const uint8_t mask = (uint8_t)(1u << code % 8);
    const bool changes = ((*down & mask) != 0) == release;

    scancode_drop(decoder);
    if (is_fake_shift(code)) {
        return SCANCODE_IGNORED;
    }
    if (!bit(is_key, code)) {
        return SCANCODE_GARBAGE;
    }
    if (!changes) {
        return SCANCODE_IGNORED;
    }
    *down ^= mask;
    *event = (struct input_event){.kind = release ? INPUT_KEY_UP : INPUT_KEY_DOWN, .code = code};
    return SCANCODE_EVENT;
}

/* Handles a byte of the pause key, which is sent as control and number lock after E1h. */
static enum scancode_result pause_byte(struct scancode_decoder *decoder, uint8_t code, bool release,
                                       struct input_event *event)
{
    static const uint8_t wanted[PAUSE_BYTES] = {0x45, 0x1d}; /* last one first */

    decoder->skip--;
    if (code != wanted[decoder->skip]) {
        scancode_drop(decoder);
        return SCANCODE_GARBAGE;
    }
    if (decoder->skip > 0) {
        decoder->release = false;
        return SCANCODE_PARTIAL;
    }
    return complete(decoder, CODE_PAUSE, release, event);
}

static enum scancode_result prefix_byte(struct scancode_decoder *decoder, uint8_t byte)
{
    const bool dropped = scancode_drop(decoder);

    decoder->prefix = byte;
    decoder->skip = byte == PREFIX_PAUSE ? PAUSE_BYTES : 0;
    return dropped ? SCANCODE_GARBAGE : SCANCODE_PARTIAL;
}

enum scancode_result scancode_decode(struct scancode_decoder *decoder, uint8_t byte,
                                     struct input_event *event)
{
    const bool set_2 = decoder->set == SCANCODE_SET_2;

    if (byte == PREFIX_EXTENDED || byte == PREFIX_PAUSE) {
        return prefix_byte(decoder, byte);
    }
    if (set_2 && byte == PREFIX_RELEASE) {
        const bool dropped = decoder->release && scancode_drop(decoder);

        decoder->release = true;
        return dropped ? SCANCODE_GARBAGE : SCANCODE_PARTIAL;
    }
    const uint8_t code = set_2 ? set_1_of(byte) : byte & (uint8_t)~RELEASE_BIT;
    const bool release = set_2 ? decoder->release : (byte & RELEASE_BIT) != 0;

    if (decoder->prefix == PREFIX_PAUSE) {
        return pause_byte(decoder, code, release, event);
    }
    return complete(decoder, decoder->prefix == PREFIX_EXTENDED ? code | INPUT_EXTENDED : code,
                    release, event);
}

size_t scancode_encode(enum scancode_set set, const struct input_event *event,
                       uint8_t bytes[SCANCODE_BYTES_MAX])
{
    const uint8_t code = event->code & (CODES - 1);
    const bool release = event->kind == INPUT_KEY_UP;
    size_t count = 0;

    if ((event->kind != INPUT_KEY_DOWN && !release) || event->code >= INPUT_CODES ||
        !bit(is_key, event->code)) {
        return 0;
    }
    if ((event->code & INPUT_EXTENDED) != 0) {
        bytes[count++] = PREFIX_EXTENDED;
    }
    if (set == SCANCODE_SET_1) {
        bytes[count++] = release ? code | RELEASE_BIT : code;
        return count;
    }
    if (release) {
        bytes[count++] = PREFIX_RELEASE;
    }
    bytes[count++] = set_2_of[code];
    return count;
}
