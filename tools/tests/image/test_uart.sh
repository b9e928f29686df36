#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
#
# Ports that are not COM1, ports that the plan names, and what a host may ask for beside frames.
set -u

. tools/tests/support/lib.sh
. tools/tests/image/boot.sh

without_tpm /usr/share/ovmf/OVMF.fd "$work/firmware"

# machine PLAN QEMU-ARGUMENT...
machine() {
    printf '%s\n' "$1" >"$work/plan"
    shift
    timeout 120 qemu-system-x86_64 -machine q35,smm=off -m 256 -bios "$work/firmware" \
        -kernel "$image" -nodefaults -display none -net none -no-reboot \
        -fw_cfg "name=opt/tare/plan,file=$work/plan" "$@" >"$work/machine.err" 2>&1
}

# The same in exact time, in which no clock is waited for.
exact_machine() {
    machine "$@" -accel tcg,thread=single -icount shift=6,sleep=off
}

decode() {
    "$TARE" decode "$work/$1.log" -o "$work/$1.db" >"$work/$1.err" 2>&1
}

is_end() {
    printf '%s\n' "$1" | grep -qx 'end meta=[0-9]* frames=[0-9]* records_lost=0 run=[0-9a-f]\{16\} fingerprint=[0-9a-f]\{16\} seal=[0-9a-f]\{64\}'
}

answer() {
    sed -n "$1p" "$work/answers"
}

# A serial controller behind PCI is the only port. The host requests samples and other speeds.
test_pci() {
    machine 'bench=idle idle.ms=10 link.send=request link.serve=1' -serial none \
        -chardev "socket,id=line,path=$work/line,server=on,wait=on" \
        -device pci-serial,chardev=line &
    pci_machine=$!
    "$TEST_BIN/ask_image" "$work/line" "$work/pci.log" 'rate baud=921600' 'rate baud=56000' \
        rate_check 'get stream=1 first=0 count=1 format=text' 'get stream=1 first=0 count=2' \
        'status_request' >"$work/answers" 2>&1
    check 'PCI: every request is answered' "$(cat "$work/answers")" test $? -eq 0
    wait $pci_machine
    check 'PCI: bye ends it' "$(tail -n 2 "$work/machine.err")" test $? -eq 0
    check 'PCI: END names the run' "$(answer 1)" \
        is_end "$(answer 1)"
    check 'PCI: a speed that cannot be is refused' "$(answer 2)" \
        grep -q '^answer to=rate baud=921600 ok=0 reason=' "$work/answers"
    check 'PCI: a possible speed is answered with the exact rate' "$(answer 3)" \
        test "$(answer 3)" = 'answer to=rate baud=57600 ok=1'
    check 'PCI: the check is answered' "$(answer 4)" \
        test "$(answer 4)" = 'answer to=rate_check baud=57600 ok=1'
    check 'PCI: samples come when they are asked for, as they are' "$(answer 5)" \
        test "$(answer 5)" = 'series stream=1 seq=0 text'
    check 'PCI: and the same again' "$(answer 6)" \
        test "$(answer 6)" = 'series stream=1 seq=0 binary'
    check 'PCI: END again, the same' "$(answer 7)" test "$(answer 7)" = "$(answer 1)"
    decode pci
    check 'PCI: the run reports the port' "$(cat "$work/pci.err")" json pci \
        '.run.machine.serial | test("^PCI 00:[0-9a-f]{2}.0 port 0x[0-9a-f]+, 115200 baud, clock assumed$")'
}

# The second port by the plan's word, with CTS watched, which QEMU's ports assert.
test_planned() {
    exact_machine 'bench=none link.wait_ms=1 link.port=io:0x2f8,clock=3686400 link.flow=hardware' \
        -serial "file:$work/com1.log" -serial "file:$work/planned.log"
    decode planned
    check 'link.port: the run leaves there' "$(cat "$work/planned.err")" json planned \
        '.run.machine.serial == "plan port 0x2f8, 115200 baud"'
    check 'link.port: nothing leaves elsewhere' 'COM1 has it' \
        sh -c "! grep -aq 'the empty machine' '$work/com1.log'"
}

# No port there: the error leaves by another.
test_wrong() {
    exact_machine 'bench=none link.wait_ms=1 link.port=mmio:0xfeb00000,stride=4,width=4,clock=48000000' \
        -serial "file:$work/wrong.log"
    check 'link.port: one that is not there is an error' "$(tail -n 3 "$work/wrong.log")" \
        grep -aq 'link.port=mmio:0xfeb00000,stride=4,width=4,clock=48000000: no 16550 answers' \
        "$work/wrong.log"
}

# The image and `tare capture` on a terminal: what is asked for comes faster.
test_agreed() {
    : >"$work/machine.err"
    machine 'bench=clock,idle idle.ms=50 link.baud=9600 link.send=request link.serve=1' -serial pty &
    agreed_machine=$!
    wait_for 10 grep -q 'redirected to /dev/pts/' "$work/machine.err"
    expect_status 'rate: valid' 0 timeout 60 "$TARE" capture --baud 9600 --baud-max 115200 \
        --log "$work/agreed.log" -o "$work/agreed.db" \
        "$(sed -n 's,.* \(/dev/pts/[0-9]*\) .*,\1,p' "$work/machine.err")"
    check 'rate: both agreed on a higher one' "$(cat "$work/output")" \
        grep -q 'the line is now at 115200 baud' "$work/output"
    check 'rate: the machine received bye there' "$(cat "$work/machine.err")" wait $agreed_machine
}

# Two ports loop back, and a host listens at the second: the line is there. Then at neither of them: it
# is the first.
test_second() {
    : >"$work/machine.err"
    machine 'bench=idle idle.ms=1 link.wait_ms=1' -serial "file:$work/first.log" -serial pty &
    second_machine=$!
    wait_for 10 grep -q 'redirected to /dev/pts/' "$work/machine.err"
    expect_status 'second port: valid' 0 timeout 60 "$TARE" capture \
        --log "$work/second.log" -o "$work/second.db" \
        "$(sed -n 's,.* \(/dev/pts/[0-9]*\) .*,\1,p' "$work/machine.err")"
    check 'second port: the machine ends' "$(cat "$work/machine.err")" wait $second_machine
    check 'second port: the run reports it' "$(cat "$work/output")" json second \
        '.run.machine.serial == "legacy port 0x2f8, 115200 baud"'
    check 'second port: nothing but the question leaves by the first' 'COM1 has it' \
        sh -c "! grep -aq 'the empty machine' '$work/first.log' && grep -aq 'GhlbGxv' '$work/first.log'" # hello, as base64
    exact_machine 'bench=none link.wait_ms=1' -serial "file:$work/neither.log" -serial null
    decode neither
    check 'second port: without a host the line is the first' "$(cat "$work/neither.err")" \
        json neither '.run.machine.serial == "legacy port 0x3f8, 115200 baud"'
}

test_pci
test_planned
test_wrong
test_agreed
test_second
finish
