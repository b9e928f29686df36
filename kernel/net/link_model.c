/* SPDX-License-Identifier: BSD-2-Clause */
#include "kernel/net/link_model.h"

#include "kernel/cpu/scale.h"
#include "kernel/net/nic.h"
#include "kernel/plan/draw.h"

#define MILLION   1000000u
#define PS_PER_NS 1000u
#define PS_PER_S  1000000000000ull

/* Returns true if the frame with this number is lost. */
static bool is_lost(const struct link_model *model, uint64_t number)
{
    struct draw_random random;

    if (model->loss_ppm == 0) {
        return false;
    }
    draw_seed(&random, model->seed, number);
    return (uint64_t)((unsigned __int128)draw_next(&random) * MILLION >> 64) < model->loss_ppm;
}

uint64_t link_model_due_ps(const struct link_model *model, struct link_model_state *state,
                           uint64_t now_ps, uint32_t bytes, bool *arrives)
{
    const uint64_t length = (bytes > NIC_FRAME_MIN ? bytes : NIC_FRAME_MIN) + LINK_MODEL_OVERHEAD;
    const uint64_t begins = now_ps > state->free_ps ? now_ps : state->free_ps;

    state->free_ps = begins + length * model->byte_ps;
    *arrives = !is_lost(model, state->drawn++);
    return state->free_ps + model->packet_ns * PS_PER_NS;
}

uint64_t link_model_ps_from_ticks(uint64_t ticks, uint64_t hz)
{
    return scale_u64(ticks, PS_PER_S, hz);
}

uint64_t link_model_ticks_from_ps(uint64_t ps, uint64_t hz)
{
    return scale_u64(ps, hz, PS_PER_S);
}
