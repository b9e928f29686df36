/* SPDX-License-Identifier: BSD-2-Clause */
#include "tools/base/output_file.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "tools/base/colour.h"
#include "tools/base/table.h"

static bool forbidden; /* set by pager_forbid() */
static pid_t pager;    /* process of the pager; 0: none */

static bool fail(char error[OUTPUT_FILE_ERROR_MAX], const char *path, int cause)
{
    snprintf(error, OUTPUT_FILE_ERROR_MAX, "cannot write %.400s: %s",
             path != NULL ? path : "standard output", strerror(cause));
    return false;
}

/* Opens the partial file. The stream uses a duplicate of the descriptor, because closing the stream
 * must not release the lock. */
static bool open_partial(struct output_file *file, char error[OUTPUT_FILE_ERROR_MAX])
{
    if (!partial_file_begin(&file->partial, file->path, error)) {
        return false;
    }
    const int descriptor = fcntl(file->partial.descriptor, F_DUPFD_CLOEXEC, 0);

    file->stream = descriptor >= 0 ? fdopen(descriptor, "wb") : NULL;
    if (file->stream == NULL) {
        fail(error, file->path, errno);
        partial_file_discard(&file->partial);
        return false;
    }
    return true;
}

bool output_file_open(struct output_file *file, const char *path, char error[OUTPUT_FILE_ERROR_MAX])
{
    *file = (struct output_file){.stream = stdout};
    if (path == NULL || strcmp(path, "-") == 0) {
        return true;
    }
    file->path = path;
    if (partial_file_is_possible(path)) {
        return open_partial(file, error);
    }
    file->stream = fopen(path, "wb");
    return file->stream != NULL || fail(error, path, errno);
}

void output_file_discard(struct output_file *file)
{
    if (file->path != NULL && file->stream != NULL) {
        fclose(file->stream);
    }
    partial_file_discard(&file->partial);
    *file = (struct output_file){0};
}

/* Returns the errno of a failed write. If an earlier write failed, its errno is lost; so writes
 * again to get it. */
static int cause_of_failure(FILE *stream)
{
    if (errno == 0) {
        clearerr(stream);
        if (fputc('\n', stream) == EOF || fflush(stream) != 0) {
            return errno;
        }
    }
    return errno != 0 ? errno : EIO;
}

bool output_file_finish(FILE *stream)
{
    errno = 0;
    if (fflush(stream) == 0 && ferror(stream) == 0) {
        return true;
    }
    const int cause = cause_of_failure(stream);

    clearerr(stream); /* so that the failure is reported only once */
    if (stream == stdout && cause == EPIPE && pager <= 0) {
        signal(SIGPIPE, SIG_DFL);
        raise(SIGPIPE);
    }
    errno = cause;
    return stream == stdout && cause == EPIPE;
}

bool output_file_commit(struct output_file *file, char error[OUTPUT_FILE_ERROR_MAX])
{
    if (!output_file_finish(file->stream)) {
        fail(error, file->path, errno);
        output_file_discard(file);
        return false;
    }
    if (file->path == NULL) {
        return true;
    }
    const bool closed = fclose(file->stream) == 0;

    file->stream = NULL;
    if (!closed) {
        fail(error, file->path, errno);
        output_file_discard(file);
        return false;
    }
    const bool ok = file->partial.name == NULL || partial_file_commit(&file->partial, error);

    *file = (struct output_file){0};
    return ok;
}

void pager_forbid(void)
{
    forbidden = true;
}

/* Returns the pager's command, or NULL if no pager is wanted or installed. */
static const char *find_pager(void)
{
    const char *wanted = getenv("PAGER");

    if (wanted != NULL) {
        return wanted[0] != '\0' && strcmp(wanted, "cat") != 0 ? wanted : NULL;
    }
    return system("command -v less >/dev/null 2>&1") == 0 ? "less" : NULL;
}

_Noreturn static void be_pager(const char *program, const int ends[2])
{
    dup2(ends[0], STDIN_FILENO);
    close(ends[0]);
    close(ends[1]);
    /* less options: exit if everything fits (F), pass colours (R), leave the text on the screen
     * (X). */
    setenv("LESS", "FRX", 0);
    execl("/bin/sh", "sh", "-c", program, (char *)NULL);
    _exit(127);
}

void pager_start(void)
{
    int ends[2];

    if (forbidden || isatty(STDOUT_FILENO) != 1) {
        return;
    }
    const char *program = find_pager();

    if (program == NULL || pipe(ends) != 0) {
        return;
    }
    const bool coloured = colour_on(stdout);

    terminal_width(); /* decides the width while standard output is still the terminal */

    pager = fork();
    if (pager == 0) {
        be_pager(program, ends);
    }
    if (pager > 0) {
        dup2(ends[1], STDOUT_FILENO);
        colour_use(coloured ? COLOUR_ALWAYS : COLOUR_NEVER);
        /* Ctrl-C belongs to the pager. */
        signal(SIGINT, SIG_IGN);
    }
    close(ends[0]);
    close(ends[1]);
}

void pager_finish(void)
{
    if (pager <= 0) {
        return;
    }
    fclose(stdout);
    while (waitpid(pager, NULL, 0) < 0 && errno == EINTR) {
    }
    pager = 0;
}
