/* SPDX-License-Identifier: BSD-2-Clause */
/* The driver of AHCI disks (drivers.h describes it). */
#include "kernel/block/drivers.h"

#include <stdio.h>
#include <string.h>

#include "kernel/block/ata.h"
#include "kernel/clock/alarm.h"
#include "kernel/clock/registers.h"
#include "kernel/cpu/cpu.h"
#include "kernel/dev/pci.h"
#include "kernel/mem/memory.h"
#include "kernel/mem/paging.h"
#include "kernel/plan/bytes.h"

#define CLASS_SATA     0x0106
#define INTERFACE_AHCI 0x01
#define BAR_AHCI       5
#define REGISTERS      0x1100 /* bytes of the registers of the controller and 32 ports */
#define HBAS_MAX       8
#define PORTS          32
#define SLOTS          32
#define SIZE_4G        (1ull << 32)

/* Offsets and bits of the controller's registers (section 3.1). */
#define CAP              0x00
#define CAP_WIDE         (1u << 31) /* 64-bit addresses */
#define CAP_QUEUES       (1u << 30)
#define CAP_SLOTS(value) (((value) >> 8 & 31) + 1)
#define GHC              0x04
#define GHC_AHCI         (1u << 31)
#define GHC_INTERRUPTS   (1u << 1)
#define IS               0x08
#define PI               0x0c
#define CAP2             0x24
#define CAP2_HANDOFF     (1u << 0)
#define BOHC             0x28
#define BOHC_BIOS        (1u << 0)
#define BOHC_OS          (1u << 1)
#define BOHC_BUSY        (1u << 4)

/* Offsets and bits of a port's registers (section 3.3). */
#define PORT_0       0x100
#define PORT_BYTES   0x80
#define CLB          0x00
#define FB           0x08
#define PXIS         0x10
#define PXIE         0x14
#define CMD          0x18
#define CMD_START    (1u << 0)
#define CMD_RECEIVE  (1u << 4) /* FRE */
#define CMD_RECEIVES (1u << 14)
#define CMD_RUNS     (1u << 15)
#define CMD_STATE    (15u << 28) /* ICC */
#define TFD          0x20
#define SIG          0x24
#define SSTS         0x28
#define SSTS_DET     15u
#define SSTS_THERE   3u
#define SCTL         0x2c
#define SCTL_DET     15u
#define SCTL_RESET   1u
#define SERR         0x30
#define SACT         0x34
#define CI           0x38

/* Bits of PxIS and PxIE. */
#define ANSWERED  0x0000000fu /* one of the frames arrived that end a read */
#define CONNECTED 0x00400040u /* the disk came or went: PRCS, PCS */
#define FAILED    0x78000000u /* TFES, and the controller errors that follow */
#define HBA_BAD   0x38000000u /* HBFS, HBDS, IFS: errors of the controller, not of the disk */

#define SIGNATURE_ATA        0x00000101u
#define SIGNATURE_ATAPI      0xeb140101u
#define SIGNATURE_MULTIPLIER 0x96690101u

#define DEVICE_BY_BLOCKS 0x40
#define FRAME_COMMAND    0x27 /* register, from host to device (Serial ATA 3.0, section 10.3.4) */
#define FRAME_IS_COMMAND 0x80
#define FRAME_WORDS      5

/* Time limits in us (AHCI sections 10.1.2, 10.4.2, 10.6.3). */
#define STOP_US    500000
#define HANDOFF_US 25000
#define BUSY_US    2000000
#define RESET_US   1000
#define ANSWER_US  (BLOCK_LIMIT_MS * 1000)

#define BYTES_MAX (4u << 20) /* most bytes of a request: those of one entry of its table */

/* Commands (ACS-3). All of them read. */
enum ata_command {
    READ_DMA_EXT,
    READ_LOG_EXT,
    READ_QUEUED,
    IDENTIFY,
};
static const uint8_t commands[] BLOCK_COMMANDS("ata") = {
    [READ_DMA_EXT] = 0x25,
    [READ_LOG_EXT] = 0x2f,
    [READ_QUEUED] = 0x60,
    [IDENTIFY] = 0xec,
};

