/* SPDX-License-Identifier: BSD-2-Clause */
#include "tools/qemu/firmware.h"

#include <errno.h>
#include <fcntl.h>
#include <stdint.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define FOUR_GIB   (UINT64_C(1) << 32)
#define FILE_BYTES ((off_t)(FOUR_GIB - FIRMWARE_TPM_ADDRESS))
#define BLOCK      4096

static bool write_ones(int file)
{
    uint8_t ones[BLOCK];

    memset(ones, 0xff, sizeof(ones));
    for (size_t written = 0; written < FIRMWARE_TPM_BYTES; written += sizeof(ones)) {
        if (write(file, ones, sizeof(ones)) != (ssize_t)sizeof(ones)) {
            return false;
        }
    }
    return true;
}

/* False too if the source ends before `bytes`. */
static bool copy_to_end(int from, int to, off_t bytes)
{
    uint8_t block[BLOCK];

    if (lseek(to, FILE_BYTES - bytes, SEEK_SET) < 0) {
        return false;
    }
    while (bytes > 0) {
        const ssize_t length = read(from, block, sizeof(block));

        if (length <= 0 || write(to, block, (size_t)length) != length) {
            return false;
        }
        bytes -= length;
    }
    return true;
}

static bool place(int from, off_t bytes, const char *target)
{
    const int to = open(target, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600);

    if (to < 0) {
        return false;
    }
    const bool written = write_ones(to) && copy_to_end(from, to, bytes);

    return close(to) == 0 && written;
}

bool firmware_without_tpm(const char *source, const char *target)
{
    const int from = open(source, O_RDONLY | O_CLOEXEC);
    struct stat status;

    if (from < 0 || fstat(from, &status) != 0) {
        if (from >= 0) {
            close(from);
        }
        return false;
    }
    bool placed = false;

    if (!S_ISREG(status.st_mode) || status.st_size == 0 ||
        status.st_size > FILE_BYTES - (off_t)FIRMWARE_TPM_BYTES) {
        errno = EFBIG;
    } else {
        errno = EIO; /* short writes and reads set none */
        placed = place(from, status.st_size, target);
    }
    close(from);
    return placed;
}
