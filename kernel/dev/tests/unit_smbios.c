/* SPDX-License-Identifier: BSD-2-Clause */
/* What is believed of SMBIOS: kernel/dev/smbios.h, on tables by hand, cut at every byte. */
#include "kernel/dev/smbios.h"

#include <stdlib.h>

#include "tools/tests/support/seal.h"
#include "tools/tests/support/unit.h"

#define DEVICE_SIZE 0x5c

/* A table of structures that grows. */
struct table {
    uint8_t bytes[1024];
    size_t length;
};

static void put(uint8_t *at, uint64_t value, size_t size)
{
    for (size_t i = 0; i < size; i++) {
        at[i] = (uint8_t)(value >> (8 * i));
    }
}

/* A structure of `size` bytes and one string; the caller fills in its fields. */
static uint8_t *add(struct table *table, uint8_t type, uint8_t size)
{
    uint8_t *structure = table->bytes + table->length;

    structure[0] = type;
    structure[1] = size;
    structure[size] = 'x';
    table->length += size + 3u;
    return structure;
}

static void add_device(struct table *table, uint16_t size, uint16_t speed, uint16_t configured)
{
    uint8_t *device = add(table, 17, DEVICE_SIZE);

    put(device + 0x08, 72, 2);
    put(device + 0x0a, 64, 2);
    put(device + 0x0c, size, 2);
    device[0x12] = 26;
    put(device + 0x15, speed, 2);
    put(device + 0x1c, 65536, 4);
    put(device + 0x20, configured, 2);
    put(device + 0x54, 80000, 4);
}

static void test_devices(void)
{
    static struct table table;
    struct smbios_memory memory;
    struct smbios_device least;
    char text[SMBIOS_TEXT_MAX];

    add(&table, 0, 24);
    add_device(&table, 16384, 3200, 2933);
    add_device(&table, 0, 0, 0);
    add_device(&table, 0x7fff, 3200, 0);
    add_device(&table, 0x8000 | 512, 0xffff, 0);
    add(&table, 127, 4);
    add_device(&table, 1, 1, 1); /* behind the end */
    smbios_read(table.bytes, table.length, &memory);
    CHECK_EQUAL(memory.places, 4);
    CHECK_EQUAL(memory.count, 3);
    CHECK_EQUAL(memory.device[0].mt_s, 2933);
    CHECK_TEXT(smbios_text(&memory.device[0], text), "16384 MiB, DDR4, 2933 MT/s, 64 bits");
    CHECK_EQUAL(memory.device[1].mib, 65536);
    CHECK_EQUAL(memory.device[1].mt_s, 3200);
    CHECK_EQUAL(memory.device[2].mib, 0);
    CHECK_EQUAL(memory.device[2].mt_s, 80000);
    CHECK(smbios_speed(&memory, &least) == NULL);
    CHECK_EQUAL(least.mt_s, 2933);
    CHECK_EQUAL(least.width_bits, 64);
}

/* As QEMU writes it: neither speed nor width. */
static void test_not_reported(void)
{
    static struct table table;
    struct smbios_memory memory;
    struct smbios_device least;
    char text[SMBIOS_TEXT_MAX];

    smbios_read(table.bytes, 0, &memory);
    CHECK_TEXT(smbios_speed(&memory, &least), "SMBIOS reports no memory module");
    uint8_t *device = add(&table, 17, 0x15); /* of SMBIOS 2.1: it ends before the speed */

    put(device + 0x0a, 0xffff, 2);
    put(device + 0x0c, 256, 2);
    smbios_read(table.bytes, table.length, &memory);
    CHECK_TEXT(smbios_text(&memory.device[0], text), "256 MiB");
    CHECK_TEXT(smbios_speed(&memory, &least),
               "SMBIOS does not report how fast the memory modules are");
    memory.device[0].mt_s = 3200;
    CHECK_TEXT(smbios_speed(&memory, &least),
               "SMBIOS does not report how wide the memory modules are");
}

/* Every length of a table in its own memory, so that a read behind it is found. */
static void test_cut(void)
{
    static struct table table;
    struct smbios_memory memory;

    add_device(&table, 1024, 3200, 0);
    add_device(&table, 1024, 3200, 0);
    for (size_t length = 0; length <= table.length; length++) {
        uint8_t *bytes = malloc(length > 0 ? length : 1);

        memcpy(bytes, table.bytes, length);
        smbios_read(bytes, length, &memory);
        CHECK_EQUAL(memory.count, length < DEVICE_SIZE ? 0 : length < 2 * DEVICE_SIZE + 3 ? 1 : 2);
        free(bytes);
    }
    table.bytes[1] = 3; /* shorter than its own header */
    smbios_read(table.bytes, table.length, &memory);
    CHECK_EQUAL(memory.count, 0);
}

static void test_entry(void)
{
    uint8_t entry[SMBIOS_ENTRY_MAX] = "_SM3_";
    uint64_t address;
    size_t length;

    entry[6] = 24;
    put(entry + 0x0c, 777, 4);
    put(entry + 0x10, 0x123456789a, 8);
    seal(entry, 24, 5);
    CHECK(smbios_entry(entry, sizeof(entry), &address, &length));
    CHECK_EQUAL(address, 0x123456789a);
    CHECK_EQUAL(length, 777);
    CHECK(!smbios_entry(entry, 23, &address, &length));
    entry[0x0c]++;
    CHECK(!smbios_entry(entry, sizeof(entry), &address, &length));

    memset(entry, 0, sizeof(entry));
    memcpy(entry, "_SM_", 4);
    memcpy(entry + 0x10, "_DMI_", 5);
    put(entry + 0x16, 999, 2);
    put(entry + 0x18, 0xf0000, 4);
    seal(entry + 0x10, 15, 5);
    CHECK(smbios_entry(entry, sizeof(entry), &address, &length));
    CHECK_EQUAL(address, 0xf0000);
    CHECK_EQUAL(length, 999);
}

int main(void)
{
    RUN(test_devices());
    RUN(test_not_reported());
    RUN(test_cut());
    RUN(test_entry());
    return unit_finish("unit_smbios");
}
