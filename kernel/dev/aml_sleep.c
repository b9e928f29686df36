/* SPDX-License-Identifier: BSD-2-Clause */
/* Searches for the name byte by byte; AML is not interpreted. A package that does not consist of
 * constants is not read. The machine then cannot be switched off without firmware, but nothing
 * wrong is ever written. */
#include "kernel/dev/aml_sleep.h"

#include <string.h>

/* Opcodes of AML (ACPI 6.5 table 20.2) for small integers and packages. */
#define AML_ZERO    0x00
#define AML_ONE     0x01
#define AML_BYTE    0x0a
#define AML_PACKAGE 0x12
#define SLEEP_TYPES 8 /* the values have 3 bits */

/* Decodes the integer at the start of `aml`. Returns its number of bytes, or 0 if it is another
 * object or too large. */
static size_t small_integer(const uint8_t *aml, size_t length, uint8_t *value)
{
    if (length >= 1 && (aml[0] == AML_ZERO || aml[0] == AML_ONE)) {
        *value = aml[0];
        return 1;
    }
    if (length >= 2 && aml[0] == AML_BYTE && aml[1] < SLEEP_TYPES) {
        *value = aml[1];
        return 2;
    }
    return 0;
}

/* Decodes the package after the name. It must have at least one element. A single element is for
 * both registers. */
static bool read_sleep_package(const uint8_t *aml, size_t length, uint8_t types[2])
{
    if (length < 3 || aml[0] != AML_PACKAGE) {
        return false;
    }
    /* Bits 6 and 7 of the first byte give how many more bytes the package length has. The number of
     * elements follows. */
    const size_t elements = 2u + (aml[1] >> 6);

    if (elements + 1 >= length || aml[elements] == 0) {
        return false;
    }
    const uint8_t *first = aml + elements + 1;
    const size_t left = length - elements - 1;
    const size_t used = small_integer(first, left, &types[0]);

    types[1] = types[0];
    return used != 0 &&
           (aml[elements] == 1 || small_integer(first + used, left - used, &types[1]) != 0);
}

bool aml_sleep_types(const uint8_t *aml, size_t length, uint8_t types[2])
{
    static const uint8_t name[] = {'_', 'S', '5', '_'};

    for (size_t at = 0; at + sizeof(name) < length; at++) {
        if (memcmp(aml + at, name, sizeof(name)) == 0 &&
            read_sleep_package(aml + at + sizeof(name), length - at - sizeof(name), types)) {
            return true;
        }
    }
    return false;
}
