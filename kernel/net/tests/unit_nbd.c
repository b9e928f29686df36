/* SPDX-License-Identifier: BSD-2-Clause */
/* kernel/net/nbd.h: both sides, byte by byte as proto.md has them. */
#include "kernel/net/nbd.h"

#include "tools/tests/support/unit.h"

#define EXPORT_BYTES 0x123456789ull
#define HANDLE       0x1122334455667788ull

/* What is on the wire. */
static const uint8_t greeting[] = {'N', 'B', 'D', 'M', 'A', 'G', 'I', 'C', 'I',
                                   'H', 'A', 'V', 'E', 'O', 'P', 'T', 0,   3};
static const uint8_t flags[] = {0, 0, 0, 3};
static const uint8_t go[] = {'I', 'H', 'A', 'V', 'E', 'O', 'P', 'T', 0,   0,   0, 7, 0,
                             0,   0,   9,   0,   0,   0,   3,   'a', 'b', 'c', 0, 0};
static const uint8_t info[] = {0, 3, 0xe8, 0x89, 4,    0x55, 0x65, 0xa9, 0,  0, 0,
                               7, 0, 0,    0,    3,    0,    0,    0,    12, 0, 0,
                               0, 0, 0,    1,    0x23, 0x45, 0x67, 0x89, 0,  3};
static const uint8_t ack[] = {0, 3, 0xe8, 0x89, 4, 0x55, 0x65, 0xa9, 0, 0,
                              0, 7, 0,    0,    0, 1,    0,    0,    0, 0};
static const uint8_t no_such[] = {0, 3, 0xe8, 0x89, 4, 0x55, 0x65, 0xa9, 0, 0,
                                  0, 7, 0x80, 0,    0, 6,    0,    0,    0, 0};
static const uint8_t read_request[] = {0x25, 0x60, 0x95, 0x13, 0,    0,    0,    0, 0x11, 0x22,
                                       0x33, 0x44, 0x55, 0x66, 0x77, 0x88, 0,    0, 0,    1,
                                       0x23, 0x45, 0x57, 0x89, 0,    0,    0x10, 0};
static const uint8_t reply[] = {0x67, 0x44, 0x66, 0x98, 0,    0,    0,    0,
                                0x11, 0x22, 0x33, 0x44, 0x55, 0x66, 0x77, 0x88};

/* Gives bytes in pieces of `piece`, and returns the first event. */
static struct nbd_event give_server(struct nbd_server *server, const uint8_t *bytes, size_t length,
                                    size_t piece)
{
    struct nbd_event event = {.kind = NBD_NOTHING};

    for (size_t at = 0; at < length && event.kind == NBD_NOTHING;) {
        at +=
            nbd_server_take(server, bytes + at, piece < length - at ? piece : length - at, &event);
    }
    return event;
}

static struct nbd_event give_client(struct nbd_client *client, const uint8_t *bytes, size_t length,
                                    size_t piece)
{
    struct nbd_event event = {.kind = NBD_NOTHING};

    for (size_t at = 0; at < length && event.kind == NBD_NOTHING;) {
        at +=
            nbd_client_take(client, bytes + at, piece < length - at ? piece : length - at, &event);
    }
    return event;
}

static int has_sent(const struct nbd_event *event, const uint8_t *bytes, size_t length)
{
    return event->kind == NBD_SEND && event->length == length &&
           memcmp(event->bytes, bytes, length) == 0;
}

static void test_client(size_t piece)
{
    struct nbd_client client;
    uint8_t both[sizeof(flags) + sizeof(go)];
    uint8_t request[NBD_REQUEST_BYTES];

    memcpy(both, flags, sizeof(flags));
    memcpy(both + sizeof(flags), go, sizeof(go));
    nbd_client_begin(&client, "abc");
    struct nbd_event event = give_client(&client, greeting, sizeof(greeting), piece);

    CHECK(has_sent(&event, both, sizeof(both)));
    event = give_client(&client, info, sizeof(info), piece);
    CHECK_EQUAL(event.kind, NBD_NOTHING);
    event = give_client(&client, ack, sizeof(ack), piece);
    CHECK_EQUAL(event.kind, NBD_READY);
    CHECK_EQUAL(client.bytes, EXPORT_BYTES);
    nbd_make_read(request, HANDLE, EXPORT_BYTES - 4096, 4096);
    CHECK(memcmp(request, read_request, sizeof(request)) == 0);
    event = give_client(&client, reply, sizeof(reply), piece);
    CHECK_EQUAL(event.kind, NBD_ANSWERED);
    CHECK_EQUAL(event.error, NBD_GOOD);
    CHECK_EQUAL(event.handle, HANDLE);
    nbd_client_expect(&client, 20);
    event = give_client(&client, ack, 16, 16);
    CHECK_EQUAL(event.kind, NBD_DATA);
    CHECK(event.bytes == ack && event.length == 16);
    event = give_client(&client, reply, sizeof(reply), sizeof(reply));
    CHECK(event.kind == NBD_DATA && event.length == 4); /* the rest is the next answer's */
    event = give_client(&client, reply, sizeof(reply), piece);
    CHECK_EQUAL(event.kind, NBD_ANSWERED);
}

