# SPDX-License-Identifier: BSD-2-Clause
#
# What each sequence of corpus.txt left, a line each: defined flags that are set, then registers and words of
# memory that are not those of at least half of the sequences, which are init's. Input: the JSON of a run; $corpus: the text.

def hex: ltrimstr("0x") | explode | reduce .[] as $c (0; . * 16 + $c - (if $c > 96 then 87 else 48 end));

($corpus | split("\n") | map(select(test("^[-CPAZSO]+[|]")))) as $lines |
[.benches[] | select(.name == "exec") | .codes[] | if .left == {} then {reason} else .left end] as $left |
([$left[] | to_entries[]] | group_by(.key) | map(group_by(.value) | max_by(length) |
    select(length >= ($left | length) / 2) | .[0]) | from_entries) as $usual |
$left | to_entries[] | .value as $of | ($lines[.key] | split("|")[0]) as $undefined |
[[["C", 1], ["P", 4], ["A", 16], ["Z", 64], ["S", 128], ["D", 1024], ["O", 2048]][] |
    select(.[0] as $flag | $undefined | contains($flag) | not) |
    select((($of.rflags // "0x0" | hex) / .[1] | floor) % 2 == 1) | .[0]] as $flags |
"flags=" + ($flags | join("")) + ([$of | to_entries[] | select(.key != "rflags" and .value != $usual[.key]) |
    " \(.key)=\(.value)"] | join(""))
