/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * An alarm that no code can mask: a comparator of the HPET raises an NMI through an I/O APIC (IA-PC
 * HPET specification 1.0a, sections 2.3.8 and 2.3.9; 82093AA data sheet, delivery mode). It ends
 * code that spins with interrupts off.
 *
 * It serves two, each with a time of its own; the earlier one comes first. Until then there is no
 * NMI, but for one in each 2^32 counts where the comparator has no more bits.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "kernel/cpu/exception.h"
#include "kernel/dev/acpi.h"

enum alarm_user {
    ALARM_THREADS, /* kernel/task/session.c: no thread lets go */
    ALARM_BENCH,   /* kernel/run/limit.c: a bench does not end */
    ALARM_USERS,
};

/* After clock_init(); `acpi` must stay. False, with a reason, where there is no way for it. */
bool alarm_open(const struct acpi_facts *acpi, const char **reason);

/* Goes off `microseconds` from now, unless it is set anew or stopped before. Without an alarm,
 * nothing. */
void alarm_set(enum alarm_user user, uint64_t microseconds);
void alarm_stop(enum alarm_user user);
void alarm_stop_all(void);

/* Microseconds that are left; 0: it is not set, or there is no alarm. */
uint64_t alarm_left(enum alarm_user user);

/* For the NMI handler. */
exception_nmi_check alarm_check;
/* Whose time was over when alarm_check() last said so. */
enum alarm_user alarm_ended_by(void);