static void test_server(size_t piece)
{
    struct nbd_server server;
    const uint8_t *bytes;
    uint8_t both[sizeof(info) + sizeof(ack)];
    uint8_t request[NBD_REQUEST_BYTES];

    memcpy(both, info, sizeof(info));
    memcpy(both + sizeof(info), ack, sizeof(ack));
    nbd_server_begin(&server, "abc", EXPORT_BYTES);
    CHECK_EQUAL(nbd_server_greet(&server, &bytes), sizeof(greeting));
    CHECK(memcmp(bytes, greeting, sizeof(greeting)) == 0);
    struct nbd_event event = give_server(&server, flags, sizeof(flags), piece);

    CHECK_EQUAL(event.kind, NBD_NOTHING);
    event = give_server(&server, go, sizeof(go), piece);
    CHECK(has_sent(&event, both, sizeof(both)));
    event = give_server(&server, read_request, sizeof(read_request), piece);
    CHECK_EQUAL(event.kind, NBD_READ);
    CHECK_EQUAL(event.handle, HANDLE);
    CHECK_EQUAL(event.offset, EXPORT_BYTES - 4096);
    CHECK_EQUAL(event.length, 4096);
    nbd_make_reply(request, HANDLE, NBD_GOOD);
    CHECK(memcmp(request, reply, sizeof(reply)) == 0);
    nbd_make_disconnect(request);
    event = give_server(&server, request, sizeof(request), piece);
    CHECK_EQUAL(event.kind, NBD_END);
}

/* Reads outside the export are refused, and the connection goes on. */
static void test_outside(void)
{
    static const struct {
        uint64_t offset;
        uint32_t bytes;
        enum nbd_event_kind kind;
    } reads[] = {
        {EXPORT_BYTES - 1, 1, NBD_READ},
        {EXPORT_BYTES - 1, 2, NBD_REFUSED},
        {EXPORT_BYTES, 1, NBD_REFUSED},
        {UINT64_MAX, 1, NBD_REFUSED},
        {UINT64_MAX - 4095, 4096, NBD_REFUSED},
        {0, 0, NBD_REFUSED},
        {0, NBD_READ_MAX, NBD_READ},
        {0, NBD_READ_MAX + 1, NBD_REFUSED},
    };
    struct nbd_server server;
    uint8_t request[NBD_REQUEST_BYTES];

    nbd_server_begin(&server, "abc", EXPORT_BYTES);
    give_server(&server, flags, sizeof(flags), 1);
    give_server(&server, go, sizeof(go), 1);
    for (size_t i = 0; i < sizeof(reads) / sizeof(reads[0]); i++) {
        nbd_make_read(request, i, reads[i].offset, reads[i].bytes);
        const struct nbd_event event = give_server(&server, request, sizeof(request), 7);

        CHECK_EQUAL(event.kind, reads[i].kind);
        CHECK_EQUAL(event.handle, i);
        CHECK_EQUAL(event.error, reads[i].kind == NBD_READ ? NBD_GOOD : NBD_EINVAL);
    }
}

/* Every command but read and disconnect ends the connection. */
static void test_commands(void)
{
    for (unsigned command = 0; command < 0x10000; command += command < 16 ? 1 : 251) {
        struct nbd_server server;
        uint8_t request[NBD_REQUEST_BYTES];

        nbd_server_begin(&server, "abc", EXPORT_BYTES);
        give_server(&server, flags, sizeof(flags), 4);
        give_server(&server, go, sizeof(go), sizeof(go));
        nbd_make_read(request, 1, 0, 512);
        request[6] = (uint8_t)(command >> 8);
        request[7] = (uint8_t)command;
        const struct nbd_event event = give_server(&server, request, sizeof(request), 28);

        CHECK_EQUAL(event.kind, command == 0 ? NBD_READ : command == 2 ? NBD_END : NBD_WRONG);
    }
}

