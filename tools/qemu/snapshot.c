/* SPDX-License-Identifier: BSD-2-Clause */
#include "tools/qemu/snapshot.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <jansson.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <unistd.h>

#include "tools/base/interrupt.h"
#include "tools/base/monotonic.h"
#include "tools/base/partial_file.h"
#include "tools/base/texts.h"
#include "tools/qemu/qmp.h"

/* increase the number if the way of making snapshots changes */
#define FORMAT     "tare snapshot 1\n"
#define LIMIT_MS   120000
#define POLL_MS    10
#define ABOUT_MAX  512
#define URI_MAX    (TEMPORARY_PATH_MAX + 64)
#define SOCKET_MAX sizeof(((struct sockaddr_un *)NULL)->sun_path)

static const char hold_item[] = "opt/tare/hold"; /* fw_cfg item, as in the image's code */
static const char unusable[] = "unusable\n";
static const char *const parts[] = {"state", "ram", "serial", "about"};

/* ---- what a snapshot depends on ---- */

static bool file_has(const char *path, const char *text)
{
    const int descriptor = open(path, O_RDONLY | O_CLOEXEC);
    struct stat status = {0};
    bool found = false;

    if (descriptor < 0) {
        return false;
    }
    if (fstat(descriptor, &status) == 0 && S_ISREG(status.st_mode)) {
        const size_t size = (size_t)status.st_size;
        char *bytes = malloc(size + 1);

        found = bytes != NULL && read(descriptor, bytes, size) == (ssize_t)size &&
                memmem(bytes, size, text, strlen(text)) != NULL;
        free(bytes);
    }
    close(descriptor);
    return found;
}

bool snapshot_suits(const struct qemu_machine *machine)
{
    const bool connected = machine->network != NULL && strcmp(machine->network->name, "hub") != 0;

    return machine->time == QEMU_EXACT && machine->processors == 1 && machine->variables == NULL &&
           !connected && machine->gdb_port == 0 && machine->extra_count == 0 &&
           !qemu_is_disk(machine->image) && file_has(machine->image, hold_item);
}

bool snapshot_key(const struct qemu_machine *machine, const struct qemu_files *files,
                  char key[SHA256_TEXT])
{
    struct qemu_machine named = *machine;
    const struct qemu_files names = {
        .plan = "plan", .line = "line", .firmware = files->firmware != NULL ? "own" : "whole"};
    char firmware[SHA256_TEXT];
    char image[SHA256_TEXT];
    struct long_text text;
    struct sha256 hash;
    struct stat program;

    if (stat(machine->program, &program) != 0 || !sha256_file(machine->firmware, firmware) ||
        !sha256_file(machine->image, image)) {
        return false;
    }
    named.image = "image";
    named.plugin = NULL;
    long_text_open(&text);
    fprintf(text.out, FORMAT "%s\n%s\n%lld %lld.%09ld %lld.%09ld\n", firmware, image,
            (long long)program.st_size, (long long)program.st_mtim.tv_sec, program.st_mtim.tv_nsec,
            (long long)program.st_ctim.tv_sec, program.st_ctim.tv_nsec);
    qemu_write_command(&named, &names, text.out);
    const char *all = long_text_close(&text);

    sha256_begin(&hash);
    sha256_put(&hash, all, strlen(all));
    sha256_end(&hash, key);
    long_text_free(&text);
    return true;
}

/* ---- the cache ---- */

bool cache_folder(char path[QEMU_PATH_MAX])
{
    const char *own = getenv("TARE_CACHE");
    const char *shared = getenv("XDG_CACHE_HOME");
    const char *home = getenv("HOME");
    int length = 0;

    if (own != NULL && *own != '\0') {
        length = snprintf(path, QEMU_PATH_MAX, "%s", own);
    } else if (shared != NULL && *shared != '\0') {
        length = snprintf(path, QEMU_PATH_MAX, "%s/tare", shared);
    } else if (home != NULL && *home != '\0') {
        length = snprintf(path, QEMU_PATH_MAX, "%s/.cache/tare", home);
    }
    if (length <= 0 || length >= QEMU_PATH_MAX) {
        return false;
    }
    for (char *slash = strchr(path + 1, '/'); slash != NULL; slash = strchr(slash + 1, '/')) {
        *slash = '\0';
        mkdir(path, 0777);
        *slash = '/';
    }
    return mkdir(path, 0777) == 0 || errno == EEXIST;
}

