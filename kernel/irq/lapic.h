/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The local APIC of this processor (SDM volume 3 chapter 11), as xAPIC or x2APIC, whichever mode
 * firmware left it in. Recent machines start in x2APIC mode and cannot leave it.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "kernel/dev/acpi.h"

#define LAPIC_VECTOR_TIMER    0x40
#define LAPIC_VECTOR_SPURIOUS 0xff

struct lapic {
    bool present;
    bool x2apic;
    uint64_t address; /* address of the registers; only in xAPIC mode */
};

/* Software-enables the LAPIC with every local source masked and priority 0. Returns false if there
 * is none (switched off, or no answer at its address). */
bool lapic_init(const struct acpi_facts *acpi);

/* Finds the LAPIC without changing anything. lapic_init() does this first. */
bool lapic_find(const struct acpi_facts *acpi);

/* The settings of firmware, to restore them when firmware continues. */
#define LAPIC_SOURCES 7
struct lapic_registers {
    uint32_t task_priority;
    uint32_t spurious;
    uint32_t divide;
    uint32_t initial; /* initial count of the timer */
    uint32_t sources; /* number of elements in `source`, of which the timer is the first */
    uint32_t source[LAPIC_SOURCES];
};
/* Saves the settings and masks all sources; interrupts that came before are still pending. Like
 * lapic_release(), only if lapic_find() returned true. */
void lapic_hold(struct lapic_registers *registers);
/* Restores the settings, and starts the timer again if it was used. */
void lapic_release(const struct lapic_registers *registers);

/* Switches to x2APIC mode, which only a reset ends; registers keep their values (SDM volume 3
 * section 11.12.5). Returns whether the LAPIC is in that mode afterwards. Only for processors whose
 * CPUID offers it. */
bool lapic_enter_x2apic(void);
const struct lapic *lapic_state(void);

/* Sets up the LAPIC of this processor like the one that lapic_init() set up on another: same mode,
 * address and state. Returns NULL on success, otherwise the reason. */
const char *lapic_join(void);

/* Returns the APIC id of this processor. */
uint32_t lapic_id(void);

void lapic_end_of_interrupt(void);

/* Returns whether `vector` has arrived and is waiting (SDM volume 3 section 11.8.4, IRR). */
bool lapic_is_requested(uint8_t vector);
/* Returns whether the handler of `vector` has begun and not ended the interrupt (ISR). */
bool lapic_is_in_service(uint8_t vector);
/* TPR holds back every vector of its class (bits 7:4) and of lower classes (SDM volume 3 section
 * 11.8.3.1). PPR is the higher of TPR and the class of the highest vector in service. */
void lapic_set_task_priority(uint8_t priority);
uint8_t lapic_task_priority(void);
uint8_t lapic_processor_priority(void);
/* Returns whether any vector has arrived and is waiting. */
bool lapic_has_requests(void);
/* Returns how many vectors have arrived and are waiting. */
unsigned lapic_count_requests(void);

/* Masks the local sources that raise `vector`. Returns whether there is any. */
bool lapic_mask_vector(uint8_t vector);

/* Ends every interrupt in service, since that of a crashed handler would block its priority. */
void lapic_end_all(void);

enum lapic_timer_mode {
    LAPIC_TIMER_ONE_SHOT = 0,
    LAPIC_TIMER_PERIODIC = 1,
};

/* Counts `count` (at least 1) down at the undivided timer clock, then raises `vector`. */
void lapic_timer_start(uint8_t vector, enum lapic_timer_mode mode, uint32_t count);
void lapic_timer_stop(void);

/* Starts a new count with the current mode and vector: writes one register instead of two. */
void lapic_timer_rearm(uint32_t count);

/* Sends `vector` (16 or above) to this processor. */
void lapic_send_self(uint8_t vector);

/* Sends `vector` to the processor with this APIC id; in xAPIC mode ids end at LAPIC_ID_MAX. */
#define LAPIC_ID_MAX 254
void lapic_send(uint32_t apic_id, uint8_t vector);
void lapic_send_nmi(uint32_t apic_id);
/* lapic_send_init() resets a processor, which then waits for a start-up IPI. lapic_send_start_up()
 * sends that: the processor starts in real mode at the beginning of the 4 KiB page `page` (SDM
 * volume 3 section 9.4.4). */
void lapic_send_init(uint32_t apic_id);
void lapic_send_start_up(uint32_t apic_id, uint8_t page);

/* Returns the remaining count of the timer, which counts down to 0. */
uint32_t lapic_timer_count(void);

/* Makes the timer wait for IA32_TSC_DEADLINE instead of counting (SDM volume 3 section 11.5.4.1);
 * it then raises `vector`. Only if CPUID offers it; lapic_timer_stop() ends it. */
void lapic_timer_await_deadline(uint8_t vector);

/* As lapic_timer_await_deadline(), with the timer's interrupt masked. Only if CPUID offers it;
 * lapic_timer_stop() ends it. */
void lapic_timer_mask_deadline(void);

/* Returns where a register is, for code that times accesses to it: its address or, in x2APIC mode,
 * the number of its MSR. Writing LAPIC_TO_SELF and a vector to the command register interrupts this
 * processor. */
enum lapic_place {
    LAPIC_PLACE_VERSION,
    LAPIC_PLACE_END_OF_INTERRUPT,
    LAPIC_PLACE_COMMAND,
};
uint64_t lapic_place(enum lapic_place place);
#define LAPIC_TO_SELF (1u << 18)

/* Starts the count from its maximum with the interrupt masked, for use as a clock. */
void lapic_timer_free_run(void);
