/* SPDX-License-Identifier: BSD-2-Clause */
#include "bench/interactive/host/measure/actions.h"

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "bench/interactive/host/measure/interactive.h"
#include "bench/interactive/names.h"
#include "kernel/input/event.h"
#include "kernel/input/script.h"
#include "kernel/trace/names.h"
#include "tools/base/alloc.h"
#include "tools/base/sort.h"
#include "tools/trace/disk_requests.h"
#include "tools/trace/reconcile.h"

/*
 * The class of an action: the one that the bench reports for its events, otherwise the one that
 * follows from the key or button.
 */

#define PARAM_MAX 24

/* Returns whether the key is a modifier (shift, ctrl or alt), which is pressed for another key. */
static bool action_is_modifier(uint16_t code)
{
    static const char modifiers[][10] = {"ctrl", "rightctrl", "alt", "rightalt"};
    const char *name = key_name(code);
    bool found = key_is_shift(code);

    for (size_t i = 0; i < sizeof(modifiers) / sizeof(modifiers[0]) && name != NULL; i++) {
        found = found || strcmp(name, modifiers[i]) == 0;
    }
    return found;
}

/* Returns the name of the event's class, which stays valid as long as the run. `chord`: ctrl or alt
 * is held with the key. */
static const char *action_class(const struct run_bench *bench,
                                const struct interactive_event *event, bool chord)
{
    const struct input_event input = {.kind = (enum input_kind)event->kind, .code = event->code};
    char param[PARAM_MAX];

    if (!event->has_class) {
        return script_class_name(script_class_of(&input, chord));
    }
    if (event->class < SCRIPT_CLASSES) {
        return script_class_name(event->class);
    }
    snprintf(param, sizeof(param), FOUND_CLASS ".%u", (unsigned)event->class);
    const char *name = run_find_param(bench, param);

    return name != NULL ? name : "other";
}

struct reading {
    struct actions *actions;
    const struct interactive *interactive;
    const struct run_bench *bench;
    size_t capacity, class_capacity;
    /* For each key code and button that is held: index of its action plus 1; 0: not held. */
    size_t keys[INPUT_CODES];
    size_t buttons[BUTTONS];
    /* While modifiers are held and nothing else has been pressed: index of their action plus 1. */
    size_t bare;
};

/* ---- which events belong together ---- */

static unsigned class_index(struct reading *reading, const char *name)
{
    struct actions *actions = reading->actions;
    unsigned index = 0;

    while (index < actions->class_count && strcmp(actions->classes[index], name) != 0) {
        index++;
    }
    if (index == actions->class_count) {
        actions->classes = alloc_append(actions->classes, &actions->class_count,
                                        &reading->class_capacity, sizeof(*actions->classes));
        actions->classes[index] = name;
    }
    return index;
}

static size_t add_action(struct reading *reading, size_t first)
{
    const struct interactive_event *event = &reading->interactive->events[first];
    struct actions *actions = reading->actions;

    struct action *action =
        alloc_next(&actions->actions, &actions->count, &reading->capacity, sizeof(*action));

    *action = (struct action){
        .first = first,
        .class = class_index(reading, action_class(reading->bench, event, false)),
        .phase = interactive_phase_of(reading->interactive, event),
        .cold = event->cold,
        .begin = event->has_intended  ? event->intended
                 : event->has_arrival ? event->arrival
                                      : event->decoded,
    };
    return actions->count - 1;
}

static void join(struct reading *reading, size_t event, size_t action)
{
    reading->actions->of[event] = action;
    reading->actions->actions[action].events++;
}

/* Returns the action of a key that goes down. A key pressed while a modifier is held joins the
 * modifier's action and gives it its class. */
static size_t press_key(struct reading *reading, size_t index)
{
    const struct interactive_event *event = &reading->interactive->events[index];
    const bool modifier = action_is_modifier(event->code);

    if (reading->bare == 0) {
        const size_t action = add_action(reading, index);

        reading->bare = modifier ? action + 1 : 0;
        return action;
    }
    const size_t action = reading->bare - 1;

    if (!modifier) {
        const size_t first = reading->actions->actions[action].first;
        const bool chord = !key_is_shift(reading->interactive->events[first].code);

        reading->actions->actions[action].class =
            class_index(reading, action_class(reading->bench, event, chord));
        reading->bare = 0;
    }
    return action;
}

