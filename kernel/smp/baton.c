/* SPDX-License-Identifier: BSD-2-Clause */
#include "kernel/smp/baton.h"

#if TARE_SMP

#include <string.h>

#include "kernel/clock/clock.h"
#include "kernel/cpu/cpu.h"
#include "kernel/cpu/descriptors.h"
#include "kernel/cpu/percpu.h"
#include "kernel/irq/interrupt.h"
#include "kernel/irq/lapic.h"
#include "kernel/smp/processor.h"

/* Task priority of a processor that waits: only BATON_VECTOR_GRANT reaches it. */
#define PRIORITY_WAITING (BATON_VECTOR_TICK & 0xf0)
#define JOIN_US          1000000
#define TURNS            4
/* Spare of the LAPIC timer, because code still executes between programming it and the end of the
 * handler: the timer would otherwise be early, and tick once more. The first is in ticks, for an
 * idle processor; the second in instructions, for the handler of the tick. */
#define TICK_RETURN 64
#define TICK_EXIT   64

/* baton.S: entry stubs of the two vectors. */
void baton_tick_entry(void) __attribute__((visibility("hidden")));
void baton_grant_entry(void) __attribute__((visibility("hidden")));
uint64_t baton_tick(uint64_t tsc);
/* Time that the entry stub of the tick takes beyond what it measures: BATON_TICK_INSTRUCTIONS. */
extern uint64_t baton_tick_ticks __attribute__((visibility("hidden")));
uint64_t baton_tick_ticks;
#define BATON_TICK_INSTRUCTIONS 15

/* What others must know of a processor. In local time. */
struct place {
    uint64_t at;     /* when it stopped executing, while it waits; if idle, its next event */
    uint64_t alarm;  /* when its timer is due; BATON_NEVER: it is not set */
    uint64_t notice; /* when an interrupt from another processor arrives; BATON_NEVER: none does */
    bool idle;
    volatile bool flush; /* it must forget its cached translations (baton_flush()) */
    bool joined;
    uint64_t waited; /* ticks in which it waited for others to leave a section */
};

bool sections_shared;

static struct {
    bool exact;
    size_t processors;
    struct place place[PERCPU_MAX];
    volatile size_t holder;
    uint64_t free_at;  /* when the last section ended */
    uint64_t least;    /* the least `at` of the other processors */
    size_t least_of;   /* and whose it is */
    uint64_t ahead;    /* how far the holder may run ahead of it, in ticks */
    uint64_t begun_at; /* local time of processor 0 at the beginning */
    struct clock_lapic_factor factor;
    size_t devices; /* the processor to which devices interrupt */
    bool loses;     /* the next interrupt is lost on purpose */
    bool locked;    /* real time: a processor is in a section */
    size_t owner;   /* and which one */
} baton;

static size_t here(void)
{
    return percpu_number;
}

static uint64_t tsc_raw(void)
{
    return tsc_read() + percpu_given;
}

static uint64_t min(uint64_t a, uint64_t b)
{
    return a < b ? a : b;
}

static uint64_t next_event(const struct place *place)
{
    return min(place->alarm, place->notice);
}

/* Forgets cached translations if another processor wants that. */
static void obey_flush(void)
{
    struct place *place = &baton.place[here()];

    if (place->flush) {
        tlb_forget_all();
        place->flush = false;
    }
}

/* ---- exact time ---- */

/* Finds the processor that is furthest behind among those that do not execute now. */
static void find_least(void)
{
    baton.least = BATON_NEVER;
    baton.least_of = here();
    for (size_t i = 0; i < baton.processors; i++) {
        if (i != here() && baton.place[i].at < baton.least) {
            baton.least = baton.place[i].at;
            baton.least_of = i;
        }
    }
}

/* Returns whether another processor must execute before this one, whose local time is `now`. */
static bool must_wait(uint64_t now)
{
    return baton.least < now || (baton.least == now && baton.least_of < here());
}

