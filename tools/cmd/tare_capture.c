/* SPDX-License-Identifier: BSD-2-Clause */
/* `tare capture`: receives the log from a serial line or a socket, and requests lost frames again.
 */
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "tools/base/interrupt.h"
#include "tools/base/line.h"
#include "tools/base/progress.h"
#include "tools/cmd/commands.h"
#include "tools/cmd/shared_options.h"
#include "tools/wire/line_test.h"
#include "tools/wire/log_form.h"
#include "tools/wire/logfile.h"
#include "tools/wire/session.h"

#define TIMEOUT_S_MAX 1000000
/* After this silence in ms an answer is over. A frame takes 90 ms at 115200 baud, and a USB adapter
 * holds bytes back for up to 16 ms. */
#define ANSWER_MS 300
#define PROBE_MS  2000
/* Silence in ms after which a resumed capture asks for the end of the run. A machine whose run was
 * partly captured has most likely ended the run. */
#define PROBE_AGAIN_MS 1000

static struct capture {
    const char *device;
    const char *log, *output;
    uint64_t baud, baud_max;
    uint64_t timeout_s;
    unsigned flow; /* 1: hardware flow control by RTS and CTS */
    bool one_way;
    bool force;
    bool test_line;
    struct line line;
    struct logfile files;
    struct progress progress;
    struct decoder *decoder; /* decodes what is received */
    struct decoder *held;    /* has decoded the log of the capture that is resumed; NULL: none */
    char error[LOGFILE_ERROR_MAX];
} capture = {.baud = LINE_BAUD_DEFAULT};

static const char *const flows[] = {"none", "hardware", NULL};
static const struct option_line options[] = {
    {"device", OPT_ARGUMENTS(1, 1), "DEVICE"},
    {"baud", OPT_NUMBER(&capture.baud, 0, UINT32_MAX), "N",
     "speed of a serial device (default 115200)", .expected = "a speed in baud"},
    {"baud-max", OPT_NUMBER(&capture.baud_max, 0, UINT32_MAX), "N",
     "after the run, transfer missing frames at up to N baud, as far as the machine and the line "
     "allow",
     .expected = "a speed in baud"},
    {"flow", OPT_WORD(&capture.flow), NULL,
     "flow control of a serial device: hardware is RTS and CTS (default none)", .words = flows},
    {"one-way", OPT_FLAG(&capture.one_way), NULL,
     "send nothing: lost frames stay lost and are reported"},
    {"log", OPT_TEXT(&capture.log), "FILE",
     "the serial log. A capture of the same run continues an incomplete log. A log of a complete "
     "run that has its run file is overwritten; any other log is kept as FILE.1, FILE.2... "
     "(default build/run/serial.log, or tare.log if there is no folder build)"},
    {"output", OPT_TEXT(&capture.output), "RUN.db",
     "the run file (default: with --log the log's name with .db, otherwise build/run/run.db, or "
     "tare.db if there is no folder build)",
     .letter = 'o'},
    {"force", OPT_FLAG(&capture.force), NULL, FORCE_HELP},
    {"test-line", OPT_FLAG(&capture.test_line), NULL,
     "capture nothing: have a machine that keeps its finished run send each of the 256 byte "
     "values, and report which of them do not arrive as they were sent"},
    {"timeout", OPT_NUMBER(&capture.timeout_s, 0, TIMEOUT_S_MAX), "S",
     "stop after S seconds (default 0: never)"},
    {"", OPT_TABLE(ci_options)},
    OPTIONS_END,
};

static void explain(enum session_end end, const struct decoder_counts *counts)
{
    if (end == SESSION_COMPLETE || end == SESSION_LOG_FAILED) {
        return;
    }
    if (counts->bytes == 0) {
        command_failure(&command_capture, "received nothing from %s: %s", capture.device,
                        session_end_text(end));
    } else if (counts->frames == 0) {
        command_failure(&command_capture,
                        "received no frame of tare from %s: %s; check the speed (--baud)",
                        capture.device, session_end_text(end));
    } else {
        command_failure(&command_capture, "%s%s", session_end_text(end),
                        capture.one_way ? "" : "; the machine still has the run: capture again");
    }
}

