/* SPDX-License-Identifier: BSD-2-Clause */
/* SHA-256 of large data. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define SHA256_TEXT 65 /* hexadecimal digits and the terminating NUL */
/* collects short pieces, because a library call for each would cost as much as the hashing */
#define SHA256_BUFFER 4096

/* State of a SHA-256 computed by OpenSSL over data that comes in many short pieces. */
struct sha256 {
    void *context; /* the context of OpenSSL */
    uint8_t buffer[SHA256_BUFFER];
    size_t used;
};

/* The three functions below compute one hash. sha256_end() frees all memory that sha256_begin()
 * takes. The program ends if memory runs out. */
void sha256_begin(struct sha256 *hash);
void sha256_put(struct sha256 *hash, const void *bytes, size_t length);
/* Writes the hash as hexadecimal digits and frees the state. */
void sha256_end(struct sha256 *hash, char text[SHA256_TEXT]);
/* Computes the SHA-256 of a file. Returns false if the file cannot be read. */
bool sha256_file(const char *path, char text[SHA256_TEXT]);
