/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The code in which a processor begins, and that by which one goes over to another stack.
 */
#pragma once

#include <stddef.h>
#include <stdint.h>

/* The code for the page below 1 MiB, to be copied there; position-independent. It goes from real
 * mode through protected mode to 64 bits with paging (SDM volume 3 sections 10.9.1 and 10.8.5). */
extern const uint8_t start_code[] __attribute__((visibility("hidden")));
extern const uint8_t start_code_end[] __attribute__((visibility("hidden")));

/* At the end of the code: what is to be in force. start.S knows the offsets. */
struct start_settings {
    uint32_t cr0;
    uint32_t cr3; /* a root below 4 GiB, */
    uint32_t cr4;
    uint32_t efer;
    uint64_t root; /* and the one to go on with */
    uint64_t entry;
    uint64_t argument; /* of entry */
    /* Written last. The one that takes it leaves 0: a processor that comes late finds nothing, and
     * halts. */
    uint64_t stack_top;
    uint16_t gdt_limit; /* the rest is the code's own, except the base: where the copy is */
    uint32_t gdt_base;
    uint32_t protected_entry; /* the same: as linked, from the start of the code */
    uint16_t protected_selector;
    uint32_t long_entry;
    uint16_t long_selector;
} __attribute__((packed));

/* function(argument, where the caller's stack ends) on another stack. */
typedef void start_function(void *argument, uint64_t stack);
void start_call_on(uint64_t stack_top, start_function *function, void *argument)
    __attribute__((visibility("hidden")));
