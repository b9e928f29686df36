/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * `tare doctor`: checks this computer, and which benches of a plan run here. Nothing is changed:
 * disks and ports are only listed.
 */
#include <errno.h>
#include <glob.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "bench/counters/names.h"
#include "bench/disk/names.h"
#include "bench/network/names.h"
#include "tools/base/json.h"
#include "tools/base/partial_file.h"
#include "tools/base/table.h"
#include "tools/base/texts.h"
#include "tools/cmd/boot_plan.h"
#include "tools/cmd/commands.h"
#include "tools/qemu/exec_settings.h"
#include "tools/qemu/guest.h"
#include "tools/qemu/snapshot.h"

#define TEXT_COLUMN 26
#define LINE_BYTES  64

static bool wants_json, has_qemu, has_kvm;
static bool is_required; /* no boot works without what is being checked */
static bool boots = true;
static struct json json;
static char program[QEMU_PATH_MAX], firmware[QEMU_PATH_MAX], image[INSTALLED_PATH_MAX];

/* Prints one check: `good` if it is OK, otherwise `bad`, which names the cure. Returns is_ok. */
static bool check(bool is_ok, const char *name, const char *good, const char *bad)
{
    const char *state = is_ok ? "OK" : is_required ? "missing" : "note";

    boots = boots && (is_ok || !is_required);
    if (wants_json) {
        json_object(&json, NULL);
        JSON_TEXTS(&json, {"name", name}, {"state", state}, {"text", is_ok ? good : bad});
        json_close(&json);
    } else {
        printf("%-8s%-*s", state, TEXT_COLUMN - 8, name);
        print_wrapped(stdout, is_ok ? good : bad, TEXT_COLUMN, TEXT_COLUMN);
    }
    return is_ok;
}

static void check_boot(void)
{
    char error[QEMU_ERROR_MAX];
    char path[INSTALLED_PATH_MAX];
    char version[128];
    struct temporary folder = {0};

    is_required = true;
    snprintf(image, sizeof(image), "%s", boot_default_image(path));
    check(boot_image_readable(image, error), "image", image, error);
    has_qemu = qemu_find_program(NULL, program, error);
    check(has_qemu && qemu_version(program, version, sizeof(version)), "QEMU", version,
          has_qemu ? "qemu-system-x86_64 does not start; reinstall it" : error);
    check(qemu_find_firmware(NULL, firmware, error), "firmware", firmware, error);
    if (check(temporary_create(&folder), "temporary files", "can be written",
              "cannot be made; set TMPDIR to a folder that you can write")) {
        temporary_remove(&folder);
    }
    is_required = false;
}

static void check_kvm(void)
{
    const struct qemu_machine machine = {.program = program, .firmware = firmware, .image = image};
    struct progress progress = {.quiet = true};
    char reason[KVM_REASON_MAX] = "no boot works";

    has_kvm = boots && kvm_usable(&machine, &progress, reason);
    char *text =
        text_format("exact mode only: %s; %s", reason,
                    strstr(reason, strerror(EACCES)) != NULL   ? "join group kvm"
                    : strstr(reason, strerror(ENOENT)) != NULL ? "enable SVM or VT-x"
                                                               : "boot the machine itself");

    check(has_kvm, "KVM", "a trial boot worked: real time", text);
    free(text);
}

static void check_options(void)
{
    char error[ASSEMBLE_ERROR_MAX + QEMU_ERROR_MAX] = "needs QEMU";
    char path[QEMU_PATH_MAX];
    char variables[QEMU_PATH_MAX];
    struct code code;

    check(has_qemu && plugin_find(program, "count", path, error), "--count", path, error);
    check(qemu_find_smm_firmware(NULL, NULL, path, variables, error), "--smm", path, error);
    check(assemble(ASSEMBLER, "nop", &code, error), "--exec", "the assembler works", error);
    check(cache_folder(path) && access(path, W_OK) == 0, "cache", path,
          "cannot be written, so each boot starts firmware; set TARE_CACHE to another folder");
    check(access("/sys/bus/event_source/devices/cpu", F_OK) == 0, "counters",
          "Linux counts events, and so do guests of KVM (--events)",
          "none here; count with --mode exact --count p5");
}

/* Reads the first line of /sys/`folder`/NAME`file`; "" if there is none. */
static const char *line_of(const char *folder, const char *name, const char *file)
{
    static char line[LINE_BYTES];
    char *path = text_format("/sys/%s/%s%s", folder, name, file);

    if (!text_first_line(path, line, sizeof(line))) {
        line[0] = '\0';
    }
    free(path);
    return line;
}

