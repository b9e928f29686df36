/* SPDX-License-Identifier: BSD-2-Clause */
#include "tools/export/perfetto_trace.h"

#include <inttypes.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "kernel/trace/names.h"
#include "kernel/trace/trace.h"
#include "tools/base/alloc.h"
#include "tools/trace/accounting.h"

#define THREADS         (UINT16_MAX + 1)
#define OPEN_MAX        32 /* nested open slices of a track */
#define NAME_BYTES      (EXPORT_NAME_MAX + 32)
#define FIRST_PROCESS   0x10000u /* first pid; pids come after the tids of a bench */
#define BENCH_TIDS_BITS 17
#define NO_THREAD       THREADS
/* field of block_rq_issue with the disk's name */
#define BLOCK_ISSUE_DISK 7
/* first field of lttng_statedump_process_state (trace_translate.h) that LTTng does not have */
#define OWN_FIELDS_OF_STATEDUMP 8

/* Track numbers of a bench. Threads have their ids, followed by these: */
#define TRACK_PROCESS 0x10000u /* plus the process's number */
#define TRACK_ISR     0x20000u
#define TRACK_DPC     0x20001u
#define TRACK_IDLE    0x20002u
#define TRACK_DISK    0x20100u /* plus the number of a lane */
#define TRACK_MORE    0x30000u /* plus three times the slot: these of further processors */
#define FLOW_BITS     22       /* so that 2^40 arrows of a bench have numbers of their own */
#define LANES_MAX     1024     /* outstanding requests that can have a track */
#define BENCH_TRACKS  18       /* bits of track numbers for each bench */

/* kinds of slices, combined with a number */
enum slice_kind {
    SLICE_ISR = 0x100,
    SLICE_DPC = 0x200,
    SLICE_CALL = 0x300,
    SLICE_FAULT = 0x400,
    SLICE_DISK = 0x500,
};

struct track {
    uint64_t number;
    uint64_t flow; /* arrow from the thread's last wake-up; 0: none, or it ran since */
    bool announced;
    uint8_t depth;
    uint16_t open[OPEN_MAX]; /* enum slice_kind combined with a number */
};

/* A track for one disk request at a time. Viewers draw lanes of the same name below each other. */
struct lane {
    struct track track;
    uint32_t disk;
    uint32_t serial;
    bool broken; /* its request continues in the next piece */
    char label[NAME_BYTES];
};

/* The tracks of a processor. */
struct processor {
    struct track isr, dpc, idle;
    uint32_t current; /* running thread; NO_THREAD: unknown */
};

struct perfetto_trace {
    struct perfetto_writer *writer;
    struct translator *translator;
    const struct run_bench *bench;
    const char *label;
    uint64_t first_track;
    int32_t first_tid;
    uint64_t hz;
    struct track *threads[THREADS]; /* NULL: the thread has not occurred in any event */
    size_t thread_limit;            /* all thread ids so far are below this */
    bool *processes;                /* which processes were announced; THREADS entries */
    struct processor processors[RUN_PROCESSORS_MAX]; /* by slot */
    uint64_t slots;                                  /* a bit for each that is used */
    bool several;                                    /* more than one is */
    uint64_t flows;                                  /* arrows so far */
    struct lane *lanes;
    size_t lane_count, lane_capacity;
    bool restating; /* thread_is events restate the threads to draw */
};

static const char category_thread[] = "thread";
static const char category_disk[] = "disk request";

/* ---- tracks ---- */

/* Returns the tid in the file of a thread of the bench. */
static int32_t tid_of(const struct perfetto_trace *trace, uint64_t thread)
{
    return thread == 0 ? 0 : trace->first_tid + (int32_t)thread;
}

