#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
#
# The recipes of bench/README.md, word for word, in a copy of the tree in which nothing else is edited: a
# bench in one file, then its table and figure in a second one. Each is formatted, passes lint, is
# built, booted and shown. Then one entry each for a plan key, an operation of bench exits and an option
# of a command.
set -u

. tools/tests/support/lib.sh

tree=$work/tree
mkdir -p "$tree/build/host"
cp -a boot kernel bench tools linker.ld Makefile README.md LICENSE .github .clang-format .clang-tidy "$tree"
# What is built already is not built again: cp -a keeps its times.
cp -a build/image build/smp build/lwip build/qrcodegen build/spleen build/uplot build/tare build/modules.mk "$tree/build" 2>/dev/null
cp -a build/host/obj build/host/lib build/host/*.list "$tree/build/host" 2>/dev/null
# recipe FILE: the block of bench/README.md behind "<!-- recipe: FILE -->", written to that file.
recipe() {
    awk -v wanted="<!-- recipe: $1 -->" '
        $0 == wanted { found = 1; next }
        found && /^```c$/ { inside = 1; next }
        inside && /^```$/ { exit }
        inside' bench/README.md >"$tree/$1"
    check "recipe: $1 is in bench/README.md" "no such block" test -s "$tree/$1"
}

# goal NAME GOAL...: the copy makes it.
goal() {
    goal_name=$1
    shift
    goal_status=0
    inner_make LINT_JOBS=1 TIDY_NODES=20000 "$@" || goal_status=$?
    check "$goal_name" "$(tail -n 5 "$work/make.txt")" test "$goal_status" = 0
}

# accepted FILE: layout, analysers, names, circles.
accepted() {
    for accepted_by in format tidy cppcheck; do
        goal "recipe: $1: $accepted_by" "lint-$accepted_by" C_FILES="$1"
    done
    goal "recipe: $1: names" lint-names
    goal "recipe: $1: circles" lint-cycles
}

built() {
    goal "recipe: $1 is built" all
    goal "recipe: $1: modules" lint-modules
}

test_bench() {
    recipe bench/system/example.c
    accepted bench/system/example.c
    built bench/system/example.c
    expect_status 'recipe: the bench is booted' 0 "$tree/build/tare" boot "$tree/build/image/tare.efi" \
        --mode exact --bench example --log "$work/log" -o "$work/run.db"
    "$tree/build/tare" show example "$work/run.db" >"$work/show.txt" 2>&1
    check 'recipe: its samples are shown' "$(cat "$work/show.txt")" grep -q '^ *cost *1000 ' "$work/show.txt"
    (cd "$tree" && TARE=build/tare sh tools/tests/image/test_plan.sh) >"$work/plan.txt" 2>&1
    plan_status=$?
    check 'recipe: its parameter is in the lists' "$(grep FAIL "$work/plan.txt")" test "$plan_status" = 0
}

test_reading() {
    recipe bench/system/host/plugin_example.c
    accepted bench/system/host/plugin_example.c
    built bench/system/host/plugin_example.c
    "$tree/build/tare" show example "$work/run.db" >"$work/show.txt" 2>&1
    check 'recipe: the line is shown' "$(cat "$work/show.txt")" \
        grep -q '^  back to back: .* (median)$' "$work/show.txt"
    "$tree/build/tare" export --format tsv -o "$work/figures" "$work/run.db" >"$work/output" 2>&1
    check 'recipe: the figure is drawn' "$(cat "$work/output")" test -s "$work/figures/example-cost.tsv"
    check 'recipe: it has all samples' "$(wc -l <"$work/figures/example-cost.tsv")" \
        test "$(grep -cE '[0-9]' "$work/figures/example-cost.tsv")" -ge 1000
}

# An option is one line of a command's table: help, manual page, completion and reading know it.
test_option() {
    option_file=tools/cmd/tare_watch.c
    sed -i '/^    {"once", /i\
    {"span", OPT_UNSIGNED(\&watch.seconds, 2, 9), "N", "seconds of an example", .excludes = "once"},
' "$tree/$option_file"
    check 'option: one line is added' "$(diff "$option_file" "$tree/$option_file")" \
        test "$(diff "$option_file" "$tree/$option_file" | grep -c '^[<>]')" = 1
    goal 'option: format' lint-format C_FILES="$option_file"
    goal 'option: built, with its manual page' tools help-files
    "$tree/build/tare" help watch >"$work/help.txt"
    check 'option: in the help' "$(cat "$work/help.txt")" grep -q '^  --span N  *seconds of an example$' \
        "$work/help.txt"
    check 'option: in the manual page' 'it is not' grep -q 'seconds of an example' \
        "$tree/build/help/man/tare-watch.1"
    check 'option: completed' "$("$tree/build/tare" complete watch --s)" \
        test "$("$tree/build/tare" complete watch --s | sort | tr '\n' ' ')" = '--seconds --span '
    expect_status 'option: its bounds' 2 "$tree/build/tare" watch --span 10 "$work/log"
    check 'option: its bounds are named' "$(cat "$work/output")" \
        grep -q 'tare watch: --span 10: must be a number from 2 to 9' "$work/output"
    expect_status 'option: what it excludes' 2 "$tree/build/tare" watch --span 3 --once "$work/log"
    check 'option: what it excludes is named' "$(cat "$work/output")" \
        grep -q 'tare watch: --span and --once exclude each other' "$work/output"
    printf 'no run' >"$work/text.log"
    expect_status 'option: a value is taken' 1 timeout 20 "$tree/build/tare" watch --span 3 - <"$work/text.log"
}

# A file directly in bench/ is no bench yet: the build names it, and what to do.
test_stray() {
    cp "$tree/bench/system/example.c" "$tree/bench/stray.c"
    inner_make all
    stray_status=$?
    check 'recipe: a file directly in bench/ is refused' "$(tail -n 3 "$work/make.txt")" \
        test "$stray_status" != 0 -a "$(grep -c 'bench/stray.c: bench/ is no module of tools/build/modules' "$work/make.txt")" -ge 1
    rm "$tree/bench/stray.c"
}

# One entry each, and nothing elsewhere: a plan key of the run, and an operation of bench exits.
test_entries() {
    sed -i '/^#undef RUN_KEY$/i RUN_KEY(NUMBER, example_count, "example.count", "3", "an example", 1, 9)' \
        "$tree/kernel/run/run_keys.def"
    sed -i '/^#undef EXIT_OPERATION$/i EXIT_OPERATION(example, "EXAMPLE", "PAUSE", 40, 50, 60, 70, NONE, 1, "an example", repeat, "pause", at(0, 0, 0))' \
        "$tree/bench/system/exit_operations.def"
    built 'a plan key and an operation of exits'
    (cd "$tree" && TARE=build/tare sh tools/build/lists.sh build/docs)
    check 'recipe: the key is in the lists' "$(grep example "$tree/build/docs/plan.md")" \
        grep -qF '| `example.count` | `3` | number | 1 to 9 | an example |' "$tree/build/docs/plan.md"
    check 'recipe: the operation is in the lists' "$(grep example "$tree/build/docs/exits.md")" \
        grep -qF '| `example` | PAUSE | 40 | 50 | 60 | 70 | - | 1 |' "$tree/build/docs/exits.md"
    expect_status 'recipe: a wrong value of the key is refused' 2 "$tree/build/tare" boot \
        "$tree/build/image/tare.efi" --mode exact --set example.count=10
    check 'recipe: the refusal names it' "$(cat "$work/output")" \
        grep -qF 'example.count: expected a number from 1 to 9, got "10"' "$work/output"
    expect_status 'recipe: the image takes the key, and measures the operation' 0 "$tree/build/tare" boot \
        "$tree/build/image/tare.efi" --mode exact --bench exits --set example.count=9 --log "$work/log" -o "$work/run.db"
    "$tree/build/tare" show exits "$work/run.db" >"$work/show.txt" 2>&1
    check 'recipe: the operation is shown' "$(cat "$work/show.txt")" grep -q '^ *EXAMPLE  *[0-9]*  *[0-9]*  *1  *100 %  *1  *70' "$work/show.txt"
}

test_option
test_bench
test_reading
test_stray
test_entries
finish
