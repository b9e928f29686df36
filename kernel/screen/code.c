/* SPDX-License-Identifier: BSD-2-Clause */
#include "kernel/screen/code.h"

#include <string.h>

#include "qrcodegen.h"

#define VERSION 25
#define MARGIN  4
#define LIGHT   0x00ffffffu
#define DARK    0x00000000u

static bool is_dark(const uint8_t *code, int32_t column, int32_t row)
{
    return qrcodegen_getModule(code, column - MARGIN, row - MARGIN);
}

bool code_draw(const struct surface *surface, int32_t x, int32_t y, int32_t scale,
               const uint8_t *bytes, size_t length)
{
    static uint8_t work[qrcodegen_BUFFER_LEN_FOR_VERSION(VERSION)];
    static uint8_t code[qrcodegen_BUFFER_LEN_FOR_VERSION(VERSION)];

    if (length > CODE_BYTES_MAX) {
        return false;
    }
    memcpy(work, bytes, length);
    /* Coded data is as good as random, so one mask is as good as another. To choose the best takes
     * ten times as long. */
    if (!qrcodegen_encodeBinary(work, length, code, qrcodegen_Ecc_LOW, VERSION, VERSION,
                                qrcodegen_Mask_0, false)) {
        return false;
    }
    for (int32_t row = 0; row < CODE_MODULES; row++) {
        for (int32_t column = 0, end; column < CODE_MODULES; column = end) {
            const bool dark = is_dark(code, column, row);

            for (end = column + 1; end < CODE_MODULES && is_dark(code, end, row) == dark;) {
                end++;
            }
            surface_fill(surface,
                         (struct rectangle){x + column * scale, y + row * scale,
                                            (end - column) * scale, scale},
                         dark ? DARK : LIGHT);
        }
    }
    return true;
}
