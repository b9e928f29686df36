#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
#
# Interactive events in exact mode: every key and click that was made arrives, what it costs by the
# idle loop, by the trace and by the application's own stamps, against truth that is known.
set -u

. tools/tests/support/lib.sh
. tools/tests/image/boot.sh
. tools/tests/support/screen.sh

# run_json NAME: the run's JSON, made once.
run_json() {
    [ -s "$work/$1.json" ] || "$TARE" show --json "$work/$1.db" >"$work/$1.json" 2>/dev/null
    cat "$work/$1.json"
}

# of NAME BENCH FILTER: the result of jq's filter on that bench; its analysis is in .interactive.
of() {
    run_json "$1" | jq -r ".benches[] | select(.name == \"$2\") | $3" 2>/dev/null
}

# is NAME BENCH FILTER: true if the filter is true of that bench.
is() {
    run_json "$1" | jq -e ".benches[] | select(.name == \"$2\") | $3" >/dev/null 2>&1
}

# All that was planned came, once, in order, and each within 64 ticks of its last byte.
all_came() {
    is "$1" "$2" ".interactive | .planned == $3 and .matched == $3 and .arrived == $3 and
        .missing == 0 and .unplanned == 0 and .in_order and
        .arrival_error_min >= -64 and .arrival_error_max <= 64" &&
        is "$1" "$2" '.facts | .input_refused == null and .input_garbage == null and
            .input_overrun == null and .input_bad == null'
}

check_came() {
    check "$2: all of $3 events, once, in order, within 64 ticks" \
        "$(of "$1" "$2" '.facts, (.interactive | del(.events, .kinds, .explanation))' |
            tr -d '\n ')" all_came "$1" "$2" "$3"
}

# The trace has all, its books close, and idle loop and stamps are distinguished to the tick: all
# that is beyond the stamps has a name.
explained() {
    is "$1" echo ".interactive.explanation | .events == $2 and .residual == 0 and
        (.idle_residual | fabs) * 1000 <= .iteration_millitick and (.parts | length) >= 5" &&
        is "$1" echo '[.interactive.events[] | select(.stamp_from != null and .shared != true)] |
            length > 0 and all((.elongation - .elongation_busy | fabs) <= 16 and
                .traditional < .elongation)' &&
        is "$1" echo '(.interactive.explanation.parts | map(.total) | add) ==
            ([.interactive.events[] | select(.explained) | .elongation_busy - .traditional] | add)'
}

check_books() {
    check "$2: books close to the tick, nothing is lost" \
        "$(of "$1" "$2" '.accounting | .difference, .inconsistencies, .unknown' | tr '\n' ' ')" \
        is "$1" "$2" '.accounting | .sum == .elapsed and .difference == 0 and
            .inconsistencies == 0 and .unknown == 0 and .lost_packets == 0'
}

check_idle() {
    check "$2: idle loop and trace agree within an iteration, sample by sample" \
        "$(of "$1" "$2" '.accounting.reconcile' | tr -d '\n ')" is "$1" "$2" \
        '.accounting.reconcile | .all.n > 100 and .not_compared == 0 and
            .all.within_iteration == .all.n'
}

test_echo() {
    check_came run echo 200
    check 'echo: 100 keys, by idle loop as by the trace, and more than the stamps, explained' \
        "$(of run echo '.interactive.explanation' | tr -d '\n ')" explained run 100
}

# Trials with caches emptied before are apart; the others cost the same to the tick: their standard
# deviation is 0.
test_keystroke() {
    check_came run keystroke 100
    check 'keystroke: 40 trials without deviation, 10 cold ones apart' \
        "$(of run keystroke '.interactive.kinds' | tr -d '\n ')" is run keystroke \
        '[.interactive.kinds[] | select(.kind == "key_down")] | length == 2 and
         any(.cold and .events == 10) and
         any((.cold | not) and .events == 40 and .service.exact and .service.deviation == 0)'
}

# held BENCH: how long each button was held by the script, in ticks.
held='([.interactive.events[] | select(.kind == "button_up") | .intended] as $up |
    [.interactive.events[] | select(.kind == "button_down")] |
    [., $up] | transpose | map({held: (.[1] - .[0].intended), service: .[0].service}))'

