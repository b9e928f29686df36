/* SPDX-License-Identifier: BSD-2-Clause */
#include "kernel/run/settings.h"

#include <stdio.h>
#include <string.h>

#include "kernel/block/disk_timing.h"
#include "kernel/block/page_cache.h"
#include "kernel/block/use.h"
#include "kernel/input/script.h"
#include "kernel/link/names.h"
#include "kernel/net/nic.h"
#include "kernel/net/use.h"
#include "kernel/plan/names.h"
#include "kernel/plan/number.h"
#include "kernel/plan/profiles.h"
#include "kernel/pmu/event.h"
#include "kernel/run/names.h"
#include "kernel/run/registry.h"
#include "kernel/smp/processor.h"
#include "kernel/task/names.h"
#include "kernel/trace/names.h"
#include "kernel/trace/packet.h"

const struct bench_param settings_keys[RUN_KEYS] = {
#define RUN_KEY(type, field, key, standard, meaning, ...) \
    {key, standard, meaning, PARAM_##type(__VA_ARGS__)},
#include "kernel/run/run_keys.def"
};

/* Offset of each key's value in struct run_settings. */
static const size_t places[RUN_KEYS] = {
#define RUN_KEY(type, field, ...) offsetof(struct run_settings, field),
#include "kernel/run/run_keys.def"
};

/* ---- values ---- */

static void store(struct run_settings *settings, enum run_key key, const char *text)
{
    const struct bench_param *param = &settings_keys[key];
    char *place = (char *)settings + places[key];

    if (param->type == PARAM_IS_NUMBER || param->type == PARAM_IS_TIME) {
        const uint64_t value = text[0] != '\0' ? param_number(param, text) : SETTING_NONE;

        memcpy(place, &value, sizeof(value));
    } else {
        const char *value = text != param->default_text || text[0] != '\0' ? text : NULL;

        memcpy(place, &value, sizeof(value));
    }
}

void settings_default(struct run_settings *settings)
{
    *settings = (struct run_settings){.port.automatic = true};
    for (enum run_key key = 0; key < RUN_KEYS; key++) {
        store(settings, key, settings_keys[key].default_text);
    }
}

static bool read_values(struct plan *plan, const struct bench_param *keys, size_t count,
                        struct run_settings *settings, char error[PLAN_ERROR_MAX])
{
    for (size_t i = 0; i < count; i++) {
        const char *text = plan_value(plan, keys[i].name);

        if (text != NULL && !param_check(&keys[i], keys[i].name, text, error)) {
            return false;
        }
    }
    for (enum run_key key = 0; key < RUN_KEYS; key++) {
        const char *text = plan_value(plan, settings_keys[key].name);

        if (text != NULL) {
            store(settings, key, text);
        }
    }
    return true;
}

/* ---- parts of a run ---- */

static bool check_events(const char *events, char error[PLAN_ERROR_MAX])
{
    static struct event_request requests[EVENT_REQUESTS_MAX];
    char why[EVENT_ERROR_MAX];
    size_t count;

    if (events == NULL || event_list_parse(events, requests, &count, why)) {
        return true;
    }
    snprintf(error, PLAN_ERROR_MAX, "events: %s", why);
    return false;
}

static bool check_script(const char *script, char error[PLAN_ERROR_MAX])
{
    char why[SCRIPT_ERROR_MAX];
    size_t count;

    if (script == NULL ||
        script_read(script, strlen(script), NULL, SCRIPT_EVENTS_MAX, &count, why)) {
        return true;
    }
    snprintf(error, PLAN_ERROR_MAX, "input.script: %s", why);
    return false;
}

static bool read_port(struct run_settings *settings, char error[PLAN_ERROR_MAX])
{
    if (port_setting_parse(settings->link_port, &settings->port)) {
        return true;
    }
    snprintf(error, PLAN_ERROR_MAX,
             "link.port: expected auto, io:PORT[,clock=HZ] or "
             "mmio:ADDRESS[,stride=1|2|4|8][,width=1|2|4][,clock=HZ], got \"%.60s\"",
             settings->link_port);
    return false;
}

static bool check_disk(const char *use, char error[PLAN_ERROR_MAX])
{
    if (use != NULL && (*use == '\0' || strlen(use) >= BLOCK_NAME_MAX)) {
        snprintf(error, PLAN_ERROR_MAX,
                 "disk.use: expected the name of a disk, such as nvme0n1, or model, got \"%.40s\"",
                 use);
        return false;
    }
    return true;
}

static bool check_names(const char *profile, const char *setting, char error[PLAN_ERROR_MAX])
{
    if (profile != NULL && profile_find(profile) == NULL) {
        snprintf(error, PLAN_ERROR_MAX,
                 KEY_PROFILE ": there is no profile \"%.40s\"; tare list prints all", profile);
        return false;
    }
    if (setting != NULL && !setting_name_good(setting)) {
        snprintf(error, PLAN_ERROR_MAX,
                 KEY_SETTING ": expected at most %d letters, digits, - or _, got \"%.40s\"",
                 SETTING_NAME_MAX, setting);
        return false;
    }
    return true;
}

/* ---- network ---- */

/* Returns whether the list is one name, or two different ones. */
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

/* Reads an address; `prefix` NULL: the key takes no prefix. */
static bool read_address(const char *key, const char *text, uint32_t *address, uint32_t *prefix,
                         char error[PLAN_ERROR_MAX])
{
    if (text == NULL || net_address_parse(text, address, prefix)) {
        return true;
    }
    snprintf(error, PLAN_ERROR_MAX, "%s: expected an IPv4 address, A.B.C.D%s, got \"%.40s\"", key,
             prefix != NULL ? "[/PREFIX], PREFIX from 8 to 30" : "", text);
    return false;
}

static bool read_net(struct run_settings *settings, char error[PLAN_ERROR_MAX])
{
    struct net_settings *net = &settings->net;

    *net = (struct net_settings){.use = settings->net_use,
                                 .prefix = NET_PREFIX_DEFAULT,
                                 .link = {.packet_ns = settings->net_packet_ns,
                                          .byte_ps = settings->net_byte_ps,
                                          .loss_ppm = settings->net_loss_ppm,
                                          .seed = settings->net_seed}};
    if (net->use != NULL && !are_nics(net->use)) {
        snprintf(
            error, PLAN_ERROR_MAX,
            "net.use: expected the name of a NIC, such as eth0, or of two, such as eth0,eth1, got "
            "\"%.40s\"",
            net->use);
        return false;
    }
    if (!read_address("net.address", settings->net_address, &net->address, &net->prefix, error) ||
        !read_address("net.peer", settings->net_peer, &net->peer, NULL, error) ||
        !read_address("net.gateway", settings->net_gateway, &net->gateway, NULL, error)) {
        return false;
    }
    const char *wrong = net_addresses_wrong(net);

    if (wrong != NULL) {
        snprintf(error, PLAN_ERROR_MAX, "%s", wrong);
    }
    return wrong == NULL;
}

/* ---- the log by UDP ---- */

static bool refuse_udp_address(const char *text, char error[PLAN_ERROR_MAX])
{
    snprintf(error, PLAN_ERROR_MAX, "link.udp: expected ADDRESS:PORT, got \"%.40s\"", text);
    return false;
}

/* Checks the other settings that the log by UDP needs. */
static bool check_udp_needs(const struct run_settings *settings, char error[PLAN_ERROR_MAX])
{
    if (settings->net.use == NULL) {
        snprintf(error, PLAN_ERROR_MAX, "link.udp: needs net.use=NIC, but net.use is not set");
        return false;
    }
    if (settings->machine != NULL && strcmp(settings->machine, MACHINE_OWN) != 0) {
        snprintf(error, PLAN_ERROR_MAX, "link.udp: needs machine=own, but the plan has machine=%s",
                 settings->machine);
        return false;
    }
    if (settings->boots > 1) {
        snprintf(error, PLAN_ERROR_MAX,
                 "link.udp: needs machine=own, but " KEY_BOOTS " needs machine=borrow");
        return false;
    }
    return true;
}

static bool read_udp(struct run_settings *settings, char error[PLAN_ERROR_MAX])
{
    const char *text = settings->link_udp;
    const char *colon = text != NULL ? strchr(text, ':') : NULL;
    char address[NET_ADDRESS_TEXT];
    uint64_t port = 0;

    if (text == NULL) {
        return true;
    }
    if (colon == NULL || colon - text >= NET_ADDRESS_TEXT || !parse_unsigned(colon + 1, &port) ||
        port == 0 || port > UINT16_MAX) {
        return refuse_udp_address(text, error);
    }
    snprintf(address, sizeof(address), "%.*s", (int)(colon - text), text);
    if (!net_address_parse(address, &settings->udp_address, NULL)) {
        return refuse_udp_address(text, error);
    }
    settings->udp_port = (uint16_t)port;
    return check_udp_needs(settings, error);
}

/* ---- faults on purpose ---- */

static const char *const inject_names[INJECT_KINDS] = {
    [INJECT_UD] = "ud",         [INJECT_POINTER] = "pointer", [INJECT_LOOP] = "loop",
    [INJECT_STACK] = "stack",   [INJECT_NMI] = "nmi",         [INJECT_STORM] = "storm",
    [INJECT_VANISH] = "vanish", [INJECT_OOM] = "oom",
};
#define INJECT_NAMES "ud, pointer, loop, stack, nmi, storm, vanish, oom"
#define ITEM_SHOWN   40 /* number of characters of an item that an error quotes */

enum inject_kind inject_item_read(const char *item, size_t length, char bench[INJECT_NAME_MAX])
{
    const char *at = memchr(item, '@', length);
    const size_t before = at != NULL ? (size_t)(at - item) : length;
    enum inject_kind kind = 0;

    if (before + 1 >= length) {
        return INJECT_KINDS;
    }
    while (kind < INJECT_KINDS && (strlen(inject_names[kind]) != before ||
                                   strncmp(item, inject_names[kind], before) != 0)) {
        kind++;
    }
    snprintf(bench, INJECT_NAME_MAX, "%.*s", (int)(length - before - 1), at + 1);
    return kind;
}

static bool check_inject(const char *list, char error[PLAN_ERROR_MAX])
{
    char bench[INJECT_NAME_MAX];
    size_t length;

    for (const char *item = plan_list_item(list != NULL ? list : "", &length); item != NULL;
         item = plan_list_item(item + length, &length)) {
        if (inject_item_read(item, length, bench) == INJECT_KINDS) {
            snprintf(error, PLAN_ERROR_MAX,
                     "inject: expected KIND@BENCH,... with kinds " INJECT_NAMES ", got \"%.*s\"",
                     (int)(length < ITEM_SHOWN ? length : ITEM_SHOWN), item);
            return false;
        }
        if (!registry_check_list(bench, error)) {
            return false;
        }
    }
    return true;
}

/* ---- all ---- */

static bool check_role(const struct run_settings *settings, char error[PLAN_ERROR_MAX])
{
    if (settings->role == NULL || settings->benches == NULL) {
        return true;
    }
    snprintf(error, PLAN_ERROR_MAX,
             "role=%.40s and " KEY_BENCH
             "=%.40s: give only one of them, because a role runs its own benches",
             settings->role, settings->benches);
    return false;
}

/* Checks and reads the values that have a grammar of their own. */
static bool read_texts(struct run_settings *settings, char error[PLAN_ERROR_MAX])
{
    return registry_check_list(settings->benches, error) && check_role(settings, error) &&
           check_names(settings->profile, settings->setting, error) &&
           check_events(settings->events, error) && check_script(settings->input_script, error) &&
           check_inject(settings->inject, error) && read_port(settings, error) &&
           check_disk(settings->disk_use, error) && read_net(settings, error) &&
           read_udp(settings, error);
}

bool settings_read(struct plan *plan, const struct bench_param *keys, size_t key_count,
                   struct run_settings *settings, char error[PLAN_ERROR_MAX])
{
    registry_use_plan(plan);
    if (!read_values(plan, keys, key_count, settings, error) || !read_texts(settings, error)) {
        return false;
    }
    settings->lava = strcmp(settings->link_format, "lava") == 0;
    settings->text = settings->lava || strcmp(settings->link_format, "text") == 0;
    return registry_check_params(error) && registry_check_keys(keys, key_count, error);
}
