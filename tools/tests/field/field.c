/* SPDX-License-Identifier: BSD-2-Clause */
/*
 *     field FOLDER|FILE...
 *
 * Feeds dumps of machines through the image's parsers and prints what they conclude, a line a kind
 * of table. Exit status: 0, or 1 where a file could not be read or nothing in it is known.
 */
#include <dirent.h>
#include <errno.h>
#include <limits.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "tools/base/alloc.h"
#include "tools/tests/field/conclude.h"

#define FILE_BYTES_MAX (64u << 20)

static bool read_file(const char *path)
{
    const char *slash = strrchr(path, '/');
    const char *name = slash != NULL ? slash + 1 : path;
    FILE *in = fopen(path, "rb");
    uint8_t *bytes = alloc_zeroed(FILE_BYTES_MAX);
    const size_t length = in != NULL ? fread(bytes, 1, FILE_BYTES_MAX, in) : 0;
    const bool good = in != NULL && ferror(in) == 0;

    if (!good) {
        fprintf(stderr, "field: %s: %s\n", path, strerror(errno));
    } else if (conclude(stdout, name, bytes, length) == 0) {
        printf("%s: refused: no table of a form that is known\n", name);
    }
    if (in != NULL) {
        fclose(in);
    }
    free(bytes);
    return good;
}

static int is_visible(const struct dirent *entry)
{
    return entry->d_name[0] != '.';
}

static bool read_folder(const char *folder)
{
    struct dirent **entries;
    const int count = scandir(folder, &entries, is_visible, alphasort);
    bool good = count >= 0;

    for (int i = 0; i < count; i++) {
        char path[PATH_MAX];

        snprintf(path, sizeof(path), "%s/%s", folder, entries[i]->d_name);
        good = read_file(path) && good;
        free(entries[i]);
    }
    if (count >= 0) {
        free(entries);
    }
    return good;
}

int main(int argc, char **argv)
{
    bool good = argc > 1;

    if (argc < 2) {
        fputs("usage: field FOLDER|FILE...\n", stderr);
    }
    for (int i = 1; i < argc; i++) {
        struct stat status;
        const bool folder = stat(argv[i], &status) == 0 && S_ISDIR(status.st_mode);

        good = (folder ? read_folder(argv[i]) : read_file(argv[i])) && good;
    }
    return good ? 0 : 1;
}
