/* SPDX-License-Identifier: BSD-2-Clause */
#include "kernel/plan/program.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#define WORD_SHOWN 40 /* number of characters of a word that an error quotes */

struct reader {
    struct program *program;
    const char *word;
    size_t length; /* length of the word; 0 at the end of the text */
    unsigned number;
    char *error;
};

__attribute__((format(printf, 2, 3))) static bool fail(struct reader *reader, const char *format,
                                                       ...)
{
    va_list arguments;
    const size_t shown = reader->length < WORD_SHOWN ? reader->length : WORD_SHOWN;
    int length = snprintf(reader->error, PROGRAM_ERROR_MAX, "word %u", reader->number);

    if (shown == 0) {
        length = snprintf(reader->error, PROGRAM_ERROR_MAX, "at the end: ");
    } else {
        length += snprintf(reader->error + length, PROGRAM_ERROR_MAX - (size_t)length,
                           ", \"%.*s\": ", (int)shown, reader->word);
    }
    va_start(arguments, format);
    vsnprintf(reader->error + length, PROGRAM_ERROR_MAX - (size_t)length, format, arguments);
    va_end(arguments);
    return false;
}

/* ---- words ---- */

static bool is_blank(char c)
{
    return c == ' ' || c == '\t' || c == '\n' || c == '\r';
}

static void next_word(struct reader *reader)
{
    reader->word += reader->length;
    while (is_blank(*reader->word)) {
        reader->word++;
    }
    reader->length = 0;
    while (reader->word[reader->length] != '\0' && !is_blank(reader->word[reader->length])) {
        reader->length++;
    }
    reader->number++;
}

static bool take_word(struct reader *reader, const char *text)
{
    if (reader->length != strlen(text) || memcmp(reader->word, text, reader->length) != 0) {
        return false;
    }
    next_word(reader);
    return true;
}

static bool take_number(struct reader *reader, uint64_t max, uint64_t *value)
{
    uint64_t number = 0;

    for (size_t i = 0; i < reader->length; i++) {
        const unsigned digit = (unsigned)(unsigned char)reader->word[i] - '0';

        if (digit > 9 || number > (UINT64_MAX - digit) / 10) {
            return fail(reader, "expected a whole number");
        }
        number = number * 10 + digit;
    }
    if (reader->length == 0) {
        return fail(reader, "expected a whole number");
    }
    if (number > max) {
        return fail(reader, "expected at most %llu", (unsigned long long)max);
    }
    *value = number;
    next_word(reader);
    return true;
}

static bool take_time(struct reader *reader, uint64_t *ns)
{
    return take_number(reader, DRAW_NS_MAX, ns);
}

/* Takes the index of one of `count` things. */
static bool take_index(struct reader *reader, size_t count, const char *what, uint32_t *index)
{
    const struct reader before = *reader;
    uint64_t number = 0;

    if (!take_number(reader, UINT32_MAX, &number)) {
        return false;
    }
    if (number >= count) {
        *reader = before;
        return fail(reader, "there is no %s with this number", what);
    }
    *index = (uint32_t)number;
    return true;
}

/* Takes a PLACE. */
static bool take_place(struct reader *reader, uint32_t *level, uint32_t *processor)
{
    const struct program *program = reader->program;

    *processor = 0;
    if (!take_index(reader, program->level_count, "level", level)) {
        return false;
    }
    return !take_word(reader, "on") ||
           take_index(reader, program->processor_count, "processor", processor);
}

static bool is_name_character(char c)
{
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
           (c != '\0' && strchr("_-+.:", c) != NULL);
}

static bool take_name(struct reader *reader, char name[PROGRAM_NAME_MAX + 1])
{
    bool good = reader->length >= 1 && reader->length <= PROGRAM_NAME_MAX;

    for (size_t i = 0; i < reader->length && good; i++) {
        good = is_name_character(reader->word[i]);
    }
    if (!good) {
        return fail(reader,
                    "expected a name of 1 to %d letters, digits and _-+.:", PROGRAM_NAME_MAX);
    }
    memcpy(name, reader->word, reader->length);
    name[reader->length] = '\0';
    next_word(reader);
    return true;
}

/* ---- parts of statements ---- */

static bool take_values(struct reader *reader, bool ascending, const uint64_t **values,
                        size_t *count)
{
    struct program *program = reader->program;
    uint64_t *room = program->values + program->value_count;
    uint64_t number = 0;

    if (!take_number(reader, PROGRAM_VALUES_MAX - program->value_count, &number)) {
        return false;
    }
    if (number == 0) {
        return fail(reader, "expected a list of at least one value, got a count of 0");
    }
    for (size_t i = 0; i < number; i++) {
        if (!take_time(reader, &room[i])) {
            return false;
        }
        if (ascending && i > 0 && room[i] < room[i - 1]) {
            return fail(reader, "times must increase: %llu follows %llu",
                        (unsigned long long)room[i], (unsigned long long)room[i - 1]);
        }
    }
    program->value_count += number;
    *values = room;
    *count = number;
    return true;
}

