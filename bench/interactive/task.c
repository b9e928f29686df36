/* SPDX-License-Identifier: BSD-2-Clause */
#include "bench/interactive/task.h"

#include <stddef.h>
#include <stdio.h>
#include <string.h>

#include "bench/interactive/document/text.h"
#include "bench/interactive/names.h"
#include "bench/interactive/screen_runs.h"
#include "bench/interactive/window/names.h"
#include "kernel/block/file.h"
#include "kernel/block/use.h"
#include "kernel/clock/clock.h"
#include "kernel/cpu/cpu.h"
#include "kernel/link/encoding.h"
#include "kernel/run/names.h"

#define NAME_MAX    48
#define FAILURE_MAX 96
#define MIB         (1024 * 1024ull)
#define DEPTH_MAX   32 /* largest number of simultaneous disk requests */
#define DRIVERS     3
#define MS_US       1000

#define DAEMON_SPARE_US 20000

static const char *const structures[WINDOW_STRUCTURES] = {
    [WINDOW_IN_KERNEL] = STRUCTURE_NAME_IN_KERNEL,
    [WINDOW_SERVER] = STRUCTURE_NAME_SERVER,
    [WINDOW_SEGMENTED] = STRUCTURE_NAME_SEGMENTED,
};

static const struct {
    const char *name;
    struct app_phase phase;
} drivers[DRIVERS] = {
    {DRIVER_NAME_HAND, {0}},
    {DRIVER_NAME_TEST, {.driven = true, .sync_messages = true}},
    {DRIVER_NAME_FAST, {.driven = true, .fast = true}},
};

struct phase {
    char name[NAME_MAX];
    enum window_structure structure;
    bool over;
    uint64_t from; /* TSC of the first arrival; 0: not known, because it came from outside */
    uint64_t to;   /* TSC of the last end; 0: no event ended */
    struct window_counts counts;
    uint32_t checksum;
    uint64_t results[WINDOW_RESULTS];
    /* run lengths of the phase's screen; NULL: an earlier phase has the same screen */
    int64_t *runs;
    size_t run_count;
};

static struct {
    const struct task *task;
    struct app_settings settings;
    struct phase phases[APP_PHASES_MAX];
    const struct block_volume *volume;
    struct session session;
    bool read_failed;
    char failure[FAILURE_MAX];
} state;

/* ---- phases and disk ---- */

static void add_phase(enum window_structure structure, size_t driver)
{
    struct app_settings *settings = &state.settings;
    struct phase *phase = &state.phases[settings->phase_count];

    snprintf(phase->name, sizeof(phase->name), "%s.%s", structures[structure],
             drivers[driver].name);
    phase->structure = structure;
    settings->phase[settings->phase_count] = drivers[driver].phase;
    settings->phase[settings->phase_count++].name = phase->name;
}

/* Adds the chosen structures in order, each with its chosen drivers. */
static void choose_phases(const struct bench_run *run)
{
    const uint32_t chosen = bench_words(run, "structures");
    const uint32_t played = bench_words(run, "drivers");

    for (size_t structure = 0; structure < WINDOW_STRUCTURES; structure++) {
        for (size_t driver = 0; driver < DRIVERS; driver++) {
            if ((chosen >> structure & 1) != 0 && (played >> driver & 1) != 0) {
                add_phase((enum window_structure)structure, driver);
            }
        }
    }
}

static enum bench_state find_disk(struct bench_run *run)
{
    const struct task *task = state.task;
    const char *why = NULL;

    if (task->files) {
        why = task->disk != NULL ? block_volume_like(task->disk, &state.volume)
                                 : block_volume(&state.volume);
    }
    return why != NULL ? bench_skip(run, "%s", why) : BENCH_OK;
}

/* ---- a phase, within the session ---- */

static const char *open_files(void)
{
    const struct file_settings *settings = file_settings();
    const uint32_t most = state.volume->disk->depth_max;
    const struct file_system_options options = {
        .depth = most < DEPTH_MAX ? most : DEPTH_MAX,
        .interrupts = true,
        .cache_bytes = settings->cache_mib * MIB,
        .read_ahead = settings->read_ahead,
        .policy = settings->policy,
    };

    return files_begin(state.volume, &options);
}

static const char *begin_phase(struct app *app, size_t index)
{
    const struct task *task = state.task;
    struct window_settings settings = {
        .structure = state.phases[index].structure,
        .name = task->name,
        .program = task->program,
        .priority = APP_PRIORITY,
        .queue = &app->queue,
        .width = task->width,
        .height = task->height,
        .spin_per_ms = idle_loop_iterations(&app->session.calibration, clock_ticks_from_us(MS_US)
                                                                           << WINDOW_SPIN_SHIFT),
        .draw_us = bench_number(app->run, "draw_us"),
        .call_us = bench_number(app->run, "call_us"),
        .calls_percent = bench_number(app->run, "calls_percent"),
        .batch_size = bench_number(app->run, "batch_size"),
        .chore_us = task->chore_us,
        .chore_work_us = task->chore_work_us,
        .daemon_us = bench_number(app->run, "daemon_us"),
        .own_bytes = task->own_bytes,
        .files = task->files,
    };
    const char *why = task->files ? open_files() : NULL;

    memcpy(settings.parameters, task->parameters, sizeof(settings.parameters));
    state.session = app->session;
    why = why == NULL ? window_begin(&settings) : why;
    if (why != NULL && task->files) {
        files_end();
    }
    if (why == NULL) {
        queue_wait_idle(&app->queue); /* work at the start belongs to no event */
    }
    return why;
}

