/* SPDX-License-Identifier: BSD-2-Clause */
#include "tools/qemu/rows.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "tools/base/alloc.h"
#include "tools/base/sort.h"

static bool refuse(char error[ROWS_ERROR_MAX], const char *path, const char *why)
{
    snprintf(error, ROWS_ERROR_MAX, "%.160s: %s", path, why);
    return false;
}

static bool map_file(struct rows *rows, const char *path, char error[ROWS_ERROR_MAX])
{
    const int descriptor = open(path, O_RDONLY | O_CLOEXEC);
    struct stat status;

    if (descriptor < 0 || fstat(descriptor, &status) != 0) {
        const int cause = errno;

        if (descriptor >= 0) {
            close(descriptor);
        }
        return refuse(error, path, strerror(cause));
    }
    rows->map_bytes = (size_t)status.st_size;
    rows->map = status.st_size > 0
                    ? mmap(NULL, rows->map_bytes, PROT_READ, MAP_PRIVATE, descriptor, 0)
                    : MAP_FAILED;
    close(descriptor);
    if (rows->map == MAP_FAILED) {
        rows->map = NULL;
        return refuse(error, path, "it is empty or cannot be mapped");
    }
    return true;
}

/* Builds the index. Returns false if a record has no rows, or if numbers exceed 64 bits. */
static bool index_records(struct rows *rows)
{
    uint64_t total[ROW_COLUMNS] = {0};

    rows->first_row = alloc_zeroed((rows->count + 1) * sizeof(*rows->first_row));
    rows->instructions = alloc_zeroed((rows->count + 1) * sizeof(*rows->instructions));
    rows->totals = alloc_zeroed((rows->count / ROWS_STEP + 1) * sizeof(*rows->totals));
    for (size_t i = 0; i < rows->count; i++) {
        const struct row_record *record = &rows->records[i];

        if (i % ROWS_STEP == 0) {
            memcpy(rows->totals[i / ROWS_STEP], total, sizeof(total));
        }
        if (record->rows == 0 || record->address == ROW_END ||
            record->counted[ROW_INSTRUCTIONS] == 0) {
            return false;
        }
        rows->first_row[i] = rows->row_count;
        for (size_t column = 0; column < ROW_COLUMNS; column++) {
            uint64_t added;

            if (column == ROW_INSTRUCTIONS) {
                rows->instructions[i] = total[column] + record->counted[column];
            }
            if (__builtin_mul_overflow(record->counted[column], record->rows, &added) ||
                __builtin_add_overflow(total[column], added, &total[column])) {
                return false;
            }
        }
        if (__builtin_add_overflow(rows->row_count, record->rows, &rows->row_count)) {
            return false;
        }
    }
    return true;
}

bool rows_parse(struct rows *rows, const void *bytes, size_t size, const char **why)
{
    const struct row_header header = {.magic = ROW_MAGIC};
    const size_t left = size < sizeof(header) ? 0 : size - sizeof(header);
    const size_t records = left / sizeof(*rows->records);

    *rows = (struct rows){0};
    if (left == 0 || memcmp(bytes, &header, sizeof(header)) != 0) {
        *why = "it is not a file of rows";
        return false;
    }
    rows->records = (const struct row_record *)((const char *)bytes + sizeof(header));
    if (records == 0 || left % sizeof(*rows->records) != 0 ||
        rows->records[records - 1].address != ROW_END) {
        *why = "its end is missing: QEMU was killed, or the disk of the temporary folder (TMPDIR) "
               "is full";
        return false;
    }
    rows->count = records - 1;
    *why = "it is damaged";
    return index_records(rows);
}

bool rows_open(struct rows *rows, const char *path, char error[ROWS_ERROR_MAX])
{
    struct rows file = {0};
    const char *why;

    *rows = (struct rows){0};
    if (!map_file(&file, path, error)) {
        return false;
    }
    const bool parsed = rows_parse(rows, file.map, file.map_bytes, &why);

    rows->map = file.map;
    rows->map_bytes = file.map_bytes;
    if (!parsed) {
        rows_close(rows);
        return refuse(error, path, why);
    }
    return true;
}

void rows_close(struct rows *rows)
{
    if (rows->map != NULL) {
        munmap(rows->map, rows->map_bytes);
    }
    free(rows->first_row);
    free(rows->instructions);
    free(rows->totals);
    *rows = (struct rows){0};
}

/* Returns the last record whose value is at most `value`, or the first record if there is none. */
static size_t last_up_to(const uint64_t *values, size_t count, uint64_t value)
{
    const size_t up_to = SEARCH_COUNT(i, count, values[i] <= value);

    return up_to > 0 ? up_to - 1 : 0;
}

size_t rows_record_of(const struct rows *rows, uint64_t number)
{
    return last_up_to(rows->first_row, rows->count, number);
}

void rows_at(const struct rows *rows, uint64_t number, struct row *row)
{
    const size_t index = rows_record_of(rows, number);
    const struct row_record *record = &rows->records[index];

    row->number = number;
    row->address = record->address;
    memcpy(row->total, rows->totals[index / ROWS_STEP], sizeof(row->total));
    for (size_t i = index - index % ROWS_STEP; i <= index; i++) {
        const uint64_t times = i < index ? rows->records[i].rows : number - rows->first_row[i] + 1;

        for (size_t column = 0; column < ROW_COLUMNS; column++) {
            row->total[column] += times * rows->records[i].counted[column];
        }
    }
}

bool rows_find(const struct rows *rows, uint64_t instructions, uint64_t *number)
{
    if (rows->count == 0 || instructions < rows->instructions[0]) {
        return false;
    }
    const size_t index = last_up_to(rows->instructions, rows->count, instructions);
    const struct row_record *record = &rows->records[index];
    const uint64_t beyond = instructions - rows->instructions[index];
    const uint64_t step = record->counted[ROW_INSTRUCTIONS];

    if (beyond % step != 0 || beyond / step >= record->rows) {
        return false;
    }
    *number = rows->first_row[index] + beyond / step;
    return true;
}
