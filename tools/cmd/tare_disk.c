/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * tare disk: an image of a disk whose every sector can be checked.
 */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "kernel/plan/number.h"
#include "tools/base/partial_file.h"
#include "tools/cmd/commands.h"
#include "tools/disk/disk_image.h"

static const char help[] =
    "usage: tare disk [--mib N] [--block 512|4096] [--no-documents] [--esp FILE]\n"
    "                 [--boot-code FILE] -o DISK.img\n"
    "\n"
    "Makes an image of a disk for the benches of disks and files: a partition of\n"
    "tare's own type with BENCH.DAT, DOC.DAT and SLIDES.DAT. Each sector of 512 bytes\n"
    "carries its number and a checksum, so that the image can check all that it\n"
    "reads. Attach it to a virtual machine, or write it to a disk that may be lost:\n"
    "\n"
    "    tare boot --mode real --bench disklatency -- \\\n"
    "        -drive if=none,id=d,format=raw,file=DISK.img,snapshot=on \\\n"
    "        -device nvme,serial=1,drive=d\n"
    "\n"
    "tare never writes to a disk. Without such a partition it reads only a disk that\n"
    "the plan names (disk.use), and cannot check what it reads.\n"
    "\n"
    "  --mib N               size of BENCH.DAT in MiB, up to 4096 (default 64); 0: no\n"
    "                        partition of tare's\n"
    "  --block 512|4096      bytes of a block of the disk (default 512)\n"
    "  --no-documents        BENCH.DAT alone\n"
    "  --esp FILE            the first partition: an EFI system partition with this\n"
    "                        file system\n"
    "  --boot-code FILE      the code of the boot sector that a legacy BIOS starts,\n"
    "                        at most 440 bytes (default: none)\n"
    "  -o, --output DISK.img the image to write\n"
    "  --help                this text\n"
    "\n"
    "Exit status: 0 done, 1 failed, 2 wrong usage.\n";

enum disk_option {
    OPTION_MIB = 256,
    OPTION_BLOCK,
    OPTION_NO_DOCUMENTS,
    OPTION_ESP,
    OPTION_BOOT_CODE,
};

static const struct option options[] = {
    {"mib", required_argument, NULL, OPTION_MIB},
    {"block", required_argument, NULL, OPTION_BLOCK},
    {"no-documents", no_argument, NULL, OPTION_NO_DOCUMENTS},
    {"esp", required_argument, NULL, OPTION_ESP},
    {"boot-code", required_argument, NULL, OPTION_BOOT_CODE},
    {"output", required_argument, NULL, 'o'},
    {NULL, 0, NULL, 0},
};

struct wishes {
    struct disk_image image;
    const char *esp;
    const char *boot_code;
    const char *output;
};

static int take_mib(struct disk_image *image, const char *text)
{
    if (!parse_unsigned(text, &image->bench_mib) || image->bench_mib > DISK_IMAGE_MIB_MAX) {
        return command_usage_error(&command_disk, "--mib %s: must be a number up to %d", text,
                                   DISK_IMAGE_MIB_MAX);
    }
    return COMMAND_OK;
}

static int take_block(struct disk_image *image, const char *text)
{
    uint64_t bytes;

    if (!parse_unsigned(text, &bytes) || (bytes != 512 && bytes != 4096)) {
        return command_usage_error(&command_disk, "--block %s: must be 512 or 4096", text);
    }
    image->block_bytes = (uint32_t)bytes;
    return COMMAND_OK;
}

static int take_option(struct wishes *wishes, int option)
{
    switch (option) {
    case OPTION_MIB:
        return take_mib(&wishes->image, optarg);
    case OPTION_BLOCK:
        return take_block(&wishes->image, optarg);
    case OPTION_NO_DOCUMENTS:
        wishes->image.documents = false;
        return COMMAND_OK;
    case OPTION_ESP:
        wishes->esp = optarg;
        return COMMAND_OK;
    case OPTION_BOOT_CODE:
        wishes->boot_code = optarg;
        return COMMAND_OK;
    case 'o':
        wishes->output = optarg;
        return COMMAND_OK;
    default:
        return COMMAND_USAGE;
    }
}

static int parse_arguments(struct wishes *wishes, int argc, char **argv)
{
    int option;

    while ((option = command_next_option(&command_disk, argc, argv, "o:", options)) != -1) {
        const int status =
            option == COMMAND_BAD_OPTION ? COMMAND_USAGE : take_option(wishes, option);

        if (status != COMMAND_OK) {
            return status;
        }
    }
    if (optind < argc) {
        return command_usage_error(&command_disk, "unexpected argument %s", argv[optind]);
    }
    if (wishes->output == NULL) {
        return command_usage_error(&command_disk, "no image named: -o DISK.img");
    }
    if (wishes->image.bench_mib == 0 && wishes->esp == NULL) {
        return command_usage_error(&command_disk, "--mib 0 without --esp: no partition is left");
    }
    return COMMAND_OK;
}

static int read_boot_code(struct wishes *wishes)
{
    uint8_t bytes[DISK_IMAGE_BOOT_CODE_MAX + 1];
    FILE *file = fopen(wishes->boot_code, "rbe");
    const size_t length = file != NULL ? fread(bytes, 1, sizeof(bytes), file) : 0;
    const bool bad = file == NULL || ferror(file) != 0;
    const int reason = errno;

    if (file != NULL) {
        fclose(file);
    }
    if (bad) {
        return command_failure(&command_disk, "cannot read %s: %s", wishes->boot_code,
                               strerror(reason));
    }
    if (length == 0 || length > DISK_IMAGE_BOOT_CODE_MAX) {
        return command_failure(&command_disk, "%s: boot code must have 1 to %d bytes",
                               wishes->boot_code, DISK_IMAGE_BOOT_CODE_MAX);
    }
    memcpy(wishes->image.boot_code, bytes, length);
    return COMMAND_OK;
}

static int write_image(const struct wishes *wishes)
{
    struct partial_file file = {0};
    char error[PARTIAL_FILE_ERROR_MAX];

    if (!partial_file_begin(&file, wishes->output, error)) {
        return command_failure(&command_disk, "%s", error);
    }
    if (!disk_image_write(file.descriptor, &wishes->image, error)) {
        partial_file_discard(&file);
        return command_failure(&command_disk, "%s: %s", wishes->output, error);
    }
    return partial_file_commit(&file, error) ? COMMAND_OK
                                             : command_failure(&command_disk, "%s", error);
}

static int main_disk(int argc, char **argv)
{
    struct wishes wishes = {
        .image = {.bench_mib = 64, .documents = true, .block_bytes = 512, .esp = -1}};
    int status = parse_arguments(&wishes, argc, argv);

    if (status == COMMAND_OK && wishes.boot_code != NULL) {
        status = read_boot_code(&wishes);
    }
    if (status != COMMAND_OK) {
        return status;
    }
    if (wishes.esp != NULL) {
        wishes.image.esp = open(wishes.esp, O_RDONLY | O_CLOEXEC);
        if (wishes.image.esp < 0) {
            return command_failure(&command_disk, "cannot read %s: %s", wishes.esp,
                                   strerror(errno));
        }
        partial_file_protect(wishes.esp);
    }
    status = write_image(&wishes);
    if (wishes.image.esp >= 0) {
        close(wishes.image.esp);
    }
    return status;
}

const struct command command_disk = {
    .name = "disk",
    .summary = "make an image of a disk whose sectors can be checked",
    .help = help,
    .main = main_disk,
};
