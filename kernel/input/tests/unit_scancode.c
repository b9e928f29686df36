/* SPDX-License-Identifier: BSD-2-Clause */
/* Keys from a keyboard's bytes and back: kernel/input/scancode.h. */
#include "kernel/input/scancode.h"

#include "kernel/input/event.h"
#include "tools/tests/support/unit.h"

#define LENGTH(array) (sizeof(array) / sizeof((array)[0]))

/* By name, in the order of USB's usages, what a keyboard sends in set 2 when it is pressed
 * (Microsoft, Keyboard Scan Code Specification, appendix C): 0xe000 where E0h precedes. */
static const struct {
    const char *name;
    uint16_t make;
} set_2[] = {
    {"a", 0x1c},           {"b", 0x32},           {"c", 0x21},
    {"d", 0x23},           {"e", 0x24},           {"f", 0x2b},
    {"g", 0x34},           {"h", 0x33},           {"i", 0x43},
    {"j", 0x3b},           {"k", 0x42},           {"l", 0x4b},
    {"m", 0x3a},           {"n", 0x31},           {"o", 0x44},
    {"p", 0x4d},           {"q", 0x15},           {"r", 0x2d},
    {"s", 0x1b},           {"t", 0x2c},           {"u", 0x3c},
    {"v", 0x2a},           {"w", 0x1d},           {"x", 0x22},
    {"y", 0x35},           {"z", 0x1a},           {"1", 0x16},
    {"2", 0x1e},           {"3", 0x26},           {"4", 0x25},
    {"5", 0x2e},           {"6", 0x36},           {"7", 0x3d},
    {"8", 0x3e},           {"9", 0x46},           {"0", 0x45},
    {"enter", 0x5a},       {"esc", 0x76},         {"backspace", 0x66},
    {"tab", 0x0d},         {"space", 0x29},       {"minus", 0x4e},
    {"equal", 0x55},       {"leftbracket", 0x54}, {"rightbracket", 0x5b},
    {"backslash", 0x5d},   {"semicolon", 0x4c},   {"quote", 0x52},
    {"backquote", 0x0e},   {"comma", 0x41},       {"period", 0x49},
    {"slash", 0x4a},       {"capslock", 0x58},    {"f1", 0x05},
    {"f2", 0x06},          {"f3", 0x04},          {"f4", 0x0c},
    {"f5", 0x03},          {"f6", 0x0b},          {"f7", 0x83},
    {"f8", 0x0a},          {"f9", 0x01},          {"f10", 0x09},
    {"f11", 0x78},         {"f12", 0x07},         {"print", 0xe07c},
    {"scrolllock", 0x7e},  {"insert", 0xe070},    {"home", 0xe06c},
    {"pageup", 0xe07d},    {"delete", 0xe071},    {"end", 0xe069},
    {"pagedown", 0xe07a},  {"right", 0xe074},     {"left", 0xe06b},
    {"down", 0xe072},      {"up", 0xe075},        {"numlock", 0x77},
    {"kpdivide", 0xe04a},  {"kpmultiply", 0x7c},  {"kpminus", 0x7b},
    {"kpplus", 0x79},      {"kpenter", 0xe05a},   {"kp1", 0x69},
    {"kp2", 0x72},         {"kp3", 0x7a},         {"kp4", 0x6b},
    {"kp5", 0x73},         {"kp6", 0x74},         {"kp7", 0x6c},
    {"kp8", 0x75},         {"kp9", 0x7d},         {"kp0", 0x70},
    {"kpperiod", 0x71},    {"menu", 0xe02f},      {"ctrl", 0x14},
    {"shift", 0x12},       {"alt", 0x11},         {"meta", 0xe01f},
    {"rightctrl", 0xe014}, {"rightshift", 0x59},  {"rightalt", 0xe011},
    {"rightmeta", 0xe027},
};

static struct scancode_decoder decoder;
static struct input_event got;

static enum scancode_result feed(uint8_t byte)
{
    return scancode_decode(&decoder, byte, &got);
}

/* True where all of the bytes but the last are parts, and the last gives this event. */
static int gives(const uint8_t *bytes, size_t count, enum input_kind kind, uint16_t code)
{
    for (size_t i = 0; i + 1 < count; i++) {
        if (feed(bytes[i]) != SCANCODE_PARTIAL) {
            return 0;
        }
    }
    return feed(bytes[count - 1]) == SCANCODE_EVENT && got.kind == kind && got.code == code &&
           got.dx == 0 && got.dy == 0;
}

