/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * bench tlb: what a load costs that waits for the load before it, with one line per page in random
 * order, by the number of pages. The cost rises when the TLB no longer holds all their
 * translations.
 *
 * The place of the line moves from page to page, so that the lines spread evenly over all sets of
 * the caches, as those of a chase do (chain_offset()). A chase of as many consecutive lines, which
 * need few translations, shows which part of a rise is due to the caches.
 */
#include "bench/memory/chain.h"
#include "bench/memory/names.h"
#include "kernel/run/names.h"
#include "kernel/run/window.h"

#define POINTS_MAX  64
#define PAGES_ALL   8192
#define PAGES_EXACT 32
#define BYTES_MAX   (1ull << 32) /* limit, unless the plan sets the number of pages */
#define HOPS        4000
#define HOPS_EXACT  64
#define TRIALS_MAX  1000

struct settings {
    uint64_t pages; /* 0: not set by the plan */
    uint64_t hops;
    size_t trials;
};

/* Returns the next of 1, 2, 3, 4, 6, 8, 12, ... */
static uint64_t next_count(uint64_t count)
{
    if (count == 1) {
        return 2;
    }
    return (count & (count - 1)) == 0 ? count / 2 * 3 : count / 3 * 4;
}

static uint64_t least(uint64_t a, uint64_t b)
{
    return a < b ? a : b;
}

static uint64_t pages_of(const struct settings *settings, enum window_page page)
{
    const uint64_t bytes = window_page_bytes(page);
    const uint64_t wanted =
        settings->pages != 0 ? settings->pages
                             : least(chain_default(0, PAGES_ALL, PAGES_EXACT), BYTES_MAX / bytes);
    const uint64_t most = window_bytes_max(page) / bytes;

    return most != 0 ? least(wanted, most) : wanted;
}

static void measure_counts(struct chain_curve *curve, const struct settings *settings,
                           enum window_page page, const struct window *window, uint64_t pages)
{
    const struct chain chain = {window->base, window_page_bytes(page), CHAIN_SLIP};
    uint64_t random = CHAIN_SEED;
    uint64_t linked = 0;

    for (uint64_t count = 1; count <= pages; count = next_count(count)) {
        const struct chain_hops hops = {.warm = count, .timed = settings->hops, .places = count};

        chain_at_random(&chain, linked, count, &random);
        linked = count;
        chain_curve_measure(curve, (int64_t)count, &chain, &hops);
    }
}

/* Publishes the curve, or that it is absent. Returns false if there is no memory for samples. */
static bool run_page(const struct bench_run *run, const struct settings *settings,
                     enum window_page page)
{
    const uint64_t pages = pages_of(settings, page);
    struct chain_curve curve;
    struct window window;

    if (!chain_curve_create(&curve, window_page_name(page), "page", POINTS_MAX, settings->trials)) {
        return false;
    }
    const char *why =
        window_open(&window, page, WINDOW_WRITE_BACK, pages * window_page_bytes(page));

    if (why != NULL) {
        bench_absent(run, curve.name, why);
        return true;
    }
    measure_counts(&curve, settings, page, &window, pages);
    window_close(&window);
    chain_curve_publish(run, &curve);
    return true;
}

static enum bench_state run(struct bench_run *run)
{
    const struct settings settings = {
        .pages = bench_number(run, "max_pages"),
        .hops = chain_default(bench_number(run, "hops"), HOPS, HOPS_EXACT),
        .trials = bench_number(run, "trials"),
    };
    const unsigned wanted = bench_words(run, "pages");
    bool good = true;

    bench_fact(run, "line_bytes", UNIT_BYTE, LINE_BYTES);
    for (unsigned page = 0; page < WINDOW_PAGES && good; page++) {
        if ((wanted >> page & 1) != 0) {
            good = run_page(run, &settings, (enum window_page)page);
        }
    }
    return good ? chain_judge(run) : bench_error(run, "no memory for %zu trials", settings.trials);
}

static const struct bench_param params[] = {
    {"max_pages", "0",
     "largest number of pages, limited by the memory; 0: 8192, at most 4 GiB, or 32 without caches",
     PARAM_NUMBER(0, 1 << 24)},
    {"hops", "0", "loads in a trial; 0: 4000, or 64 without caches", PARAM_NUMBER(0, 1 << 30)},
    {"trials", "9", "trials for each number of pages, each with once and twice as many loads",
     PARAM_NUMBER(1, TRIALS_MAX)},
    {"pages", CHAIN_PAGES, "page sizes, a,b,c", PARAM_WORDS(CHAIN_PAGES)},
    {0},
};

static const struct bench_estimate estimates[] = {
    {PAGE_NAME_4K "@1", 3, 2, UNIT_NANOSECOND, "a page: L1, and the TLB holds it"},
    {PAGE_NAME_4K, 3, 20, UNIT_NANOSECOND,
     "8192 pages: L2 5, a page walk 15 with its entries in L2 and L3"},
    {PAGE_NAME_2M, 3, 15, UNIT_NANOSECOND,
     "2048 pages: L2 5, a page walk 10 with its entries in L2"},
    {PAGE_NAME_1G, 3, 2, UNIT_NANOSECOND, "a few pages: L1, and the TLB holds all translations"},
    {0},
};

static const struct bench tlb = {
    .name = BENCH_TLB,
    .group = GROUP_MEMORY,
    .summary = "reach of the TLB: latency of a load by number of pages, one line per page",
    .unit = UNIT_TICK,
    .estimate = "3 instructions per hop everywhere; on silicon 4 or 5 cycles up to 64 pages of 4 "
                "KiB, about 7 more up to 1536 or 2048, and a page walk of 10 to 30 ns beyond",
    .params = params,
    .estimates = estimates,
    .counted = true,
    .run = run,
};
BENCH_REGISTER(tlb);
