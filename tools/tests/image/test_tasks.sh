#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
#
# Threads in exact mode: every context switch is traced and every tick accounted for; sampling,
# inversion and overload against truth that is known.
set -u

. tools/tests/support/lib.sh
. tools/tests/image/boot.sh

# The accounts of the run's bench sum to the time that elapsed, and no event contradicts another.
books_close() {
    json "$1" '.benches[0].accounting | .elapsed > 0 and .sum == .elapsed and .difference == 0 and
        .inconsistencies == 0 and .lost_packets == 0'
}

# So they do, and all time is known.
books_complete() {
    books_close "$1" && json "$1" '.benches[0].accounting |
        .unknown == 0 and .gaps == 0 and .events == .kept'
}

check_books() {
    check "$1: books close to the tick" "$(value "$1" '.benches[0].accounting |
        del(.threads, .vectors, .locks, .timers, .sampling, .reconcile)' | tr -d '\n ')" \
        books_complete "$1"
}

# The idle loop and the trace, sample by sample, up to the trace's end; at least COUNT samples.
idle_agrees() {
    json "$1" ".benches[0].accounting.reconcile | .all.n >= $2 and .not_compared == 0 and
        .behind <= .shortest and
        .all.within_iteration == .all.n and (.all.largest_error_iterations | fabs) <= 1"
}

check_idle() {
    check "$1: idle loop and trace agree within an iteration, sample by sample" \
        "$(value "$1" '.benches[0].accounting.reconcile' | tr -d '\n ')" idle_agrees "$1" "$2"
}

# Every phase: as many switches in the trace as the bench made, none lost; no slot late; the rate
# within 0.1 %.
counted() {
    json "$1" "(.run.verdict.hz | tonumber) as \$hz | .benches[0] |
        (.phases | length) == $2 and (.phases | all(.switches == .expected and .lost == 0 and
            .late == 0 and (.switches / (.ticks / \$hz) / $3 - 1 | fabs) < 0.001)) and
        (.traces | all(.discarded == 0 and .overwritten == 0 and .claimed == .bytes))"
}

phases() {
    value "$1" '.benches[0].phases' | tr '\n' ' '
}

# 8 virtual seconds of 40,000 switches each.
test_rate() {
    boot rate 0 --bench switches --set switches.ms=2000 --set trace.bytes=16777216
    check 'switches: 4 ways of 80000 switches at 40000 a second, none lost' "$(phases rate)" \
        counted rate 4 40000
    check 'switches: a million events' "$(value rate '.benches[0].traces[].kept')" json rate \
        '[.benches[0].traces[].kept] | add >= 1000000'
    check_books rate
    check_idle rate 5000
}

# Least and median length of a round of each way.
rounds() {
    value "$1" '.benches[0].series[] | select(.name != "idle") | [.name, .min, .median] | join(" ")'
}

# Any number of threads; without a rate, and slowly; in several parts; too late.
test_rings() {
    boot ring64 0 --bench switches --set switches.threads=64 --set switches.ms=330 \
        --set trace.bytes=4194304
    check 'switches: a ring of 64 threads, none lost' "$(phases ring64)" counted ring64 4 40000
    check_books ring64
    boot fast 0 --bench switches --set switches.threads=3 --set switches.rate=0 \
        --set switches.ms=20
    check 'switches: without a rate, none lost' "$(phases fast)" json fast '.benches[0].phases |
        length == 4 and all(.switches == .expected and .switches > 0 and .lost == 0)'
    check_books fast
    boot slow 0 --bench switches --set switches.threads=3 --set switches.rate=5000 \
        --set switches.ms=20
    check 'switches: the plan sets when rounds begin, not how long they are' \
        "$(rounds fast | tr '\n' ' '), slowly $(rounds slow | tr '\n' ' ')" \
        test "$(rounds slow | wc -l) $(rounds slow)" = "4 $(rounds fast)"
    boot drained 0 --bench switches --set switches.ms=100 --set switches.by=message,yield \
        --set trace.mode=drain --set trace.bytes=65536
    check 'switches: drained between rounds, none lost' "$(phases drained)" counted drained 2 40000
    check 'switches: drained whenever half is full' "$(value drained '.benches[0].traces | length')" \
        json drained '.benches[0].traces | length >= 6'
    check 'switches: of which each part knows why the idle thread is ready' \
        "$(value drained '.benches[0].accounting.threads[0].ready' | tr '\n' ' ')" json drained \
        '.benches[0].accounting.threads[] | select(.name == "idle") |
         .ready.woken == 0 and .ready.preempted > 0'
    check_books drained
    check 'switches: drained, the account agrees' 'it does not' json drained \
        '.benches[0].account | .whole and .differences == 0'
    # At 64 ns an instruction some slots are past when they are looked for.
    boot late 0 --shift 6 --bench switches
    check 'switches: late slots are counted, and no round is skipped' "$(phases late)" json late \
        '(.benches[0].phases | (map(.late) | add) > 0 and all(.switches == .expected and .lost == 0))
         and .benches[0].facts.rounds_message == 250'
    check_books late
    # The host refuses it too (test_plan.sh): this is the image's own check.
    boot unknown 1 --force --bench switches --set switches.by=message,mail
    check 'switches: the image names a way that there is not' "$(value unknown '.run.errors[]?')" json unknown \
        '.run.errors | any(. == "switches.by: expected one or more of message, pipe, semaphore, yield, got \"mail\"")'
}

