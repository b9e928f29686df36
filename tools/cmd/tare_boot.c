/* SPDX-License-Identifier: BSD-2-Clause */
/* `tare boot`: boots an image in QEMU, and captures and decodes its log. */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "kernel/link/names.h"
#include "kernel/run/limit.h"
#include "tools/base/alloc.h"
#include "tools/base/interrupt.h"
#include "tools/base/partial_file.h"
#include "tools/base/progress.h"
#include "tools/base/shell_text.h"
#include "tools/base/texts.h"
#include "tools/cmd/bench_help.h"
#include "tools/cmd/boot_machine.h"
#include "tools/cmd/boot_plan.h"
#include "tools/cmd/boot_under.h"
#include "tools/cmd/commands.h"
#include "tools/cmd/page_file.h"
#include "tools/cmd/shared_options.h"
#include "tools/judge/boots.h"
#include "tools/qemu/boot_series.h"
#include "tools/qemu/guest.h"
#include "tools/wire/logfile.h"

#define DEFAULT_TIMEOUT_S 900
#define COUNTING_FACTOR   2     /* QEMU's plugin takes about as long as QEMU itself */
#define LONG_PLAN_MS      60000 /* length of a plan from which on the derived limit is printed */
#define TIMEOUT_S_MAX     1000000
#define REPEAT_MAX        10000
#define NS_PER_S          1000000000u

/* An image and a plan to boot. With --interleave there are two such sides. */
struct boot_side {
    char image[INSTALLED_PATH_MAX];
    char plan[BOOT_PLAN_MAX];
    /* why the plan could not be checked; "": it was checked */
    char unchecked[IMAGE_BENCHES_ERROR_MAX];
    uint64_t lengths_ms; /* sum of the lengths that the plan gives its benches */
};

static struct {
    const char *log, *output;
    uint64_t timeout_s;
    bool has_timeout; /* --timeout was given */
    bool force;
    bool full_boot; /* do not resume from a snapshot */
    struct boot_series series;
    size_t index;                 /* boot of the series, from 0 */
    bool repeats;                 /* --repeat was given */
    const char *other;            /* argument of --interleave; NULL: none */
    char written[RUN_TARGET_MAX]; /* path of the run file; "": none was written */
    const struct boot_side *side; /* side that is being booted */
} boot = {.series = {.repeat = 1}};

static const struct option_line options[] = {
    {"", OPT_TABLE(time_options)},
    {"full-boot", OPT_FLAG(&boot.full_boot), NULL,
     "exact: start firmware anew in each boot. Without this option, a boot with one processor and "
     "no attached device resumes from a snapshot of the started machine. The first boot makes the "
     "snapshot, in the cache. The log is the same with and without the option"},
    {"What runs", OPT_HEADING},
    {"", OPT_TABLE(plan_options)},
    {"What is written", OPT_HEADING},
    {"log", OPT_TEXT(&boot.log), "FILE",
     "the serial log (default build/run/serial.log, or tare.log if there is no folder build)"},
    {"output", OPT_TEXT(&boot.output), "RUN.db",
     "the run file (default: with --log the log's name with .db, otherwise build/run/run.db, or "
     "tare.db if there is no folder build)",
     .letter = 'o'},
    {"", OPT_TABLE(ci_options)},
    {"force", OPT_FLAG(&boot.force), NULL,
     FORCE_HELP ". Also boot a plan that the check rejects, so that the image rejects it"},
    {"repeat", OPT_UNSIGNED(&boot.series.repeat, 1, REPEAT_MAX), "N",
     "boot N times, to show how boots vary: RUN-1.db to RUN-N.db, and logs of the same names",
     .given = &boot.repeats},
    {"interleave", OPT_TEXT(&boot.other), "OTHER",
     "also boot OTHER equally often, in random order, which the run files record. They are "
     "RUN-a-1.db, RUN-b-1.db, RUN-b-2.db, ...; compare them by tare compare RUN-a-*.db -- "
     "RUN-b-*.db. OTHER is an image, or a plan to use in place of --plan. Options that override "
     "the plan apply to both",
     .given = &boot.series.interleaved},
    {"order-seed", OPT_NUMBER(&boot.series.seed, 1, INT64_MAX), "N",
     "draw the order of --interleave from this seed (default: from the time)",
     .needs = "interleave"},
    {"timeout", OPT_NUMBER(&boot.timeout_s, 0, TIMEOUT_S_MAX), "S",
     "stop after this many seconds; 0: never. Default: 900, or 1800 with --count, plus eight times "
     "the lengths that the plan gives its benches, such as gap.ms",
     .given = &boot.has_timeout},
    {"The machine", OPT_HEADING},
    {"", OPT_TABLE(machine_options)},
    {"Below a hypervisor", OPT_HEADING},
    {"", OPT_TABLE(under_options)},
    {"image", OPT_ARGUMENTS(0, INT32_MAX), "IMAGE", .word_at = boot_word},
    {"QEMU-ARGUMENT", OPT_REST, "QEMU-ARGUMENT"},
    OPTIONS_END,
};

