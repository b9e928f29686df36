/* SPDX-License-Identifier: BSD-2-Clause */
/* The program of slides_program.h, in ring 3. */
#include <string.h>

#include "bench/interactive/program/client.h"
#include "bench/interactive/program/slide_draw.h"
#include "bench/interactive/program/slides_program.h"
#include "kernel/block/layout.h"
#include "kernel/task/user.h"
#include "kernel/trace/trace.h"

/* Its memory. */
#define PAGE_AT      (PROCESS_BASE + (64ull << 10)) /* of a program, as it is read */
#define DOCUMENT_AT  (PROCESS_BASE + (256ull << 10))
#define SAVED_AT     (PROCESS_BASE + (1ull << 20))
#define LEAK_AT      (PROCESS_BASE + SLIDES_OWN_BYTES)
#define DOCUMENT     ((uint64_t)DECK_DOCUMENT_PAGES * DECK_PAGE)
#define KIB          1024
#define LINE         64                    /* bytes of what leaked between two that are looked at */
#define HASH_BEGIN   0xcbf29ce484222325ull /* FNV-1a, of words */
#define HASH_PRIME   0x100000001b3ull
#define PAGE_SECTORS (DECK_PAGE / LAYOUT_SECTOR)
#define PERCENT_STEP 10 /* of a bar, for each number */

/* Codes of keys in scan-code set 1. */
enum {
    CODE_ESC = 0x01,
    CODE_1 = 0x02,
    CODE_0 = 0x0b,
    CODE_O = 0x18,
    CODE_ENTER = 0x1c,
    CODE_CTRL = 0x1d,
    CODE_S = 0x1f,
    CODE_F1 = 0x3b,
    CODE_PAGE_UP = 0xc9,
    CODE_PAGE_DOWN = 0xd1,
};

struct slides {
    uint64_t file[2]; /* SLIDES.DAT, DOC.DAT */
    uint64_t wrong;
    uint64_t edits;
    uint64_t leaked; /* bytes */
    uint64_t seen;   /* in what leaked */
    unsigned shown;  /* 0: nothing is open */
    unsigned bar;    /* that is edited next */
    bool ctrl;       /* is held */
    bool editing;
    uint8_t bars[DECK_OBJECTS + 1][DECK_BARS];
};

static struct slides *state(void)
{
    return (struct slides *)PROCESS_BASE;
}

static uint8_t *bars_shown(void)
{
    return state()->bars[deck_object(state()->shown)];
}

/* ---- files ---- */

static void read_page(struct deck_page page, uint64_t to)
{
    const uint64_t file = state()->file[page.document ? 1 : 0];
    const char *bytes = (const char *)to;

    if (!client_seek(file, (uint64_t)page.page * DECK_PAGE) ||
        client_read(file, (void *)to, DECK_PAGE) != DECK_PAGE) {
        state()->wrong++;
        return;
    }
    for (uint64_t i = 0; i < PAGE_SECTORS; i++) {
        state()->wrong +=
            *(const uint64_t *)(bytes + i * LAYOUT_SECTOR) != page.page * PAGE_SECTORS + i ? 1 : 0;
    }
}

static void read_all(enum deck_action action)
{
    const size_t pages = client_parameter(SLIDES_FILES) != 0 ? deck_pages(action) : 0;

    for (size_t i = 0; i < pages; i++) {
        const struct deck_page page = deck_page(action, i);
        const bool presentation = !page.document && page.page < DECK_DOCUMENT_PAGES;

        read_page(page, presentation ? DOCUMENT_AT + (uint64_t)page.page * DECK_PAGE : PAGE_AT);
    }
}

static void open_files(void)
{
    if (client_parameter(SLIDES_FILES) != 0) {
        state()->file[0] = (uint64_t)client_open(LAYOUT_SLIDES);
        state()->file[1] = (uint64_t)client_open(LAYOUT_DOC);
    }
}

/* ---- what it does ---- */

