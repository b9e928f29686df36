/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * bench netserver: the other machine of the network benches. It measures nothing. Until its time is
 * over, the NIC of net.use answers ICMP, and the machine offers the services of
 * kernel/net/services.h and, by NBD, a volume with BENCH.DAT. The plan's role=server runs it, and
 * no other bench.
 */
#include <stdio.h>

#include "bench/network/path.h"
#include "kernel/clock/clock.h"
#include "kernel/cpu/cpu.h"
#include "kernel/net/nbd_volume.h"
#include "kernel/net/services.h"
#include "kernel/net/use.h"
#include "kernel/plan/names.h"
#include "kernel/run/names.h"

#define MS_MAX 86400000000ull
#define US     1000

static void publish(struct bench_run *run, const struct nic_counts *nic)
{
    const struct services_counts *counts = services_counts();

    bench_fact(run, FACT_FRAMES_SENT, UNIT_COUNT, (int64_t)nic->sent);
    bench_fact(run, FACT_FRAMES_RECEIVED, UNIT_COUNT, (int64_t)nic->received);
    bench_fact(run, FACT_FRAMES_DAMAGED, UNIT_COUNT, (int64_t)nic->damaged);
    bench_fact(run, FACT_DATAGRAMS, UNIT_COUNT, (int64_t)counts->datagrams);
    bench_fact(run, FACT_CONNECTIONS, UNIT_COUNT, (int64_t)counts->connections);
    bench_fact(run, FACT_BYTES_ECHOED, UNIT_BYTE, (int64_t)counts->echoed);
    bench_fact(run, FACT_BYTES_CHECKED, UNIT_BYTE, (int64_t)counts->discarded);
    bench_fact(run, FACT_BYTES_WRONG, UNIT_BYTE, (int64_t)counts->wrong);
    bench_fact(run, FACT_BYTES_SOURCED, UNIT_BYTE, (int64_t)counts->sourced);
}

static enum bench_state run(struct bench_run *run)
{
    const struct net_options options = {.path = NET_SERVE, .services = true};
    const char *why = net_begin(&options);
    char own[NET_ADDRESS_TEXT];
    char text[NET_ADDRESS_TEXT + 16];

    if (why != NULL) {
        return bench_skip(run, "%s", why);
    }
    net_enter();
    const bool served = nbd_serve(nbd_volume_export());

    net_leave();
    if (!served) {
        net_end();
        return bench_error(run, "no memory for an NBD server");
    }
    const struct nic *nic = net_nic(0);

    net_address_text(net_own(), own);
    bench_found(run, FOUND_NICS, nic->name);
    snprintf(text, sizeof(text), "serves at %s", own);
    bench_notify(run, text);
    struct tsc_wait wait = tsc_wait_begin(clock_ticks_from_us(bench_number(run, "for_ms") * US));

    while (!tsc_wait_over(&wait) && nic->given_up == NULL) {
        net_poll();
    }
    const struct nic_counts counts = nic->counts;
    const char *given_up = nic->given_up;

    net_end();
    publish(run, &counts);
    return given_up == NULL ? bench_ok(run) : bench_fail(run, "%s: %s", nic->name, given_up);
}

static const struct bench_param params[] = {
    {"for_ms", "3600000", "how long to serve, in ms", PARAM_TIME(1, MS_MAX)},
    {0},
};

static const struct bench netserver = {
    .name = BENCH_NETSERVER,
    .group = GROUP_NETWORK,
    .summary = "acts as the remote peer for network benches of other machines; measures nothing",
    .unit = UNIT_COUNT,
    .estimate = "the echoes and bytes that the other machine asks for",
    .needs = NEED_CLOCK,
    .on_request = true,
    .role = ROLE_SERVER,
    .params = params,
    .run = run,
};
BENCH_REGISTER(netserver);
