/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * tools/qemu/: a peer in a child process, and a second one here whose stack is its client, by Unix
 * datagrams.
 */
#include "tools/qemu/peer.h"

#include <signal.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

#include "lwip/tcp.h"
#include "lwip/udp.h"
#include "tools/base/interrupt.h"
#include "tools/base/monotonic.h"
#include "tools/tests/support/unit.h"

#define OTHER      0x0a090002u
#define BULK       300000
#define FILE_BYTES 10000
#define SECONDS_MS 10000 /* after which the test gives up */

static char folder[] = "/tmp/unit_peer.XXXXXX";
static char here[64];
static char there[64];
static struct peer peer;
static bool done;

static bool open_peer(const char *local, const char *remote, uint32_t address)
{
    const struct peer_settings settings = {local, remote, address, 24, NULL};
    char error[DATAGRAM_ERROR_MAX] = "";
    const bool opened = peer_open(&peer, &settings, error);

    CHECK_TEXT(error, "");
    return opened;
}

static int serve(int started)
{
    interrupt_catch();
    if (!open_peer(there, here, OTHER)) {
        return 1;
    }
    CHECK_EQUAL(write(started, "", 1), 1);
    while (!interrupt_seen()) {
        peer_turn(&peer, 100);
    }
    CHECK_EQUAL(services_counts()->datagrams, 1);
    CHECK_EQUAL(services_counts()->discarded, BULK);
    CHECK_EQUAL(services_counts()->wrong, 0);
    CHECK(peer.received > BULK / 1460);
    peer_close(&peer);
    CHECK(access(there + strlen("unix:"), F_OK) != 0);
    return unit_failed_checks == 0 ? 0 : 1;
}

static void until_done(void)
{
    const uint64_t begin = monotonic_ms();

    while (!done && monotonic_ms() - begin < SECONDS_MS) {
        peer_turn(&peer, 10);
    }
    CHECK(done);
    done = false;
}

static void answered(void *argument, struct udp_pcb *pcb, struct pbuf *packet,
                     const ip_addr_t *from, u16_t port)
{
    (void)argument;
    (void)pcb;
    (void)from;
    (void)port;
    CHECK_EQUAL(packet->tot_len, 100);
    CHECK_EQUAL(services_check(packet->payload, 0, packet->len), 100);
    pbuf_free(packet);
    done = true;
}

static void test_datagram(void)
{
    const ip_addr_t to = {lwip_htonl(OTHER)};
    struct udp_pcb *pcb = udp_new();
    struct pbuf *packet = pbuf_alloc(PBUF_TRANSPORT, 100, PBUF_RAM);

    services_fill(packet->payload, 0, 100);
    udp_recv(pcb, answered, NULL);
    CHECK_EQUAL(udp_sendto(pcb, packet, &to, SERVICE_ECHO), ERR_OK);
    pbuf_free(packet);
    until_done();
    udp_remove(pcb);
}

static uint64_t written;
static uint64_t acknowledged;

static void write_more(struct tcp_pcb *pcb)
{
    uint8_t bytes[1000];

    while (written < BULK && tcp_sndbuf(pcb) >= sizeof(bytes)) {
        services_fill(bytes, written, sizeof(bytes));
        if (tcp_write(pcb, bytes, sizeof(bytes), TCP_WRITE_FLAG_COPY) != ERR_OK) {
            break;
        }
        written += sizeof(bytes);
    }
    CHECK_EQUAL(tcp_output(pcb), ERR_OK);
}

static err_t sent(void *argument, struct tcp_pcb *pcb, u16_t length)
{
    (void)argument;
    acknowledged += length;
    write_more(pcb);
    done = acknowledged == BULK;
    return ERR_OK;
}

static err_t connected(void *argument, struct tcp_pcb *pcb, err_t error)
{
    (void)argument;
    CHECK_EQUAL(error, ERR_OK);
    write_more(pcb);
    return ERR_OK;
}

static void test_bulk(void)
{
    const ip_addr_t to = {lwip_htonl(OTHER)};
    struct tcp_pcb *pcb = tcp_new();

    tcp_sent(pcb, sent);
    CHECK_EQUAL(tcp_connect(pcb, &to, SERVICE_DISCARD, connected), ERR_OK);
    until_done();
}

static void test_both(void)
{
    int started[2];
    char byte;
    int status = -1;
    pid_t child;

    CHECK_EQUAL(pipe(started), 0);
    child = fork();
    if (child == 0) {
        _exit(serve(started[1]));
    }
    close(started[1]);
    CHECK_EQUAL(read(started[0], &byte, 1), 1);
    close(started[0]);
    if (open_peer(here, there, OTHER - 1)) {
        test_datagram();
        test_bulk();
        peer_close(&peer);
    }
    kill(child, SIGTERM);
    CHECK_EQUAL(waitpid(child, &status, 0), child);
    CHECK_EQUAL(status, 0);
}

/* Without the other end, what is sent counts as lost. */
static void test_alone(void)
{
    if (open_peer(here, there, OTHER)) {
        CHECK_EQUAL(peer.sent, 0);
        CHECK_EQUAL(peer.lost, 1); /* what an interface announces when it comes up */
        peer_close(&peer);
    }
}