/* Returns the action of an event for which the run reports none. */
static size_t derive(struct reading *reading, size_t index)
{
    const struct interactive_event *event = &reading->interactive->events[index];
    const bool key = event->kind == INPUT_KEY_DOWN || event->kind == INPUT_KEY_UP;
    const bool button = event->kind == INPUT_BUTTON_DOWN || event->kind == INPUT_BUTTON_UP;
    size_t *held = NULL;

    if (key && event->code < INPUT_CODES) {
        held = &reading->keys[event->code];
    } else if (button && event->code < BUTTONS) {
        held = &reading->buttons[event->code];
    }
    if (held == NULL) {
        return add_action(reading, index);
    }
    if (event->kind == INPUT_KEY_DOWN || event->kind == INPUT_BUTTON_DOWN) {
        *held = (key ? press_key(reading, index) : add_action(reading, index)) + 1;
        return *held - 1;
    }
    const size_t action = *held > 0 ? *held - 1 : add_action(reading, index);

    *held = 0;
    reading->bare = reading->bare == action + 1 ? 0 : reading->bare;
    return action;
}

struct planned_action {
    int64_t number; /* phase << 32 | action */
    size_t event;
};

/* Returns, for each event whose action the run reports, the index of that action's first event, and
 * for every other event its own index. The caller must free it. */
static size_t *first_events(const struct interactive *interactive)
{
    size_t *first = alloc_zeroed(interactive->count * sizeof(*first));
    struct planned_action *planned = alloc_zeroed(interactive->count * sizeof(*planned));
    size_t n = 0;

    for (size_t i = 0; i < interactive->count; i++) {
        const struct interactive_event *event = &interactive->events[i];

        first[i] = i;
        if (event->came && event->has_action) {
            planned[n++] = (struct planned_action){(int64_t)event->phase << 32 | event->action, i};
        }
    }
    sort_by(planned, n, sizeof(*planned), offsetof(struct planned_action, number), false);
    for (size_t i = 1; i < n; i++) {
        if (planned[i].number == planned[i - 1].number) {
            first[planned[i].event] = first[planned[i - 1].event];
        }
    }
    free(planned);
    return first;
}

static void join_events(struct reading *reading)
{
    const struct interactive *interactive = reading->interactive;
    size_t *first = first_events(interactive);

    for (size_t i = 0; i < interactive->count; i++) {
        const struct interactive_event *event = &interactive->events[i];

        reading->actions->of[i] = ACTION_NONE;
        if (!event->came) {
            continue;
        }
        if (!event->has_action) {
            join(reading, i, derive(reading, i));
        } else {
            join(reading, i,
                 first[i] < i ? reading->actions->of[first[i]] : add_action(reading, i));
        }
    }
    free(first);
}

/* ---- service and response ---- */

struct span {
    uint64_t from, to; /* TSC */
};

static bool span_of(const struct interactive_event *event, enum measure measure, struct span *span)
{
    uint64_t ticks;
    const bool known = measure == MEASURE_SERVICE ? interactive_service(event, &ticks)
                       : measure == MEASURE_CALL  ? interactive_call(event, &ticks)
                                                  : interactive_response(event, &ticks);
    const uint64_t end = measure == MEASURE_CALL ? event->call : event->done;

    *span = (struct span){end - ticks, end};
    return known;
}

/* Calls `see` with each interval in which an event of the action was being handled, by `measure`.
 * The intervals do not overlap. Returns false if the end of no event is known. */
static bool walk_spans(const struct reading *reading, size_t action, enum measure measure,
                       void (*see)(void *context, const struct span *span), void *context)
{
    const struct actions *actions = reading->actions;
    size_t left = actions->actions[action].events;
    uint64_t reached = 0;
    bool known = false;

    for (size_t i = actions->actions[action].first; left > 0; i++) {
        struct span span;

        if (actions->of[i] != action) {
            continue;
        }
        left--;
        if (!span_of(&reading->interactive->events[i], measure, &span)) {
            continue;
        }
        known = true;
        span.from = span.from > reached ? span.from : reached;
        if (span.to > span.from) {
            see(context, &span);
            reached = span.to;
        }
    }
    return known;
}

