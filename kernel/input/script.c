/* SPDX-License-Identifier: BSD-2-Clause */
#include "kernel/input/script.h"

#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>

#include "kernel/input/event.h"
#include "kernel/input/typist.h"

#define EVERY_US      120000
#define KEY_HOLD_US   40000
#define CLICK_HOLD_US 90000
#define WPM_DEFAULT   100
#define SEED_DEFAULT  1
#define DELTA_MAX     255
#define NOTCHES_MAX   7
#define ERRORS_MAX    50
#define TOO_LATE      "the script becomes longer than an hour"
#define TIME_WANTED   "expected a time such as 1.5ms, at most an hour"
#define EXCERPT_MAX   40 /* most characters of the script that an error message quotes */

enum option {
    OPTION_HOLD,
    OPTION_EVERY,
    OPTION_TIMES,
    OPTION_WPM,
    OPTION_SEED,
    OPTION_ERRORS,
    OPTION_COMPOSE,
    OPTION_AS,
    OPTIONS,
};

struct options {
    bool given[OPTIONS];
    uint64_t value[OPTIONS]; /* times in us; for OPTION_AS the class */
};

#define ALLOW(option) (1u << (option))

/* Modifiers of a chord, in the order in which they are pressed. */
static const struct {
    char prefix[7];
    uint16_t code;
    bool commands; /* the class of the action is SCRIPT_COMMAND */
} modifiers[] = {
    {"ctrl+", KEY_CTRL, true},
    {"alt+", KEY_ALT, true},
    {"shift+", KEY_SHIFT, false},
};
#define MODIFIERS (sizeof(modifiers) / sizeof(modifiers[0]))

static struct script_names own_classes;

static const char button_names[BUTTONS][7] = {"left", "right", "middle"};

struct word {
    const char *text;
    size_t length;
};

struct reader {
    const char *at;
    const char *end;
    unsigned statement; /* number of the statement, from 1 */
    uint64_t cursor_us;
    uint64_t last_us;            /* time of the latest event so far */
    uint64_t floor_us;           /* time of the last `then` action */
    bool then;                   /* the next event begins a `then` action */
    uint32_t action;             /* number of the next event's action */
    uint8_t class;               /* class of the next event */
    struct script_event *events; /* NULL: events are only counted */
    size_t capacity;
    size_t count;
    char *error;
};

/* Writes the error message: the statement, the wrong `word` if it is not NULL, and the cause.
 * Returns false. */
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

/* Returns the next word. It is empty at the end of a statement and before a string. */
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

/* Takes a prefix off the word, if the word has it and continues after it. */
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

/* Takes digits off the word. Returns false if there are none, or if the number is above `max`. */
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

/* Takes the digits after a decimal point off the word, as millionths. Cuts off what is finer.
 * Returns false if there are none. */
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

/* Reads a time. Cuts off what is finer than a microsecond. */
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

/* Adds an event after all events that are not later. */
static bool add_event(struct reader *reader, uint64_t at_us, const struct input_event *event)
{
    size_t place = reader->count;

    if (at_us > SCRIPT_US_MAX) {
        return fail(reader, NULL, TOO_LATE);
    }
    if (at_us < reader->floor_us) {
        return fail(reader, NULL, "starts before the \"then\" action of an earlier statement");
    }
    if (reader->count == reader->capacity) {
        return fail(reader, NULL, "the script has more than %zu events", reader->capacity);
    }
    const bool then = reader->then;

    reader->then = false;
    reader->floor_us = then ? at_us : reader->floor_us;
    reader->last_us = at_us > reader->last_us ? at_us : reader->last_us;
    reader->count++;
    if (reader->events == NULL) {
        return true;
    }
    while (place > 0 && reader->events[place - 1].at_us > at_us) {
        place--;
    }
    struct script_event *slot = &reader->events[place];

    memmove(slot + 1, slot, (reader->count - 1 - place) * sizeof(*slot));
    *slot = (struct script_event){
        .at_us = at_us,
        .event = *event,
        .then = then,
        .class = reader->class,
        .action = reader->action,
    };
    return true;
}

