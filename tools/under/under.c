/* SPDX-License-Identifier: BSD-2-Clause */
#include "tools/under/under.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "tools/base/interrupt.h"
#include "tools/base/line.h"
#include "tools/base/monotonic.h"
#include "tools/base/partial_file.h"
#include "tools/base/texts.h"
#include "tools/run/run_kind.h"

#define SCRIPT            "l1.sh"
#define MARK              "tare-l1: "
#define POLL_MS           100
#define CONSOLE_LINE_MAX  512
#define END_MS            30000 /* time for the end of the log after the image's last line */
#define ANSWER_MS         500
#define POWER_OFF_MS      30000  /* of L2 and L1 */
#define SYMBOLS_MS        300000 /* of L1 that sends its symbols, and of the plugin's file */
#define VERSION_MAX       256
#define TRIES             5    /* boots, if QEMU's SVM aborts */
#define TRY_DELAY_MS      7    /* by which L2 starts later than in the try before */
#define CONSOLE_SHOWN_MAX 1024 /* end of L1's console that a failure shows, in bytes */
#define WORDS_MAX         32   /* largest number of arguments of the script */
/* memory of L1 besides that of L2, and in place of that */
#define L1_MEMORY_MIB      768
#define PROGRAM_MEMORY_MIB 256
#define MIB_SHIFT          20

/* Printed by QEMU 7.2 and 10.0 when a guest of SVM writes CR8 while an interrupt waits, as OVMF
 * does at the end of a handler: cpu_interrupt() asserts a lock that helper_write_crN() does not
 * take. */
static const char abort_message[] = "tcg_handle_interrupt: assertion failed";

static const char *const kind_names[] = {"none", "amd", "intel", "linux"};
static const char *const under_names[] = {"none", RUN_UNDER_AMD, RUN_UNDER_INTEL, RUN_UNDER_LINUX};

static const char no_folder[] = "cannot make a temporary folder (is TMPDIR right?)";

/* ---- the script ---- */

static bool find_script(char path[INSTALLED_PATH_MAX], char error[UNDER_ERROR_MAX])
{
    if (access("tools/under/" SCRIPT, R_OK) == 0 && realpath("tools/under/" SCRIPT, path) != NULL) {
        return true;
    }
    if (installed_file(SCRIPT, path)) {
        return true;
    }
    snprintf(error, UNDER_ERROR_MAX,
             "there is neither tools/under/" SCRIPT " nor an installed share/tare/" SCRIPT);
    return false;
}

/* Removes line ends from the end of a text. */
static void trim(char *text)
{
    size_t length = strlen(text);

    while (length > 0 && (text[length - 1] == '\n' || text[length - 1] == '\r')) {
        text[--length] = '\0';
    }
}

/* Starts the script, whose environment describes the machine. `output` names the file for all that
 * it prints. */
static bool start_script(const struct under_machine *machine, char *const *arguments,
                         const char *output, struct qemu *process, char error[UNDER_ERROR_MAX])
{
    const bool is_program = machine->kind == UNDER_LINUX;
    char line[UNDER_ERROR_MAX];
    char number[16];

    setenv("L1_KERNEL", machine->kernel != NULL ? machine->kernel : "", 1);
    setenv("L1_LINE", under_command_line(machine, line), 1);
    setenv(is_program ? "L1_PROGRAM" : "L1_QEMU",
           is_program ? machine->words[0] : machine->guest->program, 1);
    snprintf(number, sizeof(number), "%u",
             L1_MEMORY_MIB + (is_program ? PROGRAM_MEMORY_MIB : machine->guest->memory_mib));
    setenv("L1_MEMORY", number, 1);
    setenv("L0", machine->emulator, 1);
    snprintf(number, sizeof(number), "%u", machine->shift);
    setenv("L0_SHIFT", number, 1);
    return qemu_start_command(process, arguments, output, error);
}

/* Runs the script to its end. Returns false with what it printed, or why it was stopped, in
 * `error`; otherwise `error` has what it printed. */
