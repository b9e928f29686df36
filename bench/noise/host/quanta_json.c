/* SPDX-License-Identifier: BSD-2-Clause */
/* Benches fwq and ftq as JSON and as metrics: what was stolen on each processor. */
#include <math.h>

#include "bench/noise/host/quanta.h"
#include "bench/noise/names.h"
#include "tools/base/alloc.h"
#include "tools/present/json_kit.h"
#include "tools/present/reading.h"

#define PPM 1e6

static double share_of(const struct quanta_lane *lane)
{
    return lane->series != NULL && lane->elapsed > 0 ? PPM * lane->stolen / lane->elapsed : NAN;
}

static void put_lane(struct json *json, const struct quanta_lane *lane)
{
    struct spectrum spectrum;

    json_object(json, NULL);
    json_unsigned(json, "number", lane->number);
    json_real(json, "stolen_ppm", share_of(lane));
    json_array(json, "periods");
    if (quanta_spectrum(lane, &spectrum) == NULL) {
        for (size_t k = 0; k < spectrum.peak_count; k++) {
            json_object(json, NULL);
            json_real(json, "ticks", spectrum.peaks[k].period);
            json_real(json, "share", spectrum.peaks[k].share);
            json_close(json);
        }
        spectrum_free(&spectrum);
    }
    json_close(json);
    json_close(json);
}

static void quanta_json(struct json *json, const struct run *run, const struct run_bench *bench)
{
    struct quanta quanta;

    (void)run;
    if (!quanta_of(bench, &quanta)) {
        json_null(json, "processors");
        return;
    }
    json_array(json, "processors");
    for (size_t i = 0; i < quanta.count; i++) {
        put_lane(json, &quanta.lane[i]);
    }
    json_close(json);
    quanta_free(&quanta);
}

/* Of the processor that lost most. */
static void add_stolen(struct metrics *metrics, const struct run_bench *bench)
{
    struct quanta quanta;
    double worst = -1;

    if (!quanta_of(bench, &quanta)) {
        return;
    }
    for (size_t i = 0; i < quanta.count; i++) {
        worst = fmax(worst, share_of(&quanta.lane[i]));
    }
    quanta_free(&quanta);
    if (worst >= 0) {
        struct metric *metric = metrics_add(metrics, bench, FACT_STOLEN, NULL);

        metric->unit = UNIT_PPM;
        metric->is_share = true;
        metric->share = worst;
        metric->n = 1;
        metric->values = alloc_zeroed(sizeof(*metric->values));
        metric->values[0] = worst;
    }
}

READING_REGISTER(fwq_json) = {.bench = BENCH_FWQ,
                              .order = 243,
                              .json = quanta_json,
                              .metrics = {.main = FACT_STOLEN, .others = add_stolen}};
READING_REGISTER(ftq_json) = {.bench = BENCH_FTQ,
                              .order = 244,
                              .json = quanta_json,
                              .metrics = {.main = FACT_STOLEN, .others = add_stolen}};
