/* SPDX-License-Identifier: BSD-2-Clause */
#include "bench/interactive/program/client.h"

#include "bench/interactive/window/request.h"
#include "bench/interactive/window/take.h"
#include "kernel/input/event.h"
#include "kernel/task/segments.h"
#include "kernel/trace/trace.h"

/*
 * How an application's batch gets to the code that draws it, in ring 3. The path depends on the
 * structure of the window system (bench/interactive/window/window.h).
 */

/* The path in the segmented structure (bench/interactive/window/segmented.h). */

#define WORDS (sizeof(struct request) / sizeof(uint64_t))

/* A record as the 16-bit code reads it. It starts at an even address, so that its request is at an
 * odd one. */
struct __attribute__((packed)) record {
    uint8_t follows; /* 1: a request follows; 0: the list ends */
    uint64_t words[WORDS];
    uint8_t unused;
};
_Static_assert(sizeof(struct record) == 50, "segmented.S knows it");
_Static_assert((BATCH_MAX + 1) * sizeof(struct record) <= SEGMENTS_EXTRA - SEGMENTS_DATA &&
                   sizeof(struct batch) <= SEGMENTS_STACK - SEGMENTS_EXTRA,
               "a page each");

typedef void trampoline(void);

static void pack(struct record *record, const struct request *request)
{
    const uint64_t *words = (const uint64_t *)request;

    record->follows = 1;
    for (unsigned i = 0; i < WORDS; i++) {
        ((volatile struct record *)record)->words[i] = words[i];
    }
}

static void segmented_flush(struct window_shared *shared)
{
    const uint64_t base = shared->segment_entry;
    struct record *records = (struct record *)(base + SEGMENTS_DATA);
    struct batch *taken = (struct batch *)(base + SEGMENTS_EXTRA);
    const uint32_t count = shared->batch.count;

    for (uint32_t i = 0; i < count; i++) {
        pack(&records[i], &shared->batch.request[i]);
    }
    records[count].follows = 0;
    ((trampoline *)base)();
    shared->far_calls++;
    shared->records += count;
    taken->count = count;
    window_take(shared, taken, (struct window_list *)WINDOW_LIST_AT);
}

/* Takes a batch, which may be empty, to the window system, which has taken all its requests on
 * return. */
static void flush_cross(struct window_shared *shared)
{
    switch (shared->structure) {
    case WINDOW_SEGMENTED:
        segmented_flush(shared);
        break;
    case WINDOW_SERVER:
        system_call(SYSCALL_SEND, shared->server, WINDOW_TAG_DRAW, 0);
        system_call(SYSCALL_RECEIVE_TAG, WINDOW_TAG_DRAWN, 0, 0);
        break;
    default:
        system_call(SYSCALL_DRAW, 0, 0, 0);
        break;
    }
}

#define PAGE    4096
#define PERCENT 100

static struct window_shared *shared(void)
{
    return (struct window_shared *)WINDOW_SHARED_AT;
}

void client_begin(void)
{
    batch_begin(&shared()->batch, (uint32_t)shared()->batch_size);
}

void client_flush(void)
{
    struct batch *batch = &shared()->batch;

    if (batch->count > 0) {
        flush_cross(shared());
        batch_drawn(batch);
    }
}

static void add(const struct request *request)
{
    if (!batch_add(&shared()->batch, request)) {
        client_flush();
        batch_add(&shared()->batch, request);
    }
}

/* ---- messages ---- */

static void unpack(uint64_t from, struct queue_message *message)
{
    message->type = (uint16_t)from;
    message->code = (uint16_t)(from >> 16);
    message->number = (uint32_t)(from >> 32);
}

static bool peek(struct queue_message *message, bool remove)
{
    const uint64_t got = system_call(SYSCALL_QUEUE_PEEK, remove ? 1 : 0, 0, 0);

    if (got == SYSCALL_REFUSED) {
        return false;
    }
    unpack(got, message);
    return true;
}

