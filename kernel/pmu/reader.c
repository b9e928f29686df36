/* SPDX-License-Identifier: BSD-2-Clause */
#include "kernel/pmu/reader.h"

#include "kernel/cpu/cpu.h"
#include "kernel/cpu/msr.h"

typedef void row_reader(int64_t *row);

/* From reader.S: two readers for each number of counters, without and with MSR 34h. */
extern row_reader *const reader_variants[] __attribute__((visibility("hidden")));

/* Register indices that reader.S reads. */
extern uint32_t reader_index[READER_COUNTERS_MAX + 1] __attribute__((visibility("hidden")));
uint32_t reader_index[READER_COUNTERS_MAX + 1];
static size_t counters;
static bool with_smi;

static void read_clock_only(int64_t *row)
{
    row[0] = (int64_t)tsc_read_ordered();
}

row_reader *reader_chosen = read_clock_only;

void reader_set(const uint32_t *rdpmc, size_t count, bool smi)
{
    for (size_t i = 0; i < count; i++) {
        reader_index[i] = rdpmc[i];
    }
    reader_index[count] = MSR_SMI_COUNT;
    counters = count;
    with_smi = smi;
    reader_chosen =
        count == 0 && !smi ? read_clock_only : reader_variants[2 * count + (smi ? 1 : 0)];
}

size_t reader_row_words(void)
{
    return 1 + counters + (with_smi ? 1 : 0);
}
