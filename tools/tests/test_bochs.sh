#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
#
# The disk image in a second emulator: Bochs with Debian's OVMF. Its TSC counts instructions, one
# tick each; unknown MSRs fault there as on silicon; OVMF finds no ACPI tables for it, so the PIT is
# the only reference and the run must say that its clock is not proved.
set -u

. "$(dirname "$0")/lib.sh"
. "$(dirname "$0")/boot.sh"

if ! command -v bochs >/dev/null; then
    skip bochs 'it is not installed'
    finish
    exit
fi

cat >"$work/tare.plan" <<'PLAN'
bench=clock,gap,idle,load,fault
clock.reads=100
gap.ms=20
idle.ms=100
load.random=10:1:20:2000
lapic.mode=x2apic
PLAN
tools/mkimage.sh "$work/disk.img" "$image" "$work/tare.plan"

# OVMF reads this one; unknown ones fault.
echo '0x017 0 0 0 0 0 0 0' >"$work/msrs.def"
cat >"$work/bochsrc" <<RC
megs: 256
romimage: file=/usr/share/ovmf/OVMF.fd, address=0xffe00000
vgaromimage: file=/usr/share/vgabios/vgabios.bin
cpu: model=corei7_skylake_x, count=1, ips=50000000, reset_on_triple_fault=0, msrs=$work/msrs.def
pci: enabled=1, chipset=i440fx
ata0: enabled=1, ioaddr1=0x1f0, ioaddr2=0x3f0, irq=14
ata0-master: type=disk, path=$work/disk.img, mode=flat, cylinders=$(($(stat -c %s "$work/disk.img") / 516096)), heads=16, spt=63
boot: disk
com1: enabled=1, mode=file, dev=$work/bochs.log
display_library: term
log: $work/bochs.messages
clock: sync=none, time0=946681200
panic: action=fatal
error: action=report
info: action=ignore
debug: action=ignore
RC
echo c >"$work/bochs.debugger"

# Debian's build has the debugger and wants a terminal, of a kind it knows; powering off is a panic
# to it.
TERM=xterm timeout 300 script -qec "bochs -q -f $work/bochsrc -rc $work/bochs.debugger" /dev/null \
    </dev/null >"$work/terminal" 2>&1
check 'bochs: the machine is powered off' "$(tail -n 3 "$work/bochs.messages")" \
    grep -q 'soft power off' "$work/bochs.messages"
"$TARE" decode "$work/bochs.log" -o "$work/bochs.db" >"$work/bochs.out" 2>"$work/bochs.err"
check 'bochs: nothing lost' "$(cat "$work/bochs.err")" json bochs '.run.losses == []'
check 'bochs: exact time, one tick an instruction' 'not so' json bochs \
    '.run.kind == "exact" and .run.ticks_per_instruction == "1"'
check 'bochs: local APIC in x2APIC mode' 'it is not' json bochs '.run.machine.lapic == "x2apic"'
check 'bochs: one clock reference is not enough, and that is said' 'not so' json bochs \
    '(.run.valid | not) and .run.verdict.reason == "fewer than two references"'
check 'bochs: benches OK, the fault caught' "$(value bochs '[.benches[] | .status]' | tr '\n' ' ')" \
    json bochs '[.benches[] | [.name, .status]] ==
        [["clock", "OK"], ["fault", "CRASH"], ["gap", "OK"], ["idle", "OK"], ["load", "OK"]]'
check 'bochs: no gap, idle floor without spread' 'not so' json bochs \
    '([.benches[].series[] | select(.name == "gap_length") | .n] == [0]) and
     ([.benches[].series[] | select(.name == "floor") | .max - .min] == [0])'
check 'bochs: load recovered' "$(value bochs '.benches[] | select(.name == "load") | .recovery' |
    tr '\n' ' ')" json bochs '.benches[] | select(.name == "load") | .recovery |
        .recovered == 10 and .within_tolerance == 10 and .spurious == 0'
finish
