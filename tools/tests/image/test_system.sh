#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
#
# Benches of the processor: clock reads, loops, procedure calls, system calls, exceptions. The object
# code matches the benches' descriptions. In exact mode every cost is the count made by hand, each
# time.
set -u

. tools/tests/support/lib.sh
. tools/tests/image/boot.sh

elf=build/image/tare.elf

# Of each loop with a call: whom it calls, how often a turn, the callee's instructions, and how many
# instructions a turn takes with the callee's.
calls() {
    objdump -d --no-show-raw-insn "$elf" | awk '
        $2 ~ /^<.*>:$/ { name = substr($2, 2, length($2) - 3); next }
        name ~ /^calle?e?_(register|stack)[0-7]$/ && !ended[name] && /^ *[0-9a-f]+:\t/ {
            ended[name] = $2 == "ret" # behind it is padding
            at = $1
            sub(":", "", at)
            n = ++count[name]
            order[name, at] = n
            text[name, n] = $2
            target[name, n] = $3
            to[name, n] = $4
        }
        END {
            split("register stack", kinds)
            for (k = 1; k <= 2; k++)
                for (i = 0; i <= 7; i++) print_loop(kinds[k] i)
        }
        function print_loop(id,    loop, callee, n, first, last, called, path) {
            loop = "call_" id
            for (n = 1; n <= count[loop]; n++)
                if (text[loop, n] == "jne") { last = n; first = order[loop, target[loop, n]] }
            for (n = first; n <= last; n++)
                if (text[loop, n] == "call") called = called to[loop, n]
            callee = substr(called, 2, length(called) - 2)
            for (n = 1; n <= count[callee]; n++) path = path " " text[callee, n]
            print id, called, last - first + 1 + count[callee] path
        }'
}

expected_calls() {
    for kind in register stack; do
        for i in 0 1 2 3 4 5 6 7; do
            arguments=$i
            [ $kind = stack ] && arguments=$((2 * i))
            [ $kind$i = register7 ] && arguments=8
            echo "$kind$i <callee_$kind$i> $((7 + arguments)) push mov pop ret"
        done
    done
}

test_object_code() {
    calls >"$work/calls"
    expected_calls >"$work/calls.expected"
    check 'calls: each loop calls its own function, with so many instructions on the way' \
        "$(diff "$work/calls.expected" "$work/calls" | head -n 4 | tr '\n' ';')" \
        cmp -s "$work/calls.expected" "$work/calls"
    stray=$(objdump -d --no-show-raw-insn "$elf" |
        awk '/call.*<callee_/ { n++ } END { print n + 0 }')
    check 'calls: no other caller' "$stray calls" [ "$stray" -eq 16 ]
}

