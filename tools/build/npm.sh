#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
#
# tools/build/npm.sh uplot|axe|qr
#
# Prints the folder of a JavaScript library. Downloads it if it is not cached, from one pinned archive of the npm
# registry, so that a fresh machine needs curl but not node or npm.
#
#   UPLOT, AXE, QR   use this folder, which has the files that the table names, fetch nothing
#   TARE_CACHE       see cache.sh
#
# uplot: the report's charts (MIT). It draws 100 000 points in some tens of milliseconds; dygraphs, which Debian
# packages, is older, twice as large and slower. axe: checks the report's page in a test, is not part of any page (MPL-2.0).
# qr: reads the codes of tare's screen (MIT or Apache-2.0); tools/web/README.md says how well, and why this one.
set -eu

# NAME PACKAGE VERSION SHA-256 and the files that are taken.
table='uplot uplot 1.6.32 4b8a8191e425658e3ea8c8c1314b0fc679c861ee3a1af2b20c7b16ba50b5133d dist/uPlot.iife.min.js dist/uPlot.min.css LICENSE
axe axe-core 4.14.1 e6b0ce02b84d892e2e33e403485e7f3d6c29e2be6df65daf44d89ba564139745 axe.min.js
qr qr 0.7.0 632ef43ecb74f7eb5f578e978068bcbfba0fbba36101e79c079a6d95f24d8865 decode.js index.js LICENSE-MIT'
name=${1:-npm}
. "$(dirname "$0")/cache.sh"

download() {
    command -v curl >/dev/null 2>&1 || fail "no curl to get $address with; install it"
    echo "$name: getting $address" >&2
    curl -fsSL --retry 2 --connect-timeout 20 -o "$work/$tarball" "$address" ||
        fail "could not get $address.
  Put it there by hand: $cache/$tarball
  (SHA-256 $sha256),
  or name a folder with $files in it: $variable=/path/to/folder"
    tarball_is_right "$work/$tarball" || fail "$address: wrong SHA-256, expected $sha256"
    mv "$work/$tarball" "$cache/$tarball"
}

tarball_is_right() {
    echo "$sha256  $1" | sha256sum -c --status - 2>/dev/null
}

unpack() {
    make_work
    tarball_is_right "$cache/$tarball" || download
    mkdir "$work/$name"
    # shellcheck disable=SC2086 # several files
    tar -xzf "$cache/$tarball" -C "$work/$name" --transform='s|.*/||' $paths || fail "cannot unpack $cache/$tarball"
    mv "$work/$name" "$folder"
}

line=$(echo "$table" | grep "^$name ") || fail "expected uplot, axe or qr"
# shellcheck disable=SC2086 # the line's words
set -- $line
package=$2 version=$3 sha256=$4
shift 4
paths=$(printf 'package/%s ' "$@")
files=$(basename -a "$@" | xargs)
tarball=$package-$version.tgz
address=https://registry.npmjs.org/$package/-/$tarball
variable=$(echo "$name" | tr '[:lower:]' '[:upper:]')
eval "given=\${$variable:-}"
# shellcheck disable=SC2086 # several files
[ -z "$given" ] || use_given "$variable" "$given" $files
open_cache
folder=$cache/$package-$version
if [ ! -d "$folder" ]; then
    lock_cache
    [ -d "$folder" ] || unpack
fi
echo "$folder"
