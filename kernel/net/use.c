/* SPDX-License-Identifier: BSD-2-Clause */
#include "kernel/net/use.h"

#include <stdio.h>
#include <string.h>

#include "kernel/dev/pci.h"
#include "kernel/net/drivers.h"
#include "kernel/net/simulated_link.h"

#define WHY_MAX        200
#define CLASS_ETHERNET 0x0200

static const struct nic_driver *const drivers[] = {
    &e1000_driver,
    &virtio_net_driver,
    NULL,
};
static const struct nic_driver no_driver = {.name = "no driver"};

static struct net_settings settings = {
    .address = NET_ADDRESS_DEFAULT,
    .prefix = NET_PREFIX_DEFAULT,
    .link = {.packet_ns = LINK_MODEL_PACKET_NS_DEFAULT, .byte_ps = LINK_MODEL_BYTE_PS_DEFAULT},
};
static char why_not[WHY_MAX];
static bool looked_for_nics;
static size_t nic_count;

void net_use(const struct net_settings *chosen)
{
    settings = *chosen;
}

const struct net_settings *net_settings(void)
{
    return &settings;
}

/* ---- finding NICs ---- */

static void count_nics(void)
{
    while (nic_added(nic_count) != NULL) {
        nic_count++;
    }
}

static bool is_taken_by_driver(uint16_t place)
{
    const struct nic *nic;
    size_t i = 0;

    while ((nic = nic_added(i)) != NULL && nic->place != place) {
        i++;
    }
    return nic != NULL;
}

/* Adds the NICs that no driver has taken, so that they are listed. */
static void find_others(void)
{
    struct pci_function function = {0};

    while (pci_find(CLASS_ETHERNET, &function)) {
        struct nic *nic = is_taken_by_driver(function.place) ? NULL : nic_add(&no_driver, NULL);

        if (nic != NULL) {
            nic->place = function.place;
            nic->id = function.id;
            nic->unusable = "there is no driver for it";
        }
    }
}

/* Names the NICs by their places on the bus. */
static void name_all(void)
{
    for (size_t i = 0; i < nic_count; i++) {
        struct nic *nic = nic_added(i);
        unsigned before = 0;

        for (size_t j = 0; j < nic_count; j++) {
            before += nic_added(j)->place < nic->place ? 1 : 0;
        }
        snprintf(nic->name, sizeof(nic->name), "eth%u", before);
    }
}

size_t nics(void)
{
    if (!looked_for_nics) {
        looked_for_nics = true;
        for (size_t i = 0; settings.may_drive && drivers[i] != NULL; i++) {
            drivers[i]->find();
        }
        if (settings.may_drive) {
            find_others();
        }
        count_nics();
        name_all();
        simulated_link_driver.find();
        count_nics();
    }
    return nic_count;
}

struct nic *nic_at(size_t index)
{
    return index < nics() ? nic_added(index) : NULL;
}

struct nic *nic_by_name(const char *name)
{
    for (size_t i = 0; i < nics(); i++) {
        if (strcmp(nic_added(i)->name, name) == 0) {
            return nic_added(i);
        }
    }
    return NULL;
}

/* ---- selecting NICs ---- */

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
        add_text("; real NICs can be used only with machine=own");
    }
    return why_not;
}

/* Gets NIC number `index` of net.use. Returns NULL on success, otherwise why there is none. */
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
    pair[0] = nic_by_name(SIMULATED_LINK_0);
    pair[1] = nic_by_name(SIMULATED_LINK_1);
    simulated_link_keep(&settings.link);
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
