/* SPDX-License-Identifier: BSD-2-Clause */
#include "tools/base/progress.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "tools/base/clean_text.h"
#include "tools/base/colour.h"
#include "tools/base/monotonic.h"

#define LIVE_INTERVAL_MS 250
#define SILENT_MS        500  /* work that ends within this time shows no progress */
#define BENCHES_MIN      3    /* that must have ended to estimate how long the others take */
#define NOTE_MAX         8192 /* longer text is cut */
#define CLEAR_LINE       "\r\033[K"

/* The start of the image's first line of text. */
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

/* "tare: bench idle (12 of 34): ..." */
static void read_bench(struct progress *progress)
{
    unsigned bench;
    unsigned benches;

    if (sscanf(progress->line, "tare: bench %*s (%u of %u)", &bench, &benches) == 2) {
        progress->first_ms = progress->first_ms > 0 ? progress->first_ms : monotonic_ms();
        progress->bench = bench;
        progress->benches = benches;
    }
}

/* Handles a complete line of text. */
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
        read_bench(progress);
    }
    progress->firmware_spoke = progress->firmware_spoke || !progress->image_speaks;
    if (progress->quiet || (!progress->image_speaks && !progress->terminal)) {
        return;
    }
    clear_live(progress);
    if (progress->image_speaks) {
        fprintf(stderr, "%7.1f s  %s\n", elapsed_s(progress), line);
    } else {
        colour_begin(stderr, COLOUR_DIM);
        fprintf(stderr, "%7.1f s  %s", elapsed_s(progress), line);
        colour_end(stderr, COLOUR_DIM);
        fputc('\n', stderr);
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
        progress_note(progress, "firmware has ended");
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
    char text[NOTE_MAX];

    vsnprintf(text, sizeof(text), format, arguments);
    clean_text(text, false);
    fprintf(stderr, "%7.1f s  %s", elapsed_s(progress), text);
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

/* Is it time to rewrite the live line? */
static bool live_is_due(const struct progress *progress, uint64_t now)
{
    return !progress->quiet && progress->terminal &&
           (!progress->live || now - progress->live_ms >= LIVE_INTERVAL_MS);
}

void progress_live(struct progress *progress, const char *format, ...)
{
    const uint64_t now = monotonic_ms();
    va_list arguments;

    if (!live_is_due(progress, now)) {
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

/* "12.3 MB", "1234 events". */
static const char *amount_of(double amount, const char *unit, char text[32])
{
    static const char *const sizes[] = {"B", "kB", "MB", "GB", "TB"};
    size_t size = 0;

    if (strcmp(unit, "B") != 0) {
        snprintf(text, 32, "%.0f %.16s", amount, unit);
        return text;
    }
    for (; amount >= 999.5 && size + 1 < sizeof(sizes) / sizeof(sizes[0]); size++) {
        amount /= 1000;
    }
    snprintf(text, 32, "%.*f %s", size == 0 || amount >= 99.95 ? 0 : 1, amount, sizes[size]);
    return text;
}

/* "2 s", "3 min", "1 h 20 min". */
static const char *left_of(double seconds, char text[32])
{
    const unsigned long whole = (unsigned long)(seconds + 0.5);

    if (whole < 120) {
        snprintf(text, 32, "%lu s", whole);
    } else if (whole < 7200) {
        snprintf(text, 32, "%lu min", (whole + 30) / 60);
    } else {
        snprintf(text, 32, "%lu h %lu min", whole / 3600, whole % 3600 / 60);
    }
    return text;
}

void progress_amount_text(const char *what, uint64_t done, uint64_t total, const char *unit,
                          uint64_t ms, char text[PROGRESS_AMOUNT_MAX])
{
    const double rate = ms > 0 ? (double)done * 1000 / (double)ms : 0;
    char amounts[3][32];
    char whole[48] = "";
    char left[48] = "";

    if (total > 0) {
        snprintf(whole, sizeof(whole), " of %s", amount_of((double)total, unit, amounts[0]));
    }
    if (total > done && rate > 0) {
        snprintf(left, sizeof(left), ", %s left",
                 left_of((double)(total - done) / rate, amounts[1]));
    }
    size_t used = (size_t)snprintf(text, PROGRESS_AMOUNT_MAX, "%.24s: %s%s", what,
                                   amount_of((double)done, unit, amounts[0]), whole);

    if (rate > 0 && used < PROGRESS_AMOUNT_MAX) {
        snprintf(text + used, PROGRESS_AMOUNT_MAX - used, ", %s/s%s",
                 amount_of(rate, unit, amounts[2]), left);
    }
}

void progress_amount(struct progress *progress, const char *what, uint64_t done, uint64_t total,
                     const char *unit)
{
    const uint64_t now = monotonic_ms();
    char text[PROGRESS_AMOUNT_MAX];

    if (now - progress->start_ms >= SILENT_MS && live_is_due(progress, now)) {
        progress_amount_text(what, done, total, unit, now - progress->start_ms, text);
        progress_live(progress, "%s", text);
    }
}

void progress_received(struct progress *progress, uint64_t bytes)
{
    const uint64_t now = monotonic_ms();
    const unsigned over = progress->bench > 0 ? progress->bench - 1 : 0;
    char texts[3][32];
    char bench[64] = "";
    char left[64] = "";

    if (progress->spoke_ms == 0) {
        progress->spoke_ms = now;
        progress->spoke_bytes = bytes;
    }
    if (!live_is_due(progress, now) || now == progress->spoke_ms) {
        return;
    }
    const double rate =
        (double)(bytes - progress->spoke_bytes) * 1000 / (double)(now - progress->spoke_ms);

    if (progress->bench > 0) {
        snprintf(bench, sizeof(bench), ", bench %u of %u", progress->bench, progress->benches);
    }
    if (over >= BENCHES_MIN) {
        const double each_s = (double)(now - progress->first_ms) / 1000 / over;

        snprintf(left, sizeof(left), ", about %s left",
                 left_of(each_s * (progress->benches - over), texts[2]));
    }
    progress_live(progress, "received: %s, %s/s%s%s", amount_of((double)bytes, "B", texts[0]),
                  amount_of(rate, "B", texts[1]), bench, left);
}
