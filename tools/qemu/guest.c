/* SPDX-License-Identifier: BSD-2-Clause */
#include "tools/qemu/guest.h"

#include <errno.h>
#include <fcntl.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <time.h>
#include <unistd.h>

#include "kernel/link/names.h"
#include "kernel/plan/names.h"
#include "tools/base/interrupt.h"
#include "tools/base/partial_file.h"
#include "tools/base/sha256.h"
#include "tools/base/texts.h"
#include "tools/qemu/snapshot.h"
#include "tools/qemu/stops.h"

#define SOCKET_NAME_MAX sizeof(((struct sockaddr_un *)NULL)->sun_path)
/* only how long the image may take to answer, because this line loses nothing */
#define ANSWER_MS    500
#define POWER_OFF_MS 10000
#define END_MS       30000 /* time for the end of the log after the image's last line */
#define QMP_MS       10000 /* time for QEMU to start on a busy machine */

struct guest {
    struct qemu qemu;
    const char *give_up;
    char messages_path[TEMPORARY_PATH_MAX];
    char qmp_path[TEMPORARY_PATH_MAX];
    struct keys keys; /* with QMP open: listens, and types the script if there is one */
    struct stops stops;
    struct progress *progress;
};

static bool is_alive(void *context)
{
    struct guest *guest = context;
    char messages[GUEST_MESSAGES_MAX];

    if (!qemu_running(&guest->qemu)) {
        return false;
    }
    if (guest->give_up == NULL) {
        return true;
    }
    file_end_text(guest->messages_path, messages, sizeof(messages));
    return strstr(messages, guest->give_up) == NULL;
}

/* Sets `placed` to `target`, or to NULL if the firmware stays as it is: KVM has its own pages below
 * 4 GiB, flash is short, and the firmware may be too long. */
static bool place_firmware(const struct qemu_machine *machine, const char *target,
                           const char **placed)
{
    *placed = NULL;
    if (machine->time == QEMU_KVM || machine->variables != NULL) {
        return true;
    }
    if (!firmware_without_tpm(machine->firmware, target)) {
        return errno == EFBIG;
    }
    *placed = target;
    return true;
}

/* Makes the plan, the firmware's variables, and the two ends of the line: BASE.in, a FIFO, and
 * BASE.out, which is the log. */
static bool make_files(const struct guest_run *run, const struct temporary *folder)
{
    char path[TEMPORARY_PATH_MAX];
    char *log = realpath(run->log, NULL);

    if (log == NULL) {
        return false;
    }
    temporary_name(folder, "line.out", path);
    const bool linked = symlink(log, path) == 0;

    free(log);
    temporary_name(folder, "line.in", path);
    return linked && mkfifo(path, 0600) == 0 && temporary_write(folder, "plan", run->plan) &&
           (run->machine->variables == NULL ||
            temporary_copy(folder, "variables", run->machine->variables));
}

/* Returns the time on the clock of QEMU's events. */
static uint64_t now_us(void)
{
    struct timespec now;

    clock_gettime(CLOCK_REALTIME, &now);
    return (uint64_t)now.tv_sec * 1000000 + (uint64_t)now.tv_nsec / 1000;
}

static void on_event(void *context, const char *name, uint64_t at_us)
{
    struct guest *guest = context;

    if (stops_on_event(&guest->stops, name, at_us != 0 ? at_us : now_us())) {
        progress_note(guest->progress,
                      "the machine was stopped (QMP event %.20s): the run is invalid", name);
    }
}

static void on_record(void *context, const struct record *record)
{
    struct guest *guest = context;

    stops_on_record(&guest->stops, record, now_us());
    keys_on_record(&guest->keys, record);
}

static unsigned attend(void *context)
{
    struct guest *guest = context;

    return keys_attend(&guest->keys);
}

static bool may_still_open(void *context)
{
    return qemu_running(context) && !interrupt_seen();
}