/* Programs the LAPIC timer for this processor's next event, or for the time at which it is too far
 * ahead of the others. */
static void program_timer(uint64_t now, uint64_t spare)
{
    const uint64_t limit =
        baton.least < BATON_NEVER - baton.ahead ? baton.least + baton.ahead : BATON_NEVER;
    const uint64_t target = min(next_event(&baton.place[here()]), limit);

    if (target == BATON_NEVER) {
        lapic_timer_rearm(0);
        return;
    }
    lapic_timer_rearm(clock_lapic_counts_by(&baton.factor, (int64_t)(target - now + spare)));
}

/* The previous holder may not have halted yet when the grant arrives. On an emulator that runs all
 * processors in turn, PAUSE lets it do so, unless the emulator is called away by its own work at
 * this moment; this does not happen that often in a row. */
static void let_others_halt(void)
{
    for (int i = 0; i < TURNS; i++) {
        cpu_pause();
    }
}

/* Lets the processor that is furthest behind execute, and waits until this processor's turn.
 * `at` is what others must know. Interrupts are off at the flag, but not those that grant the
 * baton. */
static void hand_over(uint64_t at)
{
    const size_t to = baton.least_of;

    baton.place[here()].at = at;
    lapic_timer_rearm(0);
    lapic_set_task_priority(PRIORITY_WAITING);
    baton.holder = to;
    processor_send(to, BATON_VECTOR_GRANT);
    while (baton.holder != here()) {
        __asm__ volatile("sti; hlt; cli" : : : "memory");
    }
    let_others_halt();
    lapic_set_task_priority(0);
    find_least();
    obey_flush();
}

/* Raises the interrupts that are due on this processor; they are taken when interrupts are on. */
static void deliver(uint64_t now)
{
    struct place *place = &baton.place[here()];

    if (place->alarm <= now) {
        place->alarm = BATON_NEVER;
        lapic_send_self(LAPIC_VECTOR_TIMER);
    }
    if (place->notice <= now) {
        place->notice = BATON_NEVER;
        lapic_send_self(BATON_VECTOR_RESCHEDULE);
    }
}

/* From now on, the local time is `now`. */
static void set_local_time(uint64_t now)
{
    percpu_given = tsc_raw() - now;
}

/* Called by the tick's entry, interrupts off. Returns the local time of the stamp, which the entry
 * restores: the interrupted code sees one instruction pass. */
uint64_t baton_tick(uint64_t tsc)
{
    const uint64_t now = tsc - percpu_given;

    lapic_end_of_interrupt();
    while (now >= baton.least && now - baton.least >= baton.ahead &&
           next_event(&baton.place[here()]) > now) {
        hand_over(now);
    }
    deliver(now);
    program_timer(now, TICK_EXIT * (uint64_t)clock_state()->ticks_per_instruction);
    return now;
}

static void enter_exact(void)
{
    struct place *place = &baton.place[here()];
    uint64_t now = tsc_read();

    if (must_wait(now)) {
        do {
            hand_over(now);
        } while (must_wait(now));
        program_timer(now, 0);
        set_local_time(now);
    }
    if (now < baton.free_at) {
        place->waited += baton.free_at - now;
        set_local_time(baton.free_at);
        program_timer(baton.free_at, 0);
    }
}

/* On the processor to which devices interrupt, idle. Halts until a device interrupts, if none of
 * the others is behind, but not beyond the next event of any. Returns false if the local time may
 * jump, because there are no devices. */
static bool awaits_devices(uint64_t now, uint64_t event)
{
    struct place *place = &baton.place[here()];
    const uint64_t next = min(event, baton.least);

    if (next != BATON_NEVER && !interrupt_has_devices()) {
        return false;
    }
    if (next <= now) {
        if (event <= now && !must_wait(now)) {
            return false; /* its own event is due */
        }
        hand_over(now + baton.ahead);
        now += baton.ahead;
    }
    place->idle = false;
    deliver(now);
    program_timer(now, TICK_RETURN);
    set_local_time(now);
    __asm__ volatile("sti; hlt; cli" : : : "memory");
    return true;
}

