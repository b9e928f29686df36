/* SPDX-License-Identifier: BSD-2-Clause */
/* The word processor, in ring 3; see writer_program.h. */
#include "bench/interactive/program/writer_program.h"

#include <string.h>

#include "bench/interactive/document/paragraph.h"
#include "bench/interactive/document/text.h"
#include "bench/interactive/program/client.h"
#include "kernel/input/event.h"
#include "kernel/task/user.h"
#include "kernel/trace/trace.h"

#define INK   0x00101030u
#define PAPER 0x00fffff8u
#define DESK  0x008090a0u
#define WRONG 0x00d02020u

#define MARGIN     20
#define SCALE      2
#define LINES_MAX  64
#define STEP_US    2000 /* work of a step, between two looks for a message */
#define STEP_LINES 3    /* lines laid out in a step */
#define APART      2    /* pixels between lines */
#define STATUS     20   /* height of the status line, in pixels */
#define DIGITS     6
#define DECIMAL    10

static const char status[] = "words not in the list: ";
static const struct text_style style = {.scale = SCALE, .ink = INK, .paper = PAPER};
static const struct text_style status_style = {.scale = 1, .ink = WRONG, .paper = DESK};

/* The work that a key leaves to be done. */
struct job {
    size_t length;
    size_t at;       /* position of the cursor */
    size_t word;     /* position where a word ended; 0: none ended */
    uint64_t worked; /* us of work done by the current coroutine */
    size_t next;     /* start of the line to lay out next; PARAGRAPH_END: all lines are laid out */
    size_t lines;    /* lines laid out so far */
    bool laid_out;
    char text[WRITER_BYTES_MAX];
};

/* A line as it is on the screen. */
struct shown {
    struct paragraph_line line;
    uint32_t checksum; /* checksum of its characters */
    bool drawn;        /* the line was drawn, and no echo has changed it since */
};

struct writer {
    struct text text;
    struct typing typing;
    size_t at; /* position of the cursor */
    size_t first_job;
    size_t job_count;
    uint32_t unfinished; /* number of the key that is not done yet; 0: none */
    uint64_t taken;      /* TSC when that key was taken */
    bool changes;        /* that key did something */
    size_t laid_length;  /* length of the text that was laid out last */
    size_t line_count;
    struct paragraph_line lines[LINES_MAX];
    struct shown shown[LINES_MAX];
    size_t cursor_line;
    int32_t cursor_x;
    bool hidden; /* the cursor is not drawn */
    uint64_t results[WINDOW_RESULTS];
    char laid[WRITER_BYTES_MAX];
};

#define TEXT_AT (PROCESS_BASE + (16ull << 10))
#define JOBS_AT (PROCESS_BASE + (32ull << 10))
_Static_assert(sizeof(struct writer) <= (16 << 10), "it lies in front of the text");
_Static_assert((32 << 10) + WRITER_JOBS * sizeof(struct job) <= WRITER_OWN_BYTES, "all has room");

static struct writer *state(void)
{
    return (struct writer *)PROCESS_BASE;
}

static void count(enum writer_result result, uint64_t by)
{
    state()->results[result] += by;
}

static struct paragraph_style paragraph(void)
{
    return (struct paragraph_style){client_width() - 2 * MARGIN, SCALE};
}

/* ---- drawing ---- */

static int32_t line_height(void)
{
    return text_cell_height(&style) + APART;
}

static int32_t line_y(size_t line)
{
    return MARGIN + (int32_t)line * line_height();
}

/* Draws the cursor in the columns that every character leaves free on its right. */
static void draw_cursor(uint32_t colour)
{
    if (colour == INK || !state()->hidden) {
        client_fill((struct rectangle){state()->cursor_x - SCALE, line_y(state()->cursor_line),
                                       SCALE, text_cell_height(&style)},
                    colour);
    }
    state()->hidden = colour != INK;
}

/* Puts the cursor at character `at` of the text that was laid out last. */
static void place_cursor(size_t at)
{
    struct writer *writer = state();
    const struct paragraph_style how = paragraph();
    size_t line = 0;

    at = at < writer->laid_length ? at : writer->laid_length;
    while (line + 1 < writer->line_count && writer->lines[line + 1].first <= at) {
        line++;
    }
    const size_t within = at - writer->lines[line].first;
    const size_t count = writer->lines[line].count;

    writer->cursor_line = line;
    writer->cursor_x = MARGIN + paragraph_x(writer->laid, &writer->lines[line],
                                            within < count ? within : count, &how);
}

