/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The image's side of the line, without a machine: sends a made-up run, then answers requests as
 * the image does. For tests of `tare capture` that shall take a second.
 *
 *     fake_image (--socket PATH | --pty LINK | --stdout) [OPTION]...
 *
 *     --socket PATH     listens on a unix socket; the next client is served after the last has gone
 *     --pty LINK        opens a pseudo-terminal, to whose tty LINK will point
 *     --stdout          one way
 *     --format text     frames as base64 lines
 *     --no-end          END is lost, unless it is asked for
 *     --lose SEED       a hundredth of the frames, drawn by the seed, is not sent at first; which
 *                       they are goes to standard error, "STREAM SEQ" a line. Up to four times
 *     --no-run          the run is over and no host has it: only requests are answered
 *     --silent          a dead machine
 *     --run ID          the run's id (default 00000000000000aa)
 *     --machine NAME    the name of its processor
 *     --pace N          sends N bytes a second
 *     --hold N          after N bytes it sends nothing to this host, which has to go; the next one
 *                       misses MISS bytes. Up to four times, one after the other
 *     --rate-limit N    higher speeds are refused
 *     --rate-deaf N     higher speeds are agreed to, and carry nothing
 *     --hello           asks before the run whether a host listens, and sends nothing to one that
 *                       does not answer
 *     --timeout S       ends after so long (default 60)
 *
 * On bye it prints what requests it had, as "get=0 status=0 bye=1 damaged=0", then how many frames
 * the last host had it send again, how many frames the run has, how many bytes of requests waited
 * at most, whether its tty had flow control by RTS and CTS, how often a host sent hello, and at
 * what speed it was; and ends with 0. What another speed of a tty carries is garbage, both ways.
 */
#include <errno.h>
#include <fcntl.h>
#include <getopt.h>
#include <inttypes.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/socket.h>
#include <termios.h>
#include <unistd.h>

#include "kernel/link/frame.h"
#include "kernel/link/line_pattern.h"
#include "kernel/link/record.h"
#include "kernel/trace/packet.h"
#include "tools/base/monotonic.h"
#include "tools/tests/support/log_builder.h"
#include "tools/tests/support/unix_listener.h"

#define SAMPLES  80000
#define NOMINAL  1000000
#define PACKETS  120
#define RATE     115200
#define LOSE_MAX 4
#define LOSE_ONE 100 /* of so many frames */
#define HOLD_MAX 4
#define MISS     4000
/* As the image waits for rate_check. */
#define RATE_CHECK_MS 1000

struct fake {
    struct log_builder log; /* its frames in the order in which they are sent; the last is END */
    enum frame_format format;
    bool no_end, no_run, silent, hello;
    bool hardware_flow;      /* at bye: the host had it set on the tty */
    uint64_t lose[LOSE_MAX]; /* seeds */
    size_t lose_count;
    const char *run, *machine;
    unsigned pace; /* bytes a second; 0: as fast as they are taken */
    size_t holds[HOLD_MAX], hold_count, holds_done;
    size_t sent; /* to this host, or to none since the last has gone */
    unsigned rate, old_rate, rate_limit, rate_deaf;
    uint64_t unproven_ms; /* since when the speed is a new one; 0: it is not */
    int listener;         /* -1: a line that is always open */
    int line;             /* -1: no host */
    int tty;              /* the other end of a pseudo-terminal; -1: none */
    unsigned gets, status_requests, byes, hellos, damaged, frames_again, waiting_max;
};

static struct fake fake = {.run = "00000000000000aa",
                           .machine = "a processor that is none",
                           .rate = RATE,
                           .listener = -1,
                           .line = -1,
                           .tty = -1};

/* A fixed sequence that looks like measurement: mostly small, now and then large. */
static int64_t noise(uint32_t *state)
{
    *state = *state * 1664525u + 1013904223u;
    const uint32_t draw = *state >> 8;

    return draw % 1000 == 0 ? (int64_t)(draw % 200000) : (int64_t)(draw % 90) - 40;
}

/* Of the packets from the `first` on. */
static void add_trace(uint32_t part, uint64_t first)
{
    uint8_t *packets = log_packets(first, PACKETS, part);

    log_trace(&fake.log, "switches", part, packets, PACKETS,
              (uint64_t)PACKETS * LOG_PACKET_RECORDS);
    free(packets);
}

