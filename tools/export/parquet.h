/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A table as a file of Apache Parquet (parquet-format 2.10: README, Encodings.md, parquet.thrift),
 * written as rows come. Debian 12 has no library for it.
 *
 * The simplest form that every reader takes: pages of version 1, plain values without compression,
 * levels of definition where a column may be null. A row group ends after 65,536 rows or 4 MiB, and
 * is what is in memory.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#define PARQUET_COLUMNS_MAX 32
#define PARQUET_GROUP_ROWS  65536

/* Numbers of parquet.thrift, enum Type. */
enum parquet_type {
    PARQUET_INTEGER = 2, /* 64 bits, signed */
    PARQUET_REAL = 5,    /* double */
    PARQUET_TEXT = 6,    /* UTF-8; what is none is U+FFFD in its place */
};

struct parquet_column {
    const char *name;
    enum parquet_type type;
    bool required; /* never null */
};

struct parquet;

/* `columns`: PARQUET_COLUMNS_MAX at most; they and `out` outlive it. */
struct parquet *parquet_open(FILE *out, const struct parquet_column *columns, size_t count);

/* The cells of a row, each column once and from left to right. Null is for columns that may be. */
void parquet_integer(struct parquet *parquet, int64_t value);
void parquet_real(struct parquet *parquet, double value);
void parquet_text(struct parquet *parquet, const char *text);
void parquet_null(struct parquet *parquet);
/* Behind the last cell of each row. */
void parquet_row(struct parquet *parquet);

/* Writes what is left and the footer, and frees it. Errors of `out` stay in ferror(). */
void parquet_close(struct parquet *parquet);

/* Was this file written so? */
bool parquet_is_own(const char *path);
