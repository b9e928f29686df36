/* SPDX-License-Identifier: BSD-2-Clause */
/* The text editor, in ring 3; see editor_program.h. */
#include "bench/interactive/program/editor_program.h"

#include "bench/interactive/document/text.h"
#include "bench/interactive/program/client.h"
#include "kernel/input/event.h"
#include "kernel/input/typist.h"

#define INK   0x00000000u
#define PAPER 0x00ffffffu
#define TITLE 0x00304070u

#define ROWS_MAX  64
#define MARGIN    3 /* pixels left of the first column */
#define BAR       14
#define BAR_TEXT  3
#define SENTENCES 5 /* sentences in a paragraph of the initial text */

static const char title[] = "Editor";
static const struct text_style style = {.scale = 1, .ink = INK, .paper = PAPER};
static const struct text_style title_style = {.scale = 1, .ink = PAPER, .paper = TITLE};

struct editor {
    struct text text;
    struct typing typing;
    size_t base; /* characters of the initial text */
    size_t columns;
    size_t rows; /* rows of the window */
    /* start of each row, and of the row after the window; ROWS_NONE: there is no such row */
    size_t start[ROWS_MAX + 1];
    size_t at;      /* position of the cursor */
    size_t column;  /* column that up and down keep to */
    uint64_t drawn; /* rows drawn */
    uint64_t pages;
    uint64_t scrolls;
};

#define TEXT_AT (PROCESS_BASE + 8192)
_Static_assert(sizeof(struct editor) <= 8192, "it lies in front of the text");

static struct editor *state(void)
{
    return (struct editor *)PROCESS_BASE;
}

/* ---- rows ---- */

/* Sets the starts of the rows after row `row`, whose start is known. */
static void place_rows(size_t row)
{
    struct editor *editor = state();

    for (; row < editor->rows; row++) {
        const size_t start = editor->start[row];

        editor->start[row + 1] =
            start == ROWS_NONE ? ROWS_NONE : rows_next(&editor->text, start, editor->columns);
    }
}

/* Returns the window's row that contains the cursor, or `rows` if the cursor is below the window.
 */
static size_t cursor_row(void)
{
    const struct editor *editor = state();
    size_t row = 0;

    while (row < editor->rows && editor->start[row + 1] <= editor->at) {
        row++;
    }
    return row;
}

static int32_t row_y(size_t row)
{
    return BAR + (int32_t)row * text_cell_height(&style);
}

static int32_t column_x(size_t column)
{
    return MARGIN + (int32_t)column * text_cell_width(&style);
}

static struct rectangle rows_area(void)
{
    return (struct rectangle){0, row_y(0), client_width(),
                              (int32_t)state()->rows * text_cell_height(&style)};
}

static void draw_row(size_t row, size_t column)
{
    struct editor *editor = state();
    char line[256];
    size_t length = 0;

    editor->drawn++;
    client_render(client_parameter(EDITOR_ROW_US));
    if (editor->start[row] != ROWS_NONE) {
        length = rows_length(&editor->text, editor->start[row], editor->columns);
        for (size_t i = column; i < length; i++) {
            line[i] = text_at(&editor->text, editor->start[row] + i);
        }
    }
    if (length > column) {
        client_text(column_x(column), row_y(row), line + column, length - column, &style, 0);
    }
    const int32_t end = column_x(length > column ? length : column);

    client_fill((struct rectangle){end, row_y(row), client_width() - end, text_cell_height(&style)},
                PAPER);
}

static void draw_rows(void)
{
    for (size_t row = 0; row < state()->rows; row++) {
        draw_row(row, 0);
    }
}

/* Draws the cursor in the column that every character leaves free on its right. */
static void draw_cursor(uint32_t colour)
{
    const size_t row = cursor_row();

    if (row < state()->rows) {
        client_fill((struct rectangle){column_x(state()->at - state()->start[row]) - 1, row_y(row),
                                       1, text_cell_height(&style)},
                    colour);
    }
}

/* ---- the window follows the cursor ---- */

static void show_from(size_t top)
{
    state()->start[0] = top;
    place_rows(0);
}

static void scroll_up(void)
{
    state()->scrolls++;
    show_from(state()->start[1]);
    client_scroll(rows_area(), text_cell_height(&style), PAPER);
    draw_row(state()->rows - 1, 0);
}

static void scroll_down(void)
{
    struct rectangle area = rows_area();

    state()->scrolls++;
    show_from(rows_before(&state()->text, state()->start[0], state()->columns));
    area.height -= text_cell_height(&style);
    client_copy(area, 0, row_y(1));
    draw_row(0, 0);
}

