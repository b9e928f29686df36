/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The server of iperf 2: lwIP's lwiperf. Pure.
 */
#pragma once

#include <stdbool.h>

/* After stack_begin(): listens at port SERVICE_IPERF, and forgets the sessions of the stack before.
 * False: no memory. */
bool iperf_begin(void);