static void take_bars(void)
{
    for (unsigned object = 1; object <= DECK_OBJECTS; object++) {
        for (unsigned bar = 0; bar < DECK_BARS; bar++) {
            state()->bars[object][bar] = (uint8_t)deck_bar(object, bar);
        }
    }
}

static void show(unsigned slide)
{
    state()->shown = slide;
    client_work(client_parameter(SLIDES_PAGE_US));
    if (deck_object(slide) != 0) {
        client_work(client_parameter(SLIDES_OBJECT_US));
    }
    slide_draw(slide, bars_shown());
}

static void start(void)
{
    read_all(DECK_START);
    client_work(client_parameter(SLIDES_START_US));
    slide_draw_window();
}

static void open(void)
{
    read_all(DECK_OPEN);
    client_work(DECK_SLIDES * client_parameter(SLIDES_OPEN_US));
    take_bars();
    show(1);
}

/* What was never given back, and all that came before is looked at. */
static void leak(void)
{
    const uint64_t more = client_parameter(SLIDES_LEAK_KIB) * KIB;

    if (state()->leaked + more > SLIDES_LEAK_MAX) {
        return;
    }
    memset((void *)(LEAK_AT + state()->leaked), 1, more);
    state()->leaked += more;
    for (uint64_t at = 0; at < state()->leaked; at += LINE) {
        state()->seen += *(const volatile uint8_t *)(LEAK_AT + at);
    }
}

static void begin_session(unsigned object)
{
    read_all((enum deck_action)(DECK_EDIT_1 + object - 1));
    client_work(client_parameter(SLIDES_SESSION_US));
    leak();
    state()->editing = true;
    state()->bar = 0;
    slide_draw_session(state()->bars[object]);
}

static void edit(unsigned tenths)
{
    client_work(client_parameter(SLIDES_EDIT_US));
    bars_shown()[state()->bar] = (uint8_t)(tenths * PERCENT_STEP);
    slide_draw_edit(bars_shown(), state()->bar);
    state()->bar = (state()->bar + 1) % DECK_BARS;
    state()->edits++;
}

static void end_session(void)
{
    state()->editing = false;
    slide_draw_window();
    show(state()->shown);
}

/* The presentation as it is, with the graphs as they are now at its begin. */
static void save(void)
{
    read_all(DECK_SAVE);
    client_work(DECK_SLIDES * client_parameter(SLIDES_SAVE_US));
    memcpy((void *)SAVED_AT, (const void *)DOCUMENT_AT, DOCUMENT);
    memcpy((void *)SAVED_AT, state()->bars, sizeof(state()->bars));
    slide_draw_saved();
}

/* ---- keys ---- */

static void turn_page(bool down)
{
    const unsigned last = down ? DECK_SLIDES : 1;

    if (state()->shown != last) {
        show(down ? state()->shown + 1 : state()->shown - 1);
    }
}

static void key_while_editing(uint16_t code)
{
    if (code >= CODE_1 && code <= CODE_0) {
        edit(code - CODE_1 + 1u);
    } else if (code == CODE_ESC) {
        end_session();
    }
}

static void key_on_slide(uint16_t code)
{
    const unsigned object = deck_object(state()->shown);

    if (code == CODE_PAGE_DOWN || code == CODE_PAGE_UP) {
        turn_page(code == CODE_PAGE_DOWN);
    } else if (code == CODE_ENTER && object != 0) {
        begin_session(object);
    } else if (code == CODE_S && state()->ctrl) {
        save();
    }
}

static void key_down(uint16_t code)
{
    if (code == CODE_CTRL) {
        state()->ctrl = true;
    } else if (state()->editing) {
        key_while_editing(code);
    } else if (code == CODE_F1) {
        start();
    } else if (code == CODE_O && state()->ctrl) {
        open();
    } else if (state()->shown != 0) {
        key_on_slide(code);
    }
}

