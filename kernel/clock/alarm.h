/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * An alarm that no code can mask: a timer raises an NMI through an I/O APIC (82093AA data sheet,
 * delivery mode). It ends code that spins with interrupts off.
 *
 * It has two users, each with its own time; the earlier time comes first. Until then the timer must
 * not disturb what is measured. It is one of:
 *
 *     - a comparator of the HPET (IA-PC HPET specification 1.0a, sections 2.3.8 and 2.3.9): no NMI
 *       before the alarm, except one in each 2^32 counts if it has only 32 bits;
 *     - if no comparator can be routed, the alarm of the real-time clock (rtc.h): up to two seconds
 *       late, and one NMI in each 58 s before the alarm.
 *
 * The PIT is not used: it would need an NMI every 55 ms. Each is a gap of a microsecond or more,
 * and would be part of every result on exactly those machines that have nothing better.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "kernel/cpu/exception.h"
#include "kernel/dev/acpi.h"
#include "kernel/irq/pci_interrupt.h"

enum alarm_user {
    ALARM_THREADS, /* kernel/task/session.c: no thread gives up the processor */
    ALARM_BENCH,   /* kernel/run/limit.c: a bench does not end */
    ALARM_USERS,
};

/* Opens the alarm; call after clock_init(). Keeps the pointer `acpi`. If it returns true, *how
 * describes the alarm; if it returns false, *how states why there is no alarm. The function does
 * not trust what tables and registers say about a timer's route to the processor: an NMI must
 * actually arrive. This takes 1 ms with an HPET and 16 ms with the real-time clock. If no NMI
 * arrives, it takes 100 ms for each input that was tried. Unlike the HPET, the real-time clock is
 * used even if its NMI was not seen, because its alarm may arrive although its ticks do not; *how
 * then says so. */
bool alarm_open(const struct acpi_facts *acpi, const char **how);
/* Returns the I/O APIC input of the HPET's comparator as one bit of 32; 0: none. */
uint32_t alarm_hpet_input(void);
/* Moves the alarm to another input, which must be closed and whose NMI must arrive, because a
 * device uses the current one. Returns false, and leaves the alarm as it is, if there is none.
 * Takes as long as alarm_open() if no NMI arrives. */
bool alarm_move(void);

/* Sets the alarm to `microseconds` from now, unless it is set again or stopped before. Does nothing
 * if there is no alarm. */
void alarm_set(enum alarm_user user, uint64_t microseconds);
void alarm_stop(enum alarm_user user);

/* Pausing keeps the time that is left; resuming continues with it. They do nothing if the alarm is
 * not set, or was stopped. alarm_stop_all() stops all that are set; one that is paused can be
 * resumed afterwards. */
void alarm_stop_all(void);
void alarm_pause(enum alarm_user user);
void alarm_resume(enum alarm_user user);

/* The NMI handler's check, installed by alarm_open(). */
exception_nmi_check alarm_check;
/* Returns the user whose time limit the last alarm_check() enforced by ending the running code. */
enum alarm_user alarm_ended_by(void);

/* Opens the interrupt of a device's PCI function (kernel/irq/pci_interrupt.h), without using the
 * alarm's input. With the clock it is known how long to wait for an interrupt. Sets patience and
 * avoid of the user. Returns how interrupts arrive. Call with interrupts on. Closed by
 * pci_interrupt_close(). */
enum device_interrupt device_interrupt_open(struct pci_interrupt *interrupt,
                                            const struct pci_function *function,
                                            const struct pci_interrupt_user *user);
