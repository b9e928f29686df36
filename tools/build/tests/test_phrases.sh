#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
#
# phrases.sh finds the example of each rule of its table, once, in each kind of file, and nothing in
# plain English.
set -u

. tools/tests/support/lib.sh

table=tools/build/phrases
grep -v '^#' $table | awk -F ' [|] ' '{ sub(/[*]$/, "", $1); print $1 "\t" $4 }' >"$work/examples"
check 'phrases: the table has rules' "$(wc -l <"$work/examples")" test "$(wc -l <"$work/examples")" -ge 16

# finds NAME WHAT FILE: one hit of that rule, and none of others.
finds() {
    tools/build/phrases.sh "$3" >"$work/printed"
    check "phrases: $1 in $2" "$(cat "$work/printed")" \
        test "$(wc -l <"$work/printed") $(grep -c "^$3:[0-9]*: $1: " "$work/printed")" = '1 1'
}

while IFS="$(printf '\t')" read -r name example; do
    printf '/* A good comment that opens. */\nint x; /* %s */\n' "$example" >"$work/a.c"
    finds "$name" 'a comment' "$work/a.c"
    [ "$name" = fragment ] && continue
    printf 'f("%s");\n' "$example" >"$work/a.c"
    finds "$name" 'a string' "$work/a.c"
    printf '# Title\n\n- A list that has items.\n- %s\n' "$example" >"$work/a.md"
    finds "$name" Markdown "$work/a.md"
done <"$work/examples"

# Comments and strings that go on over lines, and texts that lint must leave alone.
printf '/* It prints a line behind\n * each gap that it finds. */\nf("a text that goes on behind "\n  "the end of a line");\n' >"$work/b.c"
tools/build/phrases.sh "$work/b.c" >"$work/printed"
check 'phrases: texts of several lines' "$(cat "$work/printed")" test "$(wc -l <"$work/printed")" -eq 2
# shellcheck disable=SC2016 # Markdown
printf '%s\n' '```' 'a line behind the other one' '```' '' '    an indented line behind the other' '' \
    'Of course it prints `behind the gap` in code, and as much so far as it has so far found.' >"$work/b.md"
check 'phrases: code blocks, text marked as code, exceptions' "$(tools/build/phrases.sh "$work/b.md")" \
    test -z "$(tools/build/phrases.sh "$work/b.md")"

tools/build/phrases.sh --count "$work/b.c" "$work/b.md" >"$work/printed"
# shellcheck disable=SC2016 # of awk
check 'phrases: counted by class' "$(cat "$work/printed")" \
    awk '{ hits[$1] = $2; words[$1] = $3 }
        END { exit !(NR == 4 && hits["comments"] == 1 && hits["messages"] == 1 && hits["readmes"] == 0 &&
            hits["help"] == 0 && words["comments"] == 10 && words["messages"] == 11) }' "$work/printed"
finish
