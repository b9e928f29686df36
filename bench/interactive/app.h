/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * What benches of interactive events share: an application under test with a message queue and a
 * screen, a script whose events come into the queue, and what the host is to know of it all.
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
 * The script is the plan's (input.script), else the bench's own parameter "script". It is played by
 * the controller's loop-back, or somebody outside the machine plays it (input.source=outside).
 *
 * Published are, with times in ticks since the begin of the trace, of each event that was planned
 * the series `intended`, `written`, `sent` (kind << 16 | code), `action` and `class`
 * (kernel/input/script.h), and where there is such a thing `cold` and `phase`; of each event that
 * the application stamped `stamp_number`, `stamp_from` and `stamp_to`; the idle loop's samples; and
 * what the driver counted, as facts.
 */
#pragma once

#include "bench/tasks/session.h"
#include "kernel/input/script.h"
#include "kernel/screen/surface.h"
#include "kernel/task/queue.h"

#define APP_PHASES_MAX 9
#define APP_PRIORITY   10 /* of the application; threads of lower priority are its background */

struct app;

/* The script is played once in each. */
struct app_phase {
    const char *name;   /* of the trace's mark before it; NULL: there is only this one */
    bool fast;          /* all events at once, each as soon as the one before was taken */
    bool driven;        /* each action so long after the one before it is done: driven_us */
    bool sync_messages; /* the driver posts a message behind each event (kernel/input/input.h) */
};

struct app_settings {
    thread_entry *application; /* called with the struct app; returns after QUEUE_QUIT */
    uint64_t event_us;         /* about; longest that it is at work on an event */
    uint64_t tick_hz;          /* clock ticks a second; 0: none */
    uint64_t driven_us;        /* of driven phases: from an action's end to the next one */
    size_t phase_count;        /* 0: one, without a name */
    struct app_phase phase[APP_PHASES_MAX];
    /* Within the session, before the application begins: locks, threads and devices of the bench's
     * own. False: no memory for threads. NULL: there are none. */
    bool (*prepare)(struct app *app);
    /* When a script begins to be played: starts what is to happen meanwhile. NULL: nothing. */
    void (*meanwhile)(struct app *app, const int64_t *intended);
    /* Where each phase has an application apart, in place of `application`: within the session,
     * begins it on app->queue, and after its QUEUE_QUIT waits for its end. NULL: it began; or why
     * not. */
    const char *(*phase_begin)(struct app *app, size_t phase);
    void (*phase_end)(struct app *app, size_t phase);
};

/* Of each phase. */
struct app_script {
    struct script_event *events;
    size_t count;
    uint64_t length_us; /* until the last */
};

/* Of each event that is planned, all phases one behind the other. */
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
    struct surface screen; /* cleared; all of it may be drawn on */
    size_t phase;          /* that is played */
    struct app_script script;
    struct app_series series;
    bool any_cold;
    bool wheel; /* the script turns it */
    /* The rest is app.c's own. */
    size_t phases;
    bool framebuffer; /* else the screen is memory */
    struct session session;
    struct queue_message *messages;
    struct script_event *at_once; /* the script for a fast phase */
    size_t played;                /* events of the phases so far */
    size_t stamps;
    int64_t *stamp_number;
    int64_t *stamp_from;
    int64_t *stamp_to;
};

/* All of it, as the bench's run; what the bench found itself it sends afterwards, where that is
 * BENCH_OK. */
enum bench_state app_run(struct bench_run *run, const struct app_settings *settings);

/*
 * The bench's verdict, after app_run() returned BENCH_OK. The idle loop must have recovered the
 * work that the application was asked for, in us by the calibration, and `drawing`, ticks of what
 * it drew at the least; less a tenth for a processor that changes its clock rate, in exact time a
 * hundredth. In exact time it may have recovered at most `spare` instructions more for each event
 * that the bench played itself; APP_DRAWS where the application draws, whose cost depends on the
 * screen.
 */
struct app_asked {
    uint64_t work_us;
    uint64_t drawing; /* ticks */
    uint64_t spare;
    size_t stamps; /* of the application's own, in all phases */
};
enum bench_state app_judge(struct bench_run *run, const struct app_asked *asked);
#define APP_DRAWS UINT64_MAX
/* Events of the script that press a key, or a key or a button, in all phases. */
size_t app_keys(void);
size_t app_presses(void);
/* What the application drew on; as it left it. */
const struct surface *app_surface(void);
/* Time from each press to the event behind it, in us, all together. */
uint64_t app_held_us(void);

/* For applications: computes for so long, by the calibration of the idle loop. */
void app_work(const struct app *app, uint64_t microseconds);
/* The traditional measurement of an input: the application's own readings of the TSC. */
void app_stamp(struct app *app, uint32_t number, uint64_t from, uint64_t to);
