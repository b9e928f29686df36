/* SPDX-License-Identifier: BSD-2-Clause */
/* CRC-32C and SHA-256 of large data, by the instructions that the processor has for them. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Continues from `crc`, which is 0 at the start. The result is that of crc32c()
 * (kernel/link/crc32c.h), 40 times faster (SSE 4.2). */
uint32_t checksum_crc32c(uint32_t crc, const void *bytes, size_t length);

#define SHA256_TEXT   65   /* hexadecimal digits, and the end */
#define SHA256_BUFFER 4096 /* a call of the library for each short stretch would cost as much */

/* SHA-256 of what comes in many short stretches, by OpenSSL. */
struct sha256 {
    void *context; /* the library's */
    uint8_t buffer[SHA256_BUFFER];
    size_t used;
};

/* sha256_end() frees what it takes. Without memory the program ends. */
void sha256_begin(struct sha256 *hash);
void sha256_put(struct sha256 *hash, const void *bytes, size_t length);
/* As hexadecimal digits. */
void sha256_end(struct sha256 *hash, char text[SHA256_TEXT]);
/* Returns false if the file cannot be read. */
bool sha256_file(const char *path, char text[SHA256_TEXT]);
