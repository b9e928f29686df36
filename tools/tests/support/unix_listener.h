/* SPDX-License-Identifier: BSD-2-Clause */
/* A unix socket that a test program listens on. */
#pragma once

/* The listening socket at `path`, or -1 with errno set. */
int unix_listener(const char *path);
