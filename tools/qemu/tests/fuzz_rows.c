/* SPDX-License-Identifier: BSD-2-Clause */
/* libFuzzer: any bytes as a file of rows. Of what is taken each row is found again by its
 * instructions, and no number goes back. */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "tools/qemu/rows.h"
#include "tools/tests/support/demand.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* First and last row of a record. */
static void check_record(const struct rows *rows, size_t index, struct row *before)
{
    const uint64_t ends[] = {rows->first_row[index],
                             rows->first_row[index] + rows->records[index].rows - 1};

    for (size_t i = 0; i < 2; i++) {
        struct row row;
        uint64_t number;

        rows_at(rows, ends[i], &row);
        demand(row.address == rows->records[index].address && row.number == ends[i]);
        demand(rows_find(rows, row.total[ROW_INSTRUCTIONS], &number) && number == ends[i]);
        for (size_t column = 0; column < ROW_COLUMNS; column++) {
            demand(row.total[column] >= before->total[column]);
        }
        *before = row;
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct row before = {0};
    struct rows rows;
    const char *why = NULL;
    uint64_t *aligned = malloc(size + sizeof(*aligned));

    demand(aligned != NULL);
    memcpy(aligned, data, size);
    if (rows_parse(&rows, aligned, size, &why)) {
        for (size_t i = 0; i < rows.count; i++) {
            check_record(&rows, i, &before);
        }
    } else {
        demand(why != NULL);
    }
    rows_close(&rows);
    free(aligned);
    return 0;
}