static bool add_press(struct reader *reader, uint64_t at_us, uint64_t hold_us, enum input_kind down,
                      uint16_t code)
{
    const enum input_kind up = down == INPUT_KEY_DOWN ? INPUT_KEY_UP : INPUT_BUTTON_UP;

    return add_event(reader, at_us, &(struct input_event){.kind = down, .code = code}) &&
           add_event(reader, at_us + hold_us, &(struct input_event){.kind = up, .code = code});
}

/* Returns false if a key or button is pressed while it is held: a keyboard would only send a
 * repeat, which is not an event. */
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
    char prefix[9];
    uint8_t option;
    bool is_time;
    uint32_t min; /* range of a number */
    uint32_t max;
};

static const struct form forms[] = {
    {"hold=", OPTION_HOLD, true, 0, 0},
    {"every=", OPTION_EVERY, true, 0, 0},
    {"x", OPTION_TIMES, false, 1, SCRIPT_EVENTS_MAX},
    {"\xc3\x97", OPTION_TIMES, false, 1, SCRIPT_EVENTS_MAX},
    {"wpm=", OPTION_WPM, false, 0, SCRIPT_WPM_MAX},
    {"seed=", OPTION_SEED, false, 0, UINT32_MAX},
    {"compose=", OPTION_COMPOSE, true, 0, 0},
};
#define FORMS (sizeof(forms) / sizeof(forms[0]))

/* Reads "as=NAME" and sets the number of the class with that name. */
static bool read_class(struct reader *reader, const struct word *word, struct word name,
                       struct options *options)
{
    size_t i = 0;

    if (name.length > SCRIPT_NAME_MAX) {
        return fail(reader, word, "a class name has at most %d characters", SCRIPT_NAME_MAX);
    }
    for (size_t at = 0; at < name.length; at++) {
        const char c = name.text[at];

        if (!is_digit(c) && !(c >= 'a' && c <= 'z') && c != '-' && c != '_') {
            return fail(reader, word, "expected a class name of a to z, 0 to 9, - and _");
        }
    }
    while (i < own_classes.count && !is_word(&name, own_classes.name[i])) {
        i++;
    }
    if (i == SCRIPT_NAMES_MAX) {
        return fail(reader, word, "the script names more than %d classes", SCRIPT_NAMES_MAX);
    }
    memcpy(own_classes.name[i], name.text, name.length);
    own_classes.name[i][name.length] = '\0';
    own_classes.count += i == own_classes.count ? 1 : 0;
    options->given[OPTION_AS] = true;
    options->value[OPTION_AS] = SCRIPT_CLASSES + i;
    return true;
}

/* Reads "errors=N%". */
static bool read_errors(struct reader *reader, const struct word *word, struct word number,
                        struct options *options)
{
    return (take_number(&number, ERRORS_MAX, &options->value[OPTION_ERRORS]) &&
            is_word(&number, "%")) ||
           fail(reader, word, "expected a share from 0%% to %d%%", ERRORS_MAX);
}

static bool read_option(struct reader *reader, struct word word, unsigned allowed,
                        struct options *options)
{
    struct word value = word;
    const struct form *form = forms;

    if ((allowed & ALLOW(OPTION_AS)) != 0 && take_prefix(&value, "as=")) {
        return read_class(reader, &word, value, options);
    }
    if ((allowed & ALLOW(OPTION_ERRORS)) != 0 && take_prefix(&value, "errors=")) {
        return read_errors(reader, &word, value, options);
    }
    while (form < forms + FORMS &&
           !((allowed >> form->option & 1) != 0 && take_prefix(&value, form->prefix))) {
        form++;
    }
    if (form == forms + FORMS) {
        return fail(reader, &word, "unknown option for this action, or no value");
    }
    options->given[form->option] = true;
    if (form->is_time) {
        return parse_time(value, &options->value[form->option]) || fail(reader, &word, TIME_WANTED);
    }
    return parse_number(value, form->min, form->max, &options->value[form->option]) ||
           fail(reader, &word, "expected a number from %u to %u", form->min, form->max);
}

