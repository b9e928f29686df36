/* SPDX-License-Identifier: BSD-2-Clause */
#include "bench/disk/host/disk_load.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "bench/disk/names.h"
#include "kernel/block/disk_timing.h"
#include "kernel/run/names.h"
#include "tools/base/alloc.h"
#include "tools/base/sort.h"
#include "tools/run/curves.h"
#include "tools/sim/engine/closed.h"

/* parameters of a simulation */
#define REPLICATIONS 4
#define READS        2000 /* reads of each replication */
#define LEFT_OUT     200
#define SEED         1

/* ---- loads ---- */

/* Returns the mean ticks of a read while the disk has nothing else to do, or NaN if unknown. */
static double single_service(const struct run_bench *bench)
{
    const struct run_series *device = disk_series(bench, SPAN_DEVICE, 1);

    return device != NULL ? disk_mean(device->samples, device->n) : (double)NAN;
}

static void read_load(const struct run_bench *bench, struct disk_load *load)
{
    const struct run_series *law = disk_series(bench, SERIES_LAW, load->threads);
    const struct run_series *think = disk_series(bench, SERIES_THINK, load->threads);
    const struct run_series *read = disk_series(bench, SERIES_READ, load->threads);

    load->service = law != NULL ? disk_mean(law->samples, law->n) : single_service(bench);
    load->think = think != NULL ? disk_mean(think->samples, think->n) : 0;
    if (read != NULL) {
        statistics_of(read->samples, read->n, &load->response);
    }
}

static int compare_loads(const void *left, const void *right)
{
    const int64_t a = ((const struct disk_load *)left)->threads;
    const int64_t b = ((const struct disk_load *)right)->threads;

    return (a > b) - (a < b);
}

size_t disk_loads_read(const struct run_bench *bench, struct disk_load loads[DISK_POINTS_MAX])
{
    struct curve curve;

    if (!curve_read(bench, CURVE_BLOCK, &curve)) {
        return 0;
    }
    const size_t count = curve.points < DISK_POINTS_MAX ? curve.points : DISK_POINTS_MAX;

    for (size_t i = 0; i < count; i++) {
        loads[i] = (struct disk_load){.threads = curve.x[i], .block = curve_median(&curve, i)};
        read_load(bench, &loads[i]);
    }
    curve_free(&curve);
    sort_stable(loads, count, sizeof(loads[0]), compare_loads);
    return count;
}

/* ---- bounds ---- */

uint32_t disk_servers(const struct run_bench *bench)
{
    const char *model = run_find_param(bench, FOUND_MODEL);
    const struct disk_timing *timing = model != NULL ? disk_timing_named(model) : NULL;

    return timing != NULL ? timing->servers : 0;
}

double disk_bound_threads(const struct disk_load *load)
{
    return load->threads > 0 ? (load->service + load->think) / (double)load->threads : (double)NAN;
}

double disk_bound_servers(const struct disk_load *load, uint32_t servers)
{
    return servers > 0 ? load->service / servers : (double)NAN;
}

/* ---- the closed system ---- */

struct customer {
    int64_t thread;
    size_t next;  /* index of its next read; n: none */
    double ready; /* time when it has finished thinking */
};

static size_t next_of(const int64_t *thread, size_t n, int64_t of, size_t from)
{
    while (from < n && thread[from] != of) {
        from++;
    }
    return from;
}

/* Returns one customer for each thread, in the order of their first reads, at most DISK_THREADS_MAX
 * + 1; the caller frees the array. */
static struct customer *customers_of(const int64_t *thread, const int64_t *think, size_t n,
                                     size_t *count)
{
    struct customer *customers = alloc_zeroed((DISK_THREADS_MAX + 1) * sizeof(*customers));

    *count = 0;
    for (size_t i = 0; i < n && *count <= DISK_THREADS_MAX; i++) {
        size_t k = 0;

        while (k < *count && customers[k].thread != thread[i]) {
            k++;
        }
        if (k == *count) {
            customers[(*count)++] =
                (struct customer){thread[i], i, think != NULL ? (double)think[i] : 0};
        }
    }
    return customers;
}

