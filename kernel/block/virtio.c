/* SPDX-License-Identifier: BSD-2-Clause */
#include "kernel/block/virtio.h"

#include <string.h>

#include "kernel/clock/registers.h"
#include "kernel/mem/memory.h"
#include "kernel/mem/paging.h"

/* Fields of the PCI capabilities that lead to the registers (section 4.1.4). */
#define KIND(head)        ((head) >> 24)
#define CAPABILITY_BAR    4
#define CAPABILITY_OFFSET 8
#define CAPABILITY_LENGTH 12
#define CAPABILITY_FACTOR 16
#define LENGTH_MAX        0x10000u

/* Offsets of the common registers (section 4.1.4.3), and their values. */
#define FEATURE_SELECT      0x00
#define FEATURES            0x04
#define FEATURE_TAKE_SELECT 0x08
#define FEATURES_TAKEN      0x0c
#define CHANGE_VECTOR       0x10
#define STATUS              0x14
#define QUEUE_SELECT        0x16
#define QUEUE_SIZE          0x18
#define QUEUE_VECTOR        0x1a
#define QUEUE_ENABLE        0x1c
#define QUEUE_NOTIFY        0x1e
#define QUEUE_PARTS         0x20 /* addresses of descriptors, available ring and used ring */
#define NO_VECTOR           0xffff
#define STATUS_DRIVER       0x03 /* ACKNOWLEDGE and DRIVER */
#define STATUS_FEATURES     0x08
#define STATUS_READY        0x04
#define STATUS_BROKEN       0x40
#define STATUS_GONE         0xff

#define RESET_US 1000000

const char virtio_gone[] = "its registers do not answer";
const char virtio_broken[] = "it reports that it needs a reset";

static uint64_t common(const struct virtio *virtio)
{
    return virtio->registers[VIRTIO_COMMON];
}

uint64_t virtio_device(const struct virtio *virtio)
{
    return virtio->registers[VIRTIO_DEVICE];
}

bool virtio_withdraw_pin(const struct virtio *virtio)
{
    return register_read8(virtio->registers[VIRTIO_INTERRUPT]) != 0;
}

/* ---- the function ---- */

void virtio_enable(struct virtio *virtio)
{
    virtio->command = pci_command_change(&virtio->function,
                                         PCI_DECODE_MEMORY | PCI_BUS_MASTER | PCI_INTX_DISABLE, 0);
}

void virtio_release(const struct virtio *virtio)
{
    if (common(virtio) == 0 || virtio_reset(virtio)) {
        pci_command_restore(&virtio->function, virtio->command);
    } else {
        pci_command_change(&virtio->function, 0, PCI_BUS_MASTER);
    }
}

void virtio_stop(const struct virtio *virtio)
{
    pci_command_change(&virtio->function, 0, PCI_BUS_MASTER);
    register_write8(common(virtio) + STATUS, 0);
}

static void take_capability(struct virtio *virtio, unsigned at)
{
    const struct pci_function *function = &virtio->function;
    const uint32_t kind = KIND(pci_read(function, at));
    const uint32_t index = pci_read(function, at + CAPABILITY_BAR) & 0xff;
    const uint32_t length = pci_read(function, at + CAPABILITY_LENGTH);

    if (kind == 0 || kind >= VIRTIO_REGISTERS || virtio->registers[kind] != 0 ||
        index >= PCI_BARS) {
        return;
    }
    const struct pci_bar bar = pci_bar_read(function, index);
    const uint64_t address = bar.base + pci_read(function, at + CAPABILITY_OFFSET);

    if (bar.io || bar.base == 0 ||
        !paging_map_device(address, length < LENGTH_MAX ? length : LENGTH_MAX)) {
        return;
    }
    virtio->registers[kind] = address;
    if (kind == VIRTIO_NOTIFY) {
        virtio->factor = pci_read(function, at + CAPABILITY_FACTOR);
    }
}

const char *virtio_find_registers(struct virtio *virtio)
{
    unsigned at = pci_capability(&virtio->function, PCI_CAPABILITY_VENDOR);

    for (unsigned i = 0; at != 0 && i < 2 * VIRTIO_REGISTERS; i++) {
        take_capability(virtio, at);
        at = pci_capability_next(&virtio->function, PCI_CAPABILITY_VENDOR, at);
    }
    for (unsigned kind = VIRTIO_COMMON; kind < VIRTIO_REGISTERS; kind++) {
        if (virtio->registers[kind] == 0) {
            memset(virtio->registers, 0, sizeof(virtio->registers));
            return "some registers of virtio 1.0 are missing";
        }
    }
    return NULL;
}

/* ---- the device ---- */

bool virtio_reset(const struct virtio *virtio)
{
    struct tsc_wait wait = tsc_wait_begin(clock_ticks_from_us(RESET_US));

    register_write8(common(virtio) + STATUS, 0);
    while (register_read8(common(virtio) + STATUS) != 0) {
        if (tsc_wait_over(&wait)) {
            return false;
        }
        cpu_pause();
    }
    return true;
}

static uint32_t offered_half(const struct virtio *virtio, uint32_t half)
{
    register_write32(common(virtio) + FEATURE_SELECT, half);
    return register_read32(common(virtio) + FEATURES);
}

