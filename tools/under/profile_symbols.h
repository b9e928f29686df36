/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Names of the functions of L1: of its kernel and modules by /proc/kallsyms, of its QEMU and the
 * libraries by their dynamic symbols and /proc/PID/maps; and of the image by the table that it
 * carries (kernel/cpu/symbols.h).
 */
#pragma once

#include <stdbool.h>
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

/* Reads lines of /proc/PID/maps and /proc/kallsyms, in any order, and ignores all others. */
void symbols_read(struct symbols *symbols, FILE *in);
/* Adds the dynamic symbols of a file of this host to the mappings of `file`. Adds none if it is no
 * ELF file of 64 bits. */
void symbols_add_file(struct symbols *symbols, const char *file, const char *path);
/* As symbols_add_file(), from the bytes of a file. */
void symbols_add_elf(struct symbols *symbols, const char *file, const uint8_t *bytes, size_t size);
/* Adds the image's functions, at their distances from the image's start, from the bytes of its
 * file. Adds none if it has no table. */
void symbols_add_image(struct symbols *symbols, const uint8_t *bytes, size_t size);
/* Sorts; call it after the last addition and before the first search. */
void symbols_sort(struct symbols *symbols);
void symbols_free(struct symbols *symbols);

/* Returns the symbol that contains the address, or NULL. */
const struct symbol *symbols_find(const struct symbols *symbols, uint64_t address);

#define SYMBOL_NAME_MAX 256

/* Writes "FUNCTION", "FUNCTION [MODULE]", "FUNCTION [LIBRARY]", or "[FILE]" or "[unknown]" if there
 * is no symbol. The text has neither semicolons nor line ends. Returns `name`. */
const char *symbols_name(const struct symbols *symbols, uint64_t address,
                         char name[SYMBOL_NAME_MAX]);
