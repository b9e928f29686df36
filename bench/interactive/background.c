/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * bench background: work of the processor that no user waits for, and waiting of the user while the
 * processor does nothing (Endo et al., OSDI '96, section 2.3: busy and idle are not wait and
 * think).
 *
 *     each key        is echoed; then a thread of lower priority works on, with asynchronous I/O
 *                     outstanding, and notifies the application when it is done
 *     every 4th key   first reads a device and waits for it (synchronous I/O), then waits for the
 *                     screen's retrace
 *     the cursor      blinks by messages of a timer; each blink waits for the retrace, while a key
 *                     may be waiting for the application
 */
#include "bench/interactive/app.h"
#include "bench/interactive/names.h"
#include "bench/interactive/page.h"
#include "kernel/clock/clock.h"
#include "kernel/cpu/cpu.h"
#include "kernel/run/names.h"
#include "kernel/task/io_status.h"
#include "kernel/task/locks.h"
#include "kernel/task/timer.h"

#define WORKER_PRIORITY (APP_PRIORITY / 2)

static struct {
    struct app *app;
    struct page page;
    uint64_t work_us;
    uint64_t background_us;
    uint64_t read_us;
    uint64_t retrace_us;
    uint64_t read_every; /* every how many keys one reads; 0: none reads */
    uint64_t blink_us;   /* 0: the cursor does not blink */
    struct io_status disk;
    struct io_status printer;
    struct semaphore read_done;
    struct semaphore jobs;
    struct timer read_timer;
    struct timer blink_timer;
    struct thread *worker;
    volatile bool over;
    bool cursor_shown;
    uint64_t keys;
    uint64_t reads;
    uint64_t jobs_done;
    uint64_t blinks;
} editor;

/* ---- in the background ---- */

static void worker(void *argument)
{
    const struct queue_message done = {.type = QUEUE_IO_DONE};
    struct app *app = argument;

    for (;;) {
        semaphore_wait(&editor.jobs);
        if (editor.over) {
            return;
        }
        app_work(app, editor.background_us);
        editor.jobs_done++;
        io_status_lower(&editor.printer, IO_ASYNCHRONOUS);
        queue_post(&app->queue, &done);
    }
}

static void begin_job(void)
{
    io_status_raise(&editor.printer, IO_ASYNCHRONOUS);
    semaphore_post(&editor.jobs);
}

static void post_blink(void *argument)
{
    const struct queue_message blink = {.type = QUEUE_TIMER};

    (void)argument;
    queue_post(&editor.app->queue, &blink);
}

/* ---- in the foreground ---- */

static void finish_read(void *argument)
{
    (void)argument;
    semaphore_post(&editor.read_done);
}

static void read_disk(void)
{
    const uint64_t deadline = tsc_read() + clock_ticks_from_us(editor.read_us);

    io_status_raise(&editor.disk, IO_SYNCHRONOUS);
    timer_start(&editor.read_timer, deadline, 0, finish_read, NULL);
    semaphore_wait(&editor.read_done);
    io_status_lower(&editor.disk, IO_SYNCHRONOUS);
    editor.reads++;
}

static void wait_for_retrace(void)
{
    thread_sleep_until(tsc_read() + clock_ticks_from_us(editor.retrace_us));
}

static void blink(void)
{
    wait_for_retrace();
    editor.cursor_shown = !editor.cursor_shown;
    page_cursor(&editor.page, editor.cursor_shown);
    editor.blinks++;
}

static void handle_key(struct app *app, const struct queue_message *message)
{
    const char character = page_character(&editor.page, message);

    if (message->type == QUEUE_KEY_DOWN) {
        begin_job();
        editor.keys++;
        if (editor.read_every > 0 && editor.keys % editor.read_every == 0) {
            read_disk();
            wait_for_retrace();
        }
        app_work(app, editor.work_us);
        page_cursor(&editor.page, false);
        page_type(&editor.page, character);
    }
    queue_done(&app->queue, message->number);
}

