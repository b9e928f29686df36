/* SPDX-License-Identifier: BSD-2-Clause */
#include "kernel/block/virtio_disk.h"

#include <stdio.h>
#include <string.h>

#include "kernel/block/disk_interrupt.h"
#include "kernel/clock/registers.h"
#include "kernel/mem/memory.h"
#include "kernel/mem/paging.h"

#define PCI_CLASS       0x0100
#define ID_MODERN       0x10421af4u
#define ID_TRANSITIONAL 0x10011af4u

/* Capabilities of PCI that lead to the registers (section 4.1.4). */
#define KIND(head)        ((head) >> 24)
#define KIND_COMMON       1
#define KIND_NOTIFY       2
#define KIND_INTERRUPT    3
#define KIND_DEVICE       4
#define KINDS             5
#define CAPABILITY_BAR    4
#define CAPABILITY_OFFSET 8
#define CAPABILITY_LENGTH 12
#define CAPABILITY_FACTOR 16
#define LENGTH_MAX        0x10000u

/* Common registers (section 4.1.4.3). */
#define FEATURE_SELECT        0x00
#define FEATURES              0x04
#define FEATURE_TAKE_SELECT   0x08
#define FEATURES_TAKEN        0x0c
#define CHANGE_VECTOR         0x10
#define STATUS                0x14
#define QUEUE_SELECT          0x16
#define QUEUE_SIZE            0x18
#define QUEUE_VECTOR          0x1a
#define QUEUE_ENABLE          0x1c
#define QUEUE_NOTIFY          0x1e
#define QUEUE_PARTS           0x20 /* addresses of descriptors, available and used ring */
#define NO_VECTOR             0xffff
#define STATUS_DRIVER         0x03 /* it was noticed, and can be driven */
#define STATUS_FEATURES       0x08
#define STATUS_READY          0x04
#define STATUS_BROKEN         0x40
#define STATUS_GONE           0xff
#define FEATURE_SIZE_MAX      (1u << 1)
#define FEATURE_BLOCK_BYTES   (1u << 6)
#define FEATURE_HIGH_VERSION1 (1u << 0)
#define FEATURE_HIGH_PLATFORM (1u << 1)

/* Registers of a disk (section 5.2.4). */
#define CAPACITY     0x00 /* in sectors of 512 bytes, as all requests are */
#define SIZE_MAX_ONE 0x08
#define DEVICE_BLOCK 0x14
#define DEVICE_BYTES 0x18
#define SECTOR       512u

/* The requests that there are (section 5.2.6). */
#define NAME_BYTES   20u
#define ANSWER_GOOD  0
#define ANSWER_ERROR 1

#define MORE        1u
#define TO_MEMORY   2u
#define PARTS       3u /* descriptors of a request: header, data, answer */
#define ENTRIES     256u
#define DEPTH_MAX   64u
#define BYTES_MAX   (1u << 20)
#define RESET_US    1000000
#define LOOK_US     10000
#define DEVICES_MAX 8

/* Types of requests (section 5.2.6). */
enum request_type {
    REQUEST_READ,
    REQUEST_NAME, /* text of 20 bytes: for the proof of the interrupt */
};
static const uint8_t requests[] BLOCK_COMMANDS("virtio") = {
    [REQUEST_READ] = 0,
    [REQUEST_NAME] = 8,
};

struct descriptor {
    uint64_t address;
    uint32_t length;
    uint16_t flags;
    uint16_t next;
};

struct available {
    uint16_t flags;
    uint16_t index;
    uint16_t ring[ENTRIES];
};

struct used {
    uint16_t flags;
    uint16_t index;
    struct {
        uint32_t id;
        uint32_t length;
    } ring[ENTRIES];
};

/* What a request has in memory besides its data. */
struct header {
    uint32_t type;
    uint32_t reserved;
    uint64_t sector;
    uint8_t answer;
    uint8_t name[NAME_BYTES];
};

