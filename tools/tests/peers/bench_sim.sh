#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
#
# make bench ONLY=sim: tare sim beside SimPy, on the same model, in pairs, one right behind the other, on
# one core; then what more cores, and more passes, do to it; and a queue of 10^7 customers beside Cimba.
#
#     ROUNDS  pairs (default 5)
#     CIMBA   prefix in which Cimba is installed (README.md); without it, that peer is skipped
set -u

. tools/tests/support/lib.sh

rounds=${ROUNDS:-5}
models=tools/tests/models
bar=150
their_passes=20000
our_passes=2000000

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
        bench_row "mean of $1, tare sim and SimPy" "$mine" "$(awk -v c="$2" -v se="$3" -v m="$mine" \
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
    bench_row 'events a second, one core, tare sim' \
        "$(cut -d ' ' -f 1 "$work/pairs" | median_of | awk '{ printf "%.1f M", $1 / 1e6 }')" \
        'whole program, its start too'
    bench_row 'events a second, one core, SimPy' \
        "$(cut -d ' ' -f 2 "$work/pairs" | median_of | awk '{ printf "%.3f M", $1 / 1e6 }')" \
        'its simulation alone'
    bench_row 'ratio of each pair' '' "$(cut -d ' ' -f 3 "$work/pairs" | tr '\n' ' ')"
    ratio=$(cut -d ' ' -f 3 "$work/pairs" | median_of)
    bench_row 'their median' "$ratio" "bar: $bar"
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
    bench_row "32 replications of 100000 passes, $cores cores" \
        "$(echo "$(median_of <"$work/one") $(median_of <"$work/many")" |
            awk '{ printf "%.2f times", $1 / $2 }')" \
        "$(median_of <"$work/one") s on one, $(median_of <"$work/many") s on all"
}

memory() {
    echo 'memory' >&2
    ours 100000 1 1 1 || return 1
    short=$(cut -d ' ' -f 3 "$work/cpu")
    ours 10000000 1 1 1 || return 1
    long=$(cut -d ' ' -f 3 "$work/cpu")
    bench_row 'peak memory, 10^5 and 10^7 passes' "$long KiB" "of the shorter $short KiB"
    # Pages of the histograms that only rare values touch, and one more or less of the loader's.
    check 'memory does not grow with the run' "$long KiB against $short KiB" \
        [ "$long" -le $((short + 512)) ]
}

# user NAME COMMAND...: its user seconds to $work/NAME.u, its output to $work/NAME.
user() {
    user_name=$1
    shift
    /usr/bin/time -o "$work/cpu" -f '%U' "$@" >"$work/$user_name" 2>"$work/error" || return 1
    cat "$work/cpu" >>"$work/$user_name.u"
}

build_cimba() {
    # Headers of Cimba take the keyword bool for granted, which GCC has since 13.
    # shellcheck disable=SC2046 # options
    cc -O2 -std=gnu2x -include stdbool.h -include assert.h "$(dirname "$0")/cimba_model.c" -o "$work/cimba_model" \
        $(PKG_CONFIG_PATH=$(find "$CIMBA" -type d -name pkgconfig | tr '\n' :) pkg-config --cflags --libs cimba) -lm \
        -Wl,-rpath,"$(dirname "$(find "$CIMBA" -name libcimba.so)")" 2>"$work/error"
}

# fits NAME: is the mean of $work/NAME.mean within 4 standard errors of the theory's? The variance of a mean of
# n stays is rho (2 + 5 rho - 4 rho^2 + rho^3) / (1 - rho)^4 / n (Daley, "The serial correlation coefficients of
# waiting times in a stationary single server queue", 1968).
fits() {
    awk -v rho=0.9 -v n=$customers '{ s += $1 } END {
        v = rho * (2 + 5 * rho - 4 * rho ^ 2 + rho ^ 3) / (1 - rho) ^ 4 / n / NR
        exit !((s / NR - 1 / (1 - rho)) ^ 2 < 16 * v) }' "$work/$1.mean"
}

queue_row() {
    bench_row "M/M/1 at 0.9, 10^7 customers, $2" "$(median_of <"$work/$1.u") s" "user's: $(spread "$work/$1.u")$3"
}

queue() {
    customers=10000000
    printf 'levels low\nload low service exponential 1 rate 0.9\n' >"$work/queue.model"
    set -- --quanta $customers --replications 1 --jobs 1 --json "$work/queue.model"
    for round in $(seq "$rounds"); do
        echo "a queue, round $round of $rounds" >&2
        user start "$TARE" sim --warm-up 0 --seed "$round" "$@" && user default "$TARE" sim --seed "$round" "$@" &&
            jq -r '.results[0].statistics[] | select(.name == "low.stay").mean' "$work/start" >>"$work/start.mean" || return 1
        [ ! -e "$work/cimba_model" ] || { user cimba "$work/cimba_model" $customers "$round" &&
            cat "$work/cimba" >>"$work/cimba.mean"; } || return 1
    done
    ours=$(median_of <"$work/start.u")
    queue_row start 'tare sim --warm-up 0' ''
    queue_row default 'tare sim' ", bar: 1.15 times that"
    check 'the mean stay is that of theory' "$(tr '\n' ' ' <"$work/start.mean")" fits start
    check 'a warm-up that is found costs little' "$(median_of <"$work/default.u") s against $ours s" \
        awk -v a="$ours" -v b="$(median_of <"$work/default.u")" 'BEGIN { exit !(b <= 1.15 * a) }'
    if [ ! -e "$work/cimba_model" ]; then
        skip 'a queue beside Cimba' "${CIMBA:+it does not compile: $(grep -m 1 error "$work/error")}${CIMBA-no CIMBA=PREFIX}"
        return
    fi
    queue_row cimba Cimba ''
    ratio=$(awk -v a="$ours" -v b="$(median_of <"$work/cimba.u")" 'BEGIN { printf "%.1f", b / a }')
    bench_row 'Cimba over tare sim, medians' "$ratio" 'bar: 4'
    check "the mean stay of Cimba's is that of theory" "$(tr '\n' ' ' <"$work/cimba.mean")" fits cimba
    check 'speed beside Cimba' "$ratio times, not 4" awk -v r="$ratio" 'BEGIN { exit !(r >= 4) }'
}

[ -z "${CIMBA-}" ] || build_cimba || true
queue || fail 'a queue beside Cimba' "$(tail -n 1 "$work/error")"
speed || fail 'speed beside SimPy' "$(tail -n 1 "$work/error")"
scaling || fail 'scaling' "$(tail -n 1 "$work/error")"
memory || fail 'memory' "$(tail -n 1 "$work/error")"
finish bench_sim
