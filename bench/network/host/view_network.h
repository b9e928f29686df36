/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * What `tare show` prints of the benches of the network, and the cells that its tables share.
 */
#pragma once

#include "tools/present/view.h"

void view_rtt(const struct view *view, const struct run_bench *bench);
void view_netbandwidth(const struct view *view, const struct run_bench *bench);
void view_connection(const struct view *view, const struct run_bench *bench);
void view_remotefile(const struct view *view, const struct run_bench *bench);
void view_netload(const struct view *view, const struct run_bench *bench);

/* As network_length() has it; "-" of what is not finite. */
void network_cell(struct table *table, const struct view *view, double ticks);
/* n, min, median, p99 where enough samples lie above it, and max. */
void network_cells(struct table *table, const struct view *view,
                   const struct statistics *statistics);
/* An empty line, and the table, indented. */
void network_print(const struct view *view, struct table *table);
