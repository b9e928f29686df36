/* SPDX-License-Identifier: BSD-2-Clause */
/* Implements, on Linux, the kernel's mechanisms that benches use. */
#include <errno.h>
#include <inttypes.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/sysinfo.h>

#include "kernel/cpu/names.h"
#include "kernel/cpu/prefetcher.h"
#include "kernel/cpu/simd.h"
#include "kernel/pmu/pmu.h"
#include "kernel/run/counting.h"
#include "kernel/run/names.h"
#include "kernel/run/window.h"

#define KIB 1024u
#define MIB (1024u * KIB)
#define GIB (1024u * MIB)
/* position of the logarithm of a huge page's size in mmap's flags (mmap(2), MAP_HUGE_2MB) */
#define HUGE_SHIFT 26
#define WHY_MAX    120

/*
 * kernel/run/window.h on Linux: pages from mmap(), and a check that they are of the requested kind.
 * A program gets only write-back memory.
 */

static const size_t page_bytes[WINDOW_PAGES] = {4 * KIB, 2 * MIB, GIB};
static const int page_shift[WINDOW_PAGES] = {12, 21, 30};

static void *mapping; /* NULL: no window is open */
static size_t mapped;

/* Returns half of the memory that is free now; the rest is left to other programs. If pages of this
 * size come only from a pool, there may be less. */
size_t window_bytes_max(enum window_page page)
{
    struct sysinfo info;

    if (sysinfo(&info) != 0) {
        return 0;
    }
    const size_t half = (size_t)info.freeram * info.mem_unit / 2;

    return half / page_bytes[page] * page_bytes[page];
}

/* Returns AnonHugePages of the mapping that begins at `address`, from /proc/self/smaps, or 0 if it
 * is not stated there. */
static size_t huge_bytes_of(uintptr_t address)
{
    FILE *smaps = fopen("/proc/self/smaps", "r");
    char line[512];
    bool inside = false;
    size_t kib = 0;

    if (smaps == NULL) {
        return 0;
    }
    while (kib == 0 && fgets(line, sizeof(line), smaps) != NULL) {
        uintptr_t start;
        uintptr_t end;

        if (sscanf(line, "%" SCNxPTR "-%" SCNxPTR " ", &start, &end) == 2) {
            inside = start <= address && address < end;
        } else if (inside) {
            sscanf(line, "AnonHugePages: %zu kB", &kib);
        }
    }
    fclose(smaps);
    return kib * KIB;
}

static bool map(size_t bytes, int flags)
{
    void *memory =
        mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | flags, -1, 0);

    if (memory == MAP_FAILED) {
        return false;
    }
    mapping = memory;
    mapped = bytes;
    return true;
}

static void unmap(void)
{
    munmap(mapping, mapped);
    mapping = NULL;
}

/* Maps pages of 2 MiB that Linux makes from small ones. Returns NULL on success, otherwise the
 * reason. */
static const char *map_transparent(struct window *window, size_t bytes)
{
    const size_t page = page_bytes[WINDOW_2M];
    static char why[WHY_MAX];

    if (!map(bytes + page, 0)) {
        return strerror(errno);
    }
    const uintptr_t start = ((uintptr_t)mapping + page - 1) / page * page;

    window->base = (void *)start;
    if (madvise(window->base, bytes, MADV_HUGEPAGE) != 0) {
        unmap();
        return "no transparent huge pages in this Linux";
    }
    memset(window->base, 0, bytes);
    const size_t huge = huge_bytes_of(start);

    if (huge < bytes) {
        snprintf(why, sizeof(why), "Linux used huge pages for only %zu of %zu KiB", huge / KIB,
                 bytes / KIB);
        unmap();
        return why;
    }
    return NULL;
}

static const char *map_small(struct window *window, size_t bytes)
{
    if (!map(bytes, 0)) {
        return strerror(errno);
    }
    madvise(mapping, bytes, MADV_NOHUGEPAGE);
    window->base = memset(mapping, 0, bytes);
    return NULL;
}

