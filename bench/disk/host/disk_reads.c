/* SPDX-License-Identifier: BSD-2-Clause */
#include "bench/disk/host/disk_reads.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "bench/disk/names.h"
#include "kernel/run/names.h"
#include "tools/base/alloc.h"
#include "tools/base/sort.h"
#include "tools/base/texts.h"
#include "tools/present/figure_kit.h"

#define DECIMAL 10
#define KIB     1024
#define ROUND_SHARE \
    64 /* what is nearer to a whole number of MiB than a 64th of it is named by it */

const char *const disk_spans[DISK_SPANS] = {SPAN_SUBMIT, SPAN_DEVICE, SPAN_INTERRUPT, SPAN_WAKE};

/* ---- series ---- */

/* The number behind "NAME."; false: the series has another name. */
static bool read_point(const char *series, const char *name, int64_t *point)
{
    const size_t length = strlen(name);
    char *end;

    if (strncmp(series, name, length) != 0 || series[length] != '.' || series[length + 1] < '0' ||
        series[length + 1] > '9') {
        return false;
    }
    errno = 0;
    *point = strtoll(series + length + 1, &end, DECIMAL);
    return errno == 0 && *end == '\0';
}

size_t disk_points(const struct run_bench *bench, const char *name, int64_t points[DISK_POINTS_MAX])
{
    size_t count = 0;

    for (size_t i = 0; i < bench->series_count && count < DISK_POINTS_MAX; i++) {
        count += read_point(bench->series[i].name, name, &points[count]);
    }
    sort_integers(points, count);
    return count;
}

const struct run_series *disk_series(const struct run_bench *bench, const char *name, int64_t point)
{
    char text[DISK_NAME_MAX];

    snprintf(text, sizeof(text), "%s.%" PRId64, name, point);
    const struct run_series *series = run_find_series(bench, text);

    return series != NULL && series->n > 0 && run_series_whole(series) ? series : NULL;
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

/* ---- reads ---- */

/* NULL: there is no such series; *fits false: it is not of these reads. */
static const int64_t *samples_of(const struct run_bench *bench, const char *name,
                                 const struct disk_reads *reads, bool *fits)
{
    const struct run_series *series = disk_series(bench, name, reads->point);

    *fits = *fits && (series == NULL || series->n == reads->n);
    return series != NULL ? series->samples : NULL;
}

bool disk_reads_of(const struct run_bench *bench, int64_t point, struct disk_reads *reads)
{
    const struct run_series *read = disk_series(bench, SERIES_READ, point);
    bool fits = read != NULL;

    *reads = (struct disk_reads){.point = point};
    if (!fits) {
        return false;
    }
    reads->n = read->n;
    reads->read = read->samples;
    for (size_t i = 0; i < DISK_SPANS; i++) {
        reads->span[i] = samples_of(bench, disk_spans[i], reads, &fits);
    }
    reads->law = samples_of(bench, SERIES_LAW, reads, &fits);
    return fits;
}

/* Of any samples that a run may hold: what exceeds 64 bits wraps. */
static int64_t less(int64_t from, int64_t what)
{
    return (int64_t)((uint64_t)from - (uint64_t)what);
}

int64_t disk_wait(const struct disk_reads *reads, size_t i)
{
    return reads->law != NULL && reads->span[DISK_DEVICE] != NULL
               ? less(reads->span[DISK_DEVICE][i], reads->law[i])
               : 0;
}

bool disk_has_spans(const struct disk_reads *reads)
{
    for (size_t i = 0; i < DISK_SPANS; i++) {
        if (reads->span[i] != NULL) {
            return true;
        }
    }
    return false;
}

int64_t disk_residual(const struct disk_reads *reads, size_t i)
{
    int64_t rest = reads->read[i];

    for (size_t k = 0; k < DISK_SPANS; k++) {
        rest = less(rest, reads->span[k] != NULL ? reads->span[k][i] : 0);
    }
    return rest;
}

void disk_derived(const struct disk_reads *reads,
                  int64_t (*of)(const struct disk_reads *reads, size_t i),
                  struct statistics *statistics)
{
    int64_t *values = alloc_zeroed(reads->n * sizeof(*values));

    for (size_t i = 0; i < reads->n; i++) {
        values[i] = of(reads, i);
    }
    statistics_of(values, reads->n, statistics);
    free(values);
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

const char *disk_found(const struct run_bench *bench, const char *name)
{
    return run_find_param(bench, name);
}

void disk_what(const struct run_bench *bench, char *text, size_t size)
{
    const char *disk = disk_found(bench, FOUND_DISK);
    const char *driver = disk_found(bench, FOUND_DRIVER);
    const char *model = disk_found(bench, FOUND_MODEL);
    const char *interrupt = disk_found(bench, FOUND_INTERRUPT);
    const char *verified = disk_found(bench, FOUND_VERIFIED);

    snprintf(text, size, "%s%s%s%s%s%s%s%s", disk != NULL ? disk : "unknown disk",
             model != NULL ? ", by the law " : "", model != NULL ? model : "",
             model == NULL && driver != NULL ? ", driver " : "",
             model == NULL && driver != NULL ? driver : "", interrupt != NULL ? ", by " : "",
             interrupt != NULL ? interrupt : "",
             verified == NULL               ? ""
             : strcmp(verified, "yes") == 0 ? ", every sector checked"
                                            : ", sectors not checked");
}

const char *disk_time(const struct view *view, double ticks, char text[AMOUNT_MAX])
{
    char duration[DURATION_MAX];

    if (view->ns_per_tick > 0) {
        snprintf(text, AMOUNT_MAX, "%s", duration_text(ticks * view->ns_per_tick, duration));
    } else {
        snprintf(text, AMOUNT_MAX, "%.0f", ticks);
    }
    return text;
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
