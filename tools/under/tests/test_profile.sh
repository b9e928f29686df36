#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
#
# tare boot --under kvm --profile-exits: a profile adds up to the lengths that the image measured, the log has the same
# bytes as without the plugin, and show, export and compare print the profile.
. tools/tests/support/lib.sh

# boot NAME OPTION...: boots bench exits in a KVM.
boot() {
    name=$1
    shift
    timeout 300 "$TARE" boot --under kvm --bench exits --set exits.repetitions=4 --set exits.trials=16 --force \
        --log "$work/$name.log" -o "$work/$name.db" "$@" >"$work/$name" 2>&1 || true
}

# mode SERIES: the commonest value in ticks.
mode() {
    "$TARE" show --samples "exits/$1" "$work/with.db" | grep -E '^ *[0-9]+ *$' | sort -n | uniq -c | sort -rn |
        awk 'NR == 1 { print $2 }'
}

# adds_up OPERATION OWN: the profile of an operation is what a repetition takes, less the image's OWN instructions: an
# instruction that leaves the guest does not count. The first exit of a loop may take another path than those that
# follow; of 4 repetitions these are the commonest. At --shift 3 an instruction is 8 ticks of a TSC of 1 GHz.
adds_up() {
    profile=$(awk -v kind="$1;" 'index($0, kind) == 1 { sum += $NF } END { print sum }' "$work/folded")
    measured=$((($(mode "$1.twice") - $(mode "$1")) / 8 / 4 - $2))
    check "profile: $1 adds up" "the functions have $profile instructions, the image measured $measured" \
        test "$profile" = "$measured"
}

for program in qemu-system-x86_64 lz4 cpio busybox; do
    command -v $program >/dev/null || missing=$program
done

"$TARE" boot --under kvm=intel --profile-exits --bench exits >"$work/refused" 2>&1
check 'profile: refused for Bochs before the boot' "$(cat "$work/refused")" \
    grep -q 'expected --under kvm, got --under kvm=intel' "$work/refused"

if [ -n "${missing:-}" ]; then
    skip 'profile' "no $missing"
else
    boot with --profile-exits
    boot without
    check 'profile: the log is the same with the plugin' "$(tail -n 3 "$work/with" "$work/without")" \
        cmp "$work/with.log" "$work/without.log"
    "$TARE" export --format folded -o "$work/folded" "$work/with.db"
    adds_up cpuid 3
    adds_up uart_read 2
    adds_up vmmcall 3
    # shellcheck disable=SC2016 # for sh -c
    check 'profile: functions of KVM, of the kernel and of QEMU' "$(head "$work/folded")" \
        sh -c 'grep -q "^uart_read;.*svm_vcpu_run \[kvm_amd\] [0-9]*$" "$1" && grep -q "^uart_read;.*;__x64_sys_ioctl;" "$1" &&
            grep -q "^uart_read;.*address_space_rw \[qemu\]" "$1"' sh "$work/folded"
    "$TARE" show --full "$work/with.db" >"$work/show" 2>&1
    check 'profile: show has it' "$(tail -n 5 "$work/show")" grep -q '^  cpuid: [0-9,]* in [0-9,]* of [0-9,]* exits (KVM ' "$work/show"
    "$TARE" compare "$work/with.db" "$work/with.db" >"$work/compare" 2>&1
    check 'profile: compare finds no difference with itself' "$(tail -n 3 "$work/compare")" \
        grep -q 'kinds of exit take the same path in both' "$work/compare"
    "$TARE" compare "$work/with.db" "$work/without.db" >"$work/compare" 2>&1
    check 'profile: compare prints none as a difference of the machines' "$(grep differs "$work/compare")" \
        sh -c 'grep -q "^exits\|same" "$1" && ! grep -q "differs.*exit_profile" "$1"' sh "$work/compare"
    "$TARE" export --format folded "$work/without.db" >"$work/none" 2>&1
    check 'profile: a run without one is an error' "$(cat "$work/none")" grep -q 'has no profile of exits' "$work/none"
fi
finish test_profile
