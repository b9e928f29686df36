/* SPDX-License-Identifier: BSD-2-Clause */
#include "tools/cmd/export_runs.h"

#include <math.h>
#include <string.h>
#include <sys/stat.h>

#include "tools/base/interrupt.h"
#include "tools/base/output_file.h"
#include "tools/base/partial_file.h"
#include "tools/cmd/commands.h"
#include "tools/judge/history_views.h"
#include "tools/store/runfile.h"

#define PATTERN_MAX 160

/* In exact time, whose dates are none, the time at which the file was written is the order. */
static int64_t written_at(const char *path)
{
    struct stat status;

    return stat(path, &status) == 0 ? (int64_t)status.st_mtime : 0;
}

static int read_all(const struct export_request *request, struct history *history)
{
    char error[RUNFILE_ERROR_MAX];
    int status = COMMAND_OK;

    for (size_t i = 0; i < request->count && status == COMMAND_OK && !interrupt_seen(); i++) {
        const char *path = request->files[i];
        struct run run;

        run_init(&run);
        partial_file_protect(path);
        if (runfile_read(path, &run, error)) {
            history_add(history, path, written_at(path), &run);
        } else {
            status = command_failure(&command_export, "%s", error);
        }
        run_free(&run);
    }
    return status;
}

static int check(const struct export_request *request, const struct history *history)
{
    for (size_t i = 0; i < history->left_out_count; i++) {
        fprintf(stderr, "tare export: left out: %s\n", history->left_out[i]);
    }
    if (interrupt_seen()) {
        return command_failure(&command_export, "interrupted; nothing was written");
    }
    if (history->run_count == 0) {
        return command_failure(&command_export, "no valid run given");
    }
    if (history->group_count > 1) {
        return command_failure(&command_export,
                               "the runs are of several machines or kinds of time: %s, %s; and %s, "
                               "%s: export each separately",
                               history->groups[0].machine, history->groups[0].time,
                               history->groups[1].machine, history->groups[1].time);
    }
    if (history->series_count == 0) {
        return command_failure(&command_export, "%s has no metric%s%s", request->files[0],
                               request->bench != NULL ? " of bench " : "",
                               request->bench != NULL ? request->bench : "");
    }
    return COMMAND_OK;
}

static int write_file(const struct export_request *request, const struct history *history)
{
    char error[OUTPUT_FILE_ERROR_MAX];
    struct output_file file;

    if (!output_file_open(&file, request->output, error)) {
        return command_failure(&command_export, "%s", error);
    }
    history_bencher(file.stream, history);
    return output_file_commit(&file, error) ? COMMAND_OK
                                            : command_failure(&command_export, "%s", error);
}

int export_runs(const struct export_request *request)
{
    char pattern[PATTERN_MAX];
    struct history history;
    const struct history_settings settings = {
        .alpha = HISTORY_ALPHA,
        .threshold = NAN,
        .last = request->count,
        .pattern = request->bench != NULL ? pattern : NULL,
        .spread = true,
    };

    snprintf(pattern, sizeof(pattern), "%.150s.*", request->bench != NULL ? request->bench : "");
    history_init(&history, &settings);
    interrupt_catch();
    int status = read_all(request, &history);

    if (status == COMMAND_OK) {
        status = check(request, &history);
    }
    if (status == COMMAND_OK) {
        history_order(&history);
        status = write_file(request, &history);
    }
    history_free(&history);
    return status;
}
