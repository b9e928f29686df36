/* SPDX-License-Identifier: BSD-2-Clause */
#include "kernel/sandbox/code_list.h"

#include <string.h>

#include "kernel/plan/number.h"

size_t code_list_count(const char *list)
{
    size_t count = *list != '\0';

    for (; *list != '\0'; list++) {
        count += *list == ',';
    }
    return count;
}

/* Returns the first character of code `index`, or NULL if there are fewer codes. */
static const char *find_code(const char *list, size_t index)
{
    for (; index > 0; index--) {
        list = strchr(list, ',');
        if (list == NULL) {
            return NULL;
        }
        list++;
    }
    return list;
}

const char *code_list_read(const char *list, size_t index, struct code *code)
{
    const char *at = find_code(list, index);

    code->length = 0;
    if (at == NULL) {
        return "the list has fewer codes";
    }
    const size_t digits = strcspn(at, ",");

    if (digits % 2 != 0) {
        return "expected two digits for each byte, got an odd number";
    }
    if (digits / 2 > CODE_BYTES_MAX) {
        return "it is longer than 1024 bytes";
    }
    for (size_t i = 0; i < digits; i += 2) {
        const int high = hex_digit(at[i]);
        const int low = hex_digit(at[i + 1]);

        if (high < 0 || low < 0) {
            return "expected only the digits 0 to 9 and a to f";
        }
        code->bytes[i / 2] = (uint8_t)(high << 4 | low);
    }
    code->length = digits / 2;
    return NULL;
}
