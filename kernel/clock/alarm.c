/* SPDX-License-Identifier: BSD-2-Clause */
#include "kernel/clock/alarm.h"

#include <stddef.h>

#include "kernel/clock/hpet.h"
#include "kernel/cpu/cpu.h"
#include "kernel/cpu/scale.h"
#include "kernel/irq/ioapic.h"
#include "kernel/irq/lapic.h"

#define PPM 1000000ull
/* The longest way at a time of 32 bits, with room for the handler to be late. */
#define STEP_MAX 0xf0000000ull
/* A comparator that is set to what has just passed would wait for the counter to wrap: 100 us. */
#define STEP_MIN_PER_SECOND 10000

static const struct acpi_facts *tables; /* NULL: no alarm */
static struct hpet_comparator comparator;

/* Counts of the HPET, whose upper half is kept here where it has 32 bits. */
static uint64_t time_seen;

static struct {
    bool set;
    uint64_t due;
} users[ALARM_USERS];

static bool running;       /* the comparator is set, */
static uint64_t next;      /* to this */
static bool late;          /* its NMI may have been on its way when it was set to something else */
static volatile bool busy; /* all this is being changed */
static enum alarm_user ended_by;

bool alarm_open(const struct acpi_facts *acpi, const char **reason)
{
    tables = NULL;
    if (!lapic_state()->present) {
        *reason = "no LAPIC";
        return false;
    }
    if (!hpet_comparator_open(&comparator)) {
        *reason = "no HPET comparator that can be routed";
        return false;
    }
    if (!ioapic_can_route(acpi, comparator.input, lapic_id())) {
        *reason = "no I/O APIC input for it";
        return false;
    }
    tables = acpi;
    return true;
}

static uint64_t now(void)
{
    const uint64_t count = hpet_count();

    time_seen =
        comparator.wide ? count : time_seen + (uint32_t)((uint32_t)count - (uint32_t)time_seen);
    return time_seen;
}

/* NULL: nobody's is set. */
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
        ioapic_mask(tables, comparator.input);
        hpet_comparator_stop();
    }
}

/* Sets the comparator to what is to come next. */
static void program(uint64_t time)
{
    const uint64_t least = comparator.hz / STEP_MIN_PER_SECOND;
    const uint64_t *due = earliest();

    late = late || (running && time >= next);
    if (due == NULL) {
        stop();
        return;
    }
    uint64_t step = *due > time + least ? *due - time : least;

    if (!comparator.wide && step > STEP_MAX) {
        step = STEP_MAX;
    }
    next = time + step;
    hpet_comparator_set(&comparator, next);
    if (!running) {
        running = true;
        ioapic_route_nmi(tables, comparator.input, lapic_id());
    }
}

/* A handler of interrupts may set one as well. */
static void change(enum alarm_user user, bool set, uint64_t microseconds)
{
    if (tables == NULL || (!set && !users[user].set)) {
        return;
    }
    const uint64_t flags = interrupts_save();

    busy = true;
    const uint64_t time = now();

    users[user].set = set;
    users[user].due = time + scale_u64(microseconds, comparator.hz, PPM);
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
        alarm_stop((enum alarm_user)i);
    }
}

uint64_t alarm_left(enum alarm_user user)
{
    const uint64_t flags = interrupts_save();
    uint64_t left = 0;

    if (users[user].set) {
        busy = true;
        const uint64_t time = now();

        left =
            users[user].due > time ? scale_u64(users[user].due - time, PPM, comparator.hz) + 1 : 1;
        program(time);
        busy = false;
    }
    interrupts_restore(flags);
    return left;
}

/* Whoever was interrupted in changing it sets the comparator anew. */
enum nmi_kind alarm_check(void)
{
    if (tables == NULL || busy) {
        return busy ? NMI_HANDLED : NMI_UNKNOWN;
    }
    const uint64_t time = now();

    if (!running || time < next) {
        const bool was_late = late;

        late = false;
        return was_late ? NMI_HANDLED : NMI_UNKNOWN;
    }
    enum nmi_kind kind = NMI_HANDLED;

    for (unsigned i = 0; i < ALARM_USERS && kind == NMI_HANDLED; i++) {
        if (users[i].set && users[i].due <= time) {
            ended_by = (enum alarm_user)i;
            users[i].set = false;
            kind = NMI_ENDS;
        }
    }
    next = UINT64_MAX; /* it has come */
    program(time);
    return kind;
}

enum alarm_user alarm_ended_by(void)
{
    return ended_by;
}
