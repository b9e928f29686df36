/* SPDX-License-Identifier: BSD-2-Clause */
#include "tools/trace/trace_timeline.h"

#include <stdlib.h>
#include <string.h>

#include "kernel/trace/trace.h"
#include "tools/base/alloc.h"

const char *timeline_state_text(enum timeline_state state)
{
    static const char *const texts[TIMELINE_STATES] = {[TIMELINE_RUNNING] = "running",
                                                       [TIMELINE_READY] = "ready",
                                                       [TIMELINE_WAITING] = "waiting",
                                                       [TIMELINE_FAULT] = "page fault",
                                                       [TIMELINE_DISK] = "disk request",
                                                       [TIMELINE_DISK_NEXT] = "the next one",
                                                       [TIMELINE_IDLE] = "idle",
                                                       [TIMELINE_INTERRUPT] = "interrupt",
                                                       [TIMELINE_DEFERRED] = "deferred call"};

    return texts[state];
}

void timeline_init(struct trace_timeline *timeline, uint64_t least)
{
    memset(timeline, 0, sizeof(*timeline));
    timeline->least = least;
    timeline->touched[0] = timeline->touched[1] = ACCOUNT_NO_THREAD;
    timeline->thread_lanes = alloc_zeroed(ACCOUNT_NO_THREAD * sizeof(*timeline->thread_lanes));
}

void timeline_free(struct trace_timeline *timeline)
{
    free(timeline->lanes);
    free(timeline->spans);
    free(timeline->thread_lanes);
    for (size_t i = 0; i < RUN_PROCESSORS_MAX; i++) {
        free(timeline->processor_lanes[i]);
        free(timeline->processors[i]);
    }
}

/* ---- lanes and spans ---- */

/* Returns the index of the lane in `place`, adding it if it is new. */
static uint32_t lane_at(struct trace_timeline *timeline, uint32_t *place, enum account_kind kind,
                        uint32_t id)
{
    if (*place == 0) {
        struct timeline_lane *lane =
            ALLOC_NEXT(timeline->lanes, timeline->lane_count, timeline->lane_capacity);

        lane->kind = kind;
        lane->id = id;
        *place = (uint32_t)timeline->lane_count;
    }
    return *place - 1;
}

static uint32_t lane_of(struct trace_timeline *timeline, enum account_kind kind, uint32_t id)
{
    uint32_t *place = kind == ACCOUNT_THREAD
                          ? &timeline->thread_lanes[id]
                          : &timeline->handler_lanes[kind == ACCOUNT_DPC][id % ACCOUNT_IDS];

    return lane_at(timeline, place, kind, id);
}

static bool joins(const struct trace_timeline *timeline, const struct timeline_span *before,
                  uint64_t begin, uint64_t end)
{
    const uint64_t least = timeline->least;

    return begin <= before->end || (begin - before->end < least &&
                                    (end - begin < least || before->end - before->begin < least));
}

static void add_span(struct trace_timeline *timeline, uint32_t index, enum timeline_state state,
                     uint64_t begin, uint64_t end)
{
    struct timeline_lane *lane = &timeline->lanes[index];
    struct timeline_span *last =
        lane->last[state] > 0 ? &timeline->spans[lane->last[state] - 1] : NULL;

    if (end <= begin) {
        return;
    }
    lane->active += state != TIMELINE_WAITING ? end - begin : 0;
    if (last != NULL && joins(timeline, last, begin, end)) {
        last->end = end > last->end ? end : last->end;
        return;
    }
    *ALLOC_NEXT(timeline->spans, timeline->span_count, timeline->span_capacity) =
        (struct timeline_span){.begin = begin, .end = end, .lane = index, .state = state};
    lane->last[state] = timeline->span_count;
}

/* Adds the ticks of a time to the intervals in which it lies: sums[0], sums[step], ... */
static void add_ticks(const struct trace_timeline *timeline, uint64_t *sums, size_t step,
                      uint64_t begin, uint64_t end)
{
    while (begin < end && timeline->interval > 0) {
        const uint64_t at = begin / timeline->interval;
        const uint64_t left = timeline->interval - begin % timeline->interval;
        const uint64_t to = end - begin < left ? end : begin + left;

        sums[step * (at < TIMELINE_INTERVALS ? at : TIMELINE_INTERVALS - 1)] += to - begin;
        begin = to;
    }
}

static void close_lane(struct trace_timeline *timeline, uint32_t index, uint64_t now)
{
    struct timeline_lane *lane = &timeline->lanes[index];

    if (lane->open) {
        add_span(timeline, index, lane->state, lane->since, now);
        if (lane->state == TIMELINE_READY) {
            add_ticks(timeline, timeline->ready, 1, lane->since, now);
        }
        lane->open = false;
    }
}

