/* SPDX-License-Identifier: BSD-2-Clause */
#include "tools/wire/logfile.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include "tools/base/partial_file.h"

#define SUFFIX_MAX 16 /* longest suffix of the log's name */
#define KEPT_MAX   100000

static bool fail(char error[LOGFILE_ERROR_MAX], const char *path, const char *cause)
{
    snprintf(error, LOGFILE_ERROR_MAX, "%.300s: %s", path, cause);
    return false;
}

static const char *default_log(void)
{
    struct stat status;

    if (stat("build", &status) != 0 || !S_ISDIR(status.st_mode)) {
        return "tare.log";
    }
    mkdir("build/run", 0777);
    return "build/run/serial.log";
}

/* Writes the log's name with .db in place of its extension. */
static void output_beside(const char *log, char output[LOGFILE_PATH_MAX])
{
    const char *slash = strrchr(log, '/');
    const char *dot = strrchr(slash != NULL ? slash : log, '.');
    const size_t stem =
        dot != NULL && dot > log && dot[-1] != '/' ? (size_t)(dot - log) : strlen(log);

    snprintf(output, LOGFILE_PATH_MAX, "%.*s.db", (int)stem, log);
}

static const char same_file[] = "log and run file cannot be the same file";

bool logfile_names(struct logfile *files, const char *log, const char *output,
                   char error[LOGFILE_ERROR_MAX])
{
    const char *chosen = log != NULL ? log : default_log();

    if (strlen(chosen) + SUFFIX_MAX >= LOGFILE_PATH_MAX ||
        (output != NULL && strlen(output) >= LOGFILE_PATH_MAX)) {
        return fail(error, chosen, strerror(ENAMETOOLONG));
    }
    snprintf(files->log, sizeof(files->log), "%s", chosen);
    if (output != NULL) {
        snprintf(files->output, sizeof(files->output), "%s", output);
    } else if (log == NULL && strchr(chosen, '/') != NULL) {
        snprintf(files->output, sizeof(files->output), "build/run/run.db");
    } else {
        output_beside(chosen, files->output);
    }
    return strcmp(files->log, files->output) != 0 || fail(error, files->log, same_file);
}

/* Opens a file that only this program writes, creating it if needed. */
static int open_locked(const char *path, char error[LOGFILE_ERROR_MAX])
{
    const int descriptor = open(path, O_RDWR | O_CREAT | O_APPEND | O_CLOEXEC, 0666);
    struct stat status;
    const char *cause = NULL;

    if (descriptor < 0 || fstat(descriptor, &status) != 0) {
        snprintf(error, LOGFILE_ERROR_MAX, "cannot write %s: %s", path, strerror(errno));
        return -1;
    }
    if (!S_ISREG(status.st_mode)) {
        cause = "is not a regular file, as a log must be";
    } else if (flock(descriptor, LOCK_EX | LOCK_NB) != 0) {
        cause = errno == EWOULDBLOCK ? "another run is writing it; choose another name with --log"
                                     : strerror(errno);
    }
    if (cause == NULL) {
        return descriptor;
    }
    close(descriptor);
    fail(error, path, cause);
    return -1;
}

static bool check_protected(const char *path, char error[LOGFILE_ERROR_MAX])
{
    return !partial_file_is_protected(path) ||
           fail(error, path, "it is an input of this command; name another file");
}

bool logfile_open_as_it_is(struct logfile *files, const char *log, const char *output,
                           char error[LOGFILE_ERROR_MAX])
{
    files->beside = -1;
    files->kept[0] = '\0';
    if (!logfile_names(files, log, output, error)) {
        return false;
    }
    if (!check_protected(files->log, error) || !check_protected(files->output, error)) {
        return false;
    }
    files->descriptor = open_locked(files->log, error);
    if (files->descriptor >= 0 && partial_file_is_open_as(files->output, files->descriptor)) {
        close(files->descriptor);
        return fail(error, files->output, same_file);
    }
    return files->descriptor >= 0;
}

static void name_beside(const struct logfile *files, char path[LOGFILE_PATH_MAX])
{
    snprintf(path, LOGFILE_PATH_MAX, "%.*s.new", LOGFILE_PATH_MAX - SUFFIX_MAX, files->log);
}

/* Keeps a file under the first free numbered name of the log, so that nothing is overwritten. The
 * file also keeps its old name if the file system supports links. */
