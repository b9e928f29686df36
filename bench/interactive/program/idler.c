/* SPDX-License-Identifier: BSD-2-Clause */
/* The idle program, in ring 3; see idler_program.h. */
#include "bench/interactive/program/idler_program.h"

#include "bench/interactive/program/client.h"
#include "kernel/task/user.h"
#include "kernel/trace/trace.h"

#define INK   0x00202020u
#define PAPER 0x00e8e8f0u
#define BLINK 0x00c04040u

#define CURSOR_WIDTH  6
#define CURSOR_HEIGHT 20
#define DIGITS        6
#define DECIMAL       10

struct idler {
    bool shown;         /* the cursor is visible */
    uint64_t blink_due; /* us until the next blink, by the timers that were asked for */
    uint64_t chore_due;
    uint64_t blinks;
    uint64_t chores;
    uint64_t blink_ticks;
    uint64_t chore_ticks;
};

static const struct text_style style = {.scale = 2, .ink = INK, .paper = PAPER};

static struct idler *state(void)
{
    return (struct idler *)PROCESS_BASE;
}

static bool has_chores(void)
{
    return ((const struct window_shared *)WINDOW_SHARED_AT)->structure == WINDOW_SEGMENTED &&
           client_parameter(IDLER_CHORE_US) > 0;
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

/* Does a chore: works, then draws the number of chores so far in the window's corner. */
static void chore(void)
{
    const uint64_t begin = user_tsc();
    uint64_t value = ++state()->chores;
    char digits[DIGITS];

    client_work(client_parameter(IDLER_WORK_US));
    for (size_t i = DIGITS; i > 0; i--) {
        digits[i - 1] = (char)('0' + value % DECIMAL);
        value /= DECIMAL;
    }
    client_text(0, 0, digits, DIGITS, &style, 0);
    client_flush();
    state()->chore_ticks += user_tsc() - begin;
}

/* Returns the time until the next blink or chore, whichever is first. One timer serves both. */
static uint64_t next_due(void)
{
    const struct idler *idler = state();

    return has_chores() && idler->chore_due < idler->blink_due ? idler->chore_due
                                                               : idler->blink_due;
}

static void on_timer(void)
{
    struct idler *idler = state();
    const uint64_t passed = next_due();

    idler->blink_due -= passed;
    idler->chore_due -= has_chores() ? passed : 0;
    if (idler->blink_due == 0) {
        blink();
        idler->blink_due = client_parameter(IDLER_BLINK_US);
    }
    if (has_chores() && idler->chore_due == 0) {
        chore();
        idler->chore_due = client_parameter(IDLER_CHORE_US);
    }
    client_timer(next_due());
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
    client_result(IDLER_CHORES, state()->chores);
    client_result(IDLER_BLINK_TICKS, state()->blink_ticks);
    client_result(IDLER_CHORE_TICKS, state()->chore_ticks);
}

void idle_window(void *argument)
{
    struct queue_message message;

    (void)argument;
    client_begin();
    draw_window();
    state()->blink_due = client_parameter(IDLER_BLINK_US);
    state()->chore_due = client_parameter(IDLER_CHORE_US);
    client_timer(next_due());
    while (client_get(&message), message.type != QUEUE_QUIT) {
        if (message.type == QUEUE_TIMER) {
            on_timer();
        } else if (message.number != 0) {
            client_done(message.number);
        }
    }
    finish();
}
