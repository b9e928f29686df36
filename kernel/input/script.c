/* SPDX-License-Identifier: BSD-2-Clause */
#include "kernel/input/script.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "kernel/input/key.h"
#include "kernel/input/typist.h"

#define EVERY_US      120000
#define KEY_HOLD_US   40000
#define CLICK_HOLD_US 90000
#define WPM_DEFAULT   100
#define SEED_DEFAULT  1
#define DELTA_MAX     255
#define TOO_LATE      "reaches beyond an hour"
#define TIME_WANTED   "a time such as 1.5ms, up to an hour, is wanted"
#define EXCERPT_MAX   40 /* characters of the text that an error quotes */

enum option {
    OPTION_HOLD,
    OPTION_EVERY,
    OPTION_TIMES,
    OPTION_WPM,
    OPTION_SEED,
    OPTIONS,
};

struct options {
    bool given[OPTIONS];
    uint64_t value[OPTIONS]; /* of times in microseconds */
};

static const char button_names[BUTTONS][7] = {"left", "right", "middle"};

struct word {
    const char *text;
    size_t length;
};

struct reader {
    const char *at;
    const char *end;
    unsigned statement; /* which one, from 1 */
    uint64_t cursor_us;
    struct script_event *events; /* NULL: they are only counted */
    size_t capacity;
    size_t count;
    char *error;
};

/* States in which statement what is wrong. `word`, if there is one, is what is wrong. */
__attribute__((format(printf, 3, 4))) static bool
fail(const struct reader *reader, const struct word *word, const char *format, ...)
{
    char excerpt[EXCERPT_MAX + 1] = "";
    va_list arguments;

    for (size_t i = 0; word != NULL && i < word->length && i < EXCERPT_MAX; i++) {
        const char c = word->text[i];

        excerpt[i] = c >= ' ' && c <= '~' ? c : '?';
        excerpt[i + 1] = '\0';
    }
    const int length =
        snprintf(reader->error, SCRIPT_ERROR_MAX, "script statement %u%s%s: ", reader->statement,
                 excerpt[0] != '\0' ? ", " : "", excerpt);

    va_start(arguments, format);
    vsnprintf(reader->error + length, SCRIPT_ERROR_MAX - (size_t)length, format, arguments);
    va_end(arguments);
    return false;
}

/* ---- words ---- */

static bool is_blank(char c)
{
    return c == ' ' || c == '\t' || c == '\r';
}

static bool ends_statement(const struct reader *reader)
{
    return reader->at == reader->end || *reader->at == ';' || *reader->at == '\n' ||
           *reader->at == '#';
}

static void skip_blanks(struct reader *reader)
{
    while (reader->at < reader->end && is_blank(*reader->at)) {
        reader->at++;
    }
}

/* Empty at the end of a statement and before a string. */
static struct word next_word(struct reader *reader)
{
    skip_blanks(reader);
    struct word word = {.text = reader->at};

    while (!ends_statement(reader) && !is_blank(*reader->at) && *reader->at != '"') {
        reader->at++;
    }
    word.length = (size_t)(reader->at - word.text);
    return word;
}

static bool is_word(const struct word *word, const char *text)
{
    return word->length == strlen(text) && memcmp(word->text, text, word->length) == 0;
}

/* Takes a prefix off the word, if it has it and something behind it. */
static bool take_prefix(struct word *word, const char *prefix)
{
    const size_t length = strlen(prefix);

    if (word->length <= length || memcmp(word->text, prefix, length) != 0) {
        return false;
    }
    word->text += length;
    word->length -= length;
    return true;
}

static bool is_digit(char c)
{
    return c >= '0' && c <= '9';
}

/* Takes the digits off the word. False where there are none, or the number is above `max`. */
static bool take_number(struct word *word, uint64_t max, uint64_t *value)
{
    const char *begin = word->text;

    for (*value = 0; word->length > 0 && is_digit(*word->text); word->text++, word->length--) {
        *value = *value * 10 + (uint64_t)(*word->text - '0');
        if (*value > max) {
            return false;
        }
    }
    return word->text > begin;
}

static bool parse_number(struct word word, uint64_t min, uint64_t max, uint64_t *value)
{
    return take_number(&word, max, value) && word.length == 0 && *value >= min;
}

/* Takes the digits behind a point off the word, in millionths; what lies beyond is cut off. False
 * where there are none. */
static bool take_millionths(struct word *word, uint64_t *value)
{
    const char *begin = word->text;
    uint64_t place = 100000;

    for (*value = 0; word->length > 0 && is_digit(*word->text); word->text++, word->length--) {
        *value += (uint64_t)(*word->text - '0') * place;
        place /= 10;
    }
    return word->text > begin;
}

