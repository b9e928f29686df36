/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The back ends of the PMU driver: which registers there are, and how an event is put into them.
 * Only pmu.c includes this.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "kernel/cpu/cpuid.h"
#include "kernel/pmu/counter.h"

struct pmu_registers {
    uint32_t global_control; /* 0: none */
    uint32_t status_clear;   /* writing ones clears overflow flags; 0: none */
    uint32_t full_width;     /* of counter 0, for writes wider than 32 bits; 0: none */
    bool shared_enable;      /* P6: the enable bit of counter 0 is everybody's */
};

/* Chooses the back end and fills the record: what is claimed, and a register set for each counter
 * claimed. Reads nothing but CPUID and, on Intel, PERF_CAPABILITIES. */
void backend_detect(const struct cpu_identity *identity, struct pmu *pmu,
                    struct pmu_registers *registers);

/* The counter's part of its select register, counting enabled. False where the code does not fit.
 */
bool backend_encode(const struct pmu *pmu, const struct pmu_counter *counter,
                    const struct event_code *code, uint64_t *field);

/* The part of it that makes the counter count. */
uint64_t backend_enable_bits(const struct pmu *pmu, const struct pmu_counter *counter);

/* The code for "instructions retired", by which counters are proved. */
struct event_code backend_instructions(const struct pmu *pmu);

/* The counter's bit in global control, and in the overflow flags. */
uint64_t backend_global_bit(const struct pmu_counter *counter);
