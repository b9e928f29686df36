/* SPDX-License-Identifier: BSD-2-Clause */
/* DHCP answers: the server and the folder that they lead to, and what leads nowhere. */
#include "boot/dhcp_answer.h"
#include "tools/tests/support/unit.h"

#include <string.h>

static uint8_t packet[1472];
static size_t used;
static struct dhcp_answer answer;

/* A packet with next server 10.0.2.2 and this boot file. */
static void begin(const char *file)
{
    static const uint8_t cookie[] = {99, 130, 83, 99};
    static const uint8_t next[] = {10, 0, 2, 2};

    memset(packet, 0, sizeof(packet));
    memcpy(packet + 20, next, sizeof(next));
    memcpy(packet + 108, file, strlen(file));
    memcpy(packet + 236, cookie, sizeof(cookie));
    used = 240;
}

static void option(uint8_t code, const void *bytes, size_t length)
{
    packet[used++] = code;
    packet[used++] = (uint8_t)length;
    memcpy(packet + used, bytes, length);
    used += length;
}

static bool reads(void)
{
    packet[used] = 255;
    return dhcp_answer_read(packet, sizeof(packet), &answer);
}

static void test_folders(void)
{
    begin("tare.efi");
    CHECK(reads());
    CHECK_TEXT(answer.folder, "");
    CHECK_EQUAL(answer.server[0], 10);
    CHECK_EQUAL(answer.server[3], 2);
    begin("/lab/x64/tare.efi");
    CHECK(reads());
    CHECK_TEXT(answer.folder, "/lab/x64/");
    begin("lab\\tare.efi");
    CHECK(reads());
    CHECK_TEXT(answer.folder, "lab\\");
    begin("");
    CHECK(!reads());
    begin("http://10.0.2.2/tare.efi");
    CHECK(!reads());
}

static void test_options(void)
{
    static const uint8_t other[] = {192, 168, 9, 1};
    const uint8_t both = 3;
    char longest[255];

    memset(longest, 'a', sizeof(longest));
    longest[254] = '/';
    begin("field.efi");
    option(67, "option/tare.efi", 15);
    option(54, other, sizeof(other));
    CHECK(reads());
    CHECK_TEXT(answer.folder, "option/");
    CHECK_EQUAL(answer.server[0], 10);
    memset(packet + 20, 0, 4);
    CHECK(reads());
    CHECK_EQUAL(answer.server[0], 192);
    begin("field.efi");
    option(52, &both, 1);
    CHECK(!reads());
    option(67, "tare.efi\0junk/", 14);
    CHECK(reads());
    CHECK_TEXT(answer.folder, "");
    begin("");
    option(67, longest, sizeof(longest));
    CHECK(reads());
    CHECK_EQUAL(strlen(answer.folder), 255);
}

static void test_damage(void)
{
    begin("tare.efi");
    memset(packet + 20, 0, 4);
    CHECK(!reads()); /* no server */
    begin("tare.efi");
    CHECK(!dhcp_answer_read(packet, 239, &answer));
    packet[236] ^= 1;
    CHECK(!reads());
    /* An option that ends behind the packet is none. */
    begin("tare.efi");
    packet[240] = 67;
    packet[241] = 9;
    CHECK(dhcp_answer_read(packet, 250, &answer));
    CHECK_TEXT(answer.folder, "");
    CHECK(dhcp_answer_read(packet, 241, &answer));
}

int main(void)
{
    RUN(test_folders());
    RUN(test_options());
    RUN(test_damage());
    return unit_finish("unit_dhcp_answer");
}
