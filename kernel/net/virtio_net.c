/* SPDX-License-Identifier: BSD-2-Clause */
/* The driver of virtio-net NICs. */
#include "kernel/net/drivers.h"

#include <string.h>

#include "kernel/block/virtio.h"
#include "kernel/clock/alarm.h"
#include "kernel/clock/registers.h"
#include "kernel/mem/memory.h"

#define CLASS_ETHERNET  0x0200
#define ID_MODERN       0x10411af4u
#define ID_TRANSITIONAL 0x10001af4u

/* Feature bits (section 5.1.3). */
#define FEATURE_MAC     (1ull << 5)
#define FEATURE_STATUS  (1ull << 16)
#define FEATURE_CONTROL (1ull << 17)
#define FEATURE_MODES   (1ull << 18)
#define FEATURES        (FEATURE_MAC | FEATURE_STATUS | FEATURE_CONTROL | FEATURE_MODES)

/* Offsets and bits of the configuration (section 5.1.4). */
#define CONFIG_MAC    0x00
#define CONFIG_STATUS 0x06
#define LINK_UP       1u
#define MAC_GROUP     0x01u

/* Numbers of the queues (section 5.1.2) with one pair. */
#define QUEUE_RECEIVE  0
#define QUEUE_TRANSMIT 1
#define QUEUE_CONTROL  2

#define HEADER_BYTES 12u /* section 5.1.6; all zero, because there are no offloads */
#define ETHERNET     14u
#define SLOT_BYTES   2048u
#define SLOTS        VIRTIO_ENTRIES_MAX
#define RETURN       32u /* number of frames taken before their memory is given back to the NIC */

/* The command that turns promiscuous reception off (section 5.1.6.5.1): number of its descriptors,
 * bytes of its header, and the offsets of its parts. */
#define COMMAND_PARTS 3u
#define COMMAND_BYTES 2u
#define COMMAND_PLACE 0
#define OFF_PLACE     2
#define ANSWER_PLACE  3

#define DRAIN_US 1000
#define LOOK_US  10000 /* a silent NIC is checked at this interval */

#define NICS 6

/* Memory that the NIC reads and writes, apart from the rings. */
struct shared {
    uint8_t rx[SLOTS][SLOT_BYTES];
    uint8_t tx[SLOTS][SLOT_BYTES];
    uint8_t command[4]; /* class, command, value and answer */
};

struct virtio_net {
    struct nic *nic;
    struct virtio device;
    struct virtio_queue rx;
    struct virtio_queue tx;
    struct virtio_queue control;
    struct shared *shared; /* NULL: not allocated yet */
    struct tsc_wait look;
    struct pci_interrupt interrupt;
    uint64_t features;        /* features that the device offers */
    uint64_t rx_taken[SLOTS]; /* TSC when the handler saw a frame, by its place in the used ring */
    /* TSC when the device last sent a frame, or when it got frames after having none to send */
    uint64_t tx_oldest;
    uint16_t rx_seen;        /* number of frames that the handler has seen */
    uint16_t tx_free[SLOTS]; /* free slots */
    uint16_t tx_free_count;
    bool rx_with[SLOTS]; /* the device has the slot */
    bool tx_with[SLOTS];
    bool running; /* frames are taken */
};

static struct virtio_net all[NICS];
static size_t count;

static const char lied[] = "it reports more frames than it was given memory for";
static const char foreign[] = "it reports memory that it was not given";
static const char too_long[] = "it reports a frame that is longer than its memory";

static void give_up(struct virtio_net *n, const char *why)
{
    n->running = false;
    virtio_stop(&n->device);
    nic_give_up(n->nic, why);
}

/* Checks the status of the device, which the rings do not show. */
static void look(struct virtio_net *n)
{
    const enum virtio_health health = virtio_look(&n->device);

    n->look = tsc_wait_begin(clock_ticks_from_us(LOOK_US));
    if (health != VIRTIO_WELL) {
        give_up(n, health == VIRTIO_GONE ? virtio_gone : virtio_broken);
    }
}

/* Returns the number of entries in the used ring that are not taken yet. The device lies if it is
 * more than it was given. */
static uint16_t used_of(const struct virtio_queue *queue)
{
    return (uint16_t)(queue->used->index - queue->taken);
}

