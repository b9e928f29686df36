/* SPDX-License-Identifier: BSD-2-Clause */
/* The detectors that measure work: fwq, whose pieces of work take longer, and ftq, whose quanta
 * hold less work. */
#include "bench/noise/detector.h"
#include "bench/noise/names.h"
#include "kernel/clock/idle_loop.h"
#include "kernel/cpu/cpu.h"
#include "kernel/run/worst.h"

/* A piece or a quantum is reported if it exceeds the median by more than this many times the median
 * distance from the median. */
#define SPREADS 5

/* Iterations in a unit of ftq; the default of bench ftq. */
#define FTQ_UNIT 32
/* Least number of units in a quantum. With fewer, the unit at its start and the unit at its end
 * could be the same. */
#define UNITS_MIN 8

/* Returns how long piece or quantum `index` took, or how much of it was stolen. */
typedef int64_t measure_of(const struct detecting *detecting, size_t index);

/* Judges the pieces or quanta from `first` up to `end`, during which nothing happened: half of them
 * set the threshold, and false alarms are counted among the others. Returns false without memory.
 */
static bool judge_quiet(struct detecting *detecting, measure_of *measure, size_t first, size_t end)
{
    const size_t half = end / 2;
    int64_t *values = bench_samples(half);
    struct spread spread;

    if (values == NULL) {
        return false;
    }
    for (size_t i = 0; i < half; i++) {
        values[i] = measure(detecting, first + i);
    }
    spread_of(values, half, &spread);
    const int64_t median = spread.median;

    for (size_t i = 0; i < half; i++) {
        values[i] = values[i] > median ? values[i] - median : median - values[i];
    }
    spread_of(values, half, &spread);
    detecting->reading = (uint64_t)median;
    detecting->threshold = (uint64_t)(median + SPREADS * spread.median);
    detecting->readings = end - first - half;
    detecting->alarms = 0;
    for (size_t i = first + half; i < end; i++) {
        detecting->alarms += measure(detecting, i) > (int64_t)detecting->threshold;
    }
    detecting->sure = detecting->threshold - detecting->reading;
    return true;
}

/* ---- fwq ---- */

static int64_t piece_of(const struct detecting *detecting, size_t piece)
{
    return detecting->fwq.stamps[piece + 1] - detecting->fwq.stamps[piece];
}

static bool prepare_fwq(struct detecting *detecting, uint64_t ticks)
{
    const size_t count = ticks / detecting->work_ticks + 2;

    detecting->next = 0;
    detecting->fwq = (struct fwq_work){
        .stamps = bench_samples(count + 1), .count = count, .inner = detecting->inner};
    return detecting->fwq.stamps != NULL;
}

static void watch_fwq(struct detecting *detecting)
{
    fwq_work(&detecting->fwq, tsc_read());
}

static bool quiet_fwq(struct detecting *detecting, uint64_t ticks, const char **why)
{
    struct idle_calibration calibration;

    if (!idle_loop_calibrate(detecting->work_ticks, &calibration)) {
        *why = "the idle loop cannot be calibrated";
        return false;
    }
    detecting->inner = calibration.inner;
    *why = "no memory";
    if (!prepare_fwq(detecting, ticks)) {
        return false;
    }
    watch_fwq(detecting);
    if (!judge_quiet(detecting, piece_of, 0, detecting->fwq.count)) {
        return false;
    }
    detecting->cycle = detecting->work_ticks;
    detecting->apart = 2 * detecting->work_ticks;
    detecting->never = detecting->sure;
    return true;
}

static enum detector_answer found_fwq(struct detecting *detecting, uint64_t begin, uint64_t end)
{
    const int64_t *stamps = detecting->fwq.stamps;

    if ((int64_t)begin <= stamps[0] || (int64_t)end >= stamps[detecting->fwq.count]) {
        return DETECTOR_ASIDE;
    }
    while (stamps[detecting->next + 1] <= (int64_t)begin) {
        detecting->next++;
    }
    return piece_of(detecting, detecting->next) > (int64_t)detecting->threshold ? DETECTOR_FOUND
                                                                                : DETECTOR_MISSED;
}

/* ---- ftq ---- */

static bool prepare_ftq(struct detecting *detecting, uint64_t ticks)
{
    const size_t count = ticks / detecting->work_ticks + 2;

    detecting->ftq = (struct ftq_work){
        .quantum = detecting->work_ticks,
        .quanta = count,
        .iterations = FTQ_UNIT,
        .done = bench_samples(count),
        .carry = bench_samples(count),
    };
    return detecting->ftq.done != NULL && detecting->ftq.carry != NULL;
}

/* Returns the ticks of a quantum in which no unit was being worked on. Each unit counts as long as
 * the shortest, and the units under way at the quantum's start and end are included. The host
 * computes the same (bench/noise/host/view_quanta.c). */
static int64_t idle_of(const struct ftq_work *work, size_t quantum)
{
    return (int64_t)work->quantum - work->done[quantum] * (int64_t)work->shortest -
           work->carry[quantum] + work->carry[quantum - 1];
}

/* Skips the first quantum, which is shorter. */
static void watch_ftq(struct detecting *detecting)
{
    detecting->origin = tsc_read();
    ftq_work(&detecting->ftq, detecting->origin);
    detecting->least = INT64_MAX;
    for (size_t i = 1; i < detecting->ftq.quanta; i++) {
        const int64_t idle = idle_of(&detecting->ftq, i);

        detecting->least = idle < detecting->least ? idle : detecting->least;
    }
}

static int64_t stolen_of(const struct detecting *detecting, size_t quantum)
{
    return idle_of(&detecting->ftq, quantum) - detecting->least;
}

static bool quiet_ftq(struct detecting *detecting, uint64_t ticks, const char **why)
{
    *why = "no memory";
    if (!prepare_ftq(detecting, ticks)) {
        return false;
    }
    watch_ftq(detecting);
    if (detecting->ftq.shortest * UNITS_MIN > detecting->work_ticks) {
        *why = "a quantum holds less than 8 units of work; raise sensitivity.work_us";
        return false;
    }
    if (!judge_quiet(detecting, stolen_of, 1, detecting->ftq.quanta)) {
        return false;
    }
    detecting->cycle = detecting->ftq.shortest;
    detecting->apart = 3 * detecting->work_ticks;
    detecting->never = 0;
    return true;
}

/* A gap counts for the quantum in which the unit ends that was interrupted. */
static enum detector_answer found_ftq(struct detecting *detecting, uint64_t begin, uint64_t end)
{
    const uint64_t first = (begin - detecting->origin) / detecting->work_ticks;
    const uint64_t last =
        (end + 2 * detecting->ftq.shortest - detecting->origin) / detecting->work_ticks;

    if ((int64_t)(begin - detecting->origin) < 0 || first == 0 || last >= detecting->ftq.quanta) {
        return DETECTOR_ASIDE;
    }
    for (uint64_t i = first; i <= last; i++) {
        if (stolen_of(detecting, i) > (int64_t)detecting->threshold) {
            return DETECTOR_FOUND;
        }
    }
    return DETECTOR_MISSED;
}

const struct detector detector_fwq = {DETECTOR_FWQ, false,     quiet_fwq,
                                      prepare_fwq,  watch_fwq, found_fwq};
const struct detector detector_ftq = {DETECTOR_FTQ, false,     quiet_ftq,
                                      prepare_ftq,  watch_ftq, found_ftq};
