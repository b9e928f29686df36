/* SPDX-License-Identifier: BSD-2-Clause */
#include "tools/shots/shots.h"

#include <errno.h>
#include <png.h>
#include <stdlib.h>
#include <string.h>

#include "kernel/link/screen_blocks.h"
#include "tools/base/alloc.h"
#include "tools/shots/read_code.h"

#define SIDE_MAX   16384
#define PIXELS_MAX (64u << 20) /* a screen of 8K has half of them */

uint8_t *shots_pixels(FILE *file, size_t pixels_max, int *width, int *height,
                      char error[SHOTS_ERROR_MAX])
{
    png_image image = {.version = PNG_IMAGE_VERSION};
    uint8_t *grey = NULL;

    if (png_image_begin_read_from_stdio(&image, file) != 0) {
        image.format = PNG_FORMAT_GRAY;
        if (image.width > SIDE_MAX || image.height > SIDE_MAX ||
            PNG_IMAGE_SIZE(image) > pixels_max) {
            snprintf(error, SHOTS_ERROR_MAX,
                     "expected at most %zu pixels, got %u by %u: crop the picture", pixels_max,
                     image.width, image.height);
            png_image_free(&image);
            return NULL;
        }
        *width = (int)image.width;
        *height = (int)image.height;
        grey = calloc(1, PNG_IMAGE_SIZE(image));
        if (grey != NULL && png_image_finish_read(&image, NULL, grey, 0, NULL) != 0) {
            return grey;
        }
        png_image_free(&image);
    }
    snprintf(error, SHOTS_ERROR_MAX, "not a whole PNG file: %s",
             image.message[0] != '\0' ? image.message : "not enough memory");
    free(grey);
    return NULL;
}

/* Adds the code of a picture. Returns false with the reason in `error` if it does not help. */
static bool add_picture(struct screen_gather *gather, const char *path, char error[SHOTS_ERROR_MAX])
{
    uint8_t code[SCREEN_CODE_MAX];
    int width;
    int height;
    FILE *file = fopen(path, "rb");

    if (file == NULL) {
        snprintf(error, SHOTS_ERROR_MAX, "cannot read it: %s", strerror(errno));
        return false;
    }
    uint8_t *grey = shots_pixels(file, PIXELS_MAX, &width, &height, error);

    fclose(file);
    if (grey == NULL) {
        return false;
    }
    const size_t length = read_code(grey, width, height, code, sizeof(code));
    const enum screen_read read = screen_gather_add(gather, code, length);

    free(grey);
    snprintf(error, SHOTS_ERROR_MAX, "its code %s", screen_read_text(read));
    if (length == 0) {
        snprintf(error, SHOTS_ERROR_MAX,
                 "no QR code can be read in it: the picture must have all of it, without a mouse "
                 "pointer; or the code changed meanwhile: take another");
    }
    return read == SCREEN_NEW;
}

static bool write_log(const char *path, const struct screen_gather *gather,
                      char error[SHOTS_ERROR_MAX])
{
    FILE *file = fopen(path, "wbx");

    if (file == NULL) {
        snprintf(error, SHOTS_ERROR_MAX, "cannot write %.200s: %s%s", path, strerror(errno),
                 errno == EEXIST ? "; decode that log, or choose another name with -o" : "");
        return false;
    }
    const bool whole = fwrite(gather->data, 1, gather->length, file) == gather->length;

    if (fclose(file) != 0 || !whole) {
        snprintf(error, SHOTS_ERROR_MAX, "cannot write %.200s: %s", path, strerror(errno));
        remove(path);
        return false;
    }
    fprintf(stderr, "tare decode: %u QR codes: a log of %u bytes, kept as %s\n", gather->blocks,
            gather->length, path);
    return true;
}

bool shots_to_log(char **paths, size_t count, const char *log, char error[SHOTS_ERROR_MAX])
{
    struct screen_gather *gather = alloc_zeroed(sizeof(*gather));
    bool written = false;

    for (size_t i = 0; i < count && !screen_gather_complete(gather); i++) {
        if (!add_picture(gather, paths[i], error)) {
            fprintf(stderr, "tare decode: %s: %s\n", paths[i], error);
        }
    }
    if (screen_gather_complete(gather)) {
        written = write_log(log, gather, error);
    } else if (gather->length > 0) {
        snprintf(error, SHOTS_ERROR_MAX,
                 "%u of %u codes: take screenshots of %u more, and name all pictures again",
                 gather->known, gather->blocks, gather->blocks - gather->known);
    } else if (gather->blocks > 0) {
        snprintf(error, SHOTS_ERROR_MAX,
                 "the codes make a log whose CRC is wrong: take all screenshots again");
    } else {
        snprintf(error, SHOTS_ERROR_MAX,
                 "no code of tare in these pictures: take screenshots while the machine shows its "
                 "QR codes");
    }
    free(gather);
    return written;
}