struct header {
    uint32_t flags; /* words of the frame in bits 4-0; entries of the table in bits 31-16 */
    uint32_t moved;
    uint64_t table;
    uint32_t reserved[4];
};

struct table {
    uint8_t frame[64];
    uint8_t packet[64];
    uint64_t to;
    uint32_t reserved;
    uint32_t last_byte; /* number of bytes minus 1 */
    uint8_t rest[112];
};

/* Memory that the controller of a port reads and writes, with the alignment that it needs. */
struct port_memory {
    struct header header[SLOTS];
    uint8_t received[256];
    uint8_t rest[256];
    uint8_t page[ATA_PAGE];
    struct table table[SLOTS];
};

struct hba {
    uint64_t base;
    struct pci_interrupt interrupt;
    enum device_interrupt arrives; /* how interrupts arrive while a port that uses them is open */
    uint32_t slots;
    uint32_t users; /* number of open ports */
    struct pci_function function;
    uint16_t command; /* PCI command register while no port is open */
    bool wide;
    bool queues;
};

struct port {
    struct hba *hba;
    struct block_disk *disk;
    uint64_t base;
    uint32_t number;
    struct port_memory *memory;
    bool queued; /* reads use READ FPDMA QUEUED */
    bool interrupts;
    uint32_t issued; /* outstanding slots, one bit each */
    struct block_request *request[SLOTS];
};

static const char not_there[] = "the disk has disappeared";
static struct hba hbas[HBAS_MAX];
static size_t hba_count;
static struct port ports[BLOCK_DISKS_MAX];
static size_t port_count;

static uint32_t get(const struct port *port, uint32_t offset)
{
    return register_read32(port->base + offset);
}

static void set(const struct port *port, uint32_t offset, uint32_t value)
{
    register_write32(port->base + offset, value);
}

static void set_address(const struct port *port, uint32_t offset, const void *memory)
{
    set(port, offset, (uint32_t)(uintptr_t)memory);
    set(port, offset + 4, (uint32_t)((uintptr_t)memory >> 32));
}

static bool is_there(const struct port *port)
{
    const uint32_t status = get(port, SSTS);

    return status != REGISTER_GONE && (status & SSTS_DET) == SSTS_THERE;
}

static bool reachable(const struct hba *hba, const void *memory, uint64_t bytes)
{
    return hba->wide || (uint64_t)(uintptr_t)memory + bytes <= SIZE_4G;
}

/* ---- start, stop and reset of a port ---- */

static bool wait_idle(const struct port *port)
{
    return register_wait32(port->base + TFD, ATA_STATUS_BUSY | ATA_STATUS_DATA, 0, BUSY_US);
}

/* Stops the port. Once it has stopped, no command is outstanding. Returns false if it does not stop
 * in time. */
static bool stop(const struct port *port)
{
    set(port, CMD, get(port, CMD) & ~(CMD_START | CMD_STATE));
    return register_wait32(port->base + CMD, CMD_RUNS, 0, STOP_US);
}

static void acknowledge(const struct port *port)
{
    set(port, SERR, 0xffffffff);
    set(port, PXIS, 0xffffffff);
    register_write32(port->hba->base + IS, 1u << port->number);
}

/* Makes a stopped port use its memory and receive frames. Returns false on a timeout. */
static bool receive(const struct port *port)
{
    set(port, CMD, get(port, CMD) & ~(CMD_RECEIVE | CMD_STATE));
    if (!register_wait32(port->base + CMD, CMD_RECEIVES, 0, STOP_US)) {
        return false;
    }
    set_address(port, CLB, port->memory->header);
    set_address(port, FB, port->memory->received);
    acknowledge(port);
    set(port, CMD, (get(port, CMD) & ~CMD_STATE) | CMD_RECEIVE);
    return true;
}

static bool start(const struct port *port)
{
    if (!wait_idle(port) || !is_there(port)) {
        return false;
    }
    acknowledge(port);
    set(port, CMD, (get(port, CMD) & ~CMD_STATE) | CMD_START);
    return register_wait32(port->base + CMD, CMD_RUNS, CMD_RUNS, STOP_US);
}

/* Resets the disk by COMRESET (section 10.4.2), which ends what it was doing. Returns false on a
 * timeout. */
