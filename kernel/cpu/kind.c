/* SPDX-License-Identifier: BSD-2-Clause */
/* Kinds differ in what CPUID states, never in speed, so a kind is the same in every run. */
#include "kernel/cpu/kind.h"

#include <stdio.h>
#include <string.h>

#define LEAF_FEATURES     0x7u
#define HYBRID            (1u << 15)
#define LEAF_NATIVE_MODEL 0x1au
#define CLASS_INTEL_ATOM  0x20u
#define CLASS_INTEL_CORE  0x40u
#define LEAF_AMD_TOPOLOGY 0x80000026u
#define UNLIKE_CORES      (1u << 30)
#define CLASS_AMD_FAST    0u
#define CLASS_AMD_THRIFTY 1u
#define LEVEL_THIRD       3u

static void read_intel(cpuid_port *port, const struct cpu_identity *identity, struct cpu_kind *kind)
{
    const uint32_t value = cpuid_leaf(port, identity, LEAF_NATIVE_MODEL, 0).eax;

    if ((cpuid_leaf(port, identity, LEAF_FEATURES, 0).edx & HYBRID) == 0) {
        return;
    }
    kind->class = value >> 24 == CLASS_INTEL_CORE   ? CORE_PERFORMANCE
                  : value >> 24 == CLASS_INTEL_ATOM ? CORE_EFFICIENT
                                                    : CORE_NOT_STATED;
    kind->native_model = value & 0xffffff;
}

static void read_amd(cpuid_port *port, const struct cpu_identity *identity, struct cpu_kind *kind)
{
    const struct cpuid_result leaf = cpuid_leaf(port, identity, LEAF_AMD_TOPOLOGY, 0);

    if ((leaf.eax & UNLIKE_CORES) == 0) {
        return;
    }
    kind->class = leaf.ebx >> 28 == CLASS_AMD_FAST      ? CORE_PERFORMANCE
                  : leaf.ebx >> 28 == CLASS_AMD_THRIFTY ? CORE_EFFICIENT
                                                        : CORE_NOT_STATED;
    kind->native_model = leaf.ebx >> 24 & 15;
}

void cpu_kind_read(cpuid_port *port, const struct cpu_identity *identity, struct cpu_kind *kind)
{
    memset(kind, 0, sizeof(*kind));
    kind->cache_count = caches_read(port, identity, kind->cache);
    if (cpu_is_amd(identity)) {
        read_amd(port, identity, kind);
    } else {
        read_intel(port, identity, kind);
    }
}

static bool same_cache(const struct cache *a, const struct cache *b)
{
    return a->level == b->level && a->type == b->type && a->bytes == b->bytes &&
           a->ways == b->ways && a->line == b->line;
}

bool cpu_kind_equal(const struct cpu_kind *a, const struct cpu_kind *b)
{
    bool equal = a->class == b->class && a->native_model == b->native_model &&
                 a->cache_count == b->cache_count;

    for (size_t i = 0; equal && i < a->cache_count; i++) {
        equal = same_cache(&a->cache[i], &b->cache[i]);
    }
    return equal;
}

/* Returns the bytes of the data or unified cache at `level`, or 0 if there is none. */
static uint64_t bytes_of(const struct cpu_kind *kind, uint32_t level)
{
    for (size_t i = 0; i < kind->cache_count; i++) {
        if (kind->cache[i].level == level && kind->cache[i].type != CACHE_INSTRUCTION) {
            return kind->cache[i].bytes;
        }
    }
    return 0;
}

static unsigned rank(const struct cpu_kind *kind)
{
    return kind->class == CORE_PERFORMANCE ? 0 : kind->class == CORE_NOT_STATED ? 1 : 2;
}

static bool comes_before(const struct cpu_kind *a, const struct cpu_kind *b)
{
    if (rank(a) != rank(b)) {
        return rank(a) < rank(b);
    }
    for (uint32_t level = LEVEL_THIRD; level > 0; level--) {
        if (bytes_of(a, level) != bytes_of(b, level)) {
            return bytes_of(a, level) > bytes_of(b, level);
        }
    }
    return a->native_model > b->native_model;
}

