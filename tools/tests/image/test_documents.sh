#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
#
# Tasks editor, writer and profile in a short form: the same work in each structure of the window
# system, whatever plays the script; the document is what the script types; what the writer puts off
# is in a key's latency where a test driver asks for it, and in the work in all cases.
set -u

. tools/tests/support/lib.sh
. tools/tests/image/boot.sh

structures='in_kernel server segmented' # blanks separate as well as commas
phases=$(($(echo "$structures" | wc -w) * 3))

# of BENCH FILTER
of() {
    json documents "(.run.ticks_per_instruction | tonumber) as \$tick |
        .benches[] | select(.name == \"$1\") | $2"
}

facts() {
    value documents ".benches[] | select(.name == \"$1\") | .facts" | tr -d '\n '
}

# same BENCH FACT: there is one of each phase, and all are equal.
same() {
    of "$1" "[.facts | to_entries[] | select(.key | startswith(\"$2.\")) | .value] |
        length == $phases and (unique | length) == 1"
}

boot documents 0 --shift 7 --bench editor,writer,profile,desktop --set trace.bytes=16000000 \
    --set "editor.structures={$structures}" --set "writer.structures={$structures}" \
    --set "profile.structures={$structures}" --set editor.tick_hz=0 --set writer.tick_hz=0 \
    --set editor.daemon_us=1000000 --set editor.characters=3500 --set editor.script='{type characters=24 errors=9% wpm=300; enter;
        pause 2200ms; pageup; pause 2200ms; pagedown every=300ms; ctrl+end; up x2; down x2; ctrl+end; type characters=8 wpm=300}' \
    --set writer.echo_us=10000 --set writer.layout_us=16000 --set writer.spell_us=8000 \
    --set writer.script='{type characters=20 errors=9% wpm=150; left x2; end; type " It was." wpm=150}' \
    --set profile.script='{key shift; at 2s key shift}' \
    --set desktop.script='{key f12 as=warm_up; pause 50ms; key f12 hold=2ms every=30ms x4 as=unbound_key; move 255,80 as=warm_up;
        pause 50ms; click left hold=9ms every=50ms x4 as=background_click; move -255,-80 as=warm_up; pause 50ms; key f12 as=unfocused}'
check 'tasks: OK' "$(value documents '.benches[].reason' | tr '\n' ' ')" \
    all_ok documents editor writer profile desktop

for bench in editor writer; do
    for fact in document_checksum screen_checksum requests drawn flushes; do
        check "$bench: $fact is the same in all $phases phases" "$(facts $bench)" same $bench $fact
    done
    check "$bench: the document is what the script types, after corrections" "$(facts $bench)" \
        of $bench '.facts | .script_length > 25 and
            .script_checksum == .["document_checksum.in_kernel.hand"]'
    check "$bench: a driver and its message behind each event are less than 2000 instructions of work" \
        "$(facts $bench)" of $bench '(.facts["input_events"] / '$phases') as $events | .facts |
            (.["busy.in_kernel.test"] - .["busy.in_kernel.hand"]) / $tick / $events |
            . > 0 and . < 2000'
    check "$bench: a server goes to another address space and back for each flush" \
        "$(facts $bench)" of $bench '.facts |
            .["address_spaces.server.hand"] == 2 * .["flushes.server.hand"] and
            .["address_spaces.in_kernel.hand"] == 0'
    check "$bench: a flush of the segmented structure is a far call or more, of others none" \
        "$(facts $bench)" of $bench '.facts |
            .["far_calls.segmented.hand"] >= .["flushes.segmented.hand"] and
            .["segment_loads.segmented.hand"] > 0 and .["far_calls.in_kernel.hand"] == 0 and
            .["segment_loads.in_kernel.hand"] == 0 and .["far_calls.server.hand"] == 0'
done

# By the trace, not by the program's account: service of all keys that went down, and idle loop.
answered='([.interactive.kinds[] | select(.kind == "key_down")] | .[0].service.mean * .[0].events) as $hand |
    ([.interactive.kinds[] | select(.kind == "key_down")] | .[1].service.mean * .[1].events) as $test'
