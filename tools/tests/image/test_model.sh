#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
#
# Response-time models on the real kernel in exact mode: the order of the paper's section 3.3, and
# the paper's input, whose responses are the same each time; in host time models of two processors.
set -u

. tools/tests/support/lib.sh
. tools/tests/image/boot.sh

models=tools/tests/models
# As the model has it, and the seed that is taken where none is named. Seeds 1 to 7 all lie inside
# their prediction; of shorter runs, 1000 passes, seed 1 does not (README).
passes=4000
seed=1

# refused NAME STATUS TEXT OPTION...: before anything boots.
refused() {
    refused_name=$1
    refused_status=$2
    refused_text=$3
    shift 3
    expect_status "refused: $refused_name" "$refused_status" "$TARE" boot --mode exact \
        --log "$work/refused.log" -o "$work/refused.db" "$@" "$image"
    check "refused: $refused_name, and why" "$(cat "$work/output")" \
        grep -qF -e "$refused_text" "$work/output"
}

test_refusals() {
    refused 'too few processors' 1 'but --smp is 1' --mode real --smp 1 --model "$models/processors.model"
    refused 'no such model' 1 'nowhere.model' --model "$work/nowhere.model"
    refused 'a setting without a model' 2 '--model-set needs --model' --model-set passes=1
    refused 'a setting that is none' 2 'NAME=VALUE' --model "$models/kernel.model" --model-set passes
    refused 'occupancies of a whole' 1 'add to 105 %' --model "$models/kernel.model" \
        --model-set occupancy.low=0.95
    check 'refused: no log was begun' 'there is one' [ ! -e "$work/refused.log" ]
}

test_program() {
    "$TARE" sim "$models/order.model" --program >"$work/program"
    check 'program: the way of each stimulus' "$(cat "$work/program")" \
        [ "$(grep -c '^stimulus [ABC] trace 1 0$' "$work/program")" -eq 3 ]
}

# As a separate plan, as on a USB stick.
test_order() {
    boot order 0 --plan "$work/program"
    check 'order: A-P B-P C-Q B-Q A-R' "$("$TARE" show --full "$work/order.db")" \
        [ "$("$TARE" show --samples model/order "$work/order.db" | awk '{
            printf "%s%c%c", (NR > 1 ? " " : ""), $NF % 256, int($NF / 256) }')" = 'AP BP CQ BQ AR' ]
}

# The last column of a series' samples, a line each.
samples() {
    "$TARE" show --samples "model/$2" "$work/$1.db" | awk '{ print $NF }'
}

# A cost is 40 samples; in exact time the median and all above it are the same.
constant() {
    [ "$(samples "$1" "cost.$2" | wc -l)" -eq 40 ] &&
        [ "$(samples "$1" "cost.$2" | sort -n | tail -n 20 | sort -u | wc -l)" -eq 1 ]
}

# Responses of undisturbed passes: 12.9 units of 50 us, and from 500 to 5000 instructions of 8 ns.
# The mean: 15.72 units by the reference, 0.5 more for the kernel's own work, one run of so many
# passes within 0.3.
responses() {
    samples "$1" response | sort -n | awk -v passes="$passes" '{ sum += $1 }
        NR == 1 { least = $1 }
        END { mean = sum / NR / 50000
              exit !(NR == passes && least >= 645000 + 4000 && least <= 645000 + 40000 &&
                     mean > 15.9 && mean < 16.55) }'
}

test_kernel() {
    boot first 0 --model "$models/kernel.model"
    boot second 0 --model "$models/kernel.model" --model-set passes=400 --model-seed 7
    boot third 0 --model "$models/kernel.model" --model-set passes=400 --model-seed 7
    check 'kernel: the same log each time' 'they differ' cmp -s "$work/second.log" "$work/third.log"
    check 'kernel: responses as long as work, competing work and the kernel make them' \
        "$(value first '.benches[0].series[] | select(.name == "response")' | tr -d '\n ')" \
        responses first
    for cost in empty interrupt preempt next again forward forward_up forward_back forward_down \
        begin interrupt_handler preempt_handler begin_handler; do
        check "kernel: cost of $cost" "$(samples first cost.$cost | sort -n | uniq -c)" \
            constant first $cost
    done
    check 'kernel: facts' "$(value first '.benches[0].facts')" json first \
        ".benches[0].facts | .unit == 50000 and .passes == $passes and .seed == $seed and .crowded == 0"
    check 'kernel: all quanta that came have a wait' "$(value first '.benches[0].series[].name')" \
        [ "$(samples first late | wc -l)" -ge \
        $(($(samples first wait.low | wc -l) + $(samples first wait.medium | wc -l) + passes)) ]
}

# lasts RUN SERIES UNITS UNIT_NS N: N responses of at least so many units, less 10 % for a wrong calibration of work.
lasts() {
    samples "$1" "$2" | awk -v hz="$(value "$1" .run.verdict.hz)" -v units="$3" -v ns="$4" -v n="$5" '
        $1 < 0.9 * units * ns * hz / 1e9 { short++ } END { exit !(NR == n && hz > 0 && short == 0) }'
}

