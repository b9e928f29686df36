/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * What `tare show` prints of the benches of the network.
 */
#pragma once

#include "tools/present/view.h"

void view_rtt(const struct view *view, const struct run_bench *bench);
void view_netbandwidth(const struct view *view, const struct run_bench *bench);
void view_connection(const struct view *view, const struct run_bench *bench);
void view_remotefile(const struct view *view, const struct run_bench *bench);
void view_netload(const struct view *view, const struct run_bench *bench);
