/* SPDX-License-Identifier: BSD-2-Clause */
#include "bench/interactive/model_play.h"

#include <stdio.h>
#include <string.h>

#include "bench/interactive/names.h"
#include "kernel/clock/clock.h"
#include "kernel/clock/idle_loop.h"
#include "kernel/cpu/cpu.h"
#include "kernel/run/bench.h"
#include "kernel/smp/event_server.h"
#include "kernel/task/message.h"
#include "kernel/task/thread.h"
#include "kernel/task/timer.h"
#include "kernel/trace/object.h"

#define SERVERS_MAX (THREADS_MAX - 2) /* the bench and the idle thread use two */
#define POOL_MAX    16                /* largest number of threads of a level */
#define SETTLE_US   1000              /* time until all threads wait for messages */
#define LABEL_MAX   32

/* Number of processors that have threads, and index of the caller's among them. */
#if TARE_SMP
#define START_US 20000 /* time until all processors have begun, long enough for emulators */
#define THREADED PROGRAM_PROCESSORS_MAX
#define HERE     thread_processor()
#define THREAD_CREATE(name, priority, entry, argument) \
    thread_create_on(name, priority, 1ull << now.place, entry, argument)
#else
#define START_US SETTLE_US
#define THREADED 1
#define HERE     ((size_t)0)
#define THREAD_CREATE(name, priority, entry, argument) \
    thread_create(name, priority, entry, argument)
#endif

struct pool {
    struct server *free;
    /* ring of PLAY_WAITING_MAX messages; NULL: nothing asks for this level */
    struct message *waiting;
    size_t first, length;
};

struct server {
    struct pool *pool; /* NULL: the thread is a process of the model */
    struct thread *thread;
    struct server *next_free;
    char name[LABEL_MAX];
};

struct source {
    struct timer timer;
    size_t next; /* number of the next arrival */
};

/* An arrival whose handler runs. */
struct handling {
    size_t at; /* index in `late` */
    uint64_t begin;
    uint64_t inner; /* ticks of all handlers that had ended before it began */
};

enum done {
    DONE_ALL,
    DONE_TIME,
};

static struct {
    struct play *play;
    struct pool pool[THREADED][PROGRAM_LEVELS_MAX];
    struct server server[SERVERS_MAX]; /* processes come first, by their numbers */
    size_t server_count;
    struct source load[PROGRAM_LOADS_MAX];
    struct source stimulus[PROGRAM_STIMULI_MAX];
    struct timer horizon;
    size_t place; /* index of the processor for which threads are being created */
#if TARE_SMP
    struct thread *sources[THREADED]; /* each starts the arrivals of its processor */
    /* of each processor: messages on their way to others */
    struct server_events events[THREADED];
    struct timer next_event[THREADED];
#endif
    struct thread *bench;
    uint64_t handled[THREADED]; /* ticks of all handlers that have ended */
    uint64_t left; /* responses until the end and, if no number of passes is wanted, quanta */
    uint16_t arrives, responds; /* numbers of trace marks */
} now;

size_t play_arrivals(const struct play *play)
{
    size_t count = 0;

    for (size_t i = 0; i < play->load_count; i++) {
        count += play->load[i].count;
    }
    for (size_t i = 0; i < play->stimulus_count; i++) {
        count += play->stimulus[i].count;
    }
    return count;
}

size_t play_portions(const struct play *play)
{
    size_t count = play_arrivals(play);

    for (size_t i = 0; i < play->stimulus_count; i++) {
        count += play->stimulus[i].count * (play->stimulus[i].stop_count - 1);
    }
    return count;
}

static struct pool *pool_of(size_t processor, size_t level)
{
    return &now.pool[THREADED > 1 ? processor : 0][level];
}

/* ---- asking for work ---- */

static void end_play(enum done why)
{
    message_send(now.bench, 0, why);
}

static void notify(struct thread *to, const struct message *message)
{
    if (!message_send(to, message->tag, message->value)) {
        now.play->lost++;
    }
}