static bool take_high(struct reader *reader, struct draw_law *law)
{
    if (!take_time(reader, &law->high)) {
        return false;
    }
    return law->high >= law->low ||
           fail(reader, "the upper end %llu before it is below the lower end %llu",
                (unsigned long long)law->high, (unsigned long long)law->low);
}

static bool take_tail(struct reader *reader, struct draw_law *law)
{
    uint64_t parts = 0;

    if (!take_number(reader, DRAW_PARTS, &parts)) {
        return false;
    }
    law->tail = (uint32_t)parts;
    return true;
}

static bool take_law(struct reader *reader, struct draw_law *law)
{
    *law = (struct draw_law){0};
    if (take_word(reader, "constant")) {
        law->kind = DRAW_CONSTANT;
        return take_time(reader, &law->low);
    }
    if (take_word(reader, "uniform")) {
        law->kind = DRAW_UNIFORM;
        return take_time(reader, &law->low) && take_high(reader, law);
    }
    if (take_word(reader, "tailed")) {
        law->kind = DRAW_TAILED;
        return take_time(reader, &law->low) && take_high(reader, law) && take_tail(reader, law);
    }
    if (take_word(reader, "exponential")) {
        law->kind = DRAW_EXPONENTIAL;
        return take_time(reader, &law->low);
    }
    if (take_word(reader, "empirical")) {
        law->kind = DRAW_EMPIRICAL;
        return take_values(reader, false, &law->values, &law->count);
    }
    return fail(reader, "expected constant, uniform, tailed, exponential or empirical");
}

static bool take_renewal(struct reader *reader, struct program_arrivals *arrivals)
{
    if (!take_law(reader, &arrivals->law)) {
        return false;
    }
    /* Intervals of 0 would make infinitely many arrivals. */
    return draw_mean(&arrivals->law) > 0 ||
           fail(reader, "the intervals before it have a mean of 0: arrivals would never end");
}

static bool take_arrivals(struct reader *reader, bool may_cycle, struct program_arrivals *arrivals)
{
    *arrivals = (struct program_arrivals){0};
    if (take_word(reader, "renewal")) {
        arrivals->kind = PROGRAM_RENEWAL;
        return take_renewal(reader, arrivals);
    }
    if (take_word(reader, "trace")) {
        arrivals->kind = PROGRAM_TRACE;
        return take_values(reader, true, &arrivals->times, &arrivals->count);
    }
    if (may_cycle && take_word(reader, "cycle")) {
        arrivals->kind = PROGRAM_CYCLE;
        arrivals->law.kind = DRAW_CONSTANT;
        return take_time(reader, &arrivals->law.low);
    }
    return fail(reader, "expected renewal%s or trace", may_cycle ? ", cycle" : "");
}

static bool has_room(struct reader *reader, size_t count, size_t max, const char *what)
{
    return count < max || fail(reader, "expected at most %zu %s", max, what);
}

/* ---- statements ---- */

static bool read_level(struct reader *reader)
{
    struct program *program = reader->program;

    return has_room(reader, program->level_count, PROGRAM_LEVELS_MAX, "levels") &&
           take_name(reader, program->level[program->level_count++]);
}

static bool read_processor(struct reader *reader)
{
    struct program *program = reader->program;

    return has_room(reader, program->processor_count, PROGRAM_PROCESSORS_MAX, "processors") &&
           take_name(reader, program->processor[program->processor_count++]);
}

static bool read_process(struct reader *reader)
{
    struct program *program = reader->program;

    if (!has_room(reader, program->process_count, PROGRAM_PROCESSES_MAX, "processes")) {
        return false;
    }
    struct program_process *process = &program->process[program->process_count++];

    return take_name(reader, process->name) &&
           take_place(reader, &process->level, &process->processor);
}

static bool read_load(struct reader *reader)
{
    struct program *program = reader->program;

    if (!has_room(reader, program->load_count, PROGRAM_LOADS_MAX, "loads")) {
        return false;
    }
    struct program_load *load = &program->load[program->load_count++];

    return take_place(reader, &load->level, &load->processor) &&
           take_arrivals(reader, false, &load->arrivals) && take_law(reader, &load->service);
}

