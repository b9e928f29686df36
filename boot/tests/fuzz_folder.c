/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * libFuzzer: any bytes as the image's device path. A folder begins and ends with a backslash, and
 * holds no empty name, no slash, no `.` and no `..`.
 */
#include <stdlib.h>
#include <string.h>

#include "boot/image_folder.h"
#include "tools/tests/support/demand.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static bool is_dots(const uint16_t *name, size_t length)
{
    return length > 0 && length <= 2 && name[0] == '.' && name[length - 1] == '.';
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    uint16_t folder[IMAGE_FOLDER_MAX];
    uint8_t *copy = malloc(size > 0 ? size : 1);
    size_t name = 1;

    if (size > 0) {
        memcpy(copy, data, size);
    }
    const size_t length = image_folder(copy, size, folder);

    free(copy);
    demand(length < IMAGE_FOLDER_MAX && folder[length] == 0);
    demand(length == 0 || (folder[0] == '\\' && folder[length - 1] == '\\'));
    for (size_t i = 1; i < length; i++) {
        demand(folder[i] != 0 && folder[i] != '/');
        if (folder[i] == '\\') {
            demand(i > name && !is_dots(folder + name, i - name));
            name = i + 1;
        }
    }
    return 0;
}
