/* SPDX-License-Identifier: BSD-2-Clause */
#include "kernel/cpu/cpuid.h"

#include <stddef.h>
#include <string.h>

#include "kernel/cpu/names.h"

/* Highest plausible maxima. Hypervisors number their leaves up to a few dozen. A larger maximum is
 * some other leaf's data, as a processor returns it if no hypervisor answers. */
#define SIGNATURE_STEP        0x100u /* distance to the leaves of a second hypervisor */
#define SIGNATURES_LAST       0x40000f00u
#define HYPERVISOR_LEAVES_MAX 0x400000ffu
#define EXTENDED_LEAVES_MAX   0x8000ffffu
#define CPUID_WIDTHS          (CPUID_EXTENDED + 8)
#define TOPOLOGY_EXTENSIONS   (1u << 22)
#define FAMILY_BULLDOZER      0x15
#define PHYSICAL_BITS_MIN     32
#define PHYSICAL_BITS_OLD     36 /* for processors older than the leaf that reports the width */

#ifdef __x86_64__
struct cpuid_result cpuid_instruction(uint32_t leaf, uint32_t subleaf)
{
    struct cpuid_result r;

    __asm__ volatile("cpuid"
                     : "=a"(r.eax), "=b"(r.ebx), "=c"(r.ecx), "=d"(r.edx)
                     : "a"(leaf), "c"(subleaf));
    return r;
}
#endif

struct cpuid_result cpuid_leaf(cpuid_port *port, const struct cpu_identity *identity, uint32_t leaf,
                               uint32_t subleaf)
{
    const uint32_t max = leaf >= CPUID_EXTENDED     ? identity->max_extended
                         : leaf >= CPUID_HYPERVISOR ? identity->max_hypervisor
                                                    : identity->max_basic;

    return leaf <= max ? port(leaf, subleaf) : (struct cpuid_result){0};
}

/* Returns the highest extended leaf, or 0 if there are none. */
static uint32_t max_extended(cpuid_port *port)
{
    const uint32_t max = port(CPUID_EXTENDED, 0).eax;

    return max >= CPUID_EXTENDED && max <= EXTENDED_LEAVES_MAX ? max : 0;
}

uint32_t cpuid_hypervisor_base(cpuid_port *port, const char *signature)
{
    for (uint32_t base = CPUID_HYPERVISOR; base <= SIGNATURES_LAST; base += SIGNATURE_STEP) {
        const struct cpuid_result leaf = port(base, 0);
        const uint32_t words[] = {leaf.ebx, leaf.ecx, leaf.edx};

        if (memcmp(words, signature, sizeof(words)) == 0) {
            return base;
        }
    }
    return 0;
}

static void find_maxima(cpuid_port *port, struct cpu_identity *identity)
{
    identity->max_basic = port(0, 0).eax;
    identity->max_extended = max_extended(port);
    if (identity->max_basic >= 1) {
        identity->hypervisor_bit = port(1, 0).ecx >> 31 & 1;
    }
    if (identity->hypervisor_bit) {
        const uint32_t hypervisor = port(CPUID_HYPERVISOR, 0).eax;

        if (hypervisor >= CPUID_HYPERVISOR && hypervisor <= HYPERVISOR_LEAVES_MAX) {
            identity->max_hypervisor = hypervisor;
        }
    }
}

/* Copies twelve characters from three registers; unprintable ones become '?'. */
static void copy_signature(char out[13], uint32_t a, uint32_t b, uint32_t c)
{
    const uint32_t words[3] = {a, b, c};

    memcpy(out, words, 12);
    out[12] = '\0';
    for (size_t i = strlen(out); i-- > 0;) {
        out[i] = out[i] >= ' ' && out[i] < 0x7f ? out[i] : '?';
    }
}

static void read_brand(cpuid_port *port, struct cpu_identity *identity)
{
    char brand[49] = "";
    const char *start = brand;

    if (identity->max_extended < CPUID_EXTENDED + 4) {
        return;
    }
    for (uint32_t i = 0; i < 3; i++) {
        const struct cpuid_result r = port(CPUID_EXTENDED + 2 + i, 0);

        memcpy(brand + 16 * i, &r, sizeof(r));
    }
    while (*start == ' ') {
        start++;
    }
    strcpy(identity->brand, start);
}

static void read_frequencies(cpuid_port *port, struct cpu_identity *identity)
{
    const struct cpuid_result crystal = cpuid_leaf(port, identity, 0x15, 0);
    const struct cpuid_result base = cpuid_leaf(port, identity, 0x16, 0);

    /* Skylake-class parts leave ECX 0 and expect software to have a table by model. There is no
     * such table here, so the leaf counts as missing. */
    if (crystal.eax != 0 && crystal.ebx != 0) {
        identity->tsc_hz_leaf15 = (uint64_t)crystal.ecx * crystal.ebx / crystal.eax;
    }
    identity->tsc_hz_leaf16 = (uint64_t)(base.eax & 0xffff) * 1000000;
    identity->tsc_hz_virtual =
        (uint64_t)cpuid_leaf(port, identity, CPUID_HYPERVISOR + 0x10, 0).eax * 1000;
}

