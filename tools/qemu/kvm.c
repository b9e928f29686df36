/* SPDX-License-Identifier: BSD-2-Clause */
#include "tools/qemu/kvm.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/utsname.h>
#include <sys/wait.h>
#include <unistd.h>

#include "kernel/link/crc32c.h"
#include "kernel/plan/names.h"
#include "tools/base/interrupt.h"
#include "tools/base/temporary.h"
#include "tools/qemu/guest.h"

#define TRIAL_MS         20000
#define TRIAL_MEMORY_MIB 256
#define KEY_MAX          512
#define PATH_LENGTH_MAX  4096

static const char device[] = "/dev/kvm";
static const char trial_plan[] = KEY_BENCH "=" PLAN_BENCH_NONE " " KEY_LINK_SERVE "=1\n";
static const char dead_guest[] = "KVM internal error";
static const char verdict_usable[] = "usable";

/* "model name" of the first processor; "?" where there is none. */
static void processor_model(char *model, size_t capacity)
{
    FILE *file = fopen("/proc/cpuinfo", "r");
    char line[256];

    snprintf(model, capacity, "?");
    while (file != NULL && fgets(line, sizeof(line), file) != NULL) {
        const char *colon = strchr(line, ':');

        if (strncmp(line, "model name", 10) == 0 && colon != NULL) {
            snprintf(model, capacity, "%.*s", (int)strcspn(colon + 1, "\n"), colon + 1);
            break;
        }
    }
    if (file != NULL) {
        fclose(file);
    }
}

/* All that the verdict depends on, in a line. */
static bool make_key(const struct qemu_machine *machine, char key[KEY_MAX])
{
    char version[160];
    char model[160];
    struct utsname system;

    if (!qemu_version(machine->program, version, sizeof(version)) || uname(&system) != 0) {
        return false;
    }
    processor_model(model, sizeof(model));
    snprintf(key, KEY_MAX, "%s | %s | %s%s", version, model, system.release,
             machine->variables != NULL ? " | SMM" : "");
    return true;
}

/* False where there is no place for a cache. */
static bool cache_path(const char *key, char path[PATH_LENGTH_MAX])
{
    char folder[QEMU_PATH_MAX];

    return qemu_cache_folder(folder) &&
           snprintf(path, PATH_LENGTH_MAX, "%s/kvm-%08x", folder,
                    (unsigned)crc32c(0, key, strlen(key))) < PATH_LENGTH_MAX;
}

/* The file holds the key and the verdict, a line each. */
static bool read_verdict(const char *path, const char *key, char verdict[KVM_REASON_MAX])
{
    FILE *file = fopen(path, "r");
    char line[KEY_MAX + 1];

    if (file == NULL) {
        return false;
    }
    bool found = fgets(line, sizeof(line), file) != NULL;

    line[found ? strcspn(line, "\n") : 0] = '\0';
    found = found && strcmp(line, key) == 0 && fgets(verdict, KVM_REASON_MAX, file) != NULL;
    if (found) {
        verdict[strcspn(verdict, "\n")] = '\0';
    }
    fclose(file);
    return found;
}

/* A failure may have been the image's own: a newer one is tried anew. */
static bool is_outdated(const char *path, const char *image)
{
    struct stat verdict;
    struct stat tried;

    return stat(path, &verdict) == 0 && stat(image, &tried) == 0 &&
           tried.st_mtime > verdict.st_mtime;
}

static void write_verdict(const char *path, const char *key, const char *verdict)
{
    char part[PATH_LENGTH_MAX + 8];

    snprintf(part, sizeof(part), "%s.%d", path, (int)getpid());
    FILE *file = fopen(part, "w");

    if (file == NULL) {
        return; /* a cache that cannot be written costs a trial, no more */
    }
    const bool written = fprintf(file, "%s\n%s\n", key, verdict) > 0;

    if (fclose(file) != 0 || !written || rename(part, path) != 0) {
        unlink(part);
    }
}

/* Boots the image under KVM with nothing to measure. False where no verdict was come to. */
static bool boot_trial(const struct qemu_machine *machine, const struct temporary *folder,
                       char verdict[KVM_REASON_MAX])
{
    /* Nothing of what the user may have got wrong: the verdict outlives this command. */
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
    struct progress silent = {.quiet = true};
    struct guest_result result;
    struct guest_run run = {
        .machine = &trial, .plan = trial_plan, .timeout_ms = TRIAL_MS, .give_up = dead_guest};
    char log[TEMPORARY_PATH_MAX];
    char error[QEMU_ERROR_MAX];

    temporary_name(folder, "log", log);
    run.log = log;
    struct decoder *decoder = decoder_create();
    const bool ran =
        temporary_write(folder, "log", "") && guest_run(&run, decoder, &silent, &result, error);
    const bool ended = decoder_ended(decoder);

    decoder_destroy(decoder);
    if (!ran || (!ended && interrupt_seen())) {
        return false;
    }
    if (ended) {
        snprintf(verdict, KVM_REASON_MAX, "%s", verdict_usable);
    } else if (strstr(result.messages, dead_guest) != NULL) {
        snprintf(verdict, KVM_REASON_MAX, "a trial boot ended with a %s", dead_guest);
    } else if (result.end == SESSION_TIMED_OUT) {
        snprintf(verdict, KVM_REASON_MAX, "a trial boot did not end within %d s", TRIAL_MS / 1000);
    } else {
        snprintf(verdict, KVM_REASON_MAX, "a trial boot failed: %.*s",
                 (int)strcspn(result.messages, "\n"), result.messages);
    }
    return true;
}

static bool try_once(const struct qemu_machine *machine, char verdict[KVM_REASON_MAX])
{
    struct temporary folder = {""};

    if (!temporary_create(&folder)) {
        return false;
    }
    const bool tried = boot_trial(machine, &folder, verdict);

    temporary_remove(&folder);
    return tried;
}

/* Adds to the reason that it is an earlier trial's. */
static void name_verdict(const char *path, char reason[KVM_REASON_MAX])
{
    const size_t length = strlen(reason);

    snprintf(reason + length, KVM_REASON_MAX - length,
             "; by an earlier trial, kept in %.300s: --try-kvm tries again", path);
}

bool kvm_usable(const struct qemu_machine *machine, bool again, struct progress *progress,
                char reason[KVM_REASON_MAX])
{
    char key[KEY_MAX];
    char path[PATH_LENGTH_MAX];
    const int opened = open(device, O_RDWR | O_CLOEXEC);

    if (opened < 0) {
        snprintf(reason, KVM_REASON_MAX, "%s: %s", device, strerror(errno));
        return false;
    }
    close(opened);
    if (!make_key(machine, key)) {
        snprintf(reason, KVM_REASON_MAX, "%.300s does not report its version", machine->program);
        return false;
    }
    const bool cached = cache_path(key, path);

    if (cached && !again && read_verdict(path, key, reason)) {
        if (strcmp(reason, verdict_usable) == 0) {
            return true;
        }
        if (!is_outdated(path, machine->image)) {
            name_verdict(path, reason);
            return false;
        }
    }
    progress_live(progress, "trying KVM...");
    if (!try_once(machine, reason)) {
        snprintf(reason, KVM_REASON_MAX, "the trial boot did not take place");
        return false;
    }
    const bool usable = strcmp(reason, verdict_usable) == 0;

    if (cached) {
        write_verdict(path, key, reason);
        progress_note(progress, "KVM was tried; the verdict is kept in %s", path);
    }
    return usable;
}
