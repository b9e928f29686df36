/* SPDX-License-Identifier: BSD-2-Clause */
/* Which guests have encrypted memory, by what CPUID reports and MSR C0010131h. */
#include <stdbool.h>

#include "boot/encrypted.h"
#include "tools/tests/support/unit.h"

/* A processor as a guest may see it. */
static struct {
    uint32_t max_basic, max_extended;
    bool guest;
    uint32_t sev; /* EAX of its leaf */
    const char *tdx;
    uint32_t status;
    unsigned asked; /* for the status */
} guest;

static struct cpuid_result guest_cpuid(uint32_t leaf, uint32_t subleaf)
{
    struct cpuid_result result = {0};

    (void)subleaf;
    switch (leaf) {
    case 0:
        result.eax = guest.max_basic;
        break;
    case 1:
        result.ecx = guest.guest ? 1u << 31 : 0;
        break;
    case 0x21:
        memcpy(&result.ebx, guest.tdx, 4);
        memcpy(&result.edx, guest.tdx + 4, 4);
        memcpy(&result.ecx, guest.tdx + 8, 4);
        break;
    case 0x80000000:
        result.eax = guest.max_extended;
        break;
    case 0x8000001f:
        result.eax = guest.sev;
        break;
    default:
        CHECK(false);
    }
    return result;
}

static uint32_t guest_status(void)
{
    guest.asked++;
    return guest.status;
}

static bool is_encrypted(void)
{
    return memory_is_encrypted(guest_cpuid, guest_status);
}

/* The register is read only if CPUID of a guest's processor reports one. */
static void test_encrypted(void)
{
    guest.max_basic = 0x21;
    guest.max_extended = 0x8000001f;
    guest.sev = 2;
    guest.status = 1;
    guest.tdx = "IntelTDX    ";
    CHECK(!is_encrypted());
    CHECK_EQUAL(guest.asked, 0);
    guest.guest = true;
    CHECK(is_encrypted());
    CHECK_EQUAL(guest.asked, 1);
    guest.status = 6; /* of others of its kinds, which are not without the first */
    CHECK(!is_encrypted());
    guest.sev = 1;         /* SME */
    CHECK(is_encrypted()); /* as TDX */
    guest.max_extended = 0x8000001e;
    guest.sev = 2;
    guest.tdx = "IntelTDX   ?";
    CHECK(!is_encrypted());
    guest.tdx = "IntelTDX    ";
    guest.max_basic = 0x20;
    CHECK(!is_encrypted());
    CHECK_EQUAL(guest.asked, 2);
}

int main(void)
{
    RUN(test_encrypted());
    return unit_finish("unit_encrypted");
}
