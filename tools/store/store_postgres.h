/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A store in a database of PostgreSQL. store_open() chooses it.
 */
#pragma once

#include "tools/store/store.h"

/* NULL, with one line in `error`, where it cannot be opened. */
struct store *store_postgres_open(const char *name, enum store_mode mode,
                                  char error[STORE_ERROR_MAX]);
