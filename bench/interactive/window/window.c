/* SPDX-License-Identifier: BSD-2-Clause */
#include "bench/interactive/window/window.h"

#include <stddef.h>
#include <string.h>

#include "bench/interactive/window/operations.h"
#include "bench/interactive/window/segmented.h"
#include "bench/interactive/window/take.h"
#include "kernel/block/file_calls.h"
#include "kernel/clock/clock.h"
#include "kernel/cpu/cpu.h"
#include "kernel/mem/memory.h"
#include "kernel/task/message.h"
#include "kernel/task/process.h"
#include "kernel/task/syscall.h"
#include "kernel/task/thread.h"
#include "kernel/task/timer.h"

/*
 * A window system in a process, as in Windows NT 3.51. A message goes to the server's thread, which
 * draws the application's batch in ring 3, and a message comes back. Both processes map the batch;
 * only the server maps the list. Each flush switches to the server's address space and back: two
 * loads of CR3.
 */

extern thread_entry user_window_server; /* defined in bench/interactive/program/window_server.c */

static struct thread *server_thread;

/* Starts the server. Its priority is above the application's, so that no other thread of the
 * application's priority runs in between. */
static const char *server_begin(const struct window_settings *settings,
                                const struct window_parts *parts)
{
    struct process *process = process_create("window_server");

    server_thread = NULL;
    if (process == NULL) {
        return "no memory for the server's process, or too many processes";
    }
    if (!section_show(&parts->section, process, WINDOW_SHARED_AT) ||
        !section_show(&parts->list, process, WINDOW_LIST_AT)) {
        return "no memory for the server";
    }
    server_thread =
        process_thread(process, "window_server", settings->priority + 1, user_window_server, 0);
    if (server_thread == NULL) {
        return "no memory for threads";
    }
    parts->shared->server = thread_id(server_thread);
    return NULL;
}

static void server_count(const struct window_parts *parts, struct window_counts *counts)
{
    counts->address_spaces = 2 * parts->shared->rounds;
}

static void server_end(void)
{
    if (server_thread != NULL && message_send(server_thread, WINDOW_TAG_END, 0)) {
        thread_join(server_thread);
    }
}

static const struct window_operations server_operations = {
    .begin = server_begin, .count = server_count, .end = server_end};

/*
 * A window system in the kernel, as in Windows NT 4.0. A system call draws the application's batch
 * in ring 0. The address space does not change, and the application does not map the list.
 */

static const char *in_kernel_begin(const struct window_settings *settings,
                                   const struct window_parts *parts)
{
    (void)settings;
    (void)parts;
    return NULL;
}

/* Draws the batch with interrupts enabled, so that other threads may run meanwhile. */
static void in_kernel_draw(const struct window_parts *parts)
{
    interrupts_enable();
    window_take(parts->shared, &parts->shared->batch, parts->list.memory);
    interrupts_disable();
}

static const struct window_operations in_kernel_operations = {.begin = in_kernel_begin,
                                                              .draw = in_kernel_draw};

#define SCREEN_BYTES ((uint64_t)WINDOW_WIDTH_MAX * WINDOW_HEIGHT_MAX * sizeof(uint32_t))
#define SPARE_PAGES  16 /* for stack, page tables and the client's page */

static struct {
    bool running;
    const struct window_operations *operations;
    void (*taken)(const struct window_parts *parts, const struct queue_message *message);
    struct window_parts parts; /* the sections are created once, for all sessions */
    uint32_t *pixels;
    struct surface surface; /* the screen */
    struct thread *thread;
    struct queue *queue;
    struct timer timer;
    struct rectangle invalid; /* area that must be painted; empty: none */
    bool paint_due; /* something must be painted, and no message to paint has been posted for it */
    uint64_t paints;
    uint64_t last_done;
} window;

/* The tables of the structures, by enum window_structure. NULL: not available. */
static const struct window_operations *const structures[WINDOW_STRUCTURES] = {
    [WINDOW_IN_KERNEL] = &in_kernel_operations,
    [WINDOW_SERVER] = &server_operations,
    [WINDOW_SEGMENTED] = &segmented_operations,
};

/* ---- invalid areas ---- */

static bool is_empty(struct rectangle area)
{
    return area.width <= 0 || area.height <= 0;
}

static int32_t smaller(int32_t a, int32_t b)
{
    return a < b ? a : b;
}

static int32_t larger(int32_t a, int32_t b)
{
    return a > b ? a : b;
}

