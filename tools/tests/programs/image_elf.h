/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The linked image, build/image/tare.elf, laid out in memory as firmware would: so that tests run
 * the very machine code that boots, in an emulator or in their own process.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct image_elf {
    uint64_t base;   /* address that the image is relocated for */
    uint8_t *memory; /* `size` bytes, a multiple of 4096: what belongs at `base` */
    size_t size;
    void *file; /* the file's bytes, for symbols */
    size_t file_size;
};

/* Loads and relocates for `base`, a multiple of 4096. Ends the program with a message if the file
 * is not what the build makes. `memory` is page-aligned, made by mmap, readable and writable. */
void image_elf_load(struct image_elf *image, const char *path, uint64_t base);

/* As above, but relocated for the place in this process where its memory lies, and executable. */
void image_elf_load_here(struct image_elf *image, const char *path);

/* Address of a symbol (hidden and local ones too), relocated. Ends the program if there is none. */
uint64_t image_elf_symbol(const struct image_elf *image, const char *name);

void image_elf_free(struct image_elf *image);
