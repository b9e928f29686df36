/* SPDX-License-Identifier: BSD-2-Clause */
#include "kernel/block/sdhci.h"

#include <stdio.h>

#include "kernel/block/disk_interrupt.h"
#include "kernel/block/sd_card.h"
#include "kernel/clock/registers.h"
#include "kernel/cpu/cpu.h"
#include "kernel/dev/pci.h"
#include "kernel/mem/paging.h"

#define CLASS_SD         0x0805
#define REGISTERS        0x100 /* bytes of a slot */
#define SLOT_INFORMATION 0x40  /* of configuration space */
#define SLOTS_MAX        8     /* of all controllers */
#define SIZE_4G          (1ull << 32)

/* Registers (section 2.1), and their bits. */
#define SDMA_ADDRESS    0x00
#define BLOCK_SIZE      0x04 /* 16 bits */
#define BOUNDARY_512K   0x7000
#define BLOCK_COUNT     0x06 /* 16 bits */
#define ARGUMENT        0x08
#define MODE            0x0c /* 16 bits */
#define MODE_DMA        0x01
#define MODE_COUNT      0x02
#define MODE_STOP       0x04 /* STOP_TRANSMISSION by itself */
#define MODE_READ       0x10
#define MODE_MULTIPLE   0x20
#define COMMAND         0x0e /* 16 bits */
#define RESPONSE        0x10 /* 4 words */
#define DATA            0x20
#define PRESENT         0x24
#define PRESENT_COMMAND 0x00000001u /* inhibited */
#define PRESENT_DATA    0x00000002u /* inhibited */
#define PRESENT_READ    0x00000800u /* a block is in the buffer */
#define PRESENT_CARD    0x00010000u
#define PRESENT_STABLE  0x00020000u
#define HOST            0x28 /* 8 bits */
#define HOST_4_LINES    0x02
#define POWER           0x29 /* 8 bits: of the slot */
#define POWER_ON        0x01
#define CLOCK           0x2c /* 16 bits */
#define CLOCK_INSIDE    0x01
#define CLOCK_STABLE    0x02
#define CLOCK_CARD      0x04
#define TIMEOUT         0x2e /* 8 bits */
#define TIMEOUT_LONGEST 0x0e
#define RESET           0x2f /* 8 bits */
#define RESET_ALL       0x01
#define RESET_COMMAND   0x02
#define RESET_DATA      0x04
#define STATUS          0x30 /* errors in the upper half; ones clear */
#define STATUS_ENABLE   0x34
#define SIGNAL_ENABLE   0x38
#define COMMAND_DONE    0x00000001u
#define TRANSFER_DONE   0x00000002u
#define DMA_BOUNDARY    0x00000008u
#define BUFFER_READY    0x00000020u
#define CARD_REMOVED    0x00000080u
#define ANY_ERROR       0x00008000u
#define ERRORS          0xffff0000u
#define CAPABILITIES    0x40
#define CAN_SDMA        0x00400000u
#define CAN_3_3_V       0x01000000u
#define CAN_3_0_V       0x02000000u
#define SLOT_KIND       0xc0000000u
#define SLOT_EMBEDDED   0x40000000u
#define VERSION         0xfe /* 16 bits */
#define VERSION_3       2

#define POWER_3_3_V 0x0e
#define POWER_3_0_V 0x0c

/* Commands (Physical Layer, section 4.7.4): number, and what comes back. */
#define NO_ANSWER                  0x00
#define ANSWER_128                 0x09
#define ANSWER_NO_SUM              0x02
#define ANSWER_CHECKED             0x1a
#define ANSWER_BUSY                0x1b
#define WITH_DATA                  0x20
#define COMMAND_OF(number, answer) (uint16_t)((number) << 8 | (answer))

