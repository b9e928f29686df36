/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Borrowing the machine: boot services stay alive, and the machine is the kernel's only in dark
 * windows, between firmware's turns. What is saved when one begins and put back when it ends: GDT,
 * IDT, task register, CR0, CR3, CR4, XCR0, EFER, STAR, LSTAR, SFMASK, SYSENTER, segments and their
 * bases, PAT, the LAPIC, the masks of the PICs, the inputs of the I/O APICs, the HPET, the PIT's
 * gate, the keyboard controller's command byte. Firmware's interrupts and events wait meanwhile. It
 * is saved anew each time: firmware may have changed it in its turn.
 *
 * What cannot be put back: other processors that were started are not firmware's any longer, and so
 * a machine that was borrowed ends with ResetSystem, never in the boot manager; channel 2 of the
 * PIT; the mouse's reports; LFENCE's meaning on AMD (cpu_state.h).
 *
 * Where the machine is owned all of this but the end does nothing: callers need not know.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>

#include "kernel/dev/acpi.h"
#include "kernel/plan/handoff.h"

/* Decides: `wanted` is the plan's machine=own|borrow, NULL: own where a host takes the log by the
 * line, else borrow where there is a file to write to, else own. Then does it (firmware_calls.leave
 * or .borrow), and the processor is the kernel's. `acpi` stays. False: firmware refused; `why`
 * has the reason. */
bool borrow_begin(struct handoff *handoff, const struct acpi_facts *acpi, const char *wanted,
                  bool has_host, const char **why);

/* Once, when our page tables and our IDT are in force, and before any device is changed. */
void borrow_save_devices(void);

enum ownership borrow_ownership(void);
/* The log file's name, or NULL; and why there is none, NULL as well if none was wanted. */
const char *borrow_log_name(void);
const char *borrow_no_log(void);

/* Has `work` call firmware.
 *
 * Where the machine is owned that can only be ResetSystem, and only halting is left when it
 * returns. It runs on the page tables that firmware left: ours forbid its data to be executed, and
 * do not show what its memory map keeps for itself above 4 GiB.
 *
 * Where it is borrowed this is firmware's turn: gives the machine back, has `work` done on
 * firmware's own stack, and takes the machine again. Interrupts off. It is the first processor's
 * turn, wherever the kernel is: firmware's services know no other; where that one is lost the
 * kernel's own tries it. Nothing is done where firmware did not come back from a turn. */
void borrow_let_firmware(void (*work)(void *argument), void *argument);
/* Is the machine borrowed from firmware that had interrupts on when it started the image? */
bool borrow_firmware_needs_interrupts(void);
/* Has `work` call ResetSystem, and nothing behind it: on firmware's page tables, and on the
 * kernel's descriptor tables, so that an interrupt of the kernel's ends a call that never does. Not
 * where firmware needs interrupts. */
void borrow_end(void (*work)(void *argument), void *argument);
/* How often borrow_let_firmware() gave the machine back. */
unsigned borrow_turns(void);

/* Behind the last of them: the run has come to its end. A medium that is gone is not asked. */
void borrow_run_ended(void);
/* Did borrow_begin() refuse because runs before this one never came to theirs? */
bool borrow_was_cut_off(void);

/* Has firmware write what link_save() has: between benches, never inside one. Nothing happens
 * where there is no file, or where the medium was gone at the last call. */
void borrow_save_log(void);
/* The run is at its end: a medium that was gone is asked again by what follows. */
void borrow_last_turn(void);
/* Bytes of the log that are on the medium; and, where that is not all of it, why. */
uint64_t borrow_log_bytes(void);
const char *borrow_log_refused(void);
/* Is all of the log on the medium? */
bool borrow_log_saved(void);
