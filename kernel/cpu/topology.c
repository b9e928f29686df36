/* SPDX-License-Identifier: BSD-2-Clause */
#include "kernel/cpu/topology.h"

#include <stdbool.h>

#define LEVELS_MAX   8
#define LEVEL_THREAD 1
#define ID_BITS_MAX  31

/* Returns the number of bits needed to number `count` things. */
static unsigned bits_for(uint32_t count)
{
    unsigned bits = 0;

    while (bits < ID_BITS_MAX && (1u << bits) < count) {
        bits++;
    }
    return bits;
}

/* Leaves 0Bh and 1Fh have the same form: one level in each subleaf, from the thread up. Each
 * reports by how many bits an id must be shifted for the next level. If only threads are reported,
 * it is not known where a package ends; then returns false. */
static bool read_levels(cpuid_port *port, const struct cpu_identity *identity, uint32_t leaf,
                        struct topology *topology)
{
    bool above_threads = false;

    for (unsigned level = 0; level < LEVELS_MAX; level++) {
        const struct cpuid_result r = cpuid_leaf(port, identity, leaf, level);
        const uint32_t type = r.ecx >> 8 & 255;

        if (type == 0 || (r.ebx & 0xffff) == 0) {
            break;
        }
        topology->package_bits = r.eax & 31;
        if (type == LEVEL_THREAD) {
            topology->thread_bits = r.eax & 31;
        } else {
            above_threads = true;
        }
    }
    return above_threads && topology->thread_bits <= topology->package_bits;
}

static bool read_amd(cpuid_port *port, const struct cpu_identity *identity,
                     struct topology *topology)
{
    const uint32_t sizes = cpuid_leaf(port, identity, CPUID_EXTENDED + 8, 0).ecx;
    const uint32_t bits = sizes >> 12 & 15;

    if (!cpu_has_topology_leaves(port, identity) ||
        identity->max_extended < CPUID_EXTENDED + 0x1e) {
        return false;
    }
    topology->thread_bits =
        bits_for((cpuid_leaf(port, identity, CPUID_EXTENDED + 0x1e, 0).ebx >> 8 & 255) + 1);
    topology->package_bits = bits != 0 ? bits : bits_for((sizes & 255) + 1);
    return topology->thread_bits <= topology->package_bits;
}

static bool read_legacy(cpuid_port *port, const struct cpu_identity *identity,
                        struct topology *topology)
{
    const struct cpuid_result basic = cpuid_leaf(port, identity, 1, 0);
    const uint32_t logical = basic.ebx >> 16 & 255;
    const uint32_t cores = cpu_is_amd(identity)
                               ? (cpuid_leaf(port, identity, CPUID_EXTENDED + 8, 0).ecx & 255) + 1
                               : (cpuid_leaf(port, identity, 4, 0).eax >> 26) + 1;

    if ((basic.edx >> 28 & 1) == 0 || logical < cores) {
        return false;
    }
    topology->package_bits = bits_for(logical);
    topology->thread_bits = topology->package_bits - bits_for(cores);
    return true;
}

void topology_read(cpuid_port *port, const struct cpu_identity *identity, struct topology *topology)
{
    *topology = (struct topology){.source = "leaf 1Fh"};
    if (read_levels(port, identity, 0x1f, topology)) {
        return;
    }
    *topology = (struct topology){.source = "leaf 0Bh"};
    if (read_levels(port, identity, 0x0b, topology)) {
        return;
    }
    *topology = (struct topology){.source = "leaf 8000001Eh"};
    if (read_amd(port, identity, topology)) {
        return;
    }
    *topology = (struct topology){.source = "leaves 1 and 4"};
    if (read_legacy(port, identity, topology)) {
        return;
    }
    *topology = (struct topology){.source = "none"};
}

struct topology_place topology_place_of(const struct topology *topology, uint32_t apic_id)
{
    const uint32_t within = apic_id & ((1u << topology->package_bits) - 1);

    return (struct topology_place){
        .package = apic_id >> topology->package_bits,
        .core = within >> topology->thread_bits,
        .thread = apic_id & ((1u << topology->thread_bits) - 1),
    };
}
