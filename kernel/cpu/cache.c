/* SPDX-License-Identifier: BSD-2-Clause */
#include "kernel/cpu/cache.h"

#include <stdio.h>

#define LEAF_INTEL          0x4u
#define LEAF_AMD            0x8000001du
#define TOPOLOGY_EXTENSIONS (1u << 22)
#define FULLY_ASSOCIATIVE   (1u << 9)

/* `count` bits of a register from `shift` on. */
static uint32_t field(uint32_t value, unsigned shift, unsigned count)
{
    return value >> shift & ((1u << count) - 1);
}

/* All but type and level are reported less one. */
static struct cache decode(const struct cpuid_result *leaf)
{
    const uint64_t sets = (uint64_t)leaf->ecx + 1;
    const uint32_t ways = field(leaf->ebx, 22, 10) + 1;
    const uint32_t partitions = field(leaf->ebx, 12, 10) + 1;
    const uint32_t line = field(leaf->ebx, 0, 12) + 1;

    return (struct cache){
        .level = field(leaf->eax, 5, 3),
        .type = (enum cache_type)field(leaf->eax, 0, 5),
        .bytes = sets * ways * partitions * line,
        .ways = (leaf->eax & FULLY_ASSOCIATIVE) != 0 ? 0 : ways,
        .line = line,
        .shared_by = field(leaf->eax, 14, 12) + 1,
    };
}

size_t caches_read(cpuid_port *port, const struct cpu_identity *identity,
                   struct cache caches[CACHES_MAX])
{
    const uint32_t extended = cpuid_leaf(port, identity, CPUID_EXTENDED + 1, 0).ecx;
    const bool topology = cpu_is_amd(identity) && (extended & TOPOLOGY_EXTENSIONS) != 0;
    size_t count = 0;

    for (uint32_t i = 0; i < CACHES_MAX; i++) {
        const struct cpuid_result leaf =
            cpuid_leaf(port, identity, topology ? LEAF_AMD : LEAF_INTEL, i);
        const struct cache cache = decode(&leaf);

        if (cache.type < CACHE_DATA || cache.type > CACHE_UNIFIED || cache.level == 0) {
            break;
        }
        caches[count++] = cache;
    }
    return count;
}

uint64_t caches_largest(cpuid_port *port, const struct cpu_identity *identity)
{
    struct cache caches[CACHES_MAX];
    const size_t count = caches_read(port, identity, caches);
    uint64_t largest = 0;

    for (size_t i = 0; i < count; i++) {
        largest = caches[i].bytes > largest ? caches[i].bytes : largest;
    }
    return largest;
}

const char *cache_name(const struct cache *cache, char name[CACHE_NAME_MAX])
{
    static const char *const types[] = {"", "d", "i", ""};

    snprintf(name, CACHE_NAME_MAX, "%u%s", cache->level, types[cache->type]);
    return name;
}

const char *cache_text(const struct cache *cache, char text[CACHE_TEXT_MAX])
{
    char ways[24] = "fully associative";

    if (cache->ways != 0) {
        snprintf(ways, sizeof(ways), "%u ways", cache->ways);
    }
    snprintf(text, CACHE_TEXT_MAX, "%llu bytes, %s, line %u, shared by %u",
             (unsigned long long)cache->bytes, ways, cache->line, cache->shared_by);
    return text;
}