# 20 us: what an event takes to arrive and to be taken, twice.
test_click() {
    check_came run click 100
    check 'click: each down takes less than 20 us' "$(of run click "$held" | tr -d '\n ')" \
        is run click "$held | length == 50 and all(.service > 0 and .service < 20000)"
    check 'click: 40 trials, 10 cold ones apart' \
        "$(of run click '.interactive.kinds' | tr -d '\n ')" is run click \
        '[.interactive.kinds[] | select(.kind == "button_down")] | length == 2 and
         any(.cold and .events == 10) and any((.cold | not) and .events == 40)'
    check_came run click_busy 100
    check 'click_busy: the latency of each click is how long it was held' \
        "$(of run click_busy "$held" | tr -d '\n ')" is run click_busy \
        "$held | length == 50 and all((.held - 20000000 | fabs) <= 8 and
             (.service - .held | fabs) < 20000)"
}

# Down and up share samples of the idle loop, whose figure is of the click: as long as the busy time
# of the trace, within the loop's iteration and what the tracer costs.
test_actions() {
    check 'click_busy: 50 clicks, each of two events, with a figure of the idle loop' \
        "$(of run click_busy .interactive.actions | tr -d '\n ')" is run click_busy \
        '.interactive.actions | length == 50 and all(.class == "click" and .events == 2 and
             .idle > .service and .idle < .service + 200000 and .response > 20000000)'
    check 'maximize: a click is one action, known by the idle loop' \
        "$(of run maximize .interactive.actions | tr -d '\n ')" is run maximize \
        '.interactive as $all | $all.actions | length == 1 and .[0].events == 2 and
             .[0].idle == ($all.events[0].elongation) and .[0].idle < .[0].response'
    check 'burst: a capital letter is one action; each phase is a group' \
        "$(of run burst '.latency.groups | map({actions, elapsed})' | tr -d '\n ')" is run burst \
        '(.interactive.actions | map(.events) | add) == .interactive.arrived and
         (.interactive.actions | any(.events == 4)) and
         (.latency.groups | length == 2 and .[0].actions == 40 and .[1].actions == 40 and
             .[0].elapsed > 1000000000 and .[1].elapsed < 1000000000)'
    check 'queuesync: in latencies by the idle loop, the effect; in response times, none' \
        "$(of run queuesync '.latency.groups | map(.idle.cumulative)' | tr -d '\n ')" is run queuesync \
        '.latency.groups | map({(.name): .}) | add |
         (.sync.idle.cumulative[4].latency - .plain.idle.cumulative[4].latency > 1990000) and
         (.sync.response.cumulative[4].latency - .plain.response.cumulative[4].latency < 20000)'
    "$TARE" export --format openmetrics --measure idle "$work/run.db" >"$work/idle.prom"
    check 'export --measure idle: metrics of no other measure' "$(grep -c idle.click "$work/idle.prom")" \
        sh -c "grep -q 'click_busy.idle.click' $work/idle.prom &&
            ! grep -qE 'echo.(response|service)' $work/idle.prom"
    above=$(of run background '[.interactive.actions[].response | select(.)] | sort | (.[20] + 0.5) / 1000000')
    "$TARE" export --format json --bench background --measure response --above "$above" \
        "$work/run.db" >"$work/above.json"
    check 'export json --above: latencies of actions that take longer alone' "above $above ms" \
        jq -e --argjson above "$above" '.benches[] | .latency.events ==
            (.interactive.actions | map(select(.response > $above * 1000000)) | length) and .latency.events > 0' \
        "$work/above.json"
}

# From the idle loop alone; the clock's ticks are only compared with.
test_maximize() {
    check_came run maximize 2
    check 'maximize: three phases; 22 steps at multiples of 10 ms, each longer than the last' \
        "$(of run maximize '.interactive.stairs' | tr -d '\n ')" is run maximize \
        '.facts.clock_period as $period | .facts.sample_ticks as $sample | .interactive.stairs |
         .growing and (.steps | length) == 22 and
         ([.steps[].ticks] as $t | [range(1; 22)] | all($t[.] > $t[. - 1])) and
         (.period - $period | fabs) < 0.01 * $period and (.phase_error | fabs) <= $sample and
         .first.ticks > 79900000 and .first.ticks < 81000000 and .last.ticks > .steps[21].ticks'
}

