/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * bench gap: what takes the processors away while every interrupt is masked.
 *
 * The TSC is read back to back (gap_watch.h) on all processors at once (team.h), each on its own
 * and into its own memory. If MSR 34h counts SMIs, it is read with every gap above the threshold,
 * so that each SMI is reported with the gap that it caused.
 */
#include <stdbool.h>
#include <stdint.h>
#include <string.h>

#include "bench/noise/gap_histogram.h"
#include "bench/noise/gap_watch.h"
#include "bench/noise/inject.h"
#include "bench/noise/names.h"
#include "bench/noise/team.h"
#include "kernel/clock/clock.h"
#include "kernel/clock/idle_loop.h"
#include "kernel/link/live_gaps.h"
#include "kernel/pmu/pmu.h"
#include "kernel/run/bench.h"
#include "kernel/run/names.h"

/* A watch longer than LONG_MS runs in rounds, the first of ROUND_MS, the others of bench_live(). */
#define LONG_MS  10000
#define ROUND_MS 1000

/*
 * Progress of a watch in rounds (gap_watch.h): between two rounds the bench shows what each
 * processor has seen so far (bench_live()). The watch does not cover the time this takes; it is
 * reported as time away.
 */

struct progress {
    const struct bench_run *run;
    const struct team *team;
    struct gap_watch *watches;
    bool fixed;             /* the plan sets the length of a round */
    struct live_lane *lane; /* one for each processor; NULL: the watch has only one round */
    int64_t *before;        /* [GAP_BUCKETS] for each processor: its histogram at the last call */
    uint64_t shown;         /* `elapsed` at the last call of bench_live() */
    uint64_t round;         /* shortest time between two calls, in ticks */
};

static bool open_progress(struct progress *progress)
{
    const size_t count = progress->team->takers.count;

    if (progress->watches[0].settings.round_ticks == 0) {
        return true;
    }
    progress->lane = bench_memory(count * sizeof(*progress->lane));
    progress->before = bench_samples(count * GAP_BUCKETS);
    if (progress->lane == NULL || progress->before == NULL) {
        return false;
    }
    memset(progress->lane, 0, count * sizeof(*progress->lane));
    memset(progress->before, 0, count * GAP_BUCKETS * sizeof(progress->before[0]));
    return true;
}

/* Returns the lower bound of the longest gap that the histogram gained since `before`, at least the
 * threshold, and updates `before`. */
static uint64_t longest_since(const struct gap_watch *watch, int64_t *before)
{
    uint64_t longest = 0;

    for (unsigned i = 0; i < GAP_BUCKETS; i++) {
        longest = watch->histogram[i] != before[i] ? gap_bucket_bound(i) : longest;
        before[i] = watch->histogram[i];
    }
    return longest > watch->threshold ? longest : watch->threshold;
}

static void fill_causes(const struct gap_causes *causes, struct live_gaps *live)
{
    static const enum cause of[LIVE_CAUSES] = {
        [LIVE_NMI] = CAUSE_NMI,
        [LIVE_MACHINE_CHECK] = CAUSE_MACHINE_CHECK,
        [LIVE_THERMAL] = CAUSE_THERMAL,
        [LIVE_POWER_LIMIT] = CAUSE_POWER_LIMIT,
        [LIVE_INTERRUPT] = CAUSE_INTERRUPT,
        [LIVE_STEAL] = CAUSE_STEAL,
    };

    for (enum live_cause cause = 0; cause < LIVE_CAUSES && causes->on; cause++) {
        live->cause[cause] = (uint64_t)causes->total[of[cause]];
    }
}

static void fill(const struct progress *progress, size_t index)
{
    const struct gap_watch *watch = &progress->watches[index];
    const struct worst *worst = &watch->worst;
    struct live_gaps *live = &progress->lane[index].gaps;
    const uint64_t recent = longest_since(watch, progress->before + index * GAP_BUCKETS);

    *live = (struct live_gaps){
        .processor = (uint32_t)progress->team->takers.number[index],
        .elapsed = watch->elapsed,
        .total = watch->settings.ticks,
        .away = watch->away,
        .threshold = watch->threshold,
        .over = worst->count,
        .stolen = (uint64_t)worst->sum,
        .largest = (uint64_t)worst->max,
        .largest_at = (uint64_t)worst->max_time,
        .recent = worst->count != live->over ? recent : 0,
        .counts_smi = watch->smi != NULL,
        .smi = watch->end_smi - watch->first_smi,
        .smi_ticks = watch->smi_ticks,
    };
    fill_causes(&watch->causes, live);
}