static void build_run(void)
{
    static const char *const start[] = {
        "run kind=exact ticks_per_instruction=8 hypervisor=TCGTCGTCGTCG date=2024-01-01T00:00:00Z",
        "plan source=fw_cfg text=\"link.serve=1\"",
        "source name=hpet hz=100000000 from=\"capability register\"",
        "estimate clock=tsc reference=hpet hz=1000000000 error_ppb=12 windows=7",
        "verdict ok=1 hz=1000000000 by=hpet,pm_timer reason=\"they agree\"",
        "bench name=idle group=idle summary=\"idle loop\" unit=tick estimate=\"1 ms\"",
        "param bench=idle name=ms value=20000 origin=default",
        "fact bench=idle name=sample_ticks value=1000000 unit=tick",
    };
    static int64_t floor_samples[SAMPLES];
    static int64_t gap_times[SAMPLES];
    uint32_t state = 1;
    int64_t time = 0;

    for (size_t i = 0; i < SAMPLES; i++) {
        floor_samples[i] = NOMINAL + noise(&state);
        time += 100000 + noise(&state);
        gap_times[i] = time;
    }
    struct log_builder *log = &fake.log;

    log_init(log, fake.format);
    log->run = fake.run;
    log_record(log, "tare version=0.0 format=1");
    for (size_t i = 0; i < sizeof(start) / sizeof(start[0]); i++) {
        log_record(log, start[i]);
    }
    log_recordf(log, "machine name=cpu value=\"%s\"", fake.machine);
    log_series(log, "idle", "floor", "tick", floor_samples, SAMPLES);
    log_record(log, "status bench=idle state=OK reason=\"\"");
    log_record(log, "bench name=gap group=noise summary=\"gaps\" unit=tick estimate=none");
    log_series(log, "gap", "gap_time", "tick", gap_times, SAMPLES);
    log_record(log, "status bench=gap state=OK reason=\"\"");
    log_record(log, "bench name=switches group=tasks summary=\"threads that take turns\" "
                    "unit=tick");
    log_record(log, "object bench=switches kind=thread id=0 name=idle process=0 priority=0");
    log_record(log, "object bench=switches kind=thread id=1 name=ping process=0 priority=8");
    add_trace(1, 0);
    add_trace(2, PACKETS);
    log_record(log, "status bench=switches state=OK reason=\"\"");
    log_record(log, "interrupt vector=32 name=timer count=2000 expected=2000");
    log_end(log);
}

/* Does the tty's other side have our speed, and does the line carry it? */
static bool speeds_match(void)
{
    static const struct {
        speed_t speed;
        unsigned rate;
    } speeds[] = {{B115200, 115200}, {B230400, 230400}, {B460800, 460800}, {B921600, 921600}};
    struct termios settings;

    if (fake.tty < 0) {
        return true;
    }
    if (tcgetattr(fake.tty, &settings) != 0 ||
        (fake.rate_deaf != 0 && fake.rate > fake.rate_deaf)) {
        return false;
    }
    for (size_t i = 0; i < sizeof(speeds) / sizeof(speeds[0]); i++) {
        if (speeds[i].speed == cfgetospeed(&settings)) {
            return speeds[i].rate == fake.rate;
        }
    }
    return false;
}

static void hang_up(void)
{
    if (fake.listener >= 0 && fake.line >= 0) {
        close(fake.line);
        fake.line = -1;
    }
}

/* Accepts a host at the socket, if there is none yet; `wait_ms` -1: waits until one comes. */
static void look_for_host(int wait_ms)
{
    struct pollfd wait = {.fd = fake.listener, .events = POLLIN};

    if (fake.line < 0 && fake.listener >= 0 && poll(&wait, 1, wait_ms) > 0) {
        fake.line = accept(fake.listener, NULL, NULL);
        fake.frames_again = 0;
        fake.sent = 0;
    }
}

/* Is it time to wait until the host goes? */
static bool must_hold(void)
{
    return fake.holds_done < fake.hold_count && fake.sent >= fake.holds[fake.holds_done];
}

/* Returns when the host has gone. What it asks meanwhile is ignored. */
static void wait_until_gone(void)
{
    char ignored;

    fake.holds_done++;
    fake.sent = 0;
    while (read(fake.line, &ignored, 1) > 0) {
    }
    hang_up();
}

