/* SPDX-License-Identifier: BSD-2-Clause */
/* Workload scripts: kernel/input/script.h, typist.h and key.h. */
#include <math.h>
#include <stdlib.h>

#include "kernel/input/event.h"
#include "kernel/input/script.h"
#include "kernel/input/typist.h"
#include "tools/base/alloc.h"
#include "tools/tests/support/unit.h"

#define KEY_A     0x1e
#define KEY_B     0x30
#define KEY_SPACE 0x39
#define PAGE_DOWN (INPUT_EXTENDED | 0x51)

static struct script_event events[SCRIPT_EVENTS_MAX];

/* Number of events; -1 where the script is refused. */
static long read_script(const char *text)
{
    char error[SCRIPT_ERROR_MAX];
    size_t count;
    size_t counted;

    if (!script_read(text, strlen(text), events, SCRIPT_EVENTS_MAX, &count, error)) {
        fprintf(stderr, "%s: %s\n", text, error);
        return -1;
    }
    CHECK_TEXT(error, "");
    CHECK(script_read(text, strlen(text), NULL, 0, &counted, error));
    CHECK_EQUAL(counted, count);
    return (long)count;
}

/* The script's events as text: "0 +a 40000 -a 120000 +left ...", moves as "10000 3,-2". */
static void check_script(const char *text, const char *expected)
{
    static const char *const buttons[BUTTONS] = {"left", "right", "middle"};
    char *shown;
    size_t size;
    FILE *out = open_memstream(&shown, &size);
    const long count = read_script(text);

    CHECK(count >= 0);
    for (long i = 0; i < count; i++) {
        const struct input_event *event = &events[i].event;
        const bool is_key = event->kind == INPUT_KEY_DOWN || event->kind == INPUT_KEY_UP;
        const bool down = event->kind == INPUT_KEY_DOWN || event->kind == INPUT_BUTTON_DOWN;

        fprintf(out, "%s%" PRIu64 " ", i > 0 ? " " : "", events[i].at_us);
        if (event->kind == INPUT_MOVE) {
            fprintf(out, "%d,%d", event->dx, event->dy);
        } else {
            fprintf(out, "%c%s", down ? '+' : '-',
                    is_key ? key_name(event->code) : buttons[event->code]);
        }
    }
    fclose(out);
    CHECK_TEXT(shown, expected);
    free(shown);
}

static void check_error(const char *text, const char *expected)
{
    char error[SCRIPT_ERROR_MAX] = "";
    size_t count;

    CHECK(!script_read(text, strlen(text), events, SCRIPT_EVENTS_MAX, &count, error));
    CHECK_TEXT(error, expected);
}

static void test_grammar(void)
{
    check_script("", "");
    check_script(" ;; # key a\n\t\r\n#", "");
    check_script("at 120ms key a", "120000 +a 160000 -a");
    check_script("a", "0 +a 40000 -a");
    check_script("key x x2;x", "0 +x 40000 -x 120000 +x 160000 -x 240000 +x 280000 -x");
    check_script("pagedown x2 every=1s hold=0.5ms # twice\nup",
                 "0 +pagedown 500 -pagedown 1000000 +pagedown 1000500 -pagedown "
                 "2000000 +up 2040000 -up");
    check_script("pagedown \xc3\x97"
                 "2 hold=130ms",
                 "0 +pagedown 130000 -pagedown 130000 +pagedown 260000 -pagedown");
    check_script("click left; click right hold=1us; click middle hold=0us",
                 "0 +left 90000 -left 120000 +right 120001 -right 240000 +middle 240000 -middle");
    check_script("move 255,-255; move -1,0 every=2us x2; move 0,1",
                 "0 255,-255 120000 -1,0 120002 -1,0 120004 0,1");
    check_script("pause 400ms; a; pause 1s; b", "400000 +a 440000 -a 1520000 +b 1560000 -b");
    check_script("at 1.5ms a hold=1.0019ms", "1500 +a 2501 -a");
    check_script("at 0.000001s a hold=0.9us", "1 +a 1 -a");
    check_script("at 0.0000009999999999999999999s a hold=1.0000000000000000000000000000000000000000"
                 "0000000000000000000000000us",
                 "0 +a 1 -a");
    check_script("at 3600s move 1,1 every=0us", "3600000000 1,1");
    check_script("type \"aB\\n\" seed=0 hold=10ms",
                 "0 +a 10000 -a 120000 +shift 125000 +b 135000 -b 137500 -shift "
                 "240000 +enter 250000 -enter");
    check_script("type \"\\\"\\\\;#\" fast",
                 "0 +shift 0 +quote 0 -quote 0 -shift 0 +backslash 0 -backslash "
                 "0 +semicolon 0 -semicolon 0 +shift 0 +3 0 -3 0 -shift");
    check_script("type \"a\" wpm=0;a", "0 +a 0 -a 0 +a 40000 -a");
    check_script("type \"\" ; a", "0 +a 40000 -a");
}

