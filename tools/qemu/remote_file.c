/* SPDX-License-Identifier: BSD-2-Clause */
#include "tools/qemu/remote_file.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define SECTORS_PER_MIB 2048

static bool read_file(void *argument, uint64_t offset, uint8_t *to, uint32_t length)
{
    const struct remote_file *remote = argument;

    return pread(remote->file, to, length, (off_t)offset) == (ssize_t)length;
}

static bool read_made(void *argument, uint64_t offset, uint8_t *to, uint32_t length)
{
    const struct remote_file *remote = argument;

    layout_bytes(&remote->layout, offset, to, length);
    return true;
}

static bool open_file(struct remote_file *remote, const char *path)
{
    struct stat status;

    remote->file = open(path, O_RDONLY | O_CLOEXEC);
    if (remote->file < 0 || fstat(remote->file, &status) != 0) {
        return false;
    }
    if (!S_ISREG(status.st_mode)) {
        errno = S_ISDIR(status.st_mode) ? EISDIR : EINVAL;
        return false;
    }
    remote->export.bytes = (uint64_t)status.st_size;
    remote->export.read = read_file;
    return true;
}

bool remote_file_open(struct remote_file *remote, const char *path, char *error, size_t size)
{
    *remote = (struct remote_file){
        .file = -1,
        .export = {.name = LAYOUT_BENCH, .read = read_made, .argument = remote},
    };
    if (path != NULL) {
        if (!open_file(remote, path)) {
            snprintf(error, size, "%s: %s", path, strerror(errno));
            remote_file_close(remote);
            return false;
        }
        return true;
    }
    layout_plan(&remote->layout, (uint64_t)REMOTE_FILE_MIB * SECTORS_PER_MIB, true);
    remote->export.bytes = remote->layout.sectors * LAYOUT_SECTOR;
    return true;
}

void remote_file_close(struct remote_file *remote)
{
    if (remote->file >= 0) {
        close(remote->file);
        remote->file = -1;
    }
}