#define CONDITION     0x1aau      /* 2.7 to 3.6 V, and a pattern that comes back */
#define VOLTAGES      0x00ff8000u /* of BEGIN_CARD: all of these */
#define HIGH_CAPACITY 0x40000000u
#define CARD_READY    0x80000000u
#define LINES_4       2
#define ADDRESS_SHIFT 16
#define HZ_AT_FIRST   400000
#define HZ_AFTERWARDS 25000000

/* Bounds of waits, in us. */
#define RESET_US   100000
#define CLOCK_US   150000
#define OFF_US     10000
#define POWER_US   1000
#define COMMAND_US 100000
#define BUSY_US    500000
#define BEGIN_US   1000000 /* Physical Layer, section 4.2.3 */
#define PAUSE_US   1000

/* Where SDMA stops, to be given its next address (section 2.2.1). QEMU does not go on (7.2), and
 * stops where a transfer begins at such a multiple alone, so that requests are no longer. */
#define BOUNDARY   (512u << 10)
#define BLOCKS_MAX (BOUNDARY / SD_BLOCK)

enum sd_command {
    GO_IDLE,
    SEND_CID,
    SEND_ADDRESS,
    SET_LINES, /* behind NEXT_IS_SPECIAL */
    SELECT_CARD,
    SEND_CONDITION,
    SEND_CSD,
    STOP_READ,
    SEND_STATUS,
    SET_LENGTH,
    READ_SINGLE,
    READ_MULTIPLE,
    BEGIN_CARD, /* behind NEXT_IS_SPECIAL */
    NEXT_IS_SPECIAL,
};
static const uint16_t commands[] BLOCK_COMMANDS("sd") = {
    [GO_IDLE] = COMMAND_OF(0, NO_ANSWER),
    [SEND_CID] = COMMAND_OF(2, ANSWER_128),
    [SEND_ADDRESS] = COMMAND_OF(3, ANSWER_CHECKED),
    [SET_LINES] = COMMAND_OF(6, ANSWER_CHECKED),
    [SELECT_CARD] = COMMAND_OF(7, ANSWER_BUSY),
    [SEND_CONDITION] = COMMAND_OF(8, ANSWER_CHECKED),
    [SEND_CSD] = COMMAND_OF(9, ANSWER_128),
    [STOP_READ] = COMMAND_OF(12, ANSWER_BUSY),
    [SEND_STATUS] = COMMAND_OF(13, ANSWER_CHECKED),
    [SET_LENGTH] = COMMAND_OF(16, ANSWER_CHECKED),
    [READ_SINGLE] = COMMAND_OF(17, ANSWER_CHECKED | WITH_DATA),
    [READ_MULTIPLE] = COMMAND_OF(18, ANSWER_CHECKED | WITH_DATA),
    [BEGIN_CARD] = COMMAND_OF(41, ANSWER_NO_SUM),
    [NEXT_IS_SPECIAL] = COMMAND_OF(55, ANSWER_CHECKED),
};

struct slot {
    uint64_t base;
    uint64_t base_hz;
    struct block_disk *disk;
    struct block_request *request; /* NULL: none */
    struct pci_interrupt interrupt;
    struct pci_function function;
    uint32_t capabilities;
    uint32_t address;  /* of the card, as in the argument of commands */
    uint32_t causes;   /* of interrupts: all or none */
    uint32_t left;     /* blocks that the processor is to read */
    uint32_t boundary; /* where SDMA stops next */
    uint16_t command;  /* of the function, while it is not in use */
    bool fine;         /* version 3 */
    bool by_block;     /* addresses are blocks, not bytes */
    bool dma;          /* how the request is read */
};

static const char not_there[] = "the card is not there any longer";
static struct slot slots[SLOTS_MAX];
static size_t slot_count;

static uint32_t get(const struct slot *slot, uint32_t offset)
{
    return register_read32(slot->base + offset);
}

static void set(const struct slot *slot, uint32_t offset, uint32_t value)
{
    register_write32(slot->base + offset, value);
}

static bool is_gone(const struct slot *slot)
{
    const uint32_t present = get(slot, PRESENT);

    return present == REGISTER_GONE ||
           ((present & PRESENT_CARD) == 0 && (slot->capabilities & SLOT_KIND) != SLOT_EMBEDDED);
}