static void test_order(void)
{
    check_script("at 1s a; at 0s b; at 500ms click left",
                 "0 +b 40000 -b 500000 +left 590000 -left 1000000 +a 1040000 -a");
    check_script("a hold=100ms; at 50ms b hold=100ms", "0 +a 50000 +b 100000 -a 150000 -b");
    check_script("at 10ms a hold=0ms; at 10ms b hold=0ms; at 10ms move 1,1",
                 "10000 +a 10000 -a 10000 +b 10000 -b 10000 1,1");
    check_script("a hold=40ms; at 40ms a hold=1ms", "0 +a 40000 -a 40000 +a 41000 -a");
}

static void test_statement_errors(void)
{
    check_error("a; typ \"b\"", "script statement 2, typ: expected key, type, click, move, wheel, "
                                "pause or the name of a key");
    check_error(
        "at 1ms",
        "script statement 1: expected key, type, click, move, wheel, pause or the name of a key");
    check_error(
        "\"a\"",
        "script statement 1: expected key, type, click, move, wheel, pause or the name of a key");
    check_error("at 1 a", "script statement 1, 1: expected a time such as 1.5ms, at most an hour");
    check_error("at 1.s a",
                "script statement 1, 1.s: expected a time such as 1.5ms, at most an hour");
    check_error("at -1s a",
                "script statement 1, -1s: expected a time such as 1.5ms, at most an hour");
    check_error("at 3601s a",
                "script statement 1, 3601s: expected a time such as 1.5ms, at most an hour");
    check_error("pause 18446744073709551616us", "script statement 1, 18446744073709551616us: "
                                                "expected a time such as 1.5ms, at most an hour");
    check_error("pause 1s 2s",
                "script statement 1, 2s: unknown option for this action, or no value");
    check_error("key", "script statement 1: no such key");
    check_error("key A", "script statement 1, A: no such key");
    check_error("key hold=1ms", "script statement 1, hold=1ms: no such key");
    check_error("a hold=",
                "script statement 1, hold=: unknown option for this action, or no value");
    check_error("a hold=1",
                "script statement 1, hold=1: expected a time such as 1.5ms, at most an hour");
    check_error("a x0", "script statement 1, x0: expected a number from 1 to 20000");
    check_error("a xa", "script statement 1, xa: expected a number from 1 to 20000");
    check_error("a wpm=1",
                "script statement 1, wpm=1: unknown option for this action, or no value");
    check_error("a fast", "script statement 1, fast: unknown option for this action, or no value");
    check_error("a \"b\"", "script statement 1: a text is not allowed here");
    check_error("a\x01", "script statement 1, a?: expected key, type, click, move, wheel, pause or "
                         "the name of a key");
}

static void test_value_errors(void)
{
    check_error("click", "script statement 1: expected left, right or middle");
    check_error("click up", "script statement 1, up: expected left, right or middle");
    check_error("move 1",
                "script statement 1, 1: expected DX,DY, each from -255 to 255 and not both 0");
    check_error("move 0,0",
                "script statement 1, 0,0: expected DX,DY, each from -255 to 255 and not both 0");
    check_error("move 256,0",
                "script statement 1, 256,0: expected DX,DY, each from -255 to 255 and not both 0");
    check_error("move 1,1 hold=1ms",
                "script statement 1, hold=1ms: unknown option for this action, or no value");
}

