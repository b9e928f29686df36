#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
#
# tools/help/completion.sh bash|zsh|fish TARE
#
# The completion of that shell, from what `TARE help` says, the names of the benches, and the
# template beside this script, on standard output.
set -eu

shell=$1
tare=$2
here=$(dirname "$0")
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
export LC_ALL=C

"$tare" help | sed -n 's/^  \([a-z][a-z]*\)  *\(.*\)/\1\t\2/p' | sort >"$work/commands"
while read -r name _; do
    "$tare" help "$name" | awk -f "$here/blocks.awk" |
        awk -v command="$name" -f "$here/options.awk"
done <"$work/commands" >"$work/options"
benches=$(awk '
    / struct bench [a-z_]* = \{/ { inside = 1 }
    inside && /^    \.name = "/ { split($0, part, "\""); print part[2] }
    /^};/ { inside = 0 }' "$here"/../../bench/*/*.c | sort | tr '\n' ' ')

awk -v shell="$shell" -v commands="$work/commands" -v options="$work/options" \
    -v benches="${benches% }" -f "$here/completion.awk" "$work/commands" "$work/options" \
    "$here/tare.$shell"
