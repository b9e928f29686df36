/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The program in the page: `tare report`, `tare compare` and, as tare export writes them, `csv` and
 * `json`. In a page, a log takes the place of a run file: its log is decoded, which gives the run
 * that `tare decode` stores. Messages go to stderr, without the name of the command.
 */
#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include "tools/cmd/commands.h"
#include "tools/cmd/page_file.h"
#include "tools/export/export_numbers.h"
#include "tools/show/run_json.h"
#include "tools/store/runfile.h"
#include "tools/trace/account_check.h"
#include "tools/wire/log_read.h"
#include "tools/wire/session.h"

static void complain(const char *format, va_list arguments)
{
    vfprintf(stderr, format, arguments);
    fputc('\n', stderr);
}

int command_failure(const struct command *command, const char *format, ...)
{
    va_list arguments;

    (void)command;
    va_start(arguments, format);
    complain(format, arguments);
    va_end(arguments);
    return COMMAND_FAILED;
}

int command_usage_error(const struct command *command, const char *format, ...)
{
    va_list arguments;

    (void)command;
    va_start(arguments, format);
    complain(format, arguments);
    va_end(arguments);
    return COMMAND_USAGE;
}

const char *command_complaint(void)
{
    return "";
}

/* Every file is read as a run file: by runfile_read() below. */
enum file_kind file_kind_of(const char *path)
{
    (void)path;
    return FILE_RUN;
}

int command_decode_log(const struct command *command, const char *log, char written[RUN_TARGET_MAX])
{
    written[0] = '\0';
    return command_failure(command, "%s: a page writes no run file", log);
}

bool runfile_read(const char *path, struct run *run, char error[RUNFILE_ERROR_MAX])
{
    static struct log_form form;
    struct decoder *decoder = log_read_new(path, &form);
    struct decoder_counts counts;

    if (decoder == NULL) {
        snprintf(error, RUNFILE_ERROR_MAX, "cannot read %.300s: %s", path, strerror(errno));
        return false;
    }
    decoder_finish(decoder, run);
    account_judge(run);
    log_note_time(run, path);
    decoder_get_counts(decoder, &counts);
    decoder_destroy(decoder);
    if (counts.frames == 0) {
        snprintf(error, RUNFILE_ERROR_MAX,
                 "%.300s: expected a log of tare, got %llu bytes without an intact frame: drop "
                 "tare-0001.log, or what a terminal program logged",
                 path, (unsigned long long)counts.bytes);
    }
    return counts.frames > 0;
}

/* Writes the run of a log as numbers. */
static int write_numbers(const char *log, bool is_json)
{
    struct run_texts reasons = {0};
    struct run run;

    run_init(&run);
    const int status = page_file_read(NULL, log, &run);

    if (status == COMMAND_OK && is_json) {
        run_valid(&run, &reasons);
        run_json_samples(stdout, &run, &reasons, NULL);
    } else if (status == COMMAND_OK) {
        export_csv_samples(stdout, &run, NULL);
    }
    run_texts_free(&reasons);
    run_free(&run);
    return status;
}

/* Captures the serial line of the page as tare capture does: `log` gets each byte. */
static int capture(const char *log)
{
    const struct session_options options = {
        .probe_ms = 2000,
        .answer_ms = 300,
        .log = open(log, O_RDWR | O_CREAT | O_TRUNC, 0600),
    };
    struct line line = {.fresh = true};
    struct decoder *decoder = decoder_create();
    struct progress progress;

    progress_start(&progress);
    const enum session_end end = session_run(&line, decoder, &progress, &options);

    progress_finish(&progress);
    decoder_destroy(decoder);
    fprintf(stderr, "%s\n", session_end_text(end));
    return end == SESSION_COMPLETE ? COMMAND_OK : COMMAND_FAILED;
}

static int run_command(const struct command *command, int argc, char **argv)
{
    char error[OPTION_ERROR_MAX];
    struct option_rest rest;

    return options_parse(command->options, argc, argv, false, &rest, error)
               ? command->run(&rest)
               : command_usage_error(command, "%s", error);
}

int main(int argc, char **argv)
{
    if (argc < 2) {
        return command_usage_error(&command_report, "expected a command and a log");
    }
    if (strcmp(argv[0], "csv") == 0 || strcmp(argv[0], "json") == 0) {
        return write_numbers(argv[1], strcmp(argv[0], "json") == 0);
    }
    if (strcmp(argv[0], "capture") == 0) {
        return capture(argv[1]);
    }
    return run_command(strcmp(argv[0], "compare") == 0 ? &command_compare : &command_report, argc,
                       argv);
}
