/* SPDX-License-Identifier: BSD-2-Clause */
#include "tools/lib/progress.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "tools/lib/monotonic.h"

#define LIVE_INTERVAL_MS 100
#define DIM              "\033[2m"
#define NORMAL           "\033[0m"
#define CLEAR_LINE       "\r\033[K"

/* What the image's first line of text begins with. */
static const char image_mark[] = "tare";

void progress_start(struct progress *progress)
{
    *progress = (struct progress){
        .terminal = isatty(STDERR_FILENO) == 1,
        .start_ms = monotonic_ms(),
    };
}

static double elapsed_s(const struct progress *progress)
{
    return (double)(monotonic_ms() - progress->start_ms) / 1000.0;
}

static void clear_live(struct progress *progress)
{
    if (progress->live) {
        fputs(CLEAR_LINE, stderr);
        progress->live = false;
    }
}

/* One line of text is whole. */
static void end_line(struct progress *progress)
{
    char *line = progress->line;

    while (progress->length > 0 && line[progress->length - 1] == ' ') {
        progress->length--;
    }
    line[progress->length] = '\0';
    progress->length = 0;
    if (*line == '\0') {
        return;
    }
    if (strncmp(line, image_mark, sizeof(image_mark) - 1) == 0) {
        progress_image(progress);
    }
    progress->firmware_spoke = progress->firmware_spoke || !progress->image_speaks;
    if (progress->quiet || (!progress->image_speaks && !progress->terminal)) {
        return;
    }
    clear_live(progress);
    if (progress->image_speaks) {
        fprintf(stderr, "%7.1f s  %s\n", elapsed_s(progress), line);
    } else {
        fprintf(stderr, DIM "%7.1f s  %s" NORMAL "\n", elapsed_s(progress), line);
    }
}

void progress_finish(struct progress *progress)
{
    end_line(progress);
    clear_live(progress);
}

void progress_image(struct progress *progress)
{
    if (progress->image_speaks) {
        return;
    }
    if (progress->firmware_spoke) {
        progress_note(progress, "firmware is done");
    }
    progress->image_speaks = true;
}

enum escape_state {
    ESCAPE_NONE,
    ESCAPE_BEGUN, /* ESC was seen */
    ESCAPE_CSI,   /* ESC [ was seen: parameters, up to a final byte 40h..7eh */
};

/* Is the byte part of an escape sequence? Moving the cursor to a place ends a line. */
static bool skip_escape(struct progress *progress, char c)
{
    switch (progress->escape) {
    case ESCAPE_BEGUN:
        progress->escape = c == '[' ? ESCAPE_CSI : ESCAPE_NONE;
        return true;
    case ESCAPE_CSI:
        if (c >= 0x40 && c <= 0x7e) {
            progress->escape = ESCAPE_NONE;
            if (c == 'H') {
                end_line(progress);
            }
        }
        return true;
    default:
        progress->escape = c == '\033' ? ESCAPE_BEGUN : ESCAPE_NONE;
        return c == '\033';
    }
}

void progress_text(struct progress *progress, const char *text, size_t length)
{
    for (size_t i = 0; i < length; i++) {
        const char c = text[i];

        if (skip_escape(progress, c)) {
            continue;
        }
        if (c == '\n') {
            end_line(progress);
        } else if (c >= ' ' && c <= '~' && progress->length < PROGRESS_LINE_MAX) {
            progress->line[progress->length++] = c;
        }
    }
}

/* The elapsed time, then the text, with nothing before it on the line. */
__attribute__((format(printf, 2, 0))) static void print_timed(const struct progress *progress,
                                                              const char *format, va_list arguments)
{
    fprintf(stderr, "%7.1f s  ", elapsed_s(progress));
    vfprintf(stderr, format, arguments);
}

void progress_note(struct progress *progress, const char *format, ...)
{
    va_list arguments;

    if (progress->quiet) {
        return;
    }
    clear_live(progress);
    va_start(arguments, format);
    print_timed(progress, format, arguments);
    va_end(arguments);
    fputc('\n', stderr);
}

void progress_live(struct progress *progress, const char *format, ...)
{
    const uint64_t now = monotonic_ms();
    va_list arguments;

    if (progress->quiet || !progress->terminal ||
        (progress->live && now - progress->live_ms < LIVE_INTERVAL_MS)) {
        return;
    }
    progress->live_ms = now;
    progress->live = true;
    fputs(CLEAR_LINE, stderr);
    va_start(arguments, format);
    print_timed(progress, format, arguments);
    va_end(arguments);
    fflush(stderr);
}