static void open_lane(struct trace_timeline *timeline, uint32_t index, enum timeline_state state,
                      uint64_t now)
{
    struct timeline_lane *lane = &timeline->lanes[index];

    if (lane->open && lane->state == state) {
        return;
    }
    close_lane(timeline, index, now);
    lane->open = true;
    lane->state = state;
    lane->since = now;
}

/* ---- requests to disks ---- */

/* The lanes of a disk that are in use. */
struct disk_lanes {
    uint32_t count;
    uint32_t lane[TIMELINE_DISK_LANES]; /* index */
    uint64_t until[TIMELINE_DISK_LANES];
    enum timeline_state state[TIMELINE_DISK_LANES]; /* state of the last span */
};

static uint32_t add_disk_lane(struct trace_timeline *timeline, uint32_t disk, uint32_t slot)
{
    struct timeline_lane *lane =
        ALLOC_NEXT(timeline->lanes, timeline->lane_count, timeline->lane_capacity);

    lane->is_disk = true;
    lane->id = disk;
    lane->slot = slot;
    return (uint32_t)timeline->lane_count - 1;
}

static void add_request(struct trace_timeline *timeline, struct disk_lanes *lanes,
                        const struct disk_request *request)
{
    uint32_t slot = 0;

    while (slot < lanes->count && lanes->until[slot] > request->from) {
        slot++;
    }
    if (slot == TIMELINE_DISK_LANES) {
        timeline->crowded_out++;
        return;
    }
    if (slot == lanes->count) {
        lanes->lane[lanes->count++] = add_disk_lane(timeline, request->disk, slot);
    }
    lanes->until[slot] = request->to;
    lanes->state[slot] = lanes->state[slot] == TIMELINE_DISK ? TIMELINE_DISK_NEXT : TIMELINE_DISK;
    add_span(timeline, lanes->lane[slot], lanes->state[slot], request->from, request->to);
}

void timeline_add_requests(struct trace_timeline *timeline, const struct disk_requests *requests)
{
    struct disk_lanes *lanes = alloc_zeroed((requests->disk_count + 1) * sizeof(*lanes));

    for (size_t i = 0; i < requests->request_count; i++) {
        add_request(timeline, &lanes[requests->requests[i].disk], &requests->requests[i]);
    }
    free(lanes);
}

/* ---- processors ---- */

static void leave_processor(struct trace_timeline *timeline, size_t processor, uint64_t now)
{
    const uint32_t index = timeline->ran[processor];

    if (index != 0) {
        const struct timeline_lane *lane = &timeline->lanes[index - 1];
        struct timeline_interval *intervals = timeline->processors[processor];

        add_ticks(timeline, &intervals->known, 2, lane->since, now);
        if (lane->id == TRACE_IDLE_THREAD) {
            add_ticks(timeline, &intervals->idle, 2, lane->since, now);
        }
        close_lane(timeline, index - 1, now);
        timeline->ran[processor] = 0;
    }
}

/* Notes what a processor runs from now on. */
static void run_thread(struct trace_timeline *timeline, size_t processor, uint32_t thread)
{
    uint32_t **lanes = &timeline->processor_lanes[processor];

    leave_processor(timeline, processor, timeline->now);
    if (*lanes == NULL) {
        *lanes = alloc_zeroed(ACCOUNT_NO_THREAD * sizeof(**lanes));
        timeline->processors[processor] =
            alloc_zeroed(TIMELINE_INTERVALS * sizeof(**timeline->processors));
    }
    const uint32_t index = lane_at(timeline, &(*lanes)[thread], ACCOUNT_THREAD, thread);

    timeline->lanes[index].is_processor = true;
    timeline->lanes[index].slot = (uint32_t)processor;
    open_lane(timeline, index, TIMELINE_RUNNING, timeline->now);
    timeline->ran[processor] = index + 1;
}

/* ---- callbacks of the observer ---- */

/* Returns the state to show, or TIMELINE_STATES if none is shown. */
static enum timeline_state state_of(const struct account_thread *thread)
{
    switch (thread->state) {
    case STATE_RUNNING:
        if (thread->id == TRACE_IDLE_THREAD) {
            return TIMELINE_IDLE;
        }
        return thread->in_fault ? TIMELINE_FAULT : TIMELINE_RUNNING;
    case STATE_READY:
        return TIMELINE_READY;
    case STATE_WAITING:
        return TIMELINE_WAITING;
    default:
        return TIMELINE_STATES;
    }
}

