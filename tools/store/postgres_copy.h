/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Rows on their way into tables of PostgreSQL, by COPY in its binary format.
 *
 * A COPY costs two round trips and a start of the table's indexes, so that rows of many runs share
 * one: they wait in pieces of a table each. A thread sends full pieces, while the caller makes the
 * rows of the next ones; it owns the connection until postgres_copy_wait().
 *
 * False leaves one line in postgres_copy_error(), and nothing more is sent from then on.
 */
#pragma once

#include <postgresql/libpq-fe.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Tables and parts of tables with rows that wait. */
#define POSTGRES_COPY_TABLES_MAX 64

struct postgres_copy;

/* The connection stays the caller's. */
struct postgres_copy *postgres_copy_open(PGconn *connection);
/* Rows that wait are lost. */
void postgres_copy_close(struct postgres_copy *copy);

/* A row is begun, put in any number of stretches, and ended before the next one. `part`: which part
 * of the table, from 1; 0: the table. `name` stays as it is until the end. */
bool postgres_copy_begin_row(struct postgres_copy *copy, const char *name, int64_t part);
bool postgres_copy_put(struct postgres_copy *copy, const void *bytes, size_t length);
bool postgres_copy_end_row(struct postgres_copy *copy);

/* All rows that wait are handed to the thread. */
bool postgres_copy_send(struct postgres_copy *copy);
/* The connection is the caller's until the next row: what was handed over is in the tables. */
bool postgres_copy_wait(struct postgres_copy *copy);

const char *postgres_copy_error(const struct postgres_copy *copy);
