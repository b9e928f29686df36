/* SPDX-License-Identifier: BSD-2-Clause */
/* libFuzzer: a picture file, as pixels and as a code. */
#include <stdlib.h>

#include "kernel/link/screen_blocks.h"
#include "tools/shots/read_code.h"
#include "tools/shots/shots.h"
#include "tools/tests/support/demand.h"

#define PIXELS_MAX 20000

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    char error[SHOTS_ERROR_MAX] = "";
    uint8_t code[SCREEN_CODE_MAX];
    int width = 0;
    int height = 0;
    FILE *file = size > 0 ? fmemopen((void *)data, size, "rb") : NULL;

    if (file == NULL) {
        return 0;
    }
    uint8_t *grey = shots_pixels(file, PIXELS_MAX, &width, &height, error);

    fclose(file);
    demand((grey == NULL) == (error[0] != '\0'));
    if (grey != NULL) {
        demand((size_t)width * (size_t)height <= PIXELS_MAX);
        demand(read_code(grey, width, height, code, sizeof(code)) <= sizeof(code));
    }
    free(grey);
    return 0;
}
