/* SPDX-License-Identifier: BSD-2-Clause */
/* What is believed of SMBIOS: kernel/dev/smbios.h, on tables by hand, cut at every byte. */
#include "kernel/dev/smbios.h"

#include <stdlib.h>

#include "kernel/plan/bytes.h"
#include "tools/tests/support/seal.h"
#include "tools/tests/support/unit.h"

#define DEVICE_SIZE 0x5c

/* A table of structures that grows. */
struct table {
    uint8_t bytes[1024];
    size_t length;
};

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

    bytes_put(device + 0x08, 72, 2);
    bytes_put(device + 0x0a, 64, 2);
    bytes_put(device + 0x0c, size, 2);
    device[0x12] = 26;
    bytes_put(device + 0x15, speed, 2);
    bytes_put(device + 0x1c, 65536, 4);
    bytes_put(device + 0x20, configured, 2);
    bytes_put(device + 0x54, 4800, 4);
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
    add_device(&table, 0x8000, 0, 0);
    add_device(&table, 0x7fff, 3200, 0);
    add_device(&table, 0x8000 | 512, 0xffff, 0);
    add(&table, 127, 4);
    add_device(&table, 1, 1, 1); /* behind the end */
    smbios_read(table.bytes, table.length, &memory);
    CHECK_EQUAL(memory.places, 5);
    CHECK_EQUAL(memory.count, 3);
    CHECK_EQUAL(memory.device[0].mt_s, 2933);
    CHECK_TEXT(smbios_text(&memory.device[0], text), "16384 MiB, DDR4, 2933 MT/s, 64 bits");
    CHECK_EQUAL(memory.device[1].mib, 65536);
    CHECK_EQUAL(memory.device[1].mt_s, 3200);
    CHECK_EQUAL(memory.device[2].mib, 0);
    CHECK_EQUAL(memory.device[2].mt_s, 4800);
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

    bytes_put(device + 0x0a, 0xffff, 2);
    bytes_put(device + 0x0c, 256, 2);
    smbios_read(table.bytes, table.length, &memory);
    CHECK_TEXT(smbios_text(&memory.device[0], text), "256 MiB");
    CHECK_TEXT(smbios_speed(&memory, &least),
               "SMBIOS does not report how fast the memory modules are");
    memory.device[0].mt_s = 3200;
    CHECK_TEXT(smbios_speed(&memory, &least),
               "SMBIOS does not report how wide the memory modules are");
}

/* A structure of type 17 with the values seen in public tables. */
struct seen {
    uint8_t type;
    uint8_t technology;
    uint16_t width;
    uint16_t rated;
    uint16_t configured;
};

static struct smbios_memory read_seen(const struct seen *seen)
{
    struct table table = {0};
    struct smbios_memory memory;

    add_device(&table, 4096, seen->rated, seen->configured);
    bytes_put(table.bytes + 0x08, seen->width, 2);
    bytes_put(table.bytes + 0x0a, seen->width, 2);
    table.bytes[0x12] = seen->type;
    table.bytes[0x28] = seen->technology;
    smbios_read(table.bytes, table.length, &memory);
    return memory;
}

static void check_seen(struct seen seen, uint8_t type, uint16_t width, uint32_t mt_s)
{
    const struct smbios_memory memory = read_seen(&seen);
    const bool unfit = width == 0 || mt_s == 0;
    struct smbios_device least;

    CHECK_EQUAL(memory.count, 1);
    CHECK_EQUAL(memory.device[0].type, type);
    CHECK_EQUAL(memory.device[0].width_bits, width);
    CHECK_EQUAL(memory.device[0].mt_s, mt_s);
    CHECK_EQUAL(memory.device[0].unfit, unfit);
    CHECK((smbios_speed(&memory, &least) != NULL) == unfit);
}

static void test_fit(void)
{
    check_seen((struct seen){24, 3, 64, 1333, 667}, 24, 64, 1333); /* a clock */
    check_seen((struct seen){26, 3, 64, 2133, 1067}, 26, 64, 2133);
    check_seen((struct seen){26, 3, 64, 3200, 2400}, 26, 64, 2400);
    check_seen((struct seen){26, 3, 0x4000, 2400, 2400}, 26, 0, 2400);
    check_seen((struct seen){34, 3, 32, 4800, 4800}, 34, 32, 4800); /* half of a module */
    check_seen((struct seen){35, 3, 16, 6400, 6400}, 35, 16, 6400);
    check_seen((struct seen){24, 3, 64, 4800, 4800}, 2, 64, 0);
    check_seen((struct seen){2, 2, 64, 2666, 2666}, 2, 64, 2666); /* nothing contradicts */
    check_seen((struct seen){18, 3, 64, 667, 0}, 2, 64, 0);
    check_seen((struct seen){30, 3, 16, 6400, 6000}, 2, 16, 0);
}

