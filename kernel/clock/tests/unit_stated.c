/* SPDX-License-Identifier: BSD-2-Clause */
/* What hypervisors and processors state of the TSC's rate: kernel/clock/stated.h, against machines
 * made here. */
#include "kernel/clock/stated.h"

#include <string.h>

#include "kernel/clock/names.h"
#include "tools/tests/support/unit.h"

/* The machine. */
static struct {
    uint32_t hyperv_eax, hyperv_edx; /* of leaf 40000003h; both 0: no Hyper-V */
    uint32_t kvm_at;                 /* 0: no KVM */
    bool vmware;
    uint64_t frequency, pstate;
    uint64_t scale;
    struct kvm_clock clock;
    uint64_t page_msr, clock_msr; /* as firmware left them */
    unsigned vmware_asked;
} m;

static struct cpuid_result signature(const char *text, uint32_t last)
{
    uint32_t words[3];

    memcpy(words, text, sizeof(words));
    return (struct cpuid_result){last, words[0], words[1], words[2]};
}

static struct cpuid_result cpuid(uint32_t leaf, uint32_t subleaf)
{
    const bool hyperv = m.hyperv_eax != 0 || m.hyperv_edx != 0;

    (void)subleaf;
    if (leaf == 1) {
        return (struct cpuid_result){.ecx = 1u << 31};
    }
    if (hyperv && leaf == 0x40000000) {
        return signature("Microsoft Hv", 0x40000006);
    }
    if (hyperv && leaf == 0x40000001) {
        return (struct cpuid_result){.eax = 0x31237648};
    }
    if (hyperv && leaf == 0x40000003) {
        return (struct cpuid_result){.eax = m.hyperv_eax, .edx = m.hyperv_edx};
    }
    if (m.kvm_at != 0 && leaf == m.kvm_at) {
        return signature("KVMKVMKVM\0\0", m.kvm_at + 1);
    }
    if (m.kvm_at != 0 && leaf == m.kvm_at + 1) {
        return (struct cpuid_result){.eax = 1 << 3};
    }
    if (m.vmware && leaf == 0x40000000) {
        return signature("VMwareVMware", 0x40000010);
    }
    return (struct cpuid_result){0};
}

static int read_msr(uint32_t index, uint64_t *value)
{
    switch (index) {
    case 0x40000022:
        *value = m.frequency;
        return m.frequency != 0 ? 0 : 13;
    case 0x40000021:
        *value = m.page_msr;
        return 0;
    case 0x4b564d01:
        *value = m.clock_msr;
        return 0;
    case 0xc0010064:
        *value = m.pstate;
        return 0;
    default:
        *value = 0;
        return 13;
    }
}

static int write_msr(uint32_t index, uint64_t value)
{
    if (index == 0x40000021) {
        m.page_msr = value;
        if (value % 2 != 0) {
            const uint64_t page[] = {1, m.scale};

            memcpy((void *)(uintptr_t)(value & ~0xfffull), page, sizeof(page));
        }
        return 0;
    }
    if (index == 0x4b564d01) {
        m.clock_msr = value;
        if (value % 2 != 0) {
            memcpy((void *)(uintptr_t)(value & ~1ull), &m.clock, sizeof(m.clock));
        }
        return 0;
    }
    return 13;
}

static void vmware(uint32_t command, struct vmware_answer *answer)
{
    m.vmware_asked++;
    memset(answer, 0, sizeof(*answer));
    if (command == 45) {
        answer->eax = 2399999000u;
    }
}

static size_t read_all(const struct cpu_identity *identity, struct stated_rate rates[STATED_MAX])
{
    static const struct stated_access access = {cpuid, read_msr, write_msr, vmware};

    return stated_read(&access, identity, rates);
}

static void test_decoding(void)
{
    /* KVM's own, of Linux: kvm_get_time_scale() of 2.6 GHz gives shift -1, and 3303820996. */
    CHECK_EQUAL(stated_by_kvm_clock(&(struct kvm_clock){.multiplier = 3303820996u, .shift = -1}) /
                    1000,
                2600000);
    CHECK_EQUAL(stated_by_kvm_clock(&(struct kvm_clock){.multiplier = 1u << 31, .shift = 1}),
                1000000000);
    CHECK_EQUAL(stated_by_kvm_clock(&(struct kvm_clock){0}), 0);
    CHECK_EQUAL(stated_by_kvm_clock(&(struct kvm_clock){.multiplier = 1, .shift = -31}), 0);
    CHECK_EQUAL(stated_by_kvm_clock(&(struct kvm_clock){.multiplier = 1, .shift = -128}), 0);
    CHECK_EQUAL(stated_by_kvm_clock(&(struct kvm_clock){.multiplier = UINT32_MAX, .shift = 31}), 0);
    /* 2^64 * 10^7 / hz */
    CHECK_EQUAL(stated_by_hyperv_scale(61489146912365517u), 3000000000u);
    CHECK_EQUAL(stated_by_hyperv_scale(73786976294838206u), 2500000000u);
    CHECK_EQUAL(stated_by_hyperv_scale(0), 0);
    CHECK_EQUAL(stated_by_hyperv_scale(1), 0);
    CHECK_EQUAL(stated_by_hyperv_scale(UINT64_MAX), 0);
    CHECK_EQUAL(stated_by_vmware(&(struct vmware_answer){.eax = 0xffffffff, .ebx = 0}), 0);
    CHECK_EQUAL(stated_by_vmware(&(struct vmware_answer){.eax = 1000000000u, .ebx = 1}),
                5294967296u);
    CHECK_EQUAL(stated_by_vmware(&(struct vmware_answer){.ebx = 0x564d5868}), 0);
}

