/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The machine and its clocks as a program on Linux finds them, put into a run as the image's
 * records would be.
 */
#pragma once

#include "tools/run/run.h"

#define HOST_ERROR_MAX 400

/* Stays on processor `cpu`, or where it is negative on the one that it is on, and keeps all memory
 * in memory. False, with the reason, where there is no such processor for this program. */
bool host_machine_pin(struct run *run, int cpu, char error[HOST_ERROR_MAX]);

/* What this machine is: after host_machine_pin(). */
void host_machine_describe(struct run *run);

/* The rate of the TSC against Linux's clocks, and what CPUID states; 0.3 s. */
void host_machine_measure_tsc(struct run *run);
