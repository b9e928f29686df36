/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The image's AHCI driver on a controller and disks that no emulator offers: blocks of 4 KiB,
 * firmware that owns the controller, errors of queued reads with and without a log, errors of the
 * controller, a port that does not stop, and a disk that is mute or taken out. The disk takes the
 * commands that read and fails the test at any other.
 *
 *     ahci_machine [IMAGE.elf]
 */
#include "kernel/plan/bytes.h"
#include "tools/tests/machine/disk_guest.h"
#include "tools/tests/machine/unicorn_machine.h"
#include "tools/tests/support/unit.h"

#define DEFAULT_IMAGE "build/image/tare.elf"
#define TSC_HZ        50000 /* of the image's clock: a wait of 2 s is short */
#define REGISTERS     0xe0000000ull
#define PLACE         (31u << 3)
#define COMMAND       0x04
#define PORTS         2
#define PORT_BYTES    0x80
#define SLOTS         32
#define NONE          UINT64_MAX
#define ONES          UINT32_MAX
#define DEPTH         8

/* Bits of PxIS. */
#define DHRS 0x00000001u
#define SDBS 0x00000008u
#define PRCS 0x00400000u
#define HBDS 0x10000000u
#define TFES 0x40000000u

#define START    0x0001u
#define RECEIVE  0x0010u
#define RECEIVES 0x4000u
#define RUNS     0x8000u

#define GOOD       0x0050u /* PxTFD */
#define BAD_DATA   0x4041u
#define BAD_BLOCKS 0x1041u /* the disk has no such */
#define ABORTED    0x0441u

struct port {
    /* How the disk is. */
    uint32_t signature;
    uint64_t blocks;
    uint32_t block_bytes;
    uint64_t bad;   /* the block that it cannot read */
    bool has_log;   /* of the errors of queued commands */
    bool held;      /* it keeps queued commands for later */
    bool mute;      /* it answers no read */
    bool stuck;     /* the port does not stop, until it is reset */
    bool bus_error; /* of the controller, at a read */
    bool gone;
    /* What it does. */
    uint32_t cause, enabled, command, tfd, control, serial_error, active, issued;
    uint64_t list, received;
    uint32_t queue[SLOTS]; /* slots */
    unsigned queued;
    bool halted; /* by the error of a queued command, until its log is read */
    uint32_t failed;
    unsigned identified, reads, queued_reads, logs, resets;
    unsigned strange; /* commands besides those that read */
};

static struct {
    uint32_t config[64];
    uint32_t ghc, bohc;
    bool firmware; /* firmware owns the controller */
    bool stays;    /* firmware does not give the controller away */
    bool gone;
    struct port port[PORTS];
} hba;

static const char *image_path;
static struct machine machine;

/* ---- the disk ---- */

static void answer(struct port *port, uint32_t tfd, uint32_t cause)
{
    port->tfd = tfd;
    port->cause |= cause | ((tfd & 1) != 0 ? TFES : 0);
}

/* What a command of the guest is, of which the frame is checked. */
struct frame {
    uint8_t code;
    uint64_t block;
    uint32_t features;
    uint32_t count;
    uint8_t *to;
    uint32_t bytes;
};

static struct frame frame_of(const struct port *port, uint32_t slot)
{
    const uint8_t *header = machine_memory(&machine, port->list + 32ull * slot, 32);
    const uint8_t *table = machine_memory(&machine, bytes_get(header + 8, 8), 0x90);
    struct frame frame = {
        .code = table[2],
        .block = bytes_get(table + 4, 3) | bytes_get(table + 8, 3) << 24,
        .features = table[3] | (uint32_t)table[11] << 8,
        .count = (uint32_t)bytes_get(table + 12, 2),
        .bytes = (uint32_t)bytes_get(table + 0x8c, 4) + 1,
    };

    CHECK_EQUAL(bytes_get(header, 4), 1u << 16 | 5); /* nothing is written to the disk */
    CHECK_EQUAL(table[0], 0x27);
    CHECK_EQUAL(table[1], 0x80);
    CHECK_EQUAL(table[7], 0x40);
    frame.to = machine_memory(&machine, bytes_get(table + 0x80, 8), frame.bytes);
    return frame;
}

static void put_word(uint8_t *page, unsigned word, uint64_t value, unsigned words)
{
    memcpy(page + 2 * word, &value, 2 * words);
}