# Instructions of each series: of one repetition of a cost, with its loop; of a plain series, less
# `empty`.
costs() {
    value system '(.run.ticks_per_instruction | tonumber) as $ticks | .benches[] | .name as $bench |
        .facts.repetitions as $repetitions |
        ([.series[] | select(.event == null)] | map({(.name): .median}) | add) as $median |
        .series[] | select(.event == null and (.name | endswith(".twice") | not)) |
        .name as $series |
        ($median[.name + ".twice"]) as $twice |
        (if $twice then ($twice - .median) / $repetitions
         elif .name == "empty" then .median
         else .median - ($median.empty // 0) end) / $ticks |
        "\($bench) \($series) \(.)"' | LC_ALL=C sort
}

# Counted by hand in kernels.S, user_calls.S, syscall.S, raise.S and stamped.S; from the
# listing of the image: what C is on the way of copy64, stat, self_ipi and timer. A deadline is not on an
# instruction's border.
expected_costs() {
    awk '{ print "call", $1, $3 }' "$work/calls.expected"
    cat <<'COSTS'
call loop 2
clockread cpuid_rdtsc 5
clockread lfence_rdtsc 4
clockread lfence_rdtsc_lfence 5
clockread loop 2
clockread mfence_rdtsc 4
clockread pair.lfence_rdtsc_lfence 4
clockread pair.rdtsc 2
clockread pair.rdtscp 2
clockread rdtsc 3
clockread rdtscp 3
exceptions divide.entry 1
exceptions divide.handler 0
exceptions divide.return 1
exceptions empty 6
exceptions int.entry 2
exceptions int.handler 0
exceptions int.return 1
exceptions page_fault.entry 1
exceptions page_fault.handler 0
exceptions page_fault.return 2
exceptions protection.entry 1
exceptions protection.handler 0
exceptions protection.return 2
exceptions self_ipi.entry 39
exceptions self_ipi.handler 65
exceptions self_ipi.return 12
exceptions timer.entry 11.53125
exceptions timer.handler 65
exceptions timer.return 9
exceptions undefined.entry 2
exceptions undefined.handler 0
exceptions undefined.return 1
loop memory 8
loop register 2
syscall arguments1 23
syscall arguments2 24
syscall arguments3 26
syscall arguments4 30
syscall arguments5 32
syscall arguments6 34
syscall copy64 52
syscall empty 7
syscall interrupt 13
syscall null 22
syscall stat 202
syscall sysenter 20
COSTS
}

# An Intel model, as AMD has no SYSENTER in long mode.
test_costs() {
    boot system 0 --shift 6 --bench clockread,loop,call,syscall,exceptions --cpu SandyBridge
    check 'system: every bench OK' "$(value system '.benches[] | .name, .status' | tr '\n' ' ')" \
        all_ok system clockread loop call syscall exceptions
    check 'system: every sample of a series is the same' \
        "$(value system '.benches[].series[] | select(.min != .max) | .name' | tr '\n' ' ')" \
        json system '[.benches[].series[] | select(.min != .max)] == []'
    costs >"$work/costs"
    expected_costs | LC_ALL=C sort >"$work/costs.expected"
    check 'system: every cost as counted by hand, to the instruction' \
        "$(diff "$work/costs.expected" "$work/costs" | grep '^[<>]' | tr '\n' ';')" \
        cmp -s "$work/costs.expected" "$work/costs"
    "$TARE" show syscall "$work/system.db" >"$work/output" 2>/dev/null
    check 'system: shown as exact, beside what was expected' "$(grep '^  null' "$work/output")" \
        grep -qE '^  null +200 +22 +exact +22 +none$' "$work/output"
}

# The operations that a hypervisor may trap: none does here, so each takes its own instructions, and
# those that let an interrupt in differ by what their code says.
test_exits() {
    boot exits 0 --bench exits
    check 'exits: OK' "$(value exits '.benches[].reason')" all_ok exits exits
    check 'exits: each operation takes its own instructions, in every trial' "$(value exits '.benches[].exits[] |
        select(.own_instructions != null and (.own_instructions != .instructions or .share != 1)) | .series' | tr '\n' ' ')" \
        json exits '[.benches[].exits[] | select(.own_instructions != null)] | length > 25 and
            all(.own_instructions == .instructions and .share == 1)'
    for operation in cr8_read cr8_write dr7_write cr0_wp cr4_pge gs_base_write pause elcr_read elcr_write; do
        check "exits: $operation is measured" 'absent' json exits \
            "[.benches[].exits[] | select(.series == \"$operation\")] | length == 1"
    done
    check 'exits: interrupts until their handler ran, more by each instruction of the form' \
        "$(value exits '.benches[].exits[] | select(.series | startswith("ipi_")) | [.series, .instructions] | @csv' | tr '\n' ' ')" \
        json exits '[.benches[].exits[] | select(.series | startswith("ipi_")) | {(.series): .instructions}] | add |
            .ipi_sti_nop > 60 and .ipi_sti_hlt == .ipi_sti_nop and .ipi_tpr == .ipi_sti_nop + 3 and
            .ipi_tpr_sti_nop == .ipi_sti_nop + 2 and .ipi_tpr_sti_hlt == .ipi_sti_nop + 2'
    check 'exits: what exits is unknown in exact time' 'it is not' json exits \
        '[.benches[].exits[].trapped] | unique == [null]'
    "$TARE" show exits "$work/exits.db" >"$work/output" 2>/dev/null
    check 'exits: shown once, twice, by the mode and its share' "$(grep '^ *CPUID' "$work/output")" \
        grep -qE '^ *CPUID +[0-9]+ +[0-9]+ +2 +100 % +2 +[0-9]+ +[0-9]+' "$work/output"
}

test_object_code
test_costs
test_exits
finish
