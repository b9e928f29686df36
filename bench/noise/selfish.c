/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * bench selfish: the selfish detour benchmark by netgauge's method, on all processors at once.
 *
 * The smallest reading is found first, by the loop that watches afterwards: runs of 50 readings,
 * until 100 runs in a row found no smaller one. Gaps above 9 times this reading are detours.
 * netgauge ends at 100,000 detours; this bench ends after its time and also keeps the longest ones.
 * Gaps above 1 us, which bench gap and Linux's tracers count, are counted as well, so that the same
 * noise is known by both definitions. On request the first readings are kept unchanged, so that the
 * method can be repeated with them; each of these readings is followed by dead time.
 */
#include "bench/noise/gap_watch.h"
#include "bench/noise/names.h"
#include "bench/noise/team.h"
#include "kernel/clock/clock.h"
#include "kernel/run/bench.h"
#include "kernel/run/names.h"

#define TIMES_SMALLEST 9 /* netgauge: 900 % */

static struct team team;
static struct flight_stop stop;

/* Makes the settings of each processor's watch. Returns NULL if there is not enough memory. */
static struct gap_watch_settings *settings_of_each(const struct bench_run *run)
{
    struct gap_watch_settings *each = bench_memory(team.takers.count * sizeof(*each));

    for (size_t i = 0; i < team.takers.count && each != NULL; i++) {
        each[i] = (struct gap_watch_settings){
            .ticks = clock_ticks_from_us(bench_number(run, "ms") * 1000),
            .keep = bench_number(run, "keep"),
            .keep_largest = bench_number(run, "keep_largest"),
            .pauses = bench_is_exact() && team.takers.count > 1,
            .also = clock_ticks_from_ns(1000),
            .raw = bench_number(run, "readings"),
            .causes = true,
            .stop_ticks = clock_ticks_from_us(bench_stop_us()),
            .stop = bench_stop_us() != 0 ? &stop : NULL,
            .index = i,
        };
    }
    return each;
}

/* Returns the first watch whose threshold is not 9 times its smallest reading, or NULL. */
static const struct gap_watch *find_wrong(const struct gap_watch *watches)
{
    for (size_t i = 0; i < team.takers.count; i++) {
        if (watches[i].threshold != TIMES_SMALLEST * watches[i].smallest_before) {
            return &watches[i];
        }
    }
    return NULL;
}

static enum bench_state run(struct bench_run *run)
{
    const char *why = NULL;

    stop = (struct flight_stop){0};
    if (!team_gather(run, &team, &why)) {
        return bench_error(run, "%s", why);
    }
    const struct gap_watch_settings *each = settings_of_each(run);
    struct gap_watch *watches = each != NULL ? gap_watch_make(&team, each) : NULL;

    if (watches == NULL) {
        return bench_error(run,
                           "cannot allocate %lu gaps and %lu readings for each processor; lower "
                           "selfish.keep or selfish.readings",
                           bench_number(run, "keep") + bench_number(run, "keep_largest"),
                           bench_number(run, "readings"));
    }
    if (!gap_watch_all(&team, watches, NULL, NULL)) {
        return bench_error(run, "a processor did not start or did not finish its work");
    }
    const enum bench_state state = gap_watch_report(run, &team, watches, false);
    const struct gap_watch *wrong = find_wrong(watches);

    return wrong == NULL
               ? state
               : bench_fail(
                     run,
                     "a threshold is %lu ticks, expected 9 times the smallest reading of %lu ticks",
                     wrong->threshold, wrong->smallest_before);
}

static const struct bench_param params[] = {
    {"processors", "256", "largest number of processors that take part",
     PARAM_NUMBER(1, PROCESSORS_MAX)},
    {"ms", "50", "length of the watch, in ms", PARAM_TIME(1, 2592000000)},
    {"keep", "2000", "number of first gaps to keep; netgauge keeps 100000",
     PARAM_NUMBER(1, 10000000)},
    {"keep_largest", "1000", "number of largest gaps to keep after the first ones",
     PARAM_NUMBER(0, 1000000)},
    {"readings", "0", "number of first readings to keep unchanged", PARAM_NUMBER(0, 10000000)},
    {0},
};

static const struct bench selfish = {
    .name = BENCH_SELFISH,
    .group = "noise",
    .summary = "detours above 9 times the smallest reading, as in netgauge, and above 1 us",
    .unit = UNIT_TICK,
    .main_series = SERIES_GAP_LENGTH ".0",
    .estimate = "no detour on a machine without SMIs; smallest reading 30 to 60 ticks, so detours "
                "are about 300 ticks or longer; in exact mode the smallest reading is the "
                "instructions of the loop, on several processors those of all of them",
    .needs = NEED_CLOCK,
    .params = params,
    .run = run,
};
BENCH_REGISTER(selfish);
