/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Pipes: ordered bytes through a buffer of fixed size. In the trace, a pipe is a lock that is held
 * only briefly: each piece written or read is an acquisition and a release, and a thread that finds
 * the pipe full or empty waits for the lock.
 *
 * Waiting threads are woken in order of priority, but bytes and room belong to the thread that
 * takes them first. Writes and reads of several threads at the same time may mix if one of them had
 * to wait.
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
/* Writes all `length` bytes; waits while the pipe is full. */
void pipe_write(struct pipe *pipe, const void *bytes, size_t length);
/* Reads exactly `length` bytes; waits while the pipe is empty. */
void pipe_read(struct pipe *pipe, void *bytes, size_t length);

/* The same for one byte; called with interrupts off, for system calls. */
void pipe_write_byte(struct pipe *pipe, uint8_t byte);
uint8_t pipe_read_byte(struct pipe *pipe);