static bool make_files(const struct under_machine *machine, char *script, const char *output,
                       char error[UNDER_ERROR_MAX])
{
    char *const arguments[] = {"/bin/sh", script, "make", (char *)kind_names[machine->kind], NULL};
    struct qemu process;

    if (!start_script(machine, arguments, output, &process, error)) {
        return false;
    }
    while (qemu_running(&process) && !interrupt_seen()) {
        sleep_ms(POLL_MS);
    }
    if (qemu_stop(&process, 0) != NULL) {
        snprintf(error, UNDER_ERROR_MAX, "%s", session_end_text(SESSION_INTERRUPTED));
        return false;
    }
    file_end_text(output, error, UNDER_ERROR_MAX);
    trim(error);
    return process.status == 0;
}

bool under_prepare(const struct under_machine *machine, struct under_files *files,
                   struct progress *progress, char error[UNDER_ERROR_MAX])
{
    struct temporary folder = {""};
    char output[TEMPORARY_PATH_MAX];

    if (!find_script(files->script, error)) {
        return false;
    }
    if (!temporary_create(&folder)) {
        snprintf(error, UNDER_ERROR_MAX, "%s: %s", no_folder, strerror(errno));
        return false;
    }
    progress_note(progress, "making L1, or finding it in the cache");
    temporary_name(&folder, "output", output);
    const bool made = make_files(machine, files->script, output, error);

    temporary_remove(&folder);
    return made && sscanf(error, "%4095[^\n]\n%127s\n%127s\n%127[^\n]", files->folder,
                          files->release, files->sha256, files->bochs) >= 3;
}

/* ---- L1's console ---- */

const char *under_console_line(struct under_console *console, const char *line)
{
    const char *text = strstr(line, MARK);
    unsigned long long bytes;

    if (text == NULL) {
        return NULL;
    }
    text += sizeof(MARK) - 1;
    if (sscanf(text, "end %u", &console->status) == 1) {
        console->ended = true;
        return NULL;
    }
    if (sscanf(text, "bytes %llu", &bytes) == 1) {
        console->bytes = bytes;
        return NULL;
    }
    if (strncmp(text, "error: ", 7) == 0) {
        if (console->failure[0] == '\0') {
            snprintf(console->failure, sizeof(console->failure), "%s", text + 7);
        }
        return NULL;
    }
    return text;
}

/* ---- one boot ---- */

struct stack {
    const struct under_machine *machine;
    const struct under_files *files;
    const struct guest_run *run;
    struct progress *progress;
    unsigned delay_ms;           /* by which L2 starts later */
    struct qemu process;         /* L0 */
    FILE *follows;               /* L1's console as it grows */
    char text[CONSOLE_LINE_MAX]; /* its line that has no end yet */
    size_t length;
    struct under_console console;
    struct temporary folder, root; /* files of L0, and of L1's root */
    char messages[TEMPORARY_PATH_MAX];
    char console_path[TEMPORARY_PATH_MAX];
};

/* Handles the new lines of the console. */
static void follow_console(struct stack *stack)
{
    int character;

    clearerr(stack->follows);
    while ((character = fgetc(stack->follows)) != EOF) {
        if (character != '\n' && stack->length < sizeof(stack->text) - 1) {
            stack->text[stack->length++] = (char)character;
            continue;
        }
        stack->text[stack->length] = '\0';
        stack->length = 0;
        trim(stack->text);
        const char *shown = under_console_line(&stack->console, stack->text);

        if (shown != NULL) {
            progress_note(stack->progress, "%.200s", shown);
        }
    }
}

static unsigned attend(void *context)
{
    follow_console(context);
    return POLL_MS;
}

static bool is_alive(void *context)
{
    struct stack *stack = context;

    return qemu_running(&stack->process);
}

