/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Hashes of rows: of the content of a run in a fleet, and of a run file.
 */
#pragma once

#include "tools/base/sha256.h"
#include "tools/store/run_tables.h"

void row_hash_number(struct sha256 *hash, uint64_t number);
/* Hashes every value of a row with its length before it, so that no two rows give the same bytes;
 * but not the bytes of samples and packets, only that they are there. */
void row_hash(struct sha256 *hash, const struct run_table *table, const struct cell *cells);

/*
 * The hash of a run file: over all its rows, table by table. It covers samples and packets by their
 * CRCs, which are columns of the rows and are compared with the bytes whenever a run is read.
 */

/* Key of the row of table `run` that has this hash. The row itself is not hashed. */
#define CONTENT_KEY "file.content"

struct content_hash {
    struct sha256 table[RUN_TABLE_COUNT];
};

void content_hash_begin(struct content_hash *hash);
/* Adds a row; rows of derived tables are ignored. */
void content_hash_row(struct content_hash *hash, const struct run_table *table,
                      const struct cell *cells);
/* Writes the hash as hexadecimal digits and frees the state. */
void content_hash_end(struct content_hash *hash, char text[SHA256_TEXT]);
