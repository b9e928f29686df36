#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
#
# The questions of tools/finding/README.md, asked of the runs that it boots: each answer is the one
# that stands below it.
set -u

. tools/tests/support/lib.sh

readme=tools/finding/README.md
top=$PWD

# Blocks N.sql, N.text where there is an answer, and `run`.
awk -v base="$work/" '
    $0 == "```sql question" { n++; file = base n ".sql"; next }
    $0 == "```text answer" { file = base n ".text"; next }
    $0 == "```sh run" { file = base "run"; next }
    /^```$/ { file = "" }
    file != "" { print > file }' "$readme"

# full PATH
full() {
    case $1 in
    /*) echo "$1" ;;
    *) echo "$top/$1" ;;
    esac
}
tare=$(full "$TARE")
image=$(full "${IMAGE:-build/image/tare.efi}")

cd "$work" || exit 1
while read -r command; do
    # shellcheck disable=SC2086 # a command line
    "$tare" ${command#tare } "$image" >boot.out 2>&1 || fail "$command" "$(tail -n 3 boot.out)"
done <run

asked=0
for question in [0-9]*.sql; do
    asked=$((asked + 1))
    answer=${question%.sql}.answer
    sqlite3 -batch -bail -header -column run.db <"$question" >"$answer" 2>&1 ||
        fail "question $asked" "$(cat "$answer")"
    sed -i 's/ *$//' "$answer"
    expected=${question%.sql}.text
    if [ -e "$expected" ]; then
        check "the answer to $question" "$(cat "$answer")" cmp -s "$answer" "$expected"
    else
        check "there is an answer to $question" 'none' test -s "$answer"
    fi
done
check 'README asks ten questions' "$asked" test "$asked" -ge 10
cd "$top" || exit 1
finish
