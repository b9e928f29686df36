/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The image's driver of virtio disks on a device that no emulator offers: one that takes no
 * features, that is mute, unplugged or in need of a reset, and that answers what it was not asked.
 * The device takes requests to read, and fails the test at any other.
 *
 *     virtio_machine [IMAGE.elf]
 */
#include "tools/tests/machine/disk_guest.h"
#include "tools/tests/machine/unicorn_machine.h"
#include "tools/tests/support/unit.h"

#define DEFAULT_IMAGE "build/image/tare.elf"
#define TSC_HZ        50000          /* of the image's clock: a wait of 2 s is short */
#define REGISTERS     0x900000000ull /* above 4 GiB */
#define COMMON        0x000u
#define INTERRUPT     0x100u
#define DEVICE        0x200u
#define BELL          0x300u /* of queue 0, by a factor */
#define FACTOR        16u
#define PLACE         (4u << 3)
#define COMMAND       0x04
#define ONES          UINT32_MAX
#define SECTOR        512u
#define SECTORS       100000u
#define ENTRIES       16u
#define STATUS        0x14
#define VERSION_1     1u
#define BLOCK_SIZE    0x40u
#define FEATURE_WRITE 0x200u /* a cache that is flushed: never taken */

static struct {
    /* How it is. */
    uint32_t block_bytes;
    bool old;      /* without the feature of version 1 */
    bool stubborn; /* it takes no features */
    bool mute;
    bool broken;
    bool gone;
    uint8_t answer;
    uint32_t other_id; /* added to the id of what is done */
    /* What it does. */
    uint32_t config[64];
    uint8_t status;
    uint32_t select, take_select, taken[2];
    uint16_t entries, enabled, seen;
    uint64_t part[3];
    unsigned reads;
    unsigned strange; /* requests besides those that read */
} virtio;

static const char *image_path;
static struct machine machine;

/* ---- the device ---- */

static void *at(uint64_t address, size_t bytes)
{
    return machine_memory(&machine, address, bytes);
}

struct descriptor {
    uint64_t address;
    uint32_t length;
    uint16_t flags, next;
};

/* The chain of descriptors from `id` on: header, data and answer. */
static void serve(uint16_t id)
{
    const struct descriptor *table = at(virtio.part[0], ENTRIES * sizeof(*table));
    const struct descriptor *header = &table[id];
    const struct descriptor *data = &table[header->next];
    const struct descriptor *answer = &table[data->next];
    uint32_t type;
    uint64_t sector;

    CHECK(header->flags == 1 && data->flags == 3 && answer->flags == 2);
    CHECK(header->length == 16 && answer->length == 1 && data->length % virtio.block_bytes == 0);
    memcpy(&type, at(header->address, 16), sizeof(type));
    memcpy(&sector, at(header->address + 8, 8), sizeof(sector));
    virtio.strange += type != 0;
    virtio.reads++;
    if (virtio.mute) {
        return;
    }
    uint32_t *to = at(data->address, data->length);

    for (uint32_t i = 0; i < data->length / 4 && virtio.answer == 0; i++) {
        to[i] = (uint32_t)sector + 4 * i / SECTOR;
    }
    *(uint8_t *)at(answer->address, 1) = virtio.answer;
    uint16_t *used = at(virtio.part[2], 4 + 8 * ENTRIES);
    const uint32_t done = id + virtio.other_id;

    memcpy(used + 2 + 4 * (used[1] % ENTRIES), &done, sizeof(done));
    used[1]++;
}

static void ring(void)
{
    const uint16_t *available = at(virtio.part[1], 4 + 2 * ENTRIES);

    CHECK((virtio.config[COMMAND / 4] & 6) == 6);
    CHECK_EQUAL(virtio.status & 0x0f, 0x0f);
    CHECK_EQUAL(virtio.enabled, 1);
    while (virtio.seen != available[1]) {
        serve(available[2 + virtio.seen++ % ENTRIES]);
    }
}

static uint64_t read_common(uint64_t offset)
{
    switch (offset) {
    case 0x04:
        return virtio.select == 1 ? (virtio.old ? 0 : VERSION_1) : BLOCK_SIZE | FEATURE_WRITE;
    case STATUS:
        return virtio.status | (virtio.broken ? 0x40u : 0);
    case 0x18:
        return virtio.entries;
    case 0x1e:
        return 1;
    default:
        return 0;
    }
}

