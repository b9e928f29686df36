/* SPDX-License-Identifier: BSD-2-Clause */
#include "kernel/link/cobs.h"

#define RUN_MAX 0xff /* a code byte of FFh: 254 bytes follow and no zero is implied */

size_t cobs_encode(const uint8_t *in, size_t length, uint8_t *out)
{
    size_t code_at = 0;
    size_t written = 1;
    uint8_t code = 1;

    for (size_t i = 0; i < length; i++) {
        if (in[i] != 0) {
            out[written++] = in[i];
            code++;
        }
        if (in[i] == 0 || (code == RUN_MAX && i + 1 < length)) {
            out[code_at] = code;
            code_at = written++;
            code = 1;
        }
    }
    out[code_at] = code;
    return written;
}

ptrdiff_t cobs_decode(const uint8_t *in, size_t length, uint8_t *out)
{
    size_t written = 0;
    size_t i = 0;

    while (i < length) {
        const uint8_t code = in[i++];

        if (code == 0 || (size_t)(code - 1) > length - i) {
            return -1;
        }
        for (uint8_t k = 1; k < code; k++) {
            if (in[i] == 0) {
                return -1;
            }
            out[written++] = in[i++];
        }
        if (code != RUN_MAX && i < length) {
            out[written++] = 0;
        }
    }
    return (ptrdiff_t)written;
}
