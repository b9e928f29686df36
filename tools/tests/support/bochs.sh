# SPDX-License-Identifier: BSD-2-Clause
#
# Boots in Bochs; sourced after tools/tests/image/boot.sh.
#
# shellcheck shell=sh

# storage FIRST COUNT: as many MSRs that hold 64 bits, as Bochs wants them: number, type, value at
# reset, reserved bits, ignored bits.
storage() {
    storage_at=$(($1))
    while [ "$storage_at" -lt $(($1 + $2)) ]; do
        printf '0x%03x 0 0 0 0 0 0 0\n' "$storage_at"
        storage_at=$((storage_at + 1))
    done
}

# bochs_run NAME MODEL PLAN-LINE...: boots the disk image with the MSRs of $work/NAME.msrs beside
# those of the model, and decodes what it sends; with com1=0, what it leaves on its volume.
com1=1
bochs_run() {
    run=$1
    model=$2
    shift 2
    printf '%s\n' "$@" link.wait_ms=0 >"$work/tare.plan"
    tools/build/mkimage.sh --mib 0 "$work/disk.img" "$image" "$work/tare.plan"
    # OVMF reads this one.
    storage 0x017 1 >>"$work/$run.msrs"
    # Bochs waits forever once 4 KiB are in its terminal, if it is not read; each update of the screen writes to it.
    cat >"$work/bochsrc" <<RC
megs: 256
romimage: file=/usr/share/ovmf/OVMF.fd, address=0xffe00000
vgaromimage: file=/usr/share/vgabios/vgabios.bin
cpu: model=$model, count=1, ips=7812500, reset_on_triple_fault=0, ignore_bad_msrs=0, msrs=$work/$run.msrs
pci: enabled=1, chipset=i440fx
ata0: enabled=1, ioaddr1=0x1f0, ioaddr2=0x3f0, irq=14
ata0-master: type=disk, path=$work/disk.img, mode=flat, cylinders=$(($(stat -c %s "$work/disk.img") / 516096)), heads=16, spt=63
boot: disk
com1: enabled=$com1, mode=file, dev=$work/$run.log
display_library: term
vga: extension=vbe, update_freq=1, realtime=0
log: $work/$run.messages
clock: sync=none, time0=946681200
panic: action=fatal
error: action=report
info: action=ignore, cpu0=report
debug: action=ignore
RC
    echo c >"$work/bochs.debugger"

    # Debian's build has the debugger and wants a terminal, of a kind it knows; powering off is a
    # panic to it.
    TERM=xterm timeout 300 script -qec "bochs -q -f $work/bochsrc -rc $work/bochs.debugger" \
        /dev/null </dev/null >"$work/terminal" 2>&1
    check "$run: the machine is powered off" "$(tail -n 3 "$work/$run.messages")" \
        grep -q 'soft power off' "$work/$run.messages"
    [ "$com1" = 1 ] || mcopy -n -i "$work/disk.img@@1M" ::tare-0001.log "$work/$run.log"
    "$TARE" decode "$work/$run.log" -o "$work/$run.db" >"$work/$run.out" 2>"$work/$run.err"
    check "$run: nothing lost" "$(cat "$work/$run.err")" json "$run" '.run.losses == []'
}
