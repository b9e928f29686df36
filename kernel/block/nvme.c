/* SPDX-License-Identifier: BSD-2-Clause */
/* The driver of NVMe disks. */
#include "kernel/block/drivers.h"

#include <stdio.h>
#include <string.h>

#include "kernel/block/nvme_command.h"
#include "kernel/clock/alarm.h"
#include "kernel/clock/clock.h"
#include "kernel/clock/registers.h"
#include "kernel/cpu/cpu.h"
#include "kernel/dev/pci.h"
#include "kernel/mem/memory.h"
#include "kernel/mem/paging.h"

#define PCI_CLASS     0x0108
#define PCI_INTERFACE 0x02

/* Offsets of registers (section 3.1). */
#define CAPABILITIES      0x00
#define CAPABILITIES_HIGH 0x04
#define VERSION           0x08
#define CONFIGURATION     0x14
#define STATUS            0x1c
#define ADMIN_ENTRIES     0x24
#define ADMIN_SUBMISSION  0x28
#define ADMIN_COMPLETION  0x30
#define DOORBELLS         0x1000
#define REGISTER_BYTES    0x2000

#define CAPABILITY_ENTRIES   0xffffu     /* entries of a queue, minus one */
#define CAPABILITY_TIME(c)   ((c) >> 24) /* time to become ready, in units of 500 ms */
#define HIGH_STRIDE          0xfu
#define HIGH_NVM             0x20u    /* it has the command set that reads blocks */
#define HIGH_PAGE_MIN        0xf0000u /* nonzero: its smallest page is larger than 4 KiB */
#define VERSION_1_1          0x00010100u
#define CONFIGURATION_ON     0x00460001u /* entries of 64 and 16 bytes, pages of 4 KiB, enabled */
#define CONFIGURATION_ENABLE 0x1u
#define STATUS_READY         0x1u
#define STATUS_FATAL         0x2u

#define CONTROLLERS_MAX 8
#define IDS_MAX         BLOCK_DISKS_MAX
#define DEPTH_MAX       64
#define ENTRIES_MIN     2u
#define ENTRIES_MAX     128u /* of the queue for reads, of which one always stays empty */
#define ADMIN_SIZE      16u  /* of the administration queue */
#define ADMIN_ID        0xadu

#define READY_MS_STEP 500
#define READY_MS_MAX  10000 /* longest wait, whatever the controller asks for */
#define LOOK_MS       10    /* a controller that is silent is checked at this interval */

struct queue {
    struct nvme_command *commands;
    volatile uint32_t *done; /* completions, of NVME_DONE_WORDS words each */
    uint32_t entries;
    uint32_t tail; /* next free entry of `commands` */
    uint32_t head; /* next entry of `done` to look at */
    uint32_t phase;
    uint64_t tail_bell; /* addresses of the doorbell registers */
    uint64_t head_bell;
};

struct controller {
    uint64_t registers;
    uint8_t *page;           /* the answer to identify */
    uint64_t *lists;         /* lists of pages, NVME_LIST_ENTRIES for each slot */
    uint64_t free;           /* bit n: slot n is free */
    uint64_t look_at;        /* TSC of the next check whether it is still there */
    struct block_disk *user; /* the disk that is open; NULL: none */
    struct queue admin;
    struct queue reads;
    struct pci_interrupt interrupt;
    struct block_request *slot[DEPTH_MAX];
    uint32_t ready_ms;
    volatile uint32_t admin_word; /* last word of the last administration completion */
    struct pci_function function;
    uint16_t command; /* PCI command register, as firmware left it */
    volatile bool admin_done;
    char name[BLOCK_NAME_MAX];
};

struct name_space {
    struct controller *controller;
    uint32_t id;
};

static struct controller controllers[CONTROLLERS_MAX];
static size_t controller_count;
static struct name_space name_spaces[BLOCK_DISKS_MAX];
static size_t name_space_count;

static const char no_memory[] = "no free memory for its queues";
static const char gone[] = "its registers do not answer";
static const char fatal[] = "the controller reports a fatal failure";
static const char silent[] = "the controller did not answer a command in time";
static const char refused[] = "the controller rejected a start-up command";
static const char not_ready[] = "the controller did not become ready";

/* ---- registers ---- */

static uint32_t get(const struct controller *c, uint32_t offset)
{
    return register_read32(c->registers + offset);
}

