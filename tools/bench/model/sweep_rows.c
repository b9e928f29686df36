/* SPDX-License-Identifier: BSD-2-Clause */
#include "tools/bench/model/sweep_rows.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "bench/interactive/names.h"
#include "kernel/link/names.h"
#include "kernel/plan/number.h"
#include "kernel/run/names.h"
#include "tools/base/alloc.h"

#define REASON_MAX     320
#define NAME_MAX_BYTES 128
#define NANO           1e-9
#define MICRO          1e-6
#define MOST           9e18 /* that a sample holds */

static const char nano_unit[] = "1e-9";
static const char micro_unit[] = "1e-6";
static const char time_unit[] = "1e-6 units";
static const char mean_suffix[] = ".mean";

const char *const sweep_measures[SWEEP_MEASURES] = {"mean", "p50", "p90", "p99", "p99.9"};

void sweep_rows_free(struct sweep_rows *rows)
{
    for (size_t i = 0; i < rows->count; i++) {
        free(rows->rows[i].amount);
    }
    for (size_t i = 0; i < rows->subject_count; i++) {
        free(rows->subjects[i]);
    }
    free(rows->rows);
    free(rows->subjects);
    *rows = (struct sweep_rows){0};
}

struct sweep_row *sweep_rows_add(struct sweep_rows *rows)
{
    const size_t amounts = rows->subject_count * SWEEP_MEASURES;

    rows->rows = alloc_append(rows->rows, &rows->count, &rows->capacity, sizeof(*rows->rows));
    struct sweep_row *row = &rows->rows[rows->count - 1];

    row->amount = alloc_zeroed((amounts + 1) * sizeof(*row->amount));
    for (size_t i = 0; i < amounts; i++) {
        row->amount[i] = (struct sweep_amount){NAN, NAN};
    }
    return row;
}

void sweep_rows_add_subject(struct sweep_rows *rows, const char *name)
{
    const size_t size = strlen(name) + 1;

    rows->subjects = alloc_append(rows->subjects, &rows->subject_count, &rows->subject_capacity,
                                  sizeof(*rows->subjects));
    rows->subjects[rows->subject_count - 1] = memcpy(alloc_zeroed(size), name, size);
}

const char *sweep_rows_name(const struct sweep_rows *rows, char name[SWEEP_NAME_MAX])
{
    snprintf(name, SWEEP_NAME_MAX, "%.*s", (int)strcspn(rows->spec, "="), rows->spec);
    return name;
}

/* ---- to a run ---- */

/* Room for a value of each of `n` points; none is there yet. */
static struct run_series *new_series(struct run *run, struct run_bench *bench, const char *name,
                                     const char *unit, size_t n)
{
    struct run_series *series = run_add_series(bench);

    *series = (struct run_series){
        .stream = (uint16_t)bench->series_count,
        .name = run_text(run, name),
        .unit = unit,
        .n = (uint32_t)n,
        .samples = alloc_zeroed((n + 1) * sizeof(*series->samples)),
        .ranges = alloc_zeroed((n + 1) * sizeof(*series->ranges)),
    };
    return series;
}

/* A value at place `index`, behind those that are there. */
static void put(struct run_series *series, uint32_t index, int64_t value)
{
    struct run_range *range = &series->ranges[series->range_count];

    series->samples[series->received++] = value;
    if (series->range_count > 0 && range[-1].first + range[-1].count == index) {
        range[-1].count++;
    } else {
        *range = (struct run_range){index, 1};
        series->range_count++;
    }
}

static void put_scaled(struct run_series *series, uint32_t index, double value, double unit)
{
    const double scaled = value / unit;

    if (fabs(scaled) < MOST) {
        put(series, index, llround(scaled));
    }
}

/* Takes a series that has nothing away again. */
static void end_series(struct run_bench *bench, struct run_series *series)
{
    if (series->received > 0) {
        series->crc = run_series_crc(series);
        return;
    }
    free(series->samples);
    free(series->ranges);
    bench->series_count--;
}

static size_t count_simulated(const struct sweep_rows *rows)
{
    size_t n = 0;

    for (size_t i = 0; i < rows->count; i++) {
        n += rows->rows[i].why == NULL;
    }
    return n;
}

/* What a row has beside its amounts. */
static const struct {
    const char *name;
    const char *unit;
    double scale;
} columns[] = {
    {"point", UNIT_COUNT, 1},         {"setting", nano_unit, NANO},
    {"occupancy", micro_unit, MICRO}, {"replications", UNIT_COUNT, 1},
    {"warm_up", time_unit, MICRO},
};

#define COLUMNS (sizeof(columns) / sizeof(columns[0]))

static double column_of(const struct sweep_row *row, size_t column)
{
    const double values[COLUMNS] = {(double)row->point, row->setting, row->occupancy,
                                    (double)row->replications, row->warm_up};

    return values[column];
}