/* What lies beyond microseconds is cut off. */
static bool parse_time(struct word word, uint64_t *us)
{
    static const struct {
        const char *name;
        uint64_t us;
    } units[] = {{"us", 1}, {"ms", 1000}, {"s", 1000000}};
    uint64_t number;
    uint64_t millionths = 0;

    if (!take_number(&word, SCRIPT_US_MAX, &number) ||
        (take_prefix(&word, ".") && !take_millionths(&word, &millionths))) {
        return false;
    }
    for (size_t i = 0; i < sizeof(units) / sizeof(units[0]); i++) {
        if (is_word(&word, units[i].name)) {
            *us = number * units[i].us + millionths * units[i].us / 1000000;
            return *us <= SCRIPT_US_MAX;
        }
    }
    return false;
}

/* ---- events ---- */

/* Behind all that happen no later. */
static bool add_event(struct reader *reader, uint64_t at_us, const struct input_event *event)
{
    size_t place = reader->count;

    if (at_us > SCRIPT_US_MAX) {
        return fail(reader, NULL, TOO_LATE);
    }
    if (reader->count == reader->capacity) {
        return fail(reader, NULL, "more than %zu events", reader->capacity);
    }
    reader->count++;
    if (reader->events == NULL) {
        return true;
    }
    while (place > 0 && reader->events[place - 1].at_us > at_us) {
        place--;
    }
    struct script_event *slot = &reader->events[place];

    memmove(slot + 1, slot, (reader->count - 1 - place) * sizeof(*slot));
    *slot = (struct script_event){.at_us = at_us, .event = *event};
    return true;
}

static bool add_press(struct reader *reader, uint64_t at_us, uint64_t hold_us, enum input_kind down,
                      uint16_t code)
{
    const enum input_kind up = down == INPUT_KEY_DOWN ? INPUT_KEY_UP : INPUT_BUTTON_UP;

    return add_event(reader, at_us, &(struct input_event){.kind = down, .code = code}) &&
           add_event(reader, at_us + hold_us, &(struct input_event){.kind = up, .code = code});
}

/* A keyboard repeats a key that is held: a second press would be no event. */
static bool check_held(struct reader *reader)
{
    bool keys[INPUT_CODES] = {false};
    bool buttons[BUTTONS] = {false};

    for (size_t i = 0; i < reader->count; i++) {
        const struct input_event *event = &reader->events[i].event;

        if (event->kind == INPUT_MOVE) {
            continue;
        }
        const bool down = event->kind == INPUT_KEY_DOWN || event->kind == INPUT_BUTTON_DOWN;
        const bool is_key = event->kind == INPUT_KEY_DOWN || event->kind == INPUT_KEY_UP;
        bool *held = is_key ? &keys[event->code] : &buttons[event->code];

        if (down && *held) {
            snprintf(reader->error, SCRIPT_ERROR_MAX, "script: %s %s is pressed while it is held",
                     is_key ? "key" : "button",
                     is_key ? key_name(event->code) : button_names[event->code]);
            return false;
        }
        *held = down;
    }
    return true;
}

/* ---- options ---- */

struct form {
    char prefix[7];
    uint8_t option;
    bool is_time;
    uint32_t min; /* of a number */
    uint32_t max;
};

static const struct form forms[] = {
    {"hold=", OPTION_HOLD, true, 0, 0},
    {"every=", OPTION_EVERY, true, 0, 0},
    {"x", OPTION_TIMES, false, 1, SCRIPT_EVENTS_MAX},
    {"\xc3\x97", OPTION_TIMES, false, 1, SCRIPT_EVENTS_MAX},
    {"wpm=", OPTION_WPM, false, 0, SCRIPT_WPM_MAX},
    {"seed=", OPTION_SEED, false, 0, UINT32_MAX},
};
#define FORMS (sizeof(forms) / sizeof(forms[0]))

static bool read_option(struct reader *reader, struct word word, unsigned allowed,
                        struct options *options)
{
    struct word value = word;
    const struct form *form = forms;

    while (form < forms + FORMS &&
           !((allowed >> form->option & 1) != 0 && take_prefix(&value, form->prefix))) {
        form++;
    }
    if (form == forms + FORMS) {
        return fail(reader, &word, "has no place or no value here");
    }
    options->given[form->option] = true;
    if (form->is_time) {
        return parse_time(value, &options->value[form->option]) || fail(reader, &word, TIME_WANTED);
    }
    return parse_number(value, form->min, form->max, &options->value[form->option]) ||
           fail(reader, &word, "a number from %u to %u is wanted", form->min, form->max);
}

