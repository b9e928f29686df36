#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
#
# The lists of plan keys that tools/build/lists.sh makes from the code, against what the image itself
# reports: each parameter with its default, and the keys of a run.
set -u

. tools/tests/support/lib.sh
. tools/tests/image/boot.sh

# All benches report what they are set to; without memory none takes long.
boot run 1 --shift 6 --set inject=oom@all
value run '.benches[] | .name as $bench | .params | to_entries[] |
    "\($bench).\(.key) \(.value)"' | sort -u >"$work/image"
tools/build/lists.sh --keys >"$work/lists" || fail 'lists.sh --keys' "status $?"
# Benches on request do not report here: their parameters are checked below.
value run '.benches[].name' | sort -u >"$work/benches"
sed 's/[.]/ &/' "$work/lists" | sort -k 1,1 | join - "$work/benches" | sed 's/ //' | sort -u >"$work/listed"
check 'benches have parameters' "$(wc -l <"$work/image")" test "$(wc -l <"$work/image")" -ge 100
check 'the list has the parameters and defaults of the image' \
    "$(diff "$work/listed" "$work/image" | head -n 10)" cmp -s "$work/listed" "$work/image"

# An unknown key of a bench that runs on request is refused with those that it has.
refused() {
    boot "$1" 1 --bench none --set "$2"
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
finish
