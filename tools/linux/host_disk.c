/* SPDX-License-Identifier: BSD-2-Clause */
#include "tools/linux/host_disk.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/magic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/vfs.h>
#include <unistd.h>

#include "kernel/block/gpt.h"
#include "kernel/block/layout.h"
#include "tools/base/alloc.h"

static struct host_disk opened;
static bool is_open;

struct host_disk *host_disk(void)
{
    return is_open ? &opened : NULL;
}

/* ---- what is on it ---- */

static bool read_block(void *context, uint64_t block, void *to)
{
    const struct host_disk *disk = context;

    return pread(disk->through_cache, to, LAYOUT_SECTOR, (off_t)(block * LAYOUT_SECTOR)) ==
           LAYOUT_SECTOR;
}

/* Looks for a directory at byte `at`, in a partition of `bytes`. Returns whether it lists
 * BENCH.DAT. */
static bool has_directory(struct host_disk *disk, uint64_t at, uint64_t bytes)
{
    uint8_t sector[LAYOUT_SECTOR];
    struct layout layout;

    if (!read_block(disk, at / LAYOUT_SECTOR, sector) ||
        layout_read(sector, bytes / LAYOUT_SECTOR, &layout) != NULL) {
        return false;
    }
    const struct layout_file *file = layout_find(&layout, LAYOUT_BENCH);

    if (file == NULL) {
        return false;
    }
    disk->first = at + file->first * LAYOUT_SECTOR;
    disk->bytes = file->sectors * LAYOUT_SECTOR;
    disk->number = (uint64_t)(file - layout.files) + 1;
    return true;
}

/* Looks for tare's partition in the file, taken as the image of a disk. */
static bool has_partition(struct host_disk *disk, uint64_t bytes)
{
    static const uint8_t type[GPT_TYPE_BYTES] = LAYOUT_PARTITION_TYPE;
    uint8_t buffer[LAYOUT_SECTOR];
    const struct gpt_disk table = {.blocks = bytes / LAYOUT_SECTOR,
                                   .block_bytes = LAYOUT_SECTOR,
                                   .read = read_block,
                                   .context = disk,
                                   .buffer = buffer};
    struct gpt_partition found;

    return gpt_find(&table, type, &found) == GPT_FOUND &&
           has_directory(disk, found.first * LAYOUT_SECTOR, found.blocks * LAYOUT_SECTOR);
}

/* Returns whether the file is BENCH.DAT alone, which begins with its sector 0. */
static bool is_alone(struct host_disk *disk)
{
    uint8_t sector[LAYOUT_SECTOR];

    if (!read_block(disk, 0, sector)) {
        return false;
    }
    for (uint64_t number = 1; number <= LAYOUT_FILES_MAX; number++) {
        if (layout_check(sector, number, 0)) {
            disk->number = number;
            return true;
        }
    }
    return false;
}

/* ---- opening ---- */

static bool refuse(const char *path, char error[HOST_ERROR_MAX], const char *why)
{
    snprintf(error, HOST_ERROR_MAX, "--file %.200s: %s", path, why);
    return false;
}

/* Finds the smallest block that the file system reads past its cache, by trying a sector first and
 * then larger blocks. Returns 0 if it reads none. */
static uint32_t find_block(const struct host_disk *disk)
{
    uint8_t *buffer = alloc_checked(aligned_alloc(HOST_DISK_PAGE, HOST_DISK_PAGE));
    uint32_t block = LAYOUT_SECTOR;

    while (block <= HOST_DISK_PAGE &&
           pread(disk->past_cache, buffer, block, (off_t)(disk->first + block)) != (ssize_t)block) {
        block *= 2;
    }
    free(buffer);
    return block <= HOST_DISK_PAGE ? block : 0;
}

/* Returns whether the file is in memory. Some kernels accept O_DIRECT there, and copy. */
static bool is_memory(const struct host_disk *disk)
{
    struct statfs system;

    return fstatfs(disk->through_cache, &system) == 0 &&
           (system.f_type == TMPFS_MAGIC || system.f_type == RAMFS_MAGIC);
}

