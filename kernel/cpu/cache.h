/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The caches as CPUID reports them: leaf 4 (SDM volume 2, CPUID, "Deterministic Cache
 * Parameters"), or on AMD leaf 8000001Dh, which is laid out the same (APM volume 3 appendix E.4.15)
 * (cpu_has_topology_leaves()).
 * AMD's processors before that, and VIA's, have leaves 80000005h and 80000006h (APM volume 3
 * appendix E.4.4 and E.4.5): sizes in KiB or 512 KiB, ways by a code, and nothing of sharing. A
 * third level is then taken as shared by all cores of the package, by leaf 80000008h.
 *
 * Pure: compiled for the image and for the host.
 */
#pragma once

#include <stddef.h>

#include "kernel/cpu/cpuid.h"

#define CACHES_MAX     8
#define CACHE_NAME_MAX 12
#define CACHE_TEXT_MAX 80

enum cache_type {
    CACHE_DATA = 1,
    CACHE_INSTRUCTION = 2,
    CACHE_UNIFIED = 3,
};

struct cache {
    uint32_t level; /* 1 to 7 */
    enum cache_type type;
    uint64_t bytes;
    uint32_t ways; /* 0: fully associative */
    uint32_t line; /* bytes */
    /* Processors of the package that have this one, at most: the numbers that the leaf leaves room
     * for, of which not all need exist. */
    uint32_t shared_by;
};

/* In the leaf's order; returns how many. 0: the processor does not report it. */
size_t caches_read(cpuid_port *port, const struct cpu_identity *identity,
                   struct cache caches[CACHES_MAX]);

/* Bytes of the largest; 0: not reported. */
uint64_t caches_largest(cpuid_port *port, const struct cpu_identity *identity);

/* "1d", "1i", "2". */
const char *cache_name(const struct cache *cache, char name[CACHE_NAME_MAX]);
/* "32768 bytes, 8 ways, line 64, shared by 2" */
const char *cache_text(const struct cache *cache, char text[CACHE_TEXT_MAX]);
