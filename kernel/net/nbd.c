/* SPDX-License-Identifier: BSD-2-Clause */
#include "kernel/net/nbd.h"

#include <string.h>

/* Numbers from proto.md. */
#define MAGIC_SERVER  0x4e42444d41474943ull /* "NBDMAGIC" */
#define MAGIC_OPTION  0x49484156454f5054ull /* "IHAVEOPT" */
#define MAGIC_REPLY   0x0003e889045565a9ull
#define MAGIC_REQUEST 0x25609513u
#define MAGIC_SIMPLE  0x67446698u

#define FLAG_FIXED_NEWSTYLE 1u /* flags of the handshake, the same bits from server and client */
#define FLAG_NO_ZEROES      2u
#define FLAG_HAS_FLAGS      1u /* flags of transmission */
#define FLAG_READ_ONLY      2u

#define OPTION_EXPORT_NAME 1u
#define OPTION_ABORT       2u
#define OPTION_LIST        3u
#define OPTION_INFO        6u
#define OPTION_GO          7u

#define REPLY_ACK         1u
#define REPLY_SERVER      2u
#define REPLY_INFO        3u
#define REPLY_ERROR       0x80000000u /* set in all error types */
#define REPLY_UNSUPPORTED (REPLY_ERROR | 1u)
#define REPLY_INVALID     (REPLY_ERROR | 3u)
#define REPLY_UNKNOWN     (REPLY_ERROR | 6u)

#define INFO_EXPORT 0u

/* All commands that this module can make, in the section in which
 * tools/tests/image/test_commands.sh looks for those of disks (BLOCK_COMMANDS of
 * kernel/block/block.h). */
enum command { COMMAND_READ, COMMAND_DISCONNECT };
static const uint8_t commands[] __attribute__((used, section(".rodata.block_commands.nbd"))) = {
    [COMMAND_READ] = 0,
    [COMMAND_DISCONNECT] = 2,
};

#define GREETING_BYTES     18
#define FLAGS_BYTES        4
#define OPTION_BYTES       16
#define OPTION_REPLY_BYTES 20
#define EXPORT_INFO_BYTES  12 /* type (2), size (8), flags (2) */
#define EXPORT_BYTES       10 /* size and flags */
#define ZEROES             124
#define OPTION_DATA_MAX    8192 /* room for the longest name and a list after it */

/* ---- big endian ---- */

static uint64_t get(const uint8_t *at, size_t bytes)
{
    uint64_t value = 0;

    for (size_t i = 0; i < bytes; i++) {
        value = value << 8 | at[i];
    }
    return value;
}

static uint8_t *put(uint8_t *at, uint64_t value, size_t bytes)
{
    for (size_t i = 0; i < bytes; i++) {
        at[i] = (uint8_t)(value >> 8 * (bytes - 1 - i));
    }
    return at + bytes;
}

/* ---- both sides ---- */

static void want(struct nbd_intake *intake, size_t bytes, uint64_t skip)
{
    intake->have = 0;
    intake->want = bytes;
    intake->skip = skip;
}

/* Takes bytes until the wanted number is complete. *whole: it is. */
static size_t take(struct nbd_intake *intake, const uint8_t *bytes, size_t length, bool *whole)
{
    const size_t skipped = intake->skip < length ? (size_t)intake->skip : length;
    const size_t lacks = intake->want - intake->have;
    const size_t taken = lacks < length - skipped ? lacks : length - skipped;

    intake->skip -= skipped;
    if (taken > 0) {
        memcpy(intake->bytes + intake->have, bytes + skipped, taken);
        intake->have += taken;
    }
    *whole = intake->skip == 0 && intake->have == intake->want;
    return skipped + taken;
}

static void send(struct nbd_event *event, const uint8_t *out, const uint8_t *end)
{
    event->kind = NBD_SEND;
    event->bytes = out;
    event->length = (size_t)(end - out);
}

static void wrong(struct nbd_event *event, const char *why)
{
    event->kind = NBD_WRONG;
    event->why = why;
}

static void keep_name(char to[NBD_NAME_MAX], const char *name)
{
    const size_t length = strnlen(name, NBD_NAME_MAX - 1);

    memcpy(to, name, length);
    to[length] = '\0';
}

static uint8_t *put_request(uint8_t *at, enum command command, uint64_t handle, uint64_t offset,
                            uint32_t bytes)
{
    at = put(at, MAGIC_REQUEST, 4);
    at = put(at, 0, 2);
    at = put(at, commands[command], 2);
    at = put(at, handle, 8);
    at = put(at, offset, 8);
    return put(at, bytes, 4);
}

void nbd_make_read(uint8_t request[NBD_REQUEST_BYTES], uint64_t handle, uint64_t offset,
                   uint32_t bytes)
{
    put_request(request, COMMAND_READ, handle, offset, bytes);
}

