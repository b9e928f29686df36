#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
#
# tools/build/source.sh lwip|qrcodegen
#
# Prints the folder of the sources of a library. Downloads them from Debian's source archive if they are
# not cached: the version of trixie, or another one that is named below if that is not available.
#
#   LWIP, QRCODEGEN   use this folder, fetch nothing
#   TARE_CACHE               see cache.sh
set -eu

# NAME PACKAGE SUITE VERSION TARBALL SHA-256 and a file that must be there; the preferred version first.
table='lwip lwip trixie 2.2.1 lwip_2.2.1+dfsg1.orig.tar.xz 83729c274c499d3348e9fbbe043a3113f3fa8953e7efddc7c21c7fcbb1f2b7b1 src/include/lwip/init.h
lwip lwip bookworm 2.1.3 lwip_2.1.3+dfsg1.orig.tar.xz 0a8276d09fc4e97bbba2f953d74af2388fc2195ea156be9d7589e297a68fde24 src/include/lwip/init.h
qrcodegen qr-code-generator trixie 1.8.0 qr-code-generator_1.8.0.orig.tar.gz 2ec0a4d33d6f521c942eeaf473d42d5fe139abcfa57d2beffe10c5cf7d34ae60 c/qrcodegen.h'
name=${1:-source}
. "$(dirname "$0")/cache.sh"
debian_file=$(dirname "$0")/debian_file.sh
sources=$(echo "$table" | grep "^$name ") || fail "expected lwip or qrcodegen"

# get PACKAGE SUITE VERSION TARBALL SHA256: status 1 if the archive does not have it.
get() {
    LOG=$log "$debian_file" "$2" "$1" "$4" "$5" "$cache" || return 1
    make_work
    tar -xf "$cache/$4" -C "$work" --strip-components=1 || fail "cannot unpack $cache/$4"
    mv "$work" "$cache/$name-$3"
}

# cached: prints the best unpacked version; status 1 if there is none.
cached() {
    for version in $(echo "$sources" | cut -d ' ' -f 4); do
        [ -d "$cache/$name-$version" ] || continue
        echo "$cache/$name-$version"
        return 0
    done
    return 1
}

get_any() {
    log=$cache/$name.log
    : >"$log"
    while read -r _ package suite version tarball sha256 _; do
        ! get "$package" "$suite" "$version" "$tarball" "$sha256" </dev/null || return 0
    done <<LIST
$sources
LIST
    fail "could not get the sources of $name (log: $log).
  Put one of these there by hand:
$(echo "$sources" | awk -v cache="$cache" '{ printf "    %s/%s (SHA-256 %s)\n", cache, $5, $6 }'),
  or name a folder of its sources: $variable=/path/to/folder"
}

variable=$(echo "$name" | tr a-z A-Z)
eval "given=\${$variable:-}"
[ -z "$given" ] || use_given "$variable" "$given" "$(echo "$sources" | awk '{ print $7; exit }')"
open_cache
if ! cached; then
    lock_cache
    cached >/dev/null || get_any
    cached
fi
