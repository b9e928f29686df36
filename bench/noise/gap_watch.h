/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The gap detector: with interrupts off, it reads the TSC back to back on one processor; the time
 * between two readings is a gap. Each gap is added to a log-linear histogram. Gaps above the
 * threshold are all counted, and the first and the largest of them are kept with their times
 * (kernel/run/worst.h). A watch belongs to one processor and shares nothing with other processors;
 * several watches may run at once (team.h).
 *
 * Every gap begins at the reading that ended the previous one. The exception is a gap that is
 * written down: the time to write it down would itself be a gap that has to be written down. So the
 * gaps cover the whole watch except this dead time, which is reported: the watched time minus the
 * sum of all gaps, and its longest and shortest section. Their difference is the longest gap that
 * may have been missed at once.
 *
 * If MSR 34h counts SMIs, it is read with every gap that is written down.
 *
 * In exact time one host thread emulates all processors and switches to the next one only at a
 * PAUSE. If `pauses` is set there is a PAUSE before each reading, and the processors take turns in
 * strict rotation.
 *
 *     gap_watch_take_memory() of each; gap_watch_all(); gap_watch_publish() and gap_watch_judge()
 *     of each. gap_watch_make() and gap_watch_report() do this for a whole team.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "bench/noise/flight.h"
#include "bench/noise/gap_cause.h"
#include "bench/noise/inject.h"
#include "bench/noise/names.h"
#include "bench/noise/team.h"
#include "kernel/pmu/reader.h"
#include "kernel/run/bench.h"
#include "kernel/run/worst.h"

struct gap_watch_settings {
    uint64_t ticks; /* length of the watch, without the time between rounds */
    /* gaps above it are kept; 0: selfish's threshold, 9 times the smallest reading, which is found
     * before the watch */
    uint64_t threshold;
    /* 0: one round. Otherwise the length of a round; what the kernel does between two rounds is
     * reported as time away, not as a gap */
    uint64_t round_ticks;
    size_t keep, keep_largest;
    bool pauses;
    /* reads rows of counters instead of the TSC; only on the kernel's processor */
    bool counted;
    /* SMIs to provoke at equal distances; only on the kernel's processor, in one round */
    uint64_t provoked;
    uint64_t also; /* a second threshold, above which gaps are also counted; 0: none */
    /* number of first readings to keep unchanged; each of them is followed by dead time */
    size_t raw;
    bool causes; /* reads a row of causes with each gap above the threshold */
    /* the first gap beyond it ends the watch on all processors, and readings are recorded; requires
     * that `counted` is not set; 0: never */
    uint64_t stop_ticks;
    struct flight_stop *stop;               /* shared by all processors; NULL if stop_ticks is 0 */
    size_t index;                           /* index of the processor in the team */
    const struct gap_injection *injections; /* in the order of time; must stay valid */
    size_t injection_count;
};

/* Selfish's threshold in multiples of the smallest reading (netgauge's 900 %). */
#define GAP_WATCH_TIMES_SMALLEST 9

/* The totals that every gap changes; held in registers while watching. */
struct gap_tally {
    uint64_t reads;
    uint64_t sum;
    uint64_t smallest;
};

