/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * mkefi: what its parts share. Each ends the program with a message where the input is not what the
 * build makes.
 */
#pragma once

#include <stddef.h>
#include <stdint.h>

#define PAGE      4096u
#define IMAGE_MAX (64u << 20) /* as in linker.ld */

struct buffer {
    uint8_t *data;
    size_t size, capacity;
};

/* Names the file that fail() speaks of from here on. */
void mkefi_file(const char *name);

__attribute__((noreturn, format(printf, 1, 2))) void fail(const char *format, ...);

/* Zeroed memory, never NULL. */
void *allocate(size_t size);

uint32_t align_up(uint32_t value, uint32_t alignment);

/* Little-endian numbers of `size` bytes, at most 8. */
void store(uint8_t *at, uint64_t value, unsigned size);

void append(struct buffer *buffer, const void *data, size_t size);
void append_number(struct buffer *buffer, uint64_t value, unsigned size);

struct buffer read_file(const char *name);

/* Under another name first, so that the file is there whole or not at all. */
void write_file(const char *name, const struct buffer *buffer);
