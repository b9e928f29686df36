/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * qr_picture: reads a text from standard input and writes the picture (PGM) of its QR code, 3
 * pixels a module, to standard output.
 */
#include <stdio.h>

#include "kernel/screen/qr.h"

#define SCALE 3

int main(void)
{
    static struct qr qr;
    static char text[QR_TEXT_MAX + 1];
    const size_t length = fread(text, 1, sizeof(text), stdin);

    if (!qr_encode(&qr, text, length)) {
        fprintf(stderr, "qr_picture: more than %d bytes\n", QR_TEXT_MAX);
        return 1;
    }
    const int side = (qr.side + 2 * QR_QUIET) * SCALE;

    printf("P5\n%d %d\n255\n", side, side);
    for (int y = 0; y < side; y++) {
        for (int x = 0; x < side; x++) {
            const int row = y / SCALE - QR_QUIET;
            const int column = x / SCALE - QR_QUIET;
            const int inside = row >= 0 && row < qr.side && column >= 0 && column < qr.side;

            putchar(inside && qr_is_dark(&qr, row, column) ? 0 : 255);
        }
    }
    return 0;
}
