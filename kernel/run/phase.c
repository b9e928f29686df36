/* SPDX-License-Identifier: BSD-2-Clause */
#include "kernel/run/phase.h"

#include "kernel/clock/clock.h"
#include "kernel/cpu/cpu.h"
#include "kernel/cpu/known_loop.h"
#include "kernel/trace/packet.h"

#define PHASE_TICKS (1ull << TRACE_STAMP_BITS)

void phase_wait(void)
{
    const uint32_t ticks = clock_state()->ticks_per_instruction;

    if (ticks != 0) {
        known_instructions((-tsc_read() & (PHASE_TICKS - 1)) / ticks);
    }
}
