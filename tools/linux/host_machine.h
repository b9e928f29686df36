/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Describes the machine and its clocks as a program on Linux finds them, in the form of the image's
 * records.
 */
#pragma once

#include "tools/run/run.h"

#define HOST_ERROR_MAX 400

/* Pins the program to processor `cpu`, or if that is negative to the current one, and locks its
 * memory. Returns false, with the reason, if the program may not use that processor. */
bool host_machine_pin(struct run *run, int cpu, char error[HOST_ERROR_MAX]);

/* Locks the memory again, after munlockall(), if host_machine_pin() could. Returns whether it is
 * locked. */
bool host_machine_lock(void);

/* Describes this machine. Call after host_machine_pin(). */
void host_machine_describe(struct run *run);

/* Measures the rate of the TSC against Linux's clocks, and adds what CPUID states. Takes 0.3 s. */
void host_machine_measure_tsc(struct run *run);
