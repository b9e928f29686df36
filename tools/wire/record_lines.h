/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The records of one payload: lines of text, one after the other (kernel/link/record.h).
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "kernel/link/frame.h"
#include "kernel/link/record.h"
#include "kernel/link/text_codec.h"

/* The record lines of a META or END frame, one after the other. */
struct record_lines {
    char text[TEXT_CODEC_RAW_MAX + 1];
    char *next; /* line to read */
    char *end;
};

/* `text`: what a frame holds, decoded; at most TEXT_CODEC_RAW_MAX bytes. */
void record_lines_open(struct record_lines *lines, const uint8_t *text, size_t length);

/* False behind the last line; else *parsed: the line is a record. It is valid as long
 * as `lines`. */
bool record_lines_next(struct record_lines *lines, struct record *record, bool *parsed);