/* Returns the limit of a boot in seconds; 0: none. */
static uint64_t limit_s(void)
{
    return boot.has_timeout ? boot.timeout_s
                            : (boot_plan.counts ? COUNTING_FACTOR : 1) * DEFAULT_TIMEOUT_S +
                                  LIMIT_LENGTH_FACTOR * boot.side->lengths_ms / 1000;
}

static void announce(struct progress *progress)
{
    if (boot.side->unchecked[0] != '\0') {
        progress_note(progress, "cannot check the plan before the boot: image %s: %s",
                      boot_machine.image, boot.side->unchecked);
    }
    if (boot_plan.by_default && boot_plan.file == NULL) {
        progress_note(progress,
                      "using profile %s, because no benches were chosen; --profile list prints all",
                      boot_plan.profile->name);
    }
    if (!boot.has_timeout && boot.side->lengths_ms >= LONG_PLAN_MS) {
        progress_note(
            progress,
            "the plan asks for %llu s of measurement: the boot may take %llu s (--timeout)",
            (unsigned long long)boot.side->lengths_ms / 1000, (unsigned long long)limit_s());
    }
    if (boot_under_kind() != UNDER_NONE) {
        boot_under_announce(progress);
    } else {
        boot_machine_announce(progress);
    }
}

/* Returns whether the file system of the log is full, with the cause in errno. QEMU silently drops
 * what it cannot write. */
static bool log_is_full(const char *log)
{
    const int descriptor = open(log, O_WRONLY | O_CLOEXEC);
    struct stat status;
    int cause = 0;

    if (descriptor < 0) {
        return false;
    }
    if (fstat(descriptor, &status) == 0 && S_ISREG(status.st_mode)) {
        cause = fallocate(descriptor, 0, status.st_size, 1) != 0 ? errno : 0;
        cause = ftruncate(descriptor, status.st_size) != 0 ? errno : cause;
    }
    close(descriptor);
    errno = cause;
    return cause == ENOSPC || cause == EDQUOT || cause == EFBIG;
}

/* Explains a timeout without any output: until the image's first byte only firmware runs. */
static void explain_silence(void)
{
    const unsigned processors = boot_machine.processors;

    command_failure(
        &command_boot,
        "firmware did not start the image within %llu s, with %u processor%s; fewer processors "
        "(--smp), a larger --timeout or other --firmware may help",
        (unsigned long long)limit_s(), processors, processors == 1 ? "" : "s");
}

/* Prints why the run is incomplete, as far as the end of QEMU shows it. `silent`: nothing came over
 * the serial line. */
static void explain(const struct guest_result *result, const char *log, bool silent)
{
    const int status = result->status;

    if (log_is_full(log)) {
        command_failure(&command_boot,
                        "cannot write %s: %s; free space and boot again, or use another --log", log,
                        strerror(errno));
    }

    if (result->end == SESSION_TIMED_OUT && silent) {
        explain_silence();
    } else if (result->end == SESSION_TIMED_OUT) {
        command_failure(&command_boot,
                        "stopped after %llu s; a longer run needs a larger --timeout",
                        (unsigned long long)limit_s());
    } else if (result->end == SESSION_CLOSED && WIFSIGNALED(status)) {
        command_failure(&command_boot, "signal %d killed QEMU before the run ended",
                        WTERMSIG(status));
    } else if (result->end == SESSION_CLOSED) {
        command_failure(&command_boot, "QEMU exited with status %d before the run ended",
                        WEXITSTATUS(status));
    } else {
        command_failure(&command_boot, "%s", session_end_text(result->end));
    }
    if ((result->end == SESSION_CLOSED || silent) && result->messages[0] != '\0') {
        fprintf(stderr, "QEMU printed:\n%s", result->messages);
    }
}

static int check_typing(const struct guest_result *result)
{
    if (result->typing_error[0] != '\0') {
        return command_failure(&command_boot, "--keys: typing the script failed: %s",
                               result->typing_error);
    }
    if (result->typed == 0) {
        return command_failure(&command_boot, "--keys: no bench waited for input; select one that "
                                              "does, such as --bench echo");
    }
    return COMMAND_OK;
}

