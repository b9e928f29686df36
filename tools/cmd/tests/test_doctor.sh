#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
#
# `tare doctor`: each thing that is missing is named with its cure, in made-up surroundings: without QEMU,
# without a temporary folder, with other ports and drives; and which benches of a plan run here, compared
# with a boot of that plan.
set -u

. tools/tests/support/lib.sh
. tools/tests/image/boot.sh

# says NAME STATE PATTERN: the last output has a check of this name and state, whose text matches.
says() {
    says_found=$(jq -r --arg name "$1" --arg state "$2" --arg text "$3" '.checks[] |
        select(.name == $name and .state == $state and (.text | test($text))) | .name' "$work/output")
    check "$1: $2, $3" "$(cat "$work/output")" test "$says_found" = "$1"
}

quick() {
    check "boots: $1" "$(cat "$work/output")" test "$(jq .boots "$work/output")" = "$1"
}

test_missing() {
    mkdir "$work/bin"
    ln -s "$(command -v env)" "$work/bin/env"
    expect_status 'without programs: 1' 1 env "PATH=$work/bin" "$TARE" doctor --json
    says QEMU missing 'not on PATH; install QEMU .Debian: apt install qemu-system-x86'
    says --exec note 'install package binutils'
    says --count note 'needs QEMU'
    quick false
    printf '#!/bin/sh\nexit 1\n' >"$work/bin/qemu-system-x86_64"
    chmod +x "$work/bin/qemu-system-x86_64"
    expect_status 'a QEMU that does not start: 1' 1 env "PATH=$work/bin" "$TARE" doctor --json
    says QEMU missing 'does not start; reinstall'
    expect_status 'without a temporary folder: 1' 1 env "TMPDIR=$work/none" "$TARE" doctor --json
    says 'temporary files' missing 'set TMPDIR'
    mkdir "$work/empty"
    expect_status 'without an image: 1' 1 sh -c 'cd "$1" && "$2" doctor --json' sh "$work/empty" \
        "$(realpath "$TARE")"
    says image missing 'make image'
}

test_healthy() {
    expect_status 'here: 0' 0 env "TARE_CACHE=$work/bin/env/none" "$TARE" doctor --json
    says image OK 'tare.efi$'
    says QEMU OK 'version [0-9]'
    says firmware OK '/'
    says cache note 'set TARE_CACHE'
    quick true
    expect_status 'as text: 0' 0 "$TARE" doctor
    check 'the answer' "$(cat "$work/output")" grep -qx 'A quick run works here: tare boot' "$work/output"
}

# Ports and drives of another computer, mounted over those of this one.
test_devices() {
    if ! unshare -m true 2>"$work/unshare"; then
        skip 'ports and drives' "no mount namespace: $(cat "$work/unshare")"
        return
    fi
    mkdir -p "$work/block/sdz/device" "$work/block/sdy" "$work/dev" "$work/tty/ttyS1"
    echo 1 >"$work/block/sdz/removable"
    echo 15728640 >"$work/block/sdz/size"
    echo 'Cruzer Blade' >"$work/block/sdz/device/model"
    echo 0 >"$work/block/sdy/removable"
    echo 15728640 >"$work/block/sdy/size"
    echo 0 >"$work/tty/ttyS1/type"
    touch "$work/dev/ttyUSB7" "$work/dev/ttyS1"
    mknod -m 666 "$work/dev/null" c 1 3
    # shellcheck disable=SC2016 # of the inner shell
    expect_status 'another computer: 0' 0 unshare -m sh -c 'mount --bind "$1/block" /sys/block &&
        mount --bind "$1/tty" /sys/class/tty && mount --bind "$1/dev" /dev && exec "$2" doctor --json' sh "$work" "$TARE"
    says 'serial port' OK '^/dev/ttyUSB7$'
    says 'boot drive' OK '^/dev/sdz, 8053 MB, Cruzer Blade$'
    says KVM note 'enable SVM or VT-x'
    check 'no port that does not exist, no fixed disk' "$(cat "$work/output")" \
        sh -c "! grep -q 'ttyS1\|sdy' '$work/output'"
}

# What doctor predicts of a plan is what a boot of the plan finds.
test_plan() {
    echo 'bench=call,counters,ipi,nics gap.ms=5' >"$work/plan"
    expect_status 'a plan: 0' 0 "$TARE" doctor --json "$work/plan"
    jq -r '.checks[] | select(.text | test("^(runs|does not run)")) |
        .name + (if .state == "OK" then " OK" else " SKIP" end)' "$work/output" | sort >"$work/said"
    check 'the cure for a second CPU' "$(cat "$work/output")" grep -q 'add --smp 2' "$work/output"
    boot plan 0 --plan "$work/plan"
    value plan '.benches[] | .name + " " + .status' | sort >"$work/found"
    check 'what doctor predicts is what the boot finds' "$(diff "$work/said" "$work/found")" \
        cmp -s "$work/said" "$work/found"
    echo 'bench=gapp' >"$work/plan"
    expect_status 'a wrong plan: 2' 2 "$TARE" doctor "$work/plan"
}

firmware=/usr/share/ovmf/OVMF.fd
machine_or_finish 'tare doctor'
test_missing
test_healthy
test_devices
test_plan
finish