void nbd_make_disconnect(uint8_t request[NBD_REQUEST_BYTES])
{
    put_request(request, COMMAND_DISCONNECT, 0, 0, 0);
}

void nbd_make_reply(uint8_t reply[NBD_REPLY_BYTES], uint64_t handle, uint32_t error)
{
    uint8_t *at = put(reply, MAGIC_SIMPLE, 4);

    at = put(at, error, 4);
    put(at, handle, 8);
}

/* ---- the client ---- */

enum client_state {
    CLIENT_GREETING,
    CLIENT_OPTION, /* waits for a reply to its option */
    CLIENT_INFO,   /* waits for what that reply announces */
    CLIENT_ANSWER,
    CLIENT_DATA,
    CLIENT_BROKEN,
};

void nbd_client_begin(struct nbd_client *client, const char *name)
{
    memset(client, 0, sizeof(*client));
    keep_name(client->name, name);
    client->state = CLIENT_GREETING;
    want(&client->intake, GREETING_BYTES, 0);
}

void nbd_client_expect(struct nbd_client *client, uint32_t bytes)
{
    client->data = bytes;
    client->state = bytes > 0 ? CLIENT_DATA : CLIENT_ANSWER;
}

static void break_client(struct nbd_client *client, struct nbd_event *event, const char *why)
{
    client->state = CLIENT_BROKEN;
    wrong(event, why);
}

static void greeting(struct nbd_client *client, struct nbd_event *event)
{
    const uint8_t *in = client->intake.bytes;
    const uint64_t flags = get(in + 16, 2);
    const size_t length = strlen(client->name);

    if (get(in, 8) != MAGIC_SERVER || get(in + 8, 8) != MAGIC_OPTION) {
        break_client(client, event, "what answers is not an NBD server, or one of the old style");
        return;
    }
    if ((flags & FLAG_FIXED_NEWSTYLE) == 0) {
        break_client(client, event, "the server does not support fixed newstyle negotiation");
        return;
    }
    uint8_t *at = put(client->out, flags & (FLAG_FIXED_NEWSTYLE | FLAG_NO_ZEROES), FLAGS_BYTES);

    at = put(at, MAGIC_OPTION, 8);
    at = put(at, OPTION_GO, 4);
    at = put(at, 4 + length + 2, 4);
    at = put(at, length, 4);
    memcpy(at, client->name, length);
    at = put(at + length, 0, 2); /* requests no additional information */
    send(event, client->out, at);
    client->state = CLIENT_OPTION;
    want(&client->intake, OPTION_REPLY_BYTES, 0);
}

static void option_reply(struct nbd_client *client, struct nbd_event *event)
{
    const uint8_t *in = client->intake.bytes;
    const uint32_t type = (uint32_t)get(in + 12, 4);

    client->length = (uint32_t)get(in + 16, 4);
    if (get(in, 8) != MAGIC_REPLY || get(in + 8, 4) != OPTION_GO ||
        client->length > OPTION_DATA_MAX) {
        break_client(client, event, "the server's reply to NBD_OPT_GO is malformed");
    } else if (type == REPLY_UNKNOWN) {
        break_client(client, event, "the server has no export of that name");
    } else if ((type & REPLY_ERROR) != 0) {
        break_client(client, event, "the server rejected NBD_OPT_GO");
    } else if (type == REPLY_INFO && client->length >= EXPORT_INFO_BYTES) {
        client->state = CLIENT_INFO;
        want(&client->intake, EXPORT_INFO_BYTES, 0);
    } else if (type != REPLY_ACK) {
        want(&client->intake, OPTION_REPLY_BYTES, client->length);
    } else if (!client->sized) {
        break_client(client, event, "the server does not report the size of its export");
    } else {
        event->kind = NBD_READY;
        client->state = CLIENT_ANSWER;
        want(&client->intake, NBD_REPLY_BYTES, client->length);
    }
}

static void option_info(struct nbd_client *client)
{
    if (get(client->intake.bytes, 2) == INFO_EXPORT) {
        client->bytes = get(client->intake.bytes + 2, 8);
        client->sized = true;
    }
    client->state = CLIENT_OPTION;
    want(&client->intake, OPTION_REPLY_BYTES, client->length - EXPORT_INFO_BYTES);
}

static void answer(struct nbd_client *client, struct nbd_event *event)
{
    const uint8_t *in = client->intake.bytes;

    if (get(in, 4) != MAGIC_SIMPLE) {
        break_client(client, event, "the server's answer is not a simple reply");
        return;
    }
    event->kind = NBD_ANSWERED;
    event->error = (uint32_t)get(in + 4, 4);
    event->handle = get(in + 8, 8);
    want(&client->intake, NBD_REPLY_BYTES, 0);
}

