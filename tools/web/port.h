/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * What the C library of WebAssembly (wasi-libc) lacks of Linux'. Each source that is compiled for
 * the browser includes this file first (tools/build/web.mk); port.c defines the functions. A page
 * is no terminal, starts no other program, and has files in memory only: functions that need these
 * fail as on a system without them.
 */
#pragma once

#include <errno.h>
#include <stddef.h>
#include <stdio.h>

#ifndef ENODATA
#define ENODATA 61
#endif

/* <sys/ioctl.h> */
#define TIOCGWINSZ 0x5413
struct winsize {
    unsigned short ws_row, ws_col, ws_xpixel, ws_ypixel;
};

/* <sys/mman.h> */
#define MADV_DONTNEED 4
int madvise(void *start, size_t length, int advice);

/* <stdlib.h> and <stdio.h> */
int mkostemp(char *path, int flags);
char *mkdtemp(char *path);
FILE *popen(const char *command, const char *mode);
int pclose(FILE *stream);
