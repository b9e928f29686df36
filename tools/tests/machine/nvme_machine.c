/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The image's driver of NVM Express disks, and how it finds out where a PCI function's interrupt
 * arrives, on a controller that no emulator offers: one with MSI-X, MSI or a pin alone, on a line
 * that another device holds, or that raises NMIs; one that never becomes ready, that is mute, that
 * is unplugged, and that answers what it was not asked. The controller takes the commands that read
 * and fails the test at any other.
 *
 *     nvme_machine [IMAGE.elf]
 */
#include "kernel/cpu/exception.h"
#include "kernel/dev/acpi.h"
#include "kernel/irq/lapic.h"
#include "kernel/irq/pci_interrupt.h"
#include "tools/tests/machine/disk_guest.h"
#include "tools/tests/machine/unicorn_machine.h"
#include "tools/tests/support/unit.h"

#define DEFAULT_IMAGE  "build/image/tare.elf"
#define TSC_HZ         50000 /* of the image's clock: a wait of 2 s is short */
#define PAGE           4096
#define REGISTERS      0x900000000ull /* above 4 GiB */
#define BELLS          (REGISTERS + PAGE)
#define TABLE          (REGISTERS + 2ull * PAGE) /* of MSI-X */
#define IOAPIC_ADDRESS 0xfec00000ull
#define LAPIC_ADDRESS  0xfee00000ull
#define INPUTS         24
#define MASKED         (1u << 16)
#define LEVEL_LOW      0xa000u
#define DELIVER_NMI    0x400u
#define PLACE          (4u << 3)
#define COMMAND        0x04
#define MSIX           0x40
#define MSI            0x60
#define LINE           0x3c
#define BLOCKS         100000
#define BLOCK_BYTES    512
#define NONE           UINT32_MAX

/* ---- the controller ---- */

static struct {
    /* How it is. */
    bool msix, msi, pin; /* what it has */
    bool msix_lost;      /* its messages by MSI-X do not arrive */
    unsigned wired;      /* the input that its pin leads to */
    unsigned held;       /* one that another device holds; NONE: none */
    bool never_ready;
    bool gone;
    bool mute;         /* reads are not answered */
    uint16_t status;   /* of every read */
    uint16_t other_id; /* added to the id of what is done */
    /* What it does. */
    uint32_t config[64];
    uint32_t kept[PAGE / 4];
    uint32_t table[4];
    struct {
        uint64_t commands, done; /* addresses */
        uint32_t entries, tail, put, head;
    } queue[2];
    bool interrupts[2]; /* of a queue */
    unsigned reads;
    unsigned nmis;
    unsigned resets;
    unsigned strange; /* commands besides those that read */
} nvme;

static struct {
    uint32_t select;
    uint32_t entry[2 * INPUTS];
} ioapic;

static const char *image_path;
static struct machine machine;

static struct {
    uint8_t message; /* the vector of one that is pending; 0: none */
    bool in_service;
} lapic;

static uint32_t *guest_words(uint64_t address, size_t bytes)
{
    return machine_memory(&machine, address, bytes);
}

/* ---- interrupts ---- */

static bool asserts(void)
{
    return nvme.pin && (nvme.config[COMMAND / 4] & 0x400) == 0 &&
           ((nvme.interrupts[0] && nvme.queue[0].put != nvme.queue[0].head) ||
            (nvme.interrupts[1] && nvme.queue[1].put != nvme.queue[1].head));
}

/* The vector of an open input whose line is held; 0: there is none. */
static uint8_t held_vector(void)
{
    for (unsigned i = 0; i < INPUTS; i++) {
        const uint32_t entry = ioapic.entry[2 * i];

        if ((entry & (MASKED | 0x700)) == 0 && (i == nvme.held || (i == nvme.wired && asserts()))) {
            CHECK_EQUAL(entry & 0xff00, LEVEL_LOW);
            return (uint8_t)entry;
        }
    }
    return 0;
}

/* The lines, the inputs or what is in service have changed: an NMI at an edge, and a level for as
 * long as it is held. */
static void look_at_lines(void)
{
    static bool was_high;
    const bool high = asserts();

    if (high && !was_high && (ioapic.entry[2 * nvme.wired] & (MASKED | 0x700)) == DELIVER_NMI) {
        machine.nmi_due = machine_tsc(&machine);
        nvme.nmis++;
    }
    was_high = high;
    machine.due = !lapic.in_service && (lapic.message != 0 || held_vector() != 0)
                      ? machine_tsc(&machine)
                      : MACHINE_NEVER;
}

