#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
#
# The seal of a run, verified by a program in Python; and two machines that only differ in their processor.
set -u

# shellcheck source-path=SCRIPTDIR source=../support/lib.sh
. tools/tests/support/lib.sh
. tools/tests/image/boot.sh

# invalid NAME TEXT LOG...: the logs together are no valid run, and the message has this text.
invalid() {
    invalid_name=$1
    invalid_text=$2
    shift 2
    expect_status "$invalid_name: no valid run" 1 "$TARE" decode "$@" -o "$work/no.db"
    check "$invalid_name: the reason" "$(cat "$work/output")" grep -q "$invalid_text" "$work/output"
}

info() {
    sqlite3 "$work/$1.db" "SELECT value FROM run WHERE key = '$2'"
}

for cpu in Nehalem core2duo; do
    boot $cpu 0 --bench clock,paths,switches --set link.format=text -- -cpu $cpu
    "$TEST_BIN/log_text" <"$work/$cpu.log" >"$work/$cpu.meta"
    expect_status "$cpu: Python computes the same seal" 0 \
        tools/tests/image/seal.py "$work/$cpu.log" "$work/$cpu.meta" "$work/$cpu.db"
    check "$cpu: the run file has it" "$(cat "$work/output")" test "$(cat "$work/output")" = "$(info $cpu seal)"
    check "$cpu: and that it was verified" "$(info $cpu seal.state)" test "$(info $cpu seal.state)" = verified
    sed 's/fact/fakt/' "$work/$cpu.meta" >"$work/other.meta"
    expect_status "$cpu: of another text it computes another" 1 \
        tools/tests/image/seal.py "$work/$cpu.log" "$work/other.meta" "$work/$cpu.db"
done
for key in run fingerprint seal; do
    check "two machines: another $key" "$(info Nehalem $key)" \
        test "$(info Nehalem $key)" != "$(info core2duo $key)"
done
boot again 0 --bench clock,paths,switches --set link.format=text -- -cpu Nehalem
check 'a machine that boots again: the same fingerprint' "$(info again fingerprint)" \
    test "$(info Nehalem fingerprint)" = "$(info again fingerprint)"

# The halves of two logs.
frames=$(grep -ac '\[#' "$work/Nehalem.log")
head -n "$(grep -an '\[#' "$work/Nehalem.log" | sed -n "$((frames / 3))s/:.*//p")" "$work/Nehalem.log" >"$work/a.log"
tail -n "+$(grep -an '\[#' "$work/core2duo.log" | sed -n "$((frames / 3 + 1))s/:.*//p")" "$work/core2duo.log" >"$work/b.log"
cat "$work/a.log" "$work/b.log" >"$work/ab.log"
invalid 'halves of two machines as two logs' 'cannot merge different runs' "$work/a.log" "$work/b.log"
invalid 'halves of two machines in one log' 'the log is of two runs' "$work/ab.log"
# A good run behind a killed one: the file is cut where the message says.
cat "$work/a.log" "$work/core2duo.log" >"$work/both.log"
invalid 'a killed run, then a good one' 'the log is of two runs' "$work/both.log"
first=$(sed -n 's/.*two runs.*after byte \([0-9]*\)$/\1/p' "$work/output" | head -n 1)
tail -c "+$((first + 1))" "$work/both.log" >"$work/good.log"
expect_status 'the good one: valid' 0 "$TARE" decode "$work/good.log" -o "$work/good.db"

# A run file that was changed.
for sql in "UPDATE machine SET value = 'x' WHERE rowid = 1" "UPDATE fact SET value = value + 1 WHERE rowid = 1" \
    "UPDATE series SET name = name || 1 WHERE rowid = 1" "UPDATE run SET value = 'real' WHERE key = 'kind'" \
    "DELETE FROM absent; DELETE FROM expect WHERE rowid = 1" "DELETE FROM run WHERE key = 'file.content'"; do
    cp "$work/again.db" "$work/changed.db"
    sqlite3 "$work/changed.db" "$sql"
    for command in "show $work/changed.db" "diff $work/again.db $work/changed.db" \
        "db add $work/fleet.db $work/changed.db"; do
        # shellcheck disable=SC2086 # words
        "$TARE" $command >"$work/output" 2>&1
        check "$sql: ${command%% *} notices it" "$(cat "$work/output")" \
            grep -q 'was changed after tare wrote it' "$work/output"
    done
done
finish
