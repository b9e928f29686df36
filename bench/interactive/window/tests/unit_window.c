/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Requests, batches, and the code that takes them: bench/interactive/window. Random requests end in
 * the same pixels with merging and without it; a request writes no pixel outside its area, and a
 * fill or a text all within; and of each request it is known whether it was merged, drawn, or is
 * left. Calls are never merged. An input finds the window under the pointer, or that has the focus.
 */
#include "bench/interactive/window/request.h"
#include "bench/interactive/window/take.h"
#include "kernel/trace/trace.h"
#include "tools/tests/support/unit.h"

#include <stdbool.h>
#include <string.h>

#define WIDTH  64
#define HEIGHT 48
#define PIXELS (WIDTH * HEIGHT)
#define ROUNDS 3000
#define PER    40 /* requests a round, more than a batch holds */

static uint64_t seed = 7;

static uint32_t random_below(uint32_t limit)
{
    return (uint32_t)(unit_random(&seed) % limit);
}

static struct request random_request(void)
{
    struct request request = {
        .kind = (uint8_t)random_below(REQUEST_KINDS),
        .flags = (uint8_t)random_below(2),
        .scale = (uint8_t)(1 + random_below(2)),
        .length = (uint8_t)random_below(5),
        .x = (int16_t)((int)random_below(WIDTH + 16) - 8),
        .y = (int16_t)((int)random_below(HEIGHT + 16) - 8),
        .width = (uint16_t)random_below(WIDTH),
        .height = (uint16_t)random_below(HEIGHT),
        .to_x = (int16_t)((int)random_below(WIDTH + 16) - 8),
        .to_y = (int16_t)((int)random_below(HEIGHT) - 8),
        .ink = random_below(1000),
        .paper = 1000 + random_below(1000),
    };

    for (unsigned i = 0; i < REQUEST_TEXT_MAX; i++) {
        request.text[i] = (char)(' ' + random_below(95));
    }
    return request;
}

struct screen {
    uint32_t pixels[PIXELS];
    struct surface surface;
};

static void screen_begin(struct screen *screen)
{
    for (uint32_t i = 0; i < PIXELS; i++) {
        screen->pixels[i] = 5000 + i;
    }
    surface_init(&screen->surface, screen->pixels, WIDTH, HEIGHT, WIDTH);
}

static struct window_shared shared; /* spin_per_ms 0: no work takes time */
static struct window_list list;

static void flush(struct batch *batch, const struct screen *screen)
{
    const uint64_t drawn = shared.drawn;

    list.count = 0;
    window_take(&shared, batch, &list);
    CHECK(shared.drawn == drawn + batch->count);
    for (uint64_t i = 0; i < list.count; i++) {
        request_draw(&screen->surface, &list.request[i]);
    }
    batch_drawn(batch);
}

static void add(struct batch *batch, const struct screen *screen, const struct request *request)
{
    if (!batch_add(batch, request)) {
        CHECK(batch->count == BATCH_MAX);
        flush(batch, screen);
        CHECK(batch_add(batch, request));
    }
    CHECK(batch->requests == batch->merged + batch->drawn + batch->count);
}

/* True where all rounds end in equal pixels. */
static bool merging_changes_nothing(uint64_t *merged)
{
    static struct screen plain;
    static struct screen batched;
    static struct batch batch;
    bool equal = true;

    for (unsigned round = 0; round < ROUNDS; round++) {
        screen_begin(&plain);
        screen_begin(&batched);
        batch_begin(&batch, BATCH_MAX);
        for (unsigned i = 0; i < PER; i++) {
            const struct request request = random_request();

            request_draw(&plain.surface, &request);
            add(&batch, &batched, &request);
        }
        flush(&batch, &batched);
        CHECK(batch.requests == PER && batch.merged + batch.drawn == PER);
        *merged += batch.merged;
        equal = equal && memcmp(plain.pixels, batched.pixels, sizeof(plain.pixels)) == 0;
    }
    return equal;
}

static void test_merging(void)
{
    uint64_t merged = 0;

    CHECK(merging_changes_nothing(&merged));
    CHECK(merged > ROUNDS / 8);
}

/* Takes the first request out that the last one covers, whatever is in between. */
static void add_carelessly(struct batch *batch, const struct request *request)
{
    const struct rectangle area = request_area(request);
    const struct rectangle first = request_area(&batch->request[0]);
    const bool covered = batch->count > 0 && request->kind == REQUEST_FILL && first.x >= area.x &&
                         first.y >= area.y && first.x + first.width <= area.x + area.width &&
                         first.y + first.height <= area.y + area.height;

    if (covered) {
        batch->request[0].kind = REQUEST_KINDS;
    }
    batch->request[batch->count++] = *request;
}

