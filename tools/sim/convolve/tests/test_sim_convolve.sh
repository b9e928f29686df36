#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
#
# tare sim convolve: both examples of the reference, the check by draws, pictures, and refusals.
set -u

. tools/tests/support/lib.sh

models=tools/tests/models

# found FILTER: jq's filter is true of the last JSON.
found() {
    jq -e "$1" "$work/out" >/dev/null 2>&1
}

# refused TEXT MESSAGE: the delays in TEXT are refused with exit status 1 and this message.
refused() {
    printf '%b' "$1" >"$work/bad.convolve"
    "$TARE" sim convolve "$work/bad.convolve" >"$work/out" 2>"$work/err"
    [ $? -eq 1 ] && [ ! -s "$work/out" ] &&
        [ "$(cat "$work/err")" = "tare sim convolve: $work/bad.convolve:$2" ]
}

"$TARE" sim convolve --json "$models/lattice.convolve" >"$work/out" 2>"$work/err"
check 'whole numbers: 19 masses, exact' "$(head -c 300 "$work/out")" found \
    '[.masses[].mass] == [0.0637875, 0.25515, 0.23085, 0.15795, 0.1269, 0.03375, 0.026075,
     0.00305, 0.0023125, 0.0001, 0.0091875, 0.03645, 0.030375, 0.01215, 0.00945, 0.00135,
     0.001025, 0.00005, 0.0000375] and .mean == 11.25 and .variance == 10.3575 and
     .curve.error < 1e-9'
"$TARE" sim convolve --json --at 40,30,25,20,18,16,14 --check 100000 "$models/terminal.convolve" \
    >"$work/out" 2>"$work/err"
check 'a density: seven values to 1e-6' "$(jq -c '.at' "$work/out")" found \
    '[[.at[].below], [0.0073203824, 0.2172321633, 0.5458893152, 0.7536498801, 0.9414659986,
     0.9840658875, 0.998706847]] | transpose | length == 7 and
     all((.[0] - .[1]) < 1e-6 and (.[1] - .[0]) < 1e-6)'
check 'its stated error is less' "$(jq -c '.curve' "$work/out")" found '.curve.error < 1e-6'
check 'draws agree with it' "$(jq -c '.check' "$work/out")" found \
    '.check.agrees and .check.distance < .check.bound and .check.draws == 100000'
cp "$work/out" "$work/first"
"$TARE" sim convolve --json --at 40,30,25,20,18,16,14 --check 100000 "$models/terminal.convolve" \
    >"$work/out" 2>"$work/err"
check 'the same seed, the same bytes' 'they differ' cmp -s "$work/first" "$work/out"

"$TARE" sim convolve - --svg "$work/curve.svg" <"$models/terminal.convolve" >"$work/out" 2>&1
check 'a table within 80 columns' "$(awk 'length > 80' "$work/out")" \
    test "$(awk 'length > 80' "$work/out" | wc -l)" -eq 0
check 'its quantiles' "$(cat "$work/out")" grep -q '^ *50 %  17.6771$' "$work/out"
check 'a picture' 'it is no SVG' grep -q '</svg>' "$work/curve.svg"
"$TARE" sim convolve --svg "$work/none/curve.svg" "$models/terminal.convolve" >/dev/null 2>"$work/err"
check 'a picture that cannot be written' "$(cat "$work/err")" test $? -eq 1

# A chain of three queues at load 0.6, of one that was simulated. Independent stays are Erlang's: up to
# 10 with 1 - 13 exp(-4). Where the stay is the same at each, three times an exponential of 2.5.
printf 'passes 200000\nlevels a\nstimulus s arrivals poisson interval 1.66666667 route a exponential 1\n' \
    >"$work/one.model"
"$TARE" sim --replications 1 --warm-up 200 "$work/one.model" -o "$work/one.db" >"$work/out" 2>&1
printf 'unit 100us\ntransmission series one.db model.response times 3\n' >"$work/chain.convolve"
"$TARE" sim convolve --json --at 10,20 "$work/chain.convolve" >"$work/out" 2>"$work/err"
check 'a chain of three: the n-fold product of one queue' "$(jq -c '.at' "$work/out")" found \
    '[.at[].below] | (.[0] - 0.761897 | fabs) < 0.015 and (.[1] - 0.986246 | fabs) < 0.005'
printf 'unit 100us\nprocessing series one.db model.response scale 3\n' >"$work/worst.convolve"
"$TARE" sim convolve --json --at 10,20 "$work/worst.convolve" >"$work/out" 2>"$work/err"
check 'a chain of three, the same stay at each: the bound' "$(jq -c '.at' "$work/out")" found \
    '[.at[].below] | (.[0] - 0.736403 | fabs) < 0.015 and (.[1] - 0.930517 | fabs) < 0.005'
check 'an unknown delay' "$(cat "$work/err")" refused 'arival 1\n' \
    '1: unknown delay "arival"; did you mean "arrival"?'
check 'probabilities that do not add to 1' "$(cat "$work/err")" refused \
    '# two\narrival values {1: 1/2, 2: 1/4}\n' '2: the probabilities add to 0.75, not to 1'
check 'a histogram that is not there' "$(cat "$work/err")" refused 'arrival histogram none\n' \
    '1: none: cannot read the file: No such file or directory'
printf '1 2 3\n\0\n9 9 9\n' >"$work/cut"
check 'a histogram with a zero byte' "$(cat "$work/err")" refused "arrival histogram $work/cut\\n" \
    "1: $work/cut is not text"
"$TARE" sim convolve --at 1,x "$models/terminal.convolve" >/dev/null 2>"$work/err"
check 'a time that is none' "$(cat "$work/err")" test $? -eq 2
"$TARE" sim convolve >/dev/null 2>"$work/err"
check 'no file' "$(cat "$work/err")" test $? -eq 2
finish