static uint8_t take_interrupt(void *context)
{
    const uint8_t taken = lapic.message != 0 ? lapic.message : held_vector();

    (void)context;
    lapic.message = 0;
    lapic.in_service = true;
    machine.due = MACHINE_NEVER;
    return taken;
}

static void send(uint32_t address, uint32_t data)
{
    CHECK_EQUAL(address, 0xfee00000);
    CHECK_EQUAL(nvme.config[COMMAND / 4] & 4, 4); /* a message is a write by the device */
    lapic.message = (uint8_t)data;
    look_at_lines();
}

static void interrupt(unsigned queue)
{
    const uint32_t msix = nvme.config[MSIX / 4];
    const uint32_t msi = nvme.config[MSI / 4];

    if (!nvme.interrupts[queue]) {
        return;
    }
    if (nvme.msix && msix >> 30 == 2 && (nvme.table[3] & 1) == 0) {
        if (!nvme.msix_lost) {
            send(nvme.table[0], nvme.table[2]);
        }
    } else if (nvme.msi && (msi & 0x10000) != 0) {
        send(nvme.config[MSI / 4 + 1], nvme.config[MSI / 4 + 3]);
    } else {
        look_at_lines();
    }
}

/* ---- commands ---- */

static void complete(unsigned queue, const uint32_t *command, uint16_t status)
{
    const uint32_t entries = nvme.queue[queue].entries;
    const uint32_t put = nvme.queue[queue].put;
    uint32_t *done = guest_words(nvme.queue[queue].done + 16ull * (put % entries), 16);

    done[3] = (uint32_t)status << 17 | (put / entries % 2 == 0 ? 0x10000 : 0) |
              (uint16_t)((command[0] >> 16) + (queue == 1 ? nvme.other_id : 0));
    nvme.queue[queue].put++;
    interrupt(queue);
}

static void identify(const uint32_t *command)
{
    uint8_t *page = machine_memory(&machine, command[6], PAGE);

    memset(page, 0, PAGE);
    if (command[10] == 1) {
        page[77] = 3; /* 32 KiB */
        page[512] = 0x66;
        page[513] = 0x44;
        page[516] = 2;
    } else if (command[10] == 2) {
        page[0] = 2;
    } else {
        CHECK_EQUAL(command[1], 2);
        memcpy(page, &(uint32_t){BLOCKS}, sizeof(uint32_t));
        page[128 + 2] = 9;
    }
}

static void administrate(const uint32_t *command)
{
    const uint64_t address = (uint64_t)command[7] << 32 | command[6];

    switch (command[0] & 0xff) {
    case 0x01:
        nvme.queue[1].commands = address;
        nvme.queue[1].tail = 0;
        break;
    case 0x05:
        nvme.queue[1].entries = (command[10] >> 16) + 1;
        nvme.queue[1].done = address;
        nvme.queue[1].put = 0;
        nvme.queue[1].head = 0;
        nvme.interrupts[1] = (command[11] & 2) != 0;
        break;
    case 0x06:
        identify(command);
        break;
    case 0x09:
        CHECK_EQUAL(command[10], 7);
        break;
    default:
        nvme.strange++;
    }
    complete(0, command, 0);
}

/* Each word of the memory becomes the number of its block. */
static void read_blocks(const uint32_t *command)
{
    const uint64_t bytes = ((command[12] & 0xffff) + 1ull) * BLOCK_BYTES;
    uint64_t at = command[6];

    nvme.reads++;
    nvme.strange += (command[0] & 0xff) != 2 || command[1] != 2;
    if (nvme.mute) {
        return;
    }
    for (uint64_t i = 0; i < bytes && nvme.status == 0; i += 4, at += 4) {
        if (i > 0 && at % PAGE == 0) {
            const uint64_t page = (command[6] % PAGE + i) / PAGE; /* behind the first */

            at = (command[6] % PAGE + bytes - 1) / PAGE < 2
                     ? command[8]
                     : guest_words(command[8] + 8 * (page - 1), 4)[0];
        }
        *guest_words(at, 4) = command[10] + (uint32_t)(i / BLOCK_BYTES);
    }
    complete(1, command, nvme.status);
}

