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
 *     --no-run          the run is over and was sent to nobody: only requests are answered
 *     --silent          a dead machine
 *     --timeout S       ends after so long (default 60)
 *
 * On bye it says what requests it had, as "get=0 status=0 bye=1 damaged=0", and ends with 0.
 */
#include <errno.h>
#include <fcntl.h>
#include <getopt.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <termios.h>
#include <unistd.h>

#include "kernel/link/crc32c.h"
#include "kernel/link/frame.h"
#include "kernel/link/record.h"
#include "kernel/link/residual.h"
#include "kernel/trace/packet.h"
#include "tools/tests/log_builder.h"
#include "tools/tests/unix_listener.h"

#define FRAMES_MAX 2000
#define SAMPLES    20000
#define NOMINAL    1000000
#define PACKETS    10

struct fake {
    struct frame frames[FRAMES_MAX]; /* in the order in which they are sent; the last is END */
    size_t count;
    struct frame meta; /* that is being filled */
    uint32_t meta_frames;
    enum frame_format format;
    bool no_end, no_run, silent;
    unsigned gets, status_requests, byes, damaged;
};

static struct fake fake;

static struct frame *add_frame(uint8_t type, uint16_t stream, uint32_t seq)
{
    if (fake.count == FRAMES_MAX) {
        fputs("fake_image: too many frames\n", stderr);
        exit(1);
    }
    struct frame *frame = &fake.frames[fake.count++];

    *frame = (struct frame){.type = type, .stream = stream, .seq = seq};
    return frame;
}

static void flush_meta(void)
{
    if (fake.meta.length == 0) {
        return;
    }
    struct frame *frame = add_frame(FRAME_META, 0, fake.meta_frames++);

    frame->length = fake.meta.length;
    memcpy(frame->payload, fake.meta.payload, fake.meta.length);
    fake.meta.length = 0;
}

static size_t payload_max(void)
{
    return fake.format == FRAME_TEXT ? FRAME_TEXT_PAYLOAD_MAX : FRAME_PAYLOAD_MAX;
}

static void add_line(const char *line)
{
    const size_t limit = payload_max();
    const size_t length = strlen(line);

    if (fake.meta.length + length + 1 > limit) {
        flush_meta();
    }
    memcpy(fake.meta.payload + fake.meta.length, line, length);
    fake.meta.payload[fake.meta.length + length] = '\n';
    fake.meta.length = (uint16_t)(fake.meta.length + length + 1);
}

static void add_series(uint16_t stream, const char *bench, const char *name, const int64_t *samples,
                       size_t count)
{
    const size_t limit = payload_max();
    const int64_t nominal = residual_nominal(samples, count);
    uint32_t seq = 0;
    char line[RECORD_LINE_MAX];

    for (size_t first = 0; first < count;) {
        struct frame *frame = add_frame(FRAME_SERIES, stream, seq++);
        size_t taken;

        frame->length = (uint16_t)residual_encode(samples, first, count, nominal, frame->payload,
                                                  limit, &taken);
        first += taken;
    }
    snprintf(line, sizeof(line),
             "series stream=%u bench=%s name=%s unit=tick n=%zu frames=%u nominal=%lld crc=%u",
             stream, bench, name, count, seq, (long long)nominal,
             crc32c(0, samples, count * sizeof(*samples)));
    add_line(line);
}

static void add_trace(uint16_t stream, const char *bench, uint64_t first, uint32_t part)
{
    const size_t limit = payload_max();
    const size_t bytes = (size_t)PACKETS * TRACE_PACKET_BYTES;
    uint8_t *packets = log_packets(first, PACKETS, stream);
    char line[RECORD_LINE_MAX];

    snprintf(
        line, sizeof(line),
        "trace stream=%u bench=%s part=%u mode=drain cpu=0 begin=0 end=99999999 bytes=%zu "
        "packet_bytes=%d frames=%zu frame_bytes=%zu crc=%u kept=%d discarded=0 overwritten=0 "
        "record=176 lead=88 extended=240 isr_lead=40 isr_trail=48 dpc_trail=52 switch_trail=56",
        stream, bench, part, bytes, TRACE_PACKET_BYTES, bytes / limit, limit,
        crc32c(0, packets, bytes), PACKETS * LOG_PACKET_RECORDS);
    add_line(line);
    flush_meta();
    for (size_t at = 0; at < bytes; at += limit) {
        struct frame *frame = add_frame(FRAME_TRACE, stream, (uint32_t)(at / limit));

        frame->length = (uint16_t)limit;
        memcpy(frame->payload, packets + at, limit);
    }
    free(packets);
}

