/* SPDX-License-Identifier: BSD-2-Clause */
#include "kernel/net/use.h"

#include <stdio.h>
#include <string.h>

#include "kernel/net/modelled_wire.h"

#define WHY_MAX 200

static struct net_settings settings = {
    .address = NET_ADDRESS_DEFAULT,
    .prefix = NET_PREFIX_DEFAULT,
    .wire = {.packet_ns = WIRE_PACKET_NS_DEFAULT, .byte_ps = WIRE_BYTE_PS_DEFAULT},
};
static char why_not[WHY_MAX];

void net_use(const struct net_settings *chosen)
{
    settings = *chosen;
}

const struct net_settings *net_settings(void)
{
    return &settings;
}

static void add_text(const char *text)
{
    const size_t length = strlen(why_not);

    snprintf(why_not + length, sizeof(why_not) - length, "%s", text);
}

static const char *no_such_nic(const char *name)
{
    snprintf(why_not, sizeof(why_not), "net.use: %s: no such NIC; there are ", name);
    for (size_t i = 0; i < nics(); i++) {
        add_text(i > 0 ? ", " : "");
        add_text(nic_at(i)->name);
    }
    if (!settings.may_drive) {
        add_text("; real NICs are used with machine=own alone");
    }
    return why_not;
}

/* The NIC of that number in net.use. NULL, or why there is none. */
static const char *named(unsigned index, struct nic **nic)
{
    const char *comma = strchr(settings.use, ',');
    const char *from = index == 0 ? settings.use : comma + 1;
    char name[NIC_NAME_MAX];

    snprintf(name, sizeof(name), "%.*s", (int)strcspn(from, ","), from);
    *nic = nic_by_name(name);
    if (*nic == NULL) {
        return no_such_nic(name);
    }
    if ((*nic)->unusable == NULL && (*nic)->given_up == NULL) {
        return NULL;
    }
    snprintf(why_not, sizeof(why_not), "%s: %s", name,
             (*nic)->unusable != NULL ? (*nic)->unusable : (*nic)->given_up);
    return why_not;
}

const char *net_pair(struct nic *pair[2])
{
    if (settings.use != NULL && strchr(settings.use, ',') != NULL) {
        const char *why = named(0, &pair[0]);

        return why != NULL ? why : named(1, &pair[1]);
    }
    pair[0] = nic_by_name(MODELLED_WIRE_0);
    pair[1] = nic_by_name(MODELLED_WIRE_1);
    modelled_wire_keep(&settings.wire);
    return NULL;
}

const char *net_first(struct nic **nic)
{
    *nic = NULL;
    return settings.use == NULL ? "the plan names no NIC (net.use=NIC)" : named(0, nic);
}

const char *net_remote(struct nic **nic)
{
    *nic = NULL;
    if (settings.use == NULL || settings.peer == 0) {
        return "no other machine: the plan names none (net.use=NIC net.peer=ADDRESS)";
    }
    return named(0, nic);
}