static void ring(unsigned queue, uint32_t tail)
{
    CHECK(tail < nvme.queue[queue].entries);
    CHECK((nvme.config[COMMAND / 4] & 6) == 6);
    while (nvme.queue[queue].tail != tail) {
        uint32_t command[16];

        memcpy(command,
               guest_words(nvme.queue[queue].commands + 64ull * nvme.queue[queue].tail, 64),
               sizeof(command));
        nvme.queue[queue].tail = (nvme.queue[queue].tail + 1) % nvme.queue[queue].entries;
        if (queue == 0) {
            administrate(command);
        } else {
            read_blocks(command);
        }
    }
}

/* ---- registers ---- */

static uint64_t read_register(void *context, uint64_t offset)
{
    (void)context;
    CHECK_EQUAL(machine.register_bytes, 4);
    if (nvme.gone) {
        return UINT32_MAX;
    }
    switch (offset) {
    case 0x00:
        return 1u << 24 | 7; /* 8 entries, ready within 500 ms */
    case 0x04:
        return 0x20;
    case 0x08:
        return 0x10400;
    case 0x1c:
        return nvme.never_ready ? 0 : nvme.kept[0x14 / 4] & 1;
    default:
        return nvme.kept[offset / 4];
    }
}

static void write_register(void *context, uint64_t offset, uint64_t value)
{
    (void)context;
    nvme.kept[offset / 4] = (uint32_t)value;
    if (offset != 0x14) {
        return;
    }
    nvme.resets += (value & 1) == 0;
    memset(nvme.queue, 0, sizeof(nvme.queue));
    nvme.interrupts[0] = (value & 1) != 0;
    nvme.interrupts[1] = false;
    nvme.queue[0].commands = nvme.kept[0x28 / 4];
    nvme.queue[0].done = nvme.kept[0x30 / 4];
    nvme.queue[0].entries = (nvme.kept[0x24 / 4] & 0xfff) + 1;
    look_at_lines();
}

static uint64_t read_bell(void *context, uint64_t offset)
{
    (void)context;
    (void)offset;
    return UINT32_MAX;
}

static void write_bell(void *context, uint64_t offset, uint64_t value)
{
    const unsigned queue = (unsigned)(offset / 8);

    (void)context;
    CHECK(offset % 4 == 0 && queue < 2);
    if (nvme.gone || queue > 1) {
        return;
    }
    if (offset % 8 == 0) {
        ring(queue, (uint32_t)value);
    } else {
        const uint32_t entries = nvme.queue[queue].entries;

        nvme.queue[queue].head +=
            ((uint32_t)value + entries - nvme.queue[queue].head % entries) % entries;
        look_at_lines();
    }
}

static uint64_t read_table(void *context, uint64_t offset)
{
    (void)context;
    return nvme.table[offset / 4 % 4];
}

static void write_table(void *context, uint64_t offset, uint64_t value)
{
    (void)context;
    CHECK(offset < 16);
    nvme.table[offset / 4 % 4] = (uint32_t)value;
}

static uint64_t read_ioapic(void *context, uint64_t offset)
{
    const uint32_t at = ioapic.select - 0x10;

    (void)context;
    if (offset == 0) {
        return ioapic.select;
    }
    return ioapic.select == 1 ? (INPUTS - 1) << 16 | 0x20 : at < 2 * INPUTS ? ioapic.entry[at] : 0;
}

static void write_ioapic(void *context, uint64_t offset, uint64_t value)
{
    const uint32_t at = ioapic.select - 0x10;

    (void)context;
    if (offset == 0) {
        ioapic.select = (uint32_t)value;
    } else if (at < 2 * INPUTS) {
        ioapic.entry[at] = (uint32_t)value;
        look_at_lines();
    }
}

static uint64_t read_lapic(void *context, uint64_t offset)
{
    (void)context;
    return offset == 0x30 ? 0x00050014 : 0;
}

static void write_lapic(void *context, uint64_t offset, uint64_t value)
{
    (void)context;
    (void)value;
    if (offset == 0xb0) {
        lapic.in_service = false;
        look_at_lines();
    }
}

static void write_config(unsigned word, uint32_t value)
{
    CHECK(word == COMMAND / 4 || word >= MSIX / 4);
    nvme.config[word] =
        word == COMMAND / 4 ? (nvme.config[word] & 0xffff0000) | (uint16_t)value : value;
    look_at_lines();
}

/* ---- the image ---- */