static size_t take_data(struct nbd_client *client, const uint8_t *bytes, size_t length,
                        struct nbd_event *event)
{
    const size_t part = client->data < length ? (size_t)client->data : length;

    client->data -= part;
    if (client->data == 0) {
        client->state = CLIENT_ANSWER;
    }
    if (part > 0) {
        event->kind = NBD_DATA;
        event->bytes = bytes;
        event->length = part;
    }
    return part;
}

size_t nbd_client_take(struct nbd_client *client, const uint8_t *bytes, size_t length,
                       struct nbd_event *event)
{
    size_t taken = 0;
    bool whole = true;

    *event = (struct nbd_event){.kind = NBD_NOTHING};
    while (event->kind == NBD_NOTHING && whole) {
        if (client->state == CLIENT_BROKEN) {
            wrong(event, "the connection was given up");
            return length;
        }
        if (client->state == CLIENT_DATA) {
            return taken + take_data(client, bytes + taken, length - taken, event);
        }
        taken += take(&client->intake, bytes + taken, length - taken, &whole);
        if (!whole) {
            break;
        }
        if (client->state == CLIENT_GREETING) {
            greeting(client, event);
        } else if (client->state == CLIENT_OPTION) {
            option_reply(client, event);
        } else if (client->state == CLIENT_INFO) {
            option_info(client);
        } else {
            answer(client, event);
        }
    }
    return taken;
}

/* ---- the server ---- */

enum server_state {
    SERVER_FLAGS,
    SERVER_OPTION,
    SERVER_OPTION_DATA,
    SERVER_REQUEST,
    SERVER_OVER,
};

void nbd_server_begin(struct nbd_server *server, const char *name, uint64_t bytes)
{
    memset(server, 0, sizeof(*server));
    keep_name(server->name, name);
    server->bytes = bytes;
    server->state = SERVER_FLAGS;
    want(&server->intake, FLAGS_BYTES, 0);
}

size_t nbd_server_greet(struct nbd_server *server, const uint8_t **bytes)
{
    uint8_t *at = put(server->out, MAGIC_SERVER, 8);

    at = put(at, MAGIC_OPTION, 8);
    at = put(at, FLAG_FIXED_NEWSTYLE | FLAG_NO_ZEROES, 2);
    *bytes = server->out;
    return (size_t)(at - server->out);
}

static void end_server(struct nbd_server *server, struct nbd_event *event, const char *why)
{
    server->state = SERVER_OVER;
    if (why != NULL) {
        wrong(event, why);
    } else {
        event->kind = NBD_END;
    }
}

static void client_flags(struct nbd_server *server, struct nbd_event *event)
{
    const uint64_t flags = get(server->intake.bytes, FLAGS_BYTES);

    if ((flags & ~(uint64_t)(FLAG_FIXED_NEWSTYLE | FLAG_NO_ZEROES)) != 0) {
        end_server(server, event, "the client sent unknown flags");
        return;
    }
    server->no_zeroes = (flags & FLAG_NO_ZEROES) != 0;
    server->state = SERVER_OPTION;
    want(&server->intake, OPTION_BYTES, 0);
}

static uint8_t *put_option_reply(const struct nbd_server *server, uint8_t *at, uint32_t type,
                                 size_t length)
{
    at = put(at, MAGIC_REPLY, 8);
    at = put(at, server->option, 4);
    at = put(at, type, 4);
    return put(at, length, 4);
}

static uint8_t *put_export(const struct nbd_server *server, uint8_t *at)
{
    at = put(at, server->bytes, 8);
    return put(at, FLAG_HAS_FLAGS | FLAG_READ_ONLY, 2);
}

static bool is_export(const struct nbd_server *server, const uint8_t *name, size_t length)
{
    return length == 0 ||
           (length == strlen(server->name) && memcmp(name, server->name, length) == 0);
}

/* Checks whether the data of NBD_OPT_GO or NBD_OPT_INFO, a length and a name, select the export. */
static uint32_t choose(const struct nbd_server *server)
{
    const uint8_t *in = server->intake.bytes;

    if (server->length < 6 || get(in, 4) > server->length - 6) {
        return REPLY_INVALID;
    }
    const uint64_t length = get(in, 4);

    /* A name longer than what was kept of it cannot be the export's. */
    return length <= server->intake.have - 4 && is_export(server, in + 4, (size_t)length)
               ? REPLY_ACK
               : REPLY_UNKNOWN;
}

