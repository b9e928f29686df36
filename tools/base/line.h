/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A serial line over any of these carriers:
 *
 *     PATH of a tty        raw, 8 data bits, no parity, no flow control, at `baud`; no other
 *                          program can open it meanwhile
 *     PATH of a socket     a listening unix socket
 *     tcp:HOST:PORT        a terminal server
 *     udp:[ADDRESS:]PORT   datagrams of the first peer that sends a frame to this port (link.udp
 *                          of that machine's plan)
 *     pipe:BASE            reads BASE.out and writes BASE.in, as QEMU's chardev "pipe" names them;
 *                          if BASE.out is a regular file, it is followed as it grows and never ends
 *     -                    standard input, receive only
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#define LINE_ERROR_MAX    512
#define LINE_BAUD_DEFAULT 115200

struct line {
    int in;
    int out;      /* descriptor to write to; -1 if the line is receive only */
    bool follows; /* whether `in` is a regular file that grows */
    /* nothing has been read yet: a FIFO without a writer has not started, rather than ended */
    bool fresh;
    bool is_fifo;
    bool is_tty;
    bool is_udp;           /* UDP socket; while `fresh`, no peer is known and nothing can be sent */
    unsigned baud;         /* speed of a tty */
    struct termios *saved; /* settings of a tty before it was opened; NULL: not known */
};

/* Opens a line. Returns false on failure; `error` then has one line with the device, the cause and
 * the remedy. */
bool line_open(struct line *line, const char *device, unsigned baud, char error[LINE_ERROR_MAX]);
/* Turns on flow control by RTS and CTS on a tty. Returns false if the device does not support it.
 */
bool line_set_hardware_flow(struct line *line);
/* Changes the speed of a tty after all output has been sent. Returns false if the speed is not
 * supported. */
bool line_set_baud(struct line *line, unsigned baud);
/* Returns the next lower supported speed, or 0 if there is none. */
unsigned line_slower(unsigned baud);
/* Is this speed supported? If not, `error` lists the supported ones. */
bool line_check_baud(unsigned baud, char error[LINE_ERROR_MAX]);
/* Makes a line from an open descriptor of a socket or tty. line_close() closes the descriptor. */
void line_from_descriptor(struct line *line, int descriptor);
void line_close(struct line *line);

/* Waits at most `timeout_ms` for bytes. Returns the number of bytes read, 0 if none came before the
 * time-out or a signal, or -1 if the other end is gone. */
ssize_t line_read(struct line *line, uint8_t *bytes, size_t capacity, unsigned timeout_ms);

/* Writes all bytes. Returns false if the line does not take them within two seconds. */
bool line_write(struct line *line, const uint8_t *bytes, size_t length);
