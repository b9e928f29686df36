/* SPDX-License-Identifier: BSD-2-Clause */
#include "bench/noise/host/quanta.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "bench/noise/host/gap_join.h"
#include "bench/noise/names.h"
#include "tools/base/alloc.h"

#define TICKS_MAX 1e15 /* of a piece: a hundred days and more */

struct reader {
    const struct run_bench *bench;
    const struct gap_names *names;
    uint64_t number;
};

static const struct run_series *whole_series(const struct reader *reader, const char *name)
{
    const struct run_series *series =
        gap_series_for(reader->bench, reader->names, name, reader->number);

    return series != NULL && series->n > 0 && run_series_whole(series) ? series : NULL;
}

static void add_stretch(struct quanta_lane *lane, size_t i, double length, double stolen)
{
    const double taken = fmin(fmax(stolen, 0), length);

    lane->stretch[i] = (struct spectrum_stretch){lane->elapsed, lane->elapsed + length, taken};
    lane->elapsed += length;
    lane->stolen += taken;
}

static bool read_pieces(struct quanta_lane *lane)
{
    int64_t least = INT64_MAX;

    for (size_t i = 0; i < lane->series->n; i++) {
        const int64_t length = lane->series->samples[i];

        if (length <= 0 || (double)length > TICKS_MAX) {
            return false;
        }
        least = length < least ? length : least;
    }
    for (size_t i = 0; i < lane->series->n; i++) {
        const double length = (double)lane->series->samples[i];

        add_stretch(lane, i, length, length - (double)least);
    }
    return true;
}

/* Ticks of quantum i in which no unit was worked on. */
static double idle_of(const struct quanta_lane *lane, const struct run_series *carry,
                      double quantum, double unit, size_t i)
{
    const double before = i > 0 ? (double)carry->samples[i - 1] : 0;

    return quantum - (double)lane->series->samples[i] * unit - (double)carry->samples[i] + before;
}

static bool read_quanta(const struct reader *reader, struct quanta_lane *lane)
{
    const double quantum = (double)run_fact_or(reader->bench, FACT_QUANTUM, 0);
    const struct run_fact *unit =
        gap_fact_for(reader->bench, reader->names, FACT_UNIT_OF_FTQ, reader->number);
    const struct run_series *carry = whole_series(reader, SERIES_CARRY);
    double least = INFINITY;

    if (quantum <= 0 || quantum > TICKS_MAX || unit == NULL || carry == NULL ||
        carry->n != lane->series->n) {
        return false;
    }
    for (size_t i = 0; i < lane->series->n; i++) {
        least = fmin(least, idle_of(lane, carry, quantum, (double)unit->value, i));
    }
    for (size_t i = 0; i < lane->series->n; i++) {
        const double idle = idle_of(lane, carry, quantum, (double)unit->value, i);

        add_stretch(lane, i, quantum, idle - least);
    }
    return true;
}

static void read_lane(const struct reader *reader, bool is_ftq, struct quanta_lane *lane)
{
    lane->number = reader->number;
    lane->series = whole_series(reader, is_ftq ? SERIES_DONE : SERIES_WORK);
    if (lane->series == NULL) {
        return;
    }
    lane->stretch = alloc_zeroed(lane->series->n * sizeof(*lane->stretch));
    if (!(is_ftq ? read_quanta(reader, lane) : read_pieces(lane))) {
        lane->series = NULL;
    }
}

bool quanta_of(const struct run_bench *bench, struct quanta *quanta)
{
    const struct gap_names names = gap_names_of(bench);

    *quanta = (struct quanta){.is_ftq = strcmp(bench->name, BENCH_FTQ) == 0};
    if ((!quanta->is_ftq && strcmp(bench->name, BENCH_FWQ) != 0) || names.numbers == NULL) {
        return false;
    }
    quanta->count = gap_names_count(&names);
    quanta->lane = alloc_zeroed(quanta->count * sizeof(*quanta->lane));
    for (size_t i = 0; i < quanta->count; i++) {
        struct reader reader = {bench, &names, 0};

        if (gap_names_number(&names, i, &reader.number)) {
            read_lane(&reader, quanta->is_ftq, &quanta->lane[i]);
        }
    }
    return true;
}

void quanta_free(struct quanta *quanta)
{
    for (size_t i = 0; i < quanta->count; i++) {
        free(quanta->lane[i].stretch);
    }
    free(quanta->lane);
    *quanta = (struct quanta){0};
}

const char *quanta_spectrum(const struct quanta_lane *lane, struct spectrum *spectrum)
{
    if (lane->series == NULL) {
        return "samples are missing";
    }
    return spectrum_of(spectrum, lane->stretch, lane->series->n, lane->elapsed, true);
}
