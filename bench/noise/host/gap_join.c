/* SPDX-License-Identifier: BSD-2-Clause */
#include "bench/noise/host/gap_join.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#include "bench/noise/names.h"
#include "bench/system/names.h"
#include "tools/base/alloc.h"
#include "tools/base/sort.h"

#define NAME_BYTES 64

const char *gap_why_text(enum gap_why why)
{
    static const char *const texts[GAP_WHYS] = {
        [GAP_WHY_NONE] = "",
        [GAP_WHY_SKEW] = "no longer than the uncertainty of the clocks",
        [GAP_WHY_THRESHOLD] = "within a reading of another processor's threshold",
        [GAP_WHY_UNKEPT] = "another processor did not keep all its gaps",
        [GAP_WHY_UNWATCHED] = "another processor did not watch at that time",
    };

    return texts[why];
}

/* ---- classes ---- */

/* Returns the first gap of the lane that ends after `time`. */
static size_t first_behind(const struct gap_lane *lane, int64_t time)
{
    return SEARCH_COUNT(i, lane->count, lane->gaps[i].end <= time);
}

/* Returns the ticks of [begin, end) in which the lane has gaps. */
static int64_t covered(const struct gap_lane *lane, int64_t begin, int64_t end)
{
    int64_t sum = 0;

    for (size_t i = first_behind(lane, begin); i < lane->count && lane->gaps[i].begin < end; i++) {
        const struct gap_span *gap = &lane->gaps[i];

        sum += (gap->end < end ? gap->end : end) - (gap->begin > begin ? gap->begin : begin);
    }
    return sum;
}

/* Returns the class of a gap by comparison with one other processor. */
static enum gap_class seen_by(const struct gap_lane *lane, const struct gap_span *gap,
                              int64_t uncertainty, int64_t reading, enum gap_why *why)
{
    const int64_t length = gap->end - gap->begin;
    bool always = true;
    bool never = true;

    if (length <= uncertainty) {
        *why = GAP_WHY_SKEW;
        return GAP_UNKNOWN;
    }
    for (int step = -1; step <= 1; step++) {
        const int64_t shift = step * uncertainty;
        const bool half = 2 * covered(lane, gap->begin + shift, gap->end + shift) >= length;

        always = always && half;
        never = never && !half;
    }
    if (always) {
        return GAP_WORLD;
    }
    if (!never) {
        *why = GAP_WHY_SKEW;
    } else if (gap->begin < lane->begin - uncertainty || gap->end > lane->end + uncertainty) {
        *why = GAP_WHY_UNWATCHED;
    } else if (length - reading <= lane->threshold) {
        *why = GAP_WHY_THRESHOLD;
    } else if (gap->end >= lane->kept_until && length - reading <= lane->largest_unkept) {
        *why = GAP_WHY_UNKEPT;
    } else {
        return GAP_LOCAL;
    }
    return GAP_UNKNOWN;
}

/* One other processor that ran meanwhile makes a per-CPU gap; a system-wide gap needs all others to
 * have stood. */
static void classify(const struct gap_join *join, const struct gap_lane *own, struct gap_span *gap)
{
    bool all = true;

    gap->class = GAP_UNKNOWN;
    gap->why = GAP_WHY_NONE;
    for (size_t i = 0; i < join->lane_count; i++) {
        const struct gap_lane *lane = &join->lanes[i];
        enum gap_why why = GAP_WHY_NONE;

        if (lane == own) {
            continue;
        }
        const enum gap_class class =
            seen_by(lane, gap, own->uncertainty + lane->uncertainty, own->reading, &why);

        if (class == GAP_LOCAL) {
            gap->class = GAP_LOCAL;
            gap->why = GAP_WHY_NONE;
            return;
        }
        if (class == GAP_UNKNOWN && all) {
            gap->why = why;
            all = false;
        }
    }
    if (all) {
        gap->class = GAP_WORLD;
    }
}

/* ---- stops ---- */

struct piece {
    size_t lane;
    struct gap_span *gap;
    int64_t uncertainty;
};

