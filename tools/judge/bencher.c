/* SPDX-License-Identifier: BSD-2-Clause */
#include "tools/judge/bencher.h"

#include <ctype.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "kernel/link/names.h"
#include "kernel/run/names.h"
#include "tools/base/alloc.h"
#include "tools/base/json.h"
#include "tools/base/sort.h"
#include "tools/stats/summary.h"

#define MEASURE_MAX 64 /* Bencher's */

static const char exact_unit[] = "instructions";

/* Small letters and digits of the unit, joined by "-". */
static void put_slug(const char *unit, char *slug, size_t size)
{
    size_t used = 0;

    for (; *unit != '\0' && used + 1 < size; unit++) {
        if (isalnum((unsigned char)*unit)) {
            slug[used++] = (char)tolower((unsigned char)*unit);
        } else if (used > 0 && slug[used - 1] != '-') {
            slug[used++] = '-';
        }
    }
    slug[used] = '\0';
}

static const char *measure_of(const struct history *history, const struct history_series *series,
                              const char *ending, char measure[MEASURE_MAX])
{
    const char *kind = history->groups[0].kind;
    const bool bare = strcmp(kind, TIME_REAL) == 0 || strcmp(series->unit, exact_unit) == 0;
    char unit[MEASURE_MAX / 2];

    put_slug(strcmp(series->unit, UNIT_NANOSECOND) == 0 ? "latency" : series->unit, unit,
             sizeof(unit));
    snprintf(measure, MEASURE_MAX, "%.16s%s%s%s", bare ? "" : kind, bare ? "" : "-", unit, ending);
    return measure;
}

static void put_metric(struct json *json, const char *measure, double value, double low,
                       double high)
{
    json_object(json, measure);
    json_real(json, "value", value);
    if (isfinite(low) && isfinite(high)) {
        json_real(json, "lower_value", low);
        json_real(json, "upper_value", high);
    }
    json_close(json);
}

/* The figures of a series in all runs, sorted: NAN are left out. */
struct spread {
    size_t n;
    double *values, *p99;
    size_t p99_count;
    double max;
    const struct history_value *first;
};

static void spread_of(const struct history *history, size_t series, struct spread *spread)
{
    *spread = (struct spread){
        .values = alloc_zeroed((history->run_count + 1) * sizeof(double)),
        .p99 = alloc_zeroed((history->run_count + 1) * sizeof(double)),
        .max = NAN,
    };
    for (size_t i = 0; i < history->run_count; i++) {
        const struct history_value *value = history_value_in(&history->runs[i], series);

        if (value == NULL) {
            continue;
        }
        spread->first = spread->n == 0 ? value : spread->first;
        spread->values[spread->n++] = value->value;
        spread->max = fmax(spread->max, value->max);
        if (!isnan(value->p99)) {
            spread->p99[spread->p99_count++] = value->p99;
        }
    }
    sort_reals(spread->values, spread->n);
    sort_reals(spread->p99, spread->p99_count);
}

static void put_series(struct json *json, const struct history *history, size_t index)
{
    const struct history_series *series = &history->series[index];
    char measure[MEASURE_MAX];
    struct spread spread;

    spread_of(history, index, &spread);
    if (spread.n > 0) {
        const bool one = history->run_count == 1;

        json_object(json, series->name);
        put_metric(json, measure_of(history, series, "", measure),
                   summary_quantile_of(spread.values, spread.n, 0.5),
                   one ? spread.first->low : spread.values[0],
                   one ? spread.first->high : spread.values[spread.n - 1]);
        if (spread.p99_count == spread.n) {
            put_metric(json, measure_of(history, series, "-p99", measure),
                       summary_quantile_of(spread.p99, spread.n, 0.5), one ? NAN : spread.p99[0],
                       one ? NAN : spread.p99[spread.n - 1]);
        }
        if (!isnan(spread.max)) {
            put_metric(json, measure_of(history, series, "-max", measure), spread.max, NAN, NAN);
        }
        json_close(json);
    }
    free(spread.values);
    free(spread.p99);
}

void history_bencher(FILE *out, const struct history *history)
{
    struct json json;

    json_start(&json, out);
    json_object(&json, NULL);
    for (size_t i = 0; i < history->series_count; i++) {
        put_series(&json, history, i);
    }
    json_close(&json);
}
