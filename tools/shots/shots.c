/* SPDX-License-Identifier: BSD-2-Clause */
#include "tools/shots/shots.h"

#include <errno.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "kernel/link/screen_blocks.h"
#include "tools/shots/picture.h"
#include "tools/shots/read_code.h"

#define FILE_BYTES_MAX (64u << 20)
#define PIXELS_MAX     (64u << 20) /* a screen of 8K has half of them */

/* Returns the file's bytes, which free() frees, or NULL with the reason in `error`. */
static uint8_t *read_file(const char *path, size_t *length, char error[PICTURE_ERROR_MAX])
{
    FILE *file = fopen(path, "rb");
    uint8_t *bytes = file != NULL ? malloc(FILE_BYTES_MAX + 1) : NULL;

    *length = bytes != NULL ? fread(bytes, 1, FILE_BYTES_MAX + 1, file) : 0;
    if (bytes == NULL || ferror(file)) {
        snprintf(error, PICTURE_ERROR_MAX, "cannot read it: %s", strerror(errno));
    } else if (*length > FILE_BYTES_MAX) {
        snprintf(error, PICTURE_ERROR_MAX, "expected at most %u bytes: crop the picture",
                 FILE_BYTES_MAX);
    } else {
        fclose(file);
        return bytes;
    }
    if (file != NULL) {
        fclose(file);
    }
    free(bytes);
    return NULL;
}

static bool read_picture(const char *path, struct picture *picture, char error[PICTURE_ERROR_MAX])
{
    size_t length;
    uint8_t *bytes = read_file(path, &length, error);
    const bool good = bytes != NULL && picture_read(bytes, length, PIXELS_MAX, picture, error);

    free(bytes);
    return good;
}

/* Adds the code of a picture. Returns false with the reason in `error` if it does not help. */
static bool add_picture(struct screen_gather *gather, const char *path,
                        char error[PICTURE_ERROR_MAX])
{
    struct picture picture;
    uint8_t code[SCREEN_CODE_MAX];

    if (!read_picture(path, &picture, error)) {
        return false;
    }
    const size_t length =
        read_code(picture.grey, picture.width, picture.height, code, sizeof(code));

    free(picture.grey);
    if (length == 0) {
        snprintf(error, PICTURE_ERROR_MAX,
                 "no QR code can be read in it: take the whole screen, without a mouse pointer on "
                 "the code; or the code changed meanwhile: take another");
        return false;
    }
    const enum screen_read read = screen_gather_add(gather, code, length);

    snprintf(error, PICTURE_ERROR_MAX, "its code %s", screen_read_text(read));
    return read == SCREEN_NEW;
}

/* Returns whether the file holds these bytes and no others. */
static bool holds(FILE *file, const uint8_t *bytes, size_t length)
{
    uint8_t *found = malloc(length + 1);
    const bool same = found != NULL && fread(found, 1, length + 1, file) == length &&
                      memcmp(found, bytes, length) == 0;

    free(found);
    return same;
}

static bool write_log(const char *path, const uint8_t *bytes, size_t length,
                      char error[SHOTS_ERROR_MAX])
{
    struct output_file file;
    FILE *old = fopen(path, "rb");

    if (old != NULL) {
        const bool same = holds(old, bytes, length);

        fclose(old);
        if (!same) {
            snprintf(error, SHOTS_ERROR_MAX,
                     "%.200s holds another log: move it away, or choose another name with -o",
                     path);
        }
        return same;
    }
    if (!output_file_open(&file, path, error)) {
        return false;
    }
    fwrite(bytes, 1, length, file.stream);
    return output_file_commit(&file, error);
}

/* Writes why the log is not complete, and what to do. */
static void missing_text(const struct screen_gather *gather, size_t count,
                         char error[SHOTS_ERROR_MAX])
{
    if (gather->length == 0) {
        snprintf(error, SHOTS_ERROR_MAX,
                 "no code of tare in %zu picture%s: take screenshots while "
                 "the machine shows its QR codes",
                 count, count == 1 ? "" : "s");
        return;
    }
    const uint32_t missing = gather->blocks - gather->known;

    snprintf(
        error, SHOTS_ERROR_MAX,
        "%u of %u codes: take %u more screenshot%s of other codes, and name all pictures again",
        gather->known, gather->blocks, missing, missing == 1 ? "" : "s");
}

bool shots_to_log(const char *command, char **paths, size_t count, const char *log,
                  char error[SHOTS_ERROR_MAX])
{
    struct screen_gather *gather = calloc(1, sizeof(*gather));
    char why[PICTURE_ERROR_MAX];

    if (gather == NULL) {
        snprintf(error, SHOTS_ERROR_MAX, "not enough memory to gather codes");
        return false;
    }
    for (size_t i = 0; i < count && !screen_gather_complete(gather); i++) {
        if (!add_picture(gather, paths[i], why)) {
            fprintf(stderr, "tare %s: %s: %s\n", command, paths[i], why);
        }
    }
    const bool complete = screen_gather_complete(gather);

    if (!complete) {
        missing_text(gather, count, error);
    }
    const bool good = complete && write_log(log, gather->data, gather->length, error);

    if (good) {
        fprintf(stderr, "tare %s: %u QR codes: a log of %u bytes, kept as %s\n", command,
                gather->blocks, gather->length, log);
    }
    free(gather);
    return good;
}

void shots_log_path(const char *output, const char *picture, char path[SHOTS_PATH_MAX])
{
    const char *name = output != NULL ? output : picture;
    const char *ending = output != NULL ? ".db" : ".png";
    size_t length = strlen(name);
    const size_t tail = strlen(ending);

    if (length > tail && strcmp(name + length - tail, ending) == 0) {
        length -= tail;
    }
    snprintf(path, SHOTS_PATH_MAX, "%.*s.log", (int)length, name);
}
