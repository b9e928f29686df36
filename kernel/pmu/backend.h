/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The back ends of the PMU driver: which registers exist, and how an event is encoded in them. Only
 * pmu.c includes this file.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "kernel/cpu/cpuid.h"
#include "kernel/pmu/counter.h"

struct pmu_registers {
    uint32_t global_control; /* number of the MSR; 0 if there is none */
    /* MSR in which writing ones clears overflow flags; 0 if there is none */
    uint32_t status_clear;
    /* MSR of counter 0 for writes wider than 32 bits; 0 if there is none */
    uint32_t full_width;
    bool shared_enable; /* P6: the enable bit of counter 0 enables both counters */
};

/* Chooses the back end and fills the record: the counters that the processor claims, and the
 * registers of each. Reads nothing but CPUID and, on Intel, PERF_CAPABILITIES. */
void backend_detect(const struct cpu_identity *identity, struct pmu *pmu,
                    struct pmu_registers *registers);

/* Sets *field to the counter's part of its select register, with counting enabled. Returns false if
 * the code does not fit. */
bool backend_encode(const struct pmu *pmu, const struct pmu_counter *counter,
                    const struct event_code *code, uint64_t *field);

/* Returns the bits of that field that make the counter count. */
uint64_t backend_enable_bits(const struct pmu *pmu, const struct pmu_counter *counter);

/* Returns the code of "instructions retired", which is used to verify counters. */
struct event_code backend_instructions(const struct pmu *pmu);

/* Returns the counter's bit in global control and in the overflow flags. */
uint64_t backend_global_bit(const struct pmu_counter *counter);
