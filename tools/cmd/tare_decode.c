/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * `tare decode`: turns a serial log, or several logs of the same run, into a run file.
 */
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

#include "kernel/link/names.h"
#include "tools/base/partial_file.h"
#include "tools/cmd/commands.h"
#include "tools/cmd/shared_options.h"
#include "tools/judge/run_cases.h"
#include "tools/qemu/join.h"
#include "tools/qemu/rows.h"
#include "tools/run/run_kind.h"
#include "tools/shots/shots.h"
#include "tools/store/file_kind.h"
#include "tools/store/runfile.h"
#include "tools/trace/account_check.h"
#include "tools/under/profile.h"
#include "tools/wire/log_form.h"
#include "tools/wire/log_read.h"
#include "tools/wire/logfile.h"

static struct run_target wanted;

static const struct option_line options[] = {
    {"log", OPT_ARGUMENTS(1, INT32_MAX), "LOG",
     "the captured bytes; - reads standard input, and no other log may then be given"},
    {"output", OPT_TEXT(&wanted.output), "RUN.db",
     "the run file to write, also for an invalid run; several logs must then be of one run. "
     "Default: a run file for each log, with the log's name and .db",
     .letter = 'o'},
    {"force", OPT_FLAG(&wanted.force), NULL, FORCE_HELP},
    {"", OPT_TABLE(ci_options)},
    OPTIONS_END,
};

/* Prints the counts of a decoder. `what` names the command, or the command and one of its logs. */
static void print_counts(const char *what, const struct decoder_counts *counts)
{
    fprintf(stderr,
            "tare %s: %" PRIu64 " bytes: %" PRIu64 " frames, %" PRIu64 " repeated, %" PRIu64
            " damaged pieces, %" PRIu64 " bytes of text\n",
            what, counts->bytes, counts->frames, counts->duplicates + counts->conflicts,
            counts->damaged, counts->text_bytes);
}

static bool report_run(const struct command *command, const struct run_target *target,
                       struct run *run)
{
    struct run_texts reasons = {0};
    const bool valid = run_valid(run, &reasons);
    const char *other = run_pair_value(&run->info, INFO_OTHER_RUN);

    for (size_t i = 0; i < run->losses.count; i++) {
        fprintf(stderr, "tare %s: %s\n", command->name, run->losses.item[i]);
    }
    for (size_t i = 0; i < reasons.count; i++) {
        fprintf(stderr, "tare %s: INVALID: %s\n", command->name, reasons.item[i]);
    }
    if (other != NULL) {
        fprintf(stderr, "tare %s: %s\n", command->name, other);
    }
    if (run_unsealed(run) != NULL) {
        fprintf(stderr, "tare %s: %s\n", command->name, run_unsealed(run));
    }
    if (target->report != NULL) {
        run_cases_add(target->report, target->output != NULL ? target->output : command->name, run,
                      &reasons);
    }
    run_texts_free(&reasons);
    return valid;
}

void run_target_beside(const char *output, char path[RUN_TARGET_MAX])
{
    static const char ending[] = ".db";
    const size_t tail = sizeof(ending) - 1;
    size_t length = strlen(output);

    if (length > tail && strcmp(output + length - tail, ending) == 0) {
        length -= tail;
    }
    snprintf(path, RUN_TARGET_MAX, "%.*s.invalid%s", (int)length, output, ending);
}

/* Returns whether the path names a run file whose run is valid. */
static bool holds_valid_run(const char *path)
{
    char error[RUNFILE_ERROR_MAX];
    struct run_texts reasons = {0};
    struct stat status;
    struct run run;

    if (stat(path, &status) != 0 || !S_ISREG(status.st_mode)) {
        return false;
    }
    run_init(&run);
    const bool valid = runfile_read(path, &run, error) && run_valid(&run, &reasons);

    run_texts_free(&reasons);
    run_free(&run);
    return valid;
}

bool command_write_run(const struct command *command, const struct run_target *target,
                       struct run *run, bool valid, char written[RUN_TARGET_MAX])
{
    char error[RUNFILE_ERROR_MAX];
    const bool beside = !valid && !target->force && holds_valid_run(target->output);