/* Reports that no run file was written, and that an older one is left unchanged, so that it is not
 * mistaken for this run's. */
static int report_no_run(const struct logfile *files, const char *why)
{
    const bool is_old = access(files->output, F_OK) == 0;

    return command_failure(&command_boot, "%s: no run file written%s%s%s", why, is_old ? "; " : "",
                           is_old ? files->output : "", is_old ? " left unchanged" : "");
}

/* Notes the order of the boots of two sides, and the place of this boot in it. */
static void note_order(struct decoder *decoder)
{
    if (boot.series.interleaved) {
        char *text = text_format("%s, seed %llu" BOOT_ORDER_PLACE "%zu", boot.series.order,
                                 (unsigned long long)boot.series.seed, boot.index + 1);

        decoder_note(decoder, INFO_BOOT_ORDER, text);
        free(text);
    }
}

/* Boots once and stores the run; `files` are open. */
static int run_and_store(const char *plan, const struct logfile *files, const char *rows,
                         struct progress *progress)
{
    struct decoder *decoder = decoder_create();
    struct decoder_counts counts;
    struct guest_result result;
    char error[UNDER_ERROR_MAX];
    const struct guest_run run = {
        .machine = &boot_machine,
        .plan = plan,
        .log = files->log,
        .timeout_ms = boot_machine.gdb_port == 0 ? limit_s() * 1000 : 0,
        .script = boot_plan.script.text != NULL ? &boot_plan.script : NULL,
        .rows = rows,
        .resumes = !boot.full_boot,
    };
    int status = COMMAND_FAILED;

    announce(progress);
    const bool is_under = boot_under_kind() != UNDER_NONE;

    if (is_under ? !boot_under_run(&run, decoder, progress, &result, error)
                 : !guest_run(&run, decoder, progress, &result, error)) {
        decoder_destroy(decoder);
        return report_no_run(files, error);
    }
    progress_finish(progress);
    decoder_get_counts(decoder, &counts);
    if (result.end != SESSION_COMPLETE && is_under) {
        boot_under_explain(&result, error, files->log, limit_s());
    } else if (result.end != SESSION_COMPLETE) {
        explain(&result, files->log, counts.bytes == 0);
    }
    if (counts.bytes > 0) {
        const struct qemu_machine *machine = is_under ? boot_under_guest() : &boot_machine;

        if (!surroundings_note(decoder, machine)) {
            progress_note(progress, "%s --version states no version: the run file has none",
                          machine->program);
        }
        boot_under_note(decoder);
        note_order(decoder);
        status = command_store_run(&command_boot, decoder,
                                   &(struct run_target){
                                       .output = files->output,
                                       .force = boot.force,
                                       .rows = rows,
                                       .profile = boot_under_profile(),
                                       .plan = plan,
                                       .report = ci_report_wanted(),
                                       .written = boot.written,
                                       .brief = true,
                                   },
                                   files->log);
    } else {
        report_no_run(files, "received nothing over the serial line");
    }
    decoder_destroy(decoder);
    return boot_plan.script.text != NULL && status == COMMAND_OK ? check_typing(&result) : status;
}

/* Boots once. With a plugin, its file is in a temporary folder that exists until the run is stored.
 */
static int run_with_rows(const char *plan, const struct logfile *files, struct progress *progress)
{
    struct temporary folder = {0};
    char rows[TEMPORARY_PATH_MAX];

    if (boot_machine.plugin == NULL && boot_under_profile() == NULL) {
        return run_and_store(plan, files, NULL, progress);
    }
    if (!temporary_create(&folder)) {
        return command_failure(&command_boot,
                               "cannot make a temporary folder: %s (is TMPDIR right?)",
                               strerror(errno));
    }
    temporary_name(&folder, "rows", rows);
    if (boot_under_profile() != NULL) {
        boot_under_use(&folder);
    }
    const int status =
        run_and_store(plan, files, boot_machine.plugin != NULL ? rows : NULL, progress);

    temporary_remove(&folder);
    return status;
}

static int boot_once(const char *plan, const char *log, const char *output,
                     struct progress *progress)
{
    char error[LOGFILE_ERROR_MAX];
    struct logfile files;

    if (!logfile_open(&files, log, output, error)) {
        return command_failure(&command_boot, "%s", error);
    }
    if (files.kept[0] != '\0') {
        progress_note(progress, "%s.new is from an unknown run: kept as %s", files.log, files.kept);
    }
    const int status = run_with_rows(plan, &files, progress);

