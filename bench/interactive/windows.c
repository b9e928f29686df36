/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * bench windows: compares the structures of the window system (bench/interactive/window/window.h).
 * A small application in ring 3 makes every kind of request to draw, and its screen must be the
 * same in each structure. The path of a flush, there and back, is timed separately. For the same
 * drawing, two structures must differ by that path's difference in cost times the number of
 * flushes.
 */
#include "bench/interactive/program/windows.h"
#include "bench/interactive/names.h"
#include "bench/interactive/task.h"
#include "bench/interactive/window/names.h"
#include "bench/interactive/window/segmented.h"
#include "bench/interactive/window/window.h"
#include "bench/tasks/session.h"
#include "kernel/clock/clock.h"
#include "kernel/cpu/cpu.h"
#include "kernel/link/encoding.h"
#include "kernel/run/names.h"

#include <stdio.h>
#include <string.h>

extern thread_entry user_windows_main; /* program/windows.c */

#define PRIORITY   10
#define WIDTH      320
#define HEIGHT     240
#define OWN_BYTES  4096
#define MESSAGES   16
#define ROUNDS_MAX 64
#define SAMPLE_US  1000
#define POINTER_X  7 /* the application is clicked so far right of its middle */
#define HELD_PART  20
#define DRAW_US    20
#define CALL_US    200
#define CALLS      60     /* percent */
#define LENGTH_US  500000 /* approximate */
#define NAME_MAX   48

static const char *const names[WINDOW_STRUCTURES] = {
    STRUCTURE_NAME_IN_KERNEL,
    STRUCTURE_NAME_SERVER,
    STRUCTURE_NAME_SEGMENTED,
};

/* The results of one structure. */
struct outcome {
    const char *missing; /* why the structure could not run; NULL: it ran */
    struct window_counts counts;
    uint64_t results[WINDOWS_RESULTS];
    uint64_t flushes; /* flushes of one WINDOWS_DRAW */
    uint64_t drawn;   /* requests drawn by one WINDOWS_DRAW */
    uint32_t checksum;
    int64_t *draw; /* ticks of each WINDOWS_DRAW */
};

static struct {
    struct queue queue;
    struct queue_message messages[MESSAGES];
    size_t rounds;
    struct outcome outcomes[WINDOW_STRUCTURES];
} state;

/* Posts the message for `step`. Returns the ticks until the application has done what it asks for.
 */
static int64_t ask(enum windows_step step)
{
    const struct queue_message message = {.type = QUEUE_KEY_DOWN, .code = (uint16_t)step};
    const uint64_t begin = tsc_read_ordered();

    queue_post(&state.queue, &message);
    queue_wait_idle(&state.queue);
    return (int64_t)(tsc_read_ordered() - begin);
}

/* Posts a second message after the first, which the application finds by looking at the queue. */
static void ask_twice(void)
{
    const struct queue_message message = {.type = QUEUE_KEY_DOWN, .code = WINDOWS_DRAW};

    queue_post(&state.queue, &message);
    ask(WINDOWS_DRAW);
}

/* Moves the pointer and clicks: the button is down for WINDOWS_HELD_US. */
static void click(int16_t right, int16_t up_by)
{
    const struct queue_message move = {.type = QUEUE_MOVE, .x = right, .y = up_by};
    const struct queue_message down = {.type = QUEUE_BUTTON_DOWN};
    const struct queue_message up = {.type = QUEUE_BUTTON_UP};

    queue_post(&state.queue, &move);
    queue_post(&state.queue, &down);
    thread_sleep_until(tsc_read() + clock_ticks_from_us(WINDOWS_HELD_US));
    queue_post(&state.queue, &up);
    queue_wait_idle(&state.queue);
}

static void play(struct outcome *outcome)
{
    queue_wait_idle(&state.queue);
    ask(WINDOWS_DRAW); /* touches its pages for the first time */
    for (size_t i = 0; i < state.rounds; i++) {
        struct window_counts before;
        struct window_counts after;

        window_get_counts(&before);
        outcome->draw[i] = ask(WINDOWS_DRAW);
        window_get_counts(&after);
        outcome->flushes = after.flushes - before.flushes;
        outcome->drawn = after.drawn - before.drawn;
    }
    ask(WINDOWS_CROSS);
    ask_twice();
    ask(WINDOWS_INVALIDATE);
    click(WIDTH, HEIGHT / 4); /* the background takes the focus: the key goes nowhere */
    ask(WINDOWS_CROSS);
    click(-WIDTH + POINTER_X, -HEIGHT / 4);
    ask(WINDOWS_TIMER);
    thread_sleep_until(tsc_read() + clock_ticks_from_us(2 * WINDOWS_TIMER_US));
    queue_wait_idle(&state.queue);
}

static void keep(struct outcome *outcome)
{
    window_get_counts(&outcome->counts);
    const struct surface *screen = window_show();

    outcome->checksum = crc32c(0, screen->pixels,
                               (size_t)screen->width * (size_t)screen->height * sizeof(uint32_t));
    for (size_t i = 0; i < WINDOWS_RESULTS; i++) {
        outcome->results[i] = window_shared()->results[i];
    }
}