static bool open_line(void)
{
    char error[LINE_ERROR_MAX];

    if (!line_open(&capture.line, capture.device, (unsigned)capture.baud, error)) {
        snprintf(capture.error, sizeof(capture.error), "%s", error);
        return false;
    }
    if (capture.flow == 1 && !line_set_hardware_flow(&capture.line)) {
        snprintf(capture.error, sizeof(capture.error),
                 "%.300s has no hardware flow control; omit --flow", capture.device);
        line_close(&capture.line);
        return false;
    }
    return true;
}

static bool reopen(void *context, struct line *line)
{
    (void)context;
    line_close(line);
    return open_line();
}

/* Pushes the contents of a file, from offset `at` on, to the decoder. */
static bool push_file(struct decoder *decoder, int file, off_t at)
{
    uint8_t bytes[65536];
    ssize_t length;

    while ((length = pread(file, bytes, sizeof(bytes), at)) > 0) {
        decoder_push(decoder, bytes, (size_t)length);
        at += length;
        progress_live(&capture.progress, "reading the log so far...");
    }
    if (length < 0) {
        snprintf(capture.error, sizeof(capture.error), "cannot read %.300s: %s", capture.files.log,
                 strerror(errno));
    }
    return length == 0;
}

static void forget_held(void)
{
    decoder_destroy(capture.held);
    capture.held = NULL;
}

static void report_kept(void)
{
    if (capture.files.kept[0] != '\0') {
        progress_note(&capture.progress, "%s.new is from an unknown run: kept as %s",
                      capture.files.log, capture.files.kept);
        capture.files.kept[0] = '\0';
    }
}

/* Starts a new log and keeps the old one under another name. */
static bool replace_log(const char *why)
{
    char kept[LOGFILE_PATH_MAX];

    if (!logfile_replace(&capture.files, kept, capture.error)) {
        return false;
    }
    report_kept();
    progress_note(&capture.progress, "%s %s: kept as %s", capture.files.log, why, kept);
    forget_held();
    return true;
}

/* Resumes an incomplete log. The file FILE.new next to it holds what a later capture received that
 * was also stopped. */
static bool go_on_with_log(void)
{
    const char *id = decoder_run_id(capture.held);
    struct decoder_counts counts;

    decoder_get_counts(capture.held, &counts);
    progress_note(&capture.progress, "resuming %s: run %s, has %" PRIu64 " frames",
                  capture.files.log, id != NULL ? id : "(id missing)", counts.frames);
    if (!logfile_open_beside(&capture.files, capture.error) ||
        !push_file(capture.decoder, capture.files.beside, 0)) {
        return false;
    }
    decoder_break(capture.decoder);
    return true;
}

/* Returns whether a run file is at least as new as the log. If a capture was killed after its last
 * frame, the machine is powered off and no run file was written: the log is then the only copy of
 * the run. */
static bool is_stored_in(const char *path)
{
    struct stat log;
    struct stat output;

    if (fstat(capture.files.descriptor, &log) != 0 || stat(path, &output) != 0) {
        return false;
    }
    return output.st_mtim.tv_sec > log.st_mtim.tv_sec ||
           (output.st_mtim.tv_sec == log.st_mtim.tv_sec &&
            output.st_mtim.tv_nsec >= log.st_mtim.tv_nsec);
}

/* Returns whether the log is stored in its run file, or in the one for an invalid run. */
static bool is_stored(void)
{
    char beside[RUN_TARGET_MAX];

    run_target_beside(capture.files.output, beside);
    return is_stored_in(capture.files.output) || is_stored_in(beside);
}

/* Opens the log in the state in which an earlier capture may have left it. */
static bool prepare_log(void)
{
    struct decoder_counts counts;

    if (!logfile_open_as_it_is(&capture.files, capture.log, capture.output, capture.error)) {
        return false;
    }
    capture.held = decoder_create();
    if (!push_file(capture.held, capture.files.descriptor, 0)) {
        return false;
    }
    decoder_break(capture.held);
    decoder_get_counts(capture.held, &counts);
    if (counts.bytes > 0 && counts.frames == 0) {
        return replace_log("contains no frame");
    }
    if (counts.bytes > 0 && !decoder_complete(capture.held)) {
        return go_on_with_log();
    }
    if (counts.bytes > 0 && !is_stored()) {
        return replace_log("is complete and newer than its run file");
    }
    forget_held();
    if (!logfile_empty(&capture.files, capture.error)) {
        return false;
    }
    report_kept();
    return true;
}

