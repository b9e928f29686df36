/* SPDX-License-Identifier: BSD-2-Clause */
/* A unix socket that a test program listens on. */
#pragma once

#include <stdio.h>
#include <sys/socket.h>
#include <sys/un.h>

/* Returns the listening socket at `path`, or -1 with errno set. */
static inline int unix_listener(const char *path)
{
    struct sockaddr_un address = {.sun_family = AF_UNIX};
    const int listener = socket(AF_UNIX, SOCK_STREAM, 0);

    snprintf(address.sun_path, sizeof(address.sun_path), "%s", path);
    if (listener < 0 || bind(listener, (struct sockaddr *)&address, sizeof(address)) != 0 ||
        listen(listener, 1) != 0) {
        return -1;
    }
    return listener;
}
