#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
#
# make bench: which command a name has. make check: what it looks at for a file, and that each of its
# parts can fail, in a copy of the tree, on a file of a module that has no unit tests. And make fresh, where
# it cannot work.
set -u

. tools/tests/support/lib.sh

# plans NAME FILE TEXT...: the check of FILE would run each of these.
plans() {
    plans_name=$1
    inner_make -n check "FILE=$2"
    shift 2
    for text; do
        check "$plans_name: $text" "$(tail -n 5 "$work/make.txt")" grep -qF -- "$text" "$work/make.txt"
    done
}

plans 'a source' tools/qemu/qmp.c 'clang-format --dry-run -Werror tools/qemu/qmp.c' tools/build/modules.sh \
    tools/qemu/qmp.c.clean 'run.sh unit_boot_series' unit_qmp
plans 'a header' kernel/link/frame.h 'clang-format --dry-run -Werror kernel/link/frame.h' \
    kernel/link/frame.c.clean unit_link
plans 'a test' tools/qemu/tests/unit_qmp.c tools/qemu/tests/unit_qmp.c.clean unit_stops
check 'a file that is missing is refused' "$(cat "$work/make.txt")" \
    sh -c '! make --no-print-directory INNER=1 check FILE=tools/none.c >"$0" 2>&1' "$work/make.txt"
check 'a file that is missing: the message names it' "$(cat "$work/make.txt")" \
    grep -qF 'check: no file tools/none.c' "$work/make.txt"

# bench NAME COMMAND: make bench ONLY=NAME would end with it.
bench() {
    inner_make -n bench "ONLY=$1"
    check "make bench ONLY=$1" "$(tail -n 1 "$work/make.txt")" test "$(tail -n 1 "$work/make.txt")" = "$2"
}
bench wire 'sh tools/tests/peers/bench_wire.sh'
bench hour 'sh bench/noise/tests/bench_hour.sh'
bench history 'build/host/bench/change_points 1000'
check 'make bench ONLY=nothing is refused' 'it is not' eval '! inner_make -n bench ONLY=nothing'
check 'make bench ONLY=nothing: why' "$(cat "$work/make.txt")" grep -q 'ONLY=nothing: no such bench' "$work/make.txt"

tree=$work/tree
mkdir -p "$tree/build"
cp -a Makefile linker.ld .clang-tidy .clang-format boot kernel bench tools "$tree"
cp -a build/lwip build/qrcodegen build/modules.mk "$tree/build"

# checks: make check of the planted source.
checks() {
    inner_make check FILE=tools/linux/planted.c
}

# refuses NAME TEXT: make check fails with this text, of the source from standard input.
refuses() {
    cat >"$tree/tools/linux/planted.c"
    check "$1: make check fails" 'it passes' eval '! checks'
    check "$1: the finding is printed" "$(tail -n 5 "$work/make.txt")" grep -qF "$2" "$work/make.txt"
}

cat >"$tree/tools/linux/planted.c" <<'END'
/* SPDX-License-Identifier: BSD-2-Clause */
/* Nothing is wrong here. */
int planted(void);

int planted(void)
{
    return 0;
}
END
check 'a good source passes' "$(tail -n 5 "$work/make.txt")" checks
refuses 'layout' 'code should be clang-formatted' <<'END'
int planted( void );
END
refuses 'table of modules' 'tools/linux uses tools/cmd' <<'END'
#include "tools/cmd/commands.h"
END
refuses 'clang-tidy' 'braces-around-statements' <<'END'
int planted(int x);

int planted(int x)
{
    if (x > 0)
        return 1;
    return 0;
}
END

# unprivileged COMMAND...: without root's rights; the script comes through standard input.
unprivileged() {
    if [ "$(id -u)" -eq 0 ]; then
        setpriv --reuid=65534 --clear-groups "$@" <tools/build/fresh.sh
    else
        "$@" <tools/build/fresh.sh
    fi
}

expect_status 'fresh: is refused without root' 1 unprivileged sh
check 'fresh: and states why' "$(cat "$work/output")" \
    grep -qx 'fresh: needs root, for debootstrap and chroot: sudo make fresh' "$work/output"
finish