static void test_text_errors(void)
{
    check_error("type a",
                "script statement 1, a: expected a text in double quotes, words=N or characters=N");
    check_error("type",
                "script statement 1: expected a text in double quotes, words=N or characters=N");
    check_error("type \"a\n\"", "script statement 1: the text has no closing quote");
    check_error("type \"a\\", "script statement 1: the only escapes are \\\" \\\\ \\n and \\t");
    check_error("type \"\\x\"", "script statement 1: the only escapes are \\\" \\\\ \\n and \\t");
    check_error("type \"\xc3\xa9\"", "script statement 1: no key types the character c3h");
    check_error("type words=0", "script statement 1, words=0: expected a number from 1 to 10000");
    check_error("type words=10001",
                "script statement 1, words=10001: expected a number from 1 to 10000");
    check_error("type \"a\" wpm=6001",
                "script statement 1, wpm=6001: expected a number from 0 to 6000");
    check_error("type \"a\" seed=4294967296",
                "script statement 1, seed=4294967296: expected a number from 0 to 4294967295");
}

static void test_plan_errors(void)
{
    check_error("a every=10ms x2", "script: key a is pressed while it is held");
    check_error("click right hold=1s; at 999ms click right",
                "script: button right is pressed while it is held");
    check_error("a x10000; move 1,1", "script statement 2: the script has more than 20000 events");
    check_error("type characters=9999 wpm=1",
                "script statement 1: the script becomes longer than an hour");
    check_error("a every=3600s x3", "script statement 1: the script becomes longer than an hour");
    check_error("at 3600s pause 1us", "script statement 1: the script becomes longer than an hour");
}

static void test_capacity(void)
{
    struct script_event few[3] = {{.at_us = 7}, {.at_us = 7}, {.at_us = 7}};
    char error[SCRIPT_ERROR_MAX];
    size_t count;

    CHECK(script_read("a", 1, few, 2, &count, error) && count == 2);
    CHECK(!script_read("a x2", 4, few, 2, &count, error));
    CHECK_TEXT(error, "script statement 1: the script has more than 2 events");
    CHECK_EQUAL(few[2].at_us, 7);
    CHECK(script_read("a x2", 1, few, 2, &count, error) && count == 2); /* by its length */
    CHECK_EQUAL(read_script("a x10000"), 20000);
}

/* ---- the typist ---- */

#define MEAN_US 120000 /* at 100 words a minute */
#define MANY    200000
#define MADE_UP 1300
#define SEEDS   400
#define U_MEAN  1000.0 /* of u in typist.h, in thousandths */
#define U_LEAST 650
#define U_MOST  (650 + 300 + 300 + 1600)

struct moments {
    double mean;
    double variance;
    double third;
};

static struct moments measure(const double *values, size_t count)
{
    struct moments moments = {0};

    for (size_t i = 0; i < count; i++) {
        moments.mean += values[i] / (double)count;
    }
    for (size_t i = 0; i < count; i++) {
        const double deviation = values[i] - moments.mean;

        moments.variance += deviation * deviation / (double)count;
        moments.third += deviation * deviation * deviation / (double)count;
    }
    return moments;
}

/* u's moments, from the uniform distributions of 0 to n that it is the sum of. */
static struct moments expected_moments(void)
{
    const double n = 300;
    const double z = 1600;
    const double z1 = z / 2 / 16;
    const double z2 = z * (2 * z + 1) / 6 / 16;
    const double z3 = z * z * (z + 1) / 4 / 16;

    return (struct moments){
        .mean = U_LEAST + n + z1,
        .variance = 2 * ((n + 1) * (n + 1) - 1) / 12 + z2 - z1 * z1,
        .third = z3 - 3 * z1 * z2 + 2 * z1 * z1 * z1, /* those of X and Y are symmetric */
    };
}

