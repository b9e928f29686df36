#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
#
# Processes: ring 3 reaches only what it owns, and its costs are exact. A fault of a thread or a
# process ends its bench, by name, and no other.
set -u

. tools/tests/support/lib.sh
. tools/tests/image/boot.sh

elf=build/image/tare.elf

# Address of a symbol of the image, in hexadecimal.
address() {
    nm "$elf" | awk -v name="$1" '$3 == name { print $1 }'
}

# Code of ring 3 that calls, jumps to or reads what is not in its own pages.
strays() {
    objdump -d --no-show-raw-insn --start-address="0x$(address image_user_start)" \
        --stop-address="0x$(address image_user_constants)" "$elf" >"$work/user"
    awk -v start="$(address image_user_start)" -v end="$(address image_user_end)" '
        function padded(hex) { return substr("0000000000000000" hex, length(hex) + 1) }
        function outside(hex) { return padded(hex) < start || padded(hex) >= end }
        $2 ~ /^(call|j)/ && $3 ~ /^[0-9a-f]+$/ && outside($3) { print }
        /\(%rip\)/ { hex = $0; sub(/.*# /, "", hex); sub(/ .*/, "", hex); if (outside(hex)) print }' \
        "$work/user"
}

test_code() {
    stray=$(strays)
    check 'code of ring 3: there is some' 'none' grep -q 'syscall$' "$work/user"
    check 'code of ring 3: refers to nothing outside its pages' "$stray" test -z "$stray"
}

# median BENCH SERIES NAME
median() {
    value "$1" ".benches[] | select(.name == \"process\") | .series[] |
        select(.name == \"$2\" and .event == null) | .median"
}

# instructions SERIES: of what it times, without the reading of the TSC.
instructions() {
    echo $((($(median process "$1") - $(median process "empty${1#null_call}")) /
        $(value process .run.ticks_per_instruction)))
}

# What is timed is the call and what sets up its arguments.
test_costs() {
    boot process 0 --bench process,windows --set process.calls=500
    check 'process: OK in exact mode' "$(value process '.benches[0].reason')" all_ok process process
    call=$(instructions null_call)
    traced=$(instructions null_call_traced)
    check 'process: null system call at most 60 instructions' "it takes $call" [ "$call" -le 60 ]
    check 'process: traced, the call and two records of 24' "it takes $traced" \
        [ "$traced" -le $((call + 16 + 2 * 24)) ]
    check 'process: every null system call the same' 'they differ' json process '.benches[0].series[] |
        select(.name == "null_call") | .n == 500 and .min == .max'
    check 'process: a page is cleared or copied word by word' \
        "$(median process demand_zero), $(median process copy_on_write)" json process \
        '[.benches[0].series[] | select(.name == "demand_zero" or .name == "copy_on_write") |
          .n == 32 and .min > 8 * 512] == [true, true]'
}

# windows FILTER: of bench windows in the boot of test_costs.
windows() {
    json process ".benches[] | select(.name == \"windows\") | $1"
}

# A flush goes to the server and back: by the image's count, and by the switches of the trace, where
# the server also begins and ends. Each structure draws the same at a cost that is known.
test_windows() {
    found=$(value process '.benches[] | select(.name == "windows") | .facts' | tr -d '\n ')
    check 'windows: the same screen in each structure' "$found" windows '.facts |
        .["screen_checksum.in_kernel"] == .["screen_checksum.server"] and
        .["screen_checksum.server"] > 0 and .["screen_checksum.segmented"] == .["screen_checksum.server"]'
    check 'windows: each request is merged or drawn' "$found" windows '.facts |
        .["requests.server"] == .["merged.server"] + .["drawn.server"] and
        .["requests.in_kernel"] == .["requests.server"] and .["merged.server"] > 0'
    check 'windows: two address spaces a flush of a server, none in the kernel' "$found" windows \
        '(.facts["flushes.server"] + 20) as $crossings | .facts["address_spaces.in_kernel"] == 0 and
         .facts["address_spaces.server"] == 2 * $crossings and
         ([.accounting.threads[] | select(.name == "window_server") | .switches] == [$crossings + 2])'
    check 'windows: a flush to 16-bit code is a far call, which loads 6 segment registers, and 20 a record' "$found" \
        windows '.facts | (.["flushes.segmented"] + 20) as $calls | .["far_calls.segmented"] == $calls and
            .["segment_loads.segmented"] == 6 * $calls + 20 * .["drawn.segmented"] and .["segment_loads.server"] == 0 and
            .["unaligned.segmented"] == 30 * .["drawn.segmented"] and .["address_spaces.segmented"] == 0'
    check 'windows: 16-bit code costs its flushes, and the same for each record, to the tick' \
        "$found" windows '([.series[] | select(.name | startswith("draw.")) |
            {key: .name, value: .min}] | from_entries) as $draw | .facts |
            ($draw["draw.segmented"] - $draw["draw.in_kernel"] - .["draw_flushes.segmented"] *
             (.["flush_least.segmented"] - .["flush_least.in_kernel"])) as $records |
            $records > 0 and $records % .["draw_requests.segmented"] == 0'
    check 'windows: a click takes as long as it is held in the segmented structure, else no time' \
        "$found" windows '.facts | .["button_held.segmented"] > 2970000 and
            .["button_held.segmented"] < 3090000 and .["button_held.in_kernel"] < 30000 and
            .["button_held.in_kernel"] == .["button_held.server"]'
    check 'windows: a server costs its flushes, to the tick' "$found" windows \
        '([.series[] | select(.name | startswith("draw.")) | {key: .name, value: .min}] | from_entries)
         as $draw | .facts | $draw["draw.server"] - $draw["draw.in_kernel"] ==
         .["draw_flushes.server"] * (.["flush_least.server"] - .["flush_least.in_kernel"])'
}