struct virtio_disk {
    uint64_t registers[KINDS]; /* by kind; 0: none */
    uint64_t bell;
    uint64_t look_at; /* TSC */
    uint64_t free;    /* bit n: slot n */
    struct descriptor *descriptors;
    struct available *available;
    volatile struct used *used;
    struct header *headers;
    struct block_disk *disk; /* NULL: it is closed */
    struct block_request *slot[DEPTH_MAX];
    struct pci_interrupt interrupt;
    struct pci_function function;
    uint32_t factor;  /* of the queue's place among the bells */
    uint16_t command; /* of PCI, as firmware left it */
    uint16_t entries;
    uint16_t put;
    uint16_t taken;
    char name[BLOCK_NAME_MAX];
};

static struct virtio_disk virtio_disks[DEVICES_MAX];
static size_t virtio_count;

static const char gone[] = "its registers do not answer";
static const char broken[] = "it reports that it needs a reset";

static uint64_t common(const struct virtio_disk *v)
{
    return v->registers[KIND_COMMON];
}

/* ---- start ---- */

/* False: it is not over in time. */
static bool reset(const struct virtio_disk *v)
{
    struct tsc_wait wait = tsc_wait_begin(clock_ticks_from_us(RESET_US));

    register_write8(common(v) + STATUS, 0);
    while (register_read8(common(v) + STATUS) != 0) {
        if (tsc_wait_over(&wait)) {
            return false;
        }
        cpu_pause();
    }
    return true;
}

static uint32_t offered(const struct virtio_disk *v, uint32_t half)
{
    register_write32(common(v) + FEATURE_SELECT, half);
    return register_read32(common(v) + FEATURES);
}

static void take_features(const struct virtio_disk *v, uint32_t half, uint32_t features)
{
    register_write32(common(v) + FEATURE_TAKE_SELECT, half);
    register_write32(common(v) + FEATURES_TAKEN, features);
}

/* Offered or not, of the features none changes what a read is. */
static const char *negotiate(const struct virtio_disk *v)
{
    const uint32_t high = offered(v, 1);

    if ((high & FEATURE_HIGH_VERSION1) == 0) {
        return "it is older than virtio 1.0";
    }
    register_write8(common(v) + STATUS, STATUS_DRIVER);
    take_features(v, 0, offered(v, 0) & (FEATURE_BLOCK_BYTES | FEATURE_SIZE_MAX));
    take_features(v, 1, high & (FEATURE_HIGH_VERSION1 | FEATURE_HIGH_PLATFORM));
    register_write8(common(v) + STATUS, STATUS_DRIVER | STATUS_FEATURES);
    return (register_read8(common(v) + STATUS) & STATUS_FEATURES) != 0
               ? NULL
               : "it does not work without features that this driver lacks";
}

static void put_part(const struct virtio_disk *v, unsigned part, const volatile void *memory)
{
    const uint64_t address = (uint64_t)(uintptr_t)memory;

    register_write32(common(v) + QUEUE_PARTS + 8 * part, (uint32_t)address);
    register_write32(common(v) + QUEUE_PARTS + 8 * part + 4, (uint32_t)(address >> 32));
}

/* Three descriptors belong to each slot for good. */
static void clear_queue(struct virtio_disk *v)
{
    memset(v->available, 0, sizeof(*v->available));
    memset((void *)(uintptr_t)v->used, 0, sizeof(*v->used));
    for (uint32_t slot = 0; slot < v->entries / PARTS && slot < DEPTH_MAX; slot++) {
        struct descriptor *part = &v->descriptors[PARTS * slot];
        struct header *header = &v->headers[slot];

        part[0] = (struct descriptor){(uint64_t)(uintptr_t)header, 16, MORE,
                                      (uint16_t)(PARTS * slot + 1)};
        part[1] = (struct descriptor){0, 0, MORE | TO_MEMORY, (uint16_t)(PARTS * slot + 2)};
        part[2] = (struct descriptor){(uint64_t)(uintptr_t)&header->answer, 1, TO_MEMORY, 0};
    }
    v->put = 0;
    v->taken = 0;
}