/* Reads the rest of a statement: options of which `allowed` has the bits. Options that are not
 * given keep their values. */
static bool read_options(struct reader *reader, unsigned allowed, struct options *options)
{
    for (struct word word = next_word(reader); word.length > 0; word = next_word(reader)) {
        if (is_word(&word, "fast") && (allowed >> OPTION_WPM & 1) != 0) {
            options->value[OPTION_WPM] = 0;
        } else if (!read_option(reader, word, allowed, options)) {
            return false;
        }
    }
    return ends_statement(reader) || fail(reader, NULL, "a text is not allowed here");
}

/* ---- actions ---- */

/* The key or button that is pressed, and the modifiers held with it. */
struct chord {
    enum input_kind down;
    uint16_t code;
    bool held[MODIFIERS];
};

/* Begins an action, and sets its class: that of its options, otherwise that of its key. */
static void begin_action(struct reader *reader, const struct options *options,
                         const struct input_event *event, bool commands)
{
    reader->action++;
    reader->class = options->given[OPTION_AS] ? (uint8_t)options->value[OPTION_AS]
                                              : (uint8_t)script_class_of(event, commands);
}

static bool add_modifiers(struct reader *reader, const struct chord *chord, uint64_t at_us,
                          enum input_kind kind)
{
    for (size_t i = 0; i < MODIFIERS; i++) {
        const struct input_event event = {.kind = kind, .code = modifiers[i].code};

        if (chord->held[i] && !add_event(reader, at_us, &event)) {
            return false;
        }
    }
    return true;
}

static bool is_held(const struct chord *chord, bool commands)
{
    bool held = false;

    for (size_t i = 0; i < MODIFIERS; i++) {
        held |= chord->held[i] && (!commands || modifiers[i].commands);
    }
    return held;
}

/* Adds the events of a chord. Modifiers go down half a `hold` before the key and up a quarter of a
 * `hold` after it. */
static bool add_chord(struct reader *reader, const struct chord *chord, uint64_t at_us,
                      uint64_t hold_us)
{
    const uint64_t down_us = at_us + (is_held(chord, false) ? hold_us / 2 : 0);

    return add_modifiers(reader, chord, at_us, INPUT_KEY_DOWN) &&
           add_press(reader, down_us, hold_us, chord->down, chord->code) &&
           add_modifiers(reader, chord, down_us + hold_us + hold_us / 4, INPUT_KEY_UP);
}

static bool read_press(struct reader *reader, const struct chord *chord, uint64_t hold_us)
{
    struct options options = {
        .value = {[OPTION_HOLD] = hold_us, [OPTION_EVERY] = EVERY_US, [OPTION_TIMES] = 1}};
    const uint64_t *value = options.value;
    const unsigned allowed =
        ALLOW(OPTION_HOLD) | ALLOW(OPTION_EVERY) | ALLOW(OPTION_TIMES) | ALLOW(OPTION_AS);

    if (!read_options(reader, allowed, &options)) {
        return false;
    }
    const uint64_t length_us =
        value[OPTION_HOLD] +
        (is_held(chord, false) ? value[OPTION_HOLD] / 2 + value[OPTION_HOLD] / 4 : 0);

    if (!options.given[OPTION_EVERY] && value[OPTION_EVERY] < length_us) {
        options.value[OPTION_EVERY] = length_us;
    }
    for (uint64_t i = 0; i < value[OPTION_TIMES]; i++) {
        begin_action(reader, &options,
                     &(struct input_event){.kind = chord->down, .code = chord->code},
                     is_held(chord, true));
        if (!add_chord(reader, chord, reader->cursor_us, value[OPTION_HOLD])) {
            return false;
        }
        reader->cursor_us += value[OPTION_EVERY];
    }
    return true;
}

/* Finds the key at the end of a chord and the modifiers held with it. Returns false if there is no
 * such key. */
