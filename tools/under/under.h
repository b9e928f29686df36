/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Boots the image below a hypervisor that runs in an emulator under exact time, or runs a program
 * on a Linux there.
 *
 * L0 is the emulator on this host, L1 a Linux in it, L2 the image in L1's QEMU with KVM. The script
 * l1.sh makes the files of L1 once and keeps them in the cache. Equal files, arguments and plans
 * give equal logs, byte for byte.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "tools/base/progress.h"
#include "tools/qemu/guest.h"
#include "tools/qemu/installed.h"
#include "tools/qemu/qemu.h"
#include "tools/wire/decoder.h"

enum under_kind {
    UNDER_NONE,
    UNDER_AMD,   /* KVM with AMD's SVM, which QEMU's TCG emulates */
    UNDER_INTEL, /* KVM with Intel's VMX, which Bochs emulates */
    UNDER_LINUX, /* a program on Linux in QEMU's TCG, without a hypervisor */
};

#define UNDER_ERROR_MAX 1024
#define UNDER_ABOUT_MAX 128 /* largest length of a release and of a checksum */

struct under_machine {
    enum under_kind kind;
    const char *emulator; /* QEMU that is L0 (kinds AMD and LINUX), absolute path */
    unsigned shift;       /* L0: an instruction takes 2^shift ns; not for Bochs */
    const char *kernel;   /* kernel package or file of L1; NULL: Debian's package */
    const char *append;   /* appended to L1's command line; NULL: nothing */
    /* The machine of L2; its `program` is the path on this host of the QEMU that is put into L1.
     * Unused for a program. */
    const struct qemu_machine *guest;
    /* Arguments of the program, "NAME ARGUMENT...", which is this program; NULL after the last.
     * It runs in an empty folder, and what it leaves as `result` there becomes the log. */
    char *const *words;
    /* Size in MiB of a file that L1 gets as well as the program: what is allocated later has other
     * addresses, on which a count of instructions should not depend. */
    unsigned padding;
    /* File that receives the memory map of L1's QEMU, an empty line, and the functions of
     * /proc/kallsyms, compressed by gzip; NULL: none. Not for Bochs. */
    const char *symbols;
    const char *plugin; /* of L0, and its arguments after commas; NULL: none */
};

/* Files of L1, as made by under_prepare(). */
struct under_files {
    char script[INSTALLED_PATH_MAX];
    char folder[QEMU_PATH_MAX];    /* folder of the files in the cache */
    char release[UNDER_ABOUT_MAX]; /* of L1's kernel */
    char sha256[UNDER_ABOUT_MAX];  /* over kernel and initial file system */
    char bochs[UNDER_ABOUT_MAX];   /* "Bochs VERSION"; only for Intel */
};

/* Makes the files of L1, or finds them in the cache. Returns false with `error` set, possibly
 * several lines, if something is missing or cannot be made; nothing has been booted then. */
bool under_prepare(const struct under_machine *machine, struct under_files *files,
                   struct progress *progress, char error[UNDER_ERROR_MAX]);

/* Boots L1 and runs L2 or the program in it, with plan, log and time limit of `run`; L1's console
 * goes to the file LOG.l1. `decoder` gets the log of L2, and is unused for a program.
 * result->messages is the end of L1's console, or of what L0 printed if L1 printed nothing, and
 * result->status that of L0. Returns false with `error` set if L0 was not started. Otherwise
 * `error` is the reason that L1 stated for its end; "": none. With a program, result->end is
 * SESSION_COMPLETE if it left a result and all of it arrived. */
bool under_run(const struct under_machine *machine, const struct under_files *files,
               const struct guest_run *run, struct decoder *decoder, struct progress *progress,
               struct guest_result *result, char error[UNDER_ERROR_MAX]);

/* Calls `note` for each property of the stack (keys under.*, tools/store/README.md). */
void under_describe(const struct under_machine *machine, const struct under_files *files,
                    void (*note)(void *context, const char *key, const char *value), void *context);

/* Writes L1's whole command line. Returns `text`. */
const char *under_command_line(const struct under_machine *machine, char text[UNDER_ERROR_MAX]);

/* What L1's console has stated so far. */
struct under_console {
    bool ended;                    /* the last line has arrived */
    unsigned status;               /* that it stated, 0 to 255 */
    uint64_t bytes;                /* length of a program's result */
    char failure[UNDER_ERROR_MAX]; /* first reason stated; "": none */
};

/* Takes one line of the console, without its end. Returns the text to show as progress, or NULL. */
const char *under_console_line(struct under_console *console, const char *line);
