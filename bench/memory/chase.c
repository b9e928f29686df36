/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * bench chase: what a load costs that waits for the load before it, by the size of the memory that
 * the loads go through, their order, the page size, the memory type, and with the prefetchers off.
 *
 * In every order, each line of the memory is loaded once per round.
 */
#include <stdio.h>

#include "bench/memory/chain.h"
#include "bench/memory/names.h"
#include "kernel/cpu/cache.h"
#include "kernel/cpu/prefetcher.h"
#include "kernel/run/names.h"
#include "kernel/run/window.h"

#define KIB       1024ull
#define SIZE_MIN  KIB
#define SIZES_MAX 64
/* largest size in exact mode, where all sizes cost the same */
#define SIZE_EXACT   (256 * KIB)
#define SIZE_UNKNOWN (256 * KIB * KIB) /* largest size if CPUID reports no cache */
/* largest size of uncached memory, where the size changes little */
#define SIZE_UNCACHED (16 * KIB)
#define CACHES_BEYOND 8 /* times the size of the largest cache */
#define HOPS          4000
#define HOPS_EXACT    64
#define UNCACHED_PART 8         /* divides the hops, because such a load takes hundreds of ns */
#define WARM_MAX      (1 << 20) /* takes 0.1 s at DRAM's speed */
#define PROOF_BYTES   (4 * KIB)
/* uncached memory must cost at least this many times an L1 load; L1 has 4 or 5 cycles, memory about
 * 200 */
#define PROOF_LEAST 10
#define STRIDE_MAX  (1 << 30)
#define TRIALS_MAX  1000

enum order {
    SEQUENTIAL,
    STRIDED,
    RANDOM,
    ORDERS,
};

static const char *const order_names[] = {ORDER_SEQUENTIAL, ORDER_STRIDED, ORDER_RANDOM};

/* what one curve measures */
struct kind {
    enum order order;
    enum window_page page;
    enum window_type type;
    bool prefetchers_off;
};

struct settings {
    uint64_t bytes; /* the largest size, if there is that much memory */
    uint64_t hops;
    uint64_t stride; /* in lines */
    size_t trials;
    unsigned orders, pages, types; /* bit i selects value i of the enums above */
};

/* Returns the next size of 1, 1.5, 2, 3, 4, 6, ... KiB. */
static uint64_t next_size(uint64_t size)
{
    return (size & (size - 1)) == 0 ? size / 2 * 3 : size / 3 * 4;
}

static void curve_name(const struct kind *kind, char name[CHAIN_NAME_MAX])
{
    snprintf(name, CHAIN_NAME_MAX, "%s.%s.%s%s", order_names[kind->order],
             window_page_name(kind->page), window_type_name(kind->type),
             kind->prefetchers_off ? SUFFIX_NOPF : "");
}

static void measure_sizes(struct chain_curve *curve, const struct settings *settings,
                          const struct kind *kind, const struct window *window)
{
    const struct chain chain = {window->base, LINE_BYTES, 0};
    const uint64_t part = kind->type == WINDOW_WRITE_BACK ? 1 : UNCACHED_PART;
    uint64_t random = CHAIN_SEED;
    uint64_t linked = 0;

    for (uint64_t size = SIZE_MIN; size <= window->bytes; size = next_size(size)) {
        const uint64_t lines = size / LINE_BYTES;
        const struct chain_hops hops = {
            .warm = lines < WARM_MAX ? lines : WARM_MAX,
            .timed = settings->hops / part > 0 ? settings->hops / part : 1,
            .places = size / LINE_BYTES,
        };

        if (kind->order == RANDOM) {
            chain_at_random(&chain, linked, lines, &random);
            linked = lines;
        } else {
            chain_by_columns(&chain, lines, kind->order == STRIDED ? settings->stride : 1);
        }
        chain_curve_measure(curve, (int64_t)size, &chain, &hops);
    }
}

/* Returns true if memory that must not be cached costs no more than L1. A hypervisor may accept any
 * page tables and PAT but use separate page tables. Not checked if the TSC counts instructions:
 * then every load costs the same. */
static bool is_cached(const struct kind *kind, const struct window *window)
{
    static char cached[PROOF_BYTES] __attribute__((aligned(PROOF_BYTES)));
    const uint64_t lines = (window->bytes < PROOF_BYTES ? window->bytes : PROOF_BYTES) / LINE_BYTES;

    return kind->type != WINDOW_WRITE_BACK && !bench_counts_instructions() &&
           chain_shortest_round(window->base, lines) <
               PROOF_LEAST * chain_shortest_round(cached, lines);
}

