/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Names of the image's own functions, for backtraces that a person can read without the ELF file.
 * tools/build/symbols.sh writes the table, and linker.ld places it.
 */
#pragma once

#include <stddef.h>
#include <stdint.h>

/* Sets where firmware loaded the image. Before that no address has a name. */
void symbols_init(uint64_t image_base, uint64_t image_size);

/* Name of the function that holds `address`, and the distance from its start; NULL where none. */
const char *symbol_of(uint64_t address, uint64_t *offset);

/* `address` as it stands in the ELF file, for addr2line; outside the image the address itself. */
uint64_t symbol_link_address(uint64_t address);

/* Return addresses up the frame-pointer chain that starts at `rbp`, innermost first, into `out`.
 * Stops at `capacity`, at a frame pointer outside [stack_low, stack_high), or one that does not
 * ascend: a broken chain is cut, never followed. */
size_t backtrace_walk(uint64_t rbp, uint64_t stack_low, uint64_t stack_high, uint64_t *out,
                      size_t capacity);
