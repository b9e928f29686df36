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

/* Bytes of the log that one turn of firmware writes: a volume takes one large piece faster than
 * many small ones. */
#define PIECE_BYTES    (256u << 10)
#define STACK_ALIGN    16u
#define INTERRUPT_FLAG (1u << 9) /* bit of RFLAGS */
/* How long a kernel on another processor waits for the first processor to return from firmware:
 * longer than firmware's watchdog (boot/log_file.c). */
#define TURN_US 150000000ull
/* A full or write-protected drive refuses at once. Drivers wait up to 15 s per call for a drive
 * that is gone. So a drive that takes longer than this to refuse is not tried again between
 * benches. */
#define REFUSAL_US 1000000ull

static enum ownership ownership;
static const struct firmware_calls *firmware;
static const struct acpi_facts *tables;
static uint64_t firmware_stack; /* firmware may use the stack below this address */
static unsigned turns;
static bool away; /* firmware has the machine now, and must not be entered twice */

/* Firmware's state when the machine was taken. */
static struct cpu_state theirs;
static bool has_left; /* boot services have ended */
/* resets cut off two runs in a row, so the machine is not borrowed again */
static bool cut_off;
static bool interrupts_were_on; /* whether interrupts were on when firmware started the image */
static struct cpu_state ours;
static uint16_t first_task_register;
static bool has_lapic;
static struct lapic_registers lapic_registers;
static struct pic_masks pic_masks;
static struct ioapic_state ioapic_state;
static struct hpet_state hpet_state;
static uint8_t their_gate;

static struct {
    const char *name; /* NULL if there is none */
    const char *none; /* why there is none */
    uint8_t *piece;
    size_t length;       /* bytes in the piece that are not on the boot drive yet */
    bool complete;       /* the whole log is in the piece or on the boot drive */
    uint64_t saved;      /* bytes on the boot drive */
    const char *refused; /* why the boot drive did not take the last piece; NULL if it did */
    /* the boot drive took REFUSAL_US to refuse, as one that was pulled out does */
    bool stuck;
    bool last; /* this is the last attempt */
    /* set while the log is saved: an exception meanwhile must not save it again */
    bool busy;
} file;

/* ---- taking and giving back ---- */

/* Masks the interrupt sources. Call on firmware's tables and before hold(), with firmware's task
 * priority and interrupts as they are: firmware's handlers then take the interrupts that arrived
 * before their source was masked. After hold(), at TPL_HIGH_LEVEL, interrupts are off and must stay
 * off (UEFI 2.10 section 7.1). */
static void mask_sources(void)
{
    if (has_lapic) {
        lapic_hold(&lapic_registers);
    }
    pic_masks = pic_hold();
}

/* Saves firmware's processor state. Call with firmware's interrupts held. Devices that only ACPI
 * tables report are saved later, in borrow_save_devices(). */
static void take_processor(void)
{
    cpu_state_save(&theirs);
    /* later saves would find the kernel's, which firmware never replaced */
    theirs.task_register = first_task_register;
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

/* Gives the machine back to firmware. Interrupts stay off until release(). */
static void give_back(void)
{
    alarm_stop_all();
    /* firmware may have no handler for a pending interrupt, and would never acknowledge it */
    processor_drain();
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
    static struct turn turn; /* static, because the other processor may begin late */

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

/* Uses firmware's page tables: the kernel's forbid executing firmware's data, and do not map the
 * memory above 4 GiB that its memory map keeps for itself. */
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

/* ---- who owns the machine ---- */

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
        return "tare: the log file takes no more data: the rest of the log stays in memory and "
               "will be lost";
    }
    return file.last ? "tare: the boot drive does not answer"
                     : "tare: the boot drive does not answer: it is tried again at the end";
}

/* Writes the piece to the boot drive. A piece that the drive does not take is kept and written
 * again the next time. */
static void write_piece(void)
{
    const uint64_t limit = clock_ticks_from_us(REFUSAL_US);
    const uint64_t begin = tsc_read();

    file.refused = "firmware did not return from the call";
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
    file.complete = false; /* also if an exception ends this */
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
    return file.refused != NULL ? file.refused : "there is no memory to write it";
}

bool borrow_log_saved(void)
{
    return file.name != NULL && file.complete && file.length == 0;
}