/* From whatever state. NULL, or why not. */
static const char *start(struct virtio_disk *v)
{
    const bool message = v->interrupt.kind == PCI_INTERRUPT_MSIX;
    const char *why = reset(v) ? negotiate(v) : gone;

    if (why != NULL) {
        return why;
    }
    register_write16(common(v) + CHANGE_VECTOR, NO_VECTOR);
    register_write16(common(v) + QUEUE_SELECT, 0);
    const uint16_t most = register_read16(common(v) + QUEUE_SIZE);

    v->entries = most < ENTRIES ? most : ENTRIES;
    if (v->entries < PARTS || (v->entries & (v->entries - 1)) != 0) {
        return "its queue is too short";
    }
    clear_queue(v);
    register_write16(common(v) + QUEUE_SIZE, v->entries);
    register_write16(common(v) + QUEUE_VECTOR, message ? 0 : NO_VECTOR);
    put_part(v, 0, v->descriptors);
    put_part(v, 1, v->available);
    put_part(v, 2, v->used);
    v->bell =
        v->registers[KIND_NOTIFY] + (uint64_t)register_read16(common(v) + QUEUE_NOTIFY) * v->factor;
    if (!paging_map_device(v->bell, sizeof(uint16_t))) {
        return "no free memory for page tables";
    }
    register_write16(common(v) + QUEUE_ENABLE, 1);
    register_write8(common(v) + STATUS, STATUS_DRIVER | STATUS_FEATURES | STATUS_READY);
    return NULL;
}

static void enable_function(struct virtio_disk *v)
{
    v->command =
        pci_command_change(&v->function, PCI_DECODE_MEMORY | PCI_BUS_MASTER | PCI_INTX_DISABLE, 0);
}

/* One that is not reset may still write to memory: it stays without the bus. */
static void release_function(struct virtio_disk *v)
{
    if (reset(v)) {
        pci_command_restore(&v->function, v->command);
    } else {
        pci_command_change(&v->function, 0, PCI_BUS_MASTER);
    }
}

/* ---- what there is ---- */

static void take_capability(struct virtio_disk *v, unsigned at)
{
    const uint32_t kind = KIND(pci_read(&v->function, at));
    const uint32_t index = pci_read(&v->function, at + CAPABILITY_BAR) & 0xff;
    const uint32_t length = pci_read(&v->function, at + CAPABILITY_LENGTH);

    if (kind == 0 || kind >= KINDS || v->registers[kind] != 0 || index >= PCI_BARS) {
        return;
    }
    const struct pci_bar bar = pci_bar_read(&v->function, index);
    const uint64_t address = bar.base + pci_read(&v->function, at + CAPABILITY_OFFSET);

    if (bar.io || bar.base == 0 ||
        !paging_map_device(address, length < LENGTH_MAX ? length : LENGTH_MAX)) {
        return;
    }
    v->registers[kind] = address;
    if (kind == KIND_NOTIFY) {
        v->factor = pci_read(&v->function, at + CAPABILITY_FACTOR);
    }
}

static const char *find_registers(struct virtio_disk *v)
{
    unsigned at = pci_capability(&v->function, PCI_CAPABILITY_VENDOR);

    for (unsigned i = 0; at != 0 && i < 2 * KINDS; i++) {
        take_capability(v, at);
        at = pci_capability_next(&v->function, PCI_CAPABILITY_VENDOR, at);
    }
    for (unsigned kind = KIND_COMMON; kind < KINDS; kind++) {
        if (v->registers[kind] == 0) {
            return "it has not all registers of virtio 1.0 in memory";
        }
    }
    return NULL;
}

static bool allocate(struct virtio_disk *v)
{
    v->descriptors = memory_allocate(ENTRIES * sizeof(struct descriptor), PAGE_SIZE);
    v->available = memory_allocate(sizeof(struct available), PAGE_SIZE);
    v->used = memory_allocate(sizeof(struct used), PAGE_SIZE);
    v->headers = memory_allocate(DEPTH_MAX * sizeof(struct header), PAGE_SIZE);
    return v->descriptors != NULL && v->available != NULL && v->used != NULL && v->headers != NULL;
}

