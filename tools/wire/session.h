/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The host's side of the line: reads until END, requests what is missing, and sends bye.
 *
 * The image reads its line only after END, by polling. Nothing is therefore sent before END was
 * received, except a `status_request` to a line that has gone silent (END itself may be lost, or
 * the run may have ended before the host connected). repair.h decides what to request. A session
 * that loses nothing sends one `bye` and no other byte.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "tools/base/line.h"
#include "tools/base/progress.h"
#include "tools/wire/decoder.h"

enum session_end {
    SESSION_COMPLETE,   /* END was received and no frame is missing */
    SESSION_INCOMPLETE, /* END was received, but missing frames cannot be obtained */
    SESSION_CLOSED,     /* the other end closed the line before that */
    SESSION_TIMED_OUT,
    SESSION_INTERRUPTED, /* Ctrl-C */
    /* END of a run with another id than that of the frames before was received */
    SESSION_OTHER_RUN,
    SESSION_NO_END,     /* the image's last line of text was received, but not END */
    SESSION_LOG_FAILED, /* the log file could not be written; errno is set after session_run() */
};

struct session_options {
    bool one_way;
    unsigned probe_ms; /* length of a silence after which END is requested; 0: never */
    /* length of a silence after the image's last line after which the session gives up; 0: never */
    unsigned end_ms;
    unsigned answer_ms;  /* length of a silence that ends an answer */
    uint64_t timeout_ms; /* limit for the whole session; 0: none */
    unsigned baud_max;   /* highest speed to change to, if the machine agrees; 0: keep the speed */
    int log;             /* descriptor to which each byte is written as it arrives; -1: none */
    /* Called while nothing arrives: is the other end alive? NULL: the line itself shows it. */
    bool (*alive)(void *context);
    /* Tries to open a line again that was closed before the run was complete; the session waits for
     * it. NULL: the session ends with the line. */
    bool (*reopen)(void *context, struct line *line);
    /* Called when END has arrived, of this run or of another one that began before this one was
     * complete, or when the session ends without it; possibly twice. Returns the decoder to
     * continue with, and the log; NULL with errno if the log failed. A NULL pointer changes
     * nothing. */
    struct decoder *(*settle)(void *context, struct decoder *decoder, int *log);
    /* Called for each new record as it arrives. May be NULL. */
    void (*on_record)(void *context, const struct record *record);
    /* Called between reads to do what is due. Returns the longest time in ms until the next call.
     * May be NULL. */
    unsigned (*attend)(void *context);
    void *context;
};

enum session_end session_run(struct line *line, struct decoder *decoder, struct progress *progress,
                             const struct session_options *options);

/* Returns the end as the second half of a sentence, such as "the line was closed before END". */
const char *session_end_text(enum session_end end);