static void put(const struct controller *c, uint32_t offset, uint32_t value)
{
    register_write32(c->registers + offset, value);
}

static void put_address(const struct controller *c, uint32_t offset, const volatile void *memory)
{
    const uint64_t address = (uint64_t)(uintptr_t)memory;

    put(c, offset, (uint32_t)address);
    put(c, offset + 4, (uint32_t)(address >> 32));
}

/* Waits until the ready bit has the given value. Returns NULL on success, otherwise the reason. */
static const char *wait_ready(const struct controller *c, uint32_t ready)
{
    struct tsc_wait wait = tsc_wait_begin(clock_ticks_from_us(c->ready_ms * 1000ull));

    do {
        const uint32_t status = get(c, STATUS);

        if (status == REGISTER_GONE) {
            return gone;
        }
        if ((status & STATUS_READY) == ready) {
            return NULL;
        }
        if (ready != 0 && (status & STATUS_FATAL) != 0) {
            return fatal;
        }
        cpu_pause();
    } while (!tsc_wait_over(&wait));
    return not_ready;
}

/* Disables the controller, which drops all its commands. Returns NULL on success, otherwise the
 * reason. */
static const char *disable(const struct controller *c)
{
    put(c, CONFIGURATION, get(c, CONFIGURATION) & ~CONFIGURATION_ENABLE);
    return wait_ready(c, 0);
}

/* ---- queues ---- */

static void clear(struct queue *queue)
{
    memset(queue->commands, 0, queue->entries * sizeof(struct nvme_command));
    memset((void *)(uintptr_t)queue->done, 0, queue->entries * NVME_DONE_WORDS * sizeof(uint32_t));
    queue->tail = 0;
    queue->head = 0;
    queue->phase = 1;
}

static bool create(struct controller *c, struct queue *queue, uint32_t number, uint32_t entries)
{
    const uint32_t stride = 4u << (get(c, CAPABILITIES_HIGH) & HIGH_STRIDE);
    const uint64_t bells = c->registers + DOORBELLS + 2ull * number * stride;

    queue->commands = memory_allocate(entries * sizeof(struct nvme_command), NVME_PAGE);
    queue->done = memory_allocate(entries * NVME_DONE_WORDS * sizeof(uint32_t), NVME_PAGE);
    queue->entries = entries;
    queue->tail_bell = bells;
    queue->head_bell = bells + stride;
    return queue->commands != NULL && queue->done != NULL;
}

static void ring(struct queue *queue, uint16_t id)
{
    queue->commands[queue->tail].word[0] |= (uint32_t)id << 16;
    queue->tail = queue->tail + 1 < queue->entries ? queue->tail + 1 : 0;
    register_write32(queue->tail_bell, queue->tail);
}

/* Takes the next completion and returns its last word. The phase bit is in that word, so one read
 * decides whether the entry is new. */
static bool next_done(struct queue *queue, uint32_t *word)
{
    const uint32_t last = queue->done[queue->head * NVME_DONE_WORDS + NVME_DONE_WORDS - 1];

    if ((last >> 16 & 1) != queue->phase) {
        return false;
    }
    *word = last;
    if (++queue->head == queue->entries) {
        queue->head = 0;
        queue->phase ^= 1;
    }
    return true;
}

/* ---- administration ---- */

static bool poll_admin(struct controller *c)
{
    bool any = false;
    uint32_t word;

    while (next_done(&c->admin, &word)) {
        c->admin_word = word;
        c->admin_done = true;
        any = true;
    }
    if (any) {
        register_write32(c->admin.head_bell, c->admin.head);
    }
    return any;
}

static void begin_admin(struct controller *c, const struct nvme_command *command)
{
    c->admin_done = false;
    c->admin.commands[c->admin.tail] = *command;
    ring(&c->admin, ADMIN_ID);
}

/* Runs one administration command by polling. Returns NULL on success, otherwise what went wrong.
 * Call with interrupts off. */
static const char *run_admin(struct controller *c, const struct nvme_command *command)
{
    struct tsc_wait wait = tsc_wait_begin(clock_ticks_from_us(BLOCK_LIMIT_MS * 1000ull));
    uint32_t code;

    begin_admin(c, command);
    while (!c->admin_done) {
        poll_admin(c);
        if (!c->admin_done && tsc_wait_over(&wait)) {
            return get(c, STATUS) == REGISTER_GONE ? gone : silent;
        }
        cpu_pause();
    }
    return nvme_read_status(c->admin_word, &code) == BLOCK_GOOD ? NULL : refused;
}

