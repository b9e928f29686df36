/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * bench burst: the same script at human speed, and by the infinitely fast typist of throughput
 * benchmarks (Endo et al., OSDI '96, section 1.1). The application takes all messages that are
 * there and then redraws its line once. The faster the input comes, the more it batches, so an
 * event costs less at machine speed than at human speed.
 */
#include <string.h>

#include "bench/interactive/app.h"
#include "bench/interactive/names.h"
#include "bench/interactive/page.h"
#include "kernel/run/names.h"

#define COLUMNS_MAX 256

static struct {
    struct page page;
    char line[COLUMNS_MAX + 1]; /* padded with blanks, so that each redraw costs the same */
    int32_t columns;
    bool changed; /* since the last redraw */
    uint64_t redraws[APP_PHASES_MAX];
} editor;

static void clear_line(void)
{
    memset(editor.line, ' ', (size_t)editor.columns);
    editor.line[editor.columns] = '\0';
}

static void redraw(const struct app *app)
{
    if (editor.changed) {
        surface_text(&app->screen, 0, editor.page.row * text_cell_height(&page_style), editor.line,
                     &page_style);
        editor.redraws[app->phase]++;
        editor.changed = false;
    }
}

static void begin_line(const struct app *app)
{
    redraw(app);
    clear_line();
    editor.page.column = 0;
    editor.page.row = editor.page.row + 1 < editor.page.rows ? editor.page.row + 1 : 0;
}

static void update(const struct app *app, const struct queue_message *message)
{
    const char character = page_character(&editor.page, message);

    if (character == '\0') {
        return;
    }
    if (character == '\n' || editor.page.column == editor.columns) {
        begin_line(app);
    }
    if (character != '\n') {
        editor.line[editor.page.column++] = character;
        editor.changed = true;
    }
}

static void application(void *argument)
{
    struct app *app = argument;

    for (;;) {
        struct queue_message message = queue_get(&app->queue);
        uint32_t last;

        do {
            if (message.type == QUEUE_QUIT) {
                return;
            }
            update(app, &message);
            last = message.number;
        } while (queue_peek(&app->queue, &message, true));
        redraw(app);
        queue_done(&app->queue, last);
    }
}

static bool prepare(struct app *app)
{
    page_begin(&editor.page, &app->screen);
    editor.columns = editor.page.columns < COLUMNS_MAX ? editor.page.columns : COLUMNS_MAX;
    clear_line();
    return true;
}

/* Checks that at human speed at least half of the keys had a redraw (normally each has one), and
 * that machine speed needed fewer redraws. */
static enum bench_state judge(struct bench_run *run)
{
    const uint64_t human = editor.redraws[0];
    const uint64_t fast = editor.redraws[1];
    const size_t keys = app_keys() / 2;

    if (keys > 2 && !bench_input()->outside && (human < keys / 2 || fast >= human)) {
        return bench_fail(run,
                          "redraws for %zu keys: expected at least %zu at human speed and fewer at "
                          "machine speed, got %lu and %lu",
                          keys, keys / 2, human, fast);
    }
    const struct app_asked asked = {.work_us = 0, .spare = APP_DRAWS};

    return app_judge(run, &asked);
}

static enum bench_state run(struct bench_run *run)
{
    static const struct app_settings settings = {
        .application = application,
        .event_us = 1000,
        .phase_count = 2,
        .phase = {{.name = "human"}, {.name = "fast", .fast = true}},
        .prepare = prepare,
    };

    memset(&editor, 0, sizeof(editor));
    const enum bench_state state = app_run(run, &settings);

    if (state != BENCH_OK) {
        return state;
    }
    bench_fact(run, "redraws_human", UNIT_COUNT, (int64_t)editor.redraws[0]);
    bench_fact(run, "redraws_fast", UNIT_COUNT, (int64_t)editor.redraws[1]);
    return judge(run);
}

static const struct bench_param params[] = {
    {"script", "type characters=40", "keys to type, in both phases", PARAM_TEXT()},
    {"sample_us", "1000", "length of an idle-loop sample, in us", PARAM_TIME(10, 1000000)},
    {0},
};

static const struct bench burst = {
    .name = "burst",
    .group = GROUP_INTERACTIVE,
    .summary = "the same text typed at human speed and infinitely fast: redraws are batched",
    .unit = UNIT_TICK,
    .estimate = "at human speed one redraw of the line for each character, about 1000 instructions "
                "a cell; infinitely fast one or two redraws for all characters",
    .needs = NEED_CLOCK | NEED_LAPIC_TIMER,
    .params = params,
    .run = run,
};
BENCH_REGISTER(burst);