/* Requests a portion of work that no process of the model serves, such as a competing quantum, at
 * the level of `pool`. Wakes a free thread of the pool, or queues the request. Interrupts are off
 * meanwhile, because interrupt handlers make requests and could interrupt each other here. */
static void ask_pool(struct pool *pool, const struct message *message)
{
    const uint64_t flags = interrupts_save();
    struct server *server = pool->free;

    if (server != NULL) {
        pool->free = server->next_free;
        notify(server->thread, message);
    } else if (pool->length < PLAY_WAITING_MAX) {
        pool->waiting[(pool->first + pool->length++) % PLAY_WAITING_MAX] = *message;
        now.play->crowded++;
    } else {
        now.play->lost++;
    }
    interrupts_restore(flags);
}

static void ask_thread(const struct play_stop *at, const struct message *message)
{
    if (at->process == PROGRAM_NONE) {
        ask_pool(pool_of(at->processor, at->level), message);
    } else {
        notify(now.server[at->process].thread, message);
    }
}

#if TARE_SMP
static void take_events(void *argument);

/* Asks for a portion on another processor, at once or when the message has been on its way. */
static void send_away(size_t here, const struct play_stop *at, size_t pass,
                      const struct message *message)
{
    const uint64_t transit = at->transit != NULL ? at->transit[pass] : 0;

    if (transit == 0) {
        ask_thread(at, message);
        return;
    }
    const struct server_event event = {
        .due = tsc_read() + transit, .tag = message->tag, .value = message->value};

    if (!server_events_add(&now.events[here], &event)) {
        now.play->lost++;
    }
    take_events(NULL);
}
#endif

static void ask(size_t here, size_t stimulus, size_t stop, size_t pass)
{
    const struct play_stop *at = &now.play->stop[now.play->stimulus[stimulus].first_stop + stop];
    const struct message message = {.tag = PLAY_TAG(stimulus, pass),
                                    .value = PLAY_VALUE(stop, pass)};

#if TARE_SMP
    if (at->processor != here) {
        send_away(here, at, pass, &message);
        return;
    }
#else
    (void)here; /* a program for tare.efi has one processor (model.c) */
#endif
    ask_thread(at, &message);
}

/* ---- arrivals: handlers of timers ---- */

static struct handling note_arrival(uint64_t intended)
{
    const struct handling handling = {
        .at = __atomic_fetch_add(&now.play->late_count, 1, __ATOMIC_RELAXED),
        .inner = now.handled[HERE],
        .begin = tsc_read(),
    };

    now.play->late[handling.at] = (int64_t)(handling.begin - now.play->start - intended);
    return handling;
}

/* Ends a handler. Its time excludes the handlers that interrupted it. */
static void note_handled(const struct handling *handling)
{
    uint64_t *const handled = &now.handled[HERE];
    const uint64_t took = tsc_read() - handling->begin - (*handled - handling->inner);

    *handled += took;
    now.play->handled[handling->at] = (int64_t)took;
}

static void load_arrives(void *argument);
static void stimulus_arrives(void *argument);

static void await_load(size_t index)
{
    struct source *source = &now.load[index];
    const struct play_load *load = &now.play->load[index];

    if (source->next < load->count) {
        timer_start(&source->timer, now.play->start + load->at[source->next], 0, load_arrives,
                    source);
    }
}

static void load_arrives(void *argument)
{
    struct source *source = argument;
    const size_t index = (size_t)(source - now.load);
    const struct play_load *load = &now.play->load[index];
    const struct message message = {.tag = (uint16_t)(PLAY_TAG_LOAD | index),
                                    .value = (uint32_t)source->next};

    const struct handling handling = note_arrival(load->at[source->next++]);

    await_load(index);
    ask_pool(pool_of(load->processor, load->level), &message);
    note_handled(&handling);
}