/* ---- frames come in ---- */

static void give_slot(struct virtio_net *n, uint16_t slot)
{
    n->rx_with[slot] = true;
    virtio_queue_put(&n->rx, slot);
}

/* Stamps the frames that have arrived. Called in the handler. */
static void see(struct virtio_net *n)
{
    const uint16_t used = n->rx.used->index;

    if ((int16_t)(n->rx_seen - n->rx.taken) < 0) {
        n->rx_seen = n->rx.taken;
    }
    for (uint32_t i = 0; n->rx_seen != used && i < SLOTS; i++) {
        n->rx_taken[n->rx_seen++ % SLOTS] = n->nic->taken;
    }
}

/* Passes on a frame: entry `place` of the used ring reports `length` bytes in `slot`, header
 * included. */
static void take_frame(struct virtio_net *n, uint16_t place, uint16_t slot, uint32_t length)
{
    if (length < HEADER_BYTES + ETHERNET || length > HEADER_BYTES + NIC_FRAME_MAX) {
        n->nic->counts.damaged++;
        return;
    }
    const bool seen = (int16_t)(n->rx_seen - place) > 0;
    const struct nic_frame frame = {
        .bytes = n->shared->rx[slot] + HEADER_BYTES,
        .length = length - HEADER_BYTES,
        .taken = seen ? n->rx_taken[place % SLOTS] : tsc_read(),
    };

    nic_received(n->nic, &frame);
}

/* Takes the next entry of the used ring. */
static void take_one(struct virtio_net *n)
{
    const uint16_t place = n->rx.taken;
    const struct virtio_done done = virtio_queue_take(&n->rx);

    if (done.id >= n->rx.entries || !n->rx_with[done.id]) {
        give_up(n, foreign);
        return;
    }
    if (done.length > SLOT_BYTES) {
        give_up(n, too_long);
        return;
    }
    n->rx_with[done.id] = false;
    take_frame(n, place, (uint16_t)done.id, done.length);
    if (n->running) {
        give_slot(n, (uint16_t)done.id);
    }
}

/* Takes the frames that have arrived so far. Later ones wait for the next poll, so that other work
 * can run; each of them raises an interrupt. */
static void poll(struct nic *nic)
{
    struct virtio_net *n = nic->state;

    if (n->running && tsc_wait_over(&n->look)) {
        look(n);
    }
    if (!n->running) {
        return;
    }
    const uint16_t there = used_of(&n->rx);

    if (there > n->rx.entries) {
        give_up(n, lied);
        return;
    }
    for (uint16_t i = 1; i <= there && n->running; i++) {
        take_one(n);
        if (n->running && (i % RETURN == 0 || i == there)) {
            virtio_queue_ring(&n->rx);
        }
    }
}

/* ---- frames leave ---- */

static void see_sent(struct virtio_net *n)
{
    const uint16_t there = used_of(&n->tx);

    if (there > n->tx.entries) {
        give_up(n, lied);
        return;
    }
    for (uint16_t i = 0; i < there; i++) {
        const uint32_t id = virtio_queue_take(&n->tx).id;

        if (id >= n->tx.entries || !n->tx_with[id]) {
            give_up(n, foreign);
            return;
        }
        n->tx_with[id] = false;
        n->tx_free[n->tx_free_count++] = (uint16_t)id;
        n->tx_oldest = tsc_read();
    }
}

static bool has_room(struct virtio_net *n)
{
    if (n->tx_free_count > n->tx.entries / 2) {
        return true;
    }
    see_sent(n);
    if (n->running && n->tx_free_count == 0 &&
        tsc_read() - n->tx_oldest > clock_ticks_from_us(1000ull * VIRTIO_NET_SEND_MS)) {
        give_up(n, "it has not sent a frame for 2 s");
    }
    return n->running && n->tx_free_count > 0;
}

static bool send(struct nic *nic, const void *bytes, uint32_t length)
{
    struct virtio_net *n = nic->state;

    if (!n->running || !has_room(n)) {
        return false;
    }
    if (n->tx_free_count == n->tx.entries) {
        n->tx_oldest = tsc_read();
    }
    const uint16_t slot = n->tx_free[--n->tx_free_count];

    memcpy(n->shared->tx[slot] + HEADER_BYTES, bytes, length);
    n->tx.descriptors[slot].length = HEADER_BYTES + length;
    n->tx_with[slot] = true;
    virtio_queue_put(&n->tx, slot);
    virtio_queue_ring(&n->tx);
    return true;
}

