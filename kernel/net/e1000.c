/* SPDX-License-Identifier: BSD-2-Clause */
/* The driver of Intel NICs that share the registers of the e1000 family. */
#include "kernel/net/drivers.h"

#include <string.h>

#include "kernel/clock/alarm.h"
#include "kernel/clock/registers.h"
#include "kernel/cpu/cpu.h"
#include "kernel/dev/pci.h"
#include "kernel/mem/memory.h"
#include "kernel/mem/paging.h"

#define CLASS_ETHERNET 0x0200
#define INTEL          0x8086u
#define BAR_REGISTERS  0
#define REGISTERS      0x6000u /* size of the part used here */

/* Offsets of registers (317694 section 10.1). */
#define CTRL      0x0000
#define STATUS    0x0008
#define CTRL_EXT  0x0018
#define ICR       0x00c0
#define ICS       0x00c8
#define IMS       0x00d0
#define IMC       0x00d8
#define IVAR      0x00e4 /* only on the 82574 */
#define RCTL      0x0100
#define TCTL      0x0400
#define TIPG      0x0410
#define RDBAL     0x2800
#define RDBAH     0x2804
#define RDLEN     0x2808
#define RDH       0x2810
#define RDT       0x2818
#define RDTR      0x2820
#define RXDCTL    0x2828
#define RADV      0x282c
#define TDBAL     0x3800
#define TDT       0x3818
#define TXDCTL    0x3828
#define MPC       0x4010 /* frames missed since it was last read */
#define MTA       0x5200 /* multicast addresses, up to 53fch */
#define MTA_WORDS 128
#define RAL       0x5400
#define RAH       0x5404

#define CTRL_NO_MASTER    0x00000004u /* starts no new accesses to memory */
#define CTRL_SET_LINK_UP  0x00000040u
#define CTRL_RESET        0x04000000u
#define STATUS_LINK_UP    0x00000002u
#define STATUS_MASTER     0x00080000u
#define CTRL_EXT_PBA      0x80000000u /* MSI-X as PCI defines it */
#define ICR_RX            0x00000080u
#define ICR_RX_QUEUE_0    0x00100000u /* 82574 */
#define IVAR_RX_QUEUE_0   0x00000008u /* vector 0 */
#define RCTL_ENABLE       0x00000002u
#define RCTL_BROADCAST    0x00008000u
#define RCTL_STRIP_CRC    0x04000000u
#define TCTL_ENABLE       0x00000002u
#define TCTL_PAD          0x00000008u
#define TCTL_COLLISIONS   (0x0fu << 4 | 0x40u << 12)
#define TIPG_COPPER       (8u | 8u << 10 | 6u << 20)
#define DCTL_ENABLE       0x02000000u /* I210, I350 */
#define TXDCTL_COUNT_DESC 0x00400000u /* must be set on the 82574 */
#define RAH_VALID         0x80000000u
#define MAC_GROUP         0x01u

/* Bits of descriptors (sections 7.1.4 and 7.2.10). */
#define RX_DONE  0x01u
#define RX_WHOLE 0x02u
#define RX_BAD   0x97u /* errors: CRC, symbol, sequence, carrier, data */
#define TX_DONE  0x01u
#define TX_FLAGS 0x0bu /* end of frame, insert the FCS, report when done */

#define RX_SLOTS   128u /* powers of two */
#define TX_SLOTS   64u
#define SLOT_BYTES 2048u
#define RETURN     32u /* number of frames taken before their memory is given back to the NIC */
#define HEADER     14u /* bytes of an Ethernet header */

#define RESET_US  20000
#define ENABLE_US 10000
#define MASTER_US 80000
#define DRAIN_US  1000
#define LOOK_US   10000 /* a silent NIC is checked at this interval */

/* Time until the link counts as up: QEMU's 82540EM holds frames back for 1 s after its receiver is
 * enabled. */
#define SETTLE_US 1100000

#define NICS 6

enum kind {
    PCI_8254X,
    E_82574,
    IGB, /* I210, I350 */
    I219,
};

