/* SPDX-License-Identifier: BSD-2-Clause */
/* The driver of virtio-blk disks. */
#include "kernel/block/drivers.h"

#include <stdio.h>
#include <string.h>

#include "kernel/block/virtio.h"
#include "kernel/clock/alarm.h"
#include "kernel/clock/registers.h"
#include "kernel/mem/memory.h"

#define PCI_CLASS       0x0100
#define ID_MODERN       0x10421af4u
#define ID_TRANSITIONAL 0x10011af4u

#define FEATURE_SIZE_MAX    (1u << 1)
#define FEATURE_BLOCK_BYTES (1u << 6)

/* Offsets of a disk's registers (section 5.2.4). */
#define CAPACITY     0x00 /* in sectors of 512 bytes, which all requests use */
#define SIZE_MAX_ONE 0x08
#define DEVICE_BLOCK 0x14
#define SECTOR       512u

/* Requests and their answers (section 5.2.6). */
#define NAME_BYTES   20u
#define ANSWER_GOOD  0
#define ANSWER_ERROR 1

#define PARTS       3u /* descriptors of a request: header, data, answer */
#define DEPTH_MAX   64u
#define BYTES_MAX   (1u << 20)
#define LOOK_US     10000
#define DEVICES_MAX 8

/* Types of requests (section 5.2.6). */
enum request_type {
    REQUEST_READ,
    REQUEST_NAME, /* reads a text of 20 bytes, to verify that the interrupt arrives */
};
static const uint8_t requests[] BLOCK_COMMANDS("virtio") = {
    [REQUEST_READ] = 0,
    [REQUEST_NAME] = 8,
};

/* The memory of a request, except its data. */
struct header {
    uint32_t type;
    uint32_t reserved;
    uint64_t sector;
    uint8_t answer;
    uint8_t name[NAME_BYTES];
};

struct virtio_disk {
    struct virtio device;
    struct virtio_queue queue;
    uint64_t look_at; /* TSC of the next check whether the device is still there */
    uint64_t free;    /* bit n: slot n is free */
    struct header *headers;
    struct block_disk *disk; /* NULL: the disk is closed */
    struct block_request *slot[DEPTH_MAX];
    struct pci_interrupt interrupt;
    char name[BLOCK_NAME_MAX];
};

static struct virtio_disk virtio_disks[DEVICES_MAX];
static size_t virtio_count;

/* ---- start ---- */

/* Gives each slot its three descriptors, which it always keeps. */
static void fill_queue(struct virtio_disk *v)
{
    for (uint32_t slot = 0; slot < v->queue.entries / PARTS && slot < DEPTH_MAX; slot++) {
        struct virtio_descriptor *part = &v->queue.descriptors[PARTS * slot];
        struct header *header = &v->headers[slot];

        part[0] = (struct virtio_descriptor){(uint64_t)(uintptr_t)header, 16, VIRTIO_MORE,
                                             (uint16_t)(PARTS * slot + 1)};
        part[1] = (struct virtio_descriptor){0, 0, VIRTIO_MORE | VIRTIO_TO_MEMORY,
                                             (uint16_t)(PARTS * slot + 2)};
        part[2] = (struct virtio_descriptor){(uint64_t)(uintptr_t)&header->answer, 1,
                                             VIRTIO_TO_MEMORY, 0};
    }
}

/* Starts the device from any state. None of its features changes what a read is, whether accepted
 * or not. Returns NULL on success, otherwise the reason. */
static const char *start(struct virtio_disk *v)
{
    const bool message = v->interrupt.kind == INTERRUPT_MSIX;
    const char *why = virtio_negotiate(&v->device, FEATURE_BLOCK_BYTES | FEATURE_SIZE_MAX);

    why = why == NULL ? virtio_queue_start(&v->device, &v->queue, 0, PARTS, message) : why;
    if (why == NULL) {
        fill_queue(v);
        virtio_ready(&v->device);
    }
    return why;
}

/* ---- finding disks ---- */

static bool allocate(struct virtio_disk *v)
{
    v->headers = memory_allocate(DEPTH_MAX * sizeof(struct header), PAGE_SIZE);
    return v->headers != NULL && virtio_queue_allocate(&v->queue);
}

/* Reads size and limits of a started device. Returns NULL on success, otherwise why it cannot be
 * used. */
