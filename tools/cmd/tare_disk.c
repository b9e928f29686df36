/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * `tare disk`: makes a disk image whose every sector can be checked.
 */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "tools/base/partial_file.h"
#include "tools/cmd/commands.h"
#include "tools/qemu/disk_image.h"

static struct disk_image image = {
    .bench_mib = 64, .documents = true, .block_bytes = 512, .esp = -1};
static unsigned block; /* index into block_sizes[]; 1: 4096 */
static const char *esp, *boot_code, *output;

static const char *const block_sizes[] = {"512", "4096", NULL};
static const struct option_line options[] = {
    {"mib", OPT_NUMBER(&image.bench_mib, 0, DISK_IMAGE_MIB_MAX), "N",
     "size of BENCH.DAT in MiB, up to 4096 (default 64); 0: no tare partition"},
    {"block", OPT_WORD(&block), NULL, "block size of the disk in bytes (default 512)",
     .words = block_sizes},
    {"no-documents", OPT_CLEAR(&image.documents), NULL,
     "write only BENCH.DAT, without DOC.DAT and SLIDES.DAT"},
    {"esp", OPT_TEXT(&esp), "FILE",
     "the first partition: an EFI system partition with this file system"},
    {"boot-code", OPT_TEXT(&boot_code), "FILE",
     "boot sector code that a legacy BIOS starts, at most 440 bytes (default: none)"},
    {"output", OPT_TEXT(&output), "DISK.img", "the image to write", .letter = 'o',
     .required = true},
    OPTIONS_END,
};

static int read_boot_code(void)
{
    uint8_t bytes[DISK_IMAGE_BOOT_CODE_MAX + 1];
    FILE *file = fopen(boot_code, "rbe");
    const size_t length = file != NULL ? fread(bytes, 1, sizeof(bytes), file) : 0;
    const bool bad = file == NULL || ferror(file) != 0;
    const int reason = errno;

    if (file != NULL) {
        fclose(file);
    }
    if (bad) {
        return command_failure(&command_disk, "cannot read %s: %s", boot_code, strerror(reason));
    }
    if (length == 0 || length > DISK_IMAGE_BOOT_CODE_MAX) {
        return command_failure(&command_disk, "%s: boot code must have 1 to %d bytes", boot_code,
                               DISK_IMAGE_BOOT_CODE_MAX);
    }
    memcpy(image.boot_code, bytes, length);
    return COMMAND_OK;
}

static int write_image(void)
{
    struct partial_file file = {0};
    char error[PARTIAL_FILE_ERROR_MAX];

    if (!partial_file_begin(&file, output, error)) {
        return command_failure(&command_disk, "%s", error);
    }
    if (!disk_image_write(file.descriptor, &image, error)) {
        partial_file_discard(&file);
        return command_failure(&command_disk, "%s: %s", output, error);
    }
    return partial_file_commit(&file, error) ? COMMAND_OK
                                             : command_failure(&command_disk, "%s", error);
}

static int run_disk(const struct option_rest *rest)
{
    (void)rest;
    if (image.bench_mib == 0 && esp == NULL) {
        return command_usage_error(&command_disk,
                                   "--mib 0 without --esp: the image would have no partition");
    }
    image.block_bytes = block == 1 ? 4096 : 512;
    int status = boot_code != NULL ? read_boot_code() : COMMAND_OK;

    if (status != COMMAND_OK) {
        return status;
    }
    if (esp != NULL) {
        image.esp = open(esp, O_RDONLY | O_CLOEXEC);
        if (image.esp < 0) {
            return command_failure(&command_disk, "cannot read %s: %s", esp, strerror(errno));
        }
        partial_file_protect(esp);
    }
    status = write_image();
    if (image.esp >= 0) {
        close(image.esp);
    }
    return status;
}

const struct command command_disk = {
    .name = "disk",
    .summary = "make a disk image whose sectors can be checked",
    .about = "usage: tare disk [--mib N] [--block 512|4096] [--no-documents] [--esp FILE]\n"
             "                 [--boot-code FILE] -o DISK.img\n"
             "\n"
             "Makes a disk image for the benches of disks and files: a partition of tare's own\n"
             "type with BENCH.DAT, DOC.DAT and SLIDES.DAT. Each sector of 512 bytes carries\n"
             "its number and a checksum, so that the benches can check everything they read.\n"
             "Attach it to a virtual machine, or write it to a disk that you can erase:\n"
             "\n"
             "    tare boot --mode real --bench disklatency -- \\\n"
             "        -drive if=none,id=d,format=raw,file=DISK.img,snapshot=on \\\n"
             "        -device nvme,serial=1,drive=d\n"
             "\n"
             "tare never writes to a disk. Without such a partition it reads only a disk that\n"
             "the plan names (disk.use), and cannot check what it reads.\n",
    .options = options,
    .notes = "Exit status: 0 done, 1 failed, 2 wrong usage.\n",
    .run = run_disk,
};
