/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Progress of a run on stderr: the image's lines with the elapsed time, and on a terminal one line
 * that is rewritten in place. A bench has one line, when it ends; while it runs the rewritten line
 * names it, and elsewhere a further line if it takes long. Text of the firmware, which is
 * everything before the image's first line, is dimmed on a terminal and omitted elsewhere.
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
    bool image_done;                     /* the image's last line has come */
    bool image_speaks;                   /* further text is the image's, not the firmware's */
    bool live;                           /* the terminal shows a line to be rewritten */
    uint64_t start_ms;                   /* of the monotonic clock */
    uint64_t live_ms;                    /* when the live line was last written */
    uint64_t spoke_ms;                   /* since when the image speaks; 0: unknown yet */
    uint64_t spoke_bytes;                /* received by then */
    uint64_t first_ms;                   /* when it began its first bench */
    unsigned bench;                      /* which one runs, from 1; 0: unknown */
    unsigned benches;                    /* of how many */
    uint64_t began_ms;                   /* when it began */
    char running[PROGRESS_LINE_MAX + 1]; /* what the image wrote of it; "": it has ended, or its
                                          * begin was printed */
    unsigned escape;                     /* state of an escape sequence that is being skipped */
    size_t length;
    char line[PROGRESS_LINE_MAX + 1]; /* text without its line end yet */
};

void progress_start(struct progress *progress);
/* Leaves the cursor on a new line. */
void progress_finish(struct progress *progress);

/* Text received from the line; removes control characters and escape sequences. */
void progress_text(struct progress *progress, const char *text, size_t length);
/* Call when the image's first frame arrives: the firmware has ended. */
void progress_image(struct progress *progress);

/* Prints a line of this program, with the elapsed time. */
__attribute__((format(printf, 2, 3))) void progress_note(struct progress *progress,
                                                         const char *format, ...);
/* Shows the progress of the work that began at progress_start(), as a live line with rate and time
 * left: "reading: 12.3 MB of 96.0 MB, 45.1 MB/s, 2 s left". `total` 0: unknown. `unit` "B" is
 * printed as kB, MB or GB, any other ("events") as it is. Loops may call it often: it is cheap when
 * it prints nothing. Work that ends within half a second shows nothing. */
void progress_amount(struct progress *progress, const char *what, uint64_t done, uint64_t total,
                     const char *unit);
/* The same for a run that is being received: bytes so far, and the number of benches left, which
 * the image's lines contain. */
void progress_received(struct progress *progress, uint64_t bytes);

#define PROGRESS_AMOUNT_MAX 96
/* The text of progress_amount() after `ms` milliseconds of work. */
void progress_amount_text(const char *what, uint64_t done, uint64_t total, const char *unit,
                          uint64_t ms, char text[PROGRESS_AMOUNT_MAX]);

/* Shows the present activity: on terminals only, rewritten in place with the elapsed time. */
__attribute__((format(printf, 2, 3))) void progress_live(struct progress *progress,
                                                         const char *format, ...);
