/* SPDX-License-Identifier: BSD-2-Clause */
/* The idle program, in ring 3; see idler_program.h. */
#include "bench/interactive/program/idler_program.h"

#include "bench/interactive/program/client.h"
#include "kernel/task/user.h"
#include "kernel/trace/trace.h"

#define PAPER 0x00e8e8f0u
#define BLINK 0x00c04040u

#define CURSOR_WIDTH  6
#define CURSOR_HEIGHT 20

struct idler {
    bool shown; /* the cursor is visible */
    uint64_t blinks;
    uint64_t blink_ticks;
};

static struct idler *state(void)
{
    return (struct idler *)PROCESS_BASE;
}

static void draw_cursor(uint32_t colour)
{
    client_fill(
        (struct rectangle){client_width() / 2, client_height() / 2, CURSOR_WIDTH, CURSOR_HEIGHT},
        colour);
}

static void blink(void)
{
    const uint64_t begin = user_tsc();

    state()->shown = !state()->shown;
    draw_cursor(state()->shown ? BLINK : PAPER);
    client_flush();
    state()->blinks++;
    state()->blink_ticks += user_tsc() - begin;
}

static void on_timer(void)
{
    blink();
    client_timer(client_parameter(IDLER_BLINK_US));
}

static void draw_window(void)
{
    client_fill((struct rectangle){0, 0, client_width(), client_height()}, PAPER);
    client_flush();
}

static void finish(void)
{
    client_timer(0);
    draw_window();
    client_result(IDLER_BLINKS, state()->blinks);
    client_result(IDLER_BLINK_TICKS, state()->blink_ticks);
}

void idle_window(void *argument)
{
    struct queue_message message;

    (void)argument;
    client_begin();
    draw_window();
    client_timer(client_parameter(IDLER_BLINK_US));
    while (client_get(&message), message.type != QUEUE_QUIT) {
        if (message.type == QUEUE_TIMER) {
            on_timer();
        } else if (message.number != 0) {
            client_done(message.number);
        }
    }
    finish();
}