test_sizes() {
    boot process-large 0 --shift 4 --bench process --set process.pages=1024 \
        --set process.rounds=20 --set process.calls=20
    check 'process: 1024 pages, each copied twice' "$(value process-large '.benches[0].reason')" \
        all_ok process-large process
}

# crash NAME: the crash of a run, in words.
crash_of() {
    value "$1" '.run.crashes[0] | .registers.name, .registers.thread, (.backtrace[] | .symbol)' |
        tr '\n' ' '
}

# faulty KIND STATE EXCEPTION SYMBOL
faulty() {
    boot "$1" 1 --shift 6 --bench fault,idle --set "fault.kind=$1" --set idle.ms=20
    check "$1: $2, and the next bench runs" "$(value "$1" '.benches[] | .name, .status' | tr '\n' ' ')" \
        json "$1" "[.benches[] | [.name, .status]] == [[\"fault\", \"$2\"], [\"idle\", \"OK\"]]"
    check "$1: reported as $3 of thread victim in $4" "$(crash_of "$1")" json "$1" \
        ".run.crashes | length == 1 and .[0].registers.bench == \"fault\" and
         .[0].registers.name == \"$3\" and .[0].registers.thread == \"victim\" and
         (.[0].backtrace[0].symbol | startswith(\"$4\"))"
}

# faulty_state KIND EXCEPTION: of 16-bit code.
faulty_state() {
    boot "$1" 1 --shift 6 --bench fault,idle --set "fault.kind=$1" --set idle.ms=20
    check "$1: CRASH of thread victim as $2, and the next bench runs" "$(crash_of "$1")" json "$1" \
        "[.benches[].status] == [\"CRASH\", \"OK\"] and (.run.crashes | length) == 1 and
         .run.crashes[0].registers.name == \"$2\" and .run.crashes[0].registers.thread == \"victim\""
}

# segment_fault KIND EXCEPTION OFFSET
segment_fault() {
    faulty_state "$1" "$2"
    check "$1: at offset $3 of CS, without a backtrace" "$(value "$1" '.run.crashes[0]')" json "$1" \
        ".run.crashes[0] | .registers.cs == \"0x000000000000004b\" and
         .registers.rip == \"0x00000000000000$3\" and .registers.segment != \"0x0000000000000000\" and
         ((.backtrace // []) | length) == 0"
}

test_faults() {
    faulty thread-ud CRASH '#UD invalid opcode' raise_invalid_opcode
    faulty thread-de CRASH '#DE divide error' raise_divide_error
    faulty thread-stack CRASH '#PF page fault' overflow_stack
    check 'thread-stack: the guard page is named' 'not so' printed thread-stack 'stack overflow'
    check 'thread-stack: the thread can be walked' "$(crash_of thread-stack)" json thread-stack \
        '.run.crashes[0].backtrace | length > 10'
    faulty thread-hang CRASH watchdog hang
    faulty thread-deaf CRASH watchdog hang
    faulty user-de CRASH '#DE divide error' user_divide_error
    faulty user-gp CRASH '#GP general protection' user_protection
    faulty user-pf CRASH '#PF page fault' user_touch
    check 'user-pf: it was the rights that lacked, not the page' \
        "$(value user-pf '.run.crashes[0].registers.error_code')" json user-pf \
        '.run.crashes[0].registers.error_code == "0x0000000000000005"'
    faulty user-stack CRASH '#PF page fault' user_overflow_stack
    check 'user-stack: the guard page is named' 'not so' printed user-stack 'stack overflow'
    check 'user-stack: the stack of ring 3 can be walked' "$(crash_of user-stack)" json user-stack \
        '.run.crashes[0].backtrace | length > 10'
    faulty user-hang CRASH watchdog user_hang
    segment_fault segment-de '#DE divide error' 44
    segment_fault segment-hang watchdog c0
    # A system call of 16-bit code reaches ring 0, and is refused there.
    faulty_state segment-syscall '#UD invalid opcode'
    check 'segment-syscall: refused in ring 0' "$(crash_of segment-syscall)" json segment-syscall \
        '.run.crashes[0].backtrace[0].symbol == "syscall_refused_entry"'
}

test_code
test_costs
test_windows
test_sizes
test_faults
finish
