/* SPDX-License-Identifier: BSD-2-Clause */
#include "kernel/run/settings.h"

#include <stdio.h>
#include <string.h>

#include "kernel/block/service_law.h"
#include "kernel/block/use.h"
#include "kernel/file/page_cache.h"
#include "kernel/input/script.h"
#include "kernel/names.h"
#include "kernel/net/nic.h"
#include "kernel/net/use.h"
#include "kernel/plan/names.h"
#include "kernel/plan/number.h"
#include "kernel/pmu/event.h"
#include "kernel/run/names.h"
#include "kernel/run/registry.h"
#include "kernel/smp/processor.h"
#include "kernel/trace/names.h"
#include "kernel/trace/packet.h"

#define TRACE_BYTES_DEFAULT (2u << 20)
#define TRACE_BYTES_MAX     999000000ull /* a BLOB of the run file takes 10^9 bytes */
#define INPUT_SOURCES \
    PLAN_INPUT_AUTO "," PLAN_INPUT_LOOPBACK "," PLAN_INPUT_TIMER "," PLAN_INPUT_OUTSIDE
#define TRACE_MODES        TRACE_MODE_STOP "," TRACE_MODE_OVERWRITE "," TRACE_MODE_DRAIN "," TRACE_MODE_OFF
#define INPUT_WAIT_DEFAULT 3000
/* Some 100 days: in exact mode the guest's time may run a thousand times as fast as the host's. */
#define INPUT_WAIT_MS_MAX 10000000000ull
#define LIMIT_MS_MAX      1000000000000ull /* some 30 years */
#define STOP_US_MAX       1000000000000ull
#define INJECT_AFTER_MAX  1000000000
#define DISK_MIB_MAX      4096
#define CACHE_MIB_DEFAULT 4
#define CACHE_MIB_MAX     65536
#define READ_AHEAD_MAX    64
#define LAW_NAMES_MAX     128
#define PACKET_NS_MAX     1000000000
#define BYTE_PS_MAX       10000000
#define LOSS_PPM_MAX      1000000

void settings_default(struct run_settings *settings)
{
    *settings = (struct run_settings){
        .baud = 115200,
        .wait_ms = 3000,
        .port.automatic = true,
        .trace_mode = TRACE_MODE_STOP,
        .trace_bytes = TRACE_BYTES_DEFAULT,
        .input_wait_ms = INPUT_WAIT_DEFAULT,
        .disk_model = BLOCK_MODEL_DEFAULT,
        .disk_mib = BLOCK_MIB_DEFAULT,
        .cache_mib = CACHE_MIB_DEFAULT,
        .cache_policy = CACHE_POLICY_LRU,
        .net = {.address = NET_ADDRESS_DEFAULT,
                .prefix = NET_PREFIX_DEFAULT,
                .wire = {.packet_ns = WIRE_PACKET_NS_DEFAULT, .byte_ps = WIRE_BYTE_PS_DEFAULT}},
    };
}

/* ---- values ---- */

static bool read_number(struct plan *plan, const char *key, uint64_t *value, uint64_t max,
                        char error[PLAN_ERROR_MAX])
{
    const char *text = plan_value(plan, key);

    if (text != NULL && (!parse_unsigned(text, value) || *value > max)) {
        snprintf(error, PLAN_ERROR_MAX, "%s=%.40s: must be a number up to %lu", key, text, max);
        return false;
    }
    return true;
}

static bool read_choice(struct plan *plan, const char *key, const char *choices, const char **value,
                        char error[PLAN_ERROR_MAX])
{
    const char *text = plan_value(plan, key);

    if (text == NULL) {
        return true;
    }
    if (strchr(text, ',') != NULL || !plan_list_holds(choices, text)) {
        snprintf(error, PLAN_ERROR_MAX, "%s=%.40s: must be one of %s", key, text, choices);
        return false;
    }
    *value = text;
    return true;
}

/* ---- parts of a run ---- */