/* Makes the folder of all snapshots and writes its name. The name must not have a quote, because
 * QEMU runs `sh` to write a file in the folder. */
static bool find_cache(struct temporary *cache)
{
    if (!cache_folder(cache->path) || strlen(cache->path) > TEMPORARY_PATH_MAX / 2 ||
        strchr(cache->path, '\'') != NULL) {
        return false;
    }
    strcat(cache->path, "/snapshots");
    return mkdir(cache->path, 0777) == 0 || errno == EEXIST;
}

static void subfolder(const struct temporary *cache, const char *name, struct temporary *folder)
{
    snprintf(folder->path, sizeof(folder->path), "%.*s/%s", TEMPORARY_PATH_MAX / 2 + 32,
             cache->path, name);
}

static bool sum_part(const struct temporary *folder, const char *part, char text[SHA256_TEXT])
{
    char path[TEMPORARY_PATH_MAX];

    temporary_name(folder, part, path);
    return sha256_file(path, text);
}

/* Writes the content for `about`. Returns false if a part is missing. */
static bool describe(const struct temporary *folder, char about[ABOUT_MAX])
{
    char path[TEMPORARY_PATH_MAX];
    char state[SHA256_TEXT];
    char serial[SHA256_TEXT];
    struct stat ram;

    temporary_name(folder, "ram", path);
    if (stat(path, &ram) != 0 || !sum_part(folder, "state", state) ||
        !sum_part(folder, "serial", serial)) {
        return false;
    }
    snprintf(about, ABOUT_MAX, "state %s\nserial %s\nram %lld bytes of %lld.%09ld\n", state, serial,
             (long long)ram.st_size, (long long)ram.st_mtim.tv_sec, ram.st_mtim.tv_nsec);
    return true;
}

static bool read_about(const struct temporary *folder, char about[ABOUT_MAX])
{
    char path[TEMPORARY_PATH_MAX];
    FILE *file;

    temporary_name(folder, "about", path);
    file = fopen(path, "r");
    if (file == NULL) {
        return false;
    }
    about[fread(about, 1, ABOUT_MAX - 1, file)] = '\0';
    fclose(file);
    return true;
}

enum snapshot_state {
    SNAPSHOT_NONE, /* none or damaged */
    SNAPSHOT_WHOLE,
    SNAPSHOT_UNUSABLE,
};

static enum snapshot_state look_up(const struct temporary *folder)
{
    char about[ABOUT_MAX];
    char found[ABOUT_MAX];

    if (!read_about(folder, about)) {
        return SNAPSHOT_NONE;
    }
    if (strcmp(about, unusable) == 0) {
        return SNAPSHOT_UNUSABLE;
    }
    return describe(folder, found) && strcmp(about, found) == 0 ? SNAPSHOT_WHOLE : SNAPSHOT_NONE;
}

/* Sets the time of last use, which decides what old snapshots are removed. */
static void touch(const struct temporary *folder)
{
    char path[TEMPORARY_PATH_MAX];

    temporary_name(folder, "about", path);
    utimensat(AT_FDCWD, path, NULL, 0);
}

/* Marks the snapshot as unusable. Does not create it again if it was removed meanwhile. */
static void mark_unusable(const struct temporary *folder)
{
    char path[TEMPORARY_PATH_MAX];

    temporary_name(folder, "about", path);
    const int about = open(path, O_WRONLY | O_TRUNC | O_CLOEXEC);

    if (about >= 0) {
        dprintf(about, "%s", unusable);
        close(about);
    }
}

/* Finds the snapshot that was used least recently. Returns the number of snapshots. */
static unsigned count_snapshots(const struct temporary *cache, struct temporary *oldest)
{
    DIR *directory = opendir(cache->path);
    struct timespec least = {0};
    unsigned count = 0;

    for (struct dirent *entry; directory != NULL && (entry = readdir(directory)) != NULL;) {
        struct temporary folder = {""};
        struct stat about = {0};
        char path[TEMPORARY_PATH_MAX];

        if (strlen(entry->d_name) != SHA256_TEXT - 1) {
            continue;
        }
        subfolder(cache, entry->d_name, &folder);
        temporary_name(&folder, "about", path);
        stat(path, &about); /* leaves 1970 if it is missing */
        if (count++ == 0 || about.st_mtim.tv_sec < least.tv_sec ||
            (about.st_mtim.tv_sec == least.tv_sec && about.st_mtim.tv_nsec < least.tv_nsec)) {
            least = about.st_mtim;
            *oldest = folder;
        }
    }
    if (directory != NULL) {
        closedir(directory);
    }
    return count;
}

