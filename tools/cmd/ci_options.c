/* SPDX-License-Identifier: BSD-2-Clause */
#include "tools/cmd/ci_options.h"

#include <stdio.h>
#include <string.h>

#include "tools/base/output_file.h"
#include "tools/ci/junit.h"
#include "tools/ci/tap.h"

bool ci_option(struct ci_wishes *wishes, int option)
{
    if (option == OPTION_JUNIT) {
        wishes->junit = optarg;
    } else if (option == OPTION_TAP) {
        wishes->tap = optarg;
    }
    return option == OPTION_JUNIT || option == OPTION_TAP;
}

static bool is_output(const char *path)
{
    return path != NULL && strcmp(path, "-") == 0;
}

bool ci_has_output(const struct ci_wishes *wishes)
{
    return is_output(wishes->junit) || is_output(wishes->tap);
}

int ci_check(const struct command *command, const struct ci_wishes *wishes)
{
    if (is_output(wishes->junit) && is_output(wishes->tap)) {
        return command_usage_error(command, "--junit - and --tap -: only one of them can go to "
                                            "standard output");
    }
    return COMMAND_OK;
}

struct ci_report *ci_report_wanted(struct ci_wishes *wishes)
{
    return wishes->junit != NULL || wishes->tap != NULL ? &wishes->report : NULL;
}

static void add_failure(const struct command *command, struct ci_report *report, int status)
{
    const char *complaint = command_complaint();
    char name[64];
    char message[64];

    snprintf(name, sizeof(name), "tare %s", command->name);
    snprintf(message, sizeof(message), "exit status %d", status);
    ci_case_add(ci_suite_add(report, name),
                &(struct ci_case){
                    .state = CI_ERROR,
                    .group = "tare.command",
                    .name = name,
                    .message = complaint[0] != '\0' ? (char *)complaint : message,
                });
}

static int write_report(const struct command *command, const char *path,
                        void (*write)(FILE *out, const struct ci_report *report),
                        const struct ci_report *report)
{
    char error[OUTPUT_FILE_ERROR_MAX];
    struct output_file file;

    if (path == NULL) {
        return COMMAND_OK;
    }
    if (!output_file_open(&file, path, error)) {
        return command_failure(command, "%s", error);
    }
    write(file.stream, report);
    return output_file_commit(&file, error) ? COMMAND_OK : command_failure(command, "%s", error);
}

int ci_finish(const struct command *command, struct ci_wishes *wishes, int status)
{
    struct ci_report *report = ci_report_wanted(wishes);

    if (report == NULL) {
        return status;
    }
    if (status != COMMAND_OK && ci_report_is_good(report)) {
        add_failure(command, report, status);
    }
    const int as_junit = write_report(command, wishes->junit, junit_write, report);
    const int as_tap = write_report(command, wishes->tap, tap_write, report);

    ci_report_free(report);
    return status != COMMAND_OK ? status : as_junit != COMMAND_OK ? as_junit : as_tap;
}
