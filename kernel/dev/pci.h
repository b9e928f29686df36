/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * PCI configuration space by ports CF8h and CFCh (PCI Local Bus 3.0 section 3.2.2.3.2): the first
 * 256 bytes of every function of segment 0. That is all that a search for a device needs; the
 * memory-mapped access of PCI Express (MCFG) would add nothing.
 *
 * The search reads only: nothing is moved or sized. What a driver sets in a function, it puts back
 * when it is done with it.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

struct pci_function {
    uint32_t id;         /* of the vendor in the lower half, of the device in the upper one */
    uint32_t subsystem;  /* the same of who made the board; 0: not given */
    uint16_t place;      /* bus, device, function: bits 15-8, 7-3, 2-0 */
    uint8_t interface;   /* programming interface of the class */
    bool decodes_io;     /* the function answers at its I/O ports */
    bool decodes_memory; /* the function answers in its memory */
    uint32_t next;       /* where the search goes on */
};

/* The next function of that class (class and subclass: bits 15-8 and 7-0) with a header of type 0,
 * on whatever bus; a zeroed one begins. False: there are no more. */
bool pci_find(uint16_t class_code, struct pci_function *function);

#define PCI_BARS 6

struct pci_bar {
    uint64_t base; /* 0: none */
    bool io;
    bool wide; /* takes the next one as well */
};

/* A base address register as firmware left it; `index` below PCI_BARS. */
struct pci_bar pci_bar_read(const struct pci_function *function, unsigned index);

/* Registers of the function; `offset` is a multiple of 4, below 256. */
uint32_t pci_read(const struct pci_function *function, unsigned offset);
void pci_write(const struct pci_function *function, unsigned offset, uint32_t value);

/* Bits of the command register (PCI 3.0 section 6.2.2). */
#define PCI_COMMAND       0x04
#define PCI_DECODE_MEMORY 0x0002u
#define PCI_BUS_MASTER    0x0004u /* it may read and write memory itself, and send messages */
/* Its pin is quiet. A driver that does not use the pin sets this: the line may be somebody else's.
 */
#define PCI_INTX_DISABLE 0x0400u

/* Sets the bits `set` of the command register, clears the bits `clear`, and returns the register as
 * it was, for pci_command_restore(). */
uint16_t pci_command_change(const struct pci_function *function, uint16_t set, uint16_t clear);
void pci_command_restore(const struct pci_function *function, uint16_t command);

#define PCI_CAPABILITY_MSI    0x05
#define PCI_CAPABILITY_VENDOR 0x09
#define PCI_CAPABILITY_MSIX   0x11

/* Offset of the function's first capability with that id (section 6.7); 0: it has none. */
unsigned pci_capability(const struct pci_function *function, uint8_t id);
/* The next one behind the capability at `offset`. */
unsigned pci_capability_next(const struct pci_function *function, uint8_t id, unsigned offset);

#define PCI_INTERRUPT_LINE 0x3c /* bits 7-0: as firmware routed it; 15-8: the pin, 0: none */