    if (beside) {
        run_target_beside(target->output, written);
    } else {
        snprintf(written, RUN_TARGET_MAX, "%s", target->output);
    }
    if (!runfile_write(written, run, error)) {
        command_failure(command, "%s", error);
        return false;
    }
    if (beside) {
        fprintf(stderr,
                "tare %s: %s holds a valid run and is left as it is; this invalid run is in %s; "
                "--force replaces the valid one\n",
                command->name, target->output, written);
    }
    return true;
}

/* Adds the plugin's counts to the run; none if `path` is NULL. Returns false if the run has no
 * counts; the reason has been printed. */
static bool add_counts(const struct command *command, const char *path, struct run *run)
{
    char error[ROWS_ERROR_MAX];
    struct join_counts counts;
    struct rows rows;

    if (path == NULL) {
        return true;
    }
    if (!rows_open(&rows, path, error)) {
        command_failure(command, "--count: %s", error);
        return false;
    }
    const bool joined = join_rows(run, &rows, &counts, error);

    rows_close(&rows);
    if (!joined) {
        command_failure(command, "--count: %s", error);
        return false;
    }
    fprintf(stderr, "tare %s: counts for %zu series, none for %zu other series in ticks\n",
            command->name, counts.joined, counts.absent);
    return true;
}

/* Adds the profile of exits to the run; none if `files` is NULL. Returns false if the run has none;
 * the reason has been printed. */
static bool add_profile(const struct command *command, const struct profile_files *files,
                        struct run *run)
{
    char error[PROFILE_ERROR_MAX];

    return files == NULL || profile_add(files, run, error) ||
           command_failure(command, "--profile-exits: %s", error) == COMMAND_OK;
}

int command_store_run(const struct command *command, struct decoder *decoder,
                      const struct run_target *target, const char *log)
{
    char path[RUN_TARGET_MAX];
    struct decoder_counts counts;
    struct run run;

    run_init(&run);
    decoder_finish(decoder, &run);
    account_judge(&run);
    log_note_time(&run, log != NULL ? log : target->log);
    if (target->plan != NULL) {
        run_note_sent_plan(&run, PLAN_SOURCE_FW_CFG, target->plan);
    }
    decoder_get_counts(decoder, &counts);
    if (!target->brief || counts.duplicates + counts.conflicts + counts.damaged > 0) {
        print_counts(command->name, &counts);
    }
    if (target->written != NULL) {
        target->written[0] = '\0';
    }
    if (counts.frames == 0) {
        run_free(&run);
        return command_failure(command, "no intact frame of tare received: nothing to %s",
                               target->output != NULL ? "write" : "show");
    }
    const bool valid = report_run(command, target, &run);
    const bool counted = add_counts(command, target->rows, &run);
    const bool profiled = add_profile(command, target->profile, &run);
    const bool written =
        target->output != NULL && command_write_run(command, target, &run, valid, path);

    if (written && target->written != NULL) {
        snprintf(target->written, RUN_TARGET_MAX, "%s", path);
    }
    if (log != NULL) {
        fprintf(stderr, "log %s%s%s\n", log, written ? ", run file " : "", written ? path : "");
    }
    run_free(&run);
    return valid && counted && profiled && (written || target->output == NULL) ? COMMAND_OK
                                                                               : COMMAND_FAILED;
}

/* As log_read_new(), and prints what another program changed in the file. */
static struct decoder *open_log(const char *path, struct log_form *form)
{
    struct decoder *decoder = log_read_new(path, form);
    char text[LOG_FORM_TEXT_MAX];

    if (decoder != NULL && log_form_text(form, log_is_damaged(decoder), text)) {
        fprintf(stderr, "tare decode: %s: %s\n", path, text);
    }
    return decoder;
}

/* Returns the name of the run that a log belongs to, for messages. */
static const char *run_of(const struct decoder *decoder)
{
    const char *id = decoder_run_id(decoder);

    return id != NULL ? id : "an unnamed run";
}

