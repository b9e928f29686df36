/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * QR codes (ISO/IEC 18004:2015): a text on the screen that a telephone carries away. Byte mode,
 * error correction level L, versions 1 to 20. Pure.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define QR_VERSION_MAX   20
#define QR_SIDE(version) (17 + 4 * (version))
#define QR_SIDE_MAX      QR_SIDE(QR_VERSION_MAX)
#define QR_TEXT_MAX      858 /* bytes, in the largest version */
/* Light modules that must surround the code on all sides (section 9.1). */
#define QR_QUIET 4

struct qr {
    int version;
    int side; /* modules */
    int mask; /* 0 to 7: which pattern lies over the data */
    uint8_t modules[QR_SIDE_MAX][QR_SIDE_MAX];
};

/* Bytes that fit into a version. */
size_t qr_capacity(int version);

/* Encodes into the smallest version that holds it. False: more than QR_TEXT_MAX bytes. */
bool qr_encode(struct qr *qr, const void *bytes, size_t length);

bool qr_is_dark(const struct qr *qr, int row, int column);
