/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * SHA-256 (FIPS 180-4): the name of a file or of a run by what is in it.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define SHA256_TEXT_SIZE 65 /* 64 hexadecimal digits and NUL */

struct sha256 {
    uint32_t state[8];
    uint64_t length;
    uint8_t block[64];
};

void sha256_begin(struct sha256 *sha256);
void sha256_add(struct sha256 *sha256, const void *bytes, size_t length);
/* Nothing can be added behind. */
void sha256_end(struct sha256 *sha256, char text[SHA256_TEXT_SIZE]);

/* Of a whole file; false, with errno, where it cannot be read. */
bool sha256_of_file(const char *path, char text[SHA256_TEXT_SIZE]);