/* Returns the smallest rectangle that contains both. */
static struct rectangle joined(struct rectangle a, struct rectangle b)
{
    const int32_t x = smaller(a.x, b.x);
    const int32_t y = smaller(a.y, b.y);

    if (is_empty(a)) {
        return b;
    }
    return (struct rectangle){x, y, larger(a.x + a.width, b.x + b.width) - x,
                              larger(a.y + a.height, b.y + b.height) - y};
}

static struct rectangle unpack(uint64_t area)
{
    return (struct rectangle){(int16_t)area, (int16_t)(area >> 16), (int16_t)(area >> 32),
                              (int16_t)(area >> 48)};
}

/* Posts a message to paint if the queue has no other message. One message covers everything that
 * was invalid until then. */
static void post_paint(void)
{
    const struct queue_message message = {.type = QUEUE_PAINT};

    if (window.paint_due && queue_length(window.queue) == 0) {
        window.paint_due = false;
        window.paints += queue_post(window.queue, &message) ? 1 : 0;
    }
}

/* ---- system calls, in the calling thread, interrupts off ---- */

static bool is_ours(void)
{
    return window.running && scheduler_running()->process == window.parts.process;
}

static uint64_t give(const struct queue_message *message)
{
    if (window.taken != NULL) {
        window.taken(&window.parts, message);
    }
    window.parts.shared->moved_x = message->x;
    window.parts.shared->moved_y = message->y;
    return message->type | (uint64_t)message->code << 16 | (uint64_t)message->number << 32;
}

static uint64_t call_get(void)
{
    if (!is_ours()) {
        return SYSCALL_REFUSED;
    }
    post_paint();
    const struct queue_message message = queue_get(window.queue);

    return give(&message);
}

static uint64_t call_peek(uint64_t remove)
{
    struct queue_message message;

    if (!is_ours()) {
        return SYSCALL_REFUSED;
    }
    post_paint();
    if (!queue_peek(window.queue, &message, remove != 0)) {
        return SYSCALL_REFUSED;
    }
    return remove != 0
               ? give(&message)
               : message.type | (uint64_t)message.code << 16 | (uint64_t)message.number << 32;
}

static uint64_t call_done(uint64_t number)
{
    if (!is_ours()) {
        return SYSCALL_REFUSED;
    }
    queue_done(window.queue, (uint32_t)number);
    window.last_done = tsc_read();
    return 0;
}

static void on_timer(void *argument)
{
    const struct queue_message message = {.type = QUEUE_TIMER};

    (void)argument;
    queue_post(window.queue, &message);
}

static uint64_t call_timer(uint64_t microseconds)
{
    if (!is_ours() || microseconds > WINDOW_TIMER_US_MAX) {
        return SYSCALL_REFUSED;
    }
    if (window.timer.armed) {
        timer_stop(&window.timer);
    }
    if (microseconds > 0) {
        timer_start(&window.timer, tsc_read() + clock_ticks_from_us(microseconds), 0, on_timer,
                    NULL);
    }
    return 0;
}

static uint64_t call_draw(void)
{
    if (!is_ours() || window.operations->draw == NULL) {
        return SYSCALL_REFUSED;
    }
    window.operations->draw(&window.parts);
    return 0;
}

static uint64_t call_invalidate(uint64_t area)
{
    const struct rectangle more = unpack(area);

    if (!is_ours()) {
        return SYSCALL_REFUSED;
    }
    if (!is_empty(more)) {
        window.invalid = joined(window.invalid, more);
        window.paint_due = true;
    }
    return 0;
}

static uint64_t call_paint(void)
{
    const struct rectangle area = window.invalid;

    if (!is_ours() || is_empty(area)) {
        return SYSCALL_REFUSED;
    }
    window.invalid = (struct rectangle){0};
    window.paint_due = false;
    return USER_AREA(area.x, area.y, area.width, area.height);
}

static const struct syscall_windows calls = {
    .get = call_get,
    .peek = call_peek,
    .done = call_done,
    .timer = call_timer,
    .draw = call_draw,
    .invalidate = call_invalidate,
    .paint = call_paint,
};

/* ---- begin and end ---- */

static bool take_sections(void)
{
    return (window.parts.section.memory != NULL ||
            section_create(&window.parts.section, WINDOW_SHARED_BYTES)) &&
           (window.parts.list.memory != NULL ||
            section_create(&window.parts.list, sizeof(struct window_list))) &&
           (window.pixels != NULL ||
            (window.pixels = memory_allocate(SCREEN_BYTES, PAGE_SIZE)) != NULL);
}

