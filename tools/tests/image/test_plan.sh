#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
#
# The lists of plan keys that tools/build/lists.sh makes from the code, against what the image itself
# reports: each parameter with its default, and the keys of a run.
set -u

. tools/tests/support/lib.sh
. tools/tests/image/boot.sh

# All benches report what they are set to; without memory none takes long.
boot run 1 --shift 6 --profile all --set inject=oom@all
value run '.benches[] | .name as $bench | .params | to_entries[] |
    "\($bench).\(.key) \(.value)"' | sort -u >"$work/image"
tools/build/lists.sh --keys >"$work/lists" || fail 'lists.sh --keys' "status $?"
# Benches on request do not report here: their parameters are checked below.
value run '.benches[].name' | sort -u >"$work/benches"
sed 's/[.]/ &/' "$work/lists" | sort -k 1,1 | join - "$work/benches" | sed 's/ //' | sort -u >"$work/listed"
check 'benches have parameters' "$(wc -l <"$work/image")" test "$(wc -l <"$work/image")" -ge 100
check 'the list has the parameters and defaults of the image' \
    "$(diff "$work/listed" "$work/image" | head -n 10)" cmp -s "$work/listed" "$work/image"

# An unknown key of a bench that runs on request is refused with those that it has, by the image itself.
refused() {
    boot "$1" 1 --force --bench none --set "$2"
    value "$1" '.run.errors[]?' >"$work/$1.error"
    check "an unknown key is refused: $2" "$(cat "$work/$1.error")" grep -q 'known:' "$work/$1.error"
    sed 's/.*known://; s/;.*//' "$work/$1.error" | tr ' ' '\n' | sed '/^$/d' | sort -u >"$work/$1.known"
}

refused model model.nothing=1
sed -n 's/^\(model[.][a-z_]*\) .*/\1/p' "$work/lists" | sort >"$work/model.listed"
check 'the list has the parameters of bench model' "$(cat "$work/model.known")" \
    cmp -s "$work/model.listed" "$work/model.known"

refused keys nothing=1
tools/build/lists.sh --run-keys | sort >"$work/keys.listed"
check 'the list has the keys of a run' "$(diff "$work/keys.listed" "$work/keys.known")" \
    cmp -s "$work/keys.listed" "$work/keys.known"

# ---- before the boot ----

# The host reads benches, keys and ranges from the image, and boots nothing that the image would refuse.
# checked NAME TEXT OPTION...: refused with this text, and the run file of before stays.
cp "$work/run.log" "$work/before.log"
cp "$work/run.db" "$work/before.db"
checked() {
    checked_name=$1
    checked_text=$2
    shift 2
    expect_status "$checked_name: usage" 2 "$TARE" boot --mode exact --log "$work/run.log" \
        -o "$work/run.db" "$@"
    check "$checked_name: what is wrong, and what is meant" "$(cat "$work/output")" \
        grep -qF -- "$checked_text" "$work/output"
    check "$checked_name: nothing was booted" "$(cat "$work/output")" \
        sh -c '! grep -q booting "$1" && cmp -s "$2" "$3" && cmp -s "$4" "$5"' sh "$work/output" \
        "$work/run.log" "$work/before.log" "$work/run.db" "$work/before.db"
}

checked 'an unknown bench' 'did you mean "idle"?' --bench idel
checked 'one of several' 'no bench "gab"' --bench idle,gab,clock
checked 'a value that is no number' 'idle.ms: expected a time from 1 to 86400000 ms, got "abc"' --set idle.ms=abc
checked 'a value out of range' 'gap.ms: expected a time from 1 to' --set gap.ms=0
checked 'an unknown key of a bench' 'did you mean "idle.ms"?' --set idle.sm=5
checked 'an unknown key of a run' 'did you mean "exit"?' --set exot=halt
checked 'a value of a run' 'trace.mode: expected one of stop, overwrite, drain, off, got "all"' --set trace.mode=all
checked 'a law of the modelled disk' 'disk.model: expected one of hdd1996, ssd2014, nvme, optane, got "hdd"' \
    --set disk.model=hdd
checked 'no modelled disk' 'disk.mib: expected a number from 1 to 4096, got "0"' --set disk.mib=0
checked 'no page cache' 'cache.mib: expected a number from 1 to' --set cache.mib=0
checked 'a policy of the page cache' 'cache.policy: expected one of lru, 2q, got "fifo"' --set cache.policy=fifo
checked 'no name of a disk' 'disk.use: expected the name of a disk' \
    --set disk.use=/dev/nvme0n1p1/bench.dat
checked 'the same NIC twice' 'net.use: expected the name of a NIC' --set net.use=eth0,eth0
checked 'no address' 'net.address: expected an IPv4 address' --set net.address=10.9.0/24
checked 'a peer without a NIC' 'net.peer needs net.use' --set net.peer=10.9.0.2
checked 'a fault on purpose' 'inject: expected KIND@BENCH' --set inject=uf@idle
checked 'a wrong word of a list' \
    'chase.orders: expected one or more of sequential, strided, random, got "foo"' --set chase.orders=foo
checked 'a misspelled word of a list' \
    'switches.by: expected one or more of message, pipe, semaphore, yield, got "mesage"' --set switches.by=mesage
checked 'a word in a list of numbers' 'disklatency.sizes: expected numbers from 512 to 1048576, got "abc"' \
    --set disklatency.sizes=512,abc
checked 'a set of instructions' 'bandwidth.sets: expected one or more of rep, 64, sse, avx2, avx512, got "avx3"' \
    --set bandwidth.sets=avx3
checked 'a list with blanks' 'editor.structures: expected one or more of in_kernel, server, segmented, got "b"' \
    --set 'editor.structures={server b}'
echo 'bench=idel' >"$work/plan"
checked 'a plan from a file' 'no bench "idel"' --plan "$work/plan"
checked 'the disk image has the same benches' 'did you mean "idle"?' --bench idel build/image/tare.img
# Equal to what the image itself has to object.
sed -n 's/^tare boot: \(unknown plan key "nothing".*\)$/\1/p' "$work/keys.err" >"$work/host.refusal"
check 'host and image refuse alike' "$(cat "$work/keys.err")" \
    grep -qF -- "$(cat "$work/keys.error")" "$work/host.refusal"
head -c 4000 "$image" >"$work/foreign.efi"
"$TARE" boot --mode exact --bench idel --timeout 1 --log "$work/foreign.log" "$work/foreign.efi" \
    >"$work/output" 2>&1
check 'an image without a table is reported' "$(cat "$work/output")" \
    grep -q 'cannot check the plan before the boot: image .*: no table of benches was found' "$work/output"
finish