/* Has the window system find the window of an input: one crossing, for this alone. */
static void find_window(struct queue_message *message)
{
    const struct window_shared *system = shared();
    const bool moves = message->type == QUEUE_MOVE && message->code == MOTION_POINTER;
    const struct request request = {.kind = REQUEST_INPUT,
                                    .flags = (uint8_t)message->type,
                                    .x = (int16_t)(moves ? system->moved_x : 0),
                                    .y = (int16_t)(moves ? system->moved_y : 0)};

    client_flush();
    add(&request);
    client_flush();
    message->x = (int16_t)system->desktop.at_x;
    message->y = (int16_t)system->desktop.at_y;
}

/* Returns whether the message is for the application. Input for other windows is handled here; as
 * in Windows, clicks on them move the focus. */
static bool is_ours(struct queue_message *message)
{
    if (message->type > QUEUE_MOVE) {
        return true;
    }
    find_window(message);
    if (shared()->desktop.target == DESKTOP_APPLICATION) {
        return true;
    }
    if (message->type == QUEUE_BUTTON_DOWN) {
        client_button_down();
    }
    client_done(message->number);
    return false;
}

void client_get(struct queue_message *message)
{
    do {
        client_flush();
        unpack(system_call(SYSCALL_QUEUE_GET, 0, 0, 0), message);
    } while (!is_ours(message));
}

bool client_peek(struct queue_message *message, bool remove)
{
    while (peek(message, remove)) {
        if (!remove || is_ours(message)) {
            return true;
        }
    }
    return false;
}

void client_done(uint32_t number)
{
    client_flush();
    system_call(SYSCALL_QUEUE_DONE, number, 0, 0);
}

void client_timer(uint64_t microseconds)
{
    system_call(SYSCALL_TIMER, microseconds, 0, 0);
}

/* ---- windows ---- */

static int32_t between(int32_t value, int32_t low, int32_t high)
{
    if (value < low) {
        return low;
    }
    return value > high ? high : value;
}

void client_invalidate(struct rectangle area)
{
    const int32_t left = between(area.x, 0, client_width());
    const int32_t top = between(area.y, 0, client_height());
    const int32_t right = between(area.x + area.width, left, client_width());
    const int32_t bottom = between(area.y + area.height, top, client_height());

    system_call(SYSCALL_INVALIDATE, USER_AREA(left, top, right - left, bottom - top), 0, 0);
}

bool client_paint(struct rectangle *area)
{
    const uint64_t got = system_call(SYSCALL_PAINT, 0, 0, 0);

    if (got == SYSCALL_REFUSED) {
        return false;
    }
    *area = (struct rectangle){(int16_t)got, (int16_t)(got >> 16), (int16_t)(got >> 32),
                               (int16_t)(got >> 48)};
    return true;
}

/* ---- drawing ---- */

void client_cross(void)
{
    client_flush();
    flush_cross(shared());
}

static struct request on_area(enum request_kind kind, struct rectangle area)
{
    return (struct request){
        .kind = (uint8_t)kind,
        .x = (int16_t)area.x,
        .y = (int16_t)area.y,
        .width = (uint16_t)(area.width > 0 ? area.width : 0),
        .height = (uint16_t)(area.height > 0 ? area.height : 0),
    };
}

void client_fill(struct rectangle area, uint32_t colour)
{
    struct request request = on_area(REQUEST_FILL, area);

    request.ink = colour;
    add(&request);
}

void client_outline(struct rectangle area, unsigned thickness, uint32_t colour)
{
    struct request request = on_area(REQUEST_OUTLINE, area);

    request.scale = (uint8_t)thickness;
    request.ink = colour;
    add(&request);
}