static int by_begin(const void *a, const void *b)
{
    const int64_t first = ((const struct piece *)a)->gap->begin;
    const int64_t second = ((const struct piece *)b)->gap->begin;

    return (first > second) - (first < second);
}

/* Returns the ticks from the latest start of a lane's first piece to the earliest end of a lane's
 * last piece. */
static int64_t common_ticks(const struct gap_join *join, const struct piece *pieces, size_t count)
{
    int64_t begin = INT64_MIN;
    int64_t end = INT64_MAX;

    for (size_t lane = 0; lane < join->lane_count; lane++) {
        int64_t lane_begin = INT64_MAX;
        int64_t lane_end = INT64_MIN;

        for (size_t i = 0; i < count; i++) {
            if (pieces[i].lane != lane) {
                continue;
            }
            const struct gap_span *gap = pieces[i].gap;

            lane_begin = gap->begin < lane_begin ? gap->begin : lane_begin;
            lane_end = gap->end > lane_end ? gap->end : lane_end;
        }
        if (lane_begin == INT64_MAX) {
            /* the gap on that processor was too short to be a system-wide gap by itself */
            continue;
        }
        begin = lane_begin > begin ? lane_begin : begin;
        end = lane_end < end ? lane_end : end;
    }
    return end - begin;
}

static void add_stop(struct gap_join *join, const struct piece *pieces, size_t count)
{
    struct gap_stop stop = {pieces[0].gap->begin, pieces[0].gap->end, 0, count};

    for (size_t i = 0; i < count; i++) {
        stop.end = pieces[i].gap->end > stop.end ? pieces[i].gap->end : stop.end;
        pieces[i].gap->stop = join->stop_count;
    }
    stop.common = common_ticks(join, pieces, count);
    join->stops[join->stop_count++] = stop;
}

static size_t collect_pieces(const struct gap_join *join, struct piece *pieces)
{
    size_t count = 0;

    for (size_t i = 0; i < join->lane_count; i++) {
        for (size_t k = 0; k < join->lanes[i].count; k++) {
            if (join->lanes[i].gaps[k].class == GAP_WORLD) {
                pieces[count++] =
                    (struct piece){i, &join->lanes[i].gaps[k], join->lanes[i].uncertainty};
            }
        }
    }
    return count;
}

/* Combines system-wide gaps that touch, given their clocks' uncertainty, into one stop. */
static void find_stops(struct gap_join *join)
{
    size_t worlds = 0;

    for (size_t i = 0; i < join->lane_count; i++) {
        worlds += join->lanes[i].of[GAP_WORLD];
    }
    struct piece *pieces = alloc_zeroed((worlds + 1) * sizeof(*pieces));

    join->stops = alloc_zeroed((worlds + 1) * sizeof(*join->stops));
    worlds = collect_pieces(join, pieces);
    sort_stable(pieces, worlds, sizeof(*pieces), by_begin);
    for (size_t first = 0, i = 0; i < worlds; first = i) {
        int64_t end = pieces[first].gap->end - pieces[first].uncertainty;

        for (i = first + 1; i < worlds; i++) {
            if (pieces[i].gap->begin >= end) {
                break;
            }
            const int64_t next = pieces[i].gap->end - pieces[i].uncertainty;

            end = next > end ? next : end;
        }
        add_stop(join, pieces + first, i - first);
    }
    free(pieces);
}

void gap_join_classify(struct gap_join *join)
{
    for (size_t i = 0; i < join->lane_count; i++) {
        struct gap_lane *lane = &join->lanes[i];

        for (size_t k = 0; k < lane->count; k++) {
            classify(join, lane, &lane->gaps[k]);
            lane->of[lane->gaps[k].class]++;
            if (lane->gaps[k].class == GAP_UNKNOWN) {
                join->why[lane->gaps[k].why]++;
            }
        }
    }
    find_stops(join);
}

void gap_join_free(struct gap_join *join)
{
    for (size_t i = 0; i < join->lane_count; i++) {
        free(join->lanes[i].gaps);
    }
    free(join->lanes);
    free(join->stops);
    *join = (struct gap_join){0};
}

