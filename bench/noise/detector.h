/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The detectors of noise as bench sensitivity asks them: each is the loop of its bench, run for a
 * short stretch in which something else takes the processor, and asked afterwards whether it shows
 * that. gap, its lowest threshold and selfish are gap_watch.h; fwq and ftq are
 * fwq_work.h and ftq_work.h.
 *
 * A detector reports a reading beyond its threshold. What it reads where nothing takes the
 * processor is found first, in a stretch without injection; what it reports there is a false alarm.
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
    DETECTOR_ASIDE, /* not within the stretch: no trial */
    DETECTOR_MISSED,
    DETECTOR_FOUND,
};

struct detector {
    const char *name;
    bool is_watch; /* of gaps: it takes injections and provocations, and may PAUSE */
    /* Runs without injection for about `ticks`, and fills what `detecting` has of it. False: `why`
     * has the reason. */
    bool (*quiet)(struct detecting *detecting, uint64_t ticks, const char **why);
    /* Takes memory for a stretch of `ticks`. False: none left. */
    bool (*prepare)(struct detecting *detecting, uint64_t ticks);
    /* Runs that stretch, interrupts as they are. */
    void (*watch)(struct detecting *detecting);
    /* Did it report what took the processor from `begin` to `end`, by the TSC? Asked in the order
     * of time. */
    enum detector_answer (*found)(struct detecting *detecting, uint64_t begin, uint64_t end);
};

extern const struct detector detector_gap, detector_lowest, detector_selfish, detector_fwq,
    detector_ftq;

struct detecting {
    const struct detector *detector;
    bool pauses;         /* as in gap_watch.h */
    uint64_t work_ticks; /* a piece of work of fwq, a quantum of ftq */
    size_t trials;       /* of a stretch, at most */

    /* As found where nothing is injected: of names.h. */
    uint64_t reading, threshold, readings, alarms;
    uint64_t cycle; /* ticks after which the loop is where it was */
    uint64_t apart; /* ticks that two injections must be apart, besides their lengths */
    uint64_t sure;  /* what takes the processor for longer is found */
    uint64_t never; /* what takes it for no longer is not; 0: not known */

    /* Set before a stretch of a watch. */
    const struct gap_injection *injections;
    size_t injection_count;
    uint64_t provoked;

    /* The last stretch. */
    struct gap_watch gaps;
    size_t next; /* of its first gaps, of pieces: those before are before what was asked last */
    struct fwq_work fwq;
    struct ftq_work ftq;
    uint64_t inner;  /* iterations of a piece */
    uint64_t origin; /* of ftq */
    int64_t least;   /* of its quanta: ticks without work */
};
