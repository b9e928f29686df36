/* SPDX-License-Identifier: BSD-2-Clause */
#include "tools/trace/availability.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "tools/base/alloc.h"

void availability_init(struct availability *availability, uint64_t length)
{
    memset(availability, 0, sizeof(*availability));
    availability->length = length;
}

void availability_free(struct availability *availability)
{
    free(availability->intervals);
}

static void see_part(void *context, const struct accounting *accounting,
                     const struct run_trace *trace)
{
    struct availability *availability = context;

    (void)accounting;
    (void)trace;
    availability->left = 0;
}

/* Returns the unfinished interval or a new one, or NULL if there are too many. */
static struct availability_interval *open_interval(struct availability *availability)
{
    if (availability->left == 0) {
        if (availability->count == AVAILABILITY_MAX) {
            availability->too_many = true;
            return NULL;
        }
        availability->intervals =
            alloc_append(availability->intervals, &availability->count, &availability->capacity,
                         sizeof(*availability->intervals));
        availability->left = availability->length;
    }
    return &availability->intervals[availability->count - 1];
}

static void see_segment(void *context, const struct accounting *accounting,
                        const struct account_segment *segment)
{
    struct availability *availability = context;
    const bool idle = segment->kind == ACCOUNT_THREAD && segment->id == TRACE_IDLE_THREAD;
    const bool unknown = segment->kind == ACCOUNT_UNKNOWN;
    uint64_t left = accounting->on == availability->cpu ? segment->to - segment->from : 0;

    while (left > 0) {
        struct availability_interval *interval = open_interval(availability);

        if (interval == NULL) {
            return;
        }
        const uint64_t ticks = left < availability->left ? left : availability->left;

        interval->ticks += ticks;
        interval->unknown += unknown ? ticks : 0;
        interval->busy += idle || unknown ? 0 : ticks;
        availability->left -= ticks;
        left -= ticks;
    }
}

struct account_observer availability_observer(struct availability *availability)
{
    return (struct account_observer){
        .context = availability,
        .part = see_part,
        .segment = see_segment,
    };
}

double availability_busy(const struct availability_interval *interval)
{
    return interval->unknown < interval->ticks
               ? (double)interval->busy / (double)(interval->ticks - interval->unknown)
               : NAN;
}