static void publish_columns(const struct sweep_rows *rows, struct run *run, struct run_bench *bench)
{
    for (size_t c = 0; c < COLUMNS; c++) {
        struct run_series *series =
            new_series(run, bench, columns[c].name, columns[c].unit, count_simulated(rows));
        uint32_t at = 0;

        for (size_t i = 0; i < rows->count; i++) {
            if (rows->rows[i].why == NULL) {
                put_scaled(series, at++, column_of(&rows->rows[i], c), columns[c].scale);
            }
        }
        end_series(bench, series);
    }
}

static void publish_amounts(const struct sweep_rows *rows, struct run *run, struct run_bench *bench,
                            size_t subject, size_t measure, bool half)
{
    char name[NAME_MAX_BYTES];

    snprintf(name, sizeof(name), "%s.%s%s", rows->subjects[subject], sweep_measures[measure],
             half ? ".half" : "");
    struct run_series *series = new_series(run, bench, name, time_unit, count_simulated(rows));
    uint32_t at = 0;

    for (size_t i = 0; i < rows->count; i++) {
        if (rows->rows[i].why == NULL) {
            const struct sweep_amount *amount =
                &rows->rows[i].amount[subject * SWEEP_MEASURES + measure];

            put_scaled(series, at++, half ? amount->half : amount->value, MICRO);
        }
    }
    end_series(bench, series);
}

static void publish_refusals(const struct sweep_rows *rows, struct run *run,
                             struct run_bench *bench)
{
    char name[32];
    char reason[REASON_MAX];

    for (size_t i = 0; i < rows->count; i++) {
        const struct sweep_row *row = &rows->rows[i];

        if (row->why == NULL) {
            continue;
        }
        snprintf(name, sizeof(name), "point %zu", row->point);
        snprintf(reason, sizeof(reason), "%.9g: %s", row->setting, row->why);
        *run_add_absent(bench) = (struct run_absent){run_text(run, name), run_text(run, reason)};
    }
}

static void add_param(struct run *run, struct run_bench *bench, const char *name, const char *value)
{
    *run_add_param(bench) = (struct run_param){name, run_text(run, value), ORIGIN_PLAN};
}

void sweep_rows_publish(const struct sweep_rows *rows, struct run *run)
{
    struct run_bench *bench = run_add_bench(run, SWEEP_BENCH);

    bench->group = "model";
    bench->summary = "what a model gives at several settings of one number";
    bench->unit = time_unit;
    bench->state = STATE_OK;
    add_param(run, bench, "sweep", rows->spec);
    *run_add_fact(bench) = (struct run_fact){"points", (int64_t)rows->points, UNIT_COUNT};
    *run_add_fact(bench) = (struct run_fact){FACT_SEED, (int64_t)rows->seed, UNIT_COUNT};
    publish_refusals(rows, run, bench);
    publish_columns(rows, run, bench);
    for (size_t s = 0; s < rows->subject_count; s++) {
        for (size_t m = 0; m < SWEEP_MEASURES; m++) {
            publish_amounts(rows, run, bench, s, m, false);
            publish_amounts(rows, run, bench, s, m, true);
        }
    }
}

/* ---- from a run ---- */

static bool read_fact(const struct run_bench *bench, const char *name, uint64_t most,
                      uint64_t *value)
{
    const struct run_fact *fact = run_find_fact(bench, name);

    *value = fact != NULL ? (uint64_t)fact->value : 0;
    return fact != NULL && fact->value >= 0 && *value <= most;
}

static bool read_head(const struct run_bench *bench, struct sweep_rows *rows)
{
    uint64_t points;

    rows->spec = run_find_param(bench, "sweep");
    if (rows->spec == NULL || !read_fact(bench, "points", UINT32_MAX, &points) ||
        run_find_fact(bench, FACT_SEED) == NULL) {
        return false;
    }
    rows->seed = (uint64_t)run_find_fact(bench, FACT_SEED)->value;
    rows->points = points;
    return true;
}

/* Each series "SUBJECT.mean" is of a subject. */
static void read_subjects(const struct run_bench *bench, struct sweep_rows *rows)
{
    const size_t end = sizeof(mean_suffix) - 1;
    char name[NAME_MAX_BYTES];

    for (size_t i = 0; i < bench->series_count; i++) {
        const char *series = bench->series[i].name;
        const size_t length = strlen(series);

        if (length > end && length < sizeof(name) &&
            strcmp(series + length - end, mean_suffix) == 0) {
            snprintf(name, sizeof(name), "%.*s", (int)(length - end), series);
            sweep_rows_add_subject(rows, name);
        }
    }
}

static double sample_at(const struct run_bench *bench, const char *name, uint32_t index,
                        double unit)
{
    const struct run_series *series = run_find_series(bench, name);
    int64_t value;

    return series != NULL && run_series_sample(series, index, &value) ? (double)value * unit : NAN;
}