/* A fixed sequence that looks like measurement: mostly small, now and then large. */
static int64_t noise(uint32_t *state)
{
    *state = *state * 1664525u + 1013904223u;
    const uint32_t draw = *state >> 8;

    return draw % 1000 == 0 ? (int64_t)(draw % 200000) : (int64_t)(draw % 90) - 40;
}

static void build_run(void)
{
    static const char *const start[] = {
        "tare version=0.0 format=1",
        "run kind=exact ticks_per_instruction=8 hypervisor=TCGTCGTCGTCG date=2024-01-01T00:00:00Z",
        "plan source=fw_cfg text=\"link.serve=1\"",
        "machine name=cpu value=\"a processor that is none\"",
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
    for (size_t i = 0; i < sizeof(start) / sizeof(start[0]); i++) {
        add_line(start[i]);
    }
    add_series(1, "idle", "floor", floor_samples, SAMPLES);
    add_line("status bench=idle state=OK reason=\"\"");
    add_line("bench name=gap group=noise summary=\"gaps\" unit=tick estimate=none");
    add_series(2, "gap", "gap_time", gap_times, SAMPLES);
    add_line("status bench=gap state=OK reason=\"\"");
    add_line("bench name=switches group=tasks summary=\"threads that take turns\" unit=tick");
    add_line("object bench=switches kind=thread id=0 name=idle process=0 priority=0");
    add_line("object bench=switches kind=thread id=1 name=ping process=0 priority=8");
    add_trace(3, "switches", 0, 1);
    add_trace(4, "switches", PACKETS, 2);
    add_line("status bench=switches state=OK reason=\"\"");
    add_line("interrupt vector=32 name=timer count=2000 expected=2000");
    flush_meta();
    struct frame *end = add_frame(FRAME_END, 0, 0);
    const int length = snprintf((char *)end->payload, sizeof(end->payload),
                                "end meta=%u frames=%zu\n", fake.meta_frames, fake.count - 1);

    end->length = (uint16_t)length;
}

static bool send_bytes(int line, const void *bytes, size_t length)
{
    const char *at = bytes;

    while (length > 0) {
        const ssize_t written = write(line, at, length);

        if (written <= 0) {
            return false;
        }
        at += written;
        length -= (size_t)written;
    }
    return true;
}

static bool send_frame(int line, const struct frame *frame)
{
    uint8_t wire[FRAME_WIRE_MAX];

    return send_bytes(line, wire, frame_encode(frame, fake.format, wire));
}

static bool send_text(int line, const char *text)
{
    return send_bytes(line, text, strlen(text));
}

static bool send_run(int line)
{
    if (!send_text(line, "\033[2J\033[01;01HBdsDxe: starting Boot0001\r\n") ||
        !send_text(line, "tare 0.0, a made-up run\r\n")) {
        return false;
    }
    for (size_t i = 0; i + 1 < fake.count; i++) {
        if (!send_frame(line, &fake.frames[i]) ||
            (i == 10 && !send_text(line, "idle: half of it is done\r\n"))) {
            return false;
        }
    }
    return fake.no_end || send_frame(line, &fake.frames[fake.count - 1]);
}

static bool is_asked_for(const struct frame *frame, const struct record *record)
{
    uint64_t stream, first, count;

    return frame->type != FRAME_END && record_value_unsigned(record, "stream", &stream) &&
           record_value_unsigned(record, "first", &first) &&
           record_value_unsigned(record, "count", &count) && frame->stream == stream &&
           frame->seq >= first && frame->seq - first < count;
}

static void answer(int line, struct frame *request)
{
    struct record record;

    if (request->type != FRAME_REQUEST || request->length == 0 ||
        !record_parse((char *)request->payload, (size_t)request->length - 1, &record)) {
        fake.damaged++;
    } else if (strcmp(record.name, "bye") == 0) {
        fake.byes++;
    } else if (strcmp(record.name, "status_request") == 0) {
        fake.status_requests++;
        send_frame(line, &fake.frames[fake.count - 1]);
    } else if (strcmp(record.name, "get") == 0) {
        fake.gets++;
        for (size_t i = 0; i < fake.count; i++) {
            if (is_asked_for(&fake.frames[i], &record)) {
                send_frame(line, &fake.frames[i]);
            }
        }
    }
}

/* Answers requests until bye or until the other end has gone. */
static void serve(int line)
{
    struct frame_reader reader;
    struct frame request;
    uint8_t byte;

    frame_reader_init(&reader);
    while (fake.byes == 0 && read(line, &byte, 1) == 1) {
        switch (frame_reader_push(&reader, byte, &request)) {
        case FRAME_READER_FRAME:
            answer(line, &request);
            break;
        case FRAME_READER_OTHER:
            fake.damaged++;
            break;
        case FRAME_READER_MORE:
            break;
        }
    }
}

static void speak(int line)
{
    if (fake.silent) {
        pause();
    }
    if (!fake.no_run) {
        send_run(line);
        fake.no_run = true; /* whoever comes next must ask */
    }
    serve(line);
}

static void fail(const char *what)
{
    fprintf(stderr, "fake_image: %s: %s\n", what, strerror(errno));
    exit(1);
}

static void speak_on_socket(const char *path)
{
    const int listener = unix_listener(path);

    if (listener < 0) {
        fail(path);
    }
    while (fake.byes == 0) {
        const int line = accept(listener, NULL, NULL);

        if (line < 0) {
            fail(path);
        }
        speak(line);
        close(line);
    }
    unlink(path);
}

/* The tty is kept open here as well, raw from the start: nothing is echoed, nothing is lost. */
static void speak_on_pty(const char *link)
{
    const int line = posix_openpt(O_RDWR | O_NOCTTY);

    if (line < 0 || grantpt(line) != 0 || unlockpt(line) != 0) {
        fail("pseudo-terminal");
    }
    const int tty = open(ptsname(line), O_RDWR | O_NOCTTY);
    struct termios raw;

    if (tty < 0 || tcgetattr(tty, &raw) != 0) {
        fail(ptsname(line));
    }
    cfmakeraw(&raw);
    if (tcsetattr(tty, TCSANOW, &raw) != 0 || symlink(ptsname(line), link) != 0) {
        fail(link);
    }
    speak(line);
    unlink(link);
}

static int usage(void)
{
    fputs("usage: fake_image (--socket PATH | --pty LINK | --stdout) [--format text] [--no-end]\n"
          "                  [--no-run] [--silent] [--timeout S]\n",
          stderr);
    return 2;
}

int main(int argc, char **argv)
{
    static const struct option options[] = {
        {"socket", required_argument, NULL, 's'},
        {"pty", required_argument, NULL, 'p'},
        {"stdout", no_argument, NULL, 'o'},
        {"format", required_argument, NULL, 'f'},
        {"no-end", no_argument, NULL, 'e'},
        {"no-run", no_argument, NULL, 'r'},
        {"silent", no_argument, NULL, 'q'},
        {"timeout", required_argument, NULL, 't'},
        {NULL, 0, NULL, 0},
    };
    const char *socket_path = NULL;
    const char *link = NULL;
    bool one_way = false;
    unsigned timeout = 60;
    int option;

    while ((option = getopt_long(argc, argv, "", options, NULL)) != -1) {
        switch (option) {
        case 's':
            socket_path = optarg;
            break;
        case 'p':
            link = optarg;
            break;
        case 'o':
            one_way = true;
            break;
        case 'f':
            fake.format = strcmp(optarg, "text") == 0 ? FRAME_TEXT : FRAME_BINARY;
            break;
        case 'e':
            fake.no_end = true;
            break;
        case 'r':
            fake.no_run = true;
            break;
        case 'q':
            fake.silent = true;
            break;
        case 't':
            timeout = (unsigned)atoi(optarg);
            break;
        default:
            return usage();
        }
    }
    if ((socket_path != NULL) + (link != NULL) + one_way != 1 || optind < argc) {
        return usage();
    }
    alarm(timeout);
    build_run();
    if (one_way) {
        return send_run(STDOUT_FILENO) ? 0 : 1;
    }
    signal(SIGPIPE, SIG_IGN);
    if (socket_path != NULL) {
        speak_on_socket(socket_path);
    } else {
        speak_on_pty(link);
    }
    printf("get=%u status=%u bye=%u damaged=%u\n", fake.gets, fake.status_requests, fake.byes,
           fake.damaged);
    return 0;
}
