/* SPDX-License-Identifier: BSD-2-Clause */
#include "bench/interactive/app.h"

#include <stdio.h>
#include <string.h>

#include "bench/interactive/names.h"
#include "kernel/clock/clock.h"
#include "kernel/cpu/cpu.h"
#include "kernel/input/input.h"
#include "kernel/run/names.h"
#include "kernel/screen/screen.h"
#include "kernel/task/session.h"
#include "kernel/trace/object.h"
#include "kernel/trace/packet.h"
#include "kernel/trace/recorder.h"

#define PAPER         0x00ffffffu
#define MEMORY_WIDTH  1024 /* pixels of the screen in memory, used if there is no framebuffer */
#define MEMORY_HEIGHT 768

#define MILLISECOND_US 1000
#define SECOND_US      1000000
#define KIND_SHIFT     16
#define NOT_WRITTEN    (-1)
/* room for messages that the application posts to itself, and for input by a person */
#define QUEUE_SPARE 256

/* Idle samples before the first event, between phases, and after the last event. */
#define MARGIN_SAMPLES 20

#define PREPARE_INSTRUCTIONS 300

#define SETTLE_TICKS        (1ull << TRACE_STAMP_BITS) /* a record needs a long header there */
#define SETTLE_INSTRUCTIONS 20000
#define SETTLE_US           150000 /* upper limit of these times together */

/* A PS/2 device takes 1 ms to send a byte, and the longest event has 4 bytes. */
#define EVENT_US_MAX 5000
#define GRACE_US     2000000

/* The busy time may be below the work asked for by at most 1/WORK_PART of that work
 * (1/WORK_PART_EXACT in exact time). */
#define WORK_PART       10
#define WORK_PART_EXACT 100

static struct app app;

/* ---- what the application calls ---- */

void app_work(const struct app *of, uint64_t microseconds)
{
    const uint64_t iterations =
        idle_loop_iterations(&of->session.calibration, clock_ticks_from_us(microseconds));

    if (iterations > 0) {
        idle_loop_spin(iterations);
    }
}

void app_stamp(struct app *of, uint32_t number, uint64_t from, uint64_t to)
{
    if (of->stamps < of->script.count * of->phases) {
        of->stamp_number[of->stamps] = number;
        of->stamp_from[of->stamps] = (int64_t)from;
        of->stamp_to[of->stamps] = (int64_t)to;
        of->stamps++;
    }
}

/* ---- before the session ---- */

static enum i8042_port port_of(const struct input_event *event)
{
    return event->kind <= INPUT_KEY_UP ? I8042_KEYBOARD : I8042_MOUSE;
}

static enum bench_state read_script(void)
{
    struct bench_run *run = app.run;
    const char *text = bench_text(run, "script");
    char error[SCRIPT_ERROR_MAX];
    size_t count;

    if (!script_read(text, strlen(text), NULL, SCRIPT_EVENTS_MAX, &count, error)) {
        return bench_error(run, "script: %s", error);
    }
    if (count == 0) {
        return bench_error(run, "the script has no events");
    }
    app.script.events = bench_memory(count * sizeof(*app.script.events));
    if (app.script.events == NULL) {
        return bench_error(run, "cannot allocate memory for %zu events; use a shorter script",
                           count);
    }
    if (!script_read(text, strlen(text), app.script.events, count, &app.script.count, error)) {
        return bench_error(run, "script: %s", error);
    }
    app.script.length_us = app.script.events[app.script.count - 1].at_us;
    return BENCH_OK;
}

/* Checks that every event of the script can be sent. Returns BENCH_OK or skips the bench. */
static enum bench_state find_devices(void)
{
    bool needs[I8042_PORTS] = {false};

    if (bench_input()->outside && app.phases > 1) {
        return bench_skip(app.run, "the bench plays its script several times, which input from "
                                   "outside cannot do: needs input.source=loopback");
    }
    for (size_t i = 0; i < app.script.count; i++) {
        needs[port_of(&app.script.events[i].event)] = true;
        app.wheel |= input_is_wheel(&app.script.events[i].event);
    }
    const char *reason = bench_choose_input(app.run, needs[I8042_KEYBOARD], needs[I8042_MOUSE]);

