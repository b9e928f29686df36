/* SPDX-License-Identifier: BSD-2-Clause */
#include "bench/system/host/processors.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "bench/system/names.h"
#include "kernel/link/names.h"
#include "kernel/run/names.h"
#include "tools/base/alloc.h"
#include "tools/base/sort.h"
#include "tools/run/run_kind.h"
#include "tools/stats/statistics.h"
#include "tools/stats/summary.h"

#define NAME_MAX_BYTES 64

const char *processor_kind(const struct run *run, int64_t number)
{
    char name[NAME_MAX_BYTES];

    snprintf(name, sizeof(name), FACT_PROCESSOR_KIND ".%" PRId64, number);
    return run_pair_value(&run->machine, name);
}

const char *processor_label(const struct run *run, int64_t number, char label[PROCESSOR_LABEL_MAX])
{
    const char *kind = processor_kind(run, number);

    snprintf(label, PROCESSOR_LABEL_MAX, "%" PRId64 "%s%.52s", number, kind != NULL ? " " : "",
             kind != NULL ? kind : "");
    return label;
}

/* Returns the position of this kind in the run's list; SIZE_MAX, after all others, if it is not
 * listed. */
static size_t rank_of(const struct run *run, const char *kind)
{
    const size_t prefix = strlen(FACT_KIND ".");

    for (size_t i = 0; kind != NULL && i < run->machine.count; i++) {
        const char *key = run->machine.item[i].key;

        if (strncmp(key, FACT_KIND ".", prefix) == 0 && strcmp(key + prefix, kind) == 0) {
            return i;
        }
    }
    return SIZE_MAX;
}

size_t *processors_by_kind(const struct run *run, const int64_t *numbers, size_t count)
{
    size_t *order = alloc_zeroed((count + 1) * sizeof(*order));
    size_t *rank = alloc_zeroed((count + 1) * sizeof(*rank));

    for (size_t i = 0; i < count; i++) {
        size_t at = i;

        rank[i] = rank_of(run, processor_kind(run, numbers[i]));
        for (; at > 0 && rank[order[at - 1]] > rank[i]; at--) {
            order[at] = order[at - 1];
        }
        order[at] = i;
    }
    free(rank);
    return order;
}

static bool is_same(const char *a, const char *b)
{
    return a == NULL || b == NULL ? a == b : strcmp(a, b) == 0;
}

void processors_kinds_text(const struct run *run, const int64_t *numbers, size_t count,
                           char text[KINDS_TEXT_MAX])
{
    size_t used = 0;

    text[0] = '\0';
    for (size_t i = 0, next; i < count && used < KINDS_TEXT_MAX; i = next) {
        const char *kind = processor_kind(run, numbers[i]);

        for (next = i + 1; next < count && is_same(kind, processor_kind(run, numbers[next]));) {
            next++;
        }
        if (kind == NULL && next - i == count) {
            return;
        }
        used += (size_t)snprintf(text + used, KINDS_TEXT_MAX - used, "%s%zu %.52s",
                                 i > 0 ? ", " : "", next - i, kind != NULL ? kind : "of no kind");
    }
}

const struct contention_primitive contention_primitives[CONTENTION_PRIMITIVES] = {
    {CURVE_SPIN_LOCK, "spin lock"}, {CURVE_TICKET_LOCK, "ticket lock"}, {CURVE_BARRIER, "barrier"}};

#define COUNT_MAX  4096
#define AT_NODE    ".node."
#define BY_STORE   "store and load"
#define BY_CAS     "LOCK CMPXCHG"
#define DIGITS_MAX 10

/* Returns the samples of a complete series `name` with *n samples, otherwise NULL. If *n is 0,
 * accepts any number above 0 and sets *n. */
static const int64_t *samples_of(const struct run_bench *bench, const char *name, size_t *n)
{
    const struct run_series *series = run_find_series(bench, name);

    if (series == NULL || series->n == 0 || !run_series_whole(series) ||
        (*n != 0 && series->n != *n)) {
        return NULL;
    }
    *n = series->n;
    return series->samples;
}

static int64_t fact_of(const struct run_bench *bench, const char *name)
{
    const struct run_fact *fact = run_find_fact(bench, name);

    return fact != NULL && fact->value > 0 && fact->value <= COUNT_MAX * COUNT_MAX ? fact->value
                                                                                   : 0;
}

