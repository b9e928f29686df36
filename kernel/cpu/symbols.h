/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Names of the image's functions, so that a person can read backtraces without the ELF file.
 * tools/build/symbols.sh writes the table, and linker.ld places it in the image.
 */
#pragma once

#include <stddef.h>
#include <stdint.h>

/* Sets where firmware loaded the image. Until then no address has a name. */
void symbols_init(uint64_t image_base, uint64_t image_size);

/* Returns the name of the function that contains `address`, and sets *offset to the distance from
 * its start. Returns NULL if there is none. */
const char *symbol_of(uint64_t address, uint64_t *offset);

/* Returns `address` as it is in the ELF file, for addr2line; an address outside the image is
 * returned unchanged. */
uint64_t symbol_link_address(uint64_t address);

/* Writes the return addresses of the frame-pointer chain that starts at `rbp` to `out`, innermost
 * first. Returns how many. Stops at `capacity`, or at a frame pointer that is outside [stack_low,
 * stack_high) or does not ascend: a broken chain is cut, never followed. */
size_t backtrace_walk(uint64_t rbp, uint64_t stack_low, uint64_t stack_high, uint64_t *out,
                      size_t capacity);