/* Writes the command of L2, or the program's, one word a line. */
static bool write_words(struct stack *stack)
{
    const struct under_machine *machine = stack->machine;
    struct long_text text;

    long_text_open(&text);
    if (machine->kind == UNDER_LINUX) {
        fprintf(text.out, "/program\n");
        for (char *const *word = machine->words + 1; *word != NULL; word++) {
            fprintf(text.out, "%s\n", *word);
        }
    } else {
        static const char *const before[] = {"-L", "/share"};
        const size_t own = sizeof(before) / sizeof(before[0]);
        const size_t count = machine->guest->extra_count;
        char **extra = calloc(own + count, sizeof(*extra));
        struct qemu_machine guest = *machine->guest;
        const struct qemu_files files = {.plan = "/plan", .tty = "/dev/ttyS1"};

        memcpy(extra, before, sizeof(before));
        if (count > 0) {
            memcpy(extra + own, guest.extra, count * sizeof(*extra));
        }
        guest.program = "/bin/qemu";
        guest.firmware = "/firmware";
        guest.image = "/tare.efi";
        guest.time = QEMU_KVM;
        guest.extra = extra;
        guest.extra_count = own + count;
        qemu_write_command(&guest, &files, text.out);
        free(extra);
    }
    const bool good = temporary_write(&stack->root, "words", long_text_close(&text));

    long_text_free(&text);
    return good;
}

/* Writes a file of `mib` MiB; nothing for 0. */
static bool write_padding(struct stack *stack, unsigned mib)
{
    char *text = calloc(1, ((size_t)mib << MIB_SHIFT) + 1);

    memset(text, 'x', (size_t)mib << MIB_SHIFT);
    const bool good = mib == 0 || temporary_write(&stack->root, "padding", text);

    free(text);
    return good;
}

/* Makes the files that L1 gets at its root. */
static bool make_root(struct stack *stack)
{
    const struct under_machine *machine = stack->machine;
    char firmware[TEMPORARY_PATH_MAX];
    char delay[16];

    snprintf(delay, sizeof(delay), "0.%03u", stack->delay_ms);
    if (!write_words(stack) ||
        (stack->delay_ms > 0 && !temporary_write(&stack->root, "delay", delay)) ||
        !temporary_write(&stack->root, "symbols", machine->symbols != NULL ? "1" : "0")) {
        return false;
    }
    if (machine->kind == UNDER_LINUX) {
        return write_padding(stack, machine->padding);
    }
    temporary_name(&stack->root, "firmware", firmware);
    return temporary_write(&stack->root, "plan", stack->run->plan) &&
           temporary_copy(&stack->root, "tare.efi", machine->guest->image) &&
           (firmware_without_tpm(machine->guest->firmware, firmware) ||
            (errno == EFBIG && temporary_copy(&stack->root, "firmware", machine->guest->firmware)));
}

/* Makes the serial ports of L1: its console, which is LOG.l1; the two ends of its line, BASE.in, a
 * FIFO, and BASE.out, which is the log; and the file of symbols. It is there in any case: with
 * another machine, L1 would take another number of instructions. */
static bool make_line(struct stack *stack)
{
    const char *symbols = stack->machine->symbols;
    char path[TEMPORARY_PATH_MAX];
    char *log = realpath(stack->run->log, NULL);

    if (log == NULL) {
        return false;
    }
    char *console = text_format("%s.l1", log);
    FILE *emptied = fopen(console, "w");

    temporary_name(&stack->folder, "line.out", path);
    bool made = emptied != NULL && fclose(emptied) == 0 && symlink(log, path) == 0 &&
                symlink(console, stack->console_path) == 0;

    free(log);
    free(console);
    temporary_name(&stack->folder, "line.in", path);
    made = made && mkfifo(path, 0600) == 0;
    temporary_name(&stack->folder, "symbols", path);
    made = made && symlink(symbols != NULL ? symbols : "/dev/null", path) == 0;
    stack->follows = made ? fopen(stack->console_path, "r") : NULL;
    return stack->follows != NULL;
}

