#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
#
# tools/build/uplot.sh
#
# Prints the folder of uPlot, the chart library that the report's page contains. Downloads it if it
# is not cached.
#
#   UPLOT        use this folder (uPlot.iife.min.js, uPlot.min.css and LICENSE), fetch nothing
#   TARE_CACHE   see cache.sh
#
# Why uPlot (MIT, 51 KB): it draws 100 000 points in some tens of milliseconds; dygraphs, which Debian
# packages, is older, 127 KB and slower. It comes from one pinned archive of the npm registry, so that a
# fresh machine needs curl but not node or npm.
set -eu

name=uplot
. "$(dirname "$0")/cache.sh"
version=1.6.32
sha256=4b8a8191e425658e3ea8c8c1314b0fc679c861ee3a1af2b20c7b16ba50b5133d
tarball=uplot-$version.tgz
address=https://registry.npmjs.org/uplot/-/$tarball
files='uPlot.iife.min.js uPlot.min.css LICENSE'

tarball_is_right() {
    echo "$sha256  $1" | sha256sum -c --status - 2>/dev/null
}

by_hand() {
    echo "Put it there by hand: $cache/$tarball
  (SHA-256 $sha256),
  or name a folder with $files in it: UPLOT=/path/to/folder"
}

download() {
    command -v curl >/dev/null 2>&1 || fail "no curl to get $tarball with.
  $(by_hand)"
    echo "uplot: getting $address" >&2
    curl -fsSL --retry 2 --connect-timeout 20 -o "$work/$tarball" "$address" ||
        fail "could not get $address.
  $(by_hand)"
    tarball_is_right "$work/$tarball" || fail "$address: wrong SHA-256.
  $(by_hand)"
    mv "$work/$tarball" "$cache/$tarball"
}

unpack() {
    make_work
    tarball_is_right "$cache/$tarball" || download
    mkdir "$work/uplot"
    {
        tar -xzf "$cache/$tarball" -C "$work/uplot" --strip-components=1 package/LICENSE &&
            tar -xzf "$cache/$tarball" -C "$work/uplot" --strip-components=2 \
                package/dist/uPlot.iife.min.js package/dist/uPlot.min.css
    } || fail "cannot unpack $cache/$tarball"
    mv "$work/uplot" "$folder"
}

# shellcheck disable=SC2086 # several files
[ -z "${UPLOT:-}" ] || use_given UPLOT "$UPLOT" $files
open_cache
folder=$cache/uplot-$version
if [ ! -d "$folder" ]; then
    lock_cache
    [ -d "$folder" ] || unpack
fi
echo "$folder"
