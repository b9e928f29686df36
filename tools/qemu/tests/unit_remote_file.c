/* SPDX-License-Identifier: BSD-2-Clause */
/* tools/qemu/peer.h: what is read of a file, and of a volume that is made. */
#include "tools/qemu/peer.h"

#include <stdlib.h>
#include <unistd.h>

#include "tools/tests/support/unit.h"

#define BYTES 10000

static struct remote_file remote;
static char error[200];
static uint8_t bytes[BYTES];

static bool read_at(uint64_t offset, uint32_t length)
{
    return remote.export.read(remote.export.argument, offset, bytes, length);
}

static void test_file(void)
{
    static uint8_t contents[BYTES];
    char path[] = "/tmp/unit_remote_file.XXXXXX";
    const int file = mkstemp(path);

    for (size_t i = 0; i < BYTES; i++) {
        contents[i] = (uint8_t)(i * 7 ^ i >> 8);
    }
    CHECK_EQUAL(write(file, contents, BYTES), BYTES);
    close(file);
    CHECK(remote_file_open(&remote, path, error, sizeof(error)));
    CHECK_EQUAL(remote.export.bytes, BYTES);
    CHECK_TEXT(remote.export.name, "BENCH.DAT");
    CHECK(read_at(4095, 4098));
    CHECK(memcmp(bytes, contents + 4095, 4098) == 0);
    CHECK(read_at(BYTES - 1, 1));
    CHECK(!read_at(BYTES - 1, 2)); /* it has become shorter */
    remote_file_close(&remote);
    unlink(path);
    CHECK(!remote_file_open(&remote, path, error, sizeof(error)));
    CHECK(strstr(error, ": No such file or directory") != NULL);
    CHECK(!remote_file_open(&remote, "/", error, sizeof(error)));
    CHECK_TEXT(error, "/: Is a directory");
    CHECK(!remote_file_open(&remote, "/dev/null", error, sizeof(error)));
}

static void test_volume(void)
{
    struct layout layout;

    CHECK(remote_file_open(&remote, NULL, error, sizeof(error)));
    CHECK(read_at(0, LAYOUT_SECTOR));
    CHECK(layout_read(bytes, remote.export.bytes / LAYOUT_SECTOR, &layout) == NULL);
    const struct layout_file *bench = layout_find(&layout, LAYOUT_BENCH);

    CHECK_EQUAL(bench->sectors, (uint64_t)REMOTE_FILE_MIB << 11);
    CHECK(read_at((bench->first + 77) * LAYOUT_SECTOR - 5, 5 + LAYOUT_SECTOR));
    CHECK(layout_check(bytes + 5, 1, 77));
    remote_file_close(&remote);
}

int main(void)
{
    RUN(test_file());
    RUN(test_volume());
    return unit_finish("unit_remote_file");
}
