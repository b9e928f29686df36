/* SPDX-License-Identifier: BSD-2-Clause */
/* tare compare --history: change points over many runs. */
#pragma once

#include <stdbool.h>

#include "tools/judge/history.h"

struct history_request {
    const char *from; /* a directory of run files, or a fleet */
    struct history_settings settings;
    bool all, json;
};

/* Reads, judges and shows; returns the exit status. */
int compare_history(const struct history_request *request);
