/* SPDX-License-Identifier: BSD-2-Clause */
#include "tools/tests/machine/disk_guest.h"

#include <stdlib.h>

#include "kernel/clock/clock.h"
#include "kernel/plan/handoff.h"
#include "tools/tests/support/unit.h"

#define MEMORY     (4ull << 20)
#define PAGE       4096
#define CALL_TICKS 100000000ull
#define POLLS_MAX  100000

#define CONFIG_ADDRESS 0xcf8
#define CONFIG_DATA    0xcfc
#define CONFIG_WORDS   64
#define WORD_COMMAND   1

static struct machine *guest;
static struct {
    uint16_t place;
    uint32_t *config;
    disk_guest_config_write *write;
    uint32_t address; /* that the image wrote */
} pci;

uint64_t disk_guest_call_at(uint64_t address, size_t count, const uint64_t *arguments)
{
    guest->limit = machine_tsc(guest) + CALL_TICKS;
    const uint64_t result = machine_call(guest, address, count, arguments);

    CHECK_TEXT(guest->failure, "");
    return result;
}

uint64_t disk_guest_call(const char *function, size_t count, const uint64_t *arguments)
{
    return disk_guest_call_at(image_elf_symbol(&guest->image, function), count, arguments);
}

void disk_guest_open(struct machine *machine, const char *image_path, uint64_t tsc_hz)
{
    guest = machine;
    machine_open(machine, image_path, MACHINE_P6);
    machine_load_descriptors(machine);
    const uint64_t address = machine_allocate(machine, sizeof(struct handoff));
    struct handoff *handoff = machine_memory(machine, address, sizeof(*handoff));
    const uint64_t memory = (machine_allocate(machine, MEMORY) + PAGE - 1) / PAGE * PAGE;

    handoff->range_count = 1;
    handoff->ranges[0] = (struct memory_range){memory, MEMORY / PAGE - 1, MEMORY_FREE};
    disk_guest_call("memory_init", 1, &address);
    struct clock_state *clock =
        machine_memory(machine, disk_guest_call("clock_state", 0, NULL), sizeof(*clock));

    clock->verdict.hz = tsc_hz;
}

/* ---- configuration space ---- */

static bool is_here(void)
{
    return (pci.address >> 8 & 0xffff) == pci.place;
}

static uint32_t read_port(void *context, uint16_t port, unsigned bytes)
{
    (void)context;
    (void)bytes;
    if (port == CONFIG_ADDRESS) {
        return pci.address;
    }
    return port == CONFIG_DATA && is_here() ? pci.config[pci.address / 4 % CONFIG_WORDS]
                                            : UINT32_MAX;
}

static void write_command(unsigned word, uint32_t value)
{
    CHECK_EQUAL(word, WORD_COMMAND);
    pci.config[word] = (pci.config[word] & 0xffff0000) | (uint16_t)value;
}

static void write_port(void *context, uint16_t port, unsigned bytes, uint32_t value)
{
    (void)context;
    (void)bytes;
    if (port == CONFIG_ADDRESS) {
        pci.address = value;
    } else if (port == CONFIG_DATA) {
        CHECK(is_here());
        pci.write(pci.address / 4 % CONFIG_WORDS, value);
    }
}

void disk_guest_plug(uint16_t place, uint32_t *config, disk_guest_config_write *write)
{
    pci.place = place;
    pci.config = config;
    pci.write = write != NULL ? write : write_command;
    guest->devices.port_read = read_port;
    guest->devices.port_write = write_port;
}

/* ---- disks ---- */

void disk_guest_find(const char *driver)
{
    const struct block_driver *found =
        machine_memory(guest, image_elf_symbol(&guest->image, driver), sizeof(struct block_driver));

    disk_guest_call_at((uint64_t)(uintptr_t)found->find, 0, NULL);
}

struct block_disk *disk_guest_disk(uint64_t index, uint64_t *address)
{
    *address = disk_guest_call("block_disk_at", 1, &index);
    CHECK(*address != 0);
    if (*address == 0) {
        exit(1);
    }
    struct block_disk *disk = machine_memory(guest, *address, sizeof(*disk));

    disk->allowed = disk->blocks;
    return disk;
}

void disk_guest_open_disk(uint64_t disk, uint64_t depth)
{
    const uint64_t arguments[] = {disk, depth, false};

    CHECK_EQUAL(disk_guest_call("block_open", 3, arguments), 0);
}

struct block_request *disk_guest_submit(uint64_t disk, uint64_t block, uint32_t blocks)
{
    const uint32_t bytes =
        blocks *
        ((struct block_disk *)machine_memory(guest, disk, sizeof(struct block_disk)))->block_bytes;
    const uint64_t at = machine_allocate(guest, sizeof(struct block_request));
    const uint64_t memory = machine_allocate(guest, bytes + BLOCK_ALIGN);
    struct block_request *request = machine_memory(guest, at, sizeof(*request));
    const uint64_t arguments[] = {disk, at};

    request->block = block;
    request->blocks = blocks;
    request->to = (void *)(uintptr_t)((memory + BLOCK_ALIGN - 1) / BLOCK_ALIGN * BLOCK_ALIGN);
    CHECK_EQUAL(disk_guest_call("block_submit", 2, arguments) & 0xff, 1);
    return request;
}

void disk_guest_finish(uint64_t disk, const struct block_request *request)
{
    for (unsigned i = 0; i < POLLS_MAX && !request->finished; i++) {
        disk_guest_call("block_poll", 1, &disk);
    }
    CHECK(request->finished);
}

const char *disk_guest_text(const char *text)
{
    return text != NULL ? machine_memory(guest, (uint64_t)(uintptr_t)text, 1) : NULL;
}
