/* SPDX-License-Identifier: BSD-2-Clause */
#include "kernel/link/line_pattern.h"

#include <string.h>

void line_pattern_digits(unsigned value, uint8_t digits[2])
{
    static const char names[] = "0123456789ABCDEF";

    digits[0] = (uint8_t)names[value >> 4 & 15];
    digits[1] = (uint8_t)names[value & 15];
}

void line_pattern_write(uint8_t pattern[LINE_PATTERN_SIZE])
{
    uint8_t *at = pattern + sizeof(LINE_PATTERN_BEGIN) - 1;

    memcpy(pattern, LINE_PATTERN_BEGIN, sizeof(LINE_PATTERN_BEGIN) - 1);
    for (unsigned value = 0; value < 256; value++, at += 4) {
        line_pattern_digits(value, at);
        at[2] = (uint8_t)value;
        at[3] = ';';
    }
    memcpy(at, LINE_PATTERN_END, sizeof(LINE_PATTERN_END) - 1);
}