/* ---- the dialog with QEMU ---- */

struct dialog {
    struct qemu *qemu;
    struct qmp qmp;
    struct qmp_wait wait;
    uint64_t limit_ms; /* on the monotonic clock */
    char error[QMP_ERROR_MAX];
};

static bool goes_on(void *context)
{
    return qemu_running(context) && !interrupt_seen();
}

static bool dialog_open(struct dialog *dialog, struct qemu *qemu, const char *socket,
                        uint64_t limit_ms)
{
    *dialog = (struct dialog){
        .qemu = qemu, .wait = {LIMIT_MS, goes_on, qemu}, .limit_ms = monotonic_ms() + limit_ms};
    dialog->wait.ms = (unsigned)limit_ms;
    return qmp_open(&dialog->qmp, socket, &dialog->wait, dialog->error);
}

/* Sends a command that json_pack() made, and waits for its answer. */
static bool ask(struct dialog *dialog, json_t *command)
{
    char *text = command != NULL ? json_dumps(command, JSON_COMPACT) : NULL;
    const bool good = text != NULL && qmp_ask(&dialog->qmp, text, &dialog->wait, dialog->error);

    free(text);
    json_decref(command);
    return good;
}

/* Repeats the query while the answer has no status or one of `during`. Returns whether the status
 * is then one of `wanted`. */
static bool await_status(struct dialog *dialog, const char *query, const char *during,
                         const char *wanted)
{
    while (goes_on(dialog->qemu) && monotonic_ms() < dialog->limit_ms &&
           ask(dialog, json_pack("{s:s}", "execute", query))) {
        if (strstr(during, dialog->qmp.status) == NULL) {
            return strstr(wanted, dialog->qmp.status) != NULL;
        }
        sleep_ms(POLL_MS);
    }
    return false;
}

/* Keeps memory that is in a file out of the stream. */
static bool leave_memory_out(struct dialog *dialog)
{
    return ask(dialog,
               json_pack("{s:s,s:{s:[{s:s,s:b}]}}", "execute", "migrate-set-capabilities",
                         "arguments", "capabilities", "capability", "x-ignore-shared", "state", 1));
}

static bool migrate(struct dialog *dialog, const char *command, const char *uri)
{
    return ask(dialog, json_pack("{s:s,s:{s:s}}", "execute", command, "arguments", "uri", uri));
}

/* ---- making a snapshot ---- */

/* Changes the state of the machine in the stream to "running", because QEMU does not go on from
 * "shutdown". A stream without a state is that of a running machine. */
static bool make_running(const char *path)
{
    static const char section[] = "globalstate";
    static const char from[] = "shutdown";
    static const char to[sizeof(from)] = "running";
    FILE *file = fopen(path, "r+");
    char *bytes = NULL;
    size_t size = 0;
    long length;

    if (file == NULL) {
        return false;
    }
    if (fseek(file, 0, SEEK_END) == 0 && (length = ftell(file)) > 0 &&
        (bytes = malloc((size_t)length)) != NULL) {
        rewind(file);
        size = fread(bytes, 1, (size_t)length, file);
    }
    const char *begin = size > 0 ? memmem(bytes, size, section, strlen(section)) : NULL;
    const char *at =
        begin != NULL ? memmem(begin, size - (size_t)(begin - bytes), from, sizeof(from)) : NULL;
    const bool good = size > 0 && (at == NULL || (fseek(file, at - bytes, SEEK_SET) == 0 &&
                                                  fwrite(to, 1, sizeof(to), file) == sizeof(to)));

    free(bytes);
    return fclose(file) == 0 && good;
}

/* Waits for the file, because `cat` may end after QEMU has handed over the stream. */
static bool await_file(const struct dialog *dialog, const char *path)
{
    while (access(path, F_OK) != 0) {
        if (monotonic_ms() >= dialog->limit_ms || interrupt_seen()) {
            return false;
        }
        sleep_ms(POLL_MS);
    }
    return true;
}

