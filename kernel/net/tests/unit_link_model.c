/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The timing model of the simulated link, kernel/net/link_model.h: its times, also those whose
 * products need 128 bits; a wire that is busy; and which frames are lost.
 */
#include "kernel/net/link_model.h"

#include "kernel/net/nic.h"
#include "tools/tests/support/unit.h"

#define FRAMES  200000
#define MILLION 1000000

/* ---- times ---- */

static void check_times(void)
{
    const struct link_model model = {.packet_ns = 1000, .byte_ps = 8000};
    struct link_model_state state = {0};
    bool arrives = false;

    CHECK_EQUAL(link_model_due_ps(&model, &state, 5000, 1514, &arrives),
                5000 + 1538ull * 8000 + 1000 * 1000);
    CHECK(arrives);
    CHECK_EQUAL(state.free_ps, 5000 + 1538ull * 8000);
    CHECK_EQUAL(state.drawn, 1);
}

/* Short frames are as long as the shortest on the wire. */
static void check_shortest(void)
{
    const struct link_model model = {.packet_ns = 0, .byte_ps = 10};

    for (uint32_t bytes = 1; bytes <= NIC_FRAME_MIN; bytes++) {
        struct link_model_state state = {0};
        bool arrives;

        CHECK_EQUAL(link_model_due_ps(&model, &state, 0, bytes, &arrives), 840);
    }
}

/* A frame waits for those before it, and never where the wire is free. */
static void check_busy(void)
{
    const struct link_model model = {.packet_ns = 3, .byte_ps = 100};
    struct link_model_state state = {0};
    bool arrives;

    CHECK_EQUAL(link_model_due_ps(&model, &state, 0, 76, &arrives), 10000 + 3000);
    CHECK_EQUAL(link_model_due_ps(&model, &state, 9999, 76, &arrives), 20000 + 3000);
    CHECK_EQUAL(link_model_due_ps(&model, &state, 20000, 76, &arrives), 30000 + 3000);
    CHECK_EQUAL(link_model_due_ps(&model, &state, 30001, 76, &arrives), 40001 + 3000);
}

static void check_ticks(void)
{
    /* A day of a TSC of 2.9 GHz: its product with 10^12 has 88 bits. */
    const uint64_t hz = 2900000017;
    const uint64_t ticks = hz * 86400 + 12345;
    const uint64_t ps = link_model_ps_from_ticks(ticks, hz);

    CHECK_EQUAL(ps, (uint64_t)((unsigned __int128)ticks * 1000000000000u / hz));
    CHECK_EQUAL(link_model_ticks_from_ps(ps, hz), ticks - 1);   /* rounded down twice */
    CHECK_EQUAL(link_model_ticks_from_ps(ps + 345, hz), ticks); /* a tick has 344.8 ps */
    CHECK_EQUAL(link_model_ps_from_ticks(7, 1000000000), 7000); /* exact where a tick is 1 ns */
    CHECK_EQUAL(link_model_ticks_from_ps(7999, 1000000000), 7);
}

/* ---- losses ---- */

static uint64_t lost_of(uint64_t ppm, uint64_t seed, bool *pattern)
{
    const struct link_model model = {.loss_ppm = ppm, .seed = seed};
    struct link_model_state state = {0};
    uint64_t lost = 0;

    for (uint32_t i = 0; i < FRAMES; i++) {
        bool arrives;

        link_model_due_ps(&model, &state, 0, 60, &arrives);
        lost += arrives ? 0 : 1;
        pattern[i] = arrives;
    }
    CHECK_EQUAL(state.drawn, FRAMES);
    return lost;
}

static void check_losses(void)
{
    static bool first[FRAMES];
    static bool again[FRAMES];
    static bool other[FRAMES];
    const uint64_t lost = lost_of(MILLION / 100, 7, first);
    uint64_t differ = 0;

    CHECK(lost > 1822 && lost < 2178); /* 2000 by 4 standard deviations of 44.5 */
    lost_of(MILLION / 100, 7, again);
    lost_of(MILLION / 100, 8, other);
    for (uint32_t i = 0; i < FRAMES; i++) {
        CHECK(first[i] == again[i]);
        differ += first[i] != other[i] ? 1 : 0;
    }
    CHECK(differ > 3600); /* of 2 * 2000 less those that fall together */
    CHECK_EQUAL(lost_of(0, 7, again), 0);
    CHECK_EQUAL(lost_of(MILLION, 7, again), FRAMES);
}

/* A frame that is lost takes its time all the same. */
static void check_lost_times(void)
{
    const struct link_model model = {.byte_ps = 100, .loss_ppm = MILLION};
    struct link_model_state state = {0};
    bool arrives = true;

    CHECK_EQUAL(link_model_due_ps(&model, &state, 0, 76, &arrives), 10000);
    CHECK(!arrives);
    CHECK_EQUAL(link_model_due_ps(&model, &state, 0, 76, &arrives), 20000);
}

int main(void)
{
    RUN(check_times());
    RUN(check_shortest());
    RUN(check_busy());
    RUN(check_ticks());
    RUN(check_losses());
    RUN(check_lost_times());
    return unit_finish("unit_link_model");
}
