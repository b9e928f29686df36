/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Writes the curves of a bench as JSON (tools/run/curves.h), in ticks of one repetition, as member
 * "curves" of the bench; for chase and tlb also the levels found, as members "levels" and "reach".
 * Writes nothing if the bench has no curves.
 */
#include "tools/present/report_plugin.h"

#include <string.h>

#include "bench/memory/host/memory_benches.h"
#include "bench/memory/names.h"

#define DECIMALS 3

static void put_costs(struct json *json, const char *key, const struct curve *curve,
                      double (*of)(const struct curve *curve, size_t point))
{
    json_array(json, key);
    for (size_t i = 0; i < curve->points; i++) {
        json_number(json, NULL, of(curve, i), DECIMALS);
    }
    json_close(json);
}

static void put_curve(struct json *json, const char *name, const struct curve *curve)
{
    json_object(json, NULL);
    json_text(json, "name", name);
    json_unsigned(json, "trials", curve->trials);
    json_array(json, "x");
    for (size_t i = 0; i < curve->points; i++) {
        json_signed(json, NULL, curve->x[i]);
    }
    json_close(json);
    put_costs(json, "median", curve, curve_median);
    put_costs(json, "min", curve, curve_min);
    put_costs(json, "max", curve, curve_max);
    json_close(json);
}

static void put_curves(struct json *json, const struct run_bench *bench)
{
    char name[CURVE_NAME_MAX];
    struct curve curve;

    if (curve_name_at(bench, 0, name) == NULL) {
        return;
    }
    json_array(json, "curves");
    for (size_t i = 0; curve_name_at(bench, i, name) != NULL; i++) {
        if (memory_curve_read(bench, name, &curve)) {
            put_curve(json, name, &curve);
            curve_free(&curve);
        }
    }
    json_close(json);
}

/* `low` and `high` are bytes or pages; the last level has no end, so its `high` is null. */
static void put_level(struct json *json, const struct cache_level *level)
{
    json_number(json, "cost", level->cost, DECIMALS);
    json_unsigned(json, "points", level->points);
    json_signed(json, "low", level->low);
    if (level->high != 0) {
        json_signed(json, "high", level->high);
        json_bool(json, "clear", cache_level_is_clear(level));
    } else {
        json_null(json, "high");
        json_null(json, "clear");
    }
}

static void put_claim(struct json *json, const struct cache_claim *claim,
                      const struct cache_level *level)
{
    if (claim == NULL) {
        json_null(json, "cpuid");
        json_null(json, "agrees");
        return;
    }
    json_signed(json, "cpuid", claim->bytes);
    json_bool(json, "agrees", cache_claim_agrees(claim, level));
}

static void put_levels(struct json *json, const struct run *run, const struct run_bench *bench)
{
    struct cache_level levels[LEVELS_MAX];
    struct cache_claim claims[LEVELS_MAX];
    char name[CURVE_NAME_MAX];
    const size_t count = chase_levels(run, bench, levels, name);
    const size_t claim_count = cache_claims_read(run, claims);

    json_array(json, "levels");
    for (size_t i = 0; i < count; i++) {
        json_object(json, NULL);
        put_level(json, &levels[i]);
        put_claim(json, cache_claim_of(claims, claim_count, levels, i), &levels[i]);
        json_close(json);
    }
    json_close(json);
}

static void put_reach(struct json *json, const struct run *run, const struct run_bench *bench)
{
    json_array(json, "reach");
    for (size_t page = 0; page < PAGE_SIZES; page++) {
        struct cache_level levels[LEVELS_MAX];
        bool with_caches = false;
        const size_t count = tlb_levels(run, bench, page_names[page], levels, &with_caches);

        for (size_t i = 0; i < count; i++) {
            json_object(json, NULL);
            json_text(json, "page", page_names[page]);
            json_bool(json, "with_caches", with_caches);
            put_level(json, &levels[i]);
            json_close(json);
        }
    }
    json_close(json);
}

static void memory_json(struct json *json, const struct run *run, const struct run_bench *bench)
{
    put_curves(json, bench);
    if (strcmp(bench->name, BENCH_CHASE) == 0) {
        put_levels(json, run, bench);
    } else if (strcmp(bench->name, BENCH_TLB) == 0) {
        put_reach(json, run, bench);
    }
}

PLUGIN_REGISTER(memory_json) = {.order = 50, .json = memory_json};
