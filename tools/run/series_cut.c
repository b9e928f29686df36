/* SPDX-License-Identifier: BSD-2-Clause */
#include "tools/run/series_cut.h"

#include <stdio.h>
#include <string.h>

#include "bench/interactive/names.h"
#include "bench/noise/names.h"
#include "kernel/run/names.h"
#include "tools/base/sort.h"

#define FILE_BYTES (8 << 20) /* series larger than this are written to a file */
#define FOLLOWERS  6
#define FACT_MAX   128

/* A series of ascending times, and the series whose samples belong to these times. With several
 * processors each has such series, with a suffix: "gap_time.2". */
struct timed {
    const char *leader;
    bool traced;         /* times count from the start of the trace */
    const char *shifted; /* another series of times; negative ones mean none */
    const char *followers[FOLLOWERS];
    const char *prefix; /* series whose names begin with this also follow; NULL: none */
};

static const struct timed table[] = {
    {SERIES_INTENDED,
     true,
     SERIES_WRITTEN,
     {SERIES_SENT, SERIES_COLD, SERIES_ACTION, SERIES_CLASS, SERIES_PHASE},
     NULL},
    {SERIES_STAMP_FROM, true, SERIES_STAMP_TO, {SERIES_STAMP_NUMBER}, NULL},
    {SERIES_COUNTED_AT, true, NULL, {NULL}, SERIES_COUNTED_AT "."},
    {SERIES_GAP_TIME, false, NULL, {SERIES_GAP_LENGTH, SERIES_GAP_SMI}, PREFIX_CAUSE},
    {SERIES_WORST_TIME, false, NULL, {SERIES_WORST_LENGTH, SERIES_WORST_SMI}, PREFIX_WORST_CAUSE},
};

static void shift_fact(struct run_bench *bench, const char *name, int64_t by)
{
    for (size_t i = 0; i < bench->fact_count; i++) {
        if (strcmp(bench->facts[i].name, name) == 0) {
            bench->facts[i].value += by;
        }
    }
}

/* Keeps only samples [first, last), and subtracts `by` from those that are not negative. */
static void keep(struct run_bench *bench, struct run_series *series, size_t first, size_t last,
                 int64_t by)
{
    struct samples_writer writer;
    struct run_series kept = *series;
    char fact[FACT_MAX];
    bool good = true;

    samples_open(&writer, (last - first) * sizeof(int64_t) > FILE_BYTES);
    for (size_t i = first; i < last && good; i++) {
        const int64_t sample = series->samples[i];
        const int64_t shifted = sample >= 0 ? sample - by : sample;

        good = samples_add(&writer, &shifted, 1);
    }
    samples_free(series);
    kept.mapped = 0;
    if (!samples_close(&writer, &kept) || !good) {
        /* some samples could not be read back, so that no sample has a known place */
        samples_free(&kept);
    }
    *series = kept;
    series->n = (uint32_t)series->received;
    series->range_count = series->n > 0 ? 1 : 0;
    if (series->n > 0) {
        series->ranges[0] = (struct run_range){0, series->n};
    }
    series->crc = run_series_crc(series);
    snprintf(fact, sizeof(fact), FACT_SAMPLED_BEFORE "%.80s", series->name);
    shift_fact(bench, fact, -(int64_t)first);
}

/* ---- times ---- */

/* Returns what follows `name` in the text, or NULL if the text does not begin with it. */
static const char *suffix_of(const char *text, const char *name)
{
    const size_t length = strlen(name);

    return strncmp(text, name, length) == 0 && (text[length] == '\0' || text[length] == '.')
               ? text + length
               : NULL;
}

static bool names_it(const char *text, const char *name, const char *suffix)
{
    const char *rest = name != NULL ? suffix_of(text, name) : NULL;

    return rest != NULL && strcmp(rest, suffix) == 0;
}

/* Does the name begin with the prefix and end with the suffix or, if the suffix is empty, not end
 * with a number? */
static bool is_prefixed(const char *text, const char *prefix, const char *suffix)
{
    const char *dot = strrchr(text, '.');
    const bool numbered = dot != NULL && dot[1] >= '0' && dot[1] <= '9';

    return prefix != NULL && strncmp(text, prefix, strlen(prefix)) == 0 &&
           (*suffix == '\0' ? !numbered : numbered && strcmp(dot, suffix) == 0);
}

