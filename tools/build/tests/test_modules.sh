#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
#
# The table of modules holds, by #include and by symbol, and its check finds what is planted.
set -u

. tools/tests/support/lib.sh

expect_status 'modules: the table holds' 0 tools/build/modules.sh

# A tree of links to the sources and objects of this one.
mkdir "$work/tree"
for folder in boot kernel bench tools build/host/obj build/image/obj; do
    mkdir -p "$work/tree/$folder"
    cp -rs "$PWD/$folder/." "$work/tree/$folder/"
done

# plant NAME SOURCE TEXT WHAT: with that source compiled into the tree, the check fails and names it.
plant() {
    printf '%s\n' "$3" >"$work/tree/$2"
    mkdir -p "$(dirname "$work/tree/build/host/obj/$2")"
    gcc -I. -c -o "$work/tree/build/host/obj/$2.o" "$work/tree/$2" || fail "$1" 'cannot be compiled'
    expect_status "$1" 1 tools/build/modules.sh "$work/tree"
    check "$1: by name" "$(cat "$work/output")" grep -q "$4" "$work/output"
    rm "$work/tree/$2" "$work/tree/build/host/obj/$2.o"
}

plant 'modules: an upward include' tools/base/planted.c '#include "tools/show/run_json.h"' \
    'tools/base/planted.c includes tools/show/run_json.h'
plant 'modules: an upward call' tools/base/planted.c \
    'int decoder_push(void); int planted(void); int planted(void) { return decoder_push(); }' \
    'tools/base/planted.c needs decoder_push'
expect_status 'modules: the tree without them' 0 tools/build/modules.sh "$work/tree"

# keys TEXT: the table with that line at its end, read for make.
keys() {
    { cat tools/build/modules; printf '%s\n' "$1"; } >"$work/modules"
    awk -f tools/build/modules.awk "$work/modules"
}
expect_status 'modules: a key that there is not' 1 keys '    prue: gpt'
check 'modules: a key that there is not: by name' "$(cat "$work/output")" grep -q 'has a key "prue"' "$work/output"
expect_status 'modules: a key of two lines' 0 keys 'kernel/planted: kernel/plan
    pure: one
    pure: two'
check 'modules: a key of two lines has both' "$(tail -n 1 "$work/output")" \
    grep -qxF 'pure.kernel/planted := $(call sources,kernel/planted,one two)' "$work/output"
finish
