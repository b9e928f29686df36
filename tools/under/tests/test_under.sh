#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
#
# `tare boot --under`: the image below KVM, and a program, on a Linux in QEMU under exact time; what
# is rejected before anything boots; a Linux that dies.
set -u

. tools/tests/support/lib.sh
. tools/tests/image/boot.sh

# rejected NAME STATUS TEXT OPTION...: ends with the status and the text, and boots nothing.
rejected() {
    rejected_name=$1
    rejected_status=$2
    rejected_text=$3
    shift 3
    rm -f "$work/none.log"
    expect_status "$rejected_name" "$rejected_status" "$TARE" boot --log "$work/none.log" --bench exits "$@"
    check "$rejected_name: the reason" "$(tail -n 3 "$work/output" | tr '\n' ' ')" \
        grep -qF -e "$rejected_text" "$work/output"
    check "$rejected_name: nothing booted" "$(ls "$work")" test ! -s "$work/none.log"
}

test_options() {
    for option in '--mode exact' '--net hub' '--keys x' '--gdb exits' '--count p5' --smm --full-boot; do
        # shellcheck disable=SC2086 # words
        rejected "--under kvm $option" 2 'exclude each other' --under kvm $option
    done
    rejected 'two processors of L1' 2 'expected 1 processor, got 2' --under kvm --l1-smp 2
    rejected 'an option of L1 alone' 2 '--l1-append needs --under' --l1-append quiet
    : >"$work/disk.img"
    rejected 'a disk' 2 'expected an EFI program' --under kvm "$work/disk.img"
    rejected 'no such package' 1 'apt knows no package linux-image-nothing' --under kvm \
        --l1-kernel linux-image-nothing
    rejected 'no kernel' 1 'is no bzImage' --under kvm --l1-kernel "$PWD/tools/under/README.md"
    rejected 'no such file' 1 'cannot read kernel ./nothing' --under kvm --l1-kernel ./nothing
}

