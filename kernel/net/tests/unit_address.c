/* SPDX-License-Identifier: BSD-2-Clause */
/* IPv4 addresses of the plan, kernel/net/use.h: which are refused, and which fit together. */
#include <string.h>

#include "kernel/net/use.h"
#include "tools/tests/support/unit.h"

static void check_good(const char *text, uint32_t address, uint32_t prefix)
{
    uint32_t found = 0;
    uint32_t bits = 24;
    char back[NET_ADDRESS_TEXT];

    CHECK(net_address_parse(text, &found, &bits));
    CHECK_EQUAL(found, address);
    CHECK_EQUAL(bits, prefix);
    net_address_text(found, back);
    CHECK(strncmp(back, text, strlen(back)) == 0);
}

static void check_bad(void)
{
    static const char *const bad[] = {
        "",           "10",           "10.9.0",     "10.9.0.",       "10.9.0.256", "10.9.0.1000",
        "10.9.0.1.2", "10.9.0.1/",    "10.9.0.1/7", "10.9.0.1/31",   "10.9.0.-1",  "a.b.c.d",
        "10..0.1",    "10.9.0.1/24x", "10.9.0.1 ",  "10.9.0.1/024x", ".9.0.1",
    };
    uint32_t address;
    uint32_t prefix = 24;

    for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
        CHECK(!net_address_parse(bad[i], &address, &prefix));
    }
    CHECK(!net_address_parse("10.9.0.1/24", &address, NULL));
    CHECK(net_address_parse("10.9.0.1", &address, NULL));
}

/* ---- together ---- */

static const struct net_settings good = {.use = "eth0", .address = 0x0a090001, .prefix = 24};

static void check_wrong(const struct net_settings *settings, const char *part)
{
    const char *wrong = net_addresses_wrong(settings);

    CHECK(wrong != NULL && strstr(wrong, part) != NULL);
}

static void check_own(void)
{
    static const uint32_t bad[] = {
        0x0a090000, /* the network */
        0x0a0900fe, /* the address after it is the broadcast */
        0x0a0900ff, 0x7f000001, 0xe0000001, 0x00000001,
    };
    struct net_settings settings = good;

    CHECK(net_addresses_wrong(&settings) == NULL);
    for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
        settings.address = bad[i];
        check_wrong(&settings, "net.address");
    }
}

static void check_peer(void)
{
    struct net_settings settings = good;

    settings.peer = 0x0a090002;
    CHECK(net_addresses_wrong(&settings) == NULL);
    settings.peer = 0x0a090001;
    check_wrong(&settings, "net.peer");
    settings.peer = 0x0a0900ff;
    check_wrong(&settings, "net.peer");
    settings.peer = 0x0a090102;
    check_wrong(&settings, "net.gateway");
    settings.gateway = 0x0a090003;
    CHECK(net_addresses_wrong(&settings) == NULL);
    settings.use = NULL;
    check_wrong(&settings, "net.use");
}

static void check_gateway(void)
{
    static const uint32_t bad[] = {0x0a090001, 0x0a090103, 0x0a0900ff};
    struct net_settings settings = good;

    for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
        settings.gateway = bad[i];
        check_wrong(&settings, "net.gateway");
    }
}

int main(void)
{
    RUN(check_good("10.9.0.1", 0x0a090001, 24));
    RUN(check_good("255.255.255.255/30", 0xffffffff, 30));
    RUN(check_good("192.168.0.17/8", 0xc0a80011, 8));
    RUN(check_bad());
    RUN(check_own());
    RUN(check_peer());
    RUN(check_gateway());
    return unit_finish("unit_address");
}