static void follow(void)
{
    while (state()->at < state()->start[0]) {
        scroll_down();
    }
    while (cursor_row() == state()->rows) {
        scroll_up();
    }
}

/* ---- changes ---- */

/* Row `row` has changed from `column` on, and the text's length by `by` characters. Updates the
 * starts of the rows and draws what differs. */
static void redraw_changed(size_t row, size_t column, size_t by)
{
    struct editor *editor = state();
    const size_t behind = editor->start[row + 1];
    bool same;

    editor->start[row + 1] = rows_next(&editor->text, editor->start[row], editor->columns);
    same = behind == ROWS_NONE ? editor->start[row + 1] == ROWS_NONE
                               : editor->start[row + 1] == behind + by;
    for (size_t i = row + 2; same && i <= editor->rows; i++) {
        editor->start[i] += editor->start[i] == ROWS_NONE ? 0 : by;
    }
    draw_row(row, column);
    if (!same) {
        place_rows(row + 1);
        for (size_t i = row + 1; i < editor->rows; i++) {
            draw_row(i, 0);
        }
    }
}

static void insert(char character)
{
    struct editor *editor = state();
    const size_t row = cursor_row();

    if (text_insert(&editor->text, editor->at, character)) {
        editor->at++;
        redraw_changed(row, editor->at - 1 - editor->start[row], 1);
    }
}

static void erase(void)
{
    struct editor *editor = state();

    if (editor->at == editor->start[0] && editor->at > 0) {
        scroll_down();
    }
    editor->at -= editor->at > 0 ? 1 : 0;
    const size_t row = cursor_row();

    if (text_erase(&editor->text, editor->at + 1)) {
        redraw_changed(row, editor->at - editor->start[row], (size_t)-1);
    }
}

/* ---- moves ---- */

static void to_column(size_t row)
{
    struct editor *editor = state();
    const size_t length = rows_length(&editor->text, editor->start[row], editor->columns);

    editor->at = editor->start[row] + (editor->column < length ? editor->column : length);
    if (editor->start[row + 1] == editor->at) {
        editor->at--; /* the end of a full row is the start of the next one */
    }
}

static void up(void)
{
    if (cursor_row() == 0 && state()->start[0] > 0) {
        scroll_down();
        to_column(0);
    } else if (cursor_row() > 0) {
        to_column(cursor_row() - 1);
    }
}

static void down(void)
{
    const size_t row = cursor_row();

    if (state()->start[row + 1] == ROWS_NONE) {
        return;
    }
    if (row + 1 == state()->rows) {
        scroll_up();
        to_column(row);
    } else {
        to_column(row + 1);
    }
}

static void page(bool forward)
{
    struct editor *editor = state();
    const size_t row = cursor_row();
    size_t top = editor->start[0];

    for (size_t i = 1; i < editor->rows; i++) {
        const size_t next = forward ? rows_next(&editor->text, top, editor->columns)
                                    : rows_before(&editor->text, top, editor->columns);

        top = next == ROWS_NONE ? top : next;
    }
    show_from(top);
    editor->pages++;
    size_t shown = row;

    while (shown > 0 && editor->start[shown] == ROWS_NONE) {
        shown--;
    }
    to_column(shown);
    draw_rows();
}

/* Moves to the start or the end of the text. */
static void far(bool end)
{
    struct editor *editor = state();
    size_t top = 0;

    editor->at = end ? text_length(&editor->text) : 0;
    if (end) {
        top = editor->at;
        while (top > 0 && text_at(&editor->text, top - 1) != '\n') {
            top--;
        }
        for (size_t next = rows_next(&editor->text, top, editor->columns); next != ROWS_NONE;
             next = rows_next(&editor->text, top, editor->columns)) {
            top = next;
        }
        for (size_t i = 1; i < editor->rows && top > 0; i++) {
            top = rows_before(&editor->text, top, editor->columns);
        }
    }
    if (top != editor->start[0]) {
        show_from(top);
        editor->pages++;
        draw_rows();
    }
}

static void within_row(bool end)
{
    struct editor *editor = state();
    const size_t row = cursor_row();

    editor->column = end ? editor->columns : 0;
    to_column(row);
}

static void remember_column(void)
{
    state()->column = state()->at - state()->start[cursor_row()];
}

