/* SPDX-License-Identifier: BSD-2-Clause */
#include "tools/cmd/boot_under.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "tools/base/alloc.h"
#include "tools/base/interrupt.h"
#include "tools/cmd/boot_machine.h"
#include "tools/cmd/commands.h"
#include "tools/run/run.h"
#include "tools/store/runfile.h"
#include "tools/wire/logfile.h"

#define PADDING_MAX_MIB    64
#define LINUX_SHIFT        0
#define L1_PROCESSORS_MAX  64
#define MESSAGES_LINES_MAX 12 /* lines of L1's console that a failure shows */

static const char *const kinds[] = {"kvm", "kvm=amd", "kvm=intel", "linux", NULL};
static const enum under_kind kind_of[] = {UNDER_AMD, UNDER_AMD, UNDER_INTEL, UNDER_LINUX};

static struct {
    unsigned kind; /* index into kinds[] */
    bool is_given; /* --under was given */
    unsigned processors, padding;
    const char *kernel, *append, *program;
    char program_path[QEMU_PATH_MAX], emulator_path[QEMU_PATH_MAX];
    struct qemu_machine guest;
    struct under_machine machine;
    struct under_files files;
    char failure[UNDER_ERROR_MAX]; /* reason that L1 stated in the last boot; "": none */
} under = {.processors = 1};

const struct option_line under_options[] = {
    {"under", OPT_WORD(&under.kind), NULL,
     "run the image in a KVM that runs on a Linux (L1) in an emulator under exact time, to count "
     "the instructions of each exit. kvm or kvm=amd: SVM, in QEMU. kvm=intel: VMX, in Bochs, four "
     "times slower. linux: in L1, run tare host with the arguments after --",
     .words = kinds, .given = &under.is_given, .excludes = "mode full-boot net keys gdb count smm"},
    {"l1-kernel", OPT_TEXT(&under.kernel), "FILE|PACKAGE",
     "kernel of L1: a Debian package, a .deb file, or a bzImage with its modules in ../lib/modules "
     "(default: the package that linux-image-cloud-amd64 depends on)",
     .needs = "under"},
    {"l1-append", OPT_TEXT(&under.append), "WORDS",
     "append to L1's command line, such as mitigations=auto", .needs = "under"},
    {"l1-qemu", OPT_TEXT(&under.program), "PROGRAM",
     "the QEMU that L1 runs (default: that of --qemu)", .needs = "under"},
    {"l1-smp", OPT_UNSIGNED(&under.processors, 1, L1_PROCESSORS_MAX), "N",
     "processors of L1; only 1 works. --smp sets those of the image's machine, which take turns",
     .needs = "under"},
    {"l1-padding", OPT_UNSIGNED(&under.padding, 0, PADDING_MAX_MIB), "MIB",
     "with --under linux: put a file of this size into L1, which moves memory: a count that then "
     "differs is not a constant (tare show --estimates A.db B.db)",
     .needs = "under"},
    OPTIONS_END,
};

enum under_kind boot_under_kind(void)
{
    return under.is_given ? kind_of[under.kind] : UNDER_NONE;
}

int boot_under_check(void)
{
    if (!under.is_given) {
        return COMMAND_OK;
    }
    /* QEMU before 8.1 runs only the first processor while it does not halt (accel/tcg: "ensure
     * fairness with icount", May 2023); Linux waits there for the second. */
    if (under.processors > 1) {
        return command_usage_error(&command_boot,
                                   "--l1-smp: expected 1 processor, got %u: under exact time the "
                                   "emulator does not leave the first one while it waits for the "
                                   "others, and L1 hangs; use --smp for processors of L2",
                                   under.processors);
    }
    if (boot_machine.image != NULL && qemu_is_disk(boot_machine.image)) {
        return command_usage_error(
            &command_boot, "--under: expected an EFI program, got the disk %s", boot_machine.image);
    }
    boot_machine_put_below();
    return COMMAND_OK;
}

int boot_under_prepare(struct progress *progress)
{
    char error[UNDER_ERROR_MAX];

    if (boot_machine.network != NULL) {
        return command_failure(&command_boot, "--under: the profile needs NICs, which L2 does not "
                                              "have; choose benches with --bench");
    }
    if (!qemu_find_program(under.program != NULL ? under.program : boot_machine.program,
                           under.program_path, error)) {
        return command_failure(&command_boot, "%s", error);
    }
    under.guest = boot_machine;
    under.guest.program = under.program_path;
    under.machine = (struct under_machine){
        .kind = boot_under_kind(),
        .emulator = boot_machine.program,
        .shift = boot_machine.shift,
        .kernel = under.kernel,
        .append = under.append,
        .guest = &under.guest,
    };
    return under_prepare(&under.machine, &under.files, progress, error)
               ? COMMAND_OK
               : command_failure(&command_boot, "--under: %s", error);
}

void boot_under_announce(struct progress *progress)
{
    progress_note(progress, "booting %s: KVM on Linux %s (L1) in %s", boot_machine.image,
                  under.files.release,
                  under.machine.kind == UNDER_INTEL ? "Bochs (VMX)" : "QEMU (SVM)");
    if (under.machine.kind == UNDER_AMD) {
        progress_note(progress, "QEMU's SVM has no nrip-save: KVM decodes each instruction, so "
                                "paths are longer than on silicon");
    }
}

const struct qemu_machine *boot_under_guest(void)
{
    /* the image is that of this boot: with --interleave there are two */
    under.guest.image = boot_machine.image;
    return &under.guest;
}

