/* SPDX-License-Identifier: BSD-2-Clause */
#include "kernel/plan/boots.h"

#include <string.h>

#define ENDING_LENGTH 4 /* of ".log" */
#define DIGITS        4

bool setting_name_good(const char *name)
{
    static const char allowed[] =
        "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-_";
    const size_t length = strlen(name);

    return length > 0 && length <= SETTING_NAME_MAX && strspn(name, allowed) == length;
}

/* Returns the number in "...-NNNN.log". */
static uint64_t number_of(const char *log_name)
{
    const char *digit = log_name + strlen(log_name) - ENDING_LENGTH - DIGITS;
    uint64_t number = 0;

    for (unsigned i = 0; i < DIGITS; i++) {
        number = number * 10 + (uint64_t)(digit[i] - '0');
    }
    return number;
}

bool boots_begin(const char *log_name, uint64_t boots)
{
    return (number_of(log_name) - 1) % boots == 0;
}

uint64_t boots_left(const char *log_name, uint64_t boots)
{
    return (boots - number_of(log_name) % boots) % boots;
}