static void sideways(bool right)
{
    if (right) {
        state()->at += state()->at < text_length(&state()->text) ? 1 : 0;
    } else {
        state()->at -= state()->at > 0 ? 1 : 0;
    }
    follow();
    remember_column();
}

/* Handles a key that moves the cursor. Returns false if it is not such a key. */
static bool move(uint16_t code)
{
    switch (code) {
    case KEY_UP:
        up();
        return true;
    case KEY_DOWN:
        down();
        return true;
    case KEY_LEFT:
    case KEY_RIGHT:
        sideways(code == KEY_RIGHT);
        return true;
    case KEY_PAGE_UP:
    case KEY_PAGE_DOWN:
        page(code == KEY_PAGE_DOWN);
        return true;
    case KEY_HOME:
    case KEY_END:
        if (state()->typing.control) {
            far(code == KEY_END);
        } else {
            within_row(code == KEY_END);
        }
        remember_column();
        return true;
    default:
        return false;
    }
}

static void input(const struct queue_message *message)
{
    const bool is_down = message->type == QUEUE_KEY_DOWN;
    const bool is_key = is_down || message->type == QUEUE_KEY_UP;
    const char character =
        is_key ? typing_key(&state()->typing, message->code, is_down) : TYPING_NONE;

    if (is_down) {
        draw_cursor(PAPER);
        if (character == TYPING_BACKSPACE || character != TYPING_NONE) {
            client_render(client_parameter(EDITOR_KEY_US));
            if (character == TYPING_BACKSPACE) {
                erase();
            } else {
                insert(character);
            }
            follow();
            remember_column();
            if (character == '\n') {
                draw_rows();
            }
        } else if (move(message->code)) {
            client_render(client_parameter(EDITOR_KEY_US));
        }
        draw_cursor(INK);
    }
    client_done(message->number);
}

/* ---- begin and end ---- */

/* Makes up the initial text, in paragraphs. */
static void make_text(void)
{
    const struct typist_settings settings = {
        .made_up = client_parameter(EDITOR_CHARACTERS),
        .seed = client_parameter(EDITOR_SEED),
    };
    struct typist typist;
    struct typist_stroke stroke;
    struct text *text = &state()->text;
    unsigned sentences = 0;
    bool behind_stop = false;

    text_begin(text, (char *)TEXT_AT, EDITOR_BYTES_MAX);
    if (settings.made_up > 0 && settings.made_up <= EDITOR_BYTES_MAX / 2) {
        typist_begin(&typist, &settings);
        while (typist_next(&typist, &stroke)) {
            const bool ends = behind_stop && sentences % SENTENCES == 0;

            text_insert(text, text_length(text), ends ? '\n' : stroke.character);
            behind_stop = stroke.character == '.';
            sentences += behind_stop ? 1 : 0;
        }
        text_insert(text, text_length(text), '\n');
    }
    state()->base = text_length(text);
}

static void finish(void)
{
    const struct editor *editor = state();

    client_result(EDITOR_CHECKSUM, text_checksum(&editor->text, editor->base));
    client_result(EDITOR_WHOLE, text_checksum(&editor->text, 0));
    client_result(EDITOR_LENGTH, text_length(&editor->text));
    client_result(EDITOR_ROWS, editor->drawn);
    client_result(EDITOR_PAGES, editor->pages);
    client_result(EDITOR_SCROLLS, editor->scrolls);
}

static void begin(void)
{
    struct editor *editor = state();
    const size_t fits = (size_t)(client_height() - BAR) / (size_t)text_cell_height(&style);

    make_text();
    editor->columns = (size_t)(client_width() - MARGIN) / (size_t)text_cell_width(&style);
    editor->rows = fits < ROWS_MAX ? fits : ROWS_MAX;
    editor->start[0] = ROWS_NONE; /* draws all rows below */
    client_fill((struct rectangle){0, 0, client_width(), client_height()}, PAPER);
    client_fill((struct rectangle){0, 0, client_width(), BAR}, TITLE);
    client_text(MARGIN, BAR_TEXT, title, sizeof(title) - 1, &title_style, 0);
    far(true);
    remember_column();
    draw_cursor(INK);
    client_flush();
    editor->drawn = 0;
    editor->pages = 0;
    editor->scrolls = 0;
}

void edit_text(void *argument)
{
    struct queue_message message;

    (void)argument;
    client_begin();
    begin();
    while (client_get(&message), message.type != QUEUE_QUIT) {
        if (message.number != 0) {
            input(&message);
        }
    }
    finish();
}
