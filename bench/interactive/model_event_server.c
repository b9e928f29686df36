/* SPDX-License-Identifier: BSD-2-Clause */
#include "bench/interactive/model_event_server.h"

#include "kernel/clock/clock.h"
#include "kernel/clock/idle_loop.h"
#include "kernel/cpu/cpu.h"
#include "kernel/run/bench.h"

/* time limit for the portion in service to end; longer than any portion */
#define END_US 10000000

/* An entry of a line: a process or, with PROGRAM_NONE as `process`, a single portion. */
struct entity {
    uint32_t process;
    uint16_t tag;
    uint32_t value;
};

struct line {
    struct entity *ring; /* room for PLAY_WAITING_MAX entries; NULL: nothing can wait here */
    size_t first, length;
};

enum process_state {
    PROCESS_IDLE,
    PROCESS_IN_LINE,
    PROCESS_SERVES,
    PROCESS_AWAITS, /* waits for one stimulus */
};

struct process {
    struct line queue; /* stimuli that wait for the process */
    enum process_state state;
    uint16_t awaited; /* tag of the stimulus that it waits for, in PROCESS_AWAITS */
};

struct post {
    struct event_server server;
    size_t number; /* index among the model's processors */
    struct line line[PROGRAM_LEVELS_MAX];
    bool began;
};

static struct play *play;
static const struct play_rules *rules;
static struct post *posts[PROGRAM_PROCESSORS_MAX];
static struct process processes[PROGRAM_PROCESSES_MAX];

/* ---- lines ---- */

static void note_lost(void)
{
    __atomic_fetch_add(&play->lost, 1, __ATOMIC_RELAXED);
}

static bool push(struct line *line, const struct entity *entity)
{
    if (line->length == PLAY_WAITING_MAX) {
        note_lost();
        return false;
    }
    line->ring[(line->first + line->length++) % PLAY_WAITING_MAX] = *entity;
    return true;
}

static void push_first(struct line *line, const struct entity *entity)
{
    if (line->length == PLAY_WAITING_MAX) {
        note_lost();
        return;
    }
    line->first = (line->first + PLAY_WAITING_MAX - 1) % PLAY_WAITING_MAX;
    line->ring[line->first] = *entity;
    line->length++;
}

static struct entity pop(struct line *line)
{
    const struct entity entity = line->ring[line->first];

    line->first = (line->first + 1) % PLAY_WAITING_MAX;
    line->length--;
    return entity;
}

/* ---- on the event server, interrupts off ---- */

static struct post *post_of(struct event_server *server)
{
    return (struct post *)((char *)server - offsetof(struct post, server));
}

static void line_up(struct post *post, uint32_t level, const struct entity *entity)
{
    if (push(&post->line[level], entity)) {
        post->server.ready |= 1u << level;
    }
}

static void line_up_process(struct post *post, uint32_t number)
{
    const struct entity entity = {.process = number};

    processes[number].state = PROCESS_IN_LINE;
    line_up(post, play->process[number].level, &entity);
}

/* Takes a stimulus for a process. */
static void ask_process(struct post *post, uint32_t number, const struct entity *stimulus)
{
    struct process *process = &processes[number];

    if (process->state == PROCESS_AWAITS && stimulus->tag == process->awaited) {
        push_first(&process->queue, stimulus);
        line_up_process(post, number);
    } else if (push(&process->queue, stimulus) && process->state == PROCESS_IDLE) {
        line_up_process(post, number);
    }
}

void play_event_server_ask(size_t here, uint16_t tag, uint32_t value)
{
    const struct play_stimulus *stimulus = &play->stimulus[PLAY_STIMULUS(tag)];
    const struct play_stop *stop = &play->stop[stimulus->first_stop + PLAY_STOP(value)];
    const struct entity entity = {.process = PROGRAM_NONE, .tag = tag, .value = value};

    if (stop->process == PROGRAM_NONE) {
        line_up(posts[here], stop->level, &entity);
    } else {
        ask_process(posts[here], stop->process, &entity);
    }
}

void play_event_server_keep(size_t here, const struct server_event *event)
{
    if (!server_events_add(&posts[here]->server.events, event)) {
        note_lost();
    }
}

/* Keeps arrival number `index` of a source, if there is one. */
static void keep_arrival(struct post *post, enum play_event kind, uint16_t source, size_t index)
{
    const bool is_load = kind == PLAY_LOAD;
    const uint64_t *at = is_load ? play->load[source].at : play->stimulus[source].at;
    const size_t count = is_load ? play->load[source].count : play->stimulus[source].count;

    if (index < count) {
        const struct server_event event = {
            .due = play->start + at[index], .kind = kind, .tag = source, .value = (uint32_t)index};

        play_event_server_keep(post->number, &event);
    }
}

static void take_load(struct post *post, const struct server_event *event)
{
    const struct play_load *load = &play->load[event->tag];
    const struct entity entity = {
        .process = PROGRAM_NONE, .tag = PLAY_TAG_LOAD | event->tag, .value = event->value};

    rules->note_late(load->at[event->value]);
    keep_arrival(post, PLAY_LOAD, event->tag, event->value + 1);
    line_up(post, load->level, &entity);
}

static void take_stimulus(struct post *post, const struct server_event *event)
{
    const struct play_stimulus *stimulus = &play->stimulus[event->tag];

    rules->note_late(stimulus->at[event->value]);
    if (!stimulus->cycles) {
        keep_arrival(post, PLAY_STIMULUS, event->tag, event->value + 1);
    }
    rules->ask(post->number, event->tag, 0, event->value);
}

