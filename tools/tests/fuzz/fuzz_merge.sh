#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
#
# Packs findings of the fuzzers (build/fuzz) into tools/tests/corpus: of each parser, or of FUZZ_ONLY, the
# inputs that reach new edges. With SHRINK=1 drops inputs of the corpus instead: those that reach no edge
# and no new count of one; an input whose name is not a hash stays. The table states inputs and edges
# before and after. A corpus that would lose an edge stays as it is.
set -u

. tools/tests/support/lib.sh

. "$(dirname "$0")/fuzz_corpus.sh"

line='%-12s %8s %8s %8s %8s\n'
# A finding is new by its edges alone: by their counts there is one in every second.
counters=0
[ -z "${SHRINK:-}" ] || counters=1

# edges PROGRAM FOLDER: the edges that these inputs reach.
edges() {
    "$1" -runs=0 -max_len=65536 -timeout=20 -rss_limit_mb=1024 "$2" >"$work/printed" 2>&1 || return
    grep -o 'cov: [0-9]*' "$work/printed" | tail -n 1 | cut -d ' ' -f 2
}

inputs() {
    find "$1" -type f | wc -l
}

# split NAME: before has all that the fuzzer begins with, kept what stays in any case, offered the rest.
split() {
    rm -rf "$work/before" "$work/kept" "$work/offered"
    mkdir "$work/before" "$work/kept" "$work/offered"
    copy_corpus "$1" "$work/before" && cp -R "$work/before/." "$work/kept" || return
    if [ -z "${SHRINK:-}" ]; then
        [ ! -d "build/fuzz/$1" ] || cp -R "build/fuzz/$1/." "$work/offered"
        return
    fi
    for input in "build/corpus/$1"/*; do
        if basename "$input" | grep -qxE '[0-9a-f]{12}'; then
            mv "$work/kept/$(basename "$input")" "$work/offered"
        fi
    done
}

# collect NAME: leaves in build/corpus/NAME what stays and what was merged; libFuzzer's names are longer.
collect() {
    for input in "build/corpus/$1"/*; do
        [ -f "$work/kept/$(basename "$input")" ] || rm -f "$input"
    done
    for input in "$work/kept"/*; do
        found=$(basename "$input")
        if echo "$found" | grep -qxE '[0-9a-f]{40}'; then
            mv "$input" "build/corpus/$1/$(echo "$found" | cut -c 1-12)"
        fi
    done
}

# merge PROGRAM: packs one corpus; a row of the table.
merge() {
    name=$(basename "$1")
    name=${name#fuzz_}
    split "$name" || {
        fail "$name" 'its corpus cannot be unpacked'
        return
    }
    before=$(edges "$1" "$work/before")
    count=$(inputs "build/corpus/$name")
    "$1" -merge=1 -use_counters="$counters" -max_len=10000 -timeout=20 -rss_limit_mb=1024 \
        "$work/kept" "$work/offered" >"$work/printed" 2>&1 || {
        fail "$name" "merge: $(tail -n 3 "$work/printed" | tr '\n' ' ')"
        return
    }
    collect "$name"
    rm -rf "$work/after"
    mkdir "$work/after"
    cp -R "build/corpus/$name/." "$work/after" && copy_shared "$name" "$work/after"
    after=$(edges "$1" "$work/after")
    # shellcheck disable=SC2059 # the format of all rows
    printf "$line" "$name" "$count" "$(inputs "build/corpus/$name")" "$before" "$after" >>"$work/table"
    if [ "${after:-0}" -lt "${before:-0}" ]; then
        fail "$name" "would reach $after edges instead of $before: left as it is"
        return
    fi
    check "$name: ${after:-no} edges" 'not packed' \
        "$corpus_pack" pack "build/corpus/$name" "$corpora/$name.corpus"
}

# shellcheck disable=SC2059
printf "$line" parser inputs after edges after >"$work/table"
for program in build/host/tests/fuzz_*; do
    if [ -z "${FUZZ_ONLY:-}" ] || [ "$(basename "$program")" = "fuzz_$FUZZ_ONLY" ]; then
        merge "$program"
    fi
done
cat "$work/table"
finish
