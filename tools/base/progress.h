/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Progress of a run on stderr: the image's lines with the elapsed time. On a terminal, one line is
 * rewritten in place.
 *
 * A bench gets one line, printed when it ends. While the bench runs, the rewritten line names it;
 * if stderr is not a terminal, a bench that takes long gets an extra line instead. Firmware text,
 * which is everything before the image's first line, is dimmed on a terminal and otherwise omitted.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define PROGRESS_LINE_MAX 160

struct progress {
    bool terminal;
    bool quiet; /* print nothing */
    bool firmware_spoke;
    bool image_done; /* the image's last line has been received */
    /* further text comes from the image, not from the firmware */
    bool image_speaks;
    /* the terminal currently shows a line that can be rewritten */
    bool live;
    uint64_t start_ms;    /* monotonic clock at the start */
    uint64_t live_ms;     /* time at which the live line was last written */
    uint64_t spoke_ms;    /* time of the image's first text; 0: not received yet */
    uint64_t spoke_bytes; /* bytes received before `spoke_ms` */
    uint64_t first_ms;    /* time at which the first bench began */
    unsigned bench;       /* number of the running bench, from 1; 0: unknown */
    unsigned benches;     /* number of benches */
    uint64_t began_ms;    /* time at which the running bench began */
    /* line that announced the running bench; "": the bench has ended, or the line was printed */
    char running[PROGRESS_LINE_MAX + 1];
    unsigned escape; /* state of an escape sequence that is being skipped */
    size_t length;
    char line[PROGRESS_LINE_MAX + 1]; /* text of the current line, which has no line end yet */
};

void progress_start(struct progress *progress);
/* Leaves the cursor on a new line. */
void progress_finish(struct progress *progress);

/* Handles text received from the line. Removes control characters and escape sequences. */
void progress_text(struct progress *progress, const char *text, size_t length);
/* Call when the image's first frame arrives, which means that the firmware has ended. */
void progress_image(struct progress *progress);

/* Prints a line of this program with the elapsed time. */
__attribute__((format(printf, 2, 3))) void progress_note(struct progress *progress,
                                                         const char *format, ...);
/* Shows the progress of the work that began at progress_start(), as a live line with rate and
 * remaining time: "reading: 12.3 MB of 96.0 MB, 45.1 MB/s, 2 s left". `total` is 0 if unknown.
 * Amounts in unit "B" are printed as kB, MB or GB, amounts in any other unit ("events") unscaled.
 * Loops may call this often: it is cheap when it prints nothing. Work that ends within half a
 * second shows nothing. */
void progress_amount(struct progress *progress, const char *what, uint64_t done, uint64_t total,
                     const char *unit);
/* Shows the same for a run that is being received: the bytes so far, and the number of remaining
 * benches, which is taken from the image's lines. */
void progress_received(struct progress *progress, uint64_t bytes);

#define PROGRESS_AMOUNT_MAX 96
/* Writes the text that progress_amount() shows after `ms` milliseconds of work. */
void progress_amount_text(const char *what, uint64_t done, uint64_t total, const char *unit,
                          uint64_t ms, char text[PROGRESS_AMOUNT_MAX]);

/* Shows the current activity, on terminals only, rewritten in place with the elapsed time. */
__attribute__((format(printf, 2, 3))) void progress_live(struct progress *progress,
                                                         const char *format, ...);
