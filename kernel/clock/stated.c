/* SPDX-License-Identifier: BSD-2-Clause */
#include "kernel/clock/stated.h"

#include <string.h>

#include "kernel/clock/names.h"

/* Range of TSC rates. Outside it, the register means something else. */
#define HZ_MIN 100000000ull
#define HZ_MAX 20000000000ull

/* TLFS 2.4: the interface is "Hv#1", whatever the signature is. */
#define HYPERV_INTERFACE         0x31237648u
#define HYPERV_LEAF_INTERFACE    1
#define HYPERV_LEAF_FEATURES     3
#define HYPERV_HAS_COUNTER       (1u << 1)  /* bit of EAX of the features leaf */
#define HYPERV_HAS_PAGE          (1u << 9)  /* bit of EAX of the features leaf */
#define HYPERV_MAY_READ_RATES    (1u << 11) /* bit of EAX of the features leaf */
#define HYPERV_HAS_RATES         (1u << 8)  /* bit of EDX of the features leaf */
#define HYPERV_MSR_TSC_PAGE      0x40000021u
#define HYPERV_MSR_TSC_FREQUENCY 0x40000022u
#define HYPERV_PAGE_ENABLED      1ull
#define HYPERV_COUNTS_PER_S      10000000ull

#define KVM_LEAF_FEATURES 1
#define KVM_HAS_CLOCK     (1u << 3) /* bit of EAX of the features leaf */
#define KVM_MSR_CLOCK     0x4b564d01u
#define KVM_ENABLED       1ull

#define VMWARE_GET_HZ 45u

#define AMD_MSR_PSTATE_0  0xc0010064u
#define AMD_PSTATE_ENABLE (1ull << 63)
#define AMD_FAMILY_ZEN    0x17u
#define AMD_FAMILY_ZEN_4  0x19u
#define AMD_FAMILY_ZEN_5  0x1au
/* Smallest valid divisor field; it counts eighths: rate = multiplier * 200 MHz / field. */
#define AMD_DIVISOR_MIN 8u
#define MHZ             1000000ull

static uint64_t plausible(uint64_t hz)
{
    return hz >= HZ_MIN && hz <= HZ_MAX ? hz : 0;
}

uint64_t stated_by_kvm_clock(const struct kvm_clock *clock)
{
    if (clock->multiplier == 0 || clock->shift < -31 || clock->shift > 31) {
        return 0;
    }
    /* 10^9 * 2^32 / multiplier needs 62 bits, so only the shift must be checked against 64. */
    const uint64_t shifted = (1000000000ull << 32) / clock->multiplier;

    if (clock->shift >= 0) {
        return plausible(shifted >> clock->shift);
    }
    const unsigned left = (unsigned)-clock->shift;

    return shifted > HZ_MAX >> left ? 0 : plausible(shifted << left);
}

uint64_t stated_by_hyperv_scale(uint64_t scale)
{
    /* Calculates 2^64 * 10^7 / scale without a division of 128 bits. */
    /* Ticks in a count of 100 ns, rounded down. */
    const uint64_t ticks = scale != 0 ? UINT64_MAX / scale : 0;

    if (ticks < HZ_MIN / HYPERV_COUNTS_PER_S || ticks > HZ_MAX / HYPERV_COUNTS_PER_S) {
        return 0;
    }
    const uint64_t rest = UINT64_MAX - ticks * scale; /* rest of the division, less than `scale` */

    return plausible(ticks * HYPERV_COUNTS_PER_S + rest / (scale / HYPERV_COUNTS_PER_S));
}

uint64_t stated_by_vmware(const struct vmware_answer *answer)
{
    return answer->eax == UINT32_MAX ? 0 : plausible((uint64_t)answer->ebx << 32 | answer->eax);
}

uint64_t stated_by_amd_pstate(uint32_t family, uint64_t msr)
{
    if ((msr & AMD_PSTATE_ENABLE) == 0) {
        return 0;
    }
    if (family == AMD_FAMILY_ZEN_5) {
        return plausible((msr & 0xfff) * 5 * MHZ);
    }
    const uint64_t divisor = msr >> 8 & 0x3f;

    if (family < AMD_FAMILY_ZEN || family > AMD_FAMILY_ZEN_4 || divisor < AMD_DIVISOR_MIN) {
        return 0;
    }
    return plausible((msr & 0xff) * 200 * MHZ / divisor);
}

static struct cpuid_result hyperv_features(cpuid_port *cpuid)
{
    const struct cpuid_result none = {0};