static const struct model {
    const char *name;
    enum kind kind;
    uint16_t id;
    bool proven;
} models[] = {
    {"82540EM", PCI_8254X, 0x100e, true}, {"82545EM", PCI_8254X, 0x100f, false},
    {"82574L", E_82574, 0x10d3, true},    {"82574LA", E_82574, 0x10f6, false},
    {"I210", IGB, 0x1533, false},         {"I210", IGB, 0x1536, false},
    {"I210", IGB, 0x1537, false},         {"I210", IGB, 0x1538, false},
    {"I210", IGB, 0x157b, false},         {"I210", IGB, 0x157c, false},
    {"I211", IGB, 0x1539, false},         {"I350", IGB, 0x1521, false},
    {"I350", IGB, 0x1522, false},         {"I350", IGB, 0x1523, false},
    {"I350", IGB, 0x1524, false},         {"I219-LM", I219, 0x156f, false},
    {"I219-V", I219, 0x1570, false},      {"I219-LM2", I219, 0x15b7, false},
    {"I219-V2", I219, 0x15b8, false},     {"I219-LM3", I219, 0x15b9, false},
    {"I219-LM4", I219, 0x15d7, false},    {"I219-V4", I219, 0x15d8, false},
    {"I219-LM5", I219, 0x15e3, false},    {"I219-V5", I219, 0x15d6, false},
    {"I219-LM6", I219, 0x15bd, false},    {"I219-V6", I219, 0x15be, false},
    {"I219-LM7", I219, 0x15bb, false},    {"I219-V7", I219, 0x15bc, false},
    {"I219-LM8", I219, 0x15df, false},    {"I219-V8", I219, 0x15e0, false},
    {"I219-LM9", I219, 0x15e1, false},    {"I219-V9", I219, 0x15e2, false},
    {"I219-LM10", I219, 0x0d4e, false},   {"I219-V10", I219, 0x0d4f, false},
    {"I219-LM11", I219, 0x0d4c, false},   {"I219-V11", I219, 0x0d4d, false},
    {"I219-LM12", I219, 0x0d53, false},   {"I219-V12", I219, 0x0d55, false},
    {"I219-LM13", I219, 0x15fb, false},   {"I219-V13", I219, 0x15fc, false},
    {"I219-LM14", I219, 0x15f9, false},   {"I219-V14", I219, 0x15fa, false},
    {"I219-LM15", I219, 0x15f4, false},   {"I219-V15", I219, 0x15f5, false},
    {"I219-LM16", I219, 0x1a1e, false},   {"I219-V16", I219, 0x1a1f, false},
    {"I219-LM17", I219, 0x1a1c, false},   {"I219-V17", I219, 0x1a1d, false},
};

struct rx_descriptor {
    uint64_t address;
    uint16_t length;
    uint16_t checksum;
    uint8_t status;
    uint8_t errors;
    uint16_t special;
};

struct tx_descriptor {
    uint64_t address;
    uint16_t length;
    uint8_t checksum_offset;
    uint8_t command;
    uint8_t status;
    uint8_t checksum_start;
    uint16_t special;
};

/* Memory that the NIC reads and writes. */
struct shared {
    volatile struct rx_descriptor rx[RX_SLOTS];
    volatile struct tx_descriptor tx[TX_SLOTS];
    uint8_t rx_bytes[RX_SLOTS][SLOT_BYTES];
    uint8_t tx_bytes[TX_SLOTS][SLOT_BYTES];
};

