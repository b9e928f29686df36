/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Detects and undoes what other programs did to a log before it became a file: a shell that writes
 * UTF-16 (PowerShell 5's >), or a transfer or terminal that changes line ends.
 *
 * UTF-16 is converted back while reading. A log in text format loses nothing by it; a binary log
 * loses its bytes above 7Fh. 0Ah that became 0Dh 0Ah or 0Ah 0Ah can be undone exactly. Other
 * changes of line ends cannot: in binary frames 0Ah and 0Dh are as frequent as any byte, so that
 * many frames are damaged.
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
    LOG_UNCHANGED,
    LOG_LF_TO_CRLF, /* each 0Ah has a 0Dh before it, as after a conversion to DOS text */
    LOG_LF_DOUBLED, /* 0Ah occurs only in pairs */
    LOG_CRLF_TO_LF, /* no 0Ah has a 0Dh before it */
    LOG_NO_CR,      /* 0Dh was dropped, or became 0Ah */
    LOG_NO_LF,      /* 0Ah was dropped, or became 0Dh */
};

struct log_form {
    enum log_change undo; /* set by the caller: LOG_LF_TO_CRLF or LOG_LF_DOUBLED is undone */

    enum log_encoding encoding; /* known after the first bytes */
    bool begun;
    bool has_half; /* the first half of a UTF-16 unit is in `half` */
    uint8_t half;
    bool held; /* while undoing: the last byte was 0Dh, or an odd 0Ah, and the next one decides */
    uint8_t last;
    uint64_t counted; /* bytes at the start of the log whose line ends were counted */
    uint64_t lf, cr, crlf;
    bool in_odd_run; /* inside an odd run of 0Ah */
    uint64_t odd_runs;
    uint8_t plain[2 * LOG_FORM_BYTES];
};

/* Takes the next bytes of a log, at most LOG_FORM_BYTES. Returns them as they were on the line, and
 * stores their number in *length. They are valid until the next call. `form` must be zeroed at
 * first. */
const uint8_t *log_form_take(struct log_form *form, const uint8_t *bytes, size_t *length);

/* Returns whether a byte was held back at the end of the log, and stores it in *byte. */
bool log_form_rest(struct log_form *form, uint8_t *byte);

/* Can the change be undone exactly? */
bool log_change_is_exact(enum log_change change);

/* Returns the change that the line ends so far show. It matters only if frames are damaged: a log
 * of text may have any line ends. */
enum log_change log_form_change(const struct log_form *form);

#define LOG_FORM_TEXT_MAX 320
/* Writes one line, without the file's name, on what happened, and the remedy if frames were
 * `damaged`. Returns false if nothing happened. */
bool log_form_text(const struct log_form *form, bool damaged, char text[LOG_FORM_TEXT_MAX]);