void client_text(int32_t x, int32_t y, const char *text, size_t length,
                 const struct text_style *style, unsigned flags)
{
    struct request request = {
        .kind = REQUEST_TEXT,
        .flags = (uint8_t)flags,
        .scale = (uint8_t)style->scale,
        .y = (int16_t)y,
        .ink = style->ink,
        .paper = style->paper,
    };

    while (length > 0 && x < client_width()) {
        const size_t part = length < REQUEST_TEXT_MAX ? length : REQUEST_TEXT_MAX;

        request.x = (int16_t)x;
        request.length = (uint8_t)part;
        for (size_t i = 0; i < REQUEST_TEXT_MAX; i++) {
            request.text[i] = i < part ? text[i] : '\0';
        }
        add(&request);
        x += client_text_width(text, part, style, flags);
        text += part;
        length -= part;
    }
}

int32_t client_text_width(const char *text, size_t length, const struct text_style *style,
                          unsigned flags)
{
    return request_text_width(text, (unsigned)length, (unsigned)style->scale, flags);
}

void client_scroll(struct rectangle area, int32_t lines, uint32_t paper)
{
    struct request request = on_area(REQUEST_SCROLL, area);

    request.to_y = (int16_t)lines;
    request.paper = paper;
    add(&request);
}

void client_copy(struct rectangle from, int32_t x, int32_t y)
{
    struct request request = on_area(REQUEST_COPY, from);

    request.to_x = (int16_t)x;
    request.to_y = (int16_t)y;
    add(&request);
}

int32_t client_width(void)
{
    return shared()->width;
}

int32_t client_height(void)
{
    return shared()->height;
}

/* ---- the mouse ---- */

/* Only the oldest message can be looked at, so messages that may come before the button's are taken
 * out. */
void client_button_down(void)
{
    struct queue_message message;

    if (shared()->structure != WINDOW_SEGMENTED) {
        return;
    }
    client_flush();
    shared()->locked = 1;
    do {
        message.type = QUEUE_MESSAGE_TYPES;
        if (peek(&message, false) && (message.type == QUEUE_MOVE || message.type == QUEUE_SYNC)) {
            peek(&message, true);
            if (message.type == QUEUE_MOVE) {
                find_window(&message);
            }
            message.type = QUEUE_MESSAGE_TYPES;
        }
    } while (message.type == QUEUE_MESSAGE_TYPES);
    shared()->locked = 0;
}

/* ---- work and results ---- */

void client_work(uint64_t microseconds)
{
    window_spin(shared(), microseconds);
}

void client_render(uint64_t microseconds)
{
    struct request call = {.kind = REQUEST_CALL};
    uint64_t left = microseconds * shared()->calls_percent / PERCENT;

    client_work(microseconds - left);
    for (; left > 0; left -= call.ink) {
        call.ink = (uint32_t)(left < shared()->call_us ? left : shared()->call_us);
        add(&call);
        client_flush();
    }
}

uint64_t client_parameter(unsigned index)
{
    return index < WINDOW_PARAMETERS ? shared()->parameters[index] : 0;
}

void client_result(unsigned index, uint64_t value)
{
    if (index < WINDOW_RESULTS) {
        shared()->results[index] = value;
    }
}

/* ---- files ---- */

/* The name must be in the process's memory, so it is copied to the client's page, which follows the
 * application's own memory. */
int64_t client_open(const char *name)
{
    char *copy = (char *)WINDOW_CLIENT_AT;

    for (size_t i = 0; i < USER_NAME_BYTES; i++) {
        copy[i] = '\0';
    }
    for (size_t i = 0; i < USER_NAME_BYTES - 1 && name[i] != '\0'; i++) {
        copy[i] = name[i];
    }
    return (int64_t)system_call(SYSCALL_OPEN, WINDOW_CLIENT_AT, 0, 0);
}

/* Writes to each page first, because pages that were never written to do not exist yet. */
int64_t client_read(uint64_t file, void *to, uint64_t bytes)
{
    volatile uint8_t *page = to;

    for (uint64_t at = 0; at < bytes; at += PAGE) {
        page[at] = 0;
    }
    return (int64_t)system_call(SYSCALL_READ, file, (uint64_t)(uintptr_t)to, bytes);
}

bool client_seek(uint64_t file, uint64_t offset)
{
    return system_call(SYSCALL_SEEK, file, offset, 0) == 0;
}
