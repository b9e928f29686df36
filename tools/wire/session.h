/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The host's side of the line: read until END, ask again for what is missing, send bye.
 *
 * The image reads its line only after END, by polling: nothing is sent before END was seen, except
 * a `status_request` to a line that has gone quiet (END itself may be lost, or the run may have
 * been over before we came). What to ask for is in repair.h. A session that loses nothing sends one
 * `bye` and no other byte.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "tools/base/line.h"
#include "tools/base/progress.h"
#include "tools/wire/decoder.h"

enum session_end {
    SESSION_COMPLETE,   /* END was seen and no frame is missing */
    SESSION_INCOMPLETE, /* END was seen, but what is missing cannot be had */
    SESSION_CLOSED,     /* the other end went away before that */
    SESSION_TIMED_OUT,
    SESSION_INTERRUPTED, /* Ctrl-C */
    SESSION_OTHER_RUN,   /* END came of a run of another id than that of the frames before */
    SESSION_NO_END,      /* the image's last line of text came, but END did not */
    SESSION_LOG_FAILED,  /* the log file took no more: errno after session_run() */
};

struct session_options {
    bool one_way;
    unsigned probe_ms;  /* ask for END after so long a silence; 0: never */
    unsigned end_ms;    /* give up after so long a silence behind the image's last line; 0: never */
    unsigned answer_ms; /* an answer is over after so long a silence */
    uint64_t timeout_ms; /* for all of it; 0: none */
    unsigned baud_max;   /* go up to so many, where the machine agrees; 0: stay */
    int log;             /* descriptor to which each byte is written as it comes; -1: none */
    /* Asked while nothing comes: does the other end live? NULL: the line itself will show it. */
    bool (*alive)(void *context);
    /* A line that was closed before the run was complete is waited for: tries to open it again.
     * NULL: its end is the session's. */
    bool (*reopen)(void *context, struct line *line);
    /* Called when END has come, or the session ends without it: the decoder to go on with, and the
     * log; NULL with errno where the log failed. NULL: nothing changes. */
    struct decoder *(*settle)(void *context, struct decoder *decoder, int *log);
    /* Gets each new record as it comes. NULL: none. */
    void (*on_record)(void *context, const struct record *record);
    /* Called between reads, to do what is due; returns for how many ms, at most, it can be left
     * alone. NULL: nothing to do. */
    unsigned (*attend)(void *context);
    void *context;
};

enum session_end session_run(struct line *line, struct decoder *decoder, struct progress *progress,
                             const struct session_options *options);

/* The end as a sentence's second half, such as "the line was closed before END". */
const char *session_end_text(enum session_end end);
