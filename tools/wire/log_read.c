/* SPDX-License-Identifier: BSD-2-Clause */
#include "tools/wire/log_read.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>

#include "kernel/link/names.h"
#include "tools/base/progress.h"
#include "tools/run/run_kind.h"

/* Returns the size of the file in bytes, or 0 if it is unknown, as for a pipe. */
static uint64_t size_of(FILE *file)
{
    struct stat status;

    return fstat(fileno(file), &status) == 0 && S_ISREG(status.st_mode) ? (uint64_t)status.st_size
                                                                        : 0;
}

/* Pushes the rest of the file to the decoder, in the form in which it was on the serial line. */
static void push_all(FILE *log, struct log_form *form, struct decoder *decoder, uint64_t total,
                     struct progress *progress)
{
    uint8_t bytes[LOG_FORM_BYTES];
    size_t length;
    uint64_t done = 0;

    while ((length = fread(bytes, 1, sizeof(bytes), log)) > 0) {
        done += length;
        const uint8_t *plain = log_form_take(form, bytes, &length);

        decoder_push(decoder, plain, length);
        progress_amount(progress, "decoding", done, total, "B");
    }
    const uint8_t *rest = log_form_rest(form, &length);

    decoder_push(decoder, rest, length);
}

bool log_read(const char *path, struct log_form *form, struct decoder *decoder)
{
    struct progress progress;
    const bool is_standard_input = strcmp(path, "-") == 0;
    FILE *log = is_standard_input ? stdin : fopen(path, "rb");

    if (log == NULL) {
        return false;
    }
    const uint64_t total = size_of(log);

    progress_start(&progress);
    push_all(log, form, decoder, total, &progress);
    const int reason = errno;
    const bool ok = !ferror(log);

    progress_finish(&progress);

    if (!is_standard_input) {
        fclose(log);
    }
    errno = reason;
    return ok;
}

bool log_is_damaged(const struct decoder *decoder)
{
    struct decoder_counts counts;

    decoder_get_counts(decoder, &counts);
    return counts.damaged > 0;
}

struct decoder *log_read_new(const char *path, struct log_form *form)
{
    struct decoder *decoder = decoder_create();
    struct stat status;
    const bool is_file = stat(path, &status) == 0 && S_ISREG(status.st_mode);

    *form = (struct log_form){0};
    bool ok = log_read(path, form, decoder);

    while (ok && is_file && log_is_damaged(decoder) && log_form_change(form) < LOG_EXACT &&
           !form->undo[log_form_change(form)]) {
        form->undo[log_form_change(form)] = true;
        log_form_again(form);
        decoder_destroy(decoder);
        decoder = decoder_create();
        ok = log_read(path, form, decoder);
    }
    if (!ok) {
        decoder_destroy(decoder);
        return NULL;
    }
    return decoder;
}

void log_note_time(struct run *run, const char *log)
{
    struct stat status;
    struct tm utc;
    char text[32];

    if (log != NULL && stat(log, &status) == 0 && S_ISREG(status.st_mode) &&
        !run_counts_instructions(run) && gmtime_r(&status.st_mtime, &utc) != NULL &&
        strftime(text, sizeof(text), "%Y-%m-%dT%H:%M:%SZ", &utc) > 0) {
        run_add_pair(run, &run->info, INFO_CAPTURED, run_text(run, text));
    }
}
