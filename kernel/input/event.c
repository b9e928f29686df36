/* SPDX-License-Identifier: BSD-2-Clause */
#include "kernel/input/event.h"

#include <stddef.h>
#include <string.h>

const char *input_kind_name(unsigned kind)
{
    static const char kinds[INPUT_KINDS][sizeof("button_down")] = {
        [INPUT_KEY_DOWN] = "key_down",
        [INPUT_KEY_UP] = "key_up",
        [INPUT_BUTTON_DOWN] = "button_down",
        [INPUT_BUTTON_UP] = "button_up",
        [INPUT_MOVE] = "move",
    };

    return kind < INPUT_KINDS ? kinds[kind] : NULL;
}

/* Names of the codes 01h to 58h, in order. An empty name means that there is no such key. */
static const char names[] =
    "esc\0"
    "1\0"
    "2\0"
    "3\0"
    "4\0"
    "5\0"
    "6\0"
    "7\0"
    "8\0"
    "9\0"
    "0\0"
    "minus\0equal\0backspace\0tab\0"
    "q\0w\0e\0r\0t\0y\0u\0i\0o\0p\0leftbracket\0rightbracket\0enter\0ctrl\0"
    "a\0s\0d\0f\0g\0h\0j\0k\0l\0semicolon\0quote\0backquote\0shift\0backslash\0"
    "z\0x\0c\0v\0b\0n\0m\0comma\0period\0slash\0rightshift\0kpmultiply\0alt\0space\0capslock\0"
    "f1\0f2\0f3\0f4\0f5\0f6\0f7\0f8\0f9\0f10\0numlock\0scrolllock\0"
    "kp7\0kp8\0kp9\0kpminus\0kp4\0kp5\0kp6\0kpplus\0kp1\0kp2\0kp3\0kp0\0kpperiod\0"
    "\0\0\0f11\0f12";

/* Names of the codes that E0h precedes. */
static const struct {
    uint8_t code;
    char name[10];
} extended[] = {
    {0x1c, "kpenter"},   {0x1d, "rightctrl"}, {0x35, "kpdivide"}, {0x37, "print"},
    {0x38, "rightalt"},  {0x47, "home"},      {0x48, "up"},       {0x49, "pageup"},
    {0x4b, "left"},      {0x4d, "right"},     {0x4f, "end"},      {0x50, "down"},
    {0x51, "pagedown"},  {0x52, "insert"},    {0x53, "delete"},   {0x5b, "meta"},
    {0x5c, "rightmeta"}, {0x5d, "menu"},
};
#define EXTENDED_COUNT (sizeof(extended) / sizeof(extended[0]))

/* Characters that the keys 00h to 39h type; NUL: none. */
static const char plain[] =
    "\0\0001234567890-=\0\tqwertyuiop[]\n\0asdfghjkl;'`\0\\zxcvbnm,./\0\0\0 ";
static const char shifted[] =
    "\0\0!@#$%^&*()_+\0\tQWERTYUIOP{}\n\0ASDFGHJKL:\"~\0|ZXCVBNM<>?\0\0\0 ";
_Static_assert(sizeof(plain) == 0x3a + 1 && sizeof(shifted) == sizeof(plain), "a code each");

static bool is_name(const char *name, const char *wanted, size_t length)
{
    return length > 0 && strlen(name) == length && memcmp(name, wanted, length) == 0;
}

bool key_find(const char *name, size_t length, uint16_t *code)
{
    *code = 1;
    for (const char *at = names; at < names + sizeof(names); at += strlen(at) + 1) {
        if (is_name(at, name, length)) {
            return true;
        }
        (*code)++;
    }
    for (size_t i = 0; i < EXTENDED_COUNT; i++) {
        if (is_name(extended[i].name, name, length)) {
            *code = INPUT_EXTENDED | extended[i].code;
            return true;
        }
    }
    return false;
}

const char *key_name(uint16_t code)
{
    uint16_t at_code = 1;

    for (const char *at = names; at < names + sizeof(names); at += strlen(at) + 1) {
        if (at_code++ == code) {
            return *at != '\0' ? at : NULL;
        }
    }
    for (size_t i = 0; i < EXTENDED_COUNT; i++) {
        if ((INPUT_EXTENDED | extended[i].code) == code) {
            return extended[i].name;
        }
    }
    return NULL;
}

const char *key_qcode(uint16_t code)
{
    /* QEMU's names that differ from tare's. */
    static const struct {
        char name[13], qcode[14];
    } others[] = {
        {"leftbracket", "bracket_left"},
        {"rightbracket", "bracket_right"},
        {"enter", "ret"},
        {"quote", "apostrophe"},
        {"backquote", "grave_accent"},
        {"period", "dot"},
        {"rightshift", "shift_r"},
        {"kpmultiply", "kp_multiply"},
        {"space", "spc"},
        {"capslock", "caps_lock"},
        {"numlock", "num_lock"},
        {"scrolllock", "scroll_lock"},
        {"kp7", "kp_7"},
        {"kp8", "kp_8"},
        {"kp9", "kp_9"},
        {"kpminus", "kp_subtract"},
        {"kp4", "kp_4"},
        {"kp5", "kp_5"},
        {"kp6", "kp_6"},
        {"kpplus", "kp_add"},
        {"kp1", "kp_1"},
        {"kp2", "kp_2"},
        {"kp3", "kp_3"},
        {"kp0", "kp_0"},
        {"kpperiod", "kp_decimal"},
        {"kpenter", "kp_enter"},
        {"rightctrl", "ctrl_r"},
        {"kpdivide", "kp_divide"},
        {"rightalt", "alt_r"},
        {"pageup", "pgup"},
        {"pagedown", "pgdn"},
        {"meta", "meta_l"},
        {"rightmeta", "meta_r"},
        {"menu", "compose"},
    };
    const char *name = key_name(code);

    for (size_t i = 0; name != NULL && i < sizeof(others) / sizeof(others[0]); i++) {
        if (strcmp(others[i].name, name) == 0) {
            return others[i].qcode;
        }
    }
    return name;
}

bool key_of_character(char character, uint16_t *code, bool *shift)
{
    const char *found = character != '\0' ? memchr(plain, character, sizeof(plain) - 1) : NULL;

    *shift = found == NULL;
    if (found == NULL && character != '\0') {
        found = memchr(shifted, character, sizeof(shifted) - 1);
    }
    if (found == NULL) {
        return false;
    }
    *code = (uint16_t)(found - (*shift ? shifted : plain));
    return true;
}

char key_character(uint16_t code, bool shift)
{
    return code < sizeof(plain) - 1 ? (shift ? shifted : plain)[code] : '\0';
}

bool key_is_shift(uint16_t code)
{
    return code == KEY_SHIFT || code == KEY_RIGHT_SHIFT;
}
