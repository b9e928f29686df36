#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
#
# tools/build/axe.sh
#
# Prints the path of axe.min.js of axe-core, which a test of the report's page runs in the browser.
# Downloads the file if it is not cached.
#
#   AXE          use this file, fetch nothing
#   TARE_CACHE   see cache.sh
#
# The file comes from one pinned archive of the npm registry, so that a fresh machine needs curl but
# not node or npm. It is not part of any page.
set -eu

name=axe
. "$(dirname "$0")/cache.sh"
version=4.14.1
sha256=e6b0ce02b84d892e2e33e403485e7f3d6c29e2be6df65daf44d89ba564139745
tarball=axe-core-$version.tgz
address=https://registry.npmjs.org/axe-core/-/$tarball

if [ -n "${AXE:-}" ]; then
    [ -f "$AXE" ] || fail "AXE=$AXE: no such file"
    realpath "$AXE"
    exit 0
fi
open_cache
file=$cache/axe-core-$version.min.js
if [ ! -f "$file" ]; then
    make_work
    command -v curl >/dev/null 2>&1 || fail "no curl to get $address with"
    echo "axe: getting $address" >&2
    curl -fsSL --retry 2 --connect-timeout 20 -o "$work/$tarball" "$address" ||
        fail "could not get $address; AXE=FILE names an axe.min.js of version $version"
    echo "$sha256  $work/$tarball" | sha256sum -c --status - || fail "$address: wrong SHA-256"
    tar -xzf "$work/$tarball" -C "$work" --strip-components=1 package/axe.min.js
    mv "$work/axe.min.js" "$file"
fi
echo "$file"