static void identify(struct port *port, uint8_t *page)
{
    memset(page, 0, 512);
    put_word(page, 49, 0x0300, 1);
    put_word(page, 75, DEPTH - 1, 1);
    put_word(page, 76, 0x0100, 1);
    put_word(page, 83, 0x4400, 1);
    put_word(page, 100, port->blocks, 4);
    put_word(page, 106, 0x5000, 1);
    put_word(page, 117, port->block_bytes / 2, 2);
    port->identified++;
}

static void read_log(struct port *port, const struct frame *frame)
{
    port->logs++;
    if (!port->has_log) {
        answer(port, ABORTED, DHRS);
        return;
    }
    CHECK_EQUAL(frame->block, 0x10);
    CHECK_EQUAL(frame->count, 1);
    memset(frame->to, 0, 512);
    frame->to[0] = (uint8_t)port->failed;
    frame->to[2] = 0x41;
    frame->to[3] = 0x40;
    frame->to[511] = (uint8_t) - (port->failed + 0x81);
    port->halted = false;
    answer(port, GOOD, DHRS);
}

/* Each word of the memory becomes the number of its block. False: one of them is bad. */
static bool read_blocks(struct port *port, const struct frame *frame, uint32_t count)
{
    CHECK_EQUAL(frame->bytes, count * port->block_bytes);
    if (port->bad >= frame->block && port->bad < frame->block + count) {
        return false;
    }
    for (uint32_t i = 0; i < frame->bytes; i += 4) {
        const uint32_t block = (uint32_t)frame->block + i / port->block_bytes;

        memcpy(frame->to + i, &block, sizeof(block));
    }
    return true;
}

static void serve_queue(struct port *port)
{
    for (unsigned i = 0; i < port->queued && !port->halted; i++) {
        const uint32_t slot = port->queue[i];
        const struct frame frame = frame_of(port, slot);

        if ((port->active >> slot & 1) == 0) {
            continue;
        }
        if (!read_blocks(port, &frame, frame.features)) {
            port->halted = true;
            port->failed = slot;
            answer(port, BAD_DATA, SDBS);
            return;
        }
        port->active &= ~(1u << slot);
        answer(port, GOOD, SDBS);
    }
    if (!port->halted) {
        port->queued = 0;
    }
}

/* True: the command has been taken. */
static bool take_read(struct port *port, uint32_t slot, const struct frame *frame)
{
    if (port->bus_error) {
        port->cause |= HBDS;
        return false;
    }
    if (frame->code == 0x60) {
        port->queued_reads++;
        port->strange += frame->count != slot << 3 || (port->active >> slot & 1) == 0;
        port->queue[port->queued++ % SLOTS] = slot;
        if (!port->held && !port->mute) {
            serve_queue(port);
        }
        return true;
    }
    port->reads++;
    if (port->mute) {
        return false;
    }
    const bool good = read_blocks(port, frame, frame->count);

    answer(port, good ? GOOD : BAD_BLOCKS, DHRS);
    return good;
}

static bool take_command(struct port *port, uint32_t slot)
{
    const struct frame frame = frame_of(port, slot);

    CHECK((hba.config[COMMAND / 4] & 6) == 6);
    switch (frame.code) {
    case 0x25:
    case 0x60:
        return take_read(port, slot, &frame);
    case 0x2f:
        read_log(port, &frame);
        return (port->tfd & 1) == 0;
    case 0xec:
        identify(port, frame.to);
        answer(port, GOOD, DHRS);
        return true;
    default:
        port->strange++;
        return true;
    }
}

static void take_commands(struct port *port)
{
    for (uint32_t slot = 0; slot < SLOTS && (port->command & RUNS) != 0; slot++) {
        if ((port->issued >> slot & 1) != 0 && (!port->halted || (port->cause & TFES) == 0) &&
            take_command(port, slot)) {
            port->issued &= ~(1u << slot);
        }
    }
}

/* ---- registers ---- */

static void command_port(struct port *port, uint32_t value)
{
    const bool runs = (port->command & RUNS) != 0;
    const bool stays = runs && port->stuck;

    port->command = (value & (START | RECEIVE)) | ((value & RECEIVE) != 0 ? RECEIVES : 0) |
                    ((value & START) != 0 || stays ? RUNS : 0);
    if (runs && (port->command & RUNS) == 0) {
        port->issued = 0;
        port->active = 0;
        port->queued = 0;
    }
}

static void control_port(struct port *port, uint32_t value)
{
    if ((port->control & 15) == 1 && (value & 15) == 0) {
        port->resets++;
        port->stuck = false;
        port->halted = false;
        port->queued = 0;
        port->issued = 0;
        port->active = 0;
        port->tfd = GOOD;
        port->command &= ~RUNS;
    }
    port->control = value;
}

