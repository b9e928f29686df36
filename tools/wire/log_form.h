/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * What other programs did to a log before it became a file: a shell that writes UTF-16 (PowerShell
 * 5's >), a transfer or a terminal that changes line ends.
 *
 * UTF-16 is taken back as it is read; a log in text format loses nothing by it, a binary one its
 * bytes above 7Fh. 0Ah that became 0Dh 0Ah or 0Ah 0Ah can be taken back exactly. Other changes of
 * line ends cannot: 0Ah and 0Dh stand in binary frames as often as any byte, so that many are
 * damaged.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define LOG_FORM_BYTES 65536 /* of a call */

enum log_encoding {
    LOG_BYTES,
    LOG_UTF_16_LE,
    LOG_UTF_16_BE,
};

enum log_change {
    LOG_UNCHANGED,
    LOG_LF_TO_CRLF, /* each 0Ah has a 0Dh before it: what a conversion to DOS text does */
    LOG_LF_DOUBLED, /* 0Ah stands in pairs only */
    LOG_CRLF_TO_LF, /* no 0Dh stands before a 0Ah */
    LOG_NO_CR,      /* 0Dh was dropped, or became 0Ah */
    LOG_NO_LF,      /* 0Ah was dropped, or became 0Dh */
};

struct log_form {
    enum log_change undo; /* set by the caller: LOG_LF_TO_CRLF or LOG_LF_DOUBLED is taken back */

    enum log_encoding encoding; /* known after the first bytes */
    bool begun;
    bool has_half; /* of a unit of UTF-16 */
    uint8_t half;
    bool held; /* with undo: the last byte was 0Dh, or an odd 0Ah, and the next one decides */
    uint8_t last;
    uint64_t counted; /* bytes whose line ends were counted: the first of the log */
    uint64_t lf, cr, crlf;
    bool in_odd_run; /* of 0Ah */
    uint64_t odd_runs;
    uint8_t plain[2 * LOG_FORM_BYTES];
};

/* The next bytes of a log, at most LOG_FORM_BYTES: as they were on the line. `*length` becomes how
 * many they are. They stay valid until the next call. `form` begins zeroed. */
const uint8_t *log_form_take(struct log_form *form, const uint8_t *bytes, size_t *length);

/* The bytes that were kept back at the end of the log: at most one, of which `*byte` is set. */
bool log_form_rest(struct log_form *form, uint8_t *byte);

/* Can a change be taken back? */
bool log_change_is_exact(enum log_change change);

/* What the line ends so far show. Only damage makes it a finding: a log of text may have any. */
enum log_change log_form_change(const struct log_form *form);

#define LOG_FORM_TEXT_MAX 320
/* One line without the file's name: what happened, and the cure where frames were `damaged`; false
 * where nothing happened. */
bool log_form_text(const struct log_form *form, bool damaged, char text[LOG_FORM_TEXT_MAX]);
