/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Detects and undoes what other programs did to a log before it became a file: a shell that writes
 * UTF-16 (PowerShell 5's >), a terminal that recodes bytes or folds lines, a transfer that changes
 * line ends, or a line that takes some bytes as commands.
 *
 * UTF-16 is converted back while reading. A log in text format loses nothing by it; a binary log
 * loses its bytes above 7Fh. The other changes are found in what was read: those of bytes in the
 * binary frames alone, because text may have any bytes. There each of the 256 values is about as
 * frequent as any other, so a value that never comes was taken by the line. Some changes can be
 * undone exactly: the log is then read again.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define LOG_FORM_BYTES 65536 /* largest number of bytes in one call */

enum log_encoding {
    LOG_BYTES,
    LOG_UTF_16_LE,
    LOG_UTF_16_BE,
};

enum log_change {
    LOG_UTF_8,      /* each byte above 7Fh became the two bytes of its character in UTF-8 */
    LOG_FF_DOUBLED, /* FFh occurs only in pairs, as telnet sends it */
    LOG_FOLDED,     /* frames in text format are broken into lines of one length */
    LOG_LF_TO_CRLF, /* each 0Ah has a 0Dh before it, as after a conversion to DOS text */
    LOG_LF_DOUBLED, /* 0Ah occurs only in pairs */
    LOG_EXACT,      /* number of the changes that can be undone exactly, which come first */
    LOG_UNCHANGED = LOG_EXACT,
    LOG_OTHER_CHARACTERS, /* UTF-8 with characters that are not bytes */
    LOG_SEVEN_BITS,       /* no byte is above 7Fh */
    LOG_NO_NUL,           /* 00h was dropped, so that no frame has an end */
    LOG_NO_XON,           /* 11h and 13h were dropped */
    LOG_NO_CR,            /* 0Dh was dropped, or became 0Ah */
    LOG_NO_LF,            /* 0Ah was dropped, or became 0Dh */
    LOG_CRLF_TO_LF,       /* no 0Ah has a 0Dh before it */
    LOG_NO_BYTE,          /* another value never comes */
};

#define LOG_PIECE_MAX 2048 /* longest piece of the log that is judged as a whole */

struct log_form {
    bool undo[LOG_EXACT]; /* set by the caller: these changes are undone */

    enum log_encoding encoding; /* known after the first bytes */
    bool begun;
    bool has_half; /* the first half of a UTF-16 unit is in `half` */
    uint8_t half;
    bool is_held[LOG_EXACT]; /* while undoing a change: `held` waits for the next byte */
    uint8_t held[LOG_EXACT];

    uint8_t piece[LOG_PIECE_MAX]; /* what came since the last 00h */
    size_t piece_length;
    bool has_nul;
    uint64_t counted; /* bytes of binary frames so far, of which all below are */
    uint64_t count[256];
    uint64_t crlf;
    uint64_t odd_runs_lf, odd_runs_ff;
    bool in_odd_run;
    uint64_t lines, crlf_lines; /* line ends of text, and those of 0Dh 0Ah */
    uint8_t last;
    uint64_t narrow, wide, broken; /* characters of UTF-8: below 100h, others, damaged ones */
    unsigned tail;                 /* bytes that are missing of the last one */
    bool is_wide;

    /* Breaks inside frames in text format, and those at another column than the first one. */
    uint64_t column, at_column, break_column, breaks, other_breaks;
    bool in_text_frame, is_broken;
    uint8_t last_text;

    size_t length; /* bytes of `plain` in use */
    uint8_t plain[2 * LOG_FORM_BYTES];
};

/* Prepares for reading the log once more, undoing what is set in `undo`. */
void log_form_again(struct log_form *form);

/* Takes the next bytes of a log, at most LOG_FORM_BYTES. Returns them as they were on the line, and
 * stores their number in *length. They are valid until the next call. `form` must be zeroed at
 * first. */
const uint8_t *log_form_take(struct log_form *form, const uint8_t *bytes, size_t *length);

/* Ends the log: as log_form_take(), of the bytes that were held back. */
const uint8_t *log_form_rest(struct log_form *form, size_t *length);

/* Returns the change that the bytes so far show, after those that were undone. It matters only if
 * frames are damaged. Those before LOG_EXACT can be undone: set undo[change] in a new form, with
 * those that are set in this one, and read the log again. */
enum log_change log_form_change(const struct log_form *form);

#define LOG_FORM_TEXT_MAX 600
/* Writes one line, without the file's name, on what was undone and, if frames are `damaged`, on the
 * change that damaged them and its remedy. Returns false if nothing happened. */
bool log_form_text(const struct log_form *form, bool damaged, char text[LOG_FORM_TEXT_MAX]);