static struct line_trip trip_of(const int64_t *samples, size_t trials, int64_t repetitions)
{
    struct statistics statistics;

    statistics_of(samples, trials, &statistics);
    return (struct line_trip){
        .median = (double)statistics.median / (double)repetitions,
        .min = (double)statistics.min / (double)repetitions,
        .max = (double)statistics.max / (double)repetitions,
    };
}

bool line_matrix_read(const struct run_bench *bench, const char *name, struct line_matrix *matrix)
{
    const int64_t repetitions = fact_of(bench, FACT_REPETITIONS);
    const size_t trials = (size_t)fact_of(bench, FACT_TRIALS);
    size_t count = 0;

    *matrix = (struct line_matrix){.trials = trials};
    matrix->number = samples_of(bench, SERIES_NUMBER, &count);
    if (matrix->number == NULL || count > COUNT_MAX || trials == 0 || repetitions == 0) {
        return false;
    }
    size_t all = count * count * trials;
    const int64_t *samples = samples_of(bench, name, &all);

    matrix->count = count;
    matrix->package = samples_of(bench, SERIES_PACKAGE, &count);
    matrix->core = samples_of(bench, SERIES_CORE, &count);
    if (samples == NULL || matrix->package == NULL || matrix->core == NULL) {
        return false;
    }
    matrix->trips = alloc_zeroed(count * count * sizeof(*matrix->trips));
    for (size_t i = 0; i < count * count; i++) {
        matrix->trips[i] = trip_of(samples + i * trials, trials, repetitions);
    }
    return true;
}

/* Returns the number at the end of METHOD.node.NUMBER, or NULL if the name has another form. */
static const char *node_of(const char *series, const char *method)
{
    const size_t length = strlen(method);

    if (strncmp(series, method, length) != 0 ||
        strncmp(series + length, AT_NODE, strlen(AT_NODE)) != 0) {
        return NULL;
    }
    const char *node = series + length + strlen(AT_NODE);

    return *node != '\0' && strspn(node, "0123456789") == strlen(node) ? node : NULL;
}

/* Returns true, and sets `what`, if the series has the line in the memory of one node. */
static bool is_at_node(const char *series, char what[LINE_WHAT_MAX])
{
    const char *store = node_of(series, SERIES_STORE);
    const char *node = store != NULL ? store : node_of(series, SERIES_CAS);

    if (node == NULL || strlen(node) > DIGITS_MAX) {
        return false;
    }
    snprintf(what, LINE_WHAT_MAX, "%s, with the line in memory of node %s",
             store != NULL ? BY_STORE : BY_CAS, node);
    return true;
}

const char *line_matrix_at(const struct run_bench *bench, size_t index, char what[LINE_WHAT_MAX])
{
    static const char *const methods[][2] = {{SERIES_STORE, BY_STORE}, {SERIES_CAS, BY_CAS}};

    if (index < 2) {
        snprintf(what, LINE_WHAT_MAX, "%s", methods[index][1]);
        return methods[index][0];
    }
    for (size_t i = 0; i < bench->series_count; i++) {
        if (is_at_node(bench->series[i].name, what) && index-- == 2) {
            return bench->series[i].name;
        }
    }
    return NULL;
}

void line_matrix_free(struct line_matrix *matrix)
{
    free(matrix->trips);
    free(matrix->sorted);
    matrix->trips = NULL;
    matrix->sorted = NULL;
}

void line_matrix_sort(struct line_matrix *matrix, const struct run *run)
{
    const size_t n = matrix->count;
    size_t *order = processors_by_kind(run, matrix->number, n);
    struct line_trip *trips = alloc_zeroed(n * n * sizeof(*trips));
    int64_t *sorted = alloc_zeroed(3 * n * sizeof(*sorted));

    for (size_t i = 0; i < n; i++) {
        sorted[i] = matrix->number[order[i]];
        sorted[n + i] = matrix->package[order[i]];
        sorted[2 * n + i] = matrix->core[order[i]];
        for (size_t k = 0; k < n; k++) {
            trips[i * n + k] = matrix->trips[order[i] * n + order[k]];
        }
    }
    line_matrix_free(matrix);
    matrix->trips = trips;
    matrix->sorted = sorted;
    matrix->number = sorted;
    matrix->package = sorted + n;
    matrix->core = sorted + 2 * n;
    free(order);
}

