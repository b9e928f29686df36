/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * What benches of interactive events share: an application under test with a message queue and a
 * screen, a script whose events are posted to that queue, and the results that the host needs.
 *
 *     static void application(void *argument)
 *     {
 *         struct app *app = argument;
 *         ... queue_get(&app->queue) ... queue_done(&app->queue, number) ... until QUEUE_QUIT
 *     }
 *
 *     static enum bench_state run(struct bench_run *run)
 *     {
 *         const struct app_settings settings = {.application = application, ...};
 *
 *         return app_run(run, &settings);
 *     }
 *
 * The script comes from the plan (key input.script) or, if the plan has none, from the bench's
 * parameter "script". It is played through the controller's loop-back, or by someone outside the
 * machine (input.source=outside).
 *
 * For each planned event, the bench publishes the series `intended`, `written`, `sent` (kind << 16
 * | code), `action` and `class` (kernel/input/script.h) and, if they apply, `cold` and `phase`. For
 * each event that the application stamped, it publishes `stamp_number`, `stamp_from` and
 * `stamp_to`. It also publishes the idle loop's samples and, as facts, the driver's counts. All
 * times are in ticks since the start of the trace.
 */
#pragma once

#include "bench/tasks/session.h"
#include "kernel/input/script.h"
#include "kernel/screen/surface.h"
#include "kernel/task/queue.h"

#define APP_PHASES_MAX 9
/* priority of the application's thread; its background threads have a lower one */
#define APP_PRIORITY 10

struct app;

/* One run of the script. Each phase plays the whole script once. */
struct app_phase {
    /* name in the trace mark that starts the phase; NULL: the only phase, unnamed */
    const char *name;
    /* without the script's times: all events at once or, if `driven`, those of each action */
    bool fast;
    bool driven;        /* each action starts the script's pause after the action before is done */
    bool sync_messages; /* the driver posts a message after each event (kernel/input/input.h) */
};

struct app_settings {
    thread_entry *application; /* called with the struct app; must return after QUEUE_QUIT */
    /* approximate longest time that the application works on one event */
    uint64_t event_us;
    uint64_t tick_hz;   /* clock ticks per second; 0: none */
    size_t phase_count; /* number of entries in `phase`; 0: a single phase without a name */
    struct app_phase phase[APP_PHASES_MAX];
    /* Called within the session, before the application starts, to create the bench's locks,
     * threads and devices. Returns false if there is no memory for threads. NULL: nothing to
     * prepare. */
    bool (*prepare)(struct app *app);
    /* Called when a script starts to play, to start whatever must happen meanwhile. `intended`
     * holds the planned times (TSC) of the script's events. NULL: nothing to start. */
    void (*meanwhile)(struct app *app, const int64_t *intended);
    /* For benches with a separate application in each phase; `application` is then not used.
     * phase_begin() is called within the session and starts the phase's application on app->queue;
     * it returns NULL on success, otherwise the reason. phase_end() is called after QUEUE_QUIT has
     * been posted, and waits for the application to end. */
    const char *(*phase_begin)(struct app *app, size_t phase);
    void (*phase_end)(struct app *app, size_t phase);
};

/* The script as a list of events. */
struct app_script {
    struct script_event *events;
    size_t count;
    uint64_t length_us; /* time of the last event */
};

/* The series of planned events, in rows: one row for each event of each phase, phase after phase.
 * bench/interactive/names.h and host/measure/interactive.h describe the series. */
struct app_series {
    int64_t *intended;
    int64_t *written;
    int64_t *sent;
    int64_t *cold;
    int64_t *phase;
    int64_t *action;
    int64_t *class;
};

struct app {
    struct bench_run *run;
    const struct app_settings *settings;
    struct queue queue;
    struct surface screen; /* cleared at the start; the application may draw on all of it */
    size_t phase;          /* index of the current phase */
    struct app_script script;
    struct app_series series;
    bool any_cold;
    bool wheel; /* the script contains wheel events */
    /* The members below are private to app.c. */
    size_t phases;
    uint16_t over;    /* trace mark MARK_NAME_OVER */
    bool framebuffer; /* true: the screen is the framebuffer; false: ordinary memory */
    struct session session;
    struct queue_message *messages;
    struct script_event *at_once; /* the script's events without times, for fast phases */
    size_t played;                /* number of events in the phases played so far */
    size_t stamps;
    int64_t *stamp_number;
    int64_t *stamp_from;
    int64_t *stamp_to;
};

/* Runs the whole bench: prepares script, memory and screen, runs the session, and publishes the
 * results. Returns BENCH_OK on success, otherwise the bench's result. After BENCH_OK the bench adds
 * its own results and calls app_judge(). */
enum bench_state app_run(struct bench_run *run, const struct app_settings *settings);

/*
 * Gives the bench's verdict; call after app_run() returned BENCH_OK.
 *
 * The busy time found by the idle loop must be at least the work that the application was asked for
 * (`work_us`, converted by the calibration) plus `drawing`, minus a tenth for a processor that
 * changes its clock rate (minus a hundredth in exact time). In exact time it may exceed that sum by
 * at most `spare` instructions for each event that the bench played itself. APP_DRAWS as `spare`
 * means no limit, for an application that draws: the cost of drawing depends on the screen.
 */
struct app_asked {
    uint64_t work_us;
    uint64_t drawing; /* ticks */
    uint64_t spare;
    size_t stamps; /* expected number of stamps taken by the application, in all phases */
};
enum bench_state app_judge(struct bench_run *run, const struct app_asked *asked);
#define APP_DRAWS UINT64_MAX
/* app_keys() returns the number of key presses in the script, app_presses() that of key and button
 * presses; both count all phases. */
size_t app_keys(void);
size_t app_presses(void);
/* Returns the surface that the application drew on, as the application left it. */
const struct surface *app_surface(void);
/* Returns the sum, in us over all phases, of the times from each press to the next event. */
uint64_t app_held_us(void);

/* For applications: keeps the processor busy for this time, by the calibration of the idle loop. */
void app_work(const struct app *app, uint64_t microseconds);
/* For applications: records a traditional measurement of input `number`. `from` and `to` are the
 * application's own readings of the TSC. */
void app_stamp(struct app *app, uint32_t number, uint64_t from, uint64_t to);
