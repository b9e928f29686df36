/* SPDX-License-Identifier: BSD-2-Clause */
#include "tools/base/partial_file.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include "tools/base/alloc.h"

#define NAME_MAX_USED 32 /* longest name in use */
#define COPY_BLOCK    4096

static const char suffix[] = ".tmp";

static bool fail(char error[PARTIAL_FILE_ERROR_MAX], const char *path, const char *reason)
{
    snprintf(error, PARTIAL_FILE_ERROR_MAX, "cannot write %.400s: %s", path, reason);
    return false;
}

bool partial_file_is_possible(const char *path)
{
    struct stat status;

    return stat(path, &status) != 0 || S_ISREG(status.st_mode);
}

/* ---- inputs ---- */

static struct {
    struct identity {
        dev_t device;
        ino_t inode;
    } * item;
    size_t count, capacity;
} protected_files;

bool partial_file_is_protected(const char *path)
{
    struct stat status;

    if (stat(path, &status) != 0) {
        return false;
    }
    for (size_t i = 0; i < protected_files.count; i++) {
        const struct identity *const item = &protected_files.item[i];

        if (item->device == status.st_dev && item->inode == status.st_ino) {
            return true;
        }
    }
    return false;
}

void partial_file_protect(const char *path)
{
    struct stat status;

    if (stat(path, &status) != 0 || !S_ISREG(status.st_mode) || partial_file_is_protected(path)) {
        return;
    }
    protected_files.item = alloc_append(protected_files.item, &protected_files.count,
                                        &protected_files.capacity, sizeof(struct identity));
    protected_files.item[protected_files.count - 1] =
        (struct identity){status.st_dev, status.st_ino};
}

/* ---- outputs ---- */

bool partial_file_is_open_as(const char *path, int descriptor)
{
    struct stat held;
    struct stat named;

    return fstat(descriptor, &held) == 0 && stat(path, &named) == 0 &&
           held.st_dev == named.st_dev && held.st_ino == named.st_ino;
}

/* Opens the temporary file. Does not follow a link that another user may have placed, and does not
 * wait for a pipe. */
static bool open_name(struct partial_file *file, char error[PARTIAL_FILE_ERROR_MAX])
{
    file->descriptor =
        open(file->name, O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK, 0666);
    if (file->descriptor < 0) {
        return errno == ELOOP ? fail(error, file->name, "is a symbolic link; remove it")
                              : fail(error, file->path, strerror(errno));
    }
    if (!partial_file_is_possible(file->name)) {
        return fail(error, file->name, "exists and is not a regular file; remove it");
    }
    /* If the file system does not support locks, programs can disturb each other. */
    if (flock(file->descriptor, LOCK_EX | LOCK_NB) != 0 && errno == EWOULDBLOCK) {
        return fail(error, file->path, "another program is writing it; wait, or name another file");
    }
    return true;
}

/* Checks that a file is not an input. `name` is `path` itself or the temporary file. */
static bool check_protected(const char *name, const char *path, char error[PARTIAL_FILE_ERROR_MAX])
{
    return !partial_file_is_protected(name) ||
           fail(error, path,
                name == path ? "it is an input of this command; name another file"
                             : "PATH.tmp is an input of this command; name another file");
}

static void let_go(struct partial_file *file)
{
    if (file->descriptor >= 0) {
        close(file->descriptor);
    }
    free(file->name);
    file->name = NULL;
}

bool partial_file_begin(struct partial_file *file, const char *path,
                        char error[PARTIAL_FILE_ERROR_MAX])
{
    const size_t size = strlen(path) + sizeof(suffix);

    *file = (struct partial_file){.path = path, .descriptor = -1};
    if (!partial_file_is_possible(path)) {
        return fail(error, path, "exists and is not a regular file; use another name");
    }
    file->name = alloc_zeroed(size);
    snprintf(file->name, size, "%s%s", path, suffix);
    bool ok = check_protected(path, path, error) && check_protected(file->name, path, error) &&
              open_name(file, error);

    /* The previous writer may have renamed the file between this program's opening and locking it.
     * The descriptor is then that of the previous writer's finished file. */
    while (ok && !partial_file_is_open_as(file->name, file->descriptor)) {
        close(file->descriptor);
        ok = open_name(file, error);
    }
    if (ok && ftruncate(file->descriptor, 0) != 0) {
        ok = fail(error, path, strerror(errno));
    }
    if (!ok) {
        let_go(file);
    }
    return ok;
}

bool partial_file_move(struct partial_file *file, const char *path,
                       char error[PARTIAL_FILE_ERROR_MAX])
{
    if (!partial_file_is_possible(path)) {
        return fail(error, path, "exists and is not a regular file; use another name");
    }
    if (!check_protected(path, path, error)) {
        return false;
    }
    file->path = path;
    return true;
}

bool partial_file_commit(struct partial_file *file, char error[PARTIAL_FILE_ERROR_MAX])
{
    if (rename(file->name, file->path) != 0) {
        fail(error, file->path, strerror(errno));
        partial_file_discard(file);
        return false;
    }
    let_go(file);
    return true;
}

void partial_file_discard(struct partial_file *file)
{
    if (file->name != NULL) {
        unlink(file->name);
        let_go(file);
    }
}

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

bool copy_bytes(FILE *from, FILE *to)
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