/* Returns true if the link is up. A device that reports no status always has a link. */
static bool link(struct nic *nic)
{
    const struct virtio_net *n = nic->state;

    return (n->features & FEATURE_STATUS) == 0 ||
           (register_read16(virtio_device(&n->device) + CONFIG_STATUS) & LINK_UP) != 0;
}

/* ---- start ---- */

static void fill_rings(struct virtio_net *n)
{
    memset(n->rx_with, 0, sizeof(n->rx_with));
    memset(n->tx_with, 0, sizeof(n->tx_with));
    for (uint16_t slot = 0; slot < n->rx.entries; slot++) {
        n->rx.descriptors[slot] = (struct virtio_descriptor){(uintptr_t)n->shared->rx[slot],
                                                             SLOT_BYTES, VIRTIO_TO_MEMORY, 0};
    }
    for (uint16_t slot = 0; slot < n->tx.entries; slot++) {
        memset(n->shared->tx[slot], 0, HEADER_BYTES);
        n->tx.descriptors[slot] =
            (struct virtio_descriptor){(uintptr_t)n->shared->tx[slot], 0, 0, 0};
        n->tx_free[slot] = slot;
    }
    n->tx.available->flags = VIRTIO_NO_INTERRUPT;
    n->tx_free_count = n->tx.entries;
    n->rx_seen = 0;
}

static bool has_control(const struct virtio_net *n)
{
    return (n->features & FEATURE_CONTROL) != 0 && (n->features & FEATURE_MODES) != 0;
}

/* Starts the device from any state. It has no memory for frames yet. */
static const char *start(struct virtio_net *n)
{
    const bool message = n->interrupt.kind == INTERRUPT_MSIX;
    const char *why = virtio_negotiate(&n->device, FEATURES);

    if (why == NULL) {
        why = virtio_queue_start(&n->device, &n->rx, QUEUE_RECEIVE, 1, message);
    }
    if (why == NULL) {
        why = virtio_queue_start(&n->device, &n->tx, QUEUE_TRANSMIT, 1, message);
    }
    if (why == NULL && has_control(n)) {
        why = virtio_queue_start(&n->device, &n->control, QUEUE_CONTROL, COMMAND_PARTS, message);
    }
    if (why == NULL) {
        fill_rings(n);
        virtio_ready(&n->device);
    }
    return why;
}

/* Makes the device take only frames to its own address and broadcasts. */
static void command(struct virtio_net *n)
{
    const uintptr_t at = (uintptr_t)n->shared->command;

    memset(n->shared->command, 0, sizeof(n->shared->command));
    n->control.descriptors[0] =
        (struct virtio_descriptor){at + COMMAND_PLACE, COMMAND_BYTES, VIRTIO_MORE, 1};
    n->control.descriptors[1] = (struct virtio_descriptor){at + OFF_PLACE, 1, VIRTIO_MORE, 2};
    n->control.descriptors[2] =
        (struct virtio_descriptor){at + ANSWER_PLACE, 1, VIRTIO_TO_MEMORY, 0};
    virtio_queue_put(&n->control, 0);
    virtio_queue_ring(&n->control);
}

static void take_memory(struct virtio_net *n)
{
    for (uint16_t slot = 0; slot < n->rx.entries; slot++) {
        give_slot(n, slot);
    }
    virtio_queue_ring(&n->rx);
}

/* ---- interrupts ---- */

/* Takes the answer to the command that verifies the interrupt. */
static bool take_answer(struct virtio_net *n)
{
    const bool any = has_control(n) && virtio_queue_has_used(&n->control);

    if (any) {
        virtio_queue_take(&n->control);
    }
    return any;
}

/* Handles the interrupt. MSI-X can only come from this NIC, so the time stamp is taken before any
 * register is read. The pin is shared with other devices, so the interrupt register is read first.
 */