const char *under_command_line(const struct under_machine *machine, char text[UNDER_ERROR_MAX])
{
    /* On Bochs the loop that finds lpj would take long; its CPUID shows RDRAND to any kernel that
     * is not told otherwise. */
    snprintf(text, UNDER_ERROR_MAX,
             "console=ttyS0 quiet nokaslr norandmaps tsc=reliable mitigations=off "
             "random.trust_cpu=off panic=-1%s%s%s",
             machine->kind == UNDER_INTEL ? " clearcpuid=rdrand lpj=100000 no_timer_check" : "",
             machine->append != NULL ? " " : "", machine->append != NULL ? machine->append : "");
    return text;
}

/* Starts the script, which makes the files of L0 and becomes L0. */
static bool start(struct stack *stack, char error[UNDER_ERROR_MAX])
{
    const struct under_machine *machine = stack->machine;
    const struct under_files *files = stack->files;
    char *words[WORDS_MAX] = {"/bin/sh",
                              (char *)files->script,
                              "boot",
                              (char *)kind_names[machine->kind],
                              (char *)files->folder,
                              stack->root.path,
                              stack->folder.path};

    if (machine->plugin != NULL) {
        words[7] = "-plugin";
        words[8] = (char *)machine->plugin;
    }
    return start_script(machine, words, stack->messages, &stack->process, error);
}

/* Waits for the end of a program, and checks that its whole result has arrived. */
static enum session_end await_program(struct stack *stack)
{
    const uint64_t limit = monotonic_ms() + stack->run->timeout_ms;
    struct stat log;

    while (qemu_running(&stack->process)) {
        if (interrupt_seen()) {
            return SESSION_INTERRUPTED;
        }
        if (stack->run->timeout_ms > 0 && monotonic_ms() >= limit) {
            return SESSION_TIMED_OUT;
        }
        follow_console(stack);
        sleep_ms(POLL_MS);
    }
    follow_console(stack);
    return stack->console.ended && stack->console.bytes > 0 && stat(stack->run->log, &log) == 0 &&
                   (uint64_t)log.st_size == stack->console.bytes
               ? SESSION_COMPLETE
               : SESSION_CLOSED;
}

static void attend_boot(struct stack *stack, struct line *line, struct decoder *decoder,
                        struct guest_result *result)
{
    const struct session_options options = {
        .one_way = stack->machine->kind == UNDER_INTEL,
        .end_ms = END_MS,
        .answer_ms = ANSWER_MS,
        .timeout_ms = stack->run->timeout_ms,
        .log = -1,
        .alive = is_alive,
        .attend = attend,
        .context = stack,
    };

    progress_note(stack->progress, "L1 boots");
    result->end = stack->machine->kind == UNDER_LINUX
                      ? await_program(stack)
                      : session_run(line, decoder, stack->progress, &options);
    qemu_stop(&stack->process, result->end != SESSION_COMPLETE   ? 0
                               : stack->machine->symbols != NULL ? SYMBOLS_MS
                                                                 : POWER_OFF_MS);
    follow_console(stack);
    result->status = stack->process.status;
    file_end_text(stack->console_path, result->messages, CONSOLE_SHOWN_MAX);
    if (result->messages[0] == '\0') {
        file_end_text(stack->messages, result->messages, CONSOLE_SHOWN_MAX);
    }
}

/* Boots with both temporary folders made. */
static bool boot(struct stack *stack, struct decoder *decoder, struct guest_result *result,
                 char error[UNDER_ERROR_MAX])
{
    char device[TEMPORARY_PATH_MAX + 16];
    struct line line;

    temporary_name(&stack->folder, "messages", stack->messages);
    temporary_name(&stack->folder, "console", stack->console_path);
    if (!make_root(stack) || !make_line(stack)) {
        snprintf(error, UNDER_ERROR_MAX, "cannot make the files of L1: %s", strerror(errno));
        return false;
    }
    snprintf(device, sizeof(device), "pipe:%.*s/line", TEMPORARY_PATH_MAX - 1, stack->folder.path);
    if (!line_open(&line, device, 0, error)) {
        return false;
    }
    const bool started = start(stack, error);

    if (started) {
        attend_boot(stack, &line, decoder, result);
    }
    line_close(&line);
    return started;
}