static bool find_chord(struct word word, struct chord *chord)
{
    bool more = true;

    *chord = (struct chord){.down = INPUT_KEY_DOWN};
    while (more) {
        more = false;
        for (size_t i = 0; i < MODIFIERS; i++) {
            if (!chord->held[i] && take_prefix(&word, modifiers[i].prefix)) {
                chord->held[i] = true;
                more = true;
            }
        }
    }
    return key_find(word.text, word.length, &chord->code);
}

static bool read_key(struct reader *reader, const struct word *word)
{
    struct chord chord;

    if (!find_chord(*word, &chord)) {
        return fail(reader, word, "no such key");
    }
    return read_press(reader, &chord, KEY_HOLD_US);
}

static bool read_click(struct reader *reader)
{
    const struct word word = next_word(reader);

    for (unsigned button = 0; button < BUTTONS; button++) {
        if (is_word(&word, button_names[button])) {
            return read_press(reader,
                              &(struct chord){.down = INPUT_BUTTON_DOWN, .code = (uint16_t)button},
                              CLICK_HOLD_US);
        }
    }
    return fail(reader, &word, "expected left, right or middle");
}

static bool take_delta(struct word *word, unsigned max, int16_t *delta)
{
    const bool negative = take_prefix(word, "-");
    uint64_t value;

    if (!take_number(word, max, &value)) {
        return false;
    }
    *delta = (int16_t)(negative ? -(int)value : (int)value);
    return true;
}

/* Reads the rest of a statement with this event. */
static bool read_motion(struct reader *reader, const struct input_event *event)
{
    struct options options = {.value = {[OPTION_EVERY] = EVERY_US, [OPTION_TIMES] = 1}};

    if (!read_options(reader, ALLOW(OPTION_EVERY) | ALLOW(OPTION_TIMES) | ALLOW(OPTION_AS),
                      &options)) {
        return false;
    }
    for (uint64_t i = 0; i < options.value[OPTION_TIMES]; i++) {
        begin_action(reader, &options, event, false);
        if (!add_event(reader, reader->cursor_us, event)) {
            return false;
        }
        reader->cursor_us += options.value[OPTION_EVERY];
    }
    return true;
}

static bool read_move(struct reader *reader)
{
    const struct word word = next_word(reader);
    struct word rest = word;
    struct input_event move = {.kind = INPUT_MOVE, .code = MOTION_POINTER};

    if (!take_delta(&rest, DELTA_MAX, &move.dx) || !take_prefix(&rest, ",") ||
        !take_delta(&rest, DELTA_MAX, &move.dy) || rest.length > 0 ||
        (move.dx == 0 && move.dy == 0)) {
        return fail(reader, &word, "expected DX,DY, each from -%d to %d and not both 0", DELTA_MAX,
                    DELTA_MAX);
    }
    return read_motion(reader, &move);
}

static bool read_wheel(struct reader *reader)
{
    const struct word word = next_word(reader);
    struct word rest = word;
    struct input_event wheel = {.kind = INPUT_MOVE, .code = MOTION_WHEEL};

    if (!take_delta(&rest, NOTCHES_MAX, &wheel.dy) || rest.length > 0 || wheel.dy == 0) {
        return fail(reader, &word, "expected a number of notches from -%d to -1 or from 1 to %d",
                    NOTCHES_MAX, NOTCHES_MAX);
    }
    return read_motion(reader, &wheel);
}

static bool read_string(struct reader *reader, struct typist_settings *settings)
{
    const char *at = ++reader->at;

    settings->string = at;
    for (; at < reader->end && *at != '"' && *at != '\n'; at++) {
        if (*at == '\\' && (++at == reader->end || strchr("\"\\nt", *at) == NULL || *at == '\0')) {
            return fail(reader, NULL, "the only escapes are \\\" \\\\ \\n and \\t");
        }
    }
    settings->length = (size_t)(at - settings->string);
    reader->at = at;
    if (at == reader->end || *at != '"') {
        return fail(reader, NULL, "the text has no closing quote");
    }
    reader->at++;
    return true;
}