/* Publishes the curve, or that it is absent. Returns false if there is no memory for samples. */
static bool run_kind(const struct bench_run *run, const struct settings *settings,
                     const struct kind *kind)
{
    const uint64_t most = window_bytes_max(kind->page);
    const uint64_t wanted = kind->type != WINDOW_WRITE_BACK && settings->bytes > SIZE_UNCACHED
                                ? SIZE_UNCACHED
                                : settings->bytes;
    struct chain_curve curve;
    struct window window;
    char name[CHAIN_NAME_MAX];

    curve_name(kind, name);
    if (!chain_curve_create(&curve, name, UNIT_BYTE, SIZES_MAX, settings->trials)) {
        return false;
    }
    const char *why =
        window_open(&window, kind->page, kind->type, most != 0 && most < wanted ? most : wanted);

    if (why != NULL) {
        bench_absent(run, name, why);
        return true;
    }
    if (is_cached(kind, &window)) {
        window_close(&window);
        bench_absent(run, name,
                     "a load costs no more than from L1: a hypervisor ignores the memory type");
        return true;
    }
    measure_sizes(&curve, settings, kind, &window);
    window_close(&window);
    chain_curve_publish(run, &curve);
    return true;
}

/* Selects write-back in every order and page size, and the other types in one order and page size,
 * because neither caches nor, noticeably, translation add to their cost. */
static bool is_wanted(const struct settings *settings, const struct kind *kind)
{
    const enum order last = settings->orders >> RANDOM & 1    ? RANDOM
                            : settings->orders >> STRIDED & 1 ? STRIDED
                                                              : SEQUENTIAL;
    const bool first_page = (settings->pages & ((1u << kind->page) - 1)) == 0;

    return (settings->orders >> kind->order & 1) != 0 && (settings->pages >> kind->page & 1) != 0 &&
           (settings->types >> kind->type & 1) != 0 &&
           (kind->type == WINDOW_WRITE_BACK || (kind->order == last && first_page));
}

/* Measures all curves of a type, with the prefetchers as they are now. */
static bool run_type(const struct bench_run *run, const struct settings *settings,
                     enum window_type type, bool prefetchers_are_off)
{
    for (unsigned page = 0; page < WINDOW_PAGES; page++) {
        for (unsigned order = 0; order < ORDERS; order++) {
            const struct kind kind = {(enum order)order, (enum window_page)page, type,
                                      prefetchers_are_off};

            if (is_wanted(settings, &kind) && !run_kind(run, settings, &kind)) {
                return false;
            }
        }
    }
    return true;
}

static bool run_without_prefetchers(const struct bench_run *run, const struct settings *settings,
                                    const struct cpu_identity *identity)
{
    const char *why = prefetchers_off(identity);

    if (why != NULL) {
        bench_absent(run, "nopf", why);
        return true;
    }
    const bool good = run_type(run, settings, WINDOW_WRITE_BACK, true);

    prefetchers_restore();
    return good;
}

static void read_settings(const struct bench_run *run, const struct cpu_identity *identity,
                          struct settings *settings)
{
    const uint64_t largest = caches_largest(cpuid_instruction, identity);

    *settings = (struct settings){
        .bytes = chain_default(bench_number(run, "max_kib") * KIB,
                               largest != 0 ? CACHES_BEYOND * largest : SIZE_UNKNOWN, SIZE_EXACT),
        .hops = chain_default(bench_number(run, "hops"), HOPS, HOPS_EXACT),
        .stride = (bench_number(run, "stride") + LINE_BYTES - 1) / LINE_BYTES,
        .trials = bench_number(run, "trials"),
        .orders = bench_words(run, "orders"),
        .pages = bench_words(run, "pages"),
        .types = bench_words(run, "types"),
    };
}

static enum bench_state run(struct bench_run *run)
{
    struct cpu_identity identity;
    struct settings settings;

    cpu_identify(cpuid_instruction, &identity);
    bool good = true;

    read_settings(run, &identity, &settings);
    bench_fact(run, "line_bytes", UNIT_BYTE, LINE_BYTES);
    bench_fact(run, "stride_bytes", UNIT_BYTE, (int64_t)(settings.stride * LINE_BYTES));
    for (unsigned type = 0; type < WINDOW_TYPES && good; type++) {
        good = run_type(run, &settings, (enum window_type)type, false);
    }
    good = good && run_without_prefetchers(run, &settings, &identity);
    return good ? chain_judge(run) : bench_error(run, "no memory for %zu trials", settings.trials);
}