/* Returns the pid of a process, and announces the process at its first use. */
static int32_t pid_of(struct perfetto_trace *trace, uint64_t process)
{
    const int32_t pid = trace->first_tid + (int32_t)(FIRST_PROCESS + process);
    char name[NAME_BYTES];

    if (trace->processes[process]) {
        return pid;
    }
    const char *own = run_object_name(trace->bench, OBJECT_NAME_PROCESS, (uint32_t)process);

    if (process == 0) {
        snprintf(name, sizeof(name), "%s", trace->label);
    } else if (own != NULL) {
        snprintf(name, sizeof(name), "%.100s: %.100s", trace->label, own);
    } else {
        snprintf(name, sizeof(name), "%.100s: process %u", trace->label, (unsigned)process);
    }
    trace->processes[process] = true;
    perfetto_process(trace->writer, trace->first_track + TRACK_PROCESS + process, pid, name);
    return pid;
}

static void announce_kernel_track(struct perfetto_trace *trace, struct track *track,
                                  uint32_t number, const char *name)
{
    track->number = trace->first_track + number;
    track->announced = true;
    perfetto_track(trace->writer, track->number, trace->first_track + TRACK_PROCESS, name);
}

/* Returns the track of a thread; for the idle thread, that of the processor. */
static struct track *thread_track(struct perfetto_trace *trace, uint32_t cpu, uint64_t thread)
{
    struct track **track = &trace->threads[thread];

    if (thread == TRACE_IDLE_THREAD) {
        return &trace->processors[EXPORT_SLOT(cpu)].idle;
    }
    if (*track == NULL) {
        *track = alloc_zeroed(sizeof(**track));
        (*track)->number = trace->first_track + thread;
        trace->thread_limit = thread < trace->thread_limit ? trace->thread_limit : thread + 1;
    }
    return *track;
}

/* Returns the track of a thread, and announces it if no event described the thread. */
static struct track *announced_track(struct perfetto_trace *trace, uint32_t cpu, uint64_t thread)
{
    struct track *track = thread_track(trace, cpu, thread);
    char name[ACCOUNT_NAME_MAX];

    if (!track->announced) {
        track->announced = true;
        perfetto_thread(trace->writer, track->number, pid_of(trace, 0), tid_of(trace, thread),
                        account_name(trace->bench, ACCOUNT_THREAD, (uint32_t)thread, name));
    }
    return track;
}

/* Returns the track of what runs on the processor. */
static struct track *running_track(struct perfetto_trace *trace, uint32_t cpu)
{
    struct processor *processor = &trace->processors[EXPORT_SLOT(cpu)];

    if (processor->isr.depth > 0) {
        return &processor->isr;
    }
    if (processor->dpc.depth > 0) {
        return &processor->dpc;
    }
    return processor->current == NO_THREAD ? &processor->idle
                                           : announced_track(trace, cpu, processor->current);
}

/* ---- events ---- */

static const char *text_of(const struct perfetto_trace *trace, uint64_t number)
{
    return translator_text(trace->translator, number);
}

static const char *label_of(const struct export_field *field, uint64_t value)
{
    for (size_t i = 0; field->labels != NULL && i < field->labels->count; i++) {
        if (field->labels->item[i].value == value) {
            return field->labels->item[i].name;
        }
    }
    return NULL;
}

static size_t make_notes(const struct perfetto_trace *trace, const struct export_event *exported,
                         struct perfetto_note notes[EXPORT_FIELDS_MAX])
{
    const struct export_class *class = translator_class(trace->translator, exported->class_index);

    for (size_t i = 0; i < class->field_count; i++) {
        const struct export_field *field = &class->field[i];
        const char *text = field->type == EXPORT_TEXT ? text_of(trace, exported->value[i])
                                                      : label_of(field, exported->value[i]);

        notes[i] = (struct perfetto_note){field->name,
                                          text != NULL                ? PERFETTO_TEXT
                                          : field->type == EXPORT_HEX ? PERFETTO_ADDRESS
                                                                      : PERFETTO_UNSIGNED,
                                          exported->value[i], text};
    }
    return class->field_count;
}

