/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The transport of virtio devices on PCI (Virtual I/O Device Version 1.1, sections 2, 3.1 and 4.1):
 * registers, features and split queues. Devices older than version 1.0 have another interface and
 * are rejected.
 *
 * To start a device, call virtio_reset(), virtio_negotiate(), virtio_queue_start() for each queue,
 * and virtio_ready(), in this order. What a device writes into a used ring is returned unchecked:
 * the driver must check it.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "kernel/dev/pci.h"

#define VIRTIO_VENDOR      0x1af4u
#define VIRTIO_ENTRIES_MAX 256u

/* Features (section 6). Those of the transport are accepted if the device offers them. */
#define VIRTIO_FEATURE_VERSION_1 (1ull << 32)
#define VIRTIO_FEATURE_PLATFORM  (1ull << 33)

/* Flags of a descriptor (section 2.6.5). */
#define VIRTIO_MORE      1u
#define VIRTIO_TO_MEMORY 2u

/* Flag of an available ring (section 2.6.6). */
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
    uint64_t registers[VIRTIO_REGISTERS]; /* addresses; 0: not found */
    uint32_t factor;                      /* bytes from one queue's doorbell to the next */
    uint16_t command;                     /* PCI command register, as firmware left it */
};

struct virtio_queue {
    struct virtio_descriptor *descriptors;
    struct virtio_available *available;
    volatile struct virtio_used *used;
    uint64_t bell;
    uint16_t number;
    uint16_t entries; /* a power of two */
    uint16_t put;     /* chains given to the device, modulo 2^16 */
    uint16_t taken;   /* entries taken from the used ring, modulo 2^16 */
};

/* Makes the function decode memory and be a bus master, and disables its interrupt pin. */
void virtio_enable(struct virtio *virtio);
/* Resets the device and restores the function as firmware left it. A device that cannot be reset
 * may still write to memory, so it stays off the bus. */
void virtio_release(const struct virtio *virtio);
/* Finds the registers of an enabled function. Returns NULL on success, otherwise what is missing.
 */
const char *virtio_find_registers(struct virtio *virtio);
/* Returns the address of the device's own registers. */
uint64_t virtio_device(const struct virtio *virtio);
/* Reads the interrupt register, which deasserts the pin. Returns false if the pin was not asserted.
 */
bool virtio_withdraw_pin(const struct virtio *virtio);

/* Resets the device. Returns false if that does not finish within its time limit of 1 s. */
bool virtio_reset(const struct virtio *virtio);
/* Resets the device from any state, and accepts those of the `wanted` features that it offers.
 * Configuration changes do not interrupt. Returns NULL on success, otherwise the reason. */
const char *virtio_negotiate(const struct virtio *virtio, uint64_t wanted);
uint64_t virtio_offered(const struct virtio *virtio);
/* Starts the device: from now on it serves its queues. */
void virtio_ready(const struct virtio *virtio);
enum virtio_health virtio_look(const struct virtio *virtio);
/* Takes the device off the bus, so that it cannot write to memory any more. */
void virtio_stop(const struct virtio *virtio);
extern const char virtio_gone[];
extern const char virtio_broken[];

/* Allocates memory for VIRTIO_ENTRIES_MAX entries. Returns false if there is not enough. */
bool virtio_queue_allocate(struct virtio_queue *queue);
/* Starts an empty queue with at least `entries_min` entries. If `message`, the queue interrupts by
 * entry 0 of the MSI-X table; otherwise it interrupts by the pin, which needs no setup. The caller
 * fills in the descriptors before virtio_ready(). Returns NULL on success, otherwise the reason. */
const char *virtio_queue_start(const struct virtio *virtio, struct virtio_queue *queue,
                               uint16_t number, uint16_t entries_min, bool message);
/* Gives the chain that begins at descriptor `first` to the device. The device notices it when
 * virtio_queue_ring() rings the doorbell. */
void virtio_queue_put(struct virtio_queue *queue, uint16_t first);
void virtio_queue_ring(const struct virtio_queue *queue);

/* Returns true if the device has finished a chain that is not taken yet. */
static inline bool virtio_queue_has_used(const struct virtio_queue *queue)
{
    return queue->used->index != queue->taken;
}

/* The next chain that the device has finished: the index of its first descriptor and the bytes
 * written, as the device reports them. */
struct virtio_done {
    uint32_t id;
    uint32_t length;
};
struct virtio_done virtio_queue_take(struct virtio_queue *queue);
