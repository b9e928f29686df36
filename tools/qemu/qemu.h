/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Runs QEMU as a process: finds it and its firmware, makes its command line, starts and stops it.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>
#include <sys/types.h>

#define QEMU_ERROR_MAX 512
#define QEMU_PATH_MAX  4096
#define QEMU_SHIFT_MAX 10 /* limit of QEMU 7.2, softmmu/icount.c */

enum qemu_time {
    /* TCG with -icount: the TSC counts instructions, and a run repeats to the byte */
    QEMU_EXACT,
    QEMU_KVM,      /* the processor's own time */
    QEMU_EMULATED, /* TCG without -icount: host time, but emulated code */
};

struct qemu_machine {
    const char *program;
    const char *firmware;
    /* Initial store of variables; NULL: no SMM. Otherwise `firmware` is the code of a build with
     * SMM, for q35 only. */
    const char *variables;
    const char *image; /* a name in .img boots as a disk, any other as an EFI program */
    enum qemu_time time;
    unsigned shift;   /* exact mode: an instruction takes 2^shift ns */
    const char *type; /* q35 or pc */
    unsigned processors;
    unsigned memory_mib;
    const char *cpu;    /* NULL: what suits `time` */
    const char *plugin; /* plugin that counts (installed.h), only in exact mode; NULL: none */
    /* port of 127.0.0.1 at which QEMU waits for gdb before it starts; 0: none */
    unsigned gdb_port;
    const struct qemu_network *network; /* NICs; NULL: none */
    char *const *extra;                 /* arguments to append */
    size_t extra_count;
};

/* The files of one start of QEMU. */
struct qemu_files {
    const char *plan;     /* passed to the guest as opt/tare/plan */
    const char *line;     /* BASE of the serial line: BASE.in is read, BASE.out is written */
    const char *tty;      /* serial port of the host that is the line instead; NULL: none */
    const char *messages; /* receives QEMU's stdout and stderr */
    const char *firmware; /* the run's own form of the machine's firmware; NULL: the machine's */
    /* the run's own copy of the machine's variables, which is written to; NULL: none */
    const char *variables;
    /* socket on which QEMU listens for its machine protocol (qmp.h); NULL: none */
    const char *qmp;
    const char *rows;  /* written by the machine's plugin */
    const char *saved; /* folder of a snapshot (snapshot.h) whose memory is used; NULL: none */
    /* The machine holds before it reads the plan, to be saved there. Otherwise, with `saved`, it
     * resumes: it waits for migrate-incoming, without a line. */
    bool saves;
};

struct qemu {
    pid_t pid;
    bool running;
    int status; /* exit status from waitpid() once it is no longer running */
};

/* Finds QEMU. `wanted` is a program's name or path; NULL: qemu-system-x86_64. Returns false with a
 * line in `error` on failure. */
bool qemu_find_program(const char *wanted, char path[QEMU_PATH_MAX], char error[QEMU_ERROR_MAX]);
/* Finds the firmware. `wanted` is a file; NULL: looks where distributions install OVMF. */
bool qemu_find_firmware(const char *wanted, char path[QEMU_PATH_MAX], char error[QEMU_ERROR_MAX]);
/* As qemu_find_firmware(), for a build with SMM, which has two files; either both are given or both
 * are NULL. */
bool qemu_find_smm_firmware(const char *wanted, const char *wanted_variables,
                            char path[QEMU_PATH_MAX], char variables[QEMU_PATH_MAX],
                            char error[QEMU_ERROR_MAX]);
/* Writes the first line of `program --version`. Returns false if there is none within 30 s. */
bool qemu_version(const char *program, char *version, size_t capacity);
/* Returns whether `program -help` prints, within 30 s, a line that begins with `option` and a
 * blank. */
bool qemu_has_option(const char *program, const char *option);

/* Returns whether this image is booted as a disk. */
bool qemu_is_disk(const char *image);
/* Writes the command line, one argument a line. */
void qemu_write_command(const struct qemu_machine *machine, const struct qemu_files *files,
                        FILE *out);
bool qemu_start(struct qemu *qemu, const struct qemu_machine *machine,
                const struct qemu_files *files, char error[QEMU_ERROR_MAX]);
/* Starts any command, whose first word is an absolute path; NULL ends the list. `messages` is
 * emptied, and receives its stdout and stderr. Returns false with a line in `error` on failure. */
bool qemu_start_command(struct qemu *qemu, char *const *arguments, const char *messages,
                        char error[QEMU_ERROR_MAX]);
bool qemu_running(struct qemu *qemu);
/* Waits at most `wait_ms` for QEMU to end, then ends it and its whole process group: SIGTERM, after
 * 2 s SIGKILL, then waits up to 5 s. Returns NULL if QEMU ended by itself, otherwise what happened
 * to it. */
const char *qemu_stop(struct qemu *qemu, unsigned wait_ms);

/*
 * Networks by name, `tare boot --net NAME`: NICs of QEMU's machine, the other end of their cable,
 * and the plan's keys that use them.
 */

struct qemu_network {
    const char *name;
    const char *const *arguments; /* arguments of QEMU; NULL ends the list */
    const char *plan;             /* whole lines */
};

/* Returns the network of that name, or NULL if there is none. */
const struct qemu_network *qemu_network_find(const char *name);

/*
 * Firmware in the form that QEMU's -bios needs on a machine without a TPM.
 *
 * Firmware looks for a TPM at 0xfed40000 (TCG PC Client Platform TPM Profile 1.05, 6.2: five
 * localities of 4 KiB). If there is none, a PC reads ones there. QEMU reads zeros, which OVMF takes
 * for a TPM that starts slowly: it polls a port twice for 750 ms (TIMEOUT_A) of guest time. At 8 ns
 * per instruction this is three quarters of the host time of a boot. The file given to -bios ends
 * at 4 GiB and may be long; a file that begins at the TPM's address holds the ones.
 */

#define FIRMWARE_TPM_ADDRESS 0xfed40000u
#define FIRMWARE_TPM_BYTES   0x5000u

/* Writes such a file, with a hole between the ones and the firmware; `target` must not exist.
 * Returns false with errno set on failure: EFBIG, and no file, if the firmware is too long or of
 * unknown length. */
bool firmware_without_tpm(const char *source, const char *target);