static const struct bench_param params[] = {
    {"max_kib", "0", "largest size in KiB; 0: 8 times the largest cache, or 256 without caches",
     PARAM_NUMBER(0, 1 << 30)},
    {"hops", "0", "loads in a trial; 0: 4000, or 64 without caches", PARAM_NUMBER(0, 1 << 30)},
    {"trials", "15", "trials for each size, each with once and twice as many loads",
     PARAM_NUMBER(1, TRIALS_MAX)},
    {"stride", "1024", "bytes between loads in order strided",
     PARAM_NUMBER(LINE_BYTES, STRIDE_MAX)},
    {"orders", ORDER_SEQUENTIAL "," ORDER_STRIDED "," ORDER_RANDOM, "orders of the loads, a,b,c",
     PARAM_WORDS(ORDER_SEQUENTIAL "," ORDER_STRIDED "," ORDER_RANDOM)},
    {"pages", CHAIN_PAGES, "page sizes, a,b,c", PARAM_WORDS(CHAIN_PAGES)},
    {"types", TYPE_NAME_WB "," TYPE_NAME_WC "," TYPE_NAME_UC,
     "memory types, a,b,c: write-back, write-combining, uncached (the last two up to 16 KiB and in "
     "one order)",
     PARAM_WORDS(TYPE_NAME_WB "," TYPE_NAME_WC "," TYPE_NAME_UC)},
    {0},
};

static const struct bench_estimate estimates[] = {
    {ORDER_RANDOM "." PAGE_NAME_2M "." TYPE_NAME_WB, 3, 80, UNIT_NANOSECOND,
     "load, DEC, JNZ; for the largest size: L3 lookup 20 and DRAM 60"},
    {ORDER_RANDOM "." PAGE_NAME_4K "." TYPE_NAME_WB, 3, 100, UNIT_NANOSECOND,
     "as with 2m, plus a page walk from L2 or L3 for each load"},
    {ORDER_RANDOM "." PAGE_NAME_1G "." TYPE_NAME_WB, 3, 80, UNIT_NANOSECOND,
     "as with 2m: few translations are missing"},
    {ORDER_SEQUENTIAL "." PAGE_NAME_2M "." TYPE_NAME_WB "@1024", 3, 2, UNIT_NANOSECOND,
     "16 lines: L1, 4 or 5 cycles"},
    {ORDER_SEQUENTIAL "." PAGE_NAME_2M "." TYPE_NAME_WB, 3, 5, UNIT_NANOSECOND,
     "the next line is prefetched before it is needed"},
    {ORDER_STRIDED "." PAGE_NAME_2M "." TYPE_NAME_WB, 3, 15, UNIT_NANOSECOND,
     "every sixteenth line: prefetched only within a page"},
    {ORDER_SEQUENTIAL "." PAGE_NAME_4K "." TYPE_NAME_WB, 3, 6, UNIT_NANOSECOND,
     "as with 2m, plus a page walk for every 64 lines"},
    {ORDER_STRIDED "." PAGE_NAME_4K "." TYPE_NAME_WB, 3, 40, UNIT_NANOSECOND,
     "four lines per page: the first of each page is not prefetched and needs a page walk"},
    {ORDER_RANDOM "." PAGE_NAME_4K "." TYPE_NAME_WC, 3, 150, UNIT_NANOSECOND,
     "DRAM each time, without looking for copies in the caches"},
    {ORDER_RANDOM "." PAGE_NAME_4K "." TYPE_NAME_UC, 3, 150, UNIT_NANOSECOND,
     "DRAM each time, one load after the other"},
    {0},
};

static const struct bench chase = {
    .name = BENCH_CHASE,
    .group = GROUP_MEMORY,
    .summary = "latency of a load by size, order, page size and memory type",
    .unit = UNIT_TICK,
    .estimate =
        "3 instructions per hop at every size, order, page size and memory type; on silicon 4 or 5 "
        "cycles within L1, 12 to 16 within L2, 40 to 70 within L3, and 60 to 120 ns beyond",
    .params = params,
    .estimates = estimates,
    .counted = true,
    .run = run,
};
BENCH_REGISTER(chase);
