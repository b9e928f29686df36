/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * bench region: an empty measured region. It reads two rows of counters with nothing between them
 * and so measures what reading the counters costs and counts. Runs in every run that counts events.
 */
#include "kernel/run/bench.h"
#include "kernel/run/counting.h"
#include "kernel/run/names.h"

static enum bench_state run(struct bench_run *run)
{
    const size_t count = bench_number(run, "count");

    if (!bench_counting()) {
        return bench_skip(
            run, "nothing is counted: the plan names no event, or none that this machine has");
    }
    const struct bench_rows rows = {bench_rows(2 * count), count, ROWS_PAIRS};

    if (rows.rows == NULL) {
        return bench_error(run, "cannot allocate %zu regions; lower region.count", count);
    }
    const uint64_t instructions = counting_read_instructions();

    for (size_t i = 0; i < count; i++) {
        int64_t *begin = bench_row(rows.rows, 2 * i);
        int64_t *end = bench_row(rows.rows, 2 * i + 1);

        reader_read(begin);
        reader_read(end);
    }
    bench_fact(run, "counters", UNIT_COUNT, (int64_t)counting_current()->slot_count);
    if (instructions != 0) {
        bench_fact(run, "region_instructions", UNIT_COUNT, (int64_t)(2 * instructions));
    } else {
        bench_absent(run, "region_instructions", "no counter of this pass can count instructions");
    }
    return bench_publish_rows(run, "region", &rows)
               ? bench_ok(run)
               : bench_error(run, "cannot allocate %zu regions; lower region.count", count);
}

static const struct bench_param params[] = {
    {"count", "1000", "number of empty regions", PARAM_NUMBER(1, 1000000)},
    {0},
};

static const struct bench region = {
    .name = "region",
    .group = "counters",
    .summary = "an empty measured region: what reading the counters costs and counts",
    .unit = UNIT_TICK,
    .estimate = "both reads together take 14 instructions and 10 for each counter, 58 with four "
                "counters and the calls; RDPMC takes 20 to 40 cycles on hardware, thousands if a "
                "hypervisor traps it",
    .on_request = true,
    .when_counting = true,
    .params = params,
    .run = run,
};
BENCH_REGISTER(region);
