/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A wrong length anywhere makes a file that readers refuse as a whole: sizes and places are taken
 * from what was written, never computed a second time.
 */
#include "tools/export/parquet.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "tools/base/alloc.h"
#include "tools/base/json.h"

_Static_assert(__BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__, "plain values are written as they lie");

#define GROUP_BYTES  (UINT32_C(4) << 20)
#define REPLACEMENT  "\xef\xbf\xbd" /* U+FFFD */
#define WRITER       "tare"
#define MAGIC        "PAR1"
#define MAGIC_LENGTH 4

/* ---- bytes that grow ---- */

struct bytes {
    uint8_t *at;
    size_t used, size;
};

static void put(struct bytes *bytes, const void *from, size_t length)
{
    if (length > bytes->size - bytes->used) {
        bytes->size = 2 * (bytes->used + length);
        bytes->at = alloc_checked(realloc(bytes->at, bytes->size));
    }
    if (length > 0) {
        memcpy(bytes->at + bytes->used, from, length);
    }
    bytes->used += length;
}

static void put_byte(struct bytes *bytes, uint8_t byte)
{
    put(bytes, &byte, 1);
}

static void put_word(struct bytes *bytes, uint32_t word)
{
    put(bytes, &word, sizeof(word));
}

static void put_varint(struct bytes *bytes, uint64_t value)
{
    for (; value >= 0x80; value >>= 7) {
        put_byte(bytes, (uint8_t)(value | 0x80));
    }
    put_byte(bytes, (uint8_t)value);
}

/* ---- Thrift's compact protocol ---- */

enum thrift_type {
    THRIFT_I32 = 5,
    THRIFT_I64 = 6,
    THRIFT_TEXT = 8,
    THRIFT_LIST = 9,
    THRIFT_STRUCT = 12,
};

/* A field is numbered from the one before it: `last` is that one's number, 0 at the beginning of a
 * structure, which ends with a zero byte. */
static void field(struct bytes *bytes, int *last, int number, enum thrift_type type)
{
    put_byte(bytes, (uint8_t)((number - *last) << 4 | type));
    *last = number;
}

static void put_zigzag(struct bytes *bytes, int64_t value)
{
    put_varint(bytes, (uint64_t)value << 1 ^ (value < 0 ? UINT64_MAX : 0));
}

static void field_number(struct bytes *bytes, int *last, int number, enum thrift_type type,
                         int64_t value)
{
    field(bytes, last, number, type);
    put_zigzag(bytes, value);
}

static void put_name(struct bytes *bytes, const char *text)
{
    put_varint(bytes, strlen(text));
    put(bytes, text, strlen(text));
}

static void field_name(struct bytes *bytes, int *last, int number, const char *text)
{
    field(bytes, last, number, THRIFT_TEXT);
    put_name(bytes, text);
}

static void field_list(struct bytes *bytes, int *last, int number, enum thrift_type of,
                       size_t count)
{
    field(bytes, last, number, THRIFT_LIST);
    if (count < 15) {
        put_byte(bytes, (uint8_t)(count << 4 | of));
    } else {
        put_byte(bytes, (uint8_t)(15 << 4 | of));
        put_varint(bytes, count);
    }
}

static void end_struct(struct bytes *bytes)
{
    put_byte(bytes, 0);
}

/* ---- the file ---- */

/* A column's page in one row group. */
struct chunk {
    uint64_t offset, length;
};

struct group {
    struct chunk chunks[PARQUET_COLUMNS_MAX];
    uint32_t rows;
};

struct parquet {
    FILE *out;
    const struct parquet_column *columns;
    size_t count;
    uint64_t written; /* bytes */
    uint64_t rows;    /* in the groups */
    struct group *groups;
    size_t group_count, group_capacity;
    /* The group that is being filled: */
    uint32_t group_rows;
    size_t column; /* of the next cell */
    struct bytes values[PARQUET_COLUMNS_MAX];
    struct bytes present[PARQUET_COLUMNS_MAX]; /* a bit a row, the lowest first */
};

static void write_out(struct parquet *parquet, const void *from, size_t length)
{
    fwrite(from, 1, length, parquet->out);
    parquet->written += length;
}

struct parquet *parquet_open(FILE *out, const struct parquet_column *columns, size_t count)
{
    struct parquet *parquet = alloc_zeroed(sizeof(*parquet));

    assert(count <= PARQUET_COLUMNS_MAX);
    parquet->out = out;
    parquet->columns = columns;
    parquet->count = count;
    write_out(parquet, MAGIC, MAGIC_LENGTH);
    return parquet;
}