/* State of a NIC. Its counts of frames give a slot by their lower bits. */
struct e1000 {
    struct nic *nic;
    const struct model *model;
    uint64_t base;
    struct shared *shared; /* NULL: not allocated yet */
    struct tsc_wait look;
    struct tsc_wait settle;
    struct pci_interrupt interrupt;
    uint64_t tx_given[TX_SLOTS]; /* TSC when each slot was given to the NIC */
    uint64_t rx_taken[RX_SLOTS]; /* TSC when the handler saw the frame */
    uint32_t rx_next;            /* number of frames passed on */
    uint32_t rx_seen;            /* number of frames that the handler has seen */
    uint32_t rx_free;            /* number of slots given to the NIC */
    uint32_t tx_next;            /* number of frames given to the NIC */
    uint32_t tx_done;            /* number of those that the NIC has sent */
    struct pci_function function;
    uint16_t command; /* PCI command register, as firmware left it */
    bool running;     /* frames are taken */
    bool in_pieces;   /* the last slot was not the end of its frame */
};

static struct e1000 all[NICS];
static size_t count;

static const char not_there[] = "it has disappeared";

/* ---- registers ---- */

static uint32_t get(const struct e1000 *e, uint32_t at)
{
    return register_read32(e->base + at);
}

static void set(const struct e1000 *e, uint32_t at, uint32_t value)
{
    register_write32(e->base + at, value);
}

/* Stops the NIC: it raises no interrupts and, if it still answers, writes nothing to memory. */
static void quiet(const struct e1000 *e)
{
    set(e, IMC, UINT32_MAX);
    set(e, RCTL, 0);
    set(e, TCTL, TCTL_PAD);
    if (e->model->kind != PCI_8254X) {
        set(e, CTRL, get(e, CTRL) | CTRL_NO_MASTER);
        register_wait32(e->base + STATUS, STATUS_MASTER, 0, MASTER_US);
    }
    get(e, ICR);
}

/* Resets the NIC, except its PHY. The I219 is not reset, because it hangs if a reset finds
 * descriptors that are not done (333167, as drivers of it note). */
static void reset(const struct e1000 *e)
{
    quiet(e);
    if (e->model->kind != I219) {
        set(e, CTRL, get(e, CTRL) | CTRL_RESET);
        register_delay(RESET_US);
    }
    set(e, CTRL, get(e, CTRL) & ~CTRL_NO_MASTER);
    set(e, IMC, UINT32_MAX);
    get(e, ICR);
}

static void give_up(struct e1000 *e, const char *why)
{
    e->running = false;
    quiet(e);
    nic_give_up(e->nic, why);
}

/* Counts missed frames and checks whether the NIC has gone, which the rings do not show. */
static void look(struct e1000 *e)
{
    const uint32_t missed = get(e, MPC);

    e->look = tsc_wait_begin(clock_ticks_from_us(LOOK_US));
    if (missed == REGISTER_GONE) {
        give_up(e, not_there);
    } else {
        e->nic->counts.lost += missed;
    }
}

static uint32_t causes_of(const struct e1000 *e)
{
    return ICR_RX | (e->model->kind == E_82574 ? ICR_RX_QUEUE_0 : 0);
}

/* ---- frames come in ---- */

/* Returns true if frame number `index` has arrived. */
static bool is_there(const struct e1000 *e, uint32_t index)
{
    return index != e->rx_free && (e->shared->rx[index % RX_SLOTS].status & RX_DONE) != 0;
}

/* Stamps the frames that have arrived. Called in the handler. */
static void see(struct e1000 *e)
{
    if ((int32_t)(e->rx_seen - e->rx_next) < 0) {
        e->rx_seen = e->rx_next;
    }
    while (is_there(e, e->rx_seen)) {
        e->rx_taken[e->rx_seen % RX_SLOTS] = e->nic->taken;
        e->rx_seen++;
    }
}

static void hand_on(struct e1000 *e, uint32_t slot, uint32_t length)
{
    const struct nic_frame frame = {
        .bytes = e->shared->rx_bytes[slot],
        .length = length,
        .taken = (int32_t)(e->rx_seen - e->rx_next) > 0 ? e->rx_taken[slot] : tsc_read(),
    };

    nic_received(e->nic, &frame);
}