static uint32_t read_port_register(const struct port *port, uint64_t offset)
{
    switch (offset) {
    case 0x10:
        return port->cause;
    case 0x14:
        return port->enabled;
    case 0x18:
        return port->command;
    case 0x20:
        return port->tfd;
    case 0x24:
        return port->signature;
    case 0x28:
        return port->gone || port->signature == 0 ? 0 : 0x123;
    case 0x2c:
        return port->control;
    case 0x30:
        return port->serial_error;
    case 0x34:
        return port->active;
    case 0x38:
        return port->issued;
    default:
        return 0;
    }
}

static void write_port_register(struct port *port, uint64_t offset, uint32_t value)
{
    switch (offset) {
    case 0x00:
        port->list = value;
        break;
    case 0x08:
        port->received = value;
        break;
    case 0x10:
        port->cause &= ~value;
        break;
    case 0x14:
        port->enabled = value;
        break;
    case 0x18:
        command_port(port, value);
        break;
    case 0x2c:
        control_port(port, value);
        break;
    case 0x30:
        port->serial_error &= ~value;
        port->cause &= ~PRCS;
        break;
    case 0x34:
        port->active |= value;
        break;
    case 0x38:
        port->issued |= value;
        take_commands(port);
        break;
    default:
        CHECK(value == 0 && (offset == 0x04 || offset == 0x0c));
    }
}

static uint64_t read_register(void *context, uint64_t offset)
{
    (void)context;
    CHECK_EQUAL(machine.register_bytes, 4);
    if (hba.gone) {
        return ONES;
    }
    if (offset >= 0x100) {
        return read_port_register(&hba.port[(offset - 0x100) / PORT_BYTES % PORTS],
                                  (offset - 0x100) % PORT_BYTES);
    }
    switch (offset) {
    case 0x00:
        return 0x40001f01; /* two ports, 32 slots, queues; addresses of 32 bits */
    case 0x04:
        return hba.ghc;
    case 0x0c:
        return (1u << PORTS) - 1;
    case 0x24:
        return 1;
    case 0x28:
        return hba.bohc;
    default:
        return 0;
    }
}

static void write_register(void *context, uint64_t offset, uint64_t value)
{
    (void)context;
    if (offset >= 0x100) {
        write_port_register(&hba.port[(offset - 0x100) / PORT_BYTES % PORTS],
                            (offset - 0x100) % PORT_BYTES, (uint32_t)value);
    } else if (offset == 0x04) {
        CHECK_EQUAL(value & 1, 0); /* the controller is not reset */
        hba.ghc = (uint32_t)value;
    } else if (offset == 0x28) {
        hba.firmware = hba.firmware && (hba.stays || (value & 2) == 0);
        hba.bohc = (uint32_t)(value & 2) | (hba.firmware ? 0x11 : 0);
    } else {
        CHECK_EQUAL(offset, 0x08);
    }
}

/* ---- the machine ---- */

/* A controller with a disk at port 1. */
static struct port *begin(void)
{
    memset(&hba, 0, sizeof(hba));
    hba.config[0] = 0x29228086;
    hba.config[COMMAND / 4] = 0x0001; /* firmware left its memory off */
    hba.config[2] = 0x01060100;
    hba.config[9] = (uint32_t)REGISTERS;
    hba.port[1] = (struct port){
        .signature = 0x00000101,
        .blocks = 1000000,
        .block_bytes = 512,
        .bad = NONE,
        .has_log = true,
        .tfd = GOOD,
        .command = START | RECEIVE | RECEIVES | RUNS, /* as firmware left it */
    };
    return &hba.port[1];
}

static struct block_disk *find(uint64_t *address)
{
    disk_guest_open(&machine, image_path, TSC_HZ);
    disk_guest_plug(PLACE, hba.config, NULL);
    machine_map_device(&machine, REGISTERS, read_register, write_register, NULL);
    disk_guest_find("ahci_driver");
    return disk_guest_disk(0, address);
}

static struct block_disk *find_and_open(uint64_t depth, uint64_t *address)
{
    struct block_disk *disk = find(address);

    CHECK(disk->unusable == NULL);
    disk_guest_open_disk(*address, depth);
    return disk;
}

static void close_machine(uint64_t address)
{
    disk_guest_call("block_close", 1, &address);
    CHECK_EQUAL(hba.config[COMMAND / 4], 0x0001);
    CHECK_EQUAL(hba.port[0].strange + hba.port[1].strange, 0);
    CHECK_EQUAL(hba.port[1].enabled, 0);
    machine_close(&machine);
}

