/* SPDX-License-Identifier: BSD-2-Clause */
#include "tools/store/known_contents.h"

#include <stdlib.h>
#include <string.h>

#include "tools/base/alloc.h"

#define CAPACITY_MIN 1024

/* Returns the key of a content, which is never 0, because 0 marks a free slot. */
static uint64_t key_of(const char *content)
{
    char digits[KNOWN_DIGITS + 1] = "";

    memcpy(digits, content, strnlen(content, KNOWN_DIGITS));
    return strtoull(digits, NULL, 16) | 1;
}

/* Returns the slot of the key, or the free slot where it belongs. The digits of a content are
 * random and need no further hashing. */
static uint64_t *slot_of(const struct known_contents *known, uint64_t key)
{
    size_t at = (key >> 1) & (known->capacity - 1);

    while (known->slots[at] != 0 && known->slots[at] != key) {
        at = (at + 1) & (known->capacity - 1);
    }
    return &known->slots[at];
}

/* Doubles the table. At least half of the slots stay free, so that a search is short. */
static void grow(struct known_contents *known)
{
    const struct known_contents before = *known;

    known->capacity = before.capacity > 0 ? 2 * before.capacity : CAPACITY_MIN;
    known->slots = alloc_zeroed(known->capacity * sizeof(*known->slots));
    for (size_t i = 0; i < before.capacity; i++) {
        if (before.slots[i] != 0) {
            *slot_of(known, before.slots[i]) = before.slots[i];
        }
    }
    free(before.slots);
}

void known_contents_add(struct known_contents *known, const char *content)
{
    const uint64_t key = key_of(content);

    if (2 * known->count >= known->capacity) {
        grow(known);
    }
    uint64_t *slot = slot_of(known, key);

    known->count += *slot == 0;
    *slot = key;
}

bool known_contents_have(const struct known_contents *known, const char *content)
{
    return known->capacity > 0 && *slot_of(known, key_of(content)) != 0;
}

void known_contents_free(struct known_contents *known)
{
    free(known->slots);
    *known = (struct known_contents){0};
}