/* Returns the customer that asks first; ties go to the first in the list. Returns NULL if all have
 * read. */
static struct customer *first_ready(struct customer *customers, size_t count, size_t n)
{
    struct customer *first = NULL;

    for (size_t i = 0; i < count; i++) {
        if (customers[i].next < n && (first == NULL || customers[i].ready < first->ready)) {
            first = &customers[i];
        }
    }
    return first;
}

static size_t first_free(const double *free_at, uint32_t servers)
{
    size_t first = 0;

    for (size_t i = 1; i < servers; i++) {
        first = free_at[i] < free_at[first] ? i : first;
    }
    return first;
}

bool disk_closed_follow(const int64_t *thread, const int64_t *think, const int64_t *service,
                        size_t n, uint32_t servers, struct disk_closed *closed)
{
    double *free_at = alloc_zeroed(servers * sizeof(*free_at));
    size_t count;
    struct customer *customers = customers_of(thread, think, n, &count);
    struct customer *customer;
    double end = 0;
    double responses = 0;

    while (count <= DISK_THREADS_MAX && (customer = first_ready(customers, count, n)) != NULL) {
        const size_t i = customer->next;
        const size_t server = first_free(free_at, servers);
        const double done = fmax(customer->ready, free_at[server]) + (double)service[i];

        free_at[server] = done;
        responses += done - customer->ready;
        end = fmax(end, done);
        customer->next = next_of(thread, n, customer->thread, i + 1);
        customer->ready =
            done + (think != NULL && customer->next < n ? (double)think[customer->next] : 0);
    }
    *closed = (struct disk_closed){end / (double)n, responses / (double)n};
    free(customers);
    free(free_at);
    return count <= DISK_THREADS_MAX;
}

bool disk_closed_of(const struct run_bench *bench, const struct disk_load *load, uint32_t servers,
                    struct disk_closed *closed)
{
    const struct run_series *thread = disk_series(bench, SERIES_THREAD_OF, load->threads);
    const struct run_series *law = disk_series(bench, SERIES_LAW, load->threads);
    const struct run_series *think = disk_series(bench, SERIES_THINK, load->threads);

    if (servers == 0 || thread == NULL || law == NULL || thread->n != law->n ||
        (think != NULL && think->n != law->n)) {
        return false;
    }
    return disk_closed_follow(thread->samples, think != NULL ? think->samples : NULL, law->samples,
                              law->n, servers, closed);
}

bool disk_simulated(const struct disk_load *load, const struct disk_load *one, uint32_t servers,
                    struct disk_closed *closed)
{
    const struct sim_closed model = {
        .population = (size_t)load->threads,
        .servers = servers,
        .think = load->think,
        .work = fmax(0, one->block - one->service - one->think),
        .service = load->service,
        .replications = REPLICATIONS,
        .reads = READS,
        .left_out = LEFT_OUT,
        .seed = SEED,
    };
    struct sim_closed_result result;
    char error[SIM_LAW_ERROR_MAX];

    if (one->threads != 1 || servers == 0 || load->threads < 1 || !(load->service > 0) ||
        !sim_closed_simulate(&model, &result, error)) {
        return false;
    }
    *closed = (struct disk_closed){result.between.value, result.mean.value};
    return true;
}

/* ---- estimates ---- */

bool disk_load_expected(const struct view *view, const struct run_bench *bench,
                        const struct disk_load *load, double *ticks)
{
    char name[DISK_NAME_MAX];

    snprintf(name, sizeof(name), CURVE_BLOCK "@%" PRId64, load->threads);
    const struct run_expect *expect = run_find_expect(bench, name);

    if (load->think > 0 || expect == NULL || !expect->has_value || expect->unit == NULL) {
        return false;
    }
    const bool ns = strcmp(expect->unit, UNIT_NANOSECOND) == 0;

    *ticks = ns ? (double)expect->value / view->ns_per_tick : (double)expect->value;
    return (ns && view->ns_per_tick > 0) || strcmp(expect->unit, UNIT_TICK) == 0;
}
