/* SPDX-License-Identifier: BSD-2-Clause */
/* How the interrupts of a device arrive. Pure: compiled for the image and for the host. */
#pragma once

enum device_interrupt {
    INTERRUPT_POLLED, /* no interrupt arrives: the device is polled */
    INTERRUPT_INTX,
    INTERRUPT_MSI,
    INTERRUPT_MSIX,
    INTERRUPT_TIMER, /* simulated link or modelled disk: the timer of the local APIC */
};

const char *device_interrupt_name(enum device_interrupt interrupt);