static char *repeat(const char *text, size_t times)
{
    const size_t length = strlen(text);
    char *all = alloc_zeroed(length * times + 1);

    for (size_t i = 0; i < times; i++) {
        memcpy(all + i * length, text, length);
    }
    return all;
}

/* Within one long word nothing but u varies. */
static void test_distribution(void)
{
    char *text = repeat("a", MANY);
    double *u = alloc_zeroed(MANY * sizeof(*u));
    const struct moments expected = expected_moments();
    const struct typist_settings settings = {.string = text, .length = MANY, .wpm = 100, .seed = 7};
    struct typist_stroke stroke;
    struct typist typist;
    size_t outside = 0;

    typist_begin(&typist, &settings);
    CHECK_EQUAL(typist_shortest_us(&typist), MEAN_US * U_LEAST / 1000);
    for (size_t i = 0; i < MANY && typist_next(&typist, &stroke); i++) {
        u[i] = (double)stroke.interval_us * 1000 / MEAN_US;
        outside += u[i] < U_LEAST - 0.01 || u[i] > U_MOST + 0.01 ? 1 : 0;
    }
    CHECK(!typist_next(&typist, &stroke));
    CHECK_EQUAL(outside, 0);
    const struct moments moments = measure(u, MANY);

    CHECK(fabs(expected.mean - U_MEAN) < 1e-9);
    CHECK(fabs(moments.mean - U_MEAN) < 4 * sqrt(expected.variance / MANY));
    CHECK(fabs(moments.variance / expected.variance - 1) < 0.03);
    CHECK(fabs(moments.third / expected.third - 1) < 0.06);
    CHECK(expected.third > 3 * pow(expected.variance, 1.5)); /* skewed to the right */
    free(text);
    free(u);
}

/* What the whole text takes. */
static double text_us(const struct typist_settings *settings)
{
    struct typist_stroke stroke = {0};
    struct typist typist;

    typist_begin(&typist, settings);
    while (typist_next(&typist, &stroke)) {
    }
    return (double)(stroke.at_us + stroke.interval_us);
}

/* Whatever its words, a text takes its characters' time on average: that of one made-up text of
 * 1300 within 2 %, of the average of many within four times its own error. */
static void test_mean(void)
{
    static const char *const texts[] = {
        "abcdefghij", "a. ", "ab cd. ", "\t\n  ", "Hello, World! How are you? ",
    };
    const double u_error = sqrt(expected_moments().variance) / U_MEAN;

    for (uint64_t seed = 1; seed <= 9; seed++) {
        const struct typist_settings settings = {.made_up = MADE_UP, .wpm = 100, .seed = seed};

        CHECK(fabs(text_us(&settings) / (MADE_UP * (double)MEAN_US) - 1) < 0.02);
    }
    for (size_t i = 0; i < sizeof(texts) / sizeof(texts[0]); i++) {
        char *text = repeat(texts[i], 20);
        const size_t length = strlen(text);
        double sum = 0;

        for (uint64_t seed = 1; seed <= SEEDS; seed++) {
            const struct typist_settings settings = {
                .string = text, .length = length, .wpm = 60, .seed = seed};

            sum += text_us(&settings) / (200000.0 * (double)length);
        }
        /* Weights of 4 and 12 in turn make the error larger than that of equal ones, by sqrt(80) /
         * 8: at most. */
        CHECK(fabs(sum / SEEDS - 1) < 4 * 1.12 * u_error / sqrt(SEEDS * (double)length));
        free(text);
    }
}

/* Longer before a word, by 6 to 4, and longest before a sentence, by 12 to 4. */
static void test_pauses(void)
{
    char *text = repeat("abc de! fgh. ", 3000);
    const struct typist_settings settings = {
        .string = text, .length = strlen(text), .wpm = 100, .seed = 3};
    double sum[3] = {0};
    double count[3] = {0};
    struct typist_stroke stroke;
    struct typist typist;

    typist_begin(&typist, &settings);
    for (size_t i = 0; typist_next(&typist, &stroke); i++) {
        const char *behind = text + i;
        const size_t kind = *behind != ' ' || behind[1] == '\0'      ? 0
                            : behind[-1] == '!' || behind[-1] == '.' ? 2
                                                                     : 1;

        CHECK(stroke.character == *behind && stroke.interval_us >= 0.325 * MEAN_US);
        sum[kind] += (double)stroke.interval_us;
        count[kind]++;
    }
    CHECK(fabs(sum[1] / count[1] / (sum[0] / count[0]) - 1.5) < 0.05);
    CHECK(fabs(sum[2] / count[2] / (sum[0] / count[0]) - 3.0) < 0.08);
    free(text);
}

