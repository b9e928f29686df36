#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
#
# The table of plan keys of README against the parameters that the benches have, and their defaults.
set -u

. tools/tests/support/lib.sh
. tools/tests/image/boot.sh

# All benches say what they are set to; without memory none takes long.
boot run 1 --shift 6 --set inject=oom@all
value run '.benches[] | .name as $bench | .params | to_entries[] |
    "\($bench).\(.key) \(.value)"' | sort -u >"$work/has"
awk -f tools/tests/image/plan_table.awk README.md | sort -u >"$work/says"
cut -d ' ' -f 1 "$work/has" | sort >"$work/has.keys"
cut -d ' ' -f 1 "$work/says" | sort >"$work/says.keys"
check 'benches have parameters' "$(wc -l <"$work/has")" test "$(wc -l <"$work/has")" -ge 100

missing=$(comm -23 "$work/has.keys" "$work/says.keys" | tr '\n' ' ')
check 'README names each parameter' "$missing" test -z "$missing"

value run '.benches[].name' | sort >"$work/benches"
unknown=$(sed 's/[.]/ &/' "$work/says.keys" | sort | join - "$work/benches" | sed 's/ //' |
    comm -23 - "$work/has.keys" | tr '\n' ' ')
check 'README names no other' "$unknown" test -z "$unknown"

wrong=$(grep -v ' -$' "$work/says" | join - "$work/has" | awk '$2 != $3' | tr '\n' ';')
check "README's defaults are theirs" "$wrong" test -z "$wrong"
finish