static bool reset(const struct port *port)
{
    const uint32_t control = get(port, SCTL) & ~SCTL_DET;

    stop(port);
    set(port, SCTL, control | SCTL_RESET);
    register_delay(RESET_US);
    set(port, SCTL, control);
    if (!register_wait32(port->base + SSTS, SSTS_DET, SSTS_THERE, BUSY_US)) {
        return false;
    }
    acknowledge(port);
    set(port, CMD, (get(port, CMD) & ~CMD_STATE) | CMD_RECEIVE);
    return wait_idle(port);
}

static void enable_interrupts(const struct port *port)
{
    set(port, PXIE, port->interrupts ? ANSWERED | CONNECTED | FAILED : 0);
}

/* Restarts the port after an error (section 6.2.2). Returns true if it takes commands again. */
static bool restart(const struct port *port)
{
    const bool good = stop(port) && start(port);
    const bool now = good || (reset(port) && start(port));

    enable_interrupts(port);
    return now;
}

/* ---- commands ---- */

struct command {
    enum ata_command code;
    uint64_t block;
    uint32_t count;
    uint32_t features;
    void *to;
    uint32_t bytes;
};

static void fill(const struct port *port, uint32_t slot, const struct command *command)
{
    struct table *table = &port->memory->table[slot];
    uint8_t *frame = table->frame;

    frame[0] = FRAME_COMMAND;
    frame[1] = FRAME_IS_COMMAND;
    frame[2] = commands[command->code];
    frame[3] = (uint8_t)command->features;
    bytes_put(frame + 4, command->block, 3);
    frame[7] = DEVICE_BY_BLOCKS;
    bytes_put(frame + 8, command->block >> 24, 3);
    frame[11] = (uint8_t)(command->features >> 8);
    bytes_put(frame + 12, command->count, 2);
    table->to = (uintptr_t)command->to;
    table->last_byte = command->bytes - 1;
    port->memory->header[slot].flags = 1u << 16 | FRAME_WORDS;
    port->memory->header[slot].moved = 0;
}

/* Reads a page by a single command. The port must be running and have nothing outstanding. Leaves
 * the causes of interrupts in PxIS, and PxIE at 0. */
static bool read_page(const struct port *port, enum ata_command code, uint8_t log)
{
    const struct command command = {
        .code = code,
        .block = log,
        .count = 1,
        .to = port->memory->page,
        .bytes = ATA_PAGE,
    };
    struct tsc_wait wait = tsc_wait_begin(clock_ticks_from_us(ANSWER_US));
    bool over = false;

    set(port, PXIE, 0);
    acknowledge(port);
    memset(port->memory->page, 0, ATA_PAGE);
    fill(port, 0, &command);
    set(port, CI, 1);
    while (!over && (get(port, CI) & 1) != 0 && (get(port, PXIS) & (FAILED | CONNECTED)) == 0) {
        over = tsc_wait_over(&wait);
        cpu_pause();
    }
    return !over && (get(port, PXIS) & FAILED) == 0 && is_there(port) &&
           (get(port, TFD) & ATA_STATUS_BAD) == 0;
}

static void submit(struct block_disk *disk, struct block_request *request)
{
    struct port *port = disk->state;
    const uint32_t slot = (uint32_t)__builtin_ctz(~port->issued);
    const struct command command = {
        .code = port->queued ? READ_QUEUED : READ_DMA_EXT,
        .block = request->block,
        .count = port->queued ? slot << 3 : request->blocks,
        .features = port->queued ? request->blocks : 0,
        .to = request->to,
        .bytes = request->blocks * disk->block_bytes,
    };

    if (!reachable(port->hba, request->to, command.bytes)) {
        request->error = BLOCK_REFUSED;
        block_finish(disk, request);
        return;
    }
    fill(port, slot, &command);
    request->slot = slot;
    port->request[slot] = request;
    port->issued |= 1u << slot;
    if (port->queued) {
        set(port, SACT, 1u << slot);
    }
    request->submitted = tsc_read();
    set(port, CI, 1u << slot);
}

/* ---- completion ---- */