/* Reads a string, words=N or characters=N, and sets *words for words=N. */
static bool read_text(struct reader *reader, struct typist_settings *settings, bool *words)
{
    const struct word word = next_word(reader);
    struct word number = word;

    if (word.length == 0 && !ends_statement(reader)) {
        return read_string(reader, settings);
    }
    *words = take_prefix(&number, "words=");
    if (!*words && !take_prefix(&number, "characters=")) {
        return fail(reader, &word, "expected a text in double quotes, words=N or characters=N");
    }
    return parse_number(number, 1, SCRIPT_EVENTS_MAX / 2, &settings->made_up) ||
           fail(reader, &word, "expected a number from 1 to %u", SCRIPT_EVENTS_MAX / 2);
}

/* Adds the events of a character. `hold` is at most half the interval, so it is over before the
 * next character. */
static bool type_character(struct reader *reader, const struct typist_stroke *stroke,
                           const struct options *options)
{
    const uint64_t half_us = stroke->interval_us / 2;
    const uint64_t hold_us =
        options->value[OPTION_HOLD] < half_us ? options->value[OPTION_HOLD] : half_us;
    struct chord chord = {.down = INPUT_KEY_DOWN, .code = KEY_BACKSPACE};
    bool shifted = false;

    if (stroke->character != TYPIST_BACKSPACE &&
        !key_of_character(stroke->character, &chord.code, &shifted)) {
        return fail(reader, NULL, "no key types the character %02xh",
                    (unsigned)(unsigned char)stroke->character);
    }
    for (size_t i = 0; i < MODIFIERS; i++) {
        chord.held[i] = shifted && modifiers[i].code == KEY_SHIFT;
    }
    begin_action(reader, options, &(struct input_event){.kind = INPUT_KEY_DOWN, .code = chord.code},
                 false);
    return add_chord(reader, &chord, reader->cursor_us + stroke->at_us, hold_us);
}

static bool read_type_options(struct reader *reader, struct typist_settings *settings,
                              struct options *options)
{
    const unsigned allowed = ALLOW(OPTION_WPM) | ALLOW(OPTION_SEED) | ALLOW(OPTION_HOLD) |
                             ALLOW(OPTION_ERRORS) | ALLOW(OPTION_COMPOSE) | ALLOW(OPTION_AS);
    bool words = false;

    if (!read_text(reader, settings, &words) || !read_options(reader, allowed, options)) {
        return false;
    }
    settings->wpm = options->value[OPTION_WPM];
    settings->seed = options->value[OPTION_SEED];
    settings->errors = (unsigned)options->value[OPTION_ERRORS];
    settings->compose_us = options->value[OPTION_COMPOSE];
    if (words) {
        settings->made_up = typist_words(settings->made_up, settings->seed);
    }
    return true;
}