/* Saves the machine once it holds. Sets `refused` if QEMU cannot save such a machine. */
static bool save(struct dialog *dialog, const struct temporary *folder, bool *refused)
{
    char path[TEMPORARY_PATH_MAX];
    char uri[3 * URI_MAX];

    temporary_name(folder, "state", path);
    snprintf(uri, sizeof(uri), "exec:cat >'%s.part' && mv '%s.part' '%s'", path, path, path);
    if (!await_status(dialog, "query-status", "running", "shutdown paused")) {
        return false;
    }
    if (!leave_memory_out(dialog) || !migrate(dialog, "migrate", uri)) {
        *refused = goes_on(dialog->qemu) && monotonic_ms() < dialog->limit_ms;
        return false;
    }
    return await_status(dialog, "query-migrate", "setup active device", "completed") &&
           await_file(dialog, path);
}

static bool boot_and_save(const struct qemu_machine *machine, const struct qemu_files *files,
                          const struct temporary *folder, uint64_t limit_ms, bool *refused)
{
    const struct qemu_files making = {
        .messages = files->messages,
        .firmware = files->firmware,
        .qmp = files->qmp,
        .saved = folder->path,
        .saves = true,
    };
    struct qemu_machine bare = *machine;
    struct qemu qemu;
    struct dialog dialog;
    char error[QEMU_ERROR_MAX];

    bare.plugin = NULL;
    if (!qemu_start(&qemu, &bare, &making, error)) {
        return false;
    }
    bool saved = dialog_open(&dialog, &qemu, files->qmp, limit_ms);

    if (saved) {
        saved = save(&dialog, folder, refused);
        qmp_close(&dialog.qmp);
    }
    qemu_stop(&qemu, 0);
    unlink(files->qmp);
    return saved;
}

/* Writes the parts to the disk before their folder gets its name. */
static bool sync_parts(const struct temporary *folder)
{
    bool good = true;

    for (size_t i = 0; i < sizeof(parts) / sizeof(parts[0]); i++) {
        char path[TEMPORARY_PATH_MAX];

        temporary_name(folder, parts[i], path);
        const int part = open(path, O_RDONLY | O_CLOEXEC);

        good = part >= 0 && fsync(part) == 0 && good;
        if (part >= 0) {
            close(part);
        }
    }
    return good;
}

/* Makes the snapshot, or one that states that it is unusable. */
static bool make_in(const struct qemu_machine *machine, const struct qemu_files *files,
                    const struct temporary *making, uint64_t limit_ms)
{
    char path[TEMPORARY_PATH_MAX];
    char about[ABOUT_MAX];
    bool refused = false;

    if (mkdir(making->path, 0777) != 0 ||
        !boot_and_save(machine, files, making, limit_ms, &refused)) {
        return refused && temporary_write(making, "about", unusable);
    }
    temporary_name(making, "state", path);
    return make_running(path) && describe(making, about) &&
           temporary_write(making, "about", about) && sync_parts(making);
}

/* Makes a snapshot under the lock. Removes what a killed maker left. */
static bool make_locked(const struct qemu_machine *machine, const struct qemu_files *files,
                        const struct temporary *cache, const struct temporary *folder,
                        uint64_t limit_ms)
{
    struct temporary making = {""};
    struct temporary old = *folder;

    temporary_remove(&old);
    while (count_snapshots(cache, &old) >= SNAPSHOTS_MAX) {
        const struct temporary oldest = old;

        temporary_remove(&old);
        if (access(oldest.path, F_OK) == 0) {
            return false;
        }
    }
    subfolder(cache, "making", &making);
    old = making;
    temporary_remove(&old);
    if (make_in(machine, files, &making, limit_ms) && rename(making.path, folder->path) == 0) {
        return true;
    }
    temporary_remove(&making);
    return false;
}

static bool make(const struct qemu_machine *machine, const struct qemu_files *files,
                 const struct temporary *cache, const struct temporary *folder, uint64_t limit_ms)
{
    char path[TEMPORARY_PATH_MAX];

    temporary_name(cache, "lock", path);
    const int lock = open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0666);
    const bool made =
        lock >= 0 && flock(lock, LOCK_EX | LOCK_NB) == 0 &&
        (look_up(folder) == SNAPSHOT_WHOLE || make_locked(machine, files, cache, folder, limit_ms));

    if (lock >= 0) {
        close(lock);
    }
    return made;
}

/* ---- resuming ---- */