static bool read_events(struct plan *plan, struct run_settings *settings,
                        char error[PLAN_ERROR_MAX])
{
    static struct event_request requests[EVENT_REQUESTS_MAX];
    char why[EVENT_ERROR_MAX];
    size_t count;

    settings->events = plan_value(plan, KEY_EVENTS);
    if (settings->events == NULL || event_list_parse(settings->events, requests, &count, why)) {
        return true;
    }
    snprintf(error, PLAN_ERROR_MAX, "events: %s", why);
    return false;
}

static bool read_traces(struct plan *plan, struct run_settings *settings,
                        char error[PLAN_ERROR_MAX])
{
    const char *bytes = plan_value(plan, "trace.bytes");

    if (!read_choice(plan, "trace.mode", TRACE_MODES, &settings->trace_mode, error)) {
        return false;
    }
    if (bytes != NULL && (!parse_unsigned(bytes, &settings->trace_bytes) ||
                          settings->trace_bytes > TRACE_BYTES_MAX ||
                          settings->trace_bytes < TRACE_PACKETS_MIN * TRACE_PACKET_BYTES)) {
        snprintf(error, PLAN_ERROR_MAX, "trace.bytes=%.40s: must be a number from %d to %llu",
                 bytes, TRACE_PACKETS_MIN * TRACE_PACKET_BYTES, TRACE_BYTES_MAX);
        return false;
    }
    return true;
}

static bool check_script(struct plan *plan, char error[PLAN_ERROR_MAX])
{
    const char *script = plan_value(plan, KEY_INPUT_SCRIPT);
    char why[SCRIPT_ERROR_MAX];
    size_t count;

    if (script == NULL ||
        script_read(script, strlen(script), NULL, SCRIPT_EVENTS_MAX, &count, why)) {
        return true;
    }
    snprintf(error, PLAN_ERROR_MAX, "input.script: %s", why);
    return false;
}

static bool read_input(struct plan *plan, struct run_settings *settings, char error[PLAN_ERROR_MAX])
{
    const char *source = PLAN_INPUT_AUTO;

    if (!read_choice(plan, KEY_INPUT_SOURCE, INPUT_SOURCES, &source, error) ||
        !read_number(plan, KEY_INPUT_WAIT_MS, &settings->input_wait_ms, INPUT_WAIT_MS_MAX, error)) {
        return false;
    }
    settings->input_outside = strcmp(source, PLAN_INPUT_OUTSIDE) == 0;
    settings->input_loopback = strcmp(source, PLAN_INPUT_LOOPBACK) == 0;
    settings->input_timer = strcmp(source, PLAN_INPUT_TIMER) == 0;
    return check_script(plan, error);
}

static bool read_limit(struct plan *plan, struct run_settings *settings, char error[PLAN_ERROR_MAX])
{
    settings->limits = plan_value(plan, "bench.limit_ms") != NULL;
    return read_number(plan, "bench.limit_ms", &settings->limit_ms, LIMIT_MS_MAX, error) &&
           read_number(plan, "noise.stop_us", &settings->stop_us, STOP_US_MAX, error);
}

static bool read_port(struct plan *plan, struct port_setting *port, char error[PLAN_ERROR_MAX])
{
    const char *text = plan_value(plan, "link.port");

    if (text == NULL || port_setting_parse(text, port)) {
        return true;
    }
    snprintf(error, PLAN_ERROR_MAX,
             "link.port=%.60s: must be auto, io:PORT[,clock=HZ] or "
             "mmio:ADDRESS[,stride=1|2|4|8][,width=1|2|4][,clock=HZ]",
             text);
    return false;
}

