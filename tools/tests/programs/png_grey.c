/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * png_grey FILE.png LEFT TOP WIDTH HEIGHT...: the darkest grey, 0 to 255, of each rectangle of
 * pixels, a line each; what lies outside the picture is white.
 */
#include <png.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define RECTANGLE 4 /* arguments of one */

static unsigned darkest(const png_image *image, const png_byte *pixels, const long *rectangle)
{
    unsigned grey = 255;

    for (long y = rectangle[1]; y < rectangle[1] + rectangle[3] && y < (long)image->height; y++) {
        for (long x = rectangle[0]; x < rectangle[0] + rectangle[2] && x < (long)image->width;
             x++) {
            const unsigned here = pixels[(size_t)y * image->width + (size_t)x];

            grey = here < grey ? here : grey;
        }
    }
    return grey;
}

int main(int argc, char **argv)
{
    const png_color white = {255, 255, 255};
    png_image image = {.version = PNG_IMAGE_VERSION};

    if (argc < 2 || (argc - 2) % RECTANGLE != 0 ||
        !png_image_begin_read_from_file(&image, argv[1])) {
        fprintf(stderr, "png_grey: %s\n", argc < 2 ? "which file?" : image.message);
        return EXIT_FAILURE;
    }
    image.format = PNG_FORMAT_GRAY;
    png_byte *pixels = malloc(PNG_IMAGE_SIZE(image));

    if (pixels == NULL || !png_image_finish_read(&image, &white, pixels, 0, NULL)) {
        fprintf(stderr, "png_grey: %s: %s\n", argv[1], image.message);
        free(pixels);
        return EXIT_FAILURE;
    }
    for (int i = 2; i < argc; i += RECTANGLE) {
        long rectangle[RECTANGLE];

        for (int k = 0; k < RECTANGLE; k++) {
            const long value = strtol(argv[i + k], NULL, 10);

            rectangle[k] = value > 0 ? value : 0;
        }
        printf("%u\n", darkest(&image, pixels, rectangle));
    }
    free(pixels);
    return EXIT_SUCCESS;
}