/* Returns whether this log is of the same run as the logs before it; if not, prints an error. */
static bool belongs(const char *path, const struct decoder *log, const char *first,
                    const struct decoder *all)
{
    struct decoder_counts counts;

    decoder_get_counts(all, &counts);
    if (counts.frames == 0) {
        return true;
    }
    switch (decoder_compare(all, log)) {
    case DECODER_SAME_RUN:
        return true;
    case DECODER_OTHER_RUN:
        command_failure(&command_decode, "%s is a log of %s, %s of %s: cannot merge different runs",
                        first, run_of(all), path, run_of(log));
        return false;
    case DECODER_NOT_KNOWN:
        break;
    }
    command_failure(&command_decode,
                    "%s is a log of %s, %s of %s, and they have no record in common: cannot verify "
                    "that they are the same run",
                    first, run_of(all), path, run_of(log));
    return false;
}

/* Adds a log of the same run as the logs before it, and prints its counts. Sets *complete if the
 * log lacks nothing. Returns false, with an error printed, on failure. */
static bool add_log(const char *path, const char *first, struct decoder *all, bool *complete)
{
    static struct log_form form;
    struct decoder *log = open_log(path, &form);
    struct decoder_counts counts;
    char what[256];

    if (log == NULL) {
        command_failure(&command_decode, "cannot read %s: %s", path, strerror(errno));
        return false;
    }
    log_form_again(&form);
    decoder_break(log);
    decoder_get_counts(log, &counts);
    *complete = *complete || decoder_complete(log);
    snprintf(what, sizeof(what), "%s: %s", command_decode.name, path);
    print_counts(what, &counts);
    const bool ok = belongs(path, log, first, all) && log_read(path, &form, all);

    decoder_break(all);
    decoder_destroy(log);
    return ok;
}

static int decode_several(char **paths, size_t count)
{
    struct decoder *all = decoder_create();
    bool complete = false;
    int status = COMMAND_OK;

    for (size_t i = 0; i < count && status == COMMAND_OK; i++) {
        status = add_log(paths[i], paths[0], all, &complete) ? COMMAND_OK : COMMAND_FAILED;
    }
    if (!complete) {
        decoder_note_joined(all);
    }
    if (status == COMMAND_OK) {
        status = command_store_run(&command_decode, all, &wanted, NULL);
    }
    decoder_destroy(all);
    return status;
}

/* Decodes one log. If `log` is not NULL, the last line names it and the run file. */
static int decode(const struct command *command, const char *path, const struct run_target *target,
                  const char *log)
{
    static struct log_form form;
    struct decoder *decoder = open_log(path, &form);

    if (decoder == NULL) {
        return command_failure(command, "cannot read %s: %s", path, strerror(errno));
    }
    const int status = command_store_run(command, decoder, target, log);

    decoder_destroy(decoder);
    return status;
}

int command_decode_log(const struct command *command, const char *log, char written[RUN_TARGET_MAX])
{
    char error[LOGFILE_ERROR_MAX];
    struct logfile files;
    struct stat source;
    struct stat run;

    written[0] = '\0';
    if (!logfile_names(&files, log, NULL, error)) {
        return command_failure(command, "%s", error);
    }
    if (strcmp(log, files.output) == 0) {
        return command_failure(command, "%s is a log: rename it, or decode it with -o RUN.db", log);
    }
    if (!wanted.force && file_kind_of(files.output) == FILE_RUN && stat(files.output, &run) == 0 &&
        stat(log, &source) == 0 && run.st_mtime >= source.st_mtime) {
        snprintf(written, RUN_TARGET_MAX, "%s", files.output);
        fprintf(stderr, "log %s, run file %s, which is newer\n", log, written);
        return holds_valid_run(written)
                   ? COMMAND_OK
                   : command_failure(command, "%s is INVALID: tare show prints the reason",
                                     written);
    }
    const struct run_target target = {.output = files.output,
                                      .force = wanted.force,
                                      .report = wanted.report,
                                      .written = written,
                                      .brief = true};

    return decode(command, log, &target, log);
}

/* Decodes each log to a run file next to it. Returns the worst status. */
static int decode_each(char **paths, size_t count)
{
    char written[RUN_TARGET_MAX];
    int worst = COMMAND_OK;

    for (size_t i = 0; i < count; i++) {
        if (strcmp(paths[i], "-") == 0) {
            return command_usage_error(&command_decode, "-: standard input needs -o RUN.db");
        }
        const int status = command_decode_log(&command_decode, paths[i], written);

        worst = status > worst ? status : worst;
    }
    return worst;
}