/* Bytes that no host takes are lost, as on a wire. */
static void send_bytes(const void *bytes, size_t length)
{
    const uint8_t *at = bytes;
    const bool garbled = !speeds_match();

    while (length > 0) {
        uint8_t piece[64];
        const size_t count = length < sizeof(piece) ? length : sizeof(piece);

        for (size_t i = 0; i < count; i++) {
            piece[i] = garbled ? at[i] ^ 0xa5 : at[i];
        }
        if (fake.pace != 0) {
            usleep((useconds_t)(count * 1000000 / fake.pace));
        }
        if (must_hold()) {
            wait_until_gone();
        } else if (fake.line < 0 && fake.holds_done > 0 && fake.sent >= MISS) {
            look_for_host(-1);
        }
        for (size_t done = 0; done < count && fake.line >= 0;) {
            const ssize_t written = write(fake.line, piece + done, count - done);

            if (written <= 0) {
                hang_up();
                break;
            }
            done += (size_t)written;
        }
        fake.sent += count;
        at += count;
        length -= count;
    }
}

static void send_frame(const struct frame *frame, enum frame_format format)
{
    uint8_t wire[FRAME_WIRE_MAX];

    send_bytes(wire, frame_encode(frame, format, wire));
}

static void send_text(const char *text)
{
    send_bytes(text, strlen(text));
}

static bool has_hardware_flow(void)
{
    struct termios settings;

    return fake.tty >= 0 && tcgetattr(fake.tty, &settings) == 0 &&
           (settings.c_cflag & CRTSCTS) != 0;
}

/* Does one of the seeds draw this frame? */
static bool is_lost(size_t index)
{
    for (size_t i = 0; i < fake.lose_count; i++) {
        uint64_t state = (fake.lose[i] << 32 | index) * 0x9e3779b97f4a7c15ull;

        state = (state ^ state >> 29) * 0xbf58476d1ce4e5b9ull;
        if ((state >> 32) % LOSE_ONE == 0) {
            fprintf(stderr, "%u %" PRIu32 "\n", fake.log.frames[index].stream,
                    fake.log.frames[index].seq);
            return true;
        }
    }
    return false;
}

static void send_run(void)
{
    send_text("\033[2J\033[01;01HBdsDxe: starting Boot0001\r\n");
    send_text("tare 0.0, a made-up run\r\n");
    for (size_t i = 0; i + 1 < fake.log.frame_count; i++) {
        if (!is_lost(i)) {
            send_frame(&fake.log.frames[i], fake.format);
        }
        if (i == 10) {
            send_text("idle: half of it is done\r\n");
        }
    }
    if (!fake.no_end) {
        send_frame(&fake.log.frames[fake.log.frame_count - 1], fake.format);
    }
    fake.no_run = true; /* the next host must ask */
}

static bool is_asked_for(const struct frame *frame, const struct record *record)
{
    uint64_t stream, first, count;

    return frame->type != FRAME_END && record_value_unsigned(record, "stream", &stream) &&
           record_value_unsigned(record, "first", &first) &&
           record_value_unsigned(record, "count", &count) && frame->stream == stream &&
           frame->seq >= first && frame->seq - first < count;
}

static enum frame_format format_of(const struct record *record)
{
    const char *format = record_value(record, "format");

    if (format == NULL) {
        return fake.format;
    }
    return strcmp(format, "text") == 0 ? FRAME_TEXT : FRAME_BINARY;
}

static void answer_get(const struct record *record)
{
    fake.gets++;
    for (size_t i = 0; i < fake.log.frame_count; i++) {
        if (is_asked_for(&fake.log.frames[i], record)) {
            fake.frames_again++;
            send_frame(&fake.log.frames[i], format_of(record));
        }
    }
}

static void send_answer(const char *to, uint64_t baud, bool ok)
{
    struct frame frame = {.type = FRAME_ANSWER};
    const int length = snprintf((char *)frame.payload, sizeof(frame.payload),
                                "answer to=%s baud=%" PRIu64 " ok=%d%s\n", to, baud, ok,
                                ok ? "" : " reason=\"no divisor comes near it\"");

    frame.length = (uint16_t)length;
    send_frame(&frame, fake.format);
}

static void answer_rate(const struct record *record)
{
    uint64_t baud = 0;
    const bool ok = record_value_unsigned(record, "baud", &baud) &&
                    (fake.rate_limit == 0 || baud <= fake.rate_limit);

    send_answer("rate", baud, ok);
    if (ok) {
        fake.old_rate = fake.rate;
        fake.rate = (unsigned)baud;
        fake.unproven_ms = monotonic_ms();
    }
}

