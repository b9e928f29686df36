/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A host that sends exactly the given requests, and prints what comes back.
 *
 *     ask_image SOCKET LOG REQUEST...
 *
 * Connects to the unix socket of a machine's line, waits for END and then sends the requests, each
 * after the answer to the last; bye by itself. All that comes in goes to LOG as well. Prints END's
 * and each answer's record, and of a frame of samples "series stream=N seq=N text|binary". Exit
 * status 0: all were answered.
 */
#include <poll.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <time.h>
#include <unistd.h>

#include "kernel/link/frame.h"

#define CONNECT_TRIES 600 /* of 50 ms */
#define END_MS        60000
#define ANSWER_MS     5000

static FILE *log_file;
static int line;

static bool connect_to(const char *path)
{
    struct sockaddr_un address = {.sun_family = AF_UNIX};
    const struct timespec pause = {.tv_nsec = 50000000};

    snprintf(address.sun_path, sizeof(address.sun_path), "%s", path);
    for (unsigned i = 0; i < CONNECT_TRIES; i++) {
        line = socket(AF_UNIX, SOCK_STREAM, 0);
        if (line < 0) {
            return false;
        }
        if (connect(line, (struct sockaddr *)&address, sizeof(address)) == 0) {
            return true;
        }
        close(line);
        nanosleep(&pause, NULL);
    }
    return false;
}

static bool ask(const char *text)
{
    struct frame frame = {.type = FRAME_REQUEST};
    uint8_t wire[FRAME_WIRE_MAX];
    const int length = snprintf((char *)frame.payload, sizeof(frame.payload), "%s\n", text);

    frame.length = (uint16_t)length;
    const size_t bytes = frame_encode(&frame, FRAME_BINARY, wire);

    return write(line, wire, bytes) == (ssize_t)bytes;
}

/* Is it what was waited for? */
static bool show(const struct frame *frame, bool text)
{
    if (frame->type == FRAME_END || frame->type == FRAME_ANSWER) {
        printf("%.*s", (int)frame->length, (const char *)frame->payload);
        return true;
    }
    if (frame->type == FRAME_SERIES) {
        printf("series stream=%u seq=%u %s\n", frame->stream, frame->seq, text ? "text" : "binary");
        return true;
    }
    return false;
}

/* Until a frame came that was waited for; false: none did in that time. */
static bool listen_for(int ms)
{
    static struct frame_reader reader;
    static struct frame frame;
    struct pollfd in = {.fd = line, .events = POLLIN};
    uint8_t byte;

    while (poll(&in, 1, ms) == 1 && read(line, &byte, 1) == 1) {
        fputc(byte, log_file);
        if (frame_reader_push(&reader, byte, &frame) == FRAME_READER_FRAME &&
            show(&frame, byte != 0)) {
            return true;
        }
    }
    return false;
}

int main(int argc, char **argv)
{
    if (argc < 3) {
        fputs("usage: ask_image SOCKET LOG REQUEST...\n", stderr);
        return 2;
    }
    log_file = fopen(argv[2], "wb");
    if (log_file == NULL || !connect_to(argv[1])) {
        perror("ask_image");
        return 1;
    }
    setvbuf(stdout, NULL, _IOLBF, 0);
    bool answered = listen_for(END_MS);

    for (int i = 3; i < argc && answered; i++) {
        answered = ask(argv[i]) && listen_for(ANSWER_MS);
    }
    ask("bye");
    while (listen_for(ANSWER_MS)) {
        /* the line stays open until the machine is off: QEMU drops what a closed one still holds */
    }
    fclose(log_file);
    close(line);
    return answered ? 0 : 1;
}