/* A gap_watch_between whose argument is a struct progress. Always returns true. */
static bool progress_between(void *argument)
{
    struct progress *progress = argument;
    const size_t count = progress->team->takers.count;
    const uint64_t elapsed = progress->watches[0].elapsed;

    if (elapsed - progress->shown < progress->round) {
        return true;
    }
    for (size_t i = 0; i < count; i++) {
        fill(progress, i);
    }
    progress->round = bench_live(progress->run, progress->lane, count);
    progress->shown = elapsed;
    for (size_t i = 0; i < count && !progress->fixed; i++) {
        progress->watches[i].settings.round_ticks = progress->round;
    }
    return true;
}

static struct team team;
static struct flight_stop stop;

static uint64_t round_ms(const struct bench_run *run)
{
    const uint64_t wanted = bench_number(run, "round_ms");

    return wanted == 0 && bench_number(run, "ms") > LONG_MS ? ROUND_MS : wanted;
}

/* Makes the settings of each processor's watch. Returns NULL if there is not enough memory. */
static struct gap_watch_settings *settings_of_each(const struct bench_run *run)
{
    struct gap_watch_settings *each = bench_memory(team.takers.count * sizeof(*each));
    const uint64_t threshold = clock_ticks_from_ns(bench_number(run, "threshold_ns"));

    for (size_t i = 0; i < team.takers.count && each != NULL; i++) {
        each[i] = (struct gap_watch_settings){
            .ticks = clock_ticks_from_us(bench_number(run, "ms") * 1000),
            .threshold = threshold > 0 ? threshold : 1,
            .round_ticks = clock_ticks_from_us(round_ms(run) * 1000),
            .keep = bench_number(run, "keep"),
            .keep_largest = bench_number(run, "keep_largest"),
            .pauses = bench_is_exact() && team.takers.count > 1,
            .counted = i == 0 && bench_stop_us() == 0,
            .causes = true,
            .stop_ticks = clock_ticks_from_us(bench_stop_us()),
            .stop = bench_stop_us() != 0 ? &stop : NULL,
            .index = i,
            .provoked = i == 0 ? bench_number(run, "provoke_smi") : 0,
        };
    }
    return each;
}

/* Instructions of another processor during one PAUSE of this one, while all of them watch. */
#define PASS_INSTRUCTIONS  36
#define PAUSE_INSTRUCTIONS 3
/* Length of a sample of the calibration. */
#define CALIBRATE_US 100

static void plan_of(const struct bench_run *run, const struct gap_watch_settings *settings,
                    struct inject_plan *plan)
{
    const size_t count = team.takers.count;
    const uint64_t a_pause = (count - 1) * PASS_INSTRUCTIONS + PAUSE_INSTRUCTIONS;
    const uint64_t longest = clock_ticks_from_us(bench_number(run, "inject_us"));
    const uint64_t shortest = 2 * settings->threshold;

    *plan = (struct inject_plan){
        .world = bench_number(run, "inject_world"),
        .local = bench_number(run, "inject_local"),
        .seed = bench_number(run, "inject_seed"),
        .ticks = settings->ticks,
        .shortest = shortest,
        .longest = longest,
        .processors = count,
        .everywhere = !settings->pauses,
        .pause_ticks = settings->pauses ? a_pause * clock_state()->ticks_per_instruction : 0,
    };
}

/* Gives each processor its list of injections, if the plan asks for any. Returns BENCH_OK, or an
 * error. */
static enum bench_state add_injections(struct bench_run *run, struct gap_watch_settings *each)
{
    struct gap_injection *lists[PROCESSORS_MAX];
    size_t counts[PROCESSORS_MAX];
    struct idle_calibration calibration;
    struct inject_plan plan;

    plan_of(run, &each[0], &plan);
    if (plan.world + plan.local == 0) {
        return BENCH_OK;
    }
    if (!inject_fits(&plan)) {
        return bench_error(run,
                           "%lu injected gaps of %lu to %lu ticks do not fit into a watch of %lu "
                           "ticks; raise gap.ms",
                           plan.world + plan.local, plan.shortest, plan.longest, plan.ticks);
    }
    const enum bench_state state = bench_calibrate(run, CALIBRATE_US, &calibration);