static void answer(struct frame *request)
{
    struct record record;

    if (request->type != FRAME_REQUEST || request->length == 0 ||
        !record_parse((char *)request->payload, (size_t)request->length - 1, &record)) {
        fake.damaged++;
        return;
    }
    fake.unproven_ms = 0;
    if (strcmp(record.name, "bye") == 0) {
        fake.byes++;
        fake.hardware_flow = has_hardware_flow();
    } else if (strcmp(record.name, "hello") == 0) {
        fake.hellos++;
    } else if (strcmp(record.name, "status_request") == 0) {
        fake.status_requests++;
        send_frame(&fake.log.frames[fake.log.frame_count - 1], format_of(&record));
    } else if (strcmp(record.name, "get") == 0) {
        answer_get(&record);
    } else if (strcmp(record.name, "rate") == 0) {
        answer_rate(&record);
    } else if (strcmp(record.name, "rate_check") == 0) {
        send_answer("rate_check", fake.rate, true);
    } else if (strcmp(record.name, "line_test") == 0) {
        uint8_t pattern[LINE_PATTERN_SIZE];

        line_pattern_write(pattern);
        send_bytes(pattern, sizeof(pattern));
    }
}

/* A byte of the host; false where none came in a while, or the host has gone. */
static bool read_byte(uint8_t *byte)
{
    struct pollfd wait = {.fd = fake.line, .events = POLLIN};
    int waiting = 0;

    if (fake.unproven_ms != 0 && monotonic_ms() - fake.unproven_ms > RATE_CHECK_MS) {
        fake.rate = fake.old_rate;
        fake.unproven_ms = 0;
    }
    if (poll(&wait, 1, 50) <= 0) {
        return false;
    }
    if (ioctl(fake.line, FIONREAD, &waiting) == 0 && (unsigned)waiting > fake.waiting_max) {
        fake.waiting_max = (unsigned)waiting;
    }
    if (read(fake.line, byte, 1) != 1) {
        hang_up();
        return false;
    }
    *byte = speeds_match() ? *byte : (uint8_t)(*byte ^ 0xa5);
    return true;
}

static void send_hello(void)
{
    struct frame frame = {.type = FRAME_ANSWER, .length = 6, .payload = "hello\n"};

    send_text("BdsDxe: starting Boot0001\r\n");
    send_frame(&frame, FRAME_TEXT);
}

/* Answers requests until bye, or until the host sends hello. */
static void serve(bool until_hello)
{
    static struct frame_reader reader;
    struct frame request;
    uint8_t byte;

    while (fake.byes == 0 && !(until_hello && fake.hellos > 0)) {
        look_for_host(-1);
        if (!read_byte(&byte)) {
            continue;
        }
        switch (frame_reader_push(&reader, byte, &request)) {
        case FRAME_READER_FRAME:
            answer(&request);
            break;
        case FRAME_READER_OTHER:
            fake.damaged++;
            break;
        case FRAME_READER_MORE:
            break;
        }
    }
}

static void speak(void)
{
    if (fake.silent) {
        pause();
    }
    if (fake.hello) {
        send_hello();
        serve(true);
    }
    if (!fake.no_run) {
        send_run();
    }
    serve(false);
}

static void fail(const char *what)
{
    fprintf(stderr, "fake_image: %s: %s\n", what, strerror(errno));
    exit(1);
}

static void speak_on_socket(const char *path)
{
    fake.listener = unix_listener(path);
    if (fake.listener < 0) {
        fail(path);
    }
    look_for_host(-1);
    speak();
    hang_up();
    unlink(path);
}

/* The tty is kept open here as well, raw from the start: nothing is echoed, nothing is lost. */
static void speak_on_pty(const char *link)
{
    const int line = posix_openpt(O_RDWR | O_NOCTTY);
    struct termios raw;

    if (line < 0 || grantpt(line) != 0 || unlockpt(line) != 0) {
        fail("pseudo-terminal");
    }
    fake.line = line;
    fake.tty = open(ptsname(line), O_RDWR | O_NOCTTY);
    if (fake.tty < 0 || tcgetattr(fake.tty, &raw) != 0) {
        fail(ptsname(line));
    }
    cfmakeraw(&raw);
    cfsetspeed(&raw, B115200);
    if (tcsetattr(fake.tty, TCSANOW, &raw) != 0 || symlink(ptsname(line), link) != 0) {
        fail(link);
    }
    speak();
    unlink(link);
}

