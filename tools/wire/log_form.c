/* SPDX-License-Identifier: BSD-2-Clause */
#include "tools/wire/log_form.h"

#include <ctype.h>
#include <string.h>

#include "kernel/link/frame.h"
#include "tools/base/texts.h"

#define HEAD        4096 /* bytes that show the encoding if there is no mark */
#define HEAD_LEAST  16
#define COUNTED_MAX (4u << 20) /* enough evidence */
#define LF          0x0a
#define CR          0x0d
#define XON         0x11
#define XOFF        0x13
/* All of this many line ends of an unchanged binary log are of the same kind once in 2^31 logs. */
#define ENDS_LEAST 32
/* The image ends each line of text by 0Dh 0Ah. */
#define LINES_LEAST 4
/* In this many bytes, a value is missing by chance once in e^24 logs. Two are, in half as many. */
#define BYTES_LEAST     (24 * 256)
#define BYTES_LEAST_XON (12 * 256)
/* This many characters, or runs of FFh, look alike by chance once in 2^32 logs at most. */
#define CHARACTERS_LEAST 32
#define RUNS_LEAST       8
/* A frame in text format has four breaks in 80 columns. */
#define BREAKS_LEAST 4
#define BREAKS_OTHER 10 /* at most one in 10 breaks is at another column */

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

/* ---- undoing ---- */

static bool is_line_end(uint8_t byte)
{
    return byte == LF || byte == CR;
}

static bool is_base64(uint8_t byte)
{
    return isalnum(byte) != 0 || byte == '+' || byte == '/' || byte == '=';
}

static void pass(struct log_form *form, unsigned stage, uint8_t byte);

static void hold(struct log_form *form, unsigned stage, bool is_held, uint8_t byte)
{
    form->is_held[stage] = is_held;
    form->held[stage] = byte;
}

/* C2h and C3h wait for the second byte of their character. */
static void narrow(struct log_form *form, uint8_t byte)
{
    const bool is_held = form->is_held[LOG_UTF_8];
    const uint8_t lead = form->held[LOG_UTF_8];

    hold(form, LOG_UTF_8, !is_held && (byte == 0xc2 || byte == 0xc3), byte);
    if (is_held && (byte & 0xc0) == 0x80) {
        pass(form, LOG_UTF_8 + 1, (uint8_t)((lead & 3) << 6 | (byte & 0x3f)));
        return;
    }
    if (is_held) {
        pass(form, LOG_UTF_8 + 1, lead);
    }
    if (!form->is_held[LOG_UTF_8]) {
        pass(form, LOG_UTF_8 + 1, byte);
    }
}

/* Passes every other one of the bytes of this value that follow each other. */
static void halve(struct log_form *form, unsigned stage, uint8_t value, uint8_t byte)
{
    const bool is_second = form->is_held[stage] && byte == value;

    hold(form, stage, byte == value && !is_second, byte);
    if (!is_second) {
        pass(form, stage + 1, byte);
    }
}

/* Drops line ends inside frames in text format. `held` is what came before: the mark's first
 * character, a character of the frame, or the first of the closing mark. */
static void unfold(struct log_form *form, uint8_t byte)
{
    const bool is_held = form->is_held[LOG_FOLDED];
    const uint8_t before = form->held[LOG_FOLDED];

    if (is_held && is_line_end(byte)) {
        return;
    }
    const bool in_frame = is_held && (before == '[' ? byte == '#' : before != ']');
    const bool is_closed = in_frame && before != '[' && byte == '#';

    if (byte == '[') {
        hold(form, LOG_FOLDED, true, '[');
    } else if (is_closed) {
        hold(form, LOG_FOLDED, true, ']');
    } else {
        hold(form, LOG_FOLDED, in_frame && (byte == '#' || is_base64(byte)), 'A');
    }
    pass(form, LOG_FOLDED + 1, byte);
}

static void drop_cr(struct log_form *form, uint8_t byte)
{
    if (form->is_held[LOG_LF_TO_CRLF] && byte != LF) {
        pass(form, LOG_LF_TO_CRLF + 1, CR);
    }
    hold(form, LOG_LF_TO_CRLF, byte == CR, CR);
    if (byte != CR) {
        pass(form, LOG_LF_TO_CRLF + 1, byte);
    }
}