static void set_up_config(void)
{
    uint32_t *config = nvme.config;

    config[0] = 0x00101b36;
    config[COMMAND / 4] = 0x00100001; /* firmware left its memory off */
    config[2] = 0x01080202;
    config[4] = (uint32_t)REGISTERS | 4;
    config[5] = REGISTERS >> 32;
    config[0x34 / 4] = nvme.msix ? MSIX : nvme.msi ? MSI : 0;
    config[LINE / 4] = nvme.pin ? 0x01ff : 0;
    config[MSIX / 4] = 0x00070011 | (nvme.msi ? MSI << 8 : 0);
    config[MSIX / 4 + 1] = 2 * PAGE;
    config[MSI / 4] = 0x00800005;
    nvme.table[3] = 1;
}

static void open_machine(void)
{
    static const struct acpi_facts facts = {.io_apic_count = 1, .io_apics = {IOAPIC_ADDRESS}};

    disk_guest_open(&machine, image_path, TSC_HZ);
    disk_guest_plug(PLACE, nvme.config, write_config);
    machine.devices.take_interrupt = take_interrupt;
    machine_map_device(&machine, LAPIC_ADDRESS, read_lapic, write_lapic, NULL);
    machine_map_device(&machine, IOAPIC_ADDRESS, read_ioapic, write_ioapic, NULL);
    machine_map_device(&machine, REGISTERS, read_register, write_register, NULL);
    machine_map_device(&machine, BELLS, read_bell, write_bell, NULL);
    machine_map_device(&machine, TABLE, read_table, write_table, NULL);
    for (unsigned i = 0; i < INPUTS; i++) {
        ioapic.entry[2 * i] = MASKED;
    }
    memset(&lapic, 0, sizeof(lapic));
    set_up_config();
    const uint64_t address = machine_allocate(&machine, sizeof(facts));

    memcpy(machine_memory(&machine, address, sizeof(facts)), &facts, sizeof(facts));
    disk_guest_call("lapic_init", 1, &address);
    disk_guest_call("pci_interrupt_use", 1, &address);
}

/* A zeroed controller as most are. */
static void begin(void)
{
    memset(&nvme, 0, sizeof(nvme));
    nvme.msix = true;
    nvme.pin = true;
    nvme.held = NONE;
}

static struct block_driver *driver(void)
{
    return machine_memory(&machine, image_elf_symbol(&machine.image, "nvme_driver"),
                          sizeof(struct block_driver));
}

/* Finds the one disk that there is. */
static struct block_disk *find(uint64_t *address)
{
    open_machine();
    disk_guest_find("nvme_driver");
    return disk_guest_disk(0, address);
}

static void close_machine(void)
{
    CHECK_EQUAL(nvme.strange, 0);
    machine_close(&machine);
}

/* All is as firmware left it. */
static void check_as_found(void)
{
    CHECK_EQUAL(nvme.config[COMMAND / 4], 0x00100001);
    CHECK_EQUAL(nvme.config[MSIX / 4] >> 16, 7);
    CHECK_EQUAL(nvme.config[MSI / 4] >> 16, 0x80);
    CHECK_EQUAL(nvme.config[MSI / 4 + 1] | nvme.config[MSI / 4 + 3], 0);
    CHECK_EQUAL(nvme.table[0] | nvme.table[1] | nvme.table[2], 0);
    CHECK_EQUAL(nvme.table[3], 1);
    CHECK_EQUAL(nvme.kept[0x14 / 4] & 1, 0);
    for (unsigned i = 0; i < INPUTS; i++) {
        CHECK(ioapic.entry[2 * i] == MASKED || ioapic.entry[2 * i] == DELIVER_NMI);
    }
}

/* Its block numbers, word by word. */
static void check_read(const struct block_request *request)
{
    const uint32_t *words =
        guest_words((uint64_t)(uintptr_t)request->to, (size_t)request->blocks * BLOCK_BYTES);
    unsigned wrong = 0;

    CHECK(request->finished);
    CHECK_EQUAL(request->error, BLOCK_GOOD);
    for (uint32_t i = 0; i < request->blocks * (BLOCK_BYTES / 4); i++) {
        wrong += words[i] != request->block + i / (BLOCK_BYTES / 4);
    }
    CHECK_EQUAL(wrong, 0);
}

/* ---- tests ---- */