static void check_read(const struct block_disk *disk, const struct block_request *request)
{
    const size_t bytes = (size_t)request->blocks * disk->block_bytes;
    const uint32_t *words = machine_memory(&machine, (uint64_t)(uintptr_t)request->to, bytes);
    unsigned wrong = 0;

    CHECK(request->finished);
    CHECK_EQUAL(request->error, BLOCK_GOOD);
    for (size_t i = 0; i < bytes / 4; i++) {
        wrong += words[i] != request->block + 4 * i / disk->block_bytes;
    }
    CHECK_EQUAL(wrong, 0);
}

/* One that is good. */
static void read_on(const struct block_disk *disk, uint64_t address)
{
    const struct block_request *request = disk_guest_submit(address, 4711, 8);

    disk_guest_finish(address, request);
    check_read(disk, request);
}

/* ---- tests ---- */

static void test_find(void)
{
    uint64_t address;
    struct port *port = begin();

    port->block_bytes = 4096;
    hba.port[0] = (struct port){.signature = 0xeb140101, .tfd = GOOD};
    hba.firmware = true;
    hba.bohc = 1;
    const struct block_disk *disk = find(&address);

    CHECK_TEXT(disk->name, "ahci0p0");
    CHECK_TEXT(disk_guest_text(disk->unusable), "an ATAPI device, not a disk");
    CHECK(disk->foreign);
    disk = disk_guest_disk(1, &address);
    CHECK_TEXT(disk->name, "ahci0p1");
    CHECK(disk->unusable == NULL && !disk->foreign);
    CHECK_EQUAL(disk->blocks, 1000000);
    CHECK_EQUAL(disk->block_bytes, 4096);
    CHECK_EQUAL(disk->depth_max, DEPTH);
    CHECK_EQUAL(disk->blocks_max, 1024);
    CHECK_EQUAL(hba.bohc, 2); /* firmware has let go */
    CHECK_EQUAL(hba.port[0].identified, 0);
    CHECK_EQUAL(port->identified, 1);
    CHECK_EQUAL(hba.config[COMMAND / 4], 0x0001);
    disk_guest_open_disk(address, 1);
    read_on(disk, address);
    close_machine(address);
}

/* Firmware that does not let go is not waited for without end. */
static void test_firmware_stays(void)
{
    uint64_t address;

    begin();
    hba.firmware = true;
    hba.stays = true;
    hba.bohc = 0x11;
    const struct block_disk *disk = find_and_open(1, &address);

    read_on(disk, address);
    close_machine(address);
}

static void test_one_at_a_time(void)
{
    uint64_t address;
    const struct port *port = begin();
    const struct block_disk *disk = find_and_open(1, &address);

    for (uint32_t i = 0; i < 20; i++) {
        const struct block_request *request = disk_guest_submit(address, 10000ull * i, 1 + i);

        disk_guest_finish(address, request);
        check_read(disk, request);
    }
    CHECK_EQUAL(port->reads, 20);
    CHECK_EQUAL(port->queued_reads, 0);
    close_machine(address);
}

/* DEPTH reads that the disk keeps for later. */
static void fill_queue(uint64_t address, struct port *port, struct block_request *requests[DEPTH])
{
    port->held = true;
    for (uint32_t i = 0; i < DEPTH; i++) {
        requests[i] = disk_guest_submit(address, 100 * i, 1 + i);
    }
    disk_guest_call("block_poll", 1, &address);
    for (uint32_t i = 0; i < DEPTH; i++) {
        CHECK(!requests[i]->finished);
    }
    port->held = false;
}

static void test_queue(void)
{
    uint64_t address;
    struct block_request *requests[DEPTH];
    struct port *port = begin();
    const struct block_disk *disk = find_and_open(32, &address);

    for (unsigned round = 0; round < 3; round++) {
        fill_queue(address, port, requests);
        serve_queue(port);
        disk_guest_call("block_poll", 1, &address);
        for (uint32_t i = 0; i < DEPTH; i++) {
            check_read(disk, requests[i]);
        }
    }
    CHECK_EQUAL(port->reads, 0);
    CHECK_EQUAL(port->queued_reads, 3 * DEPTH);
    close_machine(address);
}