static void finish(struct port *port, uint32_t slots, enum block_error error, uint32_t status)
{
    for (uint32_t slot = 0; slot < SLOTS; slot++) {
        if ((slots >> slot & 1) != 0) {
            struct block_request *request = port->request[slot];

            port->issued &= ~(1u << slot);
            request->error = error;
            request->status = status;
            block_finish(port->disk, request);
        }
    }
}

static enum block_error error_of(uint32_t error, uint32_t status)
{
    return (status & ATA_STATUS_BAD) != 0 && (error & ATA_BAD_DATA) != 0 ? BLOCK_MEDIUM
                                                                         : BLOCK_DEVICE;
}

/* Issues the commands of these slots again. The slots still hold them. */
static void issue_again(const struct port *port, uint32_t slots)
{
    for (uint32_t slot = 0; slot < SLOTS; slot++) {
        if ((slots >> slot & 1) != 0) {
            set(port, SACT, 1u << slot);
            set(port, CI, 1u << slot);
        }
    }
}

/* Recovers from the error of a queued read: the disk stops until its error log has been read.
 * Reading the log takes slot 0, whose header and table are saved and restored. */
static bool recover_queue(struct port *port, uint32_t status)
{
    struct ata_queue_error found;
    struct header header = port->memory->header[0];
    struct table table = port->memory->table[0];

    if (restart(port) && read_page(port, READ_LOG_EXT, ATA_LOG_QUEUE) &&
        ata_queue_error(port->memory->page, &found) && (port->issued >> found.tag & 1) != 0) {
        port->memory->header[0] = header;
        port->memory->table[0] = table;
        acknowledge(port);
        enable_interrupts(port);
        issue_again(port, port->issued & ~(1u << found.tag));
        finish(port, 1u << found.tag, error_of(found.error, found.status),
               (uint32_t)found.error << 8 | found.status);
        return true;
    }
    const bool good = reset(port) && start(port);

    enable_interrupts(port);
    finish(port, port->issued, BLOCK_DEVICE, status);
    return good;
}

static void fail(struct port *port, uint32_t causes)
{
    const uint32_t tfd = get(port, TFD);
    const uint32_t status = (causes & HBA_BAD) != 0 ? causes : tfd & 0xffff;
    bool good;

    if (!is_there(port)) {
        block_abandon(port->disk, BLOCK_GONE, not_there);
        return;
    }
    if (port->queued && (causes & HBA_BAD) == 0) {
        good = recover_queue(port, status);
    } else {
        good = restart(port);
        finish(port, port->issued, (causes & HBA_BAD) != 0 ? BLOCK_DEVICE : error_of(tfd >> 8, tfd),
               status);
    }
    if (!good) {
        block_abandon(port->disk, BLOCK_DEVICE, "the disk accepts no command after an error");
    }
}

/* Handles what the port reports. The causes are cleared before the slots are read, so that a later
 * completion raises a new interrupt. A read that ended between the two may have failed. If the
 * controller was removed its registers read as all ones, or as zeroes in an emulator. */
static void poll(struct block_disk *disk)
{
    struct port *port = disk->state;
    uint32_t causes = get(port, PXIS);

    if (causes == REGISTER_GONE) {
        block_abandon(disk, BLOCK_GONE, "its controller has disappeared");
        return;
    }
    if (causes != 0) {
        set(port, PXIS, causes);
        register_write32(port->hba->base + IS, 1u << port->number);
    }
    const uint32_t done = port->issued & ~(get(port, port->queued ? SACT : CI));
    const bool early = done != 0 && (causes & ANSWERED) == 0;

    if (early) {
        causes |= get(port, PXIS);
    }
    if ((causes & FAILED) != 0) {
        if (port->queued) {
            finish(port, done, BLOCK_GOOD, 0);
        }
        fail(port, causes & FAILED);
        return;
    }
    if ((early || (causes & CONNECTED) != 0) && !is_there(port)) {
        block_abandon(disk, BLOCK_GONE, not_there);
        return;
    }
    if ((causes & CONNECTED) != 0) {
        set(port, SERR, 0xffffffff);
    }
    finish(port, done, BLOCK_GOOD, 0);
}

/* ---- finding disks ---- */