/* Puts an event on a track; `exported` NULL: without fields. */
static void put_on(struct perfetto_trace *trace, const struct track *track, uint64_t ns,
                   enum perfetto_event_type type, const char *category, const char *name,
                   const struct export_event *exported)
{
    struct perfetto_note notes[EXPORT_FIELDS_MAX];
    const size_t count = exported != NULL ? make_notes(trace, exported, notes) : 0;

    perfetto_event(trace->writer,
                   &(struct perfetto_event){ns, track->number, type, category, name, notes, count});
}

static void put_instant(struct perfetto_trace *trace, const struct track *track, uint64_t ns,
                        const char *category, const char *name, const struct export_event *exported)
{
    put_on(trace, track, ns, PERFETTO_INSTANT, category, name, exported);
}

static void put_begin(struct perfetto_trace *trace, struct track *track, uint64_t ns,
                      const char *category, const char *name, uint16_t slice,
                      const struct export_event *exported)
{
    if (track->depth == OPEN_MAX) {
        put_instant(trace, track, ns, category, name, exported);
        return;
    }
    track->open[track->depth++] = slice;
    put_on(trace, track, ns, PERFETTO_BEGIN, category, name, exported);
}

static void close_slice(struct perfetto_trace *trace, struct track *track, uint64_t ns,
                        const char *category, const char *name)
{
    track->depth--;
    put_on(trace, track, ns, PERFETTO_END, category, name, NULL);
}

static void put_end(struct perfetto_trace *trace, struct track *track, uint64_t ns,
                    const char *category, const char *name, uint16_t slice)
{
    size_t at = track->depth;

    while (at > 0 && track->open[at - 1] != slice) {
        at--;
    }
    if (at == 0) {
        put_instant(trace, track, ns, category, name, NULL);
        return;
    }
    while (track->depth > at) {
        close_slice(trace, track, ns, category, "lost");
    }
    close_slice(trace, track, ns, category, NULL);
}

/* Puts the start or the end of the arrow from a wake-up to the switch to the thread. */
static void put_flow(struct perfetto_trace *trace, const struct track *track, uint64_t ns,
                     uint64_t flow, bool ends)
{
    const struct perfetto_event event = {
        ns, track->number, PERFETTO_INSTANT, category_thread, ends ? "woken" : "wake", NULL, 0};

    perfetto_flow(trace->writer, &event, flow, ends);
}

static void begin_flow(struct perfetto_trace *trace, uint64_t ns,
                       const struct export_event *exported)
{
    if (!trace->several) {
        return;
    }
    struct track *track = announced_track(trace, exported->cpu, exported->value[1]);

    track->flow = trace->first_track << FLOW_BITS | ++trace->flows;
    put_flow(trace, running_track(trace, exported->cpu), ns, track->flow, false);
}

static void end_flow(struct perfetto_trace *trace, uint64_t ns, uint64_t thread)
{
    struct track *track = trace->threads[thread];

    if (track != NULL && track->flow != 0) {
        put_flow(trace, track, ns, track->flow, true);
        track->flow = 0;
    }
}

/* Returns the thread that three values describe: comm, tid, prio. */
static struct perfetto_task task_of(const struct perfetto_trace *trace, const uint64_t *value)
{
    return (struct perfetto_task){text_of(trace, value[0]), tid_of(trace, value[1]),
                                  (int32_t)value[2]};
}

static void put_switch(struct perfetto_trace *trace, uint64_t ns,
                       const struct export_event *exported)
{
    const uint64_t *value = exported->value;
    const struct perfetto_task from = task_of(trace, &value[0]);
    const struct perfetto_task to = task_of(trace, &value[4]);

    trace->processors[EXPORT_SLOT(exported->cpu)].current = (uint32_t)value[5];
    perfetto_switch(trace->writer, ns, exported->cpu, &from, (int64_t)value[3], &to);
    end_flow(trace, ns, value[5]);
}

