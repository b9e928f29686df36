/* SPDX-License-Identifier: BSD-2-Clause */
#include "tools/trace/shared_walk.h"

#include <stdlib.h>

#include "tools/base/alloc.h"

#define OBSERVERS_MAX (6 * WALK_READINGS_MAX + RUN_PROCESSORS_MAX)

static struct trace_reading *first;

void trace_reading_register(struct trace_reading *reading)
{
    reading->place = first != NULL ? first->place + 1 : 0;
    reading->next = first;
    first = reading;
}

static void free_walk(struct run_reading *reading)
{
    struct walk *walk = (struct walk *)reading; /* its first member */

    for (const struct trace_reading *of = first; of != NULL; of = of->next) {
        if (walk->state[of->place] != NULL) {
            of->free(walk->state[of->place]);
            free(walk->state[of->place]);
        }
    }
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

void walk_share(const struct run *run, unsigned uses, const struct trace_wish *tables)
{
    for (size_t i = 0; i < run->bench_count; i++) {
        add_walk(&run->benches[i], &(struct walk_wish){run, uses, tables})->shared = true;
    }
}

static void make_walk(struct walk *walk, const struct run_bench *bench,
                      const struct trace_reading *asked)
{
    struct account_observer observers[OBSERVERS_MAX];
    size_t count = 0;

    for (const struct trace_reading *of = first; of != NULL; of = of->next) {
        if (of == asked || ((of->uses & walk->wish.uses) != 0 && of->wanted(bench, &walk->wish))) {
            walk->state[of->place] = alloc_zeroed(of->size);
            count += of->seat(walk->state[of->place], bench, &walk->wish, observers + count);
        }
    }
    walk->walked = true;
    walk->good = accounting_read(&walk->accounting, bench, observers, count);
    for (const struct trace_reading *of = first; of != NULL; of = of->next) {
        if (walk->state[of->place] != NULL) {
            of->end(walk->state[of->place], walk);
        }
    }
}

const struct walk *walk_for(const struct run_bench *bench, const struct trace_reading *reading,
                            const struct walk_wish *alone)
{
    struct walk *walk = NULL;

    for (struct run_reading *at = bench->readings; at != NULL && walk == NULL; at = at->next) {
        walk = at->free == free_walk ? (struct walk *)at : NULL;
        walk = walk != NULL && walk->walked && walk->state[reading->place] == NULL ? NULL : walk;
    }
    walk = walk != NULL ? walk : add_walk(bench, alone);
    if (!walk->walked) {
        make_walk(walk, bench, reading);
    }
    return walk;
}

void walk_done(const struct walk *walk, const struct run_bench *bench)
{
    struct run_reading **at = &((struct run_bench *)bench)->readings;

    while (*at != &walk->reading) {
        at = &(*at)->next;
    }
    if (!walk->shared) {
        *at = walk->reading.next;
        free_walk((struct run_reading *)&walk->reading);
    }
}
