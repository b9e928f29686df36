/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A serial line over any of these carriers.
 *
 *     PATH of a tty        raw, 8 data bits, no parity, no flow control, at `baud`; no other
 *                          program can open it meanwhile
 *     PATH of a socket     a listening unix socket
 *     tcp:HOST:PORT        a terminal server
 *     udp:[ADDRESS:]PORT   datagrams of the first that sends a frame there (link.udp of its plan)
 *     pipe:BASE            read BASE.out, write BASE.in, as QEMU's chardev "pipe" names them; a
 *                          regular file BASE.out is followed as it grows, and never ends
 *     -                    standard input, one way
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>
#include <termios.h>

#define LINE_ERROR_MAX    512
#define LINE_BAUD_DEFAULT 115200

struct line {
    int in;
    int out;      /* -1: one way */
    bool follows; /* `in` is a file that grows */
    bool fresh;   /* nothing read yet: a FIFO without writer has not ended, it has not begun */
    bool is_fifo;
    bool is_tty;
    bool is_udp;   /* fresh: none has sent yet, so that there is none to send to */
    unsigned baud; /* of a tty */
    struct termios saved;
};

/* False on failure; `error` then has one line with the device, the cause and the cure. */
bool line_open(struct line *line, const char *device, unsigned baud, char error[LINE_ERROR_MAX]);
/* A tty: flow control by RTS and CTS. False: the device has none. */
bool line_set_hardware_flow(struct line *line);
/* A tty: changes the speed once all output has been sent. False: the speed is not supported. */
bool line_set_baud(struct line *line, unsigned baud);
/* The next speed below that is supported; 0: none. */
unsigned line_slower(unsigned baud);
/* Is this speed supported? If not, `error` names those that are. */
bool line_check_baud(unsigned baud, char error[LINE_ERROR_MAX]);
/* A line over an open descriptor of a socket or tty, which line_close() closes. */
void line_from_descriptor(struct line *line, int descriptor);
void line_close(struct line *line);

/* Waits at most `timeout_ms` for bytes. Returns their number, 0 if none came (time-out or signal),
 * -1 when the other end is gone. */
ssize_t line_read(struct line *line, uint8_t *bytes, size_t capacity, unsigned timeout_ms);

/* Writes all bytes; false if the line does not take them within two seconds. */
bool line_write(struct line *line, const uint8_t *bytes, size_t length);