static int usage(void)
{
    fputs("usage: fake_image (--socket PATH | --pty LINK | --stdout) [--format text] [--no-end]\n"
          "                  [--lose SEED]... [--no-run] [--silent] [--run ID] [--pace N]\n"
          "                  [--hold N]... [--rate-limit N] [--rate-deaf N] [--hello]\n"
          "                  [--timeout S]\n",
          stderr);
    return 2;
}

/* Where it speaks, and for how long. */
struct place {
    const char *socket_path;
    const char *link;
    bool one_way;
    unsigned timeout; /* s */
};

static const struct option options[] = {
    {"socket", required_argument, NULL, 's'},
    {"pty", required_argument, NULL, 'p'},
    {"stdout", no_argument, NULL, 'o'},
    {"format", required_argument, NULL, 'f'},
    {"no-end", no_argument, NULL, 'e'},
    {"lose", required_argument, NULL, 'x'},
    {"no-run", no_argument, NULL, 'r'},
    {"silent", no_argument, NULL, 'q'},
    {"run", required_argument, NULL, 'i'},
    {"pace", required_argument, NULL, 'w'},
    {"hold", required_argument, NULL, 'k'},
    {"rate-limit", required_argument, NULL, 'l'},
    {"rate-deaf", required_argument, NULL, 'd'},
    {"timeout", required_argument, NULL, 't'},
    {"hello", no_argument, NULL, 'h'},
    {"machine", required_argument, NULL, 'm'},
    {NULL, 0, NULL, 0},
};

/* What the fake image does otherwise than an image. False: no such option. */
static bool take_behaviour(int option)
{
    switch (option) {
    case 'f':
        fake.format = strcmp(optarg, "text") == 0 ? FRAME_TEXT : FRAME_BINARY;
        break;
    case 'e':
        fake.no_end = true;
        break;
    case 'x':
        if (fake.lose_count == LOSE_MAX) {
            return false;
        }
        fake.lose[fake.lose_count++] = strtoull(optarg, NULL, 0);
        break;
    case 'm':
        fake.machine = optarg;
        break;
    case 'r':
        fake.no_run = true;
        break;
    case 'q':
        fake.silent = true;
        break;
    case 'i':
        fake.run = optarg;
        break;
    case 'w':
        fake.pace = (unsigned)atoi(optarg);
        break;
    case 'k':
        if (fake.hold_count == HOLD_MAX) {
            return false;
        }
        fake.holds[fake.hold_count++] = strtoull(optarg, NULL, 0);
        break;
    case 'l':
        fake.rate_limit = (unsigned)atoi(optarg);
        break;
    case 'd':
        fake.rate_deaf = (unsigned)atoi(optarg);
        break;
    case 'h':
        fake.hello = true;
        break;
    default:
        return false;
    }
    return true;
}

static bool take_option(struct place *place, int option)
{
    switch (option) {
    case 's':
        place->socket_path = optarg;
        break;
    case 'p':
        place->link = optarg;
        break;
    case 'o':
        place->one_way = true;
        break;
    case 't':
        place->timeout = (unsigned)atoi(optarg);
        break;
    default:
        return take_behaviour(option);
    }
    return true;
}

static void print_counts(void)
{
    printf("get=%u status=%u bye=%u damaged=%u\n", fake.gets, fake.status_requests, fake.byes,
           fake.damaged);
    printf("again=%u of=%zu waiting=%u flow=%u hello=%u rate=%u\n", fake.frames_again,
           fake.log.frame_count - 1, fake.waiting_max, fake.hardware_flow, fake.hellos, fake.rate);
}

int main(int argc, char **argv)
{
    struct place place = {.timeout = 60};
    int option;

    while ((option = getopt_long(argc, argv, "", options, NULL)) != -1) {
        if (!take_option(&place, option)) {
            return usage();
        }
    }
    if ((place.socket_path != NULL) + (place.link != NULL) + place.one_way != 1 || optind < argc) {
        return usage();
    }
    alarm(place.timeout);
    build_run();
    if (place.one_way) {
        fake.line = STDOUT_FILENO;
        send_run();
        return 0;
    }
    signal(SIGPIPE, SIG_IGN);
    if (place.socket_path != NULL) {
        speak_on_socket(place.socket_path);
    } else {
        speak_on_pty(place.link);
    }
    print_counts();
    return 0;
}