    return reason == NULL ? BENCH_OK : bench_skip(app.run, "%s", reason);
}

static bool take_series(struct app_series *series, size_t planned)
{
    series->intended = bench_samples(planned);
    series->written = bench_samples(planned);
    series->sent = bench_samples(planned);
    series->cold = bench_samples(planned);
    series->phase = bench_samples(planned);
    series->action = bench_samples(planned);
    series->class = bench_samples(planned);
    return series->intended != NULL && series->written != NULL && series->sent != NULL &&
           series->cold != NULL && series->phase != NULL && series->action != NULL &&
           series->class != NULL;
}

/* Room for the messages of a whole script at once, with one more message after each. */
static size_t queue_capacity(void)
{
    return 2 * app.script.count + QUEUE_SPARE;
}

static enum bench_state take_memory(void)
{
    const size_t planned = app.script.count * app.phases;

    app.messages = bench_memory(queue_capacity() * sizeof(*app.messages));
    app.at_once = bench_memory(app.script.count * sizeof(*app.at_once));
    app.stamp_number = bench_samples(planned);
    app.stamp_from = bench_samples(planned);
    app.stamp_to = bench_samples(planned);
    if (!take_series(&app.series, planned) || app.messages == NULL || app.at_once == NULL ||
        app.stamp_number == NULL || app.stamp_from == NULL || app.stamp_to == NULL) {
        return bench_error(app.run,
                           "cannot allocate memory for series of %zu events; use a shorter script",
                           planned);
    }
    for (size_t i = 0; i < planned; i++) {
        const struct script_event *event = &app.script.events[i % app.script.count];

        app.series.sent[i] = (int64_t)event->event.kind << KIND_SHIFT | event->event.code;
        app.series.action[i] = event->action;
        app.series.class[i] = event->class;
    }
    for (size_t i = 0; i < app.script.count; i++) {
        app.at_once[i].event = app.script.events[i].event;
    }
    return BENCH_OK;
}

static enum bench_state take_screen(void)
{
    static uint32_t *memory; /* shared by all benches */

    app.framebuffer = screen_lend(&app.screen);
    if (!app.framebuffer) {
        memory =
            memory != NULL ? memory : bench_memory(MEMORY_WIDTH * MEMORY_HEIGHT * sizeof(*memory));
        if (memory == NULL) {
            return bench_error(app.run, "cannot allocate memory for a screen of %d x %d pixels",
                               MEMORY_WIDTH, MEMORY_HEIGHT);
        }
        surface_init(&app.screen, memory, MEMORY_WIDTH, MEMORY_HEIGHT, MEMORY_WIDTH);
    }
    surface_fill(&app.screen, app.screen.clip, PAPER);
    return BENCH_OK;
}

static uint64_t length_us(void)
{
    const uint64_t margins = (app.phases + 1) * MARGIN_SAMPLES;
    const uint64_t waiting = bench_input()->outside ? bench_input()->wait_ms * MILLISECOND_US : 0;

    return app.phases *
               (app.script.length_us + app.script.count * app.settings->event_us + SETTLE_US) +
           margins * app.session.sample_us + waiting;
}

static enum bench_state prepare(void)
{
    enum bench_state state = read_script();

    state = state == BENCH_OK ? find_devices() : state;
    state = state == BENCH_OK ? take_memory() : state;
    state = state == BENCH_OK ? take_screen() : state;
    app.session.sample_us = bench_number(app.run, "sample_us");
    app.session.tick_period =
        app.settings->tick_hz > 0 ? clock_ticks_from_us(SECOND_US) / app.settings->tick_hz : 0;
    app.session.length_us = state == BENCH_OK ? length_us() : 0;
    return state;
}

/* ---- within ---- */

static uint64_t margin(void)
{
    return clock_ticks_from_us(MARGIN_SAMPLES * app.session.sample_us);
}

/* Returns the index after the last event that is played together with event `first`. A part ends
 * before an action that starts only when everything before it is done. */
static size_t part_end(const struct app_phase *phase, size_t first)
{
    const struct script_event *events = app.script.events;
    size_t end = first + 1;

    while (end < app.script.count && !events[end].then &&
           !(phase->driven && events[end].action != events[end - 1].action)) {
        end++;
    }
    return end;
}