/* The rounds of test_merging() are such that a wrong rule of merging shows. */
static void test_wrong_rule(void)
{
    static struct screen plain;
    static struct screen batched;
    static struct batch batch;
    unsigned different = 0;

    for (unsigned round = 0; round < ROUNDS; round++) {
        screen_begin(&plain);
        screen_begin(&batched);
        batch_begin(&batch, BATCH_MAX);
        for (unsigned i = 0; i < BATCH_MAX; i++) {
            const struct request request = random_request();

            request_draw(&plain.surface, &request);
            add_carelessly(&batch, &request);
        }
        flush(&batch, &batched);
        different += memcmp(plain.pixels, batched.pixels, sizeof(plain.pixels)) != 0 ? 1 : 0;
    }
    CHECK(different > 0);
}

static bool inside(struct rectangle area, int x, int y)
{
    return x >= area.x && x < area.x + area.width && y >= area.y && y < area.y + area.height;
}

/* No pixel outside its area changes; where it overwrites, every one within. */
static void test_area(void)
{
    static struct screen screen;

    for (unsigned round = 0; round < ROUNDS; round++) {
        const struct request request = random_request();
        const struct rectangle area = request_area(&request);
        const bool overwrites = request.kind == REQUEST_FILL || request.kind == REQUEST_TEXT;
        bool good = true;

        screen_begin(&screen);
        request_draw(&screen.surface, &request);
        for (int i = 0; i < PIXELS; i++) {
            const bool changed = screen.pixels[i] != 5000 + (uint32_t)i;
            const bool within = inside(area, i % WIDTH, i / WIDTH);

            good = good && (within ? changed || !overwrites : !changed);
        }
        CHECK(good);
    }
}

static struct request fill(int16_t x, int16_t y, uint16_t width, uint16_t height)
{
    return (struct request){.kind = REQUEST_FILL, .x = x, .y = y, .width = width, .height = height};
}

/* What is behind a copy does not take out what the copy reads. */
static void test_copy_between(void)
{
    struct batch batch;
    const struct request small = fill(4, 4, 4, 4);
    const struct request large = fill(0, 0, 20, 20);
    const struct request copy = {
        .kind = REQUEST_COPY, .x = 4, .y = 4, .width = 4, .height = 4, .to_x = 30, .to_y = 30};

    batch_begin(&batch, BATCH_MAX);
    CHECK(batch_add(&batch, &small) && batch_add(&batch, &copy) && batch_add(&batch, &large));
    CHECK(batch.count == 3 && batch.merged == 0);
    batch_begin(&batch, BATCH_MAX);
    CHECK(batch_add(&batch, &small) && batch_add(&batch, &large) && batch_add(&batch, &copy));
    CHECK(batch.count == 2 && batch.merged == 1);
    CHECK(batch.request[0].width == 20 && batch.request[1].kind == REQUEST_COPY);
}

/* A copy that is overwritten itself goes, and what it read with it. */
static void test_copy_overwritten(void)
{
    struct batch batch;
    const struct request small = fill(4, 4, 4, 4);
    const struct request whole = fill(0, 0, WIDTH, HEIGHT);
    const struct request copy = {
        .kind = REQUEST_COPY, .x = 4, .y = 4, .width = 4, .height = 4, .to_x = 30, .to_y = 30};

    batch_begin(&batch, BATCH_MAX);
    CHECK(batch_add(&batch, &small) && batch_add(&batch, &copy) && batch_add(&batch, &whole));
    CHECK(batch.count == 1 && batch.merged == 2);
}

static void test_text_width(void)
{
    CHECK(request_text_width("Mi", 2, 1, 0) == 2 * (FONT_WIDTH + 1));
    CHECK(request_text_width("Mi", 2, 3, 0) == 6 * (FONT_WIDTH + 1));
    CHECK(request_text_width("i", 1, 1, REQUEST_PROPORTIONAL) <
          request_text_width("M", 1, 1, REQUEST_PROPORTIONAL));
    CHECK(request_text_width(" ", 1, 2, REQUEST_PROPORTIONAL) == 6);
    CHECK(request_text_width("M", 1, 2, REQUEST_PROPORTIONAL) == 2 * (FONT_WIDTH + 1));
}

static bool unchanged(const struct screen *screen)
{
    bool same = true;

    for (uint32_t i = 0; i < PIXELS; i++) {
        same = same && screen->pixels[i] == 5000 + i;
    }
    return same;
}

/* Of a batch that an application wrote by itself. */
static void test_nonsense(void)
{
    static struct screen screen;
    static struct batch batch;

    screen_begin(&screen);
    memset(&batch, 0xff, sizeof(batch));
    list.count = 0;
    window_take(&shared, &batch, &list);
    CHECK(unchanged(&screen) && list.count == BATCH_MAX);
    for (unsigned i = 0; i < BATCH_MAX; i++) {
        batch.request[i].kind = REQUEST_TEXT;
        batch.request[i].x = batch.request[i].y = 0;
        batch.request[i].length = REQUEST_TEXT_MAX + 1;
    }
    batch.count = BATCH_MAX;
    flush(&batch, &screen);
    CHECK(unchanged(&screen));
}