static bool read_stimulus(struct reader *reader)
{
    struct program *program = reader->program;

    if (!has_room(reader, program->stimulus_count, PROGRAM_STIMULI_MAX, "stimuli")) {
        return false;
    }
    struct program_stimulus *stimulus = &program->stimulus[program->stimulus_count++];

    stimulus->first_stop = program->stop_count;
    return take_name(reader, stimulus->name) && take_arrivals(reader, true, &stimulus->arrivals);
}

/* Adds a stop to the stimulus that was read last. Returns NULL if there is no room or no
 * stimulus. */
static struct program_stop *add_stop(struct reader *reader)
{
    struct program *program = reader->program;

    if (program->stimulus_count == 0) {
        fail(reader, "the stop comes before the first stimulus");
        return NULL;
    }
    if (!has_room(reader, program->stop_count, PROGRAM_STOPS_MAX, "stops")) {
        return NULL;
    }
    program->stimulus[program->stimulus_count - 1].stop_count++;
    return &program->stop[program->stop_count++];
}

static bool read_stop(struct reader *reader)
{
    struct program_stop *stop = add_stop(reader);

    if (stop == NULL) {
        return false;
    }
    stop->process = PROGRAM_NONE;
    return take_place(reader, &stop->level, &stop->processor) && take_law(reader, &stop->service);
}

static bool read_serve(struct reader *reader, bool awaits)
{
    const struct program *program = reader->program;
    struct program_stop *stop = add_stop(reader);

    if (stop == NULL || !take_index(reader, program->process_count, "process", &stop->process)) {
        return false;
    }
    stop->awaits = awaits;
    stop->level = program->process[stop->process].level;
    stop->processor = program->process[stop->process].processor;
    return take_law(reader, &stop->service);
}

static bool read_statement(struct reader *reader)
{
    struct program *program = reader->program;

    if (take_word(reader, "seed")) {
        return take_number(reader, UINT64_MAX, &program->seed);
    }
    if (take_word(reader, "unit")) {
        return take_time(reader, &program->unit_ns);
    }
    if (take_word(reader, "passes")) {
        return take_number(reader, PROGRAM_PASSES_MAX, &program->passes);
    }
    if (take_word(reader, "horizon")) {
        return take_time(reader, &program->horizon_ns);
    }
    if (take_word(reader, "turns")) {
        program->turns = true;
        return true;
    }
    if (take_word(reader, "level")) {
        return read_level(reader);
    }
    if (take_word(reader, "processor")) {
        return read_processor(reader);
    }
    if (take_word(reader, "transmission")) {
        return take_law(reader, &program->transmission);
    }
    if (take_word(reader, "process")) {
        return read_process(reader);
    }
    if (take_word(reader, "load")) {
        return read_load(reader);
    }
    if (take_word(reader, "stimulus")) {
        return read_stimulus(reader);
    }
    if (take_word(reader, "stop")) {
        return read_stop(reader);
    }
    if (take_word(reader, "serve")) {
        return read_serve(reader, false);
    }
    return take_word(reader, "await") ? read_serve(reader, true)
                                      : fail(reader, "no statement begins with this word");
}

/* Checks the stops of a stimulus. A process that awaits its stimulus must get it back two stops
 * later. */
static bool check_stops(struct reader *reader, const struct program_stimulus *stimulus)
{
    const struct program_stop *stop = &reader->program->stop[stimulus->first_stop];

    if (stimulus->stop_count == 0) {
        return fail(reader, "stimulus %s has no stop", stimulus->name);
    }
    for (size_t i = 0; i < stimulus->stop_count; i++) {
        if (stop[i].awaits &&
            (i + 2 >= stimulus->stop_count || stop[i + 2].process != stop[i].process ||
             stop[i + 1].process == stop[i].process)) {
            return fail(reader, "stimulus %s does not come back to the process that awaits it",
                        stimulus->name);
        }
    }
    return true;
}

static bool check(struct reader *reader)
{
    const struct program *program = reader->program;

    for (size_t i = 0; i < program->stimulus_count; i++) {
        if (!check_stops(reader, &program->stimulus[i])) {
            return false;
        }
    }
    if (program->stimulus_count + program->load_count == 0) {
        return fail(reader, "there is no load and no stimulus");
    }
    if ((program->passes == 0) != (program->stimulus_count == 0)) {
        return fail(reader, "statements passes and stimulus need each other: one is missing");
    }
    return program->horizon_ns > 0 || fail(reader, "no horizon is given: add a statement horizon");
}

bool program_read(struct program *program, const char *text, char error[PROGRAM_ERROR_MAX])
{
    struct reader reader = {.program = program, .word = text, .error = error};

    *program = (struct program){0};
    next_word(&reader);
    while (reader.length > 0) {
        if (!read_statement(&reader)) {
            return false;
        }
    }
    return check(&reader);
}
