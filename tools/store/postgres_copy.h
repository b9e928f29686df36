/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Sends rows to tables of PostgreSQL, by COPY in its binary format.
 *
 * A COPY costs two round trips and a start of the table's indexes, so rows of many runs share one.
 * They are collected in pieces, each for one table. A thread sends full pieces while the caller
 * makes the next rows; the thread owns the connection until postgres_copy_wait().
 *
 * A function that returns false leaves one line in postgres_copy_error(); nothing more is sent from
 * then on.
 */
#pragma once

#include <postgresql/libpq-fe.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Largest number of tables and parts of tables with waiting rows. */
#define POSTGRES_COPY_TABLES_MAX 64

struct postgres_copy;

/* Opens a sender on a connection, which still belongs to the caller. */
struct postgres_copy *postgres_copy_open(PGconn *connection);
/* Closes the sender. Rows that still wait are lost. */
void postgres_copy_close(struct postgres_copy *copy);

/* Begin a row, add bytes to it in any number of pieces, and end it before the next one. `part` is
 * the part of the table, from 1; 0: the table itself. `name` must stay unchanged until the end. */
bool postgres_copy_begin_row(struct postgres_copy *copy, const char *name, int64_t part);
bool postgres_copy_put(struct postgres_copy *copy, const void *bytes, size_t length);
bool postgres_copy_end_row(struct postgres_copy *copy);

/* Hands all waiting rows to the thread. */
bool postgres_copy_send(struct postgres_copy *copy);
/* Waits until everything handed over is in the tables. The caller may use the connection until the
 * next row. */
bool postgres_copy_wait(struct postgres_copy *copy);

const char *postgres_copy_error(const struct postgres_copy *copy);