/* Takes the controller over from firmware (section 10.6.3). Waits for a limited time. */
static void take_over(const struct hba *hba)
{
    if ((register_read32(hba->base + CAP2) & CAP2_HANDOFF) == 0) {
        return;
    }
    register_write32(hba->base + BOHC, register_read32(hba->base + BOHC) | BOHC_OS);
    if (!register_wait32(hba->base + BOHC, BOHC_BIOS, 0, HANDOFF_US) &&
        (register_read32(hba->base + BOHC) & BOHC_BUSY) != 0) {
        register_wait32(hba->base + BOHC, BOHC_BIOS | BOHC_BUSY, 0, BUSY_US);
    }
}

static const char *identify(const struct port *port, struct ata_identity *identity)
{
    port->disk->foreign = true;
    switch (get(port, SIG)) {
    case SIGNATURE_ATA:
        break;
    case SIGNATURE_ATAPI:
        return "an ATAPI device, not a disk";
    case SIGNATURE_MULTIPLIER:
        return "a port multiplier, not a disk";
    default:
        return "not an ATA disk";
    }
    if (!start(port) || !read_page(port, IDENTIFY, 0)) {
        port->disk->foreign = false;
        return "the disk does not answer IDENTIFY DEVICE";
    }
    const char *why = ata_identify(port->memory->page, identity);

    port->disk->foreign = why != NULL;
    return why;
}

static const char *prepare(struct port *port)
{
    port->memory = memory_allocate(sizeof(*port->memory), PAGE_SIZE);
    if (port->memory == NULL) {
        return "not enough memory for its port";
    }
    if (!reachable(port->hba, port->memory, sizeof(*port->memory))) {
        return "its controller reaches only memory below 4 GiB, and none is free there";
    }
    for (uint32_t slot = 0; slot < SLOTS; slot++) {
        port->memory->header[slot].table = (uintptr_t)&port->memory->table[slot];
    }
    set(port, PXIE, 0);
    if (!(stop(port) || reset(port)) || !receive(port) || !(wait_idle(port) || reset(port))) {
        return "its port cannot be started";
    }
    return NULL;
}

/* Adds the disk of a port. Only disks that firmware has started are found, because starting one
 * would change its power state. */
static void find_port(struct hba *hba, uint32_t number)
{
    struct port *port = &ports[port_count];
    struct ata_identity identity = {.block_bytes = BLOCK_BYTES_MIN, .depth = 1};
    char name[BLOCK_NAME_MAX];

    *port = (struct port){
        .hba = hba,
        .base = hba->base + PORT_0 + (uint64_t)number * PORT_BYTES,
        .number = number,
    };
    if (!is_there(port)) {
        return;
    }
    snprintf(name, sizeof(name), "ahci%zup%u", hba_count, number);
    port->disk = block_add(&ahci_driver, name);
    if (port->disk == NULL) {
        return;
    }
    port_count++;
    port->disk->state = port;
    port->disk->unusable = prepare(port);
    if (port->disk->unusable == NULL) {
        port->disk->unusable = identify(port, &identity);
        stop(port);
    }
    if (port->disk->unusable == NULL) {
        const uint32_t depth = identity.depth < hba->slots ? identity.depth : hba->slots;

        port->disk->blocks = identity.blocks;
        port->disk->block_bytes = identity.block_bytes;
        port->disk->depth_max = hba->queues ? depth : 1;
        port->disk->blocks_max = BYTES_MAX / identity.block_bytes;
    }
}

/* Enables the controller: from here on it reads and writes memory. */
static void enable_hba(struct hba *hba)
{
    if (hba->users++ == 0) {
        hba->command = pci_command_change(&hba->function,
                                          PCI_DECODE_MEMORY | PCI_BUS_MASTER | PCI_INTX_DISABLE, 0);
        register_write32(hba->base + GHC, GHC_AHCI);
    }
}

static void disable_hba(struct hba *hba)
{
    if (--hba->users == 0) {
        register_write32(hba->base + GHC, GHC_AHCI);
        pci_command_restore(&hba->function, hba->command);
    }
}

