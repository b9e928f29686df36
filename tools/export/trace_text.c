/* SPDX-License-Identifier: BSD-2-Clause */
#include "tools/export/trace_text.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "tools/base/alloc.h"

#define BUFFER_BYTES (256 * 1024)
/* A field is a name with each character escaped, twice 20 digits, and some 40 characters around. */
#define LINE_MAX_BYTES ((EXPORT_FIELDS_MAX + 1) * (2 * EXPORT_NAME_MAX + 80) + BLOCK)
#define BLOCK          16
#define DENSE          256 /* values of named fields that are formatted once */
#define NS_PER_S       UINT64_C(1000000000)
#define PIECE_MAX      (2 * EXPORT_NAME_MAX + 160)

/* Characters that are written often: `length` of them, with room up to a multiple of BLOCK. */
struct piece {
    char *at;
    size_t length;
};

struct text_field {
    struct piece before; /* the first one's: all from the stamp on, also where there is no field */
    struct piece *named; /* DENSE of them; NULL where the field is not named */
};

struct trace_text {
    FILE *out;
    const struct translator *translator;
    uint64_t hz;
    struct text_field *fields; /* EXPORT_FIELDS_MAX of each class */
    struct piece *texts;       /* the translator's, in quotes */
    size_t text_count, text_capacity;
    bool has_last;
    uint64_t last_ns;
    size_t used;
    char buffer[BUFFER_BYTES + LINE_MAX_BYTES];
};

/* ---- pieces ---- */

static struct piece make_piece(const char *characters, size_t length)
{
    const struct piece piece = {alloc_zeroed((length / BLOCK + 1) * BLOCK), length};

    memcpy(piece.at, characters, length);
    return piece;
}

/* Copies whole blocks, what lies behind the piece included: the next piece overwrites it. */
static inline char *put_piece(char *at, const struct piece *piece)
{
    for (size_t i = 0; i < piece->length; i += BLOCK) {
        memcpy(at + i, piece->at + i, BLOCK);
    }
    return at + piece->length;
}

/* In quotes, as babeltrace2 escapes it. */
static char *put_quoted(char *at, const char *text)
{
    *at++ = '"';
    for (; *text != '\0'; text++) {
        if (*text == '\\' || *text == '\'' || *text == '"' || *text == '?') {
            *at++ = '\\';
        }
        *at++ = *text;
    }
    *at++ = '"';
    return at;
}

/* ---- numbers ---- */

static const char digit_pairs[] = "00010203040506070809"
                                  "10111213141516171819"
                                  "20212223242526272829"
                                  "30313233343536373839"
                                  "40414243444546474849"
                                  "50515253545556575859"
                                  "60616263646566676869"
                                  "70717273747576777879"
                                  "80818283848586878889"
                                  "90919293949596979899";

static inline void set_pair(char *at, uint32_t value)
{
    memcpy(at, &digit_pairs[(size_t)value * 2], 2);
}

static char *put_large(char *at, uint64_t value)
{
    char digits[20];
    size_t first = sizeof(digits);

    while (value >= 100) {
        first -= 2;
        set_pair(&digits[first], (uint32_t)(value % 100));
        value /= 100;
    }
    if (value >= 10) {
        first -= 2;
        set_pair(&digits[first], (uint32_t)value);
    } else {
        digits[--first] = (char)('0' + value);
    }
    memcpy(at, &digits[first], sizeof(digits) - first);
    return at + (sizeof(digits) - first);
}

static inline char *put_unsigned(char *at, uint64_t value)
{
    if (value < 10) {
        *at = (char)('0' + value);
        return at + 1;
    }
    if (value < 100) {
        set_pair(at, (uint32_t)value);
        return at + 2;
    }
    return put_large(at, value);
}

static inline char *put_signed(char *at, uint64_t value)
{
    if ((int64_t)value < 0) {
        *at++ = '-';
        value = -value;
    }
    return put_unsigned(at, value);
}

static char *put_hex(char *at, uint64_t value)
{
    int shift = 60;

    *at++ = '0';
    *at++ = 'x';
    while (shift > 0 && value >> shift == 0) {
        shift -= 4;
    }
    for (; shift >= 0; shift -= 4) {
        *at++ = "0123456789ABCDEF"[value >> shift & 15];
    }
    return at;
}

/* "S.NNNNNNNNN" */
static inline char *put_seconds(char *at, uint64_t ns)
{
    const uint32_t fraction = (uint32_t)(ns % NS_PER_S);
    const uint32_t high = fraction / 10000;
    const uint32_t low = fraction % 10000;

    at = put_unsigned(at, ns / NS_PER_S);
    at[0] = '.';
    at[1] = (char)('0' + high / 10000);
    set_pair(at + 2, high % 10000 / 100);
    set_pair(at + 4, high % 100);
    set_pair(at + 6, low / 100);
    set_pair(at + 8, low % 100);
    return at + 10;
}

/* ---- named fields ---- */

static char *put_named(char *at, const struct export_labels *labels, uint64_t value)
{
    const char *name = EXPORT_UNNAMED;

    for (size_t i = 0; i < labels->count; i++) {
        if (labels->item[i].value == value) {
            name = labels->item[i].name;
            break;
        }
    }
    memcpy(at, "( ", 2);
    at = put_quoted(at + 2, name);
    memcpy(at, " : container = ", 15);
    at = put_unsigned(at + 15, value);
    memcpy(at, " )", 2);
    return at + 2;
}

