/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * bench writer: a word processor that puts off what can wait (Endo et al., OSDI '96, section 5.4,
 * with Word). A paragraph of 1000 characters is typed, with errors, corrections, arrow keys and
 * pauses. Without a driver's synchronisation messages, a key takes as long as its echo; with these
 * messages, it also takes layout and spelling. The total work is the same.
 */
#include <string.h>

#include "bench/interactive/names.h"
#include "bench/interactive/program/writer_program.h"
#include "bench/interactive/task.h"
#include "bench/interactive/window/names.h"
#include "kernel/run/names.h"

#define WIDTH    640
#define HEIGHT   480
#define EVENT_US 50000
#define SAME                                                                                    \
    (1u << WRITER_CHECKSUM | 1u << WRITER_LENGTH | 1u << WRITER_LAID_OUT | 1u << WRITER_LINES | \
     1u << WRITER_WORDS | 1u << WRITER_WRONG | 1u << WRITER_STEPS)
/* In exact time: what calls, clock ticks and arrivals may take in addition to the work. */
#define TOLERANCE 20 /* allowed difference, as 1 / TOLERANCE of the work */

static struct {
    size_t count;
    struct {
        char name[48];
        uint64_t results[WINDOW_RESULTS];
    } phases[APP_PHASES_MAX];
} state;

static void phase_over(struct bench_run *run, const char *phase)
{
    (void)run;
    strncpy(state.phases[state.count].name, phase, sizeof(state.phases[0].name) - 1);
    memcpy(state.phases[state.count].results, window_shared()->results,
           sizeof(state.phases[0].results));
    state.count++;
}

static uint64_t put_off(const uint64_t *results)
{
    return results[WRITER_LAYOUT] + results[WRITER_SPELLING];
}

static bool is_about(uint64_t value, uint64_t expected)
{
    const uint64_t off = value > expected ? value - expected : expected - value;

    return off <= expected / TOLERANCE;
}

/* Checks the time to answer the keys: the echo alone or, with messages of a driver, the echo and
 * everything that follows. */
static enum bench_state judge_phase(struct bench_run *run, size_t index)
{
    const char *name = state.phases[index].name;
    const uint64_t *results = state.phases[index].results;
    const bool sync = strstr(name, "." DRIVER_NAME_TEST) != NULL;
    const uint64_t expected = results[WRITER_ECHO] + (sync ? put_off(results) : 0);

    if (!is_about(results[WRITER_ANSWER], expected)) {
        return bench_fail(run, "%s: answers to keys: expected about %lu ticks (%s), got %lu", name,
                          expected, sync ? "echo, layout and spelling" : "echo alone",
                          results[WRITER_ANSWER]);
    }
    if (!is_about(put_off(results), put_off(state.phases[0].results))) {
        return bench_fail(
            run, "%s: layout and spelling: expected about %lu ticks as in %s, got %lu", name,
            put_off(state.phases[0].results), state.phases[0].name, put_off(results));
    }
    return BENCH_OK;
}

static enum bench_state run(struct bench_run *run)
{
    const struct task task = {
        .name = "writer",
        .program = user_write_text,
        .event_us = EVENT_US,
        .own_bytes = WRITER_OWN_BYTES,
        .width = WIDTH,
        .height = HEIGHT,
        .parameters = {[WRITER_ECHO_US] = bench_number(run, "echo_us"),
                       [WRITER_LAYOUT_US] = bench_number(run, "layout_us"),
                       [WRITER_SPELL_US] = bench_number(run, "spell_us")},
        .results = {[WRITER_CHECKSUM] = FACT_DOCUMENT_CHECKSUM,
                    [WRITER_LENGTH] = "document_length",
                    [WRITER_LAID_OUT] = "layouts",
                    [WRITER_LINES] = "lines",
                    [WRITER_WORDS] = "words",
                    [WRITER_WRONG] = "words_wrong",
                    [WRITER_STEPS] = "steps",
                    [WRITER_ECHO] = "echo_ticks",
                    [WRITER_LAYOUT] = "layout_ticks",
                    [WRITER_SPELLING] = "spelling_ticks",
                    [WRITER_ANSWER] = "answer_ticks",
                    [WRITER_BEHIND] = "behind"},
        .same = SAME,
        .phase_over = phase_over,
    };

    memset(&state, 0, sizeof(state));
    task_script_publish(run);
    enum bench_state result = task_run(run, &task);

    for (size_t i = 0; i < state.count && result == BENCH_OK && bench_is_exact(); i++) {
        result = judge_phase(run, i);
    }
    return result;
}

static const struct bench_param params[] = {
    {"script",
     "type characters=330 seed=1 errors=2% compose=2s; enter; left every=200ms x12; "
     "right every=200ms x12; type characters=330 seed=2 errors=2% compose=2s; enter; pause 1s; "
     "up every=300ms x4; down every=300ms x3; end; type characters=340 seed=3 errors=2% "
     "compose=2s; enter",
     "keys to type, in each phase", PARAM_TEXT()},
    {"echo_us", "20000", "work for each key that does something, in us", PARAM_TIME(0, 100000)},
    {"layout_us", "48000", "work for a layout, in us", PARAM_TIME(1, 1000000)},
    {"spell_us", "17000", "work to look up a word of five letters, in us", PARAM_TIME(1, 1000000)},
    TASK_PARAMS,
    {0},
};

static const struct bench writer = {
    .name = "writer",
    .group = GROUP_INTERACTIVE,
    .summary = "a word processor that puts off layout and spelling: a text of 1000 characters",
    .unit = UNIT_TICK,
    .estimate = "by hand a key takes as long as its echo; with synchronisation messages it takes "
                "layout and spelling as well; the total work is the same",
    .needs = NEED_CLOCK | NEED_LAPIC_TIMER,
    .params = params,
    .on_request = true,
    .run = run,
};
BENCH_REGISTER(writer);
