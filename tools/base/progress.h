/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * What a person sees on stderr while a run goes on: the image's own lines with the elapsed time,
 * and on a terminal one line that is rewritten in place. Text of the firmware, which is all that
 * comes before the image's first word, is dimmed on a terminal and left out elsewhere.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define PROGRESS_LINE_MAX 160

struct progress {
    bool terminal;
    bool quiet; /* say nothing at all */
    bool firmware_spoke;
    bool image_speaks;    /* what comes now is no firmware */
    bool live;            /* a line to be rewritten stands on the terminal */
    uint64_t start_ms;    /* of the monotonic clock */
    uint64_t live_ms;     /* when the live line was last written */
    uint64_t spoke_ms;    /* since when the image speaks; 0: not known yet */
    uint64_t spoke_bytes; /* received by then */
    uint64_t first_ms;    /* when it began its first bench */
    unsigned bench;       /* which one runs, from 1; 0: not known */
    unsigned benches;     /* of how many */
    unsigned escape;      /* state of an escape sequence that is being skipped */
    size_t length;
    char line[PROGRESS_LINE_MAX + 1]; /* text that has no line end yet */
};

void progress_start(struct progress *progress);
/* Leaves the cursor on a new line. */
void progress_finish(struct progress *progress);

/* Text as it comes from the line: controls and escape sequences are taken out. */
void progress_text(struct progress *progress, const char *text, size_t length);
/* The image has said its first word: the firmware's time is over. */
void progress_image(struct progress *progress);

/* A line of our own, with the elapsed time. */
__attribute__((format(printf, 2, 3))) void progress_note(struct progress *progress,
                                                         const char *format, ...);
/* How far the work is that began at progress_start(), as a live line with rate and time left:
 * "reading: 12.3 MB of 96.0 MB, 45.1 MB/s, 2 s left". `total` 0: not known. `unit` "B" shows as
 * kB, MB or GB, another one ("events") as it is. Cheap where nothing is to be shown, so that loops
 * may call it often. What is done in half a second shows nothing. */
void progress_amount(struct progress *progress, const char *what, uint64_t done, uint64_t total,
                     const char *unit);
/* The same of a run that is being received: bytes by now, and by the image's own words how many
 * benches are left. */
void progress_received(struct progress *progress, uint64_t bytes);

#define PROGRESS_AMOUNT_MAX 96
/* The text of progress_amount() behind `ms` milliseconds of work. */
void progress_amount_text(const char *what, uint64_t done, uint64_t total, const char *unit,
                          uint64_t ms, char text[PROGRESS_AMOUNT_MAX]);

/* What is going on now: on terminals only, rewritten in place with the elapsed time. */
__attribute__((format(printf, 2, 3))) void progress_live(struct progress *progress,
                                                         const char *format, ...);