/* Finds the disks of a controller. Returns false if the controller does not answer. */
static bool find_hba(struct hba *hba)
{
    const uint32_t capabilities = register_read32(hba->base + CAP);

    if (capabilities == REGISTER_GONE || (register_read32(hba->base + GHC) & GHC_AHCI) == 0) {
        return false;
    }
    hba->wide = (capabilities & CAP_WIDE) != 0;
    hba->queues = (capabilities & CAP_QUEUES) != 0;
    hba->slots = CAP_SLOTS(capabilities);
    take_over(hba);
    const uint32_t implemented = register_read32(hba->base + PI);

    for (uint32_t number = 0; number < PORTS; number++) {
        if ((implemented >> number & 1) != 0 && port_count < BLOCK_DISKS_MAX) {
            find_port(hba, number);
        }
    }
    return true;
}

static void find(void)
{
    struct pci_function function = {0};

    while (hba_count < HBAS_MAX && pci_find(CLASS_SATA, &function)) {
        struct hba *hba = &hbas[hba_count];
        const struct pci_bar bar = pci_bar_read(&function, BAR_AHCI);

        if (function.interface != INTERFACE_AHCI || bar.io || bar.base == 0 ||
            !paging_map_device(bar.base, REGISTERS)) {
            continue;
        }
        *hba = (struct hba){.base = bar.base, .function = function};
        enable_hba(hba);
        const bool found = find_hba(hba);

        disable_hba(hba);
        hba_count += found ? 1 : 0;
    }
}

/* ---- interrupts ---- */

static bool take(void *argument)
{
    const struct port *opened = argument; /* a port of the controller; may be closed by now */
    const struct hba *hba = opened->hba;
    const uint32_t raised = register_read32(hba->base + IS);

    for (size_t i = 0; i < port_count; i++) {
        struct port *port = &ports[i];

        if (port->hba == hba && port->interrupts && (raised >> port->number & 1) != 0) {
            poll(port->disk);
        }
    }
    return raised != 0;
}

/* Makes the port interrupt: IDENTIFY DEVICE by polling leaves its bits in PxIS, which interrupt
 * once they are enabled. */
static bool provoke(void *argument, bool fresh)
{
    struct port *port = argument;

    (void)fresh;
    if (!read_page(port, IDENTIFY, 0)) {
        return false;
    }
    enable_interrupts(port);
    return true;
}

static enum device_interrupt open_interrupt(struct port *port)
{
    struct hba *hba = port->hba;
    const struct pci_interrupt_user user = {
        .name = "ahci",
        .take = take,
        .provoke = provoke,
        .argument = port,
    };

    port->interrupts = true;
    if (hba->arrives == INTERRUPT_POLLED) {
        register_write32(hba->base + GHC, GHC_AHCI | GHC_INTERRUPTS);
        hba->arrives = device_interrupt_open(&hba->interrupt, &hba->function, &user);
    }
    port->interrupts = hba->arrives != INTERRUPT_POLLED;
    return hba->arrives;
}

/* ---- open and close ---- */

static const char *open(struct block_disk *disk, uint32_t depth, bool interrupts)
{
    struct port *port = disk->state;

    enable_hba(port->hba);
    port->queued = depth > 1;
    port->issued = 0;
    port->interrupts = false;
    if (!is_there(port) || !restart(port)) {
        disable_hba(port->hba);
        return is_there(port) ? "the disk accepts no command" : not_there;
    }
    disk->interrupt = interrupts ? open_interrupt(port) : INTERRUPT_POLLED;
    acknowledge(port);
    enable_interrupts(port);
    return NULL;
}

/* Stops the disk, or resets it if it does not stop. If its controller has gone, does neither. */
static void give_up(struct block_disk *disk)
{
    struct port *port = disk->state;

    set(port, PXIE, 0);
    port->interrupts = false;
    port->issued = 0;
    if (get(port, SSTS) != REGISTER_GONE && !stop(port)) {
        reset(port);
    }
    acknowledge(port);
}

static void close(struct block_disk *disk)
{
    struct port *port = disk->state;

    give_up(disk);
    if (port->hba->users == 1) {
        pci_interrupt_close(&port->hba->interrupt);
        port->hba->arrives = INTERRUPT_POLLED;
    }
    disable_hba(port->hba);
}

const struct block_driver ahci_driver = {
    .name = "ahci",
    .find = find,
    .open = open,
    .close = close,
    .submit = submit,
    .poll = poll,
    .stop = give_up,
};