bool cpu_kinds_add(struct cpu_kinds *kinds, const struct cpu_kind *kind)
{
    size_t at = kinds->count;

    if (cpu_kinds_find(kinds, kind) < kinds->count) {
        return true;
    }
    if (kinds->count == CPU_KINDS_MAX) {
        return false;
    }
    for (; at > 0 && comes_before(kind, &kinds->kind[at - 1]); at--) {
        kinds->kind[at] = kinds->kind[at - 1];
    }
    kinds->kind[at] = *kind;
    kinds->count++;
    return true;
}

size_t cpu_kinds_find(const struct cpu_kinds *kinds, const struct cpu_kind *kind)
{
    size_t i = 0;

    while (i < kinds->count && !cpu_kind_equal(&kinds->kind[i], kind)) {
        i++;
    }
    return i;
}

/* ---- names ---- */

/* Intel gives the name LP-E to efficient cores outside the ring that has the third level. */
static const char *class_name(const struct cpu_kinds *kinds, const struct cpu_kind *kind)
{
    if (kind->class == CORE_NOT_STATED) {
        return "";
    }
    if (kind->class == CORE_PERFORMANCE) {
        return "P";
    }
    for (size_t i = 0; i < kinds->count && bytes_of(kind, LEVEL_THIRD) == 0; i++) {
        if (bytes_of(&kinds->kind[i], LEVEL_THIRD) != 0) {
            return "LP-E";
        }
    }
    return "E";
}

/* Returns, one bit each, the other kinds with the same class name as this one. */
static unsigned namesakes(const struct cpu_kinds *kinds, size_t index)
{
    const char *name = class_name(kinds, &kinds->kind[index]);
    unsigned same = 0;

    for (size_t i = 0; i < kinds->count; i++) {
        if (i != index && strcmp(class_name(kinds, &kinds->kind[i]), name) == 0) {
            same |= 1u << i;
        }
    }
    return same;
}

/* Returns the size of a cache as a name gives it, in KiB. */
static uint32_t kib_of(const struct cpu_kind *kind, uint32_t level)
{
    return (uint32_t)(bytes_of(kind, level) >> 10);
}

/* Returns `same` without the kinds that have another size at this level. */
static unsigned of_this_size(const struct cpu_kinds *kinds, size_t index, uint32_t level,
                             unsigned same)
{
    for (size_t i = 0; i < kinds->count; i++) {
        if (kib_of(&kinds->kind[i], level) != kib_of(&kinds->kind[index], level)) {
            same &= ~(1u << i);
        }
    }
    return same;
}

static void append(char name[CPU_KIND_NAME_MAX], const char *text)
{
    const size_t used = strlen(name);

    snprintf(name + used, CPU_KIND_NAME_MAX - used, "%s%s", used > 0 ? "-" : "", text);
}

static void append_size(char name[CPU_KIND_NAME_MAX], uint32_t level, uint32_t kib)
{
    const bool whole = kib % 1024 == 0;
    char text[24];

    if (kib == 0) {
        snprintf(text, sizeof(text), "no-L%u", level);
    } else {
        snprintf(text, sizeof(text), "L%u-%u%s", level, whole ? kib / 1024 : kib,
                 whole ? "M" : "K");
    }
    append(name, text);
}

const char *cpu_kind_name(const struct cpu_kinds *kinds, size_t index, char name[CPU_KIND_NAME_MAX])
{
    unsigned same = namesakes(kinds, index);
    char number[16];

    if (kinds->count < 2) {
        return strcpy(name, "all");
    }
    strcpy(name, class_name(kinds, &kinds->kind[index]));
    for (uint32_t level = LEVEL_THIRD; level > 0 && same != 0; level--) {
        const unsigned left = of_this_size(kinds, index, level, same);

        if (left != same) {
            append_size(name, level, kib_of(&kinds->kind[index], level));
        }
        same = left;
    }
    if (same != 0) {
        snprintf(number, sizeof(number), "kind-%u", (unsigned)index);
        strcpy(name, class_name(kinds, &kinds->kind[index]));
        append(name, number);
    }
    return name;
}
