/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The registers of the PMU, for the image's code when it runs in a Linux process.
 *
 * There RDMSR and WRMSR fault. What they would have done is done by perf_event_open(): a select
 * register whose enable bit is set becomes a pinned event of the same code. If Linux puts each
 * event on the very counter that is meant, RDPMC is left to the processor, and RDMSR of a counter
 * reads the same; what it holds when it starts is then the kernel's choice and not what was
 * written, which is all the same to differences. Otherwise RDPMC faults too, and both are answered
 * from the event's count and what was written.
 *
 * Counted is ring 3 only. Intel's general and fixed counters, and AMD's; any other register faults,
 * and the image's own fix-up deals with it, as on a processor without it.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "tools/tests/programs/image_elf.h"

#define PERF_REASON_MAX 200

/* From now on faults of the image's code are served, and this process stays on one processor.
 * False, with the reason, where Linux offers no counters that count, or the processor is neither
 * Intel's nor AMD's. `image` was loaded by image_elf_load_here() and must stay. */
bool perf_registers_serve(const struct image_elf *image, char reason[PERF_REASON_MAX]);

/* With false RDPMC is never left to the processor. To be called while no counter runs. False where
 * Linux allows RDPMC to everybody (/sys/bus/event_source/devices/cpu/rdpmc is 2), so that it cannot
 * be answered otherwise. */
bool perf_registers_leave_rdpmc(bool leave);

/* Did each counter that runs, or ran last, run on the processor's counter of the same number? */
bool perf_registers_native(void);

/* How many pinned events count at the same time if `wanted` are asked for, by perf alone. */
unsigned perf_registers_alive(unsigned wanted);