static void application(void *argument)
{
    struct app *app = argument;

    if (editor.blink_us > 0) {
        const uint64_t period = clock_ticks_from_us(editor.blink_us);

        timer_start(&editor.blink_timer, tsc_read() + period, period, post_blink, NULL);
    }
    for (;;) {
        const struct queue_message message = queue_get(&app->queue);

        if (message.type == QUEUE_QUIT) {
            break;
        }
        if (message.type == QUEUE_TIMER) {
            blink();
        } else if (message.number != 0) {
            handle_key(app, &message);
        }
    }
    timer_stop(&editor.blink_timer);
    editor.over = true;
    semaphore_post(&editor.jobs);
    thread_join(editor.worker);
}

static bool prepare(struct app *app)
{
    editor.app = app;
    page_begin(&editor.page, &app->screen);
    io_status_init(&editor.disk, "disk");
    io_status_init(&editor.printer, "printer");
    semaphore_init(&editor.read_done, "read done", 0);
    semaphore_init(&editor.jobs, "jobs", 0);
    editor.worker = thread_create("background", WORKER_PRIORITY, worker, app);
    return editor.worker != NULL;
}

/* Checks that each key had its background job, and that every read_every-th key read the device.
 * Outside exact time the session may end before the last jobs are done. */
static enum bench_state judge(struct bench_run *run)
{
    const uint64_t reads = editor.read_every > 0 ? editor.keys / editor.read_every : 0;
    const bool lost = bench_is_exact() ? editor.jobs_done != editor.keys
                                       : editor.jobs_done > editor.keys || editor.jobs_done == 0;

    if (lost || editor.reads != reads) {
        return bench_fail(run, "after %lu keys: expected %lu jobs and %lu reads, got %lu and %lu",
                          editor.keys, editor.keys, reads, editor.jobs_done, editor.reads);
    }
    const struct app_asked asked = {
        .work_us = editor.keys * editor.work_us + editor.jobs_done * editor.background_us,
        .spare = APP_DRAWS,
    };

    return app_judge(run, &asked);
}

static enum bench_state run(struct bench_run *run)
{
    editor = (typeof(editor)){
        .work_us = bench_number(run, "work_us"),
        .background_us = bench_number(run, "background_us"),
        .read_us = bench_number(run, "read_us"),
        .retrace_us = bench_number(run, "retrace_us"),
        .read_every = bench_number(run, "read_every"),
        .blink_us = bench_number(run, "blink_us"),
    };
    const struct app_settings settings = {
        .application = application,
        .event_us = editor.work_us + editor.background_us + editor.read_us + editor.retrace_us,
        .prepare = prepare,
    };
    const enum bench_state state = app_run(run, &settings);

    if (state != BENCH_OK) {
        return state;
    }
    bench_fact(run, "jobs", UNIT_COUNT, (int64_t)editor.jobs_done);
    bench_fact(run, "reads", UNIT_COUNT, (int64_t)editor.reads);
    bench_fact(run, "blinks", UNIT_COUNT, (int64_t)editor.blinks);
    return judge(run);
}

static const struct bench_param params[] = {
    {"script", "key a hold=12ms every=25ms x40", "keys to type", PARAM_TEXT()},
    {"work_us", "1000", "work for each key, in us", PARAM_TIME(0, 1000000)},
    {"background_us", "3000", "background work after each key, in us", PARAM_TIME(0, 1000000)},
    {"read_us", "5000", "time that the device takes for a read, in us", PARAM_TIME(1, 1000000)},
    {"read_every", "4", "one key in this many waits for the device; 0: none",
     PARAM_NUMBER(0, 1000000)},
    {"retrace_us", "5000", "wait for the screen's retrace, in us", PARAM_TIME(1, 1000000)},
    {"blink_us", "60000", "time between blinks of the cursor, in us; 0: none",
     PARAM_TIME(0, 10000000)},
    {"sample_us", "1000", "length of an idle-loop sample, in us", PARAM_TIME(10, 1000000)},
    {0},
};

static const struct bench background = {
    .name = "background",
    .group = GROUP_INTERACTIVE,
    .summary = "keys that trigger background work, a device to wait for, and a blinking cursor",
    .unit = UNIT_TICK,
    .estimate = "the user waits for a quarter of each key's busy time, 1 of 4 ms; for every fourth "
                "key the user waits about 10 ms while the processor is partly idle",
    .needs = NEED_CLOCK | NEED_LAPIC_TIMER,
    .params = params,
    .run = run,
};
BENCH_REGISTER(background);
