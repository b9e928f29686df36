/* SPDX-License-Identifier: BSD-2-Clause */
/* libFuzzer: a picture file, as pixels and as a code. */
#include <stdlib.h>

#include "kernel/link/screen_blocks.h"
#include "tools/shots/picture.h"
#include "tools/shots/read_code.h"
#include "tools/tests/support/demand.h"

#define PIXELS_MAX 20000

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    char error[PICTURE_ERROR_MAX];
    uint8_t code[SCREEN_CODE_MAX];
    struct picture picture;

    if (!picture_read(data, size, PIXELS_MAX, &picture, error)) {
        demand(error[0] != '\0');
        return 0;
    }
    demand((size_t)picture.width * (size_t)picture.height <= PIXELS_MAX);
    demand(read_code(picture.grey, picture.width, picture.height, code, sizeof(code)) <=
           sizeof(code));
    free(picture.grey);
    return 0;
}