static void test_seeds(void)
{
    const struct typist_settings even = {.made_up = MADE_UP, .wpm = 100, .seed = 0};
    struct typist_settings seeded = even;
    struct typist_stroke stroke;
    struct typist typist;
    double first;

    typist_begin(&typist, &even);
    for (uint64_t i = 0; i < MADE_UP; i++) {
        CHECK(typist_next(&typist, &stroke) && stroke.at_us == i * MEAN_US &&
              stroke.interval_us == MEAN_US);
    }
    seeded.seed = 5;
    first = text_us(&seeded);
    CHECK(text_us(&seeded) == first);
    seeded.seed = 6;
    CHECK(text_us(&seeded) != first);
    seeded.wpm = 0;
    CHECK(text_us(&seeded) == 0);
}

/* ---- 1300 characters ---- */

/* The text that the events from the `at`-th on type, a character each; checks that a key is up
 * before the next goes down and that shift encloses what takes it. */
static size_t read_back(size_t at, size_t count, char *typed)
{
    size_t length = 0;

    while (at < count) {
        const bool shift = key_is_shift(events[at].event.code);
        const struct script_event *down = &events[at + (shift ? 1 : 0)];
        const size_t taken = shift ? 4 : 2;

        CHECK(at + taken <= count);
        CHECK(down[0].event.kind == INPUT_KEY_DOWN && down[1].event.kind == INPUT_KEY_UP &&
              down[0].event.code == down[1].event.code && down[0].at_us < down[1].at_us);
        if (shift) {
            CHECK(events[at].event.kind == INPUT_KEY_DOWN && events[at].at_us < down[0].at_us);
            CHECK(down[2].event.kind == INPUT_KEY_UP && key_is_shift(down[2].event.code) &&
                  down[2].at_us > down[1].at_us);
        }
        typed[length++] = key_character(down->event.code, shift);
        at += taken;
        CHECK(at >= count || events[at].at_us > events[at - 1].at_us);
    }
    return length;
}

static void check_made_up(const char *script, uint64_t seed)
{
    const struct typist_settings settings = {.made_up = MADE_UP, .wpm = 100, .seed = seed};
    const long count = read_script(script);
    char typed[SCRIPT_EVENTS_MAX] = "";
    struct typist_stroke stroke;
    struct typist typist;
    size_t capitals = 0;
    size_t stops = 0;

    CHECK(count > 0);
    CHECK_EQUAL(read_back(0, (size_t)count, typed), MADE_UP);
    typist_begin(&typist, &settings);
    for (size_t i = 0; i < MADE_UP; i++) {
        CHECK(typist_next(&typist, &stroke) && stroke.character == typed[i]);
        capitals += typed[i] >= 'A' && typed[i] <= 'Z' ? 1 : 0;
        stops += typed[i] == '.' ? 1 : 0;
        /* A capital begins each sentence, and nothing else; no two blanks meet. */
        CHECK((typed[i] >= 'A' && typed[i] <= 'Z') == (i == 0 || (i > 1 && typed[i - 2] == '.')));
        CHECK(i == 0 || typed[i] != ' ' || typed[i - 1] != ' ');
    }
    CHECK(capitals == stops || capitals == stops + 1);
    CHECK(stops > MADE_UP / (12 * 9) && stops < MADE_UP / (5 * 2));
    CHECK_EQUAL(count, 2 * MADE_UP + 2 * capitals);
}

