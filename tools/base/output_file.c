/* SPDX-License-Identifier: BSD-2-Clause */
#include "tools/base/output_file.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <string.h>
#include <unistd.h>

#include "tools/base/pager.h"

static bool fail(char error[OUTPUT_FILE_ERROR_MAX], const char *path, int cause)
{
    snprintf(error, OUTPUT_FILE_ERROR_MAX, "cannot write %.400s: %s",
             path != NULL ? path : "standard output", strerror(cause));
    return false;
}

/* Duplicates the descriptor for the stream: closing the stream must not release the lock. */
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

/* Why a write failed. If it failed earlier, its errno is lost: writes again to get it. */
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

    clearerr(stream); /* report it once */
    if (stream == stdout && cause == EPIPE && !pager_is_on()) {
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
