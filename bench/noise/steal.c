/* SPDX-License-Identifier: BSD-2-Clause */
#include "bench/noise/steal.h"

#include <string.h>

#include "kernel/clock/names.h"
#include "kernel/cpu/cpu.h"
#include "kernel/cpu/msr.h"
#include "kernel/smp/processor.h"

#define KVM_FEATURES     1u
#define KVM_STEAL        (1u << 5)
#define KVM_MSR_STEAL    0x4b564d03u
#define KVM_ENABLE       1ull
#define HYPERV_SIGNATURE "Microsoft Hv"
#define HYPERV_FEATURES  (CPUID_HYPERVISOR + 3)
#define HYPERV_RUNTIME   (1u << 0)
#define HYPERV_REFERENCE (1u << 1)
#define HYPERV_MSR_RUN   0x40000010u
#define HYPERV_MSR_TIME  0x40000020u
#define HYPERV_UNIT_NS   100
#define PROVE_UNITS      10
#define PROVE_TRIES      1000000
#define CONSISTENT_TRIES 1000

struct kvm_steal_time {
    uint64_t ns;
    uint32_t version; /* odd while the other members change */
    uint32_t rest[13];
};
_Static_assert(sizeof(struct kvm_steal_time) == 64, "as KVM has it");

static enum { SOURCE_NONE, SOURCE_KVM, SOURCE_HYPERV } source;

static volatile struct kvm_steal_time page[PROCESSORS_MAX]
    __attribute__((aligned(sizeof(struct kvm_steal_time))));

/* Verifies that KVM keeps its page. KVM writes the page on its way back into the guest, so the
 * version is no longer 0 right after the WRMSR. */
static const char *prove_kvm(uint32_t features)
{
    const size_t number = processor_here();

    if ((features & KVM_STEAL) == 0) {
        return "KVM announces no steal time (CPUID 40000001h EAX[5])";
    }
    page[number].version = 0;
    if (msr_write(KVM_MSR_STEAL, (uint64_t)(uintptr_t)&page[number] | KVM_ENABLE) != 0) {
        return "KVM announces steal time, but MSR 4b564d03h cannot be written";
    }
    const uint32_t version = page[number].version;

    steal_leave(number);
    if (version == 0 || version % 2 != 0) {
        return "KVM announces steal time, but does not write its page";
    }
    source = SOURCE_KVM;
    return NULL;
}

/* Verifies that Hyper-V's runtime of this processor advances, and no faster than time. This needs
 * the processor to have run for most of that time. */
static const char *prove_hyperv(uint32_t features)
{
    uint64_t time[2] = {0};
    uint64_t run[2] = {0};

    if ((features & HYPERV_RUNTIME) == 0 || (features & HYPERV_REFERENCE) == 0) {
        return "Hyper-V announces no runtime of virtual processors (CPUID 40000003h EAX[1:0])";
    }
    if (msr_read(HYPERV_MSR_TIME, &time[0]) != 0 || msr_read(HYPERV_MSR_RUN, &run[0]) != 0) {
        return "Hyper-V announces the runtime of virtual processors, but it cannot be read";
    }
    for (unsigned i = 0; i < PROVE_TRIES && time[1] < time[0] + PROVE_UNITS; i++) {
        msr_read(HYPERV_MSR_TIME, &time[1]);
    }
    msr_read(HYPERV_MSR_RUN, &run[1]);
    if (time[1] < time[0] + PROVE_UNITS || run[1] <= run[0]) {
        return "Hyper-V's reference counter or its runtime of this processor does not advance";
    }
    msr_read(HYPERV_MSR_TIME, &time[1]);
    if (run[1] - run[0] > time[1] - time[0] + 1) {
        return "Hyper-V's runtime of this processor advances faster than its reference counter";
    }
    source = SOURCE_HYPERV;
    return NULL;
}

const char *steal_init(const struct cpu_identity *identity)
{
    source = SOURCE_NONE;
    if (!identity->hypervisor_bit || identity->max_hypervisor == 0) {
        return "no hypervisor announces itself";
    }
    const uint32_t kvm = cpuid_hypervisor_base(cpuid_instruction, HYPERVISOR_KVM);

    if (kvm != 0) {
        return prove_kvm(cpuid_instruction(kvm + KVM_FEATURES, 0).eax);
    }
    if (strcmp(identity->hypervisor, HYPERV_SIGNATURE) != 0) {
        return "the hypervisor offers no steal time";
    }
    return prove_hyperv(cpuid_leaf(cpuid_instruction, identity, HYPERV_FEATURES, 0).eax);
}

void steal_join(size_t number)
{
    if (source == SOURCE_KVM) {
        msr_write(KVM_MSR_STEAL, (uint64_t)(uintptr_t)&page[number] | KVM_ENABLE);
    }
}

void steal_leave(size_t number)
{
    if (source == SOURCE_KVM) {
        msr_write(KVM_MSR_STEAL, (uint64_t)(uintptr_t)&page[number]);
    }
}

/* Reads the page. It is written by the host thread of this same processor, which does not run while
 * this code does. One read is therefore enough; the bound only prevents an endless loop if the page
 * has another meaning. */
static uint64_t read_page(size_t number)
{
    uint64_t ns = 0;

    for (unsigned i = 0; i < CONSISTENT_TRIES; i++) {
        const uint32_t version = page[number].version;

        ns = page[number].ns;
        if (version % 2 == 0 && version == page[number].version) {
            break;
        }
        cpu_pause();
    }
    return ns;
}

uint64_t steal_ns(size_t number)
{
    uint64_t run = 0;
    uint64_t time = 0;

    if (source == SOURCE_KVM) {
        return read_page(number);
    }
    msr_read(HYPERV_MSR_RUN, &run);
    msr_read(HYPERV_MSR_TIME, &time);
    return (time - run) * HYPERV_UNIT_NS;
}