static void test_made_up(void)
{
    check_made_up("type characters=1300", 1);
    check_made_up("type characters=1300 wpm=300 seed=7", 7);
    check_made_up("type characters=1300 hold=10s seed=9", 9); /* cut to half of each interval */
    CHECK(read_script("type characters=9000 wpm=6000") > 18000);
    check_error("type characters=10000 wpm=6000",
                "script statement 1: the script has more than 20000 events");
}

/* ---- actions and classes ---- */

/* "action:class" of each event, then * where it waits for the end of all before it. */
static void check_actions(const char *text, const char *expected)
{
    char *shown;
    size_t size;
    FILE *out = open_memstream(&shown, &size);
    const long count = read_script(text);

    CHECK(count >= 0);
    for (long i = 0; i < count; i++) {
        const unsigned class = events[i].class;

        fprintf(out, "%s%" PRIu32 ":%s%s", i > 0 ? " " : "", events[i].action,
                class < SCRIPT_CLASSES ? script_class_name(class)
                                       : script_own_classes()->name[class - SCRIPT_CLASSES],
                events[i].then ? "*" : "");
    }
    fclose(out);
    CHECK_TEXT(shown, expected);
    free(shown);
}

static void test_actions(void)
{
    check_actions("a; enter", "0:printable 0:printable 1:newline 1:newline");
    check_actions("type \"B \" seed=0", "0:printable 0:printable 0:printable 0:printable "
                                        "1:printable 1:printable");
    check_actions("click left x2; wheel -3; move 1,1",
                  "0:click 0:click 1:click 1:click 2:wheel 3:move");
    check_actions("pagedown; left; f5; ctrl+s; shift+left; backspace; tab",
                  "0:page 0:page 1:cursor 1:cursor 2:command 2:command 3:command 3:command "
                  "3:command 3:command 4:cursor 4:cursor 4:cursor 4:cursor 5:printable 5:printable "
                  "6:command 6:command");
    check_actions("key s as=save; key t as=start; key s as=save",
                  "0:save 0:save 1:start 1:start 2:save 2:save");
    CHECK_EQUAL(script_own_classes()->count, 2);
    CHECK(script_class_name(SCRIPT_CLASSES) == NULL);
    check_error("a as=Save",
                "script statement 1, as=Save: expected a class name of a to z, 0 to 9, - and _");
    check_error(
        "a as=a23456789012345678901234x",
        "script statement 1, as=a23456789012345678901234x: a class name has at most 24 characters");
}

static void test_chords(void)
{
    check_script("ctrl+s hold=8ms", "0 +ctrl 4000 +s 12000 -s 14000 -ctrl");
    check_script("key ctrl+shift+home hold=8ms every=20ms; a",
                 "0 +ctrl 0 +shift 4000 +home 12000 -home 14000 -ctrl 14000 -shift "
                 "20000 +a 60000 -a");
    check_script("wheel 2 every=5ms x2; wheel -7", "0 0,2 5000 0,2 10000 0,-7");
    check_error("ctrl+ctrl+a", "script statement 1, ctrl+ctrl+a: expected key, type, click, move, "
                               "wheel, pause or the name of a key");
    check_error("wheel 8",
                "script statement 1, 8: expected a number of notches from -7 to -1 or from 1 to 7");
}

static void test_then(void)
{
    check_script("a; then 150ms b; c", "0 +a 40000 -a 190000 +b 230000 -b 310000 +c 350000 -c");
    check_actions("a; then 150ms b; c",
                  "0:printable 0:printable 1:printable* 1:printable 2:printable 2:printable");
    check_actions("then 1ms pause 1ms; then 1ms click left", "0:click* 0:click");
    check_error("then 10ms a; at 1ms b",
                "script statement 2: starts before the \"then\" action of an earlier statement");
}

/* ---- errors, pauses, the law of the typist's time ---- */

/* The text that the strokes leave. */
static size_t type_all(const struct typist_settings *settings, char *text, size_t *backspaces,
                       uint64_t *last_us)
{
    struct typist_stroke stroke;
    struct typist typist;
    size_t length = 0;

    *backspaces = 0;
    typist_begin(&typist, settings);
    while (typist_next(&typist, &stroke)) {
        if (stroke.character == TYPIST_BACKSPACE) {
            CHECK(length > 0);
            length--;
            (*backspaces)++;
        } else {
            text[length++] = stroke.character;
        }
        *last_us = stroke.at_us;
    }
    text[length] = '\0';
    return length;
}