const char *window_open(struct window *window, enum window_page page, enum window_type type,
                        size_t bytes)
{
    if (type != WINDOW_WRITE_BACK) {
        return "Linux does not let a program choose the type of its memory";
    }
    const size_t whole = (bytes + page_bytes[page] - 1) / page_bytes[page] * page_bytes[page];

    window->bytes =
        (bytes + page_bytes[WINDOW_4K] - 1) / page_bytes[WINDOW_4K] * page_bytes[WINDOW_4K];
    /* The pages come from the pool of huge pages, if the machine has one. They are populated,
     * because a page missing later would cause a SIGBUS. */
    if (page != WINDOW_4K &&
        map(whole, MAP_HUGETLB | MAP_POPULATE | (page_shift[page] << HUGE_SHIFT))) {
        window->base = mapping;
        return NULL;
    }
    return page == WINDOW_4K   ? map_small(window, whole)
           : page == WINDOW_2M ? map_transparent(window, whole)
                               : "Linux has no such pages set aside (hugetlbfs: nr_hugepages)";
}

void window_close(struct window *window)
{
    (void)window;
    unmap();
}

size_t window_page_bytes(enum window_page page)
{
    return page_bytes[page];
}

const char *window_page_name(enum window_page page)
{
    static const char *const names[WINDOW_PAGES] = {PAGE_NAME_4K, PAGE_NAME_2M, PAGE_NAME_1G};

    return names[page];
}

const char *window_type_name(enum window_type type)
{
    static const char *const names[WINDOW_TYPES] = {TYPE_NAME_WB, TYPE_NAME_WC, TYPE_NAME_UC};

    return names[type];
}

/*
 * kernel/pmu/pmu.h on Linux, as far as benches use it. No counter is available, because Linux does
 * not expose their registers.
 */

const struct pmu *pmu_state(void)
{
    static const struct pmu none = {.reason = "Linux does not expose the counters"};

    return &none;
}

bool pmu_counter_takes(unsigned counter, const struct event_code *code)
{
    (void)counter;
    (void)code;
    return false;
}

bool pmu_assign(unsigned counter, const struct event_code *code, uint8_t *vector)
{
    (void)counter;
    (void)code;
    *vector = 0;
    return false;
}

void pmu_start(void)
{
}

void pmu_stop(void)
{
}

uint64_t pmu_smi_count(void)
{
    return 0;
}

const struct counting_pass *counting_current(void)
{
    return NULL;
}

/*
 * kernel/cpu/simd.h on Linux, which has already enabled what the processor has. This only asks.
 */

const char *simd_enable(enum simd_level level, struct simd_state *before)
{
    *before = (struct simd_state){.level = SIMD_NONE};
    /* __builtin_cpu_supports() also checks XCR0, so that AVX counts only if Linux saves its
     * registers */
    __builtin_cpu_init();
    if (level == SIMD_AVX2 && !__builtin_cpu_supports("avx2")) {
        return "the processor or Linux offers no AVX2";
    }
    if (level == SIMD_AVX512 && !__builtin_cpu_supports("avx512f")) {
        return "the processor or Linux offers no AVX-512F";
    }
    return NULL;
}

void simd_restore(const struct simd_state *before)
{
    (void)before;
}

const char *simd_name(enum simd_level level)
{
    static const char *const names[SIMD_LEVELS] = {SIMD_NAME_NONE, SIMD_NAME_SSE, SIMD_NAME_AVX2,
                                                   SIMD_NAME_AVX512};

    return names[level];
}

/* kernel/cpu/prefetcher.h on Linux. */

const char *prefetchers_off(const struct cpu_identity *identity)
{
    (void)identity;
    return "Linux does not let a program switch the prefetchers";
}

void prefetchers_restore(void)
{
}
