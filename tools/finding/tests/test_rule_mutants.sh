#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
#
# Damage to the table of rules is noticed: each rule is turned off once, and each threshold is made eight
# times as high and, where it is above 1, an eighth. unit_rules, which passes with the table as it is,
# must fail with each of these.
set -u

. tools/tests/support/lib.sh

compiler="${CC:-cc} -std=gnu17 -D_GNU_SOURCE -I. -w"

# build TABLE.c PROGRAM: unit_rules with that table.
build() {
    # shellcheck disable=SC2086 # a command with options
    $compiler -o "$2" "$1" "$work"/*.o -lm 2>"$work/build.txt"
}

# judge NAME: unit_rules fails with the table $work/mutant.c.
judge() {
    if cmp -s bench/finding/rules.c "$work/mutant.c"; then
        fail "$1: the table is damaged" 'it is as it was'
    elif ! build "$work/mutant.c" "$work/mutant"; then
        fail "$1: the damaged table compiles" "$(head -n 1 "$work/build.txt")"
    elif "$work/mutant" >"$work/mutant.txt" 2>&1; then
        fail "$1 is noticed" "$(tail -n 1 "$work/mutant.txt")"
    else
        pass "$1 is noticed"
    fi
}

# An entry may take two lines: NAME stands at the begin of the first, the function at the end.
turn_off() {
    awk -v name="\"$1\"" '
        index($0, "{" name ",") { inside = 1 }
        inside && /rule_[a-z]+},/ { sub(/rule_[a-z]+},/, "rule_off},"); inside = 0 }
        /^static const struct finding_rule rules/ { print "static RULE_FUNCTION(rule_off) {}" }
        { print }' bench/finding/rules.c >"$work/mutant.c"
}

# The threshold is the entry's fourth member.
scale() {
    awk -F', ' -v OFS=', ' -v name="\"$1\"" -v threshold="$2" '
        index($0, "{" name ",") { $4 = threshold }
        { print }' bench/finding/rules.c >"$work/mutant.c"
}

for source in bench/finding/rules_*.c kernel/run/finding.c bench/finding/tests/unit_rules.c; do
    # shellcheck disable=SC2086 # a command with options
    $compiler -c -o "$work/$(basename "$source" .c).o" "$source"
done
build bench/finding/rules.c "$work/clean"
check 'unit_rules passes with the table as it is' "$(cat "$work/build.txt")" \
    sh -c "$work/clean >/dev/null 2>&1"
stopped=$(sed -n 's/^#define STOPPED_NS //p' bench/finding/rules.h)
sed -n "s/STOPPED_NS/$stopped/"'; s/^    {"\([a-z]*\)", [A-Z_]*, [A-Z_]*, \([0-9]*\), .*/\1 \2/p' bench/finding/rules.c >"$work/rules"
check 'each entry of the table is read' "$(cat "$work/rules")" \
    test "$(wc -l <"$work/rules")" -eq "$(grep -c '^    {"' bench/finding/rules.c)"
while read -r rule threshold; do
    turn_off "$rule"
    judge "$rule is turned off"
    [ "$threshold" -gt 0 ] || continue
    scale "$rule" $((threshold * 8))
    judge "$rule: threshold $((threshold * 8))"
    [ "$threshold" -gt 1 ] || continue
    scale "$rule" $((threshold / 8))
    judge "$rule: threshold $((threshold / 8))"
done <"$work/rules"
finish
