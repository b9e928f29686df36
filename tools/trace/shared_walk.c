/* SPDX-License-Identifier: BSD-2-Clause */
#include "tools/trace/shared_walk.h"

#include <stdlib.h>

#include "tools/base/alloc.h"
#include "tools/present/report_plugin.h"

#define OBSERVERS_MAX (6 * WALK_READINGS_MAX + 1 + RUN_PROCESSORS_MAX)

static void free_walk(struct run_reading *reading)
{
    struct walk *walk = (struct walk *)reading; /* its first member */

    for (size_t i = 0; i < walk->seat_count; i++) {
        if (walk->seats[i].of->free != NULL) {
            walk->seats[i].of->free(walk->seats[i].state);
        }
        free(walk->seats[i].state);
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
        add_walk(&wish->run->benches[i], wish)->shared = true;
    }
}

static void make_walk(struct walk *walk, const struct run_bench *bench,
                      const struct trace_reading *asked)
{
    struct account_observer observers[OBSERVERS_MAX];
    size_t count = 0;

    for (const struct report_plugin *plugin = report_plugin_next(NULL, NULL); plugin != NULL;
         plugin = report_plugin_next(plugin, NULL)) {
        const struct trace_reading *of = plugin->trace;

        if (of != NULL && (of == asked || ((of->uses & walk->wish.uses) != 0 &&
                                           (of->wanted == NULL || of->wanted(bench))))) {
            void *state = alloc_zeroed(of->size);

            walk->seats[walk->seat_count++] = (struct walk_seat){of, state};
            count += of->seat(state, bench, &walk->wish, observers + count);
        }
    }
    if (walk->wish.disks || walk->seat_count > 1) {
        observers[count++] = disk_requests_observer(&walk->requests);
    }
    walk->walked = true;
    walk->good = accounting_read(&walk->accounting, bench, observers, count);
    disk_requests_end(&walk->requests, &walk->accounting);
    for (size_t i = 0; i < walk->seat_count; i++) {
        if (walk->seats[i].of->end != NULL) {
            walk->seats[i].of->end(walk->seats[i].state, walk);
        }
    }
}

static void *state_of(const struct walk *walk, const struct trace_reading *reading)
{
    for (size_t i = 0; i < walk->seat_count; i++) {
        if (walk->seats[i].of == reading) {
            return walk->seats[i].state;
        }
    }
    return NULL;
}

void *walk_for(const struct run_bench *bench, const struct trace_reading *reading,
               const struct walk_wish *alone, const struct walk **found)
{
    struct walk *walk = NULL;

    for (struct run_reading *at = bench->readings; at != NULL && walk == NULL; at = at->next) {
        struct walk *other = at->free == free_walk ? (struct walk *)at : NULL;

        if (other != NULL && (other->wish.run != NULL || alone->run == NULL) &&
            (!other->walked || state_of(other, reading) != NULL)) {
            walk = other;
        }
    }
    walk = walk != NULL ? walk : add_walk(bench, alone);
    if (!walk->walked) {
        make_walk(walk, bench, reading);
    }
    *found = walk;
    return state_of(walk, reading);
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
