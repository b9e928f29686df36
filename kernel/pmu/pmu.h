/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The performance monitoring unit: finds the counters, verifies which of them count, and programs
 * them.
 *
 * Nothing that CPUID reports is trusted before it is verified. Every counter must hold what is
 * written to it, stand still while it is off, count the instructions of a known loop exactly and
 * across its own wrap, read the same by RDPMC, and count while all others do. A counter that fails
 * is not offered, and `state` gives the reason.
 *
 * Back ends, and where their registers are described:
 *
 *     P5     CESR, two counters                            Pentium manual volume 1, appendix A
 *     P6     two counters, one enable bit for both         SDM 3B, "Performance Monitoring (P6)"
 *     Intel  architectural performance monitoring v1 to v5 SDM 3B, same title; CPUID leaf 0Ah
 *     K7     four counters, C0010000h                      BKDG for family 10h, 31116
 *     core   six counters, C0010200h                       BKDG for family 15h, 42301; CPUID
 *                                                          80000001h ECX[23]
 *     V2     as core, with global control                  APM 2, "PerfMonV2"; CPUID 80000022h
 *
 * P5 and P6 have no long mode: they are kept for reference and run only on models.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "kernel/cpu/cpuid.h"
#include "kernel/pmu/counter.h"
#include "kernel/pmu/event.h"

/* Number of instructions of the known loop, as the manual counts them. */
#define PMU_KNOWN_ANSWER 4000

/* Finds the back end, saves what firmware left in the registers, verifies each counter, and leaves
 * all of them off. Call once, with interrupts off, after descriptors_load(). */
const struct pmu *pmu_init(const struct cpu_identity *identity);
const struct pmu *pmu_state(void);

/* Short names: "Intel architectural", "AMD PerfMonV2"; "general0", "fixed1"; "usable", "dead". */
const char *pmu_backend_name(enum pmu_backend backend);
const char *pmu_counter_state_name(enum pmu_counter_state state);
#define PMU_COUNTER_NAME_MAX 16
const char *pmu_counter_name(const struct pmu_counter *counter, char name[PMU_COUNTER_NAME_MAX]);

/* Programs a counter to count an event in all rings, without an interrupt on overflow, and sets it
 * to 0. It does not count before pmu_start(). `counter` is the index of a usable counter in
 * pmu_state()->counter. Returns false if the processor rejects it; *vector is then the number of
 * the exception, or 0 if the code does not fit the back end or the register did not keep it. */
bool pmu_assign(unsigned counter, const struct event_code *code, uint8_t *vector);

/* Returns whether this counter can count this event. General counters take any event; a fixed
 * counter takes only its own, given by its architectural code. */
bool pmu_counter_takes(unsigned counter, const struct event_code *code);

/* Starts every counter assigned since the last pmu_stop(); all at once if there is global
 * control. */
void pmu_start(void);
/* Stops the counters. They keep their values, and are no longer assigned. */
void pmu_stop(void);

/* Reads a counter by its MSR, ordered by LFENCE. This is slow; do not use it in timed code. */
uint64_t pmu_value(unsigned counter);

/* Returns what a counter counted between two readings, modulo its width. */
uint64_t pmu_delta(const struct pmu_counter *counter, uint64_t from, uint64_t to);

/* Restores what firmware left in the registers. */
void pmu_restore(void);

/* Returns the number of SMIs since reset, from MSR 34h (SDM 4, MSR_SMI_COUNT). Call only if
 * has_smi_count. */
uint64_t pmu_smi_count(void);

/* Reads APERF and MPERF (SDM 3B, "Hardware Feedback") one right after the other. Call only if
 * has_aperf. */
void pmu_aperf_mperf(uint64_t *aperf, uint64_t *mperf);
