/* SPDX-License-Identifier: BSD-2-Clause */
#include "bench/disk/host/disk_reads.h"

#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "bench/disk/names.h"
#include "tools/base/alloc.h"
#include "tools/base/sort.h"
#include "tools/base/texts.h"

#define DECIMAL 10
#define KIB     1024
/* a size closer to a whole number of MiB than a 64th of that is written relative to it */
#define ROUND_SHARE 64

static const char *const disk_spans[DISK_SPANS] = {SPAN_SUBMIT, SPAN_DEVICE, SPAN_INTERRUPT,
                                                   SPAN_WAKE};

/* ---- series ---- */

bool read_number(const char **text, int64_t *value)
{
    char *end;

    if (**text < '0' || **text > '9') {
        return false;
    }
    errno = 0;
    *value = strtoll(*text, &end, DECIMAL);
    *text = end;
    return errno == 0;
}

bool is_named(const char *name, const char *const *names, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        const size_t length = strlen(names[i]);

        if (strncmp(name, names[i], length) == 0 && (name[length] == '.' || name[length] == '\0')) {
            return true;
        }
    }
    return false;
}

/* Reads the number after "NAME.". Returns false if the series has another name. */
static bool read_point(const char *series, const char *name, int64_t *point)
{
    const size_t length = strlen(name);
    const char *at = series + length + 1;

    return strncmp(series, name, length) == 0 && series[length] == '.' && read_number(&at, point) &&
           *at == '\0';
}

size_t disk_add_point(int64_t points[DISK_POINTS_MAX], size_t count, int64_t point)
{
    size_t at = 0;

    while (at < count && points[at] < point) {
        at++;
    }
    if ((at < count && points[at] == point) || count == DISK_POINTS_MAX) {
        return count;
    }
    memmove(&points[at + 1], &points[at], (count - at) * sizeof(points[0]));
    points[at] = point;
    return count + 1;
}

size_t disk_points(const struct run_bench *bench, const char *name, int64_t points[DISK_POINTS_MAX],
                   size_t count)
{
    int64_t point;

    for (size_t i = 0; i < bench->series_count; i++) {
        if (read_point(bench->series[i].name, name, &point)) {
            count = disk_add_point(points, count, point);
        }
    }
    return count;
}

const struct run_series *series_of(const struct run_bench *bench, const char *name, const char *of)
{
    const struct run_series *series = run_series_named(bench, "%s.%s", name, of);

    return series != NULL && series->n > 0 && run_series_whole(series) ? series : NULL;
}

const struct run_series *disk_series(const struct run_bench *bench, const char *name, int64_t point)
{
    char of[DISK_NAME_MAX];

    snprintf(of, sizeof(of), "%" PRId64, point);
    return series_of(bench, name, of);
}

bool disk_value(const struct run_bench *bench, const char *name, int64_t point, int64_t *value)
{
    const struct run_series *series = disk_series(bench, name, point);

    if (series == NULL || series->n != 1) {
        return false;
    }
    *value = series->samples[0];
    return true;
}

/* ---- a whole and its parts ---- */

bool split_of(const struct run_bench *bench, const char *whole, const char *const *names,
              size_t count, const char *of, struct split *split)
{
    const struct run_series *series = series_of(bench, whole, of);

    *split = (struct split){.count = count, .names = names};
    if (series == NULL) {
        return false;
    }
    split->n = series->n;
    split->whole = series->samples;
    for (size_t i = 0; i < count; i++) {
        series = series_of(bench, names[i], of);
        if (series != NULL && series->n != split->n) {
            return false;
        }
        split->part[i] = series != NULL ? series->samples : NULL;
    }
    return true;
}

bool split_has_parts(const struct split *split)
{
    return SEARCH_ANY(i, split->count, split->part[i] != NULL);
}

/* Subtracts; results that exceed 64 bits wrap, as a run may hold any samples. */
static int64_t less(int64_t from, int64_t what)
{
    return (int64_t)((uint64_t)from - (uint64_t)what);
}

void split_residual(const struct split *split, struct statistics *statistics)
{
    int64_t *rest = alloc_zeroed(split->n * sizeof(*rest));

    for (size_t i = 0; i < split->n; i++) {
        rest[i] = split->whole[i];
        for (size_t k = 0; k < split->count; k++) {
            rest[i] = less(rest[i], split->part[k] != NULL ? split->part[k][i] : 0);
        }
    }
    statistics_of(rest, split->n, statistics);
    free(rest);
}

void split_difference(const int64_t *from, const int64_t *what, size_t n,
                      struct statistics *statistics)
{
    int64_t *values = alloc_zeroed(n * sizeof(*values));

