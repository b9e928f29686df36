/* SPDX-License-Identifier: BSD-2-Clause */
#include "boot/dhcp_answer.h"

#include <string.h>

#define SERVER_AT   20
#define FILE_AT     108
#define FILE_BYTES  128
#define COOKIE_AT   236
#define OPTIONS_AT  240
#define OPTION_PAD  0
#define OPTION_END  255
#define OVERLOAD    52
#define SERVER_ID   54
#define BOOT_FILE   67
#define IN_OVERLOAD 1 /* bit of option 52: the file field holds options */

static const uint8_t cookie[4] = {99, 130, 83, 99};
static const uint8_t no_server[4];

struct option {
    const uint8_t *bytes; /* NULL if the option is missing */
    size_t length;
};

static struct option find(const uint8_t *packet, size_t length, uint8_t wanted)
{
    size_t at = OPTIONS_AT;

    while (at < length && packet[at] != OPTION_END) {
        if (packet[at] == OPTION_PAD) {
            at++;
            continue;
        }
        if (at + 2 > length || packet[at + 1] > length - at - 2) {
            break;
        }
        if (packet[at] == wanted) {
            return (struct option){packet + at + 2, packet[at + 1]};
        }
        at += 2u + packet[at + 1];
    }
    return (struct option){0};
}

/* Returns the name of the boot file; `bytes` is NULL if there is none. Option 67 takes precedence,
 * because a server uses it for a name that does not fit into the field. */
static struct option boot_file(const uint8_t *packet, size_t length)
{
    const struct option overload = find(packet, length, OVERLOAD);
    struct option name = find(packet, length, BOOT_FILE);

    if (name.bytes == NULL &&
        (overload.bytes == NULL || overload.length != 1 || (*overload.bytes & IN_OVERLOAD) == 0)) {
        name = (struct option){packet + FILE_AT, FILE_BYTES};
    }
    for (size_t i = 0; name.bytes != NULL && i < name.length; i++) {
        if (name.bytes[i] == 0) {
            name.length = i;
        }
    }
    return name;
}

bool dhcp_answer_read(const uint8_t *packet, size_t length, struct dhcp_answer *answer)
{
    size_t folder = 0;

    if (length < OPTIONS_AT || memcmp(packet + COOKIE_AT, cookie, sizeof(cookie)) != 0) {
        return false;
    }
    const struct option server = find(packet, length, SERVER_ID);
    const struct option file = boot_file(packet, length);

    memcpy(answer->server, packet + SERVER_AT, sizeof(answer->server));
    if (memcmp(answer->server, no_server, sizeof(no_server)) == 0 &&
        server.length == sizeof(answer->server)) {
        memcpy(answer->server, server.bytes, sizeof(answer->server));
    }
    if (file.length == 0 || memcmp(answer->server, no_server, sizeof(no_server)) == 0) {
        return false;
    }
    for (size_t i = 0; i < file.length; i++) {
        if (i + 2 < file.length && memcmp(file.bytes + i, "://", 3) == 0) {
            return false;
        }
        if (file.bytes[i] == '/' || file.bytes[i] == '\\') {
            folder = i + 1;
        }
    }
    memcpy(answer->folder, file.bytes, folder);
    answer->folder[folder] = '\0';
    return true;
}
