/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * PCI configuration space by ports CF8h and CFCh (PCI Local Bus 3.0 section 3.2.2.3.2): the first
 * 256 bytes of every function of segment 0. That is all that a search for a device needs; the
 * memory-mapped access of PCI Express (MCFG) would add nothing.
 *
 * Reads only: nothing is enabled, moved or sized, so that there is nothing to restore.
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
    bool decodes_memory; /* and in its memory */
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