/* Passes a complete frame on. Drops frames in pieces, and those with errors. */
static void take_frame(struct e1000 *e, uint32_t slot)
{
    const volatile struct rx_descriptor *descriptor = &e->shared->rx[slot];
    const uint32_t length = descriptor->length;
    const bool whole = (descriptor->status & RX_WHOLE) != 0;

    if (length > SLOT_BYTES) {
        give_up(e, "it reports a frame that is longer than its memory");
    } else if (whole && !e->in_pieces && (descriptor->errors & RX_BAD) == 0 && length >= HEADER &&
               length <= NIC_FRAME_MAX) {
        hand_on(e, slot, length);
    } else if (whole) {
        e->nic->counts.damaged++;
    }
    e->in_pieces = !whole;
}

/* Gives the memory of frames that were taken back to the NIC. */
static void return_slots(struct e1000 *e)
{
    while (e->rx_free - e->rx_next < RX_SLOTS - 1) {
        e->shared->rx[e->rx_free % RX_SLOTS].status = 0;
        register_order(); /* the handler reads both */
        e->rx_free++;
    }
    set(e, RDT, e->rx_free % RX_SLOTS);
}

/* Takes at most one ring of frames. Further ones wait for the next poll, so that other work can
 * run; the NIC is made to interrupt once more for them. */
static void poll(struct nic *nic)
{
    struct e1000 *e = nic->state;
    uint32_t taken = 0;

    if (e->running && tsc_wait_over(&e->look)) {
        look(e);
    }
    while (e->running && taken < RX_SLOTS && is_there(e, e->rx_next)) {
        register_order();
        take_frame(e, e->rx_next % RX_SLOTS);
        register_order();
        e->rx_next++;
        if (++taken % RETURN == 0 && e->running) {
            return_slots(e);
        }
    }
    if (taken % RETURN != 0 && e->running) {
        return_slots(e);
    }
    if (taken == RX_SLOTS && e->running) {
        set(e, ICS, causes_of(e));
    }
}

/* ---- frames leave ---- */

static void see_sent(struct e1000 *e)
{
    while (e->tx_done != e->tx_next &&
           (e->shared->tx[e->tx_done % TX_SLOTS].status & TX_DONE) != 0) {
        e->tx_done++;
    }
}

static bool has_room(struct e1000 *e)
{
    if (e->tx_next - e->tx_done < TX_SLOTS / 2) {
        return true;
    }
    see_sent(e);
    if (e->tx_next - e->tx_done < TX_SLOTS - 1) {
        return true;
    }
    if (tsc_read() - e->tx_given[e->tx_done % TX_SLOTS] >
        clock_ticks_from_us(1000ull * E1000_SEND_MS)) {
        give_up(e, get(e, STATUS) == REGISTER_GONE ? not_there : "it has not sent a frame for 2 s");
    }
    return false;
}

static bool send(struct nic *nic, const void *bytes, uint32_t length)
{
    struct e1000 *e = nic->state;
    const uint32_t slot = e->tx_next % TX_SLOTS;
    volatile struct tx_descriptor *descriptor = &e->shared->tx[slot];

    if (!e->running || !has_room(e)) {
        return false;
    }
    memcpy(e->shared->tx_bytes[slot], bytes, length);
    descriptor->length = (uint16_t)length;
    descriptor->command = TX_FLAGS;
    descriptor->status = 0;
    e->tx_given[slot] = tsc_read();
    e->tx_next++;
    set(e, TDT, e->tx_next % TX_SLOTS);
    return true;
}

static bool link(struct nic *nic)
{
    struct e1000 *e = nic->state;
    const uint32_t status = get(e, STATUS);

    return status != REGISTER_GONE && (status & STATUS_LINK_UP) != 0 &&
           (e->model->kind != PCI_8254X || tsc_wait_over(&e->settle));
}

/* ---- interrupts ---- */

static void arrived(struct e1000 *e)
{
    if (e->running) {
        nic_arrived(e->nic);
        see(e);
    }
}

/* Handles the interrupt. An MSI can only come from this NIC, so the time stamp is taken before any
 * register is read. The pin is shared with other devices, so the causes are read first. With MSI-X,
 * a cause bit stays set until it is written. */