static void test_errors(void)
{
    static const char sentence[] = "The quick brown fox jumps over the lazy dog. It does it again.";
    struct typist_settings settings = {
        .string = sentence, .length = sizeof(sentence) - 1, .wpm = 100, .errors = 20};
    char text[sizeof(sentence) + TYPIST_HELD_MAX];
    size_t with_errors = 0;
    size_t all = 0;
    size_t backspaces;
    uint64_t last_us;

    for (settings.seed = 1; settings.seed <= 200; settings.seed++) {
        CHECK_EQUAL(type_all(&settings, text, &backspaces, &last_us), settings.length);
        CHECK_TEXT(text, sentence);
        with_errors += backspaces > 0 ? 1 : 0;
        all += backspaces;
    }
    /* 20 % of about 48 letters, but not during a correction; on average 3.5 backspaces each. */
    CHECK(with_errors == 200 && all > 200 * 10 && all < 200 * 40);
    check_actions("type \"a\" errors=50% seed=4", "0:printable 0:printable 1:printable "
                                                  "1:printable 2:printable 2:printable");
    check_error("type \"a\" errors=51%",
                "script statement 1, errors=51%: expected a share from 0% to 50%");
    check_error("type \"a\" errors=5",
                "script statement 1, errors=5: expected a share from 0% to 50%");
}

static void test_compose(void)
{
    static const char text[] = "One. Two. Three.";
    struct typist_settings settings = {.string = text, .length = sizeof(text) - 1, .wpm = 100};
    char typed[sizeof(text)];
    size_t backspaces;
    uint64_t plain_us;
    uint64_t paused_us;

    for (settings.seed = 1; settings.seed <= 50; settings.seed++) {
        settings.compose_us = 0;
        type_all(&settings, typed, &backspaces, &plain_us);
        settings.compose_us = 1000000;
        type_all(&settings, typed, &backspaces, &paused_us);
        CHECK(paused_us - plain_us >= 2 * 500000 && paused_us - plain_us <= 2 * 1500000);
    }
}

/* 2000 seeds: the deviation within 4 of its standard errors, 1 / sqrt(2 n) each. */
static void test_deviation(void)
{
    static const char text[] = "A text. It is short, and has a few words. That is enough.";
    struct typist_settings settings = {.string = text, .length = sizeof(text) - 1, .wpm = 100};
    char typed[sizeof(text)];
    const unsigned seeds = 2000;
    double sum = 0;
    double squares = 0;
    size_t backspaces;
    uint64_t last_us;

    for (settings.seed = 1; settings.seed <= seeds; settings.seed++) {
        type_all(&settings, typed, &backspaces, &last_us);
        sum += (double)last_us;
        squares += (double)last_us * (double)last_us;
    }
    const double deviation = sqrt((squares - sum * sum / seeds) / (seeds - 1));
    const double law = (double)typist_deviation_us(&settings);

    CHECK(fabs(deviation / law - 1) < 4 / sqrt(2.0 * seeds));
    settings.seed = 0;
    CHECK_EQUAL(typist_deviation_us(&settings), 0);
}

static void test_words(void)
{
    for (uint64_t seed = 1; seed <= 20; seed++) {
        struct typist_settings settings = {
            .made_up = typist_words(40, seed), .wpm = 100, .seed = seed};
        char typed[2000];
        size_t backspaces;
        uint64_t last_us;
        size_t words = 1;
        const size_t length = type_all(&settings, typed, &backspaces, &last_us);

        for (size_t i = 0; i < length; i++) {
            words += typed[i] == ' ' ? 1 : 0;
        }
        CHECK_EQUAL(words, 40);
        CHECK(typed[length - 1] != ' ' && typed[length - 1] != '.');
        settings.made_up++;
        type_all(&settings, typed, &backspaces, &last_us);
        CHECK(typed[length] == ' ' || typed[length] == '.');
    }
    CHECK(read_script("type words=40 wpm=6000") > 40 * 2 * 3);
}