static const char *read_facts(const struct virtio_disk *v, struct block_disk *disk)
{
    const uint64_t device = virtio_device(&v->device);
    const uint64_t features = virtio_offered(&v->device);
    const uint64_t sectors =
        (uint64_t)register_read32(device + CAPACITY + 4) << 32 | register_read32(device + CAPACITY);
    const uint32_t most =
        (features & FEATURE_SIZE_MAX) != 0 ? register_read32(device + SIZE_MAX_ONE) : BYTES_MAX;

    disk->block_bytes =
        (features & FEATURE_BLOCK_BYTES) != 0 ? register_read32(device + DEVICE_BLOCK) : SECTOR;
    if (disk->block_bytes != BLOCK_BYTES_MIN && disk->block_bytes != BLOCK_BYTES_MAX) {
        return "its blocks have neither 512 nor 4096 bytes";
    }
    disk->blocks = sectors / (disk->block_bytes / SECTOR);
    disk->depth_max = v->queue.entries / PARTS < DEPTH_MAX ? v->queue.entries / PARTS : DEPTH_MAX;
    disk->blocks_max = (most < BYTES_MAX ? most : BYTES_MAX) / disk->block_bytes;
    return sectors > UINT64_MAX / SECTOR || disk->blocks_max == 0 ? "it reports an impossible size"
                                                                  : NULL;
}

static const char *look_into(struct virtio_disk *v, struct block_disk *disk)
{
    const char *why = virtio_find_registers(&v->device);

    if (why == NULL) {
        why = allocate(v) ? start(v) : "no free memory for its queue";
        why = why == NULL ? read_facts(v, disk) : why;
    }
    virtio_release(&v->device);
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

        v->device.function = function;
        snprintf(v->name, sizeof(v->name), "virtio%u", (unsigned)virtio_count);
        struct block_disk *disk = block_add(&virtio_driver, v->name);

        if (disk == NULL) {
            return;
        }
        virtio_count++;
        disk->state = v;
        virtio_enable(&v->device);
        disk->unusable = look_into(v, disk);
    }
}

/* ---- reads ---- */

static void give(struct virtio_disk *v, uint32_t slot, uint32_t type, uint64_t sector,
                 uint64_t address, uint32_t bytes)
{
    struct header *header = &v->headers[slot];
    struct virtio_descriptor *data = &v->queue.descriptors[PARTS * slot + 1];

    header->type = type;
    header->sector = sector;
    header->answer = UINT8_MAX;
    data->address = address;
    data->length = bytes;
    virtio_queue_put(&v->queue, (uint16_t)(PARTS * slot));
    virtio_queue_ring(&v->queue);
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

static void stop(struct block_disk *disk)
{
    struct virtio_disk *v = disk->state;

    virtio_stop(&v->device);
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

    while (virtio_queue_has_used(&v->queue)) {
        const uint32_t id = virtio_queue_take(&v->queue).id;

        any = true;
        if (v->disk == NULL) {
            continue; /* a request of provoke() */
        }
        if (!finish(v, id)) {
            block_abandon(v->disk, BLOCK_DEVICE, "it completed a request that it was not given");
            break;
        }
    }
    return any;
}

/* Checks whether the device has gone or failed. Otherwise its requests would fail only at their
 * time limit. */
static void look(const struct virtio_disk *v, struct block_disk *disk)
{
    const enum virtio_health health = virtio_look(&v->device);

    if (health == VIRTIO_GONE) {
        block_abandon(disk, BLOCK_GONE, virtio_gone);
    } else if (health == VIRTIO_BROKEN) {
        block_abandon(disk, BLOCK_DEVICE, virtio_broken);
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

/* Handles the interrupt. Reading the interrupt register deasserts the pin. */
static bool take(void *argument)
{
    struct virtio_disk *v = argument;

    if (v->interrupt.kind == INTERRUPT_INTX) {
        virtio_withdraw_pin(&v->device);
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
    virtio_release(&v->device);
    v->disk = NULL;
    interrupts_restore(flags);
}

static const char *open_disk(struct block_disk *disk, uint32_t depth, bool interrupts)
{
    struct virtio_disk *v = disk->state;
    const struct pci_interrupt_user user = {
        .name = v->name, .take = take, .provoke = provoke, .argument = v};

    virtio_enable(&v->device);
    disk->interrupt = interrupts ? device_interrupt_open(&v->interrupt, &v->device.function, &user)
                                 : INTERRUPT_POLLED;
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
