/* SPDX-License-Identifier: BSD-2-Clause */
#include "tools/export/export_csv.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "tools/base/alloc.h"
#include "tools/base/csv.h"
#include "tools/base/interrupt.h"
#include "tools/base/sort.h"
#include "tools/base/texts.h"
#include "tools/run/run_kind.h"
#include "tools/run/series.h"
#include "tools/stats/statistics.h"
#include "tools/stats/summary.h"

#define BUFFER_BYTES  65536
#define DIGITS_MAX    20
#define LOOK_UP_EVERY 65536 /* samples, for an interruption */

/* "BENCH,PASS,SERIES,UNIT,TIME," */
static void put_series_fields(FILE *out, const struct run *run, const struct run_bench *bench,
                              const struct run_series *series)
{
    csv_field(out, bench->name);
    fprintf(out, ",%" PRIu32 ",", bench->pass);
    csv_field(out, series->name);
    fputc(',', out);
    csv_field(out, series->unit);
    fputc(',', out);
    csv_field(out, run_time_name(run));
    fputc(',', out);
}

/* ---- samples ---- */

/* Lines of one series: each begins with the same text. */
struct lines {
    FILE *out;
    char *prefix;
    size_t prefix_length;
    char *buffer; /* BUFFER_BYTES and a line */
    size_t used;
    uint64_t count;
};

static char *put_digits(char *at, uint64_t value)
{
    char digits[DIGITS_MAX];
    size_t count = 0;

    do {
        digits[count++] = (char)('0' + value % 10);
        value /= 10;
    } while (value > 0);
    while (count > 0) {
        *at++ = digits[--count];
    }
    return at;
}

/* False where the user had enough. */
static bool put_line(struct lines *lines, uint32_t index, int64_t value)
{
    char *at = lines->buffer + lines->used;

    memcpy(at, lines->prefix, lines->prefix_length);
    at = put_digits(at + lines->prefix_length, index);
    *at++ = ',';
    if (value < 0) {
        *at++ = '-';
    }
    at = put_digits(at, value < 0 ? -(uint64_t)value : (uint64_t)value);
    *at++ = '\n';
    lines->used = (size_t)(at - lines->buffer);
    if (lines->used >= BUFFER_BYTES) {
        fwrite(lines->buffer, 1, lines->used, lines->out);
        lines->used = 0;
    }
    lines->count++;
    return lines->count % LOOK_UP_EVERY != 0 || !interrupt_seen();
}

static bool put_samples(struct lines *lines, const struct run_series *series)
{
    size_t before = 0;

    for (size_t r = 0; r < series->range_count; r++) {
        const struct run_range *range = &series->ranges[r];

        for (uint32_t i = 0; i < range->count; i++) {
            if (!put_line(lines, range->first + i, series->samples[before + i])) {
                return false;
            }
            if (lines->count % LOOK_UP_EVERY == 0) {
                samples_forget(series, before + i + 1 - LOOK_UP_EVERY, LOOK_UP_EVERY);
            }
        }
        before += range->count;
    }
    return true;
}

static bool put_series_samples(FILE *out, const struct run *run, const struct run_bench *bench,
                               const struct run_series *series)
{
    struct lines lines = {.out = out};
    FILE *prefix = open_memstream(&lines.prefix, &lines.prefix_length);

    put_series_fields(prefix, run, bench, series);
    fclose(prefix);
    lines.buffer = alloc_zeroed(BUFFER_BYTES + lines.prefix_length + 2 * DIGITS_MAX + 4);
    const bool done = put_samples(&lines, series);

    fwrite(lines.buffer, 1, lines.used, out);
    free(lines.buffer);
    free(lines.prefix);
    return done;
}

bool export_csv_samples(FILE *out, const struct run *run, const char *bench)
{
    fputs("bench,pass,series,unit,time,index,value\n", out);
    for (size_t i = 0; i < run->bench_count; i++) {
        const struct run_bench *wanted = &run->benches[i];

        for (size_t k = 0; k < wanted->series_count && run_bench_is(wanted, bench); k++) {
            if (!put_series_samples(out, run, wanted, &wanted->series[k])) {
                return false;
            }
        }
    }
    return true;
}

/* ---- summaries ---- */

static void put_integer(FILE *out, bool present, int64_t value)
{
    if (present) {
        fprintf(out, "%" PRId64, value);
    }
    fputc(',', out);
}

static void put_number(FILE *out, bool present, double value, char end)
{
    char text[SHORTEST_MAX];

    if (present && isfinite(value)) {
        fputs(shortest_digits(value, text), out);
    }
    fputc(end, out);
}

/* What numbers with a fraction would round: quantiles are integers of the run file. */
struct quantiles {
    int64_t p90, p9999;
    int64_t low, high; /* of the median, where it has an interval */
};

static void quantiles_of(const int64_t *samples, size_t n, const struct summary_quantile *median,
                         struct quantiles *quantiles)
{
    int64_t *sorted = alloc_zeroed((n + 1) * sizeof(*sorted));

    *quantiles = (struct quantiles){0};
    if (n > 0) {
        memcpy(sorted, samples, n * sizeof(*sorted));
        sort_integers(sorted, n);
        quantiles->p90 = statistics_quantile(sorted, n, 90, 100);
        quantiles->p9999 = statistics_quantile(sorted, n, 9999, 10000);
    }
    if (median->has_interval) {
        quantiles->low = sorted[median->low_rank - 1];
        quantiles->high = sorted[median->high_rank - 1];
    }
    free(sorted);
}

static void put_summary(FILE *out, const struct run_series *series)
{
    struct statistics statistics;
    struct summary summary = {0};
    struct quantiles quantiles;
    double *values = alloc_zeroed((series->received + 1) * sizeof(*values));

    for (size_t i = 0; i < series->received; i++) {
        values[i] = (double)series->samples[i];
    }
    statistics_of(series->samples, series->received, &statistics);
    summary_of(values, series->received, &summary);
    quantiles_of(series->samples, series->received, &summary.median, &quantiles);
    const bool any = statistics.n > 0;

    fprintf(out, "%zu,%zu,", statistics.n, series->n - series->received);
    put_integer(out, any, statistics.min);
    put_integer(out, any, statistics.median);
    put_integer(out, any && summary.p90.reported, quantiles.p90);
    put_integer(out, statistics.has_p99, statistics.p99);
    put_integer(out, statistics.has_p999, statistics.p999);
    put_integer(out, any && summary.p9999.reported, quantiles.p9999);
    put_integer(out, any, statistics.max);
    put_integer(out, summary.median.has_interval, quantiles.low);
    put_integer(out, summary.median.has_interval, quantiles.high);
    put_number(out, any, summary.mean, ',');
    put_number(out, any, summary.deviation, ',');
    put_number(out, any, summary.mad, '\n');
    free(values);
}

bool export_csv_summaries(FILE *out, const struct run *run, const char *bench)
{
    fputs("bench,pass,series,unit,time,n,missing,min,median,p90,p99,p999,p9999,max,"
          "median_low,median_high,mean,deviation,mad\n",
          out);
    for (size_t i = 0; i < run->bench_count && !interrupt_seen(); i++) {
        const struct run_bench *wanted = &run->benches[i];

        for (size_t k = 0; k < wanted->series_count && run_bench_is(wanted, bench); k++) {
            put_series_fields(out, run, wanted, &wanted->series[k]);
            put_summary(out, &wanted->series[k]);
        }
    }
    return !interrupt_seen();
}
