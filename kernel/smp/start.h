/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * What start.S and processor.c share: the code in which a processor begins, and its ways in.
 */
#pragma once

#include <stddef.h>
#include <stdint.h>

#include "kernel/cpu/interrupt_frame.h"

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
    /* Written last. Whoever takes it leaves 0: a processor that comes late finds nothing, and
     * halts. */
    uint64_t stack_top;
    uint16_t gdt_limit; /* the rest is the code's own, but for the base: where the copy is */
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

/* Ways in of a processor that is not the kernel's: by exception, and by interrupt. The entries of
 * exceptions lie OTHER_ENTRY_SIZE bytes apart. */
#define OTHER_ENTRY_SIZE 16
extern const uint8_t other_exception_entries[] __attribute__((visibility("hidden")));
void other_ping_entry(void) __attribute__((visibility("hidden")));
void other_interrupt_entry(void) __attribute__((visibility("hidden")));
void other_spurious_entry(void) __attribute__((visibility("hidden")));
void other_station_entry(void) __attribute__((visibility("hidden")));

/* Where these arrive. `tsc`: read by the first instructions behind the entry. */
void other_exception(struct interrupt_frame *frame);
void other_ping(uint64_t tsc);
void other_interrupt(uint64_t tsc);
void other_station(uint64_t tsc);
