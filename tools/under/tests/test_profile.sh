#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
#
# tare boot --under kvm --profile-exits: the sums of a profile are the lengths that the image measured, and the log has
# the same bytes as without the plugin.
. tools/tests/support/lib.sh

needs_l1() {
    for program in qemu-system-x86_64 lz4 cpio busybox; do
        command -v $program >/dev/null || skip "no $program"
    done
}

check 'profile: refused for Bochs before the boot' sh -c \
    '! "$0" boot --under kvm=intel --profile-exits --bench exits 2>"$1" && grep -q "expected --under kvm, got" "$1"' \
    "$TARE" "$work/refused"