static void idle_exact(void)
{
    struct place *place = &baton.place[here()];
    uint64_t now = tsc_read();

    place->idle = true;
    for (;;) {
        const uint64_t event = next_event(place);

        find_least();
        if (here() == baton.devices && awaits_devices(now, event)) {
            return;
        }
        if (event != BATON_NEVER && !must_wait(event)) {
            now = event > now ? event : now;
            break;
        }
        baton.least_of = baton.least == BATON_NEVER ? baton.devices : baton.least_of;
        hand_over(event);
    }
    place->idle = false;
    deliver(now);
    program_timer(now, TICK_RETURN);
    set_local_time(now);
}

/* ---- real time ---- */

/* If the TSC of the processor that was in a section before shows more than the caller's, moves the
 * local time up to it, so that stamps have the order in which sections were executed. */
static void keep_order(void)
{
    const uint64_t now = tsc_read();

    if (now < baton.free_at) {
        percpu_given -= baton.free_at - now;
    }
}

static void enter_real(void)
{
    if (__atomic_exchange_n(&baton.locked, true, __ATOMIC_ACQUIRE)) {
        const uint64_t start = tsc_read();

        while (__atomic_exchange_n(&baton.locked, true, __ATOMIC_ACQUIRE)) {
            obey_flush();
            cpu_pause();
        }
        baton.place[here()].waited += tsc_read() - start;
    }
    baton.owner = here();
    obey_flush();
    keep_order();
}

/* ---- both ---- */

void section_enter(void)
{
    if (baton.exact) {
        enter_exact();
    } else {
        enter_real();
    }
}

void section_leave(void)
{
    if (baton.exact) {
        baton.free_at = tsc_read();
    } else {
        baton.free_at = tsc_read();
        __atomic_store_n(&baton.locked, false, __ATOMIC_RELEASE);
    }
}

void baton_idle(void)
{
    __asm__ volatile("cli" : : : "memory");
    if (baton.exact) {
        idle_exact();
        __asm__ volatile("sti" : : : "memory");
    } else {
        __asm__ volatile("sti; hlt" : : : "memory");
    }
}

uint8_t baton_timer_vector(void)
{
    return baton.exact ? BATON_VECTOR_TICK : LAPIC_VECTOR_TIMER;
}

bool baton_arm(uint64_t deadline)
{
    if (!sections_shared || !baton.exact) {
        return false;
    }
    baton.place[here()].alarm = deadline;
    program_timer(tsc_read(), 0);
    return true;
}

void baton_lose_next(void)
{
    baton.loses = true;
}

void baton_send(size_t to)
{
    if (baton.loses) {
        baton.loses = false;
        return;
    }
    if (!baton.exact) {
        processor_send(to, BATON_VECTOR_RESCHEDULE);
        return;
    }
    struct place *place = &baton.place[to];
    const uint64_t now = tsc_read();

    place->notice = min(place->notice, now + baton.ahead);
    if (place->idle) {
        place->at = min(place->at, place->notice);
    }
    find_least();
    program_timer(now, 0);
}

/* In exact time, waiting takes as long as an interrupt to the other processor and one back. */
void baton_flush(uint64_t mask)
{
    for (size_t i = 0; i < baton.processors; i++) {
        if ((mask >> i & 1) != 0 && i != here()) {
            baton.place[i].flush = true;
            baton_send(i);
        }
    }
    if (baton.exact) {
        set_local_time(tsc_read() + 2 * baton.ahead);
        return;
    }
    for (size_t i = 0; i < baton.processors; i++) {
        while (i != here() && baton.place[i].flush) {
            cpu_pause();
        }
    }
}