static void put_waking(struct perfetto_trace *trace, uint64_t ns,
                       const struct export_event *exported)
{
    const uint32_t current = trace->processors[EXPORT_SLOT(exported->cpu)].current;
    const struct perfetto_task task = task_of(trace, exported->value);

    perfetto_waking(trace->writer, ns, exported->cpu,
                    current == NO_THREAD ? 0 : tid_of(trace, current), &task,
                    (uint32_t)exported->value[3]);
}

/* Draws a state of processor `cpu` by an event that is not in the trace. */
static void draw(struct perfetto_trace *trace, uint64_t ns, uint32_t cpu, uint32_t id,
                 uint64_t first, uint64_t second, uint64_t third)
{
    const struct trace_event event = {.cpu = cpu, .id = id, .field = {first, second, third}};
    struct export_event exported;

    translator_event(trace->translator, &event, &exported);
    if (id == TRACE_ID_thread_switch) {
        put_switch(trace, ns, &exported);
    } else {
        put_waking(trace, ns, &exported);
    }
}

/* Draws the state of a thread at this time. A waiting thread is drawn by a switch to it and away
 * from it. */
static void draw_state(struct perfetto_trace *trace, uint64_t ns, const struct trace_event *event)
{
    const uint64_t thread = event->field[0];
    const uint32_t current = trace->processors[EXPORT_SLOT(event->cpu)].current;
    const uint64_t running = current == NO_THREAD ? TRACE_IDLE_THREAD : current;
    const bool is = event->id == TRACE_ID_thread_is;

    if (thread == TRACE_IDLE_THREAD || thread == running) {
        return;
    }
    if (!is || event->field[3] == THREAD_READY) {
        draw(trace, ns, event->cpu, TRACE_ID_thread_ready, thread,
             TRACE_BY(TRACE_BY_THREAD, running), 0);
        return;
    }
    if (event->field[3] == THREAD_RUNNING || event->field[3] == THREAD_WAITING) {
        draw(trace, ns, event->cpu, TRACE_ID_thread_switch, running, thread,
             TRACE_WHY(WAIT_PREEMPTED, THREAD_READY));
    }
    if (event->field[3] == THREAD_WAITING) {
        draw(trace, ns, event->cpu, TRACE_ID_thread_switch, thread, running,
             TRACE_WHY(event->field[4] & 31, THREAD_WAITING));
    }
}

/* Describes a thread at its first event or when its number is reused, and puts an instant for the
 * event. */
static void put_description(struct perfetto_trace *trace, uint64_t ns,
                            const struct trace_event *event, const struct export_event *exported)
{
    const uint64_t thread = event->field[0];
    struct track *track = thread_track(trace, exported->cpu, thread);
    struct perfetto_note notes[EXPORT_FIELDS_MAX + 1];
    const size_t count = make_notes(trace, exported, notes);

    if (!track->announced) {
        track->announced = true;
        perfetto_thread(trace->writer, track->number, pid_of(trace, event->field[1]),
                        tid_of(trace, thread), text_of(trace, exported->value[3]));
    }
    notes[count] = (struct perfetto_note){"priority", PERFETTO_UNSIGNED, event->field[2], NULL};
    const struct perfetto_event instant = {
        .ns = ns,
        .track = track->number,
        .type = PERFETTO_INSTANT,
        .category = category_thread,
        .name = trace_class_of(event->id)->name,
        .notes = notes + OWN_FIELDS_OF_STATEDUMP,
        .note_count = count + 1 - OWN_FIELDS_OF_STATEDUMP,
    };

    perfetto_event(trace->writer, &instant);
    if (trace->restating || trace->bench->cut) {
        draw_state(trace, ns, event);
    }
    if (event->id == TRACE_ID_thread_is && event->field[3] == THREAD_RUNNING) {
        trace->processors[EXPORT_SLOT(exported->cpu)].current = (uint32_t)thread;
    }
}