static void test_clocks(void)
{
    check_seen((struct seen){24, 3, 64, 667, 667}, 24, 64, 1334);
    check_seen((struct seen){24, 3, 64, 667, 0}, 24, 64, 1334);
    check_seen((struct seen){24, 3, 64, 667, 800}, 24, 64, 1600);
    check_seen((struct seen){24, 3, 64, 800, 667}, 24, 64, 1334);
    check_seen((struct seen){24, 3, 64, 800, 800}, 24, 64, 1600);
    check_seen((struct seen){24, 3, 64, 800, 0}, 24, 64, 1600);
    check_seen((struct seen){24, 3, 64, 1333, 800}, 24, 64, 800); /* three modules a channel */
    check_seen((struct seen){24, 3, 64, 1600, 667}, 24, 64, 1334);
    check_seen((struct seen){24, 3, 64, 800, 1333}, 24, 64, 1333); /* a clock and a rate */
    check_seen((struct seen){24, 3, 64, 1333, 58785}, 24, 64, 1333);
    check_seen((struct seen){24, 3, 64, 58785, 1333}, 24, 64, 1333);
    check_seen((struct seen){24, 3, 64, 0, 1333}, 24, 64, 1333);
    check_seen((struct seen){26, 3, 64, 1200, 933}, 26, 64, 1866);
    check_seen((struct seen){19, 3, 64, 333, 0}, 19, 64, 666);
    check_seen((struct seen){34, 3, 64, 4800, 2000}, 34, 64, 2000);
    check_seen((struct seen){2, 2, 64, 50, 0}, 2, 64, 0); /* of an unknown type nothing doubles */
}

/* Before there was a configured speed, DDR3 was rated as it ran. */
static void test_old_ddr3(void)
{
    static struct table table;
    struct smbios_memory memory;

    bytes_put(add(&table, 17, 0x1c) + 0x0c, 1024, 2);
    table.bytes[0x12] = 24;
    bytes_put(table.bytes + 0x15, 800, 2);
    smbios_read(table.bytes, table.length, &memory);
    CHECK_EQUAL(memory.device[0].mt_s, 800);
}

static void check_width(uint8_t type, uint16_t total, uint16_t data, uint16_t width)
{
    static struct table table;
    struct smbios_memory memory;

    table.length = 0;
    add_device(&table, 4096, 0, 0);
    bytes_put(table.bytes + 0x08, total, 2);
    bytes_put(table.bytes + 0x0a, data, 2);
    table.bytes[0x12] = type;
    smbios_read(table.bytes, table.length, &memory);
    CHECK_EQUAL(memory.device[0].width_bits, width);
    CHECK_EQUAL(memory.device[0].unfit, width == 0);
}

static void test_widths(void)
{
    check_width(26, 72, 72, 64);
    check_width(19, 64, 72, 64);
    check_width(34, 80, 80, 64);
    check_width(34, 40, 40, 32);
    check_width(26, 40, 40, 0);
    check_width(24, 64, 8, 64); /* of a chip */
    check_width(24, 72, 8, 64);
    check_width(24, 8, 8, 0);
    check_width(2, 2304, 2244, 0);
    check_width(26, 0xffff, 65508, 0);
}

/* What is not counted would make a bound too low. */
static void test_too_many(void)
{
    static uint8_t bytes[(SMBIOS_DEVICES_MAX + 1) * 0x60];
    struct smbios_memory memory;
    struct smbios_device least;
    size_t length = 0;

    for (size_t i = 0; i <= SMBIOS_DEVICES_MAX; i++) {
        struct table table = {0};

        add_device(&table, 1024, 3200, 0);
        memcpy(bytes + length, table.bytes, table.length);
        length += table.length;
        smbios_read(bytes, length, &memory);
        CHECK_EQUAL(memory.places, i + 1);
        CHECK_EQUAL(memory.beyond, i < SMBIOS_DEVICES_MAX ? 0 : 1);
        CHECK((smbios_speed(&memory, &least) == NULL) == (i < SMBIOS_DEVICES_MAX));
    }
    CHECK_TEXT(smbios_speed(&memory, &least), "SMBIOS reports more than 128 memory modules");
}

static void test_lasting(void)
{
    static const struct seen lasting[] = {
        {9, 0, 2, 0, 0},     {8, 0, 8, 0, 0},      {0x0c, 0, 8, 0, 0},
        {0x1f, 7, 64, 0, 0}, {26, 4, 64, 2666, 0}, {26, 7, 64, 2666, 0},
    };

    for (size_t i = 0; i < sizeof(lasting) / sizeof(lasting[0]); i++) {
        const struct smbios_memory memory = read_seen(&lasting[i]);

        CHECK_EQUAL(memory.count, 0);
        CHECK_EQUAL(memory.places, 0);
    }
}

/* Places tables of every length in memory of exactly that size, so that a read beyond the end is
 * detected. */
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
    bytes_put(entry + 0x0c, 777, 4);
    bytes_put(entry + 0x10, 0x123456789a, 8);
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
    bytes_put(entry + 0x16, 999, 2);
    bytes_put(entry + 0x18, 0xf0000, 4);
    seal(entry + 0x10, 15, 5);
    CHECK(smbios_entry(entry, sizeof(entry), &address, &length));
    CHECK_EQUAL(address, 0xf0000);
    CHECK_EQUAL(length, 999);
}

int main(void)
{
    RUN(test_devices());
    RUN(test_not_reported());
    RUN(test_fit());
    RUN(test_clocks());
    RUN(test_old_ddr3());
    RUN(test_widths());
    RUN(test_too_many());
    RUN(test_lasting());
    RUN(test_cut());
    RUN(test_entry());
    return unit_finish("unit_smbios");
}
