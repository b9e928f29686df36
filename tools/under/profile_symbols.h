/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Names of the functions of L1: of its kernel and modules by /proc/kallsyms, of its QEMU and the
 * libraries by their dynamic symbols and /proc/PID/maps; and of the image by the table that it
 * carries (kernel/cpu/symbols.h).
 */
#pragma once

#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

struct symbol {
    uint64_t address;
    uint64_t size; /* 0: up to the next symbol */
    char *name;
};

/* A file in L1's memory. */
struct symbol_map {
    uint64_t begin, end;
    uint64_t base; /* address of the file's start */
    char *file;    /* its name without the folder */
};

struct symbols {
    struct symbol *items; /* sorted by address */
    size_t count, capacity;
    struct symbol_map *maps;
    size_t map_count, map_capacity;
};

/* Reads lines of /proc/PID/maps and /proc/kallsyms, and then those of `nm -D -A -S` of mapped
 * files, in any order, and ignores all others. */
void symbols_read(struct symbols *symbols, FILE *in);
/* Reads the image's functions from its file. `base` is where the image was loaded. Reads none if
 * the file has no table. */
void symbols_read_image(struct symbols *symbols, FILE *in, uint64_t base);
void symbols_free(struct symbols *symbols);

/* Returns the symbol that contains the address, or NULL. */
const struct symbol *symbols_find(const struct symbols *symbols, uint64_t address);

#define SYMBOL_NAME_MAX 256

/* Writes "FUNCTION", "FUNCTION [MODULE]", "FUNCTION [LIBRARY]", or "[FILE]" or "[unknown]" if there
 * is no symbol. The text has neither semicolons nor line ends. Returns `name`. */
const char *symbols_name(const struct symbols *symbols, uint64_t address,
                         char name[SYMBOL_NAME_MAX]);