    logfile_close(&files);
    return status;
}

/* ---- several boots ---- */

/* Returns whether OTHER of --interleave is an image (an EFI program or a disk) and not a plan. */
static bool is_image(const char *path)
{
    const char *dot = strrchr(path, '.');
    char magic[2] = "";
    FILE *file = fopen(path, "rb");

    if (file == NULL) {
        return false;
    }
    const bool is_program = fread(magic, 1, sizeof(magic), file) == sizeof(magic) &&
                            memcmp(magic, "MZ", sizeof(magic)) == 0;

    fclose(file);
    return is_program || (dot != NULL && strcmp(dot, ".img") == 0);
}

static void take_side(const struct boot_side *side)
{
    boot_machine.image = side->image;
    boot.side = side;
}

/* Composes a side from the image and the plan file that are set now. */
static int compose_side(struct boot_side *side)
{
    const int status = boot_plan_compose(boot_machine.network, side->plan);

    return status != COMMAND_OK ? status
                                : boot_plan_check(boot_machine.image, side->plan, boot.force,
                                                  side->image, side->unchecked, &side->lengths_ms);
}

static int compose_sides(struct boot_side sides[2])
{
    const char *plan_file = boot_plan.file;
    const char *image = boot_machine.image;
    int status = compose_side(&sides[0]);

    take_side(&sides[0]);
    if (status != COMMAND_OK || boot.other == NULL) {
        return status;
    }
    boot_machine.image = is_image(boot.other) ? boot.other : image;
    if (is_image(boot.other)) {
        partial_file_protect(boot.other);
    } else {
        boot_plan.file = boot.other;
    }
    status = compose_side(&sides[1]);
    boot_plan.file = plan_file;
    take_side(&sides[0]);
    return status;
}

/* Prints the command that compares the runs of the series. */
static void print_next(const struct boot_series *series, const char *output)
{
    const size_t count = boot_series_count(series);
    struct long_text text;

    if (count < 2) {
        return;
    }
    long_text_open(&text);
    for (size_t side = 0; side < (series->interleaved ? 2 : 1); side++) {
        fputs(side > 0 ? " --" : "", text.out);
        for (size_t i = 0; i < count; i++) {
            char *name = boot_series_name(series, i, output);

            if (boot_series_is_b(series, i) == (side > 0)) {
                char *word = shell_text(name);

                fprintf(text.out, " %s", word);
                free(word);
            }
            free(name);
        }
    }
    fprintf(stderr, "tare boot: %zu boots; next: tare compare%s%s\n", count,
            series->interleaved ? "" : " --aa", long_text_close(&text));
    long_text_free(&text);
}

static void draw_order(void)
{
    struct timespec now;

    if (boot.series.seed == 0 && clock_gettime(CLOCK_REALTIME, &now) == 0) {
        boot.series.seed = (uint64_t)now.tv_sec * NS_PER_S + (uint64_t)now.tv_nsec;
    }
    boot.series.order = boot_series_draw(&boot.series);
}

/* Boots the whole series. A boot that fails does not end it. */
static int boot_series_run(const struct boot_side sides[2])
{
    const size_t count = boot_series_count(&boot.series);
    char error[LOGFILE_ERROR_MAX];
    struct logfile names;
    struct progress progress;
    int worst = COMMAND_OK;

    if (!logfile_names(&names, boot.log, boot.output, error)) {
        return command_failure(&command_boot, "%s", error);
    }
    draw_order();
    for (size_t i = 0; i < count && !interrupt_seen(); i++) {
        const struct boot_side *side = &sides[boot_series_is_b(&boot.series, i)];
        char *log = boot_series_name(&boot.series, i, names.log);
        char *output = boot_series_name(&boot.series, i, names.output);

        fprintf(stderr, "tare boot: boot %zu of %zu: %s\n", i + 1, count, output);
        take_side(side);
        boot.index = i;
        progress_start(&progress);
        const int status = boot_once(side->plan, log, output, &progress);

        worst = status > worst ? status : worst;
        free(log);
        free(output);
    }
    if (interrupt_seen()) {
        return worst > COMMAND_FAILED ? worst : COMMAND_FAILED;
    }
    print_next(&boot.series, names.output);
    return worst;
}