static const char *identify(struct controller *c, enum nvme_identify what, uint32_t namespace)
{
    struct nvme_command command;

    memset(c->page, 0, NVME_PAGE);
    nvme_make_identify(&command, what, namespace, (uint64_t)(uintptr_t)c->page);
    return run_admin(c, &command);
}

/* Resets the controller from any state and starts the administration queue. */
static const char *start(struct controller *c)
{
    const char *why = disable(c);

    if (why != NULL) {
        return why;
    }
    clear(&c->admin);
    put(c, ADMIN_ENTRIES, (c->admin.entries - 1) << 16 | (c->admin.entries - 1));
    put_address(c, ADMIN_SUBMISSION, c->admin.commands);
    put_address(c, ADMIN_COMPLETION, c->admin.done);
    put(c, CONFIGURATION, CONFIGURATION_ON);
    return wait_ready(c, STATUS_READY);
}

static void enable_function(struct controller *c)
{
    c->command =
        pci_command_change(&c->function, PCI_DECODE_MEMORY | PCI_BUS_MASTER | PCI_INTX_DISABLE, 0);
}

/* Disables the controller. If that fails it may still write to memory, so it stays off the bus. */
static void release_function(struct controller *c)
{
    if (disable(c) == NULL) {
        pci_command_restore(&c->function, c->command);
    } else {
        pci_command_change(&c->function, 0, PCI_BUS_MASTER);
    }
}

/* ---- finding disks ---- */

static const char *map_registers(struct controller *c)
{
    const struct pci_bar bar = pci_bar_read(&c->function, 0);

    c->registers = bar.base;
    if (bar.io || bar.base == 0) {
        return "firmware assigned no address to its registers";
    }
    if (!paging_map_device(bar.base, REGISTER_BYTES)) {
        return "no free memory for page tables";
    }
    const uint32_t high = get(c, CAPABILITIES_HIGH);

    if (get(c, CAPABILITIES) == REGISTER_GONE) {
        return gone;
    }
    if ((high & HIGH_NVM) == 0 || (high & HIGH_PAGE_MIN) != 0) {
        return "it lacks the NVM command set or pages of 4 KiB";
    }
    return paging_map_device(bar.base,
                             DOORBELLS + (4ull * sizeof(uint32_t) << (high & HIGH_STRIDE)))
               ? NULL
               : "no free memory for page tables";
}

/* Maps the registers and allocates the queues. Called once for each controller. */
static const char *prepare(struct controller *c)
{
    const char *why = map_registers(c);

    if (why != NULL) {
        return why;
    }
    const uint32_t capabilities = get(c, CAPABILITIES);
    const uint32_t entries = (capabilities & CAPABILITY_ENTRIES) + 1;
    const uint32_t ready_ms = (CAPABILITY_TIME(capabilities) + 1) * READY_MS_STEP;

    if (entries < ENTRIES_MIN) {
        return "its queues are too short";
    }
    c->ready_ms = ready_ms < READY_MS_MAX ? ready_ms : READY_MS_MAX;
    c->page = memory_allocate(NVME_PAGE, NVME_PAGE);
    return c->page != NULL &&
                   create(c, &c->admin, 0, entries < ADMIN_SIZE ? entries : ADMIN_SIZE) &&
                   create(c, &c->reads, 1, entries < ENTRIES_MAX ? entries : ENTRIES_MAX)
               ? NULL
               : no_memory;
}

static void add_unusable(const struct controller *c, const char *why)
{
    struct block_disk *disk = block_add(&nvme_driver, c->name);

    if (disk != NULL) {
        disk->unusable = why;
    }
}

static void add_namespace(struct controller *c, uint32_t id, uint64_t bytes_max)
{
    struct nvme_namespace_facts facts;
    const char *why = identify(c, NVME_NAMESPACE, id);

    nvme_read_namespace(c->page, &facts);
    if ((why == NULL && facts.blocks == 0) || name_space_count == BLOCK_DISKS_MAX) {
        return;
    }
    char name[BLOCK_NAME_MAX];

    snprintf(name, sizeof(name), "%sn%u", c->name, (unsigned)id);
    struct block_disk *disk = block_add(&nvme_driver, name);

    if (disk == NULL) {
        return;
    }
    struct name_space *space = &name_spaces[name_space_count++];

    *space = (struct name_space){c, id};
    disk->state = space;
    disk->unusable = why != NULL ? why : facts.unusable;
    if (disk->unusable == NULL) {
        disk->blocks = facts.blocks;
        disk->block_bytes = facts.block_bytes;
        disk->depth_max = c->reads.entries - 1 < DEPTH_MAX ? c->reads.entries - 1 : DEPTH_MAX;
        disk->blocks_max = (uint32_t)(bytes_max / facts.block_bytes);
    }
}