/* Returns whether QEMU's SVM ended the boot before the image sent anything. A program on L1 has no
 * decoder, and no SVM. */
static bool has_aborted(const struct stack *stack, const struct guest_result *result,
                        const struct decoder *decoder)
{
    char messages[CONSOLE_SHOWN_MAX];
    struct decoder_counts counts;

    if (decoder == NULL || !WIFSIGNALED(result->status)) {
        return false;
    }
    decoder_get_counts(decoder, &counts);
    file_end_text(stack->messages, messages, sizeof(messages));
    return counts.frames == 0 && strstr(messages, abort_message) != NULL;
}

/* Boots once. Sets `aborted` if has_aborted(). */
static bool run_once(const struct under_machine *machine, const struct under_files *files,
                     const struct guest_run *run, unsigned delay_ms, struct decoder *decoder,
                     struct progress *progress, struct guest_result *result, bool *aborted,
                     char error[UNDER_ERROR_MAX])
{
    struct stack stack = {
        .machine = machine, .files = files, .run = run, .progress = progress, .delay_ms = delay_ms};

    *result = (struct guest_result){.end = SESSION_CLOSED};
    if (!temporary_create(&stack.folder) || !temporary_create(&stack.root)) {
        temporary_remove(&stack.folder);
        snprintf(error, UNDER_ERROR_MAX, "%s: %s", no_folder, strerror(errno));
        return false;
    }
    const bool started = boot(&stack, decoder, result, error);

    if (stack.follows != NULL) {
        fclose(stack.follows);
    }
    if (started) {
        memcpy(error, stack.console.failure, sizeof(stack.console.failure));
        *aborted = has_aborted(&stack, result, decoder);
    }
    temporary_remove(&stack.folder);
    temporary_remove(&stack.root);
    return started;
}

bool under_run(const struct under_machine *machine, const struct under_files *files,
               const struct guest_run *run, struct decoder *decoder, struct progress *progress,
               struct guest_result *result, char error[UNDER_ERROR_MAX])
{
    for (unsigned try = 0;; try++) {
        bool aborted = false;
        const bool started = run_once(machine, files, run, try * TRY_DELAY_MS, decoder, progress,
                                      result, &aborted, error);

        if (!aborted || try + 1 == TRIES) {
            return started;
        }
        error[0] = '\0';
        progress_note(progress,
                      "QEMU aborted, a fault of its SVM that depends on the moment: trying again, "
                      "L2 starts %u ms later",
                      (try + 1) * TRY_DELAY_MS);
    }
}

/* ---- notes ---- */

/* Notes the first line of `program --version`, if there is one. */
static void note_version(const char *program, const char *key,
                         void (*note)(void *context, const char *key, const char *value),
                         void *context)
{
    char version[VERSION_MAX];

    if (qemu_version(program, version, sizeof(version))) {
        note(context, key, version);
    }
}

void under_describe(const struct under_machine *machine, const struct under_files *files,
                    void (*note)(void *context, const char *key, const char *value), void *context)
{
    char line[UNDER_ERROR_MAX];
    char number[16];

    note(context, RUN_UNDER, under_names[machine->kind]);
    if (machine->kind == UNDER_INTEL) {
        note(context, RUN_UNDER_L0, files->bochs);
    } else {
        note_version(machine->emulator, RUN_UNDER_L0, note, context);
        snprintf(number, sizeof(number), "%u", machine->shift);
        note(context, RUN_UNDER_L0_SHIFT, number);
    }
    note(context, RUN_UNDER_KERNEL, files->release);
    note(context, RUN_UNDER_SHA256, files->sha256);
    note(context, RUN_UNDER_LINE, under_command_line(machine, line));
    note(context, RUN_UNDER_PROCESSORS, "1");
    if (machine->kind != UNDER_LINUX) {
        note_version(machine->guest->program, RUN_UNDER_QEMU, note, context);
        note(context, RUN_UNDER_MACHINE, machine->guest->type);
    }
}