/* ---- names ---- */

struct gap_names gap_names_of(const struct run_bench *bench)
{
    struct gap_names names = {bench, run_find_series(bench, SERIES_NUMBER), 0, UINT64_MAX, 0};
    int64_t own;

    if (names.numbers != NULL && run_series_sample(names.numbers, 0, &own) && own > 0) {
        names.own = (uint64_t)own;
    }
    if (run_find_fact(bench, FACT_READS) != NULL) {
        names.bare = names.own;
    }
    names.number = names.own;
    return names;
}

size_t gap_names_count(const struct gap_names *names)
{
    return names->numbers != NULL && names->numbers->n > 0 ? names->numbers->n : 1;
}

bool gap_names_take(struct gap_names *names, size_t index)
{
    int64_t value;

    names->number = names->own;
    if (index == 0) {
        return true;
    }
    if (!run_series_sample(names->numbers, (uint32_t)index, &value) || value < 0) {
        return false;
    }
    names->number = (uint64_t)value;
    return true;
}

static const char *name_for(const struct gap_names *names, const char *name, char text[NAME_BYTES])
{
    if (names->number == names->bare) {
        return name;
    }
    snprintf(text, NAME_BYTES, "%s.%" PRIu64, name, names->number);
    return text;
}

const struct run_series *gap_series_for(const struct gap_names *names, const char *name)
{
    char text[NAME_BYTES];

    return run_find_series(names->bench, name_for(names, name, text));
}

const struct run_fact *gap_fact_for(const struct gap_names *names, const char *name)
{
    char text[NAME_BYTES];

    return run_find_fact(names->bench, name_for(names, name, text));
}

/* ---- reading a run ---- */

/* Upper bound of times and lengths, so that sums of them do not overflow. */
#define TICKS_MAX (INT64_C(1) << 60)

static bool fact_of(const struct gap_names *names, const char *name, int64_t *value)
{
    const struct run_fact *fact = gap_fact_for(names, name);

    *value = fact != NULL ? fact->value : 0;
    return fact != NULL && fact->value >= 0 && fact->value < TICKS_MAX;
}

/* Adds the gaps of a list. Returns false if the list is damaged; a missing list has no gaps. */
static bool add_gaps(const struct gap_names *names, const char *time_name, const char *length_name,
                     int64_t origin, struct gap_lane *lane)
{
    const struct run_series *times = gap_series_for(names, time_name);
    const struct run_series *lengths = gap_series_for(names, length_name);

    if (times == NULL && lengths == NULL) {
        return true;
    }
    if (times == NULL || lengths == NULL || times->n != lengths->n || !run_series_whole(times) ||
        !run_series_whole(lengths)) {
        return false;
    }
    for (size_t i = 0; i < times->n; i++) {
        const int64_t time = times->samples[i];
        const int64_t length = lengths->samples[i];
        const int64_t last = lane->count > 0 ? lane->gaps[lane->count - 1].end : 0;

        if (time < 0 || time >= TICKS_MAX || length < 0 || length >= TICKS_MAX ||
            (lane->count > 0 && origin + time < last)) {
            return false;
        }
        lane->gaps[lane->count++] =
            (struct gap_span){.begin = origin + time, .end = origin + time + length};
    }
    return true;
}

static size_t list_length(const struct gap_names *names, const char *name)
{
    const struct run_series *series = gap_series_for(names, name);

    return series != NULL ? series->n : 0;
}

/* Notes which gaps may be missing: those after the first ones that are not longer than the shortest
 * of the largest. */
static void note_unkept(struct gap_lane *lane, size_t first, int64_t rest)
{
    lane->kept_until = INT64_MAX;
    lane->largest_unkept = 0;
    if (rest == 0) {
        return;
    }
    lane->kept_until = first > 0 ? lane->gaps[first - 1].end : INT64_MIN;
    lane->largest_unkept = INT64_MAX;
    for (size_t i = first; i < lane->count; i++) {
        const int64_t length = lane->gaps[i].end - lane->gaps[i].begin;

        lane->largest_unkept = length < lane->largest_unkept ? length : lane->largest_unkept;
    }
}