static uint64_t read_register(void *context, uint64_t offset)
{
    (void)context;
    if (virtio.gone) {
        return UINT64_MAX;
    }
    if (offset >= DEVICE) {
        return offset == DEVICE ? SECTORS : offset == DEVICE + 0x14 ? virtio.block_bytes : 0;
    }
    return offset < INTERRUPT ? read_common(offset) : 0;
}

static void write_status(uint8_t value)
{
    if (value == 0) {
        virtio.enabled = 0;
        virtio.seen = 0;
        virtio.entries = ENTRIES;
        memset(virtio.taken, 0, sizeof(virtio.taken));
    }
    virtio.status = virtio.stubborn ? value & ~8u : value;
}

static void write_register(void *context, uint64_t offset, uint64_t value)
{
    (void)context;
    switch (offset) {
    case 0x00:
        virtio.select = (uint32_t)value;
        break;
    case 0x08:
        virtio.take_select = (uint32_t)value;
        break;
    case 0x0c:
        virtio.taken[virtio.take_select & 1] = (uint32_t)value;
        break;
    case STATUS:
        write_status((uint8_t)value);
        break;
    case 0x18:
        virtio.entries = (uint16_t)value;
        break;
    case 0x1c:
        virtio.enabled = (uint16_t)value;
        break;
    case BELL + FACTOR:
        ring();
        break;
    default:
        if (offset >= 0x20 && offset < 0x38) {
            memcpy((uint8_t *)virtio.part + (offset - 0x20), &value, 4);
        }
    }
}

/* ---- the machine ---- */

/* A capability that leads to registers; the list ends with kind 1. */
static void add_capability(unsigned kind, uint32_t offset)
{
    uint32_t *capability = &virtio.config[0x40 / 4 + 8 * (4 - kind)];

    capability[0] = kind << 24 | 0x20u << 16 | (kind > 1 ? 0x40 + 32 * (5 - kind) : 0) << 8 | 0x09;
    capability[1] = 4; /* BAR */
    capability[2] = offset;
    capability[3] = 0x100;
    capability[4] = kind == 2 ? FACTOR : 0;
}

static void begin(void)
{
    memset(&virtio, 0, sizeof(virtio));
    virtio.block_bytes = SECTOR;
    virtio.entries = ENTRIES;
    virtio.config[0] = 0x10421af4;
    virtio.config[COMMAND / 4] = 0x00100001; /* firmware left its memory off */
    virtio.config[2] = 0x01000001;
    virtio.config[8] = (uint32_t)REGISTERS | 4;
    virtio.config[9] = REGISTERS >> 32;
    virtio.config[0x34 / 4] = 0x40;
    add_capability(1, COMMON);
    add_capability(2, BELL);
    add_capability(3, INTERRUPT);
    add_capability(4, DEVICE);
}

static struct block_disk *find(uint64_t *address)
{
    disk_guest_open(&machine, image_path, TSC_HZ);
    disk_guest_plug(PLACE, virtio.config, NULL);
    machine_map_device(&machine, REGISTERS, read_register, write_register, NULL);
    disk_guest_find("virtio_driver");
    return disk_guest_disk(0, address);
}

static struct block_disk *find_and_open(uint64_t *address)
{
    struct block_disk *disk = find(address);

    CHECK_TEXT(disk_guest_text(disk->unusable), NULL);
    disk_guest_open_disk(*address, 64);
    CHECK_EQUAL(virtio.taken[0], BLOCK_SIZE);
    CHECK_EQUAL(virtio.taken[1], VERSION_1);
    return disk;
}

static void close_machine(uint64_t address)
{
    disk_guest_call("block_close", 1, &address);
    CHECK_EQUAL(virtio.config[COMMAND / 4], 0x00100001);
    CHECK_EQUAL(virtio.status, 0);
    CHECK_EQUAL(virtio.strange, 0);
    machine_close(&machine);
}

static void check_read(const struct block_request *request, uint32_t block_bytes)
{
    const size_t bytes = (size_t)request->blocks * block_bytes;
    const uint32_t *words = at((uint64_t)(uintptr_t)request->to, bytes);
    unsigned wrong = 0;

    CHECK(request->finished);
    CHECK_EQUAL(request->error, BLOCK_GOOD);
    for (size_t i = 0; i < bytes / 4; i++) {
        wrong += words[i] != request->block * (block_bytes / SECTOR) + 4 * i / SECTOR;
    }
    CHECK_EQUAL(wrong, 0);
}

/* ---- tests ---- */