/* Undoes, of one byte, the changes from `stage` on. */
static void pass(struct log_form *form, unsigned stage, uint8_t byte)
{
    while (stage < LOG_EXACT && !form->undo[stage]) {
        stage++;
    }
    switch (stage) {
    case LOG_UTF_8:
        narrow(form, byte);
        break;
    case LOG_FF_DOUBLED:
        halve(form, stage, 0xff, byte);
        break;
    case LOG_FOLDED:
        unfold(form, byte);
        break;
    case LOG_LF_TO_CRLF:
        drop_cr(form, byte);
        break;
    case LOG_LF_DOUBLED:
        halve(form, stage, LF, byte);
        break;
    default:
        form->plain[form->length++] = byte;
    }
}

/* Passes a unit of UTF-16 as a byte. A unit above FFh is not a byte of a line; the byte order mark
 * is dropped. */
static void pass_unit(struct log_form *form, uint8_t first, uint8_t second)
{
    const unsigned unit = form->encoding == LOG_UTF_16_LE ? first | (unsigned)second << 8
                                                          : (unsigned)first << 8 | second;

    if (unit != 0xfeff) {
        pass(form, 0, unit <= 0xff ? (uint8_t)unit : '?');
    }
}

/* ---- what the bytes show ---- */

/* Follows the lines of frames in text format. A line end between two characters of a frame is a
 * break. */
static void look_at_text(struct log_form *form, uint8_t byte)
{
    if (is_line_end(byte)) {
        form->is_broken = form->in_text_frame;
        form->at_column = form->column > 0 ? form->column : form->at_column;
        form->column = 0;
        return;
    }
    if (form->is_broken && is_base64(byte)) {
        form->break_column = form->breaks == 0 ? form->at_column : form->break_column;
        form->breaks++;
        form->other_breaks += form->at_column != form->break_column ? 1 : 0;
    }
    form->is_broken = false;
    form->in_text_frame =
        (form->in_text_frame && is_base64(byte)) || (byte == '#' && form->last_text == '[');
    form->last_text = byte;
    form->column++;
}

/* Follows the characters of UTF-8. */
static void look_at_character(struct log_form *form, uint8_t byte)
{
    if (form->tail > 0 && (byte & 0xc0) == 0x80) {
        form->tail--;
        form->narrow += form->tail == 0 && !form->is_wide ? 1 : 0;
        form->wide += form->tail == 0 && form->is_wide ? 1 : 0;
        return;
    }
    form->broken += form->tail > 0 ? 1 : 0;
    form->tail = byte >= 0xf0 ? 3 : byte >= 0xe0 ? 2 : byte >= 0xc2 ? 1 : 0;
    form->is_wide = byte > 0xc3;
    form->broken += (byte >= 0x80 && byte < 0xc2) || byte > 0xf4 ? 1 : 0;
}

static void look_at_byte(struct log_form *form, uint8_t byte)
{
    const bool goes_on = byte == form->last;

    form->count[byte]++;
    form->crlf += byte == LF && form->last == CR ? 1 : 0;
    form->odd_runs_lf += !goes_on && form->in_odd_run && form->last == LF ? 1 : 0;
    form->odd_runs_ff += !goes_on && form->in_odd_run && form->last == 0xff ? 1 : 0;
    form->in_odd_run = !goes_on || !form->in_odd_run;
    form->last = byte;
    look_at_character(form, byte);
}

/* Counts the bytes since the last 00h. Text shows only how its lines end. */
static void end_piece(struct log_form *form)
{
    const bool is_text = frame_is_text(form->piece, form->piece_length);
    uint8_t last = 0;

    for (size_t i = 0; i < form->piece_length; i++) {
        if (!is_text) {
            look_at_byte(form, form->piece[i]);
        }
        form->lines += is_text && form->piece[i] == LF ? 1 : 0;
        form->crlf_lines += is_text && form->piece[i] == LF && last == CR ? 1 : 0;
        last = form->piece[i];
    }
    form->counted += is_text ? 0 : form->piece_length;
    form->piece_length = 0;
}