static bool read_gaps(const struct gap_names *names, int64_t origin, struct gap_lane *lane)
{
    const size_t first = list_length(names, SERIES_GAP_TIME);
    int64_t rest;

    lane->gaps =
        alloc_zeroed((first + list_length(names, SERIES_WORST_TIME) + 1) * sizeof(*lane->gaps));
    if (!fact_of(names, FACT_REST, &rest) ||
        !add_gaps(names, SERIES_GAP_TIME, SERIES_GAP_LENGTH, origin, lane) ||
        !add_gaps(names, SERIES_WORST_TIME, SERIES_WORST_LENGTH, origin, lane)) {
        return false;
    }
    note_unkept(lane, first, rest);
    return true;
}

/* Finds the mean length of the readings that were not gaps above the threshold. */
static bool read_loop(const struct gap_names *names, struct gap_lane *lane)
{
    int64_t elapsed;
    int64_t dead;
    int64_t stolen;
    int64_t reads;
    int64_t over;

    if (!fact_of(names, FACT_GAP_ELAPSED, &elapsed) || !fact_of(names, FACT_DEAD, &dead) ||
        !fact_of(names, FACT_STOLEN, &stolen) || !fact_of(names, FACT_READS, &reads) ||
        !fact_of(names, FACT_OVER, &over) || !fact_of(names, FACT_THRESHOLD, &lane->threshold)) {
        return false;
    }
    lane->reading = reads > over ? (elapsed - dead - stolen) / (reads - over) : 0;
    return lane->reading >= 0;
}

/* Finds the clock's uncertainty: the larger of the two bounds, plus the drift between both
 * measurements. */
static bool read_clock(const struct run_bench *bench, uint32_t index, struct gap_lane *lane)
{
    static const char *const names[] = {SERIES_TEAM_SKEW, SERIES_TEAM_SKEW_AFTER, SERIES_TEAM_BOUND,
                                        SERIES_TEAM_BOUND_AFTER};
    int64_t values[4];

    for (size_t i = 0; i < 4; i++) {
        const struct run_series *series = run_find_series(bench, names[i]);

        if (series == NULL || !run_series_sample(series, index, &values[i]) ||
            values[i] <= -TICKS_MAX || values[i] >= TICKS_MAX) {
            return false;
        }
    }
    const int64_t drift = llabs(values[1] - values[0]);
    const int64_t bound = values[2] > values[3] ? values[2] : values[3];

    /* only the part of the drift that the bounds do not explain counts */
    lane->uncertainty = bound + (drift > values[2] + values[3] ? drift - values[2] - values[3] : 0);
    return bound >= 0;
}

static bool read_lane(struct gap_names *names, uint32_t index, struct gap_lane *lane)
{
    int64_t origin;
    int64_t elapsed;
    int64_t away = 0;

    if (!gap_names_take(names, index) || !fact_of(names, FACT_ORIGIN, &origin) ||
        !fact_of(names, FACT_GAP_ELAPSED, &elapsed) || !read_clock(names->bench, index, lane) ||
        !read_loop(names, lane)) {
        return false;
    }
    (void)fact_of(names, FACT_AWAY, &away);
    lane->number = names->number;
    lane->begin = origin;
    lane->end = origin + elapsed + away;
    return read_gaps(names, origin, lane);
}

bool gap_join_of(const struct run_bench *bench, struct gap_join *join, const char **why)
{
    struct gap_names names = gap_names_of(bench);
    const size_t count = gap_names_count(&names);

    *join = (struct gap_join){0};
    if (count < 2) {
        *why = "only one processor took part";
        return false;
    }
    join->lanes = alloc_zeroed(count * sizeof(*join->lanes));
    for (size_t i = 0; i < count; i++) {
        join->lane_count = i + 1;
        if (!read_lane(&names, (uint32_t)i, &join->lanes[i])) {
            *why = "series or facts of a processor are missing or contradict each other";
            gap_join_free(join);
            return false;
        }
    }
    gap_join_classify(join);
    return true;
}
