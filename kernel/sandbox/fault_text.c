/* SPDX-License-Identifier: BSD-2-Clause */
#include "kernel/sandbox/fault_text.h"

#include <stdbool.h>
#include <stdio.h>

#define VECTOR_UNDEFINED  6
#define VECTOR_PROTECTION 13
#define VECTOR_PAGE       14

/* Of a page fault's error code (SDM volume 3 section 4.7). */
#define CODE_WRITE (1u << 1)
#define CODE_FETCH (1u << 4)

#define PLACE_MAX 48

static void place_text(const struct sandbox_fault *fault, char text[PLACE_MAX])
{
    static const char *const parts[] = {"of init", "of the code"};

    if (fault->part == PROGRAM_OUTSIDE) {
        snprintf(text, PLACE_MAX, "outside the code, at 0x%llx", (unsigned long long)fault->rip);
    } else {
        snprintf(text, PLACE_MAX, "at byte %u %s", (unsigned)fault->byte, parts[fault->part]);
    }
}

void fault_text(const struct sandbox_fault *fault, const char *name, char text[FAULT_TEXT_MAX])
{
    const unsigned long long address = fault->address;
    char place[PLACE_MAX];

    place_text(fault, place);
    if (fault->vector == VECTOR_PAGE) {
        const bool is_write = (fault->error_code & CODE_WRITE) != 0;
        /* Not every processor reports a fetch: without NX there is no such bit. */
        const bool is_jump =
            (fault->error_code & CODE_FETCH) != 0 || (!is_write && fault->address == fault->rip);
        const char *what = is_jump ? "jump to" : is_write ? "write to" : "read of";

        snprintf(text, FAULT_TEXT_MAX, "%s, %s 0x%llx, %s", name, what, address, place);
    } else if (fault->refused != NULL &&
               (fault->vector == VECTOR_PROTECTION || fault->vector == VECTOR_UNDEFINED)) {
        snprintf(text, FAULT_TEXT_MAX, "%s is refused (%.3s) %s", fault->refused, name, place);
    } else {
        snprintf(text, FAULT_TEXT_MAX, "%s %s", name, place);
    }
}
