/* SPDX-License-Identifier: BSD-2-Clause */
#include "tools/show/view_crash.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "tools/base/colour.h"
#include "tools/base/texts.h"

#define FRAMES_MAX 64
#define PLACE_MAX  4096

/* Returns the address of a frame. It counts from the start of the image, as the addresses of
 * symbols do. */
static uint64_t address_of(const struct run_frame *frame)
{
    return frame->address != NULL ? strtoull(frame->address, NULL, 16) : 0;
}

/* Returns whether this line of nm has the frame's symbol at the address that it had in the image.
 */
static bool is_symbol(const struct run_frame *frame, const char *line)
{
    const uint64_t offset = frame->offset != NULL ? strtoull(frame->offset, NULL, 0) : 0;
    char expected[PLACE_MAX];

    if (frame->symbol == NULL || strlen(line) < 20) {
        return false;
    }
    snprintf(expected, sizeof(expected), "%016" PRIx64 " %c %s\n", address_of(frame) - offset,
             line[17], frame->symbol);
    return strcmp(line, expected) == 0;
}

/* Returns whether the file of symbols is of the build that crashed: all frames with a symbol must
 * match. */
static bool is_same_build(const struct run_crash *crash, const char *symbols)
{
    char line[PLACE_MAX];
    size_t named = 0;
    size_t found = 0;

    snprintf(line, sizeof(line), "nm '%s' 2>/dev/null", symbols);
    FILE *out = popen(line, "r");

    for (size_t i = 0; i < crash->frame_count; i++) {
        named += crash->frames[i].symbol != NULL;
    }
    while (out != NULL && fgets(line, sizeof(line), out) != NULL) {
        for (size_t i = 0; i < crash->frame_count; i++) {
            found += is_symbol(&crash->frames[i], line);
        }
    }
    if (out != NULL) {
        pclose(out);
    }
    return named > 0 && found >= named;
}

/* Reads the next line of addr2line's output. Returns NULL if it begins with "?", which means that
 * the line is unknown. */
static const char *read_place(FILE *out, char line[PLACE_MAX])
{
    if (out == NULL || fgets(line, PLACE_MAX, out) == NULL || line[0] == '?') {
        return NULL;
    }
    line[strcspn(line, " \n")] = '\0';
    return strncmp(line, "./", 2) == 0 ? line + 2 : line;
}

/* Starts addr2line for all frames. Returns NULL if lines cannot be found. The line of a call is
 * that of the instruction before its return address. */
static FILE *open_places(const struct view *view, const struct run_crash *crash)
{
    struct long_text command;

    if (view->symbols == NULL || crash->frame_count > FRAMES_MAX ||
        access(view->symbols, R_OK) != 0 || !is_same_build(crash, view->symbols)) {
        return NULL;
    }
    long_text_open(&command);
    fprintf(command.out, "addr2line -e '%s'", view->symbols);
    for (size_t i = 0; i < crash->frame_count; i++) {
        fprintf(command.out, " 0x%" PRIx64, address_of(&crash->frames[i]) - (i > 0));
    }
    fputs(" 2>/dev/null", command.out);
    FILE *out = popen(long_text_close(&command), "r");

    long_text_free(&command);
    return out;
}

static void view_crash(const struct view *view, const struct run_crash *crash)
{
    FILE *out = view->out;
    struct long_text text;
    char line[PLACE_MAX];

    long_text_open(&text);
    for (size_t i = 0; i < crash->fields.count; i++) {
        fprintf(text.out, "%s%s=%s", i > 0 ? " " : "", crash->fields.item[i].key,
                crash->fields.item[i].value);
    }
    fputc('\n', out);
    colour_text(out, COLOUR_HEAD, "crash");
    fputs("\n  ", out);
    print_wrapped(out, long_text_close(&text), 2, 2);
    long_text_free(&text);
    FILE *places = open_places(view, crash);

    for (size_t i = 0; i < crash->frame_count; i++) {
        const struct run_frame *frame = &crash->frames[i];
        const char *place = read_place(places, line);

        fprintf(out, "  #%-2" PRIu64 " %s", frame->depth,
                frame->address != NULL ? frame->address : "-");
        if (frame->symbol != NULL) {
            fprintf(out, " %s%s%s", frame->symbol, frame->offset != NULL ? "+" : "",
                    frame->offset != NULL ? frame->offset : "");
        }
        fprintf(out, "%s%s\n", place != NULL ? " at " : "", place != NULL ? place : "");
    }
    if (places != NULL) {
        pclose(places);
    }
}

void view_crashes(const struct view *view)
{
    for (size_t i = 0; i < view->run->crash_count; i++) {
        view_crash(view, &view->run->crashes[i]);
    }
}