# The foreground of a key ends before the work after it, which the idle loop cannot distinguish.
test_background() {
    check_came run background 80
    check 'background: foreground work is separate from the work after it' \
        "$(of run background '[.facts, .interactive.kinds]' | tr -d '\n ')" is run background \
        '.facts.jobs == 40 and .facts.reads == 10 and .facts.blinks >= 15 and
         (.interactive.kinds[] | select(.kind == "key_down") |
             .elongation.min > 4000000 and .service.min < 1100000 and .service.max > 10000000)'
}

# Events of the two phases with what they cost: a script at human speed, then all at once.
test_burst() {
    count=$(of run burst '.interactive.planned')
    check_came run burst "$count"
    check 'burst: fewer redraws and less busy time an event, infinitely fast' \
        "$(of run burst '[.facts, .interactive.phases]' | tr -d '\n ')" is run burst \
        '.facts.redraws_human == 40 and .facts.redraws_fast < 4 and
         (.interactive.phases | length == 2 and .[0].events == .[1].events and
             .[0].handling > 4 * .[1].handling)'
}

# A message behind each event makes background work part of it.
test_queuesync() {
    check_came run queuesync 160
    check 'queuesync: with the message each key keeps the processor busy for longer, by 2 ms' \
        "$(of run queuesync '.facts' | tr -d '\n ')" is run queuesync \
        '.facts.layouts_deferred_plain == 40 and .facts.layouts_hastened_sync == 40 and
         ([.interactive.events[] | select(.kind == "key_down")] |
             ([.[] | select(.phase == 1) | .elongation] | max) + 1990000 <
                 ([.[] | select(.phase == 2) | .elongation] | min))'
}

# rule PHASE KIND: of the error of the next call as the end of an event.
rule() {
    printf '(.next_call[] | select(.phase == "%s" and .kind == "%s") | .late)' "$1" "$2"
}

# The next call is late by the work between, and early where the application looks for messages in
# the midst of its work; the same each time, to the tick (8 an instruction).
test_nextcall() {
    check_came run nextcall 120
    check 'nextcall: the rule errs by the work behind the effect, 2 ms, within 16 instructions' \
        "$(of run nextcall .next_call | tr -d '\n ')" is run nextcall \
        "([.next_call[].late | .min == .max] | all) and
         ($(rule at_once key_down).median as \$at_once | \$at_once > 0 and \$at_once < 200 * 8 and
         ($(rule behind key_down).median - \$at_once - 2000000 | fabs) <= 128)"
    check 'nextcall: it is early by half of the work and the drawing' \
        "$(of run nextcall .next_call | tr -d '\n ')" is run nextcall \
        "$(rule peeks key_down).median | . < -500000 and . > -600000"
    check 'nextcall: the machine of processor and calls errs by what it cannot know' \
        "$(of run nextcall .think_wait.machines | tr -d '\n ')" is run nextcall \
        '.think_wait.machines | .processor_calls.missed == 0 and .processor_calls.false_wait > 0 and
         .processor_calls.false_wait < .processor_queue.false_wait'
}

# Every tick is one state's; the device is waited for as long as it takes; the machines that know
# less are wrong where processor and user do not do the same.
test_think_wait() {
    for bench in $(echo $benches | tr , ' '); do
        check "$bench: think and wait sum to the elapsed time" \
            "$(of run "$bench" '.think_wait.residual')" is run "$bench" '.think_wait |
                .residual == 0 and .states.unknown.ticks == 0 and
                ([.states[].ticks] | add) == .elapsed and .elapsed > 0'
    done
    check 'keystroke: the user waits from the arrival of each byte to its effect, to the tick' \
        "$(of run keystroke '.think_wait | .wait, .waits' | tr '\n' ' ')" is run keystroke \
        '.think_wait.waits == 100 and
         .think_wait.wait == ([.interactive.events[].service] | add) and
         ([.think_wait.transitions[] | select(.cause == "input arrived")] | length == 100)'
    check 'background: every state of think and wait; 10 reads of 5 ms' \
        "$(of run background '.think_wait.states' | tr -d '\n ')" is run background \
        '.think_wait.states | (del(.unknown) | length == 8 and all(.visits > 0)) and
         (.wait_io.ticks + .wait_io_idle.ticks - 50000000 | fabs) < 200000'
    check 'background: by the processor alone, background counts as wait and I/O is missed' \
        "$(of run background '.think_wait.machines' | tr -d '\n ')" is run background \
        '.think_wait | .machines.processor.false_wait == .states.think_busy.ticks and
         .machines.processor.missed == .states.wait_queued_idle.ticks +
             .states.wait_work_idle.ticks + .states.wait_io_idle.ticks'
}

