/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * What benches of several processors measured (processors.h) as JSON, in ticks: members "matrices"
 * of lines and "skews" of ipi. Nothing without them.
 */
#include "tools/present/reading.h"

#include <string.h>

#include "bench/system/host/processors.h"
#include "bench/system/names.h"

#define DECIMALS 3

static void put_relation(struct json *json, const struct line_matrix *matrix,
                         enum line_relation relation)
{
    struct line_summary summary;

    line_summary(matrix, relation, &summary);
    if (summary.pairs == 0) {
        return;
    }
    json_object(json, NULL);
    json_text(json, "processors", line_relation_name(relation));
    json_unsigned(json, "pairs", summary.pairs);
    json_number(json, "min", summary.min, DECIMALS);
    json_number(json, "median", summary.median, DECIMALS);
    json_number(json, "max", summary.max, DECIMALS);
    json_number(json, "asymmetry", summary.asymmetry, DECIMALS);
    json_close(json);
}

static void put_medians(struct json *json, const struct line_matrix *matrix, size_t a)
{
    json_array(json, NULL);
    for (size_t b = 0; b < matrix->count; b++) {
        if (a == b) {
            json_null(json, NULL);
        } else {
            json_number(json, NULL, line_trip(matrix, a, b)->median, DECIMALS);
        }
    }
    json_close(json);
}

static void put_matrix(struct json *json, const struct run_bench *bench, const char *name)
{
    struct line_matrix matrix;

    if (!line_matrix_read(bench, name, &matrix)) {
        return;
    }
    json_object(json, NULL);
    json_text(json, "name", name);
    json_array(json, "number");
    for (size_t i = 0; i < matrix.count; i++) {
        json_signed(json, NULL, matrix.number[i]);
    }
    json_close(json);
    json_array(json, "median");
    for (size_t a = 0; a < matrix.count; a++) {
        put_medians(json, &matrix, a);
    }
    json_close(json);
    json_array(json, "relations");
    for (enum line_relation relation = 0; relation < LINE_RELATIONS; relation++) {
        put_relation(json, &matrix, relation);
    }
    json_close(json);
    json_close(json);
    line_matrix_free(&matrix);
}

static void put_skews(struct json *json, const struct run_bench *bench)
{
    const struct run_series *numbers = run_find_series(bench, SERIES_NUMBER);

    json_array(json, "skews");
    for (size_t i = 1; numbers != NULL && i < numbers->received; i++) {
        struct skew skew;

        if (skew_read(bench, numbers->samples[i], &skew)) {
            json_object(json, NULL);
            json_signed(json, "number", numbers->samples[i]);
            json_number(json, "ticks", skew.ticks, DECIMALS);
            json_number(json, "bound", skew.bound, DECIMALS);
            json_close(json);
        }
    }
    json_close(json);
}

static void processors_json(struct json *json, const struct run *run, const struct run_bench *bench)
{
    (void)run;
    if (strcmp(bench->name, BENCH_LINES) == 0) {
        json_array(json, "matrices");
        put_matrix(json, bench, SERIES_STORE);
        put_matrix(json, bench, SERIES_CAS);
        for (size_t i = 0; i < bench->series_count; i++) {
            char what[LINE_WHAT_MAX];

            if (line_at_node(bench->series[i].name, what)) {
                put_matrix(json, bench, bench->series[i].name);
            }
        }
        json_close(json);
    } else if (strcmp(bench->name, BENCH_IPI) == 0) {
        put_skews(json, bench);
    }
}

READING_REGISTER(processors_json) = {.order = 60, .json = processors_json};