static void look_at(struct log_form *form, const uint8_t *bytes, size_t length)
{
    for (size_t i = 0; i < length && form->counted < COUNTED_MAX; i++) {
        look_at_text(form, bytes[i]);
        if (bytes[i] == 0) {
            form->has_nul = true;
            end_piece(form);
            continue;
        }
        form->piece[form->piece_length++] = bytes[i];
        if (form->piece_length == LOG_PIECE_MAX) {
            end_piece(form);
        }
    }
}

static bool undoes_any(const struct log_form *form)
{
    bool any = false;

    for (unsigned i = 0; i < LOG_EXACT; i++) {
        any = any || form->undo[i];
    }
    return any;
}

void log_form_again(struct log_form *form)
{
    bool undo[LOG_EXACT];

    memcpy(undo, form->undo, sizeof(undo));
    memset(form, 0, sizeof(*form));
    memcpy(form->undo, undo, sizeof(undo));
}

const uint8_t *log_form_take(struct log_form *form, const uint8_t *bytes, size_t *length)
{
    if (!form->begun && *length > 0) {
        form->encoding = encoding_of(bytes, *length);
        form->begun = true;
    }
    if (form->encoding == LOG_BYTES && !undoes_any(form)) {
        look_at(form, bytes, *length);
        return bytes;
    }
    form->length = 0;
    for (size_t i = 0; i < *length; i++) {
        if (form->encoding == LOG_BYTES) {
            pass(form, 0, bytes[i]);
        } else if (form->has_half) {
            pass_unit(form, form->half, bytes[i]);
        }
        form->half = bytes[i];
        form->has_half = !form->has_half;
    }
    *length = form->length;
    look_at(form, form->plain, *length);
    return form->plain;
}

const uint8_t *log_form_rest(struct log_form *form, size_t *length)
{
    form->length = 0;
    if (form->is_held[LOG_UTF_8]) {
        pass(form, LOG_UTF_8 + 1, form->held[LOG_UTF_8]);
    }
    if (form->is_held[LOG_LF_TO_CRLF]) {
        pass(form, LOG_LF_TO_CRLF + 1, CR);
    }
    hold(form, LOG_UTF_8, false, 0);
    hold(form, LOG_LF_TO_CRLF, false, 0);
    *length = form->length;
    look_at(form, form->plain, *length);
    end_piece(form);
    return form->plain;
}

static enum log_change change_of_ends(const struct log_form *form)
{
    const uint64_t lf = form->count[LF];
    const uint64_t cr = form->count[CR];
    const bool bare = form->lines >= LINES_LEAST && form->crlf_lines == 0;

    if (lf + cr < ENDS_LEAST) {
        return LOG_UNCHANGED;
    }
    return cr == 0                   ? LOG_NO_CR
           : lf == 0                 ? LOG_NO_LF
           : form->crlf == lf        ? LOG_LF_TO_CRLF
           : form->odd_runs_lf == 0  ? LOG_LF_DOUBLED
           : form->crlf == 0 && bare ? LOG_CRLF_TO_LF
                                     : LOG_UNCHANGED;
}

/* Returns the first value from 01h on that never came, or 0. */
static unsigned absent_byte(const struct log_form *form)
{
    unsigned byte = 1;

    while (byte < 256 && form->count[byte] > 0) {
        byte++;
    }
    return form->counted >= BYTES_LEAST && byte < 256 ? byte : 0;
}

/* Returns whether all bytes above 7Fh are characters of UTF-8. */
static bool is_utf_8(const struct log_form *form)
{
    return form->broken == 0 && form->narrow + form->wide >= CHARACTERS_LEAST;
}

static bool is_folded(const struct log_form *form)
{
    return form->breaks >= BREAKS_LEAST && form->other_breaks * BREAKS_OTHER <= form->breaks;
}

enum log_change log_form_change(const struct log_form *form)
{
    const enum log_change ends = change_of_ends(form);

