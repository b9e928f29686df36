/* SPDX-License-Identifier: BSD-2-Clause */
#include "kernel/cpu/cache.h"

#include <stdio.h>
#include <string.h>

#define LEAF_INTEL        0x4u
#define LEAF_AMD          0x8000001du
#define LEAF_FIRST_LEVEL  0x80000005u
#define LEAF_OTHER_LEVELS 0x80000006u
#define LEAF_SIZES        0x80000008u
#define LEAF_UNIT         0x8000001eu
#define FULLY_ASSOCIATIVE (1u << 9)
#define KIB               1024ull
#define THIRD_LEVEL_UNIT  (512 * KIB)
#define WAYS_FULL         0xffu /* value of the field of ways that means fully associative */

/* Returns `count` bits of a register from bit `shift` on. */
static uint32_t field(uint32_t value, unsigned shift, unsigned count)
{
    return value >> shift & ((1u << count) - 1);
}

/* All fields except type and level are reported minus 1. */
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

static size_t read_leaf(cpuid_port *port, const struct cpu_identity *identity, uint32_t number,
                        struct cache caches[CACHES_MAX])
{
    size_t count = 0;

    for (uint32_t i = 0; i < CACHES_MAX; i++) {
        const struct cpuid_result leaf = cpuid_leaf(port, identity, number, i);
        const struct cache cache = decode(&leaf);

        if (cache.type < CACHE_DATA || cache.type > CACHE_UNIFIED || cache.level == 0) {
            break;
        }
        caches[count++] = cache;
    }
    return count;
}

/* ---- older processors ---- */

/* Adds a cache, unless it has no bytes, ways or lines. */
static void add(const struct cache *cache, bool there, struct cache caches[CACHES_MAX],
                size_t *count)
{
    if (there && cache->bytes != 0 && cache->line != 0) {
        caches[(*count)++] = *cache;
    }
}

/* Adds a first-level cache from leaf 80000005h: ECX describes data, EDX instructions. */
static void add_first_level(uint32_t value, enum cache_type type, uint32_t shared_by,
                            struct cache caches[CACHES_MAX], size_t *count)
{
    const uint32_t ways = field(value, 16, 8);
    const struct cache cache = {
        .level = 1,
        .type = type,
        .bytes = field(value, 24, 8) * KIB,
        .ways = ways == WAYS_FULL ? 0 : ways,
        .line = field(value, 0, 8),
        .shared_by = shared_by,
    };

    add(&cache, ways != 0, caches, count);
}

/* Adds a cache from leaf 80000006h: ECX describes the second level, EDX the third. The ways are a
 * code (APM volume 3 table E-4): 0 means no cache, 9 refers to leaf 8000001Dh, 15 is fully
 * associative. */
static void add_other_level(uint32_t level, uint32_t value, uint64_t bytes, uint32_t shared_by,
                            struct cache caches[CACHES_MAX], size_t *count)
{
    static const uint8_t ways[16] = {0, 1, 2, 3, 4, 6, 8, 0, 16, 0, 32, 48, 64, 96, 128, 0};
    const uint32_t code = field(value, 12, 4);
    const struct cache cache = {
        .level = level,
        .type = CACHE_UNIFIED,
        .bytes = bytes,
        .ways = ways[code],
        .line = field(value, 0, 8),
        .shared_by = shared_by,
    };

    add(&cache, code == 15 || ways[code] != 0, caches, count);
}

/* Returns the number of cores in a compute unit: leaf 8000001Eh EBX[15:8] plus 1. */
static uint32_t unit_cores(cpuid_port *port, const struct cpu_identity *identity)
{
    return cpu_has_topology_leaves(port, identity)
               ? field(cpuid_leaf(port, identity, LEAF_UNIT, 0).ebx, 8, 8) + 1
               : 1;
}

/* Without topology extensions no processor has threads, and only the third level is shared: by all
 * cores of the package. In family 15h the cores of a compute unit share all caches except the
 * first-level data cache. */
static size_t read_old(cpuid_port *port, const struct cpu_identity *identity,
                       struct cache caches[CACHES_MAX])
{
    const struct cpuid_result first = cpuid_leaf(port, identity, LEAF_FIRST_LEVEL, 0);
    const struct cpuid_result other = cpuid_leaf(port, identity, LEAF_OTHER_LEVELS, 0);
    const uint32_t cores = field(cpuid_leaf(port, identity, LEAF_SIZES, 0).ecx, 0, 8) + 1;
    const uint32_t unit = unit_cores(port, identity);
    size_t count = 0;

    add_first_level(first.ecx, CACHE_DATA, 1, caches, &count);
    add_first_level(first.edx, CACHE_INSTRUCTION, unit, caches, &count);
    add_other_level(2, other.ecx, field(other.ecx, 16, 16) * KIB, unit, caches, &count);
    add_other_level(3, other.edx, field(other.edx, 18, 14) * THIRD_LEVEL_UNIT, cores, caches,
                    &count);
    return count;
}

/* VIA's processors also have these leaves, up to the last one, the Nano. On Intel's they state only
 * a second level, and not who shares it. */
static bool has_old_leaves(const struct cpu_identity *identity)
{
    return cpu_is_amd(identity) || strcmp(identity->vendor, "CentaurHauls") == 0;
}

size_t caches_read(cpuid_port *port, const struct cpu_identity *identity,
                   struct cache caches[CACHES_MAX])
{
    const bool topology = cpu_has_topology_leaves(port, identity);
    const size_t count = read_leaf(port, identity, topology ? LEAF_AMD : LEAF_INTEL, caches);

    return count > 0 || !has_old_leaves(identity) ? count : read_old(port, identity, caches);
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