static bool reset(const struct slot *slot, uint8_t what)
{
    struct tsc_wait wait = tsc_wait_begin(clock_ticks_from_us(RESET_US));

    register_write8(slot->base + RESET, what);
    while ((register_read8(slot->base + RESET) & what) != 0) {
        if (tsc_wait_over(&wait)) {
            return false;
        }
    }
    return true;
}

/* ---- commands without data ---- */

/* What it raised stays in STATUS. */
static bool give_only(const struct slot *slot, enum sd_command command, uint32_t argument)
{
    if (!register_wait32(slot->base + PRESENT, PRESENT_COMMAND | PRESENT_DATA, 0, BUSY_US)) {
        return false;
    }
    set(slot, STATUS, 0xffffffff);
    set(slot, ARGUMENT, argument);
    register_write16(slot->base + MODE, 0);
    register_write16(slot->base + COMMAND, commands[command]);
    const uint32_t status =
        register_wait_any32(slot->base + STATUS, COMMAND_DONE | ANY_ERROR, COMMAND_US);
    const bool good = (status & COMMAND_DONE) != 0 && (status & ANY_ERROR) == 0;

    if (!good) {
        reset(slot, RESET_COMMAND);
    }
    return good;
}

static bool give(const struct slot *slot, enum sd_command command, uint32_t argument)
{
    const bool good = give_only(slot, command, argument);

    set(slot, STATUS, 0xffffffff);
    return good;
}

static bool give_special(const struct slot *slot, enum sd_command command, uint32_t argument)
{
    return give(slot, NEXT_IS_SPECIAL, slot->address) && give(slot, command, argument);
}

/* ---- what is there ---- */

static bool set_clock(const struct slot *slot, uint64_t hz)
{
    const uint16_t divider = sd_divider(slot->base_hz, hz, slot->fine);
    struct tsc_wait wait = tsc_wait_begin(clock_ticks_from_us(CLOCK_US));

    register_write16(slot->base + CLOCK, 0);
    register_write16(slot->base + CLOCK, divider | CLOCK_INSIDE);
    while ((register_read16(slot->base + CLOCK) & CLOCK_STABLE) == 0) {
        if (tsc_wait_over(&wait)) {
            return false;
        }
    }
    register_write16(slot->base + CLOCK, divider | CLOCK_INSIDE | CLOCK_CARD);
    return true;
}

static const char *start_slot(struct slot *slot)
{
    const uint32_t version = register_read16(slot->base + VERSION) & 0xff;
    const uint32_t mhz = slot->capabilities >> 8 & (version >= VERSION_3 ? 0xff : 0x3f);
    const uint8_t voltage = (slot->capabilities & CAN_3_3_V) != 0   ? POWER_3_3_V
                            : (slot->capabilities & CAN_3_0_V) != 0 ? POWER_3_0_V
                                                                    : 0;

    slot->fine = version >= VERSION_3;
    slot->base_hz = mhz * 1000000ull;
    if (mhz == 0 || voltage == 0) {
        return "its controller does not report its clock or voltage";
    }
    register_delay(OFF_US); /* since the reset: a card at 1.8 V begins anew at 3.3 V */
    register_write8(slot->base + POWER, voltage);
    register_write8(slot->base + POWER, voltage | POWER_ON);
    register_delay(POWER_US);
    register_write8(slot->base + TIMEOUT, TIMEOUT_LONGEST);
    set(slot, SIGNAL_ENABLE, 0);
    set(slot, STATUS_ENABLE, 0xffffffff & ~BUFFER_READY);
    if (!set_clock(slot, HZ_AT_FIRST)) {
        return "its controller's clock does not start";
    }
    register_delay(PAUSE_US);
    return NULL;
}

