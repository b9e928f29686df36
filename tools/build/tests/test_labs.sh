#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
#
# Laboratories: of a boot with link.format=lava, what LAVA's monitor action records is what the run file
# has, bench by bench and series by series, and the log decodes as any other; the job file stands before
# LAVA's own schema.
set -u

. tools/tests/support/lib.sh

job=tools/build/lava-job.yaml

monitor() {
    /usr/bin/python3 tools/build/tests/lava_monitor.py "$1" "$2" >"$work/cases" 2>"$work/monitor"
}

# refused REASON JOB LOG
refused() {
    ! monitor "$2" "$3" && grep -q "$1" "$work/monitor"
}

rows() {
    sqlite3 -separator ' ' "$work/run.db" "$1" | sort
}

"$TARE" boot --mode exact --shift 6 --bench clock,fault,ipi,paths --set paths.samples=50 \
    --set link.format=lava --log "$work/log" -o "$work/booted.db" "${IMAGE:-build/image/tare.efi}" >"$work/output" 2>&1
grep -q 'INVALID: fault: CRASH' "$work/output" || {
    fail 'the run ends with a crash, as planned' "$(tail -n 2 "$work/output")"
    finish
    exit
}
"$TARE" decode "$work/log" -o "$work/run.db" >"$work/output" 2>&1
check 'the log decodes without loss' "$(cat "$work/output")" \
    grep -q ' 0 damaged pieces' "$work/output"
check 'and to the samples that came home' 'other rows' test \
    "$(query "$work/run.db" 'SELECT * FROM sample' | cksum)" = \
    "$(query "$work/booted.db" 'SELECT * FROM sample' | cksum)"

check 'LAVA takes the job, and every line' "$(cat "$work/monitor" 2>&1)" monitor $job "$work/log"
rows "SELECT name || CASE pass WHEN 0 THEN '' WHEN 1 THEN '' ELSE '.' || pass END, CASE state WHEN 'OK'
    THEN 'pass' WHEN 'SKIP' THEN 'skip' ELSE 'fail' END FROM bench" >"$work/states"
grep ' None $' "$work/cases" | sed 's/ None $//' | sort >"$work/lava.states"
check 'a case for each bench, with its state' "$(diff "$work/states" "$work/lava.states")" \
    cmp -s "$work/states" "$work/lava.states"
check 'pass, skip and fail are among them' "$(cat "$work/states")" \
    test "$(cut -d ' ' -f 2 "$work/states" | sort -u | wc -l)" -eq 3
rows "SELECT bench || '.' || name, 'pass', max, unit FROM series WHERE of IS NULL AND n > 0" >"$work/greatest"
grep -v ' None $' "$work/cases" | sort >"$work/lava.greatest"
check 'and one for each series, with its greatest' "$(diff "$work/greatest" "$work/lava.greatest" | head -n 4)" \
    cmp -s "$work/greatest" "$work/lava.greatest"

# Faults that the check must see.
sed 's/RESULT=skip/RESULT=SKIP/' "$work/log" >"$work/bad.log"
check 'a result that LAVA does not know is seen' "$(cat "$work/monitor")" \
    refused 'bad result' $job "$work/bad.log"
grep -av 'ENDRUN' "$work/log" >"$work/bad.log"
check 'a log without an end is seen' "$(cat "$work/monitor")" \
    refused 'no end string' $job "$work/bad.log"
sed 's/^      monitors:/      monitor:/' $job >"$work/bad.yaml"
check 'a job that LAVA does not take is seen' "$(cat "$work/monitor")" \
    refused 'LavaValidationError\|Invalid\|extra keys' "$work/bad.yaml" "$work/log"
finish