static const struct {
    uint32_t entry, exit; /* ids of events */
    enum slice_kind kind;
    const char *category;
} slices[] = {
    {TRACE_ID_isr_entry, TRACE_ID_isr_exit, SLICE_ISR, "interrupt"},
    {TRACE_ID_dpc_entry, TRACE_ID_dpc_exit, SLICE_DPC, "deferred call"},
    {TRACE_ID_syscall_entry, TRACE_ID_syscall_exit, SLICE_CALL, "system call"},
    {TRACE_ID_fault_entry, TRACE_ID_fault_exit, SLICE_FAULT, "page fault"},
};

/* Begins or ends a slice. Returns false if the event does neither. */
static bool put_slice(struct perfetto_trace *trace, uint64_t ns, const struct trace_event *event,
                      const struct export_event *exported)
{
    const size_t count = sizeof(slices) / sizeof(slices[0]);
    size_t i = 0;

    while (i < count && event->id != slices[i].entry && event->id != slices[i].exit) {
        i++;
    }
    if (i == count) {
        return false;
    }
    const enum slice_kind kind = slices[i].kind;
    const bool enters = event->id == slices[i].entry;
    struct processor *processor = &trace->processors[EXPORT_SLOT(exported->cpu)];
    struct track *track = kind == SLICE_ISR   ? &processor->isr
                          : kind == SLICE_DPC ? &processor->dpc
                                              : running_track(trace, exported->cpu);
    const uint64_t number = event->field[kind == SLICE_FAULT && enters ? 1 : 0];
    const uint16_t slice = (uint16_t)(kind | number);
    const char *name = kind == SLICE_CALL
                           ? translator_class(trace->translator, exported->class_index)->name
                           : trace_class_of(event->id)->name;

    if (!enters) {
        put_end(trace, track, ns, slices[i].category, name, slice);
        return true;
    }
    if (kind == SLICE_ISR || kind == SLICE_DPC) {
        name = text_of(trace, exported->value[1]);
    } else if (kind == SLICE_FAULT) {
        name = slices[i].category;
    }
    put_begin(trace, track, ns, slices[i].category, name, slice, exported);
    return true;
}

/* ---- disks ---- */

/* Returns a free track of the disk, adding one if needed. Returns NULL if there are too many. */
static struct lane *free_lane(struct perfetto_trace *trace, uint32_t disk, const char *name)
{
    for (size_t i = 0; i < trace->lane_count; i++) {
        if (trace->lanes[i].disk == disk && trace->lanes[i].track.depth == 0) {
            return &trace->lanes[i];
        }
    }
    if (trace->lane_count == LANES_MAX) {
        return NULL;
    }
    struct lane *lane = ALLOC_NEXT(trace->lanes, trace->lane_count, trace->lane_capacity);

    lane->disk = disk;
    snprintf(lane->label, sizeof(lane->label), "disk %.100s", name);
    announce_kernel_track(trace, &lane->track, TRACK_DISK + (uint32_t)trace->lane_count - 1,
                          lane->label);
    return lane;
}

static struct lane *lane_of(struct perfetto_trace *trace, const struct trace_event *event)
{
    for (size_t i = 0; i < trace->lane_count; i++) {
        struct lane *lane = &trace->lanes[i];

        if (lane->disk == event->field[0] && lane->serial == event->field[1] &&
            lane->track.depth > 0) {
            return lane;
        }
    }
    return NULL;
}

