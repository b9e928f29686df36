/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * What an event of LTTng-UST costs on this machine, in a session that records it: prints ns per
 * event. Whether some were lost, the session knows.
 */
#define LTTNG_UST_TRACEPOINT_CREATE_PROBES
#define LTTNG_UST_TRACEPOINT_DEFINE
#include "tools/tests/peers/bench_lttng.h"

#include <unistd.h>

#include "tools/tests/peers/bench_loop.h"

#define DRAIN_S 1 /* its consumer writes 64 MiB to memory in far less */

static inline void record(uint16_t old, uint16_t new, uint8_t why)
{
    lttng_ust_tracepoint(tare, thread_switch, old, new, why);
}

static void drain(void)
{
    sleep(DRAIN_S);
}

int main(void)
{
    if (!lttng_ust_tracepoint_enabled(tare, thread_switch)) {
        fputs("bench_lttng: no session records the event\n", stderr);
        return 1;
    }
    printf("%.2f\n", loop_measure(record, drain));
    return 0;
}