/* FID 88h and DID 8 are 3.4 GHz (a Ryzen of family 17h); 15Ah steps of 5 MHz 1.73 GHz. */
static void test_amd(void)
{
    CHECK_EQUAL(stated_by_amd_pstate(0x17, 1ull << 63 | 0x888), 3400000000u);
    CHECK_EQUAL(stated_by_amd_pstate(0x19, 1ull << 63 | 0xa84), 2640000000u);
    CHECK_EQUAL(stated_by_amd_pstate(0x1a, 1ull << 63 | 0x35a), 4290000000u);
    CHECK_EQUAL(stated_by_amd_pstate(0x17, 0x888), 0);
    CHECK_EQUAL(stated_by_amd_pstate(0x17, 1ull << 63 | 0x088), 0);
    CHECK_EQUAL(stated_by_amd_pstate(0x17, 1ull << 63 | 0x788), 0);
    CHECK_EQUAL(stated_by_amd_pstate(0x16, 1ull << 63 | 0x888), 0);
    CHECK_EQUAL(stated_by_amd_pstate(0x1b, 1ull << 63 | 0x888), 0);
}

static void test_hypervisors(void)
{
    const struct cpu_identity guest = {.hypervisor_bit = true};
    struct stated_rate rates[STATED_MAX];

    memset(&m, 0, sizeof(m));
    m.hyperv_eax = 1u << 11 | 1u << 9 | 1u << 1;
    m.hyperv_edx = 1u << 8;
    m.frequency = 2600000000u;
    m.scale = 73786976294838206u;
    m.page_msr = 0x7000;
    m.kvm_at = 0x40000100;
    m.clock = (struct kvm_clock){.version = 2, .multiplier = 1u << 31, .shift = 1};
    m.clock_msr = 0x9000;
    CHECK_EQUAL(read_all(&guest, rates), 3);
    CHECK_TEXT(rates[0].reference, REFERENCE_HYPERV_MSR);
    CHECK_EQUAL(rates[0].hz, 2600000000u);
    CHECK_TEXT(rates[1].reference, REFERENCE_HYPERV_PAGE);
    CHECK_EQUAL(rates[1].hz, 2500000000u);
    CHECK_TEXT(rates[2].reference, REFERENCE_KVM_CLOCK);
    CHECK_EQUAL(rates[2].hz, 1000000000u);
    CHECK_EQUAL(m.page_msr, 0x7000);
    CHECK_EQUAL(m.clock_msr, 0x9000);
    CHECK(stated_has_hyperv_counter(cpuid));
    CHECK_EQUAL(m.vmware_asked, 0);

    m.hyperv_eax = 1u << 9;
    m.clock.version = 3; /* being written */
    m.scale = 0;
    CHECK_EQUAL(read_all(&guest, rates), 0);
    CHECK(!stated_has_hyperv_counter(cpuid));

    memset(&m, 0, sizeof(m));
    m.vmware = true;
    CHECK_EQUAL(read_all(&guest, rates), 1);
    CHECK_TEXT(rates[0].reference, REFERENCE_VMWARE_PORT);
    CHECK_EQUAL(rates[0].hz, 2399999000u);
}

/* Without a hypervisor none of its registers is touched; under one, no P-state counts. */
static void test_bare(void)
{
    const struct cpu_identity bare = {
        .family = 0x17, .invariant_tsc = true, .vendor = "AuthenticAMD"};
    struct cpu_identity other = bare;
    struct stated_rate rates[STATED_MAX];

    memset(&m, 0, sizeof(m));
    m.vmware = true;
    m.pstate = 1ull << 63 | 0x888;
    CHECK_EQUAL(read_all(&bare, rates), 1);
    CHECK_TEXT(rates[0].reference, REFERENCE_AMD_PSTATE);
    CHECK(!rates[0].by_machine);
    CHECK_EQUAL(m.vmware_asked, 0);
    other.invariant_tsc = false;
    CHECK_EQUAL(read_all(&other, rates), 0);
    other = bare;
    other.hypervisor_bit = true;
    m.vmware = false;
    CHECK_EQUAL(read_all(&other, rates), 0);
    other = bare;
    strcpy(other.vendor, "GenuineIntel");
    CHECK_EQUAL(read_all(&other, rates), 0);
}

int main(void)
{
    RUN(test_decoding());
    RUN(test_amd());
    RUN(test_hypervisors());
    RUN(test_bare());
    return unit_finish("unit_stated");
}