static void draw_line(size_t index)
{
    const struct writer *writer = state();
    const struct paragraph_line *line = &writer->lines[index];
    const struct paragraph_style how = paragraph();
    const char *text = writer->laid + line->first;
    size_t at = 0;

    client_fill((struct rectangle){0, line_y(index), client_width(), line_height()}, PAPER);
    while (index < writer->line_count && at < line->count) {
        size_t end = at;

        while (end < line->count && text[end] != ' ') {
            end++;
        }
        client_text(MARGIN + paragraph_x(writer->laid, line, at, &how), line_y(index), text + at,
                    end - at, &style, REQUEST_PROPORTIONAL);
        at = end + 1;
    }
}

static uint32_t checksum_of(const struct paragraph_line *line)
{
    struct text text;

    text_begin(&text, state()->laid + line->first, line->count);
    text.gap = line->count;
    return text_checksum(&text, 0);
}

/* Returns whether two lines look the same. Lines with the same characters have equally many blanks,
 * so these need no comparison. */
static bool is_same(const struct shown *a, const struct shown *b)
{
    return a->drawn == b->drawn && a->checksum == b->checksum && a->line.count == b->line.count &&
           a->line.spare == b->line.spare;
}

/* Draws a line if it differs from what is on the screen. */
static void draw_changed(size_t index)
{
    struct writer *writer = state();
    struct shown now = {.drawn = true};

    if (index < writer->line_count) {
        now.line = writer->lines[index];
        now.checksum = checksum_of(&writer->lines[index]);
    }
    if (!is_same(&now, &writer->shown[index])) {
        draw_line(index);
        writer->shown[index] = now;
    }
}

static void draw_status(void)
{
    const int32_t y = client_height() - STATUS;
    uint64_t value = state()->results[WRITER_WRONG];
    char digits[DIGITS];
    size_t first = DIGITS;

    do {
        digits[--first] = (char)('0' + value % DECIMAL);
        value /= DECIMAL;
    } while (value > 0 && first > 0);
    client_fill((struct rectangle){0, y, client_width(), STATUS}, DESK);
    client_text(MARGIN, y + SCALE, status, sizeof(status) - 1, &status_style, 0);
    client_text(MARGIN + client_text_width(status, sizeof(status) - 1, &status_style, 0), y + SCALE,
                digits + first, DIGITS - first, &status_style, 0);
}

/* ---- the coroutines: each call does one step of a job ---- */

static struct job *job_of(size_t index)
{
    return (struct job *)JOBS_AT + (state()->first_job + index) % WRITER_JOBS;
}

/* Does the next part of the `us` of work. Returns false if all of it was already done. */
static bool works(struct job *job, uint64_t us)
{
    const uint64_t left = us - job->worked;
    const uint64_t part = left < STEP_US ? left : STEP_US;

    client_work(part);
    job->worked += part;
    return part > 0;
}

/* Lays out the next few lines of the job. */
static void lay_out(struct job *job)
{
    struct writer *writer = state();
    const struct paragraph_style how = paragraph();

    if (job->lines == 0) {
        draw_cursor(PAPER); /* later it would cut into the characters of a new line */
        memcpy(writer->laid, job->text, job->length);
        writer->laid_length = job->length;
    }
    for (unsigned i = 0; i < STEP_LINES && job->next != PARAGRAPH_END; i++) {
        const size_t line = job->lines;

        job->next = paragraph_next_line(writer->laid, writer->laid_length, job->next, &how,
                                        &writer->lines[line]);
        job->lines++;
        job->next = job->lines < LINES_MAX ? job->next : PARAGRAPH_END;
        writer->line_count = job->lines > writer->line_count ? job->lines : writer->line_count;
        draw_changed(line);
    }
    count(WRITER_LINES, job->next == PARAGRAPH_END ? job->lines : 0);
    client_flush(); /* otherwise the end of the next key would draw them */
}

