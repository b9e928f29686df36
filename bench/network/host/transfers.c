/* SPDX-License-Identifier: BSD-2-Clause */
#include "bench/network/host/transfers.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "bench/network/host/paths.h"
#include "bench/network/host/round_trips.h"
#include "bench/network/names.h"
#include "kernel/run/names.h"
#include "tools/base/sort.h"

#define THOUSAND     1e3
#define NS_OF_SECOND 1e9

const char *const transfer_bounds[TRANSFER_BOUNDS] = {"window", "wire", "copy", "stack"};

static const char *const bound_facts[BOUND_STACK] = {FACT_BOUND_WINDOW, FACT_BOUND_WIRE,
                                                     FACT_BOUND_COPY};

/* ---- names ---- */

/* Parses "total.PATH.WINDOW.SIZE". */
static bool read_name(const char *name, struct transfer *transfer)
{
    static const char before[] = FACT_NET_TOTAL ".";

    if (strncmp(name, before, sizeof(before) - 1) != 0) {
        return false;
    }
    name += sizeof(before) - 1;
    for (size_t i = 0; i < NETWORK_PATHS; i++) {
        const size_t length = strlen(network_paths[i]);

        if (strncmp(name, network_paths[i], length) == 0 && name[length] == '.') {
            transfer->path = network_paths[i];
            name += length + 1;
            break;
        }
    }
    return transfer->path != NULL && read_number(&name, &transfer->window) && *name++ == '.' &&
           read_number(&name, &transfer->message) && *name == '\0';
}

/* ---- one transfer ---- */

/* Reads the bound of a path and window, or else of the whole bench. */
static bool bound_fact(const struct run_bench *bench, const struct transfer *transfer,
                       enum transfer_bound bound, int64_t *value)
{
    const struct run_fact *fact = run_find_fact(bench, bound_facts[bound]);
    char of[NETWORK_NAME_MAX];

    snprintf(of, sizeof(of), "%s.%" PRId64, transfer->path, transfer->window);
    if (path_fact(bench, bound_facts[bound], of, value)) {
        return true;
    }
    *value = fact != NULL ? fact->value : 0;
    return fact != NULL;
}

/* Returns the bound in bytes per tick; facts have bytes per second. */
static double bound_of(const struct run *run, const struct run_bench *bench,
                       const struct transfer *transfer, enum transfer_bound bound)
{
    const double ns_per_tick = run_ns_per_tick(run);
    int64_t value;

    if (!bound_fact(bench, transfer, bound, &value) || value <= 0 || ns_per_tick <= 0) {
        return NAN;
    }
    return (double)value * ns_per_tick / NS_OF_SECOND;
}

static void read_again(const struct run_bench *bench, const char *of, struct transfer *transfer)
{
    const struct run_series *again = series_of(bench, SERIES_SENT_AGAIN, of);

    transfer->counted = again != NULL;
    for (size_t i = 0; again != NULL && i < again->n; i++) {
        transfer->again += again->samples[i];
        transfer->outliers += again->samples[i] > 0;
    }
}

static void read_transfer(const struct run *run, const struct run_bench *bench,
                          struct transfer *transfer)
{
    char of[NETWORK_NAME_MAX];

    snprintf(of, sizeof(of), "%s.%" PRId64 ".%" PRId64, transfer->path, transfer->window,
             transfer->message);
    const struct run_series *block = series_of(bench, SERIES_NET_BLOCK, of);
    const bool known =
        path_fact(bench, FACT_NET_BYTES, of, &transfer->bytes) && transfer->total > 0;

    transfer->rate = known ? (double)transfer->bytes / (double)transfer->total : (double)NAN;
    path_fact(bench, FACT_SHORTEST, of, &transfer->shortest);
    read_again(bench, of, transfer);
    if (block != NULL) {
        statistics_of(block->samples, block->n, &transfer->block);
    }
    transfer->bound[BOUND_STACK] = NAN;
    for (enum transfer_bound i = 0; i < BOUND_STACK; i++) {
        transfer->bound[i] = bound_of(run, bench, transfer, i);
    }
}

static size_t place_of(const char *path)
{
    size_t place = 0;

    while (place < NETWORK_PATHS && network_paths[place] != path) {
        place++;
    }
    return place;
}

static int order_of(int64_t a, int64_t b)
{
    return (a > b) - (a < b);
}

