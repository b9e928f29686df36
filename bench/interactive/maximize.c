/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * bench maximize: a window grows from an icon to the whole screen (Endo et al., OSDI '96, section
 * 2.6 and figure 4). Each press of a key or button starts work on the input, an animation whose
 * steps wait for the next tick of a 10 ms clock, and a redraw of the whole window.
 *
 * A step erases the last outline of the window and draws the next, larger one. Each step therefore
 * takes longer than the one before, by the additional pixels of the two outlines.
 */
#include "bench/interactive/app.h"
#include "bench/interactive/names.h"
#include "bench/interactive/page.h"
#include "kernel/clock/clock.h"
#include "kernel/cpu/cpu.h"
#include "kernel/run/bench.h"
#include "kernel/run/names.h"

#define TITLE_LINE 1
#define FEW        3 /* lines that are drawn once more to measure the cost of one */
#define BACKGROUND 0x00ffffffu
#define OUTLINE    0x00203050u
#define WINDOW     0x00f0f0e0u
#define TITLE      0x00304070u

static const char line_of_text[] =
    "The quick brown fox jumps over the lazy dog, and the lazy dog sleeps on, and sleeps on.";

static struct {
    uint64_t work_us;
    uint64_t period; /* ticks */
    uint64_t origin; /* TSC; the clock ticks at multiples of `period` from here */
    int32_t steps;
    int32_t thickness; /* pixels of the outline */
} window;

/* Returns the outline after `step` steps. It grows from the middle of the lower border to the whole
 * screen. */
static struct rectangle outline_at(const struct surface *screen, int32_t step)
{
    const int32_t width = (int32_t)((int64_t)screen->width * step / window.steps);
    const int32_t height = (int32_t)((int64_t)screen->height * step / window.steps);

    return (struct rectangle){(screen->width - width) / 2, screen->height - height, width, height};
}

static void sleep_until_tick(void)
{
    const uint64_t ticks = (tsc_read() - window.origin) / window.period + 1;

    thread_sleep_until(window.origin + ticks * window.period);
}

static void animate(const struct surface *screen)
{
    for (int32_t step = 1; step <= window.steps; step++) {
        sleep_until_tick();
        surface_outline(screen, outline_at(screen, step - 1), window.thickness, BACKGROUND);
        surface_outline(screen, outline_at(screen, step), window.thickness, OUTLINE);
    }
}

static inline __attribute__((always_inline)) void redraw(const struct surface *screen)
{
    const int32_t height = text_cell_height(&page_style);

    surface_fill(screen, (struct rectangle){0, 0, screen->width, screen->height}, WINDOW);
    surface_fill(screen, (struct rectangle){0, 0, screen->width, TITLE_LINE * height}, TITLE);
    for (int32_t y = TITLE_LINE * height; y < screen->height; y += height) {
        surface_text(screen, 0, y, line_of_text, &page_style);
    }
}

static void maximize_window(const struct app *app)
{
    app_work(app, window.work_us);
    animate(&app->screen);
    sleep_until_tick();
    redraw(&app->screen);
}

static void application(void *argument)
{
    struct app *app = argument;

    window.origin = tsc_read();
    for (;;) {
        const struct queue_message message = queue_get(&app->queue);
        const uint64_t from = tsc_read();

        if (message.type == QUEUE_QUIT) {
            return;
        }
        if (message.type == QUEUE_KEY_DOWN || message.type == QUEUE_BUTTON_DOWN) {
            maximize_window(app);
            app_stamp(app, message.number, from, tsc_read());
        }
        queue_done(&app->queue, message.number);
    }
}

/* Draws a title and `lines` lines in memory. Returns the ticks that this took. */
static uint64_t lines_ticks(uint32_t *memory, int32_t lines)
{
    const int32_t width = app_surface()->width;
    struct surface part;

    surface_init(&part, memory, width, (TITLE_LINE + lines) * text_cell_height(&page_style), width);
    const uint64_t begin = tsc_read_ordered();

    redraw(&part);
    return tsc_read_ordered() - begin;
}

/* Returns the least ticks that the redraw of a press takes, apart from the work, computed from the
 * cost of one line; all lines are equally long. Leaves out the steps and a last line that is cut
 * off. Returns 0 if there is no memory. */
static uint64_t redraw_ticks(void)
{
    const int32_t height = text_cell_height(&page_style);
    const int64_t lines = app_surface()->height / height - TITLE_LINE;
    const size_t pixels = (size_t)app_surface()->width * (size_t)((TITLE_LINE + FEW) * height);
    uint32_t *memory = bench_memory(pixels * sizeof(*memory));

    if (memory == NULL || lines < FEW) {
        return 0;
    }
    const uint64_t one = lines_ticks(memory, 1);
    const uint64_t few = lines_ticks(memory, FEW);
    const uint64_t line = few > one ? (few - one) / (FEW - 1) : 0;

    return one + (uint64_t)(lines - 1) * line;
}

static enum bench_state judge(struct bench_run *run)
{
    const struct app_asked asked = {
        .work_us = app_presses() * window.work_us,
        .drawing = app_presses() * redraw_ticks(),
        .spare = APP_DRAWS,
        .stamps = app_presses(),
    };

    return app_judge(run, &asked);
}

static enum bench_state run(struct bench_run *run)
{
    const uint64_t period_us = bench_number(run, "period_us");

    window.work_us = bench_number(run, "work_us");
    window.steps = (int32_t)bench_number(run, "steps");
    window.thickness = (int32_t)bench_number(run, "thickness");
    window.period = clock_ticks_from_us(period_us);
    const struct app_settings settings = {
        .application = application,
        .event_us = 2 * (window.work_us + (uint64_t)window.steps * period_us),
    };
    const enum bench_state state = app_run(run, &settings);

    if (state != BENCH_OK) {
        return state;
    }
    bench_fact(run, FACT_CLOCK_PERIOD, UNIT_TICK, (int64_t)window.period);
    bench_fact(run, FACT_CLOCK_ORIGIN, UNIT_TICK, (int64_t)(window.origin - bench_trace_origin()));
    return judge(run);
}

static const struct bench_param params[] = {
    {"script", "click left hold=20ms", "presses of a button or a key", PARAM_TEXT()},
    {"work_us", "80000", "work on the input, in us", PARAM_TIME(0, 10000000)},
    {"steps", "22", "number of steps of the animation", PARAM_NUMBER(1, 1000)},
    {"thickness", "12", "thickness of the outline, in pixels", PARAM_NUMBER(1, 100)},
    {"period_us", "10000", "period of the clock that paces the animation, in us",
     PARAM_TIME(1000, 1000000)},
    {"sample_us", "1000", "length of an idle-loop sample, in us", PARAM_TIME(10, 1000000)},
    {0},
};

static const struct bench maximize = {
    .name = "maximize",
    .group = GROUP_INTERACTIVE,
    .summary = "a window is maximized: work, an animation paced by the clock, a redraw",
    .unit = UNIT_TICK,
    .estimate = "80 ms of work; 22 steps at multiples of 10 ms, each longer than the last by the "
                "pixels of two sides; then one redraw of all pixels: about 3 instructions a pixel, "
                "and 1000 a character",
    .needs = NEED_CLOCK | NEED_LAPIC_TIMER,
    .params = params,
    .run = run,
};
BENCH_REGISTER(maximize);
