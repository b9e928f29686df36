/* SPDX-License-Identifier: BSD-2-Clause */
#include "tools/base/progress.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "kernel/link/names.h"
#include "tools/base/clean_text.h"
#include "tools/base/colour.h"
#include "tools/base/monotonic.h"
#include "tools/base/table.h"

#define LIVE_INTERVAL_MS 250
#define SILENT_MS        500 /* work that ends within this time shows no progress */
/* number of benches that must have ended before the remaining time is estimated */
#define BENCHES_MIN 3
#define NOTE_MAX    8192  /* longer text is cut */
#define LONG_MS     10000 /* a bench that runs this long gets a line even without a terminal */
#define CLEAR_LINE  "\r\033[K"

/* Start of the image's first line of text. */
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

/* Prints a line of the image or of this program, wrapped on a terminal. */
static void print_timed(const struct progress *progress, const char *text)
{
    const int column = fprintf(stderr, "%7.1f s  ", elapsed_s(progress));

    if (progress->terminal) {
        print_wrapped_at(stderr, text, (size_t)column, (size_t)column, terminal_width_of(stderr));
    } else {
        fprintf(stderr, "%s\n", text);
    }
}

/* Prints the line that announced the running bench, if the bench has not ended yet. */
static void print_running(struct progress *progress)
{
    if (progress->running[0] != '\0' && !progress->quiet) {
        clear_live(progress);
        print_timed(progress, progress->running);
    }
    progress->running[0] = '\0';
}

/* Parses the line that announces a bench: "bench idle (12 of 34)". Older images add ": ..." at the
 * end. */
static bool take_begin(struct progress *progress, const char *line)
{
    unsigned bench;
    unsigned benches;

    if (sscanf(line, "bench %*s (%u of %u)", &bench, &benches) != 2) {
        return false;
    }
    print_running(progress);
    progress->began_ms = monotonic_ms();
    progress->first_ms = progress->first_ms > 0 ? progress->first_ms : progress->began_ms;
    progress->bench = bench;
    progress->benches = benches;
    snprintf(progress->running, sizeof(progress->running), "%s", line);
    return true;
}

/* If the line "bench idle: OK" ends the running bench "bench idle (12 of 34)", forgets the
 * announcement, which then need not be printed. */
static void take_end(struct progress *progress, const char *line)
{
    const size_t name = strcspn(line, ":");

    if (strncmp(line, "bench ", strlen("bench ")) == 0 && line[name] == ':' &&
        strncmp(progress->running, line, name) == 0 && progress->running[name] == ' ') {
        progress->running[0] = '\0';
    }
}

/* Handles a line of the image, without the image's prefix. */
static void image_line(struct progress *progress, const char *line)
{
    static const char prefix[] = "tare: ";

    line += strncmp(line, prefix, strlen(prefix)) == 0 ? strlen(prefix) : 0;
    if (take_begin(progress, line)) {
        return;
    }
    take_end(progress, line);
    if (!progress->quiet) {
        clear_live(progress);
        print_timed(progress, line);
    }
}

static void firmware_line(struct progress *progress, const char *line)
{
    if (progress->quiet || !progress->terminal) {
        return;
    }
    clear_live(progress);
    colour_begin(stderr, COLOUR_DIM);
    fprintf(stderr, "%7.1f s  %s", elapsed_s(progress), line);
    colour_end(stderr, COLOUR_DIM);
    fputc('\n', stderr);
}

/* Handles a complete line of text, of firmware or image. */
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
    progress->image_done =
        progress->image_done || strncmp(line, TEXT_DONE, sizeof(TEXT_DONE) - 1) == 0;
    progress->firmware_spoke = progress->firmware_spoke || !progress->image_speaks;
    if (progress->image_speaks) {
        image_line(progress, line);
    } else {
        firmware_line(progress, line);
    }
}

void progress_finish(struct progress *progress)
{
    end_line(progress);
    print_running(progress);
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
    ESCAPE_BEGUN, /* ESC was received */
    ESCAPE_CSI,   /* ESC [ was received: parameters follow, up to a final byte 40h..7Eh */
};

/* Is the byte part of an escape sequence? A sequence that positions the cursor ends the current
 * line. */
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

void progress_note(struct progress *progress, const char *format, ...)
{
    char text[NOTE_MAX];
    va_list arguments;

    if (progress->quiet) {
        return;
    }
    clear_live(progress);
    va_start(arguments, format);
    vsnprintf(text, sizeof(text), format, arguments);
    va_end(arguments);
    clean_text(text, false);
    print_timed(progress, text);
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
    char text[NOTE_MAX];
    va_list arguments;

    if (!live_is_due(progress, now)) {
        return;
    }
    progress->live_ms = now;
    progress->live = true;
    va_start(arguments, format);
    vsnprintf(text, sizeof(text), format, arguments);
    va_end(arguments);
    clean_text(text, false);
    fputs(CLEAR_LINE, stderr);
    const int column = fprintf(stderr, "%7.1f s  ", elapsed_s(progress));

    /* A wrapped line could not be rewritten, so it is cut. */
    fprintf(stderr, "%.*s", (int)terminal_width_of(stderr) - column - 1, text);
    fflush(stderr);
}

/* Writes an amount: "12.3 MB", "1234 events". */
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

/* Writes the remaining time: "2 s", "3 min", "1 h 20 min". */
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
    if (!progress->terminal && progress->running[0] != '\0' &&
        now - progress->began_ms >= LONG_MS) {
        print_running(progress);
    }
    if (!live_is_due(progress, now) || now == progress->spoke_ms) {
        return;
    }
    const double rate =
        (double)(bytes - progress->spoke_bytes) * 1000 / (double)(now - progress->spoke_ms);

    if (progress->bench > 0) {
        snprintf(bench, sizeof(bench), "%.*s, ", (int)strcspn(progress->running, ":"),
                 progress->running[0] != '\0' ? progress->running : "between benches");
    }
    if (over >= BENCHES_MIN) {
        const double each_s = (double)(now - progress->first_ms) / 1000 / over;

        snprintf(left, sizeof(left), ", about %s left",
                 left_of(each_s * (progress->benches - over), texts[2]));
    }
    progress_live(progress, "%sreceived %s, %s/s%s", bench, amount_of((double)bytes, "B", texts[0]),
                  amount_of(rate, "B", texts[1]), left);
}
