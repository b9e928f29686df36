#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
#
# Finds names that the image publishes and that the host program repeats as literals, instead of including
# the header with the name (kernel/link/names.h, kernel/FOLDER/names.h, bench/GROUP/names.h). Prints each and
# their number. Exit status: 0 none, 1 some, 2 wrong usage.
#
#     names.sh [FOLDER]      the root of the tree, . by default
#
# names.awk defines what counts as such a name.
set -eu

[ $# -le 1 ] || { echo "usage: names.sh [FOLDER]" >&2; exit 2; }
folder=$(cd "$(dirname "$0")" && pwd)
cd "${1:-.}"
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
# Readings of a bench that the image does not have (PLUGIN_OF of tools/present/report_plugin.h).
grep -rnoE '^PLUGIN_OF\([a-z0-9_]+' tools bench --include='*.c' | while IFS=: read -r file line reading; do
    grep -rqE "^( *\.name =|#define BENCH_[A-Z0-9_]+) +\"${reading#*(}\"" bench --include='*.[ch]' ||
        echo "$file:$line: no bench \"${reading#*(}\" in bench/"
done >"$work/readings"
cat "$work/readings"

find boot kernel bench tools \( -name tests -prune \) -o -name '*.[chS]' -print | LC_ALL=C sort |
    LC_ALL=C awk -f "$folder/names.awk"
[ ! -s "$work/readings" ]
