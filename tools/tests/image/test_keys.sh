#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
#
# Input from outside: tare boot --keys types and clicks through QEMU; the image reports what came.
set -u

. tools/tests/support/lib.sh
. tools/tests/image/boot.sh
limit=60

# refused NAME TEXT OPTION...: wrong usage: prints TEXT and starts nothing.
refused() {
    refused_name=$1
    refused_text=$2
    shift 2
    expect_status "$refused_name: wrong usage" 2 "$TARE" boot --log "$work/refused.log" "$@" "$image"
    check "$refused_name: prints why" "it printed: $(cat "$work/output")" \
        grep -qF -- "$refused_text" "$work/output"
    check "$refused_name: starts nothing" 'there is a log' test ! -e "$work/refused.log"
}

refused 'a button that is none' '--keys: script statement 2, up: expected left, right or middle' \
    --keys 'a; click up'
refused 'a script that is no file' 'none: No such file or directory' --keys "@$work/none"
refused 'an empty script' '--keys: the script has no event' --keys ' # a'
refused 'a setting with an open brace' '--set input.script={a: must be KEY=VALUE' --set 'input.script={a'
refused 'two settings in one' '--set input.script={a} exit=halt: must be KEY=VALUE' \
    --set 'input.script={a} exit=halt'

printf '#!/bin/sh\necho no such machine\nexit 3\n' >"$work/qemu"
chmod +x "$work/qemu"
boot no_qemu 1 --qemu "$work/qemu" --keys a "$image"
check 'a QEMU that ends at once: reported' "$(cat "$work/no_qemu.err")" printed no_qemu \
    'QEMU exited with status 3 before the run ended'

# came NAME BENCH COUNT: so many events were expected, and so many came, in their order.
came() {
    json "$1" ".run.valid and (.benches[] | select(.name == \"$2\") | .status == \"OK\" and
        (.interactive | .planned == $3 and .arrived == $3 and .matched == $3 and .in_order))"
}

cat >"$work/script" <<'SCRIPT'
type "hello, World" # } in a comment closes nothing, nor does one "in quotes"
click left; pagedown x3
SCRIPT
# Two benches, each gets all. At --shift 3 firmware would take twice as long. If a busy host types late, the
# controller holds keys and clicks at once, and hands keys over first: up to three boots.
type_exact() {
    boot_once exact --mode exact --shift 6 --bench echo,keystroke --keys "@$work/script" "$image"
    came exact echo 34 && came exact keystroke 34
}
up_to 3 type_exact
boot_ended exact 0
check 'exact: all came, in order' "$(value exact '.benches[].interactive')" came exact echo 34
check 'exact: and for the second bench again' "$(value exact '.benches[1].interactive')" \
    came exact keystroke 34
check 'exact: what was typed is recorded as the script of both' \
    "$(value exact '.benches[].params.script')" json exact '[.benches[].params.script] |
        length == 2 and (unique | length) == 1 and (.[0] | test("pagedown x3"))'
boot wheel 0 --mode exact --shift 6 --bench echo --keys 'wheel -3; pause 300ms; wheel 2' "$image"
check 'the wheel of QEMU: two turns, with their notches' "$(value wheel '.benches[0].interactive.events')" \
    came wheel echo 2
check 'the wheel of QEMU: one packet of four bytes for each' "$(value wheel '.benches[0].facts')" \
    json wheel '.benches[0].facts.input_mouse_bytes == 8'
check 'exact: it prints how late it was' "$(cat "$work/exact.err")" \
    grep -qE 'typed 34 events, each at most [0-9]+\.[0-9]{3} ms late' "$work/exact.err"
check 'exact: codes of the script' "$(value exact '[.benches[0].interactive.events[].code]')" \
    json exact '[.benches[0].interactive.events[] | select(.kind == "key_down") | .code] ==
        [35, 18, 38, 38, 24, 51, 57, 42, 17, 24, 19, 38, 32, 209, 209, 209]'

# Each key that has a name, in real time; then a mouse. QEMU's keyboard holds eight keys: a busy host that
# takes the guest's thread away for longer loses the ninth. Then the next of four boots types more slowly.
names='esc 1 2 3 4 5 6 7 8 9 0 minus equal backspace tab q w e r t y u i o p leftbracket
    rightbracket enter ctrl a s d f g h j k l semicolon quote backquote shift backslash z x c v b n
    m comma period slash rightshift kpmultiply alt space capslock f1 f2 f3 f4 f5 f6 f7 f8 f9 f10
    numlock scrolllock kp7 kp8 kp9 kpminus kp4 kp5 kp6 kpplus kp1 kp2 kp3 kp0 kpperiod f11 f12
    kpenter rightctrl kpdivide print rightalt home up pageup left right end down pagedown insert
    delete meta rightmeta menu'
for every_ms in 20 50 150 400; do
    keys=
    for name in $names; do
        keys="$keys$name every=${every_ms}ms hold=$((every_ms / 2))ms; "
    done
    boot_once real --mode real --bench echo --keys "${keys}pause 100ms; click left; click right; \
click middle; move 3,-2 every=${every_ms}ms x3" "$image"
    if came real echo 215; then break; fi
    echo "a key each $every_ms ms: $(value real '.benches[].reason')"
done
boot_ended real 0
check 'real: each of 103 keys, buttons and movements' \
    "$(value real '.benches[] | .reason, (.interactive | .planned, .arrived, .in_order)')" \
    came real echo 215
check 'real: movements as they were' "$(value real '.benches[0].interactive.events[-3:]')" \
    json real '[.benches[0].interactive.events[-3:][].kind] == ["move", "move", "move"]'

# No key is typed.
boot untyped 1 --shift 10 --bench echo,clock --set 'input.script={type "a"; click left}' \
    --set input.source=outside --set input.wait_ms=300 "$image"
check 'a key that never comes: bounded and reported' "$(value untyped '.benches[].reason')" \
    json untyped '.benches[] | select(.name == "echo") | .status == "FAIL" and
        (.reason | test("got 0 of 4 expected events;"))'
check 'a key that never comes: the next bench runs' "$(value untyped '.benches[].status')" \
    json untyped '.benches[] | select(.name == "clock") | .status == "OK"'

boot bad_plan 1 --force --shift 10 --set 'input.script={type "a" wpm=none}' "$image"
check 'a bad script in the plan: refused with its error' "$(cat "$work/bad_plan.err")" \
    printed bad_plan 'input.script: script statement 1, wpm=none: expected a number from 0 to 6000'
finish