/* Prints a port that exists. Linux has files for others too; their type is 0. */
static bool print_port(const char *path)
{
    char *text = text_format("%s: no permission; join group dialout", path);
    const bool exists = strcmp(line_of("class/tty", path + sizeof("/dev"), "/type"), "0") != 0;

    if (exists) {
        check(access(path, R_OK | W_OK) == 0, "serial port", path, text);
    }
    free(text);
    return exists;
}

static bool print_drive(const char *path)
{
    const char *name = path + sizeof("/sys/block");
    const unsigned long long sectors = strtoull(line_of("block", name, "/size"), NULL, 10);

    if (sectors == 0 || strcmp(line_of("block", name, "/removable"), "1") != 0) {
        return false;
    }
    char *text = text_format("/dev/%s, %llu MB, %s", name, sectors * 512 / 1000000,
                             line_of("block", name, "/device/model"));

    check(true, "boot drive", text, "");
    free(text);
    return true;
}

/* Prints all that exist of the files that match, or `none`. */
static void check_devices(const char *pattern, bool (*print)(const char *), const char *name,
                          const char *none)
{
    glob_t files = {0};
    size_t found = 0;

    glob(pattern, GLOB_BRACE, NULL, &files);
    for (size_t i = 0; i < files.gl_pathc; i++) {
        found += print(files.gl_pathv[i]);
    }
    globfree(&files);
    if (found == 0) {
        check(false, name, "", none);
    }
}

/* Prints whether a bench of the plan runs under `tare boot`. */
static void print_bench(const struct bench *bench)
{
    const char *const group = bench->group != NULL ? bench->group : "";
    const bool lacks_cpu = (bench->needs & NEED_PROCESSORS) != 0 && boot_plan.cpus < 2;
    const bool lacks_counters = strcmp(bench->name, BENCH_COUNTERS) == 0 && !has_kvm;

    check(!lacks_cpu && !lacks_counters, bench->name,
          strcmp(group, GROUP_DISK) == 0      ? "runs on a modelled disk"
          : strcmp(group, GROUP_NETWORK) == 0 ? "runs without --net on a simulated link"
                                              : "runs",
          lacks_cpu ? "does not run; add --smp 2" : "does not run: needs KVM's counters");
}

/* Returns an exit status; an error has been printed. */
static int check_plan(char *file)
{
    static char text[BOOT_PLAN_MAX];
    char path[INSTALLED_PATH_MAX];
    char unchecked[IMAGE_BENCHES_ERROR_MAX];
    uint64_t lengths_ms;

    boot_plan.file = file;
    boot_plan.each = print_bench;
    int status = boot_plan_settle();

    status = status == COMMAND_OK ? boot_plan_compose(NULL, text) : status;
    status = status == COMMAND_OK
                 ? boot_plan_check(image, text, false, path, unchecked, &lengths_ms)
                 : status;
    boot_plan_free();
    return status;
}

static int run_doctor(const struct option_rest *rest)
{
    int status = COMMAND_OK;

    if (wants_json) {
        json_start(&json, stdout);
        json_object(&json, NULL);
        json_array(&json, "checks");
    }
    check_boot();
    check_kvm();
    check_options();
    check_devices("/dev/tty{S,USB,ACM}*", print_port, "serial port", "none; plug in an adapter");
    check_devices("/sys/block/*", print_drive, "boot drive", "none; plug one in");
    if (rest->count > 0) {
        status = check_plan(rest->arguments[0]);
    }
    if (wants_json) {
        json_close(&json);
        json_bool(&json, "boots", boots);
        json_close(&json);
    } else {
        printf("\n%s\n", boots ? "A quick run works here: tare boot"
                               : "No run works here until the missing things are there.");
    }
    return status != COMMAND_OK ? status : boots ? COMMAND_OK : COMMAND_FAILED;
}

static const struct option_line options[] = {
    {"json", OPT_FLAG(&wants_json), NULL, "print one JSON object"},
    {"plan", OPT_ARGUMENTS(0, 1), "PLAN"},
    OPTIONS_END,
};

const struct command command_doctor = {
    .name = "doctor",
    .summary = "check this computer: programs, KVM, ports, drives, a plan",
    .about = "usage: tare doctor [--json] [PLAN]\n"
             "\n"
             "Lists what tare boot needs, tries KVM by a boot, and lists serial ports and\n"
             "removable drives. Each line is OK, a note or missing, with the cure. With PLAN,\n"
             "a file for tare boot --plan, also lists whether each of its benches runs here.\n",
    .options = options,
    .notes = "Exit status: 0 a quick run works here, 1 it does not, 2 wrong usage or a wrong\n"
             "plan.\n",
    .run = run_doctor,
};
