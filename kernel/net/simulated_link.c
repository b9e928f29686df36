/* SPDX-License-Identifier: BSD-2-Clause */
#include "kernel/net/simulated_link.h"

#include <string.h>

#include "kernel/clock/clock.h"
#include "kernel/cpu/cpu.h"
#include "kernel/link/names.h"
#include "kernel/mem/memory.h"
#include "kernel/task/session.h"
#include "kernel/task/timer.h"

#define ENDS       2
#define SLOTS      256 /* a power of two */
#define SLOT_BYTES 1536

struct slot {
    uint64_t sent;
    uint64_t due;
    uint64_t taken;
    uint64_t length;
    uint8_t bytes[SLOT_BYTES] __attribute__((aligned(64)));
};

/* One end: the frames on their way to it or arrived there, and the direction in which it sends. */
struct end {
    struct nic *nic;
    struct end *other;
    bool open;
    bool by_timer;
    struct slot *slots; /* a ring, in order of `due`; NULL: not allocated yet */
    uint32_t head;
    uint32_t length;
    uint32_t taken;     /* slots from the head on that were seen as arrived */
    struct timer timer; /* set for the first frame that is not taken */
    struct link_model model;
    struct link_model_state state;
};

static struct end ends[ENDS];
static struct link_model planned = {.packet_ns = LINK_MODEL_PACKET_NS_DEFAULT,
                                    .byte_ps = LINK_MODEL_BYTE_PS_DEFAULT};
static uint64_t opened;
static uint64_t hz;
static uint64_t late;

static struct slot *slot_of(struct end *end, uint32_t index)
{
    return &end->slots[(end->head + index) % SLOTS];
}

/* ---- frames arrive ---- */

static void timer_expired(void *argument);

/* Sets the timer for the first frame that is not taken. Those after it are due later. */
static void arm(struct end *end)
{
    if (end->taken < end->length && !end->timer.armed) {
        timer_start(&end->timer, slot_of(end, end->taken)->due, 0, timer_expired, end);
    }
}

/* Takes all frames that have arrived by now. */
static void timer_expired(void *argument)
{
    struct end *end = argument;
    const uint64_t flags = interrupts_save();

    if (end->taken < end->length && slot_of(end, end->taken)->due <= tsc_read()) {
        nic_arrived(end->nic);
        while (end->taken < end->length && slot_of(end, end->taken)->due <= end->nic->taken) {
            slot_of(end, end->taken++)->taken = end->nic->taken;
        }
    }
    arm(end);
    interrupts_restore(flags);
}

/* Returns true if the next frame has arrived. An end that is polled checks the time here. */
static bool is_taken(struct end *end)
{
    if (end->taken == 0 && !end->by_timer && end->length > 0) {
        const uint64_t now = tsc_read();

        if (slot_of(end, 0)->due <= now) {
            slot_of(end, 0)->taken = now;
            end->taken = 1;
        }
    }
    return end->taken > 0;
}

static void poll(struct nic *nic)
{
    struct end *end = nic->state;

    while (is_taken(end)) {
        const struct slot *slot = slot_of(end, 0);
        const struct nic_frame frame = {
            .bytes = slot->bytes,
            .length = (uint32_t)slot->length,
            .sent = slot->sent,
            .due = slot->due,
            .taken = slot->taken,
        };

        nic_received(nic, &frame);
        if (!end->open) {
            return;
        }
        const uint64_t flags = interrupts_save();

        end->head = (end->head + 1) % SLOTS;
        end->length--;
        end->taken--;
        interrupts_restore(flags);
    }
}

/* ---- frames leave ---- */

static void copy(void *to, const void *from, uint64_t bytes)
{
    uint64_t words = bytes / sizeof(uint64_t);
    uint64_t rest = bytes % sizeof(uint64_t);

    __asm__ volatile("rep movsq; movq %3, %2; rep movsb"
                     : "+D"(to), "+S"(from), "+c"(words)
                     : "r"(rest)
                     : "memory");
}

static bool send(struct nic *nic, const void *bytes, uint32_t length)
{
    struct end *end = nic->state;
    struct end *other = end->other;
    bool arrives;

    if (other->length == SLOTS) {
        return false;
    }
    struct slot *slot = slot_of(other, other->length);

    copy(slot->bytes, bytes, length);
    nic->sent = tsc_read();
    const uint64_t due =
        link_model_due_ps(&end->model, &end->state,
                          link_model_ps_from_ticks(nic->sent - opened, hz), length, &arrives);

    if (!arrives || !other->open) {
        nic->counts.lost++;
        nic->counts.lost_long += length > NIC_FRAME_MIN ? 1 : 0;
        return true;
    }
    slot->sent = nic->sent;
    slot->due = opened + link_model_ticks_from_ps(due, hz);
    slot->length = length;
    other->length++;
    if (other->by_timer) {
        arm(other);
        late += tsc_read() > slot->due ? 1 : 0;
    }
    return true;
}

/* ---- open and close ---- */

static bool take_memory(void)
{
    for (size_t i = 0; i < ENDS; i++) {
        if (ends[i].slots == NULL) {
            ends[i].slots = memory_allocate(SLOTS * sizeof(struct slot), PAGE_SIZE);
        }
    }
    return ends[0].slots != NULL && ends[1].slots != NULL;
}

static void begin(void)
{
    for (size_t i = 0; i < ENDS; i++) {
        ends[i].model = planned;
        ends[i].model.seed += i;
        ends[i].state = (struct link_model_state){0};
        ends[i].length = 0;
        ends[i].taken = 0;
        ends[i].head = 0;
    }
    late = 0;
    hz = clock_state()->verdict.hz;
    opened = tsc_read();
}

static const char *open(struct nic *nic, bool interrupts)
{
    struct end *end = nic->state;

    if (clock_state()->verdict.hz == 0) {
        return "its timing model needs a TSC of known rate";
    }
    if (!take_memory()) {
        return "not enough memory for the simulated link";
    }
    if (!end->other->open) {
        begin();
    }
    end->timer.armed = false;
    end->by_timer = interrupts;
    end->open = true;
    nic->interrupt = interrupts ? INTERRUPT_TIMER : INTERRUPT_POLLED;
    return NULL;
}

static void close(struct nic *nic)
{
    struct end *end = nic->state;

    if (end->timer.armed && task_active()) {
        timer_stop(&end->timer);
    }
    end->timer.armed = false;
    end->open = false;
    end->length = 0;
    end->taken = 0;
}

static void find(void)
{
    static const char *const names[ENDS] = {SIMULATED_LINK_0, SIMULATED_LINK_1};

    for (size_t i = 0; i < ENDS; i++) {
        struct nic *nic = nic_add(&simulated_link_driver, names[i]);

        nic->state = &ends[i];
        nic->model = SIMULATED_LINK;
        memcpy(nic->mac, "\x02tare", NIC_MAC_BYTES - 1);
        nic->mac[NIC_MAC_BYTES - 1] = (uint8_t)i;
        ends[i].nic = nic;
        ends[i].other = &ends[ENDS - 1 - i];
    }
}

const struct nic_driver simulated_link_driver = {
    .name = "wire",
    .find = find,
    .open = open,
    .close = close,
    .send = send,
    .poll = poll,
};

void simulated_link_keep(const struct link_model *model)
{
    planned = *model;
}

const struct link_model *simulated_link_model(void)
{
    return &planned;
}

uint64_t simulated_link_opened(void)
{
    return opened;
}

uint64_t simulated_link_late(void)
{
    return late;
}
