/* SPDX-License-Identifier: BSD-2-Clause */
#include "kernel/net/nbd_server.h"

#include <string.h>

#include "kernel/net/nbd.h"
#include "lwip/tcp.h"

#define PART_BYTES 4096 /* bytes of an answer that are sent at once */

struct client {
    struct tcp_pcb *pcb; /* NULL: the entry is free */
    struct nbd_server side;
    struct pbuf *input; /* received bytes that are not taken yet */
    uint16_t taken;     /* bytes taken of the first buffer of `input` */
    const uint8_t *out; /* bytes to send before more is taken */
    size_t out_bytes;
    uint64_t offset; /* place in the export of the next bytes to send after them */
    uint64_t left;
    bool over; /* the client has disconnected: close the connection */
    uint8_t reply[NBD_REPLY_BYTES];
};

static struct {
    const struct nbd_export *export;
    struct client clients[NBD_CLIENTS_MAX];
    struct nbd_served counts;
    uint8_t part[PART_BYTES];
} server;

const struct nbd_served *nbd_served(void)
{
    return &server.counts;
}

static void forget(struct client *client)
{
    if (client->input != NULL) {
        pbuf_free(client->input);
    }
    client->input = NULL;
    client->pcb = NULL;
}

/* Closes the connection. Returns ERR_ABRT if it had to be aborted; a callback must return that to
 * lwIP. */
static err_t hang_up(struct client *client)
{
    struct tcp_pcb *pcb = client->pcb;

    forget(client);
    tcp_arg(pcb, NULL);
    tcp_recv(pcb, NULL);
    tcp_sent(pcb, NULL);
    tcp_err(pcb, NULL);
    tcp_poll(pcb, NULL, 0);
    if (tcp_close(pcb) == ERR_OK) {
        return ERR_OK;
    }
    tcp_abort(pcb);
    return ERR_ABRT;
}

/* Sends bytes. Returns false if there is no room now. */
static bool put_out(struct client *client, const void *bytes, size_t length)
{
    return length <= tcp_sndbuf(client->pcb) &&
           tcp_write(client->pcb, bytes, (uint16_t)length, TCP_WRITE_FLAG_COPY) == ERR_OK;
}

static bool send_out(struct client *client)
{
    if (!put_out(client, client->out, client->out_bytes)) {
        return false;
    }
    client->out_bytes = 0;
    return true;
}

/* Sends a part of an answer. Sets *broken if the export cannot be read, because a part of the
 * answer may have been sent already. */
static bool send_part(struct client *client, bool *broken)
{
    const uint64_t room = tcp_sndbuf(client->pcb);
    uint64_t bytes = client->left < PART_BYTES ? client->left : PART_BYTES;

    bytes = bytes < room ? bytes : room;
    if (bytes == 0) {
        return false;
    }
    if (!server.export->read(server.export->argument, client->offset, server.part,
                             (uint32_t)bytes)) {
        *broken = true;
        return false;
    }
    if (!put_out(client, server.part, (size_t)bytes)) {
        return false;
    }
    client->offset += bytes;
    client->left -= bytes;
    server.counts.bytes += bytes;
    return true;
}

/* Decodes the next bytes of the input. */
static void take_input(struct client *client, struct nbd_event *event)
{
    struct pbuf *first = client->input;
    const size_t taken =
        nbd_server_take(&client->side, (const uint8_t *)first->payload + client->taken,
                        (size_t)(first->len - client->taken), event);

    client->taken = (uint16_t)(client->taken + taken);
    tcp_recved(client->pcb, (uint16_t)taken);
    if (client->taken == first->len) {
        client->input = first->next;
        client->taken = 0;
        if (client->input != NULL) {
            pbuf_ref(client->input);
        }
        pbuf_free(first);
    }
}