static int compare_transfers(const void *left, const void *right)
{
    const struct transfer *a = left;
    const struct transfer *b = right;
    const int by_path = order_of((int64_t)place_of(a->path), (int64_t)place_of(b->path));
    const int by_window = order_of(a->window, b->window);

    if (by_path != 0) {
        return by_path;
    }
    return by_window != 0 ? by_window : order_of(a->message, b->message);
}

/* Returns the rate of the same transfer on loop-back, or NaN if there is none. */
static double rate_on_loopback(const struct transfer *transfers, size_t count,
                               const struct transfer *transfer)
{
    for (size_t i = 0; i < count; i++) {
        if (strcmp(transfers[i].path, PATH_LOOPBACK) == 0 &&
            transfers[i].window == transfer->window && transfers[i].message == transfer->message) {
            return transfers[i].rate;
        }
    }
    return NAN;
}

size_t transfers_read(const struct run *run, const struct run_bench *bench,
                      struct transfer transfers[TRANSFERS_MAX])
{
    size_t count = 0;

    for (size_t i = 0; i < bench->fact_count && count < TRANSFERS_MAX; i++) {
        struct transfer *transfer = &transfers[count];

        *transfer = (struct transfer){.total = bench->facts[i].value};
        if (read_name(bench->facts[i].name, transfer)) {
            read_transfer(run, bench, transfer);
            count++;
        }
    }
    sort_stable(transfers, count, sizeof(transfers[0]), compare_transfers);
    for (size_t i = 0; i < count; i++) {
        if (strcmp(transfers[i].path, PATH_PAIR) == 0) {
            transfers[i].bound[BOUND_STACK] = rate_on_loopback(transfers, count, &transfers[i]);
        }
    }
    return count;
}

enum transfer_bound transfer_binds(const struct transfer *transfer)
{
    enum transfer_bound least = TRANSFER_BOUNDS;

    for (enum transfer_bound i = 0; i < TRANSFER_BOUNDS; i++) {
        const bool lower = least == TRANSFER_BOUNDS || transfer->bound[i] < transfer->bound[least];

        least = isfinite(transfer->bound[i]) && lower ? i : least;
    }
    return least;
}

struct transfer_scale transfer_scale(const struct run *run)
{
    const double per_instruction = run_ticks_per_instruction(run);
    const double ns_per_tick = run_ns_per_tick(run);

    if (per_instruction > 0) {
        return (struct transfer_scale){THOUSAND * per_instruction, "B/1000 instructions"};
    }
    return ns_per_tick > 0 ? (struct transfer_scale){THOUSAND / ns_per_tick, UNIT_MB_PER_S}
                           : (struct transfer_scale){1, "B/tick"};
}

bool transfer_losses(const struct run_bench *bench, const char *path, char *text, size_t size)
{
    int64_t sent;
    int64_t lost;
    int64_t again;
    int64_t twice;
    int64_t outliers;

    if (!path_fact(bench, FACT_DATA_AGAIN, path, &again) ||
        !path_fact(bench, FACT_OUTLIERS, path, &outliers)) {
        return false;
    }
    if (path_fact(bench, FACT_DATA_SENT, path, &sent) &&
        path_fact(bench, FACT_DATA_LOST, path, &lost) &&
        path_fact(bench, FACT_DATA_TWICE, path, &twice)) {
        snprintf(
            text, size,
            "%s: of %" PRId64 " frames with data %" PRId64 " were lost; %" PRId64
            " segments were sent again, %" PRId64 " of which had arrived: %s; outliers: %" PRId64,
            path, sent, lost, again, twice, again == lost + twice ? "agrees" : "DIFFERS", outliers);
    } else {
        snprintf(text, size, "%s: %" PRId64 " segments were sent again; outliers: %" PRId64, path,
                 again, outliers);
    }
    return true;
}

bool transfer_shows_fact(const struct run_fact *fact)
{
    static const char *const names[] = {
        FACT_MEANWHILE,    FACT_UNANSWERED, FACT_NET_TOTAL, FACT_NET_BYTES, FACT_BOUND_WIRE,
        FACT_BOUND_WINDOW, FACT_BOUND_COPY, FACT_SHORTEST,  FACT_OUTLIERS,  FACT_DATA_AGAIN,
        FACT_DATA_SENT,    FACT_DATA_LOST,  FACT_DATA_TWICE};

    return path_shows_fact(fact) || is_named(fact->name, names, sizeof(names) / sizeof(names[0]));
}
