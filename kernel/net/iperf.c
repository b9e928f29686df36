/* SPDX-License-Identifier: BSD-2-Clause */
#include "kernel/net/iperf.h"

/* Its list of sessions, which were in the memory of the stack before, can be emptied only from
 * within. */
#include "apps/lwiperf/lwiperf.c" // NOLINT(bugprone-suspicious-include)

bool iperf_begin(void)
{
    lwiperf_all_connections = NULL;
    return lwiperf_start_tcp_server_default(NULL, NULL) != NULL;
}
