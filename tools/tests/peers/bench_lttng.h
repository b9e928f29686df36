/* SPDX-License-Identifier: BSD-2-Clause */
/* The event thread_switch (kernel/trace/events.def) as a tracepoint of LTTng-UST. */
#undef LTTNG_UST_TRACEPOINT_PROVIDER
#define LTTNG_UST_TRACEPOINT_PROVIDER tare

#undef LTTNG_UST_TRACEPOINT_INCLUDE
#define LTTNG_UST_TRACEPOINT_INCLUDE "tools/tests/peers/bench_lttng.h"

#if !defined(BENCH_LTTNG_H) || defined(LTTNG_UST_TRACEPOINT_HEADER_MULTI_READ)
#define BENCH_LTTNG_H

#include <stdint.h>

#include <lttng/tracepoint.h>

/* cppcheck-suppress unknownMacro */
LTTNG_UST_TRACEPOINT_EVENT(
    tare, thread_switch,
    LTTNG_UST_TP_ARGS(uint16_t, old_thread, uint16_t, new_thread, uint8_t, reason),
    LTTNG_UST_TP_FIELDS(lttng_ust_field_integer(uint16_t, old, old_thread)
                            lttng_ust_field_integer(uint16_t, new, new_thread)
                                lttng_ust_field_integer(uint8_t, why, reason)))

#endif

#include <lttng/tracepoint-event.h>