static void clear(const struct window_settings *settings)
{
    struct window_shared *shared = window.parts.section.memory;

    memset(window.parts.section.memory, 0, window.parts.section.bytes);
    ((struct window_list *)window.parts.list.memory)->count = 0;
    memset(window.pixels, 0, SCREEN_BYTES);
    shared->structure = settings->structure;
    shared->width = settings->width;
    shared->height = settings->height;
    shared->spin_per_ms = settings->spin_per_ms;
    shared->draw_us = settings->draw_us;
    shared->call_us = settings->call_us;
    shared->calls_percent = settings->calls_percent;
    shared->batch_size = settings->batch_size;
    desktop_begin(&shared->desktop, settings->width, settings->height);
    memcpy(shared->parameters, settings->parameters, sizeof(shared->parameters));
    window.parts.shared = shared;
    surface_init(&window.surface, window.pixels, settings->width, settings->height,
                 settings->width);
    window.queue = settings->queue;
    window.timer = (struct timer){0};
    window.invalid = (struct rectangle){0};
    window.paint_due = false;
    window.paints = 0;
    window.last_done = 0;
}

static const char *find_structure(const struct window_settings *settings)
{
    window.operations =
        settings->structure < WINDOW_STRUCTURES ? structures[settings->structure] : NULL;
    if (window.operations == NULL) {
        return "this structure of the window system is not built";
    }
    if (settings->width < 1 || settings->width > WINDOW_WIDTH_MAX || settings->height < 1 ||
        settings->height > WINDOW_HEIGHT_MAX) {
        return "the screen must be 1 to 640 pixels wide and 1 to 480 pixels high";
    }
    return settings->own_bytes > WINDOW_OWN_BYTES ? "the application needs more memory than it has"
                                                  : NULL;
}

static const char *create_process(const struct window_settings *settings)
{
    if (!take_sections()) {
        return "no memory for the screen";
    }
    clear(settings);
    window.parts.process = process_create(settings->name);
    if (window.parts.process == NULL) {
        return "no memory for a process, or too many processes";
    }
    if (!process_reserve(settings->own_bytes / PAGE_SIZE + SPARE_PAGES) ||
        !section_show(&window.parts.section, window.parts.process, WINDOW_SHARED_AT)) {
        return "no memory for the application";
    }
    window.taken = settings->daemon_us > 0 ? window.operations->taken : NULL;
    return window.operations->begin(settings, &window.parts);
}

const char *window_begin(const struct window_settings *settings)
{
    const char *why = find_structure(settings);

    why = why == NULL ? create_process(settings) : why;
    if (why != NULL) {
        return why;
    }
    syscall_set_windows(&calls);
    if (settings->files) {
        file_calls_open();
    }
    window.running = true;
    window.thread = process_thread(window.parts.process, settings->name, settings->priority,
                                   settings->program, 0);
    if (window.thread == NULL) {
        window_end();
        return "no memory for threads";
    }
    return NULL;
}

void window_end(void)
{
    if (window.timer.armed) {
        timer_stop(&window.timer);
    }
    if (window.operations->end != NULL) {
        window.operations->end();
    }
    window.running = false;
}

/* ---- for the bench ---- */

struct thread *window_thread(void)
{
    return window.thread;
}

const struct surface *window_show(void)
{
    struct window_list *list = window.parts.list.memory;

    for (uint64_t i = 0; i < list->count && i < WINDOW_LIST_MAX; i++) {
        request_draw(&window.surface, &list->request[i]);
    }
    list->count = 0;
    return &window.surface;
}

struct window_shared *window_shared(void)
{
    return window.parts.shared;
}

uint64_t window_last_done(void)
{
    return window.last_done;
}

void window_get_counts(struct window_counts *counts)
{
    const struct window_shared *shared = window.parts.shared;
    const struct window_list *list = window.parts.list.memory;

    *counts = (struct window_counts){
        .requests = shared->batch.requests,
        .merged = shared->batch.merged,
        .drawn = shared->drawn,
        .flushes = shared->batch.flushes,
        .paints = window.paints,
        .calls = shared->calls,
        .lost = list->count > WINDOW_LIST_MAX ? list->count - WINDOW_LIST_MAX : 0,
    };
    if (window.operations->count != NULL) {
        window.operations->count(&window.parts, counts);
    }
}
