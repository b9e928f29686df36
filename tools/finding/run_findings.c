/* SPDX-License-Identifier: BSD-2-Clause */
#include "tools/finding/run_findings.h"

#include <string.h>

#include "tools/finding/derive.h"
#include "tools/run/run_kind.h"
#include "tools/stats/statistics.h"

struct context {
    const struct run *run;
    struct derived derived;
};

static const struct run *run_of(const void *context)
{
    return ((const struct context *)context)->run;
}

static const char *machine(const void *context, const char *name)
{
    return run_pair_value(&run_of(context)->machine, name);
}

static const char *state(const void *context, const char *name, const char **reason)
{
    const struct run_bench *bench = run_find_bench(run_of(context), name);

    *reason = bench != NULL ? bench->reason : NULL;
    return bench != NULL ? bench->state : NULL;
}

static const char *bench_at(const void *context, size_t index)
{
    const struct run *run = run_of(context);

    return index < run->bench_count ? run->benches[index].name : NULL;
}

static bool fact(const void *context, const char *name, const char *of, int64_t *value)
{
    const struct run_bench *bench = run_find_bench(run_of(context), name);
    const struct run_fact *found = bench != NULL ? run_find_fact(bench, of) : NULL;

    if (found != NULL) {
        *value = found->value;
    }
    return found != NULL;
}

/* Returns the series, or NULL if there is none or it is empty. */
static const struct run_series *find_series(const void *context, const char *name, const char *of)
{
    const struct run_bench *bench = run_find_bench(run_of(context), name);
    const struct run_series *found = bench != NULL ? run_find_series(bench, of) : NULL;

    return found != NULL && found->received > 0 ? found : NULL;
}

static bool series(const void *context, const char *name, const char *of,
                   struct finding_series *series)
{
    const struct run_series *found = find_series(context, name, of);
    struct statistics statistics;

    if (found == NULL) {
        return false;
    }
    statistics_of(found->samples, found->received, &statistics);
    *series = (struct finding_series){
        .n = statistics.n,
        .min = statistics.min,
        .p50 = statistics.median,
        .has_p99 = statistics.has_p99,
        .p99 = statistics.p99,
        .max = statistics.max,
        .unit = found->unit,
    };
    return true;
}

static const char *absent(const void *context, const char *name, const char *of)
{
    const struct run_bench *bench = run_find_bench(run_of(context), name);

    for (size_t i = 0; bench != NULL && i < bench->absent_count; i++) {
        if (strcmp(bench->absents[i].name, of) == 0) {
            return bench->absents[i].reason;
        }
    }
    return NULL;
}

static bool samples(const void *context, const char *name, const char *of, const int64_t **samples,
                    size_t *count)
{
    const struct run_series *found = find_series(context, name, of);

    if (found == NULL || !run_series_whole(found)) {
        return false;
    }
    *samples = found->samples;
    *count = found->received;
    return true;
}

static bool derived(const void *context, const char *name, int64_t *value)
{
    return derived_value(&((const struct context *)context)->derived, name, value);
}

static const char *derived_text_of(const void *context, const char *name)
{
    return derived_text(&((const struct context *)context)->derived, name);
}

void run_findings(const struct run *run, const struct run_texts *reasons, struct findings *findings)
{
    static const enum finding_time times[RUN_TIMES] = {
        [RUN_TIME_EXACT] = FINDING_TIME_EXACT,
        [RUN_TIME_EXACT_SHARED] = FINDING_TIME_EXACT_SHARED,
        [RUN_TIME_EMULATED] = FINDING_TIME_EMULATED,
        [RUN_TIME_REAL] = FINDING_TIME_REAL,
        [RUN_TIME_MODEL] = FINDING_TIME_MODEL,
    };
    struct context context = {.run = run};
    const struct finding_source source = {
        .context = &context,
        .time = times[run_time(run)],
        .hz = run->verdict.present && run->verdict.ok ? run->verdict.hz : 0,
        .ticks_per_instruction = (uint64_t)run_ticks_per_instruction(run),
        .machine = machine,
        .state = state,
        .bench = bench_at,
        .fact = fact,
        .series = series,
        .samples = samples,
        .absent = absent,
        .derived = derived,
        .derived_text = derived_text_of,
    };

    derive(run, reasons, &context.derived);

    findings_make(&source, findings);
}