static bool open_file(struct host_disk *disk, char error[HOST_ERROR_MAX])
{
    disk->through_cache = open(disk->path, O_RDONLY | O_CLOEXEC);
    if (disk->through_cache < 0 && errno == ENOENT) {
        return refuse(disk->path, error, "no such file; make one with tare disk -o DISK.img");
    }
    if (disk->through_cache < 0) {
        return refuse(disk->path, error, strerror(errno));
    }
    struct stat status;

    if (fstat(disk->through_cache, &status) != 0 ||
        (!S_ISREG(status.st_mode) && !S_ISBLK(status.st_mode))) {
        return refuse(disk->path, error, "is neither a file nor a disk");
    }
    if (is_memory(disk)) {
        return refuse(disk->path, error,
                      "its file system is memory (tmpfs), where no disk is read: move the file to "
                      "one on a disk, such as ext4 or xfs");
    }
    disk->past_cache = open(disk->path, O_RDONLY | O_DIRECT | O_CLOEXEC);
    return disk->past_cache >= 0 ||
           refuse(disk->path, error,
                  errno == EINVAL ? "its file system cannot bypass the cache (O_DIRECT): move "
                                    "the file to one on a disk, such as ext4 or xfs"
                                  : strerror(errno));
}

static bool look_into(struct host_disk *disk, char error[HOST_ERROR_MAX])
{
    const off_t end = lseek(disk->through_cache, 0, SEEK_END);

    if (end < HOST_DISK_LEAST) {
        return refuse(disk->path, error,
                      "is too small: benches read 64 KiB or more; tare disk makes 64 MiB");
    }
    if (!has_partition(disk, (uint64_t)end) && !has_directory(disk, 0, (uint64_t)end)) {
        disk->bytes = (uint64_t)end;
        is_alone(disk);
    }
    disk->bytes -= disk->bytes % HOST_DISK_PAGE;
    if (disk->bytes < HOST_DISK_LEAST || disk->first + disk->bytes > (uint64_t)end) {
        return refuse(
            disk->path, error,
            "its BENCH.DAT is incomplete, or smaller than 64 KiB: make another with tare disk");
    }
    disk->block = find_block(disk);
    return disk->block != 0 ||
           refuse(disk->path, error,
                  "its file system cannot read 4096 bytes directly (O_DIRECT): move the file "
                  "to one on a disk, such as ext4 or xfs");
}

bool host_disk_open(const char *path, char error[HOST_ERROR_MAX])
{
    opened = (struct host_disk){.path = path, .past_cache = -1, .through_cache = -1};
    is_open = open_file(&opened, error) && look_into(&opened, error);
    if (!is_open && opened.through_cache >= 0) {
        close(opened.through_cache);
    }
    if (!is_open && opened.past_cache >= 0) {
        close(opened.past_cache);
    }
    return is_open;
}

/* ---- reading ---- */

void host_disk_begin(struct host_disk *disk)
{
    disk->checked = 0;
    disk->wrong = 0;
}

const char *host_disk_read(const struct host_disk *disk, bool cached, uint64_t at, uint64_t bytes,
                           void *to)
{
    const ssize_t got = pread(cached ? disk->through_cache : disk->past_cache, to, bytes,
                              (off_t)(disk->first + at));

    if (got == (ssize_t)bytes) {
        return NULL;
    }
    return got < 0 ? strerror(errno) : "the file ends before that byte: it has become smaller";
}

void host_disk_check(struct host_disk *disk, uint64_t at, uint64_t bytes, const uint8_t *read)
{
    for (uint64_t i = 0; disk->number != 0 && i < bytes / LAYOUT_SECTOR; i++) {
        disk->checked++;
        disk->wrong +=
            !layout_check(read + i * LAYOUT_SECTOR, disk->number, at / LAYOUT_SECTOR + i);
    }
}

void host_disk_drop(const struct host_disk *disk)
{
    posix_fadvise(disk->through_cache, 0, 0, POSIX_FADV_DONTNEED);
}