static void test_polled(void)
{
    const struct block_request *requests[7];
    uint64_t address;

    begin();
    const struct block_disk *disk = find(&address);

    CHECK_TEXT(disk->name, "nvme0n2");
    CHECK(disk->unusable == NULL);
    CHECK_EQUAL(disk->blocks, BLOCKS);
    CHECK_EQUAL(disk->block_bytes, BLOCK_BYTES);
    CHECK_EQUAL(disk->depth_max, 7); /* one entry of 8 stays empty */
    CHECK_EQUAL(disk->blocks_max, 64);
    check_as_found();
    disk_guest_open_disk(address, 64);
    CHECK_EQUAL(disk->interrupt, INTERRUPT_POLLED);
    for (unsigned round = 0; round < 3; round++) { /* the queues wrap */
        for (unsigned i = 0; i < 7; i++) {
            requests[i] = disk_guest_submit(address, 1000 * round + 77 * i, 1 + 10 * i);
            CHECK(!requests[i]->finished);
        }
        disk_guest_call("block_poll", 1, &address);
        for (unsigned i = 0; i < 7; i++) {
            check_read(requests[i]);
        }
    }
    CHECK_EQUAL(nvme.reads, 21);
    CHECK_EQUAL(machine.interrupts, 0);
    disk_guest_call("block_close", 1, &address);
    check_as_found();
    close_machine();
}

/* What a function has, and where its pin leads. */
struct wiring {
    bool msix, msix_lost, msi, pin;
    unsigned wired, held;
    enum device_interrupt expected;
};

/* Reads by interrupt. */
static void read_some(uint64_t disk)
{
    const uint64_t us = 1;

    for (unsigned i = 0; i < 20; i++) {
        machine_allow_interrupts(&machine, true);
        const struct block_request *request = disk_guest_submit(disk, i, 1);

        disk_guest_call("clock_ticks_from_us", 1, &us); /* for it to come in */
        check_read(request);
    }
}

/* Another device on the line interrupts without end: it is closed, and what runs goes on. */
static void hold_line(unsigned input)
{
    const uint64_t us = 1;

    nvme.held = input;
    look_at_lines();
    for (unsigned i = 0; i < 1000; i++) {
        machine_allow_interrupts(&machine, true);
        disk_guest_call("clock_ticks_from_us", 1, &us);
    }
    CHECK_EQUAL(ioapic.entry[2 * input] & MASKED, MASKED);
    nvme.held = NONE;
}

static void check_wiring(uint64_t address, const struct wiring *wiring)
{
    struct block_disk *disk = machine_memory(&machine, address, sizeof(*disk));
    const uint64_t arguments[] = {address, 4, true};

    nvme.msix = wiring->msix;
    nvme.msix_lost = wiring->msix_lost;
    nvme.msi = wiring->msi;
    nvme.pin = wiring->pin;
    nvme.wired = wiring->wired;
    nvme.held = wiring->held;
    set_up_config();
    machine_allow_interrupts(&machine, true);
    CHECK_EQUAL(disk_guest_call_at((uint64_t)(uintptr_t)driver()->open, 3, arguments), 0);
    CHECK_EQUAL(disk->interrupt, wiring->expected);
    disk->depth = 4; /* what block_open() does within a session */
    if (disk->interrupt != INTERRUPT_POLLED) {
        read_some(address);
    }
    if (disk->interrupt == INTERRUPT_INTX) {
        hold_line(wiring->wired);
    }
    machine_allow_interrupts(&machine, false);
    disk_guest_call_at((uint64_t)(uintptr_t)driver()->close, 1, &address);
    check_as_found();
}

static void test_interrupts(void)
{
    static const struct wiring wirings[] = {
        {.msix = true, .msi = true, .pin = true, .held = NONE, .expected = INTERRUPT_MSIX},
        /* That it has MSI-X proves nothing. */
        {.msix = true, .msix_lost = true, .msi = true, .held = NONE, .expected = INTERRUPT_MSI},
        {.msi = true, .held = NONE, .expected = INTERRUPT_MSI},
        {.pin = true, .wired = 19, .held = NONE, .expected = INTERRUPT_INTX},
        {.msix = true,
         .msix_lost = true,
         .pin = true,
         .wired = 21,
         .held = 18,
         .expected = INTERRUPT_INTX},
        /* None of those that it can be. */
        {.pin = true, .wired = 5, .held = NONE, .expected = INTERRUPT_POLLED},
        {.held = NONE, .expected = INTERRUPT_POLLED},
    };
    static const struct wiring shared = {
        .pin = true, .wired = 22, .held = NONE, .expected = INTERRUPT_POLLED};
    uint64_t address;
    struct exception_nmis nmis;

    begin();
    find(&address);
    for (size_t i = 0; i < sizeof(wirings) / sizeof(wirings[0]); i++) {
        check_wiring(address, &wirings[i]);
    }
    CHECK_EQUAL(nvme.nmis, 0);
    /* The watchdog's input: the NMIs that prove it are not the machine's. */
    ioapic.entry[2 * shared.wired] = DELIVER_NMI;
    check_wiring(address, &shared);
    CHECK(nvme.nmis > 0);
    memcpy(
        &nmis,
        machine_memory(&machine, disk_guest_call("exception_unknown_nmis", 0, NULL), sizeof(nmis)),
        sizeof(nmis));
    CHECK_EQUAL(nmis.count, 0);
    close_machine();
}

