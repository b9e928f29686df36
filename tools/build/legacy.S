/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The boot sector of the stick and of the ISO: a legacy BIOS, or the CSM of UEFI firmware, starts it
 * although tare needs UEFI. It prints this on the screen and on the first serial port, waits for
 * a key, and lets the BIOS try the next boot device (INT 18h, BIOS Boot Specification 1.01, section
 * 6.7). At most 440 bytes, the space for code in a master boot record (UEFI 2.10 table 5-1).
 *
 * A BIOS enters at 7C00h in real mode; the contents of the registers are unknown.
 */
    .code16
    .globl _start

/* The address at which the BIOS stores the I/O port of its first serial port; 0: there is none. */
#define SERIAL_PORT  0x400
/* Offsets from that port: divisor or data, line control, modem control, line status. */
#define DIVISOR_HIGH 1
#define LINE_CONTROL 3
#define MODEM_CONTROL 4
#define LINE_STATUS  5
#define DIVISOR_LATCH 0x80
#define EIGHT_BITS   0x03
#define DTR_AND_RTS  0x03
#define CAN_SEND     0x20

_start:
    cli
    cld
    xorw %ax, %ax
    movw %ax, %ds
    movw %ax, %es
    movw %ax, %ss
    movw $0x7c00, %sp
    ljmp $0, $begin /* some begin at 07C0:0000 */
begin:
    sti
    movw SERIAL_PORT, %di
    testw %di, %di
    jz print
    /* 115200 baud, 8 bits, no parity: the speed of `tare capture`. */
    leaw LINE_CONTROL(%di), %dx
    movb $(DIVISOR_LATCH | EIGHT_BITS), %al
    outb %al, %dx
    leaw DIVISOR_HIGH(%di), %dx
    xorb %al, %al
    outb %al, %dx
    movw %di, %dx
    incw %ax
    outb %al, %dx
    leaw LINE_CONTROL(%di), %dx
    movb $EIGHT_BITS, %al
    outb %al, %dx
    leaw MODEM_CONTROL(%di), %dx
    movb $DTR_AND_RTS, %al
    outb %al, %dx
print:
    movw $message, %si
next:
    lodsb
    testb %al, %al
    jz wait_key
    movb $0x0e, %ah
    movw $7, %bx
    pushw %si
    pushw %di
    pushw %ax
    int $0x10
    popw %ax
    popw %di
    popw %si
    testw %di, %di
    jz next
    /* The wait is bounded: a port that takes nothing delays each character by some milliseconds. */
    movb %al, %bl
    leaw LINE_STATUS(%di), %dx
    movw $4096, %cx
busy:
    inb %dx, %al
    testb $CAN_SEND, %al
    loopz busy
    movw %di, %dx
    movb %bl, %al
    outb %al, %dx
    jmp next
wait_key:
    xorb %ah, %ah
    int $0x16
    int $0x18
halt:
    hlt
    jmp halt

message:
    .ascii "tare needs UEFI, and a legacy BIOS started this medium.\r\n"
    .ascii "Choose its UEFI entry in the boot menu, or switch CSM off in the set-up.\r\n"
    .asciz "Any key tries the next boot device.\r\n"