# All programs are there except busybox; then one that is not static.
test_packages() {
    mkdir "$work/bin"
    ln -s /usr/bin/* "$work/bin/"
    rm -f "$work/bin/busybox"
    path=$PATH
    PATH=$work/bin
    rejected 'no busybox' 1 'missing packages: apt-get install busybox-static' --under kvm
    ln -s /bin/true "$work/bin/busybox"
    rejected 'a busybox with libraries' 1 'apt-get install busybox-static' --under kvm
    rm -f "$work/bin/busybox" "$work/bin/cpio"
    rejected 'two packages missing' 1 'apt-get install cpio busybox-static' --under kvm
    PATH=$path
}

few='--set exits.repetitions=1 --set exits.trials=8 --set exits.count=4 --set exits.pages=2'

# dead NAME TEXT OPTION...: L1 ends before L2 starts, for that reason.
dead() {
    dead_name=$1
    dead_text=$2
    shift 2
    boot_once dead --bench exits "$@"
    boot_ended dead 1
    check "$dead_name: the reason" "$(tail -n 4 "$work/dead.err")" \
        grep -q "L1 ended before the run did: $dead_text.*; its console is in $work/dead.log.l1" "$work/dead.err"
    check "$dead_name: L1's last lines" "$(tail -n 4 "$work/dead.err")" grep -q '^tare-l1: end 1' "$work/dead.err"
    check "$dead_name: the console was kept" "$(ls "$work")" grep -q 'tare-l1: L1 runs Linux' "$work/dead.log.l1"
    check "$dead_name: no run file" "$(ls "$work")" test ! -e "$work/dead.db"
}

test_dead() {
    dead 'no SVM' 'the processor of L1 has neither SVM nor VMX' --under kvm --l1-append clearcpuid=svm
    dead 'QEMU of L1 fails' '/bin/qemu ended with status 1' --under kvm -- -device nothing
}

test_kvm() {
    # shellcheck disable=SC2086 # words
    boot_once kvm --under kvm --l1-append 'mitigations=auto mitigations=off quiet' --bench exits $few
    check 'kvm: the bench ends' "$(tail -n 3 "$work/kvm.err")" json kvm '
        .run.losses == [] and .run.kind == "exact, shared" and
        [.benches[] | select(.name == "exits") | .status] == ["OK"]'
    check 'kvm: progress of each level' "$(cat "$work/kvm.err")" awk '
        / L1 boots$/ { level = 1 }
        / L1 runs Linux / && level == 1 { level = 2 }
        / L2 starts$/ && level == 2 { level = 3 }
        / bench exits/ && level == 3 { level = 4 }
        / no nrip-save/ { told++ }
        END { exit level != 4 || told != 1 }' "$work/kvm.err"
    check 'kvm: the stack is noted' "$(value kvm '.run' | grep under)" json kvm '.run |
        .under == "kvm-amd" and (."under.l0" | startswith("QEMU emulator version ")) and
        ."under.l0.shift" == "3" and (."under.l1.kernel" | test("^[0-9]+[.][0-9]+")) and
        (."under.l1.sha256" | length) == 64 and
        (."under.l1.command_line" | endswith("panic=-1 mitigations=auto mitigations=off quiet")) and
        (."under.l1.qemu" | startswith("QEMU ")) and ."under.l1.processors" == "1" and
        ."under.l2.machine" == "q35" and .hypervisor == "KVMKVMKVM"'
    "$TARE" show "$work/kvm.db" >"$work/shown"
    check 'kvm: the stack is shown' "$(grep -A 2 below: "$work/shown")" grep -q \
        "below: KVM (kvm_amd) of Linux $(value kvm '.run["under.l1.kernel"]'), mitigations=off, in$" "$work/shown"
    "$TARE" show --full "$work/kvm.db" >"$work/full"
    check 'kvm: the stack is shown once' "$(grep -n below "$work/full")" \
        test "$(grep -c 'KVM (kvm_amd) of Linux' "$work/full")" -eq 1
    check 'kvm: the console was kept' "$(cat "$work/kvm.log.l1")" grep -q 'tare-l1: end 0' "$work/kvm.log.l1"
}

test_program() {
    boot_once linux --under linux -- --bench loop,syscall,rtt
    boot_ended linux 0
    check 'linux: the time base' "$(value linux .run)" json linux '.run.kind == "exact, shared" and
        .run.ticks_per_instruction == "1"'
    check 'linux: loop-back works' "$(value linux '.benches[].reason')" json linux '.benches[] |
        select(.name == "rtt").status == "OK"'
    # Almost all samples of a system call are one number, and twice is less than twice as much.
    check 'linux: a system call has one value' "$("$TARE" show --samples syscall/null "$work/linux.db")" sh -c '
        for name in syscall/null syscall/null.twice; do
            "$1" show --samples $name "$2" | sort | uniq -c | sort -rn | head -n 1
        done | awk "{ share = \$1; value[NR] = \$2; good += share >= 90 }
            END { cost = value[2] - value[1]; exit !(good == 2 && cost > 200 && cost < 600) }"' \
        sh "$TARE" "$work/linux.db"
    check 'linux: progress' "$(cat "$work/linux.err")" grep -q 'bench loop: OK' "$work/linux.err"
    check 'linux: the run file came whole, with the stack' "$(value linux .run)" json linux '.run.valid and
        .run.under == "linux" and .run["under.l0.shift"] == "0" and .run["under.l2.machine"] == null and
        (.run.machine.environment | startswith("Linux")) and (.benches | map(.name) | contains(["loop"]))'
    boot_once wrong --under linux -- --bench nothing
    boot_ended wrong 1
    check 'linux: the program'\''s own message' "$(tail -n 5 "$work/wrong.err")" grep -q nothing "$work/wrong.err"
    check 'linux: no run file' "$(ls "$work")" test ! -e "$work/wrong.db"
}

test_options
test_packages
test_dead
test_kvm
test_program
finish