/* Begins the log with what firmware had sent. */
static bool begin_log(const struct temporary *folder, const char *log)
{
    char path[TEMPORARY_PATH_MAX];

    temporary_name(folder, "serial", path);
    FILE *from = fopen(path, "r");
    FILE *to = fopen(log, "w");
    const bool good = from != NULL && to != NULL && copy_bytes(from, to);

    if (from != NULL) {
        fclose(from);
    }
    return to != NULL && fclose(to) == 0 && good;
}

/* Returns whether the image has sent anything. A short run may end before it was seen running. */
static bool has_grown(const struct temporary *folder, const char *log)
{
    char path[TEMPORARY_PATH_MAX];
    struct stat before;
    struct stat now;

    temporary_name(folder, "serial", path);
    return stat(path, &before) == 0 && stat(log, &now) == 0 && now.st_size > before.st_size;
}

/* Connects the line to the log, appending. A pipe, as in a full boot, would write from the start of
 * the log. */
static bool connect_line(struct dialog *dialog, const struct qemu_files *files, const char *log)
{
    char input[TEMPORARY_PATH_MAX];

    snprintf(input, sizeof(input), "%s.in", files->line);
    return ask(dialog, json_pack("{s:s,s:{s:s,s:{s:s,s:{s:s,s:s,s:b}}}}", "execute",
                                 "chardev-change", "arguments", "id", "line", "backend", "type",
                                 "file", "data", "in", input, "out", log, "append", 1));
}

static bool resume(struct qemu *qemu, const struct qemu_machine *machine,
                   const struct qemu_files *files, const struct temporary *folder, const char *log,
                   uint64_t limit_ms)
{
    struct qemu_files saved = *files;
    struct dialog dialog;
    char path[TEMPORARY_PATH_MAX];
    char uri[URI_MAX];
    char error[QEMU_ERROR_MAX];

    saved.saved = folder->path;
    temporary_name(folder, "state", path);
    snprintf(uri, sizeof(uri), "exec:cat '%s'", path);
    *qemu = (struct qemu){0};
    if (!begin_log(folder, log) || !qemu_start(qemu, machine, &saved, error)) {
        return false;
    }
    bool runs = dialog_open(&dialog, qemu, files->qmp, limit_ms);

    if (runs) {
        /* 0 rounds: QEMU would announce the NICs at times of the host. */
        runs = connect_line(&dialog, files, log) && leave_memory_out(&dialog) &&
               ask(&dialog, json_pack("{s:s,s:{s:i}}", "execute", "migrate-set-parameters",
                                      "arguments", "announce-rounds", 0)) &&
               migrate(&dialog, "migrate-incoming", uri) &&
               (await_status(&dialog, "query-status", "inmigrate", "running") ||
                has_grown(folder, log));
        qmp_close(&dialog.qmp);
    }
    if (!runs) {
        qemu_stop(qemu, 0);
    }
    unlink(files->qmp);
    return runs;
}

bool snapshot_start(struct qemu *qemu, const struct qemu_machine *machine,
                    const struct qemu_files *files, const char *log, uint64_t timeout_ms,
                    struct progress *progress)
{
    const uint64_t limit_ms = timeout_ms != 0 && timeout_ms < LIMIT_MS ? timeout_ms : LIMIT_MS;
    char key[SHA256_TEXT];
    struct temporary cache = {""};
    struct temporary folder = {""};

    if (strlen(files->qmp) >= SOCKET_MAX || !find_cache(&cache) ||
        !snapshot_key(machine, files, key)) {
        return false;
    }
    subfolder(&cache, key, &folder);
    const enum snapshot_state state = look_up(&folder);

    if (state == SNAPSHOT_UNUSABLE) {
        return false;
    }
    if (state == SNAPSHOT_NONE) {
        progress_live(progress, "saving the machine for later boots...");
        if (!make(machine, files, &cache, &folder, limit_ms) ||
            look_up(&folder) != SNAPSHOT_WHOLE) {
            return false;
        }
    }
    touch(&folder);
    if (resume(qemu, machine, files, &folder, log, limit_ms)) {
        return true;
    }
    if (qemu->pid > 0 && WIFEXITED(qemu->status) &&
        (WEXITSTATUS(qemu->status) != 0 || limit_ms == LIMIT_MS) && !interrupt_seen()) {
        progress_note(progress, "QEMU does not resume from %.300s: booting from the start",
                      folder.path);
        mark_unusable(&folder);
    }
    const int emptied = open(log, O_WRONLY | O_TRUNC | O_CLOEXEC);

    if (emptied >= 0) {
        close(emptied);
    }
    return false;
}