# The tables are there, and name what the run holds.
test_tables() {
    expect_status 'tare show --events' 0 "$TARE" show --events echo "$work/run.db"
    check 'tare show --events: names the keyboard interrupt' 'it does not' \
        grep -q 'i8042 keyboard' "$work/output"
    expect_status 'tare show --fsm' 0 "$TARE" show --fsm background "$work/run.db"
    expect_status 'tare show --interarrival' 0 "$TARE" show --interarrival 1,2 echo \
        "$work/run.db"
}

benches=echo,keystroke,click,click_busy,maximize,background,burst,queuesync,nextcall

test_defaults() {
    boot run 0 --bench $benches
    for bench in $(echo $benches | tr , ' '); do
        check_books run "$bench"
        check_idle run "$bench"
    done
    test_echo
    test_keystroke
    test_click
    test_actions
    test_maximize
    test_background
    test_burst
    test_queuesync
    test_nextcall
    test_think_wait
    test_tables
}

# The table of long events, where it is known which are long: those drawn, no more; at random by the
# geometric law within 3 standard errors, periodic ones without deviation.
test_long_events() {
    boot longs 0 --shift 7 --bench longevents
    check 'longevents: the events that are long are those that were drawn' \
        "$(of longs longevents '.facts, .long_events' | tr -d '\n ')" is longs longevents \
        '.facts as $facts | .long_events.phases | length == 2 and all(.keys == 400) and
         all(.long == $facts["long." + .phase]) and all(.long > 20)'
    check 'longevents: at random a mean of 1/p and a deviation like the mean, within 3 errors' \
        "$(of longs longevents .long_events | tr -d '\n ')" is longs longevents \
        '.long_events.phases[] | select(.phase == "random") |
         (.mean_off | fabs) < 3 and (.ratio_off | fabs) < 3 and .law_mean == 10'
    check 'longevents: periodic, a mean of 10 keys without deviation' \
        "$(of longs longevents .long_events | tr -d '\n ')" is longs longevents \
        '.long_events.phases[] | select(.phase == "periodic") | .mean == 10 and .ratio < 0.001'
}

# Of one script run twice nothing varies. The page of several runs is that of tare compare.
test_several_runs() {
    boot again 0 --shift 7 --bench longevents
    check 'same seed: elapsed time without any deviation' \
        "$("$TARE" compare --aa --all --json "$work/longs.db" "$work/again.db" | tr -d '\n ' | head -c 300)" \
        same_elapsed
}

same_elapsed() {
    "$TARE" compare --aa --all --json "$work/longs.db" "$work/again.db" 2>/dev/null |
        jq -e '[.metrics[] | select(.name | test("elapsed|busy"))] | length == 4 and
            all(.deviation == 0 and .equal)' >/dev/null
}

# 1300 characters, shifted ones among them: two events a character, and two a shift.
test_long_script() {
    boot long 0 --bench echo --set echo.work_us=500 \
        --set 'input.script={type characters=1300 wpm=2400; click left hold=90ms x3; pagedown x3}'
    count=$(of long echo '.interactive.planned')
    check 'long script: 2600 events and more' "$count" [ "${count:-0}" -gt 2600 ]
    check_came long echo "$count"
    check 'long script: recorded as given to the bench' "$(of long echo .params.script)" \
        is long echo '.params.script == "type characters=1300 wpm=2400; click left hold=90ms x3; pagedown x3"'
    check_books long echo
}