static void read_amounts(const struct run_bench *bench, uint32_t index,
                         const struct sweep_rows *rows, struct sweep_row *row)
{
    char name[NAME_MAX_BYTES + 16];

    for (size_t i = 0; i < rows->subject_count * SWEEP_MEASURES; i++) {
        snprintf(name, sizeof(name), "%s.%s", rows->subjects[i / SWEEP_MEASURES],
                 sweep_measures[i % SWEEP_MEASURES]);
        row->amount[i].value = sample_at(bench, name, index, MICRO);
        snprintf(name, sizeof(name), "%s.%s.half", rows->subjects[i / SWEEP_MEASURES],
                 sweep_measures[i % SWEEP_MEASURES]);
        row->amount[i].half = sample_at(bench, name, index, MICRO);
    }
}

static bool read_simulated(const struct run_bench *bench, struct sweep_rows *rows)
{
    const struct run_series *points = run_find_series(bench, columns[0].name);
    const uint32_t n = points != NULL ? points->n : 0;

    for (uint32_t i = 0; i < n; i++) {
        double value[COLUMNS];

        for (size_t c = 0; c < COLUMNS; c++) {
            value[c] = sample_at(bench, columns[c].name, i, columns[c].scale);
        }
        if (!(value[0] >= 1) || value[0] > (double)rows->points || isnan(value[1]) ||
            !(value[3] >= 1)) {
            return false;
        }
        struct sweep_row *row = sweep_rows_add(rows);

        row->point = (size_t)value[0];
        row->setting = value[1];
        row->occupancy = value[2];
        row->replications = (uint64_t)value[3];
        row->warm_up = value[4];
        read_amounts(bench, i, rows, row);
    }
    return true;
}

/* "point 7": "0.9: why". */
static bool read_refused(const struct run_bench *bench, struct sweep_rows *rows)
{
    static const char prefix[] = "point ";
    uint64_t point;
    char *end;

    for (size_t i = 0; i < bench->absent_count; i++) {
        const struct run_absent *absent = &bench->absents[i];

        if (strncmp(absent->name, prefix, sizeof(prefix) - 1) != 0 || absent->reason == NULL ||
            !parse_unsigned(absent->name + sizeof(prefix) - 1, &point) || point < 1 ||
            point > rows->points) {
            return false;
        }
        struct sweep_row *row = sweep_rows_add(rows);

        row->point = point;
        row->setting = strtod(absent->reason, &end);
        if (strncmp(end, ": ", 2) != 0) {
            return false;
        }
        row->why = end + 2;
    }
    return true;
}

static int by_point(const void *left, const void *right)
{
    const size_t a = ((const struct sweep_row *)left)->point;
    const size_t b = ((const struct sweep_row *)right)->point;

    return a < b ? -1 : a > b;
}

/* Each point once, and no other. */
static bool is_complete(const struct sweep_rows *rows)
{
    for (size_t i = 0; i < rows->count; i++) {
        if (rows->rows[i].point != i + 1) {
            return false;
        }
    }
    return rows->count == rows->points;
}

bool sweep_rows_read(const struct run_bench *bench, struct sweep_rows *rows)
{
    *rows = (struct sweep_rows){0};
    read_subjects(bench, rows);
    bool ok = read_head(bench, rows) && read_simulated(bench, rows) && read_refused(bench, rows);

    if (ok && rows->count > 0) {
        qsort(rows->rows, rows->count, sizeof(*rows->rows), by_point);
    }
    ok = ok && is_complete(rows);
    if (!ok) {
        sweep_rows_free(rows);
    }
    return ok;
}

/* ---- as JSON ---- */

static void put_amounts(const struct sweep_rows *rows, const struct sweep_row *row,
                        struct json *json)
{
    json_object(json, "results");
    for (size_t s = 0; s < rows->subject_count; s++) {
        json_object(json, rows->subjects[s]);
        for (size_t m = 0; m < SWEEP_MEASURES; m++) {
            const struct sweep_amount *amount = &row->amount[s * SWEEP_MEASURES + m];

            json_object(json, sweep_measures[m]);
            json_number(json, "value", amount->value, 6);
            json_number(json, "half_width", amount->half, 6);
            json_close(json);
        }
        json_close(json);
    }
    json_close(json);
}

static void put_row(const struct sweep_rows *rows, const struct sweep_row *row, struct json *json)
{
    json_object(json, NULL);
    json_unsigned(json, "point", row->point);
    json_number(json, "setting", row->setting, 9);
    json_text(json, "refused", row->why);
    if (row->why == NULL) {
        json_number(json, "occupancy", row->occupancy, 6);
        json_unsigned(json, "replications", row->replications);
        json_number(json, "warm_up", row->warm_up, 6);
        put_amounts(rows, row, json);
    }
    json_close(json);
}

void sweep_rows_json(const struct sweep_rows *rows, struct json *json)
{
    char name[SWEEP_NAME_MAX];

    json_object(json, "sweep");
    json_text(json, "of", sweep_rows_name(rows, name));
    json_text(json, "sweep", rows->spec);
    json_unsigned(json, "seed", rows->seed);
    json_unsigned(json, "points", rows->points);
    json_array(json, "rows");
    for (size_t i = 0; i < rows->count; i++) {
        put_row(rows, &rows->rows[i], json);
    }
    json_close(json);
    json_close(json);
}
