/* SPDX-License-Identifier: BSD-2-Clause */
#include "bench/interactive/model_play.h"

#include <stdio.h>

#include "kernel/clock/clock.h"
#include "kernel/cpu/cpu.h"
#include "kernel/idle/idle_loop.h"
#include "kernel/run/bench.h"
#include "kernel/task/message.h"
#include "kernel/task/timer.h"
#include "kernel/trace/object.h"

#define SERVERS_MAX (THREADS_MAX - 2) /* the bench and the idle thread are two */
#define POOL_MAX    16                /* threads of a level */
#define SETTLE_US   1000              /* until all wait for messages */
#define LABEL_MAX   32

struct pool {
    struct server *free;
    struct message *waiting; /* a ring of PLAY_WAITING_MAX; NULL: nothing asks for this level */
    size_t first, length;
};

struct server {
    struct pool *pool; /* NULL: a process */
    struct thread *thread;
    struct server *next_free;
    char name[LABEL_MAX];
};

struct source {
    struct timer timer;
    size_t next; /* arrival */
};

enum done {
    DONE_ALL,
    DONE_TIME,
};

static struct {
    struct play *play;
    struct pool pool[PROGRAM_LEVELS_MAX];
    struct server server[SERVERS_MAX]; /* processes first, by their numbers */
    size_t server_count;
    struct source load[PROGRAM_LOADS_MAX];
    struct source stimulus[PROGRAM_STIMULI_MAX];
    struct timer horizon;
    struct thread *bench;
    uint64_t left;              /* responses, or where there are no stimuli quanta, until the end */
    uint16_t arrives, responds; /* marks of the trace */
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

/* ---- who asks ---- */

static void end_play(enum done why)
{
    message_send(now.bench, 0, why);
}

static void tell(struct thread *to, const struct message *message)
{
    if (!message_send(to, message->tag, message->value)) {
        now.play->lost++;
    }
}

/* A quantum at a level. Whoever asks may be interrupted by another who does. */
static void ask_pool(struct pool *pool, const struct message *message)
{
    const uint64_t flags = interrupts_save();
    struct server *server = pool->free;

    if (server != NULL) {
        pool->free = server->next_free;
        tell(server->thread, message);
    } else if (pool->length < PLAY_WAITING_MAX) {
        pool->waiting[(pool->first + pool->length++) % PLAY_WAITING_MAX] = *message;
        now.play->crowded++;
    } else {
        now.play->lost++;
    }
    interrupts_restore(flags);
}

static void ask_stop(size_t stimulus, size_t stop, size_t pass)
{
    const struct play_stop *at = &now.play->stop[now.play->stimulus[stimulus].first_stop + stop];
    const struct message message = {.tag = PLAY_TAG(stimulus, pass),
                                    .value = PLAY_VALUE(stop, pass)};

    if (at->process == PROGRAM_NONE) {
        ask_pool(&now.pool[at->level], &message);
    } else {
        tell(now.server[at->process].thread, &message);
    }
}

/* ---- arrivals: handlers of timers ---- */

static void note_late(uint64_t intended)
{
    now.play->late[now.play->late_count++] = (int64_t)(tsc_read() - now.play->start - intended);
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

    note_late(load->at[source->next++]);
    await_load(index);
    ask_pool(&now.pool[load->level], &message);
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

    note_late(now.play->stimulus[index].at[pass]);
    trace_mark(now.arrives, PLAY_TAG(index, pass));
    if (!now.play->stimulus[index].cycles) {
        await_stimulus(index);
    }
    ask_stop(index, 0, pass);
}

/* ---- who serves ---- */

static void count_down(void)
{
    const uint64_t flags = interrupts_save();

    if (--now.left == 0) {
        end_play(DONE_ALL);
    }
    interrupts_restore(flags);
}

/* Must its passes, too, have their responses before the play ends? */
static bool ends_with(size_t index)
{
    return now.play->stimulus[0].is_trace && now.play->stimulus[index].is_trace;
}

static void respond(size_t index, size_t pass, uint64_t end)
{
    struct play_stimulus *stimulus = &now.play->stimulus[index];
    const uint64_t since = end - now.play->start;
    const uint64_t flags = interrupts_save();

    stimulus->responses[stimulus->response_count++] = (int64_t)(since - stimulus->at[pass]);
    trace_mark(now.responds, PLAY_TAG(index, pass));
    if (stimulus->cycles && pass + 1 < stimulus->count) {
        stimulus->at[pass + 1] = since + stimulus->delay;
        await_stimulus(index);
    }
    interrupts_restore(flags);
    if (now.play->passes != 0 && (index == 0 || ends_with(index))) {
        count_down();
    }
}

static uint64_t work_of(const struct message *message)
{
    const struct play *play = now.play;

    if ((message->tag & PLAY_TAG_LOAD) != 0) {
        return play->load[message->tag & ~PLAY_TAG_LOAD].work[message->value];
    }
    const struct play_stimulus *stimulus = &play->stimulus[PLAY_STIMULUS(message->tag)];

    return play->stop[stimulus->first_stop + PLAY_STOP(message->value)]
        .work[PLAY_PASS(message->value)];
}

/* Behind a portion of work. True: the process now waits for this stimulus alone. */
static bool go_on(const struct message *message, uint64_t end)
{
    const struct play *play = now.play;

    if ((message->tag & PLAY_TAG_LOAD) != 0) {
        if (play->passes == 0) {
            count_down();
        }
        return false;
    }
    const size_t index = PLAY_STIMULUS(message->tag);
    const size_t stop = PLAY_STOP(message->value);
    const size_t pass = PLAY_PASS(message->value);
    const struct play_stimulus *stimulus = &play->stimulus[index];

    if (stop + 1 < stimulus->stop_count) {
        ask_stop(index, stop + 1, pass);
    } else {
        respond(index, pass, end);
    }
    return play->stop[stimulus->first_stop + stop].awaits;
}

/* Interrupts are off from here until the portion is noted, so that a server that calls itself free
 * waits when it is asked, and portions are in the order of their begins. */
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

static struct play_portion *note_begin(const struct message *message)
{
    struct play_portion *portion = &now.play->portions[now.play->portion_count++];

