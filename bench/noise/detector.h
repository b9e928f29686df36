/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The noise detectors as bench sensitivity uses them. Each detector is the loop of its bench, run
 * for a short interval while something else takes the processor. Afterwards it is asked whether it
 * detected that. gap, gap with its lowest threshold, and selfish use gap_watch.h; fwq and ftq use
 * fwq_work.h and ftq_work.h.
 *
 * A detector reports a reading beyond its threshold. What it reads when nothing takes the processor
 * is measured first, in an interval without injection. A reading that it reports in that interval
 * is a false alarm.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "bench/noise/ftq_work.h"
#include "bench/noise/fwq_work.h"
#include "bench/noise/gap_watch.h"

struct detecting;

enum detector_answer {
    DETECTOR_ASIDE, /* the injection was outside the watched interval: not a trial */
    DETECTOR_MISSED,
    DETECTOR_FOUND,
};

struct detector {
    const char *name;
    /* the loop watches for gaps: it accepts injections and provoked SMIs, and can PAUSE */
    bool is_watch;
    /* Runs without injection for about `ticks` and fills in reading, threshold, readings, alarms
     * and the members that follow from them. Returns false and sets *why to the reason if it
     * cannot. */
    bool (*quiet)(struct detecting *detecting, uint64_t ticks, const char **why);
    /* Takes memory for an interval of `ticks`. Returns false if there is not enough memory. */
    bool (*prepare)(struct detecting *detecting, uint64_t ticks);
    /* Runs the interval that was prepared. Does not change whether interrupts are enabled. */
    void (*watch)(struct detecting *detecting);
    /* Returns whether the detector reported the interruption that lasted from `begin` to `end` by
     * the TSC. Call in the order of time. */
    enum detector_answer (*found)(struct detecting *detecting, uint64_t begin, uint64_t end);
};

extern const struct detector detector_gap, detector_lowest, detector_selfish, detector_fwq,
    detector_ftq;

struct detecting {
    const struct detector *detector;
    bool pauses;         /* PAUSE before each reading, as in gap_watch.h */
    uint64_t work_ticks; /* length of a piece of work of fwq, or of a quantum of ftq */
    size_t trials;       /* largest number of injections in an interval */

    /* Results of the interval without injection; the first four are explained in names.h. */
    uint64_t reading, threshold, readings, alarms;
    uint64_t cycle; /* ticks after which the loop repeats itself */
    uint64_t apart; /* ticks required between two injections, in addition to their lengths */
    uint64_t sure;  /* the detector must find an interruption that is longer than this */
    uint64_t never; /* it must not find an interruption up to this length; 0: unknown */

    /* Set before an interval of a gap watch. */
    const struct gap_injection *injections;
    size_t injection_count;
    uint64_t provoked;

    /* State and results of the last interval. */
    struct gap_watch gaps;
    /* first gap or piece to examine; all earlier ones ended before the interruption of the last
     * call of found() */
    size_t next;
    struct fwq_work fwq;
    struct ftq_work ftq;
    uint64_t inner;  /* iterations in a piece of work of fwq */
    uint64_t origin; /* team origin of ftq */
    int64_t least;   /* least time without work in any quantum of ftq, in ticks */
};
