/* SPDX-License-Identifier: BSD-2-Clause */
#include "kernel/cpu/mwait.h"

#define LEAF_MONITOR   5
#define MONITOR        (1u << 3) /* leaf 1 ECX */
#define LISTS_STATES   (1u << 0) /* leaf 5 ECX */
#define WAKES_MASKED   (1u << 1)
#define LINE_MASK      0xffff
#define STATES         8
#define STATE_BITS     4 /* of each in EDX, and of a hint */
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
