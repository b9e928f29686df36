/* SPDX-License-Identifier: BSD-2-Clause */
/* A range of frames of a stream, as one that is missing. */
#pragma once

#include <stdint.h>

/* Frames [first, first + count) of a stream. */
struct decoder_range {
    uint16_t stream;
    uint32_t first;
    uint32_t count;
};
