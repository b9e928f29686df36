/* SPDX-License-Identifier: BSD-2-Clause */
#include "tools/wire/live_noise.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "bench/noise/names.h"
#include "kernel/link/names.h"
#include "kernel/run/live_board.h"
#include "kernel/run/names.h"
#include "tools/base/alloc.h"
#include "tools/run/records.h"

void live_noise_free(struct live_noise *noise)
{
    free(noise->lane);
    *noise = (struct live_noise){0};
}

/* Returns the lane of a processor, which is new if it had none, or NULL if there is no room. */
static struct live_lane *lane_of(struct live_noise *noise, uint32_t processor)
{
    size_t at = 0; /* index of the processor, or where to insert it */

    while (at < noise->count && noise->lane[at].gaps.processor < processor) {
        at++;
    }
    if (at < noise->count && noise->lane[at].gaps.processor == processor) {
        return &noise->lane[at];
    }
    if (noise->count == LIVE_NOISE_LANES_MAX) {
        return NULL;
    }
    if (noise->lane == NULL) {
        noise->lane = alloc_zeroed(LIVE_NOISE_LANES_MAX * sizeof(*noise->lane));
    }
    memmove(noise->lane + at + 1, noise->lane + at, (noise->count - at) * sizeof(*noise->lane));
    noise->lane[at] = (struct live_lane){0};
    noise->count++;
    return &noise->lane[at];
}

static void set_lane(struct live_noise *noise, const struct live_gaps *gaps)
{
    struct live_lane *lane = lane_of(noise, gaps->processor);

    if (lane != NULL && gaps->elapsed >= lane->gaps.elapsed) { /* a second log may be older */
        live_heat_take(&lane->heat, gaps);
        lane->gaps = *gaps;
    }
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
    const bool is_same = strcmp(noise->bench, bench) == 0;

    if (is_same && pass < noise->pass) {
        return;
    }
    if (!is_same || pass > noise->pass) {
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
    fact->unit =
        strcmp(name, PARTIAL_GAPS) == 0 || strcmp(name, PARTIAL_SMI) == 0 ? UNIT_COUNT : UNIT_TICK;
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
    if (gaps->counts_smi) {
        add_fact(run, bench, PARTIAL_SMI, gaps->processor, gaps->smi);
        add_fact(run, bench, PARTIAL_SMI_TICKS, gaps->processor, gaps->smi_ticks);
    }
}

const char *live_noise_partial(const struct live_noise *noise, struct run *run,
                               struct run_bench *bench)
{
    char sentence[LIVE_LINE_MAX], progress[LIVE_LINE_MAX], left[LIVE_LINE_MAX];

    if (noise->count == 0 || strcmp(noise->bench, bench->name) != 0 || noise->pass != bench->pass) {
        return NULL;
    }
    const struct live_board board = {
        .lane = noise->lane, .count = noise->count, .hz = run->verdict.hz};

    for (size_t i = 0; i < noise->count; i++) {
        add_facts(run, bench, &noise->lane[i].gaps);
    }
    live_progress_text(&board, progress, left);
    live_sentence(&board, sentence);
    return run_format(run, REASON_PARTIAL ", %s: %s", progress, sentence);
}
