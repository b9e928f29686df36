/* SPDX-License-Identifier: BSD-2-Clause */
#include "kernel/net/wire_law.h"

#include "kernel/cpu/scale.h"
#include "kernel/net/nic.h"
#include "kernel/plan/draw.h"

#define MILLION   1000000u
#define PS_PER_NS 1000u
#define PS_PER_S  1000000000000ull

/* Returns true if the frame with this number is lost. */
static bool is_lost(const struct wire_law *law, uint64_t number)
{
    struct draw_random random;

    if (law->loss_ppm == 0) {
        return false;
    }
    draw_seed(&random, law->seed, number);
    return (uint64_t)((unsigned __int128)draw_next(&random) * MILLION >> 64) < law->loss_ppm;
}

uint64_t wire_due_ps(const struct wire_law *law, struct wire_state *state, uint64_t now_ps,
                     uint32_t bytes, bool *arrives)
{
    const uint64_t length = (bytes > NIC_FRAME_MIN ? bytes : NIC_FRAME_MIN) + WIRE_OVERHEAD;
    const uint64_t begins = now_ps > state->free_ps ? now_ps : state->free_ps;

    state->free_ps = begins + length * law->byte_ps;
    *arrives = !is_lost(law, state->drawn++);
    return state->free_ps + law->packet_ns * PS_PER_NS;
}

uint64_t wire_ps_from_ticks(uint64_t ticks, uint64_t hz)
{
    return scale_u64(ticks, PS_PER_S, hz);
}

uint64_t wire_ticks_from_ps(uint64_t ps, uint64_t hz)
{
    return scale_u64(ps, hz, PS_PER_S);
}