static void take(struct event_server *server, const struct server_event *event)
{
    struct post *post = post_of(server);

    switch (event->kind) {
    case PLAY_LOAD:
        take_load(post, event);
        break;
    case PLAY_STIMULUS:
        take_stimulus(post, event);
        break;
    default:
        play_event_server_ask(post->number, event->tag, event->value);
        break;
    }
}

/* Serves one portion. Returns true if the process must now wait for this stimulus alone. */
static bool serve_portion(const struct post *post, const struct entity *entity)
{
    const uint64_t work = rules->work(entity->tag, entity->value);
    struct play_portion *portion = rules->note_begin(entity->tag, entity->value);

    interrupts_enable();
    idle_loop_spin(work);
    interrupts_disable();
    const uint64_t end = tsc_read();

    portion->end = (int64_t)end;
    return rules->go_on(post->number, portion, end);
}

static void serve_process(struct post *post, uint32_t number)
{
    struct process *process = &processes[number];

    process->state = PROCESS_SERVES;
    while (process->state == PROCESS_SERVES) {
        const struct entity stimulus = pop(&process->queue);

        if (serve_portion(post, &stimulus)) {
            process->state = PROCESS_AWAITS;
            process->awaited = stimulus.tag;
        } else if (process->queue.length == 0) {
            process->state = PROCESS_IDLE;
        } else if (play->turns) {
            line_up_process(post, number);
        } else {
            event_server_give_way(&post->server);
        }
    }
}

static void serve(struct event_server *server, unsigned level)
{
    struct post *post = post_of(server);
    struct line *line = &post->line[level];
    const struct entity entity = pop(line);

    if (line->length == 0) {
        server->ready &= ~(1u << level);
    }
    if (entity.process == PROGRAM_NONE) {
        serve_portion(post, &entity);
    } else {
        serve_process(post, entity.process);
    }
}

/* ---- from the boot processor ---- */

static bool create_line(struct line *line)
{
    *line = (struct line){.ring = bench_memory(PLAY_WAITING_MAX * sizeof(line->ring[0]))};
    return line->ring != NULL;
}

/* Returns the levels, one bit each, at which quanta, portions or processes of the processor are
 * served. */
static uint32_t levels_of(size_t processor)
{
    uint32_t levels = 0;

    for (size_t i = 0; i < play->load_count; i++) {
        levels |= (play->load[i].processor == processor ? 1u : 0) << play->load[i].level;
    }
    for (size_t i = 0; i < play->stop_count; i++) {
        levels |= (play->stop[i].processor == processor ? 1u : 0) << play->stop[i].level;
    }
    return levels;
}

static bool create_post(size_t number)
{
    struct post *post = bench_memory(sizeof(*post));
    const uint32_t levels = levels_of(number);

    posts[number] = post;
    if (post == NULL) {
        return false;
    }
    *post = (struct post){
        .server = {.processor = play->processor[number], .take = take, .serve = serve},
        .number = number,
    };
    for (size_t level = 0; level < PROGRAM_LEVELS_MAX; level++) {
        if ((levels >> level & 1) != 0 && !create_line(&post->line[level])) {
            return false;
        }
    }
    return true;
}

bool play_event_servers_prepare(struct play *of, const struct play_rules *its_rules)
{
    play = of;
    rules = its_rules;
    for (size_t i = 1; i < play->processor_count; i++) {
        if (!create_post(i)) {
            return false;
        }
    }
    for (size_t i = 0; i < play->process_count; i++) {
        processes[i] = (struct process){0};
        if (play->process[i].processor != PLAY_BOOT_PROCESSOR &&
            !create_line(&processes[i].queue)) {
            return false;
        }
    }
    return true;
}

bool play_event_servers_begin(void)
{
    for (size_t i = 1; i < play->processor_count; i++) {
        posts[i]->began = event_server_begin(&posts[i]->server);
        if (!posts[i]->began) {
            return false;
        }
    }
    return true;
}

/* Sends each processor the first arrival of each of its sources. It keeps the later ones itself. */
void play_event_servers_open(void)
{
    for (size_t i = 0; i < play->load_count; i++) {
        const struct play_load *load = &play->load[i];

        if (load->processor != PLAY_BOOT_PROCESSOR && load->count > 0) {
            const struct server_event event = {
                .due = play->start + load->at[0], .kind = PLAY_LOAD, .tag = (uint16_t)i};

            play_event_server_send(load->processor, &event);
        }
    }
    for (size_t i = 0; i < play->stimulus_count; i++) {
        const struct play_stimulus *stimulus = &play->stimulus[i];
        const uint32_t processor = play->stop[stimulus->first_stop].processor;

        if (processor != PLAY_BOOT_PROCESSOR && stimulus->count > 0) {
            const struct server_event event = {
                .due = play->start + stimulus->at[0], .kind = PLAY_STIMULUS, .tag = (uint16_t)i};

            play_event_server_send(processor, &event);
        }
    }
}

bool play_event_servers_end(void)
{
    bool good = true;

    for (size_t i = 1; i < play->processor_count; i++) {
        if (posts[i]->began) {
            good = event_server_end(&posts[i]->server, clock_ticks_from_us(END_US)) && good;
        }
    }
    return good;
}

void play_event_server_send(size_t to, const struct server_event *event)
{
    if (!event_server_post(&posts[to]->server, event)) {
        note_lost();
    }
}
