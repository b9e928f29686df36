/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * QEMU as a process: where it and its firmware are, its command line, start and stop.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>
#include <sys/types.h>

#define QEMU_ERROR_MAX 512
#define QEMU_PATH_MAX  4096
#define QEMU_SHIFT_MAX 10 /* QEMU 7.2, softmmu/icount.c */

enum qemu_time {
    QEMU_EXACT,    /* TCG with -icount: the TSC counts instructions, a run repeats to the byte */
    QEMU_KVM,      /* the processor's own time */
    QEMU_EMULATED, /* TCG without -icount: host time, but emulated code */
};

struct qemu_machine {
    const char *program;
    const char *firmware;
    const char *variables; /* NULL: no SMM. Else `firmware` is the code of a build with SMM, for q35
                              only, and this is what its store of variables starts as */
    const char *image;     /* NAME.img boots as a disk, all else as an EFI program */
    enum qemu_time time;
    unsigned shift;   /* exact: an instruction takes 2^shift ns */
    const char *type; /* q35 or pc */
    unsigned processors;
    unsigned memory_mib;
    const char *cpu;    /* NULL: what suits `time` */
    const char *plugin; /* that counts (installed.h), in exact time alone; NULL: none */
    unsigned gdb_port;  /* of 127.0.0.1, where QEMU waits for gdb before it starts; 0: none */
    const struct qemu_network *network; /* NICs; NULL: none */
    char *const *extra;                 /* arguments to append */
    size_t extra_count;
};

/* Files of one start. */
struct qemu_files {
    const char *plan;      /* handed over as opt/tare/plan */
    const char *line;      /* BASE of the serial line: BASE.in is read, BASE.out is written */
    const char *messages;  /* takes QEMU's stdout and stderr */
    const char *firmware;  /* the run's own form of the machine's. NULL: the machine's */
    const char *variables; /* the run's own copy of the machine's; written to. NULL: none */
    const char *qmp;       /* where QEMU is to listen for its machine protocol (qmp.h). NULL: not */
    const char *rows;      /* what the machine's plugin writes */
    const char *saved;     /* folder of a snapshot (snapshot.h), whose memory is used; NULL: none */
    bool saves;            /* the machine is to hold before the plan, to be saved there. Else it is
                              to resume: it waits for migrate-incoming, without a line */
};

struct qemu {
    pid_t pid;
    bool running;
    int status; /* of waitpid(), once it is no longer running */
};

/* `wanted` is a program's name or path; NULL: qemu-system-x86_64. False with a line in `error`. */
bool qemu_find_program(const char *wanted, char path[QEMU_PATH_MAX], char error[QEMU_ERROR_MAX]);
/* `wanted` is a file; NULL: where the distributions put OVMF. */
bool qemu_find_firmware(const char *wanted, char path[QEMU_PATH_MAX], char error[QEMU_ERROR_MAX]);
/* The same for a build with SMM, of two files: both are wanted, or both are NULL. */
bool qemu_find_smm_firmware(const char *wanted, const char *wanted_variables,
                            char path[QEMU_PATH_MAX], char variables[QEMU_PATH_MAX],
                            char error[QEMU_ERROR_MAX]);
/* First line of `program --version`; false if there is none within 30 s. */
bool qemu_version(const char *program, char *version, size_t capacity);
/* Does `program -help` have a line that begins with `option` and a blank? It is read for 30 s. */
bool qemu_has_option(const char *program, const char *option);

/* Is this image booted as a disk? */
bool qemu_is_disk(const char *image);
/* Writes the command line, an argument a line. */
void qemu_write_command(const struct qemu_machine *machine, const struct qemu_files *files,
                        FILE *out);
bool qemu_start(struct qemu *qemu, const struct qemu_machine *machine,
                const struct qemu_files *files, char error[QEMU_ERROR_MAX]);
bool qemu_running(struct qemu *qemu);
/* Waits at most `wait_ms` for QEMU to end, then ends it and all of its process group: SIGTERM, 2 s
 * later SIGKILL, and that is waited for 5 s. Returns NULL if it ended by itself, otherwise what
 * became of it. */
const char *qemu_stop(struct qemu *qemu, unsigned wait_ms);

/*
 * Networks by name, `tare boot --net NAME`: NICs of QEMU's machine and what is at the other end of
 * their cable, with the plan's keys that use them.
 */

struct qemu_network {
    const char *name;
    const char *const *arguments; /* of QEMU; NULL ends them */
    const char *plan;             /* whole lines */
};

/* NULL: there is none of that name. */
const struct qemu_network *qemu_network_find(const char *name);

/*
 * Firmware as QEMU's -bios is to take it on a machine without a TPM.
 *
 * Firmware looks for a TPM at 0xfed40000 (TCG PC Client Platform TPM Profile 1.05, 6.2: five
 * localities of 4 KiB). Where none is, a PC reads ones. QEMU reads zeros, which OVMF takes for a
 * TPM that is slow to start: it polls a port twice for 750 ms (TIMEOUT_A) of the guest's time. At
 * 8 ns an instruction this is three quarters of what a boot costs the host. What -bios takes ends
 * at 4 GiB and may be long; a file that begins at the TPM's place holds the ones.
 */

#define FIRMWARE_TPM_ADDRESS 0xfed40000u
#define FIRMWARE_TPM_BYTES   0x5000u

/* Writes such a file, with a hole between the ones and the firmware; `target` must not exist. False
 * with errno set: EFBIG, and no file, if the firmware is too long or of no length. */
bool firmware_without_tpm(const char *source, const char *target);