/* Completes a layout: clears what is below its last line, and draws the cursor in its place. */
static void end_layout(const struct job *job)
{
    struct writer *writer = state();
    const size_t before = writer->line_count;

    count(WRITER_LAID_OUT, 1);
    writer->line_count = job->lines;
    for (size_t i = job->lines; i < before; i++) {
        draw_changed(i);
    }
    draw_cursor(PAPER);
    place_cursor(writer->job_count > 1 ? job->at : writer->at);
    draw_cursor(INK);
    client_flush();
}

static void spell(const struct job *job)
{
    const size_t length = spelling_word(job->text, job->word);

    count(WRITER_WORDS, 1);
    count(WRITER_WRONG, spelling_knows(job->text + job->word - length, length) ? 0 : 1);
    draw_status();
    client_flush();
}

/* Does one step of the layout. Returns true if it was the last. */
static bool step_layout(struct job *job)
{
    if (works(job, client_parameter(WRITER_LAYOUT_US))) {
        return false;
    }
    if (job->next != PARAGRAPH_END) {
        lay_out(job);
        return false;
    }
    end_layout(job);
    return true;
}

static bool step_spelling(struct job *job)
{
    if (works(job, client_parameter(WRITER_SPELL_US))) {
        return false;
    }
    spell(job);
    return true;
}

static void step(void)
{
    struct writer *writer = state();
    struct job *job = job_of(0);
    const uint64_t begin = user_tsc();
    const bool lays_out = !job->laid_out;
    bool ended = lays_out ? step_layout(job) : step_spelling(job);

    if (lays_out && ended) {
        job->laid_out = true;
        job->worked = 0;
        ended = job->word == 0;
    }
    count(WRITER_STEPS, 1);
    count(lays_out ? WRITER_LAYOUT : WRITER_SPELLING, user_tsc() - begin);
    if (ended) {
        writer->first_job = (writer->first_job + 1) % WRITER_JOBS;
        writer->job_count--;
    }
}

/* Does jobs until only `left` remain. Looks for a message before each step, as the main loop does.
 */
static void do_all(size_t left)
{
    struct queue_message message;

    while (state()->job_count > left) {
        client_peek(&message, false);
        step();
    }
}

static void leave_job(size_t word)
{
    struct writer *writer = state();

    if (writer->job_count == WRITER_JOBS) {
        count(WRITER_BEHIND, 1);
        do_all(WRITER_JOBS - 1);
    }
    struct job *job = job_of(writer->job_count++);

    job->length = text_length(&writer->text);
    job->at = writer->at;
    job->word = word;
    job->worked = 0;
    job->laid_out = false;
    job->next = 0;
    job->lines = 0;
    text_copy(&writer->text, job->text);
}

/* ---- echo ---- */

static void insert(char character)
{
    struct writer *writer = state();

    if (character == '\n') {
        do_all(0); /* the paragraph that ends needs its lines */
    }
    if (!text_insert(&writer->text, writer->at, character)) {
        return;
    }
    writer->at++;
    writer->shown[writer->cursor_line].drawn = false;
    if (character != '\n') {
        client_text(writer->cursor_x, line_y(writer->cursor_line), &character, 1, &style,
                    REQUEST_PROPORTIONAL);
        writer->cursor_x += client_text_width(&character, 1, &style, REQUEST_PROPORTIONAL);
    }
    leave_job(character == ' ' || character == '\n' ? writer->at - 1 : 0);
}

static void erase(void)
{
    struct writer *writer = state();

    if (writer->at == 0) {
        return;
    }
    const char character = text_at(&writer->text, writer->at - 1);
    const int32_t width = client_text_width(&character, 1, &style, REQUEST_PROPORTIONAL);

    text_erase(&writer->text, writer->at);
    writer->at--;
    writer->shown[writer->cursor_line].drawn = false;
    if (character != '\n' && writer->cursor_x - width >= MARGIN) {
        writer->cursor_x -= width;
        client_fill((struct rectangle){writer->cursor_x, line_y(writer->cursor_line), width,
                                       text_cell_height(&style)},
                    PAPER);
    }
    leave_job(0);
}

/* For up and down: moves to about the same pixel of another line. */
static void to_line(size_t line)
{
    struct writer *writer = state();
    const struct paragraph_style how = paragraph();
    const struct paragraph_line *to = &writer->lines[line];
    size_t within = 0;

    while (within < to->count &&
           MARGIN + paragraph_x(writer->laid, to, within, &how) < writer->cursor_x) {
        within++;
    }
    writer->at = to->first + within;
}

