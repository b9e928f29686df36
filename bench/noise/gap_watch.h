/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The detector of gaps: the TSC is read back to back on one processor with interrupts off, and what
 * lies between two readings is a gap. Each gap goes into a log-linear histogram, and of those above
 * the threshold the first and the largest are kept with their time, and all of them are counted
 * (kernel/run/worst.h). A watch is of one processor and shares nothing with another's; several may
 * run at once (team.h).
 *
 * Every gap begins at the read that ended the one before, except behind a gap that is written down:
 * that would show as a gap, and that one would be written down as well. So the gaps cover the whole
 * span except this dead time, which is reported: elapsed minus the sum of all gaps, and its longest
 * and shortest stretch, whose difference is the most that may have been missed at once.
 *
 * Where MSR 34h counts SMIs, it is read with every gap that is written down.
 *
 * In exact time one thread plays all processors, and the next one's turn comes only at a PAUSE:
 * where `pauses` is set there is one before each reading, and the turns are a strict rotation.
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
    uint64_t ticks;       /* of the whole watch, without the time between rounds */
    uint64_t threshold;   /* gaps above are kept; 0: selfish's, 9 times the smallest reading, which
                             is found before */
    uint64_t round_ticks; /* 0: one round. Else the watch is made of rounds, and what the kernel
                             does between two is reported as its time away, not as a gap */
    size_t keep, keep_largest;
    bool pauses;
    bool counted;        /* rows of counters in place of readings: on the kernel's processor */
    uint64_t provoked;   /* SMIs, at equal distances: on the kernel's processor, in one round */
    uint64_t also;       /* gaps above are counted as well, if so they can be seen; 0: none */
    size_t raw;          /* the first readings kept as they are, each then with dead time */
    bool causes;         /* a row of causes is read with each gap above the threshold */
    uint64_t stop_ticks; /* ends the watch of all at the first gap beyond; 0: never, and nothing is
                            recorded; then it is not `counted` */
    struct flight_stop *stop;               /* of all; NULL where stop_ticks is 0 */
    size_t index;                           /* of the team */
    const struct gap_injection *injections; /* by time; they must stay */
    size_t injection_count;
};

/* Selfish's threshold, of the smallest reading (netgauge's 900 %). */
#define GAP_WATCH_TIMES_SMALLEST 9

/* What every gap changes: held in registers while watching. */
struct gap_tally {
    uint64_t reads;
    uint64_t sum;
    uint64_t smallest;
};

/* On lines of memory that no other shares. */
struct gap_watch {
    struct gap_watch_settings settings;
    uint64_t threshold; /* as found, where the settings have none */
    uint64_t detected;  /* gaps above are written down: the threshold, or less */
    bool also_seen;
    int64_t *histogram;
    struct worst worst; /* above the threshold; it has a slot in each of these for each gap kept */
    int64_t *time;
    int64_t *length;
    int64_t *smi;  /* SMIs since the gap above the threshold before; NULL: they cannot be counted */
    int64_t *rows; /* before and behind each gap; NULL where nothing is counted */
    int64_t *stolen; /* [GAP_PARTS] by the gaps that began in each part of the watch */
    struct gap_causes causes;
    struct flight flight;
    int64_t *raw, *raw_before; /* the latter by gap_watch_find() */
    size_t raw_count, raw_before_count;
    int64_t *injected_time, *injected_length, *injected_world;
    size_t injected;     /* of settings.injections: done */
    uint64_t part_ticks; /* of the watch */
    uint64_t origin;     /* of the first round */
    uint64_t start;      /* TSC of the first read */
    uint64_t last;       /* of the last one */
    uint64_t rounds;
    uint64_t away;     /* from where a round ended to where the next began */
    uint64_t provoked; /* so far */
    int64_t last_row[READER_ROW_MAX];
    uint64_t first_smi, last_smi, end_smi;
    struct gap_tally tally;
    uint64_t smallest_before; /* of the readings that the threshold was found by; 0: none */
    uint64_t reads_before;    /* how many they are */
    uint64_t over_also;
    uint64_t elapsed;    /* in rounds */
    uint64_t dead_begin; /* the dead time behind the gap that was seen last; equal: none */
    uint64_t dead_end;
    uint64_t dead_largest, dead_smallest;
    uint64_t dead_sum;
} __attribute__((aligned(128)));

/* Makes it ready. The memory it takes does not depend on the length of the watch. False: none left.
 */
bool gap_watch_take_memory(struct gap_watch *watch, const struct gap_watch_settings *settings);

/* Finds the threshold where the settings have none; `watch` is a struct gap_watch. Team_work of
 * team.h: on several processors all have found theirs before one begins to watch. */
void gap_watch_find(void *watch, uint64_t origin);

/* Bytes of memory that it took. */
uint64_t gap_watch_bytes(const struct gap_watch *watch);

/* Watches a round, or all where there is one; `watch` is a struct gap_watch. Team_work of team.h.
 */
void gap_watch_run(void *watch, uint64_t origin);

/* Has it watched for as long as it should, or was it stopped? */
bool gap_watch_is_over(const struct gap_watch *watch);

/* Between two rounds, on the kernel's processor, which may use the link and the allocator. False
 * ends the watch. */
typedef bool gap_watch_between(void *argument);

/* Watches on all of the team, watches[i] on processor takers.number[i], round by round. `between`
 * may be NULL. False: team_run()'s. */
bool gap_watch_all(struct team *team, struct gap_watch *watches, gap_watch_between *between,
                   void *argument);

/* Publishes series and facts of names.h as those of processor takers.number[index] (team_name()).
 * False: no memory. */
bool gap_watch_publish(struct bench_run *run, struct gap_watch *watch, const struct team *team,
                       size_t index, bool own_is_bare);

/* The books close to the tick: each read is in the histogram once, the gaps and the dead time,
 * stretch by stretch, are all the time there was, and what was kept and the rest are all gaps above
 * the threshold. OK or FAIL, with `number` in the reason. */
enum bench_state gap_watch_judge(struct bench_run *run, const struct gap_watch *watch,
                                 size_t number);

/* One for each of the team, each[i] for that of takers.number[i]. NULL: no memory. */
struct gap_watch *gap_watch_make(const struct team *team, const struct gap_watch_settings *each);

/* Publishes all of them and the skew; the verdict is the first that is not OK. */
enum bench_state gap_watch_report(struct bench_run *run, struct team *team,
                                  struct gap_watch *watches, bool own_is_bare);