/* Opens it, and asks for some blocks. */
static const struct block_request *ask(struct block_disk **disk, uint64_t *address)
{
    *disk = find(address);
    disk_guest_open_disk(*address, 4);
    return disk_guest_submit(*address, 4711, 8);
}

static const struct block_request *read_one(struct block_disk **disk, uint64_t *address)
{
    const struct block_request *request = ask(disk, address);

    disk_guest_finish(*address, request);
    return request;
}

static void test_errors(void)
{
    struct block_disk *disk;
    uint64_t address;

    begin();
    nvme.status = 0x4281;
    const struct block_request *request = read_one(&disk, &address);

    CHECK_EQUAL(request->error, BLOCK_MEDIUM);
    CHECK_EQUAL(request->status, 0x281);
    CHECK(disk->unusable == NULL); /* other blocks may be readable */
    disk_guest_call("block_close", 1, &address);
    check_as_found();
    close_machine();

    begin();
    nvme.other_id = 1;
    request = read_one(&disk, &address);
    CHECK_EQUAL(request->error, BLOCK_DEVICE);
    CHECK(disk->unusable != NULL);
    CHECK_EQUAL(nvme.config[COMMAND / 4] & 4, 0); /* it has no bus */
    disk_guest_call("block_close", 1, &address);
    close_machine();
}

static void test_mute(void)
{
    struct block_disk *disk;
    uint64_t address;

    begin();
    nvme.mute = true;
    const struct block_request *request = read_one(&disk, &address);

    CHECK_EQUAL(request->error, BLOCK_TIMEOUT);
    CHECK(request->completed - request->submitted >= 2 * TSC_HZ);
    CHECK_EQUAL(nvme.config[COMMAND / 4] & 4, 0);
    CHECK_EQUAL(nvme.kept[0x14 / 4] & 1, 0);
    disk_guest_call("block_close", 1, &address);
    close_machine();
}

static void test_unplugged(void)
{
    struct block_disk *disk;
    uint64_t address;

    begin();
    nvme.mute = true;
    const struct block_request *request = ask(&disk, &address);

    disk_guest_call("block_poll", 1, &address);
    CHECK(!request->finished);
    nvme.gone = true;
    disk_guest_finish(address, request);

    CHECK_EQUAL(request->error, BLOCK_GONE);
    CHECK(request->completed - request->submitted < TSC_HZ); /* long before the limit */
    CHECK_TEXT(disk_guest_text(disk->unusable), "its registers do not answer");
    disk_guest_call("block_close", 1, &address);
    close_machine();
}

/* A disk of the controller's name shows why. */
static void check_unusable(const char *why)
{
    uint64_t address;
    const struct block_disk *disk = find(&address);

    CHECK_TEXT(disk->name, "nvme0");
    CHECK_TEXT(disk_guest_text(disk->unusable), why);
    CHECK_EQUAL(nvme.config[COMMAND / 4] & 4, 0);
    close_machine();
}

static void test_unusable(void)
{
    begin();
    nvme.never_ready = true;
    check_unusable("the controller did not become ready");
    begin();
    nvme.gone = true;
    check_unusable("its registers do not answer");
}

int main(int argc, char **argv)
{
    image_path = argc > 1 ? argv[1] : DEFAULT_IMAGE;
    RUN(test_polled());
    RUN(test_interrupts());
    RUN(test_errors());
    RUN(test_mute());
    RUN(test_unplugged());
    RUN(test_unusable());
    return unit_finish("nvme_machine");
}