uint64_t virtio_offered(const struct virtio *virtio)
{
    return (uint64_t)offered_half(virtio, 1) << 32 | offered_half(virtio, 0);
}

static void take_half(const struct virtio *virtio, uint32_t half, uint32_t features)
{
    register_write32(common(virtio) + FEATURE_TAKE_SELECT, half);
    register_write32(common(virtio) + FEATURES_TAKEN, features);
}

const char *virtio_negotiate(const struct virtio *virtio, uint64_t wanted)
{
    if (!virtio_reset(virtio)) {
        return virtio_gone;
    }
    const uint64_t offered = virtio_offered(virtio);
    const uint64_t taken = offered & (wanted | VIRTIO_FEATURE_VERSION_1 | VIRTIO_FEATURE_PLATFORM);

    if ((offered & VIRTIO_FEATURE_VERSION_1) == 0) {
        return "it is older than virtio 1.0";
    }
    register_write8(common(virtio) + STATUS, STATUS_DRIVER);
    take_half(virtio, 0, (uint32_t)taken);
    take_half(virtio, 1, (uint32_t)(taken >> 32));
    register_write8(common(virtio) + STATUS, STATUS_DRIVER | STATUS_FEATURES);
    if ((register_read8(common(virtio) + STATUS) & STATUS_FEATURES) == 0) {
        return "it requires features that this driver does not support";
    }
    register_write16(common(virtio) + CHANGE_VECTOR, NO_VECTOR);
    return NULL;
}

void virtio_ready(const struct virtio *virtio)
{
    register_write8(common(virtio) + STATUS, STATUS_DRIVER | STATUS_FEATURES | STATUS_READY);
}

enum virtio_health virtio_look(const struct virtio *virtio)
{
    const uint8_t status = register_read8(common(virtio) + STATUS);

    if (status == STATUS_GONE) {
        return VIRTIO_GONE;
    }
    return (status & STATUS_BROKEN) != 0 ? VIRTIO_BROKEN : VIRTIO_WELL;
}

/* ---- queues ---- */

bool virtio_queue_allocate(struct virtio_queue *queue)
{
    queue->descriptors =
        memory_allocate(VIRTIO_ENTRIES_MAX * sizeof(struct virtio_descriptor), PAGE_SIZE);
    queue->available = memory_allocate(sizeof(struct virtio_available), PAGE_SIZE);
    queue->used = memory_allocate(sizeof(struct virtio_used), PAGE_SIZE);
    return queue->descriptors != NULL && queue->available != NULL && queue->used != NULL;
}

static void put_part(const struct virtio *virtio, unsigned part, const volatile void *memory)
{
    const uint64_t address = (uint64_t)(uintptr_t)memory;

    register_write32(common(virtio) + QUEUE_PARTS + 8 * part, (uint32_t)address);
    register_write32(common(virtio) + QUEUE_PARTS + 8 * part + 4, (uint32_t)(address >> 32));
}

static void clear(struct virtio_queue *queue)
{
    memset(queue->available, 0, sizeof(*queue->available));
    memset((void *)(uintptr_t)queue->used, 0, sizeof(*queue->used));
    queue->put = 0;
    queue->taken = 0;
}

const char *virtio_queue_start(const struct virtio *virtio, struct virtio_queue *queue,
                               uint16_t number, uint16_t entries_min, bool message)
{
    register_write16(common(virtio) + QUEUE_SELECT, number);
    const uint16_t most = register_read16(common(virtio) + QUEUE_SIZE);

    queue->number = number;
    queue->entries = most < VIRTIO_ENTRIES_MAX ? most : VIRTIO_ENTRIES_MAX;
    if (queue->entries < entries_min || (queue->entries & (queue->entries - 1)) != 0) {
        return "its queue is too short";
    }
    clear(queue);
    register_write16(common(virtio) + QUEUE_SIZE, queue->entries);
    register_write16(common(virtio) + QUEUE_VECTOR, message ? 0 : NO_VECTOR);
    put_part(virtio, 0, queue->descriptors);
    put_part(virtio, 1, queue->available);
    put_part(virtio, 2, queue->used);
    queue->bell = virtio->registers[VIRTIO_NOTIFY] +
                  (uint64_t)register_read16(common(virtio) + QUEUE_NOTIFY) * virtio->factor;
    if (!paging_map_device(queue->bell, sizeof(uint16_t))) {
        return "no free memory for page tables";
    }
    register_write16(common(virtio) + QUEUE_ENABLE, 1);
    return NULL;
}

void virtio_queue_put(struct virtio_queue *queue, uint16_t first)
{
    queue->available->ring[queue->put % queue->entries] = first;
    register_order();
    queue->available->index = ++queue->put;
}

void virtio_queue_ring(const struct virtio_queue *queue)
{
    register_write16(queue->bell, queue->number);
}

struct virtio_done virtio_queue_take(struct virtio_queue *queue)
{
    const uint16_t at = queue->taken++ % queue->entries;

    register_order();
    return (struct virtio_done){queue->used->ring[at].id, queue->used->ring[at].length};
}