/* Lists the ids of the namespaces. Controllers without a list of them get the ids from 1 on. */
static size_t list_ids(struct controller *c, uint32_t highest, uint32_t ids[IDS_MAX])
{
    size_t count = 0;

    if (get(c, VERSION) >= VERSION_1_1 && identify(c, NVME_NAMESPACES, 0) == NULL) {
        return nvme_read_ids(c->page, ids, IDS_MAX);
    }
    while (count < IDS_MAX && count < highest) {
        ids[count] = (uint32_t)count + 1;
        count++;
    }
    return count;
}

static const char *find_namespaces(struct controller *c)
{
    struct nvme_controller_facts facts;
    uint32_t ids[IDS_MAX];
    const char *why = prepare(c);

    why = why == NULL ? start(c) : why;
    why = why == NULL ? identify(c, NVME_CONTROLLER, 0) : why;
    if (why != NULL) {
        return why;
    }
    nvme_read_controller(c->page, &facts);
    if (facts.unusable != NULL) {
        return facts.unusable;
    }
    const size_t count = list_ids(c, facts.namespaces, ids);

    for (size_t i = 0; i < count; i++) {
        add_namespace(c, ids[i], facts.bytes_max);
    }
    return NULL;
}

static void find(void)
{
    struct pci_function function = {0};

    while (pci_find(PCI_CLASS, &function)) {
        if (function.interface != PCI_INTERFACE || controller_count == CONTROLLERS_MAX) {
            continue;
        }
        struct controller *c = &controllers[controller_count];

        c->function = function;
        snprintf(c->name, sizeof(c->name), "nvme%u", (unsigned)controller_count);
        controller_count++;
        enable_function(c);
        const char *why = find_namespaces(c);

        if (why != NULL) {
            add_unusable(c, why);
        }
        if (c->reads.done != NULL) {
            release_function(c);
        } else {
            pci_command_restore(&c->function, c->command);
        }
    }
}

/* ---- reads ---- */

static struct controller *controller_of(const struct block_disk *disk)
{
    return ((const struct name_space *)disk->state)->controller;
}

/* Takes the controller off the bus, so that it cannot write to memory even if it ignores being
 * disabled. */
static void stop(struct block_disk *disk)
{
    struct controller *c = controller_of(disk);

    pci_command_change(&c->function, 0, PCI_BUS_MASTER);
    put(c, CONFIGURATION, 0);
    memset(c->slot, 0, sizeof(c->slot));
}

static bool finish(struct block_disk *disk, uint32_t word)
{
    struct controller *c = controller_of(disk);
    const uint32_t slot = word & 0xffff;

    if (slot >= DEPTH_MAX || c->slot[slot] == NULL) {
        return false;
    }
    struct block_request *request = c->slot[slot];

    request->error = nvme_read_status(word, &request->status);
    c->slot[slot] = NULL;
    c->free |= 1ull << slot;
    block_finish(disk, request);
    return true;
}

/* Checks, every LOOK_MS, whether the controller has gone or failed. Otherwise its requests would
 * fail only at their time limit. */
static void look(struct block_disk *disk)
{
    struct controller *c = controller_of(disk);
    const uint64_t now = tsc_read();

    if (disk->first == NULL || now < c->look_at) {
        return;
    }
    c->look_at = now + clock_ticks_from_us(LOOK_MS * 1000);
    const uint32_t status = get(c, STATUS);

    if (status == REGISTER_GONE) {
        block_abandon(disk, BLOCK_GONE, gone);
    } else if ((status & STATUS_FATAL) != 0) {
        block_abandon(disk, BLOCK_DEVICE, fatal);
    }
}

static bool poll_reads(struct block_disk *disk)
{
    struct controller *c = controller_of(disk);
    bool any = false;
    bool good = true;
    uint32_t word;

    while (good && next_done(&c->reads, &word)) {
        good = finish(disk, word);
        any = true;
    }
    if (!good) {
        block_abandon(disk, BLOCK_DEVICE,
                      "the controller completed a command that it was not given");
    } else if (any) {
        register_write32(c->reads.head_bell, c->reads.head);
    }
    return any;
}

