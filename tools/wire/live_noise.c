/* SPDX-License-Identifier: BSD-2-Clause */
#include "tools/wire/live_noise.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "kernel/link/names.h"
#include "kernel/run/names.h"
#include "tools/base/alloc.h"
#include "tools/base/table.h"
#include "tools/run/records.h"

void live_noise_free(struct live_noise *noise)
{
    free(noise->lane);
    *noise = (struct live_noise){0};
}

static void set_lane(struct live_noise *noise, const struct live_gaps *gaps)
{
    size_t at = 0; /* index of the processor, or where to insert it */

    while (at < noise->count && noise->lane[at].processor < gaps->processor) {
        at++;
    }
    if (at < noise->count && noise->lane[at].processor == gaps->processor) {
        noise->lane[at] = *gaps;
        return;
    }
    if (noise->count == LIVE_NOISE_LANES_MAX) {
        return;
    }
    if (noise->lane == NULL) {
        noise->lane = alloc_zeroed(LIVE_NOISE_LANES_MAX * sizeof(*noise->lane));
    }
    memmove(noise->lane + at + 1, noise->lane + at, (noise->count - at) * sizeof(*noise->lane));
    noise->lane[at] = *gaps;
    noise->count++;
}

void live_noise_take(struct live_noise *noise, const struct record *record)
{
    const char *bench = record_value(record, FIELD_BENCH);
    struct live_gaps gaps;
    uint32_t pass;

    if (strcmp(record->name, RECORD_LIVE) != 0 || bench == NULL ||
        strlen(bench) >= LIVE_NOISE_NAME_MAX || !record_pass(record, &pass) ||
        !live_gaps_read(record, &gaps)) {
        return;
    }
    if (strcmp(noise->bench, bench) != 0 || noise->pass != pass) {
        noise->count = 0;
        noise->pass = pass;
        snprintf(noise->bench, sizeof(noise->bench), "%s", bench);
    }
    set_lane(noise, &gaps);
}

static void add_fact(struct run *run, struct run_bench *bench, const char *name, uint32_t processor,
                     uint64_t value)
{
    struct run_fact *fact = run_add_fact(bench);

    fact->name = processor == 0 ? name : run_format(run, "%s.%" PRIu32, name, processor);
    fact->value = (int64_t)value;
    fact->unit = strcmp(name, PARTIAL_GAPS) == 0 ? UNIT_COUNT : UNIT_TICK;
}

static void add_facts(struct run *run, struct run_bench *bench, const struct live_gaps *gaps)
{
    add_fact(run, bench, PARTIAL_WATCHED, gaps->processor, gaps->elapsed);
    add_fact(run, bench, PARTIAL_GAPS, gaps->processor, gaps->over);
    add_fact(run, bench, PARTIAL_LOST, gaps->processor, gaps->stolen);
    if (gaps->over > 0) {
        add_fact(run, bench, PARTIAL_LONGEST, gaps->processor, gaps->largest);
        add_fact(run, bench, PARTIAL_LONGEST_AT, gaps->processor, gaps->largest_at);
    }
}

/* Returns ticks as a duration, or as ticks if the rate of the TSC is not verified. */
static const char *time_of(struct run *run, uint64_t ticks)
{
    const double ns_per_tick = run_ns_per_tick(run);
    char duration[DURATION_MAX];

    return ns_per_tick > 0 ? run_text(run, duration_text((double)ticks * ns_per_tick, duration))
                           : run_format(run, "%" PRIu64 " ticks", ticks);
}

const char *live_noise_partial(const struct live_noise *noise, struct run *run,
                               struct run_bench *bench)
{
    uint64_t over = 0;

    if (noise->count == 0 || strcmp(noise->bench, bench->name) != 0 || noise->pass != bench->pass) {
        return NULL;
    }
    const struct live_gaps *worst = &noise->lane[0];

    for (size_t i = 0; i < noise->count; i++) {
        const struct live_gaps *gaps = &noise->lane[i];

        add_facts(run, bench, gaps);
        over += gaps->over;
        worst = gaps->largest > worst->largest ? gaps : worst;
    }
    const char *watched = time_of(run, worst->elapsed);
    const char *planned =
        worst->total > 0 ? run_format(run, " of %s", time_of(run, worst->total)) : "";

    if (over == 0) {
        return run_format(run, "partial result: no gap above the threshold in %s%s", watched,
                          planned);
    }
    return run_format(run,
                      "partial result: %" PRIu64
                      " gaps above the threshold in %s%s, the longest %s "
                      "at %s on processor %" PRIu32,
                      over, watched, planned, time_of(run, worst->largest),
                      time_of(run, worst->largest_at), worst->processor);
}
