/* SPDX-License-Identifier: BSD-2-Clause */
/* Prints how much time each cause took: the gaps of all processors by what was counted around them.
 */
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "bench/noise/host/gap_join.h"
#include "bench/noise/host/view_noise.h"
#include "bench/noise/names.h"
#include "kernel/run/names.h"
#include "tools/present/view.h"

#define CAUSE_NAME_MAX 40
#define PERCENT        100
#define STOPPED_LABEL  "clock stopped (MPERF)"

/* The causes that are counted (bench/noise/cause.h), and their names in the table. Stopped clocks
 * are found from MPERF and are not a count. */
static const struct {
    const char *name;
    const char *label;
} kinds[] = {
    {CAUSE_NAME_SMI, "SMI"},
    {CAUSE_NAME_NMI, "NMI"},
    {CAUSE_NAME_MACHINE_CHECK, "machine check"},
    {CAUSE_NAME_THERMAL, "thermal limit"},
    {CAUSE_NAME_POWER_LIMIT, "power limit"},
    {CAUSE_NAME_STEAL, "hypervisor (steal time)"},
    {CAUSE_NAME_INTERRUPT, "pending interrupt"},
};

#define KINDS   (sizeof(kinds) / sizeof(kinds[0]))
#define STOPPED KINDS       /* MPERF advanced for less than half of the gap */
#define UNKNOWN (KINDS + 1) /* no counted cause advanced */
#define ROWS    (KINDS + 2)

struct share {
    uint64_t gaps;
    double ticks;
    int64_t longest;
};

struct causes {
    struct share of[ROWS];
    bool counted[ROWS]; /* the machine can report it */
    bool total[ROWS];   /* it was counted during the watch, perhaps not around each gap */
    double ticks;       /* sum of all gaps above the threshold */
    double ns_per_tick; /* 0: unknown */
    uint64_t unkept;
};

static void take(struct causes *causes, size_t row, int64_t length)
{
    causes->of[row].gaps++;
    causes->of[row].ticks += (double)length;
    causes->of[row].longest = length > causes->of[row].longest ? length : causes->of[row].longest;
}

/* Returns false if the cause was not counted around this gap. A count that never advanced has no
 * series. */
static bool count_of(const struct gap_names *names, const char *prefix, const char *cause,
                     uint32_t gap, int64_t *count)
{
    char name[CAUSE_NAME_MAX];

    snprintf(name, sizeof(name), "%s%s", prefix, cause);
    const struct run_series *series = gap_series_for(names, name);

    return series != NULL && run_series_sample(series, gap, count);
}

/* Returns whether the cause took the gap. Steal time, which is in ns, must be at least half of it:
 * a hypervisor steals a little around many gaps that it does not cause. */
static bool is_cause(const struct causes *causes, size_t kind, int64_t count, int64_t length)
{
    const bool is_steal = strcmp(kinds[kind].name, CAUSE_NAME_STEAL) == 0;

    return count > 0 && (!is_steal || 2 * (double)count >= (double)length * causes->ns_per_tick);
}

const char *gap_cause_label(const struct gap_names *names, enum gap_list list, uint32_t gap,
                            int64_t length, double ns_per_tick)
{
    const struct causes causes = {.ns_per_tick = ns_per_tick};
    const char *prefix = list == GAP_FIRST ? PREFIX_CAUSE : PREFIX_WORST_CAUSE;
    int64_t count;

    for (size_t i = 0; i < KINDS; i++) {
        if (count_of(names, prefix, kinds[i].name, gap, &count) &&
            is_cause(&causes, i, count, length)) {
            return kinds[i].label;
        }
    }
    return count_of(names, prefix, FACT_MPERF, gap, &count) && count < length / 2 ? STOPPED_LABEL
                                                                                  : NULL;
}

