/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The text form of a fuzz corpus: all inputs of one parser in one file of printable ASCII, in lines
 * of at most CORPUS_LINE_MAX characters. Every byte survives, and so does every editor and merge.
 *
 *     # a comment, or an empty line: between inputs only
 *     input NAME SIZE      the head of an input of SIZE bytes
 *     |text                these bytes and a newline
 *     >text                these bytes alone
 *     : 52534420 5054      these bytes in hexadecimal
 *
 * In text, \xNN is one byte and \\ is a backslash. Inputs stand in the order of their names. The
 * writer gives the same file for the same inputs: text, or hexadecimal where most bytes are not
 * printable.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#define CORPUS_LINE_MAX  120
#define CORPUS_NAME_MAX  64
#define CORPUS_SIZE_MAX  65536
#define CORPUS_ERROR_MAX 192

struct corpus_input {
    char name[CORPUS_NAME_MAX + 1];
    size_t size;
    uint8_t bytes[CORPUS_SIZE_MAX];
};

struct corpus_reader {
    FILE *file;
    unsigned long line; /* the line that was read last; the first is 1 */
    char text[CORPUS_LINE_MAX + 1];
    size_t stated; /* the size in the head of the input */
    struct corpus_input input;
    char error[CORPUS_ERROR_MAX]; /* what is wrong with `line` */
};

enum corpus_result { CORPUS_END, CORPUS_INPUT, CORPUS_DAMAGED };

/* A name is 1 to CORPUS_NAME_MAX letters, digits, `_`, `-` and `.`, and begins with none of the
 * last two. */
bool corpus_name_valid(const char *name);

/* Writes the lines above the first input. The caller checks the stream for errors. */
void corpus_write_begin(FILE *file);

/* Writes one input. The name is valid, the size is at most CORPUS_SIZE_MAX, names ascend by
 * strcmp(). */
void corpus_write(FILE *file, const char *name, const uint8_t *bytes, size_t size);

/* Starts to read the stream, which the caller closes after the last corpus_read(). */
void corpus_read_begin(struct corpus_reader *reader, FILE *file);

/* Reads the next input to reader->input. A damaged file leaves its line and error in the reader. */
enum corpus_result corpus_read(struct corpus_reader *reader);