static void await_stimulus(size_t index)
{
    struct source *source = &now.stimulus[index];
    const struct play_stimulus *stimulus = &now.play->stimulus[index];

    if (source->next < stimulus->count) {
        timer_start(&source->timer, now.play->start + stimulus->at[source->next], 0,
                    stimulus_arrives, source);
    }
}

static void stimulus_arrives(void *argument)
{
    struct source *source = argument;
    const size_t index = (size_t)(source - now.stimulus);
    const size_t pass = source->next++;

    const struct handling handling = note_arrival(now.play->stimulus[index].at[pass]);

    trace_mark(now.arrives, PLAY_TAG(index, pass));
    if (!now.play->stimulus[index].cycles) {
        await_stimulus(index);
    }
    ask(HERE, index, 0, pass);
    note_handled(&handling);
}

#if TARE_SMP
/* ---- messages to other processors ---- */

/* Ends the way of the messages that are due. Called by the timer for those that are due later. */
static void take_events(void *argument)
{
    const uint64_t flags = interrupts_save();
    struct server_event event;
    uint64_t next;

    while (server_events_take(&now.events[HERE], tsc_read(), &event, &next)) {
        const struct play_stimulus *stimulus = &now.play->stimulus[PLAY_STIMULUS(event.tag)];
        const struct message message = {.tag = event.tag, .value = event.value};

        ask_thread(&now.play->stop[stimulus->first_stop + PLAY_STOP(event.value)], &message);
    }
    timer_stop(&now.next_event[HERE]);
    if (next != EVENT_SERVER_NEVER) {
        timer_start(&now.next_event[HERE], next, 0, take_events, argument);
    }
    interrupts_restore(flags);
}
#endif

/* ---- serving ---- */

static void count_down(void)
{
    if (__atomic_sub_fetch(&now.left, 1, __ATOMIC_RELAXED) == 0) {
        end_play(DONE_ALL);
    }
}

/* Returns whether the run must also wait for the responses of this stimulus. */
static bool ends_with(size_t index)
{
    return now.play->stimulus[0].is_trace && now.play->stimulus[index].is_trace;
}

/* Starts the next pass of a stimulus that cycles, on whichever processor its first portion is. */
static void await_pass(size_t here, size_t index, size_t pass)
{
#if TARE_SMP
    const size_t there = now.play->stop[now.play->stimulus[index].first_stop].processor;
    const struct message message = {.tag = PLAY_TAG(index, pass)};

    if (there != here) {
        notify(now.sources[there], &message);
        return;
    }
#else
    (void)here;
    (void)pass;
#endif
    await_stimulus(index);
}

static void respond(size_t here, size_t index, size_t pass, uint64_t end)
{
    struct play_stimulus *stimulus = &now.play->stimulus[index];
    const uint64_t since = end - now.play->start;
    const uint64_t flags = interrupts_save();

    stimulus->responses[stimulus->response_count++] = (int64_t)(since - stimulus->at[pass]);
    trace_mark(now.responds, PLAY_TAG(index, pass));
    if (stimulus->cycles && pass + 1 < stimulus->count) {
        stimulus->at[pass + 1] = since + stimulus->delay;
        await_pass(here, index, pass + 1);
    }
    interrupts_restore(flags);
    if (now.play->passes == 0 || index == 0 || ends_with(index)) {
        count_down();
    }
}

static uint64_t work_of(uint16_t tag, uint32_t value)
{
    const struct play *play = now.play;

    if ((tag & PLAY_TAG_LOAD) != 0) {
        return play->load[tag & ~PLAY_TAG_LOAD].work[value];
    }
    const struct play_stimulus *stimulus = &play->stimulus[PLAY_STIMULUS(tag)];

    return play->stop[stimulus->first_stop + PLAY_STOP(value)].work[PLAY_PASS(value)];
}