    for (size_t i = 0; i < n; i++) {
        values[i] = less(from[i], what[i]);
    }
    statistics_of(values, n, statistics);
    free(values);
}

void split_add_lane(struct figure *figure, const char *name, const char *whole,
                    const struct split *split, const struct figure_scale *scale)
{
    const uint32_t lane = figure_add_lane(figure, name);
    double at = 0;

    if (!split_has_parts(split)) {
        figure_add_span(figure, lane, figure_add_state(figure, whole), 0,
                        (double)statistics_median(split->whole, split->n) * scale->per_tick);
        return;
    }
    for (size_t i = 0; i < split->count; i++) {
        if (split->part[i] == NULL) {
            continue;
        }
        const double end =
            at + (double)statistics_median(split->part[i], split->n) * scale->per_tick;

        figure_add_span(figure, lane, figure_add_state(figure, split->names[i]), at, fmax(at, end));
        at = fmax(at, end);
    }
}

bool disk_reads_of(const struct run_bench *bench, int64_t point, struct disk_reads *reads)
{
    const struct run_series *law = disk_series(bench, SERIES_LAW, point);
    char of[DISK_NAME_MAX];

    snprintf(of, sizeof(of), "%" PRId64, point);
    reads->law = law != NULL ? law->samples : NULL;
    return split_of(bench, SERIES_READ, disk_spans, DISK_SPANS, of, &reads->split) &&
           (law == NULL || law->n == reads->split.n);
}

double disk_mean(const int64_t *samples, size_t n)
{
    double sum = 0;

    for (size_t i = 0; i < n; i++) {
        sum += (double)samples[i];
    }
    return sum / (double)n;
}

/* ---- texts ---- */

void disk_what(const struct run_bench *bench, char *text, size_t size)
{
    const char *disk = run_find_param(bench, FOUND_DISK);
    const char *driver = run_find_param(bench, FOUND_DRIVER);
    const char *model = run_find_param(bench, FOUND_MODEL);
    const char *interrupt = run_find_param(bench, FOUND_INTERRUPT);
    const char *verified = run_find_param(bench, FOUND_VERIFIED);

    snprintf(text, size, "%s%s%s%s%s%s%s%s", disk != NULL ? disk : "unknown disk",
             model != NULL ? ", timing model " : "", model != NULL ? model : "",
             model == NULL && driver != NULL ? ", driver " : "",
             model == NULL && driver != NULL ? driver : "", interrupt != NULL ? ", by " : "",
             interrupt != NULL ? interrupt : "",
             verified == NULL               ? ""
             : strcmp(verified, "yes") == 0 ? ", every sector checked"
                                            : ", sectors not checked");
}

const char *disk_time(const struct view *view, double ticks, char text[AMOUNT_MAX])
{
    if (!isfinite(ticks)) {
        return NULL;
    }
    if (view->ns_per_tick > 0) {
        return duration_text(ticks * view->ns_per_tick, text);
    }
    snprintf(text, AMOUNT_MAX, "%.0f", ticks);
    return text;
}

void disk_cell(struct table *table, const struct view *view, double ticks)
{
    char text[AMOUNT_MAX];

    table_text(table, disk_time(view, ticks, text));
}

void statistics_cells(struct table *table, const struct view *view,
                      const struct statistics *statistics, ticks_cell *cell)
{
    const bool there = statistics->n > 0;

    cell(table, view, there ? (double)statistics->median : (double)NAN);
    cell(table, view, there && statistics->has_p99 ? (double)statistics->p99 : (double)NAN);
    cell(table, view, there ? (double)statistics->max : (double)NAN);
}

const char *disk_time_note(const struct view *view)
{
    return view->ns_per_tick > 0 ? figure_time_label(view->run) : "ticks";
}

const char *disk_size(int64_t bytes, char text[AMOUNT_MAX])
{
    static const int64_t mib = (int64_t)KIB * KIB;
    char whole[SIZE_TEXT_MAX];
    char rest[SIZE_TEXT_MAX];
    const int64_t near = bytes > INT64_MAX - mib ? 0 : (bytes + mib / 2) / mib * mib;
    const int64_t more = bytes - near;

    if (more == 0 || (more < 0 ? -more : more) > near / ROUND_SHARE) {
        snprintf(text, AMOUNT_MAX, "%s", size_text(bytes, whole));
    } else {
        snprintf(text, AMOUNT_MAX, "%s %c %s", size_text(near, whole), more < 0 ? '-' : '+',
                 size_text(more < 0 ? -more : more, rest));
    }
    return text;
}