#define GIVES(kind, code, ...) \
    gives((const uint8_t[]){__VA_ARGS__}, sizeof((const uint8_t[]){__VA_ARGS__}), kind, code)

static int goes_there_and_back(enum scancode_set set, uint16_t code)
{
    static const enum input_kind kinds[] = {INPUT_KEY_DOWN, INPUT_KEY_UP};

    scancode_init(&decoder, set);
    for (size_t i = 0; i < LENGTH(kinds); i++) {
        const struct input_event event = {.kind = kinds[i], .code = code};
        uint8_t bytes[SCANCODE_BYTES_MAX];
        const size_t count = scancode_encode(set, &event, bytes);

        if (count == 0 || count > SCANCODE_BYTES_MAX || !gives(bytes, count, kinds[i], code)) {
            return 0;
        }
    }
    return 1;
}

static void test_every_key(void)
{
    for (size_t i = 0; i < LENGTH(set_2); i++) {
        const uint8_t extended = (uint8_t)(set_2[i].make >> 8);
        const uint8_t make = (uint8_t)set_2[i].make;
        uint8_t bytes[SCANCODE_BYTES_MAX];
        uint16_t code = 0;

        CHECK(key_find(set_2[i].name, strlen(set_2[i].name), &code));
        const struct input_event down = {.kind = INPUT_KEY_DOWN, .code = code};
        const struct input_event up = {.kind = INPUT_KEY_UP, .code = code};
        const size_t before = extended != 0 ? 1 : 0;

        CHECK_EQUAL((code & INPUT_EXTENDED) != 0, extended != 0);
        CHECK_EQUAL(scancode_encode(SCANCODE_SET_2, &down, bytes), before + 1);
        CHECK_EQUAL(bytes[before], make);
        CHECK_EQUAL(bytes[0], before != 0 ? extended : make);
        CHECK_EQUAL(scancode_encode(SCANCODE_SET_2, &up, bytes), before + 2);
        CHECK_EQUAL(bytes[before], 0xf0);
        CHECK_EQUAL(bytes[before + 1], make);
        CHECK_EQUAL(scancode_encode(SCANCODE_SET_1, &down, bytes), before + 1);
        CHECK_EQUAL(bytes[before], code & 0x7f);
        CHECK_EQUAL(scancode_encode(SCANCODE_SET_1, &up, bytes), before + 1);
        CHECK_EQUAL(bytes[before], code | 0x80);
    }
}

/* A code is one in both sets or in none; there are as many as the keys above, the 102nd key of
 * Europe, the system request, pause, and 21 for media, browser and power. */
static void test_every_code(void)
{
    size_t keys = 0;

    for (uint16_t code = 0; code < 2 * INPUT_CODES; code++) {
        const struct input_event event = {.kind = INPUT_KEY_DOWN, .code = code};
        uint8_t bytes[SCANCODE_BYTES_MAX];
        const int is_key = scancode_encode(SCANCODE_SET_1, &event, bytes) != 0;

        CHECK_EQUAL(goes_there_and_back(SCANCODE_SET_1, code), is_key);
        CHECK_EQUAL(goes_there_and_back(SCANCODE_SET_2, code), is_key);
        keys += (size_t)is_key;
    }
    CHECK_EQUAL(keys, LENGTH(set_2) + 3 + 21);
}

static void test_no_key_no_bytes(void)
{
    uint8_t bytes[SCANCODE_BYTES_MAX];

    for (enum input_kind kind = INPUT_BUTTON_DOWN; kind < INPUT_KINDS; kind++) {
        const struct input_event event = {.kind = kind, .code = 0x1e};

        CHECK_EQUAL(scancode_encode(SCANCODE_SET_1, &event, bytes), 0);
        CHECK_EQUAL(scancode_encode(SCANCODE_SET_2, &event, bytes), 0);
    }
}

