/* SPDX-License-Identifier: BSD-2-Clause */
/* The way in of a station's interrupts. */
#include "kernel/cpu/assembly.inc"

    .section .text.start, "ax"

    interrupt_entry other_station_entry, other_station

    .section .note.GNU-stack, "", @progbits