static bool go_on(size_t here, const struct play_portion *portion, uint64_t end)
{
    const struct play *play = now.play;

    if ((portion->tag & PLAY_TAG_LOAD) != 0) {
        if (play->passes == 0) {
            count_down();
        }
        return false;
    }
    const size_t index = PLAY_STIMULUS(portion->tag);
    const size_t stop = PLAY_STOP(portion->value);
    const size_t pass = PLAY_PASS(portion->value);
    const struct play_stimulus *stimulus = &play->stimulus[index];

    if (stop + 1 < stimulus->stop_count) {
        ask(here, index, stop + 1, pass);
    } else {
        respond(here, index, pass, end);
    }
    return play->stop[stimulus->first_stop + stop].awaits;
}

/* Returns the next message for a thread of a pool. Interrupts stay off from here until the portion
 * is recorded. Therefore a thread in the list of free threads is already waiting when it is given a
 * message, and portions are recorded in the order in which they begin. */
static struct message next_of_pool(struct server *server)
{
    struct pool *pool = server->pool;

    if (pool->length == 0) {
        server->next_free = pool->free;
        pool->free = server;
        return message_receive();
    }
    const struct message message = pool->waiting[pool->first];

    pool->first = (pool->first + 1) % PLAY_WAITING_MAX;
    pool->length--;
    thread_yield();
    return message;
}

static struct message next_of_process(void)
{
    if (now.play->turns && message_pending()) {
        thread_yield();
    }
    return message_receive();
}

static struct play_portion *note_begin(uint16_t tag, uint32_t value)
{
    const size_t at = __atomic_fetch_add(&now.play->portion_count, 1, __ATOMIC_RELAXED);
    struct play_portion *portion = &now.play->portions[at];

    portion->tag = tag;
    portion->value = value;
    portion->begin = (int64_t)tsc_read();
    return portion;
}

static void serve(void *argument)
{
    struct server *server = argument;
    struct message message = {0};
    bool awaits = false;

    for (;;) {
        const uint64_t flags = interrupts_save();

        if (awaits) {
            message = message_receive_tag(message.tag);
        } else {
            message = server->pool != NULL ? next_of_pool(server) : next_of_process();
        }
        const uint64_t work = work_of(message.tag, message.value);
        struct play_portion *portion = note_begin(message.tag, message.value);

        interrupts_restore(flags);
        idle_loop_spin(work);
        const uint64_t end = tsc_read();

        portion->end = (int64_t)end;
        awaits = go_on(HERE, portion, end);
    }
}

/* ---- before the play ---- */

static unsigned priority_of(size_t level)
{
    return (unsigned)(THREAD_PRIORITY_IDLE + 1 + level);
}

static bool add_server(struct pool *pool, size_t level)
{
    struct server *server = &now.server[now.server_count++];

    server->pool = pool;
    server->thread = THREAD_CREATE(server->name, priority_of(level), serve, server);
    return server->thread != NULL;
}

static const char *level_name(size_t level)
{
    return now.play->level[level] != NULL ? now.play->level[level] : "level";
}

static bool create_pool(size_t level, size_t threads)
{
    struct pool *pool = pool_of(now.place, level);

    pool->waiting = bench_memory(PLAY_WAITING_MAX * sizeof(pool->waiting[0]));
    if (pool->waiting == NULL) {
        return false;
    }
    for (size_t i = 0; i < threads; i++) {
        snprintf(now.server[now.server_count].name, LABEL_MAX, "%s %zu", level_name(level), i + 1);
        if (!add_server(pool, level)) {
            return false;
        }
    }
    return true;
}

static uint32_t pooled_levels(const struct play *play)
{
    uint32_t levels = 0;

    for (size_t i = 0; i < play->load_count; i++) {
        if (play->load[i].processor == now.place) {
            levels |= 1u << play->load[i].level;
        }
    }
    for (size_t i = 0; i < play->stop_count; i++) {
        if (play->stop[i].process == PROGRAM_NONE && play->stop[i].processor == now.place) {
            levels |= 1u << play->stop[i].level;
        }
    }
    return levels;
}