uint32_t cpu_physical_bits(cpuid_port *port)
{
    const uint32_t bits = max_extended(port) >= CPUID_WIDTHS ? port(CPUID_WIDTHS, 0).eax & 255 : 0;

    return bits >= PHYSICAL_BITS_MIN ? bits : PHYSICAL_BITS_OLD;
}

void cpu_identify(cpuid_port *port, struct cpu_identity *identity)
{
    memset(identity, 0, sizeof(*identity));
    find_maxima(port, identity);

    const struct cpuid_result vendor = port(0, 0);
    const struct cpuid_result basic = cpuid_leaf(port, identity, 1, 0);
    const struct cpuid_result seven = cpuid_leaf(port, identity, 7, 0);
    const struct cpuid_result extended = cpuid_leaf(port, identity, CPUID_EXTENDED + 1, 0);
    const struct cpuid_result power = cpuid_leaf(port, identity, CPUID_EXTENDED + 7, 0);

    copy_signature(identity->vendor, vendor.ebx, vendor.edx, vendor.ecx);
    if (identity->max_hypervisor != 0) {
        const struct cpuid_result r = port(CPUID_HYPERVISOR, 0);

        copy_signature(identity->hypervisor, r.ebx, r.ecx, r.edx);
    }
    const uint32_t family = basic.eax >> 8 & 15;

    identity->stepping = basic.eax & 15;
    identity->model = basic.eax >> 4 & 15;
    identity->family = family == 15 ? family + (basic.eax >> 20 & 255) : family;
    if (family == 6 || family == 15) {
        identity->model |= (basic.eax >> 16 & 15) << 4;
    }
    identity->pcid = basic.ecx >> 17 & 1;
    identity->avx2 = seven.ebx >> 5 & 1;
    identity->avx512f = seven.ebx >> 16 & 1;
    identity->x2apic = basic.ecx >> 21 & 1;
    identity->tsc_deadline = basic.ecx >> 24 & 1;
    identity->nx = extended.edx >> 20 & 1;
    identity->pages_1gib = extended.edx >> 26 & 1;
    identity->rdtscp = extended.edx >> 27 & 1;
    identity->invariant_tsc = power.edx >> 8 & 1;
    identity->physical_bits = cpu_physical_bits(port);
    read_brand(port, identity);
    read_frequencies(port, identity);
}

const char *cpu_emulator(const char *hypervisor, const char *brand)
{
    /* Brand of QEMU's model "max" (target/i386/cpu.c); other accelerators show the host's. */
    static const char tcg_brand[] = "QEMU TCG CPU";
    const bool is_tcg = strcmp(hypervisor, HYPERVISOR_TCG) == 0 ||
                        strncmp(brand, tcg_brand, sizeof(tcg_brand) - 1) == 0;

    return is_tcg ? "TCG" : NULL;
}

bool cpu_is_amd(const struct cpu_identity *identity)
{
    return strcmp(identity->vendor, "AuthenticAMD") == 0 ||
           strcmp(identity->vendor, "HygonGenuine") == 0;
}

bool cpu_has_topology_leaves(cpuid_port *port, const struct cpu_identity *identity)
{
    const uint32_t extended = cpuid_leaf(port, identity, CPUID_EXTENDED + 1, 0).ecx;

    return cpu_is_amd(identity) &&
           ((extended & TOPOLOGY_EXTENSIONS) != 0 || identity->family == FAMILY_BULLDOZER);
}

#define LEAF_MONITOR   5
#define MONITOR        (1u << 3) /* bit of ECX of leaf 1 */
#define LISTS_STATES   (1u << 0) /* bit of ECX of leaf 5 */
#define WAKES_MASKED   (1u << 1)
#define LINE_MASK      0xffff
#define STATES         8
#define STATE_BITS     4 /* width of a state's field in EDX, and of the sub-state in a hint */
#define SUB_STATE_MASK 15
#define SUB_STATES_MAX 4

static void list_states(uint32_t sub_states, struct mwait_facts *facts)
{
    for (unsigned state = 0; state < STATES; state++) {
        const unsigned count = sub_states >> STATE_BITS * state & SUB_STATE_MASK;

        for (unsigned sub = 0; sub < count && sub < SUB_STATES_MAX; sub++) {
            facts->hint[facts->hint_count++] = (uint8_t)(((state - 1) << STATE_BITS & 0xf0) | sub);
        }
    }
}

void mwait_find(cpuid_port *port, const struct cpu_identity *identity, struct mwait_facts *facts)
{
    const struct cpuid_result leaf = cpuid_leaf(port, identity, LEAF_MONITOR, 0);

    *facts = (struct mwait_facts){0};
    if ((cpuid_leaf(port, identity, 1, 0).ecx & MONITOR) == 0 ||
        identity->max_basic < LEAF_MONITOR) {
        return;
    }
    facts->offered = true;
    facts->smallest = leaf.eax & LINE_MASK;
    facts->largest = leaf.ebx & LINE_MASK;
    facts->by_hint = (leaf.ecx & LISTS_STATES) != 0 && leaf.edx != 0;
    facts->wakes_masked = (leaf.ecx & WAKES_MASKED) != 0;
    if (facts->by_hint) {
        list_states(leaf.edx, facts);
    }
    if (facts->hint_count == 0) {
        facts->hint[facts->hint_count++] = 0;
    }
}
