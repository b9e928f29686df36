/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * PCI configuration space by ports CF8h and CFCh (PCI Local Bus 3.0 section 3.2.2.3.2): the first
 * 256 bytes of every function of segment 0. Finding devices needs no more; the memory-mapped access
 * of PCI Express (MCFG) would add nothing.
 *
 * The search only reads: it neither moves nor sizes anything. A driver restores what it changed in
 * a function when it has finished with it.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

struct pci_function {
    uint32_t id;         /* vendor in the lower half, device in the upper half */
    uint32_t subsystem;  /* the board maker's ids, in the same form; 0: not given */
    uint16_t place;      /* bus in bits 15-8, device in bits 7-3, function in bits 2-0 */
    uint8_t interface;   /* programming interface of its class */
    bool decodes_io;     /* it answers at its I/O ports */
    bool decodes_memory; /* it answers in its memory */
    uint32_t next;       /* where the search continues */
};

/* Finds the next function of a class, on any bus, with a header of type 0. `class_code` has the
 * class in bits 15-8 and the subclass in bits 7-0. Begins with a zeroed *function. Returns false if
 * there are no more. */
bool pci_find(uint16_t class_code, struct pci_function *function);

#define PCI_BARS 6

struct pci_bar {
    uint64_t base; /* 0: there is none */
    bool io;
    bool wide; /* it takes the next register as well */
};

/* Reads a base address register as firmware left it. `index` is below PCI_BARS. */
struct pci_bar pci_bar_read(const struct pci_function *function, unsigned index);

/* Access the configuration registers of the function. `offset` is a multiple of 4, below 256. */
uint32_t pci_read(const struct pci_function *function, unsigned offset);
void pci_write(const struct pci_function *function, unsigned offset, uint32_t value);

/* Bits of the command register (PCI 3.0 section 6.2.2). */
#define PCI_COMMAND       0x04
#define PCI_DECODE_MEMORY 0x0002u
#define PCI_BUS_MASTER    0x0004u /* it may read and write memory by itself, and send MSIs */
/* Disables the interrupt pin. A driver that does not use the pin sets this, because the line may be
 * shared. */
#define PCI_INTX_DISABLE 0x0400u

/* Sets the bits `set` of the command register and clears the bits `clear`. Returns the register's
 * old value, for pci_command_restore(). */
uint16_t pci_command_change(const struct pci_function *function, uint16_t set, uint16_t clear);
void pci_command_restore(const struct pci_function *function, uint16_t command);

#define PCI_CAPABILITY_MSI    0x05
#define PCI_CAPABILITY_VENDOR 0x09
#define PCI_CAPABILITY_MSIX   0x11

/* Returns the offset of the function's first capability with that id (section 6.7), or 0 if it has
 * none. */
unsigned pci_capability(const struct pci_function *function, uint8_t id);
/* Returns the offset of the next one after the capability at `offset`, or 0. */
unsigned pci_capability_next(const struct pci_function *function, uint8_t id, unsigned offset);

#define PCI_INTERRUPT_LINE 0x3c /* bits 7-0: line set by firmware; bits 15-8: pin, 0 if none */