check 'writer: by hand a key takes its echo, with messages layout and spelling as well' \
    "$(facts writer)" of writer "$answered | .facts |
    (\$test - \$hand) as \$more | (.[\"layout_ticks.in_kernel.test\"] +
        .[\"spelling_ticks.in_kernel.test\"]) as \$put_off |
    \$more >= \$put_off and \$more < 1.05 * \$put_off and \$hand < 1.2 * .[\"echo_ticks.in_kernel.hand\"]"
check 'writer: the work in all is the same as fast as possible' "$(facts writer)" of writer \
    '.facts | .["busy.in_kernel.fast"] / .["busy.in_kernel.hand"] | . > 0.99 and . < 1.01'
check 'writer: as fast as possible, it is never idle' "$(facts writer)" of writer \
    '.facts | .["busy.in_kernel.fast"] > 0.99 * .["elapsed.in_kernel.fast"]'

check 'profile: what is known of an idle system adds up to its busy time, to 2 %' \
    "$(facts profile)" of profile '.facts | (.["busy.in_kernel.hand"] - .["blink_ticks.in_kernel.hand"]) as $clock |
    ((.["blink_ticks.server.hand"] - .["blink_ticks.in_kernel.hand"]) / .["blinks.server.hand"]) as $crossing |
    .["busy.server.hand"] - .["blink_ticks.server.hand"] - .input_events / 3 * $crossing - $clock |
    . / $clock | . > -0.02 and . < 0.02'
check 'profile: the segmented system is busier by its chores' "$(facts profile)" of profile '.facts |
    (.["busy.segmented.hand"] - .["busy.in_kernel.hand"]) / .["chore_ticks.segmented.hand"] |
    . >= 1 and . < 1.2'

# An input that no application wants crosses once into the window system, at each of its two events.
"$TARE" export --format json --bench desktop -o "$work/desktop.json" "$work/documents.db"
medians='128 as $tick | .benches[].interactive |
    (.phases | map({key: (.phase | tostring), value: .name}) | from_entries) as $names |
    [.actions[] | {class, phase: $names[.phase | tostring], service}] | group_by([.class, .phase]) |
    map({key: (.[0].class + "." + .[0].phase), value: (map(.service) | sort | .[length / 2 | floor])}) | from_entries'
desktop() {
    jq -e "$medians | $1" "$work/desktop.json" >/dev/null
}
check 'desktop: a key takes the server two crossings longer, 2 x 1000 instructions, and 16-bit code few' \
    "$(jq -c "$medians" "$work/desktop.json")" desktop \
    '((.["unbound_key.server.hand"] - .["unbound_key.in_kernel.hand"]) / $tick) as $more |
     ((.["unbound_key.segmented.hand"] - .["unbound_key.in_kernel.hand"]) / $tick) as $few |
     $more > 2000 and $more < 2600 and $few > -200 and $few < 300'
check 'desktop: a click on the background takes as long as it is held in the segmented system alone' \
    "$(jq -c "$medians" "$work/desktop.json")" desktop \
    '.["background_click.segmented.hand"] > 8900000 and .["background_click.segmented.hand"] < 10000000 and
     .["background_click.in_kernel.hand"] < 1000000 and .["background_click.server.hand"] < 2000000'
check 'desktop: with the focus elsewhere, a key costs the same, apart from a clock tick' \
    "$(jq -c "$medians" "$work/desktop.json")" desktop \
    '(.["unfocused.in_kernel.hand"] - .["unbound_key.in_kernel.hand"]) / $tick | . > -300 and . < 800'

# What the segmented system does behind a burst of events keeps the idle loop from ending its sample,
# as the paper's Word under Windows 95 did; the user waits for none of it.
"$TARE" export --format json --bench editor -o "$work/editor.json" "$work/documents.db"
most() {
    jq --arg phase "$1" --arg column "$2" '.benches[].interactive |
        (.phases[] | select(.name == $phase).phase) as $number |
        [.actions[] | select(.phase == $number)[$column] | select(.)] | max' "$work/editor.json"
}
check 'editor: after-work of the segmented system is seconds by the idle loop' \
    "$(most segmented.hand idle) against $(most in_kernel.hand idle) ticks" \
    test "$(most segmented.hand idle)" -gt $((900000000 + $(most in_kernel.hand idle)))
check 'editor: and nothing of what the user waits for, to 5 %' \
    "$(most segmented.hand service) against $(most in_kernel.hand service) ticks" \
    test "$(most segmented.hand service)" -lt $(($(most in_kernel.hand service) * 21 / 20))
finish