/* The next cell, present or not. */
static struct bytes *cell(struct parquet *parquet, bool present)
{
    const size_t column = parquet->column++;
    struct bytes *bits = &parquet->present[column];
    const uint32_t row = parquet->group_rows;

    assert(column < parquet->count && (present || !parquet->columns[column].required));
    if (row % 8 == 0) {
        put_byte(bits, 0);
    }
    bits->at[row / 8] |= (uint8_t)(present << row % 8);
    return &parquet->values[column];
}

void parquet_integer(struct parquet *parquet, int64_t value)
{
    put(cell(parquet, true), &value, sizeof(value));
}

void parquet_real(struct parquet *parquet, double value)
{
    put(cell(parquet, true), &value, sizeof(value));
}

void parquet_null(struct parquet *parquet)
{
    cell(parquet, false);
}

void parquet_text(struct parquet *parquet, const char *text)
{
    struct bytes *values = cell(parquet, true);
    const size_t head = values->used;

    put_word(values, 0);
    while (*text != '\0') {
        const size_t length = json_utf8_length(text);

        put(values, length > 0 ? text : REPLACEMENT, length > 0 ? length : strlen(REPLACEMENT));
        text += length > 0 ? length : 1;
    }
    const uint32_t length = (uint32_t)(values->used - head - sizeof(uint32_t));

    memcpy(values->at + head, &length, sizeof(length));
}

/* Levels of definition: one run of bits (Encodings.md, RLE and bit-packing hybrid), with its length
 * in front. */
static void put_levels(struct bytes *page, const struct bytes *bits)
{
    struct bytes run = {0};

    put_varint(&run, (uint64_t)bits->used << 1 | 1);
    put(&run, bits->at, bits->used);
    put_word(page, (uint32_t)run.used);
    put(page, run.at, run.used);
    free(run.at);
}

static void put_page_header(struct bytes *header, size_t length, uint32_t rows)
{
    int last = 0, inner = 0;

    field_number(header, &last, 1, THRIFT_I32, 0); /* DATA_PAGE */
    field_number(header, &last, 2, THRIFT_I32, (int64_t)length);
    field_number(header, &last, 3, THRIFT_I32, (int64_t)length);
    field(header, &last, 5, THRIFT_STRUCT);
    field_number(header, &inner, 1, THRIFT_I32, rows);
    field_number(header, &inner, 2, THRIFT_I32, 0); /* PLAIN */
    field_number(header, &inner, 3, THRIFT_I32, 3); /* RLE */
    field_number(header, &inner, 4, THRIFT_I32, 3);
    end_struct(header);
    end_struct(header);
}

static void write_chunk(struct parquet *parquet, size_t column, struct chunk *chunk)
{
    struct bytes header = {0}, page = {0};

    if (!parquet->columns[column].required) {
        put_levels(&page, &parquet->present[column]);
    }
    put(&page, parquet->values[column].at, parquet->values[column].used);
    put_page_header(&header, page.used, parquet->group_rows);
    chunk->offset = parquet->written;
    write_out(parquet, header.at, header.used);
    write_out(parquet, page.at, page.used);
    chunk->length = parquet->written - chunk->offset;
    parquet->values[column].used = 0;
    parquet->present[column].used = 0;
    free(header.at);
    free(page.at);
}

static void write_group(struct parquet *parquet)
{
    if (parquet->group_rows == 0) {
        return;
    }
    parquet->groups = alloc_append(parquet->groups, &parquet->group_count, &parquet->group_capacity,
                                   sizeof(*parquet->groups));
    struct group *group = &parquet->groups[parquet->group_count - 1];

    group->rows = parquet->group_rows;
    for (size_t i = 0; i < parquet->count; i++) {
        write_chunk(parquet, i, &group->chunks[i]);
    }
    parquet->rows += group->rows;
    parquet->group_rows = 0;
}

void parquet_row(struct parquet *parquet)
{
    size_t bytes = 0;

    assert(parquet->column == parquet->count);
    parquet->column = 0;
    parquet->group_rows++;
    for (size_t i = 0; i < parquet->count; i++) {
        bytes += parquet->values[i].used;
    }
    if (parquet->group_rows == PARQUET_GROUP_ROWS || bytes >= GROUP_BYTES) {
        write_group(parquet);
    }
}

/* ---- the footer ---- */