static void run_structure(const struct session *session, enum window_structure structure)
{
    const struct queue_message quit = {.type = QUEUE_QUIT};
    const struct window_settings settings = {
        .structure = structure,
        .name = names[structure],
        .program = user_windows_main,
        .priority = PRIORITY,
        .queue = &state.queue,
        .width = WIDTH,
        .height = HEIGHT,
        .spin_per_ms = idle_loop_iterations(&session->calibration, clock_ticks_from_us(1000)
                                                                       << WINDOW_SPIN_SHIFT),
        .own_bytes = OWN_BYTES,
        .draw_us = DRAW_US,
        .call_us = CALL_US,
        .calls_percent = CALLS,
        .batch_size = BATCH_MAX,
    };
    struct outcome *outcome = &state.outcomes[structure];

    outcome->missing = window_begin(&settings);
    if (outcome->missing != NULL) {
        return;
    }
    play(outcome);
    queue_post(&state.queue, &quit);
    thread_join(window_thread());
    keep(outcome);
    window_end();
}

/* ---- afterwards ---- */

static void publish(struct bench_run *run)
{
    for (size_t i = 0; i < WINDOW_STRUCTURES; i++) {
        const struct outcome *outcome = &state.outcomes[i];
        char name[NAME_MAX];

        if (outcome->missing != NULL) {
            bench_absent(run, names[i], outcome->missing);
            continue;
        }
        snprintf(name, sizeof(name), SERIES_DRAW ".%s", names[i]);
        bench_publish(run, name, UNIT_TICK, outcome->draw, state.rounds);
        window_facts_publish(run, names[i], &outcome->counts);
        window_facts_add(run, names[i], FACT_SCREEN_CHECKSUM, UNIT_CODE, outcome->checksum);
        window_facts_add(run, names[i], "draw_flushes", UNIT_COUNT, (int64_t)outcome->flushes);
        window_facts_add(run, names[i], "draw_requests", UNIT_COUNT, (int64_t)outcome->drawn);
        window_facts_add(run, names[i], "flush_least", UNIT_TICK,
                         (int64_t)outcome->results[WINDOWS_LEAST]);
        window_facts_add(run, names[i], "flush_most", UNIT_TICK,
                         (int64_t)outcome->results[WINDOWS_MOST]);
        window_facts_add(run, names[i], "button_held", UNIT_TICK,
                         (int64_t)outcome->results[WINDOWS_HELD]);
    }
}

/* Checks the counts of a structure. Returns NULL if they are right, otherwise what is wrong. */
static const char *wrong_counts(size_t structure)
{
    const struct outcome *outcome = &state.outcomes[structure];
    const struct window_counts *counts = &outcome->counts;
    const uint64_t rounds = structure == WINDOW_SERVER ? counts->flushes + WINDOWS_CROSSINGS : 0;

    if (counts->requests != counts->merged + counts->drawn || counts->merged == 0) {
        return "merged and drawn requests do not add up to all requests, or none was merged";
    }
    if (counts->address_spaces != 2 * rounds) {
        return "expected two address-space loads for each flush to the server, and no others";
    }
    const uint64_t calls = structure == WINDOW_SEGMENTED ? counts->flushes + WINDOWS_CROSSINGS : 0;

    const uint64_t records = calls > 0 ? counts->drawn : 0;

    if (counts->far_calls != calls ||
        counts->segment_loads != SEGMENTED_LOADS * calls + SEGMENTED_WALK * records ||
        counts->unaligned != SEGMENTED_UNALIGNED * records) {
        return "the counts of far calls, segment loads or unaligned accesses do not match the "
               "numbers of flushes and drawn requests";
    }
    return NULL;
}

static const char *wrong_messages(size_t structure)
{
    const struct outcome *outcome = &state.outcomes[structure];
    const uint64_t *results = outcome->results;

    if (results[WINDOWS_PAINTS] != 1 || outcome->counts.paints != 1 ||
        results[WINDOWS_AREA] != USER_AREA(0, 20, 130, 40)) {
        return "expected one message to paint, for both invalid areas together";
    }
    if (results[WINDOWS_TIMERS] != 1) {
        return "expected one timer message: the second timer must replace the first";
    }
    if (results[WINDOWS_POINTER] != USER_AREA(WIDTH / 2 + POINTER_X, HEIGHT / 2, 0, 0)) {
        return "a click had another position, or another window took it";
    }
    /* the second of two drawings, the message to paint, and the click after its movement */
    return results[WINDOWS_PEEKS] != 3 ? "looking at the queue did not find all messages" : NULL;
}

/* Checks how long a click keeps the processor: in the segmented structure as long as the button is
 * held, less what its messages take; in the others the click must be over at once. */