/* Two reads before the bad one are done, it is named, and those behind it are read again. */
static void test_queue_error(void)
{
    uint64_t address;
    struct block_request *requests[DEPTH];
    struct port *port = begin();
    const struct block_disk *disk = find_and_open(32, &address);

    port->bad = 201;
    fill_queue(address, port, requests);
    serve_queue(port);
    disk_guest_call("block_poll", 1, &address);
    disk_guest_call("block_poll", 1, &address);
    for (uint32_t i = 0; i < DEPTH; i++) {
        if (i != 2) {
            check_read(disk, requests[i]);
        }
    }
    CHECK(requests[2]->finished);
    CHECK_EQUAL(requests[2]->error, BLOCK_MEDIUM);
    CHECK_EQUAL(requests[2]->status, BAD_DATA);
    CHECK_EQUAL(port->logs, 1);
    CHECK_EQUAL(port->resets, 0);
    CHECK(disk->unusable == NULL);
    read_on(disk, address);
    close_machine(address);
}

/* It cannot be known which read failed: none that was outstanding is taken for good. */
static void test_queue_without_log(void)
{
    uint64_t address;
    struct block_request *requests[DEPTH];
    struct port *port = begin();
    const struct block_disk *disk = find_and_open(32, &address);

    port->bad = 201;
    port->has_log = false;
    fill_queue(address, port, requests);
    serve_queue(port);
    disk_guest_call("block_poll", 1, &address);
    for (uint32_t i = 0; i < DEPTH; i++) {
        CHECK(requests[i]->finished);
        CHECK_EQUAL(requests[i]->error, i < 2 ? BLOCK_GOOD : BLOCK_DEVICE);
        CHECK_EQUAL(requests[i]->status, i < 2 ? 0 : BAD_DATA);
    }
    CHECK_EQUAL(port->resets, 1);
    read_on(disk, address);
    close_machine(address);
}

static void check_error(enum block_error error, uint32_t status, bool stuck, bool bus_error)
{
    uint64_t address;
    struct port *port = begin();
    const struct block_disk *disk = find_and_open(1, &address);

    port->bad = 5000;
    port->stuck = stuck;
    port->bus_error = bus_error;
    const struct block_request *request = disk_guest_submit(address, 4999, 2);

    disk_guest_finish(address, request);
    CHECK_EQUAL(request->error, error);
    CHECK_EQUAL(request->status, status);
    CHECK_EQUAL(port->resets, stuck ? 1 : 0);
    CHECK(disk->unusable == NULL);
    port->bus_error = false;
    read_on(disk, address);
    close_machine(address);
}

static void test_errors(void)
{
    check_error(BLOCK_DEVICE, BAD_BLOCKS, false, false);
    check_error(BLOCK_DEVICE, BAD_BLOCKS, true, false);
    check_error(BLOCK_DEVICE, HBDS, false, true);
}

static void test_mute(void)
{
    for (uint32_t depth = 1; depth <= DEPTH; depth += DEPTH - 1) {
        uint64_t address;
        struct port *port = begin();
        const struct block_disk *disk = find_and_open(depth, &address);

        port->mute = true;
        const struct block_request *request = disk_guest_submit(address, 1, 1);

        disk_guest_finish(address, request);
        CHECK_EQUAL(request->error, BLOCK_TIMEOUT);
        CHECK(request->completed - request->submitted >= 2 * TSC_HZ);
        CHECK(disk->unusable != NULL);
        CHECK_EQUAL(port->command & (START | RUNS), 0);
        close_machine(address);
    }
}

/* The link is lost; or all of the controller. */
static void test_taken_out(void)
{
    for (unsigned all = 0; all < 2; all++) {
        uint64_t address;
        struct port *port = begin();
        const struct block_disk *disk = find_and_open(1, &address);

        port->mute = true;
        const struct block_request *request = disk_guest_submit(address, 1, 1);

        disk_guest_call("block_poll", 1, &address);
        CHECK(!request->finished);
        port->gone = true;
        port->cause |= PRCS;
        hba.gone = all == 1;
        disk_guest_call("block_poll", 1, &address);
        CHECK(request->finished);
        CHECK_EQUAL(request->error, BLOCK_GONE);
        CHECK_TEXT(disk_guest_text(disk->unusable),
                   all == 1 ? "its controller has disappeared" : "the disk has disappeared");
        hba.gone = false;
        close_machine(address);
    }
}

int main(int argc, char **argv)
{
    image_path = argc > 1 ? argv[1] : DEFAULT_IMAGE;
    RUN(test_find());
    RUN(test_firmware_stays());
    RUN(test_one_at_a_time());
    RUN(test_queue());
    RUN(test_queue_error());
    RUN(test_queue_without_log());
    RUN(test_errors());
    RUN(test_mute());
    RUN(test_taken_out());
    return unit_finish("ahci_machine");
}
