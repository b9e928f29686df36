#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
#
# tare sim of sums of delays: both examples of the reference, run files, a chain of queues, refusals.
set -u

. tools/tests/support/lib.sh

models=tools/tests/models

# found FILTER: jq's filter is true of the last JSON.
found() {
    jq -e "$1" "$work/out" >/dev/null 2>&1
}

points=$(seq -s , 8 26)
"$TARE" sim --json --classes "$points" "$models/lattice.model" >"$work/out" 2>"$work/err"
check 'whole numbers: 19 masses, exact' "$(head -c 300 "$work/out")" found \
    '[.at[].mass] == [0.0637875, 0.25515, 0.23085, 0.15795, 0.1269, 0.03375, 0.026075,
     0.00305, 0.0023125, 0.0001, 0.0091875, 0.03645, 0.030375, 0.01215, 0.00945, 0.00135,
     0.001025, 0.00005, 0.0000375] and .mean == 11.25 and .variance == 10.3575 and
     .error < 1e-9'
"$TARE" sim --json --classes 14,16,18,20,25,30,40 "$models/terminal.model" >"$work/out" 2>"$work/err"
check 'a density: seven values to 1e-6' "$(jq -c '.at' "$work/out")" found \
    '[[.at[].below], [0.0073203824, 0.2172321633, 0.5458893152, 0.7536498801, 0.9414659986,
     0.9840658875, 0.998706847]] | transpose | length == 7 and
     all((.[0] - .[1]) < 1e-6 and (.[1] - .[0]) < 1e-6)'
check 'its reported error is less' "$(jq -c '.error' "$work/out")" found '.error < 1e-6'
"$TARE" sim --classes 14,16 - <"$models/terminal.model" >"$work/out" 2>&1
check 'a table within 80 columns' "$(awk 'length > 80' "$work/out")" \
    test "$(awk 'length > 80' "$work/out" | wc -l)" -eq 0
check 'its quantiles' "$(cat "$work/out")" grep -q '^ *50 %  17.68$' "$work/out"
"$TARE" sim -o "$work/sum.db" "$models/terminal.model" >"$work/out" 2>&1
expect_status 'as a run' 0 "$TARE" show --full "$work/sum.db"
check 'with its quantiles' "$(cat "$work/output")" \
    grep -qE '^ +response +10,000 .* 1\.768 ms ' "$work/output"

# A chain of three queues at load 0.6, of one that was simulated. Independent stays are Erlang's: up to
# 10 with 1 - 13 exp(-4). Where the stay is the same at each, three times an exponential of 2.5.
printf 'passes 200000\nlevels a\nstimulus s arrivals poisson interval 1.66666667 route a exponential 1\n' \
    >"$work/one.model"
"$TARE" sim --replications 1 --warm-up 200 "$work/one.model" -o "$work/one.db" >"$work/out" 2>&1
echo 'delay transmission series one.db model.response times 3' >"$work/chain.model"
"$TARE" sim --json --classes 10,20 "$work/chain.model" >"$work/out" 2>"$work/err"
check 'a chain of three: the n-fold product of one queue' "$(jq -c '.at' "$work/out")" found \
    '[.at[].below] | (.[0] - 0.761897 | fabs) < 0.015 and (.[1] - 0.986246 | fabs) < 0.005'
echo 'delay processing series one.db model.response scale 3' >"$work/worst.model"
"$TARE" sim --json --classes 10,20 "$work/worst.model" >"$work/out" 2>"$work/err"
check 'a chain of three, the same stay at each: the bound' "$(jq -c '.at' "$work/out")" found \
    '[.at[].below] | (.[0] - 0.736403 | fabs) < 0.015 and (.[1] - 0.930517 | fabs) < 0.005'
expect_status 'replications of what has none' 2 "$TARE" sim --replications 3 "$models/lattice.model"
expect_status 'the image does not play it' 1 "$TARE" sim --program "$models/lattice.model"
finish