static void test_repeats(void)
{
    scancode_init(&decoder, SCANCODE_SET_1);
    CHECK(GIVES(INPUT_KEY_DOWN, 0x1e, 0x1e));
    CHECK_EQUAL(feed(0x1e), SCANCODE_IGNORED);
    CHECK_EQUAL(feed(0x1e), SCANCODE_IGNORED);
    CHECK(GIVES(INPUT_KEY_DOWN, 0x30, 0x30));
    CHECK(GIVES(INPUT_KEY_UP, 0x1e, 0x9e));
    CHECK_EQUAL(feed(0x9e), SCANCODE_IGNORED);
    CHECK(GIVES(INPUT_KEY_DOWN, 0x1e, 0x1e));
    /* The 7 of the keypad and the same code after E0h are two different keys. */
    CHECK(GIVES(INPUT_KEY_DOWN, 0x47, 0x47));
    CHECK(GIVES(INPUT_KEY_DOWN, 0xc7, 0xe0, 0x47));
    CHECK(GIVES(INPUT_KEY_UP, 0x47, 0xc7));
    CHECK(GIVES(INPUT_KEY_UP, 0xc7, 0xe0, 0xc7));
}

/* The pause key sends all at once, behind E1h; with control it is another code, of the same key.
 */
static void test_pause(void)
{
    scancode_init(&decoder, SCANCODE_SET_1);
    CHECK(GIVES(INPUT_KEY_DOWN, 0xc6, 0xe1, 0x1d, 0x45));
    CHECK(GIVES(INPUT_KEY_UP, 0xc6, 0xe1, 0x9d, 0xc5));
    CHECK(GIVES(INPUT_KEY_DOWN, 0xc6, 0xe0, 0x46));
    CHECK(GIVES(INPUT_KEY_UP, 0xc6, 0xe0, 0xc6));
    CHECK(GIVES(INPUT_KEY_DOWN, 0x45, 0x45));
    scancode_init(&decoder, SCANCODE_SET_2);
    CHECK(GIVES(INPUT_KEY_DOWN, 0xc6, 0xe1, 0x14, 0x77));
    CHECK(GIVES(INPUT_KEY_UP, 0xc6, 0xe1, 0xf0, 0x14, 0xf0, 0x77));
    CHECK(GIVES(INPUT_KEY_DOWN, 0xc6, 0xe0, 0x7e));
    CHECK(GIVES(INPUT_KEY_UP, 0xc6, 0xe0, 0xf0, 0x7e));
    CHECK(GIVES(INPUT_KEY_DOWN, 0x1d, 0x14));
}

/* Print screen, and an arrow with number lock on, come with shifts that were not pressed. */
static void test_fake_shifts(void)
{
    scancode_init(&decoder, SCANCODE_SET_1);
    CHECK_EQUAL(feed(0xe0), SCANCODE_PARTIAL);
    CHECK_EQUAL(feed(0x2a), SCANCODE_IGNORED);
    CHECK(GIVES(INPUT_KEY_DOWN, 0xb7, 0xe0, 0x37));
    CHECK(GIVES(INPUT_KEY_UP, 0xb7, 0xe0, 0xb7));
    CHECK_EQUAL(feed(0xe0), SCANCODE_PARTIAL);
    CHECK_EQUAL(feed(0xaa), SCANCODE_IGNORED);
    CHECK_EQUAL(feed(0xe0), SCANCODE_PARTIAL);
    CHECK_EQUAL(feed(0xb6), SCANCODE_IGNORED);
    /* With alt held print screen is the system request. */
    CHECK(GIVES(INPUT_KEY_DOWN, 0x54, 0x54));
    CHECK(GIVES(INPUT_KEY_UP, 0x54, 0xd4));
    scancode_init(&decoder, SCANCODE_SET_2);
    CHECK_EQUAL(feed(0xe0), SCANCODE_PARTIAL);
    CHECK_EQUAL(feed(0x12), SCANCODE_IGNORED);
    CHECK(GIVES(INPUT_KEY_DOWN, 0xb7, 0xe0, 0x7c));
    CHECK(GIVES(INPUT_KEY_UP, 0xb7, 0xe0, 0xf0, 0x7c));
    CHECK_EQUAL(feed(0xe0), SCANCODE_PARTIAL);
    CHECK_EQUAL(feed(0xf0), SCANCODE_PARTIAL);
    CHECK_EQUAL(feed(0x12), SCANCODE_IGNORED);
    CHECK(GIVES(INPUT_KEY_DOWN, 0x54, 0x84));
    CHECK(GIVES(INPUT_KEY_UP, 0x54, 0xf0, 0x84));
}

