/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The performance monitoring unit: what counters there are, which of them count, and how to
 * program them.
 *
 * Nothing that CPUID reports is believed before it is proved: every counter has to hold what is
 * written to it, to stand still while it is off, to count the instructions of a known loop, to the
 * instruction, across its own wrap, to read the same by RDPMC, and to count while all others do.
 * One that fails is not offered, and `state` has the reason.
 *
 * Back ends, and where their registers are described:
 *   P5     CESR, two counters                            Pentium manual volume 1, appendix A
 *   P6     two counters, one enable bit for both         SDM 3B, "Performance Monitoring (P6)"
 *   Intel  architectural performance monitoring v1 to v5 SDM 3B, same title; CPUID leaf 0Ah
 *   K7     four counters, C0010000h                      BKDG for family 10h, 31116
 *   core   six counters, C0010200h                       BKDG for family 15h, 42301; CPUID
 *                                                        80000001h ECX[23]
 *   V2     as core, with global control                  APM 2, "PerfMonV2"; CPUID 80000022h
 *
 * P5 and P6 have no long mode: they are here for the record and are exercised on models only.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "kernel/cpu/cpuid.h"
#include "kernel/pmu/counter.h"
#include "kernel/pmu/event.h"

/* Instructions of the known loop, as the manual counts them. */
#define PMU_KNOWN_ANSWER 4000

/* Finds the back end, saves what firmware left, proves each counter, leaves all of them off. Call
 * once, with interrupts off, after descriptors_load(). */
const struct pmu *pmu_init(const struct cpu_identity *identity);
const struct pmu *pmu_state(void);

/* Short names: "Intel architectural", "AMD PerfMonV2"; "general 0", "fixed 1"; "usable", "dead". */
const char *pmu_backend_name(enum pmu_backend backend);
const char *pmu_counter_state_name(enum pmu_counter_state state);
#define PMU_COUNTER_NAME_MAX 16
const char *pmu_counter_name(const struct pmu_counter *counter, char name[PMU_COUNTER_NAME_MAX]);

/* Programs a counter to count an event, in all rings, with no interrupt on overflow, and sets it to
 * 0. It does not count before pmu_start(). False where the processor refuses: *vector is then the
 * exception's number, or 0 where the code does not fit the back end or the register did not keep
 * it. `counter` is an index into pmu_state()->counter of a usable one. */
bool pmu_assign(unsigned counter, const struct event_code *code, uint8_t *vector);

/* Can this counter count this event? General ones all; fixed ones their own, which they know by its
 * architectural code. */
bool pmu_counter_takes(unsigned counter, const struct event_code *code);

/* Starts every counter assigned since the last pmu_stop(), at once where there is global control.
 */
void pmu_start(void);
/* Stops them; they keep their values, and are assigned to nothing from then on. */
void pmu_stop(void);

/* Value of a counter by its MSR, ordered by LFENCE: the slow way, for what is no timed code. */
uint64_t pmu_value(unsigned counter);

/* What a counter went through between two readings: modulo its width. */
uint64_t pmu_delta(const struct pmu_counter *counter, uint64_t from, uint64_t to);

/* Puts back what firmware left. */
void pmu_restore(void);

/* SMIs since reset by MSR 34h (SDM 4, MSR_SMI_COUNT); only where has_smi_count. */
uint64_t pmu_smi_count(void);

/* APERF and MPERF (SDM 3B, "Hardware Feedback"), read back to back; only where has_aperf. */
void pmu_aperf_mperf(uint64_t *aperf, uint64_t *mperf);
