#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
#
# What each detector of noise misses (`make bench ONLY=sensitivity`): its 99 % point by each injector, with
# 1000 trials of each length in exact time, and its false alarms; and which pauses of the whole virtual
# machine `gap` finds in host time.
set -u

. tools/tests/support/lib.sh
. tools/tests/image/boot.sh

options='--shift 3 --bench sensitivity --set sensitivity.trials=1000
    --set sensitivity.quiet_us=500000 --set bench.limit_ms=0'

# points NAME INJECTOR: those of one boot, a line each.
points() {
    value "$1" '(.run.ticks_per_instruction | tonumber) as $t | .benches[] |
        select(.name == "sensitivity") | .curves[] | select(.injector == "'"$2"'") |
        [.detector, .injector,
         if .p99_ticks == null then "none" else
            "\(if .p99_at_most then "<= " else "" end)\(.p99_ticks / $t)" end,
         "\((.proven // 0) * 1000 | round / 10) %", "\(.alarms) of \(.readings)",
         if .alarms == 0 then "< \(3000000 / .readings * 100 | round / 100)"
            else "\(.alarms_per_million)" end] | @tsv' |
        awk -F'\t' '{ printf "%-11s %-12s %12s  %7s  %15s  %12s\n", $1, $2, $3, $4, $5, $6 }'
}

# shellcheck disable=SC2086
{
    boot one 0 $options --set sensitivity.injectors=timer,spin
    boot pair 0 $options --smp 2 --set sensitivity.injectors=ipi
    boot smi 0 $options --smm --set sensitivity.injectors=smi
}
echo 'exact time; lengths in instructions'
printf '%-11s %-12s %12s  %7s  %15s  %12s\n' detector 'injected by' '99 % from' proven \
    'false alarms' 'in a million'
points one timer
points one spin
points pair ipi
points smi smi
echo
python3 bench/noise/host/tests/bench_pauses.py "$TARE" "$work"
finish
