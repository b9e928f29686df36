#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
#
# tools/help/man.sh TARE FOLDER DATE
#
# Manual pages of all commands, from what `TARE help` says and the templates of tools/man, into
# FOLDER: tare.1, tare-boot.1, ... DATE: as in "November 22, 2026".
set -eu

tare=$1
folder=$2
date=$3
here=$(dirname "$0")
templates=$here/../man
mkdir -p "$folder"
commands=$folder/commands
blocks=$folder/blocks
trap 'rm -f "$commands" "$blocks"' EXIT

"$tare" help | sed -n 's/^  \([a-z][a-z]*\)  *\(.*\)/\1\t\2/p' | LC_ALL=C sort >"$commands"

# page NAME TEMPLATE
page() {
    LC_ALL=C awk -v page="$1" -v date="$date" -v commands="$commands" -v blocks="$blocks" \
        -v summary='weigh the empty machine' -f "$here/man.awk" "$commands" "$blocks" "$2" \
        >"$folder/$1.1"
}

: >"$blocks"
page tare "$templates/tare.in"
while read -r name _; do
    template=$templates/tare-$name.in
    [ -e "$template" ] || template=$templates/command.in
    "$tare" help "$name" | LC_ALL=C awk -f "$here/blocks.awk" >"$blocks"
    page "tare-$name" "$template"
done <"$commands"