# raw NAME SERIES PERCENT: that quantile of all samples, those that are left out included.
raw() {
    "$TARE" show --samples "switches/$2" "$work/$1.db" | sort -n |
        awk -v percent="$3" '{ at[NR] = $1 } END { print at[int((NR - 1) * percent / 100) + 1] }'
}

# A record that finds no room costs no more than one that is kept; what was sampled with such is left
# out, and each switch is of the way whose thread made it.
test_full() {
    boot full 0 --bench switches --set trace.bytes=32768
    check 'switches: a full buffer: samples of kept records alone' \
        "$(value full '.benches[0].series[] | [.name, .n, .left_out] | join(" ")' | tr '\n' ',')" \
        json full '.run.valid and .benches[0].status == "OK" and
            (.benches[0].series | map({(.name): .}) | add |
             (.message | .n > 100 and .n < 250 and .n + .left_out == 250) and
             (.pipe | .n == 0 and .left_out == 250) and (.yield | .n == 0 and .left_out == 500))'
    check 'switches: a discarded record costs no more than a kept one' \
        "$(raw full pipe 50) beside $(raw rate pipe 50), $(raw full yield 50) beside $(raw rate yield 50)" \
        test "$(raw full pipe 50)" -le "$(raw rate pipe 50)" -a \
        "$(raw full yield 50)" -le "$(raw rate yield 50)"
    check 'switches: a full buffer: no way has switches of another' "$(phases full)" json full \
        '.benches[0].phases | length == 1 and .[0].by == "message" and .[0].lost > 0 and
            .[0].switches > 500 and .[0].switches <= .[0].expected'
    check 'switches: a full buffer: the account goes on' "$(value full '.benches[0].account' |
        tr -d '\n ')" json full '.benches[0].account | .sum == .elapsed and .differences == 0 and
            (.lines | map({(.name): .entries}) | add | .["yield 0"] + .["yield 1"] >= 1000)'
}

# Ten minutes of the machine's time, without a trace: a round is three switches to threads.
test_untraced() {
    boot untraced 0 --shift 10 --bench switches --set switches.ms=200000 --set switches.rate=400 \
        --set switches.by=message,pipe,semaphore --set trace.mode=off
    check 'switches: 10 minutes without a trace, each tick in an account' \
        "$(value untraced '.benches[0].account' | tr -d '\n ')" json untraced \
        '(.run.verdict.hz | tonumber) as $hz | .benches[0] | .facts as $facts |
         (.traces | length) == 0 and .status == "OK" and .account.elapsed >= 600 * $hz and
         .account.sum == .account.elapsed and .account.differences == 0 and
         (.account.lines | map({(.name): .entries}) | add | . as $entries |
          ["message", "pipe", "semaphore"] | all(. as $way |
            $entries[$way + " 0"] + $entries[$way + " 1"] - 3 * $facts["rounds_" + $way] |
            . >= 0 and . < 12))'
}

test_aliasing() {
    boot aliasing 0 --bench aliasing
    check 'aliasing: by events within 0.01 points of the truth, by samples off by more than 40' \
        "$(value aliasing '.benches[0].shares' | tr '\n' ' ')" json aliasing \
        '.benches[0].shares | length == 2 and
         all((.truth - 0.5 | fabs) < 0.0001 and (.by_events - .truth | fabs) < 0.0001 and
             (.by_samples - .truth | fabs) > 0.4)'
    check 'aliasing: the clock tick never finds the one and always the other' \
        "$(value aliasing '.benches[0].facts')" json aliasing '.benches[0].facts |
         .hidden_charged == 0 and .seen_charged == 10'
    check_books aliasing
    check_idle aliasing 500
}

# Observed beyond expected: some switches and interrupts.
test_inversion() {
    boot inversion 0 --bench inversion
    check 'inversion: each wait as constructed, to 32 us' \
        "$(value inversion '.benches[0].waits' | tr '\n' ' ')" json inversion \
        '.benches[0].waits | length == 3 and
         all(.observed >= .expected and .observed - .expected < 32000 and
             .traced >= .expected and .traced <= .observed)'
    check 'inversion: inheritance spares the highest priority the work between' 'it does not' \
        json inversion '[.benches[0].waits[].observed] | .[0] - .[1] > 9900000'
    check_books inversion
    check_idle inversion 20
}

overloaded() {
    json "$1" ".benches[0].overload | (.parts | length) == 2 and
        (.parts | all(.produced == $2 and .unaccounted == 0 and .marks > 0 and .marks < $2)) and
        .parts[0].discarded > 0 and .parts[0].overwritten == 0 and
        .parts[1].overwritten > 0 and .parts[1].discarded == 0"
}

never_idle() {
    json "$1" '.benches[0].accounting |
        .unknown > 0 and ([.accounts[] | select(.name == "idle") | .ticks] | add) == 0'
}

test_overload() {
    for events in 10000 200000; do
        boot "overload$events" 0 --bench overload --set overload.events=$events
        check "overload: kept, discarded and overwritten add up to $events marks and the rest" \
            "$(value "overload$events" '.benches[0].overload' | tr '\n' ' ')" \
            overloaded "overload$events" $events
        check "overload: books of $events close all the same" \
            "$(value "overload$events" '.benches[0].accounting | .difference, .inconsistencies' |
                tr '\n' ' ')" books_close "overload$events"
        check "overload: what was lost of $events is unknown, not idle" \
            "$(value "overload$events" '.benches[0].accounting.accounts' | tr -d '\n ')" \
            never_idle "overload$events"
    done
}

test_rate
test_rings
test_full
test_untraced
test_aliasing
test_inversion
test_overload
finish