static size_t processors_of(const struct play *play)
{
    return play->processor_count > 1 ? play->processor_count : 1;
}

static bool create_servers(const struct play *play)
{
    const size_t processors = processors_of(play);
    size_t pools = 0;

    now.server_count = 0;
    for (size_t i = 0; i < play->process_count; i++) {
        snprintf(now.server[i].name, LABEL_MAX, "%s", play->process[i].name);
        now.place = play->process[i].processor;
        if (!add_server(NULL, play->process[i].level)) {
            return false;
        }
    }
    memset(now.pool, 0, sizeof(now.pool));
    for (size_t i = 0; i < processors * PROGRAM_LEVELS_MAX; i++) {
        now.place = i % processors;
        pools += pooled_levels(play) >> i / processors & 1;
    }
    const size_t own = THREADED > 1 ? processors : 0; /* threads that start arrivals */
    const size_t share = (SERVERS_MAX - own - play->process_count) / (pools > 0 ? pools : 1);

    for (size_t i = 0; i < processors * PROGRAM_LEVELS_MAX; i++) {
        now.place = i % processors;
        if ((pooled_levels(play) >> i / processors & 1) != 0 &&
            !create_pool(i / processors, share < POOL_MAX ? share : POOL_MAX)) {
            return false;
        }
    }
    return true;
}

static void time_is_up(void *argument)
{
    (void)argument;
    end_play(DONE_TIME);
}

/* Starts the arrivals of the caller's processor, because a timer expires where it was started. */
static void await_arrivals(const struct play *play)
{
    for (size_t i = 0; i < play->stimulus_count; i++) {
        if (play->stop[play->stimulus[i].first_stop].processor == HERE) {
            await_stimulus(i);
        }
    }
    for (size_t i = 0; i < play->load_count; i++) {
        if (play->load[i].processor == HERE) {
            await_load(i);
        }
    }
}

#if TARE_SMP
/* The thread that starts the arrivals of its processor. Messages ask for the next pass of a
 * stimulus that ended elsewhere. */
static void start_arrivals(void *argument)
{
    await_arrivals(argument);
    for (;;) {
        await_stimulus(PLAY_STIMULUS(message_receive().tag));
    }
}

static bool start_sources(struct play *play)
{
    for (size_t i = 0; i < processors_of(play); i++) {
        now.events[i].count = 0;
        now.next_event[i] = (struct timer){0};
        now.place = i;
        now.sources[i] = THREAD_CREATE("arrivals", THREAD_PRIORITY_MAX, start_arrivals, play);
        if (now.sources[i] == NULL) {
            return false;
        }
    }
    return true;
}
#else
static bool start_sources(struct play *play)
{
    await_arrivals(play);
    return true;
}
#endif

static uint64_t count_left(const struct play *play)
{
    uint64_t left = play->passes;

    if (left == 0) {
        return play_arrivals(play);
    }
    for (size_t i = 1; i < play->stimulus_count; i++) {
        left += ends_with(i) ? play->stimulus[i].count : 0;
    }
    return left;
}

bool play_run(struct play *play)
{
    now.play = play;
    memset(now.handled, 0, sizeof(now.handled));
    memset(now.stimulus, 0, sizeof(now.stimulus));
    memset(now.load, 0, sizeof(now.load));
    now.bench = thread_current();
    now.left = count_left(play);
    now.arrives = trace_object_add(OBJECT_MARK, MARK_NAME_STIMULUS);
    now.responds = trace_object_add(OBJECT_MARK, MARK_NAME_RESPONSE);
    if (!create_servers(play)) {
        return false;
    }
    thread_sleep_until(tsc_read() + clock_ticks_from_us(SETTLE_US));
    play->start = tsc_read() + clock_ticks_from_us(START_US);
    timer_start(&now.horizon, play->start + play->horizon, 0, time_is_up, NULL);
    if (!start_sources(play)) {
        return false;
    }
    play->complete = message_receive().value == DONE_ALL;
    return true;
}