    if (state != BENCH_OK) {
        return state;
    }
    plan.iteration_microtick = calibration.iteration_microtick;
    for (size_t i = 0; i < team.takers.count; i++) {
        lists[i] = bench_memory((plan.world + plan.local) * sizeof(*lists[i]));
        if (lists[i] == NULL) {
            return bench_error(
                run, "cannot allocate %lu injections; lower gap.inject_world or gap.inject_local",
                plan.world + plan.local);
        }
    }
    inject_draw(&plan, lists, counts);
    for (size_t i = 0; i < team.takers.count; i++) {
        each[i].injections = lists[i];
        each[i].injection_count = counts[i];
    }
    return BENCH_OK;
}

static enum bench_state run(struct bench_run *run)
{
    const char *why = NULL;

    if (bench_number(run, "provoke_smi") > 0 &&
        (!pmu_state()->has_smi_count || pmu_smi_count() == 0)) {
        bench_absent(run, FACT_SMI, "MSR 34h reads 0");
        return bench_skip(run, "gap.provoke_smi: MSR 34h reads 0, so the effect of a write to port "
                               "B2h is unknown and it is not tried");
    }
    if (bench_stop_us() != 0 && bench_counting()) {
        return bench_skip(run, "noise.stop_us cannot be used in a run that counts events");
    }
    stop = (struct flight_stop){0};
    if (!team_gather(run, &team, &why)) {
        return bench_error(run, "%s", why);
    }
    struct gap_watch_settings *each = settings_of_each(run);
    const enum bench_state state = each != NULL ? add_injections(run, each) : BENCH_OK;

    if (state != BENCH_OK) {
        return state;
    }
    struct gap_watch *watches = each != NULL ? gap_watch_make(&team, each) : NULL;

    if (watches == NULL) {
        return bench_error(run, "cannot allocate %lu gaps; lower gap.keep or gap.keep_largest",
                           bench_number(run, "keep") + bench_number(run, "keep_largest"));
    }
    struct progress progress = {.run = run,
                                .team = &team,
                                .watches = watches,
                                .fixed = bench_number(run, "round_ms") != 0,
                                .round = clock_ticks_from_us(ROUND_MS * 1000)};

    if (!open_progress(&progress)) {
        return bench_error(run, "cannot allocate memory for rounds; set gap.round_ms to gap.ms");
    }
    if (!gap_watch_all(&team, watches, progress_between, &progress)) {
        return bench_error(run, "a processor did not start or did not finish its work");
    }
    return gap_watch_report(run, &team, watches, true);
}

/* 30 days in ms. */
#define MS_MAX 2592000000ull

static const struct bench_param params[] = {
    {"ms", "2000", "length of the watch, in ms", PARAM_TIME(1, MS_MAX)},
    {"threshold_ns", "1000", "gaps longer than this are kept, in ns", PARAM_TIME(1, 1000000000)},
    {"keep", "10000", "number of first gaps to keep", PARAM_NUMBER(1, 10000000)},
    {"keep_largest", "1000", "number of largest gaps to keep after the first ones",
     PARAM_NUMBER(0, 1000000)},
    {"processors", "256", "largest number of processors that take part",
     PARAM_NUMBER(1, PROCESSORS_MAX)},
    {"round_ms", "0",
     "length of a round, in ms; 0: one round, or rounds of 1 s or more if the watch is longer than "
     "10 s",
     PARAM_TIME(0, MS_MAX)},
    {"inject_world", "0", "system-wide gaps to inject, which stop all processors",
     PARAM_NUMBER(0, 100000)},
    {"inject_local", "0", "per-CPU gaps to inject, which stop one processor",
     PARAM_NUMBER(0, 100000)},
    {"inject_us", "20", "longest injected gap, in us; the shortest is twice the threshold",
     PARAM_TIME(1, 1000000)},
    {"inject_seed", "1", "seed of the lengths and times of injected gaps",
     PARAM_NUMBER(0, UINT32_MAX)},
    {"provoke_smi", "0", "SMIs to provoke through port B2h, unless MSR 34h reads 0",
     PARAM_NUMBER(0, 1000)},
    {0},
};

static const struct bench gap = {
    .name = BENCH_GAP,
    .group = "noise",
    .summary = "gaps between back-to-back TSC reads on all processors, interrupts masked",
    .unit = UNIT_TICK,
    .main_series = SERIES_GAP_LENGTH,
    .estimate = "no gap above 1 us on a machine without SMIs; 30 to 60 ticks between two readings; "
                "in exact mode the instructions of the loop",
    .needs = NEED_CLOCK,
    .params = params,
    .relations = "^gap_time ^worst_time ^injected_time",
    .run = run,
};
BENCH_REGISTER(gap);
