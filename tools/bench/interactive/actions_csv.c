/* SPDX-License-Identifier: BSD-2-Clause */
#include "tools/bench/interactive/actions_csv.h"

#include <inttypes.h>

#include "tools/base/csv.h"
#include "tools/bench/input/latency_events.h"

static void put_known(FILE *out, bool known, int64_t value)
{
    fputc(',', out);
    if (known) {
        fprintf(out, "%" PRId64, value);
    }
}

static void put_phase(FILE *out, const struct action *action)
{
    fputc(',', out);
    if (action->phase_name != NULL) {
        csv_field(out, action->phase_name);
    } else if (action->has_phase) {
        fprintf(out, "%u", action->phase);
    }
}

static void put_action(FILE *out, const struct run_bench *bench,
                       const struct interactive *interactive, const struct actions *actions,
                       const struct action *action)
{
    csv_field(out, bench->name);
    fprintf(out, ",%" PRIu32, bench->pass);
    put_phase(out, action);
    fputc(',', out);
    csv_field(out, actions->classes[action->class]);
    fprintf(out, ",%d,%" PRId64 ",%zu", action->cold, (int64_t)(action->begin - interactive->begin),
            action->events);
    for (unsigned m = 0; m < MEASURES; m++) {
        put_known(out, action->known[m], action->latency[m]);
    }
    put_known(out, action->has_disk, (int64_t)action->disk);
    put_known(out, action->has_disk, (int64_t)action->disk_requests);
    fputc('\n', out);
}

bool actions_csv(FILE *out, const struct run *run, const struct run_bench *bench)
{
    const struct latency_wish wish = latency_wish_chosen(run_ns_per_tick(run));
    const enum measure measure = measure_chosen();
    struct interactive interactive;
    struct actions actions;
    bool good = interactive_read(&interactive, bench);

    good = actions_read(&actions, &interactive, bench) && good;
    for (size_t i = 0; i < actions.count && good; i++) {
        const struct action *action = &actions.actions[i];

        if (!wish.has_above || (action->known[measure] && action->latency[measure] > wish.above)) {
            put_action(out, bench, &interactive, &actions, action);
        }
    }
    actions_free(&actions);
    interactive_free(&interactive);
    return good;
}