/* Returns whether any earlier phase ended with the same screen. */
static bool seen_before(const struct phase *phase)
{
    for (const struct phase *earlier = state.phases; earlier < phase; earlier++) {
        if (earlier->checksum == phase->checksum) {
            return true;
        }
    }
    return false;
}

static void keep_screen(struct phase *phase, const struct surface *screen)
{
    phase->checksum = crc32c(0, screen->pixels,
                             (size_t)screen->width * (size_t)screen->height * sizeof(uint32_t));
    if (seen_before(phase)) {
        return;
    }
    phase->run_count = screen_runs_write(screen, NULL, 0);
    phase->runs = bench_samples(phase->run_count);
    if (phase->runs != NULL) {
        screen_runs_write(screen, phase->runs, phase->run_count);
    }
}

/* Copies the final screen to `on`, so that a person can see it. */
static void show(const struct surface *on, const struct surface *screen)
{
    const int32_t width = screen->width < on->width ? screen->width : on->width;
    const int32_t height = screen->height < on->height ? screen->height : on->height;

    for (int32_t y = 0; y < height; y++) {
        memcpy(on->pixels + (int64_t)y * on->stride, screen->pixels + (int64_t)y * screen->stride,
               (size_t)width * sizeof(uint32_t));
    }
}

static void keep_failure(void)
{
    if (files_failure()->error != BLOCK_GOOD && !state.read_failed) {
        state.read_failed = true;
        files_failure_text(state.failure, sizeof(state.failure));
    }
}

/* Waits until the daemon has finished its work and the idle loop has ended its current sample.
 * Otherwise the work of the bench after the phase would fall into that sample. A new event restarts
 * the daemon's work. */
static void wait_for_daemon(const struct app *app, const struct phase *phase)
{
    const uint64_t daemon_us = bench_number(app->run, "daemon_us");

    if (phase->structure == WINDOW_SEGMENTED && daemon_us > 0) {
        thread_sleep_until(tsc_read() + clock_ticks_from_us(2 * daemon_us + DAEMON_SPARE_US));
    }
}

static void end_phase(struct app *app, size_t index)
{
    struct phase *phase = &state.phases[index];

    thread_join(window_thread());
    wait_for_daemon(app, phase);
    window_get_counts(&phase->counts);
    memcpy(phase->results, window_shared()->results, sizeof(phase->results));
    phase->to = window_last_done();
    phase->from =
        bench_input()->outside ? 0 : (uint64_t)app->series.written[index * app->script.count];
    phase->over = true;
    const struct surface *screen = window_show();

    keep_screen(phase, screen);
    show(&app->screen, screen);
    if (state.task->phase_over != NULL) {
        state.task->phase_over(app->run, phase->name);
    }
    window_end();
    if (state.task->files) {
        keep_failure();
        files_end();
    }
}

/* ---- afterwards ---- */

static void publish_times(const struct bench_run *run, const struct phase *phase)
{
    uint64_t busy;

    if (phase->from == 0 || phase->to <= phase->from) {
        return;
    }
    window_facts_add(run, phase->name, FACT_ELAPSED, UNIT_TICK, (int64_t)(phase->to - phase->from));
    if (session_busy_between(&state.session, phase->from, phase->to, &busy)) {
        window_facts_add(run, phase->name, FACT_BUSY, UNIT_TICK, (int64_t)busy);
    }
}

static void publish_phase(const struct bench_run *run, const struct phase *phase)
{
    char series[NAME_MAX + sizeof(SERIES_SCREEN)];

    window_facts_publish(run, phase->name, &phase->counts);
    window_facts_add(run, phase->name, FACT_SCREEN_CHECKSUM, UNIT_CODE, phase->checksum);
    publish_times(run, phase);
    for (size_t i = 0; i < WINDOW_RESULTS; i++) {
        if (state.task->results[i] != NULL) {
            window_facts_add(run, phase->name, state.task->results[i], UNIT_COUNT,
                             (int64_t)phase->results[i]);
        }
    }
    if (phase->runs != NULL) {
        snprintf(series, sizeof(series), SERIES_SCREEN ".%s", phase->name);
        bench_publish(run, series, UNIT_CODE, phase->runs, phase->run_count);
    }
}

static bool same_results(const struct phase *a, const struct phase *b, size_t *differs)
{
    for (size_t i = 0; i < WINDOW_RESULTS; i++) {
        if ((state.task->same >> i & 1) != 0 && a->results[i] != b->results[i]) {
            *differs = i;
            return false;
        }
    }
    return true;
}

static enum bench_state judge_phase(struct bench_run *run, const struct phase *phase)
{
    const struct phase *first = &state.phases[0];
    const struct window_counts *counts = &phase->counts;
    size_t differs;