static struct decoder *join_log(void)
{
    struct decoder_counts counts;

    decoder_get_counts(capture.held, &counts);
    if (!logfile_join(&capture.files, capture.error) ||
        !push_file(capture.held, capture.files.descriptor, (off_t)counts.bytes)) {
        return NULL;
    }
    decoder_destroy(capture.decoder);
    capture.decoder = capture.held;
    capture.held = NULL;
    decoder_note_joined(capture.decoder);
    return capture.decoder;
}

/* Goes on with another run, which has ended on the line before the run in the log was complete. The
 * log with both is kept, and the new log begins with the first frame of that run. */
static struct decoder *follow_other_run(void)
{
    char kept[LOGFILE_PATH_MAX];
    struct decoder *both;

    if (capture.held != NULL && !replace_log("is from another run")) {
        return NULL;
    }
    both = decoder_create();
    bool ok = push_file(both, capture.files.descriptor, 0);

    ok = ok && logfile_cut(&capture.files, decoder_other_begin(both), kept, capture.error);
    decoder_destroy(both);
    decoder_destroy(capture.decoder);
    capture.decoder = decoder_create();
    if (!ok || !push_file(capture.decoder, capture.files.descriptor, 0)) {
        return NULL;
    }
    progress_note(&capture.progress,
                  "another run ended before this one was complete: %s has that run, the bytes of "
                  "both are kept as %s",
                  capture.files.log, kept);
    return capture.decoder;
}

/* Decides whether the received bytes belong to the log (they are appended) or replace it. A run
 * that ended without naming its id, and has no record in common with the log, counts as another
 * run. Returns the decoder to go on with, or NULL on an error. */
static struct decoder *settle(void *context, struct decoder *decoder, int *log)
{
    (void)context;
    if (decoder_other_ended(decoder) && !decoder_ended(decoder)) {
        decoder = follow_other_run();
        *log = capture.files.descriptor;
        return decoder;
    }
    if (capture.held == NULL) {
        return decoder;
    }
    const enum decoder_kinship kinship = decoder_compare(capture.held, decoder);

    if (kinship == DECODER_SAME_RUN) {
        decoder = join_log();
    } else if (kinship == DECODER_OTHER_RUN || decoder_ended(decoder)) {
        decoder = replace_log("is from another run") ? decoder : NULL;
    } else {
        return decoder;
    }
    *log = capture.files.descriptor;
    return decoder;
}

/* Prints what the line did to the bytes, if they show it. */
static void explain_damage(void)
{
    static struct log_form form;
    uint8_t bytes[LOG_FORM_BYTES];
    char text[LOG_FORM_TEXT_MAX];
    ssize_t length;
    off_t at = 0;

    while ((length = pread(capture.files.descriptor, bytes, sizeof(bytes), at)) > 0) {
        size_t taken = (size_t)length;

        log_form_take(&form, bytes, &taken);
        at += length;
    }
    size_t rest;

    log_form_rest(&form, &rest);
    if (log_form_text(&form, true, text)) {
        fprintf(stderr, "tare capture: %s: %s\n", capture.device, text);
    }
}

static int store(enum session_end end)
{
    struct decoder_counts counts;
    int status = COMMAND_FAILED;

    decoder_get_counts(capture.decoder, &counts);
    explain(end, &counts);
    if (counts.damaged > 0 && capture.held == NULL) {
        explain_damage();
    }
    if (capture.held != NULL) {
        fprintf(stderr,
                "log %s left unchanged; the %" PRIu64 " bytes in %s.new are from an unknown run: "
                "capture again\n",
                capture.files.log, counts.bytes, capture.files.log);
    } else if (counts.frames > 0) {
        status = command_store_run(&command_capture, capture.decoder,
                                   &(struct run_target){.output = capture.files.output,
                                                        .force = capture.force,
                                                        .report = ci_report_wanted()},
                                   capture.files.log);
    }
    return status;
}

/* Prints capture.error or, if that is empty, why the log could not be written. */
static void explain_log(int cause)
{
    if (capture.error[0] != '\0') {
        command_failure(&command_capture, "%s", capture.error);
        return;
    }
    command_failure(&command_capture, "cannot write %s%s: %s; free space%s", capture.files.log,
                    capture.held != NULL ? ".new" : "", strerror(cause),
                    capture.one_way ? "" : " and capture again: the machine still has the run");
}

