#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
#
# make bench ONLY=sim: tare sim beside SimPy, on the same model, in pairs, one right behind the other, on
# one core; then what more cores, and more passes, do to it.
#
#     ROUNDS  pairs (default 5)
set -u

. tools/tests/support/lib.sh

rounds=${ROUNDS:-5}
models=tools/tests/models
bar=150
their_passes=20000
our_passes=2000000

row() {
    printf '%-46s %12s  %s\n' "$1" "$2" "$3"
}

# median: of the numbers of standard input.
median() {
    sort -g | awk '{ v[NR] = $1 } END { if (NR > 0) print v[int((NR + 1) / 2)] }'
}

# ours PASSES REPLICATIONS JOBS SEED: JSON to $work/ours.json; user CPU seconds, wall-clock seconds
# and peak memory in KiB to $work/cpu.
ours() {
    /usr/bin/time -o "$work/cpu" -f '%U %e %M' "$TARE" sim --arrivals poisson --json \
        --passes "$1" --replications "$2" --jobs "$3" --seed "$4" \
        "$models/paper.model" >"$work/ours.json" 2>"$work/error"
}

# One pair: events a second of both and their ratio; the means of both are kept.
pair() {
    /usr/bin/python3 "$(dirname "$0")/simpy_model.py" $their_passes "$1" >"$work/theirs" \
        2>"$work/error" && ours $our_passes 1 1 "$1" || return 1
    cat "$work/theirs" >>"$work/their_means"
    jq -r '.results[0] | [.events, (.statistics[] |
        select(.name == "special.transit" or .name == "low.wait" or .name == "low.waiting") |
        .name, .mean)] | @tsv' "$work/ours.json" >>"$work/our_means"
    echo "$(tail -n 1 "$work/our_means" | cut -f 1) $(cat "$work/cpu" "$work/theirs" | tr '\n' ' ')" |
        awk '{ printf "%.0f %.0f %.1f\n", $1 / $2, $5 / $6, $1 / $2 / ($5 / $6) }'
}

# The means of all rounds, ours less theirs, in standard errors of theirs: those of 10000 passes are
# the reference's.
compare_means() {
    for line in 'special.transit 3 0.047' 'low.wait 4 0.026' 'low.waiting 5 0.22'; do
        # shellcheck disable=SC2086
        set -- $line
        mine=$(awk -v name="$1" '{ for (i = 2; i < NF; i++) if ($i == name) s += $(i + 1) }
            END { print s / NR }' "$work/our_means")
        row "mean of $1, tare sim and SimPy" "$mine" "$(awk -v c="$2" -v se="$3" -v m="$mine" \
            -v n="$their_passes" '{ s += $c } END { z = (s / NR - m) / (se / sqrt(NR * n / 1e4))
            printf "%.4f, %+.2f standard errors: %s", s / NR, z, z * z < 16 ? "agree" : "DIFFER" }' \
            "$work/their_means")"
    done
}

speed() {
    for round in $(seq "$rounds"); do
        echo "speed, round $round of $rounds" >&2
        pair "$round" || return 1
    done >"$work/pairs"
    row 'events a second, one core, tare sim' \
        "$(cut -d ' ' -f 1 "$work/pairs" | median | awk '{ printf "%.1f M", $1 / 1e6 }')" \
        'whole program, its start too'
    row 'events a second, one core, SimPy' \
        "$(cut -d ' ' -f 2 "$work/pairs" | median | awk '{ printf "%.3f M", $1 / 1e6 }')" \
        'its simulation alone'
    row 'ratio of each pair' '' "$(cut -d ' ' -f 3 "$work/pairs" | tr '\n' ' ')"
    ratio=$(cut -d ' ' -f 3 "$work/pairs" | median)
    row 'their median' "$ratio" "bar: $bar"
    compare_means
    check 'speed beside SimPy' "the median ratio is $ratio, not $bar" \
        awk -v r="$ratio" -v bar=$bar 'BEGIN { exit !(r >= bar) }'
}

# Replications on one core and on all, in turn, and the medians.
scaling() {
    cores=$(nproc)
    for round in 1 2 3; do
        echo "scaling, round $round of 3" >&2
        ours 100000 32 1 1 || return 1
        cut -d ' ' -f 2 "$work/cpu" >>"$work/one"
        ours 100000 32 "$cores" 1 || return 1
        cut -d ' ' -f 2 "$work/cpu" >>"$work/many"
    done
    row "32 replications of 100000 passes, $cores cores" \
        "$(echo "$(median <"$work/one") $(median <"$work/many")" |
            awk '{ printf "%.2f times", $1 / $2 }')" \
        "$(median <"$work/one") s on one, $(median <"$work/many") s on all"
}

memory() {
    echo 'memory' >&2
    ours 100000 1 1 1 || return 1
    short=$(cut -d ' ' -f 3 "$work/cpu")
    ours 10000000 1 1 1 || return 1
    long=$(cut -d ' ' -f 3 "$work/cpu")
    row 'peak memory, 10^5 and 10^7 passes' "$long KiB" "of the shorter $short KiB"
    # What a page more or less of the loader's makes.
    check 'memory does not grow with the run' "$long KiB against $short KiB" \
        [ "$long" -le $((short + 256)) ]
}

speed || fail 'speed beside SimPy' "$(tail -n 1 "$work/error")"
scaling || fail 'scaling' "$(tail -n 1 "$work/error")"
memory || fail 'memory' "$(tail -n 1 "$work/error")"
finish bench_sim