static void test_empty(void)
{
    struct batch batch;

    batch_begin(&batch, BATCH_MAX);
    batch_drawn(&batch);
    CHECK(batch.flushes == 0 && batch.drawn == 0);
}

/* A batch is full at the size that was chosen. */
static void test_size(void)
{
    struct batch batch;
    const struct request small = fill(4, 4, 4, 4);
    const struct request other = fill(14, 4, 4, 4);

    batch_begin(&batch, 1);
    CHECK(batch_add(&batch, &small) && !batch_add(&batch, &other));
    CHECK(batch.count == 1 && batch.requests == 1);
}

/* A call has no pixels, but what covers the whole screen does not take it out, and it is counted.
 */
static void test_call(void)
{
    static struct screen screen;
    struct batch batch;
    const struct request call = {.kind = REQUEST_CALL, .ink = 100};
    const struct request whole = fill(0, 0, WIDTH, HEIGHT);
    const uint64_t calls = shared.calls;

    screen_begin(&screen);
    batch_begin(&batch, BATCH_MAX);
    CHECK(batch_add(&batch, &call) && batch_add(&batch, &whole) && batch_add(&batch, &call));
    CHECK(batch.count == 3 && batch.merged == 0);
    flush(&batch, &screen);
    CHECK(shared.calls == calls + 2 && list.count == 1 && list.request[0].kind == REQUEST_FILL);
}

/* The list counts what it has no room for, and writes nothing behind its end. */
static void test_list_full(void)
{
    static struct batch batch;
    const struct request small = fill(0, 0, 1, 1);

    batch_begin(&batch, BATCH_MAX);
    batch_add(&batch, &small);
    list.count = WINDOW_LIST_MAX;
    list.request[WINDOW_LIST_MAX - 1].kind = REQUEST_COPY;
    window_take(&shared, &batch, &list);
    CHECK(list.count == WINDOW_LIST_MAX + 1);
    CHECK(list.request[WINDOW_LIST_MAX - 1].kind == REQUEST_COPY);
}

struct moment {
    unsigned type;
    int32_t right, up;
    uint32_t target;
    int32_t at_x, at_y;
};

/* A desktop of 200 x 160, on which the application has 100 x 80 and the pointer in its middle. */
static void test_desktop(void)
{
    static const struct moment moments[] = {
        {QUEUE_KEY_DOWN, 0, 0, DESKTOP_APPLICATION, 50, 40},
        {QUEUE_MOVE, 49, 0, DESKTOP_APPLICATION, 99, 40},
        {QUEUE_MOVE, 1, 0, DESKTOP_OTHER, 50, 0}, /* beside the application's window */
        {QUEUE_KEY_DOWN, 0, 0, DESKTOP_APPLICATION, 100, 40},
        {QUEUE_BUTTON_DOWN, 0, 0, DESKTOP_OTHER, 50, 0},
        {QUEUE_BUTTON_UP, 0, 0, DESKTOP_OTHER, 50, 0},
        {QUEUE_KEY_DOWN, 0, 0, DESKTOP_OTHER, 50, 0},
        {QUEUE_MOVE, -30, -20, DESKTOP_APPLICATION, 70, 60}, /* in front of the other one */
        {QUEUE_MOVE, 255, 255, DESKTOP_BACKGROUND, 199, 0},  /* no further than the edge */
        {QUEUE_BUTTON_DOWN, 0, 0, DESKTOP_BACKGROUND, 199, 0},
        {QUEUE_KEY_UP, 0, 0, DESKTOP_BACKGROUND, 199, 0},
        {QUEUE_MOVE, -255, -255, DESKTOP_BACKGROUND, 0, 159},
        {QUEUE_MOVE, 0, 80, DESKTOP_APPLICATION, 0, 79},
        {QUEUE_BUTTON_DOWN, 0, 0, DESKTOP_APPLICATION, 0, 79},
        {QUEUE_KEY_UP, 0, 0, DESKTOP_APPLICATION, 0, 79},
    };
    struct desktop desktop;

    desktop_begin(&desktop, 100, 80);
    for (size_t i = 0; i < sizeof(moments) / sizeof(*moments); i++) {
        desktop_input(&desktop, moments[i].type, moments[i].right, moments[i].up);
        CHECK_EQUAL(desktop.target, moments[i].target);
        CHECK_EQUAL(desktop.at_x, moments[i].at_x);
        CHECK_EQUAL(desktop.at_y, moments[i].at_y);
    }
}

int main(void)
{
    RUN(test_size());
    RUN(test_call());
    RUN(test_list_full());
    RUN(test_desktop());
    RUN(test_merging());
    RUN(test_wrong_rule());
    RUN(test_area());
    RUN(test_copy_between());
    RUN(test_copy_overwritten());
    RUN(test_text_width());
    RUN(test_nonsense());
    RUN(test_empty());
    return unit_finish("unit_window");
}
