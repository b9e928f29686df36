/* SPDX-License-Identifier: BSD-2-Clause */
#include "tools/efi/mkefi.h"

#include <errno.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define BLOCK_BYTES 65536

static const char *file_name;

void mkefi_file(const char *name)
{
    file_name = name;
}

void fail(const char *format, ...)
{
    va_list arguments;

    va_start(arguments, format);
    fprintf(stderr, "mkefi: %s: ", file_name);
    vfprintf(stderr, format, arguments);
    fputc('\n', stderr);
    va_end(arguments);
    exit(1);
}

void *allocate(size_t size)
{
    void *memory = calloc(1, size != 0 ? size : 1);

    if (memory == NULL) {
        fail("out of memory");
    }
    return memory;
}

uint32_t align_up(uint32_t value, uint32_t alignment)
{
    return (value + alignment - 1) / alignment * alignment;
}

void store(uint8_t *at, uint64_t value, unsigned size)
{
    for (unsigned i = 0; i < size; i++) {
        at[i] = (uint8_t)(value >> (8 * i));
    }
}

void append(struct buffer *buffer, const void *data, size_t size)
{
    if (buffer->size + size > buffer->capacity) {
        buffer->capacity = 2 * (buffer->size + size);
        buffer->data = realloc(buffer->data, buffer->capacity);
        if (buffer->data == NULL) {
            fail("out of memory");
        }
    }
    memcpy(buffer->data + buffer->size, data, size);
    buffer->size += size;
}

void append_number(struct buffer *buffer, uint64_t value, unsigned size)
{
    uint8_t bytes[sizeof(value)];

    store(bytes, value, size);
    append(buffer, bytes, size);
}

struct buffer read_file(const char *name)
{
    struct buffer buffer = {0};
    uint8_t block[BLOCK_BYTES];

    mkefi_file(name);
    FILE *file = fopen(name, "rb");

    if (file == NULL) {
        fail("%s", strerror(errno));
    }
    for (size_t size; (size = fread(block, 1, sizeof(block), file)) > 0;) {
        append(&buffer, block, size);
    }
    if (ferror(file) != 0) {
        fail("%s", strerror(errno));
    }
    fclose(file);
    return buffer;
}

void write_file(const char *name, const struct buffer *buffer)
{
    const size_t size = strlen(name) + sizeof(".tmp");
    char *temporary = allocate(size);

    snprintf(temporary, size, "%s.tmp", name);
    mkefi_file(temporary);
    FILE *file = fopen(temporary, "wb");

    if (file == NULL) {
        fail("%s", strerror(errno));
    }
    bool written = fwrite(buffer->data, 1, buffer->size, file) == buffer->size;

    written = fclose(file) == 0 && written;
    if (!written || rename(temporary, name) != 0) {
        const int error = errno;

        remove(temporary);
        fail("%s", strerror(error));
    }
    free(temporary);
}
