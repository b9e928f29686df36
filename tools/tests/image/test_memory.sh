#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
#
# Latency of memory in exact mode: a load that waits for the one before is three instructions at
# every size, stride, order, page size and memory type.
set -u

. tools/tests/support/lib.sh
. tools/tests/image/boot.sh

hop=3

# curves_are NAME BENCH CURVES: the bench's curves are these, separated by blanks, in this order.
curves_are() {
    json "$1" "(.benches[] | select(.name == \"$2\") | [.curves[].name] | join(\" \")) == \"$3\""
}

# hops_cost NAME BENCH: every trial at every point of every curve cost the same.
hops_cost() {
    json "$1" "(.run.ticks_per_instruction | tonumber) as \$tick |
        .benches[] | select(.name == \"$2\") | .curves |
        all(.trials > 0 and (.x | length) > 0 and
            ((.min + .max) | all(. == $hop * \$tick)))"
}

# what NAME BENCH: the curves, and the costs that they have.
what() {
    value "$1" ".benches[] | select(.name == \"$2\") | .curves[] |
        \"\\(.name) \\((.min + .max) | unique)\"" | tr '\n' ' '
}

# overhead NAME BENCH SERIES INSTRUCTIONS: what a trial's stamps add to its hops.
stamps_cost() {
    json "$1" "(.run.ticks_per_instruction | tonumber) as \$tick | .benches[] |
        select(.name == \"$2\") | .series | (map(select(.name == \"$3.n\"))[0].median) as \$n |
        map(select(.name == \"$3\"))[0].median == ($hop * \$n + $4) * \$tick"
}

absent() {
    json "$1" ".benches[] | select(.name == \"$2\") | .absent | any(.name == \"$3\" and .reason == \"$4\")"
}

check_hops() {
    check "$1: $2: every load is $hop instructions" "$(what "$1" "$2")" hops_cost "$1" "$2"
}

# 4 GiB and a processor that has pages of 1 GiB.
test_large() {
    boot large 0 --bench chase,stride,tlb --memory 4096 --cpu max --shift 6
    check 'large: every order, page size and type' "$(what large chase)" curves_are large chase \
        'sequential.4k.wb strided.4k.wb random.4k.wb sequential.2m.wb strided.2m.wb random.2m.wb sequential.1g.wb strided.1g.wb random.1g.wb random.4k.wc random.4k.uc'
    check_hops large chase
    check 'large: sizes up to 256 KiB' "$(value large '.benches[0].curves[0].x')" json large \
        '.benches[0].curves[0].x == [1024, 1536, 2048, 3072, 4096, 6144, 8192, 12288, 16384, 24576,
            32768, 49152, 65536, 98304, 131072, 196608, 262144]'
    check 'large: stamps add 10 instructions' "$(value large '.benches[0].series')" \
        stamps_cost large chase random.1g.wb 10
    check 'large: the report'"'"'s strides' "$(what large stride)" curves_are large stride \
        'stride4096 stride8192 stride16384 stride65536 stride262144 stride524288 stride2097152 stride4194304'
    check 'large: the report'"'"'s arrays' "$(value large '.benches[1].curves[0].x')" json large \
        '.benches[1].curves | all(.x == [range(13; 25) | pow(2; .)])'
    check_hops large stride
    check 'large: one line a page, of each size of pages' "$(what large tlb)" \
        curves_are large tlb '4k 2m 1g'
    check_hops large tlb
    check 'large: no levels are made up' "$(value large '.benches[].levels')" json large \
        '.benches[0].levels == [] and .benches[2].reach == []'
    "$TARE" show --full "$work/large.db" >"$work/large.txt" 2>&1
    check 'large: the table of strides as it is shown' "$(cat "$work/large.txt")" \
        grep -q '^ *16M\( *3\)\{8\}$' "$work/large.txt"
    check 'large: the curves as they are shown' "$(cat "$work/large.txt")" \
        grep -q '^ *random.1g.wb  *17  *3  *3  *exact  *3$' "$work/large.txt"
}

# 256 MiB, and a processor that has no pages of 1 GiB; parameters.
test_small() {
    boot small 0 --bench chase,tlb --cpu qemu64,pdpe1gb=off --shift 6 --set chase.max_kib=8 \
        --set chase.orders=random --set chase.types=wb --set chase.trials=2
    check 'small: what was asked for' "$(what small chase)" \
        curves_are small chase 'random.4k.wb random.2m.wb'
    check_hops small chase
    check_hops small tlb
    check 'small: pages of 1 GiB are absent, and why' "$(value small '.benches[].absent')" \
        absent small chase random.1g.wb 'no pages of 1 GiB'
    check 'small: so they are of tlb' "$(value small '.benches[].absent')" \
        absent small tlb 1g 'no pages of 1 GiB'
    check 'small: prefetchers stay on, and why' "$(value small '.benches[].absent')" \
        absent small chase nopf "no documented way to switch off this processor's prefetchers"
}

# An emulator has no caches, and all memory types cost the same: WC and UC are reported as absent.
test_real() {
    timeout $limit "$TARE" boot --mode real --log "$work/real.log" -o "$work/real.db" --bench chase \
        --set chase.max_kib=4 --set chase.orders=random --set chase.pages=4k --set chase.trials=2 \
        >"$work/real.out" 2>&1
    check 'real: write-back memory is measured' "$(tail -n 3 "$work/real.out")" \
        curves_are real chase random.4k.wb
    for type in wc uc; do
        check "real: $type is absent, as it costs what write-back costs" \
            "$(value real '.benches[].absent')" absent real chase random.4k.$type \
            'a load costs no more than from L1: a hypervisor ignores the memory type'
    done
}

# Two nodes of 128 MiB with two processors each. With one node, none is reported.
nodes() {
    nodes_name=$1
    shift
    boot "$nodes_name" 0 --bench tlb --set tlb.pages=2m --smp 4 --memory 256 --shift 6 "$@" -- \
        -object memory-backend-ram,id=m0,size=128M -object memory-backend-ram,id=m1,size=128M \
        -numa node,nodeid=0,cpus=0-1,memdev=m0 -numa node,nodeid=1,cpus=2-3,memdev=m1
}

# window_is_of NAME NODE: by SRAT, and by its address: node 0 ends at 128 MiB.
window_is_of() {
    json "$1" ".run.machine | .nodes == \"2\" and .processor_node == \"$2\" and .window_node == \"$2\"" ||
        return 1
    window_end=$(value "$1" '.run.machine.window_end // 0')
    if [ "$2" -eq 0 ]; then
        [ $((window_end)) -gt 0 ] && [ $((window_end)) -le $((0x8000000)) ]
    else
        [ $((window_end)) -gt $((0x8000000)) ]
    fi
}

test_nodes() {
    nodes near
    check 'near: memory of the first processor'"'"'s node' "$(value near .run.machine)" window_is_of near 0
    check_hops near tlb
    nodes far --set processor=2
    check 'far: of processor 2 it is the other node'"'"'s' "$(value far .run.machine)" window_is_of far 1
    nodes borrowed --set machine=borrow
    check 'borrowed: memory of its node as well' "$(value borrowed .run.machine)" \
        window_is_of borrowed 0
    # A line of each node's memory, by its address: the sizes of the nodes are those of above.
    boot lines 0 --bench lines --set lines.repetitions=2 --set lines.trials=1 --smp 4 --memory 256 \
        --shift 6 -- \
        -object memory-backend-ram,id=m0,size=128M -object memory-backend-ram,id=m1,size=128M \
        -numa node,nodeid=0,cpus=0-1,memdev=m0 -numa node,nodeid=1,cpus=2-3,memdev=m1
    check 'lines: a matrix for each node, with the line there' "$(value lines '.benches[]')" \
        json lines '.benches[0] | ([.matrices[].name] ==
            ["store", "cas", "store.node.0", "cas.node.0", "store.node.1", "cas.node.1"]) and
            ([.facts | .["home.node.0"] < 134217728, .["home.node.1"] >= 134217728] == [true, true])'
    check 'small: one node is not spoken of' "$(value small .run.machine)" json small \
        '.run.machine | has("nodes") or has("window_node") | not'
}

test_large
test_small
test_real
test_nodes
finish
