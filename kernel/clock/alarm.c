/* SPDX-License-Identifier: BSD-2-Clause */
#include "kernel/clock/alarm.h"

#include <stddef.h>

#include "kernel/clock/clock.h"
#include "kernel/clock/hpet.h"
#include "kernel/clock/rtc.h"
#include "kernel/cpu/cpu.h"
#include "kernel/cpu/scale.h"
#include "kernel/irq/ioapic.h"
#include "kernel/irq/lapic.h"

#define PPM 1000000ull
/* Added to each time: it is rounded up to whole counts, and the first count may end at once. */
#define ROUNDING 2
/* Furthest that a 32-bit comparator is set ahead, in counts: leaves time for a late handler. */
#define HPET_MOST 0xf0000000ull
/* A comparator that is set to a count that has just passed would wait for the counter to wrap. So
 * it is set at least 1/HPET_LEAST_PER_SECOND s (100 us) ahead. */
#define HPET_LEAST_PER_SECOND 10000
/* Least number of seconds ahead, because the next second may begin while the alarm is set. */
#define RTC_LEAST 2
#define RTC_MOST  (RTC_SECONDS - RTC_LEAST)
/* Longest wait for an NMI: a busy host raises it late. */
#define PROOF_US 50000
/* Longest wait if the TSC's rate is not known; then benches are skipped. */
#define PROOF_TICKS 100000000
/* A test NMI is raised 1 ms ahead. */
#define PROOF_HPET_PER_SECOND 1000

/* A timer that raises an input of an I/O APIC at a count. */
struct timer_source {
    uint64_t hz;
    uint64_t wrap;        /* number of counts after which the counter wraps; 0: it has 64 bits */
    uint64_t least, most; /* least and largest number of counts that it can be set ahead */
    uint64_t (*count)(void);
    void (*set)(uint64_t time);
    bool (*came)(uint64_t time); /* whether the count to which it was set has been reached */
    void (*stop)(void);
};

static struct timer_source source;
static const struct acpi_facts *tables;
static struct ioapic_input input;
static bool active_low;
static bool open;
static struct hpet_comparator comparator;

/* count of the source, extended beyond its width: the upper bits count its wraps */
static uint64_t time_seen;

static struct {
    bool set;
    bool paused;
    uint64_t due;
    uint64_t left; /* counts left while the alarm is paused */
} users[ALARM_USERS];

static bool running;  /* the timer source is armed for `next` */
static uint64_t next; /* count to which the source is set */
/* The source's NMI may have been on its way when it was set to another time. */
static bool late;
static bool overdue; /* the next NMI is the one that alarm_resume() sent, not the source's */
/* These variables are being changed, so the NMI handler leaves them alone. */
static volatile bool busy;
static enum alarm_user ended_by;

/* Checks whether the expected test NMI came; NULL: no test is running. */
static bool (*proof_came)(void);
static volatile bool proved;

/* ---- sources ---- */

/* Makes the source raise its input soon, if it can, and waits for the NMI. An NMI that comes too
 * early is not the source's. Returns whether it came. */
static bool prove(bool (*raise)(void), bool (*came)(void))
{
    const uint64_t ticks = clock_ticks_from_us(PROOF_US);
    struct tsc_wait wait = tsc_wait_begin(ticks != 0 ? ticks : PROOF_TICKS);

    proved = false;
    proof_came = came;
    ioapic_route_nmi(&input, active_low, lapic_id());
    const bool raises = raise();

    while (raises && !proved && !tsc_wait_over(&wait)) {
        cpu_pause();
    }
    ioapic_close_input(&input);
    source.stop();
    proof_came = NULL;
    return proved;
}

static void set_hpet(uint64_t time)
{
    hpet_comparator_set(&comparator, time);
}

static bool hpet_came(uint64_t time)
{
    return time >= next;
}

static void stop_hpet(void)
{
    hpet_comparator_stop(&comparator);
}

static bool raise_hpet(void)
{
    next = hpet_count() + comparator.hz / PROOF_HPET_PER_SECOND;
    hpet_comparator_set(&comparator, next);
    return true;
}

static bool hpet_raised(void)
{
    /* The counter may have wrapped. */
    return (int32_t)((uint32_t)hpet_count() - (uint32_t)next) >= 0;
}