# What a bench cannot do is reported, and the next one runs. A key that never comes: none is typed.
test_failures() {
    boot never 1 --shift 6 --bench echo,keystroke,burst,maximize \
        --set 'echo.script={key nosuch}' --set input.source=outside --set input.wait_ms=200
    check 'a script that is wrong is an ERROR that names it' "$(of never echo .reason)" \
        is never echo '.status == "ERROR" and (.reason | test("nosuch"))'
    check 'keys that never come are a FAIL with how many' "$(of never keystroke .reason)" \
        is never keystroke '.status == "FAIL" and (.reason | test("got 0 of 100 expected events;")) and
            .interactive.missing == 100'
    check 'a bench that plays its script in two ways is a SKIP' "$(of never burst .reason)" \
        is never burst '.status == "SKIP"'
    check 'the next bench runs' "$(of never maximize .reason)" is never maximize \
        '.status == "FAIL" and (.reason | test("got 0 of 2 expected events;"))'
    boot absent 0 --shift 6 --bench echo,click,clock --set input.source=loopback -- \
        -machine i8042=off
    check 'without a keyboard controller: SKIP with the reason' "$(of absent echo .reason)" \
        is absent echo '.status == "SKIP" and (.reason | length > 10)'
    check 'without a keyboard controller: the next bench runs' 'it does not' \
        is absent clock '.status == "OK"'
}

# By the monitor: pages with PWT, which select entry 1 of the PAT, cover the screen from the base of
# the adapter's memory on, 4 bytes a pixel, in whole pages of 2 MiB and 4 KiB.
combined() {
    base=$(monitor 'info pci' |
        sed -n 's/.*BAR0: 32 bit prefetchable memory at 0x\([0-9a-f]*\).*/\1/p')
    bytes=$(sed -n 2p "$work/screen.ppm" | awk '{ print $1 * $2 * 4 }')
    monitor 'info tlb' | sed -n 's/^\([0-9a-f]*\): .* X-\(.\).*T-W.*/\1 \2/p' >"$work/tlb"
    [ "$(head -n 1 "$work/tlb")" = "00000000$base P" ] &&
        awk -v bytes="$bytes" '{ sum += $2 == "P" ? 2097152 : 4096 } END { exit sum != bytes }' \
            "$work/tlb"
}

# An application draws all over the screen; afterwards the lines of the run are there again, those
# before it too.
test_screen() {
    printf 'bench=maximize maximize.work_us=1 maximize.steps=3\n' >"$work/fw.plan"
    without_tpm /usr/share/ovmf/OVMF.fd "$work/firmware"
    timeout 120 qemu-system-x86_64 -machine q35,smm=off -m 256 -bios "$work/firmware" \
        -kernel "$image" -nodefaults -display none -net none -no-reboot -vga std -serial none \
        -fw_cfg "name=opt/tare/plan,file=$work/fw.plan" \
        -monitor "unix:$work/monitor,server=on,wait=off" >"$work/screen.err" 2>&1 &
    qemu=$!
    check 'screen: the run ends with QR codes' 'it does not' wait_for 12 screen_shows 'the log of this run as QR codes'
    monitor 'sendkey ret' >/dev/null
    check 'screen: a key shows the end' 'it does not' wait_for 12 screen_shows 'could not be saved'
    check 'screen: lines before the application are shown again' 'they are not' \
        wait_for 12 screen_shows 'no serial port found'
    # In real time a busy host may make it FAIL.
    check 'screen: and what became of it' "$("$TEST_BIN/screen_text" "$work/screen.ppm" | grep maximize)" \
        wait_for 12 screen_shows 'bench maximize: '
    check 'screen: its pages, and no others, are mapped for write combining' 'they are not' \
        wait_for 3 combined
    monitor quit >/dev/null
    wait $qemu
}

# An emulator has no caches to empty: in real time, where it would matter, no trial is called cold.
test_never_cold() {
    timeout $limit "$TARE" boot --mode real --log "$work/warm.log" -o "$work/warm.db" \
        --bench keystroke --set 'keystroke.script={key f12 hold=10ms every=20ms x3}' \
        >"$work/warm.out" 2>&1
    check 'WBINVD does nothing: cold trials are reported as absent' \
        "$(of warm keystroke '.absent, .facts' | tr -d '\n ')" is warm keystroke \
        '.absent == [{"name": "cold", "reason": "WBINVD does not empty the caches here"}] and
            ([.series[].name] | index("cold")) == null'
    check 'and all are warm' "$(of warm keystroke '.interactive.kinds' | tr -d '\n ')" \
        is warm keystroke '.interactive.kinds | length > 0 and all(.cold | not)'
}

test_defaults
test_long_events
test_several_runs
test_long_script
test_never_cold
test_failures
test_screen
finish
