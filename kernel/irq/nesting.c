/* SPDX-License-Identifier: BSD-2-Clause */
#include "kernel/irq/nesting.h"

#include <stdio.h>

size_t nesting_of_sections(const struct timed_section *sections, size_t count)
{
    size_t i = 0;

    while (i < count && sections[i].exit >= sections[i].entry &&
           (i == 0 || sections[i].entry >= sections[i - 1].exit)) {
        i++;
    }
    return i;
}

size_t nesting_of_entries(const uint64_t *entries, size_t count, uint64_t least)
{
    size_t i = 0;

    while (i < count &&
           (i == 0 || (entries[i] >= entries[i - 1] && entries[i] - entries[i - 1] >= least))) {
        i++;
    }
    return i;
}

const char *nesting_text(uint8_t vector, size_t index, size_t count, char text[NESTING_TEXT_MAX])
{
    snprintf(text, NESTING_TEXT_MAX,
             "vector 0x%02x entered within its own handler, with interrupts off: interrupt %lu "
             "of %lu",
             vector, (unsigned long)index + 1, (unsigned long)count);
    return text;
}