/* Checks that these logs can be decoded together into `output`. Returns the exit status. */
static int check_files(char **paths, size_t count, const char *output)
{
    struct stat status;

    for (size_t i = 0; i < count; i++) {
        partial_file_protect(paths[i]);
        if (strcmp(paths[i], "-") != 0 && file_kind_of(paths[i]) == FILE_RUN) {
            char error[FILE_KIND_MAX];

            return command_failure(
                &command_decode, "%s",
                file_kind_command(paths[i], " is a run file; run \"tare show ", "\"", error));
        }
        if (count > 1 && strcmp(paths[i], "-") == 0) {
            return command_usage_error(&command_decode, "-: standard input must be the only log");
        }
        if (count > 1 && stat(paths[i], &status) == 0 && !S_ISREG(status.st_mode)) {
            return command_failure(&command_decode,
                                   "%s is not a regular file, as each of several logs must be: "
                                   "they are read twice",
                                   paths[i]);
        }
    }
    if (output != NULL && partial_file_is_protected(output)) {
        return command_failure(&command_decode,
                               "-o %s is the log: choose another name for the run file", output);
    }
    return COMMAND_OK;
}

static int run_decode(const struct option_rest *rest)
{
    if (wanted.output != NULL && strcmp(wanted.output, "-") == 0) {
        return command_usage_error(&command_decode,
                                   "-o -: a run file cannot go to standard output; use -o RUN.db");
    }
    int status = check_files(rest->arguments, rest->count, wanted.output);

    if (status != COMMAND_OK) {
        return status;
    }
    wanted.log = rest->arguments[rest->count - 1];
    wanted.report = ci_report_wanted();
    status = wanted.output == NULL ? decode_each(rest->arguments, rest->count)
             : rest->count == 1    ? decode(&command_decode, rest->arguments[0], &wanted, NULL)
                                   : decode_several(rest->arguments, rest->count);
    return ci_finish(&command_decode, status);
}

/* If the first argument is a picture of a QR code, writes the log of all of them, which then is the
 * only argument. Returns the exit status. */
static int read_pictures(struct option_rest *rest)
{
    static char log[RUN_TARGET_MAX];
    static char *arguments[] = {log};
    const char *output = wanted.output != NULL ? wanted.output : rest->arguments[0];
    const char *ending = strrchr(output, '.');
    char error[SHOTS_ERROR_MAX];

    if (file_kind_of(rest->arguments[0]) != FILE_PICTURE || strcmp(output, "-") == 0) {
        return COMMAND_OK;
    }
    snprintf(log, sizeof(log), "%.*s.log",
             (int)(ending != NULL && strchr(ending, '/') == NULL ? ending - output
                                                                 : (ptrdiff_t)strlen(output)),
             output);
    if (!shots_to_log(rest->arguments, rest->count, log, error)) {
        return command_failure(&command_decode, "%s", error);
    }
    *rest = (struct option_rest){.arguments = arguments, .count = 1};
    return COMMAND_OK;
}

static int run_pictures_or_logs(const struct option_rest *rest)
{
    struct option_rest logs = *rest;
    const int status = read_pictures(&logs);

    return status != COMMAND_OK ? status : run_decode(&logs);
}

const struct command command_decode = {
    .name = "decode",
    .summary = "turn serial logs into a run file",
    .about = "usage: tare decode LOG...\n"
             "       tare decode LOG... -o RUN.db\n"
             "\n"
             "Decodes the bytes of a serial line into a run file. Text, damage and repeated\n"
             "frames are allowed. Every lost frame is reported; samples are never estimated.\n"
             "Without -o each log is a run, and its run file is next to it. With -o, several\n"
             "logs of one run, such as two one-way captures, fill each other's gaps; logs of\n"
             "different runs are rejected.\n",
    .options = options,
    .notes = "Pictures (PNG) of the QR codes that the image shows are decoded as well, in any\n"
             "order. The log that the codes hold is kept next to the run file, as RUN.log.\n"
             "\n"
             "Exit status: 0 a valid run, 1 an invalid run or an unreadable log, 2 wrong\n"
             "usage.\n",
    .run = run_pictures_or_logs,
};
