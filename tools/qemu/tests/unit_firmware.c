/* SPDX-License-Identifier: BSD-2-Clause */
/* Firmware with ones where a TPM would be: each byte where QEMU is to map it, and what cannot be.
 */
#include "tools/qemu/qemu.h"

#include <errno.h>
#include <stdlib.h>
#include <unistd.h>

#include "tools/tests/support/unit.h"

#define SPACE_BYTES ((size_t)((UINT64_C(1) << 32) - 0xfed40000)) /* up to 4 GiB */
#define BYTES       70001                                        /* no multiple of a block */

static char folder[] = "/tmp/tare-firmware.XXXXXX";
static char source[64], target[64];

static void write_source(const uint8_t *bytes, size_t length)
{
    FILE *file = fopen(source, "w");

    CHECK(file != NULL);
    if (file != NULL) {
        CHECK(fwrite(bytes, 1, length, file) == length && fclose(file) == 0);
    }
}

static size_t count(const uint8_t *bytes, size_t length, uint8_t wanted)
{
    size_t found = 0;

    for (size_t i = 0; i < length; i++) {
        found += bytes[i] == wanted;
    }
    return found;
}

static void test_places(void)
{
    static uint8_t firmware[BYTES];
    static uint8_t space[SPACE_BYTES + 1];
    uint64_t seed = 1;

    for (size_t i = 0; i < BYTES; i++) {
        firmware[i] = (uint8_t)unit_random(&seed);
    }
    write_source(firmware, BYTES);
    CHECK(firmware_without_tpm(source, target));
    FILE *file = fopen(target, "r");

    CHECK(file != NULL);
    if (file == NULL) {
        return;
    }
    CHECK_EQUAL(fread(space, 1, sizeof(space), file), SPACE_BYTES);
    fclose(file);
    CHECK_EQUAL(count(space, 5 * 4096, 0xff), 5 * 4096);
    CHECK_EQUAL(count(space + 5 * 4096, SPACE_BYTES - BYTES - 5 * 4096, 0),
                SPACE_BYTES - BYTES - 5 * 4096);
    CHECK(memcmp(space + SPACE_BYTES - BYTES, firmware, BYTES) == 0);
    CHECK(!firmware_without_tpm(source, target) && errno == EEXIST);
    unlink(target);
}

/* The longest there is room for, and one byte more; nothing; a folder; no file. */
static void test_refuses(void)
{
    write_source((const uint8_t *)"x", 1);
    CHECK(truncate(source, (off_t)(SPACE_BYTES - 5 * 4096)) == 0);
    CHECK(firmware_without_tpm(source, target));
    unlink(target);
    CHECK(truncate(source, (off_t)(SPACE_BYTES - 5 * 4096 + 1)) == 0);
    CHECK(!firmware_without_tpm(source, target) && errno == EFBIG);
    CHECK(truncate(source, 0) == 0);
    CHECK(!firmware_without_tpm(source, target) && errno == EFBIG);
    CHECK(!firmware_without_tpm(folder, target) && errno == EFBIG);
    unlink(source);
    CHECK(!firmware_without_tpm(source, target) && errno == ENOENT);
    CHECK(access(target, F_OK) != 0);
}

int main(void)
{
    if (mkdtemp(folder) == NULL) {
        perror(folder);
        return 1;
    }
    snprintf(source, sizeof(source), "%s/source", folder);
    snprintf(target, sizeof(target), "%s/target", folder);
    RUN(test_places());
    RUN(test_refuses());
    rmdir(folder);
    return unit_finish("unit_firmware");
}
