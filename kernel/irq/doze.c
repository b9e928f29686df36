/* SPDX-License-Identifier: BSD-2-Clause */
#include "kernel/irq/doze.h"

#include <stddef.h>

#include "kernel/cpu/cpu.h"
#include "kernel/cpu/descriptors.h"
#include "kernel/cpu/msr.h"
#include "kernel/irq/lapic.h"

/* These are also used by doze.S, which contains the offsets. */
extern volatile uint64_t doze_active;
volatile uint64_t doze_active;
void doze_entry(void) __attribute__((visibility("hidden")));
void doze_wait(struct doze *doze) __attribute__((visibility("hidden")));

_Static_assert(offsetof(struct doze, woke) == 0 && offsetof(struct doze, ends) == 8 &&
                   offsetof(struct doze, kind) == 16 && offsetof(struct doze, hint) == 24 &&
                   offsetof(struct doze, line) == 64,
               "doze.S knows the offsets");

void doze_begin(void)
{
    descriptors_set_entry(DOZE_VECTOR, doze_entry);
    descriptors_set_other_entry(DOZE_VECTOR, doze_entry);
    doze_active = 1;
}

/* Other processors keep their entry, which ends a late interrupt and writes no timestamp. */
void doze_end(void)
{
    doze_active = 0;
    descriptors_reset_entry(DOZE_VECTOR);
}

uint64_t doze_for(struct doze *doze, uint32_t counts, uint64_t *armed)
{
    doze->woke = 0;
    doze->ends = 0;
    lapic_timer_start(DOZE_VECTOR, LAPIC_TIMER_ONE_SHOT, 0);
    const uint64_t before = tsc_read_ordered();

    lapic_timer_rearm(counts);
    *armed = tsc_read_ordered();
    doze_wait(doze);
    lapic_timer_stop();
    return before;
}

uint64_t doze_until(struct doze *doze, uint64_t ticks, uint64_t *armed)
{
    doze->woke = 0;
    doze->ends = 0;
    lapic_timer_await_deadline(DOZE_VECTOR);
    const uint64_t before = tsc_read_ordered();

    msr_write(MSR_TSC_DEADLINE, before + ticks);
    *armed = tsc_read_ordered();
    doze_wait(doze);
    lapic_timer_stop();
    return before;
}
