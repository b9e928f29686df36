#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
#
# Creation of tasks, also as copies, switches between them, page faults and timers, in exact mode:
# every sample of a series the same, what it should be to the instruction, the parts of a fault its
# whole, and reading that costs the same alone and between switches.
set -u

. tools/tests/support/lib.sh
. tools/tests/image/boot.sh

# cost BENCH SERIES INSTRUCTIONS: of all samples, beyond what two stamps take.
cost() {
    check "$1: $2 takes $3 instructions, each time" "$(value switching "(.run.ticks_per_instruction |
        tonumber) as \$ticks | .benches[] | select(.name == \"$1\") | .series[] |
        select(.name == \"$2\" or .name == \"empty\") | [.name, .min / \$ticks, .max / \$ticks] |
        join(\" \")" | tr '\n' ';')" \
        json switching "(.run.ticks_per_instruction | tonumber) as \$ticks |
            .benches[] | select(.name == \"$1\") | [.series[] | select(.name == \"empty\")] as \$empty |
            .series[] | select(.name == \"$2\") | .min == .max and .n >= 32 and
            (.min - \$empty[0].min) / \$ticks == $3"
}

test_costs() {
    cost creation thread_create 327
    cost creation thread 590
    cost creation process_create 6864
    cost creation process 9023
    cost contextswitch thread_yield 99
    cost contextswitch thread_message_round 584
    cost contextswitch process_pipe_round 566
    cost contextswitch process_message_round 784
    cost pagefault demand_zero 738
    cost pagefault minor 203
    cost pagefault protection 207
    cost pagefault copy_on_write 749
    cost pagefault soft 344
    cost pagefault invlpg 1
    cost pagefault flush_all 2
    cost pagefault flush_global 5
}

# each_page CURVE INSTRUCTIONS: what each page more takes, between every two points, in every trial.
each_page() {
    check "fork: $1: each page more takes $2 instructions, from 1 to 256" \
        "$(value forks ".benches[0].curves[] | select(.name == \"$1\") | .median" | tr -d '\n ')" \
        json forks "(.run.ticks_per_instruction | tonumber) as \$ticks |
            .benches[0].curves[] | select(.name == \"$1\") |
            .x == [1, 2, 4, 8, 16, 32, 64, 128, 256] and .trials == 5 and .min == .max and
            ([range(1; 9) as \$i | (.median[\$i] - .median[\$i - 1]) /
                (.x[\$i] - .x[\$i - 1]) / \$ticks] | unique) == [$2]"
}

# Counted by hand: of a copy 512 words and 84 around them; of a shared page 91. Who writes to it takes
# the fault of 749 that pagefault measures, 4 to go on, and 4 as its parent shows the page already.
# Less its page a copy is a process as creation has it, 9023, less the fault of 738 that it does not
# take, and what finds its parent's memory. Alone, as what other benches took before decides where
# memory for pages ends in one place and goes on in another, which takes 8 instructions.
test_fork() {
    boot forks 0 --shift 6 --bench fork
    check 'fork: OK: copies are whole, and their parent keeps its pages' \
        "$(value forks '.benches[0].reason')" all_ok forks fork
    each_page copy 596
    each_page share 91
    each_page write $((91 + 749 + 4 + 4))
    check 'fork: a copied page takes the place of a page fault' \
        "$(value forks '.benches[0].curves[0].median[0]')" \
        json forks '(.run.ticks_per_instruction | tonumber) as $ticks |
            .benches[0].curves[0].median[0] / $ticks - 596 - (9023 - 738) | . >= 20 and . <= 100'
}

# Of all samples: no rank of them is later than the median.
test_paths() {
    check 'paths: deadline to the first instruction of a timer'"'"'s function: 100, each time' \
        "$(value switching '.run.ticks_per_instruction, (.benches[] | select(.name == "paths") |
            .series[] | select(.name == "timer") | .n, .min, .max)' | tr '\n' ' ')" \
        json switching '(.run.ticks_per_instruction | tonumber) as $ticks | .benches[] |
            select(.name == "paths") | .series[] | select(.name == "timer") |
            .n == 1000 and .min == .max and .max / $ticks <= 100 and .min / $ticks > 60'
}

# A stamp is kept three times on the way.
test_parts() {
    for kind in demand_zero minor protection copy_on_write; do
        check "pagefault: $kind is its parts, and 19 to 24 instructions for stamps" \
            "$(value switching ".benches[] | select(.name == \"pagefault\") | .series[] |
                select(.name | startswith(\"$kind\")) | [.name, .median] | join(\" \")" |
                tr '\n' ';')" \
            json switching "(.run.ticks_per_instruction | tonumber) as \$ticks |
                .benches[] | select(.name == \"pagefault\") |
                ([.series[] | {(.name): .median}] | add) as \$of |
                ([\"entry\", \"walk\", \"fill\", \"return\"] | map(\$of[\"$kind.\" + .] - \$of.empty) |
                    add) as \$sum | (\$sum - (\$of.\"$kind\" - \$of.empty)) / \$ticks |
                . >= 19 and . <= 24"
    done
}

# Of a mapped file. A stamp is kept twice on the way, and five times where the page is on the disk: the
# modelled one takes 150 us and a little for 4 KiB.
test_mapped() {
    for kind in soft:10:30 file:30:60; do
        range=${kind#*:}
        kind=${kind%%:*}
        check "pagefault: $kind is its parts, and ${range%:*} to ${range#*:} instructions for stamps" \
            "$(value switching ".benches[] | select(.name == \"pagefault\") | .series[] |
                select(.name | startswith(\"$kind\")) | [.name, .median] | join(\" \")" |
                tr '\n' ';')" \
            json switching "(.run.ticks_per_instruction | tonumber) as \$ticks |
                .benches[] | select(.name == \"pagefault\") |
                ([.series[] | {(.name): .median}] | add) as \$of |
                ([\$of | to_entries[] | select(.key | startswith(\"$kind.\")) | .value - \$of.empty] |
                    add) as \$sum | (\$sum - (\$of.\"$kind\" - \$of.empty)) / \$ticks |
                . >= ${range%:*} and . <= ${range#*:}"
    done
    check 'pagefault: every sector of the mapped pages, twice for each kind, is what it ought to be' \
        "$(value switching '.benches[] | select(.name == "pagefault") | .facts')" json switching \
        '.benches[] | select(.name == "pagefault") | .found.verified == "yes" and
            .facts.checked == 4 * 8 * 32 and .facts.wrong == 0'
    check 'pagefault: a page on the modelled disk takes 200 to 220 us, and 1000 instructions around it' \
        "$(value switching '.benches[] | select(.name == "pagefault") | .series[] |
            select(.name | startswith("file")) | .name, .min, .max' | tr '\n' ' ')" json switching \
        '.benches[] | select(.name == "pagefault") | ([.series[] | {(.name): .}] | add) as $of |
            ($of."file.device" | .min >= 200000 and .max <= 220000) and
            ($of.file.max - $of."file.device".max) / 64 < 1300'
}

samples() {
    "$TARE" show --samples "contextswitch/$1" "$work/switching.db"
}

# Both trials of each point: the two curves lie so many instructions a turn apart.
apart() {
    samples footprint.alone.n | awk '{ print; print }' >"$work/turns"
    samples "$1" >"$work/first"
    samples "$2" >"$work/second"
    paste "$work/turns" "$work/first" "$work/second" | awk -v apart="$3" -v ticks="$(
        value switching .run.ticks_per_instruction)" '
        ($2 - $3) / ticks != apart * $1 { print; bad = 1 }
        END { exit bad || NR != 24 }' >"$work/apart"
}

test_footprints() {
    check 'contextswitch: a switch is a switch, whatever is read' 'it is not' \
        apart footprint.thread footprint.alone 127
    check 'contextswitch: another address space is three instructions more' 'it is not' \
        apart footprint.process footprint.thread 3
    "$TARE" show contextswitch "$work/switching.db" >"$work/shown"
    check 'contextswitch: nothing is filled again where memory costs nothing' "$(cat "$work/shown")" \
        awk '$1 ~ /^[0-9]+$/ && $2 ~ /^([KM]i)?B$/ { points += $6 == 0 && $7 == 0 }
            END { exit points != 12 }' "$work/shown"
    check 'contextswitch: no PCID here, and that is reported' 'it is not' json switching \
        '.benches[] | select(.name == "contextswitch") | [.absent[] | .reason] |
            length == 3 and unique == ["the processor has no PCID"]'
}

boot switching 0 --shift 6 --bench creation,contextswitch,pagefault,paths
check 'all OK: pages are zero, copies private' "$(value switching '.benches[] | .reason')" \
    all_ok switching creation contextswitch pagefault paths
test_costs
test_fork
test_paths
test_parts
test_mapped
test_footprints
finish