/* NULL, or why not. Cards of version 1 do not know SEND_CONDITION. */
static const char *begin_card(struct slot *slot)
{
    struct tsc_wait wait = tsc_wait_begin(clock_ticks_from_us(BEGIN_US));

    slot->address = 0;
    if (!give(slot, GO_IDLE, 0)) {
        return "the card takes no command";
    }
    const bool known = give(slot, SEND_CONDITION, CONDITION);

    if (known && (get(slot, RESPONSE) & 0xfff) != CONDITION) {
        return "the card does not take this voltage";
    }
    for (;;) {
        if (!give_special(slot, BEGIN_CARD, VOLTAGES | (known ? HIGH_CAPACITY : 0))) {
            slot->disk->foreign = true;
            return "not an SD memory card";
        }
        const uint32_t answer = get(slot, RESPONSE);

        if ((answer & CARD_READY) != 0) {
            slot->by_block = (answer & HIGH_CAPACITY) != 0;
            return NULL;
        }
        if (tsc_wait_over(&wait)) {
            return "the card does not get ready";
        }
        register_delay(PAUSE_US);
    }
}

static const char *identify(struct slot *slot, uint64_t *blocks)
{
    static const char silent[] = "the card does not answer";
    uint32_t csd[4];
    const char *why = begin_card(slot);

    if (why != NULL) {
        return why;
    }
    if (!give(slot, SEND_CID, 0) || !give(slot, SEND_ADDRESS, 0)) {
        return silent;
    }
    slot->address = get(slot, RESPONSE) >> ADDRESS_SHIFT << ADDRESS_SHIFT;
    if (!give(slot, SEND_CSD, slot->address)) {
        return silent;
    }
    for (uint32_t i = 0; i < 4; i++) {
        csd[i] = get(slot, RESPONSE + 4 * i);
    }
    why = sd_blocks(csd, blocks);
    if (why != NULL) {
        slot->disk->foreign = true;
        return why;
    }
    if (!set_clock(slot, HZ_AFTERWARDS) || !give(slot, SELECT_CARD, slot->address) ||
        !give(slot, SET_LENGTH, SD_BLOCK) || !give_special(slot, SET_LINES, LINES_4)) {
        return silent;
    }
    register_write8(slot->base + HOST, HOST_4_LINES);
    return NULL;
}

/* From here on the controller writes to memory. */
static void enable_slot(struct slot *slot)
{
    slot->command = pci_command_change(&slot->function,
                                       PCI_DECODE_MEMORY | PCI_BUS_MASTER | PCI_INTX_DISABLE, 0);
}

static void disable_slot(struct slot *slot)
{
    pci_command_restore(&slot->function, slot->command);
}

static bool has_card(struct slot *slot)
{
    slot->capabilities = get(slot, CAPABILITIES);
    if (slot->capabilities == REGISTER_GONE || !reset(slot, RESET_ALL)) {
        return false;
    }
    register_wait32(slot->base + PRESENT, PRESENT_STABLE, PRESENT_STABLE, BEGIN_US);
    return !is_gone(slot);
}

static void find_card(struct slot *slot)
{
    char name[BLOCK_NAME_MAX];

    snprintf(name, sizeof(name), "sd%zu", slot_count);
    slot->disk = block_add(&sdhci_driver, name);
    if (slot->disk == NULL) {
        return;
    }
    slot_count++;
    slot->disk->state = slot;
    slot->disk->block_bytes = SD_BLOCK;
    slot->disk->depth_max = 1;
    slot->disk->blocks_max = BLOCKS_MAX;
    slot->disk->unusable = start_slot(slot);
    if (slot->disk->unusable == NULL) {
        slot->disk->unusable = identify(slot, &slot->disk->blocks);
    }
}