static bool keep(const struct logfile *files, const char *path, char kept[LOGFILE_PATH_MAX])
{
    for (unsigned number = 1; number < KEPT_MAX; number++) {
        snprintf(kept, LOGFILE_PATH_MAX, "%.*s.%u", LOGFILE_PATH_MAX - SUFFIX_MAX, files->log,
                 number);
        if (link(path, kept) == 0 ||
            (errno == EPERM && /* FAT does not support links */
             renameat2(AT_FDCWD, path, AT_FDCWD, kept, RENAME_NOREPLACE) == 0)) {
            return true;
        }
        if (errno != EEXIST) {
            return false;
        }
    }
    return false;
}

/* Keeps a file found next to a log that is begun anew, because it belongs to another run. */
static bool keep_beside(struct logfile *files, char error[LOGFILE_ERROR_MAX])
{
    char path[LOGFILE_PATH_MAX];
    struct stat status;

    name_beside(files, path);
    if (stat(path, &status) != 0) {
        return errno == ENOENT || fail(error, path, strerror(errno));
    }
    if (status.st_size > 0 &&
        (!keep(files, path, files->kept) || (unlink(path) != 0 && errno != ENOENT))) {
        files->kept[0] = '\0';
        return fail(error, path, strerror(errno));
    }
    return true;
}

bool logfile_empty(struct logfile *files, char error[LOGFILE_ERROR_MAX])
{
    return keep_beside(files, error) &&
           (ftruncate(files->descriptor, 0) == 0 || fail(error, files->log, strerror(errno)));
}

bool logfile_open(struct logfile *files, const char *log, const char *output,
                  char error[LOGFILE_ERROR_MAX])
{
    if (!logfile_open_as_it_is(files, log, output, error)) {
        return false;
    }
    if (logfile_empty(files, error)) {
        return true;
    }
    logfile_close(files);
    return false;
}

bool logfile_open_beside(struct logfile *files, char error[LOGFILE_ERROR_MAX])
{
    char path[LOGFILE_PATH_MAX];

    name_beside(files, path);
    files->beside = open_locked(path, error);
    return files->beside >= 0;
}

static bool write_all(int descriptor, const char *bytes, size_t length)
{
    while (length > 0) {
        const ssize_t written = write(descriptor, bytes, length);

        if (written < 0) {
            return false;
        }
        bytes += written;
        length -= (size_t)written;
    }
    return true;
}

/* Appends the bytes of a file from offset `at` on. A piece that was cut at the end of the log is
 * ended by 00h. */
static bool append(int log, int from, off_t at)
{
    char bytes[65536] = {0};
    ssize_t length = 1;

    do {
        if (!write_all(log, bytes, (size_t)length)) {
            return false;
        }
        length = pread(from, bytes, sizeof(bytes), at);
        at += length;
    } while (length > 0);
    return length == 0;
}

bool logfile_join(struct logfile *files, char error[LOGFILE_ERROR_MAX])
{
    char path[LOGFILE_PATH_MAX];

    name_beside(files, path);
    if (!append(files->descriptor, files->beside, 0) || unlink(path) != 0) {
        return fail(error, files->log, strerror(errno));
    }
    close(files->beside);
    files->beside = -1;
    return true;
}

bool logfile_replace(struct logfile *files, char kept[LOGFILE_PATH_MAX],
                     char error[LOGFILE_ERROR_MAX])
{
    char path[LOGFILE_PATH_MAX];

    name_beside(files, path);
    if (files->beside < 0 && (!keep_beside(files, error) || !logfile_open_beside(files, error))) {
        return false;
    }
    if (!keep(files, files->log, kept) || rename(path, files->log) != 0) {
        return fail(error, files->log, strerror(errno));
    }
    close(files->descriptor);
    files->descriptor = files->beside;
    files->beside = -1;
    return true;
}

bool logfile_cut(struct logfile *files, uint64_t at, char kept[LOGFILE_PATH_MAX],
                 char error[LOGFILE_ERROR_MAX])
{
    if (!keep_beside(files, error) || !logfile_open_beside(files, error)) {
        return false;
    }
    if (!append(files->beside, files->descriptor, (off_t)at)) {
        return fail(error, files->log, strerror(errno));
    }
    return logfile_replace(files, kept, error);
}

void logfile_close(struct logfile *files)
{
    struct stat status;

    close(files->descriptor);
    if (files->beside >= 0) {
        char path[LOGFILE_PATH_MAX];

        name_beside(files, path);
        if (fstat(files->beside, &status) == 0 && status.st_size == 0) {
            unlink(path);
        }
        close(files->beside);
    }
}
