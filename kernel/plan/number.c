/* SPDX-License-Identifier: BSD-2-Clause */
#include "kernel/plan/number.h"

int hex_digit(char digit)
{
    if (digit >= '0' && digit <= '9') {
        return digit - '0';
    }
    return digit >= 'a' && digit <= 'f' ? digit - 'a' + 10 : -1;
}

bool parse_unsigned(const char *text, uint64_t *value)
{
    const bool hexadecimal = text[0] == '0' && (text[1] == 'x' || text[1] == 'X');
    const uint64_t base = hexadecimal ? 16 : 10;
    const char *digit = hexadecimal ? text + 2 : text;
    uint64_t result = 0;

    if (*digit == '\0') {
        return false;
    }
    for (; *digit != '\0'; digit++) {
        const char lower = *digit >= 'A' && *digit <= 'F' ? (char)(*digit - 'A' + 'a') : *digit;
        const int d = hex_digit(lower);

        if (d < 0 || (uint64_t)d >= base || result > (UINT64_MAX - (uint64_t)d) / base) {
            return false;
        }
        result = result * base + (uint64_t)d;
    }
    *value = result;
    return true;
}
