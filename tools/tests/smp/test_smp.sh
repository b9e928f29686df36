#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
#
# Threads on several processors: equal bytes while a busy loop runs; books and rules of every trace, by smp_books.py;
# sessions that fail on purpose, by name; a bench of one processor on two, with a hog; emulated time. And two mutants of
# the kernel (tools/tests/mutants/smp.sh).
set -u

. tools/tests/support/lib.sh
. tools/tests/image/boot.sh

smp=${image%/*}/tare-smp.efi
sample='12 16' # of the mutants: the end of a quantum without a record, a boost that never decays

# same_run A B: the logs are the same bytes, or the benches began at another time (firmware with several processors
# may take longer on a busy host) and all samples are the same.
same_run() {
    cmp -s "$work/$1.log" "$work/$2.log" ||
        "$TARE" diff --force "$work/$1.db" "$work/$2.db" | tr '\n' ' ' | grep -q ' 0 of [0-9]* series, 0 of [0-9]* samples'
}

# books NAME: counts what smp_books.py prints.
books() {
    /usr/bin/python3 tools/tests/smp/smp_books.py "$TARE" "$work/$1.db" >"$work/books" 2>&1 ||
        fail "$1: books" "$(tail -n 1 "$work/books")"
    check "$1: the books are about something" "$(cat "$work/books")" grep -q '^pass .*: books' "$work/books"
    while read -r verdict what; do
        case $verdict in
        pass) pass "$1: $what" ;;
        FAIL) fail "$1: ${what%%: *}" "${what#*: }" ;;
        esac
    done <"$work/books"
}

# equal_books NAME: `tare show` finds no difference between the trace and the account without records.
equal_books() {
    "$TARE" show "$1" "$work/$2.db" >"$work/shown" 2>&1
    check "$2: $1: difference 0 to the account without records" "$(tail -n 3 "$work/shown")" \
        grep -q 'equal to those of the trace to the tick' "$work/shown"
    check "$2: $1: difference 0 to the elapsed time" "$(grep -A 3 elapsed "$work/shown")" \
        grep -q '^  difference  *0$' "$work/shown"
}

test_bytes() {
    sh -c 'while :; do :; done' &
    busy=$!
    boot four 0 --smp 4 --bench affinity,beside,quantum,runqueue
    boot again 0 --smp 4 --bench affinity,beside,quantum,runqueue
    kill "$busy"
    boot three 0 --smp 3 --bench affinity,beside,quantum,runqueue
    check 'two boots of four processors while a busy loop runs: the same bytes' 'the logs differ' \
        same_run four again
    for run in four three; do
        check "$run: VALID, each bench is OK" "$(value $run '.benches[].reason')" \
            all_ok $run affinity beside quantum runqueue
        for bench in affinity beside quantum runqueue; do
            equal_books $bench $run
        done
        books $run
    done
}

# fails KIND REASON QUANTUM OPTION...: bench failures ends by name; the filter QUANTUM is then true of bench quantum.
fails() {
    fails_kind=$1
    fails_reason=$2
    fails_quantum=$3
    shift 3
    boot_once "$fails_kind" --smp 2 --bench failures,quantum --set "failures.kind=$fails_kind" \
        --set quantum.quanta=5 "$@"
    boot_ended "$fails_kind" 1
    check "$fails_kind: failures is a CRASH with the reason" "$(value "$fails_kind" '.benches[0] | .status, .reason')" \
        json "$fails_kind" ".benches[0] | .name == \"failures\" and .status == \"CRASH\" and
            (.reason | startswith(\"$fails_reason\"))"
    check "$fails_kind: what quantum does afterwards" "$(value "$fails_kind" '.benches[1]' | head -n 20)" \
        json "$fails_kind" ".benches[1] | $fails_quantum"
}

test_failures() {
    whole='.status == "OK" and .facts.cpus == 2'
    # A processor that an exception has ended, or that is gone, does not work any more.
    single='.status == "SKIP" and .reason == "only one processor works"'
    fails exception 'ended by an exception on processor 1; see the crash report' "$single" --mode exact
    fails hang 'ended by the watchdog: processor 1 did not give up thread failing' "$whole" --mode exact
    fails vanish 'ended by the watchdog: processor 1 did not give up thread failing' "$single" --mode exact
    fails interrupt 'ended by the watchdog: thread failing is ready on processor 1, which is idle' \
        "$whole" --mode exact
    fails lock 'ended by the watchdog: thread waiting waits for a lock that thread failing does not release' "$whole" --mode exact
}

# responses NAME: prints the ticks from the arrival of each key until its echo is on the screen.
responses() {
    for responses_series in stamp_number stamp_to written; do
        "$TARE" show --samples "echo/$responses_series" "$work/$1.db" |
            awk -v s=$responses_series '{ print s, NR - 1, $NF }'
    done | awk '
        $1 == "stamp_number" { number[$2] = $3 }
        $1 == "stamp_to" { to[$2] = $3 }
        $1 == "written" { at[$2] = $3 }
        END { for (i = 0; i in to; i++) { printf "%d\n", to[i] - at[number[i] - 1] } }'
}

test_hog() {
    for hog in none same other; do
        boot $hog 0 --smp 2 --bench echo --set tasks.cpus=2 --set tasks.hog=$hog
        check "$hog: VALID, echo is OK" "$(value $hog '.benches[].reason')" all_ok $hog echo
        responses $hog >"$work/$hog.responses"
        books $hog
    done
    boot shared 0 --bench echo --set tasks.cpus=1 --set tasks.hog=same --set tasks.quantum_us=1000
    responses shared >"$work/shared.responses"
    check 'a hog on processor 0: the responses of 100 keys are those without it, to the instruction' \
        "$(diff "$work/none.responses" "$work/same.responses" | head -n 3)" \
        test "$(wc -l <"$work/none.responses")" -eq 100 -a "$(cmp "$work/none.responses" "$work/same.responses")" = ''
    # With the hog elsewhere, the application stays where the keyboard interrupts: no interrupt between processors.
    check 'a hog on processor 1: each response is shorter by the way of an interrupt, about 1000 instructions' \
        "$(paste "$work/none.responses" "$work/other.responses" | head -n 3)" sh -c \
        "paste '$work/none.responses' '$work/other.responses' | awk '{ d = (\$1 - \$2) / 8; if (d < 900 || d > 1300) exit 1 }'"
    check 'on one processor with the hog: each response is twice as long' \
        "$(paste "$work/none.responses" "$work/shared.responses" | head -n 3)" sh -c \
        "paste '$work/none.responses' '$work/shared.responses' | awk '{ if (\$2 < 1.9 * \$1 || \$2 > 2.6 * \$1) exit 1 }'"
    boot starved 1 --bench echo --set kernel=smp --set tasks.hog=same
    check 'without a quantum the hog ends the bench, by name' "$(value starved '.benches[0].reason')" json starved \
        '.benches[0].reason == "ended by the watchdog: thread hog did not give up the processor; see the crash report"'
}

# In emulated time a busy host may take processors away for long; then the run says so.
test_emulated() {
    boot_once emulated --mode real --smp 4 --bench quantum,scaling
    check 'emulated time: VALID, or a reason by name' "$(tail -n 3 "$work/emulated.err")" json emulated \
        'if .run.valid then (.benches | all(.status == "OK")) else (.run.invalid_reasons | length > 0 and all(length > 10)) end'
    if json emulated .run.valid; then
        books emulated
    fi
    fails lock '' '.name == "quantum"' --mode real
}

test_mutants() {
    # shellcheck disable=SC2086 # numbers
    sh tools/tests/mutants/smp.sh $sample >"$work/mutants" 2>"$work/errors"
    check 'the end of a quantum without a record is killed by smp_books.py, a boost that never decays by the law of bench boost' \
        "$(cat "$work/mutants" "$work/errors")" test "$(cut -f 1 "$work/mutants" | paste -sd ,)" = test,run
}

firmware=${FIRMWARE:-/usr/share/ovmf/OVMF.fd}
machine_or_finish 'threads on several processors'
[ -e "$smp" ] || fail 'the second image' 'it is not built'
for part in ${*:-bytes failures hog emulated mutants}; do
    "test_$part"
done
finish
