/* SPDX-License-Identifier: BSD-2-Clause */
#include "tools/trace/shared_walk.h"

#include <stdlib.h>

#include "tools/base/alloc.h"
#include "tools/present/report_plugin.h"

#define OBSERVERS_MAX (6 * WALK_USES + 1 + RUN_PROCESSORS_MAX)

static void free_walk(struct run_reading *reading)
{
    struct walk *walk = (struct walk *)reading; /* its first member */

    for (size_t i = 0; i < WALK_USES; i++) {
        if (walk->of[i] != NULL && walk->of[i]->free != NULL) {
            walk->of[i]->free(walk->state[i]);
        }
        free(walk->state[i]);
    }
    disk_requests_free(&walk->requests);
    accounting_free(&walk->accounting);
    free(walk);
}

/* A walk is kept with the bench, which is otherwise unchanged. */
static struct walk *add_walk(const struct run_bench *bench, const struct walk_wish *wish)
{
    struct run_bench *keeper = (struct run_bench *)bench;
    struct walk *walk = alloc_zeroed(sizeof(*walk));

    walk->reading = (struct run_reading){.next = keeper->readings, .free = free_walk};
    walk->wish = *wish;
    keeper->readings = &walk->reading;
    return walk;
}

void walk_share(const struct walk_wish *wish)
{
    for (size_t i = 0; i < wish->run->bench_count; i++) {
        add_walk(&wish->run->benches[i], wish);
    }
}

static void make_walk(struct walk *walk, const struct run_bench *bench, enum walk_use asked)
{
    const enum walk_use use = walk->wish.use;
    struct account_observer observers[OBSERVERS_MAX];
    size_t count = 0;

    for (const struct report_plugin *plugin = report_plugin_next(NULL, NULL); plugin != NULL;
         plugin = report_plugin_next(plugin, NULL)) {
        const struct trace_reading *of = plugin->trace;

        if (of != NULL && (of->use == asked || of->use == use ||
                           (of->use == WALK_INPUT && use != WALK_INPUT &&
                            (use == WALK_JSON || of->wanted(bench))))) {
            walk->of[of->use] = of;
            walk->state[of->use] = alloc_zeroed(of->size);
            count += of->seat(walk->state[of->use], bench, &walk->wish, observers + count);
        }
    }
    if (walk->wish.disks || walk->of[WALK_INPUT] != NULL) {
        observers[count++] = disk_requests_observer(&walk->requests);
    }
    walk->walked = true;
    walk->good = accounting_read(&walk->accounting, bench, observers, count);
    disk_requests_end(&walk->requests, &walk->accounting);
    for (size_t i = 0; i < WALK_USES; i++) {
        if (walk->of[i] != NULL && walk->of[i]->end != NULL) {
            walk->of[i]->end(walk->state[i], walk);
        }
    }
}

const struct walk *walk_for(const struct run_bench *bench, enum walk_use use,
                            const struct walk_wish *alone)
{
    struct walk *walk = NULL;

    for (struct run_reading *at = bench->readings; at != NULL && walk == NULL; at = at->next) {
        struct walk *other = at->free == free_walk ? (struct walk *)at : NULL;

        if (other != NULL && (other->wish.run != NULL || alone->run == NULL) &&
            (!other->walked || other->of[use] != NULL)) {
            walk = other;
        }
    }
    walk = walk != NULL ? walk : add_walk(bench, alone);
    if (!walk->walked) {
        make_walk(walk, bench, use);
    }
    return walk;
}