static void test_reads(void)
{
    for (uint32_t block_bytes = 512; block_bytes <= 4096; block_bytes += 3584) {
        const struct block_request *requests[5];
        uint64_t address;

        begin();
        virtio.block_bytes = block_bytes;
        const struct block_disk *disk = find_and_open(&address);

        CHECK_TEXT(disk->name, "virtio0");
        CHECK_EQUAL(disk->blocks, SECTORS / (block_bytes / SECTOR));
        CHECK_EQUAL(disk->block_bytes, block_bytes);
        CHECK_EQUAL(disk->depth_max, ENTRIES / 3);
        CHECK_EQUAL(disk->blocks_max, (1u << 20) / block_bytes);
        for (unsigned round = 0; round < 5; round++) { /* the rings wrap */
            for (unsigned i = 0; i < 5; i++) {
                requests[i] = disk_guest_submit(address, 1000 * round + 7 * i, 1 + 10 * i);
            }
            disk_guest_call("block_poll", 1, &address);
            for (unsigned i = 0; i < 5; i++) {
                check_read(requests[i], block_bytes);
            }
        }
        CHECK_EQUAL(virtio.reads, 25);
        close_machine(address);
    }
}

static const struct block_request *ask(struct block_disk **disk, uint64_t *address)
{
    *disk = find_and_open(address);
    return disk_guest_submit(*address, 4711, 8);
}

static void test_errors(void)
{
    static const enum block_error errors[] = {BLOCK_GOOD, BLOCK_MEDIUM, BLOCK_DEVICE};
    struct block_disk *disk;
    uint64_t address;

    for (uint8_t answer = 1; answer <= 2; answer++) {
        begin();
        virtio.answer = answer;
        const struct block_request *request = ask(&disk, &address);

        disk_guest_finish(address, request);
        CHECK_EQUAL(request->error, errors[answer]);
        CHECK_EQUAL(request->status, answer);
        CHECK(disk->unusable == NULL);
        close_machine(address);
    }
    for (uint32_t other = 1; other <= 300; other += 299) {
        begin();
        virtio.other_id = other;
        const struct block_request *request = ask(&disk, &address);

        disk_guest_finish(address, request);
        CHECK_EQUAL(request->error, BLOCK_DEVICE);
        CHECK_TEXT(disk_guest_text(disk->unusable), "it completed a request that it was not given");
        CHECK_EQUAL(virtio.config[COMMAND / 4] & 4, 0); /* it has no bus */
        close_machine(address);
    }
}

static void test_silence(void)
{
    struct block_disk *disk;
    uint64_t address;

    begin();
    virtio.mute = true;
    const struct block_request *request = ask(&disk, &address);

    disk_guest_finish(address, request);
    CHECK_EQUAL(request->error, BLOCK_TIMEOUT);
    CHECK(request->completed - request->submitted >= 2 * TSC_HZ);
    CHECK_EQUAL(virtio.config[COMMAND / 4] & 4, 0);
    close_machine(address);

    begin();
    virtio.mute = true;
    request = ask(&disk, &address);
    virtio.broken = true;
    disk_guest_finish(address, request);
    CHECK_EQUAL(request->error, BLOCK_DEVICE);
    CHECK(request->completed - request->submitted < TSC_HZ);
    CHECK_TEXT(disk_guest_text(disk->unusable), "it reports that it needs a reset");
    virtio.broken = false;
    close_machine(address);

    begin();
    virtio.mute = true;
    request = ask(&disk, &address);
    virtio.gone = true;
    disk_guest_finish(address, request);
    CHECK_EQUAL(request->error, BLOCK_GONE);
    CHECK(request->completed - request->submitted < TSC_HZ);
    virtio.gone = false;
    close_machine(address);
}

static void check_unusable(const char *why)
{
    uint64_t address;
    const struct block_disk *disk = find(&address);

    CHECK_TEXT(disk->name, "virtio0");
    CHECK_TEXT(disk_guest_text(disk->unusable), why);
    close_machine(address);
}

static void test_unusable(void)
{
    begin();
    virtio.old = true;
    check_unusable("it is older than virtio 1.0");
    begin();
    virtio.stubborn = true;
    check_unusable("it requires features that this driver does not support");
    begin();
    virtio.block_bytes = 1024;
    check_unusable("its blocks have neither 512 nor 4096 bytes");
    begin();
    virtio.config[0x40 / 4 + 8] = 0x04200009 | 0x80u << 8; /* two of the last kind */
    check_unusable("some registers of virtio 1.0 are missing");
}

int main(int argc, char **argv)
{
    image_path = argc > 1 ? argv[1] : DEFAULT_IMAGE;
    RUN(test_reads());
    RUN(test_errors());
    RUN(test_silence());
    RUN(test_unusable());
    return unit_finish("virtio_machine");
}