static uint8_t *answer_go(struct nbd_server *server, uint8_t *at)
{
    const uint32_t type = choose(server);

    if (type == REPLY_ACK) {
        at = put_option_reply(server, at, REPLY_INFO, EXPORT_INFO_BYTES);
        at = put_export(server, put(at, INFO_EXPORT, 2));
        server->state = server->option == OPTION_GO ? SERVER_REQUEST : SERVER_OPTION;
    }
    return put_option_reply(server, at, type, 0);
}

static uint8_t *answer_list(const struct nbd_server *server, uint8_t *at)
{
    const size_t length = strlen(server->name);

    at = put_option_reply(server, at, REPLY_SERVER, 4 + length);
    at = put(at, length, 4);
    memcpy(at, server->name, length);
    return put_option_reply(server, at + length, REPLY_ACK, 0);
}

/* NBD_OPT_EXPORT_NAME can only be rejected by ending the connection. */
static void answer_name(struct nbd_server *server, struct nbd_event *event)
{
    const size_t zeroes = server->no_zeroes ? 0 : ZEROES;

    if (server->length != server->intake.have ||
        !is_export(server, server->intake.bytes, server->length)) {
        end_server(server, event, "the client asked for an export that does not exist");
        return;
    }
    memset(put_export(server, server->out), 0, zeroes);
    send(event, server->out, server->out + EXPORT_BYTES + zeroes);
    server->state = SERVER_REQUEST;
}

static void answer_option(struct nbd_server *server, struct nbd_event *event)
{
    uint8_t *at = server->out;

    server->state = SERVER_OPTION;
    if (server->option == OPTION_EXPORT_NAME) {
        answer_name(server, event);
    } else if (server->option == OPTION_ABORT) {
        send(event, at, put_option_reply(server, at, REPLY_ACK, 0));
        server->state = SERVER_OVER;
    } else if (server->option == OPTION_LIST) {
        send(event, at,
             server->length == 0 ? answer_list(server, at)
                                 : put_option_reply(server, at, REPLY_INVALID, 0));
    } else if (server->option == OPTION_INFO || server->option == OPTION_GO) {
        send(event, at, answer_go(server, at));
    } else {
        send(event, at, put_option_reply(server, at, REPLY_UNSUPPORTED, 0));
    }
    /* Data that did not fit are skipped. */
    want(&server->intake, server->state == SERVER_REQUEST ? NBD_REQUEST_BYTES : OPTION_BYTES,
         server->length - server->intake.have);
}

static void option(struct nbd_server *server, struct nbd_event *event)
{
    const uint8_t *in = server->intake.bytes;

    server->option = (uint32_t)get(in + 8, 4);
    server->length = (uint32_t)get(in + 12, 4);
    if (get(in, 8) != MAGIC_OPTION || server->length > OPTION_DATA_MAX) {
        end_server(server, event, "the client's option is malformed or too long");
        return;
    }
    server->state = SERVER_OPTION_DATA;
    want(&server->intake, server->length < NBD_SEND_MAX ? server->length : NBD_SEND_MAX, 0);
}

static void request(struct nbd_server *server, struct nbd_event *event)
{
    const uint8_t *in = server->intake.bytes;
    const uint64_t command = get(in + 6, 2);
    const uint64_t offset = get(in + 16, 8);
    const uint64_t bytes = get(in + 24, 4);

    if (get(in, 4) != MAGIC_REQUEST ||
        (command != commands[COMMAND_READ] && command != commands[COMMAND_DISCONNECT])) {
        end_server(server, event, "the client's request is neither a read nor a disconnect");
        return;
    }
    if (command == commands[COMMAND_DISCONNECT]) {
        end_server(server, event, NULL);
        return;
    }
    event->handle = get(in + 8, 8);
    event->offset = offset;
    event->length = (size_t)bytes;
    event->kind = NBD_READ;
    if (bytes == 0 || bytes > NBD_READ_MAX || offset > server->bytes ||
        bytes > server->bytes - offset) {
        event->kind = NBD_REFUSED;
        event->error = NBD_EINVAL;
    }
    want(&server->intake, NBD_REQUEST_BYTES, 0);
}

size_t nbd_server_take(struct nbd_server *server, const uint8_t *bytes, size_t length,
                       struct nbd_event *event)
{
    size_t taken = 0;
    bool whole = true;

    *event = (struct nbd_event){.kind = NBD_NOTHING};
    while (event->kind == NBD_NOTHING && whole) {
        if (server->state == SERVER_OVER) {
            event->kind = NBD_END;
            return length;
        }
        taken += take(&server->intake, bytes + taken, length - taken, &whole);
        if (!whole) {
            break;
        }
        if (server->state == SERVER_FLAGS) {
            client_flags(server, event);
        } else if (server->state == SERVER_OPTION) {
            option(server, event);
        } else if (server->state == SERVER_OPTION_DATA) {
            answer_option(server, event);
        } else {
            request(server, event);
        }
    }
    return taken;
}