/* Errors, answers to commands, and codes of no key: dropped, and the next key is right. */
static void test_garbage(void)
{
    static const uint8_t garbage_1[] = {0x00, 0x80, 0xff, 0x7f, 0x55, 0xfa, 0xfe, 0xee, 0xfc, 0xfd};
    static const uint8_t garbage_2[] = {0x00, 0x80, 0xff, 0x7f, 0x02, 0xaa, 0xfa, 0xfe, 0xee, 0xfc};

    scancode_init(&decoder, SCANCODE_SET_1);
    for (size_t i = 0; i < LENGTH(garbage_1); i++) {
        CHECK_EQUAL(feed(garbage_1[i]), SCANCODE_GARBAGE);
        CHECK(GIVES(INPUT_KEY_DOWN, 0x1e, 0x1e));
        CHECK(GIVES(INPUT_KEY_UP, 0x1e, 0x9e));
        CHECK_EQUAL(feed(0xe0), SCANCODE_PARTIAL);
        CHECK_EQUAL(feed(garbage_1[i]), SCANCODE_GARBAGE);
        CHECK(GIVES(INPUT_KEY_DOWN, 0xc8, 0xe0, 0x48));
        CHECK(GIVES(INPUT_KEY_UP, 0xc8, 0xe0, 0xc8));
    }
    scancode_init(&decoder, SCANCODE_SET_2);
    for (size_t i = 0; i < LENGTH(garbage_2); i++) {
        CHECK_EQUAL(feed(garbage_2[i]), SCANCODE_GARBAGE);
        CHECK(GIVES(INPUT_KEY_DOWN, 0x1e, 0x1c));
        CHECK_EQUAL(feed(0xf0), SCANCODE_PARTIAL);
        CHECK_EQUAL(feed(garbage_2[i]), SCANCODE_GARBAGE);
        CHECK(GIVES(INPUT_KEY_UP, 0x1e, 0xf0, 0x1c));
    }
}

/* Sequences that are broken off: by another prefix, which begins anew, by a wrong byte, or by
 * a caller that knows that nothing comes any longer. */
static void test_unfinished(void)
{
    scancode_init(&decoder, SCANCODE_SET_1);
    CHECK(!scancode_drop(&decoder));
    CHECK_EQUAL(feed(0xe0), SCANCODE_PARTIAL);
    CHECK_EQUAL(feed(0xe0), SCANCODE_GARBAGE);
    CHECK(GIVES(INPUT_KEY_DOWN, 0xc8, 0x48));
    CHECK_EQUAL(feed(0xe1), SCANCODE_PARTIAL);
    CHECK_EQUAL(feed(0x1e), SCANCODE_GARBAGE);
    CHECK_EQUAL(feed(0xe1), SCANCODE_PARTIAL);
    CHECK_EQUAL(feed(0x1d), SCANCODE_PARTIAL);
    CHECK_EQUAL(feed(0xe0), SCANCODE_GARBAGE);
    CHECK(GIVES(INPUT_KEY_UP, 0xc8, 0xc8));
    CHECK_EQUAL(feed(0xe1), SCANCODE_PARTIAL);
    CHECK_EQUAL(feed(0x1d), SCANCODE_PARTIAL);
    CHECK(scancode_drop(&decoder));
    CHECK(!scancode_drop(&decoder));
    CHECK(GIVES(INPUT_KEY_DOWN, 0x45, 0x45));
    scancode_init(&decoder, SCANCODE_SET_2);
    CHECK_EQUAL(feed(0xf0), SCANCODE_PARTIAL);
    CHECK_EQUAL(feed(0xf0), SCANCODE_GARBAGE);
    CHECK_EQUAL(feed(0x1c), SCANCODE_IGNORED);
    CHECK_EQUAL(feed(0xf0), SCANCODE_PARTIAL);
    CHECK(scancode_drop(&decoder));
    CHECK(GIVES(INPUT_KEY_DOWN, 0x1e, 0x1c));
}

int main(void)
{
    RUN(test_every_key());
    RUN(test_every_code());
    RUN(test_no_key_no_bytes());
    RUN(test_repeats());
    RUN(test_pause());
    RUN(test_fake_shifts());
    RUN(test_garbage());
    RUN(test_unfinished());
    return unit_finish("unit_scancode");
}
