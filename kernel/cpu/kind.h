/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Kinds of processors within one machine: cores for speed beside cores for thrift, and cores that
 * are alike except for their caches.
 *
 * Sources: leaf 07h EDX[15] with leaf 1Ah EAX (SDM volume 2, CPUID, "Native Model ID Enumeration
 * Leaf"); leaf 80000026h EBX where EAX[30] reports unlike cores (APM volume 3 appendix E.4.24);
 * the caches of kernel/cpu/cache.h. A processor answers for itself alone, so each is asked in turn:
 * the port reads the leaves of the processor that it is called on.
 *
 * Use. Read one struct cpu_kind on each processor, add each to one struct cpu_kinds, which keeps
 * those that differ in the order of matrices, and name a kind by its index. The image does this
 * once, in kernel/run/processors.c: run_processor_kind(NUMBER) has the index, and machine facts
 * FACT_PROCESSOR_KIND.NUMBER have the name for the host (kernel/link/names.h). The facts are
 * missing where all processors are alike.
 *
 * Pure: compiled for the image and for the host.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "kernel/cpu/cache.h"
#include "kernel/cpu/cpuid.h"

enum core_class {
    CORE_NOT_STATED,
    CORE_PERFORMANCE,
    CORE_EFFICIENT,
};

struct cpu_kind {
    enum core_class class;
    uint32_t native_model; /* of its class, by the vendor's own numbers; 0: not stated */
    size_t cache_count;
    struct cache cache[CACHES_MAX];
};

#define CPU_KINDS_MAX     8
#define CPU_KIND_NAME_MAX 52 /* three sizes of ten digits */

/* As the processor that `port` asks reports itself. */
void cpu_kind_read(cpuid_port *port, const struct cpu_identity *identity, struct cpu_kind *kind);

/* Of one class, model and set of caches? How many processors share a cache is no part of it. */
bool cpu_kind_equal(const struct cpu_kind *a, const struct cpu_kind *b);

/* The kinds that were seen, each once, in the order in which matrices list them: performance, then
 * efficient; within a class the larger caches first. */
struct cpu_kinds {
    size_t count;
    struct cpu_kind kind[CPU_KINDS_MAX];
};

/* Adds a kind that is not there yet, in its place. False: there is no room for it. */
bool cpu_kinds_add(struct cpu_kinds *kinds, const struct cpu_kind *kind);

/* The index of a kind that was added; kinds->count: it never was. */
size_t cpu_kinds_find(const struct cpu_kinds *kinds, const struct cpu_kind *kind);

/* "P", "E"; "LP-E" for efficient cores without the third level that the others have; "L3-96M",
 * "P-L2-1M" where the bytes of caches differ within a class; "P-kind-1" where only something else
 * does. Unique within `kinds`, without blanks; "all" where there is one kind. */
const char *cpu_kind_name(const struct cpu_kinds *kinds, size_t index,
                          char name[CPU_KIND_NAME_MAX]);