/* Returns the pause from the end of everything before event `first` to the start of that event. */
static uint64_t pause_us(const struct app_phase *phase, size_t first)
{
    const struct script_event *events = app.script.events;

    return phase->fast ? 0 : events[first].at_us - events[first - 1].at_us;
}

/* Returns the time limit for events `first` to `end`, played from `begin` on. Only a broken machine
 * reaches it. */
static uint64_t deadline_of(uint64_t begin, size_t first, size_t end)
{
    const struct script_event *events = app.script.events;
    const uint64_t length_us = events[end - 1].at_us - (first > 0 ? events[first].at_us : 0);

    return begin + clock_ticks_from_us(length_us + (end - first) * EVENT_US_MAX + GRACE_US);
}

/* Plays the events from `first` up to `end` (excluded) and waits until they have arrived. The
 * part's first event is due at `begin`; the first part of a script counts its times from `begin`.
 */
static enum bench_state play_part(const struct app_phase *phase, size_t first, size_t end,
                                  uint64_t begin)
{
    const struct script_event *events = phase->fast ? app.at_once : app.script.events;
    const struct input_made made = {app.series.intended + app.played + first,
                                    app.series.written + app.played + first};
    const uint64_t deadline = deadline_of(begin, first, end);
    const uint64_t origin = begin - clock_ticks_from_us(first > 0 ? events[first].at_us : 0);

    if (!input_play(events + first, end - first, origin, &made)) {
        return bench_error(app.run, "cannot play the script: another one is being played, or the "
                                    "mouse port has no loop-back");
    }
    if (first == 0 && app.settings->meanwhile != NULL) {
        app.settings->meanwhile(&app, made.intended);
    }
    input_wait_played(deadline);
    if (input_stuck()) {
        return bench_fail(app.run, "the keyboard controller is stuck: it took %zu of %zu events",
                          first + input_played(), app.script.count);
    }
    input_wait_events(end, deadline);
    return BENCH_OK;
}

/* Returns an upper bound of the time needed to prepare a script, in ticks. A task's script has
 * thousands of events. Without this wait, the first event would fall into the idle sample that
 * contains the preparation. */
static uint64_t preparation(void)
{
    const uint64_t ticks = clock_state()->ticks_per_instruction;
    const uint64_t of_event = ticks != 0 ? PREPARE_INSTRUCTIONS * ticks : clock_ticks_from_us(1);

    return app.settings->phase_begin != NULL ? app.script.count * of_event : 0;
}

/* Plays the script and waits until all its events have arrived. */
static enum bench_state play(const struct app_phase *phase)
{
    uint64_t begin = tsc_read() + margin() + preparation();
    enum bench_state state;
    size_t first = 0;

    for (;;) {
        const size_t end = part_end(phase, first);

        state = play_part(phase, first, end, begin);
        if (state != BENCH_OK || end == app.script.count || !input_wait_events(end, tsc_read())) {
            return state;
        }
        queue_wait_idle(&app.queue);
        begin = tsc_read() + clock_ticks_from_us(pause_us(phase, end));
        first = end;
    }
}

/* Waits while someone outside the machine plays the script. */
static void await(void)
{
    bench_await_input(app.run);
    const uint64_t until_us = app.script.length_us + bench_input()->wait_ms * MILLISECOND_US;

    input_wait_events(app.script.count, tsc_read() + clock_ticks_from_us(until_us));
}

/* Returns whether all events arrived and the queue took all messages. Otherwise it is not known
 * whether the application will finish its work. */
static bool all_came(const struct input_counts *counts)
{
    return counts->events >= app.script.count && counts->refused == 0;
}

/* Records a trace mark that names the phase, and sets series `phase` of its events to the number of
 * that mark. */
static void mark_phase(const struct app_phase *phase)
{
    if (phase->name == NULL) {
        return;
    }
    const uint16_t mark = trace_object_add(OBJECT_MARK, phase->name);

    for (size_t i = 0; i < app.script.count; i++) {
        app.series.phase[app.played + i] = mark;
    }
    trace_mark(mark, app.script.count);
}

static void mark_over(const struct app_phase *phase)
{
    if (phase->name != NULL) {
        trace_mark(app.over, app.script.count);
    }
}