/* Acts on an event. Returns false if the connection must end. */
static bool obey(struct client *client, const struct nbd_event *event)
{
    switch (event->kind) {
    case NBD_NOTHING:
        return true;
    case NBD_SEND:
        client->out = event->bytes;
        client->out_bytes = event->length;
        return true;
    case NBD_READ:
        client->offset = event->offset;
        client->left = event->length;
        server.counts.reads++;
        break;
    case NBD_REFUSED:
        server.counts.refused++;
        break;
    case NBD_END:
        client->over = true;
        return true;
    default:
        server.counts.refused++;
        return false;
    }
    nbd_make_reply(client->reply, event->handle, event->error);
    client->out = client->reply;
    client->out_bytes = sizeof(client->reply);
    return true;
}

/* Sends and takes bytes as long as there is room. An answer is complete before the next one begins.
 */
static err_t go_on(struct client *client)
{
    bool room = true;
    bool over = false;

    while (room && !over) {
        if (client->out_bytes > 0) {
            room = send_out(client);
        } else if (client->left > 0) {
            room = send_part(client, &over);
        } else if (client->input != NULL) {
            struct nbd_event event;

            take_input(client, &event);
            over = !obey(client, &event);
        } else {
            break;
        }
    }
    if (over) {
        server.counts.refused += client->left > 0;
        return hang_up(client);
    }
    tcp_output(client->pcb);
    return ERR_OK;
}

/* ---- callbacks of lwIP ---- */

static err_t received(void *argument, struct tcp_pcb *pcb, struct pbuf *bytes, err_t error)
{
    struct client *client = argument;

    (void)pcb;
    if (bytes == NULL || error != ERR_OK) {
        if (bytes != NULL) {
            pbuf_free(bytes);
        }
        return hang_up(client);
    }
    if (client->input == NULL) {
        client->input = bytes;
    } else {
        pbuf_cat(client->input, bytes);
    }
    return go_on(client);
}

static err_t sent(void *argument, struct tcp_pcb *pcb, u16_t length)
{
    (void)pcb;
    (void)length;
    return go_on(argument);
}

static err_t polled(void *argument, struct tcp_pcb *pcb)
{
    struct client *client = argument;

    (void)pcb;
    return client->over ? hang_up(client) : go_on(client);
}

static void lost(void *argument, err_t error)
{
    (void)error;
    forget(argument);
}

static err_t accepted(void *argument, struct tcp_pcb *pcb, err_t error)
{
    struct client *client = NULL;

    (void)argument;
    for (size_t i = 0; i < NBD_CLIENTS_MAX && client == NULL; i++) {
        client = server.clients[i].pcb == NULL ? &server.clients[i] : NULL;
    }
    if (error != ERR_OK || pcb == NULL) {
        return ERR_VAL;
    }
    if (client == NULL) {
        tcp_abort(pcb);
        return ERR_ABRT;
    }
    *client = (struct client){.pcb = pcb};
    server.counts.connections++;
    nbd_server_begin(&client->side, server.export->name, server.export->bytes);
    client->out_bytes = nbd_server_greet(&client->side, &client->out);
    tcp_arg(pcb, client);
    tcp_recv(pcb, received);
    tcp_sent(pcb, sent);
    tcp_err(pcb, lost);
    tcp_poll(pcb, polled, 1);
    tcp_nagle_disable(pcb);
    return go_on(client);
}

bool nbd_serve(const struct nbd_export *export)
{
    struct tcp_pcb *pcb = tcp_new();

    memset(&server, 0, sizeof(server)); /* the earlier stack and its connections are gone */
    server.export = export;
    if (pcb == NULL) {
        return false;
    }
    if (tcp_bind(pcb, IP_ADDR_ANY, SERVICE_NBD) != ERR_OK) {
        tcp_close(pcb);
        return false;
    }
    struct tcp_pcb *listening = tcp_listen(pcb);

    if (listening == NULL) {
        tcp_close(pcb);
        return false;
    }
    tcp_accept(listening, accepted);
    return true;
}