static bool move(uint16_t code)
{
    struct writer *writer = state();
    const size_t length = text_length(&writer->text);

    if (code == KEY_LEFT) {
        writer->at -= writer->at > 0 ? 1 : 0;
    } else if (code == KEY_RIGHT) {
        writer->at += writer->at < length ? 1 : 0;
    } else if (code == KEY_END || code == KEY_HOME) { /* home and end move within the document */
        writer->at = code == KEY_END ? length : 0;
    } else if (code == KEY_UP || code == KEY_DOWN) {
        do_all(0); /* up and down need the lines of the current text */
        if (code == KEY_UP && writer->cursor_line > 0) {
            to_line(writer->cursor_line - 1);
        } else if (code == KEY_DOWN && writer->cursor_line + 1 < writer->line_count) {
            to_line(writer->cursor_line + 1);
        }
    } else {
        return false;
    }
    writer->at = writer->at < length ? writer->at : length;
    place_cursor(writer->at);
    return true;
}

/* Shows what the key does. Returns true if it did something. */
static bool echo(const struct queue_message *message)
{
    const bool is_down = message->type == QUEUE_KEY_DOWN;
    const char character = typing_key(&state()->typing, message->code, is_down);

    if (!is_down) {
        return false;
    }
    const bool types = character != TYPING_NONE;
    bool changes = types;

    draw_cursor(PAPER);
    if (character == TYPING_BACKSPACE) {
        erase();
    } else if (types) {
        insert(character);
    } else {
        changes = move(message->code);
    }
    client_render(changes ? client_parameter(WRITER_ECHO_US) : 0);
    draw_cursor(INK);
    client_flush();
    return changes;
}

/* ---- messages ---- */

static void finish_key(void)
{
    struct writer *writer = state();

    if (writer->unfinished != 0) {
        client_done(writer->unfinished);
        count(WRITER_ANSWER, writer->changes ? user_tsc() - writer->taken : 0);
        writer->unfinished = 0;
    }
}

static void key(const struct queue_message *message)
{
    struct writer *writer = state();
    struct queue_message next;

    finish_key();
    writer->taken = user_tsc();
    writer->unfinished = message->number;
    writer->changes = echo(message);
    count(WRITER_ECHO, writer->changes ? user_tsc() - writer->taken : 0);
    if (!client_peek(&next, false) || next.type != QUEUE_SYNC) {
        finish_key();
    }
}

static void input(const struct queue_message *message)
{
    if (message->type == QUEUE_SYNC) {
        do_all(0);
        finish_key();
    } else if (message->type == QUEUE_KEY_DOWN || message->type == QUEUE_KEY_UP) {
        key(message);
    } else if (message->number != 0) {
        client_done(message->number);
    }
}

/* ---- begin and end ---- */

/* Starts with an empty document. Also writes to all pages of its memory, so that no key touches one
 * for the first time. */
static void begin(void)
{
    struct writer *writer = state();

    memset((void *)PROCESS_BASE, 0, WRITER_OWN_BYTES);
    text_begin(&writer->text, (char *)TEXT_AT, WRITER_BYTES_MAX);
    client_fill((struct rectangle){0, 0, client_width(), client_height()}, PAPER);
    draw_status();
    leave_job(0);
    do_all(0);
    memset(writer->results, 0, sizeof(writer->results));
}

static void finish(void)
{
    struct writer *writer = state();

    do_all(0);
    writer->results[WRITER_CHECKSUM] = text_checksum(&writer->text, 0);
    writer->results[WRITER_LENGTH] = text_length(&writer->text);
    for (unsigned i = 0; i < WINDOW_RESULTS; i++) {
        client_result(i, writer->results[i]);
    }
}

/* Gets the next message. Returns false if there is no message but a job to do; with no job, waits
 * for a message. */
static bool next_message(struct queue_message *message)
{
    if (state()->job_count > 0) {
        return client_peek(message, true);
    }
    client_get(message);
    return true;
}

void write_text(void *argument)
{
    struct queue_message message;

    (void)argument;
    client_begin();
    begin();
    for (;;) {
        if (!next_message(&message)) {
            step();
        } else if (message.type == QUEUE_QUIT) {
            break;
        } else {
            input(&message);
        }
    }
    finish();
}