/* Made when it is first written: most values of a trace never come. */
static const struct piece *named_piece(const struct text_field *made,
                                       const struct export_labels *labels, uint64_t value)
{
    struct piece *piece = &made->named[value];
    char characters[PIECE_MAX];

    if (piece->at == NULL) {
        const char *end = put_named(characters, labels, value);

        *piece = make_piece(characters, (size_t)(end - characters));
    }
    return piece;
}

/* ---- texts ---- */

static void add_texts(struct trace_text *text)
{
    const size_t count = translator_text_count(text->translator);

    text->texts = alloc_grow(text->texts, &text->text_capacity, count, sizeof(*text->texts));
    for (size_t i = text->text_count; i < count; i++) {
        char characters[PIECE_MAX];
        const char *end = put_quoted(characters, translator_text(text->translator, i));

        text->texts[i] = make_piece(characters, (size_t)(end - characters));
    }
    text->text_count = count;
}

/* ---- the writer ---- */

/* What stands before the fields of a class, up to the first one's name. */
static struct piece make_head(const struct export_class *class, uint32_t cpu)
{
    char characters[PIECE_MAX];
    const bool empty = class->field_count == 0;
    const int length = snprintf(
        characters, sizeof(characters), ") %s: { cpu_id = %" PRIu32 " }, {%s%s%s", class->name, cpu,
        empty ? "" : " ", empty ? "" : class->field[0].name, empty ? "" : " = ");

    return make_piece(characters, (size_t)length);
}

static void make_class(struct trace_text *text, size_t index, uint32_t cpu)
{
    const struct export_class *class = translator_class(text->translator, index);
    struct text_field *made = &text->fields[index * EXPORT_FIELDS_MAX];
    char characters[PIECE_MAX];

    made[0].before = make_head(class, cpu);
    for (size_t i = 0; i < class->field_count; i++) {
        const struct export_field *field = &class->field[i];

        if (i > 0) {
            const int length = snprintf(characters, sizeof(characters), ", %s = ", field->name);

            made[i].before = make_piece(characters, (size_t)length);
        }
        made[i].named =
            field->type == EXPORT_NAMED ? alloc_zeroed(DENSE * sizeof(*made[i].named)) : NULL;
    }
}

struct trace_text *trace_text_create(FILE *out, const struct translator *translator, uint64_t hz,
                                     uint32_t cpu)
{
    struct trace_text *text = alloc_zeroed(sizeof(*text));
    const size_t classes = translator_class_count(translator);

    text->out = out;
    text->translator = translator;
    text->hz = hz;
    text->fields = alloc_zeroed(classes * EXPORT_FIELDS_MAX * sizeof(*text->fields));
    for (size_t i = 0; i < classes; i++) {
        make_class(text, i, cpu);
    }
    return text;
}

static void write_out(struct trace_text *text)
{
    fwrite(text->buffer, 1, text->used, text->out);
    text->used = 0;
}

void trace_text_destroy(struct trace_text *text)
{
    const size_t fields = translator_class_count(text->translator) * EXPORT_FIELDS_MAX;

    write_out(text);
    for (size_t i = 0; i < fields; i++) {
        for (size_t value = 0; text->fields[i].named != NULL && value < DENSE; value++) {
            free(text->fields[i].named[value].at);
        }
        free(text->fields[i].named);
        free(text->fields[i].before.at);
    }
    for (size_t i = 0; i < text->text_count; i++) {
        free(text->texts[i].at);
    }
    free(text->texts);
    free(text->fields);
    free(text);
}

/* ---- events ---- */

uint64_t trace_text_ns(uint64_t tsc, uint64_t hz)
{
    const double ns = 1e9 * (double)tsc / (double)hz;

    if (hz == NS_PER_S) {
        return tsc;
    }
    return ns < 0x1p64 ? (uint64_t)ns : UINT64_MAX;
}

/* "[S.NNNNNNNNN] (+S.NNNNNNNNN" */
static inline char *put_stamp(struct trace_text *text, char *at, uint64_t tsc)
{
    const uint64_t ns = trace_text_ns(tsc, text->hz);

    *at++ = '[';
    at = put_seconds(at, ns);
    memcpy(at, "] (+", 4);
    at += 4;
    if (text->has_last) {
        at = put_seconds(at, ns - text->last_ns);
    } else {
        memcpy(at, "?.?????????", 11);
        at += 11;
    }
    text->has_last = true;
    text->last_ns = ns;
    return at;
}

static inline char *put_value(struct trace_text *text, char *at, const struct export_field *field,
                              const struct text_field *made, uint64_t value)
{
    switch (field->type) {
    case EXPORT_TEXT:
        if (value >= text->text_count) {
            add_texts(text);
        }
        return put_piece(at, &text->texts[value]);
    case EXPORT_NAMED:
        return value < DENSE ? put_piece(at, named_piece(made, field->labels, value))
                             : put_named(at, field->labels, value);
    case EXPORT_SIGNED:
        return put_signed(at, value);
    case EXPORT_HEX:
        return put_hex(at, value);
    default:
        return put_unsigned(at, value);
    }
}

void trace_text_event(struct trace_text *text, const struct export_event *event)
{
    const struct export_class *class = translator_class(text->translator, event->class_index);
    const struct text_field *made = &text->fields[event->class_index * EXPORT_FIELDS_MAX];

    if (text->used > BUFFER_BYTES) {
        write_out(text);
    }
    char *at = put_stamp(text, text->buffer + text->used, event->tsc);

    at = put_piece(at, &made[0].before);
    for (size_t i = 0; i < class->field_count; i++) {
        if (i > 0) {
            at = put_piece(at, &made[i].before);
        }
        at = put_value(text, at, &class->field[i], &made[i], event->value[i]);
    }
    memcpy(at, " }\n", 3);
    text->used = (size_t)(at + 3 - text->buffer);
}
