/* SPDX-License-Identifier: BSD-2-Clause */
#include "kernel/borrow.h"

#include <string.h>

#include "kernel/clock/alarm.h"
#include "kernel/clock/clock.h"
#include "kernel/clock/hpet.h"
#include "kernel/clock/source.h"
#include "kernel/cpu/cpu.h"
#include "kernel/cpu/cpu_state.h"
#include "kernel/cpu/machine_check.h"
#include "kernel/dev/i8042.h"
#include "kernel/irq/ioapic.h"
#include "kernel/irq/lapic.h"
#include "kernel/irq/pic.h"
#include "kernel/link/link.h"
#include "kernel/link/names.h"
#include "kernel/mem/memory.h"
#include "kernel/screen/screen.h"
#include "kernel/smp/processor.h"
#include "kernel/smp/start.h"

/* Of the log, for one turn of firmware's: a volume takes a large piece faster than many small
 * ones. */
#define PIECE_BYTES    (256u << 10)
#define STACK_ALIGN    16u
#define INTERRUPT_FLAG (1u << 9) /* of RFLAGS */
/* How long the kernel, where it is on another processor, waits for the first one to come back from
 * firmware: longer than firmware's watchdog (boot/log_file.c). */
#define TURN_US 150000000ull
/* A medium that is full, or write-protected, refuses at once. Drivers of one that is gone wait for
 * it, 15 s at each call: between benches it is not asked once more. */
#define REFUSAL_US 1000000ull

static enum ownership ownership;
static const struct firmware_calls *firmware;
static const struct acpi_facts *tables;
static uint64_t firmware_stack; /* below this it is free */
static unsigned turns;
static bool away; /* with firmware, which must not be entered twice */

/* Firmware's, as it was when the machine was taken; and ours, while it is given back. */
static struct cpu_state theirs;
static bool has_left;           /* boot services are gone */
static bool cut_off;            /* by resets, twice: the machine is not borrowed once more */
static bool interrupts_were_on; /* when firmware started the image */
static struct cpu_state ours;
static uint16_t first_task_register;
static bool has_lapic;
static struct lapic_registers lapic_registers;
static struct pic_masks pic_masks;
static struct ioapic_state ioapic_state;
static struct hpet_state hpet_state;
static uint8_t their_gate;

static struct {
    const char *name; /* NULL: none */
    const char *none; /* why */
    uint8_t *piece;
    size_t length;       /* of what is in it, and not on the medium yet */
    bool complete;       /* all there was is in the piece or on the medium */
    uint64_t saved;      /* bytes on the medium */
    const char *refused; /* why the medium did not take what it was given last; NULL: it did */
    bool stuck;          /* the medium took REFUSAL_US to refuse: a stick that was pulled */
    bool last;           /* it is asked for the last time */
    bool busy;           /* an exception while it is saved must not save once more */
} file;

/* ---- taking and giving back ---- */

/* On firmware's tables, at its caller's task priority and with its interrupts on: what came before
 * its source was masked is firmware's, and taken by its own handlers. At TPL_HIGH_LEVEL, where they
 * are off, and must stay off (UEFI 2.10 section 7.1). */
static void mask_sources(void)
{
    if (has_lapic) {
        lapic_hold(&lapic_registers);
    }
    pic_masks = pic_hold();
}

/* With firmware's interrupts held. What is reached here is where every PC has it; the devices that
 * only tables report come after ours. */
static void take_processor(void)
{
    cpu_state_save(&theirs);
    theirs.task_register = first_task_register; /* later it is ours that firmware never replaced */
}

void borrow_save_devices(void)
{
    if (ownership == OWNERSHIP_BORROW) {
        ioapic_save(tables, &ioapic_state);
        hpet_hold(tables, &hpet_state);
        their_gate = pit_gate();
    }
}

static void take_again(uint8_t our_gate)
{
    take_processor();
    cpu_state_load(&ours);
    machine_check_resume();
    borrow_save_devices();
    ioapic_mask_all(tables);
    hpet_resume();
    pit_set_gate(our_gate);
    i8042_hold();
    if (has_lapic) {
        lapic_join();
    }
}

/* Interrupts stay off: what is opened here waits for release(). */
static void give_back(void)
{
    alarm_stop_all();
    processor_drain(); /* firmware may have no handler for it, and would never end it */
    i8042_release();
    pit_set_gate(their_gate);
    hpet_release(&hpet_state);
    ioapic_restore(tables, &ioapic_state);
    pic_release(&pic_masks);
    machine_check_release();
    if (has_lapic) {
        lapic_release(&lapic_registers);
    }
    cpu_state_save(&ours);
    cpu_state_load(&theirs);
}

struct turn {
    void (*work)(void *argument);
    void *argument;
};

static void on_firmware_stack(void *argument, uint64_t stack)
{
    const struct turn *turn = argument;

    (void)stack;
    firmware->release();
    turn->work(turn->argument);
    mask_sources();
    firmware->hold();
}

static void take_turn(void *turn)
{
    const uint8_t our_gate = pit_gate();

    give_back();
    away = true;
    start_call_on(firmware_stack, on_firmware_stack, turn);
    away = false;
    take_again(our_gate);
}