/* Runs the session and stores the run; line and log are open. */
static int run_and_store(void)
{
    const bool is_standard_input = strcmp(capture.device, "-") == 0;
    const struct session_options session = {
        .one_way = capture.one_way,
        .probe_ms = capture.held != NULL ? PROBE_AGAIN_MS : PROBE_MS,
        .answer_ms = ANSWER_MS,
        .timeout_ms = capture.timeout_s * 1000,
        .baud_max = (unsigned)capture.baud_max,
        .log = capture.held != NULL ? capture.files.beside : capture.files.descriptor,
        .reopen = is_standard_input ? NULL : reopen,
        .settle = settle,

    };
    const enum session_end end =
        session_run(&capture.line, capture.decoder, &capture.progress, &session);
    const int cause = errno;

    progress_finish(&capture.progress);
    if (end == SESSION_LOG_FAILED) {
        explain_log(cause);
    }
    const int status = store(end);

    return end == SESSION_LOG_FAILED ? COMMAND_FAILED : status;
}

/* Tests the line in place of a capture. */
static int test_line(void)
{
    struct line_test test;
    char text[LINE_TEST_TEXT_MAX];
    const unsigned wait_ms =
        capture.timeout_s > 0 ? (unsigned)capture.timeout_s * 1000 : LINE_TEST_WAIT_MS;

    if (!open_line()) {
        return command_failure(&command_capture, "%s", capture.error);
    }
    const bool answered = line_test_run(&test, &capture.line, wait_ms);

    line_close(&capture.line);
    if (!answered) {
        return command_failure(&command_capture,
                               "--test-line: no answer from %s in %u s; a machine answers while it "
                               "keeps its finished run (check the speed, --baud, and link.serve)",
                               capture.device, wait_ms / 1000);
    }
    const bool intact = line_test_text(&test, text);

    printf("%s: %s\n", capture.device, text);
    return intact ? COMMAND_OK : COMMAND_FAILED;
}

static int capture_line(void)
{
    if (capture.baud_max > 0 && !line_check_baud((unsigned)capture.baud_max, capture.error)) {
        return command_failure(&command_capture, "--baud-max: %s", capture.error);
    }
    if (!open_line()) {
        return command_failure(&command_capture, "%s", capture.error);
    }
    int status;

    progress_start(&capture.progress);
    capture.decoder = decoder_create();
    capture.one_way = capture.one_way || capture.line.out < 0;
    capture.files.descriptor = -1;
    capture.files.beside = -1;
    if (prepare_log()) {
        status = run_and_store();
    } else {
        progress_finish(&capture.progress);
        status = command_failure(&command_capture, "%s", capture.error);
    }
    decoder_destroy(capture.decoder);
    decoder_destroy(capture.held);
    logfile_close(&capture.files);
    line_close(&capture.line);
    return status;
}

static int run_capture(const struct option_rest *rest)
{
    capture.device = rest->arguments[0];
    interrupt_catch();
    if (capture.test_line) {
        return test_line();
    }
    return ci_finish(&command_capture, capture_line());
}

const struct command command_capture = {
    .name = "capture",
    .summary = "capture a run from a serial line",
    .about = "usage: tare capture [OPTION]... DEVICE\n"
             "\n"
             "Captures a run from a serial line, requests lost frames again, and decodes it\n"
             "into a run file. Start it before or after the machine: a machine keeps its\n"
             "finished run until it is captured or the power is off. Once the capture is\n"
             "complete, tare powers the machine off.\n"
             "\n"
             "DEVICE is a serial device (/dev/ttyUSB0), a unix socket's path, tcp:HOST:PORT,\n"
             "udp:PORT or udp:ADDRESS:PORT of this host (set link.udp in the machine's plan),\n"
             "pipe:BASE (reads BASE.out, writes BASE.in), or - for standard input, one way.\n"
             "\n"
             "Run the same command to resume a stopped capture: it requests only what the log\n"
             "lacks. A log of another run is kept as FILE.1, FILE.2... If the line closes\n"
             "before the run is complete, tare waits for it to open again.\n"
             "\n"
             "If frames are damaged, the bytes that never arrive name the cause. --test-line\n"
             "asks a machine for all of them.\n",
    .options = options,
    .notes = "Exit status: 0 valid run, 1 invalid or failed, 2 wrong usage.\n",
    .run = run_capture,
};
