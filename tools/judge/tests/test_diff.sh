#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
#
# tare diff: boots of the image with one instruction more, each at another place of a traced path.
# The place of a call takes one more by way of a jump: the call goes to the end of the code, where a
# jump leads to the function that was called. No address of anything else changes.
#
#     DIFF_BOOTS=N  of the places below (default 2; `make same-bytes` boots all 20)
set -u

. tools/tests/support/lib.sh
. tools/tests/image/boot.sh

elf=${ELF:-build/image/tare.elf}
plan='--shift 6 --bench inversion,order,nesting,switches,process --set switches.ms=20'

# FUNCTION CALLEE: of each, the first call.
places='semaphore_post scheduler_wake_first
pipe_write scheduler_settle
message_send scheduler_by
message_send scheduler_wake_by
message_send scheduler_settle
message_send trace_message_send
semaphore_post scheduler_settle
semaphore_post trace_lock_release
semaphore_wait scheduler_wait
semaphore_wait trace_lock_wait
mutex_lock thread_current
mutex_unlock scheduler_wake_first
pipe_read trace_lock_acquire
thread_exit scheduler_end
thread_yield scheduler_yield
timer_interrupt trace_timer_expire
dpc_run_all trace_dpc_exit
interrupt_dispatch trace_isr_exit
thread_sleep_until scheduler_wait
thread_create_in trace_thread_start'

# hex TEXT: a number.
hex() {
    echo $((0x$1))
}

# put FILE OFFSET OPCODE DISPLACEMENT: five bytes of an instruction with a 32-bit displacement.
put() {
    # shellcheck disable=SC2059 # bytes, as "\140\001"
    printf "$(awk -v opcode="$3" -v value="$4" 'BEGIN {
        printf "\\%03o", opcode
        value = value < 0 ? value + 4294967296 : value
        for (i = 0; i < 4; i++) {
            printf "\\%03o", value % 256
            value = int(value / 256)
        }
    }')" | dd of="$1" bs=1 "seek=$2" conv=notrunc status=none
}

# lengthen FUNCTION CALLEE: $work/longer.efi. In the image's file, code lies at its address.
lengthen() {
    # shellcheck disable=SC2046 # three numbers
    set -- $(awk -v name="<$1>:" -v callee="<$2>" '
        $2 == name { inside = 1 }
        inside && /^$/ { exit }
        inside && $2 == "call" && $4 == callee { sub(":", "", $1); print $1, $3; exit }
    ' "$work/code") $(nm "$elf" | awk '$3 == "image_text_end" { print $1 }')
    [ $# -eq 3 ] || return 1
    site=$(hex "$1")
    called=$(hex "$2")
    free=$(($(hex "$3") - 8))
    [ "$(od -An -tx8 -j"$free" -N8 "$elf" | tr -d ' ')" = 0000000000000000 ] || return 1
    cp "$elf" "$work/longer.elf"
    put "$work/longer.elf" "$site" 232 $((free - site - 5))
    put "$work/longer.elf" "$free" 233 $((called - free - 5))
    tools/build/convert.sh "$work/longer.elf" "$work/longer.efi"
}

# lines NAME FORMAT: of a run, in the order of the run.
lines() {
    "$TARE" export --format "$2" "$work/$1.db" >"$work/$1.$2"
}

# first_line FORMAT: "BENCH LINE" of the first line that differs: the line's number from the first one
# of its bench, or of its series, from 0. Nothing where none does.
first_line() {
    paste -d '\n' "$work/base.$1" "$work/longer.$1" | awk -F, -v samples="$1" '
        NR % 2 == 1 { line = $0; key = samples == "csv" ? $1 "," $2 "," $3 : $1 "," $2; bench = $1; next }
        { count[key]++ }
        $0 != line { print bench, count[key] - 1; exit }'
}

# located: does tare diff name what the exported lines show? Facts of a bench, which no line has, may differ
# before: its end, and rates by clocks.
located() {
    "$TARE" diff --json "$work/base.db" "$work/longer.db" >"$work/diff.json"
    [ $? -eq 1 ] || return 1
    jq -r 'first(.differences[.first:][] | select(.place != "bench")) | "\(.place) \(.bench) \(.first)"' \
        "$work/diff.json" >"$work/named"
    read -r place bench number <"$work/named"
    case $place in
    record) [ "$(first_line csv-events)" = "$bench $number" ] ;;
    sample) [ "$(first_line csv)" = "$bench $number" ] ;;
    *) false ;;
    esac
}

# shellcheck disable=SC2086 # its words
boot base 0 $plan
objdump -d --no-show-raw-insn "$elf" >"$work/code"
lines base csv-events
lines base csv
echo "$places" | head -n "${DIFF_BOOTS:-2}" >"$work/places"
while read -r function callee; do
    check "$function: one instruction more before $callee" 'no such call' \
        lengthen "$function" "$callee"
    # shellcheck disable=SC2086 # its words
    boot longer 0 $plan "$work/longer.efi"
    lines longer csv-events
    lines longer csv
    check "$function to $callee: located" "$(cat "$work/named" 2>/dev/null)" located
    "$TARE" diff "$work/base.db" "$work/longer.db" | sed -n '/^  first/,/^  running/p'
done <"$work/places"

expect_status 'a run that is missing: status 2' 2 "$TARE" diff "$work/base.db" "$work/none.db"
finish