/* Returns whether the run needs QMP. A script is typed through it. In real time it also tells when
 * the machine was stopped, which does not matter in a trial boot. */
static bool wants_qmp(const struct guest_run *run)
{
    return run->script != NULL || (run->machine->time != QEMU_EXACT && run->give_up == NULL);
}

/* Opens QMP. Also returns true if QEMU died, because the session then notices that and reports the
 * reason. Without a script the run goes on without QMP. */
static bool open_qmp(const struct guest_run *run, struct guest *guest, struct progress *progress,
                     char error[QEMU_ERROR_MAX])
{
    const struct qmp_wait wait = {.ms = QMP_MS, .alive = may_still_open, .context = &guest->qemu};
    const struct qmp_events events = {run->machine->time != QEMU_EXACT ? on_event : NULL, guest};

    if (keys_begin(&guest->keys, run->script, progress, guest->qmp_path, &wait, &events) ||
        !may_still_open(&guest->qemu)) {
        return true;
    }
    if (run->script == NULL) {
        progress_note(progress, "if the machine stops, tare will not notice it: %.400s",
                      guest->keys.error);
        guest->keys.error[0] = '\0';
        return true;
    }
    snprintf(error, QEMU_ERROR_MAX, "%.400s; --keys needs QEMU 2.6 or later", guest->keys.error);
    return false;
}

/* Starts the machine from a snapshot. Returns false if it must boot in full, as with a script,
 * which is typed by QMP in host time. */
static bool start_resumed(const struct guest_run *run, struct guest *guest,
                          const struct qemu_files *files)
{
    struct qemu_files with_qmp = *files;

    with_qmp.qmp = guest->qmp_path;
    return run->resumes && !wants_qmp(run) && snapshot_suits(run->machine) &&
           snapshot_start(&guest->qemu, run->machine, &with_qmp, run->log, run->timeout_ms,
                          guest->progress);
}

static bool start(const struct guest_run *run, const struct temporary *folder, struct guest *guest,
                  struct line *line, char error[QEMU_ERROR_MAX])
{
    char plan[TEMPORARY_PATH_MAX];
    char base[TEMPORARY_PATH_MAX];
    char variables[TEMPORARY_PATH_MAX];
    char firmware[TEMPORARY_PATH_MAX];
    char device[TEMPORARY_PATH_MAX + 8];
    const char *placed;

    temporary_name(folder, "firmware", firmware);
    if (!make_files(run, folder) || !place_firmware(run->machine, firmware, &placed)) {
        snprintf(error, QEMU_ERROR_MAX, "%.300s: %s", folder->path, strerror(errno));
        return false;
    }
    temporary_name(folder, "plan", plan);
    temporary_name(folder, "line", base);
    temporary_name(folder, "variables", variables);
    temporary_name(folder, "messages", guest->messages_path);
    temporary_name(folder, "qmp", guest->qmp_path);
    if (wants_qmp(run) && strlen(guest->qmp_path) >= SOCKET_NAME_MAX) {
        snprintf(error, QEMU_ERROR_MAX,
                 "%.300s is too long for the name of a socket: set TMPDIR to a shorter one",
                 guest->qmp_path);
        return false;
    }
    snprintf(device, sizeof(device), "pipe:%s", base);
    if (!line_open(line, device, 0, error)) {
        return false;
    }
    const struct qemu_files files = {
        .plan = plan,
        .line = base,
        .messages = guest->messages_path,
        .firmware = placed,
        .variables = run->machine->variables != NULL ? variables : NULL,
        .qmp = wants_qmp(run) ? guest->qmp_path : NULL,
        .rows = run->rows,
    };

    if (start_resumed(run, guest, &files) ||
        qemu_start(&guest->qemu, run->machine, &files, error)) {
        return true;
    }
    line_close(line);
    return false;
}

