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

#define FILE_BYTES_MAX (64 << 20)
#define DEPTH_MAX      16

/* NAME is what is printed: the path below the folder that was asked for. */
static bool read_file(const char *path, const char *name, off_t size)
{
    const size_t room = (size_t)(size < FILE_BYTES_MAX ? size : FILE_BYTES_MAX);
    FILE *in = fopen(path, "rb");
    uint8_t *bytes = alloc_zeroed(room + 1);
    const size_t length = in != NULL ? fread(bytes, 1, room, in) : 0;
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

static bool read_any(const char *path, const char *name, unsigned depth);

static bool read_folder(const char *folder, const char *name, unsigned depth)
{
    struct dirent **entries;
    const int count = depth < DEPTH_MAX ? scandir(folder, &entries, is_visible, alphasort) : -1;
    bool good = count >= 0;

    for (int i = 0; i < count; i++) {
        char path[PATH_MAX];
        char shown[PATH_MAX];

        snprintf(path, sizeof(path), "%s/%s", folder, entries[i]->d_name);
        snprintf(shown, sizeof(shown), "%s%s%s", name, *name != '\0' ? "/" : "",
                 entries[i]->d_name);
        good = read_any(path, shown, depth + 1) && good;
        free(entries[i]);
    }
    if (count >= 0) {
        free(entries);
    } else {
        fprintf(stderr, "field: %s: %s\n", folder,
                depth < DEPTH_MAX ? strerror(errno) : "too deep");
    }
    return good;
}

static bool read_any(const char *path, const char *name, unsigned depth)
{
    const char *slash = strrchr(path, '/');
    struct stat status;

    if (stat(path, &status) != 0) {
        fprintf(stderr, "field: %s: %s\n", path, strerror(errno));
        return false;
    }
    if (S_ISDIR(status.st_mode)) {
        return read_folder(path, name, depth);
    }
    return read_file(path, *name != '\0' ? name : slash != NULL ? slash + 1 : path, status.st_size);
}

int main(int argc, char **argv)
{
    bool good = argc > 1;

    if (argc < 2) {
        fputs("usage: field FOLDER|FILE...\n", stderr);
    }
    for (int i = 1; i < argc; i++) {
        good = read_any(argv[i], "", 0) && good;
    }
    return good ? 0 : 1;
}