/* Tests both polarities: some hypervisors expect the one that chipsets do not use. */
static bool prove_hpet(void)
{
    if (!ioapic_find_input(tables, comparator.input, &input)) {
        return false;
    }
    active_low = true;
    if (prove(raise_hpet, hpet_raised)) {
        return true;
    }
    active_low = false;
    return prove(raise_hpet, hpet_raised);
}

static void take_hpet(void)
{
    source = (struct timer_source){
        .hz = comparator.hz,
        .wrap = comparator.wide ? 0 : 1ull << 32,
        .least = comparator.hz / HPET_LEAST_PER_SECOND,
        .most = comparator.wide ? UINT64_MAX : HPET_MOST,
        .count = hpet_count,
        .set = set_hpet,
        .came = hpet_came,
        .stop = stop_hpet,
    };
}

static bool open_hpet(void)
{
    uint32_t tried = 0;

    while (hpet_comparator_open(&comparator, 0, tried)) {
        tried |= 1u << comparator.input;
        take_hpet();
        if (prove_hpet()) {
            return true;
        }
    }
    return false;
}

static void set_rtc(uint64_t time)
{
    rtc_alarm_set(time % RTC_SECONDS);
}

static bool rtc_came(uint64_t time)
{
    (void)time;
    return rtc_alarm_came();
}

static bool open_rtc(void)
{
    if (!rtc_open() || !ioapic_find_input(tables, tables->isa[RTC_IRQ].gsi, &input)) {
        return false;
    }
    active_low = tables->isa[RTC_IRQ].active_low;
    source = (struct timer_source){
        .hz = 1,
        .wrap = RTC_SECONDS,
        .least = RTC_LEAST,
        .most = RTC_MOST,
        .count = rtc_second,
        .set = set_rtc,
        .came = rtc_came,
        .stop = rtc_alarm_stop,
    };
    return true;
}

bool alarm_open(const struct acpi_facts *acpi, const char **how)
{
    open = false;
    tables = acpi;
    exception_set_nmi_check(alarm_check);
    if (!lapic_state()->present || lapic_id() > IOAPIC_LAPIC_MAX) {
        *how = "no LAPIC that an I/O APIC reaches";
    } else if (open_hpet()) {
        open = true;
        *how = "yes";
    } else if (open_rtc()) {
        open = true;
        *how = prove(rtc_ticks_begin, rtc_ticked)
                   ? "by the real-time clock: up to 2 s late, one NMI every 58 s"
                   : "by the real-time clock, not verified: up to 2 s late, one NMI every 58 s";
    } else {
        *how = "neither an HPET comparator nor the RTC raises an NMI";
    }
    return open;
}

uint32_t alarm_hpet_input(void)
{
    return open && source.count == hpet_count ? 1u << comparator.input : 0;
}

/* ---- the next time ---- */

static uint64_t now(void)
{
    const uint64_t count = source.count();

    time_seen = source.wrap == 0
                    ? count
                    : time_seen + (count + source.wrap - time_seen % source.wrap) % source.wrap;
    return time_seen;
}

/* Returns the earliest time that is set, or NULL if none is. */
static const uint64_t *earliest(void)
{
    const uint64_t *due = NULL;

    for (unsigned i = 0; i < ALARM_USERS; i++) {
        if (users[i].set && (due == NULL || users[i].due < *due)) {
            due = &users[i].due;
        }
    }
    return due;
}

static void stop(void)
{
    if (running) {
        running = false;
        ioapic_close_input(&input);
        source.stop();
    }
}

/* Sets the source to the earliest time. */
static void program(uint64_t time)
{
    const uint64_t *due = earliest();

    late = late || (running && source.came(time));
    if (due == NULL) {
        stop();
        return;
    }
    const uint64_t step = *due > time + source.least ? *due - time : source.least;

    next = time + (step < source.most ? step : source.most);
    source.set(next);
    if (!running) {
        running = true;
        ioapic_route_nmi(&input, active_low, lapic_id());
    }
}

/* Sets or stops an alarm. Interrupts are off, because an interrupt handler may set one as well. */
static void change(enum alarm_user user, bool set, uint64_t microseconds)
{
    users[user].paused = false;
    if (!open || (!set && !users[user].set)) {
        return;
    }
    const uint64_t flags = interrupts_save();

    busy = true;
    const uint64_t time = now();

    users[user].set = set;
    users[user].due = time + scale_u64(microseconds, source.hz, PPM) + ROUNDING;
    program(time);
    busy = false;
    interrupts_restore(flags);
}