    return cpuid(CPUID_HYPERVISOR, 0).eax >= CPUID_HYPERVISOR + HYPERV_LEAF_FEATURES &&
                   cpuid(CPUID_HYPERVISOR + HYPERV_LEAF_INTERFACE, 0).eax == HYPERV_INTERFACE
               ? cpuid(CPUID_HYPERVISOR + HYPERV_LEAF_FEATURES, 0)
               : none;
}

bool stated_has_hyperv_counter(cpuid_port *cpuid)
{
    return cpuid(1, 0).ecx >> 31 != 0 && (hyperv_features(cpuid).eax & HYPERV_HAS_COUNTER) != 0;
}

static uint64_t read_hyperv(const struct stated_access *access)
{
    const struct cpuid_result features = hyperv_features(access->cpuid);
    uint64_t hz = 0;

    if ((features.eax & HYPERV_MAY_READ_RATES) == 0 || (features.edx & HYPERV_HAS_RATES) == 0 ||
        access->msr_read(HYPERV_MSR_TSC_FREQUENCY, &hz) != 0) {
        return 0;
    }
    return plausible(hz);
}

/* Has the hypervisor fill in a page or record, which it does as soon as the address is in the MSR,
 * then restores the address that firmware had there. */
static bool take(const struct stated_access *access, uint32_t msr, uint64_t address)
{
    uint64_t before = 0;

    if (access->msr_read(msr, &before) != 0 || access->msr_write(msr, address) != 0) {
        return false;
    }
    return access->msr_write(msr, before) == 0;
}

/* Reads the start of the page (TLFS 12.7.2): sequence (0: the page is not valid), scale, offset. */
static uint64_t read_hyperv_page(const struct stated_access *access)
{
    static volatile uint64_t page[512] __attribute__((aligned(4096)));

    page[0] = page[1] = 0;
    if ((hyperv_features(access->cpuid).eax & HYPERV_HAS_PAGE) == 0 ||
        !take(access, HYPERV_MSR_TSC_PAGE, (uint64_t)(uintptr_t)page | HYPERV_PAGE_ENABLED) ||
        (uint32_t)page[0] == 0) {
        return 0;
    }
    return stated_by_hyperv_scale(page[1]);
}

static uint64_t read_kvm(const struct stated_access *access)
{
    static volatile struct kvm_clock clock __attribute__((aligned(64)));
    const uint32_t base = cpuid_hypervisor_base(access->cpuid, HYPERVISOR_KVM);

    clock = (struct kvm_clock){0};
    if (base == 0 || (access->cpuid(base + KVM_LEAF_FEATURES, 0).eax & KVM_HAS_CLOCK) == 0 ||
        !take(access, KVM_MSR_CLOCK, (uint64_t)(uintptr_t)&clock | KVM_ENABLED)) {
        return 0;
    }
    const struct kvm_clock copy = clock;

    return copy.version % 2 == 0 ? stated_by_kvm_clock(&copy) : 0;
}

static uint64_t read_vmware(const struct stated_access *access)
{
    struct vmware_answer answer = {0};

    if (cpuid_hypervisor_base(access->cpuid, HYPERVISOR_VMWARE) == 0) {
        return 0;
    }
    access->vmware(VMWARE_GET_HZ, &answer);
    return stated_by_vmware(&answer);
}

/* Returns 0 under a hypervisor: it may show the P-states of its host with a TSC that it scales. */
static uint64_t read_amd(const struct stated_access *access, const struct cpu_identity *identity)
{
    uint64_t msr = 0;

    if (identity->hypervisor_bit || !identity->invariant_tsc || !cpu_is_amd(identity) ||
        access->msr_read(AMD_MSR_PSTATE_0, &msr) != 0) {
        return 0;
    }
    return stated_by_amd_pstate(identity->family, msr);
}

static void add(struct stated_rate *rates, size_t *count, const char *reference, uint64_t hz,
                bool by_machine)
{
    if (hz != 0) {
        rates[(*count)++] = (struct stated_rate){reference, hz, by_machine};
    }
}

size_t stated_read(const struct stated_access *access, const struct cpu_identity *identity,
                   struct stated_rate rates[STATED_MAX])
{
    size_t count = 0;

    if (identity->hypervisor_bit) {
        add(rates, &count, REFERENCE_HYPERV_MSR, read_hyperv(access), true);
        add(rates, &count, REFERENCE_HYPERV_PAGE, read_hyperv_page(access), true);
        add(rates, &count, REFERENCE_KVM_CLOCK, read_kvm(access), true);
        add(rates, &count, REFERENCE_VMWARE_PORT, read_vmware(access), true);
    }
    add(rates, &count, REFERENCE_AMD_PSTATE, read_amd(access, identity), false);
    return count;
}