static int boot_all(void)
{
    struct boot_side *sides = alloc_zeroed(2 * sizeof(*sides));
    struct progress progress;
    int status = compose_sides(sides);

    if (status == COMMAND_OK) {
        status = boot_machine_prepare(&progress);
    }
    if (status == COMMAND_OK && boot_under_kind() != UNDER_NONE) {
        status = boot_under_prepare(&progress);
    }
    if (status == COMMAND_OK) {
        const unsigned shift = boot_machine.time == QEMU_EXACT ? boot_machine.shift : 0;
        const bool answers = boot_under_kind() != UNDER_INTEL;

        boot_plan_add_defaults(shift, answers, sides[0].plan);
        if (boot.other != NULL) {
            boot_plan_add_defaults(shift, answers, sides[1].plan);
        }
        status = (boot.repeats || boot.other != NULL)
                     ? boot_series_run(sides)
                     : boot_once(sides[0].plan, boot.log, boot.output, &progress);
    }
    free(sides);
    free(boot.series.order);
    if ((boot.repeats || boot.other != NULL) || boot.written[0] == '\0' || ci_has_output()) {
        return status;
    }
    const int shown = page_file_show_run(&command_boot, boot.written, boot_plan.profile != NULL);

    return status == COMMAND_OK ? shown : status;
}

/* Chooses the profile that the plan names, or the default one if nothing chooses benches, and the
 * machine that suits it. */
static int apply_profile(void)
{
    char text[BOOT_PLAN_MAX];
    const int status = boot_plan_compose(NULL, text);

    if (status != COMMAND_OK) {
        return status;
    }
    if (boot_plan.profile == NULL) {
        boot_plan.profile = profile_of_plan(text, strlen(text));
    }
    if (boot_plan.profile == NULL && !boot_plan_chooses_benches()) {
        boot_plan.by_default = true;
        boot_plan.profile =
            profile_find(boot_machine.network != NULL ? PROFILE_NETWORK : PROFILE_QUICK);
    }
    if (boot_plan.profile != NULL) {
        boot_machine_suit(boot_plan.profile);
    }
    return COMMAND_OK;
}

static void print_list(void)
{
    if (boot_plan.lists_keys != NULL) {
        bench_keys_list(stdout, boot_plan.lists_keys);
    } else if (boot_plan.lists_benches) {
        benches_list(stdout);
    } else {
        boot_profiles_list(stdout);
    }
}

static int run_boot(const struct option_rest *rest)
{
    boot_machine.extra = rest->rest;
    boot_machine.extra_count = rest->rest_count;
    if (boot_under_kind() == UNDER_LINUX) {
        return boot_under_program(rest, boot.log, boot.output, boot.force,
                                  boot.has_timeout ? boot.timeout_s : DEFAULT_TIMEOUT_S);
    }
    int status = boot_plan_take_words(rest, &boot_machine.image);

    status = status == COMMAND_OK ? boot_machine_check() : status;
    status = status == COMMAND_OK ? boot_under_check() : status;
    status = status == COMMAND_OK ? boot_plan_settle() : status;
    if (boot_plan_lists()) {
        print_list();
    } else {
        status = status == COMMAND_OK ? boot_machine_find_image() : status;
        status = status == COMMAND_OK ? apply_profile() : status;
        if (status == COMMAND_OK) {
            status = ci_finish(&command_boot, boot_all());
        }
    }
    boot_plan_free();
    return status;
}

const struct command command_boot = {
    .name = "boot",
    .summary = "boot the image in QEMU and capture its run",
    .about = "usage: tare boot [OPTION]... [PROFILE | BENCH]... [IMAGE]\n"
             "                 [-- QEMU-ARGUMENT...]\n"
             "\n"
             "Boots IMAGE in QEMU, captures its serial line and decodes it into a run file.\n"
             "PROFILE and BENCH choose what runs: tare boot noise, tare boot gap idle; tare\n"
             "list prints them. IMAGE is an EFI program or, if its name ends in .img, a disk,\n"
             "which stays unchanged. Default: build/image/tare.efi, or the image of this\n"
             "program's build or installation if that file is missing. If the plan has\n"
             "kernel=smp, or a bench of group smp (tare boot smp), the file tare-smp.efi next\n"
             "to IMAGE is booted in its place. QEMU-ARGUMENTs come last on QEMU's command\n"
             "line.\n",
    .options = options,
    .notes = "Before the boot, the plan is checked against the benches and ranges of values\n"
             "that IMAGE supports.\n"
             "The run is then shown in brief on standard output, and with a profile its page\n"
             "is written next to the run file (as by tare show and tare report).\n"
             "\n"
             "Exit status: 0 valid run, 1 invalid or failed, 2 wrong usage or a plan that the\n"
             "image would reject; for several boots the worst of them.\n",
    .run = run_boot,
};
