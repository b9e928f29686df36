/* SPDX-License-Identifier: BSD-2-Clause */
#include "kernel/dev/pci.h"

#include "kernel/cpu/port.h"

#define CONFIG_ADDRESS 0xcf8
#define CONFIG_DATA    0xcfc
#define CONFIG_ENABLE  0x80000000u

/* Offsets in configuration space (PCI 3.0 section 6.1), in 32-bit registers. */
#define ID           0x00
#define CLASS        0x08
#define HEADER       0x0c
#define BAR_0        0x10
#define SUBSYSTEM    0x2c
#define CAPABILITIES 0x34

#define NO_DEVICE 0xffffu /* vendor id that is read if no function answers */
#define DECODE_IO 0x0001u
/* bit in the dword at PCI_COMMAND, whose upper half is the status register: the function has a
 * capability list */
#define STATUS_LIST 0x00100000u
#define STATUS      0xffff0000u /* upper half of that register; bits written as 1 are cleared */
#define HEADER_TYPE 0x007f0000u
#define HEADER_MANY 0x00800000u /* the device has more functions than number 0 */
#define BAR_IO      0x1u
#define BAR_TYPE    0x6u
#define BAR_TYPE_64 0x4u

/* Capabilities lie after the header and have at least 4 bytes each. */
#define CAPABILITY_FIRST 0x40u
#define CAPABILITIES_MAX 48

#define FUNCTIONS  0x10000u
#define PER_DEVICE 8u

static uint32_t config_read(uint32_t place, uint32_t offset)
{
    port_write32(CONFIG_ADDRESS, CONFIG_ENABLE | place << 8 | offset);
    const uint32_t value = port_read32(CONFIG_DATA);

    port_write32(CONFIG_ADDRESS, 0);
    return value;
}

static void config_write(uint32_t place, uint32_t offset, uint32_t value)
{
    port_write32(CONFIG_ADDRESS, CONFIG_ENABLE | place << 8 | offset);
    port_write32(CONFIG_DATA, value);
    port_write32(CONFIG_ADDRESS, 0);
}

/* Returns true if the machine has this mechanism: otherwise the port does not keep its value. */
static bool is_there(void)
{
    port_write32(CONFIG_ADDRESS, CONFIG_ENABLE);
    const bool kept = port_read32(CONFIG_ADDRESS) == CONFIG_ENABLE;

    port_write32(CONFIG_ADDRESS, 0);
    return kept;
}

bool pci_find(uint16_t class_code, struct pci_function *function)
{
    if (function->next == 0 && !is_there()) {
        return false;
    }
    while (function->next < FUNCTIONS) {
        const uint32_t place = function->next;
        const uint32_t id = config_read(place, ID);
        const bool answers = (id & NO_DEVICE) != NO_DEVICE;
        const uint32_t header = answers ? config_read(place, HEADER) : 0;
        const bool alone = place % PER_DEVICE == 0 && (header & HEADER_MANY) == 0;

        function->next += alone ? PER_DEVICE : 1;
        if (!answers || (header & HEADER_TYPE) != 0) {
            continue;
        }
        const uint32_t kind = config_read(place, CLASS);

        if (kind >> 16 == class_code) {
            const uint32_t command = config_read(place, PCI_COMMAND);

            function->id = id;
            function->subsystem = config_read(place, SUBSYSTEM);
            function->place = (uint16_t)place;
            function->interface = (uint8_t)(kind >> 8);
            function->decodes_io = (command & DECODE_IO) != 0;
            function->decodes_memory = (command & PCI_DECODE_MEMORY) != 0;
            return true;
        }
    }
    return false;
}

struct pci_bar pci_bar_read(const struct pci_function *function, unsigned index)
{
    const uint32_t low = config_read(function->place, BAR_0 + 4 * index);
    struct pci_bar bar = {.io = (low & BAR_IO) != 0};

    if (bar.io) {
        bar.base = low & ~3u;
        return bar;
    }
    bar.base = low & ~15u;
    bar.wide = (low & BAR_TYPE) == BAR_TYPE_64 && index + 1 < PCI_BARS;
    if (bar.wide) {
        bar.base |= (uint64_t)config_read(function->place, BAR_0 + 4 * index + 4) << 32;
    }
    return bar;
}

uint32_t pci_read(const struct pci_function *function, unsigned offset)
{
    return config_read(function->place, offset);
}

void pci_write(const struct pci_function *function, unsigned offset, uint32_t value)
{
    config_write(function->place, offset, value);
}

uint16_t pci_command_change(const struct pci_function *function, uint16_t set, uint16_t clear)
{
    const uint32_t command = config_read(function->place, PCI_COMMAND) & ~STATUS;

    config_write(function->place, PCI_COMMAND, (command & ~(uint32_t)clear) | set);
    return (uint16_t)command;
}

void pci_command_restore(const struct pci_function *function, uint16_t command)
{
    config_write(function->place, PCI_COMMAND, command);
}

/* Follows the list of capabilities. The list may be damaged, or all ones if the function has gone,
 * so the offsets and the number of steps are limited. */
static unsigned find_capability(const struct pci_function *function, uint8_t id, uint32_t at)
{
    for (unsigned i = 0; i < CAPABILITIES_MAX && (at & 0xfcu) >= CAPABILITY_FIRST; i++) {
        const uint32_t head = config_read(function->place, at & 0xfcu);

        if ((head & 0xffu) == id) {
            return at & 0xfcu;
        }
        at = head >> 8;
    }
    return 0;
}

unsigned pci_capability(const struct pci_function *function, uint8_t id)
{
    const uint32_t status = config_read(function->place, PCI_COMMAND);

    return status == UINT32_MAX || (status & STATUS_LIST) == 0
               ? 0
               : find_capability(function, id, config_read(function->place, CAPABILITIES));
}

unsigned pci_capability_next(const struct pci_function *function, uint8_t id, unsigned offset)
{
    return find_capability(function, id, config_read(function->place, offset) >> 8);
}