    if (counts->requests != counts->merged + counts->drawn) {
        return bench_fail(run, "%s: expected merged + drawn = %lu requests, got %lu + %lu",
                          phase->name, counts->requests, counts->merged, counts->drawn);
    }
    if (counts->lost > 0) {
        return bench_fail(run,
                          "%s: the display processor's list has room for %d requests, got %lu "
                          "more; use a shorter script",
                          phase->name, WINDOW_LIST_MAX, counts->lost);
    }
    if (phase->checksum != first->checksum) {
        return bench_fail(run, "%s: the final screen differs from that of %s", phase->name,
                          first->name);
    }
    if (!same_results(phase, first, &differs)) {
        return bench_fail(run, "%s: %s: expected %lu as in %s, got %lu", phase->name,
                          state.task->results[differs] != NULL ? state.task->results[differs]
                                                               : "a result",
                          first->results[differs], first->name, phase->results[differs]);
    }
    return BENCH_OK;
}

static enum bench_state judge(struct bench_run *run)
{
    enum bench_state result = BENCH_OK;

    if (state.read_failed) {
        return bench_fail(run, "%s", state.failure);
    }
    for (size_t i = 0; i < state.settings.phase_count && result == BENCH_OK; i++) {
        result = judge_phase(run, &state.phases[i]);
    }
    return result;
}

enum bench_state task_run(struct bench_run *run, const struct task *task)
{
    const char *why = NULL;

    memset(&state, 0, sizeof(state));
    state.task = task;
    state.settings.event_us = task->event_us;
    state.settings.tick_hz = bench_number(run, "tick_hz");
    state.settings.phase_begin = begin_phase;
    state.settings.phase_end = end_phase;
    if (!process_supported(&why)) {
        return bench_skip(run, "%s", why);
    }
    choose_phases(run);
    enum bench_state result = find_disk(run);

    result = result == BENCH_OK ? app_run(run, &state.settings) : result;
    for (size_t i = 0; i < state.settings.phase_count; i++) {
        if (state.phases[i].over) {
            publish_phase(run, &state.phases[i]);
        }
    }
    return result == BENCH_OK ? judge(run) : result;
}

static void type(struct text *text, const struct script_event *events, size_t count)
{
    struct typing typing = {0};

    for (size_t i = 0; i < count; i++) {
        const char character =
            typing_key(&typing, events[i].event.code, events[i].event.kind == INPUT_KEY_DOWN);

        if (character == TYPING_BACKSPACE) {
            text_erase(text, text_length(text));
        } else if (character != TYPING_NONE) {
            text_insert(text, text_length(text), character);
        }
    }
}

void task_script_publish(struct bench_run *run)
{
    const char *script = bench_text(run, "script");
    char error[SCRIPT_ERROR_MAX];
    struct text text;
    size_t count;

    if (!script_read(script, strlen(script), NULL, SCRIPT_EVENTS_MAX, &count, error) ||
        count == 0) {
        return;
    }
    struct script_event *events = bench_memory(count * sizeof(*events));
    char *bytes = bench_memory(count);

    if (events == NULL || bytes == NULL ||
        !script_read(script, strlen(script), events, count, &count, error)) {
        return;
    }
    text_begin(&text, bytes, count);
    type(&text, events, count);
    bench_fact(run, FACT_SCRIPT_CHECKSUM, UNIT_CODE, text_checksum(&text, 0));
    bench_fact(run, FACT_SCRIPT_LENGTH, UNIT_COUNT, (int64_t)text_length(&text));
}

#define FACT_NAME_MAX 80

void window_facts_add(const struct bench_run *run, const char *of, const char *name,
                      const char *unit, int64_t value)
{
    char full[FACT_NAME_MAX];

    snprintf(full, sizeof(full), "%s.%s", name, of);
    bench_fact(run, full, unit, value);
}

void window_facts_publish(const struct bench_run *run, const char *of,
                          const struct window_counts *counts)
{
    static const struct {
        const char *name;
        size_t offset;
    } counted[] = {
        {"requests", offsetof(struct window_counts, requests)},
        {"merged", offsetof(struct window_counts, merged)},
        {"drawn", offsetof(struct window_counts, drawn)},
        {"flushes", offsetof(struct window_counts, flushes)},
        {"address_spaces", offsetof(struct window_counts, address_spaces)},
        {"far_calls", offsetof(struct window_counts, far_calls)},
        {"segment_loads", offsetof(struct window_counts, segment_loads)},
        {"unaligned", offsetof(struct window_counts, unaligned)},
        {"paints", offsetof(struct window_counts, paints)},
        {"calls", offsetof(struct window_counts, calls)},
        {"chores", offsetof(struct window_counts, chores)},
        {"chore_ticks", offsetof(struct window_counts, chore_ticks)},
    };

    for (size_t i = 0; i < sizeof(counted) / sizeof(*counted); i++) {
        const uint64_t *value = (const uint64_t *)((const char *)counts + counted[i].offset);

        window_facts_add(run, of, counted[i].name, UNIT_COUNT, (int64_t)*value);
    }
}