const struct line_trip *line_trip(const struct line_matrix *matrix, size_t a, size_t b)
{
    return &matrix->trips[a * matrix->count + b];
}

enum line_relation line_relation(const struct line_matrix *matrix, size_t a, size_t b)
{
    if (matrix->package[a] != matrix->package[b]) {
        return LINE_OTHER_PACKAGE;
    }
    return matrix->core[a] != matrix->core[b] ? LINE_SAME_PACKAGE : LINE_SAME_CORE;
}

const char *line_relation_name(enum line_relation relation)
{
    static const char *const names[] = {"of one core", "of one package", "of two packages"};

    return names[relation];
}

double line_asymmetry(const struct line_matrix *matrix, size_t a, size_t b)
{
    const double there = line_trip(matrix, a, b)->median;
    const double back = line_trip(matrix, b, a)->median;
    const double less = there < back ? there : back;

    return there == back || less <= 0 ? 0 : (there < back ? back - there : there - back) / less;
}

void line_summary(const struct line_matrix *matrix, enum line_relation relation,
                  struct line_summary *summary)
{
    double *medians = alloc_zeroed(matrix->count * matrix->count * sizeof(*medians));
    size_t trips = 0;

    *summary = (struct line_summary){0};
    for (size_t a = 0; a < matrix->count; a++) {
        for (size_t b = a + 1; b < matrix->count; b++) {
            if (line_relation(matrix, a, b) == relation) {
                const double asymmetry = line_asymmetry(matrix, a, b);

                summary->pairs++;
                summary->asymmetry =
                    asymmetry > summary->asymmetry ? asymmetry : summary->asymmetry;
                medians[trips++] = line_trip(matrix, a, b)->median;
                medians[trips++] = line_trip(matrix, b, a)->median;
            }
        }
    }
    if (trips > 0) {
        sort_reals(medians, trips);
        summary->min = medians[0];
        summary->median = summary_quantile_of(medians, trips, 0.5);
        summary->max = medians[trips - 1];
    }
    free(medians);
}

double processor_median(const struct run_bench *bench, const char *name, int64_t number)
{
    char full[NAME_MAX_BYTES];
    size_t n = 0;

    snprintf(full, sizeof(full), "%s.%" PRId64, name, number);
    const int64_t *samples = samples_of(bench, full, &n);

    return samples != NULL ? (double)statistics_median(samples, n) : (double)NAN;
}

bool skew_read(const struct run_bench *bench, int64_t number, struct skew *skew)
{
    char name[NAME_MAX_BYTES];
    size_t n = 0;
    size_t best = 0;

    snprintf(name, sizeof(name), SERIES_SKEW ".%" PRId64, number);
    const int64_t *skews = samples_of(bench, name, &n);

    snprintf(name, sizeof(name), SERIES_SKEW_BOUND ".%" PRId64, number);
    const int64_t *bounds = skews != NULL ? samples_of(bench, name, &n) : NULL;

    if (bounds == NULL) {
        return false;
    }
    for (size_t i = 1; i < n; i++) {
        best = bounds[i] < bounds[best] ? i : best;
    }
    *skew = (struct skew){.ticks = (double)skews[best], .bound = (double)bounds[best]};
    return true;
}

double one_way(const struct run_bench *bench, int64_t number)
{
    struct skew skew;

    if (!skew_read(bench, number, &skew)) {
        return NAN;
    }
    const double ticks = processor_median(bench, SERIES_THERE, number) - skew.ticks;

    return ticks > skew.bound ? ticks : (double)NAN;
}

const char *processors_note(const struct run *run)
{
    if (run_is_exact(run)) {
        return "emulated processors, run in turn by one thread, which switches to the next at "
               "PAUSE and HLT: the values are instructions of all sides, and no processor ever "
               "waits for a cache line";
    }
    if (run_time(run) == RUN_TIME_EMULATED) {
        return "emulated processors (TCG, one host thread each): the values show the emulator, and "
               "the host's scheduler if it has fewer processors";
    }
    return NULL;
}
