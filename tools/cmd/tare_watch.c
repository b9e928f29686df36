/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * `tare watch`: shows a run in progress, from its growing log.
 */
#include <errno.h>
#include <fcntl.h>
#include <langinfo.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/stat.h>
#include <termios.h>
#include <unistd.h>

#include "tools/base/interrupt.h"
#include "tools/base/monotonic.h"
#include "tools/base/table.h"
#include "tools/cmd/commands.h"
#include "tools/show/live.h"

#define DEFAULT_SECONDS 60
#define SECONDS_MAX     1000000
#define READ_BYTES      16384
#define REDRAW_MS       200
#define WAIT_MS         100 /* time between reads of a log, in ms: poll() does not wait for files */
#define DEFAULT_ROWS    24

#define SCREEN_ENTER  "\033[?1049h\033[?25l"
#define SCREEN_LEAVE  "\033[?25h\033[?1049l"
#define SCREEN_HOME   "\033[H"
#define CLEAR_TO_LINE "\033[K"
#define CLEAR_BELOW   "\033[J"

static struct watch {
    const char *name;
    unsigned seconds;
    bool once;
    bool json;
    int log;      /* descriptor; -1: not there yet */
    off_t offset; /* bytes read so far */
    /* the log is standard input or another stream that ends and cannot be read again */
    bool pipe;
    bool terminal; /* stdout is a terminal */
    bool keys;     /* stdin is a terminal and not the log */
    bool stopped;  /* stopped by the user */
    bool again;    /* the log was replaced or cut */
    int error;     /* errno of a failed read; 0: none */
    struct termios saved;
    struct live *live;
    uint64_t drawn_ms;
    uint64_t printed_windows;
    uint64_t printed_ticks; /* time watched for gaps in the last object printed */
} watch = {.name = "", .seconds = DEFAULT_SECONDS, .log = -1};

static const struct option_line options[] = {
    {"log", OPT_ARGUMENTS(1, 1), "LOG",
     "the serial log, growing, finished or still missing; - is standard input"},
    {"seconds", OPT_UNSIGNED(&watch.seconds, 1, SECONDS_MAX), "N",
     "length of the window, in seconds of run time (default 60)"},
    {"json", OPT_FLAG(&watch.json), NULL,
     "print JSON: an object at each progress of a watch for gaps, and one at the end"},
    {"once", OPT_FLAG(&watch.once), NULL, "print one view of the log as it is, and exit"},
    OPTIONS_END,
};

/* ---- the screen ---- */

static size_t screen_rows(void)
{
    struct winsize size;

    return ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) == 0 && size.ws_row > 0 ? size.ws_row
                                                                           : DEFAULT_ROWS;
}

static void enter_screen(void)
{
    struct termios raw;

    if (watch.keys && tcgetattr(STDIN_FILENO, &watch.saved) == 0) {
        raw = watch.saved;
        raw.c_lflag &= ~(tcflag_t)(ICANON | ECHO);
        tcsetattr(STDIN_FILENO, TCSANOW, &raw);
    } else {
        watch.keys = false;
    }
    fputs(SCREEN_ENTER, stdout);
}

static void leave_screen(void)
{
    fputs(SCREEN_LEAVE, stdout);
    fflush(stdout);
    if (watch.keys) {
        tcsetattr(STDIN_FILENO, TCSANOW, &watch.saved);
    }
}

/* Overwrites the screen line by line. */
static void redraw(const struct live_state *state)
{
    const size_t rows = screen_rows();
    char *text = NULL;
    size_t length = 0;
    FILE *out = open_memstream(&text, &length);

    if (out == NULL) {
        return;
    }
    live_view(out, state, watch.name, watch.seconds, rows - 1);
    fclose(out);
    fputs(SCREEN_HOME, stdout);
    size_t line = 1;

    for (const char *at = text; *at != '\0' && line < rows; line++) {
        const size_t width = strcspn(at, "\n");

        fprintf(stdout, "%.*s" CLEAR_TO_LINE "\n", (int)width, at);
        at += at[width] == '\n' ? width + 1 : width;
    }
    fputs(CLEAR_BELOW "q quits", stdout);
    fflush(stdout);
    free(text);
}

static void print_view(const struct live_state *state)
{
    if (watch.json) {
        live_json(stdout, state);
        fflush(stdout);
        return;
    }
    live_view(stdout, state, watch.name, watch.seconds,
              watch.terminal ? screen_rows() - 1 : SIZE_MAX);
    fflush(stdout);
}

/* Draws a view: on a terminal at most every REDRAW_MS, otherwise after each window of run time.
 * With --once it draws nothing, because print_view() does so at the end. */
static void show(void)
{
    const uint64_t now = monotonic_ms();
    struct live_state state;

    if (watch.once) {
        return;
    }
    live_look(watch.live, &state);
    if (watch.terminal) {
        if (now - watch.drawn_ms >= REDRAW_MS) {
            watch.drawn_ms = now;
            redraw(&state);
        }
        return;
    }
    if (watch.json) {
        const uint64_t ticks = state.noise->count > 0 ? state.noise->lane[0].gaps.elapsed : 0;

        if (ticks != watch.printed_ticks) {
            watch.printed_ticks = ticks;
            print_view(&state);
        }
        return;
    }
    const uint64_t window = state.run->verdict.hz * watch.seconds;
    const uint64_t passed = state.has_window ? state.window->latest / window : 0;

    if (state.has_window && watch.printed_windows == 0) {
        watch.printed_windows = passed + 1; /* the first window has only begun */
    } else if (passed >= watch.printed_windows && state.has_window) {
        watch.printed_windows = passed + 1;
        print_view(&state);
        fputc('\n', stdout);
    }
}