static void add_length(void *context, const struct span *span)
{
    int64_t *length = context;

    *length += (int64_t)(span->to - span->from);
}

/* ---- the idle loop ---- */

/* Decides which actions are known by the idle loop: those whose events all are, and whose samples
 * contain no event of another action. Events are in the order of their samples (interactive.h). */
static void find_known(const struct reading *reading)
{
    const struct interactive *interactive = reading->interactive;
    const struct actions *actions = reading->actions;
    size_t furthest = ACTION_NONE;
    size_t end = 0;

    for (size_t a = 0; a < actions->count; a++) {
        actions->actions[a].known[MEASURE_IDLE] = true;
    }
    for (size_t i = 0; i < interactive->count; i++) {
        const struct interactive_event *event = &interactive->events[i];
        const size_t action = actions->of[i];

        if (action == ACTION_NONE) {
            continue;
        }
        if (!event->has_elongation) {
            actions->actions[action].known[MEASURE_IDLE] = false;
            continue;
        }
        if (furthest != ACTION_NONE && furthest != action && end > event->sample) {
            actions->actions[furthest].known[MEASURE_IDLE] = false;
            actions->actions[action].known[MEASURE_IDLE] = false;
        }
        if (event->sample + event->samples > end) {
            end = event->sample + event->samples;
            furthest = action;
        }
    }
}

/* Returns the excess of the action's samples. Each sample counts once, however many events of the
 * action lie in it. */
static int64_t elongation_of(const struct reading *reading, const struct reconcile *reconcile,
                             size_t action)
{
    const struct actions *actions = reading->actions;
    size_t left = actions->actions[action].events;
    int64_t sum = 0;
    size_t next = 0;

    for (size_t i = actions->actions[action].first; left > 0; i++) {
        const struct interactive_event *event = &reading->interactive->events[i];
        const size_t end = event->sample + event->samples;

        if (actions->of[i] != action) {
            continue;
        }
        left--;
        for (size_t s = event->sample > next ? event->sample : next; s < end; s++) {
            sum += reconcile->series->samples[s] - reconcile->shortest;
        }
        next = end > next ? end : next;
    }
    return sum;
}

static void set_elongations(const struct reading *reading)
{
    struct reconcile reconcile;

    reconcile_init(&reconcile, reading->bench);
    find_known(reading);
    for (size_t a = 0; a < reading->actions->count; a++) {
        struct action *action = &reading->actions->actions[a];

        action->known[MEASURE_IDLE] = action->known[MEASURE_IDLE] && reconcile.present;
        if (action->known[MEASURE_IDLE]) {
            action->latency[MEASURE_IDLE] = elongation_of(reading, &reconcile, a);
        }
    }
}

/* ---- counts ---- */

/* Adds the counts of an event to those of its action, as far as they come after `reached`. */
static void add_counts(const struct interactive *interactive, const struct interactive_event *event,
                       uint64_t reached, struct interactive_count *sums)
{
    for (size_t c = 0; c < interactive->counted_count; c++) {
        struct interactive_count count = event->counts[c];

        if (count.known && interactive->counted_at != NULL && reached > event->entry) {
            count.value = 0;
            count.known = event->done <= reached ||
                          interactive_counted(interactive, c, reached, event->done, &count.value);
        }
        sums[c].known = sums[c].known && count.known &&
                        !__builtin_add_overflow(sums[c].value, count.value, &sums[c].value);
    }
}

