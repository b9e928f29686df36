/* SPDX-License-Identifier: BSD-2-Clause */
/* Windows of time: what --from and --to take, in ticks. */
#include "tools/trace/trace_cut.h"

#include "tools/tests/support/unit.h"

#define GHZ UINT64_C(1000000000)

static uint64_t ticks_of(const char *text, uint64_t hz)
{
    struct window_time time;

    CHECK(window_time_read(text, &time));
    return window_time_ticks(&time, hz);
}

static void test_units(void)
{
    CHECK_EQUAL(ticks_of("3.2s", GHZ), 3200000000);
    CHECK_EQUAL(ticks_of("250ms", GHZ), 250000000);
    CHECK_EQUAL(ticks_of("40us", GHZ), 40000);
    CHECK_EQUAL(ticks_of("40\302\265s", GHZ), 40000);
    CHECK_EQUAL(ticks_of("900ns", GHZ), 900);
    CHECK_EQUAL(ticks_of("12000ticks", GHZ), 12000);
    CHECK_EQUAL(ticks_of("1tick", 0), 1);
    CHECK_EQUAL(ticks_of("0s", GHZ), 0);
}

/* Rounded down; no precision is lost on the way, and nothing overflows. */
static void test_ranges(void)
{
    CHECK_EQUAL(ticks_of("0.9999999999s", GHZ), 999999999);
    CHECK_EQUAL(ticks_of("1ns", 2500000000), 2);
    CHECK_EQUAL(ticks_of("0.00000000000000001s", GHZ), 0);
    CHECK_EQUAL(ticks_of("123456789012345678ticks", GHZ), 123456789012345678);
    CHECK(ticks_of("9999999999.99999999s", GHZ) == UINT64_C(9999999999999999990));
    CHECK(ticks_of("999999999999999999s", GHZ) == UINT64_MAX);
}

static void test_refused(void)
{
    static const char *const texts[] = {
        "",       "s",     "5",        "-1s",       "+1s",
        "1 s",    " 1s",   "1sec",     "1.s",       ".5s",
        "1.2.3s", "1e3ms", "1.5ticks", "0x10ticks", "1234567890123456789ns",
        "1h"};
    struct window_time time;

    for (size_t i = 0; i < sizeof(texts) / sizeof(texts[0]); i++) {
        CHECK(!window_time_read(texts[i], &time));
    }
}

static struct time_window window_of(const char *from, const char *to)
{
    struct time_window window = {.from_text = from, .to_text = to};

    window.has_from = from != NULL && window_time_read(from, &window.from);
    window.has_to = to != NULL && window_time_read(to, &window.to);
    return window;
}

static void test_window(void)
{
    const struct time_window both = window_of("1ms", "2ms");
    const struct time_window begin = window_of("1ms", NULL);
    const struct time_window end = window_of(NULL, "7ticks");
    const struct time_window empty = window_of("2ms", "2ms");
    char error[WINDOW_ERROR_MAX] = "";
    char text[WINDOW_TEXT_MAX];
    struct tick_window ticks;

    CHECK(time_window_ticks(&both, GHZ, &ticks, error));
    CHECK(ticks.from == 1000000 && ticks.to == 2000000);
    CHECK_TEXT(time_window_text(&both, text), "from 1ms to 2ms");
    CHECK(time_window_ticks(&begin, GHZ, &ticks, error) && ticks.to == UINT64_MAX);
    CHECK_TEXT(time_window_text(&begin, text), "from 1ms on");
    CHECK(time_window_ticks(&end, 0, &ticks, error) && ticks.from == 0 && ticks.to == 7);
    CHECK_TEXT(time_window_text(&end, text), "up to 7ticks");
    CHECK(!time_window_ticks(&both, 0, &ticks, error));
    CHECK_TEXT(error, "the rate of the TSC is unknown: give --from and --to in ticks");
    CHECK(!time_window_ticks(&empty, GHZ, &ticks, error));
    CHECK_TEXT(error, "--from 2ms --to 2ms: the window is empty");
}

int main(void)
{
    RUN(test_units());
    RUN(test_ranges());
    RUN(test_refused());
    RUN(test_window());
    return unit_finish("unit_time_window");
}
