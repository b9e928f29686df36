/* SPDX-License-Identifier: BSD-2-Clause */
#include "bench/interactive/program/windows.h"

#include "bench/interactive/program/client.h"
#include "kernel/trace/trace.h"

#define PAPER 0x00ffffffu
#define INK   0x00102030u
#define STEPS 16

struct windows {
    uint64_t paints;
    uint64_t timers;
    uint64_t peeks;
};

static struct rectangle whole_screen(void)
{
    return (struct rectangle){0, 0, client_width(), client_height()};
}

/* Makes more requests than a batch holds, some of which are overwritten within it. */
static void draw(void)
{
    static const char words[] = "The quick brown fox jumps over the lazy dog, 0123456789.";
    const struct text_style style = {2, INK, 0x00ffff80u};
    const struct rectangle left = {0, 0, client_width() / 2, client_height() / 2};

    client_fill(whole_screen(), PAPER);
    for (int32_t i = 0; i < STEPS; i++) {
        const struct rectangle box = {i * 9, i * 7, 60, 40};

        client_fill(box, 0x00000080u + (uint32_t)i * 0x00080400u);
        client_outline(box, 2, INK);
        client_text(i * 5, 20 + i * 11, words, sizeof(words) - 1, &style,
                    i % 2 == 0 ? 0 : REQUEST_PROPORTIONAL);
        client_fill((struct rectangle){10, 10, 20, 20}, (uint32_t)i);
        client_fill((struct rectangle){10, 10, 20, 20}, (uint32_t)i + 1);
    }
    client_render(WINDOWS_WORK_US);
    client_scroll(left, 13, PAPER);
    client_copy(left, client_width() / 3, client_height() / 3);
    client_copy((struct rectangle){5, 5, 90, 50}, 9, 5);
}

static void invalidate(void)
{
    client_invalidate((struct rectangle){-10, 50, 40, 10});
    client_invalidate((struct rectangle){100, 20, 30, 5});
}

static void paint(struct windows *windows)
{
    struct rectangle area;

    windows->paints++;
    client_result(WINDOWS_PAINTS, windows->paints);
    if (client_paint(&area)) {
        client_result(WINDOWS_AREA, USER_AREA(area.x, area.y, area.width, area.height));
        client_fill(area, PAPER);
        client_outline(area, 1, INK);
    }
}

static void cross(void)
{
    uint64_t least = UINT64_MAX;
    uint64_t most = 0;

    for (unsigned i = 0; i < WINDOWS_CROSSINGS; i++) {
        const uint64_t begin = user_tsc();

        client_cross();
        const uint64_t ticks = user_tsc() - begin;

        least = ticks < least ? ticks : least;
        most = ticks > most ? ticks : most;
    }
    client_result(WINDOWS_LEAST, least);
    client_result(WINDOWS_MOST, most);
}

static void step(struct windows *windows, const struct queue_message *message)
{
    switch (message->type == QUEUE_KEY_DOWN ? message->code : WINDOWS_RESULTS) {
    case WINDOWS_DRAW:
        draw();
        break;
    case WINDOWS_INVALIDATE:
        invalidate();
        break;
    case WINDOWS_CROSS:
        cross();
        break;
    case WINDOWS_TIMER:
        client_timer(WINDOWS_TIMER_US / 2);
        client_timer(WINDOWS_TIMER_US);
        break;
    default:
        break;
    }
    if (message->type == QUEUE_BUTTON_DOWN) {
        const uint64_t begin = user_tsc();

        client_result(WINDOWS_POINTER, USER_AREA(message->x, message->y, 0, 0));
        client_button_down();
        client_result(WINDOWS_HELD, user_tsc() - begin);
    } else if (message->type == QUEUE_PAINT) {
        paint(windows);
    } else if (message->type == QUEUE_TIMER) {
        windows->timers++;
        client_result(WINDOWS_TIMERS, windows->timers);
        client_fill((struct rectangle){200, 100, 17, 19}, INK);
    }
}

void windows_main(void *argument)
{
    struct windows *windows = (struct windows *)PROCESS_BASE;
    struct queue_message message;
    struct queue_message seen;

    (void)argument;
    client_begin();
    for (;;) {
        client_get(&message);
        if (message.type == QUEUE_QUIT) {
            return;
        }
        step(windows, &message);
        client_done(message.number);
        if (client_peek(&seen, false) && client_peek(&message, true) && seen.type == message.type &&
            seen.code == message.code) {
            client_result(WINDOWS_PEEKS, ++windows->peeks);
            step(windows, &message);
            client_done(message.number);
        }
    }
}
