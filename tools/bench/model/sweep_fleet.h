/* SPDX-License-Identifier: BSD-2-Clause */
/* Shards of a sweep (sweep_rows.h) out of a fleet. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "tools/run/run.h"
#include "tools/store/store.h"

/* The whole sweep from these runs of the fleet, or, with a count of 0, from all that hold a shard.
 * The fleet is being looked at (fleet_look()). False with a line in store->error. */
bool sweep_from_fleet(struct store *store, const int64_t *ids, size_t count, struct run *whole);