static void add_gap(struct causes *causes, const struct gap_names *names, const char *prefix,
                    uint32_t gap, int64_t length)
{
    bool found = false;
    int64_t count;

    for (size_t i = 0; i < KINDS; i++) {
        if (count_of(names, prefix, kinds[i].name, gap, &count) &&
            is_cause(causes, i, count, length)) {
            take(causes, i, length);
            found = true;
        }
    }
    if (count_of(names, prefix, FACT_MPERF, gap, &count) && count < length / 2) {
        take(causes, STOPPED, length);
        found = true;
    }
    if (!found) {
        take(causes, UNKNOWN, length);
    }
}

static void add_list(struct causes *causes, const struct gap_names *names, const char *prefix,
                     const char *lengths)
{
    const struct run_series *series = gap_series_for(names, lengths);

    for (uint32_t i = 0; series != NULL && run_series_whole(series) && i < series->n; i++) {
        add_gap(causes, names, prefix, i, series->samples[i]);
    }
}

static void add_processor(struct causes *causes, const struct gap_names *names)
{
    const struct run_fact *stolen = gap_fact_for(names, FACT_STOLEN);
    const struct run_fact *rest = gap_fact_for(names, FACT_REST);

    for (size_t i = 0; i <= STOPPED; i++) {
        char name[CAUSE_NAME_MAX];

        snprintf(name, sizeof(name), PREFIX_CAUSE "%s", i < KINDS ? kinds[i].name : FACT_MPERF);
        const struct run_fact *total = gap_fact_for(names, name);

        causes->counted[i] |= total != NULL;
        causes->total[i] |= i < KINDS && total != NULL && total->value > 0;
    }
    causes->counted[UNKNOWN] = true;
    causes->ticks += stolen != NULL ? (double)stolen->value : 0;
    causes->unkept += rest != NULL && rest->value > 0 ? (uint64_t)rest->value : 0;
    add_list(causes, names, PREFIX_CAUSE, SERIES_GAP_LENGTH);
    add_list(causes, names, PREFIX_WORST_CAUSE, SERIES_WORST_LENGTH);
}

static void print_causes(const struct view *view, const struct causes *causes)
{
    struct table table;
    bool is_partial = false;

    table_open(&table, "lrrrr", "cause of gaps\tgaps\ttotal time\tshare of lost time\tlongest");
    for (size_t i = 0; i < ROWS; i++) {
        const struct share *share = &causes->of[i];

        if (!causes->counted[i]) {
            continue;
        }
        const bool by_gap = share->gaps > 0 || !causes->total[i];

        is_partial = is_partial || !by_gap;
        table_line(&table, "%s",
                   i < KINDS      ? kinds[i].label
                   : i == STOPPED ? STOPPED_LABEL
                                  : "cause not known");
        table_known(&table, by_gap, (int64_t)share->gaps);
        cell_amount(&table, view, by_gap, llround(share->ticks));
        table_if(&table, by_gap, "%.1f %%",
                 causes->ticks > 0 ? PERCENT * share->ticks / causes->ticks : 0);
        cell_amount(&table, view, share->gaps > 0, share->longest);
    }
    view_table(view, &table);
    print_paragraph(view->out, "gaps that were kept, on all processors; a gap with two causes "
                               "counts for both; cause not known: none was counted");
    if (is_partial) {
        print_paragraph(view->out, "-: counted for the whole watch only, so gaps without a known "
                                   "cause may have this one");
    }
    if (causes->unkept > 0) {
        print_paragraph(view->out, "%" PRIu64 " gaps were not kept, so their causes are not known",
                        causes->unkept);
    }
}

void view_causes(const struct view *view, const struct run_bench *bench)
{
    struct gap_names names = gap_names_of(bench);
    struct causes causes = {.ns_per_tick = view->ns_per_tick};
    bool any = false;

    for (size_t i = 0; i < gap_names_count(&names); i++) {
        if (gap_names_take(&names, i)) {
            add_processor(&causes, &names);
        }
    }
    for (size_t i = 0; i <= STOPPED; i++) {
        any = any || causes.counted[i];
    }
    if (any && causes.ticks > 0) {
        print_causes(view, &causes);
    }
}
