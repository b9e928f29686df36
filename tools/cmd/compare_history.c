/* SPDX-License-Identifier: BSD-2-Clause */
#include "tools/cmd/compare_history.h"

#include <dirent.h>
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "tools/base/alloc.h"
#include "tools/base/interrupt.h"
#include "tools/base/partial_file.h"
#include "tools/base/progress.h"
#include "tools/base/texts.h"
#include "tools/cmd/shared_options.h"
#include "tools/judge/history_views.h"
#include "tools/store/fleet.h"
#include "tools/store/runfile.h"

static int add_file(struct history *history, const char *path, const char *name, int64_t number)
{
    char error[RUNFILE_ERROR_MAX];
    struct run run;
    int status = COMMAND_OK;

    run_init(&run);
    if (runfile_read(path, &run, error)) {
        history_add(history, name, number, &run);
    } else {
        status = command_failure(&command_compare, "%s", error);
    }
    run_free(&run);
    return status;
}

/* ---- a directory ---- */

static int is_run_file(const struct dirent *entry)
{
    const size_t length = strlen(entry->d_name);

    return entry->d_name[0] != '.' && length > 3 && strcmp(entry->d_name + length - 3, ".db") == 0;
}

static int add_directory(struct history *history, const char *path)
{
    struct dirent **entries;
    struct progress progress;
    int status = COMMAND_OK;
    const int count = scandir(path, &entries, is_run_file, versionsort);

    if (count < 0) {
        return command_failure(&command_compare, "cannot read %s: %s", path, strerror(errno));
    }
    progress_start(&progress);
    for (int i = 0; i < count; i++) {
        struct long_text name;

        long_text_open(&name);
        fprintf(name.out, "%s/%s", path, entries[i]->d_name);
        long_text_close(&name);
        progress_amount(&progress, "reading", (uint64_t)i, (uint64_t)count, "runs");
        if (status == COMMAND_OK && !interrupt_seen()) {
            status = add_file(history, name.text, entries[i]->d_name, 0);
        }
        long_text_free(&name);
        free(entries[i]);
    }
    progress_finish(&progress);
    free(entries);
    return status;
}

/* ---- a fleet ---- */

struct fleet_run {
    int64_t id;
    char *name;
};

struct fleet_runs {
    struct fleet_run *item;
    size_t count, capacity;
};

/* Of a row of fleet_list(). */
static bool take_row(void *context, const struct store_row *row)
{
    struct fleet_runs *runs = context;
    struct long_text name;

    long_text_open(&name);
    fprintf(name.out, "run %s", row->texts[0]);
    if (row->texts[7] != NULL) {
        fprintf(name.out, ": %s", row->texts[7]);
    }
    long_text_close(&name);
    runs->item = alloc_append(runs->item, &runs->count, &runs->capacity, sizeof(*runs->item));
    runs->item[runs->count - 1] = (struct fleet_run){strtoll(row->texts[0], NULL, 10), name.text};
    return true;
}

static int add_runs(struct history *history, struct store *store, const struct fleet_runs *runs)
{
    struct temporary folder = {.path = ""};
    char path[TEMPORARY_PATH_MAX];
    int status = COMMAND_OK;

    if (!temporary_create(&folder)) {
        return command_failure(&command_compare,
                               "cannot make a temporary folder: %s (is TMPDIR right?)",
                               strerror(errno));
    }
    temporary_name(&folder, "run.db", path);
    for (size_t i = 0; i < runs->count && status == COMMAND_OK && !interrupt_seen(); i++) {
        status = fleet_extract(store, runs->item[i].id, path)
                     ? add_file(history, path, runs->item[i].name, runs->item[i].id)
                     : command_failure(&command_compare, "%s", store->error);
    }
    temporary_remove(&folder);
    return status;
}

static int add_fleet(struct history *history, const char *name)
{
    char error[STORE_ERROR_MAX];
    struct fleet_runs runs = {0};
    struct store *store = store_open(name, STORE_READ, error);

    if (store == NULL) {
        return command_failure(&command_compare, "%s", error);
    }
    int status = fleet_look(store) && fleet_list(store, take_row, &runs)
                     ? COMMAND_OK
                     : command_failure(&command_compare, "%s", store->error);

    if (status == COMMAND_OK) {
        status = add_runs(history, store, &runs);
    }
    for (size_t i = 0; i < runs.count; i++) {
        free(runs.item[i].name);
    }
    free(runs.item);
    store_close(store);
    return status;
}

/* ---- the command ---- */

static bool is_directory(const char *path)
{
    struct stat status;

    return stat(path, &status) == 0 && S_ISDIR(status.st_mode);
}

static void show(const struct history_request *request, const struct history *history)
{
    struct ci_report *report = ci_report_wanted();

    if (report != NULL) {
        history_cases_add(report, history);
    }
    if (request->json) {
        history_json(stdout, history);
    } else if (!ci_has_output()) {
        history_print(stdout, history, request->all);
    }
}

static int check(const struct history_request *request, const struct history *history)
{
    if (interrupt_seen()) {
        return command_failure(&command_compare, "interrupted");
    }
    if (history->run_count == 0) {
        return command_failure(&command_compare, "%s has no valid run%s%s", request->from,
                               history->left_out_count > 0 ? ": " : "",
                               history->left_out_count > 0 ? history->left_out[0] : "");
    }
    if (history->series_count == 0) {
        return command_failure(&command_compare, "the runs of %s have no metric%s%s", request->from,
                               request->settings.pattern != NULL ? " " : "",
                               request->settings.pattern != NULL ? request->settings.pattern : "");
    }
    return COMMAND_OK;
}

int compare_history(const struct history_request *request)
{
    struct history history;

    history_init(&history, &request->settings);
    interrupt_catch();
    int status = is_directory(request->from) ? add_directory(&history, request->from)
                                             : add_fleet(&history, request->from);

    if (status == COMMAND_OK) {
        status = check(request, &history);
    }
    if (status == COMMAND_OK) {
        history_judge(&history);
        show(request, &history);
        status = history.failing > 0 ? COMMAND_FAILED : COMMAND_OK;
    }
    history_free(&history);
    return status;
}
