/* SPDX-License-Identifier: BSD-2-Clause */
#include "kernel/cpu/percpu.h"

#if TARE_SMP

#include "kernel/cpu/msr.h"

extern uint8_t percpu_start[] __attribute__((visibility("hidden")));
extern uint8_t percpu_end[] __attribute__((visibility("hidden")));

uint64_t percpu_distances[PERCPU_MAX];
PER_CPU PER_CPU_SECTION uint64_t percpu_distance;
PER_CPU PER_CPU_SECTION uint32_t percpu_number;
PER_CPU PER_CPU_SECTION uint64_t percpu_given;

size_t percpu_size(void)
{
    return (size_t)(percpu_end - percpu_start);
}

void percpu_create(size_t number, void *copy)
{
    percpu_distances[number] = (uint64_t)((uintptr_t)copy - (uintptr_t)percpu_start);
    *PER_CPU_OF(number, uint64_t, percpu_distance) = percpu_distances[number];
    *PER_CPU_OF(number, uint32_t, percpu_number) = (uint32_t)number;
}

bool percpu_exists(size_t number)
{
    return number == 0 || percpu_distances[number] != 0;
}

void percpu_select(size_t number)
{
    msr_write(MSR_GS_BASE, percpu_distances[number]);
}

#endif