void baton_catch_up(void)
{
    uint64_t latest = tsc_read();

    for (size_t i = 0; baton.exact && sections_shared && i < baton.processors; i++) {
        const struct place *place = &baton.place[i];

        if (i != here() && !place->idle && place->at > latest) {
            latest = place->at;
        }
    }
    if (latest > tsc_read()) {
        set_local_time(latest);
    }
}

size_t baton_processors(void)
{
    return sections_shared ? baton.processors : 0;
}

size_t baton_holder(void)
{
    if (baton.exact) {
        return baton.holder;
    }
    return baton.locked ? baton.owner : PERCPU_MAX;
}

uint64_t baton_waited(size_t processor)
{
    return baton.place[processor].waited;
}

/* ---- begin and end ---- */

void baton_set_devices(size_t processor)
{
    baton.devices = processor;
    interrupt_set_devices(processor == 0 ? INTERRUPT_ANYWHERE : processor_at(processor)->apic_id);
}

void baton_begin(size_t processors, bool exact)
{
    baton.exact = exact;
    baton.processors = processors;
    baton.locked = true; /* the caller has interrupts off, and is in a section */
    baton.holder = 0;
    baton.devices = 0;
    baton.loses = false;
    baton.factor = clock_lapic_factor();
    baton.ahead = BATON_AHEAD_INSTRUCTIONS * (uint64_t)clock_state()->ticks_per_instruction;
    baton_tick_ticks = BATON_TICK_INSTRUCTIONS * (uint64_t)clock_state()->ticks_per_instruction;
    baton.begun_at = baton.free_at = tsc_read();
    memset(baton.place, 0, sizeof(baton.place));
    for (size_t i = 0; i < processors; i++) {
        baton.place[i].alarm = baton.place[i].notice = BATON_NEVER;
        baton.place[i].at = baton.begun_at;
    }
    descriptors_set_entry(BATON_VECTOR_TICK, baton_tick_entry);
    descriptors_set_entry(BATON_VECTOR_GRANT, baton_grant_entry);
    descriptors_set_other_entry(BATON_VECTOR_TICK, baton_tick_entry);
    descriptors_set_other_entry(BATON_VECTOR_GRANT, baton_grant_entry);
}

bool baton_wait_joined(void)
{
    struct tsc_wait wait = tsc_wait_begin(clock_ticks_from_us(JOIN_US));

    let_others_halt(); /* so that none is waited for: the number of looks would be a matter of
                          chance */
    for (size_t i = 1; i < baton.processors; i++) {
        while (!__atomic_load_n(&baton.place[i].joined, __ATOMIC_ACQUIRE)) {
            if (tsc_wait_over(&wait)) {
                return false;
            }
            cpu_pause();
        }
    }
    let_others_halt();
    set_local_time(baton.begun_at);
    find_least();
    sections_shared = true;
    return true;
}

void baton_join(void)
{
    struct place *place = &baton.place[here()];

    if (!baton.exact) {
        __atomic_store_n(&place->joined, true, __ATOMIC_RELEASE);
        while (!__atomic_load_n(&sections_shared, __ATOMIC_ACQUIRE)) {
            cpu_pause();
        }
        section_enter();
        return;
    }
    lapic_set_task_priority(PRIORITY_WAITING);
    __atomic_store_n(&place->joined, true, __ATOMIC_RELEASE);
    while (baton.holder != here()) {
        __asm__ volatile("sti; hlt; cli" : : : "memory");
    }
    let_others_halt();
    lapic_set_task_priority(0);
    find_least();
    set_local_time(baton.begun_at);
    section_enter();
}

void baton_end(void)
{
    baton_catch_up();
    sections_shared = false;
    baton.exact = false;
    lapic_set_task_priority(0); /* if the caller was waiting for its turn when the bench ended */
    descriptors_reset_entry(BATON_VECTOR_TICK);
    descriptors_reset_entry(BATON_VECTOR_GRANT);
}

void baton_forget(void)
{
    percpu_given = 0;
}

#endif