/* The rest of a statement: options of `allowed`, a bit each. What is not given stays as it is. */
static bool read_options(struct reader *reader, unsigned allowed, struct options *options)
{
    for (struct word word = next_word(reader); word.length > 0; word = next_word(reader)) {
        if (is_word(&word, "fast") && (allowed >> OPTION_WPM & 1) != 0) {
            options->value[OPTION_WPM] = 0;
        } else if (!read_option(reader, word, allowed, options)) {
            return false;
        }
    }
    return ends_statement(reader) || fail(reader, NULL, "a text has no place here");
}

/* ---- actions ---- */

static bool read_press(struct reader *reader, enum input_kind down, uint16_t code, uint64_t hold_us)
{
    struct options options = {
        .value = {[OPTION_HOLD] = hold_us, [OPTION_EVERY] = EVERY_US, [OPTION_TIMES] = 1}};
    const uint64_t *value = options.value;

    if (!read_options(reader, 1 << OPTION_HOLD | 1 << OPTION_EVERY | 1 << OPTION_TIMES, &options)) {
        return false;
    }
    if (!options.given[OPTION_EVERY] && value[OPTION_EVERY] < value[OPTION_HOLD]) {
        options.value[OPTION_EVERY] = value[OPTION_HOLD];
    }
    for (uint64_t i = 0; i < value[OPTION_TIMES]; i++) {
        if (!add_press(reader, reader->cursor_us, value[OPTION_HOLD], down, code)) {
            return false;
        }
        reader->cursor_us += value[OPTION_EVERY];
    }
    return true;
}

static bool read_key(struct reader *reader, const struct word *word)
{
    uint16_t code;

    if (!key_find(word->text, word->length, &code)) {
        return fail(reader, word, "no such key");
    }
    return read_press(reader, INPUT_KEY_DOWN, code, KEY_HOLD_US);
}

static bool read_click(struct reader *reader)
{
    const struct word word = next_word(reader);

    for (unsigned button = 0; button < BUTTONS; button++) {
        if (is_word(&word, button_names[button])) {
            return read_press(reader, INPUT_BUTTON_DOWN, (uint16_t)button, CLICK_HOLD_US);
        }
    }
    return fail(reader, &word, "left, right or middle is wanted");
}

static bool take_delta(struct word *word, int16_t *delta)
{
    const bool negative = take_prefix(word, "-");
    uint64_t value;

    if (!take_number(word, DELTA_MAX, &value)) {
        return false;
    }
    *delta = (int16_t)(negative ? -(int)value : (int)value);
    return true;
}

static bool read_move(struct reader *reader)
{
    const struct word word = next_word(reader);
    struct word rest = word;
    struct input_event move = {.kind = INPUT_MOVE};
    struct options options = {.value = {[OPTION_EVERY] = EVERY_US, [OPTION_TIMES] = 1}};

    if (!take_delta(&rest, &move.dx) || !take_prefix(&rest, ",") || !take_delta(&rest, &move.dy) ||
        rest.length > 0 || (move.dx == 0 && move.dy == 0)) {
        return fail(reader, &word, "DX,DY is wanted, each from -%d to %d and not both 0", DELTA_MAX,
                    DELTA_MAX);
    }
    if (!read_options(reader, 1 << OPTION_EVERY | 1 << OPTION_TIMES, &options)) {
        return false;
    }
    for (uint64_t i = 0; i < options.value[OPTION_TIMES]; i++) {
        if (!add_event(reader, reader->cursor_us, &move)) {
            return false;
        }
        reader->cursor_us += options.value[OPTION_EVERY];
    }
    return true;
}

static bool read_string(struct reader *reader, struct typist_settings *settings)
{
    const char *at = ++reader->at;

    settings->string = at;
    for (; at < reader->end && *at != '"' && *at != '\n'; at++) {
        if (*at == '\\' && (++at == reader->end || strchr("\"\\nt", *at) == NULL || *at == '\0')) {
            return fail(reader, NULL, "of \\ there are \\\" \\\\ \\n and \\t");
        }
    }
    settings->length = (size_t)(at - settings->string);
    reader->at = at;
    if (at == reader->end || *at != '"') {
        return fail(reader, NULL, "the text is not closed");
    }
    reader->at++;
    return true;
}

static bool read_text(struct reader *reader, struct typist_settings *settings)
{
    const struct word word = next_word(reader);
    struct word number = word;

    if (word.length == 0 && !ends_statement(reader)) {
        return read_string(reader, settings);
    }
    if (!take_prefix(&number, "words=")) {
        return fail(reader, &word, "a text in double quotes or words=N is wanted");
    }
    return parse_number(number, 1, SCRIPT_EVENTS_MAX / 2, &settings->made_up) ||
           fail(reader, &word, "a number from 1 to %u is wanted", SCRIPT_EVENTS_MAX / 2);
}

/* Shift goes down half of `hold` before the key and up a quarter of it behind: as `hold` is at most
 * half the interval, it is over before the next character. */
