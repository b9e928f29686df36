/* SPDX-License-Identifier: BSD-2-Clause */
/* JSON of gaps on several processors: each processor, and the stops of all at once. */
#include "bench/noise/host/gap_join.h"
#include "bench/noise/host/team_rows.h"
#include "bench/noise/names.h"
#include "tools/present/json_kit.h"
#include "tools/present/reading.h"

static void put_row(struct json *json, const struct team_row *row, const struct gap_lane *lane)
{
    const bool any = row->known && row->over > 0;
    const bool joined = lane != NULL;

    json_object(json, NULL);
    json_unsigned(json, "number", row->number);
    json_optional(json, "smallest_ticks", row->known, row->smallest);
    json_optional(json, "threshold_ticks", row->known, row->threshold);
    json_optional(json, "gaps", row->known, (int64_t)row->over);
    json_optional(json, "stolen_ticks", row->known, row->stolen);
    json_optional(json, "longest_ticks", any, row->largest);
    json_optional(json, "longest_at_ticks", any, row->largest_at);
    json_optional(json, "world", joined, joined ? (int64_t)lane->of[GAP_WORLD] : 0);
    json_optional(json, "local", joined, joined ? (int64_t)lane->of[GAP_LOCAL] : 0);
    json_optional(json, "unknown", joined, joined ? (int64_t)lane->of[GAP_UNKNOWN] : 0);
    json_optional(json, "clock_within_ticks", joined, joined ? lane->uncertainty : 0);
    json_close(json);
}

static void put_stops(struct json *json, const struct gap_join *join)
{
    json_array(json, "stops");
    for (size_t i = 0; i < join->stop_count; i++) {
        const struct gap_stop *stop = &join->stops[i];

        json_object(json, NULL);
        json_signed(json, "begin_ticks", stop->begin);
        json_signed(json, "end_ticks", stop->end);
        json_signed(json, "common_ticks", stop->common);
        json_unsigned(json, "gaps", stop->gaps);
        json_close(json);
    }
    json_close(json);
}

static void put_world(struct json *json, const struct gap_join *join, const char *why)
{
    if (join == NULL) {
        json_object(json, "world");
        json_text(json, "refused", why);
        json_close(json);
        return;
    }
    json_object(json, "world");
    json_null(json, "refused");
    json_unsigned(json, "unknown_by_skew", join->why[GAP_WHY_SKEW]);
    json_unsigned(json, "unknown_by_threshold", join->why[GAP_WHY_THRESHOLD]);
    json_unsigned(json, "unknown_by_unkept", join->why[GAP_WHY_UNKEPT]);
    json_unsigned(json, "unknown_by_unwatched", join->why[GAP_WHY_UNWATCHED]);
    put_stops(json, join);
    json_close(json);
}

static void team_json(struct json *json, const struct run *run, const struct run_bench *bench)
{
    struct team_rows rows;
    struct gap_join join;
    const char *why = NULL;
    const bool joined = gap_join_of(bench, &join, &why);

    (void)run;
    team_rows_of(bench, &rows);
    json_array(json, "processors");
    for (size_t i = 0; i < rows.count; i++) {
        put_row(json, &rows.row[i], joined ? &join.lanes[i] : NULL);
    }
    json_close(json);
    put_world(json, joined ? &join : NULL, why);
    team_rows_free(&rows);
    gap_join_free(&join);
}

READING_REGISTER(gap_team_json) = {.bench = BENCH_GAP, .order = 230, .json = team_json};
READING_REGISTER(selfish_team_json) = {.bench = BENCH_SELFISH, .order = 230, .json = team_json};