static bool take(void *argument)
{
    struct e1000 *e = argument;
    const bool message = e->interrupt.kind != INTERRUPT_INTX;

    if (message) {
        arrived(e);
    }
    const uint32_t causes = get(e, ICR);

    if (causes == REGISTER_GONE || (causes == 0 && !message)) {
        return false;
    }
    set(e, ICR, causes);
    if (!message) {
        arrived(e);
    }
    return true;
}

static bool provoke(void *argument, bool fresh)
{
    struct e1000 *e = argument;

    if (fresh) {
        set(e, IMC, UINT32_MAX);
        set(e, ICR, get(e, ICR));
        if (e->model->kind == E_82574) {
            set(e, CTRL_EXT, get(e, CTRL_EXT) | CTRL_EXT_PBA);
            set(e, IVAR, IVAR_RX_QUEUE_0);
        }
        set(e, IMS, causes_of(e));
    }
    set(e, ICS, causes_of(e));
    return get(e, STATUS) != REGISTER_GONE;
}

/* ---- open and close ---- */

static const char *read_address(struct e1000 *e)
{
    const uint32_t low = get(e, RAL);
    const uint32_t high = get(e, RAH);

    const uint64_t address = (uint64_t)(high & 0xffff) << 32 | low;

    for (unsigned i = 0; i < NIC_MAC_BYTES; i++) {
        e->nic->mac[i] = (uint8_t)(address >> 8 * i);
    }
    return (high & RAH_VALID) == 0 || (address & MAC_GROUP) != 0 || address == 0
               ? "its registers RAL and RAH hold no valid MAC address"
               : NULL;
}

static void fill_rings(struct e1000 *e)
{
    for (uint32_t i = 0; i < RX_SLOTS; i++) {
        e->shared->rx[i].address = (uintptr_t)e->shared->rx_bytes[i];
        e->shared->rx[i].status = 0;
    }
    for (uint32_t i = 0; i < TX_SLOTS; i++) {
        e->shared->tx[i].address = (uintptr_t)e->shared->tx_bytes[i];
        e->shared->tx[i].command = 0;
    }
    e->rx_next = 0;
    e->rx_seen = 0;
    e->rx_free = 0;
    e->tx_next = 0;
    e->tx_done = 0;
    e->in_pieces = false;
}

static void set_ring(const struct e1000 *e, uint32_t low, const volatile void *ring, uint32_t bytes)
{
    const uint64_t address = (uintptr_t)ring;

    set(e, low, (uint32_t)address);
    set(e, low + RDBAH - RDBAL, (uint32_t)(address >> 32));
    set(e, low + RDLEN - RDBAL, bytes);
    set(e, low + RDH - RDBAL, 0);
    set(e, low + RDT - RDBAL, 0);
}

/* Enables the queues. Returns false if one is not enabled in time. */
static bool enable_queues(const struct e1000 *e)
{
    if (e->model->kind == E_82574) {
        set(e, TXDCTL, get(e, TXDCTL) | TXDCTL_COUNT_DESC);
    }
    if (e->model->kind != IGB) {
        set(e, TIPG, TIPG_COPPER);
        set(e, RDTR, 0);
        set(e, RADV, 0);
        return true;
    }
    set(e, RXDCTL, get(e, RXDCTL) | DCTL_ENABLE);
    set(e, TXDCTL, get(e, TXDCTL) | DCTL_ENABLE);
    return register_wait32(e->base + RXDCTL, DCTL_ENABLE, DCTL_ENABLE, ENABLE_US) &&
           register_wait32(e->base + TXDCTL, DCTL_ENABLE, DCTL_ENABLE, ENABLE_US);
}