/* The slots of a controller lie behind one BAR each (section C.3.1.1). */
static void find_slots(const struct pci_function *function)
{
    const uint32_t information = pci_read(function, SLOT_INFORMATION);
    const uint32_t first = information & 7;
    const uint32_t count = (information >> 4 & 7) + 1;

    for (uint32_t i = first; i < first + count && i < PCI_BARS && slot_count < SLOTS_MAX; i++) {
        const struct pci_bar bar = pci_bar_read(function, i);
        struct slot *slot = &slots[slot_count];

        if (bar.io || bar.base == 0 || !paging_map_device(bar.base, REGISTERS)) {
            continue;
        }
        *slot = (struct slot){.base = bar.base, .function = *function};
        enable_slot(slot);
        if (has_card(slot)) {
            find_card(slot);
        }
        disable_slot(slot);
    }
}

static void find(void)
{
    struct pci_function function = {0};

    while (pci_find(CLASS_SD, &function)) {
        find_slots(&function);
    }
}

/* ---- reads ---- */

static void enable_causes(const struct slot *slot)
{
    const uint32_t causes =
        TRANSFER_DONE | CARD_REMOVED | ERRORS | (slot->dma ? DMA_BOUNDARY : BUFFER_READY);

    set(slot, STATUS_ENABLE, causes | COMMAND_DONE);
    set(slot, SIGNAL_ENABLE, causes & slot->causes);
}

static void submit(struct block_disk *disk, struct block_request *request)
{
    struct slot *slot = disk->state;
    const uint64_t to = (uintptr_t)request->to;
    const bool dma = (slot->capabilities & CAN_SDMA) != 0 &&
                     to + (uint64_t)request->blocks * SD_BLOCK <= SIZE_4G;
    const bool several = request->blocks > 1;

    if (dma != slot->dma) {
        slot->dma = dma;
        enable_causes(slot);
    }
    slot->request = request;
    slot->left = request->blocks;
    slot->boundary = ((uint32_t)to & ~(BOUNDARY - 1)) + BOUNDARY;
    if (dma) {
        set(slot, SDMA_ADDRESS, (uint32_t)to);
    }
    register_write16(slot->base + BLOCK_SIZE, BOUNDARY_512K | SD_BLOCK);
    register_write16(slot->base + BLOCK_COUNT, (uint16_t)request->blocks);
    set(slot, ARGUMENT, (uint32_t)(slot->by_block ? request->block : request->block * SD_BLOCK));
    register_write16(slot->base + MODE, MODE_READ | (dma ? MODE_DMA : 0) |
                                            (several ? MODE_MULTIPLE | MODE_COUNT | MODE_STOP : 0));
    request->submitted = tsc_read();
    register_write16(slot->base + COMMAND, commands[several ? READ_MULTIPLE : READ_SINGLE]);
}

static void finish(struct slot *slot, enum block_error error, uint32_t status)
{
    struct block_request *request = slot->request;

    slot->request = NULL;
    request->error = error;
    request->status = status;
    block_finish(slot->disk, request);
}

/* Whatever the card and the controller were doing, they wait for a command. */
static bool recover(const struct slot *slot)
{
    const bool good = reset(slot, RESET_COMMAND) && reset(slot, RESET_DATA);

    if (!good || is_gone(slot)) {
        return good;
    }
    give(slot, STOP_READ, 0); /* a card that sends nothing does not answer it */
    reset(slot, RESET_DATA);
    set(slot, STATUS, 0xffffffff);
    return good;
}

static void fail(struct slot *slot, uint32_t status)
{
    if (is_gone(slot)) {
        block_abandon(slot->disk, BLOCK_GONE, not_there);
        return;
    }
    const bool good = recover(slot);

    finish(slot, BLOCK_DEVICE, status & ERRORS);
    if (!good) {
        block_abandon(slot->disk, BLOCK_DEVICE, "the controller does not recover from an error");
    }
}

static void read_blocks(struct slot *slot)
{
    while (slot->left > 0 && (get(slot, PRESENT) & PRESENT_READ) != 0) {
        const uint32_t index = slot->request->blocks - slot->left;
        uint32_t *to = (uint32_t *)slot->request->to + (size_t)index * (SD_BLOCK / 4);

        for (uint32_t i = 0; i < SD_BLOCK / 4; i++) {
            to[i] = get(slot, DATA);
        }
        slot->left--;
    }
}