static void run_session(const struct guest_run *run, struct guest *guest, struct line *line,
                        struct decoder *decoder, struct progress *progress,
                        struct guest_result *result)
{
    const struct session_options options = {
        .end_ms = END_MS,
        .answer_ms = ANSWER_MS,
        .timeout_ms = run->timeout_ms,
        .log = -1,
        .alive = is_alive,
        .on_record = wants_qmp(run) ? on_record : NULL,
        .attend = wants_qmp(run) ? attend : NULL,
        .context = guest,
    };

    result->end = session_run(line, decoder, progress, &options);
    const unsigned patience_ms = result->end == SESSION_COMPLETE ? POWER_OFF_MS : 0;
    const char *stopped = qemu_stop(&guest->qemu, patience_ms);

    if (stopped != NULL && (patience_ms > 0 || guest->qemu.running)) {
        progress_note(progress, "QEMU (process %d) did not end within %u s after the run: %s",
                      (int)guest->qemu.pid, patience_ms / 1000, stopped);
    }
    result->status = guest->qemu.status;
    file_end_text(guest->messages_path, result->messages, sizeof(result->messages));
    result->typed = guest->keys.rounds;
    memcpy(result->typing_error, guest->keys.error, sizeof(result->typing_error));
    keys_end(&guest->keys);
    stops_note(&guest->stops, decoder);
}

bool guest_run(const struct guest_run *run, struct decoder *decoder, struct progress *progress,
               struct guest_result *result, char error[QEMU_ERROR_MAX])
{
    struct guest guest = {.give_up = run->give_up, .progress = progress};
    struct temporary folder = {""};
    struct line line;

    if (!temporary_create(&folder)) {
        snprintf(error, QEMU_ERROR_MAX, "cannot make a temporary folder: %s (is TMPDIR right?)",
                 strerror(errno));
        return false;
    }
    bool started = start(run, &folder, &guest, &line, error);

    if (started && wants_qmp(run) && !open_qmp(run, &guest, progress, error)) {
        qemu_stop(&guest.qemu, 0);
        line_close(&line);
        started = false;
    }
    if (started) {
        run_session(run, &guest, &line, decoder, progress, result);
        line_close(&line);
    }
    temporary_remove(&folder);
    return started;
}

bool guest_run_idle(const struct qemu_machine *machine, uint64_t timeout_ms, const char *give_up,
                    struct decoder *decoder, struct guest_result *result,
                    char error[QEMU_ERROR_MAX])
{
    struct progress silent = {.quiet = true};
    struct temporary folder = {""};
    char log[TEMPORARY_PATH_MAX];
    const struct guest_run run = {.machine = machine,
                                  .plan = KEY_BENCH "=" PLAN_BENCH_NONE " " KEY_LINK_SERVE "=1\n",
                                  .log = log,
                                  .timeout_ms = timeout_ms,
                                  .give_up = give_up,
                                  .resumes = true};

    if (!temporary_create(&folder)) {
        snprintf(error, QEMU_ERROR_MAX, "no temporary folder: %s", strerror(errno));
        return false;
    }
    temporary_name(&folder, "log", log);
    snprintf(error, QEMU_ERROR_MAX, "%.300s: %s", log, strerror(errno));
    const bool ran =
        temporary_write(&folder, "log", "") && guest_run(&run, decoder, &silent, result, error);

    temporary_remove(&folder);
    return ran;
}

#define TRIAL_MS         20000
#define TRIAL_MEMORY_MIB 256

static const char device[] = "/dev/kvm";
static const char dead_guest[] = "KVM internal error";

/* Boots the image under KVM with nothing to measure. Returns false with the reason if that fails;
 * the reason is not changed if nothing was booted. */