/* ---- keys ---- */

static void test_key_names(void)
{
    /* IBM PS/2 Technical Reference, scan-code set 1. */
    static const struct {
        const char *name;
        uint16_t code;
    } known[] = {
        {"esc", 0x01},       {"1", 0x02},          {"0", 0x0b},      {"backspace", 0x0e},
        {"tab", 0x0f},       {"q", 0x10},          {"enter", 0x1c},  {"ctrl", 0x1d},
        {"a", KEY_A},        {"shift", 0x2a},      {"z", 0x2c},      {"rightshift", 0x36},
        {"alt", 0x38},       {"space", KEY_SPACE}, {"f1", 0x3b},     {"f10", 0x44},
        {"numlock", 0x45},   {"kp7", 0x47},        {"kpplus", 0x4e}, {"kpperiod", 0x53},
        {"f11", 0x57},       {"f12", 0x58},        {"b", KEY_B},     {"kpenter", 0x9c},
        {"rightctrl", 0x9d}, {"home", 0xc7},       {"left", 0xcb},   {"pagedown", PAGE_DOWN},
        {"delete", 0xd3},    {"meta", 0xdb},       {"menu", 0xdd},
    };
    size_t keys = 0;
    uint16_t code;

    for (size_t i = 0; i < sizeof(known) / sizeof(known[0]); i++) {
        CHECK(key_find(known[i].name, strlen(known[i].name), &code) && code == known[i].code);
    }
    for (uint16_t at = 0; at < INPUT_CODES; at++) {
        const char *name = key_name(at);

        if (name != NULL) {
            keys++;
            CHECK(key_find(name, strlen(name), &code) && code == at && key_qcode(at) != NULL);
        } else {
            CHECK(key_qcode(at) == NULL && key_character(at, false) == '\0');
        }
    }
    CHECK_EQUAL(keys, 103); /* of 104, all but Pause */
    CHECK(!key_find("", 0, &code) && !key_find("f13", 3, &code) && !key_find("ab", 2, &code));
    CHECK(key_find("abc", 1, &code) && code == KEY_A);
    CHECK(key_is_shift(0x2a) && key_is_shift(0x36) && !key_is_shift(KEY_A));
}

static void test_characters(void)
{
    static const char others[] = "\n\t";
    uint16_t code;
    bool shift;

    for (int c = 0; c < 256; c++) {
        const bool typed = (c >= ' ' && c <= '~') || (c != 0 && strchr(others, c) != NULL);

        CHECK(key_of_character((char)c, &code, &shift) == typed);
        CHECK(!typed || key_character(code, shift) == (char)c);
    }
    CHECK(key_of_character('A', &code, &shift) && code == KEY_A && shift);
    CHECK(key_of_character(' ', &code, &shift) && code == KEY_SPACE && !shift);
    CHECK(key_of_character('%', &code, &shift) && code == 0x06 && shift);
    CHECK_TEXT(key_qcode(PAGE_DOWN), "pgdn");
    CHECK_TEXT(key_qcode(0xdd), "compose"); /* its "menu" is another key */
    CHECK_TEXT(key_qcode(0x1c), "ret");
    CHECK_TEXT(key_qcode(KEY_A), "a");
}

int main(void)
{
    RUN(test_grammar());
    RUN(test_order());
    RUN(test_statement_errors());
    RUN(test_value_errors());
    RUN(test_text_errors());
    RUN(test_plan_errors());
    RUN(test_capacity());
    RUN(test_distribution());
    RUN(test_mean());
    RUN(test_pauses());
    RUN(test_seeds());
    RUN(test_made_up());
    RUN(test_actions());
    RUN(test_chords());
    RUN(test_then());
    RUN(test_errors());
    RUN(test_compose());
    RUN(test_deviation());
    RUN(test_words());
    RUN(test_key_names());
    RUN(test_characters());
    return unit_finish("unit_script");
}