/* Flushes and drawn requests of what it is about. */
static void input(const struct queue_message *message)
{
    const struct batch *batch = &((const struct window_shared *)WINDOW_SHARED_AT)->batch;
    const uint64_t flushes = batch->flushes;
    const uint64_t drawn = batch->drawn;
    const bool counted = message->type == QUEUE_KEY_DOWN && !state()->editing &&
                         (message->code == CODE_PAGE_DOWN || message->code == CODE_ENTER);

    if (message->type == QUEUE_KEY_DOWN) {
        key_down(message->code);
    } else if (message->type == QUEUE_KEY_UP && message->code == CODE_CTRL) {
        state()->ctrl = false;
    }
    client_done(message->number);
    if (counted) {
        client_result(SLIDES_ROUND_FLUSHES, batch->flushes - flushes);
        client_result(SLIDES_ROUND_REQUESTS, batch->drawn - drawn);
    }
}

/* ---- at the end ---- */

static uint64_t checksum(void)
{
    const uint64_t *word = (const uint64_t *)SAVED_AT;
    uint64_t hash = HASH_BEGIN;

    for (uint64_t i = 0; i < DOCUMENT / sizeof(*word); i++) {
        hash = (hash ^ word[i]) * HASH_PRIME;
    }
    return hash >> 1; /* a positive number wherever it goes */
}

static void act(enum deck_action action)
{
    if (action == DECK_START) {
        start();
    } else if (action == DECK_OPEN) {
        open();
    } else if (action == DECK_SAVE) {
        save();
    } else {
        begin_session(action - DECK_EDIT_1 + 1u);
    }
    client_flush();
}

static void measure_actions(void)
{
    for (unsigned i = 0; i < DECK_SPARE; i++) {
        act(i);
        const uint64_t begin = user_tsc();

        act(i);
        client_result(SLIDES_WARM + i, user_tsc() - begin);
    }
}

static void measure_miss(enum slides_result result)
{
    const uint64_t begin = user_tsc();

    read_all(DECK_SPARE);
    client_result(result, user_tsc() - begin);
}

static void measure_flush(enum slides_result result, int32_t requests)
{
    const uint64_t begin = user_tsc();

    for (unsigned i = 0; i < SLIDES_TIMES; i++) {
        for (int32_t x = 0; x < requests; x++) {
            client_fill((struct rectangle){x, 0, 1, 1}, 0);
        }
        client_flush();
    }
    client_result(result, user_tsc() - begin);
}

static void finish(void)
{
    struct slides *slides = state();
    const struct slides before = *slides;

    client_result(SLIDES_CHECKSUM, checksum());
    client_result(SLIDES_NUMBER, slides->shown);
    client_result(SLIDES_EDITS, slides->edits);
    client_flush();
    measure_flush(SLIDES_FLUSH, 1);
    measure_flush(SLIDES_FLUSH_FULL, BATCH_MAX);
    if (client_parameter(SLIDES_FILES) != 0) {
        measure_miss(SLIDES_MISS);
        measure_miss(SLIDES_HIT);
        measure_actions();
    }
    client_result(SLIDES_WRONG, slides->wrong);
    *slides = before;
    slide_draw_window();
    if (slides->shown != 0) {
        slide_draw(slides->shown, bars_shown());
    }
    client_flush();
}

/* So that no event touches a page for the first time; but what leaks does. */
static void touch(void)
{
    for (uint64_t at = PROCESS_BASE; at < LEAK_AT; at += DECK_PAGE) {
        *(volatile uint64_t *)at = 0;
    }
}

void show_slides(void *argument)
{
    struct queue_message message;

    (void)argument;
    client_begin();
    touch();
    open_files();
    if (client_parameter(SLIDES_SHOWN) != 0) {
        take_bars();
        slide_draw_window();
        show((unsigned)client_parameter(SLIDES_SHOWN));
        client_flush();
    }
    while (client_get(&message), message.type != QUEUE_QUIT) {
        if (message.number != 0) {
            input(&message);
        }
    }
    finish();
}
