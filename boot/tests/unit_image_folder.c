/* SPDX-License-Identifier: BSD-2-Clause */
/* Device paths as boot loaders write them, byte by byte, and damaged ones. */
#include <stdlib.h>
#include <string.h>

#include "boot/image_folder.h"
#include "tools/tests/support/unit.h"

#define PATH_BYTES 4096

static uint8_t path[PATH_BYTES];
static size_t used;

static void node(uint8_t type, uint8_t subtype, const void *bytes, size_t length)
{
    path[used] = type;
    path[used + 1] = subtype;
    path[used + 2] = (uint8_t)(length + 4);
    path[used + 3] = (uint8_t)((length + 4) >> 8);
    memcpy(path + used + 4, bytes, length);
    used += length + 4;
}

/* `zeros` close it: 1 by the specification. */
static void file_node(const char *name, size_t zeros)
{
    uint8_t text[2 * IMAGE_FOLDER_MAX + 16] = {0};
    const size_t length = strlen(name);

    for (size_t i = 0; i < length; i++) {
        text[2 * i] = (uint8_t)name[i];
    }
    node(4, 4, text, 2 * (length + zeros));
}

static void end_node(void)
{
    node(0x7f, 0xff, "", 0);
}

/* What stands before the volume: root bridge, PCI function, disk port, partition. */
static void disk_nodes(void)
{
    static const uint8_t zeros[38];

    node(2, 1, zeros, 8);
    node(1, 1, zeros, 2);
    node(3, 18, zeros, 6);
    node(4, 1, zeros, 38);
}

/* A copy of the exact size, so that the sanitizer sees each byte read behind it. */
static const char *folder_of(size_t size)
{
    static char text[IMAGE_FOLDER_MAX];
    uint16_t folder[IMAGE_FOLDER_MAX];
    uint8_t *copy = malloc(size > 0 ? size : 1);

    memcpy(copy, path, size);
    const size_t length = image_folder(copy, size, folder);

    free(copy);
    CHECK(length < IMAGE_FOLDER_MAX && folder[length] == 0);
    for (size_t i = 0; i <= length; i++) {
        text[i] = (char)folder[i];
    }
    used = 0;
    return text;
}

static const char *folder(void)
{
    end_node();
    return folder_of(used);
}

static const char *folder_of_file(const char *name)
{
    file_node(name, 1);
    return folder();
}

static void test_loaders(void)
{
    /* Firmware's boot manager, systemd-boot. */
    CHECK_TEXT(folder_of_file("\\EFI\\BOOT\\BOOTX64.EFI"), "\\EFI\\BOOT\\");
    /* GRUB's chainloader: folder and file are a node each, and the first one's text is closed by
     * its length alone in some versions. */
    file_node("\\apps\\tare", 1);
    CHECK_TEXT(folder_of_file("tare.efi"), "\\apps\\tare\\");
    file_node("\\apps\\tare", 0);
    CHECK_TEXT(folder_of_file("tare.efi"), "\\apps\\tare\\");
    file_node("\\apps\\tare\\", 1);
    CHECK_TEXT(folder_of_file("\\tare.efi"), "\\apps\\tare\\");
    /* Limine: the whole path, from the root bridge. */
    disk_nodes();
    CHECK_TEXT(folder_of_file("\\apps\\tare\\tare.efi"), "\\apps\\tare\\");
    /* rEFInd: from the partition, and no first backslash. */
    node(4, 1, (const uint8_t[38]){0}, 38);
    CHECK_TEXT(folder_of_file("EFI\\tools\\tare.efi"), "\\EFI\\tools\\");
    /* The shell, in the root and with other slashes; U-Boot puts one of each first. */
    CHECK_TEXT(folder_of_file("tare.efi"), "\\");
    CHECK_TEXT(folder_of_file("/apps/tare.efi"), "\\apps\\");
    CHECK_TEXT(folder_of_file("\\/EFI/BOOT/BOOTX64.EFI"), "\\EFI\\BOOT\\");
    CHECK_TEXT(folder_of_file(".\\a\\..\\b\\.\\tare.efi"), "\\b\\");
    CHECK_TEXT(folder_of_file("..\\..\\a..\\.b\\...\\tare.efi"), "\\a..\\.b\\...\\");
}

static void test_no_file(void)
{
    static const uint8_t zeros[64];

    disk_nodes();
    CHECK_TEXT(folder(), "");
    node(3, 11, zeros, 33); /* PXE: MAC, IPv4 */
    node(3, 12, zeros, 23);
    CHECK_TEXT(folder(), "");
    node(3, 24, "http://10.0.2.2/tare.efi", 24); /* HTTP: URI */
    CHECK_TEXT(folder(), "");
    CHECK_TEXT(folder(), "");
    uint16_t none[IMAGE_FOLDER_MAX];

    CHECK_EQUAL(image_folder(NULL, 4096, none), 0);
    CHECK_EQUAL(none[0], 0);
}

/* Only the first of several paths is the image's. */
static void test_end_of_instance(void)
{
    file_node("\\a\\tare.efi", 1);
    node(0x7f, 1, "", 0);
    CHECK_TEXT(folder_of_file("\\b\\c\\tare.efi"), "\\a\\");
}

static void test_damage(void)
{
    file_node("\\a\\b.efi", 1);
    end_node();
    const size_t whole = used;

    for (size_t size = 0; size < whole; size++) {
        CHECK_TEXT(folder_of(size), "");
    }
    CHECK_TEXT(folder_of(whole), "\\a\\");
    for (unsigned length = 0; length < 4; length++) { /* a node that would never end */
        path[2] = (uint8_t)length;
        CHECK_TEXT(folder_of(whole), "");
    }
    path[2] = 0xff;
    CHECK_TEXT(folder_of(whole), "");
    node(4, 4, "\\\0a\0\\\0b", 7); /* half a character, which stays out */
    CHECK_TEXT(folder(), "\\a\\");
}

static void test_length(void)
{
    char name[IMAGE_FOLDER_MAX + 8];

    memset(name, 'x', sizeof(name));
    name[0] = '\\';
    name[200] = '\\';
    name[IMAGE_FOLDER_MAX - 1] = '\0';
    CHECK_EQUAL(strlen(folder_of_file(name)), 201);
    name[IMAGE_FOLDER_MAX - 1] = 'x';
    name[IMAGE_FOLDER_MAX] = '\0';
    CHECK_TEXT(folder_of_file(name), "");
}

int main(void)
{
    RUN(test_loaders());
    RUN(test_no_file());
    RUN(test_end_of_instance());
    RUN(test_damage());
    RUN(test_length());
    return unit_finish("unit_image_folder");
}