/* A watch and its results, on cache lines that no other processor shares. */
struct gap_watch {
    struct gap_watch_settings settings;
    uint64_t threshold; /* that of the settings, or the one found before the watch */
    uint64_t detected;  /* gaps above it are written down: the threshold, or less */
    bool also_seen;
    int64_t *histogram;
    struct worst worst; /* gaps above the threshold; each gap kept has a slot in the arrays below */
    int64_t *time;
    int64_t *length;
    /* SMIs since the previous gap above the threshold; NULL: they cannot be counted */
    int64_t *smi;
    int64_t *rows;   /* counters before and after each gap; NULL: nothing is counted */
    int64_t *stolen; /* [GAP_PARTS] sum of the gaps that began in each part of the watch */
    struct gap_causes causes;
    struct flight flight;
    int64_t *raw, *raw_before; /* raw_before is filled by gap_watch_find() */
    size_t raw_count, raw_before_count;
    int64_t *injected_time, *injected_length, *injected_world;
    size_t injected;     /* injections of settings.injections that were made */
    uint64_t part_ticks; /* length of one of the GAP_PARTS parts of the watch */
    uint64_t origin;     /* team origin of the first round */
    uint64_t start;      /* TSC of the first reading */
    uint64_t last;       /* TSC of the last reading */
    uint64_t rounds;
    uint64_t away;     /* ticks between the end of a round and the start of the next, in all */
    uint64_t provoked; /* SMIs provoked so far */
    int64_t last_row[READER_ROW_MAX];
    uint64_t first_smi, last_smi, end_smi;
    uint64_t smi_ticks; /* sum of the lengths of gaps in which SMIs were counted, kept or not */
    struct gap_tally tally;
    /* smallest reading of the calibration that found the threshold; 0: there was none */
    uint64_t smallest_before;
    uint64_t reads_before; /* readings of that calibration */
    uint64_t over_also;
    uint64_t elapsed; /* ticks watched, the time between rounds excluded */
    /* start of the dead time after the last gap that was written down; equal to dead_end: there was
     * none */
    uint64_t dead_begin;
    uint64_t dead_end;
    uint64_t dead_largest, dead_smallest;
    uint64_t dead_sum;
} __attribute__((aligned(128)));

/* Prepares the watch and takes its memory, whose size does not depend on the length of the watch.
 * Returns false if there is not enough. */
bool gap_watch_take_memory(struct gap_watch *watch, const struct gap_watch_settings *settings);

/* Finds the threshold if the settings have none; `watch` is a struct gap_watch. This is a team_work
 * of team.h: all processors of a team find their thresholds before any of them begins to watch. */
void gap_watch_find(void *watch, uint64_t origin);

/* Returns the bytes of memory that gap_watch_take_memory() took. */
uint64_t gap_watch_bytes(const struct gap_watch *watch);

/* Watches for one round, or for the whole watch if it has only one; `watch` is a struct gap_watch.
 * This is a team_work of team.h. */
void gap_watch_run(void *watch, uint64_t origin);

/* Returns whether the watch has run for its full length or was stopped. */
bool gap_watch_is_over(const struct gap_watch *watch);

/* Called between two rounds on the kernel's processor; may use the link and the allocator. Returns
 * false to end the watch. */
typedef bool gap_watch_between(void *argument);

/* Watches on all processors of the team, round by round: watches[i] runs on processor
 * takers.number[i]. `between` may be NULL. Returns false if team_run() did. */
bool gap_watch_all(struct team *team, struct gap_watch *watches, gap_watch_between *between,
                   void *argument);

/* Publishes the series and facts of names.h under the names of processor takers.number[index]
 * (team_name()). Returns false if there is not enough memory. */
bool gap_watch_publish(struct bench_run *run, struct gap_watch *watch, const struct team *team,
                       size_t index, bool own_is_bare);

/* Checks that the totals of a watch add up to the tick: each reading is in the histogram once, gaps
 * and sections of dead time together are the whole time, and the gaps kept and the rest are all
 * gaps above the threshold. Returns OK, or FAIL with `number` in the reason. */
enum bench_state gap_watch_judge(struct bench_run *run, const struct gap_watch *watch,
                                 size_t number);

/* Makes a watch for each processor of the team; each[i] are the settings of processor
 * takers.number[i]. Returns NULL if there is not enough memory. */
struct gap_watch *gap_watch_make(const struct team *team, const struct gap_watch_settings *each);

/* Publishes all watches and the skew of their clocks and judges them. Returns the first verdict
 * that is not OK. */
enum bench_state gap_watch_report(struct bench_run *run, struct team *team,
                                  struct gap_watch *watches, bool own_is_bare);