void alarm_set(enum alarm_user user, uint64_t microseconds)
{
    change(user, true, microseconds);
}

void alarm_stop(enum alarm_user user)
{
    change(user, false, 0);
}

void alarm_stop_all(void)
{
    for (unsigned i = 0; i < ALARM_USERS; i++) {
        if (users[i].set) {
            alarm_stop((enum alarm_user)i);
        }
    }
}

void alarm_pause(enum alarm_user user)
{
    const uint64_t flags = interrupts_save();

    if (users[user].set) {
        busy = true;
        const uint64_t time = now();

        users[user].set = false;
        users[user].paused = true;
        users[user].left = users[user].due > time ? users[user].due - time : 0;
        program(time);
        busy = false;
    }
    interrupts_restore(flags);
}

/* A time that has passed is raised at once. If it were set a little ahead, it would never come for
 * a user who is soon paused again. */
void alarm_resume(enum alarm_user user)
{
    const uint64_t flags = interrupts_save();

    if (users[user].paused) {
        busy = true;
        const uint64_t time = now();

        users[user].paused = false;
        users[user].set = true;
        users[user].due = time + users[user].left;
        program(time);
        overdue = users[user].left == 0;
        busy = false;
        if (overdue) {
            lapic_send_nmi(lapic_id());
        }
    }
    interrupts_restore(flags);
}

/* Finds another input. Inputs that are in use are not disturbed. */
static bool move_hpet(void)
{
    const struct hpet_comparator before = comparator;
    const struct ioapic_input input_before = input;
    const bool low_before = active_low;
    uint32_t tried = 1u << comparator.input;

    while (hpet_comparator_open(&comparator, 0, tried)) {
        tried |= 1u << comparator.input;
        if (ioapic_find_input(tables, comparator.input, &input) && !ioapic_is_open(&input) &&
            prove_hpet()) {
            return true;
        }
    }
    comparator = before;
    input = input_before;
    active_low = low_before;
    return false;
}

/* The times that are set stay valid, because the counter is the same. */
bool alarm_move(void)
{
    if (!open || source.count != hpet_count) {
        return false;
    }
    const uint64_t flags = interrupts_save();

    busy = true;
    stop();
    const bool moved = move_hpet();

    program(now());
    busy = false;
    interrupts_restore(flags);
    return moved;
}

/* If the NMI interrupts a change of these variables, the interrupted code sets the source again. */
enum nmi_kind alarm_check(void)
{
    if (proof_came != NULL) {
        proved = proved || proof_came();
        return NMI_HANDLED;
    }
    if (!open || busy) {
        return busy ? NMI_HANDLED : NMI_UNKNOWN;
    }
    const bool at_once = overdue;

    overdue = false;
    if (!running || !(source.came(now()) || at_once)) {
        const bool was_late = late;

        late = false;
        return was_late ? NMI_HANDLED : NMI_UNKNOWN;
    }
    const uint64_t time = now();
    enum nmi_kind kind = NMI_HANDLED;

    for (unsigned i = 0; i < ALARM_USERS && kind == NMI_HANDLED; i++) {
        if (users[i].set && users[i].due <= time) {
            ended_by = (enum alarm_user)i;
            users[i].set = false;
            kind = NMI_ENDS;
        }
    }
    next = UINT64_MAX; /* the count to which the source was set has been reached */
    program(time);
    return kind;
}

enum alarm_user alarm_ended_by(void)
{
    return ended_by;
}

/* ---- interrupts of devices ---- */

enum device_interrupt device_interrupt_open(struct pci_interrupt *interrupt,
                                            const struct pci_function *function,
                                            const struct pci_interrupt_user *user)
{
    struct pci_interrupt_user patient = *user;

    patient.patience = clock_ticks_from_us(PROOF_US);
    patient.avoid = alarm_hpet_input();
    enum device_interrupt kind = pci_interrupt_open(interrupt, function, &patient);

    if (kind == INTERRUPT_POLLED && interrupt->raises_nmis && alarm_move()) {
        patient.avoid = alarm_hpet_input();
        kind = pci_interrupt_open(interrupt, function, &patient);
    }
    return kind;
}