static bool follows(const struct timed *timed, const char *name, const char *suffix)
{
    return is_prefixed(name, timed->prefix, suffix) ||
           SEARCH_ANY(i, FOLLOWERS, names_it(name, timed->followers[i], suffix));
}

/* Returns the index of the first sample that is at least `time`. */
static size_t place_of(const struct run_series *times, uint64_t time)
{
    size_t at = 0;

    while (at < times->received &&
           (times->samples[at] < 0 || (uint64_t)times->samples[at] < time)) {
        at++;
    }
    return at;
}

static void cut_timed(struct run_bench *bench, const struct timed *timed, struct run_series *leader,
                      const char *suffix, uint64_t from, uint64_t to)
{
    const uint32_t n = leader->n;
    const bool whole = run_series_whole(leader);
    const size_t first = whole ? place_of(leader, from) : 0;
    const size_t last = whole ? place_of(leader, to) : 0;
    const int64_t by = timed->traced && from <= INT64_MAX ? (int64_t)from : 0;

    for (size_t i = 0; i < bench->series_count; i++) {
        struct run_series *series = &bench->series[i];
        const bool shifted = series == leader || names_it(series->name, timed->shifted, suffix);

        if ((shifted || follows(timed, series->name, suffix)) && series->n == n) {
            const bool all = whole && run_series_whole(series);

            keep(bench, series, all ? first : 0,
                 all && last > first ? last
                 : all               ? first
                                     : 0,
                 shifted ? by : 0);
        }
    }
}

/* ---- the idle loop ---- */

/* Finds the samples that lie wholly in the window: first to last. Returns the ticks before the
 * first. */
static uint64_t place_samples(const struct run_series *series, uint64_t origin, uint64_t from,
                              uint64_t to, size_t *first, size_t *last)
{
    uint64_t end = origin;
    uint64_t begin = origin;
    size_t i = 0;

    for (; i < series->received && end < from; i++) {
        end += (uint64_t)series->samples[i];
    }
    *first = i;
    begin = end;
    for (; i < series->received && end + (uint64_t)series->samples[i] <= to; i++) {
        end += (uint64_t)series->samples[i];
    }
    *last = i;
    return begin;
}

static bool is_positive(const struct run_series *series)
{
    uint64_t sum = 0;

    for (size_t i = 0; i < series->received; i++) {
        if (series->samples[i] < 0 || sum + (uint64_t)series->samples[i] > INT64_MAX) {
            return false;
        }
        sum += (uint64_t)series->samples[i];
    }
    return true;
}

static void cut_idle(struct run_bench *bench, uint64_t from, uint64_t to)
{
    struct run_series *idle = run_find_series(bench, SERIES_IDLE);
    const struct run_fact *origin = run_find_fact(bench, FACT_IDLE_ORIGIN);
    size_t first = 0;
    size_t last = 0;

    if (idle == NULL || origin == NULL) {
        return;
    }
    const uint32_t n = idle->n;
    const bool placed = run_series_whole(idle) && origin->value >= 0 && is_positive(idle);
    const uint64_t begin =
        placed ? place_samples(idle, (uint64_t)origin->value, from, to, &first, &last) : from;

    for (size_t i = 0; i < bench->series_count; i++) {
        struct run_series *series = &bench->series[i];
        const bool counts = series->of != NULL && strcmp(series->of, SERIES_IDLE) == 0;

        if ((series == idle || counts) && series->n == n) {
            const bool whole = placed && run_series_whole(series);

            keep(bench, series, whole ? first : 0, whole ? last : 0, 0);
        }
    }
    shift_fact(bench, FACT_IDLE_ORIGIN, (int64_t)(begin - from) - origin->value);
}

void series_cut(struct run_bench *bench, bool traced, uint64_t from, uint64_t to)
{
    if (traced) {
        cut_idle(bench, from, to);
    }
    for (size_t t = 0; t < sizeof(table) / sizeof(table[0]); t++) {
        const struct timed *timed = &table[t];

        for (size_t i = 0; i < bench->series_count && traced == timed->traced; i++) {
            struct run_series *series = &bench->series[i];
            const char *suffix = suffix_of(series->name, timed->leader);

            if (suffix != NULL && series->of == NULL) {
                cut_timed(bench, timed, series, suffix, from, to);
            }
        }
    }
}