/* ---- the log ---- */

static bool open_log(void)
{
    struct stat status;

    if (watch.log < 0) {
        watch.log = open(watch.name, O_RDONLY | O_CLOEXEC);
        watch.offset = 0;
        watch.pipe = watch.log >= 0 && fstat(watch.log, &status) == 0 && !S_ISREG(status.st_mode);
    }
    return watch.log >= 0;
}

/* Returns whether the log now holds another run: the file is shorter than what was read of it, or
 * its name now names another file. */
static bool began_anew(void)
{
    struct stat status;
    struct stat named;

    return fstat(watch.log, &status) == 0 &&
           (status.st_size < watch.offset ||
            (stat(watch.name, &named) == 0 &&
             (named.st_dev != status.st_dev || named.st_ino != status.st_ino)));
}

static bool read_some(void)
{
    uint8_t bytes[READ_BYTES];
    const ssize_t length = watch.log < 0 ? 0 : read(watch.log, bytes, sizeof(bytes));

    if (length < 0) {
        watch.error = errno == EINTR ? 0 : errno;
        return false;
    }
    watch.offset += length;
    live_push(watch.live, bytes, (size_t)length);
    return length > 0;
}

/* Waits up to `ms` for a key, or for input if the log is a stream. */
static void wait_for_more(int ms)
{
    struct pollfd polled[] = {
        {.fd = watch.keys ? STDIN_FILENO : -1, .events = POLLIN},
        {.fd = watch.pipe ? watch.log : -1, .events = POLLIN},
    };
    char key;

    if (poll(polled, 2, ms) > 0 && polled[0].revents != 0) {
        watch.stopped = read(STDIN_FILENO, &key, 1) != 1 || key == 'q' || key == 'Q';
    }
}

/* Pushes the next bytes when they arrive; the callback of live_run() (live_more). */
static bool more(void *context)
{
    (void)context;
    show();
    wait_for_more(0); /* takes a key that was pressed during a long read */
    for (;;) {
        if (watch.stopped || interrupt_seen()) {
            watch.stopped = true;
            return false;
        }
        open_log();
        if (read_some()) {
            return true;
        }
        if (interrupt_seen()) {
            continue;
        }
        if (watch.error != 0 || watch.once || watch.pipe) {
            return false;
        }
        if (watch.log >= 0 && began_anew()) {
            watch.again = true;
            return false;
        }
        show();
        wait_for_more(WAIT_MS);
    }
}

static int report_end(void)
{
    struct live_state state;

    live_look(watch.live, &state);
    if (watch.error != 0) {
        return command_failure(&command_watch, "cannot read %s: %s", watch.name,
                               strerror(watch.error));
    }
    print_view(&state);
    if (watch.once || state.ended) {
        return COMMAND_OK;
    }
    return command_failure(&command_watch, "%s",
                           watch.stopped ? "stopped before the run ended"
                                         : "the log ends before the run does");
}

static void follow(void)
{
    do {
        watch.again = false;
        watch.printed_windows = 0;
        if (watch.live != NULL) {
            live_destroy(watch.live);
            close(watch.log);
            watch.log = -1; /* so that it is opened again by its name */
        }
        watch.live = live_create(watch.seconds, more, NULL);
        live_run(watch.live);
    } while (watch.again);
}

static int run_watch(const struct option_rest *rest)
{
    watch.name = rest->arguments[0];
    watch.pipe = strcmp(watch.name, "-") == 0;
    watch.log = watch.pipe ? STDIN_FILENO : -1;
    if (!open_log() && (errno != ENOENT || watch.once)) {
        return command_failure(&command_watch, "cannot read %s: %s", watch.name, strerror(errno));
    }
    watch.terminal = !watch.once && !watch.json && isatty(STDOUT_FILENO) == 1;
    watch.keys = watch.terminal && !watch.pipe && isatty(STDIN_FILENO) == 1;
    chart_use_blocks(strcmp(nl_langinfo(CODESET), "UTF-8") == 0);
    interrupt_catch();
    if (watch.terminal) {
        enter_screen();
    }
    follow();
    if (watch.terminal) {
        leave_screen();
    }
    const int status = report_end();

    live_destroy(watch.live);
    if (watch.log > STDIN_FILENO) {
        close(watch.log);
    }
    return status;
}

const struct command command_watch = {
    .name = "watch",
    .summary = "show a run in progress: what uses processors, disks and network",
    .about = "usage: tare watch [--seconds N] [--once] [--json] LOG\n"
             "\n"
             "Shows a run in progress from its log: start `tare boot --log LOG` or `tare\n"
             "capture --log LOG` in one terminal and this in another. For the last seconds of\n"
             "run time it shows how busy each processor was, in all and in each 60th of that\n"
             "time; the share of each process and of its threads, handlers of interrupts and\n"
             "deferred calls, dispatcher and tracer; requests and bytes of each disk; and the\n"
             "frames that the latest bench of the network counted, which are not traced. The\n"
             "trace of a part of a bench arrives when that part ends. With trace.mode=off it\n"
             "shows the CPU time of threads and interrupts so far. For bench gap it shows what\n"
             "took the processors in a sentence, and for each processor the longest gap, how\n"
             "long ago it was, and the longest gaps over time, as the machine's screen does.\n",
    .options = options,
    .notes = "On a terminal it redraws in place until the run ends, or until q or Ctrl-C;\n"
             "otherwise it prints a view after each window, and at the end.\n"
             "\n"
             "Exit status: 0 the run ended, or --once; 1 it did not, or no log; 2 wrong usage.\n",
    .run = run_watch,
};
