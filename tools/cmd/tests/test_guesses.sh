#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
#
# What people type before they have read anything: each guess does what was meant (status 0), or fails
# and prints the command that does it. Run from a folder that is not the repository.
set -u

. tools/tests/support/lib.sh
TARE=$(realpath "$TARE")

for guesses_log in a-1 a-2; do
    "$TEST_BIN/fake_image" --stdout >"$work/$guesses_log.log"
done
cd "$work" || exit 1
"$TARE" boot clock gap --mode exact --set gap.ms=5 --set setting=before --log b.log -o b.db >b.out 2>&1
"$TARE" boot clock gap --mode exact --set gap.ms=5 --set setting=after --log c.log -o c.db >c.out 2>&1

# guess STATUS PATTERN WORD...: tare WORD... ends so, and prints the pattern.
guess() {
    guess_status=$1
    guess_pattern=$2
    shift 2
    guess_got=0
    timeout 100 "$TARE" "$@" >out 2>&1 </dev/null || guess_got=$?
    check "tare $*: status" "$guess_got: $(tail -n 3 out)" test "$guess_got" = "$guess_status"
    check "tare $*: prints what was meant" "$(head -n 5 out)" grep -q -e "$guess_pattern" out
}

# A low-latency engineer.
guess 0 'none above' boot gap --mode exact --set gap.ms=5
guess 0 'bench clock: OK' boot gap clock --mode exact --set gap.ms=5
guess 0 'bench gap: OK' boot gap,clock --mode exact --set gap.ms=5
guess 0 'page:  .*html' boot noise --bench gap --mode exact --set gap.ms=5
guess 0 'gap: gaps between' show b.db gap
guess 0 'gap: gaps between' show gap b.db
guess 0 'clock: ' show gap b.db clock
guess 0 'before' show b.db
guess 0 'run file a-1.db' show a-1.log
guess 0 'run file a-1.db' decode a-1.log
guess 0 'run file a-2.db' decode a-1.log a-2.log
guess 0 'which is newer' report a-1.log
guess 0 'boot of before: b.db' compare c.db b.db --by setting
guess 0 'boot of before: b.db' compare c.db b.db
guess 1 'setting=NAME' compare --by setting b.db a-1.db
guess 2 'tare compare' show b.db c.db
guess 2 'tare boot --repeat 5' boot gap --set boots=5
guess 2 'use setting=NAME' boot gap --set setting=ask
guess 2 'use tare compare' cmp b.db c.db
guess 2 'use tare watch' top
guess 2 'make image, and write' usb
guess 2 'use tare boot gap' gap
guess 2 'use tare boot noise' noise

# A hypervisor's author.
guess 2 'use tare show b.db' b.db
guess 2 'use tare show a-1.log' a-1.log
guess 2 'use tare boot$' run
guess 2 'use tare boot$' qemu
guess 2 'use tare events' perf
guess 2 'did you mean noise' boot nosie
guess 2 'tare list prints' boot supercalifragilistic
guess 2 'there is no profile "nosie"; tare list' boot --set profile=nosie
guess 2 '--interleave b.efi' boot a.efi b.efi
guess 0 'round of bench gap\|length of the watch' boot --set gap.
guess 2 'must be KEY=VALUE' boot --set nonsense.
guess 0 '^gap  *noise ' boot --bench list
guess 0 '^gap  *noise ' boot list
guess 0 '^noise ' boot --profile list
guess 0 'first figures\|exec' boot --mode exact --exec 'add %rax, %rbx'

# A student.
guess 0 '^gap  *noise ' list
guess 0 'length of the watch' list gap.
guess 0 'gap.ms' list gap
guess 2 'unknown command nonsense' list nonsense
guess 2 'use tare list' ls
guess 2 'use tare show' view b.db
guess 2 'use tare report' plot b.db
guess 2 'use tare export' csv b.db
guess 2 'use tare help' man
guess 0 'bench gap, of group noise' help gap
guess 0 'tare boot noise' help noise
guess 0 'length of the watch' help gap.ms
guess 0 'name of the setting' help setting
guess 0 '^gap  *noise ' help list
guess 0 '^tare [0-9]' -V
guess 0 '^tare [0-9]' --version
guess 0 '^usage' -h
guess 2 'tare show RUN.db gap' show gap
guess 2 'did you mean show' shwo b.db
guess 2 'needs -o RUN.db' decode -
finish