/* Of a started device. */
static const char *read_facts(const struct virtio_disk *v, struct block_disk *disk)
{
    const uint64_t device = v->registers[KIND_DEVICE];
    const uint32_t features = offered(v, 0);
    const uint64_t sectors =
        (uint64_t)register_read32(device + CAPACITY + 4) << 32 | register_read32(device + CAPACITY);
    const uint32_t most =
        (features & FEATURE_SIZE_MAX) != 0 ? register_read32(device + SIZE_MAX_ONE) : BYTES_MAX;

    disk->block_bytes =
        (features & FEATURE_BLOCK_BYTES) != 0 ? register_read32(device + DEVICE_BLOCK) : SECTOR;
    if (disk->block_bytes != BLOCK_BYTES_MIN && disk->block_bytes != BLOCK_BYTES_MAX) {
        return "its blocks are neither of 512 bytes nor of 4096";
    }
    disk->blocks = sectors / (disk->block_bytes / SECTOR);
    disk->depth_max = v->entries / PARTS < DEPTH_MAX ? v->entries / PARTS : DEPTH_MAX;
    disk->blocks_max = (most < BYTES_MAX ? most : BYTES_MAX) / disk->block_bytes;
    return sectors > UINT64_MAX / SECTOR || disk->blocks_max == 0 ? "its size makes no sense"
                                                                  : NULL;
}

static const char *look_into(struct virtio_disk *v, struct block_disk *disk)
{
    const char *why = find_registers(v);

    if (why != NULL) {
        pci_command_restore(&v->function, v->command);
        return why;
    }
    why = allocate(v) ? start(v) : "no free memory for its queue";
    why = why == NULL ? read_facts(v, disk) : why;
    release_function(v);
    return why;
}

static void find(void)
{
    struct pci_function function = {0};

    while (virtio_count < DEVICES_MAX && pci_find(PCI_CLASS, &function)) {
        if (function.id != ID_MODERN && function.id != ID_TRANSITIONAL) {
            continue;
        }
        struct virtio_disk *v = &virtio_disks[virtio_count];

        v->function = function;
        snprintf(v->name, sizeof(v->name), "virtio%u", (unsigned)virtio_count);
        struct block_disk *disk = block_add(&virtio_driver, v->name);

        if (disk == NULL) {
            return;
        }
        virtio_count++;
        disk->state = v;
        enable_function(v);
        disk->unusable = look_into(v, disk);
    }
}

/* ---- reads ---- */

static void give(struct virtio_disk *v, uint32_t slot, uint32_t type, uint64_t sector,
                 uint64_t address, uint32_t bytes)
{
    struct header *header = &v->headers[slot];
    struct descriptor *data = &v->descriptors[PARTS * slot + 1];

    header->type = type;
    header->sector = sector;
    header->answer = UINT8_MAX;
    data->address = address;
    data->length = bytes;
    v->available->ring[v->put % v->entries] = (uint16_t)(PARTS * slot);
    register_order();
    v->available->index = ++v->put;
    register_write16(v->bell, 0);
}

static void submit(struct block_disk *disk, struct block_request *request)
{
    struct virtio_disk *v = disk->state;
    const uint32_t slot = (uint32_t)__builtin_ctzll(v->free);

    v->free &= v->free - 1;
    v->slot[slot] = request;
    give(v, slot, requests[REQUEST_READ], request->block * (disk->block_bytes / SECTOR),
         (uint64_t)(uintptr_t)request->to, request->blocks * disk->block_bytes);
}

/* Without the bus it writes to memory no more. */
static void stop(struct block_disk *disk)
{
    struct virtio_disk *v = disk->state;

    pci_command_change(&v->function, 0, PCI_BUS_MASTER);
    register_write8(common(v) + STATUS, 0);
    memset(v->slot, 0, sizeof(v->slot));
}