bool boot_under_run(const struct guest_run *run, struct decoder *decoder, struct progress *progress,
                    struct guest_result *result, char error[UNDER_ERROR_MAX])
{
    const struct under_run below = {
        .machine = &under.machine,
        .files = &under.files,
        .plan = run->plan,
        .log = run->log,
        .timeout_ms = run->timeout_ms,
    };

    boot_under_guest();
    return under_run(&below, decoder, progress, result, under.failure, error);
}

/* Returns the last lines of a text. */
static const char *last_lines(const char *text, unsigned lines)
{
    const char *at = text + strlen(text);

    while (at > text && (at[-1] != '\n' || at[0] == '\0' || --lines > 0)) {
        at--;
    }
    return at;
}

void boot_under_explain(const struct guest_result *result, const char *log, uint64_t limit_s)
{
    if (result->end == SESSION_CLOSED) {
        command_failure(&command_boot, "L1 ended before the run did: %s; its console is in %s.l1",
                        under.failure[0] != '\0' ? under.failure : "it stated no reason", log);
    } else if (result->end == SESSION_TIMED_OUT) {
        command_failure(&command_boot,
                        "stopped after %llu s; a longer run needs a larger --timeout; L1's console "
                        "is in %s.l1",
                        (unsigned long long)limit_s, log);
    } else {
        command_failure(&command_boot, "%s", session_end_text(result->end));
    }
    if (result->end != SESSION_INTERRUPTED) {
        fprintf(stderr, "L1 printed last:\n%s\n", last_lines(result->messages, MESSAGES_LINES_MAX));
    }
}

static void note_in_decoder(void *context, const char *key, const char *value)
{
    decoder_note(context, key, value);
}

void boot_under_note(struct decoder *decoder)
{
    if (under.is_given) {
        under_describe(&under.machine, &under.files, note_in_decoder, decoder);
    }
}

/* ---- a program ---- */

static void note_in_run(void *context, const char *key, const char *value)
{
    struct run *run = context;

    run_add_pair(run, &run->info, key, run_text(run, value));
}

/* Reads the run file that arrived as the log, notes the stack in it, and writes it. */
static int store_result(const struct logfile *files, bool force)
{
    const struct run_target target = {.output = files->output, .force = force};
    struct run_texts reasons = {0};
    char written[RUN_TARGET_MAX];
    char error[RUNFILE_ERROR_MAX];
    struct run run;

    run_init(&run);
    if (!runfile_read(files->log, &run, error)) {
        run_free(&run);
        return command_failure(&command_boot, "the run file from L1: %s", error);
    }
    under_describe(&under.machine, &under.files, note_in_run, &run);
    const bool valid = run_valid(&run, &reasons);

    for (size_t i = 0; i < reasons.count; i++) {
        fprintf(stderr, "tare boot: INVALID: %s\n", reasons.item[i]);
    }
    run_texts_free(&reasons);
    const bool stored = command_write_run(&command_boot, &target, &run, valid, written);

    if (stored) {
        fprintf(stderr, "tare boot: %s: %s\n", written, valid ? "valid" : "invalid");
    }
    run_free(&run);
    return stored && valid ? COMMAND_OK : COMMAND_FAILED;
}

static int run_program(const struct logfile *files, bool force, uint64_t timeout_s)
{
    const struct under_run run = {
        .machine = &under.machine,
        .files = &under.files,
        .log = files->log,
        .timeout_ms = timeout_s * 1000,
    };
    char error[UNDER_ERROR_MAX];
    struct guest_result result;
    struct progress progress;

    interrupt_catch();
    progress_start(&progress);
    if (!under_prepare(&under.machine, &under.files, &progress, error) ||
        !under_run(&run, NULL, &progress, &result, under.failure, error)) {
        return command_failure(&command_boot, "--under: %s", error);
    }
    progress_finish(&progress);
    if (result.end != SESSION_COMPLETE) {
        boot_under_explain(&result, files->log, timeout_s);
        return COMMAND_FAILED;
    }
    return store_result(files, force);
}

int boot_under_program(const struct option_rest *rest, const char *log, const char *output,
                       bool force, uint64_t timeout_s)
{
    static char own[QEMU_PATH_MAX];
    char **words = alloc_zeroed((rest->rest_count + 5) * sizeof(*words));
    char error[LOGFILE_ERROR_MAX];
    struct logfile files;
    size_t count = 0;

    const ssize_t length = readlink("/proc/self/exe", own, sizeof(own) - 1);

    if (boot_under_check() != COMMAND_OK || length <= 0 ||
        !qemu_find_program(boot_machine_program(), under.emulator_path, error)) {
        free(words);
        return command_failure(&command_boot, "--under linux: %s", error);
    }
    own[length] = '\0';
    words[count++] = own;
    words[count++] = "host";
    for (size_t i = 0; i < rest->rest_count; i++) {
        words[count++] = rest->rest[i];
    }
    words[count++] = "-o";
    words[count++] = "result";
    under.machine = (struct under_machine){
        .kind = UNDER_LINUX,
        .emulator = under.emulator_path,
        .shift = boot_machine_has_shift() ? boot_machine.shift : LINUX_SHIFT,
        .kernel = under.kernel,
        .append = under.append,
        .words = words,
        .padding = under.padding,
    };
    int status = COMMAND_FAILED;

    if (!logfile_open(&files, log, output, error)) {
        command_failure(&command_boot, "%s", error);
    } else {
        status = run_program(&files, force, timeout_s);
        logfile_close(&files);
    }
    free(words);
    return status;
}