static bool take(void *argument)
{
    struct virtio_net *n = argument;
    const bool pin = n->interrupt.kind == INTERRUPT_INTX;

    if (pin && !virtio_withdraw_pin(&n->device)) {
        return false;
    }
    if (!n->running) {
        return take_answer(n);
    }
    nic_arrived(n->nic);
    see(n);
    return true;
}

static bool provoke(void *argument, bool fresh)
{
    struct virtio_net *n = argument;

    take_answer(n);
    if (!has_control(n) || (fresh && start(n) != NULL)) {
        return false;
    }
    command(n);
    return true;
}

/* ---- open and close ---- */

static void close(struct nic *nic)
{
    struct virtio_net *n = nic->state;

    if (n->running) {
        struct tsc_wait wait = tsc_wait_begin(clock_ticks_from_us(DRAIN_US));

        while (n->running && n->tx_free_count != n->tx.entries && !tsc_wait_over(&wait)) {
            see_sent(n);
        }
    }
    n->running = false;
    pci_interrupt_close(&n->interrupt);
    virtio_release(&n->device);
}

static const char *allocate(struct virtio_net *n)
{
    if (n->shared == NULL && virtio_queue_allocate(&n->rx) && virtio_queue_allocate(&n->tx) &&
        virtio_queue_allocate(&n->control)) {
        n->shared = memory_allocate(sizeof(*n->shared), PAGE_SIZE);
    }
    return n->shared != NULL ? NULL : "not enough memory for its frames";
}

static const char *read_address(struct virtio_net *n)
{
    uint8_t any = 0;

    for (unsigned i = 0; i < NIC_MAC_BYTES; i++) {
        n->nic->mac[i] = register_read8(virtio_device(&n->device) + CONFIG_MAC + i);
        any |= n->nic->mac[i];
    }
    return (n->features & FEATURE_MAC) == 0 || any == 0 || (n->nic->mac[0] & MAC_GROUP) != 0
               ? "it has no valid MAC address"
               : NULL;
}

/* Starts the NIC. With `interrupts`, call within a session. */
static const char *begin(struct virtio_net *n, bool interrupts)
{
    const struct pci_interrupt_user user = {
        .name = n->nic->name, .take = take, .provoke = provoke, .argument = n};
    const char *why = virtio_find_registers(&n->device);

    why = why == NULL ? allocate(n) : why;
    if (why != NULL) {
        return why;
    }
    n->features = virtio_offered(&n->device);
    why = start(n);
    why = why == NULL ? read_address(n) : why;
    if (why != NULL) {
        return why;
    }
    n->nic->interrupt = interrupts && has_control(n)
                            ? device_interrupt_open(&n->interrupt, &n->device.function, &user)
                            : INTERRUPT_POLLED;
    const uint64_t flags = interrupts_save();

    why = start(n);
    if (why == NULL) {
        if (has_control(n)) {
            n->control.available->flags = VIRTIO_NO_INTERRUPT;
            command(n);
        }
        n->look = tsc_wait_begin(clock_ticks_from_us(LOOK_US));
        n->running = true;
        take_memory(n);
    }
    interrupts_restore(flags);
    return why;
}

static const char *open(struct nic *nic, bool interrupts)
{
    struct virtio_net *n = nic->state;

    memset(n->device.registers, 0, sizeof(n->device.registers));
    virtio_enable(&n->device);
    const char *why = begin(n, interrupts);

    if (why != NULL) {
        close(nic);
    }
    return why;
}

/* ---- finding NICs ---- */

static void find(void)
{
    struct pci_function function = {0};

    while (count < NICS && pci_find(CLASS_ETHERNET, &function)) {
        if (function.id != ID_MODERN && function.id != ID_TRANSITIONAL) {
            continue;
        }
        struct virtio_net *n = &all[count];

        n->nic = nic_add(&virtio_net_driver, NULL);
        if (n->nic == NULL) {
            return;
        }
        count++;
        n->device.function = function;
        n->nic->state = n;
        n->nic->place = function.place;
        n->nic->id = function.id;
        n->nic->model = "virtio-net";
    }
}

const struct nic_driver virtio_net_driver = {
    .name = "virtio",
    .find = find,
    .open = open,
    .close = close,
    .send = send,
    .poll = poll,
    .link = link,
};
