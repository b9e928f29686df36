/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Borrowing the machine: boot services stay alive, and the machine belongs to the kernel only in
 * measurement windows, between firmware's turns. At the start of a window this state is saved, and
 * restored at its end: GDT, IDT, task register, CR0, CR3, CR4, XCR0, EFER, STAR, LSTAR, SFMASK,
 * SYSENTER, segments and their bases, PAT, the LAPIC, the masks of the PICs, the inputs of the I/O
 * APICs, the HPET, the PIT's gate, the keyboard controller's command byte. Firmware's interrupts
 * and events wait meanwhile. The state is saved anew each time, because firmware may have changed
 * it in its turn.
 *
 * Some state cannot be restored. Other processors that were started no longer belong to firmware,
 * so a borrowed machine ends with ResetSystem, never in the boot manager. Channel 2 of the PIT, the
 * mouse's reports, and the meaning of LFENCE on AMD (cpu_state.h) stay changed as well.
 *
 * If the machine is owned, all functions here except those that end the run do nothing, so callers
 * need not check.
 */
#pragma once

#include <stdbool.h>

#include "kernel/dev/acpi.h"
#include "kernel/plan/handoff.h"

/* Decides who owns the machine. `wanted` is the plan's machine=own|borrow. If it is NULL: own if a
 * host takes the log from the line; otherwise borrow if there is a log file to write to; otherwise
 * own. Then calls firmware (firmware_calls.leave or .borrow), after which the processor belongs to
 * the kernel. Keeps the pointer `acpi`. Returns false if firmware refused; `why` then has the
 * reason. */
bool borrow_begin(struct handoff *handoff, const struct acpi_facts *acpi, const char *wanted,
                  bool has_host, const char **why);

/* Call once, after the kernel's page tables and IDT have been activated and before any device is
 * changed. */
void borrow_save_devices(void);

enum ownership borrow_ownership(void);
/* borrow_log_name() returns the name of the log file, or NULL. borrow_no_log() returns why there is
 * none; NULL if none was wanted. */
const char *borrow_log_name(void);
const char *borrow_no_log(void);

/* Runs `work`, which calls firmware.
 *
 * If the machine is owned, `work` can only call ResetSystem; if that returns, nothing but halting
 * is left. It runs on the page tables that firmware left: the kernel's forbid executing its data,
 * and do not map the memory above 4 GiB that its memory map keeps for itself.
 *
 * If the machine is borrowed, this is firmware's turn: gives the machine back, runs `work` on
 * firmware's own stack, and takes the machine again. Call with interrupts off. The turn runs on the
 * first processor, wherever the kernel is, because firmware's services know no other; if that
 * processor is lost, the kernel's own processor tries it. Does nothing if firmware did not return
 * from an earlier turn. */
void borrow_let_firmware(void (*work)(void *argument), void *argument);
/* Returns whether the machine is borrowed from firmware that had interrupts on when it started the
 * image. */
bool borrow_firmware_needs_interrupts(void);
/* Runs `work`, which calls ResetSystem and does nothing after it. It runs on firmware's page
 * tables, but on the kernel's descriptor tables, so that an interrupt of the kernel can end a call
 * that never returns. Do not use it if firmware needs interrupts. */
void borrow_end(void (*work)(void *argument), void *argument);
/* Returns how often borrow_let_firmware() gave the machine back. */
unsigned borrow_turns(void);

/* Call after firmware's last turn: the run has come to its end. Does not access a boot drive that
 * is gone. */
void borrow_run_ended(void);
/* Returns whether borrow_begin() refused because earlier runs never came to their end. */
bool borrow_was_cut_off(void);

/* Lets firmware write what link_save() provides. Call between benches, or between the rounds of a
 * bench that has neither a counter nor a trace open (runner_save_round()). Does
 * nothing if there is no file, or if the boot drive was gone at the last call. */
void borrow_save_log(void);
/* Announces the end of the run: the following calls try a boot drive again that was gone. */
void borrow_last_turn(void);
/* borrow_log_bytes() returns how many bytes of the log are on the boot drive. If that is not all of
 * it, borrow_log_refused() returns the reason. */
uint64_t borrow_log_bytes(void);
const char *borrow_log_refused(void);
/* Returns whether all of the log is on the boot drive. */
bool borrow_log_saved(void);
