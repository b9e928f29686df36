/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * libFuzzer: what a machine reports of itself. An even first byte: the rest is SMBIOS, as an entry
 * point and as structures. An odd one: the rest is a processor's CPUID, leaf by leaf {leaf (1; from
 * 80h on an extended one), subleaf (1), registers (16)}.
 */
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "kernel/cpu/cache.h"
#include "kernel/cpu/cpuid.h"
#include "kernel/cpu/kind.h"
#include "kernel/cpu/topology.h"
#include "kernel/dev/smbios.h"
#include "tools/tests/support/demand.h"
#include "tools/tests/support/fuzz_bytes.h"

#define LEAVES_MAX 64

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* ---- SMBIOS ---- */

static void read_smbios(const uint8_t *data, size_t size)
{
    struct smbios_memory memory;
    struct smbios_device least;
    char text[SMBIOS_TEXT_MAX];
    uint64_t address;
    size_t length;

    smbios_entry(data, size < SMBIOS_ENTRY_MAX ? size : SMBIOS_ENTRY_MAX, &address, &length);
    smbios_read(data, size, &memory);
    demand(memory.count <= SMBIOS_DEVICES_MAX && memory.count <= memory.places);
    smbios_speed(&memory, &least);
    for (size_t i = 0; i < memory.count; i++) {
        demand(memchr(smbios_text(&memory.device[i], text), '\0', sizeof(text)) != NULL);
    }
}

/* ---- CPUID ---- */

static struct {
    uint32_t leaf, subleaf;
    struct cpuid_result result;
} leaves[LEAVES_MAX];
static size_t leaf_count;

static struct cpuid_result port(uint32_t leaf, uint32_t subleaf)
{
    for (size_t i = 0; i < leaf_count; i++) {
        if (leaves[i].leaf == leaf && leaves[i].subleaf == subleaf) {
            return leaves[i].result;
        }
    }
    return leaf_count > 0 ? leaves[0].result : (struct cpuid_result){0};
}

static uint32_t take_leaf(struct bytes *bytes)
{
    const uint8_t code = take(bytes);

    return code < 0x80   ? code
           : code < 0xc0 ? CPUID_EXTENDED + (code & 0x3f)
                         : CPUID_HYPERVISOR + (code & 0x3f);
}

static uint32_t take_register(struct bytes *bytes)
{
    return (uint32_t)take_many(bytes, 4);
}

static void check_texts(const struct cpu_identity *identity)
{
    demand(memchr(identity->vendor, '\0', sizeof(identity->vendor)) != NULL);
    demand(memchr(identity->brand, '\0', sizeof(identity->brand)) != NULL);
    demand(memchr(identity->hypervisor, '\0', sizeof(identity->hypervisor)) != NULL);
}

/* Two processors that differ have two names. */
static void read_kinds(const struct cpu_identity *identity)
{
    struct cpu_kinds kinds = {0};
    struct cpu_kind kind;
    char names[2][CPU_KIND_NAME_MAX];

    cpu_kind_read(port, identity, &kind);
    demand(cpu_kinds_add(&kinds, &kind));
    for (size_t i = 0; i < kind.cache_count; i++) {
        kind.cache[i].bytes /= 2;
    }
    kind.native_model ^= 1;
    demand(cpu_kinds_add(&kinds, &kind) && kinds.count == 2);
    demand(strcmp(cpu_kind_name(&kinds, 0, names[0]), cpu_kind_name(&kinds, 1, names[1])) != 0);
}

static void read_processor(struct bytes *bytes)
{
    struct cache caches[CACHES_MAX];
    struct cpu_identity identity;
    struct topology topology;
    char text[CACHE_TEXT_MAX];

    for (leaf_count = 0; leaf_count < LEAVES_MAX && bytes->left > 0; leaf_count++) {
        leaves[leaf_count].leaf = take_leaf(bytes);
        leaves[leaf_count].subleaf = take(bytes);
        leaves[leaf_count].result.eax = take_register(bytes);
        leaves[leaf_count].result.ebx = take_register(bytes);
        leaves[leaf_count].result.ecx = take_register(bytes);
        leaves[leaf_count].result.edx = take_register(bytes);
    }
    cpu_identify(port, &identity);
    check_texts(&identity);
    topology_read(port, &identity, &topology);
    demand(topology.thread_bits <= topology.package_bits && topology.package_bits <= 32);
    topology_place_of(&topology, 0xffffffff);
    const size_t count = caches_read(port, &identity, caches);

    demand(count <= CACHES_MAX);
    for (size_t i = 0; i < count; i++) {
        char name[CACHE_NAME_MAX];

        demand(memchr(cache_name(&caches[i], name), '\0', sizeof(name)) != NULL);
        demand(memchr(cache_text(&caches[i], text), '\0', sizeof(text)) != NULL);
    }
    caches_largest(port, &identity);
    read_kinds(&identity);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct bytes bytes = {data, size};

    if (take(&bytes) % 2 == 1) {
        read_processor(&bytes);
        return 0;
    }
    uint8_t *copy = malloc(bytes.left + 1); /* so that a step too far is seen */

    memcpy(copy, bytes.at, bytes.left);
    read_smbios(copy, bytes.left);
    free(copy);
    return 0;
}