    portion->tag = message->tag;
    portion->value = message->value;
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
        const uint64_t work = work_of(&message);
        struct play_portion *portion = note_begin(&message);

        interrupts_restore(flags);
        idle_loop_spin(work);
        const uint64_t end = tsc_read();

        portion->end = (int64_t)end;
        awaits = go_on(&message, end);
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
    server->thread = thread_create(server->name, priority_of(level), serve, server);
    return server->thread != NULL;
}

static const char *level_name(size_t level)
{
    return now.play->level[level] != NULL ? now.play->level[level] : "level";
}

static bool create_pool(size_t level, size_t threads)
{
    struct pool *pool = &now.pool[level];

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
        levels |= 1u << play->load[i].level;
    }
    for (size_t i = 0; i < play->stop_count; i++) {
        if (play->stop[i].process == PROGRAM_NONE) {
            levels |= 1u << play->stop[i].level;
        }
    }
    return levels;
}

static bool create_servers(const struct play *play)
{
    const uint32_t levels = pooled_levels(play);
    size_t pools = 0;

    for (size_t level = 0; level < PROGRAM_LEVELS_MAX; level++) {
        pools += levels >> level & 1;
    }
    now.server_count = 0;
    for (size_t i = 0; i < play->process_count; i++) {
        snprintf(now.server[i].name, LABEL_MAX, "%s", play->process[i].name);
        if (!add_server(NULL, play->process[i].level)) {
            return false;
        }
    }
    for (size_t level = 0; level < PROGRAM_LEVELS_MAX; level++) {
        const size_t share = pools > 0 ? (SERVERS_MAX - play->process_count) / pools : 0;

        now.pool[level] = (struct pool){0};
        if ((levels >> level & 1) != 0 &&
            !create_pool(level, share < POOL_MAX ? share : POOL_MAX)) {
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

static void start_sources(struct play *play)
{
    play->start = tsc_read() + clock_ticks_from_us(SETTLE_US);
    timer_start(&now.horizon, play->start + play->horizon, 0, time_is_up, NULL);
    for (size_t i = 0; i < play->stimulus_count; i++) {
        now.stimulus[i].next = 0;
        await_stimulus(i);
    }
    for (size_t i = 0; i < play->load_count; i++) {
        now.load[i].next = 0;
        await_load(i);
    }
}

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
    now.bench = thread_current();
    now.left = count_left(play);
    now.arrives = trace_object_add(OBJECT_MARK, "stimulus");
    now.responds = trace_object_add(OBJECT_MARK, "response");
    if (!create_servers(play)) {
        return false;
    }
    thread_sleep_until(tsc_read() + clock_ticks_from_us(SETTLE_US));
    start_sources(play);
    play->complete = message_receive().value == DONE_ALL;
    return true;
}
