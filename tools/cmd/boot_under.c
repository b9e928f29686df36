/* SPDX-License-Identifier: BSD-2-Clause */
#include "tools/cmd/boot_under.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "tools/base/alloc.h"
#include "tools/cmd/boot_machine.h"
#include "tools/cmd/commands.h"
#include "tools/run/run.h"
#include "tools/store/runfile.h"
#include "tools/wire/logfile.h"

#define PADDING_MAX_MIB   64
#define LINUX_SHIFT       0
#define KVM_SHIFT         3
#define L1_PROCESSORS_MAX 64

static const char *const kinds[] = {"kvm", "kvm=amd", "kvm=intel", "linux", NULL};
static const enum under_kind kind_of[] = {UNDER_AMD, UNDER_AMD, UNDER_INTEL, UNDER_LINUX};

static struct {
    unsigned kind; /* index into kinds[] */
    bool is_given; /* --under was given */
    unsigned processors, padding;
    const char *kernel, *append, *program;
    char program_path[QEMU_PATH_MAX];
    struct qemu_machine guest;
    struct under_machine machine;
    struct under_files files;
    bool profiles; /* --profile-exits */
    char plugin[QEMU_PATH_MAX], profile_path[TEMPORARY_PATH_MAX], symbols_path[TEMPORARY_PATH_MAX];
    char plugin_word[QEMU_PATH_MAX + TEMPORARY_PATH_MAX + 8];
    struct profile_files profile;
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
    {"profile-exits", OPT_FLAG(&under.profiles), NULL,
     "with --under kvm: attribute what L1 executes on each exit to the functions of KVM, kernel "
     "and QEMU. tare show and tare report print it, tare compare prints the difference",
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
    if (under.profiles && kind_of[under.kind] != UNDER_AMD) {
        return command_usage_error(&command_boot,
                                   "--profile-exits: expected --under kvm, got --under %s: the "
                                   "profile is of exits of KVM, and made by a plugin of QEMU",
                                   kinds[under.kind]);
    }
    if (boot_machine.image != NULL && qemu_is_disk(boot_machine.image)) {
        return command_usage_error(
            &command_boot, "--under: expected an EFI program, got the disk %s", boot_machine.image);
    }
    boot_machine_put_below(boot_under_kind() == UNDER_LINUX ? LINUX_SHIFT : KVM_SHIFT);
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
    if (under.profiles && !plugin_find(boot_machine.program, "exits", under.plugin, error)) {
        return command_failure(&command_boot, "--profile-exits: %s", error);
    }
    under.guest = boot_machine;
    under.guest.program = under.program_path;
    under.machine.kind = boot_under_kind();
    under.machine.emulator = boot_machine.program;
    under.machine.shift = boot_machine.shift;
    under.machine.kernel = under.kernel;
    under.machine.append = under.append;
    under.machine.guest = &under.guest;
    return under_prepare(&under.machine, &under.files, progress, error)
               ? COMMAND_OK
               : command_failure(&command_boot, "--under: %s", error);
}

void boot_under_use(const struct temporary *folder)
{
    temporary_name(folder, "profile", under.profile_path);
    temporary_name(folder, "symbols", under.symbols_path);
    snprintf(under.plugin_word, sizeof(under.plugin_word), "%s,out=%s", under.plugin,
             under.profile_path);
    under.machine.plugin = under.plugin_word;
    under.machine.symbols = under.symbols_path;
    under.profile = (struct profile_files){under.profile_path, under.symbols_path,
                                           boot_machine.image, under.program_path};
}

const struct profile_files *boot_under_profile(void)
{
    return under.profiles ? &under.profile : NULL;
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
    boot_under_guest();
    return under_run(&under.machine, &under.files, run, decoder, progress, result, error);
}

void boot_under_explain(const struct guest_result *result, const char *reason, const char *log,
                        uint64_t limit_s)
{
    if (result->end == SESSION_CLOSED) {
        command_failure(&command_boot, "L1 ended before the run did: %s; its console is in %s.l1",
                        reason[0] != '\0' ? reason : "it stated no reason", log);
    } else if (result->end == SESSION_TIMED_OUT) {
        command_failure(&command_boot,
                        "stopped after %llu s; a longer run needs a larger --timeout; L1's console "
                        "is in %s.l1",
                        (unsigned long long)limit_s, log);
    } else {
        command_failure(&command_boot, "%s", session_end_text(result->end));
    }
    fprintf(stderr, "L1 printed last:\n%s\n", result->messages);
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

static int run_program(const struct logfile *files, bool force, uint64_t timeout_s,
                       struct progress *progress)
{
    const struct guest_run run = {.log = files->log, .timeout_ms = timeout_s * 1000};
    char error[UNDER_ERROR_MAX];
    struct guest_result result;

    if (!under_run(&under.machine, &under.files, &run, NULL, progress, &result, error)) {
        return command_failure(&command_boot, "--under: %s", error);
    }
    progress_finish(progress);
    if (result.end != SESSION_COMPLETE) {
        boot_under_explain(&result, error, files->log, timeout_s);
        return COMMAND_FAILED;
    }
    return store_result(files, force);
}

int boot_under_program(const struct option_rest *rest, const char *log, const char *output,
                       bool force, uint64_t timeout_s)
{
    char own[QEMU_PATH_MAX] = "";
    char **words = alloc_zeroed((rest->rest_count + 5) * sizeof(*words));
    char error[LOGFILE_ERROR_MAX];
    struct progress progress;
    struct logfile files;
    size_t count = 2;
    int status = boot_under_check();

    if (readlink("/proc/self/exe", own, sizeof(own) - 1) <= 0) {
        status = command_failure(&command_boot, "cannot read /proc/self/exe: %s", strerror(errno));
    }
    words[0] = own;
    words[1] = "host";
    for (size_t i = 0; i < rest->rest_count; i++) {
        words[count++] = rest->rest[i];
    }
    words[count++] = "-o";
    words[count++] = "result";
    under.machine.words = words;
    under.machine.padding = under.padding;
    status = status == COMMAND_OK ? boot_machine_prepare(&progress) : status;
    status = status == COMMAND_OK ? boot_under_prepare(&progress) : status;
    if (status == COMMAND_OK && !logfile_open(&files, log, output, error)) {
        status = command_failure(&command_boot, "%s", error);
    } else if (status == COMMAND_OK) {
        status = run_program(&files, force, timeout_s, &progress);
        logfile_close(&files);
    }
    free(words);
    return status;
}