/* The older way to choose: with and without the 124 zeroes; another name ends it. */
static void test_export_name(void)
{
    uint8_t option[19];
    uint8_t zeroes[124] = {0};

    memcpy(option, go, 16);
    option[11] = 1;
    option[15] = 3;
    memcpy(option + 16, "abc", 3);
    for (unsigned no_zeroes = 0; no_zeroes < 2; no_zeroes++) {
        const uint8_t own_flags[] = {0, 0, 0, (uint8_t)(1 + 2 * no_zeroes)};
        struct nbd_server server;

        nbd_server_begin(&server, "abc", EXPORT_BYTES);
        give_server(&server, own_flags, sizeof(own_flags), 4);
        struct nbd_event event = give_server(&server, option, sizeof(option), 5);

        CHECK_EQUAL(event.kind, NBD_SEND);
        CHECK_EQUAL(event.length, no_zeroes != 0 ? 10 : 134);
        CHECK(memcmp(event.bytes, info + 22, 10) == 0);
        CHECK(memcmp(event.bytes + 10, zeroes, event.length - 10) == 0);
        event = give_server(&server, read_request, sizeof(read_request), 9);
        CHECK_EQUAL(event.kind, NBD_READ);
    }
    struct nbd_server server;

    nbd_server_begin(&server, "abd", EXPORT_BYTES);
    give_server(&server, flags, sizeof(flags), 4);
    CHECK_EQUAL(give_server(&server, option, sizeof(option), 19).kind, NBD_WRONG);
}

/* Options that are not known are skipped, whatever their length, and answered so. */
static void test_unknown_options(void)
{
    static uint8_t option[16 + 8192];
    struct nbd_server server;

    nbd_server_begin(&server, "abc", EXPORT_BYTES);
    give_server(&server, flags, sizeof(flags), 4);
    for (unsigned length = 0; length <= 8192; length = 3 * length + 1) {
        memcpy(option, go, 12);
        option[11] = 8;
        option[12] = 0;
        option[13] = 0;
        option[14] = (uint8_t)(length >> 8);
        option[15] = (uint8_t)length;
        struct nbd_event event = {.kind = NBD_NOTHING};
        size_t at = 0;

        while (event.kind == NBD_NOTHING) {
            at += nbd_server_take(&server, option + at, 16 + length - at, &event);
        }
        CHECK_EQUAL(event.kind, NBD_SEND);
        CHECK_EQUAL(event.length, 20);
        CHECK_EQUAL(event.bytes[12], 0x80);
        CHECK_EQUAL(event.bytes[15], 1);
        CHECK_EQUAL(give_server(&server, option + at, 16 + length - at, 100).kind, NBD_NOTHING);
    }
    const struct nbd_event event = give_server(&server, go, sizeof(go), 3);

    CHECK(event.kind == NBD_SEND && event.length == sizeof(info) + sizeof(ack));
}

/* What a client does not accept. */
static void test_refusals(void)
{
    struct nbd_client client;
    struct nbd_server server;
    uint8_t other[18];

    memcpy(other, greeting, sizeof(other));
    other[8] = 0;
    nbd_client_begin(&client, "abc");
    struct nbd_event event = give_client(&client, other, sizeof(other), 1);

    CHECK_TEXT(event.why, "what answers is not an NBD server, or one of the old style");
    memcpy(other, greeting, sizeof(other));
    other[17] = 2;
    nbd_client_begin(&client, "abc");
    event = give_client(&client, other, sizeof(other), 1);
    CHECK_TEXT(event.why, "the server does not support fixed newstyle negotiation");
    nbd_client_begin(&client, "abc");
    give_client(&client, greeting, sizeof(greeting), 18);
    event = give_client(&client, no_such, sizeof(no_such), 4);
    CHECK_TEXT(event.why, "the server has no export of that name");
    nbd_client_begin(&client, "abc");
    give_client(&client, greeting, sizeof(greeting), 18);
    event = give_client(&client, ack, sizeof(ack), 4);
    CHECK_TEXT(event.why, "the server does not report the size of its export");
    nbd_server_begin(&server, "abd", EXPORT_BYTES);
    give_server(&server, flags, sizeof(flags), 4);
    event = give_server(&server, go, sizeof(go), 4);
    CHECK(has_sent(&event, no_such, sizeof(no_such)));
}

int main(void)
{
    RUN(test_client(1));
    RUN(test_client(5));
    RUN(test_client(4096));
    RUN(test_server(1));
    RUN(test_server(5));
    RUN(test_server(4096));
    RUN(test_outside());
    RUN(test_commands());
    RUN(test_export_name());
    RUN(test_unknown_options());
    RUN(test_refusals());
    return unit_finish("unit_nbd");
}
