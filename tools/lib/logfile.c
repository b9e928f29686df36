/* SPDX-License-Identifier: BSD-2-Clause */
#include "tools/lib/logfile.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

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

/* The log's name with .db in the place of its extension. */
static void output_beside(const char *log, char output[LOGFILE_PATH_MAX])
{
    const char *slash = strrchr(log, '/');
    const char *dot = strrchr(slash != NULL ? slash : log, '.');
    const size_t stem =
        dot != NULL && dot > log && dot[-1] != '/' ? (size_t)(dot - log) : strlen(log);

    snprintf(output, LOGFILE_PATH_MAX, "%.*s.db", (int)stem, log);
}

static bool choose_names(struct logfile *files, const char *log, const char *output,
                         char error[LOGFILE_ERROR_MAX])
{
    const char *chosen = log != NULL ? log : default_log();

    if (strlen(chosen) + 4 >= LOGFILE_PATH_MAX ||
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
    if (strcmp(files->log, files->output) == 0) {
        return fail(error, files->log, "log and run file cannot be the same file");
    }
    return true;
}

bool logfile_open(struct logfile *files, const char *log, const char *output,
                  char error[LOGFILE_ERROR_MAX])
{
    struct stat status;

    if (!choose_names(files, log, output, error)) {
        return false;
    }
    files->descriptor = open(files->log, O_RDWR | O_CREAT | O_CLOEXEC, 0666);
    if (files->descriptor < 0 || fstat(files->descriptor, &status) != 0) {
        return fail(error, files->log, strerror(errno));
    }
    const char *cause = NULL;

    if (!S_ISREG(status.st_mode)) {
        cause = "is no regular file, as a log must be";
    } else if (flock(files->descriptor, LOCK_EX | LOCK_NB) != 0) {
        cause = errno == EWOULDBLOCK ? "another run is writing it; choose another name with --log"
                                     : strerror(errno);
    } else if (ftruncate(files->descriptor, 0) != 0) {
        cause = strerror(errno);
    }
    if (cause == NULL) {
        return true;
    }
    close(files->descriptor);
    return fail(error, files->log, cause);
}

void logfile_close(struct logfile *files)
{
    close(files->descriptor);
}