static bool type_character(struct reader *reader, const struct typist_stroke *stroke,
                           uint64_t hold_us)
{
    const uint64_t at_us = reader->cursor_us + stroke->at_us;
    const uint64_t hold = hold_us < stroke->interval_us / 2 ? hold_us : stroke->interval_us / 2;
    uint16_t code;
    bool shifted;

    if (!key_of_character(stroke->character, &code, &shifted)) {
        return fail(reader, NULL, "no key types the character %02xh",
                    (unsigned)(unsigned char)stroke->character);
    }
    if (!shifted) {
        return add_press(reader, at_us, hold, INPUT_KEY_DOWN, code);
    }
    return add_event(reader, at_us,
                     &(struct input_event){.kind = INPUT_KEY_DOWN, .code = KEY_SHIFT}) &&
           add_press(reader, at_us + hold / 2, hold, INPUT_KEY_DOWN, code) &&
           add_event(reader, at_us + hold / 2 + hold + hold / 4,
                     &(struct input_event){.kind = INPUT_KEY_UP, .code = KEY_SHIFT});
}

static bool read_type(struct reader *reader)
{
    struct options options = {.value = {[OPTION_WPM] = WPM_DEFAULT, [OPTION_SEED] = SEED_DEFAULT}};
    struct typist_settings settings = {0};
    struct typist_stroke stroke = {0};
    struct typist typist;

    if (!read_text(reader, &settings) ||
        !read_options(reader, 1 << OPTION_WPM | 1 << OPTION_SEED | 1 << OPTION_HOLD, &options)) {
        return false;
    }
    settings.wpm = options.value[OPTION_WPM];
    settings.seed = options.value[OPTION_SEED];
    typist_begin(&typist, &settings);
    if (!options.given[OPTION_HOLD]) {
        const uint64_t half = typist_shortest_us(&typist) / 2;

        options.value[OPTION_HOLD] = half < KEY_HOLD_US ? half : KEY_HOLD_US;
    }
    while (typist_next(&typist, &stroke)) {
        if (!type_character(reader, &stroke, options.value[OPTION_HOLD])) {
            return false;
        }
    }
    reader->cursor_us += stroke.at_us + stroke.interval_us;
    return true;
}

static bool read_pause(struct reader *reader)
{
    const struct word word = next_word(reader);
    struct options none;
    uint64_t us;

    if (!parse_time(word, &us)) {
        return fail(reader, &word, TIME_WANTED);
    }
    reader->cursor_us += us;
    return read_options(reader, 0, &none);
}

/* ---- statements ---- */

static bool read_action(struct reader *reader, const struct word *word)
{
    uint16_t code;

    if (is_word(word, "key")) {
        const struct word key = next_word(reader);

        return read_key(reader, &key);
    }
    if (is_word(word, "type")) {
        return read_type(reader);
    }
    if (is_word(word, "click")) {
        return read_click(reader);
    }
    if (is_word(word, "move")) {
        return read_move(reader);
    }
    if (is_word(word, "pause")) {
        return read_pause(reader);
    }
    if (key_find(word->text, word->length, &code)) {
        return read_key(reader, word);
    }
    return fail(reader, word, "key, type, click, move, pause or a key's name is wanted");
}

static bool read_statement(struct reader *reader)
{
    struct word word = next_word(reader);

    reader->statement++;
    if (is_word(&word, "at")) {
        word = next_word(reader);
        if (!parse_time(word, &reader->cursor_us)) {
            return fail(reader, &word, TIME_WANTED);
        }
        word = next_word(reader);
    }
    if (!read_action(reader, &word)) {
        return false;
    }
    return reader->cursor_us <= SCRIPT_US_MAX || fail(reader, NULL, TOO_LATE);
}

/* Goes to the next statement; false where there is none. */
static bool find_statement(struct reader *reader)
{
    bool comment = false;

    for (; reader->at < reader->end; reader->at++) {
        const char c = *reader->at;

        comment = c == '#' || (comment && c != '\n');
        if (!comment && !is_blank(c) && c != ';' && c != '\n') {
            return true;
        }
    }
    return false;
}

bool script_read(const char *text, size_t length, struct script_event *events, size_t capacity,
                 size_t *count, char error[SCRIPT_ERROR_MAX])
{
    struct reader reader = {
        .at = text,
        .end = text + length,
        .events = events,
        .capacity = events == NULL || capacity > SCRIPT_EVENTS_MAX ? SCRIPT_EVENTS_MAX : capacity,
        .error = error,
    };

    error[0] = '\0';
    while (find_statement(&reader)) {
        if (!read_statement(&reader)) {
            return false;
        }
    }
    *count = reader.count;
    return events == NULL || check_held(&reader);
}
