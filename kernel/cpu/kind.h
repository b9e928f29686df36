/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Kinds of processors within one machine: performance and efficient cores, and cores that differ
 * only in their caches.
 *
 * Sources: leaf 07h EDX[15] with leaf 1Ah EAX (SDM volume 2, CPUID, "Native Model ID Enumeration
 * Leaf"); leaf 80000026h EBX if EAX[30] reports unlike cores (APM volume 3 appendix E.4.24); the
 * caches of kernel/cpu/cache.h. A processor reports only on itself, so each must be asked: the port
 * reads the leaves of the processor on which it is called.
 *
 * Use: read one struct cpu_kind on each processor; add each to one struct cpu_kinds, which keeps
 * those that differ in the order of matrices; and name a kind by its index. The image does this
 * once, in kernel/run/processors.c: run_processor_kind(NUMBER) returns the index, and the machine
 * facts FACT_PROCESSOR_KIND.NUMBER have the name for the host (kernel/link/names.h). These facts
 * are missing if all processors are alike.
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
    uint32_t native_model; /* model within its class, by the vendor's own numbers; 0: not stated */
    size_t cache_count;
    struct cache cache[CACHES_MAX];
};

#define CPU_KINDS_MAX     8
#define CPU_KIND_NAME_MAX 52 /* room for three cache sizes of ten digits */

/* Reads the kind of the processor on which `port` runs. */
void cpu_kind_read(cpuid_port *port, const struct cpu_identity *identity, struct cpu_kind *kind);

/* Returns whether two kinds have the same class, model and caches. How many processors share a
 * cache does not matter. */
bool cpu_kind_equal(const struct cpu_kind *a, const struct cpu_kind *b);

/* All kinds seen, each once, in the order in which matrices list them: performance, then efficient;
 * within a class, those with larger caches first. */
struct cpu_kinds {
    size_t count;
    struct cpu_kind kind[CPU_KINDS_MAX];
};

/* Adds a kind at its place, if it is not there yet. Returns false if there is no room for it. */
bool cpu_kinds_add(struct cpu_kinds *kinds, const struct cpu_kind *kind);

/* Returns the index of a kind that was added, or kinds->count if it never was. */
size_t cpu_kinds_find(const struct cpu_kinds *kinds, const struct cpu_kind *kind);

/* Writes the name of a kind: "P", "E"; "LP-E" for efficient cores without the third cache level
 * that others have; "L3-96M" or "P-L2-1M" if the sizes of caches differ within a class; "P-kind-1"
 * if only something else differs. Names are unique within `kinds` and have no blanks. If there is
 * only one kind, its name is "all". */
const char *cpu_kind_name(const struct cpu_kinds *kinds, size_t index,
                          char name[CPU_KIND_NAME_MAX]);