/* Records the changes of the last event, which has been applied by now. */
static void settle(struct trace_timeline *timeline, const struct accounting *accounting)
{
    for (size_t i = 0; i < 2; i++) {
        const uint32_t id = timeline->touched[i];
        const struct account_thread *thread =
            id < ACCOUNT_NO_THREAD ? accounting_thread(accounting, id) : NULL;

        timeline->touched[i] = ACCOUNT_NO_THREAD;
        if (thread == NULL || (id == TRACE_IDLE_THREAD && accounting->cpu_count > 1)) {
            continue;
        }
        const enum timeline_state state = state_of(thread);
        const uint32_t lane = lane_of(timeline, ACCOUNT_THREAD, id);

        if (state == TIMELINE_STATES || (id == TRACE_IDLE_THREAD && state != TIMELINE_IDLE)) {
            close_lane(timeline, lane, timeline->now);
        } else {
            open_lane(timeline, lane, state, timeline->now);
        }
    }
}

static void see_part(void *context, const struct accounting *accounting,
                     const struct run_trace *trace)
{
    struct trace_timeline *timeline = context;

    timeline->origin = trace->begin - accounting->elapsed;
    timeline->now = accounting->elapsed;
    timeline->touched[0] = accounting->current;
}

static void see_segment(void *context, const struct accounting *accounting,
                        const struct account_segment *segment)
{
    struct trace_timeline *timeline = context;

    settle(timeline, accounting);
    timeline->now = segment->to - timeline->origin;
    timeline->until[accounting->on] = timeline->now;
}

static void touch(struct trace_timeline *timeline, const struct accounting *accounting,
                  const struct trace_event *event)
{
    switch (event->id) {
    case TRACE_ID_thread_switch:
        timeline->touched[1] = (uint32_t)event->field[1];
        timeline->touched[0] = (uint32_t)event->field[0];
        return;
    case TRACE_ID_thread_is:
    case TRACE_ID_thread_start:
    case TRACE_ID_thread_ready:
        timeline->touched[0] = (uint32_t)event->field[0];
        return;
    case TRACE_ID_fault_entry:
    case TRACE_ID_fault_exit:
        timeline->touched[0] = accounting->current;
        return;
    default:
        return;
    }
}

static void see_event(void *context, const struct accounting *accounting,
                      const struct trace_event *event)
{
    struct trace_timeline *timeline = context;
    const bool is_dpc = event->id == TRACE_ID_dpc_entry || event->id == TRACE_ID_dpc_exit;
    const bool enters = event->id == TRACE_ID_isr_entry || event->id == TRACE_ID_dpc_entry;

    settle(timeline, accounting);
    timeline->now = event->tsc - timeline->origin;
    touch(timeline, accounting, event);
    if (accounting->cpu_count > 1 &&
        (event->id == TRACE_ID_thread_switch ||
         (event->id == TRACE_ID_thread_is && event->field[3] == THREAD_RUNNING))) {
        run_thread(timeline, accounting->on,
                   (uint32_t)event->field[event->id == TRACE_ID_thread_switch ? 1 : 0]);
    }
    if (!enters && event->id != TRACE_ID_isr_exit && event->id != TRACE_ID_dpc_exit) {
        return;
    }
    const uint32_t lane =
        lane_of(timeline, is_dpc ? ACCOUNT_DPC : ACCOUNT_VECTOR, (uint32_t)event->field[0]);

    if (enters) {
        open_lane(timeline, lane, is_dpc ? TIMELINE_DEFERRED : TIMELINE_INTERRUPT, timeline->now);
        timeline->lanes[lane].inside++;
    } else if (timeline->lanes[lane].inside > 1 && accounting->cpu_count > 1) {
        timeline->lanes[lane].inside--;
    } else {
        timeline->lanes[lane].inside = 0;
        close_lane(timeline, lane, timeline->now);
    }
}

static void see_unknown(void *context, const struct accounting *accounting)
{
    struct trace_timeline *timeline = context;

    timeline->touched[0] = timeline->touched[1] = ACCOUNT_NO_THREAD;
    leave_processor(timeline, accounting->on, timeline->until[accounting->on]);
    for (uint32_t i = 0; i < timeline->lane_count; i++) {
        if (!timeline->lanes[i].is_processor) {
            close_lane(timeline, i, timeline->now);
            timeline->lanes[i].inside = 0;
        }
    }
}

struct account_observer timeline_observer(struct trace_timeline *timeline)
{
    return (struct account_observer){
        .context = timeline,
        .part = see_part,
        .segment = see_segment,
        .event = see_event,
        .unknown = see_unknown,
    };
}