/* What concerns the line. */
static bool read_link(struct plan *plan, struct run_settings *settings, char error[PLAN_ERROR_MAX])
{
    const char *format = "binary";
    const char *flow = "none";
    const char *send = "run";
    uint64_t serve = 0;

    if (!read_number(plan, "link.baud", &settings->baud, 4000000, error) ||
        !read_number(plan, "link.wait_ms", &settings->wait_ms, 3600000, error) ||
        !read_number(plan, KEY_LINK_SERVE, &serve, 1, error) ||
        !read_choice(plan, "link.format", "binary,text,lava", &format, error) ||
        !read_choice(plan, "link.flow", "none,hardware", &flow, error) ||
        !read_choice(plan, "link.send", "run,request", &send, error) ||
        !read_port(plan, &settings->port, error)) {
        return false;
    }
    settings->serve = serve != 0;
    settings->lava = strcmp(format, "lava") == 0;
    settings->text = settings->lava || strcmp(format, "text") == 0;
    settings->wait_for_cts = strcmp(flow, "hardware") == 0;
    settings->on_request = strcmp(send, "request") == 0;
    return true;
}

/* ---- disks and files ---- */

/* Names of the laws that a modelled disk may have, as a list of a plan. */
static const char *law_names(void)
{
    static char names[LAW_NAMES_MAX];
    const struct service_law *law;
    size_t length = 0;

    for (size_t i = 0; (law = service_law_at(i)) != NULL; i++) {
        length += (size_t)snprintf(names + length, sizeof(names) - length, "%s%s", i > 0 ? "," : "",
                                   law->name);
    }
    return names;
}

static bool read_disk(struct plan *plan, struct run_settings *settings, char error[PLAN_ERROR_MAX])
{
    const char *use = plan_value(plan, "disk.use");

    if (use != NULL && (*use == '\0' || strlen(use) >= BLOCK_NAME_MAX)) {
        snprintf(error, PLAN_ERROR_MAX,
                 "disk.use=%.40s: must be the name of a disk, as nvme0n1, or model", use);
        return false;
    }
    settings->disk_use = use;
    if (!read_choice(plan, "disk.model", law_names(), &settings->disk_model, error) ||
        !read_number(plan, "disk.mib", &settings->disk_mib, DISK_MIB_MAX, error)) {
        return false;
    }
    if (settings->disk_mib == 0) {
        snprintf(error, PLAN_ERROR_MAX, "disk.mib=0: must be a number from 1 to %d", DISK_MIB_MAX);
        return false;
    }
    return true;
}

static bool read_cache(struct plan *plan, struct run_settings *settings, char error[PLAN_ERROR_MAX])
{
    if (!read_number(plan, "cache.mib", &settings->cache_mib, CACHE_MIB_MAX, error) ||
        !read_number(plan, "cache.readahead", &settings->cache_readahead, READ_AHEAD_MAX, error) ||
        !read_choice(plan, "cache.policy", CACHE_POLICY_LRU "," CACHE_POLICY_2Q,
                     &settings->cache_policy, error)) {
        return false;
    }
    if (settings->cache_mib == 0) {
        snprintf(error, PLAN_ERROR_MAX, "cache.mib=0: must be a number from 1 to %d",
                 CACHE_MIB_MAX);
        return false;
    }
    return true;
}

/* ---- network ---- */

/* One name, or two that differ. */
static bool are_nics(const char *list)
{
    const size_t first = strcspn(list, ",");
    const char *second = list[first] == ',' ? list + first + 1 : NULL;

    if (first == 0 || first >= NIC_NAME_MAX) {
        return false;
    }
    return second == NULL ||
           (*second != '\0' && strchr(second, ',') == NULL && strlen(second) < NIC_NAME_MAX &&
            (strlen(second) != first || strncmp(list, second, first) != 0));
}

static bool read_nics(struct plan *plan, struct net_settings *net, char error[PLAN_ERROR_MAX])
{
    const char *use = plan_value(plan, "net.use");

    if (use != NULL && !are_nics(use)) {
        snprintf(error, PLAN_ERROR_MAX,
                 "net.use=%.40s: must be the name of a NIC, as eth0, or of two, as eth0,eth1", use);
        return false;
    }
    net->use = use;
    return true;
}