static void put_schema(struct bytes *footer, const struct parquet *parquet)
{
    int last = 0;

    field_name(footer, &last, 4, "schema");
    field_number(footer, &last, 5, THRIFT_I32, (int64_t)parquet->count);
    end_struct(footer);
    for (size_t i = 0; i < parquet->count; i++) {
        const struct parquet_column *column = &parquet->columns[i];

        last = 0;
        field_number(footer, &last, 1, THRIFT_I32, column->type);
        field_number(footer, &last, 3, THRIFT_I32, column->required ? 0 : 1); /* or OPTIONAL */
        field_name(footer, &last, 4, column->name);
        if (column->type == PARQUET_TEXT) {
            field_number(footer, &last, 6, THRIFT_I32, 0); /* UTF8 */
        }
        end_struct(footer);
    }
}

static void put_chunk(struct bytes *footer, const struct parquet_column *column,
                      const struct chunk *chunk, uint32_t rows)
{
    int last = 0, inner = 0;

    field_number(footer, &last, 2, THRIFT_I64, (int64_t)chunk->offset);
    field(footer, &last, 3, THRIFT_STRUCT);
    field_number(footer, &inner, 1, THRIFT_I32, column->type);
    field_list(footer, &inner, 2, THRIFT_I32, 2);
    put_zigzag(footer, 0); /* PLAIN */
    put_zigzag(footer, 3); /* RLE */
    field_list(footer, &inner, 3, THRIFT_TEXT, 1);
    put_name(footer, column->name);
    field_number(footer, &inner, 4, THRIFT_I32, 0); /* UNCOMPRESSED */
    field_number(footer, &inner, 5, THRIFT_I64, rows);
    field_number(footer, &inner, 6, THRIFT_I64, (int64_t)chunk->length);
    field_number(footer, &inner, 7, THRIFT_I64, (int64_t)chunk->length);
    field_number(footer, &inner, 9, THRIFT_I64, (int64_t)chunk->offset);
    end_struct(footer);
    end_struct(footer);
}

static void put_group(struct bytes *footer, const struct parquet *parquet,
                      const struct group *group)
{
    uint64_t length = 0;
    int last = 0;

    field_list(footer, &last, 1, THRIFT_STRUCT, parquet->count);
    for (size_t i = 0; i < parquet->count; i++) {
        put_chunk(footer, &parquet->columns[i], &group->chunks[i], group->rows);
        length += group->chunks[i].length;
    }
    field_number(footer, &last, 2, THRIFT_I64, (int64_t)length);
    field_number(footer, &last, 3, THRIFT_I64, group->rows);
    end_struct(footer);
}

static void write_footer(struct parquet *parquet)
{
    struct bytes footer = {0};
    int last = 0;

    field_number(&footer, &last, 1, THRIFT_I32, 1);
    field_list(&footer, &last, 2, THRIFT_STRUCT, parquet->count + 1);
    put_schema(&footer, parquet);
    field_number(&footer, &last, 3, THRIFT_I64, (int64_t)parquet->rows);
    field_list(&footer, &last, 4, THRIFT_STRUCT, parquet->group_count);
    for (size_t i = 0; i < parquet->group_count; i++) {
        put_group(&footer, parquet, &parquet->groups[i]);
    }
    field_name(&footer, &last, 6, WRITER);
    end_struct(&footer);
    put_word(&footer, (uint32_t)footer.used);
    write_out(parquet, footer.at, footer.used);
    write_out(parquet, MAGIC, MAGIC_LENGTH);
    free(footer.at);
}

void parquet_close(struct parquet *parquet)
{
    write_group(parquet);
    write_footer(parquet);
    for (size_t i = 0; i < parquet->count; i++) {
        free(parquet->values[i].at);
        free(parquet->present[i].at);
    }
    free(parquet->groups);
    free(parquet);
}

/* Its end is the writer's name, the end of a structure, the footer's length and the magic. */
bool parquet_is_own(const char *path)
{
    static const char name[] = WRITER; /* with its end */
    char end[13] = "";
    FILE *file = fopen(path, "rb");

    if (file == NULL) {
        return false;
    }
    const bool read = fseek(file, -(long)sizeof(end), SEEK_END) == 0 &&
                      fread(end, 1, sizeof(end), file) == sizeof(end);

    fclose(file);
    return read && memcmp(end, name, sizeof(name)) == 0 &&
           memcmp(end + sizeof(end) - MAGIC_LENGTH, MAGIC, MAGIC_LENGTH) == 0;
}
