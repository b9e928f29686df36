/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Pipes: bytes in order, through a buffer of fixed size. A lock of the trace without a holder for
 * long: each piece that is written or read is an acquisition and a release, and who finds the pipe
 * full or empty waits for it.
 *
 * Who waits is woken in order of priority, but bytes and room belong to the first that takes them;
 * writes and reads of several threads at once may mix where one of them had to wait.
 */
#pragma once

#include <stddef.h>
#include <stdint.h>

#include "kernel/task/scheduler.h"

#define PIPE_BYTES 512

struct pipe {
    uint8_t bytes[PIPE_BYTES];
    size_t first; /* index of the oldest byte */
    size_t count;
    struct wait_queue readers;
    struct wait_queue writers;
    uint16_t id;
};

void pipe_init(struct pipe *pipe, const char *name);
/* All `length` bytes; waits while it is full. */
void pipe_write(struct pipe *pipe, const void *bytes, size_t length);
/* Exactly `length` bytes; waits while it is empty. */
void pipe_read(struct pipe *pipe, void *bytes, size_t length);

/* The same for one byte, with interrupts off: the way of a system call. */
void pipe_write_byte(struct pipe *pipe, uint8_t byte);
uint8_t pipe_read_byte(struct pipe *pipe);