static const char *wrong_click(size_t structure)
{
    const uint64_t held = state.outcomes[structure].results[WINDOWS_HELD];
    const uint64_t asked = clock_ticks_from_us(WINDOWS_HELD_US);

    if (structure == WINDOW_SEGMENTED) {
        return held < asked - asked / HELD_PART
                   ? "a click was handled before the button was released"
                   : NULL;
    }
    return held > asked / 100 ? "a click waited for the button, expected to end at once" : NULL;
}

/* Returns the shortest drawing; the others may contain an interrupt. */
static int64_t least_draw(const struct outcome *outcome)
{
    int64_t least = outcome->draw[0];

    for (size_t i = 1; i < state.rounds; i++) {
        least = outcome->draw[i] < least ? outcome->draw[i] : least;
    }
    return least;
}

/* For exact time: returns the ticks by which drawing in this structure differs from drawing in the
 * kernel, less the difference caused by its flushes. The result must be 0 or, in a structure that
 * takes each request as a record, the same number for each request. */
static int64_t residual(const struct outcome *outcome)
{
    const struct outcome *plain = &state.outcomes[WINDOW_IN_KERNEL];
    const int64_t cost =
        (int64_t)outcome->results[WINDOWS_LEAST] - (int64_t)plain->results[WINDOWS_LEAST];

    return least_draw(outcome) - least_draw(plain) - (int64_t)outcome->flushes * cost;
}

static enum bench_state judge_against(struct bench_run *run, size_t structure)
{
    const struct outcome *plain = &state.outcomes[WINDOW_IN_KERNEL];
    const struct outcome *outcome = &state.outcomes[structure];

    if (outcome->checksum != plain->checksum) {
        return bench_fail(run, "%s: the screen differs from that of %s", names[structure],
                          names[WINDOW_IN_KERNEL]);
    }
    const int64_t rest = residual(outcome);
    const bool records = structure == WINDOW_SEGMENTED;

    if (bench_is_exact() && (records ? rest % (int64_t)outcome->drawn != 0 : rest != 0)) {
        return bench_fail(run,
                          "%s: the drawing differs from that of %s by %ld ticks that its flushes "
                          "do not explain",
                          names[structure], names[WINDOW_IN_KERNEL], rest);
    }
    return BENCH_OK;
}

static enum bench_state judge(struct bench_run *run)
{
    enum bench_state result = BENCH_OK;

    for (size_t i = 0; i < WINDOW_STRUCTURES && result == BENCH_OK; i++) {
        if (state.outcomes[i].missing != NULL) {
            continue;
        }
        const char *wrong = wrong_counts(i);

        wrong = wrong == NULL ? wrong_messages(i) : wrong;
        wrong = wrong == NULL ? wrong_click(i) : wrong;
        result = wrong != NULL ? bench_fail(run, "%s: %s", names[i], wrong) : judge_against(run, i);
    }
    return result == BENCH_OK ? bench_ok(run) : result;
}

static bool take_memory(void)
{
    bool good = true;

    for (size_t i = 0; i < WINDOW_STRUCTURES; i++) {
        state.outcomes[i].draw = bench_samples(state.rounds);
        good = good && state.outcomes[i].draw != NULL;
    }
    return good;
}

static enum bench_state run(struct bench_run *run)
{
    struct session session = {.sample_us = SAMPLE_US, .length_us = LENGTH_US};
    const char *why = NULL;

    if (!process_supported(&why)) {
        return bench_skip(run, "%s", why);
    }
    memset(&state, 0, sizeof(state));
    state.rounds = bench_number(run, "rounds");
    if (!take_memory()) {
        return bench_error(run, "cannot allocate memory for %zu samples of each structure",
                           state.rounds);
    }
    const enum bench_state begun = session_begin(run, &session);

    if (begun != BENCH_OK) {
        return begun;
    }
    queue_init(&state.queue, "application", state.messages, MESSAGES);
    for (size_t i = 0; i < WINDOW_STRUCTURES; i++) {
        run_structure(&session, i);
    }
    const enum bench_state ended = session_end(run, &session, BENCH_OK);

    publish(run);
    if (ended == BENCH_OK && state.outcomes[WINDOW_IN_KERNEL].missing != NULL) {
        return bench_error(run, "%s", state.outcomes[WINDOW_IN_KERNEL].missing);
    }
    return ended == BENCH_OK ? judge(run) : ended;
}

static const struct bench_param params[] = {
    {"rounds", "4", "number of repetitions of the drawing", PARAM_NUMBER(2, ROUNDS_MAX)},
    {0},
};

static const struct bench windows = {
    .name = "windows",
    .group = GROUP_INTERACTIVE,
    .summary =
        "window system in three structures: drawing by system call, by server, by 16-bit code",
    .unit = UNIT_TICK,
    .estimate = "the same pixels in each structure; a flush to a server takes four system calls, "
                "two messages and two address-space loads, about 1000 instructions more than one "
                "system call",
    .needs = NEED_CLOCK | NEED_LAPIC_TIMER,
    .on_request = true,
    .params = params,
    .run = run,
};
BENCH_REGISTER(windows);
