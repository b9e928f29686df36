/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The code in which another processor starts, and the call of a function on another stack.
 */
#pragma once

#include <stdint.h>

/* The start-up code. It is position-independent and must be copied to a page below 1 MiB. It goes
 * from real mode through protected mode to 64 bits with paging (SDM volume 3 sections 10.9.1 and
 * 10.8.5). */
extern const uint8_t start_code[] __attribute__((visibility("hidden")));
extern const uint8_t start_code_end[] __attribute__((visibility("hidden")));

/* The values that the started processor loads, at the end of the code. start.S knows the
 * offsets. */
struct start_settings {
    uint32_t cr0;
    uint32_t cr3; /* root of page tables below 4 GiB, used until `root` is loaded */
    uint32_t cr4;
    uint32_t efer;
    uint64_t root; /* root of page tables to continue with */
    uint64_t entry;
    uint64_t argument; /* argument of `entry` */
    /* Written last. The processor that takes it leaves 0, so that a processor that comes late finds
     * nothing and halts. */
    uint64_t stack_top;
    /* this and the following fields are set in start.S; addresses are relative to the start of the
     * code, until the address of the copy is added */
    uint16_t gdt_limit;
    uint32_t gdt_base;
    uint32_t protected_entry;
    uint16_t protected_selector;
    uint32_t long_entry;
    uint16_t long_selector;
} __attribute__((packed));

/* Calls function(argument, end of the caller's stack) on another stack. */
typedef void start_function(void *argument, uint64_t stack);
void start_call_on(uint64_t stack_top, start_function *function, void *argument)
    __attribute__((visibility("hidden")));
