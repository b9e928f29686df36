/* SPDX-License-Identifier: BSD-2-Clause */
#include "kernel/link/live_gaps.h"

#include <string.h>

#include "kernel/link/names.h"

#define PART        64
#define SECONDS_MAX 60
#define ROUND_PART  4096
#define COST_FACTOR 20

static const char *const cause_keys[LIVE_CAUSES] = {
    [LIVE_NMI] = "nmi",
    [LIVE_MACHINE_CHECK] = "machine_check",
    [LIVE_THERMAL] = "thermal",
    [LIVE_POWER_LIMIT] = "power_limit",
    [LIVE_INTERRUPT] = "interrupt",
    [LIVE_STEAL] = "steal",
};

const char *live_cause_key(enum live_cause cause)
{
    return cause_keys[cause];
}

bool live_gaps_write(struct record_writer *writer, const char *bench, unsigned pass,
                     const struct live_gaps *live)
{
    record_begin(writer, RECORD_LIVE);
    record_text(writer, FIELD_BENCH, bench);
    if (pass > 0) {
        record_unsigned(writer, FIELD_PASS, pass);
    }
    record_unsigned(writer, FIELD_PROCESSOR, live->processor);
    record_unsigned(writer, FIELD_ELAPSED, live->elapsed);
    record_unsigned(writer, FIELD_TOTAL, live->total);
    record_unsigned(writer, FIELD_AWAY, live->away);
    record_unsigned(writer, FIELD_THRESHOLD, live->threshold);
    record_unsigned(writer, FIELD_OVER, live->over);
    record_unsigned(writer, FIELD_STOLEN, live->stolen);
    record_unsigned(writer, FIELD_LARGEST, live->largest);
    record_unsigned(writer, FIELD_LARGEST_AT, live->largest_at);
    record_unsigned(writer, FIELD_RECENT, live->recent);
    if (live->counts_smi) {
        record_unsigned(writer, FIELD_SMI, live->smi);
        record_unsigned(writer, FIELD_SMI_TICKS, live->smi_ticks);
    }
    for (enum live_cause cause = 0; cause < LIVE_CAUSES; cause++) {
        if (live->cause[cause] > 0) {
            record_unsigned(writer, cause_keys[cause], live->cause[cause]);
        }
    }
    return !writer->truncated;
}

/* Reads a number that records may lack; it is then 0. Returns false if it is malformed. */
static bool read_optional(const struct record *record, const char *key, uint64_t *value)
{
    return record_value(record, key) == NULL || record_value_unsigned(record, key, value);
}

static bool read_causes(const struct record *record, struct live_gaps *live)
{
    live->counts_smi = record_value(record, FIELD_SMI) != NULL;
    for (enum live_cause cause = 0; cause < LIVE_CAUSES; cause++) {
        if (!read_optional(record, cause_keys[cause], &live->cause[cause])) {
            return false;
        }
    }
    return read_optional(record, FIELD_SMI, &live->smi) &&
           read_optional(record, FIELD_SMI_TICKS, &live->smi_ticks);
}

bool live_gaps_read(const struct record *record, struct live_gaps *live)
{
    uint64_t processor;

    *live = (struct live_gaps){0};
    if (!record_value_up_to(record, FIELD_PROCESSOR, UINT32_MAX, &processor) ||
        !record_value_unsigned(record, FIELD_ELAPSED, &live->elapsed) ||
        !record_value_unsigned(record, FIELD_TOTAL, &live->total) ||
        !read_optional(record, FIELD_AWAY, &live->away) ||
        !read_optional(record, FIELD_THRESHOLD, &live->threshold) ||
        !record_value_unsigned(record, FIELD_OVER, &live->over) ||
        !record_value_unsigned(record, FIELD_STOLEN, &live->stolen) ||
        !record_value_unsigned(record, FIELD_LARGEST, &live->largest) ||
        !record_value_unsigned(record, FIELD_LARGEST_AT, &live->largest_at) ||
        !read_optional(record, FIELD_RECENT, &live->recent) || !read_causes(record, live)) {
        return false;
    }
    live->processor = (uint32_t)processor;
    return (live->over > 0) == (live->largest > 0) && live->stolen >= live->largest;
}

static uint64_t larger(uint64_t a, uint64_t b)
{
    return a > b ? a : b;
}

uint64_t live_gaps_round(uint64_t elapsed, uint64_t cost, uint64_t hz)
{
    return larger(hz, larger(elapsed / ROUND_PART, COST_FACTOR * cost));
}

bool live_gaps_due(uint64_t elapsed, uint64_t last, uint64_t hz)
{
    const uint64_t longest = SECONDS_MAX * hz;
    uint64_t interval = elapsed / PART;

    interval = interval < hz ? hz : interval;
    interval = interval > longest ? longest : interval;
    return elapsed - last >= interval;
}

/* Doubles the length of a cell. */
static void merge_cells(struct live_heat *heat)
{
    for (size_t i = 0; i < LIVE_CELLS; i++) {
        heat->cell[i] = i < LIVE_CELLS / 2 ? larger(heat->cell[2 * i], heat->cell[2 * i + 1]) : 0;
    }
    heat->slice *= 2;
}

/* The gap lies in the last round. Half a round, or half a cell, before its end is in the right cell
 * although rounds are a little longer than planned. */
void live_heat_take(struct live_heat *heat, const struct live_gaps *live)
{
    if (live->elapsed <= heat->until) {
        return;
    }
    heat->slice = heat->slice > 0 ? heat->slice : live->elapsed;
    while ((live->elapsed - 1) / heat->slice >= LIVE_CELLS) {
        merge_cells(heat);
    }
    const uint64_t passed = live->elapsed - heat->until;
    const uint64_t back = (passed < heat->slice ? passed : heat->slice) / 2;
    const uint64_t last = (live->elapsed - back) / heat->slice;

    for (uint64_t i = heat->until / heat->slice; i <= last && i < LIVE_CELLS; i++) {
        heat->cell[i] = larger(heat->cell[i], LIVE_QUIET);
    }
    if (last < LIVE_CELLS) {
        heat->cell[last] = larger(heat->cell[last], live->recent);
    }
    heat->until = live->elapsed;
}