/* `prefix` NULL: it has none. */
static bool read_address(struct plan *plan, const char *key, uint32_t *address, uint32_t *prefix,
                         char error[PLAN_ERROR_MAX])
{
    const char *text = plan_value(plan, key);

    if (text == NULL || net_address_parse(text, address, prefix)) {
        return true;
    }
    snprintf(error, PLAN_ERROR_MAX, "%s=%.40s: must be an IPv4 address, A.B.C.D%s", key, text,
             prefix != NULL ? "[/PREFIX], PREFIX from 8 to 30" : "");
    return false;
}

static bool read_wire(struct plan *plan, struct wire_law *law, char error[PLAN_ERROR_MAX])
{
    return read_number(plan, "net.packet_ns", &law->packet_ns, PACKET_NS_MAX, error) &&
           read_number(plan, "net.byte_ps", &law->byte_ps, BYTE_PS_MAX, error) &&
           read_number(plan, "net.loss_ppm", &law->loss_ppm, LOSS_PPM_MAX, error) &&
           read_number(plan, "net.seed", &law->seed, UINT64_MAX, error);
}

static bool read_net(struct plan *plan, struct net_settings *net, char error[PLAN_ERROR_MAX])
{
    if (!read_nics(plan, net, error) ||
        !read_address(plan, "net.address", &net->address, &net->prefix, error) ||
        !read_address(plan, "net.peer", &net->peer, NULL, error) ||
        !read_address(plan, "net.gateway", &net->gateway, NULL, error) ||
        !read_wire(plan, &net->wire, error)) {
        return false;
    }
    const char *wrong = net_addresses_wrong(net);

    if (wrong != NULL) {
        snprintf(error, PLAN_ERROR_MAX, "%s", wrong);
    }
    return wrong == NULL;
}

/* ---- the log by UDP ---- */

static bool read_udp(struct plan *plan, struct run_settings *settings, char error[PLAN_ERROR_MAX])
{
    const char *text = plan_value(plan, KEY_LINK_UDP);
    const char *colon = text != NULL ? strchr(text, ':') : NULL;
    char address[NET_ADDRESS_TEXT];
    uint64_t port = 0;

    if (text == NULL) {
        return true;
    }
    if (colon == NULL || colon - text >= NET_ADDRESS_TEXT || !parse_unsigned(colon + 1, &port) ||
        port == 0 || port > UINT16_MAX) {
        snprintf(error, PLAN_ERROR_MAX, "link.udp=%.40s: must be ADDRESS:PORT", text);
        return false;
    }
    snprintf(address, sizeof(address), "%.*s", (int)(colon - text), text);
    if (!net_address_parse(address, &settings->udp_address, NULL)) {
        snprintf(error, PLAN_ERROR_MAX, "link.udp=%.40s: must be ADDRESS:PORT", text);
        return false;
    }
    settings->udp_port = (uint16_t)port;
    if (settings->net.use == NULL) {
        snprintf(error, PLAN_ERROR_MAX, "link.udp=%.40s: needs net.use=NIC", text);
        return false;
    }
    if (settings->machine != NULL && strcmp(settings->machine, MACHINE_OWN) != 0) {
        snprintf(error, PLAN_ERROR_MAX, "link.udp=%.40s: needs machine=own", text);
        return false;
    }
    return true;
}

/* ---- faults on purpose ---- */

static const char *const inject_names[INJECT_KINDS] = {
    [INJECT_UD] = "ud",         [INJECT_POINTER] = "pointer", [INJECT_LOOP] = "loop",
    [INJECT_STACK] = "stack",   [INJECT_NMI] = "nmi",         [INJECT_STORM] = "storm",
    [INJECT_VANISH] = "vanish", [INJECT_OOM] = "oom",
};
#define INJECT_NAMES "ud,pointer,loop,stack,nmi,storm,vanish,oom"

enum inject_kind inject_item_kind(const char *item)
{
    const size_t length = strcspn(item, "@,");
    enum inject_kind kind = 0;

