#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
#
# What READMEs state in backticks of plans and commands: each key of a plan, each command and each option
# exists, and each reason of README.md's table of INVALID runs is one that the program or the image prints.
set -u

. tools/tests/support/lib.sh

# spans: what stands in backticks outside of code blocks, one a line, with its file in front.
spans() {
    git ls-files '*README.md' .github/CONTRIBUTING.md | while read -r readme; do
        awk -v file="$readme" '/^```/ { inside = !inside } inside || /^    / { next }
            { for (rest = $0; match(rest, /`[^`]+`/); rest = substr(rest, RSTART + RLENGTH))
                print file "\t" substr(rest, RSTART + 1, RLENGTH - 2) }' "$readme"
    done
}

# rows COLUMN LISTED LIST: prints the rows on standard input whose word in that column is in the list (LISTED 1)
# or is not (LISTED 0). Columns are separated by tabs.
rows() {
    awk -F '\t' -v column="$1" -v listed="$2" -v list="$3" \
        'BEGIN { while ((getline line < list) > 0) known[line] = 1 } ($column in known) == listed'
}

# all_exist WHAT ROWS LIST: the second word of each row is in the list.
all_exist() {
    rows 2 0 "$3" <"$2" >"$work/unknown"
    check "$1 exists" "$(cat "$work/unknown")" test ! -s "$work/unknown"
}

spans >"$work/spans"
"$TARE" complete boot --set '' | sed 's/=.*//' | sort -u >"$work/keys"
tare_commands >"$work/documented"
{ cat "$work/documented" && printf '%s\n' help list complete; } >"$work/commands"

# KEY=VALUE, where the part before the first point is the bench or the group of a key.
sed 's/\..*//' "$work/keys" | sort -u >"$work/groups"
sed -nE 's/^([^\t]*)\t(([a-z]+_?[a-z]*)\.[a-z_]+)=.*/\1\t\2\t\3/p' "$work/spans" |
    rows 3 1 "$work/groups" >"$work/named_keys"
check 'READMEs name keys of plans' "$(wc -l <"$work/named_keys")" test "$(wc -l <"$work/named_keys")" -gt 20
all_exist 'each key of a plan' "$work/named_keys" "$work/keys"

# tare COMMAND, and the options behind it.
sed -nE 's/^([^\t]*)\t(build\/)?tare ([a-z]+)( .*)?$/\1\t\3\t\4/p' "$work/spans" | sort -u >"$work/named"
check 'READMEs name commands' "$(wc -l <"$work/named")" test "$(wc -l <"$work/named")" -gt 50
all_exist 'each command' "$work/named" "$work/commands"
while read -r command; do
    "$TARE" help "$command" | grep -oE -- '--[a-z][a-z-]*' | sort -u >"$work/options"
    printf '%s\n' --help --color --no-pager >>"$work/options"
    awk -F '\t' -v command="$command" '$2 == command { sub(/ -- .*/, "", $3); count = split($3, word, / /)
        for (i = 1; i <= count; i++) if (word[i] ~ /^--[a-z]/) { sub(/[=,].*/, "", word[i]); print $1 "\t" word[i] } }' \
        "$work/named" >"$work/named_options"
    all_exist "each option of tare $command" "$work/named_options" "$work/options"
done <"$work/documented"

sed -n '/^| reason | what to do |/,/^$/s/^| `\([^`]*\)`.*/\1/p' README.md >"$work/reasons"
check 'README.md lists reasons' "$(cat "$work/reasons")" test "$(wc -l <"$work/reasons")" -ge 5
while read -r reason; do
    check "a reason that is printed: $reason" 'not in the program, not in the image' \
        sh -c 'cat "$1" "$2" | grep -qaF "$3"' sh "$TARE" build/image/tare.efi "$reason"
done <"$work/reasons"
finish