/* Begins or ends a disk request. If it failed, an instant at its end states that. */
static void put_request(struct perfetto_trace *trace, uint64_t ns, const struct trace_event *event,
                        const struct export_event *exported)
{
    const bool begins = event->id == TRACE_ID_block_issue;
    struct lane *lane = begins ? free_lane(trace, (uint32_t)event->field[0],
                                           text_of(trace, exported->value[BLOCK_ISSUE_DISK]))
                               : lane_of(trace, event);

    if (lane == NULL) {
        put_instant(trace, running_track(trace, exported->cpu), ns, category_disk,
                    trace_class_of(event->id)->name, exported);
        return;
    }
    if (begins) {
        lane->serial = (uint32_t)event->field[1];
        put_begin(trace, &lane->track, ns, category_disk, "read", SLICE_DISK, exported);
        return;
    }
    if (event->field[2] != BLOCK_GOOD) {
        put_instant(trace, &lane->track, ns, category_disk, "read failed", exported);
    }
    put_end(trace, &lane->track, ns, category_disk, "read", SLICE_DISK);
}

void perfetto_trace_event(struct perfetto_trace *trace, const struct trace_event *event)
{
    const uint64_t ns = translator_ns(event->tsc, trace->hz);
    struct export_event exported;

    translator_event(trace->translator, event, &exported);
    switch (event->id) {
    case TRACE_ID_thread_is:
    case TRACE_ID_thread_start:
        put_description(trace, ns, event, &exported);
        break;
    case TRACE_ID_thread_switch:
        put_switch(trace, ns, &exported);
        break;
    case TRACE_ID_thread_ready:
        put_waking(trace, ns, &exported);
        begin_flow(trace, ns, &exported);
        break;
    case TRACE_ID_thread_migrate:
    case TRACE_ID_thread_boost:
    case TRACE_ID_quantum:
        put_instant(trace, announced_track(trace, exported.cpu, event->field[0]), ns,
                    category_thread, trace_class_of(event->id)->name, &exported);
        break;
    case TRACE_ID_block_issue:
    case TRACE_ID_block_complete:
        put_request(trace, ns, event, &exported);
        break;
    default:
        if (!put_slice(trace, ns, event, &exported)) {
            put_instant(trace, running_track(trace, exported.cpu), ns, category_thread,
                        trace_class_of(event->id)->name, &exported);
        }
        break;
    }
}

/* ---- gaps and ends ---- */

static void close_track(struct perfetto_trace *trace, struct track *track, uint64_t ns,
                        const char *name)
{
    while (track->depth > 0) {
        close_slice(trace, track, ns, category_thread, name);
    }
}

/* Closes all slices of a processor except those of its thread. */
static void close_processor(struct perfetto_trace *trace, struct processor *processor, uint64_t ns,
                            const char *name)
{
    close_track(trace, &processor->isr, ns, name);
    close_track(trace, &processor->dpc, ns, name);
    close_track(trace, &processor->idle, ns, name);
    processor->current = NO_THREAD;
}

static void close_all(struct perfetto_trace *trace, uint64_t tsc, const char *name)
{
    const uint64_t ns = translator_ns(tsc, trace->hz);

    for (size_t i = 0; i < RUN_PROCESSORS_MAX; i++) {
        close_processor(trace, &trace->processors[i], ns, name);
    }
    for (size_t i = 0; i < trace->lane_count; i++) {
        close_track(trace, &trace->lanes[i].track, ns, name);
    }
    for (size_t i = 0; i < trace->thread_limit; i++) {
        if (trace->threads[i] != NULL) {
            close_track(trace, trace->threads[i], ns, name);
            trace->threads[i]->flow = 0;
        }
    }
}

/* With several processors, slices of threads that others run stay open. */
void perfetto_trace_lost(struct perfetto_trace *trace, const struct trace_gap *gap)
{
    struct processor *processor = &trace->processors[EXPORT_SLOT(gap->cpu)];
    const uint64_t ns = translator_ns(gap->from, trace->hz);

    if (!trace->several) {
        close_all(trace, gap->from, "lost");
    } else {
        if (processor->current != NO_THREAD) {
            close_track(trace, thread_track(trace, gap->cpu, processor->current), ns, "lost");
        }
        close_processor(trace, processor, ns, "lost");
    }
    translator_lost(trace->translator, gap->cpu);
    perfetto_lost(trace->writer, gap->cpu);
}

