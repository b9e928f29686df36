/* SPDX-License-Identifier: BSD-2-Clause */
#include "tools/wire/log_form.h"

#include <stdio.h>
#include <string.h>

#define HEAD        4096 /* bytes that show the encoding if there is no mark */
#define HEAD_LEAST  16
#define COUNTED_MAX (4u << 20) /* enough evidence */
#define LF          0x0a
#define CR          0x0d
/* All of this many line ends of an unchanged binary log are of the same kind once in 2^31 logs. */
#define ENDS_LEAST 32
/* Most binary logs with fewer line ends have no 0Dh 0Ah. */
#define CRLF_LEAST 64

/* ---- UTF-16 ---- */

/* Counts pairs whose byte at `zero` is 00h while the other one is ASCII. */
static size_t ascii_pairs(const uint8_t *head, size_t length, size_t zero)
{
    size_t count = 0;

    for (size_t i = 0; i + 1 < length; i += 2) {
        const uint8_t other = head[i + 1 - zero];

        count += head[i + zero] == 0 && other != 0 && other < 0x80 ? 1 : 0;
    }
    return count;
}

static enum log_encoding encoding_of(const uint8_t *head, size_t length)
{
    const size_t looked = length < HEAD ? length : HEAD;
    const size_t enough = looked / 2 * 9 / 10;

    if (length >= 2 && head[0] == 0xff && head[1] == 0xfe) {
        return LOG_UTF_16_LE;
    }
    if (length >= 2 && head[0] == 0xfe && head[1] == 0xff) {
        return LOG_UTF_16_BE;
    }
    if (looked < HEAD_LEAST) {
        return LOG_BYTES;
    }
    return ascii_pairs(head, looked, 1) > enough   ? LOG_UTF_16_LE
           : ascii_pairs(head, looked, 0) > enough ? LOG_UTF_16_BE
                                                   : LOG_BYTES;
}

/* Writes a unit as a byte. A unit above FFh is not a byte of a line; the byte order mark is
 * dropped. */
static size_t put_unit(const struct log_form *form, uint8_t first, uint8_t second, uint8_t *to)
{
    const unsigned unit = form->encoding == LOG_UTF_16_LE ? first | (unsigned)second << 8
                                                          : (unsigned)first << 8 | second;

    if (unit == 0xfeff) {
        return 0;
    }
    *to = unit <= 0xff ? (uint8_t)unit : '?';
    return 1;
}

static const uint8_t *from_utf_16(struct log_form *form, const uint8_t *bytes, size_t *length)
{
    size_t count = 0;

    for (size_t i = 0; i < *length; i++) {
        if (form->has_half) {
            count += put_unit(form, form->half, bytes[i], form->plain + count);
        }
        form->half = bytes[i];
        form->has_half = !form->has_half;
    }
    *length = count;
    return form->plain;
}

/* ---- line ends ---- */

static void count_ends(struct log_form *form, const uint8_t *bytes, size_t length)
{
    if (form->counted >= COUNTED_MAX) {
        return;
    }
    for (size_t i = 0; i < length; i++) {
        form->lf += bytes[i] == LF ? 1 : 0;
        form->cr += bytes[i] == CR ? 1 : 0;
        form->crlf += bytes[i] == LF && form->last == CR ? 1 : 0;
        form->odd_runs += bytes[i] != LF && form->in_odd_run ? 1 : 0;
        form->in_odd_run = bytes[i] == LF && !form->in_odd_run;
        form->last = bytes[i];
    }
    form->counted += length;
}

static const uint8_t *without_cr(struct log_form *form, const uint8_t *bytes, size_t *length)
{
    size_t count = 0;

    for (size_t i = 0; i < *length; i++) {
        if (form->held && bytes[i] != LF) {
            form->plain[count++] = CR;
        }
        form->held = bytes[i] == CR;
        if (!form->held) {
            form->plain[count++] = bytes[i];
        }
    }
    *length = count;
    return form->plain;
}

static const uint8_t *without_second_lf(struct log_form *form, const uint8_t *bytes, size_t *length)
{
    size_t count = 0;

    for (size_t i = 0; i < *length; i++) {
        if (!form->held || bytes[i] != LF) {
            form->plain[count++] = bytes[i];
        }
        form->held = bytes[i] == LF && !form->held;
    }
    *length = count;
    return form->plain;
}

const uint8_t *log_form_take(struct log_form *form, const uint8_t *bytes, size_t *length)
{
    if (!form->begun && *length > 0) {
        form->encoding = encoding_of(bytes, *length);
        form->begun = true;
    }
    if (form->encoding != LOG_BYTES) {
        return from_utf_16(form, bytes, length);
    }
    if (form->undo != LOG_UNCHANGED) {
        return form->undo == LOG_LF_TO_CRLF ? without_cr(form, bytes, length)
                                            : without_second_lf(form, bytes, length);
    }
    count_ends(form, bytes, *length);
    return bytes;
}

bool log_form_rest(struct log_form *form, uint8_t *byte)
{
    const bool has_rest = form->held && form->undo == LOG_LF_TO_CRLF;

    *byte = CR;
    form->held = false;
    return has_rest;
}

bool log_change_is_exact(enum log_change change)
{
    return change == LOG_LF_TO_CRLF || change == LOG_LF_DOUBLED;
}

enum log_change log_form_change(const struct log_form *form)
{
    if (form->lf + form->cr < ENDS_LEAST) {
        return LOG_UNCHANGED;
    }
    return form->cr == 0                                          ? LOG_NO_CR
           : form->lf == 0                                        ? LOG_NO_LF
           : form->crlf == form->lf                               ? LOG_LF_TO_CRLF
           : form->odd_runs == 0                                  ? LOG_LF_DOUBLED
           : form->crlf == 0 && form->lf + form->cr >= CRLF_LEAST ? LOG_CRLF_TO_LF
                                                                  : LOG_UNCHANGED;
}

bool log_form_text(const struct log_form *form, bool damaged, char text[LOG_FORM_TEXT_MAX])
{
    static const char cure[] = "; frames that it damaged are lost: capture again in binary mode, "
                               "or boot with link.format=text, which is not damaged by it";
    static const char *const changes[] = {
        [LOG_UNCHANGED] = NULL,
        [LOG_LF_TO_CRLF] =
            "each 0Ah has become 0Dh 0Ah (text mode); \"tare decode FILE\" undoes this",
        [LOG_LF_DOUBLED] = "each 0Ah was doubled (text mode); \"tare decode FILE\" undoes this",
        [LOG_CRLF_TO_LF] = "each 0Dh 0Ah has become 0Ah (text mode)",
        [LOG_NO_CR] = "it has no byte 0Dh: each was dropped or became 0Ah (text mode)",
        [LOG_NO_LF] = "it has no byte 0Ah: each was dropped or became 0Dh (text mode)",
    };
    const char *what = damaged ? changes[log_form_change(form)] : NULL;

    if (form->encoding != LOG_BYTES) {
        what = "it is UTF-16, as written by PowerShell's >, and was converted back to bytes";
    } else if (form->undo != LOG_UNCHANGED) {
        what = form->undo == LOG_LF_TO_CRLF
                   ? "each 0Ah had become 0Dh 0Ah (text mode), which was undone"
                   : "each 0Ah was doubled (text mode), which was undone";
    }
    if (what == NULL) {
        return false;
    }
    const bool is_lost = damaged && !log_change_is_exact(log_form_change(form));

    snprintf(text, LOG_FORM_TEXT_MAX, "%s%s", what, is_lost ? cure : "");
    return true;
}