/* Sums the counts of each action's events, and adds the penalties to its service. */
static void set_counts(const struct reading *reading)
{
    const struct interactive *interactive = reading->interactive;
    const size_t columns = interactive->counts != NULL ? interactive->counted_count : 0;
    struct actions *actions = reading->actions;
    uint64_t *reached = alloc_zeroed((actions->count + 1) * sizeof(*reached));

    actions->counts = alloc_zeroed((actions->count * columns + 1) * sizeof(*actions->counts));
    for (size_t i = 0; i < actions->count * columns; i++) {
        actions->counts[i].known = true;
    }
    for (size_t i = 0; i < interactive->count && columns > 0; i++) {
        const struct interactive_event *event = &interactive->events[i];
        const size_t a = actions->of[i];

        if (a != ACTION_NONE) {
            add_counts(interactive, event, reached[a], &actions->counts[a * columns]);
            reached[a] = event->has_done && event->done > reached[a] ? event->done : reached[a];
        }
    }
    for (size_t a = 0; a < actions->count && columns > 0; a++) {
        struct action *action = &actions->actions[a];
        uint64_t penalty;

        action->counts = &actions->counts[a * columns];
        action->known[MEASURE_WEIGHTED] =
            action->known[MEASURE_SERVICE] &&
            interactive_penalty(interactive, action->counts, &penalty) &&
            !__builtin_add_overflow(action->latency[MEASURE_SERVICE], penalty,
                                    &action->latency[MEASURE_WEIGHTED]);
    }
    free(reached);
}

/* ---- disks ---- */

struct disk_time {
    const struct disk_requests *requests; /* ordered by the time of issue */
    /* intervals with one or more requests outstanding; they do not overlap */
    struct span *busy;
    size_t count, capacity;
    struct action *action;
};

static void join_requests(struct disk_time *disk)
{
    for (size_t i = 0; i < disk->requests->request_count; i++) {
        const struct disk_request *request = &disk->requests->requests[i];
        const struct span span = {request->issued, request->issued + (request->to - request->from)};
        struct span *last = disk->count > 0 ? &disk->busy[disk->count - 1] : NULL;

        if (last != NULL && span.from <= last->to) {
            last->to = span.to > last->to ? span.to : last->to;
            continue;
        }
        last = alloc_next(&disk->busy, &disk->count, &disk->capacity, sizeof(*last));
        *last = span;
    }
}

/* Returns the index of the first request issued at `at` or later. */
static size_t request_from(const struct disk_requests *requests, uint64_t at)
{
    size_t low = 0;
    size_t high = requests->request_count;

    while (low < high) {
        const size_t middle = low + (high - low) / 2;

        if (requests->requests[middle].issued < at) {
            low = middle + 1;
        } else {
            high = middle;
        }
    }
    return low;
}

static void add_disk(void *context, const struct span *span)
{
    const struct disk_time *disk = context;
    size_t low = 0; /* first interval that ends after `from` */
    size_t high = disk->count;

    while (low < high) {
        const size_t middle = low + (high - low) / 2;

        if (disk->busy[middle].to <= span->from) {
            low = middle + 1;
        } else {
            high = middle;
        }
    }
    for (size_t i = low; i < disk->count && disk->busy[i].from < span->to; i++) {
        const struct span *busy = &disk->busy[i];
        const uint64_t from = busy->from > span->from ? busy->from : span->from;
        const uint64_t to = busy->to < span->to ? busy->to : span->to;

        disk->action->disk += to - from;
    }
    disk->action->disk_requests +=
        request_from(disk->requests, span->to) - request_from(disk->requests, span->from);
}

static void set_disks(const struct reading *reading, const struct disk_requests *requests)
{
    struct disk_time disk = {.requests = requests};

    join_requests(&disk);
    for (size_t a = 0; a < reading->actions->count && requests->request_count > 0; a++) {
        disk.action = &reading->actions->actions[a];
        disk.action->has_disk = walk_spans(reading, a, MEASURE_RESPONSE, add_disk, &disk);
    }
    free(disk.busy);
}

void actions_of(struct actions *actions, const struct interactive *interactive,
                const struct run_bench *bench, const struct disk_requests *requests)
{
    struct reading reading = {.actions = actions, .interactive = interactive, .bench = bench};

    *actions = (struct actions){0};
    actions->of = alloc_zeroed(interactive->count * sizeof(*actions->of));
    join_events(&reading);
    for (size_t a = 0; a < actions->count; a++) {
        struct action *action = &actions->actions[a];

        for (unsigned m = MEASURE_SERVICE; m <= MEASURE_CALL; m++) {
            action->known[m] =
                walk_spans(&reading, a, (enum measure)m, add_length, &action->latency[m]);
        }
    }
    set_elongations(&reading);
    set_counts(&reading);
    set_disks(&reading, requests);
}

void actions_free(struct actions *actions)
{
    free(actions->actions);
    free(actions->classes);
    free(actions->counts);
    free(actions->of);
}
