/* SPDX-License-Identifier: BSD-2-Clause */
#include "tools/shots/picture.h"

#include <png.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define SIGNATURE_BYTES 8

bool picture_is_png(const char *path)
{
    uint8_t head[SIGNATURE_BYTES];
    FILE *file = fopen(path, "rb");
    const bool read = file != NULL && fread(head, 1, sizeof(head), file) == sizeof(head);

    if (file != NULL) {
        fclose(file);
    }
    return read && png_sig_cmp(head, 0, sizeof(head)) == 0;
}

static bool has_good_size(const png_image *image, size_t pixels_max)
{
    return image->width <= PICTURE_SIDE_MAX && image->height <= PICTURE_SIDE_MAX &&
           (size_t)image->width * image->height <= pixels_max;
}

bool picture_read(const uint8_t *bytes, size_t length, size_t pixels_max, struct picture *picture,
                  char error[PICTURE_ERROR_MAX])
{
    png_image image = {.version = PNG_IMAGE_VERSION};

    if (png_image_begin_read_from_memory(&image, bytes, length) == 0) {
        snprintf(error, PICTURE_ERROR_MAX, "not a whole PNG file (%s)", image.message);
        return false;
    }
    if (!has_good_size(&image, pixels_max)) {
        snprintf(error, PICTURE_ERROR_MAX,
                 "expected at most %d pixels a side and %zu in all, got %u by %u: crop the picture",
                 PICTURE_SIDE_MAX, pixels_max, image.width, image.height);
        png_image_free(&image);
        return false;
    }
    image.format = PNG_FORMAT_GRAY;
    picture->width = (int)image.width;
    picture->height = (int)image.height;
    picture->grey = malloc(PNG_IMAGE_SIZE(image));
    if (picture->grey == NULL) {
        snprintf(error, PICTURE_ERROR_MAX, "not enough memory for its pixels");
        png_image_free(&image);
        return false;
    }
    memset(picture->grey, UINT8_MAX, PNG_IMAGE_SIZE(image)); /* behind transparent pixels */
    if (png_image_finish_read(&image, NULL, picture->grey, 0, NULL) == 0) {
        snprintf(error, PICTURE_ERROR_MAX, "not a whole PNG file (%s)", image.message);
        free(picture->grey);
        return false;
    }
    return true;
}