static const char *start(struct e1000 *e)
{
    set(e, CTRL, get(e, CTRL) | CTRL_SET_LINK_UP);
    for (uint32_t i = 0; i < MTA_WORDS; i++) {
        set(e, MTA + 4 * i, 0);
    }
    fill_rings(e);
    set_ring(e, RDBAL, e->shared->rx, sizeof(e->shared->rx));
    set_ring(e, TDBAL, e->shared->tx, sizeof(e->shared->tx));
    set(e, RCTL, RCTL_BROADCAST | RCTL_STRIP_CRC);
    set(e, TCTL, TCTL_ENABLE | TCTL_PAD | TCTL_COLLISIONS);
    if (!enable_queues(e)) {
        return "its queues cannot be enabled";
    }
    set(e, RCTL, RCTL_ENABLE | RCTL_BROADCAST | RCTL_STRIP_CRC);
    return_slots(e);
    look(e);
    e->nic->counts.lost = 0;
    e->settle = tsc_wait_begin(clock_ticks_from_us(SETTLE_US));
    return NULL;
}

/* Starts the NIC. With `interrupts`, call within a session. */
static const char *begin(struct e1000 *e, bool interrupts)
{
    const struct pci_interrupt_user user = {
        .name = e->nic->name, .take = take, .provoke = provoke, .argument = e};

    if (get(e, STATUS) == REGISTER_GONE) {
        return "it does not answer";
    }
    reset(e);
    const char *why = read_address(e);

    if (why != NULL) {
        return why;
    }
    e->nic->interrupt =
        interrupts ? device_interrupt_open(&e->interrupt, &e->function, &user) : INTERRUPT_POLLED;
    const uint64_t flags = interrupts_save();

    why = start(e);
    e->running = why == NULL;
    interrupts_restore(flags);
    return why;
}

static void close(struct nic *nic)
{
    struct e1000 *e = nic->state;

    if (e->running) {
        look(e);
        struct tsc_wait wait = tsc_wait_begin(clock_ticks_from_us(DRAIN_US));

        while (e->tx_done != e->tx_next && !tsc_wait_over(&wait)) {
            see_sent(e);
        }
    }
    e->running = false;
    reset(e);
    pci_interrupt_close(&e->interrupt);
    pci_command_restore(&e->function, e->command);
}

static const char *open(struct nic *nic, bool interrupts)
{
    struct e1000 *e = nic->state;

    if (e->shared == NULL) {
        e->shared = memory_allocate(sizeof(*e->shared), PAGE_SIZE);
    }
    if (e->shared == NULL || !paging_map_device(e->base, REGISTERS)) {
        return "not enough memory for its frames";
    }
    e->command =
        pci_command_change(&e->function, PCI_DECODE_MEMORY | PCI_BUS_MASTER | PCI_INTX_DISABLE, 0);
    const char *why = begin(e, interrupts);

    if (why != NULL) {
        close(nic);
    }
    return why;
}

/* ---- finding NICs ---- */

static const struct model *model_of(const struct pci_function *function)
{
    for (size_t i = 0; i < sizeof(models) / sizeof(models[0]); i++) {
        if (function->id == (INTEL | (uint32_t)models[i].id << 16)) {
            return &models[i];
        }
    }
    return NULL;
}

static void add(const struct pci_function *function, const struct model *model)
{
    struct e1000 *e = &all[count];
    const struct pci_bar bar = pci_bar_read(function, BAR_REGISTERS);

    e->nic = nic_add(&e1000_driver, NULL);
    if (e->nic == NULL) {
        return;
    }
    count++;
    e->model = model;
    e->function = *function;
    e->base = bar.base;
    e->nic->state = e;
    e->nic->place = function->place;
    e->nic->id = function->id;
    e->nic->model = model->name;
    e->nic->unproven = !model->proven;
    if (bar.io || bar.base == 0) {
        e->nic->unusable = "its registers are not in memory";
    }
}

static void find(void)
{
    struct pci_function function = {0};

    while (count < NICS && pci_find(CLASS_ETHERNET, &function)) {
        const struct model *model = model_of(&function);

        if (model != NULL) {
            add(&function, model);
        }
    }
}

const struct nic_driver e1000_driver = {
    .name = "e1000",
    .find = find,
    .open = open,
    .close = close,
    .send = send,
    .poll = poll,
    .link = link,
};
