/* SPDX-License-Identifier: BSD-2-Clause */
/* Walks over traces: who shares one, and when it is dropped. */
#include "tools/trace/shared_walk.h"

#include "tools/present/report_plugin.h"
#include "tools/tests/support/run_builder.h"
#include "tools/tests/support/trace_builder.h"
#include "tools/tests/support/unit.h"
#include "tools/trace/trace_cut.h"

#define BEGIN  1000
#define EVENTS 20
#define APP    2

static struct run_bench *build(struct run *run)
{
    struct trace_builder trace;

    run_init(run);
    struct run_bench *bench = build_bench(run, "work", 1);

    trace_builder_init(&trace, BEGIN, 4096);
    TRACE_ADD(&trace, BEGIN, thread_is, 0, 0, 0, THREAD_RUNNING, WAIT_NONE);
    TRACE_ADD(&trace, BEGIN, thread_is, APP, 0, 10, THREAD_WAITING, WAIT_SLEEP);
    for (unsigned i = 0; i < EVENTS / 2; i++) {
        TRACE_ADD(&trace, BEGIN + 100 * i + 50, thread_switch, 0, APP,
                  TRACE_WHY(WAIT_PREEMPTED, THREAD_READY));
        TRACE_ADD(&trace, BEGIN + 100 * i + 90, thread_switch, APP, 0,
                  TRACE_WHY(WAIT_SLEEP, THREAD_WAITING));
    }
    trace_builder_finish(&trace, BEGIN + 50 * EVENTS, bench);
    return bench;
}

/* ---- a reading of input, as a module above has one ---- */

static struct {
    bool wanted;
    size_t ends, frees;
} counts;

static bool input_wanted(const struct run_bench *bench)
{
    (void)bench;
    return counts.wanted;
}

static void see_event(void *context, const struct accounting *accounting,
                      const struct trace_event *event)
{
    (void)accounting;
    (void)event;
    ++*(size_t *)context;
}

static size_t input_seat(void *state, const struct run_bench *bench, const struct walk_wish *wish,
                         struct account_observer *observers)
{
    (void)bench;
    (void)wish;
    observers[0] = (struct account_observer){.context = state, .event = see_event};
    return 1;
}

static void input_end(void *state, const struct walk *walk)
{
    CHECK_EQUAL(*(size_t *)state, walk->accounting.events);
    counts.ends++;
}

static void input_free(void *state)
{
    (void)state;
    counts.frees++;
}

static const struct trace_reading input = {.use = WALK_INPUT,
                                           .wanted = input_wanted,
                                           .size = sizeof(size_t),
                                           .seat = input_seat,
                                           .end = input_end,
                                           .free = input_free};

PLUGIN_REGISTER(input) = {.trace = &input};

/* ---- walks ---- */

static const struct walk *json_of(const struct run *run, const struct run_bench *bench)
{
    return walk_for(bench, WALK_JSON, &(struct walk_wish){.run = run, .use = WALK_JSON});
}

/* The first reading takes the others of the command along, and no more. */
static void test_shared(void)
{
    struct run run;
    struct run_bench *bench = build(&run);

    walk_share(&(struct walk_wish){.run = &run, .use = WALK_JSON, .disks = true});
    const struct walk *walk = json_of(&run, bench);

    CHECK(walk->good);
    CHECK_EQUAL(walk->accounting.events, EVENTS + 2);
    CHECK(walk->of[WALK_JSON] != NULL && walk->of[WALK_PAGE] == NULL);
    CHECK(walk->of[WALK_INPUT] != NULL); /* JSON has it of every bench */
    CHECK_EQUAL(counts.ends, 1);
    CHECK(walk == json_of(&run, bench));
    const struct walk *page = walk_for(
        bench, WALK_PAGE, &(struct walk_wish){.run = &run, .use = WALK_PAGE, .disks = true});

    CHECK(page != walk && page->of[WALK_PAGE] != NULL);
    CHECK(walk == json_of(&run, bench));
    CHECK(page->of[WALK_INPUT] == NULL); /* not wanted */
    run_free(&run);
    CHECK_EQUAL(counts.frees, 1);
}

/* Input is asked for first: the page's reading comes along. */
static void test_input_first(void)
{
    struct run run;
    struct run_bench *bench = build(&run);

    counts.wanted = true;
    walk_share(&(struct walk_wish){.run = &run, .use = WALK_PAGE, .disks = true});
    const struct walk *walk = walk_for(bench, WALK_INPUT, &(struct walk_wish){0});

    CHECK(walk->of[WALK_INPUT] != NULL && walk->of[WALK_PAGE] != NULL);
    run_free(&run);
}

/* A walk that did not know the run serves those who do not ask for it. */
static void test_run(void)
{
    struct run run;
    struct run_bench *bench = build(&run);
    const struct walk_wish alone = {.use = WALK_JSON};
    const struct walk *walk = json_of(&run, bench);

    CHECK(walk == walk_for(bench, WALK_JSON, &alone));
    run_free(&run);
}

/* After the run is cut to a window, it is read anew. */
static void test_cut(void)
{
    struct run run;
    struct run_bench *bench = build(&run);

    CHECK_EQUAL(json_of(&run, bench)->accounting.elapsed, 50 * EVENTS);
    CHECK(run_cut(&run, 0, 500, "words"));
    CHECK_EQUAL(json_of(&run, bench)->accounting.elapsed, 500);
    run_free(&run);
}

int main(void)
{
    RUN(test_shared());
    RUN(test_input_first());
    RUN(test_run());
    RUN(test_cut());
    return unit_finish("unit_shared_walk");
}