static void refused(const char *local, const char *remote, const char *why)
{
    const struct peer_settings settings = {local, remote, OTHER, 24, NULL};
    char error[DATAGRAM_ERROR_MAX] = "";

    CHECK(!peer_open(&peer, &settings, error));
    CHECK_TEXT(error, why);
}

static void test_ends(void)
{
    refused("127.0.0.1", "127.0.0.1:7102", "127.0.0.1: must be ADDRESS:PORT or unix:PATH");
    refused("127.0.0.1:7103", "127.0.0.1:0", "127.0.0.1:0: must be ADDRESS:PORT or unix:PATH");
    refused("127.0.0.1:7103", "127.0.0.1:65536",
            "127.0.0.1:65536: must be ADDRESS:PORT or unix:PATH");
    refused("host:7103", "127.0.0.1:1", "host:7103: must be ADDRESS:PORT or unix:PATH");
    refused("unix:", "unix:x", "unix:: must be ADDRESS:PORT or unix:PATH");
    refused("unix:x", "127.0.0.1:7102",
            "unix:x and 127.0.0.1:7102: both must be ADDRESS:PORT, or both unix:PATH");
    refused("unix:/none/there", "unix:x", "unix:/none/there: No such file or directory");
}

static void test_addresses(void)
{
    uint32_t address = 0;
    uint32_t prefix = 24;

    CHECK(peer_parse_address("10.9.0.2", &address, &prefix));
    CHECK_EQUAL(address, OTHER);
    CHECK_EQUAL(prefix, 24);
    CHECK(peer_parse_address("192.168.1.9/16", &address, &prefix));
    CHECK_EQUAL(address, 0xc0a80109);
    CHECK_EQUAL(prefix, 16);
    CHECK(!peer_parse_address("10.9.0", &address, &prefix));
    CHECK(!peer_parse_address("10.9.0.2/", &address, &prefix));
    CHECK(!peer_parse_address("10.9.0.2/33", &address, &prefix));
    CHECK(!peer_parse_address("10.9.0.2/0", &address, &prefix));
    CHECK(!peer_parse_address("100.100.100.100.1", &address, &prefix));
}

/* ---- what is read of a file, and of a volume that is made ---- */

static struct remote_file remote;
static char file_error[200];
static uint8_t bytes[FILE_BYTES];

static bool read_at(uint64_t offset, uint32_t length)
{
    return remote.export.read(remote.export.argument, offset, bytes, length);
}

static void test_file(void)
{
    static uint8_t contents[FILE_BYTES];
    char path[] = "/tmp/unit_peer_file.XXXXXX";
    const int file = mkstemp(path);

    for (size_t i = 0; i < FILE_BYTES; i++) {
        contents[i] = (uint8_t)(i * 7 ^ i >> 8);
    }
    CHECK_EQUAL(write(file, contents, FILE_BYTES), FILE_BYTES);
    close(file);
    CHECK(remote_file_open(&remote, path, file_error, sizeof(file_error)));
    CHECK_EQUAL(remote.export.bytes, FILE_BYTES);
    CHECK_TEXT(remote.export.name, "BENCH.DAT");
    CHECK(read_at(4095, 4098));
    CHECK(memcmp(bytes, contents + 4095, 4098) == 0);
    CHECK(read_at(FILE_BYTES - 1, 1));
    CHECK(!read_at(FILE_BYTES - 1, 2)); /* it has become shorter */
    remote_file_close(&remote);
    unlink(path);
    CHECK(!remote_file_open(&remote, path, file_error, sizeof(file_error)));
    CHECK(strstr(file_error, ": No such file or directory") != NULL);
    CHECK(!remote_file_open(&remote, "/", file_error, sizeof(file_error)));
    CHECK_TEXT(file_error, "/: Is a directory");
    CHECK(!remote_file_open(&remote, "/dev/null", file_error, sizeof(file_error)));
}

static void test_volume(void)
{
    struct layout layout;

    CHECK(remote_file_open(&remote, NULL, file_error, sizeof(file_error)));
    CHECK(read_at(0, LAYOUT_SECTOR));
    CHECK(layout_read(bytes, remote.export.bytes / LAYOUT_SECTOR, &layout) == NULL);
    const struct layout_file *bench = layout_find(&layout, LAYOUT_BENCH);

    CHECK_EQUAL(bench->sectors, (uint64_t)REMOTE_FILE_MIB << 11);
    CHECK(read_at((bench->first + 77) * LAYOUT_SECTOR - 5, 5 + LAYOUT_SECTOR));
    CHECK(layout_check(bytes + 5, 1, 77));
    remote_file_close(&remote);
}

int main(void)
{
    CHECK(mkdtemp(folder) != NULL);
    snprintf(here, sizeof(here), "unix:%s/here", folder);
    snprintf(there, sizeof(there), "unix:%s/there", folder);
    RUN(test_addresses());
    RUN(test_ends());
    RUN(test_alone());
    RUN(test_both());
    RUN(test_file());
    RUN(test_volume());
    rmdir(folder);
    return unit_finish("unit_peer");
}