    while (kind < INJECT_KINDS && (strlen(inject_names[kind]) != length ||
                                   strncmp(item, inject_names[kind], length) != 0)) {
        kind++;
    }
    return kind;
}

void inject_item_bench(const char *item, char name[INJECT_NAME_MAX])
{
    const size_t before = strcspn(item, "@,");

    snprintf(name, INJECT_NAME_MAX, "%.*s", (int)strcspn(item + before, ","), item + before);
}

const char *inject_item_next(const char *item)
{
    item += strcspn(item, ",");
    return *item == ',' ? item + 1 : NULL;
}

static bool check_item(const char *item, char error[PLAN_ERROR_MAX])
{
    char bench[INJECT_NAME_MAX];

    inject_item_bench(item, bench);
    if (inject_item_kind(item) < INJECT_KINDS && bench[0] == '@' && strcmp(bench, "@") != 0) {
        return registry_check_list(bench + 1, error);
    }
    snprintf(error, PLAN_ERROR_MAX, "inject=%.60s: must be KIND@BENCH,...; kinds: " INJECT_NAMES,
             item);
    return false;
}

static bool read_inject(struct plan *plan, struct run_settings *settings,
                        char error[PLAN_ERROR_MAX])
{
    settings->inject_counts = plan_value(plan, "inject.after") != NULL;
    if (!read_number(plan, "inject.after", &settings->inject_after, INJECT_AFTER_MAX, error)) {
        return false;
    }
    settings->inject = plan_value(plan, "inject");
    for (const char *item = settings->inject; item != NULL; item = inject_item_next(item)) {
        if (!check_item(item, error)) {
            return false;
        }
    }
    return true;
}

/* ---- what runs ---- */

static bool read_role(struct plan *plan, struct run_settings *settings, char error[PLAN_ERROR_MAX])
{
    const char *role = plan_value(plan, KEY_ROLE);

    if (role != NULL && !registry_has_role(role)) {
        snprintf(error, PLAN_ERROR_MAX, "role=%.40s: there is no such role; there is: server",
                 role);
        return false;
    }
    if (role != NULL && settings->benches != NULL) {
        snprintf(error, PLAN_ERROR_MAX,
                 "role=%.40s and " KEY_BENCH
                 "=%.40s: give one of them, as a role runs its own benches",
                 role, settings->benches);
        return false;
    }
    settings->role = role;
    return true;
}

/* ---- all ---- */

bool settings_read(struct plan *plan, const char *const *run_keys, size_t run_key_count,
                   struct run_settings *settings, char error[PLAN_ERROR_MAX])
{
    const char *lapic_mode = "firmware";
    uint64_t special = 0;

    registry_use_plan(plan);
    settings->benches = plan_value(plan, KEY_BENCH);
    if (!registry_check_list(settings->benches, error) || !read_role(plan, settings, error) ||
        !read_events(plan, settings, error) || !read_traces(plan, settings, error) ||
        !read_input(plan, settings, error) || !read_inject(plan, settings, error) ||
        !read_limit(plan, settings, error) || !read_link(plan, settings, error) ||
        !read_disk(plan, settings, error) || !read_cache(plan, settings, error) ||
        !read_net(plan, &settings->net, error) ||
        !read_number(plan, "processor", &settings->processor, PROCESSORS_MAX - 1, error) ||
        !read_number(plan, "memory.special", &special, 1, error) ||
        !read_choice(plan, "lapic.mode", "firmware,x2apic", &lapic_mode, error) ||
        !read_choice(plan, "machine", MACHINE_OWN "," MACHINE_BORROW, &settings->machine, error) ||
        !read_choice(plan, "exit", "poweroff,reboot,halt", &settings->exit, error)) {
        return false;
    }
    if (!read_udp(plan, settings, error)) {
        return false;
    }
    settings->x2apic = strcmp(lapic_mode, "x2apic") == 0;
    settings->memory_special = special != 0;
    return registry_check_params(error) && registry_check_keys(run_keys, run_key_count, error);
}
