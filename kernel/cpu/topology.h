/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Finds the package, core and thread of a processor from its APIC id (SDM volume 3 section 9.9,
 * "the three domains of an APIC id"; APM volume 3, CPUID 8000001Eh).
 *
 * The source is the first of these that answers: CPUID leaf 1Fh, leaf 0Bh, AMD's 8000001Eh, and
 * leaves 1 and 4 of older parts. Pure.
 */
#pragma once

#include <stdint.h>

#include "kernel/cpu/cpuid.h"

struct topology {
    /* Leaf that was used, "leaf 1Fh", ...; "none": every processor is its own package. */
    const char *source;
    unsigned thread_bits; /* number of lowest bits of an APIC id: the thread within its core */
    /* Number of lowest bits: thread and core in a package; at least thread_bits. */
    unsigned package_bits;
};

struct topology_place {
    uint32_t package;
    uint32_t core; /* number of the core within the package; numbers may have gaps */
    uint32_t thread;
};

/* Reads the current processor's topology; all processors of a machine are taken to be alike. */
void topology_read(cpuid_port *port, const struct cpu_identity *identity,
                   struct topology *topology);
struct topology_place topology_place_of(const struct topology *topology, uint32_t apic_id);