static bool read_type(struct reader *reader)
{
    struct options options = {.value = {[OPTION_WPM] = WPM_DEFAULT, [OPTION_SEED] = SEED_DEFAULT}};
    struct typist_settings settings = {0};
    struct typist_stroke stroke = {0};
    struct typist typist;

    if (!read_type_options(reader, &settings, &options)) {
        return false;
    }
    typist_begin(&typist, &settings);
    if (!options.given[OPTION_HOLD]) {
        const uint64_t half = typist_shortest_us(&typist) / 2;

        options.value[OPTION_HOLD] = half < KEY_HOLD_US ? half : KEY_HOLD_US;
    }
    while (typist_next(&typist, &stroke)) {
        if (!type_character(reader, &stroke, &options)) {
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

static bool read_named_key(struct reader *reader)
{
    const struct word key = next_word(reader);

    return read_key(reader, &key);
}

static bool read_action(struct reader *reader, const struct word *word)
{
    static const struct {
        char name[6];
        bool (*read)(struct reader *);
    } actions[] = {
        {"key", read_named_key}, {"type", read_type},   {"click", read_click},
        {"move", read_move},     {"wheel", read_wheel}, {"pause", read_pause},
    };
    struct chord chord;

    for (size_t i = 0; i < sizeof(actions) / sizeof(actions[0]); i++) {
        if (is_word(word, actions[i].name)) {
            return actions[i].read(reader);
        }
    }
    if (find_chord(*word, &chord)) {
        return read_key(reader, word);
    }
    return fail(reader, word, "expected key, type, click, move, wheel, pause or the name of a key");
}

/* Reads "at TIME" or "then TIME", which set where the action begins, and the word after it. */
static bool read_moment(struct reader *reader, struct word *word)
{
    const bool then = is_word(word, "then");
    uint64_t us;

    if (!then && !is_word(word, "at")) {
        return true;
    }
    *word = next_word(reader);
    if (!parse_time(*word, &us)) {
        return fail(reader, word, TIME_WANTED);
    }
    reader->cursor_us = then ? reader->last_us + us : us;
    reader->then |= then;
    *word = next_word(reader);
    return true;
}

static bool read_statement(struct reader *reader)
{
    struct word word = next_word(reader);

    reader->statement++;
    if (!read_moment(reader, &word) || !read_action(reader, &word)) {
        return false;
    }
    return reader->cursor_us <= SCRIPT_US_MAX || fail(reader, NULL, TOO_LATE);
}

/* Goes to the next statement. Returns false if there is none. */
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
        .action = UINT32_MAX, /* incremented to 0 by the first action */
    };

    error[0] = '\0';
    own_classes = (struct script_names){0};
    while (find_statement(&reader)) {
        if (!read_statement(&reader)) {
            return false;
        }
    }
    *count = reader.count;
    return events == NULL || check_held(&reader);
}

const struct script_names *script_own_classes(void)
{
    return &own_classes;
}

/* ---- classes of actions that the script does not name (script.h) ---- */

const char *script_class_name(unsigned class)
{
    static const char names[SCRIPT_CLASSES][10] = {
        [SCRIPT_PRINTABLE] = "printable", [SCRIPT_NEWLINE] = "newline", [SCRIPT_PAGE] = "page",
        [SCRIPT_CURSOR] = "cursor",       [SCRIPT_COMMAND] = "command", [SCRIPT_CLICK] = "click",
        [SCRIPT_WHEEL] = "wheel",         [SCRIPT_MOVE] = "move",
    };

    return class < SCRIPT_CLASSES ? names[class] : NULL;
}

static enum script_class class_of_key(uint16_t code)
{
    static const struct {
        uint16_t code;
        enum script_class class;
    } keys[] = {
        {KEY_ENTER, SCRIPT_NEWLINE},    {KEY_KP_ENTER, SCRIPT_NEWLINE},
        {KEY_PAGE_UP, SCRIPT_PAGE},     {KEY_PAGE_DOWN, SCRIPT_PAGE},
        {KEY_UP, SCRIPT_CURSOR},        {KEY_DOWN, SCRIPT_CURSOR},
        {KEY_LEFT, SCRIPT_CURSOR},      {KEY_RIGHT, SCRIPT_CURSOR},
        {KEY_HOME, SCRIPT_CURSOR},      {KEY_END, SCRIPT_CURSOR},
        {KEY_TAB, SCRIPT_COMMAND},      {KEY_BACKSPACE, SCRIPT_PRINTABLE},
        {KEY_DELETE, SCRIPT_PRINTABLE},
    };

    for (size_t i = 0; i < sizeof(keys) / sizeof(keys[0]); i++) {
        if (keys[i].code == code) {
            return keys[i].class;
        }
    }
    return key_character(code, false) != '\0' ? SCRIPT_PRINTABLE : SCRIPT_COMMAND;
}

enum script_class script_class_of(const struct input_event *event, bool chord)
{
    switch (event->kind) {
    case INPUT_KEY_DOWN:
    case INPUT_KEY_UP:
        return chord ? SCRIPT_COMMAND : class_of_key(event->code);
    case INPUT_BUTTON_DOWN:
    case INPUT_BUTTON_UP:
        return SCRIPT_CLICK;
    default:
        return event->code == MOTION_WHEEL ? SCRIPT_WHEEL : SCRIPT_MOVE;
    }
}