/* In exact time, begins a named phase in a state that does not depend on what ran before it: at an
 * instruction whose TSC is a multiple of SETTLE_TICKS, with an empty TLB, new periods of the clock
 * tick, and an empty packet of the trace. */
static void settle(void)
{
    const uint64_t ticks = clock_state()->ticks_per_instruction;
    const uint64_t spare = SETTLE_INSTRUCTIONS * ticks;
    const uint64_t at = (tsc_read() + 2 * spare + SETTLE_TICKS) & ~(SETTLE_TICKS - 1);

    if (ticks == 0) {
        return;
    }
    thread_sleep_until(at - spare);
    task_restart_timers(at); /* none of them expires until then */
    const uint64_t flags = interrupts_save();
    const uint64_t left = (at - tsc_read()) / ticks;

    idle_loop_spin(left / 2); /* two instructions each */
    if (left % 2 != 0) {
        cpu_pause();
    }
    task_restart_timers(at);
    bool more;

    do {
        more = recorder_turn();
        trace_mark(app.over, 0);
    } while (more);
    cr3_write(cr3_read());
    interrupts_restore(flags);
}

static enum bench_state run_phase(const struct app_phase *phase, struct input_counts *counts)
{
    const struct input_settings settings = {&app.queue, phase->sync_messages, app.wheel};
    enum bench_state state = BENCH_OK;

    if (phase->name != NULL) {
        settle();
    }
    mark_phase(phase);
    if (!input_begin(&settings)) {
        return bench_fail(app.run, "the keyboard controller no longer answers");
    }
    if (bench_input()->outside) {
        await();
    } else {
        state = play(phase);
    }
    app.played += app.script.count;
    input_get_counts(counts);
    if (all_came(counts)) {
        queue_wait_idle(&app.queue);
    } else if (state == BENCH_OK) {
        state = bench_fail(
            app.run, "input: got %lu of %zu expected events; %lu messages found the queue full",
            counts->events, app.script.count, counts->refused);
    }
    thread_sleep_until(tsc_read() + margin());
    mark_over(phase);
    input_end();
    return state;
}

static void quit(void)
{
    const struct queue_message message = {.type = QUEUE_QUIT};

    queue_post(&app.queue, &message);
}

/* Runs phases that have a separate application each. */
static enum bench_state run_apart(struct input_counts counts[APP_PHASES_MAX])
{
    enum bench_state state = BENCH_OK;

    for (size_t i = 0; i < app.phases && state == BENCH_OK; i++) {
        const char *why = app.settings->phase_begin(&app, i);

        if (why != NULL) {
            return bench_error(app.run, "%s: %s", app.settings->phase[i].name, why);
        }
        app.phase = i;
        state = run_phase(&app.settings->phase[i], &counts[i]);
        quit();
        app.settings->phase_end(&app, i);
    }
    return state;
}

static enum bench_state run_together(struct input_counts counts[APP_PHASES_MAX])
{
    enum bench_state state = BENCH_OK;
    struct thread *application =
        thread_create("application", APP_PRIORITY, app.settings->application, &app);

    if (application == NULL) {
        return session_no_threads(app.run);
    }
    for (size_t i = 0; i < app.phases && state == BENCH_OK; i++) {
        app.phase = i;
        state = run_phase(&app.settings->phase[i], &counts[i]);
    }
    quit();
    thread_join(application);
    return state;
}

static enum bench_state run_session(struct input_counts counts[APP_PHASES_MAX])
{
    queue_init(&app.queue, "application", app.messages, queue_capacity());
    if (app.settings->prepare != NULL && !app.settings->prepare(&app)) {
        return session_no_threads(app.run);
    }
    if (app.settings->phase_count > 0) {
        app.over = trace_object_add(OBJECT_MARK, MARK_NAME_OVER);
    }
    return app.settings->phase_begin != NULL ? run_apart(counts) : run_together(counts);
}

/* ---- afterwards ---- */

