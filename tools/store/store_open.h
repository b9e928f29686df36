/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Opens a database of runs with the backend that its name selects: postgresql://... or
 * postgres://... is PostgreSQL, any other name is a file of SQLite.
 */
#pragma once

#include "tools/store/store.h"

/* NULL, with one line in `error`, where it cannot be opened or is a foreign file. */
struct store *store_open(const char *name, enum store_mode mode, char error[STORE_ERROR_MAX]);