static bool finish(struct virtio_disk *v, uint32_t id)
{
    const uint32_t slot = id / PARTS;

    if (id % PARTS != 0 || slot >= DEPTH_MAX || v->slot[slot] == NULL) {
        return false;
    }
    struct block_request *request = v->slot[slot];

    request->status = v->headers[slot].answer;
    request->error = request->status == ANSWER_GOOD    ? BLOCK_GOOD
                     : request->status == ANSWER_ERROR ? BLOCK_MEDIUM
                                                       : BLOCK_DEVICE;
    v->slot[slot] = NULL;
    v->free |= 1ull << slot;
    block_finish(v->disk, request);
    return true;
}

static bool poll_used(struct virtio_disk *v)
{
    bool any = false;

    while (v->used->index != v->taken) {
        const uint32_t id = v->used->ring[v->taken % v->entries].id;

        v->taken++;
        any = true;
        if (v->disk == NULL) {
            continue; /* the proof's */
        }
        if (!finish(v, id)) {
            block_abandon(v->disk, BLOCK_DEVICE, "it answered a request that it was not given");
            break;
        }
    }
    return any;
}

/* One that has gone, or failed, would be silent until the limit. */
static void look(const struct virtio_disk *v, struct block_disk *disk)
{
    const uint8_t status = register_read8(common(v) + STATUS);

    if (status == STATUS_GONE) {
        block_abandon(disk, BLOCK_GONE, gone);
    } else if ((status & STATUS_BROKEN) != 0) {
        block_abandon(disk, BLOCK_DEVICE, broken);
    }
}

static void poll(struct block_disk *disk)
{
    struct virtio_disk *v = disk->state;

    if (!poll_used(v) && disk->first != NULL && tsc_read() >= v->look_at) {
        v->look_at = tsc_read() + clock_ticks_from_us(LOOK_US);
        look(v, disk);
    }
}

/* ---- interrupts, opening ---- */

/* Reading the register withdraws the pin. */
static bool take(void *argument)
{
    struct virtio_disk *v = argument;

    if (v->interrupt.kind == PCI_INTERRUPT_INTX) {
        register_read8(v->registers[KIND_INTERRUPT]);
    }
    return poll_used(v);
}

static bool provoke(void *argument, bool fresh)
{
    struct virtio_disk *v = argument;

    poll_used(v);
    if (fresh && start(v) != NULL) {
        return false;
    }
    give(v, 0, requests[REQUEST_NAME], 0, (uint64_t)(uintptr_t)v->headers[0].name, NAME_BYTES);
    return true;
}

static void close_disk(struct block_disk *disk)
{
    struct virtio_disk *v = disk->state;
    const uint64_t flags = interrupts_save();

    pci_interrupt_close(&v->interrupt);
    release_function(v);
    v->disk = NULL;
    interrupts_restore(flags);
}

static const char *open_disk(struct block_disk *disk, uint32_t depth, bool interrupts)
{
    struct virtio_disk *v = disk->state;
    const struct pci_interrupt_user user = {
        .name = v->name, .take = take, .provoke = provoke, .argument = v};

    enable_function(v);
    disk->interrupt =
        interrupts ? disk_interrupt_open(&v->interrupt, &v->function, &user) : BLOCK_POLLED;
    const uint64_t flags = interrupts_save();
    const char *why = start(v);

    memset(v->slot, 0, sizeof(v->slot));
    v->free = depth < DEPTH_MAX ? (1ull << depth) - 1 : UINT64_MAX;
    v->look_at = 0;
    v->disk = why == NULL ? disk : NULL;
    interrupts_restore(flags);
    if (why != NULL) {
        close_disk(disk);
    }
    return why;
}

const struct block_driver virtio_driver = {
    .name = "virtio",
    .find = find,
    .open = open_disk,
    .close = close_disk,
    .submit = submit,
    .poll = poll,
    .stop = stop,
};