static void publish_counts(const struct input_counts *counts)
{
    static const struct {
        const char *name;
        size_t offset;
        bool fault; /* publish only if above 0 */
    } counted[] = {
        {"input_events", offsetof(struct input_counts, events), false},
        {"input_keyboard_bytes", offsetof(struct input_counts, bytes[I8042_KEYBOARD]), false},
        {"input_mouse_bytes", offsetof(struct input_counts, bytes[I8042_MOUSE]), false},
        {"input_refused", offsetof(struct input_counts, refused), true},
        {"input_ignored", offsetof(struct input_counts, ignored), true},
        {"input_garbage", offsetof(struct input_counts, garbage), true},
        {"input_resynced", offsetof(struct input_counts, resynced), true},
        {"input_overrun", offsetof(struct input_counts, overrun), true},
        {"input_bad", offsetof(struct input_counts, bad), true},
        {"input_empty", offsetof(struct input_counts, empty), true},
        {"input_stale", offsetof(struct input_counts, stale), true},
    };

    for (size_t i = 0; i < sizeof(counted) / sizeof(counted[0]); i++) {
        uint64_t sum = 0;

        for (size_t phase = 0; phase < app.phases; phase++) {
            sum += *(const uint64_t *)((const char *)&counts[phase] + counted[i].offset);
        }
        if (sum > 0 || !counted[i].fault) {
            bench_fact(app.run, counted[i].name, UNIT_COUNT, (int64_t)sum);
        }
    }
}

static void count_from(int64_t *times, size_t count, int64_t origin)
{
    for (size_t i = 0; i < count; i++) {
        times[i] -= origin;
    }
}

/* Publishes the names of the classes that the script itself defines. */
static void publish_classes(void)
{
    const struct script_names *names = script_own_classes();

    for (size_t i = 0; i < names->count; i++) {
        char name[sizeof(FOUND_CLASS) + 12];

        snprintf(name, sizeof(name), FOUND_CLASS ".%zu", SCRIPT_CLASSES + i);
        bench_found(app.run, name, names->name[i]);
    }
}

static void publish_planned(int64_t origin)
{
    const struct app_series *series = &app.series;

    bench_publish(app.run, SERIES_SENT, UNIT_CODE, series->sent, app.played);
    bench_publish(app.run, SERIES_ACTION, UNIT_COUNT, series->action, app.played);
    bench_publish(app.run, SERIES_CLASS, UNIT_CODE, series->class, app.played);
    publish_classes();
    if (app.phases > 1 || app.settings->phase[0].name != NULL) {
        bench_publish(app.run, SERIES_PHASE, UNIT_COUNT, series->phase, app.played);
    }
    if (app.any_cold) {
        bench_publish(app.run, SERIES_COLD, UNIT_COUNT, series->cold, app.played);
    }
    if (bench_input()->outside) {
        return; /* the times when outside input is meant and sent are not known here */
    }
    count_from(series->intended, app.played, origin);
    for (size_t i = 0; i < app.played; i++) {
        series->written[i] = series->written[i] != 0 ? series->written[i] - origin : NOT_WRITTEN;
    }
    bench_publish(app.run, SERIES_INTENDED, UNIT_TICK, series->intended, app.played);
    bench_publish(app.run, SERIES_WRITTEN, UNIT_TICK, series->written, app.played);
}

static void publish(const struct input_counts *counts)
{
    const int64_t origin = (int64_t)bench_trace_origin();

    publish_planned(origin);
    if (app.stamps > 0) {
        count_from(app.stamp_from, app.stamps, origin);
        count_from(app.stamp_to, app.stamps, origin);
        bench_publish(app.run, SERIES_STAMP_NUMBER, UNIT_COUNT, app.stamp_number, app.stamps);
        bench_publish(app.run, SERIES_STAMP_FROM, UNIT_TICK, app.stamp_from, app.stamps);
        bench_publish(app.run, SERIES_STAMP_TO, UNIT_TICK, app.stamp_to, app.stamps);
    }
    publish_counts(counts);
    bench_fact(app.run, "screen_width", "pixel", app.screen.width);
    bench_fact(app.run, "screen_height", "pixel", app.screen.height);
    bench_fact(app.run, "screen_framebuffer", UNIT_COUNT, app.framebuffer ? 1 : 0);
}

/* ---- the verdict ---- */

static bool is_press(const struct script_event *event)
{
    return event->event.kind == INPUT_KEY_DOWN || event->event.kind == INPUT_BUTTON_DOWN;
}