static void poll(struct block_disk *disk)
{
    if (!poll_reads(disk)) {
        look(disk);
    }
}

static void submit(struct block_disk *disk, struct block_request *request)
{
    const struct name_space *space = disk->state;
    struct controller *c = space->controller;
    const uint32_t slot = (uint32_t)__builtin_ctzll(c->free);

    c->free &= c->free - 1;
    c->slot[slot] = request;
    request->slot = slot;
    nvme_make_read(&c->reads.commands[c->reads.tail], space->id, request->block, request->blocks,
                   (uint64_t)(uintptr_t)request->to, (uint64_t)request->blocks * disk->block_bytes,
                   &c->lists[slot * NVME_LIST_ENTRIES]);
    ring(&c->reads, (uint16_t)slot);
}

/* ---- interrupts ---- */

static bool take(void *controller)
{
    struct controller *c = controller;
    const bool admin = poll_admin(c);

    return (c->user != NULL && poll_reads(c->user)) || admin;
}

static bool provoke(void *controller, bool fresh)
{
    struct controller *c = controller;
    struct nvme_command command;

    poll_admin(c);
    if (fresh && start(c) != NULL) {
        return false;
    }
    nvme_make_identify(&command, NVME_CONTROLLER, 0, (uint64_t)(uintptr_t)c->page);
    begin_admin(c, &command);
    return true;
}

static enum device_interrupt open_interrupt(struct controller *c)
{
    const struct pci_interrupt_user user = {
        .name = c->name,
        .take = take,
        .provoke = provoke,
        .argument = c,
    };

    return device_interrupt_open(&c->interrupt, &c->function, &user);
}

/* ---- opening ---- */

/* Creates the two queues for reads. Returns NULL on success, otherwise the reason. */
static const char *create_queues(struct controller *c, bool interrupts)
{
    struct nvme_command command;

    clear(&c->reads);
    nvme_make_queue_count(&command);
    const char *why = run_admin(c, &command);

    if (why == NULL) {
        nvme_make_completion_queue(&command, c->reads.entries, (uint64_t)(uintptr_t)c->reads.done,
                                   interrupts);
        why = run_admin(c, &command);
    }
    if (why == NULL) {
        nvme_make_submission_queue(&command, c->reads.entries,
                                   (uint64_t)(uintptr_t)c->reads.commands);
        why = run_admin(c, &command);
    }
    return why;
}

static const char *begin(struct block_disk *disk, uint32_t depth, bool interrupts)
{
    struct controller *c = controller_of(disk);

    if (c->lists == NULL) {
        c->lists = memory_allocate(DEPTH_MAX * NVME_LIST_ENTRIES * sizeof(uint64_t), NVME_PAGE);
    }
    if (c->lists == NULL) {
        return no_memory;
    }
    disk->interrupt = interrupts ? open_interrupt(c) : INTERRUPT_POLLED;
    const uint64_t flags = interrupts_save();
    const char *why = start(c);

    why = why == NULL ? create_queues(c, disk->interrupt != INTERRUPT_POLLED) : why;
    memset(c->slot, 0, sizeof(c->slot));
    c->free = depth < DEPTH_MAX ? (1ull << depth) - 1 : UINT64_MAX;
    c->look_at = 0;
    c->user = why == NULL ? disk : NULL;
    interrupts_restore(flags);
    return why;
}

static void close_disk(struct block_disk *disk)
{
    struct controller *c = controller_of(disk);
    const uint64_t flags = interrupts_save();

    pci_interrupt_close(&c->interrupt);
    release_function(c);
    c->user = NULL;
    interrupts_restore(flags);
}

static const char *open_disk(struct block_disk *disk, uint32_t depth, bool interrupts)
{
    struct controller *c = controller_of(disk);

    if (c->user != NULL) {
        return "another namespace of its controller is in use";
    }
    enable_function(c);
    const char *why = begin(disk, depth, interrupts);

    if (why != NULL) {
        close_disk(disk);
    }
    return why;
}

const struct block_driver nvme_driver = {
    .name = "nvme",
    .find = find,
    .open = open_disk,
    .close = close_disk,
    .submit = submit,
    .poll = poll,
    .stop = stop,
};