void perfetto_trace_end(struct perfetto_trace *trace, uint64_t end)
{
    close_all(trace, end, "lost");
    for (uint32_t i = 0; i < RUN_PROCESSORS_MAX; i++) {
        translator_lost(trace->translator, i);
    }
}

/* ---- pieces ---- */

void perfetto_trace_turn(struct perfetto_trace *trace, uint64_t tsc)
{
    for (size_t i = 0; i < trace->lane_count; i++) {
        trace->lanes[i].broken = trace->lanes[i].track.depth > 0;
    }
    close_all(trace, tsc, NULL);
    for (size_t i = 0; i < trace->thread_limit; i++) {
        if (trace->threads[i] != NULL) {
            trace->threads[i]->announced = false;
        }
    }
}

static void announce_processor(struct perfetto_trace *trace, uint32_t slot)
{
    static const char *const names[] = {"interrupts", "deferred calls", "idle"};
    struct processor *processor = &trace->processors[slot];
    struct track *const tracks[] = {&processor->isr, &processor->dpc, &processor->idle};
    const uint32_t first = trace->several && slot > 0 ? TRACK_MORE + 3 * slot : TRACK_ISR;
    char name[NAME_BYTES];

    for (uint32_t i = 0; i < 3; i++) {
        snprintf(name, sizeof(name), "CPU %" PRIu32 ": %s", slot, names[i]);
        announce_kernel_track(trace, tracks[i], first + i, trace->several ? name : names[i]);
    }
}

static void announce_kernel(struct perfetto_trace *trace)
{
    pid_of(trace, 0);
    for (uint32_t slot = 0; slot < RUN_PROCESSORS_MAX; slot++) {
        if ((trace->slots >> slot & 1) != 0) {
            announce_processor(trace, slot);
        }
    }
}

void perfetto_trace_resume(struct perfetto_trace *trace, uint64_t tsc)
{
    const uint64_t ns = translator_ns(tsc, trace->hz);

    memset(trace->processes, 0, THREADS * sizeof(*trace->processes));
    announce_kernel(trace);
    for (size_t i = 0; i < trace->lane_count; i++) {
        struct lane *lane = &trace->lanes[i];

        announce_kernel_track(trace, &lane->track, TRACK_DISK + (uint32_t)i, lane->label);
        if (lane->broken) {
            put_begin(trace, &lane->track, ns, category_disk, "read", SLICE_DISK, NULL);
        }
    }
    trace->restating = true;
}

void perfetto_trace_stated(struct perfetto_trace *trace)
{
    trace->restating = false;
}

struct perfetto_trace *perfetto_trace_create(struct perfetto_writer *writer,
                                             struct translator *translator, const char *label,
                                             const struct run_bench *bench, uint32_t index,
                                             uint64_t hz)
{
    struct perfetto_trace *trace = alloc_zeroed(sizeof(*trace));

    trace->writer = writer;
    trace->translator = translator;
    trace->bench = bench;
    trace->label = label;
    trace->first_track = ((uint64_t)index + 1) << BENCH_TRACKS;
    trace->first_tid = (int32_t)(index << BENCH_TIDS_BITS);
    trace->hz = hz;
    trace->processes = alloc_zeroed(THREADS * sizeof(*trace->processes));
    trace->slots = export_processors(bench);
    trace->several = __builtin_popcountll(trace->slots) > 1;
    for (size_t i = 0; i < RUN_PROCESSORS_MAX; i++) {
        trace->processors[i].current = NO_THREAD;
    }
    announce_kernel(trace);
    return trace;
}

void perfetto_trace_destroy(struct perfetto_trace *trace)
{
    for (size_t i = 0; i < trace->thread_limit; i++) {
        free(trace->threads[i]);
    }
    free(trace->processes);
    free(trace->lanes);
    free(trace);
}
