/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The caches as CPUID reports them: leaf 4 (SDM volume 2, CPUID, "Deterministic Cache Parameters"),
 * or on AMD leaf 8000001Dh, which has the same layout (APM volume 3 appendix E.4.15)
 * (cpu_has_topology_leaves()). AMD's earlier processors, and VIA's, have leaves 80000005h and
 * 80000006h (APM volume 3 appendix E.4.4 and E.4.5): sizes in KiB or 512 KiB, ways as a code, and
 * nothing about sharing. A third level is then taken to be shared by all cores of the package,
 * whose number leaf 80000008h gives.
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
    uint32_t level; /* level of the cache, 1 to 7 */
    enum cache_type type;
    uint64_t bytes;
    uint32_t ways; /* number of ways; 0: fully associative */
    uint32_t line; /* bytes in a line */
    /* Largest number of processors of the package that share this cache: how many ids the leaf has
     * room for, not all of which need exist. */
    uint32_t shared_by;
};

/* Reads the caches, in the leaf's order. Returns how many; 0 if they are not reported. */
size_t caches_read(cpuid_port *port, const struct cpu_identity *identity,
                   struct cache caches[CACHES_MAX]);

/* Returns the bytes of the largest cache; 0: not reported. */
uint64_t caches_largest(cpuid_port *port, const struct cpu_identity *identity);

/* Returns "1d", "1i", "2". */
const char *cache_name(const struct cache *cache, char name[CACHE_NAME_MAX]);
/* Returns a text such as "32768 bytes, 8 ways, line 64, shared by 2". */
const char *cache_text(const struct cache *cache, char text[CACHE_TEXT_MAX]);
