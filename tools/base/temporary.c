/* SPDX-License-Identifier: BSD-2-Clause */
#include "tools/base/temporary.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define NAME_MAX_USED 32 /* longest name in use */
#define COPY_BLOCK    4096

bool temporary_create(struct temporary *temporary)
{
    const char *parent = getenv("TMPDIR");

    if (parent == NULL || *parent == '\0') {
        parent = "/tmp";
    }
    const int length = snprintf(temporary->path, sizeof(temporary->path), "%s/tare.XXXXXX", parent);

    if ((size_t)length + NAME_MAX_USED >= sizeof(temporary->path)) {
        temporary->path[0] = '\0';
        errno = ENAMETOOLONG;
        return false;
    }
    if (mkdtemp(temporary->path) == NULL) {
        temporary->path[0] = '\0';
        return false;
    }
    return true;
}

void temporary_remove(struct temporary *temporary)
{
    DIR *directory = temporary->path[0] == '\0' ? NULL : opendir(temporary->path);

    if (directory == NULL) {
        return;
    }
    for (struct dirent *entry = readdir(directory); entry != NULL; entry = readdir(directory)) {
        if (strcmp(entry->d_name, ".") != 0 && strcmp(entry->d_name, "..") != 0) {
            unlinkat(dirfd(directory), entry->d_name, 0);
        }
    }
    closedir(directory);
    rmdir(temporary->path);
    temporary->path[0] = '\0';
}

void temporary_name(const struct temporary *temporary, const char *name,
                    char path[TEMPORARY_PATH_MAX])
{
    const size_t length = strnlen(temporary->path, TEMPORARY_PATH_MAX - NAME_MAX_USED);

    memcpy(path, temporary->path, length);
    snprintf(path + length, TEMPORARY_PATH_MAX - length, "/%s", name);
}

bool temporary_write(const struct temporary *temporary, const char *name, const char *text)
{
    char path[TEMPORARY_PATH_MAX];

    temporary_name(temporary, name, path);
    FILE *file = fopen(path, "wx");

    if (file == NULL) {
        return false;
    }
    const bool written = fputs(text, file) >= 0;

    return fclose(file) == 0 && written;
}

static bool copy_bytes(FILE *from, FILE *to)
{
    char block[COPY_BLOCK];
    size_t length;

    while ((length = fread(block, 1, sizeof(block), from)) > 0) {
        if (fwrite(block, 1, length, to) != length) {
            return false;
        }
    }
    return ferror(from) == 0;
}

bool temporary_copy(const struct temporary *temporary, const char *name, const char *source)
{
    char path[TEMPORARY_PATH_MAX];

    temporary_name(temporary, name, path);
    FILE *from = fopen(source, "r");

    if (from == NULL) {
        return false;
    }
    FILE *to = fopen(path, "wx");
    const bool copied = to != NULL && copy_bytes(from, to);

    fclose(from);
    return to != NULL && fclose(to) == 0 && copied;
}