static bool boot_trial(const struct qemu_machine *machine, char reason[KVM_REASON_MAX])
{
    /* leaves out what the user may have got wrong, because the boot itself reports that */
    const struct qemu_machine trial = {
        .program = machine->program,
        .firmware = machine->firmware,
        .variables = machine->variables,
        .image = machine->image,
        .time = QEMU_KVM,
        .type = "q35",
        .processors = 1,
        .memory_mib = TRIAL_MEMORY_MIB,
    };
    struct guest_result result;
    char error[QEMU_ERROR_MAX];
    struct decoder *decoder = decoder_create();
    const bool ran = guest_run_idle(&trial, TRIAL_MS, dead_guest, decoder, &result, error);
    const bool ended = decoder_ended(decoder);

    decoder_destroy(decoder);
    if (!ran || (!ended && interrupt_seen())) {
        return false;
    }
    if (ended) {
        return true;
    }
    if (strstr(result.messages, dead_guest) != NULL) {
        snprintf(reason, KVM_REASON_MAX, "a trial boot ended with a %s", dead_guest);
    } else if (result.end == SESSION_TIMED_OUT) {
        snprintf(reason, KVM_REASON_MAX, "a trial boot did not end within %d s", TRIAL_MS / 1000);
    } else {
        snprintf(reason, KVM_REASON_MAX, "a trial boot failed: %.*s",
                 (int)strcspn(result.messages, "\n"), result.messages);
    }
    return false;
}

bool kvm_usable(const struct qemu_machine *machine, struct progress *progress,
                char reason[KVM_REASON_MAX])
{
    const int opened = open(device, O_RDWR | O_CLOEXEC);

    if (opened < 0) {
        snprintf(reason, KVM_REASON_MAX, "%s: %s", device, strerror(errno));
        return false;
    }
    close(opened);
    progress_live(progress, "trying KVM...");
    snprintf(reason, KVM_REASON_MAX, "the trial boot did not take place");
    return boot_trial(machine, reason);
}

#define VERSION_MAX 256

static void note_number(struct decoder *decoder, const char *key, unsigned number)
{
    char text[16];

    snprintf(text, sizeof(text), "%u", number);
    decoder_note(decoder, key, text);
}

static void note_file(struct decoder *decoder, const char *key, const char *path)
{
    char text[SHA256_TEXT];

    if (sha256_file(path, text)) {
        decoder_note(decoder, key, text);
    }
}

/* Notes the arguments as given, with a blank between them. */
static void note_arguments(struct decoder *decoder, const struct qemu_machine *machine)
{
    char *text = NULL;
    size_t length;
    FILE *memory = machine->extra_count > 0 ? open_memstream(&text, &length) : NULL;

    if (memory == NULL) {
        return;
    }
    for (size_t i = 0; i < machine->extra_count; i++) {
        fprintf(memory, "%s%s", i > 0 ? " " : "", machine->extra[i]);
    }
    if (fclose(memory) == 0) {
        decoder_note(decoder, "emulator.arguments", text);
    }
    free(text);
}

bool surroundings_note(struct decoder *decoder, const struct qemu_machine *machine)
{
    static const char *const times[] = {
        [QEMU_EXACT] = TIME_EXACT, [QEMU_KVM] = "kvm", [QEMU_EMULATED] = TIME_EMULATED};
    char version[VERSION_MAX];

    const bool versioned = qemu_version(machine->program, version, sizeof(version));

    if (versioned) {
        decoder_note(decoder, "emulator", version);
    }
    decoder_note(decoder, INFO_EMULATOR_TIME, times[machine->time]);
    if (machine->time == QEMU_EXACT) {
        note_number(decoder, INFO_EMULATOR_SHIFT, machine->shift);
    }
    decoder_note(decoder, "emulator.machine", machine->type);
    note_number(decoder, "emulator.processors", machine->processors);
    note_number(decoder, "emulator.memory_mib", machine->memory_mib);
    if (machine->cpu != NULL) {
        decoder_note(decoder, "emulator.cpu", machine->cpu);
    }
    note_arguments(decoder, machine);
    note_file(decoder, "firmware.sha256", machine->firmware);
    note_file(decoder, "image.sha256", machine->image);
    return versioned;
}