static size_t count_presses(bool buttons)
{
    size_t presses = 0;

    for (size_t i = 0; i < app.script.count; i++) {
        const struct script_event *event = &app.script.events[i];

        presses += is_press(event) && (buttons || event->event.kind == INPUT_KEY_DOWN) ? 1 : 0;
    }
    return presses * app.phases;
}

size_t app_keys(void)
{
    return count_presses(false);
}

size_t app_presses(void)
{
    return count_presses(true);
}

const struct surface *app_surface(void)
{
    return &app.screen;
}

uint64_t app_held_us(void)
{
    uint64_t held = 0;

    for (size_t i = 0; i + 1 < app.script.count; i++) {
        const struct script_event *event = &app.script.events[i];

        held += is_press(event) ? event[1].at_us - event->at_us : 0;
    }
    return held * app.phases;
}

/* Checks that each event was written, not before it was due, and after the event before it. */
static enum bench_state judge_written(void)
{
    const struct app_series *series = &app.series;

    for (size_t i = 0; i < app.played && !bench_input()->outside; i++) {
        if (series->written[i] < series->intended[i] ||
            (i > 0 && series->written[i] <= series->written[i - 1])) {
            return bench_fail(app.run,
                              "event %zu: written at tick %ld, expected not before tick %ld and "
                              "after the event before it",
                              i, series->written[i], series->intended[i]);
        }
    }
    return BENCH_OK;
}

/* Checks the stamps of the application: one for each press, in order. */
static enum bench_state judge_stamps(size_t expected)
{
    if (app.stamps != expected && !bench_input()->outside) {
        return bench_fail(app.run, "the application stamped %zu presses, expected %zu", app.stamps,
                          expected);
    }
    for (size_t i = 0; i < app.stamps; i++) {
        if (app.stamp_to[i] < app.stamp_from[i] ||
            (i > 0 && (app.stamp_from[i] < app.stamp_to[i - 1] ||
                       app.stamp_number[i] <= app.stamp_number[i - 1]))) {
            return bench_fail(app.run, "stamp %zu of the application is out of order", i);
        }
    }
    return BENCH_OK;
}

static enum bench_state judge_work(const struct app_asked *asked)
{
    const uint64_t ticks = clock_state()->ticks_per_instruction;
    const uint64_t work = clock_ticks_from_us(asked->work_us) + asked->drawing;
    const uint64_t least = work - work / (bench_is_exact() ? WORK_PART_EXACT : WORK_PART);
    uint64_t busy;

    if (!session_busy(&app.session, &busy)) {
        return BENCH_OK;
    }
    if (busy < least) {
        return bench_fail(
            app.run,
            "busy time measured with the idle loop: expected at least %lu ticks for %lu "
            "ticks of work, got %lu",
            least, work, busy);
    }
    if (bench_is_exact() && asked->spare != APP_DRAWS && !bench_input()->outside &&
        busy > work + asked->spare * ticks * app.played) {
        return bench_fail(app.run,
                          "busy time measured with the idle loop: expected at most %lu ticks of "
                          "work plus %lu ticks per event, got %lu for %zu events",
                          work, asked->spare * ticks, busy, app.played);
    }
    return BENCH_OK;
}

enum bench_state app_judge(struct bench_run *run, const struct app_asked *asked)
{
    enum bench_state state = judge_written();

    state = state == BENCH_OK ? judge_stamps(asked->stamps) : state;
    state = state == BENCH_OK ? judge_work(asked) : state;
    return state == BENCH_OK ? bench_ok(run) : state;
}

enum bench_state app_run(struct bench_run *run, const struct app_settings *settings)
{
    struct input_counts counts[APP_PHASES_MAX] = {0};

    app = (struct app){
        .run = run,
        .settings = settings,
        .phases = settings->phase_count > 0 ? settings->phase_count : 1,
    };
    bench_place_by_size(bench_is_exact()); /* counts do not depend on what ran before */
    enum bench_state state = prepare();

    state = state == BENCH_OK ? session_begin(run, &app.session) : state;
    if (state == BENCH_OK) {
        state = session_end(run, &app.session, run_session(counts));
        publish(counts);
    }
    bench_place_by_size(false);
    return state;
}
