/* SPDX-License-Identifier: BSD-2-Clause */
#include "tools/cmd/page_file.h"

#include <errno.h>
#include <langinfo.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tools/base/alloc.h"
#include "tools/base/table.h"
#include "tools/base/texts.h"
#include "tools/show/run_page.h"
#include "tools/show/view_run.h"
#include "tools/store/file_kind.h"
#include "tools/store/runfile.h"

char *page_file_name(const char *run_file)
{
    const size_t length = strlen(run_file);
    const bool has_ending = length > 3 && strcmp(run_file + length - 3, ".db") == 0;

    return text_format("%.*s.html", (int)(has_ending ? length - 3 : length), run_file);
}

bool page_file_open(const struct command *command, struct output_file *file, const char *path)
{
    char error[OUTPUT_FILE_ERROR_MAX];
    const bool good = output_file_open(file, path, error);

    if (!good) {
        command_failure(command, "%s", error);
    }
    return good;
}

/* Reports a failed write, unless the stream itself failed: output_file_commit() reports that. */
int page_file_finish(const struct command *command, struct output_file *file, bool written)
{
    const int cause = errno;
    char error[OUTPUT_FILE_ERROR_MAX];

    if (!written && ferror(file->stream) == 0) {
        output_file_discard(file);
        return command_failure(command, "cannot write %s: %s",
                               file->path != NULL ? file->path : "-", strerror(cause));
    }
    return output_file_commit(file, error) ? COMMAND_OK : command_failure(command, "%s", error);
}

int page_file_write(const struct command *command, const struct page *page, const char *path)
{
    struct output_file file;

    return page_file_open(command, &file, path)
               ? page_file_finish(command, &file, page_write(file.stream, page))
               : COMMAND_FAILED;
}

int page_file_read(const struct command *command, const char *path, struct run *run)
{
    char error[RUNFILE_ERROR_MAX];
    char written[RUN_TARGET_MAX] = "";

    if (file_kind_of(path) == FILE_LOG) {
        command_decode_log(command, path, written);
        if (written[0] == '\0') {
            return COMMAND_FAILED; /* an error has been printed */
        }
        path = written;
    }
    return runfile_read(path, run, error) ? COMMAND_OK : command_failure(command, "%s", error);
}

static void show_in_brief(struct run *run, const char *run_file, bool has_page)
{
    struct run_texts reasons = {0};
    struct view view;

    run_valid(run, &reasons);
    run_leave_out(run);
    chart_use_blocks(strcmp(nl_langinfo(CODESET), "UTF-8") == 0);
    view_init(&view, stdout, run);
    fputc('\n', stdout);
    view_digest(&view, &reasons, run_file, has_page);
    run_texts_free(&reasons);
}

static int write_page(const struct command *command, struct run *run, const char *run_file)
{
    struct run_page *page = alloc_zeroed(sizeof(*page));
    char *path = page_file_name(run_file);

    run_page_make(page, run, NULL);
    const int status = page_file_write(command, &page->page, path);

    if (status == COMMAND_OK) {
        printf("page:  %s\n", path);
    }
    run_page_free(page);
    free(page);
    free(path);
    return status;
}

int page_file_show_run(const struct command *command, const char *run_file, bool wants_page)
{
    struct run run;

    run_init(&run);
    int status = page_file_read(command, run_file, &run);

    if (status == COMMAND_OK) {
        show_in_brief(&run, run_file, wants_page);
    }
    if (status == COMMAND_OK && wants_page) {
        status = write_page(command, &run, run_file);
    }
    run_free(&run);
    return status;
}
