/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * An alarm that no code can mask: a timer raises an NMI through an I/O APIC (82093AA data sheet,
 * delivery mode). It ends code that spins with interrupts off.
 *
 * It serves two, each with its own time; the earlier one comes first. The timer must not
 * disturb what is measured until then. It is one of
 *
 *   - a comparator of the HPET (IA-PC HPET specification 1.0a, sections 2.3.8 and 2.3.9): no NMI
 *     before, except one in each 2^32 counts where it has no more bits;
 *   - where none can be routed, the alarm of the real-time clock (rtc.h): up to two seconds late,
 *     and one NMI in 58 s before.
 *
 * The PIT is none: it would need an NMI in every 55 ms, each of which is a gap of a microsecond or
 * more, and so a part of every result on just the machines that have nothing better.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "kernel/cpu/exception.h"
#include "kernel/dev/acpi.h"
#include "kernel/irq/pci_interrupt.h"

enum alarm_user {
    ALARM_THREADS, /* kernel/task/session.c: no thread lets go */
    ALARM_BENCH,   /* kernel/run/limit.c: a bench does not end */
    ALARM_USERS,
};

/* After clock_init(); `acpi` must stay. *how: what there is; where there is no way for it (false),
 * why not. What tables and registers report of a timer's route to the processor is not believed: an
 * NMI has to come, which takes 1 ms with an HPET and 16 ms with the real-time clock, and where none
 * comes 100 ms for each input that was tried. The real-time clock alone may stay unproved, and then
 * *how names it: its alarm may come where its ticks do not. */
bool alarm_open(const struct acpi_facts *acpi, const char **how);
/* The HPET's input that it uses, a bit of 32; 0: none. */
uint32_t alarm_hpet_input(void);
/* Goes over to another input, which is closed and whose NMI arrives: a device has its line there.
 * False: there is none, and the alarm stays. As long as alarm_open() where no NMI comes. */
bool alarm_move(void);

/* Goes off `microseconds` from now, unless it is set anew or stopped before. Without an alarm,
 * nothing. */
void alarm_set(enum alarm_user user, uint64_t microseconds);
void alarm_stop(enum alarm_user user);
void alarm_stop_all(void);

/* What is left is kept, and runs on later; nothing where it is not set, or has been stopped. */
void alarm_pause(enum alarm_user user);
void alarm_resume(enum alarm_user user);

/* The NMI handler's, from alarm_open() on. */
exception_nmi_check alarm_check;
/* Whose time was over at the last alarm_check(). */
enum alarm_user alarm_ended_by(void);

/* The interrupt of a device's PCI function, as kernel/irq/pci_interrupt.h finds it, away from the
 * alarm: with the clock it is known how long to wait for one. Returns how interrupts arrive. Of the
 * user, patience and avoid are set here. Interrupts on. Closed by pci_interrupt_close(). */
enum pci_interrupt_kind device_interrupt_open(struct pci_interrupt *interrupt,
                                              const struct pci_function *function,
                                              const struct pci_interrupt_user *user);