    if (is_folded(form)) {
        return LOG_FOLDED;
    }
    if (is_utf_8(form)) {
        return form->wide == 0 ? LOG_UTF_8 : LOG_OTHER_CHARACTERS;
    }
    if (form->count[0xff] >= 2 * RUNS_LEAST && form->odd_runs_ff == 0) {
        return LOG_FF_DOUBLED;
    }
    if (form->counted >= BYTES_LEAST_XON && form->narrow + form->wide + form->broken == 0) {
        return LOG_SEVEN_BITS;
    }
    if (form->counted >= BYTES_LEAST_XON && !form->has_nul) {
        return LOG_NO_NUL;
    }
    if (ends != LOG_UNCHANGED) {
        return ends;
    }
    if (form->counted >= BYTES_LEAST_XON && form->count[XON] + form->count[XOFF] == 0) {
        return LOG_NO_XON;
    }
    return absent_byte(form) != 0 ? LOG_NO_BYTE : LOG_UNCHANGED;
}

#define CAPTURE_AGAIN                                                              \
    "frames that it damaged are lost: capture again in binary mode, or boot with " \
    "link.format=text, which is not damaged by it"

static const struct {
    const char *what;
    const char *cure; /* NULL: can be undone */
} changes[] = {
    [LOG_UTF_8] = {"each byte above 7Fh became two bytes of UTF-8 (recoded by a terminal)", NULL},
    [LOG_FF_DOUBLED] = {"each FFh was doubled (telnet)", NULL},
    [LOG_FOLDED] = {"the lines of frames in text format were folded (by a terminal)", NULL},
    [LOG_LF_TO_CRLF] = {"each 0Ah became 0Dh 0Ah (text mode)", NULL},
    [LOG_LF_DOUBLED] = {"each 0Ah was doubled (text mode)", NULL},
    [LOG_OTHER_CHARACTERS] = {"bytes above 7Fh became other characters (recoded by a terminal)",
                              CAPTURE_AGAIN},
    [LOG_SEVEN_BITS] = {"no byte is above 7Fh: the line passes 7 bits",
                        "set 8 data bits and no parity at both ends (stty cs8 -parenb -istrip), "
                        "or boot with link.format=text"},
    [LOG_NO_NUL] = {"it has no byte 00h: each was dropped",
                    "capture by \"tare capture\", or boot with link.format=text"},
    [LOG_NO_XON] = {"it has no bytes 11h and 13h: software flow control took them",
                    "switch it off at each device on the way (stty -ixon -ixoff), or boot with "
                    "link.format=text"},
    [LOG_NO_CR] = {"it has no byte 0Dh: each was dropped or became 0Ah (text mode)", CAPTURE_AGAIN},
    [LOG_NO_LF] = {"it has no byte 0Ah: each was dropped or became 0Dh (text mode)", CAPTURE_AGAIN},
    [LOG_CRLF_TO_LF] = {"each 0Dh 0Ah became 0Ah (text mode)", CAPTURE_AGAIN},
    [LOG_NO_BYTE] = {NULL, "boot with link.format=text"},
};

bool log_form_text(const struct log_form *form, bool damaged, char text[LOG_FORM_TEXT_MAX])
{
    const enum log_change change = damaged ? log_form_change(form) : LOG_UNCHANGED;
    const char *cure = changes[change].cure;

    text[0] = '\0';
    if (form->encoding != LOG_BYTES) {
        text_append(text, LOG_FORM_TEXT_MAX,
                    "it is UTF-16, as written by PowerShell's >, and was converted back to bytes");
    }
    for (unsigned i = 0; i < LOG_EXACT; i++) {
        if (form->undo[i]) {
            text_append(text, LOG_FORM_TEXT_MAX, "%s%s, which was undone",
                        text[0] != '\0' ? "; " : "", changes[i].what);
        }
    }
    if (form->encoding != LOG_BYTES && damaged && change == LOG_UNCHANGED) {
        text_append(text, LOG_FORM_TEXT_MAX, "; " CAPTURE_AGAIN);
    }
    if (change == LOG_NO_BYTE) {
        text_append(text, LOG_FORM_TEXT_MAX,
                    "%sit has no byte %02Xh: the line or a program took each as a command; %s",
                    text[0] != '\0' ? "; " : "", absent_byte(form), cure);
    } else if (change != LOG_UNCHANGED) {
        text_append(text, LOG_FORM_TEXT_MAX, "%s%s; %s", text[0] != '\0' ? "; " : "",
                    changes[change].what, cure != NULL ? cure : "\"tare decode FILE\" undoes this");
    }
    return text[0] != '\0';
}