static void end(struct slot *slot)
{
    const uint32_t answer = get(slot, RESPONSE);
    const uint32_t bad = answer & SD_STATUS_BAD;

    if (bad == 0) {
        finish(slot, BLOCK_GOOD, 0);
    } else {
        finish(slot, (bad & SD_STATUS_MEDIUM) != 0 ? BLOCK_MEDIUM : BLOCK_DEVICE, bad);
    }
}

/* Each turn but the last has cleared a cause that the controller raises once a block, or once a
 * boundary. */
static void poll(struct block_disk *disk)
{
    struct slot *slot = disk->state;
    uint32_t status = get(slot, STATUS);

    for (uint32_t turns = 2 * BLOCKS_MAX; turns > 0 && status != 0; turns--) {
        if (status == REGISTER_GONE) {
            block_abandon(slot->disk, BLOCK_GONE, "its controller is not there any longer");
            return;
        }
        set(slot, STATUS, status);
        if (slot->request == NULL) {
            return;
        }
        if ((status & (ANY_ERROR | CARD_REMOVED)) != 0) {
            fail(slot, status);
            return;
        }
        if ((status & BUFFER_READY) != 0) {
            read_blocks(slot);
        }
        if ((status & TRANSFER_DONE) != 0) {
            end(slot);
            return;
        }
        if ((status & DMA_BOUNDARY) != 0) {
            set(slot, SDMA_ADDRESS, slot->boundary);
            slot->boundary += BOUNDARY;
        }
        status = get(slot, STATUS);
    }
}

/* ---- interrupts ---- */

static bool take(void *argument)
{
    struct slot *slot = argument;
    const uint32_t status = get(slot, STATUS);

    if (status == 0) {
        return false;
    }
    poll(slot->disk);
    return true;
}

/* A command by polling leaves its bit in STATUS: it interrupts once it may. */
static bool provoke(void *argument, bool fresh)
{
    struct slot *slot = argument;

    (void)fresh;
    set(slot, SIGNAL_ENABLE, 0);
    if (!give_only(slot, SEND_STATUS, slot->address)) {
        return false;
    }
    set(slot, SIGNAL_ENABLE, COMMAND_DONE);
    return true;
}

static enum block_interrupt open_interrupt(struct slot *slot)
{
    const struct pci_interrupt_user user = {
        .name = "sdhci",
        .take = take,
        .provoke = provoke,
        .argument = slot,
    };

    return disk_interrupt_open(&slot->interrupt, &slot->function, &user);
}

/* ---- open and close ---- */

static const char *open(struct block_disk *disk, uint32_t depth, bool interrupts)
{
    struct slot *slot = disk->state;

    (void)depth;
    enable_slot(slot);
    if (is_gone(slot)) {
        disable_slot(slot);
        return not_there;
    }
    slot->request = NULL;
    slot->dma = true;
    slot->causes = 0;
    enable_causes(slot);
    disk->interrupt = interrupts ? open_interrupt(slot) : BLOCK_POLLED;
    slot->causes = disk->interrupt != BLOCK_POLLED ? 0xffffffff : 0;
    set(slot, STATUS, 0xffffffff);
    enable_causes(slot);
    return NULL;
}

static void give_up(struct block_disk *disk)
{
    struct slot *slot = disk->state;

    set(slot, SIGNAL_ENABLE, 0);
    if (slot->request != NULL) {
        slot->request = NULL;
        recover(slot);
    }
}

static void close(struct block_disk *disk)
{
    struct slot *slot = disk->state;

    give_up(disk);
    pci_interrupt_close(&slot->interrupt);
    disable_slot(slot);
}

const struct block_driver sdhci_driver = {
    .name = "sdhci",
    .find = find,
    .open = open,
    .close = close,
    .submit = submit,
    .poll = poll,
    .stop = give_up,
};