# real_once NAME UNIT_NS N 'SERIES=UNITS...' OPTION...: false if a busy host left passes undone, or calibrated slowly.
real_once() {
    real_name=$1 real_unit=$2 real_n=$3 real_series=$4
    shift 4
    boot_once "$real_name" --mode real "$@" "$image"
    ! grep -h 'passes within the horizon' "$work/$real_name.err" "$work/$real_name.out" || return
    for response in $real_series; do
        lasts "$real_name" "${response%=*}" "${response#*=}" "$real_unit" "$real_n" || return
    done
}

# real NAME UNIT_NS N 'SERIES=UNITS...' OPTION...: real_once, up to three times; checks how long responses last.
real() {
    up_to 3 real_once "$@"
    boot_ended "$1" 0
    for response in $4; do
        check "$1: $response units or more" "$("$TARE" show --full "$work/$1.db")" \
            lasts "$1" "${response%=*}" "${response#*=}" "$2" "$3"
    done
}

# What each response lasts is its own work, and that of who goes first.
test_station() {
    real station 10000000 1 'response=11 response.Y=6 response.Z=7 response.A=5 response.B=4 response.C=3' \
        --model "$models/station.model"
    check 'station: preempts, goes on to the first, and A-P B-P C-Q B-Q A-R' \
        "$("$TARE" show --full "$work/station.db")" \
        [ "$("$TARE" show --samples model/order "$work/station.db" | awk '{
            printf "%s%c%c", (NR > 1 ? " " : ""), $NF % 256, int($NF / 256) }')" = \
        'Xl Ym Zh Zh AP BP CQ BQ AR' ]
}

test_processors() {
    # A response has its work, which is two portions of the front end, and its transmissions, which are two ways.
    real processors 1000000 100 response=2.4 --model "$models/processors.model" --model-set passes=100 \
        --model-set unit=1000000
    check 'processors: TSCs of one clock, and how sure that is' \
        "$(value processors '.benches[] | .facts | @json')" json processors '.benches[] |
        select(.name == "model") | .facts | .["skew_bound.1"] > 0 and
            (.["skew.1"] | if . < 0 then -. else . end) <= .["skew_bound.1"]'
    for series in wait.background@front wait.urgent@front wait.background@back wait.urgent@back; do
        check "processors: $series" "$("$TARE" show --full "$work/processors.db")" \
            [ "$(samples processors $series | wc -l)" -ge 10 ]
    done
    predict processors processors.model --set passes=100 --set unit=1000000 --replications 50
    if grep -q 'which is impossible' "$work/output"; then
        check 'processors: costs that the host disturbed are refused' "$(cat "$work/output")" \
            grep -q 'the cost of .* is -.*, which is impossible: .* boot again' "$work/output"
    else
        check 'processors: held against the prediction, wherever it lies' "$(cat "$work/output")" \
            shift_of '[.[].name] | contains(["model.response", "model.response.report",
                "model.wait.urgent@back"])'
    fi
}

# The image that is told to use one processor leaves such a model out, and names the cure.
test_one() {
    boot one 0 --set kernel=one --model "$models/processors.model"
    check 'one: two processors are not played on one' \
        "$(value one '.benches[] | .status, .reason' | tr '\n' ' ')" json one '.benches[0] |
        .status == "SKIP" and .reason == "model.program: expected 1 processor, got 2; set kernel=smp"'
}

# predict RUN MODEL OPTION...: MODEL simulated with the overheads that RUN measured, and compared with
# it. What is printed is in $work/output.
predict() {
    predict_run=$1
    predict_model=$2
    shift 2
    "$TARE" sim "$models/$predict_model" --overheads "$work/$predict_run.db" "$@" \
        -o "$work/predicted.db" >"$work/output" 2>&1 &&
        "$TARE" compare --force --json "$work/predicted.db" "$work/$predict_run.db" \
            >"$work/compared.json" 2>"$work/output"
}

# shift_of FILTER: true if jq's filter is true of the metrics of the last comparison.
shift_of() {
    jq -e ".comparisons[0].metrics | $1" "$work/compared.json" >"$work/output"
}

# At shift 6 the kernel's own work is 8 times as large a part of all times as at shift 3, so that an
# error in it shows: with it the medians are predicted to 4 %, without it the prediction is too low.
test_prediction() {
    expect_status 'prediction: shift 6 boots' 0 timeout $limit "$TARE" boot --mode exact --shift 6 \
        --log "$work/sixth.log" -o "$work/sixth.db" --model "$models/kernel.model" "$image"
    predict sixth kernel.model --passes 40000 --replications 1
    check 'prediction: with the overheads that the run measured as measured' \
        "$(jq -c '.comparisons[0].metrics' "$work/compared.json")" shift_of \
        '(map(.name) | contains(["model.response", "model.wait.low", "model.wait.medium"])) and
         all(.[]; .shift | fabs < 0.04)'
    predict sixth kernel.model --passes 40000 --replications 1 --set overhead.interrupt=0
    check 'prediction: without the interrupts it is too low' \
        "$(jq -c '.comparisons[0].metrics' "$work/compared.json")" shift_of \
        '.[] | select(.name == "model.response") | .shift > 0.05'
    expect_status 'prediction: a run without costs is refused' 1 "$TARE" sim \
        "$models/kernel.model" --overheads "$work/order.db"
}

test_refusals
test_program
test_order
test_kernel
test_prediction
test_station
test_processors
test_one
finish
