/* SPDX-License-Identifier: BSD-2-Clause */
#include <stdio.h>
#include <string.h>

#include "kernel/plan/number.h"
#include "tools/cmd/commands.h"
#include "tools/lib/interrupt.h"
#include "tools/lib/line.h"
#include "tools/lib/logfile.h"
#include "tools/lib/progress.h"
#include "tools/lib/session.h"

#define TIMEOUT_S_MAX 1000000
/* A frame takes 90 ms at 115200 baud, and a USB adapter holds bytes back for up to 16 ms. */
#define ANSWER_MS 300
#define PROBE_MS  4000

static const char help[] =
    "usage: tare capture [OPTION]... DEVICE\n"
    "\n"
    "Captures a run from a serial line, asks again for what was lost, and decodes it\n"
    "into a run file. Start it before the machine or after: a machine whose run is\n"
    "over keeps it until somebody fetches it or switches it off. It is told to power\n"
    "off once the run is complete here.\n"
    "\n"
    "DEVICE is a serial device (/dev/ttyUSB0), a unix socket's path, tcp:HOST:PORT,\n"
    "pipe:BASE (reads BASE.out, writes BASE.in), or - for standard input, one way.\n"
    "\n"
    "  --baud N            speed of a serial device (default 115200)\n"
    "  --one-way           send nothing: what is lost stays lost, and is named\n"
    "  --log FILE          the serial log, overwritten (default build/run/serial.log,\n"
    "                      or tare.log where there is no folder build)\n"
    "  -o, --output RUN.db the run file (default: the log's name with .db;\n"
    "                      build/run/run.db)\n"
    "  --timeout S         stop after so many seconds (default: never)\n"
    "  --help              this text\n"
    "\n"
    "Exit status: 0 valid run, 1 invalid or failed, 2 wrong usage.\n";

struct capture {
    const char *device;
    const char *log, *output;
    uint64_t baud;
    uint64_t timeout_s;
    bool one_way;
};

enum capture_option {
    OPTION_BAUD = 256,
    OPTION_ONE_WAY,
    OPTION_LOG,
    OPTION_TIMEOUT,
};

static const struct option options[] = {
    {"baud", required_argument, NULL, OPTION_BAUD},
    {"one-way", no_argument, NULL, OPTION_ONE_WAY},
    {"log", required_argument, NULL, OPTION_LOG},
    {"output", required_argument, NULL, 'o'},
    {"timeout", required_argument, NULL, OPTION_TIMEOUT},
    {NULL, 0, NULL, 0},
};

static int take_option(struct capture *capture, int option)
{
    switch (option) {
    case OPTION_BAUD:
        if (!parse_unsigned(optarg, &capture->baud) || capture->baud > UINT32_MAX) {
            return command_usage_error(&command_capture, "--baud %s is no speed", optarg);
        }
        return COMMAND_OK;
    case OPTION_ONE_WAY:
        capture->one_way = true;
        return COMMAND_OK;
    case OPTION_LOG:
        capture->log = optarg;
        return COMMAND_OK;
    case 'o':
        capture->output = optarg;
        return COMMAND_OK;
    case OPTION_TIMEOUT:
        if (!parse_unsigned(optarg, &capture->timeout_s) || capture->timeout_s > TIMEOUT_S_MAX) {
            return command_usage_error(&command_capture,
                                       "--timeout %s: seconds up to %d are wanted", optarg,
                                       TIMEOUT_S_MAX);
        }
        return COMMAND_OK;
    default:
        return COMMAND_USAGE; /* complained about already */
    }
}

static int parse_arguments(struct capture *capture, int argc, char **argv)
{
    int option;

    while ((option = command_next_option(&command_capture, argc, argv, "o:", options)) != -1) {
        const int status = take_option(capture, option);

        if (status != COMMAND_OK) {
            return status;
        }
    }
    if (argc - optind != 1) {
        return command_usage_error(&command_capture,
                                   argc == optind ? "which device?" : "one device is wanted");
    }
    capture->device = argv[optind];
    return COMMAND_OK;
}

static void explain(const struct capture *capture, enum session_end end,
                    const struct decoder_counts *counts)
{
    if (end == SESSION_COMPLETE) {
        return;
    }
    if (counts->bytes == 0) {
        command_failure(&command_capture, "nothing came over %s: %s", capture->device,
                        session_end_text(end));
    } else if (counts->frames == 0) {
        command_failure(&command_capture,
                        "no frame of tare came over %s: %s (is the speed right? see --baud)",
                        capture->device, session_end_text(end));
    } else {
        command_failure(&command_capture, "%s%s", session_end_text(end),
                        capture->one_way ? "" : "; the machine still has it: capture again");
    }
}

/* `line` and `files` are open. */
static int run_and_store(const struct capture *capture, struct line *line,
                         const struct logfile *files)
{
    const struct session_options session = {
        .one_way = capture->one_way,
        .probe_ms = PROBE_MS,
        .answer_ms = ANSWER_MS,
        .timeout_ms = capture->timeout_s * 1000,
        .log = files->descriptor,
    };
    struct decoder *decoder = decoder_create();
    struct decoder_counts counts;
    struct progress progress;
    int status = COMMAND_FAILED;

    progress_start(&progress);
    const enum session_end end = session_run(line, decoder, &progress, &session);

    progress_finish(&progress);
    decoder_get_counts(decoder, &counts);
    explain(capture, end, &counts);
    if (counts.frames > 0) {
        status = command_store_run(&command_capture, decoder, files->output);
        fprintf(stderr, "log %s, run file %s\n", files->log, files->output);
    }
    decoder_destroy(decoder);
    return status;
}

static int capture_main(int argc, char **argv)
{
    struct capture capture = {.baud = LINE_BAUD_DEFAULT};
    struct line line;
    struct logfile files;
    char error[LINE_ERROR_MAX];
    int status = parse_arguments(&capture, argc, argv);

    if (status != COMMAND_OK) {
        return status;
    }
    interrupt_catch();
    if (!line_open(&line, capture.device, (unsigned)capture.baud, error)) {
        return command_failure(&command_capture, "%s", error);
    }
    if (!logfile_open(&files, capture.log, capture.output, error)) {
        line_close(&line);
        return command_failure(&command_capture, "%s", error);
    }
    capture.one_way = capture.one_way || line.out < 0;
    status = run_and_store(&capture, &line, &files);
    logfile_close(&files);
    line_close(&line);
    return status;
}

const struct command command_capture = {
    .name = "capture",
    .summary = "capture a run from a serial line",
    .help = help,
    .main = capture_main,
};
