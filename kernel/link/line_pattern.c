/* SPDX-License-Identifier: BSD-2-Clause */
#include "kernel/link/line_pattern.h"

#include <stdio.h>
#include <string.h>

void line_pattern_write(uint8_t pattern[LINE_PATTERN_SIZE])
{
    uint8_t *at = pattern + sizeof(LINE_PATTERN_BEGIN) - 1;

    memcpy(pattern, LINE_PATTERN_BEGIN, sizeof(LINE_PATTERN_BEGIN) - 1);
    for (unsigned value = 0; value < 256; value++, at += 4) {
        snprintf((char *)at, 3, "%02X", value);
        at[2] = (uint8_t)value;
        at[3] = ';';
    }
    memcpy(at, LINE_PATTERN_END, sizeof(LINE_PATTERN_END) - 1);
}