void borrow_let_firmware(void (*work)(void *argument), void *argument)
{
    static struct turn turn; /* the other processor may come late */

    if (ownership == OWNERSHIP_OWN) {
        if (has_left) {
            cpu_state_load_paging(&theirs);
        }
        work(argument);
        return;
    }
    if (away) {
        return;
    }
    turn = (struct turn){work, argument};
    turns++;
    if (processor_current() != 0 && processor_works(0)) {
        processor_call(0, take_turn, &turn, TURN_US);
    } else {
        take_turn(&turn);
    }
}

bool borrow_firmware_needs_interrupts(void)
{
    return ownership == OWNERSHIP_BORROW && interrupts_were_on;
}

/* Ours do not allow firmware's data to be executed, and do not show what its map keeps for itself
 * above 4 GiB. */
void borrow_end(void (*work)(void *argument), void *argument)
{
    if (has_left || ownership == OWNERSHIP_BORROW) {
        cpu_state_load_paging(&theirs);
    }
    work(argument);
}

unsigned borrow_turns(void)
{
    return turns;
}

/* ---- who owns it ---- */

static bool borrow_machine(struct handoff *handoff, const char **why)
{
    *why = firmware->borrow(handoff);
    if (*why != NULL) {
        return false;
    }
    ownership = OWNERSHIP_BORROW;
    has_lapic = lapic_find(tables);
    mask_sources();
    firmware->hold();
    __asm__ volatile("str %0" : "=m"(first_task_register));
    take_processor();
    return true;
}

static void create_log(void)
{
    file.none = firmware->log_create(&file.name);
    file.complete = false;
    if (file.none != NULL) {
        file.name = NULL;
    }
}

bool borrow_begin(struct handoff *handoff, const struct acpi_facts *acpi, const char *wanted,
                  bool has_host, const char **why)
{
    const bool demanded = wanted != NULL && strcmp(wanted, MACHINE_BORROW) == 0;

    const uint64_t flags = interrupts_save();

    interrupts_restore(flags);
    interrupts_were_on = (flags & INTERRUPT_FLAG) != 0;
    firmware = handoff->firmware;
    tables = acpi;
    ownership = OWNERSHIP_OWN;
    firmware_stack = (uint64_t)(uintptr_t)__builtin_frame_address(0) & ~(uint64_t)(STACK_ALIGN - 1);
    if (demanded || (wanted == NULL && !has_host)) {
        create_log();
    }
    if (file.name != NULL) {
        *why = firmware->run_begins();
        cut_off = *why != NULL;
        if (cut_off) {
            return false;
        }
    }
    if (demanded || file.name != NULL) {
        if (borrow_machine(handoff, why)) {
            return true;
        }
        if (demanded) {
            return false;
        }
        firmware->run_ended();
        file.name = NULL;
        file.none = *why;
    }
    *why = firmware->leave(handoff);
    has_left = *why == NULL;
    cpu_state_save_paging(&theirs);
    return has_left;
}

enum ownership borrow_ownership(void)
{
    return ownership;
}

const char *borrow_log_name(void)
{
    return file.name;
}

const char *borrow_no_log(void)
{
    return file.none;
}

/* ---- the log ---- */

static bool collect(void *context, const uint8_t *bytes, size_t length)
{
    (void)context;
    if (length > PIECE_BYTES - file.length) {
        return false;
    }
    memcpy(file.piece + file.length, bytes, length);
    file.length += length;
    return true;
}

static void append(void *argument)
{
    (void)argument;
    file.refused = firmware->log_append(file.piece, file.length);
}

static const char *refusal(void)
{
    if (!file.stuck) {
        return "tare: the log file takes no more: what follows stays in memory and is lost";
    }
    return file.last ? "tare: the medium of the log does not answer"
                     : "tare: the medium of the log does not answer: it is asked again at the end";
}

/* A piece that the medium did not take stays, and is given to it again the next time. */
static void write_piece(void)
{
    const uint64_t limit = clock_ticks_from_us(REFUSAL_US);
    const uint64_t begin = tsc_read();

    file.refused = "firmware does not come back";
    borrow_let_firmware(append, NULL);
    file.stuck = file.refused != NULL && limit != 0 && tsc_read() - begin > limit;
    if (file.refused == NULL) {
        file.saved += file.length;
        file.length = 0;
        return;
    }
    screen_print(refusal());
}

static void save_pieces(void)
{
    do {
        file.complete = link_save(collect, NULL);
        if (file.length != 0) {
            write_piece();
        }
    } while (!file.complete && file.length == 0);
}

void borrow_save_log(void)
{
    if (file.name == NULL || file.busy || (file.stuck && !file.last)) {
        return;
    }
    file.busy = true;
    if (file.piece == NULL) {
        file.piece = memory_allocate(PIECE_BYTES, STACK_ALIGN);
    }
    if (file.piece != NULL) {
        save_pieces();
    }
    file.busy = false;
}

void borrow_last_turn(void)
{
    file.last = true;
}

static void end_run(void *argument)
{
    (void)argument;
    firmware->run_ended();
}

void borrow_run_ended(void)
{
    if (ownership == OWNERSHIP_BORROW && file.name != NULL && !file.stuck) {
        borrow_let_firmware(end_run, NULL);
    }
}

bool borrow_was_cut_off(void)
{
    return cut_off;
}

uint64_t borrow_log_bytes(void)
{
    return file.saved;
}

const char *borrow_log_refused(void)
{
    return file.refused != NULL ? file.refused : "there is no memory for it";
}

bool borrow_log_saved(void)
{
    return file.name != NULL && file.complete && file.length == 0;
}
