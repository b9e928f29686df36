/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The transport of virtio devices on PCI (Virtual I/O Device Version 1.1, sections 2, 3.1 and 4.1):
 * registers, features, and split queues. Devices of before version 1.0 have another interface and
 * are refused.
 *
 * The order of a start: virtio_reset, virtio_negotiate, virtio_queue_start of each queue,
 * virtio_ready. What a device writes into a used ring is reported as it is: the driver believes
 * none of it.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "kernel/dev/pci.h"

#define VIRTIO_VENDOR      0x1af4u
#define VIRTIO_ENTRIES_MAX 256u

/* Section 6; those of the transport are taken where they are offered. */
#define VIRTIO_FEATURE_VERSION_1 (1ull << 32)
#define VIRTIO_FEATURE_PLATFORM  (1ull << 33)

/* Flags of a descriptor (section 2.6.5). */
#define VIRTIO_MORE      1u
#define VIRTIO_TO_MEMORY 2u

/* Of an available ring (section 2.6.6). */
#define VIRTIO_NO_INTERRUPT 1u

struct virtio_descriptor {
    uint64_t address;
    uint32_t length;
    uint16_t flags;
    uint16_t next;
};

struct virtio_available {
    uint16_t flags;
    uint16_t index;
    uint16_t ring[VIRTIO_ENTRIES_MAX];
};

struct virtio_used {
    uint16_t flags;
    uint16_t index;
    struct {
        uint32_t id;
        uint32_t length;
    } ring[VIRTIO_ENTRIES_MAX];
};

enum virtio_registers {
    VIRTIO_COMMON = 1,
    VIRTIO_NOTIFY,
    VIRTIO_INTERRUPT,
    VIRTIO_DEVICE,
    VIRTIO_REGISTERS,
};

enum virtio_health {
    VIRTIO_WELL,
    VIRTIO_BROKEN, /* it reports that it needs a reset */
    VIRTIO_GONE,   /* its registers do not answer */
};

struct virtio {
    struct pci_function function;
    uint64_t registers[VIRTIO_REGISTERS]; /* 0: none */
    uint32_t factor;                      /* of a queue's place among the bells */
    uint16_t command;                     /* of PCI, as firmware left it */
};

struct virtio_queue {
    struct virtio_descriptor *descriptors;
    struct virtio_available *available;
    volatile struct virtio_used *used;
    uint64_t bell;
    uint16_t number;
    uint16_t entries; /* a power of two */
    uint16_t put;     /* chains given to the device, modulo 2^16 */
    uint16_t taken;   /* of its used ring */
};

/* Has the function decode memory and be bus master; its pin is disabled. */
void virtio_enable(struct virtio *virtio);
/* Resets it, and gives the function back as firmware left it. One that is not reset may still write
 * to memory: it stays without the bus. */
void virtio_release(const struct virtio *virtio);
/* Of an enabled function. NULL, or what is missing. */
const char *virtio_find_registers(struct virtio *virtio);
/* The device's own configuration. */
uint64_t virtio_device(const struct virtio *virtio);
/* Reads the register of interrupts, which withdraws the pin. False: it was not held. */
bool virtio_withdraw_pin(const struct virtio *virtio);

/* False: it is not over in time. */
bool virtio_reset(const struct virtio *virtio);
/* From whatever state: resets it, and takes those of the features `wanted` that it offers. Changes
 * of its configuration do not interrupt. NULL, or why not. */
const char *virtio_negotiate(const struct virtio *virtio, uint64_t wanted);
uint64_t virtio_offered(const struct virtio *virtio);
/* From now on it serves its queues. */
void virtio_ready(const struct virtio *virtio);
enum virtio_health virtio_look(const struct virtio *virtio);
/* Without the bus it writes to memory no more. */
void virtio_stop(const struct virtio *virtio);
extern const char virtio_gone[];
extern const char virtio_broken[];

/* Memory for VIRTIO_ENTRIES_MAX entries. False: none is free. */
bool virtio_queue_allocate(struct virtio_queue *queue);
/* Empty, with at least `entries_min` entries. `message`: it interrupts by the first message of
 * MSI-X; the pin needs nothing. The caller fills the descriptors before virtio_ready(). NULL, or
 * why not. */
const char *virtio_queue_start(const struct virtio *virtio, struct virtio_queue *queue,
                               uint16_t number, uint16_t entries_min, bool message);
/* Gives the chain that begins at this descriptor to the device, which learns of it when the bell
 * is rung. */
void virtio_queue_put(struct virtio_queue *queue, uint16_t first);
void virtio_queue_ring(const struct virtio_queue *queue);

/* The device has done something that is not taken yet. */
static inline bool virtio_queue_has_used(const struct virtio_queue *queue)
{
    return queue->used->index != queue->taken;
}

/* The next of what it has done: the first descriptor's index, and the bytes written, as the device
 * reports them. */
struct virtio_done {
    uint32_t id;
    uint32_t length;
};
struct virtio_done virtio_queue_take(struct virtio_queue *queue);
